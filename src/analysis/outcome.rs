//! From two orders to one outcome: the algebra that everything else counts with.

use serde::Serialize;
use serde::ser::SerializeMap;

use crate::domain::{Folded, GoldSet, JudgeName, Judgment, NoVerdict, Order, Preference, Reading, Said};

/// Both orders of one item together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Both orders name `a`.
    AWins,
    /// Both orders name `b`.
    BWins,
    /// Both orders are ties.
    Tie,
    /// Each order names the response it showed first: position collapse to the first.
    FlipFirst,
    /// Each order names the response it showed second.
    FlipSecond,
    /// One order names `a`, the other is a tie.
    HalfA,
    /// One order names `b`, the other is a tie.
    HalfB,
    /// Two orders that disagreed, folded by someone else: a flip or a half, nobody knows which.
    Inconsistent,
    /// An order is missing.
    NoVerdict,
}

impl Outcome {
    /// All outcomes in the order of every table.
    pub const ALL: [Self; 9] = [
        Self::AWins,
        Self::BWins,
        Self::Tie,
        Self::FlipFirst,
        Self::FlipSecond,
        Self::HalfA,
        Self::HalfB,
        Self::Inconsistent,
        Self::NoVerdict,
    ];

    /// The outcome of the verdicts in both orders, as identities.
    pub fn of(ab: Option<Preference>, ba: Option<Preference>) -> Self {
        use Preference::{A, B, Tie};
        match (ab, ba) {
            (Some(A), Some(A)) => Self::AWins,
            (Some(B), Some(B)) => Self::BWins,
            (Some(Tie), Some(Tie)) => Self::Tie,
            (Some(A), Some(B)) => Self::FlipFirst,
            (Some(B), Some(A)) => Self::FlipSecond,
            (Some(A), Some(Tie)) | (Some(Tie), Some(A)) => Self::HalfA,
            (Some(B), Some(Tie)) | (Some(Tie), Some(B)) => Self::HalfB,
            (None, _) | (_, None) => Self::NoVerdict,
        }
    }

    /// The score of `a`: 1 for a consistent win, 0 for a consistent loss, ½ for everything else that was judged.
    pub fn score(self) -> Option<f64> {
        match self {
            Self::AWins => Some(1.0),
            Self::BWins => Some(0.0),
            Self::NoVerdict => None,
            _ => Some(0.5),
        }
    }

    /// The graded score of `a`: the mean of the two orders' scores. A folded disagreement may be a flip or a half;
    /// ½ is its midpoint.
    pub fn graded_score(self) -> Option<f64> {
        match self {
            Self::HalfA => Some(0.75),
            Self::HalfB => Some(0.25),
            other => other.score(),
        }
    }

    /// The name in every file and table.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AWins => "a_wins",
            Self::BWins => "b_wins",
            Self::Tie => "tie",
            Self::FlipFirst => "flip_first",
            Self::FlipSecond => "flip_second",
            Self::HalfA => "half_a",
            Self::HalfB => "half_b",
            Self::Inconsistent => "inconsistent",
            Self::NoVerdict => "no_verdict",
        }
    }
}

/// One repeat of one item by one judge: both orders side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Row {
    /// Index of the item in the set.
    pub item: usize,
    /// 0 for the first asking.
    pub repeat: u32,
    /// The verdict when `a` was shown first, as an identity.
    pub ab: Option<Preference>,
    /// The verdict when `b` was shown first, as an identity.
    pub ba: Option<Preference>,
    /// True where only the fold of both orders is known: no direction can be read from `ab` and `ba`.
    pub folded: bool,
    /// True for a folded row whose orders disagreed; `ab` and `ba` are then empty.
    pub folded_inconsistent: bool,
    /// Judgments behind this row, with or without a verdict: two, or one where the other order was never planned.
    pub planned: u8,
}

impl Row {
    /// Both orders are known, or were folded.
    pub fn is_two_order(&self) -> bool {
        self.folded || (self.ab.is_some() && self.ba.is_some())
    }

    /// Both orders are known one by one.
    pub fn has_direction(&self) -> bool {
        !self.folded && self.ab.is_some() && self.ba.is_some()
    }

    /// Exactly one order is known.
    pub fn is_single_order(&self) -> bool {
        !self.folded && (self.ab.is_some() != self.ba.is_some())
    }

    /// Both orders agree.
    pub fn is_consistent(&self) -> bool {
        self.is_two_order() && !self.folded_inconsistent && self.ab == self.ba
    }

    /// The verdict of both orders: theirs where they agree, a tie where they do not, the one there is for a single order.
    pub fn combined(&self) -> Option<Preference> {
        if self.folded_inconsistent {
            return Some(Preference::Tie);
        }
        match (self.ab, self.ba) {
            (Some(ab), Some(ba)) => Some(if ab == ba { ab } else { Preference::Tie }),
            (one, other) => one.or(other),
        }
    }

