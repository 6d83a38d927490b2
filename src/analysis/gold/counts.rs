//! What a set holds: counts by label, length, language and category, and how labels lean.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::Item;
use crate::domain::Preference;
use crate::stats::binomial::binomial_test;
use crate::stats::proportion::wilson;
use crate::stats::resample::quantile_of_sorted;
use crate::stats::{Figure, Level, serialize_figure};

/// Counts of items; lengths are Unicode scalar values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Cell {
    /// Items.
    pub items: u64,
    /// Items with a human answer.
    pub labelled: u64,
    /// Label `a`.
    pub a: u64,
    /// Label `b`.
    pub b: u64,
    /// Label `tie`.
    pub tie: u64,
    /// Ties only because the votes have no plurality.
    pub disputed: u64,
    /// Decisive labels where the better response is the shorter one.
    pub better_is_shorter: u64,
    /// Decisive labels where the better response is the longer one.
    pub better_is_longer: u64,
    /// Decisive labels on responses of equal length.
    pub equal_length: u64,
    /// Items with checks.
    pub with_checks: u64,
}

impl Cell {
    fn add(&mut self, item: &Item<'_>) {
        self.items += 1;
        self.with_checks += u64::from(!item.pair.checks.is_empty());
        let Some(gold) = &item.facts.gold else { return };
        self.labelled += 1;
        self.disputed += u64::from(gold.disputed);
        match gold.label {
            Preference::A => self.a += 1,
            Preference::B => self.b += 1,
            Preference::Tie => self.tie += 1,
        }
        match item.better_is_longer() {
            Some(true) => self.better_is_longer += 1,
            Some(false) => self.better_is_shorter += 1,
            None => self.equal_length += u64::from(gold.label.is_decisive()),
        }
    }

    /// Labels that name a side.
    pub fn decisive(&self) -> u64 {
        self.a + self.b
    }
}

/// Counts of one language and category together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CrossCell {
    /// Language tag, where given.
    pub lang: Option<String>,
    /// Category, where given.
    pub category: Option<String>,
    /// The counts.
    #[serde(flatten)]
    pub cell: Cell,
}

/// What a set holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Counts {
    /// All items.
    pub all: Cell,
    /// Resampling units; equal to the items where nothing is grouped.
    pub groups: u64,
    /// By language tag; items without one are in none.
    pub languages: BTreeMap<String, Cell>,
    /// By category; items without one are in none.
    pub categories: BTreeMap<String, Cell>,
    /// By language and category together, sorted.
    pub cross: Vec<CrossCell>,
    /// Median length of `response_a`; `None` without items.
    pub median_length_a: Option<f64>,
    /// Median length of `response_b`; `None` without items.
    pub median_length_b: Option<f64>,
    /// Median length of the better response; `None` without decisive labels.
    pub median_length_better: Option<f64>,
    /// Median length of the worse response; `None` without decisive labels.
    pub median_length_worse: Option<f64>,
}

