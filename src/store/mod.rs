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
//! | `runs/000001.jsonl` … | the ledger: one file a run, framed alike |
//! | `journal/*.tmp`, `runs/*.tmp` | left by a crash while a file was replaced; of no meaning |
//! | `lock` | held by the writer through the operating system |
//!
//! Where one key has several records (a damaged one that was asked again, merged journals) the last one counts.
//!
//! This room must never lose an acknowledged record, return one whose digest is wrong, panic on what it finds on the disk, or
//! let a second writer in. It is the only room that names the index engine.

mod batch;
mod compact;
mod disk;
mod error;
mod folder;
mod foreign;
mod frame;
mod index;
mod journal;
mod ledger;
mod lock;
mod record;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod upkeep_tests;
mod verify;

use std::collections::HashMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

pub use batch::{Batch, Written};
pub use compact::Compaction;
pub use error::StoreError;
pub use foreign::{is_journal, read_records};
pub use ledger::{Ledger, Run, RunStatus};
pub use record::Record;
pub use verify::{Damage, Verification, verify};

use crate::domain::{Completion, Notice, RequestKey, RunEnd, RunHeader, RunJudgment};
use batch::Writer;
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
    /// The last batch that could not be written.
    refused: Vec<Record>,
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

impl Memory {
    fn add(&mut self, records: &[Record]) {
        for record in records {
            if self.records.insert(record.key, record.clone()).is_none() {
                self.order.push(record.key);
            }
        }
    }
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
        Ok((Self { backing: Backing::Disk(Box::new(disk)), refused: Vec::new() }, notices))
    }

    /// A store that keeps nothing beyond this process (`--no-store`).
    pub fn memory() -> Self {
        Self { backing: Backing::Memory(Memory::default()), refused: Vec::new() }
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
                memory.add(records);
                Ok(())
            }
            Backing::Disk(disk) => {
                self.refused.clear();
                let written = disk.put_batch(records);
                if written.is_err() {
                    self.refused.extend_from_slice(records);
                }
                written
            }
        }
    }

    /// Begins to add records as [`Store::put_batch`] does, in three steps, of which the slow one ([`Batch::write`]) can be
    /// done on another thread. Until the batch is ended the store looks up, and takes no other.
    pub fn begin_batch(&mut self, records: Vec<Record>) -> Batch {
        let writer = match &mut self.backing {
            Backing::Memory(_) => Writer::Memory,
            Backing::Disk(disk) => disk.lend().map_or_else(Writer::None, Writer::Disk),
        };
        Batch { records, writer }
    }

    /// Ends a batch of this store. When this returns `Ok` its records are on the disk; after an error none of them counts.
    /// Gives the records back.
    pub fn end_batch(&mut self, written: Written) -> (Vec<Record>, Result<(), StoreError>) {
        let Written { records, appender, places } = written;
        match &mut self.backing {
            Backing::Memory(memory) => memory.add(&records),
            Backing::Disk(disk) => {
                if let Some(appender) = appender {
                    disk.take_back(appender);
                }
                self.refused.clear();
                match &places {
                    Ok(places) => disk.count(&records, places),
                    Err(_) => self.refused.extend_from_slice(&records),
                }
            }
        }
        (records, places.map(drop))
    }

    /// Writes the batch that [`Store::put_batch`] refused last to a new file elsewhere, which [`read_records`] reads; returns the
    /// number of records, 0 (and no file) where there is none.
    pub fn rescue(&self, path: &Path) -> Result<u64, StoreError> {
        if !self.refused.is_empty() {
            foreign::write_records(path, &self.refused)?;
        }
        Ok(self.refused.len() as u64)
    }

    /// Rewrites the journal with one record a key. A crash at any moment leaves the old journal or the new one.
    pub fn compact(&mut self) -> Result<Compaction, StoreError> {
        match &mut self.backing {
            Backing::Memory(_) => Ok(Compaction::default()),
            Backing::Disk(disk) => compact::compact(disk, &mut || Ok(())),
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

    /// Begins a run in the ledger: writes its header under the next number, and returns it with that number. `None` for a store
    /// that is not on a disk.
    pub fn begin_run(&mut self, header: RunHeader) -> Result<Option<RunHeader>, StoreError> {
        match &mut self.backing {
            Backing::Memory(_) => Ok(None),
            Backing::Disk(disk) => ledger::begin(disk.writable()?, header).map(Some),
        }
    }

    /// Writes what became of a run that was begun, in place of what the ledger has of it; the file is the old one or the new one,
    /// whatever happens.
    pub fn finish_run(
        &mut self,
        header: &RunHeader,
        judgments: impl IntoIterator<Item = RunJudgment>,
        end: &RunEnd,
    ) -> Result<(), StoreError> {
        match &mut self.backing {
            Backing::Memory(_) => Ok(()),
            Backing::Disk(disk) => ledger::finish(disk.writable()?, header, judgments.into_iter(), end),
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

fn make_folder(path: &Path) -> Result<(), StoreError> {
    fs::create_dir_all(path).map_err(|e| match e.kind() {
        ErrorKind::AlreadyExists | ErrorKind::NotADirectory => {
            let in_the_way = path.ancestors().find(|part| part.is_file()).unwrap_or(path);
            StoreError::NotAFolder { path: in_the_way.to_owned() }
        }
        _ => StoreError::io("create", path, e),
    })
}
