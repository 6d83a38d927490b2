//! Typed fields out of a record; what is not as wanted becomes a finding that names line, field, found and wanted.

use std::collections::HashSet;
use std::collections::hash_map::{Entry, HashMap};

use serde_json::{Map, Value};

use super::error::{Findings, listed, shown};
use super::fields::Fields;
use super::record::{Origin, Record};
use crate::domain::{GroupId, Preference, Remark, nearest, plain_text};

/// A record being read against the names its kind knows.
pub(super) struct Row<'f> {
    pub(super) line: u64,
    fields: Fields,
    origin: Origin,
    known: &'static [&'static str],
    findings: &'f mut Findings,
    errors_before: usize,
}

impl<'f> Row<'f> {
    pub(super) fn new(record: Record, known: &'static [&'static str], findings: &'f mut Findings) -> Self {
        let errors_before = findings.error_count();
        Self { line: record.line, fields: record.fields, origin: record.origin, known, findings, errors_before }
    }

    /// True where this record gave an error.
    pub(super) fn failed(&self) -> bool {
        self.findings.error_count() > self.errors_before
    }

    pub(super) fn fail(&mut self, field: &str, text: impl Into<String>) {
        self.findings.error(self.line, field, text);
    }

    /// True where the field is there, be it null or empty.
    pub(super) fn has(&self, field: &str) -> bool {
        self.fields.has(field)
    }

    /// True where the field is there and says something.
    pub(super) fn says(&self, field: &str) -> bool {
        self.fields.get(field).is_some_and(|value| !self.is_nothing(value))
    }

    /// The value as it stands; null where it is not there.
    pub(super) fn peek(&self, field: &str) -> &Value {
        self.fields.get(field).unwrap_or(&Value::Null)
    }

    pub(super) fn is_table(&self) -> bool {
        self.origin == Origin::Table
    }

    fn is_nothing(&self, value: &Value) -> bool {
        match value {
            Value::Null => true,
            Value::String(text) => self.is_table() && text.trim().is_empty(),
            _ => false,
        }
    }

    /// Takes the value out; `None` for a field that is not there, null, or an empty cell.
    pub(super) fn optional(&mut self, field: &str) -> Option<Value> {
        let value = self.fields.get_mut(field)?.take();
        if self.is_nothing(&value) { None } else { Some(value) }
    }

    /// Takes the value out; a field that is not there, null, or an empty cell is an error.
    pub(super) fn required(&mut self, field: &str, wanted: &str) -> Option<Value> {
        let Some(value) = self.fields.get_mut(field).map(Value::take) else {
            self.fail_missing(field);
            return None;
        };
        match value {
            Value::Null => self.fail(field, format!("is null, {wanted} is wanted")),
            Value::String(text) if text.trim().is_empty() && self.is_table() => {
                self.fail(field, format!("is empty, {wanted} is wanted"));
            }
            value => return Some(value),
        }
        None
    }

    /// Says that a field is missing, with the name that was probably meant.
    pub(super) fn fail_missing(&mut self, field: &str) {
        let strangers = self.fields.names().filter(|key| !self.known.contains(key));
        let text = if let Some(close) = nearest(field, strangers) {
            format!("`{field}` is missing; there is `{}`, is that it?", shown(close))
        } else {
            let here: Vec<&str> = self.fields.names().collect();
            format!("`{field}` is missing; the fields here are {}", listed(&here))
        };
        self.fail(field, text);
    }

    /// A text that may be empty but not null.
    pub(super) fn required_text(&mut self, field: &str) -> Option<String> {
        match self.fields.get_mut(field).map(Value::take) {
            None => self.fail_missing(field),
            Some(Value::String(text)) => return Some(text),
            Some(Value::Null) => self.fail(field, "is null, a string is wanted (an answer that is empty is \"\")"),
            Some(other) => self.fail(field, format!("is {}, a string is wanted", described(&other))),
        }
        None
    }

    /// A text that may be missing or null.
    pub(super) fn optional_text(&mut self, field: &str) -> Option<String> {
        match self.optional(field)? {
            Value::String(text) => Some(text),
            other => {
                self.fail(field, format!("is {}, a string is wanted", described(&other)));
                None
            }
        }
    }

    /// A name (category, model, turn, …): text, or a number or truth value read as text.
    pub(super) fn optional_name(&mut self, field: &str) -> Option<String> {
        match self.optional(field)? {
            Value::String(text) if text.trim().is_empty() => None,
            Value::String(text) if self.is_table() => Some(text.trim().to_owned()),
            value @ (Value::String(_) | Value::Number(_) | Value::Bool(_)) => Some(plain_text(&value)),
            other => {
                self.fail(field, format!("is {}, a string is wanted", described(&other)));
                None
            }
        }
    }

    /// Whatever text was recorded; values that are no text are kept as their JSON.
    pub(super) fn optional_raw(&mut self, field: &str) -> Option<String> {
        self.optional(field).map(|value| match value {
            Value::String(text) => text,
            other => other.to_string(),
        })
    }

    /// The identity of the record: text or a whole number.
    pub(super) fn id(&mut self) -> Option<Id> {
        match self.required("id", "a string or a whole number")? {
            Value::String(text) if text.trim().is_empty() => self.fail("id", "is empty"),
            Value::String(text) if self.is_table() => return Some(Id { text: text.trim().to_owned(), number: false }),
            Value::String(text) => return Some(Id { text, number: false }),
            Value::Number(number) if !number.is_f64() => return Some(Id { text: number.to_string(), number: true }),
            other => self.fail("id", format!("is {}, a string or a whole number is wanted", described(&other))),
        }
        None
    }

    /// A whole number from 0.
    pub(super) fn optional_count(&mut self, field: &str) -> Option<u64> {
        let value = self.optional(field)?;
        let read = match &value {
            Value::String(text) if self.is_table() => {
                let text = text.trim();
                text.strip_suffix(".0").unwrap_or(text).parse().ok()
            }
            // Tables that went through floating point hold `12.0` for 12, in JSON too.
            Value::Number(number) => number.as_u64().or_else(|| format!("{number}").strip_suffix(".0")?.parse().ok()),
            _ => None,
        };
        if read.is_none() {
            self.fail(field, format!("is {}, a whole number from 0 is wanted", described(&value)));
        }
        read
    }

    /// A finite number.
    pub(super) fn optional_number(&mut self, field: &str) -> Option<f64> {
        let value = self.optional(field)?;
        let read = match &value {
            Value::String(text) if self.is_table() => {
                text.trim().parse().ok().filter(|number: &f64| number.is_finite())
            }
            Value::Number(number) => number.as_f64(),
            _ => None,
        };
        if read.is_none() {
            self.fail(field, format!("is {}, a number is wanted", described(&value)));
        }
        read
    }

    /// A truth value.
    pub(super) fn optional_flag(&mut self, field: &str) -> Option<bool> {
        let value = self.optional(field)?;
        let read = match &value {
            Value::Bool(flag) => Some(*flag),
            Value::String(text) if self.is_table() => text.trim().to_lowercase().parse().ok(),
            _ => None,
        };
        if read.is_none() {
            self.fail(field, format!("is {}, true or false is wanted", described(&value)));
        }
        read
    }

    /// A list: of JSON, or of a cell that holds a JSON list or parts separated by `;`, `,` or `|`.
    pub(super) fn optional_list(&mut self, field: &str) -> Vec<Value> {
        match self.optional(field) {
            None => Vec::new(),
            Some(Value::Array(values)) => values,
            Some(Value::String(text)) if self.is_table() => cell_list(&text),
            Some(other) => {
                self.fail(field, format!("is {}, a list is wanted", described(&other)));
                Vec::new()
            }
        }
    }

    /// A label; case and surrounding spaces do not matter.
    pub(super) fn optional_preference(&mut self, field: &str) -> Option<Preference> {
        let value = self.optional(field)?;
        let read = value.as_str().and_then(preference);
        if read.is_none() {
            self.fail(field, format!("is {}, one of A, B, tie is wanted", described(&value)));
        }
        read
    }

    /// The resampling unit: the value of `group_by` (which must be there), else the optional field `group`.
    pub(super) fn group(&mut self, group_by: Option<&str>) -> Option<GroupId> {
        let Some(field) = group_by else {
            return self.optional_name("group").map(GroupId);
        };
        match self.fields.get(field) {
            None => self.fail_missing(field),
            Some(Value::Null) => self.fail(field, "is null, but items are to be grouped by it"),
            Some(value @ (Value::Array(_) | Value::Object(_))) if field != "prompt" => {
                let text = format!("is {}, items can be grouped by a string or number only", described(value));
                self.fail(field, text);
            }
            Some(value) => {
                let text = plain_text(value).trim().to_owned();
                if !text.is_empty() {
                    return Some(GroupId(text));
                }
                self.fail(field, "is empty, but items are to be grouped by it");
            }
        }
        None
    }

    /// Every field that this kind does not know, in the order of the file.
    pub(super) fn into_extra(self) -> Map<String, Value> {
        let known = self.known;
        self.fields.into_map(|name| !known.contains(&name))
    }

    /// The unknown fields among those not `examined` before that look like a slip for a known one which is absent.
    pub(super) fn slips(&self, examined: &mut HashSet<String>) -> Vec<Slip> {
        let mut slips = Vec::new();
        for name in self.fields.names().filter(|name| !self.known.contains(name)) {
            if examined.contains(name) {
                continue;
            }
            examined.insert(name.to_owned());
            let absent = self.known.iter().copied().filter(|known| !self.has(known));
            slips.extend(nearest(name, absent).map(|meant| Slip { found: name.to_owned(), meant }));
        }
        slips
    }

    /// Warns of slips; the fields are kept or left alone as unknown ones are.
    pub(super) fn warn_of_slips(&mut self, slips: Vec<Slip>) {
        for Slip { found, meant } in slips {
            let remark = Remark::Slip { found: shown(&found), meant };
            self.findings.warn(Some(self.line), Some(&found), remark);
        }
    }
}

