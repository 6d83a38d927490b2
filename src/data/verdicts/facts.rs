//! What the rows of a recording say about their items. Rows of one item must agree.

use std::collections::HashMap;
use std::fmt::Debug;

use crate::data::error::{Findings, shown};
use crate::data::gold::{Disputed, Given, GoldNotes, given};
use crate::data::row::Row;
use crate::domain::{GroupId, ItemFacts, ItemId, Preference, SystemName, Vote};

/// A value and the line that gave it.
struct Fact<T> {
    value: Option<T>,
    line: u64,
}

impl<T> Default for Fact<T> {
    fn default() -> Self {
        Self { value: None, line: 0 }
    }
}

impl<T: PartialEq + Debug> Fact<T> {
    /// Takes what a further row says; silence contradicts nothing.
    fn agree(&mut self, new: Option<T>, field: &str, row: &mut Row<'_>) {
        match (&self.value, new) {
            (_, None) => {}
            (None, new) => {
                self.value = new;
                self.line = row.line;
            }
            (Some(old), Some(new)) if *old == new => {}
            (Some(old), Some(new)) => {
                let (old, new) = (shown(&format!("{old:?}")), shown(&format!("{new:?}")));
                let text = format!("is {new} at line {} but {old} at line {} for the same item", row.line, self.line);
                row.fail(field, text);
            }
        }
    }
}

#[derive(Default)]
struct Item {
    line: u64,
    group: Fact<GroupId>,
    category: Fact<String>,
    lang: Fact<String>,
    turn: Fact<String>,
    model_a: Fact<String>,
    model_b: Fact<String>,
    length_a: Fact<u64>,
    length_b: Fact<u64>,
    identical: Fact<bool>,
    gold: Fact<Preference>,
    votes: Fact<Vec<Vote>>,
}

/// The items met so far.
#[derive(Default)]
pub(super) struct FactsTable {
    items: Vec<(ItemId, Item)>,
    index: HashMap<String, usize>,
}

impl FactsTable {
    /// Takes what a row says about the item `id`.
    pub(super) fn note(&mut self, row: &mut Row<'_>, id: &str, group: Option<GroupId>) {
        let at = if let Some(&at) = self.index.get(id) {
            at
        } else {
            self.items.push((ItemId(id.to_owned()), Item { line: row.line, ..Item::default() }));
            self.index.insert(id.to_owned(), self.items.len() - 1);
            self.items.len() - 1
        };
        let item = &mut self.items[at].1;
        item.group.agree(group, "group", row);
        let texts = [
            ("category", &mut item.category),
            ("lang", &mut item.lang),
            ("turn", &mut item.turn),
            ("model_a", &mut item.model_a),
            ("model_b", &mut item.model_b),
        ];
        for (field, fact) in texts {
            let value = row.optional_name(field);
            fact.agree(value, field, row);
        }
        for (field, fact) in [("len_a_chars", &mut item.length_a), ("len_b_chars", &mut item.length_b)] {
            let value = row.optional_count(field);
            fact.agree(value, field, row);
        }
        let identical = row.optional_flag("identical");
        item.identical.agree(identical, "identical", row);
        let Given { label, votes } = given(row);
        item.gold.agree(label, "gold", row);
        item.votes.agree(Some(votes).filter(|votes| !votes.is_empty()), "gold_votes", row);
    }

    /// The items with their human answers settled.
    pub(super) fn finish(self, disputed: Disputed, findings: &mut Findings) -> Vec<ItemFacts> {
        let mut notes = GoldNotes::new(disputed);
        let items: Vec<ItemFacts> = self
            .items
            .into_iter()
            .map(|(id, item)| {
                let given = Given { label: item.gold.value, votes: item.votes.value.unwrap_or_default() };
                let gold = notes.settle(id.as_str(), item.line, given);
                ItemFacts {
                    id,
                    group: item.group.value,
                    category: item.category.value,
                    lang: item.lang.value,
                    turn: item.turn.value,
                    model_a: item.model_a.value.map(SystemName),
                    model_b: item.model_b.value.map(SystemName),
                    length_a: item.length_a.value,
                    length_b: item.length_b.value,
                    identical: item.identical.value.unwrap_or(false),
                    gold,
                }
            })
            .collect();
        notes.finish(items.iter().filter_map(ItemFacts::gold_label), findings);
        items
    }
}
