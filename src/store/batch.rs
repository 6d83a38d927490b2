//! A batch of records on its way to the disk, on whatever thread: encoding and syncing take milliseconds, in which whoever
//! asks has better things to do.

use super::StoreError;
use super::journal::{Appender, Location};
use super::record::{self, Record};

/// Records that [`super::Store::begin_batch`] took. The one writer travels with them, so no other batch can be under way.
#[derive(Debug)]
#[must_use = "none of its records counts before it is written and ended"]
pub struct Batch {
    pub(super) records: Vec<Record>,
    pub(super) writer: Writer,
}

/// Where a batch goes.
#[derive(Debug)]
pub(super) enum Writer {
    Memory,
    Disk(Box<Appender>),
    /// Nowhere, for this reason.
    None(StoreError),
}

/// A batch that was written, or could not be; nothing of it counts before [`super::Store::end_batch`] took it.
#[derive(Debug)]
#[must_use = "none of its records counts before it is ended"]
pub struct Written {
    pub(super) records: Vec<Record>,
    pub(super) appender: Option<Box<Appender>>,
    /// Where they are: one place for each record on a disk, none in memory.
    pub(super) places: Result<Vec<Location>, StoreError>,
}

impl Batch {
    /// Writes the records. After an error none of them is left in the journal. Blocks until the disk has them.
    pub fn write(self) -> Written {
        let Self { records, writer } = self;
        match writer {
            Writer::Memory => Written { records, appender: None, places: Ok(Vec::new()) },
            Writer::None(why) => Written { records, appender: None, places: Err(why) },
            Writer::Disk(mut appender) => {
                let places = append(&mut appender, &records);
                Written { records, appender: Some(appender), places }
            }
        }
    }
}

/// Writes records through the one writer and returns their places once the disk has them.
pub(super) fn append(appender: &mut Appender, records: &[Record]) -> Result<Vec<Location>, StoreError> {
    let mut lines = std::mem::take(&mut appender.room);
    lines.clear();
    let mut lengths = Vec::with_capacity(records.len());
    for record in records {
        let start = lines.len();
        let appended = record::append(record, &mut lines);
        appended.map_err(|source| StoreError::Record { item: record.item.to_string(), source })?;
        lengths.push((lines.len() - start) as u64);
    }
    let places = appender.append(&lines, &lengths);
    appender.room = lines;
    places
}
