//! How reading a file goes wrong, and how findings are gathered on the way.

use std::fmt::Write as _;

use crate::domain::{Names, Notice, Remark, Severity};

/// Errors shown of one file; a file of another kind would otherwise fill the screen.
pub(super) const SHOWN: usize = 20;

/// A file that is refused: every error found (at most twenty), then the warnings that stood beside them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.rendered())]
pub struct DataError {
    /// The file as the user named it.
    pub path: String,
    /// What was found, errors first; never empty.
    pub notices: Vec<Notice>,
    /// Number of further errors that were left out.
    pub unshown: usize,
}

impl DataError {
    /// A refusal for one reason.
    pub fn new(path: impl Into<String>, notice: Notice) -> Self {
        Self { path: path.into(), notices: vec![notice], unshown: 0 }
    }

    /// One line a finding: `path:line: field `x`: text`.
    fn rendered(&self) -> String {
        let mut text = self.notices.iter().map(|notice| located(&self.path, notice)).collect::<Vec<_>>().join("\n");
        if self.unshown > 0 {
            // Writing to a String cannot fail.
            let _ = write!(text, "\n{}: {} further errors are not shown", self.path, self.unshown);
        }
        text
    }
}

/// One finding as people read it: `path:line: field `x`: text`; warnings say that they are.
pub fn located(path: &str, notice: &Notice) -> String {
    let mut text = path.to_owned();
    if let Some(line) = notice.line {
        let _ = write!(text, ":{line}");
    }
    text.push_str(": ");
    if notice.severity == Severity::Warning {
        text.push_str("warning: ");
    }
    if let Some(field) = &notice.field {
        let _ = write!(text, "field `{field}`: ");
    }
    text + &notice.text
}

/// What was read, and what is worth knowing about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded<T> {
    /// The records.
    pub records: T,
    /// Warnings; the records are used as they are.
    pub notices: Vec<Notice>,
}

/// An error, and the later lines that have the very same one.
struct Found {
    notice: Notice,
    again: Vec<u64>,
}

impl Found {
    /// The notice; where other lines have it too, it says in how many and in which first.
    fn into_notice(self) -> Notice {
        const NAMED: usize = 3;
        let Self { mut notice, again } = self;
        if !again.is_empty() {
            let lines: Vec<String> = again.iter().take(NAMED).map(u64::to_string).collect();
            let more = if again.len() > NAMED { ", …" } else { "" };
            let plural = if again.len() == 1 { "" } else { "s" };
            let _ = write!(
                notice.text,
                " (the same in {}, line{plural} {}{more})",
                counted(again.len(), "more record"),
                lines.join(", ")
            );
        }
        notice
    }
}

/// Gathers findings while a file is read.
pub(super) struct Findings {
    pub(super) path: String,
    errors: Vec<Found>,
    warnings: Vec<Notice>,
    unshown: usize,
}

impl Findings {
    pub(super) fn new(path: &str) -> Self {
        Self { path: path.to_owned(), errors: Vec::new(), warnings: Vec::new(), unshown: 0 }
    }

    pub(super) fn push(&mut self, notice: Notice) {
        match notice.severity {
            Severity::Warning => self.warnings.push(notice),
            Severity::Error => self.push_error(notice),
        }
    }

    /// What is wrong in every record, such as a field's name, is said once.
    fn push_error(&mut self, notice: Notice) {
        let same = self.errors.iter().position(|found| {
            found.notice.line.is_some() && found.notice.field == notice.field && found.notice.text == notice.text
        });
        match (same, notice.line) {
            (Some(at), Some(line)) => self.errors[at].again.push(line),
            _ if self.errors.len() < SHOWN => self.errors.push(Found { notice, again: Vec::new() }),
            _ => self.unshown += 1,
        }
    }

    pub(super) fn error(&mut self, line: u64, field: &str, text: impl Into<String>) {
        self.push(Notice::error(Some(line), Some(field), text));
    }

    pub(super) fn warn(&mut self, line: Option<u64>, field: Option<&str>, remark: Remark) {
        self.push(Notice::remark(line, field, remark));
    }

    pub(super) fn failed(&self) -> bool {
        !self.errors.is_empty()
    }

    /// True where further errors would only be counted.
    pub(super) fn is_full(&self) -> bool {
        self.errors.len() >= SHOWN
    }

    /// Number of errors so far, shown or not.
    pub(super) fn error_count(&self) -> usize {
        self.errors.iter().map(|found| 1 + found.again.len()).sum::<usize>() + self.unshown
    }

    /// The records with their warnings, or the refusal.
    pub(super) fn finish<T>(mut self, records: T) -> Result<Loaded<T>, DataError> {
        if self.errors.is_empty() {
            return Ok(Loaded { records, notices: self.warnings });
        }
        let mut notices: Vec<Notice> = self.errors.into_iter().map(Found::into_notice).collect();
        notices.append(&mut self.warnings);
        Err(DataError { path: self.path, notices, unshown: self.unshown })
    }
}

/// Names of things for a message: all of them up to twenty, else the first twenty and the number of the rest.
pub(super) fn listed<S: AsRef<str>>(names: &[S]) -> String {
    self::names(names).to_string()
}

/// The same as data.
pub(super) fn names<S: AsRef<str>>(names: &[S]) -> Names {
    Names {
        first: names.iter().take(SHOWN).map(|name| shown(name.as_ref())).collect(),
        more: names.len().saturating_sub(SHOWN),
    }
}

/// `1 item`, `2 items`.
pub(super) fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// A piece of a file inside a message: at most 60 characters, and nothing in it that steers a terminal.
pub(super) fn shown(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut out = String::new();
    for (position, letter) in text.chars().enumerate() {
        if position == LONGEST {
            out.push('…');
            break;
        }
        let steers = letter.is_control()
            || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
        if steers {
            out.extend(letter.escape_unicode());
        } else {
            out.push(letter);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_path_line_and_field() {
        let error = DataError::new("pairs.jsonl", Notice::error(Some(4), Some("id"), "is null"));
        assert_eq!(error.to_string(), "pairs.jsonl:4: field `id`: is null");
    }

    #[test]
    fn the_twenty_first_error_is_only_counted() {
        let mut findings = Findings::new("f");
        for line in 1..=23 {
            findings.error(line, "id", format!("is {line}"));
        }
        let error = findings.finish(()).expect_err("there are errors");
        assert_eq!((error.notices.len(), error.unshown), (20, 3));
        assert!(error.to_string().ends_with("f: 3 further errors are not shown"));
    }

    #[test]
    fn what_is_wrong_in_every_record_is_said_once_with_its_lines() {
        let mut findings = Findings::new("f");
        for line in 2..=900 {
            findings.error(line, "response_b", "`response_b` is missing; there is `reponse_b`, is that it?");
        }
        findings.error(901, "id", "is null");
        assert_eq!(findings.error_count(), 900);
        let error = findings.finish(()).expect_err("there are errors").to_string();
        assert_eq!(error.lines().count(), 2, "{error}");
        assert!(error.starts_with("f:2: field `response_b`: "), "{error}");
        assert!(error.contains("is that it? (the same in 898 more records, lines 3, 4, 5, …)"), "{error}");
    }

    #[test]
    fn escape_sequences_of_a_file_do_not_reach_the_terminal() {
        assert_eq!(shown("a\u{1b}[31m\u{202e}日本"), "a\\u{1b}[31m\\u{202e}日本");
    }

    #[test]
    fn a_long_list_is_cut_and_counted() {
        let names: Vec<String> = (0..25).map(|n| format!("q{n}")).collect();
        assert!(listed(&names).ends_with("q19 and 5 more"));
    }
}
