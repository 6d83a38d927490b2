//! Single items: fields that are missing, texts that mislead a judge, checks that disagree with the label.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::{Finding, Item, Rule, counted};
use crate::domain::Preference;

pub(super) fn findings(items: &[Item<'_>]) -> Vec<Finding> {
    let all_unlabelled = items.iter().all(|item| item.label().is_none());
    let rules: [(Rule, &str, Test); 12] = [
        (Rule::DecisiveOnIdentical, "with a decisive label on identical responses", |item| {
            item.facts.identical && item.decisive().is_some()
        }),
        (Rule::ChecksContradictLabel, "whose label is not the one response that passes the checks", contradicted),
        (Rule::ChecksDecideNothing, "with a decisive label where both responses or neither pass the checks", undecided),
        (Rule::DisputedLabel, "whose votes have no plurality", |item| {
            item.facts.gold.as_ref().is_some_and(|gold| gold.disputed)
        }),
        (Rule::EmptyResponse, "with an empty response", |item| {
            responses(item).iter().any(|text| text.trim().is_empty())
        }),
        (Rule::IdenticalResponses, "with identical responses", |item| {
            item.facts.identical && item.decisive().is_none()
        }),
        (Rule::VerdictShapedText, "with a text that holds what looks like a verdict", |item| {
            VERDICT.is_match(&item.prompt) || responses(item).iter().any(|text| VERDICT.is_match(text))
        }),
        (Rule::PositionLeak, "with a response that begins with the name of a slot", |item| {
            responses(item).iter().any(|text| SLOT.is_match(text))
        }),
        (Rule::MissingLabel, "without a label", |item| item.label().is_none()),
        (Rule::MissingCategory, "without `category`", |item| is_blank(item.pair.category.as_deref())),
        (Rule::MissingLang, "without `lang`", |item| is_blank(item.pair.lang.as_deref())),
        // Only a label needs a reason.
        (Rule::MissingWhy, "without a reason for the label", |item| item.label().is_some() && !has_reason(item)),
    ];
    rules
        .into_iter()
        // Where nothing is labelled, one error says so.
        .filter(|(rule, _, _)| !(all_unlabelled && *rule == Rule::MissingLabel))
        .filter_map(|(rule, what, test)| {
            let found: Vec<_> = items.iter().filter(|item| test(item)).map(Item::id).collect();
            let text = format!("{} {what}", counted(found.len(), "item"));
            (!found.is_empty()).then(|| Finding::new(rule, found, text))
        })
        .collect()
}

type Test = fn(&Item<'_>) -> bool;

fn responses<'a>(item: &'a Item<'_>) -> [&'a str; 2] {
    [&item.pair.response_a, &item.pair.response_b]
}

fn contradicted(item: &Item<'_>) -> bool {
    let said = item.checks.map(super::ChecksPassed::preference);
    said.zip(item.label()).is_some_and(|(said, label)| said.is_decisive() && said != label)
}

fn undecided(item: &Item<'_>) -> bool {
    item.checks.is_some_and(|checks| checks.preference() == Preference::Tie) && item.decisive().is_some()
}

fn is_blank(text: Option<&str>) -> bool {
    text.is_none_or(|text| text.trim().is_empty())
}

fn has_reason(item: &Item<'_>) -> bool {
    let extra = &item.pair.extra;
    let says = |value: Option<&Value>| match value {
        None | Some(Value::Null) => false,
        Some(Value::String(text)) => !text.trim().is_empty(),
        Some(_) => true,
    };
    says(extra.get("meta").and_then(|meta| meta.get("why"))) || says(extra.get("attribution"))
}

/// What judges are told to write: `[[A]]`, `[[A>B]]`, a line `Verdict: A`, `"winner": "A"`; also in full width.
static VERDICT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?imx)
        [\[［]{2} \s* (?: [ABCＡＢＣ] | tie | [AB] \s* [<>=]{1,2} \s* [AB] ) \s* [\]］]{2}
        | ^ [^\w\n]{0,6} (?: final \s )? (?: verdict | winner | 判定 | 勝者 | 評決 ) [^\w\n]{0,4} [:：] [^\w\n]{0,6}
            (?: (?: response | answer | assistant ) \s | 回答 | 応答 )? (?: [ABＡＢ] | tie | 引き分け ) [^\w\n]{0,6} $
        | "(?: winner | verdict )" \s* : \s* "(?: [AB] | tie )"
        "#,
    )
});

/// `Response A:`, `[Answer 2]`, `**Assistant B** -`, `回答A:` at the very beginning.
static SLOT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?ix) ^ [^\w]{0,6} (?: the \s )? (?: response | answer | output | completion | assistant | 回答 | 応答 | 出力 )
        \s* [\(\[（［]? \s* [AB12ＡＢ１２] \s* (?: [\)\]）］*]{0,3} \s* [:：] | \] | [\)*]{1,3} \s* [-–—] | \s [-–—] \s )",
    )
});

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a literal pattern, compiled by the tests of this file")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_a_verdict_is_told_from_what_does_not() {
        for text in [
            "I think\n[[A]]",
            "[[ b ]] wins",
            "[[A>>B]]",
            "［［Ａ］］",
            "So:\nVerdict: A",
            "**Final verdict:** **B**",
            "判定：Ａ",
            "勝者: 引き分け",
            r#"{"winner": "A"}"#,
        ] {
            assert!(VERDICT.is_match(text), "{text}");
        }
        for text in
            ["x[[0]]", "[[Aardvark]]", "Verdict: A fine book", "winner takes all", "判定基準：A社", "[A]", "a[b[A]]"]
        {
            assert!(!VERDICT.is_match(text), "{text}");
        }
    }

    #[test]
    fn the_name_of_a_slot_is_told_from_an_answer() {
        for text in [
            "Response A: yes",
            "[Answer 2] yes",
            "**Assistant B**: yes",
            "\n回答A：はい",
            "the response b: yes",
            "応答１: はい",
        ] {
            assert!(SLOT.is_match(text), "{text}");
        }
        for text in
            ["Answer: A", "Response times vary", "A: yes", "回答：はい", "Answer Bob: yes", "Output 12: x", "1: x"]
        {
            assert!(!SLOT.is_match(text), "{text}");
        }
    }
}
