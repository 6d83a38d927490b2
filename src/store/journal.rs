//! The journal: `journal/NNNNNN.jsonl`, append-only, one record a line. It is the truth; everything else can be made anew from it.
//!
//! Damage costs the line it is in: reading goes on at the next newline. Only a last line without its newline is a torn
//! tail (the writer died in the middle of it): it was never acknowledged, is set aside, and the next append starts fresh.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::StoreError;
use super::folder::sync_folder;
use super::frame::{FORMAT, Line, Salvaged, decode, is_recognised, is_recognised_tail, salvage};
use super::record::Record;
use crate::domain::Digest;

/// A file is closed and the next one begun at this size, so that no file grows too large to copy or look at.
pub(super) const FULL: u64 = 256 << 20;

/// Where a record's line is, newline left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Location {
    /// Number of the journal file.
    pub file: u32,
    /// First byte of the line.
    pub offset: u64,
    /// Bytes of the line.
    pub length: u64,
}

/// The path of journal file `number`.
pub(super) fn path_of(dir: &Path, number: u32) -> PathBuf {
    dir.join(format!("{number:06}.jsonl"))
}

/// The journal files in order, as (number, bytes).
pub(super) fn files(dir: &Path) -> Result<Vec<(u32, u64)>, StoreError> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).map_err(|e| StoreError::io("read", dir, e))? {
        let path = entry.map_err(|e| StoreError::io("read", dir, e))?.path();
        let Some(number) = number_of(&path) else { continue };
        let metadata = fs::metadata(&path).map_err(|e| StoreError::io("read", &path, e))?;
        if !metadata.is_file() {
            return Err(StoreError::NotAFile { path });
        }
        found.push((number, metadata.len()));
    }
    found.sort_unstable();
    Ok(found)
}

fn number_of(path: &Path) -> Option<u32> {
    let stem = path.file_name()?.to_str()?.strip_suffix(".jsonl")?;
    let is_number = stem.len() == 6 && stem.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| stem.parse().ok()).flatten()
}

/// What a scan met besides records.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Scanned {
    /// Physical lines that are damaged, from 1.
    pub damaged: Vec<u64>,
    /// First byte that was not read as a whole line: the file's length, unless its tail is torn.
    pub end: u64,
    /// Lines read, damaged ones and a torn tail included.
    pub lines: u64,
    /// True where the last line has no end and holds no record.
    pub torn: bool,
}

/// Reads the file from byte `from` (the start of a line) on and hands every whole record to `sink`.
pub(super) fn scan(
    dir: &Path,
    number: u32,
    from: u64,
    sink: &mut dyn FnMut(Location, Record),
) -> Result<Scanned, StoreError> {
    scan_file(path_of(dir, number), number, from, sink)
}

/// The same of a file wherever it lies; `number` is what its locations say.
pub(super) fn scan_file(
    path: PathBuf,
    number: u32,
    from: u64,
    sink: &mut dyn FnMut(Location, Record),
) -> Result<Scanned, StoreError> {
    let failed = |e| StoreError::io("read", &path, e);
    let mut file = File::open(&path).map_err(failed)?;
    let mut line_number = if from == 0 { 0 } else { lines_before(&mut file, from).map_err(failed)? };
    file.seek(SeekFrom::Start(from)).map_err(failed)?;
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let mut scanned = Scanned { end: from, ..Scanned::default() };
    let mut recognised = from > 0;
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = reader.read_until(b'\n', &mut line).map_err(failed)? as u64;
        if read == 0 {
            break;
        }
        line_number += 1;
        let is_complete = line.pop_if(|byte| *byte == b'\n').is_some();
        let here = Location { file: number, offset: scanned.end, length: line.len() as u64 };
        recognised = recognised || is_recognised(&line);
        match decode(&line) {
            Line::Whole(record) => sink(here, *record),
            Line::OtherVersion(found) => {
                return Err(StoreError::Version { path, line: line_number, found, wanted: FORMAT });
            }
            Line::Damaged if !is_complete && scanned.end == 0 && !is_recognised_tail(&line) => {
                return Err(StoreError::Foreign { path, lines: 1 });
            }
            Line::Damaged if !is_complete => {
                scanned.torn = true;
                break;
            }
            Line::Damaged if line.iter().all(u8::is_ascii_whitespace) => {}
            Line::Damaged => {
                scanned.damaged.push(line_number);
                for Salvaged { at, length, payload } in salvage(&line) {
                    sink(Location { file: number, offset: here.offset + at as u64, length: length as u64 }, payload);
                }
            }
        }
        scanned.end += read;
    }
    scanned.lines = line_number;
    if !recognised && !scanned.damaged.is_empty() {
        return Err(StoreError::Foreign { path, lines: line_number });
    }
    Ok(scanned)
}

