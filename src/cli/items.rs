//! What a report drills into: items with their texts and what every judge made of them.

use std::collections::HashMap;

use crate::analysis::outcome::{self, Outcome, Row};
use crate::domain::{GoldSet, ItemFacts, ItemId, JudgeName, Judgment, Order, Pair, Preference, Reading, Said};
use crate::report::{ItemRecord, ItemTable, JudgeRecord, OrderRecord};

/// Whose texts a page holds.
pub(super) struct Shown {
    /// Largest number of items with their texts.
    pub cap: usize,
    /// Decides which are drawn where not all fit.
    pub seed: u64,
}

/// Lays out every item that any judge was asked about, with the texts of those that are shown. Texts are moved and not copied:
/// those of a hundred thousand items fill the memory once, not twice.
pub(super) fn table(gold: &GoldSet, pairs: Vec<Pair>, mut judgments: Vec<Judgment>, shown: &Shown) -> ItemTable {
    let mut texts: HashMap<ItemId, Pair> = pairs.into_iter().map(|pair| (pair.id.clone(), pair)).collect();
    let mut said: HashMap<ItemId, Vec<usize>> = HashMap::new();
    for (at, judgment) in judgments.iter().enumerate() {
        said.entry(judgment.item.clone()).or_default().push(at);
    }
    let own = |id: &ItemId| said.get(id).map_or(&[][..], Vec::as_slice);
    let mut records: Vec<ItemRecord> = gold.items.iter().map(facts).collect();
    for sheet in outcome::sheets(gold, &judgments) {
        for row in &sheet.rows {
            let item = &gold.items[row.item];
            let own: Vec<&Judgment> = own(&item.id).iter().map(|at| &judgments[*at]).collect();
            records[row.item].judges.push(judge_record(&sheet.judge, row, &own, item.gold_label()));
        }
    }
    let mut table = ItemTable { records, cap: shown.cap, seed: shown.seed, with_texts: None };
    let chosen = table.choose(|index| {
        let id = &gold.items[index].id;
        texts.get(id).map_or(0, bytes_of) + own(id).iter().map(|at| bytes_said(&judgments[*at])).sum::<usize>()
    });
    for index in &chosen {
        let record = &mut table.records[*index];
        let id = &gold.items[*index].id;
        if let Some(pair) = texts.remove(id) {
            record.prompt = Some(pair.prompt.to_text());
            record.gold_why = pair.extra.get("meta").and_then(|meta| meta.get("why")?.as_str().map(str::to_owned));
            record.response_a = Some(pair.response_a);
            record.response_b = Some(pair.response_b);
        }
        for at in own(id) {
            hear(record, &mut judgments[*at]);
        }
    }
    table.with_texts = Some(chosen);
    table
}

/// Moves what was said to where the record keeps it.
fn hear(record: &mut ItemRecord, judgment: &mut Judgment) {
    let Said::InOrder(order, _) = judgment.said else { return };
    let row = record.judges.iter_mut().find(|row| row.judge == judgment.judge && row.repeat == judgment.repeat);
    let place = row.and_then(|row| if order == Order::Ab { row.ab.as_mut() } else { row.ba.as_mut() });
    if let Some((place, detail)) = place.zip(judgment.detail.as_deref_mut()) {
        place.raw = detail.raw.take();
        place.reasoning = detail.reasoning.take();
        place.why = detail.why.take();
    }
}

/// What is known of an item without its texts.
fn facts(item: &ItemFacts) -> ItemRecord {
    ItemRecord {
        category: item.category.clone(),
        lang: item.lang.clone(),
        group: item.group.clone(),
        model_a: item.model_a.clone(),
        model_b: item.model_b.clone(),
        gold: item.gold_label(),
        ..ItemRecord::new(item.id.clone())
    }
}

fn bytes_of(pair: &Pair) -> usize {
    pair.prompt.to_text().len() + pair.response_a.len() + pair.response_b.len()
}

fn bytes_said(judgment: &Judgment) -> usize {
    let texts = judgment.detail.as_deref().map(|detail| [&detail.raw, &detail.reasoning, &detail.why]);
    texts.into_iter().flatten().flatten().map(String::len).sum()
}

fn judge_record(judge: &JudgeName, row: &Row, own: &[&Judgment], gold: Option<Preference>) -> JudgeRecord {
    let outcome = row.outcome();
    let in_order = |order: Order| {
        let mut mine = own.iter().filter(|judgment| judgment.judge == *judge && judgment.repeat == row.repeat);
        mine.find_map(|judgment| read_in(judgment, order)).map(|reading| OrderRecord {
            reading,
            raw: None,
            reasoning: None,
            why: None,
        })
    };
    JudgeRecord {
        judge: judge.clone(),
        repeat: row.repeat,
        ab: in_order(Order::Ab),
        ba: in_order(Order::Ba),
        outcome,
        agrees: gold.zip(row.combined()).filter(|_| outcome != Outcome::NoVerdict).map(|(gold, said)| gold == said),
    }
}

fn read_in(judgment: &Judgment, order: Order) -> Option<Reading> {
    match judgment.said {
        Said::InOrder(asked, reading) if asked == order => Some(reading),
        Said::InOrder(..) | Said::Folded(_) => None,
    }
}
