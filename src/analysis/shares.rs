//! The shares, each defined once by what one row adds to `(k, n)`, and the rows they are counted over.

use super::outcome::{Outcome, Row};
use crate::domain::{GoldSet, ItemFacts, Order, Preference, Verdict};
use crate::stats::clustered::wilson_clustered;
use crate::stats::proportion::wilson;
use crate::stats::{Figure, Level, NotEstimable, Reason};

/// From this number of units on, a bootstrap over them holds its level; below it the t interval does.
pub(super) const FEW_UNITS: u64 = 20;

/// One row with what is known of its item.
pub(super) struct Case<'a> {
    pub row: &'a Row,
    pub item: &'a ItemFacts,
    pub gold: Option<Preference>,
    pub combined: Option<Preference>,
}

/// What the recording of a judge holds at all.
#[derive(Clone, Copy)]
pub(super) struct Known {
    /// Some rows are folds of unknown direction.
    pub folded: bool,
    /// Some item has a label.
    pub gold: bool,
    /// Some item has both lengths.
    pub lengths: bool,
}

/// The rows of one judge, ready for counting.
pub(super) struct Cases<'a> {
    pub all: Vec<Case<'a>>,
    /// Resampling unit of each case, as an index below `units`.
    pub unit: Vec<usize>,
    /// Number of resampling units.
    pub units: usize,
    /// True where two cases share a unit.
    pub clustered: bool,
    pub known: Known,
}

impl<'a> Cases<'a> {
    /// The rows in `rows`, with units by group, or by item where it has none.
    pub(super) fn new(gold: &'a GoldSet, rows: impl Iterator<Item = &'a Row>) -> Self {
        let cases: Vec<Case> = rows
            .map(|row| {
                let item = &gold.items[row.item];
                Case { row, item, gold: item.gold_label(), combined: row.combined() }
            })
            .collect();
        let mut names = std::collections::HashMap::new();
        let mut unit = Vec::with_capacity(cases.len());
        for case in &cases {
            let next = names.len();
            unit.push(*names.entry(case.item.unit()).or_insert(next));
        }
        Self {
            units: names.len(),
            clustered: names.len() < cases.len(),
            known: Known {
                folded: cases.iter().any(|case| case.row.folded),
                gold: cases.iter().any(|case| case.gold.is_some()),
                lengths: cases.iter().any(|case| case.item.length_a.is_some() && case.item.length_b.is_some()),
            },
            unit,
            all: cases,
        }
    }

    /// Counts of a share: `(k, n)`.
    pub(super) fn count(&self, share: &Share) -> (u64, u64) {
        self.all.iter().map(share.of).fold((0, 0), |(k, n), (dk, dn)| (k + u64::from(dk), n + u64::from(dn)))
    }

    /// Counts of a share for each unit that has any.
    pub(super) fn count_by_unit(&self, share: &Share) -> Vec<(u64, u64)> {
        let mut counts = vec![(0, 0); self.units];
        for (case, unit) in self.all.iter().zip(&self.unit) {
            let (k, n) = (share.of)(case);
            counts[*unit].0 += u64::from(k);
            counts[*unit].1 += u64::from(n);
        }
        counts.retain(|(_, n)| *n > 0);
        counts
    }

    /// Sums by unit of a vector of each case; cases without one count nothing, and neither do units without any.
    pub(super) fn sums_by_unit(&self, width: usize, of: impl Fn(&Case) -> Option<Vec<(usize, f64)>>) -> Vec<Vec<f64>> {
        let mut sums: Vec<Option<Vec<f64>>> = vec![None; self.units];
        for (case, unit) in self.all.iter().zip(&self.unit) {
            if let Some(entries) = of(case) {
                let sum = sums[*unit].get_or_insert_with(|| vec![0.0; width]);
                for (index, value) in entries {
                    sum[index] += value;
                }
            }
        }
        sums.into_iter().flatten().collect()
    }

    /// Why a share over these cases has no trials.
    pub(super) fn absence(&self, share: &Share) -> Reason {
        match share.needs {
            Needs::Gold | Needs::GoldAndLengths | Needs::GoldAndDirection if !self.known.gold => Reason::NoGold,
            Needs::Lengths | Needs::GoldAndLengths if !self.known.lengths => Reason::NotRecorded,
            Needs::Direction | Needs::GoldAndDirection if self.known.folded => Reason::DirectionUnknown,
            _ => Reason::Empty,
        }
    }

    /// A share with Wilson's interval over rows.
    pub(super) fn wilson(&self, share: &Share, level: Level) -> Figure {
        let (k, n) = self.count(share);
        if n == 0 {
            return Err(NotEstimable::with_counts(self.absence(share), 0, 0));
        }
        wilson(k, n, level)
    }

    /// A share with an interval over units.
    pub(super) fn clustered(&self, share: &Share, level: Level) -> Figure {
        let counts = self.count_by_unit(share);
        if counts.is_empty() {
            return Err(NotEstimable::with_counts(self.absence(share), 0, 0));
        }
        wilson_clustered(&counts, level)
    }
}

