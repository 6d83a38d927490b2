//! A store in a folder: the journal, the index over it, and the one writer.

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::StoreError;
use super::index::{self, Covered, Map, Saved, Unusable};
use super::journal::{self, Appender, Location, Tail};
use super::record::Record;
use super::{Access, StoreStats, batch, folder, lock, make_folder};
use crate::domain::{Digest, Notice, RequestKey};

/// More damaged lines of one file than this are counted, not listed.
const LISTED: usize = 20;
/// Times that a reader begins anew because the files have changed under it.
const RACES: u32 = 3;

// Fields are dropped in this order: the lock last.
#[derive(Debug)]
pub(super) struct Disk {
    saved: Option<Saved>,
    /// How much of the journal `saved` covers; `None` while that is nothing.
    covered: Option<Covered>,
    /// Away while a batch is under way.
    appender: Option<Box<Appender>>,
    map: Map,
    dir: PathBuf,
    journal: PathBuf,
    damaged: u64,
    pub notices: Vec<Notice>,
    lock: Option<Arc<File>>,
}

impl Disk {
    pub fn open(dir: &Path, access: Access) -> Result<Self, StoreError> {
        let journal = dir.join("journal");
        let mut disk = Self {
            saved: None,
            covered: None,
            appender: None,
            map: Map::new(),
            dir: dir.to_owned(),
            journal,
            damaged: 0,
            notices: Vec::new(),
            lock: None,
        };
        match access {
            Access::Read => {
                folder::check_for_reading(dir)?;
                disk.scan_all()?;
            }
            Access::Write => disk.open_for_writing()?,
        }
        Ok(disk)
    }

    fn open_for_writing(&mut self) -> Result<(), StoreError> {
        folder::check_for_writing(&self.dir)?;
        make_folder(&self.dir)?;
        self.lock = Some(Arc::new(lock::take(&self.dir)?));
        make_folder(&self.journal)?;
        let files = journal::files(&self.journal)?;
        for (number, _) in &files {
            self.mend(*number)?;
        }
        self.open_appender(&files)?;
        self.open_index()
    }

    fn open_appender(&mut self, files: &[(u32, u64)]) -> Result<(), StoreError> {
        let number = files.last().map_or(1, |(number, _)| *number);
        self.appender = Some(Box::new(Appender::open(&self.journal, number, self.lock.clone())?));
        Ok(())
    }

    fn mend(&mut self, number: u32) -> Result<(), StoreError> {
        if let Tail::SetAside(aside) = journal::mend_tail(&self.journal, number)? {
            self.notice(format!(
                "the last line of {} was half written (its run was interrupted); it was moved to {}, and its request counts as not asked",
                journal::path_of(&self.journal, number).display(),
                aside.display()
            ));
        }
        Ok(())
    }

    fn open_index(&mut self) -> Result<(), StoreError> {
        let path = self.dir.join("index");
        match Saved::open(&path) {
            Ok((saved, map, None)) if map.is_empty() => {
                self.scan_all()?;
                self.save_all(saved);
                Ok(())
            }
            Ok((saved, map, Some(covered))) if is_in_step(&self.journal, map.len(), &covered)? => {
                self.map = map;
                self.catch_up(saved, covered)
            }
            Ok((saved, ..)) => {
                drop(saved);
                self.rebuild("it is out of step with the journal")
            }
            Err(Unusable::Damaged(why)) => self.rebuild(&format!("it is damaged ({why})")),
            Err(unusable @ (Unusable::Locked | Unusable::Denied(_))) => {
                let why = match unusable {
                    Unusable::Denied(why) => format!("cannot be opened ({why})"),
                    _ => "is held by another process".to_owned(),
                };
                self.notice(format!("{} {why}; the journal was read in full instead", path.display()));
                self.scan_all()
            }
        }
    }

    /// Reads what was appended since the index was last saved.
    fn catch_up(&mut self, saved: Saved, covered: Covered) -> Result<(), StoreError> {
        let (last, from) = covered.files.last().copied().unwrap_or((0, 0));
        let mut fresh = Vec::new();
        for (number, length) in journal::files(&self.journal)? {
            let from = if number == last { from } else { 0 };
            if number >= last && length > from {
                let scanned =
                    journal::scan(&self.journal, number, from, &mut |at, record| fresh.push((record.key, at)))?;
                self.report_damage(number, &scanned.damaged);
            }
        }
        self.map.extend(fresh.iter().copied());
        (self.saved, self.covered) = (Some(saved), Some(covered));
        self.save();
        Ok(())
    }

