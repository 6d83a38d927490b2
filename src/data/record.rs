//! One record stream for every format: JSON Lines, JSON array, CSV, TSV.

use super::error::Findings;
use super::fields::Fields;
use super::json::{Array, Lines};
use super::source::Source;
use super::table::Table;
use crate::domain::{Notice, Remark};

/// What kind of cells a record has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// JSON: values have types, null is not the empty text.
    Json,
    /// A table: every value is text, an empty cell stands for "nothing".
    Table,
}

/// One record with the physical line in which it begins.
#[derive(Debug, Clone)]
pub(super) struct Record {
    pub(super) line: u64,
    pub(super) fields: Fields,
    pub(super) origin: Origin,
}

/// A place where no record could be read.
#[derive(Debug, Clone)]
pub(super) struct Broken {
    pub(super) notice: Notice,
    /// The text stopped before the record was whole.
    pub(super) unfinished: bool,
    /// It is the end of a file that was cut off.
    pub(super) cut: bool,
}

impl Broken {
    pub(super) fn at(notice: Notice) -> Self {
        Self { notice, unfinished: false, cut: false }
    }

    pub(super) fn cut(line: u64, text: &str) -> Self {
        Self { notice: Notice::error(Some(line), None, text), unfinished: true, cut: true }
    }
}

/// The records of a source, in the order of the file.
pub(super) enum Records<'a> {
    Lines(Lines<'a>),
    Array(Array<'a>),
    Table(Table<'a>),
}

impl Iterator for Records<'_> {
    type Item = Result<Record, Broken>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Lines(lines) => lines.next(),
            Self::Array(array) => array.next(),
            Self::Table(table) => table.next(),
        }
    }
}

/// Opens the record stream: by the first character, else by the name.
pub(super) fn records(source: &Source) -> Records<'_> {
    let (text, cut) = (source.text(), source.ends_inside_a_character());
    let extension = source.extension();
    let is_table = matches!(extension.as_str(), "csv" | "tsv");
    match text.trim_ascii_start().as_bytes().first() {
        Some(b'{') if !is_table => Records::Lines(Lines::new(text, cut)),
        Some(b'[') if !is_table => Records::Array(Array::new(text)),
        _ if matches!(extension.as_str(), "jsonl" | "json" | "ndjson") => Records::Lines(Lines::new(text, cut)),
        _ => Records::Table(Table::new(text, &extension, cut)),
    }
}

/// What a cut-off last record means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CutEnd {
    /// An error: somebody's file lost its end.
    Refuse,
    /// A warning: a writer was stopped in the middle of a record, and the rest is whole.
    Warn,
}

/// Calls `each` for every readable record; what is broken becomes a finding. No record at all is an error.
pub(super) fn read_each(
    source: &Source,
    cut_end: CutEnd,
    findings: &mut Findings,
    mut each: impl FnMut(Record, &mut Findings),
) {
    let mut seen = 0_usize;
    let reached = source.reached();
    reached.begin(source.text().bytes().filter(|byte| *byte == b'\n').count() as u64);
    for record in records(source) {
        seen += 1;
        match record {
            Ok(record) => {
                reached.at(record.line);
                each(record, findings);
            }
            Err(broken) if broken.cut && cut_end == CutEnd::Warn => {
                // The field of a broken-off text is the last whole one: no help here.
                findings.warn(broken.notice.line, None, Remark::CutOff { why: broken.notice.text });
            }
            Err(broken) => findings.push(broken.notice),
        }
    }
    if seen == 0 {
        findings.push(Notice::error(None, None, "there are no records in it"));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn ids(name: &str, text: &str) -> Vec<String> {
        let source = Source::from_bytes(name, text.as_bytes().to_vec()).unwrap();
        records(&source).map(|record| record.unwrap().fields.get("id").unwrap().to_string()).collect()
    }

    #[test]
    fn every_format_gives_the_same_records() {
        for (name, text) in [
            ("x.jsonl", "{\"id\":\"1\"}\n{\"id\":\"2\"}\n"),
            ("x.json", "[{\"id\":\"1\"},{\"id\":\"2\"}]"),
            ("<stdin>", " [\n{\"id\":\"1\"},{\"id\":\"2\"}]"),
            ("x.csv", "id,x\n1,\n2,\n"),
            ("x.tsv", "id\tx\n1\t\n2\t\n"),
            ("<stdin>", "id;x\n1;\n2;\n"),
        ] {
            assert_eq!(ids(name, text), ["\"1\"", "\"2\""], "{name} {text}");
        }
    }

    #[test]
    fn who_waits_sees_how_far_the_reading_is() {
        let text = "{\"id\":1}\n{\"id\":2}\n\n{\"id\":3}\n";
        for name in ["x.jsonl", "<stdin>"] {
            let source = Source::from_bytes(name, text.as_bytes().to_vec()).unwrap();
            let (mut findings, mut shares) = (Findings::new(name), Vec::new());
            read_each(&source, CutEnd::Refuse, &mut findings, |_, _| shares.extend(source.reached().share()));
            assert_eq!(shares, [0.25, 0.5, 1.0]);
        }
    }

    #[test]
    fn a_file_without_records_says_so() {
        for (name, text) in [("x.jsonl", ""), ("x.jsonl", "\n \n"), ("x.csv", "id,label\n"), ("x.json", "[]")] {
            let source = Source::from_bytes(name, text.as_bytes().to_vec()).unwrap();
            let mut findings = Findings::new(name);
            read_each(&source, CutEnd::Refuse, &mut findings, |_, _| {});
            assert!(findings.finish(()).unwrap_err().to_string().contains("no records"), "{name}");
        }
    }

    #[test]
    fn a_text_cut_inside_a_character_loses_only_its_last_line() {
        let mut bytes = "{\"id\":1}\n{\"id\":\"日".as_bytes().to_vec();
        bytes.pop();
        let source = Source::from_bytes("x.jsonl", bytes).unwrap();
        let (mut findings, mut read) = (Findings::new("x"), 0);
        read_each(&source, CutEnd::Warn, &mut findings, |_, _| read += 1);
        let loaded = findings.finish(()).unwrap();
        assert_eq!((read, loaded.notices[0].line), (1, Some(2)));
    }
}
