//! The file of labels: JSON Lines, one label a line, on disk before the next pair is shown. A kill loses at most the label being typed.
//!
//! Undo cuts the newest line off again, so the file is a plain file of labels at any time: no reader has to know of undo.
//! One process at a time writes to a file; it holds a lock on it until all is labelled.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::kept::{Draw, Kept};
use crate::cli::exit::CliError;
#[cfg(unix)]
use crate::cli::output::is_same_inode;
use crate::cli::output::{Existing, check_target};
use crate::cli::ui::Ui;
use crate::domain::{Annotator, ItemId, Order, Preference};

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
    /// Digest of the texts that were seen.
    pub pair: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampled: Option<Draw>,
}

/// A file of labels that is being written.
#[derive(Debug)]
pub(super) struct LabelFile {
    file: File,
    path: PathBuf,
    end: u64,
    /// Where the labels begin that can be taken back, the newest last.
    starts: Vec<u64>,
    made: Made,
    torn: Torn,
    hold: Hold,
}

/// Who made the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Made {
    Here,
    Before,
}

/// What has to be done about the last line before another is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Torn {
    No,
    /// It was broken off.
    Cut,
    /// It only lacks its end.
    Unended,
}

/// Whether others are kept from writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hold {
    Held,
    Free,
}

impl LabelFile {
    /// Opens or makes a file to add labels to. Nothing that is there changes before [`Self::mend`].
    pub fn open(path: &Path) -> Result<(Self, Kept), CliError> {
        // A file that is there can be written in a folder that takes no other.
        if path.is_dir() || path.symlink_metadata().is_err() {
            check_target(path, Existing::Replace)?;
        }
        let failed = |error: std::io::Error| CliError::usage(format!("{} cannot be written: {error}", path.display()));
        let (file, made) = opened(path).map_err(failed)?;
        if !file.metadata().map_err(failed)?.is_file() {
            return Err(
                CliError::usage(format!("{} is no regular file", path.display())).hint("name another with --out")
            );
        }
        let mut labels =
            Self { file, path: path.to_owned(), end: 0, starts: Vec::new(), made, torn: Torn::No, hold: Hold::Free };
        labels.hold()?;
        let mut bytes = Vec::new();
        labels.file.read_to_end(&mut bytes).map_err(failed)?;
        if !matches!(bytes.trim_ascii_start().first(), None | Some(b'{')) && !bytes.starts_with(b"\xef\xbb\xbf{") {
            return Err(CliError::usage(format!(
                "{} is no JSON Lines file, and labels are added as such",
                path.display()
            ))
            .hint("name another with --out"));
        }
        let whole = whole_lines(&bytes);
        let kept = Kept::read(&path.to_string_lossy(), &bytes[..whole])?;
        labels.end = whole as u64;
        if whole < bytes.len() {
            // A broken line may be anybody's where no label tells whose file it is.
            if kept.labels.rows.is_empty() {
                return Err(CliError::usage(format!(
                    "{} has no label in it, only a line that is no whole JSON",
                    path.display()
                ))
                .hint("name another with --out, or delete the file where it is a label broken off"));
            }
            labels.torn = Torn::Cut;
        } else if !bytes.is_empty() && !bytes.ends_with(b"\n") {
            labels.torn = Torn::Unended;
        }
        Ok((labels, kept))
    }

    /// Cuts a last line away that was broken off while it was written, or gives it its end.
    pub fn mend(&mut self, ui: Ui) -> Result<(), CliError> {
        let failed =
            |error: std::io::Error| CliError::usage(format!("{} cannot be written: {error}", self.path.display()));
        match std::mem::replace(&mut self.torn, Torn::No) {
            Torn::No => {}
            Torn::Cut => {
                self.file.set_len(self.end).map_err(failed)?;
                let path = self.path.display();
                ui.warn(format!("{path}: a last line that was not written to its end is taken away"));
            }
            Torn::Unended => {
                self.file.seek(SeekFrom::End(0)).and_then(|_| self.file.write_all(b"\n")).map_err(failed)?;
                self.end += 1;
            }
        }
        Ok(())
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
        self.is_still_ours().map_err(|error| error.hint(format!("this label was not written: {line}")))?;
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
        self.is_still_ours().map_err(|error| error.hint("the label was not taken back"))?;
        let cut = self.file.set_len(start).and_then(|()| self.file.sync_data());
        cut.map_err(|error| self.failed(&error, "the label is still in the file"))?;
        self.starts.pop();
        self.end = start;
        Ok(())
    }

    fn failed(&self, error: &std::io::Error, hint: &str) -> CliError {
        CliError::usage(format!("failed to write {}: {error}", self.path.display())).hint(hint)
    }

    /// Keeps others from writing.
    fn hold(&mut self) -> Result<(), CliError> {
        if self.hold == Hold::Free && matches!(self.file.try_lock(), Err(TryLockError::WouldBlock)) {
            return Err(CliError::usage(format!("somebody is labelling into {} already", self.path.display()))
                .hint("wait, or label into a file of your own with --out"));
        }
        // Where the system knows no locks there is one person less to protect from.
        self.hold = Hold::Held;
        Ok(())
    }

    /// Lets others write while nothing is to be labelled here.
    pub fn rest(&mut self) {
        if self.file.unlock().is_ok() {
            self.hold = Hold::Free;
        }
    }

    /// An error where the file is another than was written last, by its place or its length.
    fn is_still_ours(&mut self) -> Result<(), CliError> {
        self.hold()?;
        let same = std::fs::metadata(&self.path).is_ok_and(|there| {
            #[cfg(unix)]
            let same = self.file.metadata().is_ok_and(|own| is_same_inode(&own, &there));
            #[cfg(not(unix))]
            let same = true;
            same && there.len() == self.end
        });
        if same {
            return Ok(());
        }
        Err(CliError::usage(format!(
            "{} was changed, replaced or taken away by somebody else since the last label",
            self.path.display()
        )))
    }

