//! Means of scores that are no plain shares: each order's hits, half credit for ties.

use super::shares::{Case, Cases, judged};
use crate::domain::Preference;
use crate::stats::bounded::wilson_mean;
use crate::stats::{Estimate, Figure, Level, NotEstimable, Reason};

/// Mean over the orders of (verdict == gold), over rows with gold; a missing verdict is wrong.
pub(super) fn mean_of_orders(cases: &Cases) -> Figure {
    if !cases.all.iter().any(|case| case.row.has_direction() && case.gold.is_some()) {
        let reason = match (cases.known.gold, cases.known.folded) {
            (false, _) => Reason::NoGold,
            (true, true) => Reason::DirectionUnknown,
            (true, false) => Reason::Empty,
        };
        return Err(NotEstimable::with_n(reason, 0));
    }
    let hits = |case: &Case| {
        let gold = case.gold?;
        (!case.row.folded).then(|| case.row.singles().filter(|(_, said)| *said == gold).count() as f64)
    };
    let k_half: f64 = cases.all.iter().filter_map(hits).sum();
    let n = cases.all.iter().filter_map(hits).count() as u64;
    let groups = cases.sums_by_unit(2, |case| hits(case).map(|k| vec![(0, k / 2.0), (1, 1.0)]));
    mean_figure(&groups, n).map(|estimate| Estimate { k_half: Some(whole(k_half)), ..estimate })
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn whole(count: f64) -> u64 {
    count.round() as u64
}

/// Half-credit score of a verdict: 1 for the right class, ½ where exactly one side is a tie, else 0.
pub(super) fn half_credit_of(gold: Preference, said: Preference) -> f64 {
    match (gold == said, gold.is_decisive() && said.is_decisive()) {
        (true, _) => 1.0,
        (false, true) => 0.0,
        (false, false) => 0.5,
    }
}

pub(super) fn half_credit(cases: &Cases, level: Level) -> Figure {
    let score = |case: &Case| judged(case).map(|(gold, combined)| half_credit_of(gold, combined));
    let n = cases.all.iter().filter_map(score).count() as u64;
    if n == 0 {
        return Err(NotEstimable::with_n(if cases.known.gold { Reason::Empty } else { Reason::NoGold }, 0));
    }
    let groups = cases.sums_by_unit(2, |case| score(case).map(|s| vec![(0, s), (1, 1.0)]));
    let k_half: f64 = cases.all.iter().filter_map(score).sum::<f64>() * 2.0;
    mean_at(&groups, n, level).map(|estimate| Estimate { k_half: Some(whole(k_half)), ..estimate })
}

fn mean_figure(groups: &[Vec<f64>], n: u64) -> Figure {
    mean_at(groups, n, Level::P95)
}

/// A mean of scores in 0..=1 over units given as (sum, weight).
pub(super) fn mean_at(groups: &[Vec<f64>], n: u64, level: Level) -> Figure {
    let pairs: Vec<(f64, f64)> = groups.iter().map(|unit| (unit[0], unit[1])).collect();
    wilson_mean(&pairs, level).map(|estimate| Estimate { n, ..estimate })
}
