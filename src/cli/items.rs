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

/// Lays out every item that any judge was asked about; texts are copied for those alone whose texts are shown.
pub(super) fn table(gold: &GoldSet, pairs: &[Pair], judgments: &[Judgment], shown: &Shown) -> ItemTable {
    let texts: HashMap<&ItemId, &Pair> = pairs.iter().map(|pair| (&pair.id, pair)).collect();
    let mut said: HashMap<&ItemId, Vec<&Judgment>> = HashMap::new();
    for judgment in judgments {
        said.entry(&judgment.item).or_default().push(judgment);
    }
    let own = |id: &ItemId| said.get(id).map_or(&[][..], Vec::as_slice);
    let mut records: Vec<ItemRecord> = gold.items.iter().map(facts).collect();
    for sheet in outcome::sheets(gold, judgments) {
        for row in &sheet.rows {
            let item = &gold.items[row.item];
            records[row.item].judges.push(judge_record(&sheet.judge, row, own(&item.id), item.gold_label()));
        }
    }
    let mut table = ItemTable { records, cap: shown.cap, seed: shown.seed, with_texts: None };
    let chosen = table.choose(|index| {
        let id = &gold.items[index].id;
        texts.get(id).map_or(0, |pair| bytes_of(pair))
            + own(id).iter().map(|judgment| bytes_said(judgment)).sum::<usize>()
    });
    for index in &chosen {
        let record = &mut table.records[*index];
        if let Some(pair) = texts.get(&gold.items[*index].id) {
            record.prompt = Some(pair.prompt.to_text());
            record.response_a = Some(pair.response_a.clone());
            record.response_b = Some(pair.response_b.clone());
            record.gold_why = pair.extra.get("meta").and_then(|meta| meta.get("why")?.as_str().map(str::to_owned));
        }
        for row in &mut record.judges {
            for judgment in
                own(&gold.items[*index].id).iter().filter(|one| one.judge == row.judge && one.repeat == row.repeat)
            {
                let Said::InOrder(order, _) = judgment.said else { continue };
                let place = match order {
                    Order::Ab => &mut row.ab,
                    Order::Ba => &mut row.ba,
                };
                if let Some((place, detail)) = place.as_mut().zip(judgment.detail.as_deref()) {
                    place.raw.clone_from(&detail.raw);
                    place.reasoning.clone_from(&detail.reasoning);
                    place.why.clone_from(&detail.why);
                }
            }
        }
    }
    table.with_texts = Some(chosen);
    table
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
