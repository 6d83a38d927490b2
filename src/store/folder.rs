//! Is this folder a store, or could it become one? Looked at before anything is written: a folder with somebody's files in it is
//! left as it is.

use std::fs;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::Path;

use super::error::StoreError;
use super::journal;

/// Names that a store has in its folder; `index.bad-1` and its like go by their beginning.
const OWN: [&str; 4] = ["journal", "index", "runs", "lock"];
/// Folders of version control.
const PROJECT: [&str; 4] = [".git", ".hg", ".jj", ".svn"];
const SET_ASIDE: &str = "index.bad-";

/// Refuses a folder that holds no store, for a reader.
pub(super) fn check_for_reading(dir: &Path) -> Result<(), StoreError> {
    let names = match names(dir) {
        Err(StoreError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {
            return Err(StoreError::NoStore { dir: dir.to_owned() });
        }
        names => names?,
    };
    if dir.join("journal").is_dir() {
        return Ok(());
    }
    Err(match names.into_iter().find(|name| !is_own(name)) {
        Some(found) => StoreError::NotAStore { dir: dir.to_owned(), found },
        None => StoreError::NoStore { dir: dir.to_owned() },
    })
}

/// Refuses a folder that holds something else, for a writer; one that is not there, or empty, will do.
pub(super) fn check_for_writing(dir: &Path) -> Result<(), StoreError> {
    if !dir.is_dir() {
        // Whatever is in the way is named when the folder is made.
        return Ok(());
    }
    let journal = dir.join("journal");
    let numbered = if journal.is_dir() { journal::files(&journal)? } else { Vec::new() };
    if numbered.is_empty() {
        let stranger = names(dir)?.into_iter().find(|name| !is_own(name));
        let lock = || is_foreign_lock(&dir.join("lock")).then(|| "lock".to_owned());
        return match stranger.or_else(lock) {
            Some(found) => Err(StoreError::NotAStore { dir: dir.to_owned(), found }),
            None => Ok(()),
        };
    }
    if !dir.join("lock").exists() {
        // No writer of ours was ever here: the files may be numbered like ours and be something else.
        for (number, _) in numbered {
            journal::scan(&journal, number, 0, &mut |_, _| {})?;
        }
    }
    Ok(())
}

fn names(dir: &Path) -> Result<Vec<String>, StoreError> {
    let failed = |e: std::io::Error| match e.kind() {
        ErrorKind::NotADirectory => StoreError::NotAFolder { path: dir.to_owned() },
        _ => StoreError::io("read", dir, e),
    };
    let mut names = Vec::new();
    for entry in fs::read_dir(dir).map_err(failed)? {
        names.push(entry.map_err(failed)?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

/// Hidden files (of a desktop, say) tell nothing about what a folder is for, unless it is somebody's project.
fn is_own(name: &str) -> bool {
    let is_hidden = name.starts_with('.') && !PROJECT.contains(&name);
    OWN.contains(&name) || name.starts_with(SET_ASIDE) || is_hidden
}

/// A lock file of ours holds the number of a process, or nothing.
fn is_foreign_lock(path: &Path) -> bool {
    let Ok(metadata) = fs::metadata(path) else { return false };
    let is_number = || fs::read(path).is_ok_and(|text| text.iter().all(u8::is_ascii_digit));
    !metadata.is_file() || metadata.len() > 20 || !is_number()
}

/// Writes a file of these pieces so that every reader sees the old one or the whole new one, also after a crash. Only for the
/// holder of the writer's lock, since the temporary name is fixed.
pub(super) fn replace_file(
    path: &Path,
    pieces: impl Iterator<Item = Result<Vec<u8>, StoreError>>,
) -> Result<(), StoreError> {
    let temporary = path.with_extension("tmp");
    if let Err(error) = write_pieces(&temporary, path, pieces) {
        let _ = fs::remove_file(&temporary);
        return Err(error);
    }
    if let Some(folder) = path.parent() {
        sync_folder(folder);
    }
    Ok(())
}

fn write_pieces(
    temporary: &Path,
    path: &Path,
    pieces: impl Iterator<Item = Result<Vec<u8>, StoreError>>,
) -> Result<(), StoreError> {
    let failed = |e| StoreError::io("write", path, e);
    let mut file = BufWriter::with_capacity(1 << 16, fs::File::create(temporary).map_err(failed)?);
    for piece in pieces {
        file.write_all(&piece?).map_err(failed)?;
    }
    let file = file.into_inner().map_err(|e| failed(e.into_error()))?;
    file.sync_all().and_then(|()| fs::rename(temporary, path)).map_err(failed)
}

/// Makes new names in a folder durable where the system can.
pub(super) fn sync_folder(dir: &Path) {
    if let Ok(folder) = fs::File::open(dir) {
        let _ = folder.sync_all();
    }
}
