//! Reads everything in a store and names what is damaged. Takes no lock, changes nothing in the store, works beside a writer.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::error::StoreError;
use super::index::{self, Map};
use super::journal::Location;
use super::ledger::{Ledger, Run, RunStatus};
use super::lock::{self, Holder};
use super::{StoreStats, disk, folder, journal};
use crate::domain::RequestKey;

/// One thing that is damaged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The file, or the folder of the index.
    pub path: PathBuf,
    /// The physical line, from 1, where it is one.
    pub line: Option<u64>,
    /// What is wrong, and what follows from it.
    pub what: String,
}

/// What a store holds, and what is damaged in it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Verification {
    /// Records, journal files, bytes, damaged lines.
    pub stats: StoreStats,
    /// Lines of the journal that were read.
    pub lines: u64,
    /// Runs in the ledger.
    pub runs: u64,
    /// What is damaged, in the order of journal, runs, index.
    pub damage: Vec<Damage>,
    /// What could not be looked at, or is as it should be and still worth a word.
    pub remarks: Vec<String>,
}

/// Verifies the store in `dir`. A copy of the index is opened in `scratch`, which must not exist and is removed again.
pub fn verify(dir: &Path, scratch: &Path) -> Result<Verification, StoreError> {
    folder::check_for_reading(dir)?;
    let mut found = Verification::default();
    let is_written = lock::holder(dir) != Holder::Nobody;
    let map = verify_journal(&dir.join("journal"), is_written, &mut found)?;
    let ledger = Ledger::open(dir)?;
    for number in ledger.numbers()? {
        found.runs += 1;
        match ledger.read(number) {
            Ok(run) => verify_run(&run, &map, &mut found),
            Err(StoreError::Version { path, line, found: version, .. }) => found.damage.push(Damage {
                path,
                line: Some(line),
                what: format!("has format version {version}, which this program does not read"),
            }),
            Err(error) => return Err(error),
        }
    }
    if is_written {
        found.remarks.push("a run writes to this store now, so the index was not looked at".to_owned());
    } else {
        verify_index(dir, scratch, &map, &mut found)?;
    }
    Ok(found)
}

fn verify_journal(journal: &Path, is_written: bool, found: &mut Verification) -> Result<Map, StoreError> {
    let mut map: Map = HashMap::new();
    for (number, bytes) in journal::files(journal)? {
        let path = journal::path_of(journal, number);
        let scanned = journal::scan(journal, number, 0, &mut |at, record| {
            map.insert(record.key, at);
        })?;
        found.stats.journal_files += 1;
        found.stats.journal_bytes += bytes;
        found.stats.damaged_lines += scanned.damaged.len() as u64;
        found.lines += scanned.lines;
        found.damage.extend(scanned.damaged.iter().map(|line| Damage {
            path: path.clone(),
            line: Some(*line),
            what: "is damaged; what it held counts as not asked".to_owned(),
        }));
        if scanned.torn && is_written {
            found.remarks.push(format!("{}:{}: a line is being written", path.display(), scanned.lines));
        } else if scanned.torn {
            let what = "is half written; the next run moves it aside, and its question counts as not asked".to_owned();
            found.damage.push(Damage { path, line: Some(scanned.lines), what });
        }
    }
    found.stats.records = map.len() as u64;
    Ok(map)
}

fn verify_run(run: &Run, map: &Map, found: &mut Verification) {
    let mut damage = |line, what: String| found.damage.push(Damage { path: run.path.clone(), line, what });
    for line in &run.damaged {
        damage(Some(*line), "is damaged and was left out".to_owned());
    }
    if run.lost() > 0 {
        damage(None, format!("{} judgments are lost", run.lost()));
    } else if run.status == RunStatus::Damaged && run.damaged.is_empty() {
        let what = if run.header.is_none() { "its header is missing" } else { "its closing line is missing" };
        damage(None, what.to_owned());
    }
    if run.header.as_ref().is_some_and(|header| header.number != run.number) {
        damage(None, "it is the file of another run, renamed".to_owned());
    }
    let answered = run.judgments.iter().filter(|judgment| judgment.is_answered());
    let is_gone = |key: &RequestKey| !map.contains_key(key);
    let gone = answered.filter(|judgment| judgment.key.as_ref().is_some_and(is_gone)).count();
    if gone > 0 {
        damage(None, format!("{gone} of its answers are not in the journal any more; they will be asked for again"));
    }
}

fn verify_index(dir: &Path, scratch: &Path, map: &Map, found: &mut Verification) -> Result<(), StoreError> {
    let path = dir.join("index");
    if !path.is_dir() {
        return Ok(());
    }
    let problem = match index::peek(&path, scratch) {
        Err(why) => Some(why),
        Ok((entries, None)) if entries.is_empty() => None,
        Ok((_, None)) => Some("it does not say what it covers".to_owned()),
        Ok((entries, Some(covered))) => {
            // An entry of an older record under the same key is in its place until the index is brought up to the journal.
            let is_wrong = |key: &RequestKey, at: Location| match map.get(key) {
                Some(now) => *now != at && covered.covers(*now),
                None => true,
            };
            let is_in_step = disk::is_in_step(&dir.join("journal"), entries.len(), &covered)?;
            let wrong = entries.iter().filter(|(key, at)| is_wrong(key, **at)).count();
            match (is_in_step, wrong) {
                (false, _) => Some("it is out of step with the journal".to_owned()),
                (true, 0) => None,
                (true, wrong) => Some(format!("{wrong} entries do not lead to their record")),
            }
        }
    };
    if let Some(why) = problem {
        let what = format!("{why}; nothing is lost, the next run builds it anew");
        found.damage.push(Damage { path, line: None, what });
    }
    Ok(())
}
