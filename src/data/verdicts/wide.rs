//! The wide form: `id, judge, ab, ba | merged, ab_raw, ba_raw, …`, one row per item and judge. Values are identities.

use super::{Subject, with_item_fields};
use crate::data::row::{Row, Seen, described, preference};
use crate::domain::{Fingerprint, Folded, Judgment, JudgmentDetail, NoVerdict, Order, Preference, Reading, Said};

pub(super) const KNOWN: &[&str] = with_item_fields!["ab", "ba", "merged", "ab_raw", "ba_raw"];

/// Reads one row into one folded judgment, or into one for each order.
pub(super) fn read(row: &mut Row<'_>, subject: &Subject, seen: &mut Seen, judgments: &mut Vec<Judgment>) {
    let key = format!("{}\u{0}{}", subject.id.text, subject.judge);
    if let Err(text) = seen.note(key, &subject.id, row.line) {
        row.fail("id", format!("one item twice by judge `{}`: {text}", subject.judge));
        return;
    }
    if !row.has("ab") && !row.has("ba") && !row.has("merged") {
        row.fail_missing("ab");
        return;
    }
    let merged = merged_of(row);
    let detail = JudgmentDetail {
        fingerprint: row.optional_text("fingerprint").map(Fingerprint),
        served_model: row.optional_name("served_model").or_else(|| row.optional_name("model")),
        ..JudgmentDetail::default()
    };
    let ab = OneOrder { order: Order::Ab, winner: row.optional_preference("ab"), raw: row.optional_raw("ab_raw") };
    let ba = OneOrder { order: Order::Ba, winner: row.optional_preference("ba"), raw: row.optional_raw("ba_raw") };
    if let Some(merged) = merged {
        refuse_contradiction(row, merged, ab.winner, ba.winner);
    }
    if row.failed() {
        return;
    }
    let mut push = |said, detail: JudgmentDetail| {
        judgments.push(Judgment {
            item: subject.id.text.as_str().into(),
            judge: subject.judge.clone(),
            repeat: 0,
            said,
            detail: (detail != JudgmentDetail::default()).then(|| Box::new(detail)),
        });
    };
    if let Some(merged) = merged {
        push(Said::Folded(merged), detail);
        return;
    }
    // An order that the row does not hold was planned all the same: it counts as missing.
    for one in [ab, ba] {
        let reading = one.reading();
        push(Said::InOrder(one.order, reading), JudgmentDetail { raw: one.raw, ..detail.clone() });
    }
}

/// What a row holds of one order.
struct OneOrder {
    order: Order,
    winner: Option<Preference>,
    raw: Option<String>,
}

impl OneOrder {
    fn reading(&self) -> Reading {
        match (self.winner, &self.raw) {
            (Some(winner), _) => Reading::Said(self.order.verdict_for(winner)),
            (None, None) => Reading::None(NoVerdict::Missing),
            // An empty reply is a reply: the judge was asked and said nothing.
            (None, Some(_)) => Reading::None(NoVerdict::Unparsed),
        }
    }
}

fn merged_of(row: &mut Row<'_>) -> Option<Folded> {
    let value = row.optional("merged")?;
    let folded = value.as_str().and_then(|text| match preference(text) {
        Some(label) => Some(folded(label)),
        None => text.trim().eq_ignore_ascii_case("inconsistent").then_some(Folded::Inconsistent),
    });
    if folded.is_none() {
        row.fail("merged", format!("is {}, one of a, b, tie, inconsistent is wanted", described(&value)));
    }
    folded
}

fn folded(label: Preference) -> Folded {
    match label {
        Preference::A => Folded::A,
        Preference::B => Folded::B,
        Preference::Tie => Folded::Tie,
    }
}

