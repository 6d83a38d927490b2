//! The items behind an answer, as a reader can drill into them.

use crate::analysis::outcome::Outcome;
use crate::domain::{GroupId, ItemId, JudgeName, Preference, Reading, SystemName};

/// Items shown in a page unless told otherwise: about what a browser filters without a pause.
pub const DEFAULT_ITEM_CAP: usize = 2_000;

/// The items of a report, in the order in which they are shown.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemTable {
    /// All items; [`ItemTable::chosen`] says which of them are shown.
    pub records: Vec<ItemRecord>,
    /// Largest number of items shown.
    pub cap: usize,
}

impl Default for ItemTable {
    fn default() -> Self {
        Self { records: Vec::new(), cap: DEFAULT_ITEM_CAP }
    }
}

impl ItemTable {
    /// These items, with the default cap.
    pub fn new(records: Vec<ItemRecord>) -> Self {
        Self { records, ..Self::default() }
    }

    /// The items that are shown, in their order: all where they fit, else flips first, then disagreements with
    /// the gold label, then items without a verdict, then the rest.
    pub fn chosen(&self) -> Vec<&ItemRecord> {
        if self.records.len() <= self.cap {
            return self.records.iter().collect();
        }
        let mut order: Vec<usize> = (0..self.records.len()).collect();
        order.sort_by_key(|index| (self.records[*index].urgency(), *index));
        order.truncate(self.cap);
        order.sort_unstable();
        order.into_iter().map(|index| &self.records[index]).collect()
    }
}

/// One item with what every judge made of it. Texts are absent where only verdicts were recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemRecord {
    /// The item.
    pub id: ItemId,
    /// Kind of task.
    pub category: Option<String>,
    /// Language tag.
    pub lang: Option<String>,
    /// Resampling unit.
    pub group: Option<GroupId>,
    /// The prompt as one text.
    pub prompt: Option<String>,
    /// The response called `a`.
    pub response_a: Option<String>,
    /// The response called `b`.
    pub response_b: Option<String>,
    /// Who wrote `a`.
    pub model_a: Option<SystemName>,
    /// Who wrote `b`.
    pub model_b: Option<SystemName>,
    /// The gold label.
    pub gold: Option<Preference>,
    /// Why the label is what it is.
    pub gold_why: Option<String>,
    /// What each judge made of it; one entry a judge and repeat.
    pub judges: Vec<JudgeRecord>,
}

impl ItemRecord {
    /// An item of which nothing but its name is known.
    pub fn new(id: impl Into<ItemId>) -> Self {
        Self {
            id: id.into(),
            category: None,
            lang: None,
            group: None,
            prompt: None,
            response_a: None,
            response_b: None,
            model_a: None,
            model_b: None,
            gold: None,
            gold_why: None,
            judges: Vec::new(),
        }
    }

    fn urgency(&self) -> u8 {
        self.judges.iter().map(JudgeRecord::urgency).min().unwrap_or(3)
    }
}

/// What one judge made of one item, once in each order.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeRecord {
    /// The judge.
    pub judge: JudgeName,
    /// 0 for the first asking.
    pub repeat: u32,
    /// What it said with `a` shown first; `None` where that order was not recorded by itself.
    pub ab: Option<OrderRecord>,
    /// What it said with `b` shown first.
    pub ba: Option<OrderRecord>,
    /// Both orders together.
    pub outcome: Outcome,
    /// Whether the combined verdict is the gold label; `None` without a label or a verdict.
    pub agrees: Option<bool>,
}

impl JudgeRecord {
    fn urgency(&self) -> u8 {
        match self.outcome {
            Outcome::FlipFirst | Outcome::FlipSecond => 0,
            _ if self.agrees == Some(false) => 1,
            Outcome::NoVerdict => 2,
            _ => 3,
        }
    }
}

/// What a judge said in one order, as it saw the slots.
#[derive(Debug, Clone, PartialEq)]
pub struct OrderRecord {
    /// First, second, tie, or why there is none.
    pub reading: Reading,
    /// The raw completion.
    pub raw: Option<String>,
    /// Reasoning that came apart from the answer.
    pub reasoning: Option<String>,
    /// Where the verdict was found, or why there is none.
    pub why: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(id: usize, outcome: Outcome, agrees: Option<bool>) -> ItemRecord {
        let judge = JudgeRecord { judge: "j".into(), repeat: 0, ab: None, ba: None, outcome, agrees };
        ItemRecord { judges: vec![judge], ..ItemRecord::new(id.to_string()) }
    }

    #[test]
    fn flips_then_disagreements_then_missing_verdicts_survive_the_cap() {
        let records = vec![
            item(0, Outcome::AWins, Some(true)),
            item(1, Outcome::NoVerdict, None),
            item(2, Outcome::BWins, Some(false)),
            item(3, Outcome::FlipSecond, Some(false)),
        ];
        let shown = |cap| {
            let table = ItemTable { records: records.clone(), cap };
            table.chosen().iter().map(|item| item.id.to_string()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(shown(1), "3");
        assert_eq!(shown(2), "2 3");
        assert_eq!(shown(3), "1 2 3");
        assert_eq!(shown(4), "0 1 2 3");
    }
}
