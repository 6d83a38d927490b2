//! The writer's lock: `lock` in the store's folder, held by the operating system for as long as the writer lives,
//! so that a killed run leaves nothing to clean up.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

use super::error::StoreError;

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
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            return Err(StoreError::InUse { dir: dir.to_owned(), holder: holder(&mut file) });
        }
        Err(TryLockError::Error(e)) => return Err(StoreError::io("lock", &path, e)),
    }
    // The number only serves the message of the second writer; the lock does not depend on it.
    let _ = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| write!(file, "{}", std::process::id()));
    Ok(file)
}

fn holder(file: &mut File) -> String {
    let mut text = String::new();
    let is_number = file.take(20).read_to_string(&mut text).is_ok()
        && !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { format!(" (process {text})") } else { String::new() }
}