fn lines_before(file: &mut File, end: u64) -> io::Result<u64> {
    file.seek(SeekFrom::Start(0))?;
    let mut reader = BufReader::with_capacity(1 << 16, file.take(end));
    let mut lines = 0;
    loop {
        let chunk = reader.fill_buf()?;
        if chunk.is_empty() {
            return Ok(lines);
        }
        lines += chunk.iter().map(|byte| u64::from(*byte == b'\n')).sum::<u64>();
        let length = chunk.len();
        reader.consume(length);
    }
}

/// The record at a location, if the bytes there still are one.
pub(super) fn read_at(dir: &Path, location: Location) -> Option<Record> {
    let mut file = File::open(path_of(dir, location.file)).ok()?;
    // The length may come from a damaged index: never allocate on its word alone.
    let end = location.offset.checked_add(location.length)?;
    if end > file.metadata().ok()?.len() {
        return None;
    }
    file.seek(SeekFrom::Start(location.offset)).ok()?;
    let mut line = Vec::new();
    file.take(location.length).read_to_end(&mut line).ok()?;
    match decode(&line) {
        Line::Whole(record) => Some(*record),
        Line::OtherVersion(_) | Line::Damaged => None,
    }
}

/// Digest of the last bytes (at most 4096) before `end`; `None` where the file is shorter than that.
pub(super) fn digest_before(dir: &Path, number: u32, end: u64) -> Option<Digest> {
    let mut file = File::open(path_of(dir, number)).ok()?;
    let length = end.min(4096);
    file.seek(SeekFrom::Start(end - length)).ok()?;
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 == length).then(|| Digest::of(&bytes))
}

/// What was done about a last line without a newline.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Tail {
    /// There was none.
    Clean,
    /// Its record was whole: only the newline was added.
    Completed,
    /// It was moved to this file.
    SetAside(PathBuf),
}

/// Makes the file end with a newline again. Only for the holder of the writer's lock.
pub(super) fn mend_tail(dir: &Path, number: u32) -> Result<Tail, StoreError> {
    let path = path_of(dir, number);
    let mut file =
        OpenOptions::new().read(true).append(true).open(&path).map_err(|e| StoreError::io("open", &path, e))?;
    let failed = |e| StoreError::io("mend the last line of", &path, e);
    let length = file.metadata().map_err(failed)?.len();
    let start = last_line_start(&mut file, length).map_err(failed)?;
    if start == length {
        return Ok(Tail::Clean);
    }
    let mut tail = Vec::new();
    file.seek(SeekFrom::Start(start)).map_err(failed)?;
    file.read_to_end(&mut tail).map_err(failed)?;
    let holds_record = !matches!(decode::<Record>(&tail), Line::Damaged) || !salvage::<Record>(&tail).is_empty();
    if holds_record {
        file.write_all(b"\n").and_then(|()| file.sync_data()).map_err(failed)?;
        return Ok(Tail::Completed);
    }
    if start == 0 && !is_recognised_tail(&tail) {
        return Err(StoreError::Foreign { path, lines: 1 });
    }
    let aside = keep_aside(dir, number, &tail)?;
    file.set_len(start).and_then(|()| file.sync_data()).map_err(failed)?;
    Ok(Tail::SetAside(aside))
}

/// First byte behind the last newline before `length`.
fn last_line_start(file: &mut File, length: u64) -> io::Result<u64> {
    let mut end = length;
    let mut chunk = vec![0; 1 << 16];
    while end > 0 {
        let size = end.min(chunk.len() as u64);
        let part = &mut chunk[..usize::try_from(size).unwrap_or(0)];
        file.seek(SeekFrom::Start(end - size))?;
        file.read_exact(part)?;
        if let Some(at) = part.iter().rposition(|byte| *byte == b'\n') {
            return Ok(end - size + at as u64 + 1);
        }
        end -= size;
    }
    Ok(0)
}

