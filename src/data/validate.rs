//! Is this file readable, and what is in it?

use serde::Serialize;

use super::detect::{Kind, detect};
use super::error::{DataError, Loaded, counted};
use super::gold::Disputed;
use super::labels::load_labels;
use super::pairs::{PairOptions, load_pairs};
use super::predictions::load_predictions;
use super::responses::load_responses;
use super::source::Source;
use super::verdicts::{VerdictOptions, load_verdicts};
use crate::domain::{GoldLabel, Notice, Pair, Preference, Severity, SystemName};

/// What a check of one file came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FileOutcome {
    /// Fine.
    Accept,
    /// Usable, with warnings.
    Warn,
    /// Refused.
    Error,
}

/// The check of one file, in the order of `validate --format json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileReport {
    /// The file as the user named it.
    pub path: String,
    /// The kind it was read as; `None` where it could not be told.
    pub kind: Option<Kind>,
    /// Records read; 0 where the file is refused.
    pub records: usize,
    /// The result.
    pub outcome: FileOutcome,
    /// Findings, errors first.
    pub messages: Vec<Notice>,
    /// Errors that `messages` leaves out.
    #[serde(skip_serializing_if = "is_zero")]
    pub unshown: usize,
    /// What is in the file, in words, one fact each.
    pub contents: Vec<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// How files are checked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ValidateOptions {
    /// Read every file as this kind instead of looking for itself.
    pub as_kind: Option<Kind>,
    /// The field whose value is the resampling unit, instead of `group`.
    pub group_by: Option<String>,
    /// What becomes of items whose votes have no plurality.
    pub disputed: Disputed,
}

impl FileReport {
    /// The report of a file that could not be read as `kind`, or at all.
    pub fn refused(error: DataError, kind: Option<Kind>) -> Self {
        Self {
            path: error.path,
            kind,
            records: 0,
            outcome: FileOutcome::Error,
            messages: error.notices,
            unshown: error.unshown,
            contents: Vec::new(),
        }
    }

    /// The report of a file that was read, with `outcome` by whether there are warnings.
    pub fn read(path: &str, kind: Kind, contents: Vec<String>, loaded: Loaded<usize>) -> Self {
        let warned = loaded.notices.iter().any(|notice| notice.severity == Severity::Warning);
        Self {
            path: path.to_owned(),
            kind: Some(kind),
            records: loaded.records,
            outcome: if warned { FileOutcome::Warn } else { FileOutcome::Accept },
            messages: loaded.notices,
            unshown: 0,
            contents,
        }
    }
}

/// Checks one file. A judge prompt is only recognised here; whoever knows prompts checks it.
pub fn validate(source: &Source, options: &ValidateOptions) -> FileReport {
    let kind = detect(source, options.as_kind);
    let checked = match kind {
        Kind::Pairs | Kind::Gold => pairs(source, kind, options),
        Kind::Labels => load_labels(source).map(|mut loaded| {
            loaded.notices.extend(loaded.records.disputed());
            let agreement = loaded.records.agreement();
            let mut contents = vec![counted(agreement.items, "item")];
            if !agreement.annotators.is_empty() {
                contents.push(counted(agreement.annotators.len(), "annotator"));
            }
            if agreement.compared > 0 {
                let (agreeing, compared) = (agreement.agreeing, agreement.compared);
                contents.push(format!("annotators agree on {agreeing} of {compared} label pairs"));
            }
            Checked { contents, loaded: loaded.map(|labels| labels.rows.len()) }
        }),
        Kind::Responses => load_responses(source).map(|loaded| {
            let mut systems: Vec<&str> =
                loaded.records.rows.iter().filter_map(|row| row.system.as_ref().map(SystemName::as_str)).collect();
            systems.sort_unstable();
            systems.dedup();
            let contents = if systems.is_empty() { Vec::new() } else { vec![counted(systems.len(), "named system")] };
            Checked { contents, loaded: loaded.map(|responses| responses.rows.len()) }
        }),
        Kind::Verdicts => verdicts(source, options),
        Kind::Predictions => load_predictions(source)
            .map(|loaded| Checked { contents: Vec::new(), loaded: loaded.map(|predictions| predictions.len()) }),
        Kind::Prompt => Ok(Checked { contents: Vec::new(), loaded: Loaded { records: 1, notices: Vec::new() } }),
    };
    match checked {
        Ok(Checked { contents, loaded }) => FileReport::read(source.path(), kind, contents, loaded),
        Err(error) => FileReport::refused(error, Some(kind)),
    }
}

/// A readable file: number of records, warnings, and what is in it.
struct Checked {
    contents: Vec<String>,
    loaded: Loaded<usize>,
}

impl<T> Loaded<T> {
    fn map<U>(self, change: impl FnOnce(T) -> U) -> Loaded<U> {
        Loaded { records: change(self.records), notices: self.notices }
    }
}

