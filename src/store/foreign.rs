//! Records from elsewhere: another store, its journal, or answers that a full disk kept out of this one.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use super::error::StoreError;
use super::frame::{encode, is_recognised};
use super::record::Record;
use super::{Access, Store, journal};
use crate::domain::Notice;

/// True for the beginning of a journal file.
pub fn is_journal(first_line: &[u8]) -> bool {
    is_recognised(first_line)
}

/// Hands every record of another store, or of one journal file, to `sink`: the last under each key, in the order in which they were
/// written. The notices name damaged lines. Nothing is changed there.
pub fn read_records(path: &Path, sink: &mut dyn FnMut(Record)) -> Result<Vec<Notice>, StoreError> {
    if path.is_dir() {
        let is_journal = path.file_name().is_some_and(|name| name == "journal") && !path.join("journal").is_dir();
        let dir = if is_journal { path.parent().unwrap_or(path) } else { path };
        let (mut store, mut notices) = Store::open(dir, Access::Read)?;
        store.records().for_each(&mut *sink);
        notices.extend(store.take_notices());
        return Ok(notices);
    }
    let mut records: Vec<Option<Record>> = Vec::new();
    let mut places = HashMap::new();
    let scanned = journal::scan_file(path.to_owned(), 1, 0, &mut |_, record| {
        if let Some(earlier) = places.insert(record.key, records.len()) {
            records[earlier] = None;
        }
        records.push(Some(record));
    })?;
    records.into_iter().flatten().for_each(sink);
    let torn = scanned.torn.then_some(scanned.lines);
    let damaged = scanned.damaged.into_iter().chain(torn);
    let said =
        |line| Notice::warning(Some(line), None, format!("{}:{line} is damaged and was left out", path.display()));
    Ok(damaged.map(said).collect())
}

/// Writes records to a new file that [`read_records`] reads.
pub(super) fn write_records(path: &Path, records: &[Record]) -> Result<(), StoreError> {
    let failed = |e| StoreError::io("write", path, e);
    let mut file = OpenOptions::new().write(true).create_new(true).open(path).map_err(failed)?;
    for record in records {
        let line = encode(record).map_err(|source| StoreError::Record { item: record.item.to_string(), source })?;
        file.write_all(&line).map_err(failed)?;
    }
    file.sync_all().map_err(failed)
}