/// What a share cannot do without.
#[derive(Clone, Copy)]
pub(super) enum Needs {
    Nothing,
    Gold,
    Direction,
    Lengths,
    GoldAndLengths,
    GoldAndDirection,
}

/// A share, defined by what one case adds to `(k, n)`.
pub(super) struct Share {
    pub name: &'static str,
    pub needs: Needs,
    pub of: fn(&Case) -> (u32, u32),
}

/// One trial with this outcome, or none.
fn trial(outcome: Option<bool>) -> (u32, u32) {
    outcome.map_or((0, 0), |success| (u32::from(success), 1))
}

/// Gold and combined verdict of a judged row.
pub(super) fn judged(case: &Case) -> Option<(Preference, Preference)> {
    case.gold.zip(case.combined)
}

/// Decisive single verdicts with the slot that won.
fn decisive_singles(case: &Case) -> impl Iterator<Item = (Verdict, Preference)> + use<> {
    case.row.singles().filter(|(_, said)| said.is_decisive()).map(|(order, said)| (order.verdict_for(said), said))
}

/// Gold, and whether the combined verdict is wrong, for items with decisive gold and unequal lengths.
fn length_case(case: &Case) -> Option<(Preference, bool, bool)> {
    let (gold, combined) = judged(case)?;
    let longer = case.item.longer()?;
    gold.is_decisive().then_some((combined, gold == longer, combined != gold))
}

fn error_by_length(case: &Case, gold_longer: bool, decisive_only: bool) -> Option<bool> {
    let (combined, longer, wrong) = length_case(case)?;
    (longer == gold_longer && (!decisive_only || combined.is_decisive())).then_some(wrong)
}

fn order_agreement(case: &Case, order: Order) -> Option<bool> {
    let (_, said) = case.row.singles().find(|(asked, _)| *asked == order)?;
    Some(said == case.gold?)
}

fn directed_outcome(case: &Case) -> Option<Outcome> {
    case.row.has_direction().then(|| case.row.outcome())
}

const fn share(name: &'static str, needs: Needs, of: fn(&Case) -> (u32, u32)) -> Share {
    Share { name, needs, of }
}

pub(super) const POSITION_CONSISTENCY: Share = share("position_consistency", Needs::Nothing, |case| {
    trial(case.row.is_two_order().then(|| case.row.is_consistent()))
});
pub(super) const COLLAPSE_FIRST: Share = share("collapse_first", Needs::Direction, |case| {
    trial(directed_outcome(case).and_then(|outcome| match outcome {
        Outcome::FlipFirst => Some(true),
        Outcome::FlipSecond => Some(false),
        _ => None,
    }))
});
pub(super) const COLLAPSE_SECOND: Share = share("collapse_second", Needs::Direction, |case| {
    let (k, n) = (COLLAPSE_FIRST.of)(case);
    (n - k, n)
});
/// Among inconsistent rows: does the sum of +1 for each first win and −1 for each second win lean to the first?
pub(super) const FIRST_LEANING: Share = share("first_leaning", Needs::Direction, |case| {
    if !case.row.has_direction() || case.row.is_consistent() {
        return (0, 0);
    }
    let sum: i32 = decisive_singles(case).map(|(slot, _)| if slot == Verdict::First { 1 } else { -1 }).sum();
    trial((sum != 0).then_some(sum > 0))
});
pub(super) const FIRST_WIN_SINGLE: Share = share("first_win_single", Needs::Direction, |case| {
    decisive_singles(case).fold((0, 0), |(k, n), (slot, _)| (k + u32::from(slot == Verdict::First), n + 1))
});
pub(super) const PREFERS_LONGER_SINGLE: Share = share("prefers_longer_single", Needs::Direction, |case| {
    let Some(longer) = case.item.longer() else { return (0, 0) };
    decisive_singles(case).fold((0, 0), |(k, n), (_, said)| (k + u32::from(said == longer), n + 1))
});
pub(super) const PREFERS_LONGER_COMBINED: Share =
    share("prefers_longer_combined", Needs::Lengths, |case| {
        trial(case.item.longer().and_then(|longer| {
            case.combined.filter(|combined| combined.is_decisive()).map(|combined| combined == longer)
        }))
    });
pub(super) const AGREEMENT_STRICT: Share =
    share("agreement_strict", Needs::Gold, |case| trial(judged(case).map(|(gold, combined)| gold == combined)));
pub(super) const AGREEMENT_BOTH_ORDERS: Share = share("agreement_both_orders", Needs::Gold, |case| {
    trial(
        judged(case)
            .filter(|_| case.row.is_two_order())
            .map(|(gold, _)| case.row.is_consistent() && case.row.ab == Some(gold)),
    )
});
pub(super) const AGREEMENT_EXCL_INCONSISTENT: Share = share("agreement_excl_inconsistent", Needs::Gold, |case| {
    trial(judged(case).filter(|_| case.row.is_consistent()).map(|(gold, combined)| gold == combined))
});
pub(super) const AGREEMENT_AB: Share =
    share("agreement_ab", Needs::GoldAndDirection, |case| trial(order_agreement(case, Order::Ab)));