/// `ab` and `ba` beside `merged` must fold to it; one alone may also be half of an inconsistent pair.
fn refuse_contradiction(row: &mut Row<'_>, merged: Folded, ab: Option<Preference>, ba: Option<Preference>) {
    let fits = match (ab, ba) {
        (None, None) => true,
        (Some(ab), Some(ba)) if ab != ba => merged == Folded::Inconsistent,
        (Some(same), Some(_)) => merged == folded(same),
        (Some(one), None) | (None, Some(one)) => merged == folded(one) || merged == Folded::Inconsistent,
    };
    if !fits {
        let name = |winner: Option<Preference>| winner.map_or("null", Preference::as_str);
        let said = serde_json::to_value(merged).as_ref().map(described).unwrap_or_default();
        row.fail("merged", format!("is {said}, but `ab` is {} and `ba` is {}", name(ab), name(ba)));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::data::{DataError, Disputed, Form, Loaded, RecordedVerdicts, Source, VerdictOptions, load_verdicts};
    use crate::domain::Verdict;

    fn load(rows: &[Value]) -> Result<Loaded<RecordedVerdicts>, DataError> {
        let text = rows.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
        load_verdicts(&Source::from_bytes("w.jsonl", text).unwrap(), &VerdictOptions::default())
    }

    fn row(extra: &Value) -> Value {
        let mut row = json!({"id": "q1", "judge": "j"});
        row.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        row
    }

    fn said(extra: &Value) -> Vec<Said> {
        load(&[row(extra)]).unwrap().records.judgments.iter().map(|judgment| judgment.said).collect()
    }

    #[test]
    fn identities_become_slot_verdicts_by_order() {
        let first = Reading::Said(Verdict::First);
        assert_eq!(
            said(&json!({"ab": "a", "ba": "b"})),
            [Said::InOrder(Order::Ab, first), Said::InOrder(Order::Ba, first)]
        );
    }

    #[test]
    fn an_order_without_a_verdict_is_still_a_judgment() {
        let none = |order, kind| Said::InOrder(order, Reading::None(kind));
        assert_eq!(said(&json!({"ab": "a"}))[1], none(Order::Ba, NoVerdict::Missing));
        assert_eq!(said(&json!({"ab": "a", "ba": null, "ba_raw": null}))[1], none(Order::Ba, NoVerdict::Missing));
        assert_eq!(said(&json!({"ab": "a", "ba": null, "ba_raw": "?"}))[1], none(Order::Ba, NoVerdict::Unparsed));
        assert_eq!(said(&json!({"ab": "a", "ba": null, "ba_raw": ""}))[1], none(Order::Ba, NoVerdict::Unparsed));
    }

    #[test]
    fn a_merged_row_is_one_folded_judgment() {
        assert_eq!(
            said(&json!({"merged": "inconsistent", "ab": null, "ba": null})),
            [Said::Folded(Folded::Inconsistent)]
        );
        assert_eq!(said(&json!({"merged": "a", "ab": "a", "ba": "a"})), [Said::Folded(Folded::A)]);
        assert_eq!(said(&json!({"merged": null, "ab": "a", "ba": "a"})).len(), 2);
    }

    #[test]
    fn a_fold_that_contradicts_its_orders_is_refused() {
        for (merged, ab, ba) in [("a", "b", "b"), ("a", "a", "b"), ("inconsistent", "a", "a")] {
            let error = load(&[row(&json!({"merged": merged, "ab": ab, "ba": ba}))]).unwrap_err();
            assert_eq!(error.notices[0].field.as_deref(), Some("merged"), "{error}");
        }
        assert!(load(&[row(&json!({"merged": "tie", "ab": "b"}))]).is_err());
        assert!(load(&[row(&json!({"merged": "inconsistent", "ab": "b"}))]).is_ok());
    }

    #[test]
    fn rows_without_any_verdict_field_or_with_bad_values_are_refused() {
        let good = row(&json!({"ab": "a", "ba": "a"}));
        let mut none = row(&json!({}));
        none["id"] = json!("q2");
        assert_eq!(load(&[good.clone(), none]).unwrap_err().notices[0].field.as_deref(), Some("ab"));
        assert_eq!(load(&[row(&json!({"ab": "first"}))]).unwrap_err().notices[0].field.as_deref(), Some("ab"));
        assert_eq!(load(&[row(&json!({"merged": "flip"}))]).unwrap_err().notices[0].field.as_deref(), Some("merged"));
        let error = load(&[good.clone(), good]).unwrap_err();
        assert!(error.to_string().contains("line 1 and again at line 2"), "{error}");
    }

    #[test]
    fn rows_of_one_item_must_agree_about_it() {
        let by = |judge: &str, gold: &Value| {
            row(
                &json!({"judge": judge, "ab": "a", "ba": "a", "gold": gold, "gold_votes": null, "len_a_chars": 5, "turn": 1}),
            )
        };
        let loaded = load(&[by("x", &Value::Null), by("y", &json!("a")), by("z", &json!("a"))]).unwrap();
        let item = &loaded.records.items[0];
        assert_eq!((loaded.records.items.len(), item.gold_label()), (1, Some(Preference::A)));
        assert_eq!((item.length_a, item.length_b, item.turn.as_deref()), (Some(5), None, Some("1")));
        let error = load(&[by("x", &Value::Null), by("y", &json!("a")), by("z", &json!("b"))]).unwrap_err();
        assert_eq!((error.notices[0].line, error.notices[0].field.as_deref()), (Some(3), Some("gold")));
        assert!(error.to_string().contains("at line 3 but A at line 2"), "{error}");
        assert_eq!(load(&[by("x", &Value::Null)]).unwrap().records.items[0].gold, None);
    }

    #[test]
    fn a_table_and_its_groups_are_read() {
        let text = "id,judge,ab,ba,ab_raw,gold_votes,question\nq1,j,,b,odd,a|b,7\n";
        let options = VerdictOptions { group_by: Some("question".to_owned()), disputed: Disputed::Tie };
        let loaded = load_verdicts(&Source::from_bytes("w.csv", text).unwrap(), &options).unwrap();
        let RecordedVerdicts { judgments, items, form, .. } = loaded.records;
        assert_eq!(form, Form::Wide);
        assert_eq!(judgments[0].said, Said::InOrder(Order::Ab, Reading::None(NoVerdict::Unparsed)));
        assert_eq!(items[0].group, Some("7".into()));
        assert!(items[0].gold.as_ref().unwrap().disputed);
        assert!(loaded.notices.iter().any(|notice| notice.text.contains("disputed")));
    }
}
