//! The file of labels: JSON Lines, one label a line, on disk before the next pair is shown. A kill loses at most the label being typed.
//!
//! Undo cuts the newest line off again, so the file is a plain file of labels at any time: no reader has to know of undo.
//! One process at a time writes to a file; it holds a lock on it.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::cli::exit::CliError;
use crate::cli::output::{Existing, check_target};
use crate::cli::ui::Ui;
use crate::data::{self, Labels, Source};
use crate::domain::{Annotator, ItemId, Order, Preference};

/// A random sample of pairs that was drawn to be labelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Draw {
    /// Pairs drawn.
    pub n: u64,
    /// Seed of the draw.
    pub seed: u64,
    /// Pairs that they were drawn from.
    pub of: u64,
}

/// A label as it is written.
#[derive(Debug, Serialize)]
pub(super) struct Row<'a> {
    pub id: &'a ItemId,
    pub label: Preference,
    pub annotator: &'a Annotator,
    /// Which response was shown first, or left.
    pub shown: Order,
    pub at: String,
    /// Time that the pair was looked at.
    pub seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampled: Option<Draw>,
}

/// What a file of labels held when it was opened.
#[derive(Debug)]
pub(super) struct Kept {
    pub labels: Labels,
    /// The draws that its labels record.
    pub draws: BTreeSet<Draw>,
    /// The items whose labels record one.
    pub drawn: BTreeSet<ItemId>,
    /// Where each label begins, in bytes; those at the end of the file that nothing else follows, the last one first.
    tail: Vec<u64>,
}

/// The part of a line that `data` has no use for.
#[derive(Deserialize)]
struct Marked {
    id: serde_json::Value,
    sampled: Option<Draw>,
}

impl Kept {
    /// Reads the text of a file of labels, JSON Lines or a table. What its reader warns of is not said here: it would tell an annotator
    /// what others think.
    pub fn read(path: &str, bytes: &[u8]) -> Result<Self, CliError> {
        let mut kept = Self {
            labels: Labels { path: path.to_owned(), rows: Vec::new() },
            draws: BTreeSet::new(),
            drawn: BTreeSet::new(),
            tail: Vec::new(),
        };
        if bytes.trim_ascii().is_empty() {
            return Ok(kept);
        }
        let source = Source::from_bytes(path, bytes)?;
        for marked in source.text().lines().filter_map(|line| serde_json::from_str::<Marked>(line).ok()) {
            if let Some(draw) = marked.sampled {
                kept.draws.insert(draw);
                kept.drawn.insert(crate::domain::plain_text(&marked.id).into());
            }
        }
        kept.labels = data::load_labels(&source)?.records;
        let starts = starts_of_lines(bytes);
        let lines = starts.iter().enumerate().rev().map(|(line, start)| (line as u64 + 1, *start));
        let full = lines.filter(|(_, start)| {
            let line = &bytes[usize::try_from(*start).unwrap_or(bytes.len())..];
            !line.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii().is_empty()
        });
        let together = full.zip(kept.labels.rows.iter().rev()).take_while(|((line, _), row)| *line == row.line);
        kept.tail = together.map(|((_, start), _)| start).collect();
        Ok(kept)
    }

    /// The one draw that is recorded; several are an error, they are no one random sample.
    pub fn draw(&self) -> Result<Option<Draw>, CliError> {
        if self.draws.len() > 1 {
            return Err(CliError::usage(format!(
                "{} records {} different samples",
                self.labels.path,
                self.draws.len()
            ))
            .hint("a comparison can be corrected by one; keep the labels of each sample in a file of their own"));
        }
        Ok(self.draws.first().copied())
    }
}

fn starts_of_lines(bytes: &[u8]) -> Vec<u64> {
    let after = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at as u64 + 1);
    std::iter::once(0).chain(after).filter(|start| *start < bytes.len() as u64).collect()
}

/// A file of labels that is being written.
#[derive(Debug)]
pub(super) struct LabelFile {
    file: File,
    path: PathBuf,
    end: u64,
    /// Where the labels begin that can be taken back, the newest last.
    starts: Vec<u64>,
}

