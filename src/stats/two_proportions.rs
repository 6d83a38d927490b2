//! Do two independent shares differ? Fisher's exact test, the pooled z test, and a log odds ratio.
//!
//! The interval of record for the difference is [`newcombe_difference`](super::proportion::newcombe_difference).

use super::estimate::{Estimate, Figure, Level, NotEstimable, Reason};
use super::proportion::two_sided_z;
use super::special::normal_sf;

/// Fisher's exact two-sided p-value of `k1/n1` against `k2/n2`.
///
/// - Estimates: the chance, with both margins fixed, of a table no more likely than the one seen.
/// - Formula: sum of the hypergeometric probabilities up to `1 + 1e-7` times that of the table.
/// - Assumes: independent samples of independent trials.
/// - Empty samples: 1, as nothing speaks for a difference. Counts above their totals are an error (`invalid`).
/// - Cost: linear in the smaller margin. Source: the definition of R's `fisher.test`. Pinned by the family
///   `two_proportions` and by `fishers_tea_is_tasted`.
pub fn fisher_exact(k1: u64, n1: u64, k2: u64, n2: u64) -> Result<f64, NotEstimable> {
    if k1 > n1 || k2 > n2 {
        return Err(NotEstimable::with_n(Reason::Invalid, n1 + n2));
    }
    let successes = k1 + k2;
    let (low, high) = (successes.saturating_sub(n2), successes.min(n1));
    // Weights relative to the lowest table's log weight, by the ratio of neighbours: no factorials, no cancellation.
    let mut logs = vec![0.0];
    for k in low..high {
        let up = (successes - k) as f64 * (n1 - k) as f64;
        let down = (k + 1) as f64 * (n2 + k + 1 - successes) as f64;
        logs.push(logs[logs.len() - 1] + (up / down).ln());
    }
    let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let seen = logs[usize::try_from(k1 - low).unwrap_or(0)];
    let total: f64 = logs.iter().map(|log| (log - top).exp()).sum();
    let tail: f64 = logs.iter().filter(|log| **log <= seen + 1e-7).map(|log| (log - top).exp()).sum();
    Ok((tail / total).min(1.0))
}

/// Two-sided p-value of the z test with pooled variance, for comparison with others' output.
///
/// - Estimates: as [`fisher_exact`], for large samples.
/// - Formula: `z = (p1 − p2)/√(p(1−p)(1/n1 + 1/n2))` with the pooled share `p`.
/// - Assumes: independent samples of independent trials, large.
/// - Not estimable: a sample is empty (`empty`), counts above their totals (`invalid`). No variance (0/n against
///   0/m): 1.
/// - Cost: constant. Source: any textbook. Pinned by the family `two_proportions`.
pub fn pooled_z_test(k1: u64, n1: u64, k2: u64, n2: u64) -> Result<f64, NotEstimable> {
    checked(k1, n1, k2, n2)?;
    let (first, second) = (n1 as f64, n2 as f64);
    let pooled = (k1 + k2) as f64 / (first + second);
    let variance = pooled * (1.0 - pooled) * (1.0 / first + 1.0 / second);
    if variance == 0.0 {
        return Ok(1.0);
    }
    let z = (k1 as f64 / first - k2 as f64 / second) / variance.sqrt();
    Ok(2.0 * normal_sf(z.abs()))
}

/// The log odds ratio of `k1/n1` against `k2/n2` with one half added to every cell (method `haldane`).
///
/// - Estimates: `ln(odds1/odds2)`, finite even with empty cells.
/// - Formula: `ln((k1+½)(n2−k2+½)/((n1−k1+½)(k2+½)))`, Wald interval with `se = √Σ 1/(cell+½)`.
/// - Assumes: independent samples of independent trials.
/// - Not estimable: a sample is empty (`empty`), counts above their totals (`invalid`).
/// - Cost: constant. Source: Haldane 1956; Anscombe 1956. Pinned by the family `two_proportions`.
pub fn haldane_log_odds_ratio(k1: u64, n1: u64, k2: u64, n2: u64, level: Level) -> Figure {
    checked(k1, n1, k2, n2)?;
    let cells = [k1, n1 - k1, k2, n2 - k2].map(|count| count as f64 + 0.5);
    let point = (cells[0] * cells[3] / (cells[1] * cells[2])).ln();
    let se = cells.iter().map(|cell| 1.0 / cell).sum::<f64>().sqrt();
    let half = two_sided_z(level) * se;
    Ok(Estimate::within(point, [point - half, point + half], level.get(), n1 + n2, "haldane"))
}

fn checked(k1: u64, n1: u64, k2: u64, n2: u64) -> Result<(), NotEstimable> {
    if n1 == 0 || n2 == 0 {
        return Err(NotEstimable::with_n(Reason::Empty, n1 + n2));
    }
    if k1 > n1 || k2 > n2 {
        return Err(NotEstimable::with_n(Reason::Invalid, n1 + n2));
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Fisher 1935: three of four cups each way, p = 0.4857; and the convictions of twins (10 of 13 against 2 of 17),
    /// p = 0.0005367.
    #[test]
    fn fishers_tea_is_tasted() {
        assert!((fisher_exact(3, 4, 1, 4).unwrap() - 0.485_714_3).abs() < 1e-6);
        assert!((fisher_exact(10, 13, 2, 17).unwrap() - 0.000_536_7).abs() < 1e-6);
    }

    #[test]
    fn exchanging_the_samples_keeps_every_p_value() {
        for (k1, n1, k2, n2) in [(0, 20, 5, 20), (30, 100, 15, 90), (1, 1, 0, 4)] {
            assert!((fisher_exact(k1, n1, k2, n2).unwrap() - fisher_exact(k2, n2, k1, n1).unwrap()).abs() < 1e-12);
            assert!((pooled_z_test(k1, n1, k2, n2).unwrap() - pooled_z_test(k2, n2, k1, n1).unwrap()).abs() < 1e-12);
        }
    }

    #[test]
    fn samples_without_variance_do_not_differ() {
        assert_eq!(pooled_z_test(0, 10, 0, 12), Ok(1.0));
        assert_eq!(fisher_exact(0, 10, 0, 12), Ok(1.0));
        assert_eq!(fisher_exact(0, 0, 3, 12), Ok(1.0));
        assert_eq!(pooled_z_test(0, 0, 3, 12).unwrap_err().reason, Reason::Empty);
        assert_eq!(fisher_exact(5, 4, 3, 12).unwrap_err().reason, Reason::Invalid);
    }

    #[test]
    fn empty_cells_leave_the_log_odds_ratio_finite() {
        let figure = haldane_log_odds_ratio(0, 10, 0, 10, Level::P95).unwrap();
        assert!(figure.point == 0.0 && figure.lower.is_finite() && (figure.lower + figure.upper).abs() < 1e-12);
    }
}