/// A field name that is probably a slip of the pen.
pub(super) struct Slip {
    pub(super) found: String,
    pub(super) meant: &'static str,
}

/// The identity of a record as text, and whether the file wrote it as a number.
#[derive(Debug, Clone)]
pub(super) struct Id {
    pub(super) text: String,
    pub(super) number: bool,
}

/// `a`, `b` or `tie` in any case, full-width letters included, with or without spaces around it.
pub(super) fn preference(text: &str) -> Option<Preference> {
    match text.trim() {
        "a" | "A" | "ａ" | "Ａ" => Some(Preference::A),
        "b" | "B" | "ｂ" | "Ｂ" => Some(Preference::B),
        other if other.eq_ignore_ascii_case("tie") => Some(Preference::Tie),
        _ => None,
    }
}

/// A value for a message: its kind, and what it says where that is short.
pub(super) fn described(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => format!("the truth value {value}"),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("`{}`", shown(text)),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

fn cell_list(text: &str) -> Vec<Value> {
    if let Ok(Value::Array(values)) = serde_json::from_str(text) {
        return values;
    }
    text.split([';', ',', '|'])
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(|part| Value::String(part.to_owned()))
        .collect()
}

/// Where each identity was seen first: what makes a duplicate nameable.
#[derive(Default)]
pub(super) struct Seen(HashMap<String, SeenAt>);

struct SeenAt {
    line: u64,
    number: bool,
}

impl Seen {
    /// Notes `key`; where it was there already, says so for the item `id`, naming both lines.
    pub(super) fn note(&mut self, key: String, id: &Id, line: u64) -> Result<(), String> {
        match self.0.entry(key) {
            Entry::Vacant(place) => {
                place.insert(SeenAt { line, number: id.number });
                Ok(())
            }
            Entry::Occupied(place) => {
                let first = place.get();
                let text = shown(&id.text);
                Err(if first.number == id.number {
                    format!("`{text}` stands at line {} and again at line {line}", first.line)
                } else {
                    let (at_first, here) = if first.number {
                        (text.clone(), format!("\"{text}\""))
                    } else {
                        (format!("\"{text}\""), text)
                    };
                    format!(
                        "{at_first} at line {} and {here} at line {line} are the same id once read as text; make them differ",
                        first.line
                    )
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_ignore_case_and_spaces_and_nothing_else() {
        assert_eq!(preference(" TIE "), Some(Preference::Tie));
        assert_eq!(preference("Ｂ"), Some(Preference::B));
        for other in ["", "a win", "C", "ab", "1", "tied"] {
            assert_eq!(preference(other), None, "{other}");
        }
    }

    #[test]
    fn a_cell_holds_a_json_list_or_separated_parts() {
        assert_eq!(cell_list("[\"a;b\", 1]").len(), 2);
        assert_eq!(cell_list("a; b|tie").len(), 3);
    }
}
