//! Items that share a question, document or conversation without saying so in `group`: every interval over items is too
//! narrow for them, and nobody sees it in the numbers.

use std::collections::HashSet;

use serde_json::Value;

use super::error::Findings;
use super::row::Row;
use crate::domain::Remark;

/// Fields that usually name what several items were made from.
const ORIGINS: [&str; 12] = [
    "question",
    "question_id",
    "prompt_id",
    "instruction_id",
    "task_id",
    "document",
    "document_id",
    "doc_id",
    "conversation",
    "conversation_id",
    "source_id",
    "template",
];

/// Watches the fields that may name a common origin while records are read.
#[derive(Default)]
pub(super) struct Sharing {
    rows: usize,
    grouped: bool,
    /// Distinct values of each field, and the rows that have it.
    seen: [(HashSet<String>, usize); ORIGINS.len()],
}

impl Sharing {
    /// Looks at one record; `grouped` says whether it has a resampling unit.
    pub fn look(&mut self, row: &Row<'_>, grouped: bool) {
        self.rows += 1;
        self.grouped |= grouped;
        if self.grouped {
            return;
        }
        for (field, (values, rows)) in ORIGINS.iter().zip(&mut self.seen) {
            let value = match row.peek(field) {
                Value::String(text) => text.clone(),
                Value::Number(number) => number.to_string(),
                _ => continue,
            };
            *rows += 1;
            values.insert(value);
        }
    }

    /// Warns where `items` ungrouped items share half as many values of a field, or fewer.
    pub fn finish(self, items: usize, findings: &mut Findings) {
        if self.grouped {
            return;
        }
        let shared = ORIGINS
            .iter()
            .zip(&self.seen)
            .find(|(_, (values, rows))| *rows == self.rows && !values.is_empty() && values.len() * 2 <= items);
        if let Some((field, (values, _))) = shared {
            findings.warn(None, Some("group"), Remark::SharedOrigin { items, values: values.len(), field });
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::data::{Source, VerdictOptions, load_verdicts};

    fn notices(row: impl Fn(usize) -> String) -> String {
        let text: String = (0..6).map(|i| row(i) + "\n").collect();
        let loaded = load_verdicts(&Source::from_bytes("v", text).unwrap(), &VerdictOptions::default()).unwrap();
        loaded.notices.iter().map(|notice| notice.text.clone()).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn items_of_one_question_without_a_group_are_named() {
        let text = notices(|i| format!(r#"{{"id":"i{i}","judge":"j","ab":"a","ba":"a","question":{}}}"#, i / 3));
        assert!(
            text.contains("6 items share 2 values of `question`") && text.contains("--group-by question"),
            "{text}"
        );
    }

    #[test]
    fn items_with_a_question_each_or_with_a_group_are_not() {
        let each = notices(|i| format!(r#"{{"id":"i{i}","judge":"j","ab":"a","ba":"a","question":{i}}}"#));
        assert!(!each.contains("share"), "{each}");
        let grouped =
            notices(|i| format!(r#"{{"id":"i{i}","judge":"j","ab":"a","ba":"a","question":1,"group":"g{i}"}}"#));
        assert!(!grouped.contains("share"), "{grouped}");
    }
}