    /// The outcome; a single order is no outcome.
    pub fn outcome(&self) -> Outcome {
        if self.folded_inconsistent { Outcome::Inconsistent } else { Outcome::of(self.ab, self.ba) }
    }

    /// Verdicts that are there, of those planned.
    pub fn judged(&self) -> u8 {
        if self.folded { 2 } else { u8::from(self.ab.is_some()) + u8::from(self.ba.is_some()) }
    }

    /// The single verdicts with the order in which each was given; none for folded rows.
    pub fn singles(&self) -> impl Iterator<Item = (Order, Preference)> + use<> {
        let known = if self.folded { [None, None] } else { [self.ab, self.ba] };
        Order::BOTH.into_iter().zip(known).filter_map(|(order, said)| said.map(|preference| (order, preference)))
    }
}

/// Where every planned judgment went, for one order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Judgments asked for.
    pub planned: u64,
    /// Judgments with a verdict.
    pub judged: u64,
    /// Judgments without, by kind in the order of [`NoVerdict::ALL`].
    pub none: [u64; 6],
}

impl Tally {
    fn add(&mut self, reading: Reading) {
        self.planned += 1;
        match reading {
            Reading::Said(_) => self.judged += 1,
            Reading::None(kind) => {
                let index = NoVerdict::ALL.iter().position(|other| *other == kind);
                self.none[index.expect("NoVerdict::ALL lists every kind")] += 1;
            }
        }
    }

    /// Judgments without a verdict of one kind.
    pub fn count(&self, kind: NoVerdict) -> u64 {
        NoVerdict::ALL.iter().zip(self.none).find(|(other, _)| **other == kind).map_or(0, |(_, count)| count)
    }

    /// Judgments without a verdict.
    pub fn without(&self) -> u64 {
        self.none.iter().sum()
    }

    fn sum(self, other: Self) -> Self {
        let mut none = self.none;
        for (sum, more) in none.iter_mut().zip(other.none) {
            *sum += more;
        }
        Self { planned: self.planned + other.planned, judged: self.judged + other.judged, none }
    }
}

impl Serialize for Tally {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.entries(&mut map)?;
        map.end()
    }
}

impl Tally {
    fn entries<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("planned", &self.planned)?;
        map.serialize_entry("judged", &self.judged)?;
        NoVerdict::ALL.iter().zip(&self.none).try_for_each(|(kind, count)| map.serialize_entry(kind.as_str(), count))
    }
}

/// Where every planned judgment went: planned = judged + unparsed + refused + filtered + truncated + failed + missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Accounting {
    /// Judgments with `a` shown first.
    pub ab: Tally,
    /// Judgments with `b` shown first.
    pub ba: Tally,
    /// Items whose two responses are the same text: a tie that was not asked.
    pub identical: u64,
}

impl Accounting {
    /// Both orders together.
    pub fn total(&self) -> Tally {
        self.ab.sum(self.ba)
    }

    /// The judgments of two judges together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { ab: self.ab.sum(other.ab), ba: self.ba.sum(other.ba), identical: self.identical + other.identical }
    }
}

impl Serialize for Accounting {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.total().entries(&mut map)?;
        map.serialize_entry("identical", &self.identical)?;
        map.serialize_entry("by_order", &ByOrder { ab: self.ab, ba: self.ba })?;
        map.end()
    }
}

#[derive(Serialize)]
struct ByOrder {
    ab: Tally,
    ba: Tally,
}

/// What one judge said, laid out for counting.
#[derive(Debug, Clone, PartialEq)]
pub struct Sheet {
    /// Who judged.
    pub judge: JudgeName,
    /// One row per item and repeat, sorted by item and repeat.
    pub rows: Vec<Row>,
    /// Where every planned judgment went.
    pub accounting: Accounting,
}

impl Sheet {
    /// A sheet without any judgment.
    pub fn empty(judge: &JudgeName, items: &GoldSet) -> Self {
        let identical = items.items.iter().filter(|item| item.identical).count() as u64;
        Self { judge: judge.clone(), rows: Vec::new(), accounting: Accounting { identical, ..Accounting::default() } }
    }
}

/// Lays out the judgments of every judge, judges sorted by name. Judgments of items outside `items` are left out:
/// the loaders refuse them before.
pub fn sheets(items: &GoldSet, judgments: &[Judgment]) -> Vec<Sheet> {
    let index: std::collections::HashMap<&str, usize> =
        items.items.iter().enumerate().map(|(i, item)| (item.id.as_str(), i)).collect();
    let mut by_judge: std::collections::BTreeMap<&JudgeName, Vec<(usize, u32, Said)>> =
        std::collections::BTreeMap::new();
    for judgment in judgments {
        if let Some(item) = index.get(judgment.item.as_str()) {
            by_judge.entry(&judgment.judge).or_default().push((*item, judgment.repeat, judgment.said));
        }
    }
    by_judge.into_iter().map(|(judge, said)| sheet(judge, said, items)).collect()
}

