//! What a report drills into: items with their texts and what every judge made of them.

use std::collections::HashMap;

use crate::analysis::outcome::{self, Outcome, Row};
use crate::domain::{GoldSet, ItemId, JudgeName, Judgment, Order, Pair, Preference, Said};
use crate::report::{ItemRecord, ItemTable, JudgeRecord, OrderRecord};

/// Lays out every item that any judge was asked about.
pub(super) fn table(gold: &GoldSet, pairs: &[Pair], judgments: &[Judgment]) -> ItemTable {
    let texts: HashMap<&ItemId, &Pair> = pairs.iter().map(|pair| (&pair.id, pair)).collect();
    let mut said: HashMap<(&ItemId, &JudgeName, u32), Vec<&Judgment>> = HashMap::new();
    for judgment in judgments {
        said.entry((&judgment.item, &judgment.judge, judgment.repeat)).or_default().push(judgment);
    }
    let mut records: Vec<ItemRecord> = gold
        .items
        .iter()
        .map(|item| {
            let pair = texts.get(&item.id);
            ItemRecord {
                category: item.category.clone(),
                lang: item.lang.clone(),
                group: item.group.clone(),
                prompt: pair.map(|pair| pair.prompt.to_text()),
                response_a: pair.map(|pair| pair.response_a.clone()),
                response_b: pair.map(|pair| pair.response_b.clone()),
                model_a: item.model_a.clone(),
                model_b: item.model_b.clone(),
                gold: item.gold_label(),
                gold_why: pair.and_then(|pair| pair.extra.get("meta")?.get("why")?.as_str().map(str::to_owned)),
                ..ItemRecord::new(item.id.clone())
            }
        })
        .collect();
    for sheet in outcome::sheets(gold, judgments) {
        for row in &sheet.rows {
            let item = &gold.items[row.item];
            let own = said.get(&(&item.id, &sheet.judge, row.repeat)).map_or(&[][..], Vec::as_slice);
            records[row.item].judges.push(judge_record(&sheet.judge, row, own, item.gold_label()));
        }
    }
    ItemTable::new(records)
}

fn judge_record(judge: &JudgeName, row: &Row, own: &[&Judgment], gold: Option<Preference>) -> JudgeRecord {
    let outcome = row.outcome();
    let in_order = |order: Order| own.iter().find_map(|judgment| order_record(judgment, order));
    JudgeRecord {
        judge: judge.clone(),
        repeat: row.repeat,
        ab: in_order(Order::Ab),
        ba: in_order(Order::Ba),
        outcome,
        agrees: gold.zip(row.combined()).filter(|_| outcome != Outcome::NoVerdict).map(|(gold, said)| gold == said),
    }
}

fn order_record(judgment: &Judgment, order: Order) -> Option<OrderRecord> {
    let reading = match judgment.said {
        Said::InOrder(asked, reading) if asked == order => reading,
        Said::InOrder(..) | Said::Folded(_) => return None,
    };
    let detail = judgment.detail.as_deref();
    Some(OrderRecord {
        reading,
        raw: detail.and_then(|detail| detail.raw.clone()),
        reasoning: detail.and_then(|detail| detail.reasoning.clone()),
        why: detail.and_then(|detail| detail.why.clone()),
    })
}
