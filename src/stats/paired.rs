//! By how much do two paired arms differ? Intervals from the four cells, and McNemar's asymptotic tests for comparison.

use super::estimate::{Estimate, Figure, Level, NotEstimable, Reason};
use super::proportion::{clopper_pearson, two_sided_z, wilson};
use super::special::chi_square_sf;

/// Counts of items by whether each of two arms got them right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairedTable {
    /// Both right.
    pub both: u64,
    /// Only the first right.
    pub first_only: u64,
    /// Only the second right.
    pub second_only: u64,
    /// Neither right.
    pub neither: u64,
}

impl PairedTable {
    /// Number of items.
    pub fn n(&self) -> u64 {
        self.both + self.first_only + self.second_only + self.neither
    }
}

/// McNemar's chi-square statistic with its p-value, plain and with continuity correction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct McNemarChiSquare {
    /// `(b − c)²/(b + c)`.
    pub statistic: f64,
    /// Its p-value.
    pub p: f64,
    /// `(|b − c| − 1)²/(b + c)`, 0 where `|b − c| <= 1`.
    pub corrected: f64,
    /// Its p-value.
    pub corrected_p: f64,
}

/// McNemar's asymptotic tests, for comparison with others' output; decide on [`mcnemar`](super::binomial::mcnemar).
///
/// - Estimates: as there, for many discordant pairs (25 or more).
/// - Formula: see [`McNemarChiSquare`]; one degree of freedom.
/// - Assumes: independent pairs.
/// - Not estimable: no discordant pair (`empty`).
/// - Cost: constant. Source: McNemar 1947; Edwards 1948 (correction, with R's floor at zero). Pinned by the family
///   `mcnemar`.
pub fn mcnemar_chi_square(b: u64, c: u64) -> Result<McNemarChiSquare, NotEstimable> {
    if b + c == 0 {
        return Err(NotEstimable::with_n(Reason::Empty, 0));
    }
    let apart = b.abs_diff(c);
    let discordant = (b + c) as f64;
    let square = |value: u64| (value as f64).powi(2) / discordant;
    let (statistic, corrected) = (square(apart), square(apart.saturating_sub(1)));
    Ok(McNemarChiSquare {
        statistic,
        p: chi_square_sf(statistic, 1.0),
        corrected,
        corrected_p: chi_square_sf(corrected, 1.0),
    })
}

/// The difference of two paired shares (first minus second) with Tango's score interval (method `tango`): the default.
///
/// - Estimates: `P(first right) − P(second right)` over the same items.
/// - Formula: the differences `d` with `|b − c − n·d| <= z·√(n·(2q + d(1−d)))`, `q` the constrained estimate of the
///   second discordant share; by bisection on each side.
/// - Assumes: independent items.
/// - Not estimable: no item (`empty`).
/// - Cost: two bisections. Source: Tango 1998, Statistics in Medicine 17. Pinned by the family `mcnemar` and by
///   `fagerlands_published_intervals_are_reproduced`.
pub fn tango_difference(table: PairedTable, level: Level) -> Figure {
    let n = table.n();
    if n == 0 {
        return Err(NotEstimable::with_n(Reason::Empty, 0));
    }
    let z = two_sided_z(level);
    let (size, b, c) = (n as f64, table.first_only as f64, table.second_only as f64);
    let point = (b - c) / size;
    let inside = |d: f64| {
        let middle = (2.0 * size - b + c) * d - b - c;
        let root = (middle * middle + 8.0 * size * c * d * (1.0 - d)).max(0.0).sqrt();
        let q = (root - middle) / (4.0 * size);
        (b - c - size * d).powi(2) <= z * z * size * (2.0 * q + d * (1.0 - d)).max(0.0)
    };
    let limit = |end: f64| {
        if inside(end) {
            return end;
        }
        let (mut held, mut out) = (point, end);
        for _ in 0..200 {
            let middle = f64::midpoint(held, out);
            if middle == held || middle == out {
                break;
            }
            if inside(middle) {
                held = middle;
            } else {
                out = middle;
            }
        }
        held
    };
    Ok(difference(point, (limit(-1.0), limit(1.0)), n, level, "tango"))
}

/// The difference of two paired shares with Newcombe's hybrid interval (method `newcombe_paired`).
///
/// - Estimates: as [`tango_difference`].
/// - Formula: Wilson limits of both margins joined as for independent shares, with the correlation `φ` of the table
///   taken off: `d − √((p1−l1)² − 2φ(p1−l1)(u2−p2) + (u2−p2)²)` and its mirror.
/// - Assumes: independent items.
/// - Not estimable: no item (`empty`).
/// - Cost: constant. Source: Newcombe 1998, Statistics in Medicine 17, p. 2635, method 10. Pinned by the family
///   `mcnemar`.
pub fn newcombe_paired_difference(table: PairedTable, level: Level) -> Figure {
    let n = table.n();
    let first = wilson(table.both + table.first_only, n, level)?;
    let second = wilson(table.both + table.second_only, n, level)?;
    let phi = phi(table);
    let joined = |one: f64, other: f64| (one * one - 2.0 * phi * one * other + other * other).max(0.0).sqrt();
    let point = (table.first_only as f64 - table.second_only as f64) / n as f64;
    let below = joined(first.point - first.lower, second.upper - second.point);
    let above = joined(first.upper - first.point, second.point - second.lower);
    Ok(difference(point, (point - below, point + above), n, level, "newcombe_paired"))
}

