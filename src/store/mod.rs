//! Keeps every paid completion, so that no question is paid for twice.
//!
//! The journal (`journal/NNNNNN.jsonl`, append-only, one record a line with its own digest, one writer, synced before a
//! batch counts as acknowledged) is the truth; damage costs a line, never the file. The index over it is disposable.
//!
//! Layout of a store (`.tribunal/` unless `--store DIR` says otherwise), line format version 1:
//!
//! | path | what |
//! |---|---|
//! | `journal/000001.jsonl` … | `{"v":1,"sha256":"…","key":…,"judge":…,"fingerprint":…,"item":…,"order":…,"repeat":…,"at":…,"body":…,"completion":…}` |
//! | `journal/000001.torn-1` … | a half-written last line, set aside |
//! | `index/` | the saved index; may be deleted at any time |
//! | `index.bad-1` … | an index that was damaged or out of step, set aside; may be deleted |
//! | `lock` | held by the writer through the operating system |
//!
//! Where one key has several records (a damaged one that was asked again, merged journals) the last one counts.
//!
//! This room must never lose an acknowledged record, return one whose digest is wrong, panic on what it finds on the disk, or
//! let a second writer in. It is the only room that names the index engine.

mod disk;
mod error;
mod index;
mod journal;
mod lock;
mod record;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::Path;

pub use error::StoreError;
pub use record::Record;

use crate::domain::{Completion, Notice, RequestKey};
use disk::Disk;

/// What a store is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// To look up and add; one process at a time.
    Write,
    /// To look up only: takes no lock, changes nothing on the disk, works beside a running writer.
    Read,
}

/// What is in a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StoreStats {
    /// Records that can be looked up.
    pub records: u64,
    /// Files of the journal; 0 for a store in memory.
    pub journal_files: u64,
    /// Their size together, in bytes.
    pub journal_bytes: u64,
    /// Damaged lines seen since the store was opened.
    pub damaged_lines: u64,
}

/// Completions by request key, in a folder or in memory.
#[derive(Debug)]
pub struct Store {
    backing: Backing,
}

#[derive(Debug)]
enum Backing {
    Memory(Memory),
    Disk(Box<Disk>),
}

#[derive(Debug, Default)]
struct Memory {
    records: HashMap<RequestKey, Record>,
    order: Vec<RequestKey>,
}

impl Store {
    /// Opens the store in `dir` (made if it is not there, for [`Access::Write`]). The notices say what had to be mended.
    ///
    /// # Errors
    /// Another writer, a file in a folder's place, foreign content, an unknown format version, or a refusal of the operating
    /// system; each names the path and a way out.
    pub fn open(dir: &Path, access: Access) -> Result<(Self, Vec<Notice>), StoreError> {
        let mut disk = Disk::open(dir, access)?;
        let notices = std::mem::take(&mut disk.notices);
        Ok((Self { backing: Backing::Disk(Box::new(disk)) }, notices))
    }

    /// A store that keeps nothing beyond this process (`--no-store`).
    pub fn memory() -> Self {
        Self { backing: Backing::Memory(Memory::default()) }
    }

    /// The completion under `key`, its record's digest verified on this very read. A record that fails counts as not there,
    /// with a notice.
    pub fn get(&mut self, key: &RequestKey) -> Option<Completion> {
        self.record(key).map(|record| record.completion)
    }

    /// The whole record under `key`, verified like [`Store::get`].
    pub fn record(&mut self, key: &RequestKey) -> Option<Record> {
        match &mut self.backing {
            Backing::Memory(memory) => memory.records.get(key).cloned(),
            Backing::Disk(disk) => disk.find(key),
        }
    }

    /// Adds records. When this returns `Ok` they are on the disk; after an error none of them counts.
    pub fn put_batch(&mut self, records: &[Record]) -> Result<(), StoreError> {
        match &mut self.backing {
            _ if records.is_empty() => Ok(()),
            Backing::Memory(memory) => {
                for record in records {
                    if memory.records.insert(record.key, record.clone()).is_none() {
                        memory.order.push(record.key);
                    }
                }
                Ok(())
            }
            Backing::Disk(disk) => disk.put_batch(records),
        }
    }

    /// All records, in the order in which they were written, each verified as it is read.
    pub fn records(&mut self) -> Records<'_> {
        let keys = match &self.backing {
            Backing::Memory(memory) => memory.order.clone(),
            Backing::Disk(disk) => disk.keys(),
        };
        Records { store: self, keys: keys.into_iter() }
    }

    /// Reads the whole journal again; what is damaged is in [`Store::take_notices`] and [`Store::stats`] afterwards.
    pub fn verify(&mut self) -> Result<(), StoreError> {
        match &mut self.backing {
            Backing::Memory(_) => Ok(()),
            Backing::Disk(disk) => disk.verify(),
        }
    }

    /// Saves the index. Records need no flush: they are on the disk when [`Store::put_batch`] returns.
    pub fn flush(&mut self) {
        if let Backing::Disk(disk) = &mut self.backing {
            disk.flush();
        }
    }

    /// Saves the index and lets the next writer in; returns the notices not yet taken.
    pub fn close(mut self) -> Vec<Notice> {
        self.flush();
        self.take_notices()
    }

    /// The notices since the store was opened or they were last taken.
    pub fn take_notices(&mut self) -> Vec<Notice> {
        match &mut self.backing {
            Backing::Memory(_) => Vec::new(),
            Backing::Disk(disk) => std::mem::take(&mut disk.notices),
        }
    }

    /// What is in the store now.
    pub fn stats(&self) -> StoreStats {
        match &self.backing {
            Backing::Memory(memory) => StoreStats { records: memory.records.len() as u64, ..StoreStats::default() },
            Backing::Disk(disk) => disk.stats(),
        }
    }
}

/// Iterator over [`Store::records`].
#[derive(Debug)]
pub struct Records<'a> {
    store: &'a mut Store,
    keys: std::vec::IntoIter<RequestKey>,
}

impl Iterator for Records<'_> {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        loop {
            let key = self.keys.next()?;
            if let Some(record) = self.store.record(&key) {
                return Some(record);
            }
        }
    }
}
