//! The items as data for the page's script.

use serde::Serialize;
use serde_json::{Value, json};

use crate::analysis::outcome::Outcome;
use crate::domain::{NoVerdict, Reading, Verdict};

use super::items::{ItemRecord, JudgeRecord, OrderRecord};
use super::visible::{visible, visible_line};
use super::words::{Words, fill};
use super::{Content, Report, ReportError, format, view};

#[derive(Serialize)]
struct Data {
    words: Value,
    outcomes: Value,
    readings: Value,
    judges: Vec<String>,
    items: Vec<Item>,
}

/// Short names: they are written once an item.
#[derive(Serialize)]
struct Item {
    id: String,
    #[serde(rename = "c", skip_serializing_if = "Option::is_none")]
    category: Option<String>,
    #[serde(rename = "l", skip_serializing_if = "Option::is_none")]
    lang: Option<String>,
    #[serde(rename = "g", skip_serializing_if = "Option::is_none")]
    group: Option<String>,
    #[serde(rename = "p", skip_serializing_if = "Option::is_none")]
    prompt: Option<String>,
    #[serde(rename = "a", skip_serializing_if = "Option::is_none")]
    response_a: Option<String>,
    #[serde(rename = "b", skip_serializing_if = "Option::is_none")]
    response_b: Option<String>,
    #[serde(rename = "ma", skip_serializing_if = "Option::is_none")]
    model_a: Option<String>,
    #[serde(rename = "mb", skip_serializing_if = "Option::is_none")]
    model_b: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gold: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    #[serde(rename = "v")]
    verdicts: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    #[serde(rename = "j")]
    judge: usize,
    #[serde(rename = "r", skip_serializing_if = "is_zero")]
    repeat: u32,
    #[serde(rename = "o")]
    outcome: &'static str,
    #[serde(rename = "ok", skip_serializing_if = "Option::is_none")]
    agrees: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ab: Option<Said>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ba: Option<Said>,
}

#[derive(Serialize)]
struct Said {
    #[serde(rename = "s")]
    reading: &'static str,
    #[serde(rename = "t", skip_serializing_if = "Option::is_none")]
    raw: Option<String>,
    #[serde(rename = "h", skip_serializing_if = "Option::is_none")]
    reasoning: Option<String>,
    #[serde(rename = "w", skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
fn is_zero(repeat: &u32) -> bool {
    *repeat == 0
}

/// How many items are shown, and which were chosen.
pub(super) fn shown_line(report: &Report<'_>) -> String {
    let words = Words::of(report.lang);
    let all = report.items.records.len();
    let shown = all.min(report.items.cap);
    let [shown_text, all_text] = [shown, all].map(|count| format::count(count as u64));
    match shown {
        0 if all == 0 => words.items_none.to_owned(),
        _ if shown == all => fill(words.items_all, &[&all_text]),
        _ => fill(words.items_shown, &[&shown_text, &all_text]),
    }
}

/// JSON that stays inside its script block, whatever it says.
pub(super) fn json(report: &Report<'_>) -> Result<String, ReportError> {
    let words = Words::of(report.lang);
    let chosen = report.items.chosen();
    let mut judges: Vec<&str> = chosen.iter().flat_map(|item| &item.judges).map(|row| row.judge.as_str()).collect();
    judges.sort_unstable();
    judges.dedup();
    let items = chosen.iter().map(|item| item_of(item, &judges)).collect();
    let names = match report.content {
        Content::Comparison(comparison) => view::sides(comparison),
        Content::Calibration(_) => ["A".to_owned(), "B".to_owned()],
    };
    let data = Data {
        words: serde_json::to_value(words)?,
        outcomes: Outcome::ALL
            .iter()
            .map(|outcome| (outcome.as_str().to_owned(), Value::from(words.outcome_of(*outcome, &names[0], &names[1]))))
            .collect(),
        readings: readings(words),
        judges: judges.iter().map(|name| visible_line(name).into_owned()).collect(),
        items,
    };
    Ok(inert(&serde_json::to_string(&data)?))
}

fn readings(words: &Words) -> Value {
    json!({
        "first": words.said_first, "second": words.said_second, "tie": words.tie,
        "unparsed": words.none_unparsed, "refused": words.none_refused, "filtered": words.none_filtered,
        "truncated": words.none_truncated, "failed": words.none_failed, "missing": words.none_missing,
    })
}

fn item_of(item: &ItemRecord, judges: &[&str]) -> Item {
    let line = |text: &str| visible_line(text).into_owned();
    let block = |text: &Option<String>| text.as_deref().map(|text| visible(text).into_owned());
    Item {
        id: line(item.id.as_str()),
        category: item.category.as_deref().map(line),
        lang: item.lang.as_deref().map(line),
        group: item.group.as_ref().map(|group| line(group.as_str())),
        prompt: block(&item.prompt),
        response_a: block(&item.response_a),
        response_b: block(&item.response_b),
        model_a: item.model_a.as_ref().map(|name| line(name.as_str())),
        model_b: item.model_b.as_ref().map(|name| line(name.as_str())),
        gold: item.gold.map(crate::domain::Preference::as_str),
        why: block(&item.gold_why),
        verdicts: item.judges.iter().map(|row| row_of(row, judges)).collect(),
    }
}

fn row_of(row: &JudgeRecord, judges: &[&str]) -> Row {
    Row {
        judge: judges.binary_search(&row.judge.as_str()).expect("the list was made from these names"),
        repeat: row.repeat,
        outcome: row.outcome.as_str(),
        agrees: row.agrees,
        ab: row.ab.as_ref().map(said),
        ba: row.ba.as_ref().map(said),
    }
}

fn said(order: &OrderRecord) -> Said {
    let block = |text: &Option<String>| text.as_deref().map(|text| visible(text).into_owned());
    Said {
        reading: match order.reading {
            Reading::Said(Verdict::First) => "first",
            Reading::Said(Verdict::Second) => "second",
            Reading::Said(Verdict::Tie) => "tie",
            Reading::None(kind) => NoVerdict::as_str(kind),
        },
        raw: block(&order.raw),
        reasoning: block(&order.reasoning),
        why: block(&order.why),
    }
}

/// The same JSON without any character that an HTML parser or an old script parser looks at.
fn inert(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + json.len() / 16);
    for c in json.chars() {
        match c {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_cannot_be_left_and_still_says_the_same() {
        let value = json!({"x": "</script><!-- &\u{2028}"});
        let text = inert(&value.to_string());
        assert!(!text.contains(['<', '>', '&', '\u{2028}']), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).ok(), Some(value));
    }
}