fn keep_aside(dir: &Path, number: u32, tail: &[u8]) -> Result<PathBuf, StoreError> {
    for n in 1_u32.. {
        let path = dir.join(format!("{number:06}.torn-{n}"));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut file) => {
                let written = file.write_all(tail).and_then(|()| file.sync_data());
                return written.map(|()| path.clone()).map_err(|e| StoreError::io("write", &path, e));
            }
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(StoreError::io("create", &path, e)),
        }
    }
    Err(StoreError::io("create a file in", dir, io::ErrorKind::AlreadyExists.into()))
}

/// The one writer. Made only by the holder of the writer's lock, after the tails are mended.
#[derive(Debug)]
pub(super) struct Appender {
    dir: PathBuf,
    number: u32,
    file: File,
    length: u64,
    /// True when bytes of a failed write may stand behind `length`.
    unclean: bool,
    /// Keeps other writers out for as long as this one may write, whatever becomes of its store.
    lock: Option<Arc<File>>,
    /// Memory for the lines of a batch. Megabytes that were given back and taken anew for each cost more than the lines.
    pub room: Vec<u8>,
}

impl Appender {
    /// Continues file `number`, or begins it.
    pub fn open(dir: &Path, number: u32, lock: Option<Arc<File>>) -> Result<Self, StoreError> {
        let path = path_of(dir, number);
        let file = OpenOptions::new()
            .append(true)
            .create(true)
            .open(&path)
            .map_err(|e| StoreError::io("open for writing", &path, e))?;
        let length = file.metadata().map_err(|e| StoreError::io("read", &path, e))?.len();
        sync_folder(dir);
        Ok(Self { dir: dir.to_owned(), number, file, length, unclean: false, lock, room: Vec::new() })
    }

    /// Writes whole lines of these lengths (each with its newline) and returns their locations once the disk has them.
    /// After an error none of them counts, and none is left behind in the file.
    pub fn append(&mut self, lines: &[u8], lengths: &[u64]) -> Result<Vec<Location>, StoreError> {
        if self.length >= FULL {
            let lock = self.lock.clone();
            *self = Self::open(&self.dir, self.number + 1, lock)?;
        }
        let path = path_of(&self.dir, self.number);
        if self.unclean {
            self.cut_back().map_err(|e| StoreError::io("clean up", &path, e))?;
        }
        if let Err(source) = self.file.write_all(lines).and_then(|()| self.file.sync_data()) {
            self.unclean = true;
            // A failure here is met again, and reported, by the next append.
            let _ = self.cut_back();
            return Err(StoreError::io("write to", &path, source));
        }
        let mut locations = Vec::with_capacity(lengths.len());
        for length in lengths {
            locations.push(Location { file: self.number, offset: self.length, length: length - 1 });
            self.length += length;
        }
        Ok(locations)
    }

    fn cut_back(&mut self) -> io::Result<()> {
        self.file.set_len(self.length)?;
        self.unclean = false;
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_an_error_that_names_the_file_and_a_way_out() {
        let full = OpenOptions::new().append(true).open("/dev/full").unwrap();
        let mut appender = Appender {
            dir: "store/journal".into(),
            number: 1,
            file: full,
            length: 0,
            unclean: false,
            lock: None,
            room: Vec::new(),
        };
        let error = appender.append(b"{}\n", &[3]).unwrap_err().to_string();
        assert!(error.contains("000001.jsonl") && error.contains("--store"), "{error}");
        assert!(error.contains("make room"), "{error}");
    }

    #[test]
    fn a_failed_append_leaves_nothing_behind_for_the_next_one() {
        let dir = tempfile::tempdir().unwrap();
        let mut appender = Appender::open(dir.path(), 1, None).unwrap();
        appender.append(b"one\n", &[4]).unwrap();
        // As after a write that failed half-way.
        appender.file.write_all(b"half").unwrap();
        appender.unclean = true;
        let locations = appender.append(b"two\n", &[4]).unwrap();
        assert_eq!(fs::read(path_of(dir.path(), 1)).unwrap(), b"one\ntwo\n");
        assert_eq!(locations, [Location { file: 1, offset: 4, length: 3 }]);
    }

    #[test]
    fn a_full_file_is_followed_by_the_next() {
        let dir = tempfile::tempdir().unwrap();
        let mut appender = Appender::open(dir.path(), 1, None).unwrap();
        appender.length = FULL;
        let locations = appender.append(b"one\n", &[4]).unwrap();
        assert_eq!(locations, [Location { file: 2, offset: 0, length: 3 }]);
        assert_eq!(files(dir.path()).unwrap(), [(1, 0), (2, 4)]);
    }
}
