//! The index: request key → place in the journal. A map in memory while the store is open; sled keeps it between runs,
//! so that opening a large journal need not read all of it.
//!
//! The engine is never trusted. One flipped byte can make it panic on open or lose entries in silence, so every call of it
//! runs inside `catch_unwind`, its count of entries and its place in the journal are checked on open, and whatever it says
//! is verified against the record's own digest. A saved index that fails any of this is set aside and built anew.

use std::collections::HashMap;
use std::fs;
use std::io::ErrorKind;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::journal::Location;
use crate::domain::{Digest, RequestKey};

/// The engine's default of 1 GiB is far too much for 52 bytes a record.
const CACHE_BYTES: u64 = 8 << 20;
/// Dropping the engine does not release its lock at once: 20 tries, 100 ms apart, before it counts as held by someone else.
const LOCK_TRIES: u32 = 20;
const LOCK_PAUSE: Duration = Duration::from_millis(100);
/// Entries under one key of the engine, in the order in which they were written. It keeps some thousand bytes of its own
/// about each key, and every older copy of what a batch touches; and nobody looks for one entry there, all are read at once.
const CHUNK: usize = 256;
/// Bytes of one entry: the request key, then the place.
const ENTRY: usize = 32 + 4 + 8 + 8;
const INDEX_FORMAT: u64 = 2;
const META: &[u8] = b"meta";

/// The working index.
pub(super) type Map = HashMap<RequestKey, Location>;

/// How much of the journal a saved index covers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Covered {
    format: u64,
    /// Number of entries.
    pub entries: u64,
    /// Journal files as (number, bytes covered); `indexed_up_to` is the last of them.
    pub files: Vec<(u32, u64)>,
    /// Digest of the bytes just before `indexed_up_to`: tells another journal of the same length apart.
    pub before: Digest,
}

impl Covered {
    pub fn new(entries: usize, files: Vec<(u32, u64)>, before: Digest) -> Self {
        Self { format: INDEX_FORMAT, entries: entries as u64, files, before }
    }

    /// True for a place in the part of the journal that is covered.
    pub fn covers(&self, at: Location) -> bool {
        self.files.iter().any(|(number, length)| *number == at.file && at.offset < *length)
    }
}

/// What is to be done about a saved index that could not be used.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unusable {
    /// Another live process has it open; leave it alone.
    Locked,
    /// The system did not let it be read (too many open files, no space, no permission): nothing is known of it; in words.
    Denied(String),
    /// It is damaged; in words.
    Damaged(String),
}

/// The index as sled keeps it.
#[derive(Debug)]
pub(super) struct Saved {
    db: Option<sled::Db>,
}

impl Saved {
    /// Opens the folder, or makes it, and reads everything in it. `None` for an index that is new.
    pub fn open(dir: &Path) -> Result<(Self, Map, Option<Covered>), Unusable> {
        let mut tries = 0;
        loop {
            let opened = attempt(|| {
                let db = sled::Config::new().path(dir).cache_capacity(CACHE_BYTES).flush_every_ms(None).open()?;
                let (map, covered) = load(&db)?;
                Ok((Self { db: Some(db) }, map, covered))
            });
            tries += 1;
            match opened {
                Err(Unusable::Locked) if tries < LOCK_TRIES => thread::sleep(LOCK_PAUSE),
                other => return other,
            }
        }
    }

    /// Adds entries, then moves `indexed_up_to`. Durable only after [`Saved::flush`]: what a killed process did not flush is
    /// read from the journal again, and an index with some of the entries alone does not have the count that it should.
    pub fn add(&self, entries: &[(RequestKey, Location)], covered: &Covered) -> Result<(), String> {
        let Some(db) = &self.db else { return Ok(()) };
        let meta = serde_json::to_vec(covered).map_err(|e| e.to_string())?;
        guarded(|| {
            for chunk in entries.chunks(CHUNK) {
                let bytes: Vec<u8> = chunk.iter().flat_map(|(key, at)| encode(*key, *at)).collect();
                db.insert(db.generate_id()?.to_be_bytes(), bytes)?;
            }
            db.insert(META, meta.as_slice())?;
            Ok(())
        })
    }

    /// Hands everything to the operating system. No more is needed of something that can be made anew.
    pub fn flush(&self) -> Result<(), String> {
        let Some(db) = &self.db else { return Ok(()) };
        guarded(|| db.flush().map(|_| ()))
    }
}

impl Drop for Saved {
    fn drop(&mut self) {
        // The panic hook cannot be exchanged while this thread panics; then the engine drops on its own.
        if !thread::panicking()
            && let Some(db) = self.db.take()
        {
            let _ = guarded(|| {
                drop(db);
                Ok(())
            });
        }
    }
}

fn load(db: &sled::Db) -> sled::Result<(Map, Option<Covered>)> {
    let mut map = Map::new();
    let mut covered = None;
    for entry in db.iter() {
        let (key, value) = entry?;
        if key == META {
            covered = serde_json::from_slice(&value).ok().filter(|c: &Covered| c.format == INDEX_FORMAT);
        } else if key.len() == size_of::<u64>() {
            // The last entry of a key counts, and the engine gives the chunks in their order.
            map.extend(value.chunks_exact(ENTRY).filter_map(decode));
        }
    }
    Ok((map, covered))
}

