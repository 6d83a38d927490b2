//! Data goes out whole or not at all, and nothing that is there is overwritten without being asked to.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::exit::CliError;

/// Whether an existing file may be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Existing {
    /// It is an error.
    Keep,
    /// It is replaced.
    Replace,
}

impl Existing {
    /// By the flag `--force`.
    pub fn by_force(force: bool) -> Self {
        if force { Self::Replace } else { Self::Keep }
    }
}

/// Refuses before any work is done where the file could not be written after it.
pub(super) fn check_target(path: &Path, existing: Existing) -> Result<(), CliError> {
    if path.is_dir() {
        return Err(CliError::usage(format!("{} is a folder", path.display())).hint("name a file behind --out"));
    }
    if existing == Existing::Keep && path.exists() {
        return Err(CliError::usage(format!("{} exists already", path.display()))
            .hint("add --force to replace it, or choose another name"));
    }
    let folder = parent(path);
    if !folder.is_dir() {
        return Err(CliError::usage(format!("there is no folder {} to write {} in", folder.display(), path.display()))
            .hint("make the folder, or choose another name"));
    }
    Ok(())
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes a file by way of a temporary one beside it, so that no reader ever sees half of it.
pub(super) fn write_file(path: &Path, text: &str, existing: Existing) -> Result<(), CliError> {
    check_target(path, existing)?;
    let temporary = temporary_name(path);
    let written = write_whole(&temporary, text.as_bytes()).and_then(|()| std::fs::rename(&temporary, path));
    written.map_err(|error| {
        let _ = std::fs::remove_file(&temporary);
        CliError::usage(format!("failed to write {}: {error}", path.display())).hint("nothing was left half written")
    })
}

fn write_whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = std::fs::File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn temporary_name(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.tmp", std::process::id()));
    path.with_file_name(name)
}

/// Writes to standard output; a reader that has gone away is no error.
pub(super) fn print(text: &str) -> Result<(), CliError> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(CliError::usage(format!("failed to write to standard output: {error}"))),
        Ok(()) => Ok(()),
    }
}
