//! The long form: `id, judge, order, repeat, verdict | winner, raw, grade, p, fingerprint, …`, one row per asking.

use serde_json::Value;

use super::{Subject, with_item_fields};
use crate::data::row::{Row, Seen, described};
use crate::domain::{Fingerprint, Judgment, JudgmentDetail, NoVerdict, Order, Reading, Said, Usage, Verdict};

pub(super) const KNOWN: &[&str] = with_item_fields![
    "order",
    "repeat",
    "verdict",
    "winner",
    "no_verdict",
    "raw",
    "reasoning",
    "why",
    "grade",
    "p",
    "usage",
    "latency_ms",
    "cost",
    "cost_usd",
];

/// Reads one row into one judgment.
pub(super) fn read(row: &mut Row<'_>, subject: &Subject, seen: &mut Seen, judgments: &mut Vec<Judgment>) {
    let repeat = row.optional_count("repeat").unwrap_or(0);
    let Ok(repeat) = u32::try_from(repeat) else {
        row.fail("repeat", format!("is {repeat}, which is too large"));
        return;
    };
    let Some(order) = order_of(row) else { return };
    let key = format!("{}\u{0}{}\u{0}{}\u{0}{repeat}", subject.id.text, subject.judge, order.as_str());
    if let Err(text) = seen.note(key, &subject.id, row.line) {
        let asking = format!("judge `{}`, order {}, repeat {repeat}", subject.judge, order.as_str());
        row.fail("id", format!("one judgment twice ({asking}): {text}"));
        return;
    }
    let said = said_of(row, order);
    let detail = detail_of(row);
    let reading = match said {
        Some(verdict) => Reading::Said(verdict),
        None => Reading::None(no_verdict_of(row, detail.raw.as_deref())),
    };
    if row.failed() {
        return;
    }
    judgments.push(Judgment {
        item: subject.id.text.as_str().into(),
        judge: subject.judge.clone(),
        repeat,
        said: Said::InOrder(order, reading),
        detail: (detail != JudgmentDetail::default()).then(|| Box::new(detail)),
    });
}

fn order_of(row: &mut Row<'_>) -> Option<Order> {
    let value = row.required("order", "`ab` or `ba`")?;
    let order = match value.as_str().map(str::trim) {
        Some(text) if text.eq_ignore_ascii_case("ab") => Some(Order::Ab),
        Some(text) if text.eq_ignore_ascii_case("ba") => Some(Order::Ba),
        _ => None,
    };
    if order.is_none() {
        row.fail("order", format!("is {}, `ab` or `ba` is wanted", described(&value)));
    }
    order
}

/// The verdict by slots: from `verdict`, or from `winner`, which names an identity.
fn said_of(row: &mut Row<'_>, order: Order) -> Option<Verdict> {
    if !row.has("verdict") && !row.has("winner") {
        row.fail_missing("verdict");
        return None;
    }
    let by_slot = match row.optional("verdict") {
        None => None,
        Some(value) => {
            let verdict = value.as_str().and_then(slot);
            if verdict.is_none() {
                row.fail(
                    "verdict",
                    format!("is {}, one of first, second, tie, A, B, null is wanted", described(&value)),
                );
            }
            verdict
        }
    };
    let winner = row.optional_preference("winner");
    if let (Some(verdict), Some(winner)) = (by_slot, winner)
        && order.identify(verdict) != winner
    {
        let meant = order.identify(verdict).as_str();
        let text = format!("is `{}`, but `verdict` in order {} means `{meant}`", winner.as_str(), order.as_str());
        row.fail("winner", text);
    }
    by_slot.or_else(|| winner.map(|winner| order.verdict_for(winner)))
}

/// `A` and `B` are read as the slots they label, not as identities.
fn slot(text: &str) -> Option<Verdict> {
    let text = text.trim();
    [
        ("first", Verdict::First),
        ("a", Verdict::First),
        ("second", Verdict::Second),
        ("b", Verdict::Second),
        ("tie", Verdict::Tie),
    ]
    .into_iter()
    .find(|(name, _)| text.eq_ignore_ascii_case(name))
    .map(|(_, verdict)| verdict)
}

