//! The items as data for the page's script: every item's verdicts in columns of one letter each, and the texts of the most
//! telling items.

use serde::Serialize;
use serde_json::{Value, json};

use crate::analysis::outcome::Outcome;
use crate::domain::{JudgeName, NoVerdict, Preference, Reading, Verdict};

use super::items::{ItemRecord, JudgeRecord, OrderRecord};
use super::packed::{packed, packed_list};
use super::visible::{visible, visible_line};
use super::words::{Words, fill};
use super::{Content, Report, ReportError, format, view};

/// Letters of one text that a page holds; what is beyond is counted and said.
const LONGEST_TEXT: usize = 100_000;

/// Both blocks of the page, each compressed by itself: verdicts are wanted at once, texts when one is opened.
pub(super) struct Blocks {
    /// Whose texts the page holds.
    pub(super) line: String,
    pub(super) verdicts: String,
    pub(super) texts: String,
}

/// What the list, its filters and its order need; one entry an item in every column.
#[derive(Serialize)]
struct Verdicts {
    words: &'static Words,
    outcomes: Value,
    readings: [&'static str; 9],
    judges: Vec<String>,
    categories: Vec<String>,
    ids: Vec<String>,
    /// Index of the category, -1 for none.
    category: Vec<i32>,
    /// `a`, `b`, `t`, or `-` where there is no label.
    gold: String,
    columns: Vec<Column>,
}

/// One repeat of one judge.
#[derive(Serialize)]
struct Column {
    judge: usize,
    repeat: u32,
    /// What it said with `a` shown first: the digit of the reading, `-` where there is none by itself.
    ab: String,
    /// The same with `b` shown first.
    ba: String,
    /// A letter from `A` for the outcome; `-` where the judge was not asked.
    outcome: String,
    /// `y` for the label, `n` for another answer, `-` where nothing can be said.
    agrees: String,
}

/// The texts of one item; short names, they are written once an item.
#[derive(Serialize)]
struct Texts {
    /// Index of the item.
    #[serde(rename = "i")]
    index: usize,
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
    why: Option<String>,
    /// What was said, by column.
    #[serde(rename = "v")]
    said: Vec<Option<Both>>,
}

#[derive(Serialize)]
struct Both {
    #[serde(skip_serializing_if = "Option::is_none")]
    ab: Option<Said>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ba: Option<Said>,
}

#[derive(Serialize)]
struct Said {
    #[serde(rename = "t", skip_serializing_if = "Option::is_none")]
    raw: Option<String>,
    #[serde(rename = "h", skip_serializing_if = "Option::is_none")]
    reasoning: Option<String>,
    #[serde(rename = "w", skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

/// Whose texts the page holds, and what is left out.
fn shown_line(report: &Report<'_>, chosen: &[usize]) -> String {
    let words = Words::of(report.lang);
    let all = report.items.records.len();
    let [with_texts, of_all] = [chosen.len(), all].map(|count| format::count(count as u64));
    if all == 0 {
        return words.items_none.to_owned();
    }
    if chosen.len() == all {
        return fill(words.items_all, &[&of_all]);
    }
    let kinds = report.items.kinds(chosen);
    let [flips, disagreements, none, rest] =
        kinds.map(|kind| format!("{} / {}", format::count(kind.shown), format::count(kind.found)));
    fill(words.items_shown, &[&with_texts, &of_all, &flips, &disagreements, &none, &rest])
}

/// Both blocks and the line about them.
pub(super) fn blocks(report: &Report<'_>) -> Result<Blocks, ReportError> {
    let columns = columns_of(&report.items.records);
    let chosen = report.items.chosen();
    let verdicts = verdicts(report, &columns);
    let records = &report.items.records;
    let texts = chosen.iter().map(|index| texts(*index, &records[*index], report, &columns));
    Ok(Blocks { line: shown_line(report, &chosen), verdicts: packed(&verdicts)?, texts: packed_list(texts)? })
}

/// Every judge and repeat that any item has, in order.
fn columns_of(records: &[ItemRecord]) -> Vec<(&JudgeName, u32)> {
    let rows = records.iter().flat_map(|item| &item.judges);
    rows.map(|row| (&row.judge, row.repeat)).collect::<std::collections::BTreeSet<_>>().into_iter().collect()
}

fn verdicts(report: &Report<'_>, columns: &[(&JudgeName, u32)]) -> Verdicts {
    let words = Words::of(report.lang);
    let records = &report.items.records;
    let names = match report.content {
        Content::Comparison(comparison) => view::sides(comparison),
        Content::Calibration(_) => ["A".to_owned(), "B".to_owned()],
    };
    let mut judges: Vec<&JudgeName> = columns.iter().map(|(judge, _)| *judge).collect();
    judges.dedup();
    let categories: Vec<&str> = records
        .iter()
        .filter_map(|item| item.category.as_deref())
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .collect();
    let category = |item: &ItemRecord| {
        let name = item.category.as_deref()?;
        i32::try_from(categories.binary_search(&name).ok()?).ok()
    };
    Verdicts {
        words,
        outcomes: Outcome::ALL
            .iter()
            .map(|outcome| json!([outcome.as_str(), words.outcome_of(*outcome, &names[0], &names[1])]))
            .collect(),
        readings: readings(words),
        judges: judges.iter().map(|name| visible_line(name.as_str()).into_owned()).collect(),
        ids: records.iter().map(|item| visible_line(item.id.as_str()).into_owned()).collect(),
        category: records.iter().map(|item| category(item).unwrap_or(-1)).collect(),
        categories: categories.iter().map(|name| visible_line(name).into_owned()).collect(),
        gold: records.iter().map(|item| label_letter(item.gold)).collect(),
        columns: columns.iter().map(|(judge, repeat)| column(records, &judges, judge, *repeat)).collect(),
    }
}

fn column(records: &[ItemRecord], judges: &[&JudgeName], judge: &JudgeName, repeat: u32) -> Column {
    let mut column = Column {
        judge: judges.iter().position(|name| *name == judge).unwrap_or(0),
        repeat,
        ab: String::with_capacity(records.len()),
        ba: String::with_capacity(records.len()),
        outcome: String::with_capacity(records.len()),
        agrees: String::with_capacity(records.len()),
    };
    for item in records {
        let row = row_of(item, judge, repeat);
        column.ab.push(row.and_then(|row| row.ab.as_ref()).map_or('-', reading_letter));
        column.ba.push(row.and_then(|row| row.ba.as_ref()).map_or('-', reading_letter));
        column.outcome.push(row.map_or('-', |row| outcome_letter(row.outcome)));
        column.agrees.push(match row.and_then(|row| row.agrees) {
            Some(true) => 'y',
            Some(false) => 'n',
            None => '-',
        });
    }
    column
}

fn row_of<'a>(item: &'a ItemRecord, judge: &JudgeName, repeat: u32) -> Option<&'a JudgeRecord> {
    item.judges.iter().find(|row| row.repeat == repeat && row.judge == *judge)
}