/// The correlation of the table, with Newcombe's continuity correction where it is positive.
fn phi(table: PairedTable) -> f64 {
    let PairedTable { both, first_only, second_only, neither } = table;
    let margins = (both + first_only) as f64
        * (second_only + neither) as f64
        * (both + second_only) as f64
        * (first_only + neither) as f64;
    if margins == 0.0 {
        return 0.0;
    }
    let excess = both as f64 * neither as f64 - first_only as f64 * second_only as f64;
    let corrected = if excess > 0.0 { (excess - table.n() as f64 / 2.0).max(0.0) } else { excess };
    corrected / margins.sqrt()
}

/// The odds ratio of a matched table: how many times as often only the first arm is right.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MatchedOdds {
    /// `b/c`; infinite where `c` is 0.
    pub ratio: f64,
    /// Lower limit.
    pub lower: f64,
    /// Upper limit; infinite where `c` is 0.
    pub upper: f64,
}

/// The matched odds ratio `b/c` with the exact interval.
///
/// - Estimates: the ratio of the two discordant probabilities.
/// - Formula: Clopper-Pearson limits `p` of `b` in `b + c`, as `p/(1 − p)`.
/// - Assumes: independent pairs.
/// - Not estimable: no discordant pair (`empty`).
/// - Cost: two inverse beta functions. Source: Breslow and Day 1980. Pinned by the family `mcnemar`.
pub fn matched_odds_ratio(b: u64, c: u64, level: Level) -> Result<MatchedOdds, NotEstimable> {
    let share = clopper_pearson(b, b + c, level)?;
    let odds = |p: f64| if p >= 1.0 { f64::INFINITY } else { p / (1.0 - p) };
    let ratio = if c == 0 { f64::INFINITY } else { b as f64 / c as f64 };
    Ok(MatchedOdds { ratio, lower: odds(share.lower), upper: odds(share.upper) })
}

fn difference(point: f64, (lower, upper): (f64, f64), n: u64, level: Level, method: &'static str) -> Estimate {
    Estimate::within(point, [lower, upper], level.get(), n, method)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn table(both: u64, first_only: u64, second_only: u64, neither: u64) -> PairedTable {
        PairedTable { both, first_only, second_only, neither }
    }

    /// Airway hyper-responsiveness before and after a transplant, 1, 1, 7, 12 of 21 (Fagerland, Lydersen and Laake
    /// 2014, table 6).
    #[test]
    fn fagerlands_published_intervals_are_reproduced() {
        let airways = table(1, 1, 7, 12);
        let tango = tango_difference(airways, Level::P95).unwrap();
        assert!((tango.lower + 0.517).abs() < 5e-4 && (tango.upper + 0.026).abs() < 5e-4, "{tango:?}");
        let newcombe = newcombe_paired_difference(airways, Level::P95).unwrap();
        assert!((newcombe.lower + 0.507).abs() < 5e-4 && (newcombe.upper + 0.026).abs() < 5e-4, "{newcombe:?}");
    }

    #[test]
    fn exchanging_the_arms_mirrors_both_intervals() {
        for (one, other) in [(table(30, 2, 9, 59), table(30, 9, 2, 59)), (table(1, 1, 0, 0), table(1, 0, 1, 0))] {
            for interval in [tango_difference, newcombe_paired_difference] {
                let (a, b) = (interval(one, Level::P95).unwrap(), interval(other, Level::P95).unwrap());
                assert!((a.lower + b.upper).abs() < 1e-9 && (a.upper + b.lower).abs() < 1e-9, "{a:?} {b:?}");
                assert!(a.lower <= a.point && a.point <= a.upper);
            }
        }
    }

    #[test]
    fn identical_arms_still_leave_room_for_a_difference() {
        let figure = tango_difference(table(20, 0, 0, 5), Level::P95).unwrap();
        assert!(figure.point == 0.0 && figure.lower < -0.1 && figure.upper > 0.1);
        assert_eq!(mcnemar_chi_square(0, 0).unwrap_err().reason, Reason::Empty);
        assert_eq!(matched_odds_ratio(0, 0, Level::P95).unwrap_err().reason, Reason::Empty);
        assert_eq!(tango_difference(table(0, 0, 0, 0), Level::P95).unwrap_err().reason, Reason::Empty);
    }

    /// Approval ratings, 86 against 150 of 1,600 (Agresti 1990, p. 350): z = −4.17.
    #[test]
    fn agrestis_approval_ratings_are_reproduced() {
        let test = mcnemar_chi_square(86, 150).unwrap();
        assert!((test.statistic.sqrt() - 4.17).abs() < 5e-3 && test.corrected < test.statistic);
        assert_eq!(mcnemar_chi_square(5, 5).unwrap().corrected_p, 1.0);
    }

    #[test]
    fn a_ratio_without_counterexample_is_infinite_above_only() {
        let odds = matched_odds_ratio(6, 0, Level::P95).unwrap();
        assert!(odds.ratio.is_infinite() && odds.upper.is_infinite() && odds.lower > 1.0);
        assert_eq!(matched_odds_ratio(0, 6, Level::P95).unwrap().lower, 0.0);
    }
}