    /// Reads the whole journal into the map.
    fn scan_all(&mut self) -> Result<(), StoreError> {
        let mut tries = 0;
        loop {
            match self.scan_once() {
                // A writer that compacts takes files away between the listing and the reading.
                Err(StoreError::Io { source, .. }) if source.kind() == ErrorKind::NotFound && tries < RACES => {
                    tries += 1;
                }
                done => return done,
            }
        }
    }

    fn scan_once(&mut self) -> Result<(), StoreError> {
        self.map.clear();
        self.damaged = 0;
        for (number, _) in journal::files(&self.journal)? {
            let map = &mut self.map;
            let scanned = journal::scan(&self.journal, number, 0, &mut |at, record| {
                map.insert(record.key, at);
            })?;
            self.report_damage(number, &scanned.damaged);
        }
        Ok(())
    }

    fn report_damage(&mut self, number: u32, lines: &[u64]) {
        self.damaged += lines.len() as u64;
        let path = journal::path_of(&self.journal, number);
        for line in lines.iter().take(LISTED) {
            let text =
                format!("{}:{line} is damaged and was left out; what it held counts as not asked", path.display());
            self.note(Notice::warning(Some(*line), None, text));
        }
        if lines.len() > LISTED {
            self.notice(format!("{} has {} more damaged lines", path.display(), lines.len() - LISTED));
        }
    }

    /// Sets the saved index aside and makes a new one from the journal.
    fn rebuild(&mut self, why: &str) -> Result<(), StoreError> {
        let path = self.dir.join("index");
        let aside = index::set_aside(&path);
        let done = match &aside {
            Ok(aside) => format!("it was moved to {} and built anew from the journal", aside.display()),
            Err(e) => format!("it could not be moved away ({e}), so the journal was read in full instead"),
        };
        self.notice(format!("{}: {why}; {done}", path.display()));
        self.scan_all()?;
        if aside.is_ok()
            && let Ok((saved, ..)) = Saved::open(&path)
        {
            self.save_all(saved);
        }
        Ok(())
    }

    fn save_all(&mut self, saved: Saved) {
        (self.saved, self.covered) = (Some(saved), None);
        self.flush();
    }

    /// Brings the saved index up to the map and the journal's end; an index that fails is dropped for this run.
    fn save(&mut self) {
        let Some(saved) = &self.saved else { return };
        let is_new = |at: &Location| self.covered.as_ref().is_none_or(|covered| !covered.covers(*at));
        let mut entries: Vec<_> = self.map.iter().filter(|(_, at)| is_new(at)).map(|(key, at)| (*key, *at)).collect();
        if entries.is_empty() {
            return;
        }
        entries.sort_unstable_by_key(|(key, _)| *key);
        let saved = match self.covered() {
            Some(covered) => saved.add(&entries, &covered).map(|()| covered),
            None => Err("the journal's end cannot be read".to_owned()),
        };
        match saved {
            Ok(covered) => self.covered = Some(covered),
            Err(why) => self.drop_index(&why),
        }
    }

    fn covered(&self) -> Option<Covered> {
        let files = journal::files(&self.journal).ok()?;
        let (number, end) = *files.last()?;
        let before: Digest = journal::digest_before(&self.journal, number, end)?;
        Some(Covered::new(self.map.len(), files, before))
    }

    fn drop_index(&mut self, why: &str) {
        self.saved = None;
        let path = self.dir.join("index").display().to_string();
        self.notice(format!("{path} cannot be kept up to date ({why}); the next run brings it up to the journal"));
    }

    pub fn find(&mut self, key: &RequestKey) -> Option<Record> {
        let location = *self.map.get(key)?;
        let read = |journal: &Path, at| journal::read_at(journal, at).filter(|record| record.key == *key);
        if let Some(record) = read(&self.journal, location) {
            return Some(record);
        }
        // Either the line is damaged or the index pointed to the wrong place: only the whole journal can tell.
        if let Err(e) = self.recover() {
            self.notice(e.to_string());
        }
        let found = self.map.get(key).and_then(|at| read(&self.journal, *at));
        if found.is_none() {
            self.map.remove(key);
        }
        found
    }