impl Counts {
    pub(super) fn of(items: &[Item<'_>]) -> Self {
        let mut all = Cell::default();
        let (mut languages, mut categories, mut cross) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for item in items {
            let (lang, category) = (item.pair.lang.clone(), item.pair.category.clone());
            all.add(item);
            cross.entry((lang.clone(), category.clone())).or_insert_with(Cell::default).add(item);
            if let Some(lang) = lang {
                languages.entry(lang).or_insert_with(Cell::default).add(item);
            }
            if let Some(category) = category {
                categories.entry(category).or_insert_with(Cell::default).add(item);
            }
        }
        let groups: BTreeSet<&str> = items.iter().filter_map(|item| Some(item.pair.group.as_ref()?.as_str())).collect();
        let ungrouped = items.iter().filter(|item| item.pair.group.is_none()).count();
        let median = |side: fn(&Item<'_>) -> Option<u64>| median(items.iter().filter_map(side));
        Self {
            all,
            groups: (groups.len() + ungrouped) as u64,
            languages,
            categories,
            cross: cross.into_iter().map(|((lang, category), cell)| CrossCell { lang, category, cell }).collect(),
            median_length_a: median(|item| item.facts.length_a),
            median_length_b: median(|item| item.facts.length_b),
            median_length_better: median(|item| length_of(item, item.decisive()?)),
            median_length_worse: median(|item| length_of(item, item.decisive()?.swapped())),
        }
    }
}

fn length_of(item: &Item<'_>, side: Preference) -> Option<u64> {
    match side {
        Preference::A => item.facts.length_a,
        Preference::B => item.facts.length_b,
        Preference::Tie => None,
    }
}

fn median(lengths: impl Iterator<Item = u64>) -> Option<f64> {
    let mut sorted: Vec<f64> = lengths.map(|length| length as f64).collect();
    sorted.sort_by(f64::total_cmp);
    quantile_of_sorted(&sorted, 0.5).ok()
}

/// A share that would be one half if nothing leaned.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Lean {
    /// The share, with Wilson's interval at 95 %.
    #[serde(serialize_with = "serialize_figure")]
    pub share: Figure,
    /// Exact two-sided binomial p-value against ½; 1 without data.
    pub p: f64,
}

impl Lean {
    pub(super) fn of(cases: impl Iterator<Item = bool>) -> Self {
        let (mut k, mut n) = (0, 0);
        for case in cases {
            k += u64::from(case);
            n += 1;
        }
        Self { share: wilson(k, n, Level::P95), p: binomial_test(k, n, 0.5) }
    }

    /// True where the lean is more than chance and large enough to matter.
    pub(super) fn is_harmful(&self, options: &super::Options) -> bool {
        let far = |share: f64| (share - 0.5).abs() > options.tolerated_lean;
        self.p < options.significance && self.share.as_ref().is_ok_and(|share| far(share.point))
    }
}

/// What the length of the responses says about the label, over decisive labels.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Lengths {
    /// How often the better response is the longer one, over unequal lengths.
    #[serde(flatten)]
    pub better_is_longer: Lean,
    /// Probability that `a` leads by more characters where `a` is better than where `b` is, ties half: ½ where length
    /// says nothing, 1 where longer is always better, 0 where shorter is (Mann-Whitney U over `n_a·n_b`). `None` without
    /// both classes.
    pub auc: Option<f64>,
}

impl Lengths {
    pub(super) fn of(items: &[Item<'_>]) -> Self {
        let leads = items.iter().filter_map(|item| {
            let lead = item.facts.length_a? as f64 - item.facts.length_b? as f64;
            Some((lead, item.decisive()? == Preference::A))
        });
        Self { better_is_longer: Lean::of(items.iter().filter_map(Item::better_is_longer)), auc: auc(leads.collect()) }
    }
}

/// Area under the curve of a score against a yes-or-no label, from mid-ranks.
fn auc(mut scored: Vec<(f64, bool)>) -> Option<f64> {
    scored.sort_by(|x, y| x.0.total_cmp(&y.0));
    let (mut below, mut twice_u) = (0_u64, 0_u64);
    for tied in scored.chunk_by(|x, y| x.0 == y.0) {
        let yes = tied.iter().filter(|(_, label)| *label).count() as u64;
        let no = tied.len() as u64 - yes;
        twice_u += yes * (2 * below + no);
        below += no;
    }
    let yes = scored.len() as u64 - below;
    (yes > 0 && below > 0).then(|| twice_u as f64 / (2 * yes * below) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_auc_is_the_share_of_pairs_in_order_with_ties_half() {
        let brute = |scored: &[(f64, bool)]| {
            let (mut sum, mut n) = (0.0, 0.0);
            for (x, _) in scored.iter().filter(|(_, label)| *label) {
                for (y, _) in scored.iter().filter(|(_, label)| !*label) {
                    n += 1.0;
                    sum += if x > y {
                        1.0
                    } else if x == y {
                        0.5
                    } else {
                        0.0
                    };
                }
            }
            sum / n
        };
        let scored: Vec<(f64, bool)> = (0..60).map(|i: u32| (f64::from(i * i % 17), i.is_multiple_of(3))).collect();
        assert!((auc(scored.clone()).unwrap_or(9.0) - brute(&scored)).abs() < 1e-12);
        assert_eq!(auc(vec![(1.0, true), (2.0, false)]), Some(0.0));
        assert_eq!(auc(vec![(1.0, true)]), None);
    }
}