fn label_letter(gold: Option<Preference>) -> char {
    match gold {
        Some(Preference::A) => 'a',
        Some(Preference::B) => 'b',
        Some(Preference::Tie) => 't',
        None => '-',
    }
}

fn outcome_letter(outcome: Outcome) -> char {
    Outcome::ALL.iter().zip('A'..).find(|(other, _)| **other == outcome).map_or('-', |(_, letter)| letter)
}

/// The index in [`readings`] as a digit.
fn reading_letter(order: &OrderRecord) -> char {
    match order.reading {
        Reading::Said(Verdict::First) => '0',
        Reading::Said(Verdict::Second) => '1',
        Reading::Said(Verdict::Tie) => '2',
        Reading::None(kind) => {
            NoVerdict::ALL.iter().zip('3'..).find(|(other, _)| **other == kind).map_or('-', |(_, digit)| digit)
        }
    }
}

fn readings(words: &Words) -> [&'static str; 9] {
    let none = NoVerdict::ALL.map(|kind| super::sentences::none_word(kind, words));
    [words.said_first, words.said_second, words.tie, none[0], none[1], none[2], none[3], none[4], none[5]]
}

fn texts(index: usize, item: &ItemRecord, report: &Report<'_>, columns: &[(&JudgeName, u32)]) -> Texts {
    let words = Words::of(report.lang);
    let line = |text: &str| visible_line(text).into_owned();
    let block = |text: &Option<String>| text.as_deref().map(|text| cut(text, words));
    let said = |order: &Option<OrderRecord>| {
        order.as_ref().map(|order| Said {
            raw: block(&order.raw),
            reasoning: block(&order.reasoning),
            why: block(&order.why),
        })
    };
    let both = |row: &JudgeRecord| Both { ab: said(&row.ab), ba: said(&row.ba) };
    Texts {
        index,
        lang: item.lang.as_deref().map(line),
        group: item.group.as_ref().map(|group| line(group.as_str())),
        prompt: block(&item.prompt),
        response_a: block(&item.response_a),
        response_b: block(&item.response_b),
        model_a: item.model_a.as_ref().map(|name| line(name.as_str())),
        model_b: item.model_b.as_ref().map(|name| line(name.as_str())),
        why: block(&item.gold_why),
        said: columns.iter().map(|(judge, repeat)| row_of(item, judge, *repeat).map(both)).collect(),
    }
}

/// The text with its control characters seen, and with how much of it is left out where it is very long.
fn cut(text: &str, words: &Words) -> String {
    let Some((end, _)) = text.char_indices().nth(LONGEST_TEXT) else { return visible(text).into_owned() };
    let more = text[end..].chars().count() as u64;
    format!("{}\n[{}]", visible(&text[..end]), fill(words.text_cut, &[&format::count(more)]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Lang;

    #[test]
    fn a_very_long_text_is_cut_and_says_how_much_is_left_out() {
        let words = Words::of(Lang::En);
        let text = cut(&"あ".repeat(LONGEST_TEXT + 1_234), words);
        assert!(text.ends_with("[1,234 more characters are left out here]"), "{}", &text[text.len() - 60..]);
        assert_eq!(cut("short", words), "short");
    }

    #[test]
    fn every_outcome_and_reading_has_a_letter_of_its_own() {
        let letters: Vec<char> = Outcome::ALL.iter().map(|outcome| outcome_letter(*outcome)).collect();
        assert_eq!(letters.iter().collect::<String>(), "ABCDEFGHI");
        let order = |reading| OrderRecord { reading, raw: None, reasoning: None, why: None };
        let digits: String = NoVerdict::ALL.iter().map(|kind| reading_letter(&order(Reading::None(*kind)))).collect();
        assert_eq!(digits, "345678");
    }
}