    fn recover(&mut self) -> Result<(), StoreError> {
        if self.lock.is_some() && self.saved.take().is_some() {
            return self.rebuild("an entry does not lead to its record");
        }
        self.scan_all()
    }

    pub fn put_batch(&mut self, records: &[Record]) -> Result<(), StoreError> {
        let Some(appender) = &mut self.appender else { return Err(StoreError::ReadOnly { dir: self.dir.clone() }) };
        let places = batch::append(appender, records)?;
        self.count(records, &places);
        Ok(())
    }

    /// The one writer, to travel with a batch. [`Disk::take_back`] brings it back.
    pub fn lend(&mut self) -> Result<Box<Appender>, StoreError> {
        self.appender.take().ok_or_else(|| StoreError::ReadOnly { dir: self.dir.clone() })
    }

    pub fn take_back(&mut self, appender: Box<Appender>) {
        self.appender = Some(appender);
    }

    /// Records that are on the disk now. The saved index hears of them when the store is closed: the journal tells the rest.
    pub fn count(&mut self, records: &[Record], places: &[Location]) {
        self.map.extend(records.iter().map(|record| record.key).zip(places.iter().copied()));
    }

    /// The folder, where the store was opened for writing.
    pub fn writable(&self) -> Result<&Path, StoreError> {
        match self.lock {
            Some(_) => Ok(&self.dir),
            None => Err(StoreError::ReadOnly { dir: self.dir.clone() }),
        }
    }

    /// The keys of all records, in journal order.
    pub fn keys(&self) -> Vec<RequestKey> {
        let mut places: Vec<_> = self.map.iter().collect();
        places.sort_unstable_by_key(|(_, at)| (at.file, at.offset));
        places.into_iter().map(|(key, _)| *key).collect()
    }

    /// Brings the index up to the journal and hands it to the operating system; the journal is on the disk already.
    pub fn flush(&mut self) {
        self.save();
        if let Some(Err(why)) = self.saved.as_ref().map(Saved::flush) {
            self.drop_index(&why);
        }
    }

    /// The journal's folder with the places of all records, for who rewrites it.
    pub(super) fn places(&self) -> (&Path, Vec<Location>) {
        let mut places: Vec<Location> = self.map.values().copied().collect();
        places.sort_unstable_by_key(|at| (at.file, at.offset));
        (&self.journal, places)
    }

    /// Lets go of the journal and the index, before the files under them change.
    pub(super) fn let_go(&mut self) {
        self.saved = None;
        self.appender = None;
    }

    /// Takes up the journal as it is now.
    pub(super) fn take_up(&mut self) -> Result<(), StoreError> {
        let files = journal::files(&self.journal)?;
        self.open_appender(&files)?;
        self.map.clear();
        self.open_index()
    }

    pub fn stats(&self) -> StoreStats {
        let files = journal::files(&self.journal).unwrap_or_default();
        StoreStats {
            records: self.map.len() as u64,
            journal_files: files.len() as u64,
            journal_bytes: files.iter().map(|(_, length)| length).sum(),
            damaged_lines: self.damaged,
        }
    }

    fn notice(&mut self, text: String) {
        self.note(Notice::warning(None, None, text));
    }

    fn note(&mut self, notice: Notice) {
        if !self.notices.contains(&notice) {
            self.notices.push(notice);
        }
    }
}

/// True when a saved index covers a beginning of exactly this journal and has all its entries.
pub(super) fn is_in_step(journal: &Path, entries: usize, covered: &Covered) -> Result<bool, StoreError> {
    let files = journal::files(journal)?;
    let Some((last, older)) = covered.files.split_last() else { return Ok(false) };
    let same_older = files.get(..older.len()) == Some(older);
    let same_last = files.get(older.len()).is_some_and(|(number, length)| *number == last.0 && *length >= last.1);
    let same_content = || journal::digest_before(journal, last.0, last.1) == Some(covered.before);
    Ok(entries as u64 == covered.entries && same_older && same_last && same_content())
}
