//! Judgments as recorded verdicts in the long form, one JSON object a line: what `--verdicts FILE` reads back.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use crate::domain::{Folded, GoldSet, ItemFacts, ItemId, Judgment, JudgmentDetail, Preference, Reading, Said, Verdict};

/// The judgments in their order, each with what is known of its item, so that the file stands on its own.
pub fn verdict_lines(items: &GoldSet, judgments: &[Judgment]) -> String {
    let known: HashMap<&ItemId, &ItemFacts> = items.items.iter().map(|item| (&item.id, item)).collect();
    let mut text = String::new();
    for judgment in judgments {
        let mut row = Map::new();
        row.insert("id".to_owned(), json!(judgment.item));
        row.insert("judge".to_owned(), json!(judgment.judge));
        said(judgment, &mut row);
        if let Some(detail) = &judgment.detail {
            circumstances(detail, &mut row);
        }
        if let Some(item) = known.get(&judgment.item) {
            facts(item, &mut row);
        }
        text.push_str(&Value::Object(row).to_string());
        text.push('\n');
    }
    text
}

fn said(judgment: &Judgment, row: &mut Map<String, Value>) {
    match judgment.said {
        Said::InOrder(order, reading) => {
            row.insert("order".to_owned(), json!(order.as_str()));
            row.insert("repeat".to_owned(), json!(judgment.repeat));
            let verdict = match reading {
                Reading::Said(Verdict::First) => json!("first"),
                Reading::Said(Verdict::Second) => json!("second"),
                Reading::Said(Verdict::Tie) => json!("tie"),
                Reading::None(_) => Value::Null,
            };
            row.insert("verdict".to_owned(), verdict);
            if let Reading::None(kind) = reading {
                row.insert("no_verdict".to_owned(), json!(kind.as_str()));
            }
        }
        Said::Folded(folded) => {
            let merged = match folded {
                Folded::A => Preference::A.as_str(),
                Folded::B => Preference::B.as_str(),
                Folded::Tie => Preference::Tie.as_str(),
                Folded::Inconsistent => "inconsistent",
            };
            row.insert("merged".to_owned(), json!(merged));
        }
    }
}

fn circumstances(detail: &JudgmentDetail, row: &mut Map<String, Value>) {
    put(row, "raw", detail.raw.as_ref());
    put(row, "reasoning", detail.reasoning.as_ref());
    put(row, "why", detail.why.as_ref());
    put(row, "grade", detail.grade.as_ref());
    put(row, "p", detail.probability);
    put(row, "fingerprint", detail.fingerprint.as_ref());
    put(row, "served_model", detail.served_model.as_ref());
    let usage = Some(detail.usage).filter(|usage| usage.input_tokens.is_some() || usage.output_tokens.is_some());
    put(row, "usage", usage);
    put(row, "latency_ms", detail.latency_ms);
    put(row, "cost_usd", detail.cost_usd);
}

fn facts(item: &ItemFacts, row: &mut Map<String, Value>) {
    put(row, "category", item.category.as_ref());
    put(row, "group", item.group.as_ref());
    put(row, "lang", item.lang.as_ref());
    put(row, "turn", item.turn.as_ref());
    put(row, "model_a", item.model_a.as_ref());
    put(row, "model_b", item.model_b.as_ref());
    put(row, "len_a_chars", item.length_a);
    put(row, "len_b_chars", item.length_b);
    put(row, "identical", item.identical.then_some(true));
    if let Some(gold) = &item.gold {
        put(row, "gold", Some(gold.label.as_str()));
        put(row, "gold_votes", Some(&gold.votes).filter(|votes| !votes.is_empty()));
    }
}

/// Sets the field where there is a value.
fn put(row: &mut Map<String, Value>, name: &str, value: Option<impl serde::Serialize>) {
    // Texts, numbers and small structs always have a JSON form.
    if let Some(value) = value.and_then(|value| serde_json::to_value(value).ok()) {
        row.insert(name.to_owned(), value);
    }
}
