//! The items behind an answer, as a reader can drill into them.

use crate::analysis::outcome::Outcome;
use crate::domain::{Digest, GroupId, ItemId, JudgeName, Preference, Reading, SystemName};

/// Items whose texts are in a page unless told otherwise: as many as a reader will ever open.
pub const DEFAULT_ITEM_CAP: usize = 2_000;

/// Bytes of text that a page holds unless all are asked for: about 8 MB of page.
const TEXT_BUDGET: usize = 24 << 20;

/// The items of a report, in the order in which they are shown. Their verdicts are all in the page; their texts as far as
/// [`ItemTable::chosen`] says.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemTable {
    /// All items.
    pub records: Vec<ItemRecord>,
    /// Largest number of items whose texts are in the page; [`usize::MAX`] lifts the limit on bytes too.
    pub cap: usize,
    /// Decides which items are drawn where not all of a kind fit.
    pub seed: u64,
    /// What [`ItemTable::choose`] gave, where it was asked before the texts were laid out.
    pub with_texts: Option<Vec<usize>>,
}

impl Default for ItemTable {
    fn default() -> Self {
        Self { records: Vec::new(), cap: DEFAULT_ITEM_CAP, seed: 0, with_texts: None }
    }
}

/// How many items of a kind there are, and of how many the texts are in the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Kind {
    pub(super) shown: u64,
    pub(super) found: u64,
}

impl ItemTable {
    /// These items, with the default cap.
    pub fn new(records: Vec<ItemRecord>) -> Self {
        Self { records, ..Self::default() }
    }

    /// Indices of the items whose texts are in the page, rising.
    pub fn chosen(&self) -> Vec<usize> {
        self.with_texts.clone().unwrap_or_else(|| self.choose(|index| self.records[index].bytes()))
    }

    /// Which items' texts go into the page, by the length of an item's texts in bytes; rising: all where they fit, else flips first, then disagreements
    /// with the human label, then items without a verdict, then the rest; within a kind by a draw that depends on the
    /// seed and the item alone.
    pub fn choose(&self, bytes: impl Fn(usize) -> usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.records.len()).collect();
        let fits = |indices: &[usize]| indices.iter().map(|index| bytes(*index)).sum::<usize>() <= TEXT_BUDGET;
        if self.records.len() <= self.cap && (self.cap == usize::MAX || fits(&order)) {
            return order;
        }
        order.sort_by_cached_key(|index| (self.records[*index].urgency(), self.draw(*index), *index));
        order.truncate(self.cap);
        let mut left = TEXT_BUDGET;
        // A giant is passed over, so that it does not push out all that come after it.
        order.retain(|index| match left.checked_sub(bytes(*index)) {
            Some(rest) => {
                left = rest;
                true
            }
            None => self.cap == usize::MAX,
        });
        order.sort_unstable();
        order
    }

    /// Flips, disagreements, items without a verdict and the rest: how many, and how many of them are among `chosen`.
    pub(super) fn kinds(&self, chosen: &[usize]) -> [Kind; 4] {
        let mut kinds = [Kind::default(); 4];
        for item in &self.records {
            kinds[usize::from(item.urgency())].found += 1;
        }
        for index in chosen {
            kinds[usize::from(self.records[*index].urgency())].shown += 1;
        }
        kinds
    }

    fn draw(&self, index: usize) -> [u8; 8] {
        let id = self.records[index].id.as_str().as_bytes();
        let digest = Digest::of_parts([b"page items 1".as_slice(), &self.seed.to_le_bytes(), id]);
        let mut head = [0; 8];
        head.copy_from_slice(&digest.bytes()[..8]);
        head
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

    /// Length of all its texts.
    fn bytes(&self) -> usize {
        let own = [&self.prompt, &self.response_a, &self.response_b, &self.gold_why];
        let orders = self.judges.iter().flat_map(|row| [&row.ab, &row.ba]).flatten();
        let said = orders.flat_map(|order| [&order.raw, &order.reasoning, &order.why]);
        own.into_iter().chain(said).flatten().map(String::len).sum()
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
            Outcome::FlipFirst | Outcome::FlipSecond | Outcome::Inconsistent => 0,
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
            let table = ItemTable { records: records.clone(), cap, seed: 1, with_texts: None };
            let chosen: Vec<String> = table.chosen().iter().map(usize::to_string).collect();
            chosen.join(" ")
        };
        assert_eq!(shown(1), "3");
        assert_eq!(shown(2), "2 3");
        assert_eq!(shown(3), "1 2 3");
        assert_eq!(shown(4), "0 1 2 3");
    }

    #[test]
    fn within_a_kind_the_seed_decides_and_the_place_does_not() {
        let records: Vec<ItemRecord> = (0..200).map(|id| item(id, Outcome::AWins, Some(true))).collect();
        let ids = |records: &[ItemRecord], seed| {
            let table = ItemTable { records: records.to_vec(), cap: 20, seed, with_texts: None };
            let mut ids: Vec<String> = table.chosen().iter().map(|index| records[*index].id.to_string()).collect();
            ids.sort_unstable();
            ids
        };
        let mut reversed = records.clone();
        reversed.reverse();
        assert_eq!(ids(&records, 1), ids(&reversed, 1));
        assert_ne!(ids(&records, 1), ids(&records, 2));
        let first: Vec<String> = (0..20).map(|id| id.to_string()).collect();
        assert_ne!(ids(&records, 1).len(), ids(&records, 1).iter().filter(|id| first.contains(id)).count());
    }

    #[test]
    fn texts_beyond_the_budget_are_left_out_unless_all_are_asked_for() {
        let giant = |id| ItemRecord { prompt: Some("x".repeat(TEXT_BUDGET / 2 + 1)), ..item(id, Outcome::AWins, None) };
        let records = vec![giant(0), giant(1), item(2, Outcome::AWins, None)];
        let table = ItemTable { records, cap: 10, seed: 1, with_texts: None };
        let chosen = table.chosen();
        assert!(chosen.len() == 2 && chosen.contains(&2), "one giant and what is small: {chosen:?}");
        assert_eq!(table.kinds(&chosen)[3], Kind { shown: 2, found: 3 });
        assert_eq!(ItemTable { cap: usize::MAX, ..table }.chosen().len(), 3);
    }
}
