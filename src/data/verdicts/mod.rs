//! Recorded verdicts: what judges said, in the long form (one row per asking) or the wide form (one row per item and
//! judge, both orders in it). No texts are needed.

mod facts;
mod long;
mod wide;

use std::collections::{BTreeSet, HashSet};

use super::error::{DataError, Findings, Loaded};
use super::gold::Disputed;
use super::record::{CutEnd, Record, read_each};
use super::row::{Id, Row, Seen};
use super::sharing::Sharing;
use super::source::Source;
use crate::domain::{ItemFacts, JudgeName, Judgment, Notice, Remark};
use facts::FactsTable;

/// What a judge is called that the file does not name.
const UNNAMED: &str = "recorded";

/// The fields of both forms that say something about the item.
macro_rules! with_item_fields {
    ($($own:literal),* $(,)?) => {
        &[
            $($own,)*
            "id", "judge", "gold", "gold_votes", "voters", "category", "group", "lang", "turn", "model_a", "model_b",
            "len_a_chars", "len_b_chars", "identical", "fingerprint", "model", "served_model", "meta", "tags",
        ]
    };
}
use with_item_fields;

/// How recorded verdicts are read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VerdictOptions {
    /// The field whose value is the resampling unit, instead of `group`.
    pub group_by: Option<String>,
    /// What becomes of items whose votes have no plurality.
    pub disputed: Disputed,
}

/// The two shapes of a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One row per asking: `order`, and `verdict` or `winner`.
    Long,
    /// One row per item and judge: `ab` and `ba`, or `merged`.
    Wide,
}

/// A recording: judgments, and what is known of their items.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedVerdicts {
    /// The judgments in the order of the file.
    pub judgments: Vec<Judgment>,
    /// The items in the order of first appearance.
    pub items: Vec<ItemFacts>,
    /// The shape of the file.
    pub form: Form,
    /// Number of rows read; a wide row holds two orders.
    pub rows: usize,
}

impl RecordedVerdicts {
    /// The judges, sorted by name.
    pub fn judges(&self) -> Vec<JudgeName> {
        let names: BTreeSet<&JudgeName> = self.judgments.iter().map(|judgment| &judgment.judge).collect();
        names.into_iter().cloned().collect()
    }
}

/// Reads recorded verdicts of either form. Errors: unreadable values, one judgment twice, rows of one item that
/// contradict each other about the item. A cut-off last line is a warning: a recorder may have been stopped in it.
pub fn load_verdicts(source: &Source, options: &VerdictOptions) -> Result<Loaded<RecordedVerdicts>, DataError> {
    let mut findings = Findings::new(source.path());
    let mut reader = Reader {
        options,
        form: None,
        seen: Seen::default(),
        facts: FactsTable::default(),
        judgments: Vec::new(),
        named: 0,
        unnamed: Vec::new(),
        examined: HashSet::new(),
        sharing: Sharing::default(),
    };
    read_each(source, CutEnd::Warn, &mut findings, |record, findings| reader.read(record, findings));
    reader.finish(findings)
}

struct Reader<'o> {
    options: &'o VerdictOptions,
    form: Option<Form>,
    seen: Seen,
    facts: FactsTable,
    judgments: Vec<Judgment>,
    /// Number of rows that name their judge.
    named: usize,
    /// Lines that do not.
    unnamed: Vec<u64>,
    examined: HashSet<String>,
    sharing: Sharing,
}

/// Whose verdict a row holds.
struct Subject {
    id: Id,
    judge: JudgeName,
}

impl Reader<'_> {
    fn read(&mut self, record: Record, findings: &mut Findings) {
        let line = record.line;
        let Some(form) = self.form.or_else(|| form_of(&record)) else {
            let text = "a verdict needs `order` with `verdict` or `winner`, or `ab` and `ba`, or `merged`; this has none of them";
            findings.push(Notice::error(Some(line), Some("verdict"), text));
            return;
        };
        self.form = Some(form);
        let known = if form == Form::Long { long::KNOWN } else { wide::KNOWN };
        let mut row = Row::new(record, known, findings);
        let slips = row.slips(&mut self.examined);
        row.warn_of_slips(slips);
        let group = row.group(self.options.group_by.as_deref());
        self.sharing.look(&row, group.is_some());
        let judge = row.optional_name("judge");
        match judge {
            Some(_) => self.named += 1,
            None => self.unnamed.push(line),
        }
        let Some(id) = row.id() else { return };
        let subject = Subject { id, judge: JudgeName(judge.unwrap_or_else(|| UNNAMED.to_owned())) };
        self.facts.note(&mut row, &subject.id.text, group);
        match form {
            Form::Long => long::read(&mut row, &subject, &mut self.seen, &mut self.judgments),
            Form::Wide => wide::read(&mut row, &subject, &mut self.seen, &mut self.judgments),
        }
    }

    fn finish(self, mut findings: Findings) -> Result<Loaded<RecordedVerdicts>, DataError> {
        if let Some(&line) = self.unnamed.first() {
            if self.named > 0 {
                findings.error(line, "judge", "`judge` is missing here, but other rows name one");
            } else {
                findings.warn(Some(line), Some("judge"), Remark::UnnamedJudge { name: UNNAMED });
            }
        }
        if self.judgments.is_empty() && !findings.failed() {
            findings.push(Notice::error(None, None, "there are no records in it"));
        }
        let items = self.facts.finish(self.options.disputed, &mut findings);
        self.sharing.finish(items.len(), &mut findings);
        let (form, rows) = (self.form.unwrap_or(Form::Long), self.named + self.unnamed.len());
        findings.finish(RecordedVerdicts { judgments: self.judgments, items, form, rows })
    }
}

/// The form that the fields of a record show.
fn form_of(record: &Record) -> Option<Form> {
    let has = |name: &str| record.fields.has(name);
    if has("ab") || has("ba") || has("merged") {
        Some(Form::Wide)
    } else if has("order") || has("verdict") || has("winner") {
        Some(Form::Long)
    } else {
        None
    }
}