    /// Leaves no empty file behind that was not there before.
    pub fn close(mut self) {
        let is_empty = self.made == Made::Here && self.end == 0 && self.is_still_ours().is_ok();
        let Self { file, path, .. } = self;
        drop(file);
        if is_empty {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// The file, and whether it was made for this.
fn opened(path: &Path) -> std::io::Result<(File, Made)> {
    let both = || OpenOptions::new().read(true).write(true).clone();
    match both().create_new(true).open(path) {
        // A link that leads nowhere gets its file; the link is not ours to take away.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            both().create(true).truncate(false).open(path).map(|file| (file, Made::Before))
        }
        // In a folder that takes no new files, or that is none to this user.
        Err(error) if error.kind() != ErrorKind::NotFound && path.exists() => {
            both().open(path).map(|file| (file, Made::Before)).map_err(|_| error)
        }
        made => made.map(|file| (file, Made::Here)),
    }
}

/// How many bytes are whole lines. A last line without an end counts where it is a whole record.
fn whole_lines(bytes: &[u8]) -> usize {
    let start = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let last = &bytes[start..];
    let is_whole = last.trim_ascii().is_empty() || serde_json::from_slice::<serde::de::IgnoredAny>(last).is_ok();
    if is_whole { bytes.len() } else { start }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn row<'a>(id: &'a ItemId, annotator: &'a Annotator) -> Row<'a> {
        Row {
            id,
            label: Preference::A,
            annotator,
            shown: Order::Ba,
            at: "now".into(),
            seconds: 1.5,
            pair: "0".into(),
            sampled: None,
        }
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
        let (mut file, kept) = LabelFile::open(&path).unwrap();
        assert!(file.take_up(&kept, &"kim".into(), |_| true).is_empty());
        file.append(&row(&"q1".into(), &"kim".into())).unwrap();
        file.append(&row(&"q2".into(), &"kim".into())).unwrap();
        drop(file);
        let (mut file, kept) = LabelFile::open(&path).unwrap();
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
        let (mut file, kept) = LabelFile::open(&path).unwrap();
        assert_eq!(kept.labels.rows.len(), 1);
        file.mend(Ui::silent()).unwrap();
        file.append(&row(&"q2".into(), &"kim".into())).unwrap();
        drop(file);
        write(&path, read(&path).trim_end());
        let (mut file, kept) = LabelFile::open(&path).unwrap();
        file.mend(Ui::silent()).unwrap();
        assert_eq!((kept.labels.rows.len(), read(&path).ends_with("}\n")), (2, true));
    }

    #[test]
    fn a_file_of_another_kind_is_left_alone() {
        let folder = folder();
        let path = folder.path().join("l.csv");
        write(&path, "id,label\nq1,a\n");
        let error = LabelFile::open(&path).unwrap_err();
        assert!(error.message.contains("no JSON Lines"), "{}", error.message);
        assert_eq!(read(&path), "id,label\nq1,a\n");
    }

    #[test]
    fn one_process_at_a_time_writes() {
        let folder = folder();
        let path = folder.path().join("l.jsonl");
        let (file, _) = LabelFile::open(&path).unwrap();
        assert!(LabelFile::open(&path).unwrap_err().message.contains("already"));
        file.close();
        assert!(!path.exists(), "no label, no file");
    }

    #[test]
    fn nothing_is_cut_or_taken_away_that_is_not_known_to_be_a_label() {
        let folder = folder();
        let path = folder.path().join("l.jsonl");
        write(&path, "{ one line of somebody's notes");
        let error = LabelFile::open(&path).unwrap_err();
        assert!(error.message.contains("no label in it"), "{}", error.message);
        assert_eq!(read(&path), "{ one line of somebody's notes");
        write(&path, "");
        LabelFile::open(&path).unwrap().0.close();
        assert!(path.exists(), "it was there before");
    }

    #[test]
    fn a_file_that_somebody_else_changed_takes_no_label_and_the_error_has_it() {
        let folder = folder();
        let path = folder.path().join("l.jsonl");
        let changes: [&dyn Fn(); 3] = [&|| write(&path, ""), &|| write(&path, &read(&path).repeat(2)), &|| {
            let text = read(&path);
            std::fs::rename(&path, folder.path().join("old")).unwrap();
            write(&path, &text);
        }];
        for (number, change) in changes.into_iter().enumerate() {
            write(&path, OTHERS);
            let (mut file, _) = LabelFile::open(&path).unwrap();
            change();
            let before = read(&path);
            let error = file.append(&row(&"q2".into(), &"kim".into())).unwrap_err();
            assert!(error.message.contains("by somebody else"), "{number}: {}", error.message);
            assert!(error.hint.unwrap().contains("\"id\":\"q2\",\"label\":\"a\""));
            assert_eq!(read(&path), before, "{number}");
        }
    }

    #[test]
    fn who_rests_lets_another_write_and_then_takes_nothing_back() {
        let folder = folder();
        let path = folder.path().join("l.jsonl");
        let (mut kim, _) = LabelFile::open(&path).unwrap();
        kim.append(&row(&"q1".into(), &"kim".into())).unwrap();
        kim.rest();
        let (mut lee, _) = LabelFile::open(&path).unwrap();
        assert!(kim.take_back().unwrap_err().message.contains("already"));
        lee.append(&row(&"q1".into(), &"lee".into())).unwrap();
        lee.close();
        assert!(kim.take_back().is_err());
        assert_eq!(read(&path).lines().count(), 2);
    }
}