impl LabelFile {
    /// Opens or makes a file to add labels to. A last line that was broken off while it was written is cut away.
    pub fn open(path: &Path, ui: Ui) -> Result<(Self, Kept), CliError> {
        check_target(path, Existing::Replace)?;
        let failed = |error: std::io::Error| CliError::usage(format!("{} cannot be written: {error}", path.display()));
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(failed)?;
        if !file.metadata().map_err(failed)?.is_file() {
            return Err(
                CliError::usage(format!("{} is no regular file", path.display())).hint("name another with --out")
            );
        }
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                return Err(CliError::usage(format!("somebody is labelling into {} already", path.display()))
                    .hint("wait, or label into a file of your own with --out"));
            }
            // Where the system knows no locks there is one person less to protect from.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        if !matches!(bytes.trim_ascii_start().first(), None | Some(b'{')) && !bytes.starts_with(b"\xef\xbb\xbf{") {
            return Err(CliError::usage(format!(
                "{} is no JSON Lines file, and labels are added as such",
                path.display()
            ))
            .hint("name another with --out"));
        }
        let whole = whole_lines(&bytes);
        let kept = Kept::read(&path.to_string_lossy(), &bytes[..whole])?;
        let mut end = whole as u64;
        if whole < bytes.len() {
            file.set_len(end).map_err(failed)?;
            ui.warn(format!("{}: a last line that was not written to its end is taken away", path.display()));
        } else if !bytes.is_empty() && !bytes.ends_with(b"\n") {
            file.seek(SeekFrom::End(0)).and_then(|_| file.write_all(b"\n")).map_err(failed)?;
            end += 1;
        }
        Ok((Self { file, path: path.to_owned(), end, starts: Vec::new() }, kept))
    }

    /// The items at the end of the file, oldest first, whose labels can be taken back: those of this annotator.
    pub fn take_up(&mut self, kept: &Kept, annotator: &Annotator, wanted: impl Fn(&ItemId) -> bool) -> Vec<ItemId> {
        let rows = kept.tail.iter().zip(kept.labels.rows.iter().rev());
        let own = rows.take_while(|(_, row)| row.annotator.as_ref() == Some(annotator) && wanted(&row.id));
        let (mut starts, mut items): (Vec<u64>, Vec<ItemId>) = own.map(|(start, row)| (*start, row.id.clone())).unzip();
        starts.reverse();
        items.reverse();
        self.starts = starts;
        items
    }

    /// Writes a label, and returns when it is on disk.
    pub fn append(&mut self, row: &Row<'_>) -> Result<(), CliError> {
        let mut line = serde_json::to_string(row)?;
        line.push('\n');
        let written = self
            .file
            .seek(SeekFrom::Start(self.end))
            .and_then(|_| self.file.write_all(line.as_bytes()))
            .and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            // Half a line would be in the way of the next one.
            let _ = self.file.set_len(self.end);
            return Err(self.failed(&error, "this label is lost, the earlier ones are not"));
        }
        self.starts.push(self.end);
        self.end += line.len() as u64;
        Ok(())
    }

    /// Takes the newest label out of the file.
    pub fn take_back(&mut self) -> Result<(), CliError> {
        let Some(start) = self.starts.last().copied() else { return Ok(()) };
        let cut = self.file.set_len(start).and_then(|()| self.file.sync_data());
        cut.map_err(|error| self.failed(&error, "the label is still in the file"))?;
        self.starts.pop();
        self.end = start;
        Ok(())
    }

    fn failed(&self, error: &std::io::Error, hint: &str) -> CliError {
        CliError::usage(format!("failed to write {}: {error}", self.path.display())).hint(hint)
    }

    /// Leaves no empty file behind.
    pub fn close(self) {
        let Self { file, path, end, .. } = self;
        drop(file);
        if end == 0 {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// How many bytes are whole lines. A last line without an end counts where it is a whole record.
fn whole_lines(bytes: &[u8]) -> usize {
    let start = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let last = &bytes[start..];
    let is_whole = last.trim_ascii().is_empty() || serde_json::from_slice::<serde::de::IgnoredAny>(last).is_ok();
    if is_whole { bytes.len() } else { start }
}

/// The bytes of a file of labels that is read alone.
pub(super) fn bytes_of(path: &Path) -> Result<Vec<u8>, CliError> {
    std::fs::read(path).map_err(|error| {
        let failed = CliError::usage(format!("{} cannot be read: {error}", path.display()));
        if error.kind() == ErrorKind::NotFound {
            failed.hint("make labels with `tribunal gold label`, or name their file with --labels")
        } else {
            failed
        }
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn row<'a>(id: &'a ItemId, annotator: &'a Annotator) -> Row<'a> {
        Row { id, label: Preference::A, annotator, shown: Order::Ba, at: "now".into(), seconds: 1.5, sampled: None }
    }

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    #[allow(clippy::disallowed_methods, reason = "a test lays out its files")]
    fn write(path: &Path, text: &str) {
        std::fs::write(path, text).unwrap();
    }

    fn read(path: &Path) -> String {
        std::fs::read_to_string(path).unwrap()
    }

    const OTHERS: &str = "{\"id\":\"q1\",\"label\":\"b\",\"annotator\":\"lee\"}\n";

    #[test]
    fn what_is_added_is_read_again_and_undo_cuts_it_off_byte_for_byte() {
        let folder = folder();
        let path = folder.path().join("l.jsonl");
        write(&path, OTHERS);
        let (mut file, kept) = LabelFile::open(&path, Ui::silent()).unwrap();
        assert!(file.take_up(&kept, &"kim".into(), |_| true).is_empty());
        file.append(&row(&"q1".into(), &"kim".into())).unwrap();
        file.append(&row(&"q2".into(), &"kim".into())).unwrap();
        drop(file);
        let (mut file, kept) = LabelFile::open(&path, Ui::silent()).unwrap();
        assert_eq!(kept.labels.rows.len(), 3);
        let items = file.take_up(&kept, &"kim".into(), |_| true);
        assert_eq!(items, ["q1".into(), "q2".into()]);
        for _ in 0..3 {
            file.take_back().unwrap();
        }
        assert_eq!(read(&path), OTHERS, "what others said stays");
    }

    #[test]
    fn a_broken_last_line_is_cut_away_and_a_whole_one_gets_its_end() {
        let folder = folder();
        let path = folder.path().join("l.jsonl");
        write(&path, &format!("{OTHERS}{{\"id\":\"q2\",\"lab"));
        let (mut file, kept) = LabelFile::open(&path, Ui::silent()).unwrap();
        assert_eq!(kept.labels.rows.len(), 1);
        file.append(&row(&"q2".into(), &"kim".into())).unwrap();
        drop(file);
        write(&path, read(&path).trim_end());
        let (_, kept) = LabelFile::open(&path, Ui::silent()).unwrap();
        assert_eq!((kept.labels.rows.len(), read(&path).ends_with("}\n")), (2, true));
    }

    #[test]
    fn a_file_of_another_kind_is_left_alone() {
        let folder = folder();
        let path = folder.path().join("l.csv");
        write(&path, "id,label\nq1,a\n");
        let error = LabelFile::open(&path, Ui::silent()).unwrap_err();
        assert!(error.message.contains("no JSON Lines"), "{}", error.message);
        assert_eq!(read(&path), "id,label\nq1,a\n");
    }

    #[test]
    fn one_process_at_a_time_writes() {
        let folder = folder();
        let path = folder.path().join("l.jsonl");
        let (file, _) = LabelFile::open(&path, Ui::silent()).unwrap();
        assert!(LabelFile::open(&path, Ui::silent()).unwrap_err().message.contains("already"));
        file.close();
        assert!(!path.exists(), "no label, no file");
    }

    #[test]
    fn draws_are_told_and_two_of_them_are_one_too_many() {
        let line = |id: &str, seed: u64| {
            format!("{{\"id\":\"{id}\",\"label\":\"a\",\"sampled\":{{\"n\":2,\"seed\":{seed},\"of\":9}}}}\n")
        };
        let kept = Kept::read("l.jsonl", (line("q1", 3) + OTHERS).as_bytes()).unwrap();
        assert_eq!(kept.draw().unwrap(), Some(Draw { n: 2, seed: 3, of: 9 }));
        assert_eq!(kept.drawn, BTreeSet::from(["q1".into()]));
        let kept = Kept::read("l.jsonl", (line("q1", 3) + &line("q2", 4)).as_bytes()).unwrap();
        assert!(kept.draw().unwrap_err().message.contains("2 different samples"));
    }
}
