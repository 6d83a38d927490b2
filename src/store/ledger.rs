//! The ledger: `runs/NNNNNN.jsonl`, one file a run, its lines framed like those of the journal.
//!
//! The header is written before anything is asked; at the end the file is replaced by header, judgments and closing line. A file
//! with a header alone is a run that still goes on, or one that was killed. Verdicts here are what was read at that time; the
//! completions are in the journal.

use std::cell::Cell;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::error::StoreError;
use super::folder::{self, replace_file};
use super::frame::{FORMAT, Line, decode, encode, salvage};
use super::lock::{self, Holder};
use super::{journal, make_folder};
use crate::domain::{RunEnd, RunHeader, RunJudgment, RunLine, RunState};

/// How a run stands, as a reader finds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunStatus {
    /// Its process still writes.
    Running,
    /// Its process is gone and wrote no closing line.
    Killed,
    /// It wrote one.
    Ended(RunState),
    /// Its file lacks the header, or lines that it had.
    Damaged,
}

impl RunStatus {
    /// In a word or two.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Killed => "interrupted (killed)",
            Self::Ended(state) => state.as_str(),
            Self::Damaged => "damaged",
        }
    }
}

/// A run as its file tells it.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Its number.
    pub number: u32,
    /// Its file.
    pub path: PathBuf,
    /// How it stands.
    pub status: RunStatus,
    /// What it set out to do; `None` where that line is damaged.
    pub header: Option<RunHeader>,
    /// What was judged, in the order of the plan; empty unless the run ended.
    pub judgments: Vec<RunJudgment>,
    /// How it ended.
    pub end: Option<RunEnd>,
    /// Physical lines that are damaged, from 1.
    pub damaged: Vec<u64>,
}

impl Run {
    /// Judgment lines that the closing line speaks of and the file does not have.
    pub fn lost(&self) -> u64 {
        let written = self.end.as_ref().map_or(0, |end| end.judgments);
        written.saturating_sub(self.judgments.len() as u64)
    }
}

/// The runs of a store, to read. Takes no lock and changes nothing.
#[derive(Debug, Clone)]
pub struct Ledger {
    dir: PathBuf,
}

impl Ledger {
    /// The ledger of the store in `dir`.
    pub fn open(dir: &Path) -> Result<Self, StoreError> {
        folder::check_for_reading(dir)?;
        Ok(Self { dir: dir.to_owned() })
    }

    /// The numbers of all runs, oldest first.
    pub fn numbers(&self) -> Result<Vec<u32>, StoreError> {
        numbers(&runs_of(&self.dir))
    }

    /// One run.
    ///
    /// # Errors
    /// [`StoreError::NoRun`] where there is none of that number; damage is no error, see [`Run::damaged`].
    pub fn read(&self, number: u32) -> Result<Run, StoreError> {
        let path = journal::path_of(&runs_of(&self.dir), number);
        let bytes = match fs::read(&path) {
            Err(e) if e.kind() == ErrorKind::NotFound => {
                let last = self.numbers()?.last().copied();
                return Err(StoreError::NoRun { dir: self.dir.clone(), number, last });
            }
            bytes => bytes.map_err(|e| StoreError::io("read", &path, e))?,
        };
        let mut run = parse(number, path, &bytes)?;
        if run.status == RunStatus::Killed && self.is_written_by(run.header.as_ref()) {
            run.status = RunStatus::Running;
        }
        Ok(run)
    }

    /// What a run set out to do and how it ended, without its judgments; `None` where either line is damaged or not there.
    pub fn outline(&self, number: u32) -> Result<Option<(RunHeader, RunEnd)>, StoreError> {
        let path = journal::path_of(&runs_of(&self.dir), number);
        let bytes = fs::read(&path).map_err(|e| StoreError::io("read", &path, e))?;
        let mut lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let whole = |line: Option<&[u8]>| match decode::<RunLine>(line?) {
            Line::Whole(found) => Some(*found),
            _ => None,
        };
        Ok(match (whole(lines.next()), whole(lines.next_back())) {
            (Some(RunLine::Start(header)), Some(RunLine::End(end))) => Some((header, end)),
            _ => None,
        })
    }

