//! Predictions: what a system answered beside what is true. Protocols read their own fields further on.

use serde_json::{Map, Value};

use super::error::{DataError, Findings, Loaded};
use super::record::{CutEnd, read_each};
use super::row::{Row, Seen};
use super::source::Source;
use crate::domain::ItemId;

const KNOWN: &[&str] =
    &["id", "gold", "pred", "probs", "score", "accepted", "ranked", "group", "tags", "lang", "error", "category"];

/// One prediction.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// Physical line.
    pub line: u64,
    /// The item.
    pub id: ItemId,
    /// What is true; null where it is not known.
    pub gold: Value,
    /// What was answered; null where there is no answer.
    pub pred: Value,
    /// Every other field, in the order of the file.
    pub fields: Map<String, Value>,
    /// True where every value is the text of a table cell.
    pub tabular: bool,
}

/// Reads rows with `id`, `gold`, and one of `pred`, `ranked`, `score`, `probs`, `accepted`, `error`.
pub fn load_predictions(source: &Source) -> Result<Loaded<Vec<Prediction>>, DataError> {
    let mut findings = Findings::new(source.path());
    let (mut predictions, mut seen) = (Vec::new(), Seen::default());
    read_each(source, CutEnd::Refuse, &mut findings, |record, findings| {
        let line = record.line;
        let mut fields = record.fields.clone().into_map(|_| true);
        let mut row = Row::new(record, KNOWN, findings);
        let id = row.id();
        if let Some(id) = &id
            && let Err(text) = seen.note(id.text.clone(), id, line)
        {
            row.fail("id", text);
        }
        if !row.has("gold") {
            row.fail_missing("gold");
        }
        if !["pred", "ranked", "score", "probs", "accepted", "error"].iter().any(|field| row.has(field)) {
            row.fail_missing("pred");
        }
        let tabular = row.is_table();
        if let Some(id) = id.filter(|_| !row.failed()) {
            fields.shift_remove("id");
            let gold = fields.shift_remove("gold").unwrap_or_default();
            let pred = fields.shift_remove("pred").unwrap_or_default();
            predictions.push(Prediction { line, id: ItemId(id.text), gold, pred, fields, tabular });
        }
    });
    findings.finish(predictions)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_prediction_needs_its_truth_and_an_answer_of_some_kind() {
        let load = |text: &str| load_predictions(&Source::from_bytes("p.jsonl", text).unwrap());
        let good = load(r#"{"id":1,"gold":"x","pred":"y","lang":"ja"}"#).unwrap().records;
        assert_eq!((good[0].gold.as_str(), good[0].pred.as_str(), good[0].fields.len()), (Some("x"), Some("y"), 1));
        assert!(load(r#"{"id":1,"gold":["x"],"ranked":["y"]}"#).is_ok());
        assert_eq!(load(r#"{"id":1,"pred":"y"}"#).unwrap_err().notices[0].field.as_deref(), Some("gold"));
        assert!(load(r#"{"id":1,"gold":"y","perd":"x"}"#).unwrap_err().to_string().contains("`perd`"));
    }
}