fn sheet(judge: &JudgeName, mut said: Vec<(usize, u32, Said)>, items: &GoldSet) -> Sheet {
    said.sort_by_key(|(item, repeat, _)| (*item, *repeat));
    let mut accounting = Accounting { identical: unasked(items, &said), ..Accounting::default() };
    let mut rows = Vec::new();
    for chunk in said.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
        let mut row = Row {
            item: chunk[0].0,
            repeat: chunk[0].1,
            ab: None,
            ba: None,
            folded: false,
            folded_inconsistent: false,
            planned: 0,
        };
        for (_, _, said) in chunk {
            match *said {
                Said::InOrder(order, reading) => {
                    let (tally, slot) = match order {
                        Order::Ab => (&mut accounting.ab, &mut row.ab),
                        Order::Ba => (&mut accounting.ba, &mut row.ba),
                    };
                    row.planned += 1;
                    tally.add(reading);
                    *slot = reading.verdict().map(|verdict| order.identify(verdict));
                }
                Said::Folded(folded) => fold(&mut row, &mut accounting, folded),
            }
        }
        rows.push(row);
    }
    Sheet { judge: judge.clone(), rows, accounting }
}

/// Items with identical responses that this judge was not asked about; `said` is sorted by item.
fn unasked(items: &GoldSet, said: &[(usize, u32, Said)]) -> u64 {
    let asked = |index: usize| said.binary_search_by_key(&index, |(item, _, _)| *item).is_ok();
    items.items.iter().enumerate().filter(|(index, item)| item.identical && !asked(*index)).count() as u64
}

/// A folded recording stands for a judged pair of orders.
fn fold(row: &mut Row, accounting: &mut Accounting, folded: Folded) {
    for tally in [&mut accounting.ab, &mut accounting.ba] {
        tally.planned += 1;
        tally.judged += 1;
    }
    row.folded = true;
    row.planned = 2;
    let both = match folded {
        Folded::A => Some(Preference::A),
        Folded::B => Some(Preference::B),
        Folded::Tie => Some(Preference::Tie),
        Folded::Inconsistent => None,
    };
    row.folded_inconsistent = both.is_none();
    row.ab = both;
    row.ba = both;
}

#[cfg(test)]
mod tests {
    use super::*;
    use Preference::{A, B, Tie};

    fn row(ab: Option<Preference>, ba: Option<Preference>) -> Row {
        Row { item: 0, repeat: 0, ab, ba, folded: false, folded_inconsistent: false, planned: 2 }
    }

    #[test]
    fn a_judge_that_always_names_the_first_slot_collapses_and_never_wins_for_anyone() {
        let ab = Order::Ab.identify(crate::domain::Verdict::First);
        let ba = Order::Ba.identify(crate::domain::Verdict::First);
        let outcome = Outcome::of(Some(ab), Some(ba));
        assert_eq!(outcome, Outcome::FlipFirst);
        assert_eq!(outcome.score(), Some(0.5));
    }

    #[test]
    fn swapping_the_names_mirrors_the_score() {
        let all = [Some(A), Some(B), Some(Tie), None];
        for ab in all {
            for ba in all {
                let outcome = Outcome::of(ab, ba);
                // Renaming the responses also renames the orders.
                let mirrored = Outcome::of(ba.map(Preference::swapped), ab.map(Preference::swapped));
                let total = outcome.graded_score().zip(mirrored.graded_score()).map(|(x, y)| x + y);
                assert_eq!(total, outcome.score().map(|_| 1.0), "{ab:?} {ba:?}");
            }
        }
    }

    #[test]
    fn one_tie_and_one_win_is_half_a_win_and_no_flip() {
        assert_eq!(Outcome::of(Some(Tie), Some(A)), Outcome::HalfA);
        assert_eq!(Outcome::of(Some(B), Some(Tie)), Outcome::HalfB);
        assert_eq!(Outcome::HalfA.score(), Some(0.5));
        assert_eq!(Outcome::HalfA.graded_score(), Some(0.75));
    }

    #[test]
    fn a_missing_order_is_no_verdict_and_never_a_tie() {
        assert_eq!(row(Some(A), None).outcome(), Outcome::NoVerdict);
        assert_eq!(Outcome::NoVerdict.score(), None);
        assert_eq!(row(Some(A), None).combined(), Some(A));
        assert_eq!(row(None, None).combined(), None);
    }
}