    fn is_written_by(&self, header: Option<&RunHeader>) -> bool {
        let process = header.map(|header| header.process);
        matches!(lock::holder(&self.dir), Holder::Process(held) if Some(held) == process)
    }
}

pub(super) fn runs_of(dir: &Path) -> PathBuf {
    dir.join("runs")
}

fn numbers(runs: &Path) -> Result<Vec<u32>, StoreError> {
    match journal::files(runs) {
        Err(StoreError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        files => Ok(files?.into_iter().map(|(number, _)| number).collect()),
    }
}

fn parse(number: u32, path: PathBuf, bytes: &[u8]) -> Result<Run, StoreError> {
    let mut lines = Vec::new();
    let mut damaged = Vec::new();
    for (line, text) in (1_u64..).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        match decode::<RunLine>(text) {
            Line::Whole(found) => lines.push(*found),
            Line::OtherVersion(found) => return Err(StoreError::Version { path, line, found, wanted: FORMAT }),
            Line::Damaged => {
                damaged.push(line);
                lines.extend(salvage(text).into_iter().map(|found| found.payload));
            }
        }
    }
    let mut run =
        Run { number, path, status: RunStatus::Killed, header: None, judgments: Vec::new(), end: None, damaged };
    for line in lines {
        match line {
            RunLine::Start(header) => run.header = Some(header),
            RunLine::Judgment(judgment) => run.judgments.push(judgment),
            RunLine::End(end) => run.end = Some(end),
        }
    }
    run.status = status(&run);
    Ok(run)
}

/// A file is replaced whole, so one with judgments and without an end has lost it.
fn status(run: &Run) -> RunStatus {
    match (&run.header, &run.end) {
        (Some(_), Some(end)) if run.lost() == 0 => RunStatus::Ended(end.state),
        (Some(_), None) if run.judgments.is_empty() && run.damaged.is_empty() => RunStatus::Killed,
        _ => RunStatus::Damaged,
    }
}

/// Begins a run: gives it the next number and writes its header. Only for the holder of the writer's lock.
pub(super) fn begin(dir: &Path, mut header: RunHeader) -> Result<RunHeader, StoreError> {
    let runs = runs_of(dir);
    make_folder(&runs)?;
    header.number = numbers(&runs)?.last().map_or(1, |last| last + 1);
    header.process = std::process::id();
    replace_file(&journal::path_of(&runs, header.number), std::iter::once(encoded(&RunLine::Start(header.clone()))))?;
    Ok(header)
}

/// Writes the whole run. Only for the holder of the writer's lock.
pub(super) fn finish(
    dir: &Path,
    header: &RunHeader,
    judgments: impl Iterator<Item = RunJudgment>,
    end: &RunEnd,
) -> Result<(), StoreError> {
    let written = Cell::new(0);
    let start = std::iter::once_with(|| encoded(&RunLine::Start(header.clone())));
    let judgments = judgments.map(|judgment| {
        written.set(written.get() + 1);
        encoded(&RunLine::Judgment(judgment))
    });
    let end = std::iter::once_with(|| encoded(&RunLine::End(RunEnd { judgments: written.get(), ..end.clone() })));
    replace_file(&journal::path_of(&runs_of(dir), header.number), start.chain(judgments).chain(end))
}

fn encoded(line: &RunLine) -> Result<Vec<u8>, StoreError> {
    let item = match line {
        RunLine::Judgment(judgment) => judgment.item.to_string(),
        RunLine::Start(_) | RunLine::End(_) => String::new(),
    };
    encode(line).map_err(|source| StoreError::Record { item, source })
}
