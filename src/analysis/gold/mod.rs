//! Is this gold set fit to try a judge on? What it holds, and what is wrong with it.
//!
//! The one place of the reading wing that looks at texts. Pure: whoever calls ran the items' checks and hands in what
//! they said. Results do not depend on the order of the items in their file.
//!
//! | rule | severity | found where |
//! |---|---|---|
//! | `no-labels` | error | no item has a human answer |
//! | `single-class` | error | there are labels, and none is `a`, or none is `b` |
//! | `conflicting-duplicates` | error | the same prompt and responses (in either order) carry different labels |
//! | `decisive-on-identical` | error | one of two identical responses is called better |
//! | `checks-contradict-label` | error | exactly one response passes the item's checks, and the label says otherwise |
//! | `few-labels` | warning | fewer than 30 items have a human answer |
//! | `label-imbalance` | warning | `a` is better more or less often than a fair coin would allow |
//! | `no-ties` | warning | no label is a tie |
//! | `length-confounding` | warning | the longer response is better more or less often than a fair coin would allow |
//! | `small-cell` | warning | a language or category has fewer than 10 labels |
//! | `one-sided-cell` | warning | the five or more decisive labels of a language or category all name the same side |
//! | `duplicate-pair` | warning | the same prompt and responses (in either order), with labels that agree |
//! | `near-duplicates` | warning | prompts and responses that are nearly the same, and no common `group` |
//! | `near-duplicates-unfinished` | warning | too much alike to be compared in full |
//! | `repeated-prompt` | warning | one prompt under several items without a common `group` |
//! | `checks-decide-nothing` | warning | a decisive label, and both responses pass the checks, or neither does |
//! | `disputed-label` | warning | the votes have no plurality |
//! | `empty-response` | warning | a response without text |
//! | `identical-responses` | warning | both responses are the same text, and the label is a tie or absent |
//! | `verdict-shaped-text` | warning | a prompt or response holds what a judge's verdict looks like |
//! | `position-leak` | warning | a response begins with the name of a slot |
//! | `missing-label`, `missing-category`, `missing-lang`, `missing-why` | warning | the item lacks the field (`missing-why`: `meta.why` or `attribution`) |
//!
//! Ids used twice never get here: the reader refuses them.

mod balance;
mod counts;
mod duplicates;
mod near;
mod rule;
mod texts;

pub use counts::{Cell, Counts, CrossCell, Lean, Lengths};
pub use rule::Rule;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::domain::{ItemFacts, ItemId, Pair, Preference, Severity};

/// Ids that a finding lists; the others are counted.
const LISTED: usize = 20;

/// What counts as a finding.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// A lean is reported where its exact binomial p-value against ½ is below this.
    pub significance: f64,
    /// … and its share is farther from ½ than this: large sets show small leans that harm nobody.
    pub tolerated_lean: f64,
    /// Jaccard similarity of character 3-grams from which two texts are nearly the same, above 0 and at most 1.
    pub near_duplicate: f64,
    /// Labels that a language or category needs.
    pub smallest_cell: u64,
    /// Labels that the set needs.
    pub smallest_set: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { significance: 0.01, tolerated_lean: 0.1, near_duplicate: 0.8, smallest_cell: 10, smallest_set: 30 }
    }
}

/// Whether each response of an item passes all of the item's checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChecksPassed {
    /// `response_a` passes every check.
    pub a: bool,
    /// `response_b` passes every check.
    pub b: bool,
}

impl ChecksPassed {
    /// The one response that passes; a tie where both or neither do.
    pub fn preference(self) -> Preference {
        match (self.a, self.b) {
            (true, false) => Preference::A,
            (false, true) => Preference::B,
            _ => Preference::Tie,
        }
    }
}

/// One finding about a set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Which rule found it.
    pub rule: Rule,
    /// Errors make the set unfit; warnings make its figures worth less.
    pub severity: Severity,
    /// The first twenty items concerned; empty where the finding is about the set as a whole.
    pub items: Vec<ItemId>,
    /// Number of items concerned, listed or not.
    pub count: usize,
    /// What was found; a fragment without a full stop.
    pub text: String,
    /// What to do about it.
    pub way_out: &'static str,
}

impl Finding {
    fn new<'a>(rule: Rule, items: impl IntoIterator<Item = &'a ItemId>, text: impl Into<String>) -> Self {
        let mut items = items.into_iter();
        let listed: Vec<ItemId> = items.by_ref().take(LISTED).cloned().collect();
        let count = listed.len() + items.count();
        Self { rule, severity: rule.severity(), items: listed, count, text: text.into(), way_out: rule.way_out() }
    }
}

/// What a gold set holds and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GoldLint {
    /// What the set holds.
    pub counts: Counts,
    /// How often `a` is the better one among decisive labels.
    pub better_is_a: Lean,
    /// What length says about the label.
    pub lengths: Lengths,
    /// Errors first, then warnings, each in the order of the rules.
    pub findings: Vec<Finding>,
}

impl GoldLint {
    /// True where nothing was found.
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty()
    }

    /// Number of findings of this severity.
    pub fn count_of(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }
}

/// An item with what is known of it beside its texts.
struct Item<'a> {
    pair: &'a Pair,
    prompt: String,
    facts: ItemFacts,
    checks: Option<ChecksPassed>,
}

impl Item<'_> {
    fn id(&self) -> &ItemId {
        &self.pair.id
    }

    fn label(&self) -> Option<Preference> {
        self.facts.gold_label()
    }

    fn decisive(&self) -> Option<Preference> {
        self.label().filter(|label| label.is_decisive())
    }

    /// Whether the better response is the longer one; `None` for a tie, no label, or equal lengths.
    fn better_is_longer(&self) -> Option<bool> {
        Some(self.decisive()? == self.facts.longer()?)
    }
}

/// Looks at a whole set. `checks_outcomes` holds what the checks said, for items that have any.
///
/// Cost: linear in the texts, but for near-duplicates, which are compared only where they share rare 3-grams, within a
/// bound (`near-duplicates-unfinished`).
pub fn lint(pairs: &[Pair], checks_outcomes: &BTreeMap<ItemId, ChecksPassed>, options: &Options) -> GoldLint {
    let mut items: Vec<Item<'_>> = pairs
        .iter()
        .map(|pair| Item {
            pair,
            prompt: pair.prompt.to_text(),
            facts: pair.facts(),
            checks: checks_outcomes.get(&pair.id).copied(),
        })
        .collect();
    items.sort_by(|x, y| x.id().cmp(y.id()));
    let counts = Counts::of(&items);
    let better_is_a = Lean::of(items.iter().filter_map(|item| Some(item.decisive()? == Preference::A)));
    let lengths = Lengths::of(&items);
    let mut findings = balance::findings(&items, &counts, &better_is_a, &lengths, options);
    findings.extend(duplicates::findings(&items, options));
    findings.extend(texts::findings(&items));
    // A stable sort: within a rule, findings stay in the order in which they were made.
    findings.sort_by_key(|finding| (std::cmp::Reverse(finding.severity), finding.rule));
    GoldLint { counts, better_is_a, lengths, findings }
}

/// `1 item`, `2 items`.
fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests;
