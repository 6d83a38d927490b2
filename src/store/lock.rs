//! The writer's lock: `lock` in the store's folder, held by the operating system for as long as the writer lives,
//! so that a killed run leaves nothing to clean up.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

use super::error::StoreError;

/// A reader that looks whether the lock is held holds it for a moment itself: 5 tries, 20 ms apart, tell it from a writer.
const TRIES: u32 = 5;
const PAUSE: Duration = Duration::from_millis(20);

/// Takes the lock, or says who has it.
pub(super) fn take(dir: &Path) -> Result<File, StoreError> {
    let path = dir.join("lock");
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(&path)
        .map_err(|e| StoreError::io("open", &path, e))?;
    let mut tries = 1;
    while let Err(refusal) = file.try_lock() {
        match refusal {
            TryLockError::WouldBlock if tries < TRIES => thread::sleep(PAUSE),
            TryLockError::WouldBlock => {
                let holder = process(&mut file).map_or_else(String::new, |process| format!(" (process {process})"));
                return Err(StoreError::InUse { dir: dir.to_owned(), holder });
            }
            TryLockError::Error(e) => return Err(StoreError::io("lock", &path, e)),
        }
        tries += 1;
    }
    // The number serves messages alone; the lock does not depend on it.
    let _ = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| write!(file, "{}", std::process::id()));
    Ok(file)
}

/// Who writes to the store now, as a reader can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holder {
    /// Nobody.
    Nobody,
    /// That process.
    Process(u32),
    /// Somebody whose number cannot be read.
    Somebody,
}

/// Looks whether the lock is held, without writing anything.
pub(super) fn holder(dir: &Path) -> Holder {
    let Ok(mut file) = File::open(dir.join("lock")) else { return Holder::Nobody };
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => process(&mut file).map_or(Holder::Somebody, Holder::Process),
        Ok(()) | Err(TryLockError::Error(_)) => Holder::Nobody,
    }
}

fn process(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.take(20).read_to_string(&mut text).ok()?;
    text.parse().ok()
}
