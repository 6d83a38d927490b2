//! An answer as one long list of records with the same fields: what CSV and JSON Lines are made of.
//!
//! The list is taken from the answer's JSON, so that nothing in it can be missing here and every number is the same.
//! A record's name is the path in that JSON, joined by dots; members of a list are told apart by `subject`.

use serde::Serialize;
use serde_json::{Map, Number, Value};

use super::{Content, ReportError};

/// One figure, count, test, criterion or remark. Every field is always there; what does not apply is null.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[allow(clippy::struct_field_names, reason = "the fields are the columns")]
pub(super) struct Record {
    /// `figure`, `count`, `number`, `test`, `criterion`, `decision`, `word`, `flag` or `warning`.
    pub(super) record: &'static str,
    /// The part of the answer, such as `judges.figures`.
    pub(super) section: String,
    /// The judge, category, member … that it is about.
    pub(super) subject: Option<String>,
    /// Path inside the part.
    pub(super) name: String,
    pub(super) estimate: Option<Number>,
    pub(super) low: Option<Number>,
    pub(super) high: Option<Number>,
    pub(super) level: Option<Number>,
    pub(super) method: Option<String>,
    pub(super) n: Option<Number>,
    pub(super) k: Option<Number>,
    /// p-value of a test.
    pub(super) p: Option<Number>,
    /// Where a criterion's figure has to be, such as `max 0.2`.
    pub(super) limit: Option<String>,
    pub(super) decision: Option<String>,
    pub(super) labels_needed: Option<Number>,
    /// Why there is no number.
    pub(super) not_estimable: Option<String>,
    /// A name, a reason, a warning.
    pub(super) text: Option<String>,
}

/// The fields in their order.
pub(super) const COLUMNS: [&str; 17] = [
    "record",
    "section",
    "subject",
    "name",
    "estimate",
    "low",
    "high",
    "level",
    "method",
    "n",
    "k",
    "p",
    "limit",
    "decision",
    "labels_needed",
    "not_estimable",
    "text",
];

/// Everything in an answer, in its own order.
pub(super) fn records(content: Content<'_>) -> Result<Vec<Record>, ReportError> {
    match content {
        Content::Calibration(answer) => of(content.kind(), answer),
        Content::Comparison(answer) => of(content.kind(), answer),
    }
}

/// The same of any answer that has a JSON form.
pub(super) fn of(kind: &str, answer: &impl Serialize) -> Result<Vec<Record>, ReportError> {
    let mut found = Vec::new();
    if let Value::Object(parts) = serde_json::to_value(answer)? {
        for (name, value) in &parts {
            part(kind, name, value, &mut found);
        }
    }
    Ok(found)
}

fn part(kind: &str, name: &str, value: &Value, found: &mut Vec<Record>) {
    match value {
        // The parts that are objects or lists of objects are sections; the others stand under the kind's own name.
        Value::Array(members) if members.iter().any(Value::is_object) && !members.iter().any(is_leaf) => {
            for (index, member) in members.iter().enumerate() {
                let subject = subject_of(member, index);
                let Value::Object(fields) = member else { continue };
                // What tells it apart stands beside every record of it already.
                for (field, value) in fields.iter().filter(|(_, value)| value.as_str() != Some(&subject)) {
                    match value {
                        Value::Object(_) if !is_leaf(value) => {
                            let section = format!("{name}.{field}");
                            Walk { section: &section, subject: Some(&subject), found }.value("", value);
                        }
                        _ => Walk { section: name, subject: Some(&subject), found }.value(field, value),
                    }
                }
            }
        }
        Value::Object(fields) if name == "requirement" => found.push(requirement(name, fields)),
        Value::Object(_) if !is_leaf(value) => Walk { section: name, subject: None, found }.value("", value),
        _ => Walk { section: kind, subject: None, found }.value(name, value),
    }
}

/// True for what becomes one record.
fn is_leaf(value: &Value) -> bool {
    let has = |name: &str| value.get(name).is_some();
    has("point") || has("not_estimable") || has("effect") && has("power") || has("p") && has("method")
}

/// What tells the members of a list apart.
fn subject_of(member: &Value, index: usize) -> String {
    let text = |name: &str| match member.get(name) {
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    if let (Some(a), Some(b)) = (text("a"), text("b")) {
        return format!("{a} / {b}");
    }
    let names = ["name", "category", "member", "judge", "criterion", "field", "win_rate", "figure"];
    names.into_iter().find_map(text).unwrap_or_else(|| index.to_string())
}

/// The fields of a matrix that its records are named by.
const MATRIX: [&str; 4] = ["rows", "columns", "labels", "cells"];

struct Walk<'a> {
    section: &'a str,
    subject: Option<&'a str>,
    found: &'a mut Vec<Record>,
}