fn pairs(source: &Source, kind: Kind, options: &ValidateOptions) -> Result<Checked, DataError> {
    let read = PairOptions { group_by: options.group_by.clone(), disputed: options.disputed };
    let loaded = load_pairs(source, &read)?;
    let labelled = loaded.records.iter().filter(|pair| pair.gold.is_some()).count();
    if kind == Kind::Gold && labelled == 0 {
        let text = "no item has a human label: `gold` or `gold_votes` is wanted";
        return Err(DataError::new(source.path(), Notice::error(None, Some("gold"), text)));
    }
    let mut contents = vec![counted(loaded.records.len(), "pair")];
    contents.extend(label_facts(loaded.records.iter().filter_map(|pair| pair.gold.as_ref())));
    let mut groups: Vec<_> = loaded.records.iter().filter_map(|pair: &Pair| pair.group.as_ref()).collect();
    groups.sort_unstable();
    groups.dedup();
    if !groups.is_empty() {
        contents.push(counted(groups.len(), "group"));
    }
    Ok(Checked { contents, loaded: loaded.map(|pairs| pairs.len()) })
}

fn verdicts(source: &Source, options: &ValidateOptions) -> Result<Checked, DataError> {
    let read = VerdictOptions { group_by: options.group_by.clone(), disputed: options.disputed };
    let loaded = load_verdicts(source, &read)?;
    let recording = &loaded.records;
    let mut contents = vec![
        counted(recording.judgments.len(), "judgment"),
        counted(recording.items.len(), "item"),
        counted(recording.judges().len(), "judge"),
    ];
    contents.extend(label_facts(recording.items.iter().filter_map(|item| item.gold.as_ref())));
    Ok(Checked { contents, loaded: loaded.map(|recording| recording.rows) })
}

/// How many labels of each kind there are.
fn label_facts<'g>(gold: impl Iterator<Item = &'g GoldLabel>) -> Option<String> {
    let mut counts = [0_usize; 3];
    for label in gold {
        counts[label.label.index()] += 1;
    }
    let parts: Vec<String> =
        Preference::ALL.iter().map(|label| format!("{} {}", label.as_str(), counts[label.index()])).collect();
    (counts.iter().sum::<usize>() > 0).then(|| format!("human labels: {}", parts.join(", ")))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn check(name: &str, text: &str, as_kind: Option<Kind>) -> FileReport {
        let options = ValidateOptions { as_kind, ..ValidateOptions::default() };
        validate(&Source::from_bytes(name, text).unwrap(), &options)
    }

    #[test]
    fn a_report_has_the_fields_of_the_machine_output_in_their_order() {
        let report = check("l.csv", "id,label\nq1,a\nq2,b\n", None);
        assert_eq!(
            serde_json::to_string(&report).unwrap(),
            r#"{"path":"l.csv","kind":"labels","records":2,"outcome":"accept","messages":[],"contents":["2 items"]}"#
        );
    }

    #[test]
    fn wide_records_are_rows_and_not_judgments() {
        let report = check("w.jsonl", r#"{"id":"q","judge":"j","ab":"a","ba":"b","gold":"a"}"#, None);
        assert_eq!(report.records, 1);
        assert_eq!(report.contents, ["2 judgments", "1 item", "1 judge", "human labels: a 1, b 0, tie 0"]);
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_a_reader_panic(parts in proptest::collection::vec(part(), 0..40), name in 0..4_usize) {
            let text = parts.concat();
            for kind in Kind::ALL {
                let name = ["x.jsonl", "x.json", "x.csv", "<stdin>"][name];
                let report = check(name, &text, Some(kind));
                let refused = report.outcome == FileOutcome::Error;
                let errors = report.messages.iter().filter(|message| message.severity == Severity::Error).count();
                proptest::prop_assert_eq!(refused, errors > 0);
                proptest::prop_assert!(!refused || report.records == 0);
            }
        }
    }

    /// Pieces of files, good and bad.
    fn part() -> impl proptest::strategy::Strategy<Value = &'static str> {
        proptest::sample::select(vec![
            "{",
            "}",
            "[",
            "]",
            "\"",
            ",",
            ":",
            ";",
            "\n",
            "\r\n",
            "\t",
            "\\",
            "\\ud83d",
            "日本",
            "é",
            "NaN",
            "null",
            "1.5",
            "-",
            "id",
            "\"id\":",
            "\"q1\"",
            "\"prompt\":\"p\"",
            "\"response_a\":\"x\"",
            "\"response_b\":\"y\"",
            "\"gold\":\"a\"",
            "\"ab\":\"b\"",
            "\"order\":\"ab\"",
            "\"verdict\":\"A\"",
            "id,label\n",
            "q1,a\n",
            "q2,\"b\"\n",
            "{\"id\":1,\"judge\":\"j\",\"ab\":\"a\"}\n",
            "{\"id\":2,\"label\":\"tie\"}\n",
            "sep=;\n",
            "\u{feff}",
        ])
    }

    #[test]
    fn a_gold_file_without_labels_is_refused() {
        let text = r#"{"id":"q","prompt":"p","response_a":"x","response_b":"y","gold":null}"#;
        assert_eq!(check("g.jsonl", text, None).outcome, FileOutcome::Error);
        assert_eq!(check("g.jsonl", text, Some(Kind::Pairs)).outcome, FileOutcome::Accept);
    }
}