fn encode(key: RequestKey, at: Location) -> [u8; ENTRY] {
    let mut entry = [0; ENTRY];
    entry[..32].copy_from_slice(key.0.bytes());
    entry[32..36].copy_from_slice(&at.file.to_le_bytes());
    entry[36..44].copy_from_slice(&at.offset.to_le_bytes());
    entry[44..].copy_from_slice(&at.length.to_le_bytes());
    entry
}

fn decode(entry: &[u8]) -> Option<(RequestKey, Location)> {
    let (key, rest) = entry.split_first_chunk::<32>()?;
    let (file, rest) = rest.split_first_chunk::<4>()?;
    let (offset, rest) = rest.split_first_chunk::<8>()?;
    let length = <[u8; 8]>::try_from(rest).ok()?;
    let at = Location {
        file: u32::from_le_bytes(*file),
        offset: u64::from_le_bytes(*offset),
        length: u64::from_le_bytes(length),
    };
    Some((RequestKey(Digest::from_bytes(*key)), at))
}

/// Calls the engine with panics caught; what went wrong in words.
fn guarded<T>(call: impl FnOnce() -> sled::Result<T>) -> Result<T, String> {
    attempt(call).map_err(|fault| match fault {
        Unusable::Locked => "it is locked".to_owned(),
        Unusable::Denied(why) | Unusable::Damaged(why) => why,
    })
}

/// Calls the engine with panics caught and the panic message kept off the terminal.
fn attempt<T>(call: impl FnOnce() -> sled::Result<T>) -> Result<T, Unusable> {
    // The hook belongs to the process: two stores must not exchange it at the same time.
    static HOOK: Mutex<()> = Mutex::new(());
    let _alone = HOOK.lock().unwrap_or_else(PoisonError::into_inner);
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let outcome = panic::catch_unwind(AssertUnwindSafe(call));
    panic::set_hook(hook);
    match outcome {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(Unusable::from(error)),
        Err(_) => Err(Unusable::Damaged("the engine gave up on it".to_owned())),
    }
}

impl From<sled::Error> for Unusable {
    fn from(error: sled::Error) -> Self {
        let words = error.to_string();
        match error {
            _ if words.contains("could not acquire lock") => Self::Locked,
            // Of the system's own errors these are about what lies there; the engine's errors have no number.
            sled::Error::Io(error) if error.raw_os_error().is_some() => match error.kind() {
                ErrorKind::NotFound
                | ErrorKind::NotADirectory
                | ErrorKind::IsADirectory
                | ErrorKind::AlreadyExists
                | ErrorKind::InvalidInput => Self::Damaged(words),
                _ => Self::Denied(words),
            },
            _ => Self::Damaged(words),
        }
    }
}

/// Renames a bad index to the first free `index.bad-<n>` beside it.
pub(super) fn set_aside(index: &Path) -> std::io::Result<PathBuf> {
    let mut n = 1_u32;
    loop {
        let aside = index.with_file_name(format!("index.bad-{n}"));
        if !aside.exists() {
            return fs::rename(index, &aside).map(|()| aside);
        }
        n += 1;
    }
}

/// Opens a copy of the index in `scratch`, so that the index itself is neither locked nor changed. `Err` says what is wrong with it.
pub(super) fn peek(index: &Path, scratch: &Path) -> Result<(Map, Option<Covered>), String> {
    let copied = copy_folder(index, scratch).map_err(|e| format!("it cannot be copied to be looked at: {e}"));
    let opened = copied.and_then(|()| match Saved::open(scratch) {
        Ok((saved, map, covered)) => {
            drop(saved);
            Ok((map, covered))
        }
        Err(Unusable::Damaged(why)) => Err(format!("it is damaged ({why})")),
        Err(Unusable::Denied(why)) => Err(format!("it cannot be looked at: {why}")),
        Err(Unusable::Locked) => Err("its copy is held by another process".to_owned()),
    });
    let _ = fs::remove_dir_all(scratch);
    opened
}

fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy_folder(&path, &target)?;
        } else if kind.is_file() {
            fs::copy(&path, &target)?;
        }
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_denies_says_nothing_about_the_index() {
        // Too many open files, no space left, no permission.
        for number in [24, 28, 13] {
            let error = sled::Error::Io(std::io::Error::from_raw_os_error(number));
            assert!(matches!(Unusable::from(error), Unusable::Denied(_)), "{number}");
        }
        // Not found, not a folder; and what the engine itself says.
        for number in [2, 20] {
            let error = sled::Error::Io(std::io::Error::from_raw_os_error(number));
            assert!(matches!(Unusable::from(error), Unusable::Damaged(_)), "{number}");
        }
        assert!(matches!(Unusable::from(sled::Error::Unsupported("x".to_owned())), Unusable::Damaged(_)));
    }
}