impl Walk<'_> {
    fn value(&mut self, path: &str, value: &Value) {
        match value {
            Value::Null => {}
            Value::Bool(flag) => self.push(Record { text: Some(flag.to_string()), ..self.record("flag", path) }),
            Value::Number(number) => {
                let kind = if number.is_f64() { "number" } else { "count" };
                self.push(Record { estimate: Some(number.clone()), ..self.record(kind, path) });
            }
            Value::String(text) => self.push(self.word(path, text)),
            Value::Array(members) => self.list(path, members),
            Value::Object(fields) => self.object(path, value, fields),
        }
    }

    fn list(&mut self, path: &str, members: &[Value]) {
        for (index, member) in members.iter().enumerate() {
            match member {
                Value::String(text) => self.push(self.word(path, text)),
                Value::Object(fields) if fields.contains_key("decided_on") => {
                    self.push(self.criterion(fields));
                    self.shown(fields);
                }
                _ => {
                    let own = if member.is_object() { subject_of(member, index) } else { index.to_string() };
                    self.value(&joined(path, &own), member);
                }
            }
        }
    }

    fn object(&mut self, path: &str, value: &Value, fields: &Map<String, Value>) {
        if let (Some(Value::Array(cells)), Some(Value::Array(labels))) = (fields.get("cells"), fields.get("labels")) {
            return self.matrix(path, cells, labels, fields);
        }
        if !is_leaf(value) {
            for (name, value) in fields {
                self.value(&joined(path, name), value);
            }
            return;
        }
        let kind = if fields.contains_key("p") { "test" } else { "figure" };
        let mut record = self.record(kind, path);
        estimate(&mut record, fields);
        record.p = number(fields, "p");
        record.estimate = record.estimate.or_else(|| number(fields, "effect"));
        self.push(record);
        if let Some(detectable) = fields.get("detectable") {
            self.value(&joined(path, "detectable"), detectable);
        }
    }

    /// Counts of two things against each other, under the names that the matrix itself gives rows, columns and labels; then
    /// what else it holds, lists by label.
    fn matrix(&mut self, path: &str, cells: &[Value], labels: &[Value], fields: &Map<String, Value>) {
        let name = |field: &str, usual: &str| text(fields, field).unwrap_or_else(|| usual.to_owned());
        // Labels by people against the judge's, where nothing else is said.
        let (rows, columns) = (name("rows", "gold"), name("columns", "judge"));
        let labels: Vec<&str> = labels.iter().filter_map(Value::as_str).collect();
        for (row, counts) in labels.iter().zip(cells) {
            for (column, cell) in labels.iter().zip(counts.as_array().into_iter().flatten()) {
                self.value(&joined(path, &format!("{rows}_{row}.{columns}_{column}")), cell);
            }
        }
        for (name, value) in fields.iter().filter(|(name, _)| !MATRIX.contains(&name.as_str())) {
            match value.as_array() {
                Some(by_label) => labels
                    .iter()
                    .zip(by_label)
                    .for_each(|(label, value)| self.value(&joined(path, &format!("{name}.{label}")), value)),
                None => self.value(&joined(path, name), value),
            }
        }
    }

    /// A criterion stands with what its decision was made on; the figure as shown stands among the figures, or by [`Self::shown`].
    fn criterion(&self, fields: &Map<String, Value>) -> Record {
        let mut record = self.record("criterion", &text(fields, "name").unwrap_or_default());
        if let Some(Value::Object(on)) = fields.get("decided_on") {
            estimate(&mut record, on);
        }
        let limit = fields.get("limit").and_then(Value::as_object).and_then(|limit| limit.iter().next());
        record.limit = limit.map(|(side, at)| format!("{side} {at}"));
        record.decision = text(fields, "decision");
        record.labels_needed = number(fields, "labels_needed");
        record.text = text(fields, "reason").filter(|reason| !reason.is_empty());
        record
    }

    /// The figure of a criterion as shown, where it stands among no figures: the advantage over the controls.
    fn shown(&mut self, fields: &Map<String, Value>) {
        let name = text(fields, "name").unwrap_or_default();
        if let ("beats_controls", Some(Value::Object(figure))) = (name.as_str(), fields.get("figure")) {
            let mut record = self.record("figure", &name);
            estimate(&mut record, figure);
            self.push(record);
        }
    }

    fn word(&self, path: &str, word: &str) -> Record {
        match path {
            "decision" => Record { decision: Some(word.to_owned()), ..self.record("decision", path) },
            "warnings" => Record { text: Some(word.to_owned()), ..self.record("warning", "warning") },
            _ => Record { text: Some(word.to_owned()), ..self.record("word", path) },
        }
    }

    fn record(&self, record: &'static str, name: &str) -> Record {
        Record {
            record,
            section: self.section.to_owned(),
            subject: self.subject.map(str::to_owned),
            name: name.to_owned(),
            ..Record::default()
        }
    }

    fn push(&mut self, record: Record) {
        self.found.push(record);
    }
}

fn requirement(section: &str, fields: &Map<String, Value>) -> Record {
    Record {
        record: "criterion",
        section: section.to_owned(),
        name: text(fields, "kind").unwrap_or_default(),
        limit: number(fields, "bound").map(|bound| format!("lower bound above {bound}")),
        decision: text(fields, "held"),
        ..Record::default()
    }
}

fn estimate(record: &mut Record, fields: &Map<String, Value>) {
    record.estimate = number(fields, "point");
    record.low = number(fields, "lower");
    record.high = number(fields, "upper");
    record.level = number(fields, "level");
    record.n = number(fields, "n");
    record.k = number(fields, "k");
    record.method = text(fields, "method");
    record.not_estimable = text(fields, "not_estimable");
}

fn number(fields: &Map<String, Value>, name: &str) -> Option<Number> {
    match fields.get(name) {
        Some(Value::Number(number)) => Some(number.clone()),
        _ => None,
    }
}

fn text(fields: &Map<String, Value>, name: &str) -> Option<String> {
    fields.get(name).and_then(Value::as_str).map(str::to_owned)
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}