/// Why there is no verdict: as recorded, else unparsed where a raw text is there, else missing.
fn no_verdict_of(row: &mut Row<'_>, raw: Option<&str>) -> NoVerdict {
    // An empty reply is a reply: the judge was asked and said nothing.
    let by_text = if raw.is_some() { NoVerdict::Unparsed } else { NoVerdict::Missing };
    let Some(name) = row.optional_name("no_verdict") else { return by_text };
    let named = NoVerdict::ALL.into_iter().find(|kind| kind.as_str() == name);
    if named.is_none() {
        let wanted = NoVerdict::ALL.map(NoVerdict::as_str).join(", ");
        row.fail("no_verdict", format!("is {}, one of {wanted} is wanted", described(&Value::String(name))));
    }
    named.unwrap_or(by_text)
}

fn detail_of(row: &mut Row<'_>) -> JudgmentDetail {
    let probability = row.optional_number("p");
    if let Some(p) = probability.filter(|p| !(0.0..=1.0).contains(p)) {
        row.fail("p", format!("is {p}, a probability from 0 to 1 is wanted"));
    }
    let cost_usd = row.optional_number("cost_usd").or_else(|| row.optional_number("cost"));
    if let Some(cost) = cost_usd.filter(|&cost| cost < 0.0) {
        row.fail("cost", format!("is {cost}, an amount from 0 is wanted"));
    }
    JudgmentDetail {
        raw: row.optional_raw("raw"),
        reasoning: row.optional_raw("reasoning"),
        why: row.optional_raw("why"),
        grade: row.optional_name("grade"),
        probability,
        fingerprint: row.optional_text("fingerprint").map(Fingerprint),
        served_model: row.optional_name("served_model").or_else(|| row.optional_name("model")),
        usage: usage_of(row),
        latency_ms: latency_of(row),
        cost_usd,
        dropped_parameters: Vec::new(),
    }
}