pub(super) const AGREEMENT_BA: Share =
    share("agreement_ba", Needs::GoldAndDirection, |case| trial(order_agreement(case, Order::Ba)));
pub(super) const AGREEMENT_LENIENT: Share = share("agreement_lenient", Needs::Gold, |case| {
    trial(judged(case).map(|(gold, combined)| gold == combined || !gold.is_decisive() || !combined.is_decisive()))
});
pub(super) const AGREEMENT_DECISIVE: Share = share("agreement_decisive", Needs::Gold, |case| {
    trial(judged(case).filter(|(gold, combined)| gold.is_decisive() && combined.is_decisive()).map(|(g, c)| g == c))
});
pub(super) const AGREEMENT_STRICT_WORST_CASE: Share =
    share("agreement_strict_worst_case", Needs::Gold, |case| trial(case.gold.map(|gold| case.combined == Some(gold))));
pub(super) const GOLD_IS_LONGER: Share =
    share("gold_is_longer", Needs::GoldAndLengths, |case| trial(length_case(case).map(|(_, longer, _)| longer)));
pub(super) const ERROR_GOLD_SHORTER: Share =
    share("error_gold_shorter", Needs::GoldAndLengths, |case| trial(error_by_length(case, false, false)));
pub(super) const ERROR_GOLD_LONGER: Share =
    share("error_gold_longer", Needs::GoldAndLengths, |case| trial(error_by_length(case, true, false)));
pub(super) const ERROR_GOLD_SHORTER_DECISIVE: Share =
    share("error_gold_shorter_decisive", Needs::GoldAndLengths, |case| trial(error_by_length(case, false, true)));
pub(super) const ERROR_GOLD_LONGER_DECISIVE: Share =
    share("error_gold_longer_decisive", Needs::GoldAndLengths, |case| trial(error_by_length(case, true, true)));
pub(super) const PREFERS_LONGER_AT_EQUAL_GOLD: Share =
    share("prefers_longer_at_equal_gold", Needs::GoldAndLengths, |case| {
        if case.gold == Some(Preference::Tie) { (PREFERS_LONGER_COMBINED.of)(case) } else { (0, 0) }
    });
pub(super) const FLIP_RATE: Share = share("flip_rate", Needs::Direction, |case| {
    trial(directed_outcome(case).map(|outcome| matches!(outcome, Outcome::FlipFirst | Outcome::FlipSecond)))
});
pub(super) const FLIP_FIRST_RATE: Share = share("flip_first_rate", Needs::Direction, |case| {
    trial(directed_outcome(case).map(|outcome| outcome == Outcome::FlipFirst))
});
pub(super) const FLIP_SECOND_RATE: Share = share("flip_second_rate", Needs::Direction, |case| {
    trial(directed_outcome(case).map(|outcome| outcome == Outcome::FlipSecond))
});
pub(super) const FLIP_RATE_DECISIVE: Share = share("flip_rate_decisive", Needs::Direction, |case| {
    trial(directed_outcome(case).and_then(|outcome| match outcome {
        Outcome::FlipFirst | Outcome::FlipSecond => Some(true),
        Outcome::AWins | Outcome::BWins => Some(false),
        _ => None,
    }))
});
pub(super) const INCONSISTENCY_RATE: Share = share("inconsistency_rate", Needs::Nothing, |case| {
    let (k, n) = (POSITION_CONSISTENCY.of)(case);
    (n - k, n)
});
pub(super) const ONE_TIE_RATE: Share = share("one_tie_rate", Needs::Direction, |case| {
    trial(case.row.has_direction().then(|| matches!(case.row.outcome(), Outcome::HalfA | Outcome::HalfB)))
});
pub(super) const DECIDED_RATE: Share = share("decided_rate", Needs::Nothing, |case| {
    trial(match case.row.outcome() {
        Outcome::AWins => Some(true),
        Outcome::BWins => Some(false),
        _ => None,
    })
});
pub(super) const DECIDED_COVERAGE: Share = share("decided_coverage", Needs::Nothing, |case| {
    trial(case.row.is_two_order().then(|| matches!(case.row.outcome(), Outcome::AWins | Outcome::BWins)))
});
pub(super) const NO_VERDICT_RATE: Share = share("no_verdict_rate", Needs::Nothing, |case| {
    (u32::from(case.row.planned - case.row.judged()), u32::from(case.row.planned))
});
pub(super) const SINGLE_ORDER_ROWS: Share = share("single_order_rows", Needs::Nothing, |case| {
    trial((case.row.judged() > 0).then(|| case.row.is_single_order()))
});
