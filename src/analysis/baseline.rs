//! The dumb judges that every real judge must beat, worked out from what is known of the items.

use super::means::half_credit_of;
use super::outcome::{Accounting, Row, Sheet, Tally};
use super::shares::Cases;
use crate::domain::{ControlKind, GoldSet, ItemFacts, JudgeName, Order, Preference};
use crate::stats::clustered::constant_units;
use crate::stats::resample::t_clustered;
use crate::stats::{Estimate, Figure, Level, NotEstimable, Reason};

/// A control judge whose answers need no asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Baseline {
    /// Always the response shown first.
    First,
    /// Always the response shown second.
    Second,
    /// The longer response; a tie where the lengths are equal.
    Longest,
    /// The shorter response; a tie where the lengths are equal.
    Shortest,
    /// Always a tie.
    Tie,
    /// First or second with even chances, drawn anew for each order.
    Coin,
}

impl Baseline {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 6] = [Self::First, Self::Second, Self::Longest, Self::Shortest, Self::Tie, Self::Coin];

    /// The control judge that this is; only the coin draws from `seed`.
    pub fn control(self, seed: u64) -> ControlKind {
        match self {
            Self::First => ControlKind::First,
            Self::Second => ControlKind::Second,
            Self::Longest => ControlKind::Longest,
            Self::Shortest => ControlKind::Shortest,
            Self::Tie => ControlKind::Tie,
            Self::Coin => ControlKind::Coin { seed },
        }
    }

    /// The name of the control judge.
    pub fn name(self) -> &'static str {
        self.control(0).name()
    }

    /// The verdicts in both orders as identities; `None` where the lengths are not known.
    fn verdicts(self, item: &ItemFacts, seed: u64) -> Option<[Preference; 2]> {
        let said = |order: Order| {
            let verdict = self.control(seed).verdict(&item.id, item.into(), order, 0)?;
            Some(order.identify(verdict))
        };
        Some([said(Order::Ab)?, said(Order::Ba)?])
    }

    /// The half-credit score to expect on this item. The coin's is an expectation, so that no draw decides a gate:
    /// against a decisive label ¼ right, ¼ wrong, ½ inconsistent; against a tie ½ inconsistent.
    fn expected_credit(self, item: &ItemFacts, gold: Preference) -> Option<f64> {
        if self == Self::Coin {
            return Some(if gold.is_decisive() { 0.5 } else { 0.75 });
        }
        let [ab, ba] = self.verdicts(item, 0)?;
        Some(half_credit_of(gold, if ab == ba { ab } else { Preference::Tie }))
    }

    /// What this control would have said about every item of the set, identical responses left out: the answers that
    /// the judge `control:coin?seed=SEED` and its like give when they are asked.
    pub fn sheet(self, gold: &GoldSet, seed: u64) -> Sheet {
        let mut accounting = Accounting::default();
        let mut rows = Vec::new();
        for (index, item) in gold.items.iter().enumerate() {
            if item.identical {
                accounting.identical += 1;
                continue;
            }
            if let Some([ab, ba]) = self.verdicts(item, seed) {
                rows.push(Row {
                    item: index,
                    repeat: 0,
                    ab: Some(ab),
                    ba: Some(ba),
                    folded: false,
                    folded_inconsistent: false,
                    planned: 2,
                });
            }
        }
        let tally = Tally { planned: rows.len() as u64, judged: rows.len() as u64, none: [0; 6] };
        accounting.ab = tally;
        accounting.ba = tally;
        Sheet { judge: JudgeName::from(self.name()), rows, accounting }
    }
}

/// The advantage over one control: the judge's half-credit score minus the control's, paired by item.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Advantage {
    pub over: Baseline,
    pub shown: Figure,
    pub deciding: Figure,
}

/// The advantage over every control that applies, but not over `own` (a control on trial is not compared with itself).
pub(super) fn advantages(cases: &Cases, own: &str) -> Vec<Advantage> {
    let is_own = |baseline: Baseline| own == baseline.name() || own.starts_with(&format!("{}?", baseline.name()));
    Baseline::ALL
        .into_iter()
        .filter(|baseline| !is_own(*baseline))
        .filter_map(|over| {
            let units = cases.sums_by_unit(2, |case| {
                let (gold, combined) = case.gold.zip(case.combined)?;
                let control = over.expected_credit(case.item, gold)?;
                Some(vec![(0, half_credit_of(gold, combined) - control), (1, 1.0)])
            });
            (!units.is_empty()).then(|| Advantage {
                over,
                shown: mean_difference(&units, Level::P95),
                deciding: mean_difference(&units, Level::P90),
            })
        })
        .collect()
}

/// A mean of differences in −1..=1 over units given as (sum, weight), with the t interval.
pub(super) fn mean_difference(units: &[Vec<f64>], level: Level) -> Figure {
    let n: f64 = units.iter().map(|unit| unit[1]).sum();
    let pairs: Vec<(f64, f64)> = units.iter().map(|unit| (unit[0], unit[1])).collect();
    match t_clustered(&pairs, level) {
        Err(absence) if absence.reason == Reason::Constant => {
            let point = pairs.iter().map(|(sum, _)| sum).sum::<f64>() / n;
            Ok(Estimate { n: whole(n), ..constant_units(point, pairs.len() as u64, [-1.0, 1.0], level) })
        }
        Ok(e) => Ok(Estimate { n: whole(n), lower: e.lower.max(-1.0), upper: e.upper.min(1.0), ..e }),
        Err(absence) => Err(absence),
    }
}

/// The smallest advantage. A control that is not beaten for sure (its whole interval at or below zero) comes before one that
/// may or may not be; among equals the one whose deciding interval starts lowest.
pub(super) fn smallest(advantages: &[Advantage]) -> Option<&Advantage> {
    let bounds = |advantage: &Advantage| {
        advantage.deciding.as_ref().map_or((true, f64::NEG_INFINITY), |estimate| (estimate.upper > 0.0, estimate.lower))
    };
    advantages.iter().min_by(|x, y| {
        let ((open_x, lower_x), (open_y, lower_y)) = (bounds(x), bounds(y));
        open_x.cmp(&open_y).then(lower_x.total_cmp(&lower_y))
    })
}

/// The absence where no control applies.
pub(super) fn no_control(has_gold: bool) -> NotEstimable {
    NotEstimable::because(if has_gold { Reason::Empty } else { Reason::NoGold })
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn whole(count: f64) -> u64 {
    count.round() as u64
}