/// Whole milliseconds; recorders with finer clocks write fractions.
fn latency_of(row: &mut Row<'_>) -> Option<u64> {
    let latency = row.optional_number("latency_ms")?;
    // Half a million years in milliseconds: beyond it `f64` no longer counts.
    let fits = (0.0..=1.6e16).contains(&latency);
    if !fits {
        row.fail("latency_ms", format!("is {latency}, milliseconds from 0 are wanted"));
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range was checked")]
    fits.then(|| latency.round() as u64)
}

/// Token counts under our names, or under those of the most common interface.
fn usage_of(row: &mut Row<'_>) -> Usage {
    match row.optional("usage") {
        None => Usage::default(),
        Some(Value::Object(usage)) => {
            let count = |ours: &str, other: &str| usage.get(ours).or_else(|| usage.get(other)).and_then(Value::as_u64);
            Usage {
                input_tokens: count("input_tokens", "prompt_tokens"),
                output_tokens: count("output_tokens", "completion_tokens"),
            }
        }
        Some(other) => {
            row.fail("usage", format!("is {}, an object is wanted", described(&other)));
            Usage::default()
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::data::{DataError, Form, Loaded, RecordedVerdicts, Source, VerdictOptions, load_verdicts};

    use super::*;

    fn load(text: &str) -> Result<Loaded<RecordedVerdicts>, DataError> {
        load_verdicts(&Source::from_bytes("v.jsonl", text).unwrap(), &VerdictOptions::default())
    }

    fn said(row: &str) -> Said {
        load(row).unwrap().records.judgments[0].said
    }

    #[test]
    fn letters_are_slots_and_winners_are_identities() {
        let ba = |rest: &str| said(&format!(r#"{{"id":"q","judge":"j","order":"ba",{rest}}}"#));
        let first = Said::InOrder(Order::Ba, Reading::Said(Verdict::First));
        assert_eq!(ba(r#""verdict":"A""#), first);
        assert_eq!(ba(r#""verdict":"first""#), first);
        assert_eq!(ba(r#""winner":"b""#), first);
        assert_eq!(ba(r#""winner":"b","verdict":null"#), first);
        assert_eq!(ba(r#""verdict":"TIE""#), Said::InOrder(Order::Ba, Reading::Said(Verdict::Tie)));
    }

    #[test]
    fn a_recorded_null_is_unparsed_with_a_text_and_missing_without() {
        let ab = |rest: &str| said(&format!(r#"{{"id":"q","judge":"j","order":"ab","verdict":null{rest}}}"#));
        let none = |kind| Said::InOrder(Order::Ab, Reading::None(kind));
        assert_eq!(ab(""), none(NoVerdict::Missing));
        assert_eq!(ab(r#","raw":"hm""#), none(NoVerdict::Unparsed));
        assert_eq!(ab(r#","raw":null"#), none(NoVerdict::Missing));
        assert_eq!(ab(r#","no_verdict":"refused","raw":"no""#), none(NoVerdict::Refused));
    }

    #[test]
    fn circumstances_are_kept_and_bare_verdicts_have_none() {
        let bare = load(r#"{"id":"q","judge":"j","order":"ab","verdict":"tie"}"#).unwrap().records;
        assert_eq!((bare.judgments[0].detail.clone(), bare.form), (None, Form::Long));
        let full = load(
            r#"{"id":"q","judge":"j","order":"ab","repeat":2,"verdict":"first","raw":"[[A]]","grade":"A>>B","p":0.75,
                "fingerprint":"f","model":"m","usage":{"prompt_tokens":9,"output_tokens":2},"latency_ms":39.6,"cost":0.5}"#
                .replace('\n', " ")
                .as_str(),
        );
        let full = full.unwrap().records;
        let detail = full.judgments[0].detail.clone().unwrap();
        assert_eq!(full.judgments[0].repeat, 2);
        assert_eq!(
            (detail.raw.as_deref(), detail.grade.as_deref(), detail.probability),
            (Some("[[A]]"), Some("A>>B"), Some(0.75))
        );
        assert_eq!((detail.usage.input_tokens, detail.usage.output_tokens), (Some(9), Some(2)));
        assert_eq!(
            (detail.latency_ms, detail.cost_usd, detail.served_model.as_deref()),
            (Some(40), Some(0.5), Some("m"))
        );
    }

    #[test]
    fn bad_values_are_named() {
        for (row, field, part) in [
            (r#"{"id":"q","judge":"j","verdict":"A"}"#, "order", "missing"),
            (r#"{"id":"q","judge":"j","order":"xy","verdict":"A"}"#, "order", "`xy`"),
            (r#"{"id":"q","judge":"j","order":"ab","verdct":"A"}"#, "verdict", "`verdct`"),
            (r#"{"id":"q","judge":"j","order":"ab","verdict":"C"}"#, "verdict", "`C`"),
            (r#"{"id":"q","judge":"j","order":"ab","verdict":1}"#, "verdict", "the number 1"),
            (r#"{"id":"q","judge":"j","order":"ba","verdict":"A","winner":"a"}"#, "winner", "means `b`"),
            (r#"{"id":"q","judge":"j","order":"ab","verdict":null,"no_verdict":"lost"}"#, "no_verdict", "refused"),
            (r#"{"id":"q","judge":"j","order":"ab","verdict":"A","p":1.5}"#, "p", "1.5"),
            (r#"{"id":"q","judge":"j","order":"ab","verdict":"A","repeat":-1}"#, "repeat", "-1"),
            (r#"{"id":"q","judge":"j","order":"ab","verdict":"A","cost":-1}"#, "cost", "from 0"),
            (r#"{"id":"q","judge":"j"}"#, "verdict", "none of them"),
        ] {
            let error = load(row).unwrap_err();
            assert_eq!(error.notices[0].field.as_deref(), Some(field), "{error}");
            assert!(error.to_string().contains(part), "{error}");
        }
    }

    #[test]
    fn one_asking_twice_names_both_lines_and_repeats_are_no_duplicates() {
        let row = |repeat: u32| format!(r#"{{"id":"q","judge":"j","order":"ab","repeat":{repeat},"verdict":"A"}}"#);
        assert_eq!(load(&[row(0), row(1)].join("\n")).unwrap().records.judgments.len(), 2);
        let error = load(&[row(0), row(1), row(0)].join("\n")).unwrap_err();
        assert_eq!(error.notices[0].line, Some(3));
        assert!(error.to_string().contains("line 1 and again at line 3"), "{error}");
    }

    #[test]
    fn a_judge_named_in_some_rows_only_is_an_error() {
        let some = "{\"id\":\"q\",\"judge\":\"j\",\"order\":\"ab\",\"verdict\":\"A\"}\n{\"id\":\"q\",\"order\":\"ba\",\"verdict\":\"A\"}";
        assert_eq!(load(some).unwrap_err().notices[0].line, Some(2));
        let none = load(r#"{"id":"q","order":"ba","verdict":"A"}"#).unwrap();
        assert_eq!(none.records.judges(), ["recorded".into()]);
        assert_eq!(none.notices.len(), 1);
    }
}
