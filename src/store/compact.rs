//! Rewrites the journal with one record a key, the last.
//!
//! The new files get numbers above the old ones, are written under temporary names and synced, and only then put in place and the
//! old ones deleted. Since the last record under a key counts, every moment between leaves a whole journal: the old one, the old
//! one with copies behind it, or the new one. The index is deleted before anything moves: it can be made anew from any of them.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::disk::Disk;
use super::error::StoreError;
use super::folder::sync_folder;
use super::frame::{Line, decode};
use super::journal::{self, FULL, Location};
use super::record::Record;

/// What a rewriting came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Compaction {
    /// Bytes of the journal before, files that were set aside included.
    pub bytes_before: u64,
    /// Bytes of the journal after.
    pub bytes_after: u64,
    /// Records kept: one a key.
    pub kept: u64,
    /// Older records under a key that was asked again or came in twice.
    pub superseded: u64,
    /// Damaged lines dropped.
    pub damaged: u64,
    /// Half-written lines and damaged indices that had been set aside, dropped.
    pub set_aside: u64,
}

/// Called before each step; an error there ends the rewriting as a crash would.
pub(super) type Gate<'a> = &'a mut dyn FnMut() -> Result<(), StoreError>;

/// Rewrites the journal of a store that is open for writing.
pub(super) fn compact(disk: &mut Disk, gate: Gate<'_>) -> Result<Compaction, StoreError> {
    let dir = disk.writable()?.to_owned();
    let (journal, _) = disk.places();
    let journal = journal.to_owned();
    clear_temporary(&journal)?;
    let mut done = Compaction { bytes_before: size(&journal)?, ..Compaction::default() };
    let old = journal::files(&journal)?;
    let mut all = 0;
    for (number, _) in &old {
        let scanned = journal::scan(&journal, *number, 0, &mut |_, _| all += 1)?;
        done.damaged += scanned.damaged.len() as u64;
    }
    let first_new = old.last().map_or(1, |(number, _)| number + 1);
    let written = write_new(disk, first_new, gate);
    let (files, kept) = written.inspect_err(|_| {
        let _ = clear_temporary(&journal);
    })?;
    done.kept = kept;
    done.superseded = all - kept;
    gate()?;
    disk.let_go();
    let replaced = replace(&dir, &journal, &files, &old, gate);
    // Whatever happened, what lies there now is whole, and the store goes on with it.
    let taken = disk.take_up();
    done.set_aside = replaced?;
    taken?;
    done.bytes_after = size(&journal)?;
    Ok(done)
}

/// Writes the records under temporary names, synced; returns their numbers and the number of records.
fn write_new(disk: &Disk, first: u32, gate: Gate<'_>) -> Result<(Vec<u32>, u64), StoreError> {
    let (journal, places) = disk.places();
    let mut output: Option<(File, PathBuf, u64)> = None;
    let mut source: Option<(u32, File)> = None;
    let mut numbers = Vec::new();
    let mut kept = 0;
    for at in places {
        let line = read_line(journal, at, &mut source)?;
        // A record that went bad since the journal was read is damage like any other.
        let Line::Whole(_) = decode::<Record>(&line) else { continue };
        if output.as_ref().is_none_or(|(_, _, length)| *length >= FULL) {
            close(output.take(), gate)?;
            let number = first + u32::try_from(numbers.len()).unwrap_or(u32::MAX - first);
            let path = temporary(journal, number);
            let file = OpenOptions::new().write(true).create_new(true).open(&path);
            output = Some((file.map_err(|e| StoreError::io("create", &path, e))?, path, 0));
            numbers.push(number);
        }
        if let Some((file, path, length)) = &mut output {
            let written = file.write_all(&[line.as_slice(), b"\n"].concat());
            written.map_err(|e| StoreError::io("write to", path, e))?;
            *length += line.len() as u64 + 1;
            kept += 1;
        }
    }
    close(output, gate)?;
    Ok((numbers, kept))
}

fn close(output: Option<(File, PathBuf, u64)>, gate: Gate<'_>) -> Result<(), StoreError> {
    let Some((file, path, _)) = output else { return Ok(()) };
    gate()?;
    file.sync_all().map_err(|e| StoreError::io("write to", &path, e))
}

fn read_line(journal: &Path, at: Location, source: &mut Option<(u32, File)>) -> Result<Vec<u8>, StoreError> {
    let path = journal::path_of(journal, at.file);
    let failed = |e| StoreError::io("read", &path, e);
    if source.as_ref().is_none_or(|(number, _)| *number != at.file) {
        *source = Some((at.file, File::open(&path).map_err(failed)?));
    }
    let mut line = Vec::new();
    if let Some((_, file)) = source {
        file.seek(SeekFrom::Start(at.offset)).map_err(failed)?;
        file.take(at.length).read_to_end(&mut line).map_err(failed)?;
    }
    Ok(line)
}

/// Puts the new files in the place of the old; returns the number of files that were set aside before and are gone now.
fn replace(dir: &Path, journal: &Path, new: &[u32], old: &[(u32, u64)], gate: Gate<'_>) -> Result<u64, StoreError> {
    let index = dir.join("index");
    if index.exists() {
        fs::remove_dir_all(&index).map_err(|e| StoreError::io("delete", &index, e))?;
    }
    for number in new {
        gate()?;
        let path = journal::path_of(journal, *number);
        fs::rename(temporary(journal, *number), &path).map_err(|e| StoreError::io("write", &path, e))?;
    }
    sync_folder(journal);
    for (number, _) in old {
        gate()?;
        let path = journal::path_of(journal, *number);
        fs::remove_file(&path).map_err(|e| StoreError::io("delete", &path, e))?;
    }
    let mut set_aside = 0;
    for (folder, beginning) in [(journal, ".torn-"), (dir, "index.bad-")] {
        for path in entries(folder)? {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            if name.contains(beginning) {
                gate()?;
                let gone = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
                gone.map_err(|e| StoreError::io("delete", &path, e))?;
                set_aside += 1;
            }
        }
    }
    sync_folder(journal);
    Ok(set_aside)
}

fn temporary(journal: &Path, number: u32) -> PathBuf {
    journal::path_of(journal, number).with_extension("tmp")
}

/// What a rewriting that was cut off left behind.
fn clear_temporary(journal: &Path) -> Result<(), StoreError> {
    for path in entries(journal)? {
        if path.extension().is_some_and(|ending| ending == "tmp") {
            fs::remove_file(&path).map_err(|e| StoreError::io("delete", &path, e))?;
        }
    }
    Ok(())
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let failed = |e| StoreError::io("read", folder, e);
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        paths.push(entry.map_err(failed)?.path());
    }
    paths.sort();
    Ok(paths)
}

fn size(journal: &Path) -> Result<u64, StoreError> {
    let sizes = entries(journal)?.into_iter().filter_map(|path| fs::metadata(path).ok().map(|found| found.len()));
    Ok(sizes.sum())
}
