//! How sure is a share? Intervals for `k` of `n`, one-sided bounds, and the difference of two shares.

use super::estimate::{Estimate, Figure, Level, NotEstimable, Reason};
use super::special::{beta_quantile, binomial_cdf, normal_quantile};

/// The share `k/n` with Wilson's score interval (method `wilson`): the interval of every share that is shown.
///
/// - Estimates: the probability behind `k` successes in `n` independent trials.
/// - Formula: `(p + z²/2n ± z·√(p(1-p)/n + z²/4n²)) / (1 + z²/n)`, `z` the normal quantile of the level.
/// - Assumes: independent trials with one probability.
/// - Not estimable: `n = 0` (`empty`), `k > n` (`invalid`).
/// - Cost: constant.
/// - Source: Wilson 1927, JASA 22. Pinned by the family `proportion_intervals` and
///   `published_shares_are_reproduced`.
pub fn wilson(k: u64, n: u64, level: Level) -> Figure {
    checked(k, n)?;
    let (lower, upper) = wilson_limits(k as f64 / n as f64, n as f64, two_sided_z(level));
    let lower = if k == 0 { 0.0 } else { lower };
    let upper = if k == n { 1.0 } else { upper };
    Ok(share(k, n, lower, upper, level, "wilson"))
}

/// The share `k/n` with the exact interval (method `clopper_pearson`): the interval of gates and certificates, never
/// too narrow.
///
/// - Estimates: as [`wilson`].
/// - Formula: `BetaInv(α/2; k, n-k+1)` and `BetaInv(1-α/2; k+1, n-k)`; 0 at `k = 0`, 1 at `k = n`.
/// - Assumes: independent trials with one probability. Covers at least the level.
/// - Not estimable: `n = 0` (`empty`), `k > n` (`invalid`).
/// - Cost: two inverse beta functions.
/// - Source: Clopper and Pearson 1934, Biometrika 26. Pinned by the family `proportion_intervals` and
///   `published_shares_are_reproduced`.
pub fn clopper_pearson(k: u64, n: u64, level: Level) -> Figure {
    checked(k, n)?;
    let tail = level.alpha() / 2.0;
    Ok(share(k, n, exact_lower(k, n, tail), exact_upper(k, n, tail), level, "clopper_pearson"))
}

/// The share `k/n` with the equal-tailed interval of Jeffreys' prior (method `jeffreys`).
///
/// - Estimates: as [`wilson`].
/// - Formula: `BetaInv(α/2; k+½, n-k+½)` and `BetaInv(1-α/2; k+½, n-k+½)`; lower 0 at `k = 0`, upper 1 at `k = n`.
/// - Assumes: independent trials with one probability.
/// - Not estimable: `n = 0` (`empty`), `k > n` (`invalid`).
/// - Cost: two inverse beta functions.
/// - Source: Brown, Cai and DasGupta 2001, Statistical Science 16, with their end rule. Pinned by
///   `proportion_intervals`.
pub fn jeffreys(k: u64, n: u64, level: Level) -> Figure {
    checked(k, n)?;
    let (a, b) = (k as f64 + 0.5, (n - k) as f64 + 0.5);
    let lower = if k == 0 { 0.0 } else { beta_quantile(level.alpha() / 2.0, a, b) };
    let upper = if k == n { 1.0 } else { beta_quantile(1.0 - level.alpha() / 2.0, a, b) };
    Ok(share(k, n, lower, upper, level, "jeffreys"))
}

/// The share `k/n` with the adjusted normal interval (method `agresti_coull`), for comparison with others' output.
///
/// - Estimates: as [`wilson`]. The point is `k/n`; the interval is centred on `(k + z²/2)/(n + z²)`.
/// - Formula: centre `± z·√(centre·(1-centre)/(n + z²))`, cut to 0..=1.
/// - Assumes: independent trials with one probability.
/// - Not estimable: `n = 0` (`empty`), `k > n` (`invalid`).
/// - Cost: constant.
/// - Source: Agresti and Coull 1998, The American Statistician 52. Pinned by the family `proportion_intervals`.
pub fn agresti_coull(k: u64, n: u64, level: Level) -> Figure {
    checked(k, n)?;
    let z = two_sided_z(level);
    let size = n as f64 + z * z;
    let centre = (k as f64 + z * z / 2.0) / size;
    let half = z * (centre * (1.0 - centre) / size).sqrt();
    Ok(share(k, n, (centre - half).max(0.0), (centre + half).min(1.0), level, "agresti_coull"))
}

/// One-sided bounds, each at the full `alpha` in its tail.
///
/// A two-sided 95 % interval used on one side is a 97.5 % bound; these are what "at 95 % confidence, at most" means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OneSided {
    /// With confidence `1 - alpha` the probability is at least this.
    pub lower: f64,
    /// With confidence `1 - alpha` the probability is at most this.
    pub upper: f64,
}

/// Exact one-sided bounds of a share: Clopper-Pearson with all of `alpha` in one tail.
///
/// - Estimates: the smallest and the largest probability that `k` of `n` leaves standing.
/// - Formula: lower `BetaInv(α; k, n-k+1)`, upper `BetaInv(1-α; k+1, n-k)`; at `k = 0` the upper bound is `1 -
///   α^(1/n)`.
/// - Assumes: independent trials with one probability.
/// - Not estimable: `n = 0` (`empty`), `k > n` or `alpha` outside (0, 1) (`invalid`).
/// - Cost: two inverse beta functions.
/// - Source: Clopper and Pearson 1934. Pinned by the families `proportion_intervals` and `min_n_certify`.
pub fn exact_bounds(k: u64, n: u64, alpha: f64) -> Result<OneSided, NotEstimable> {
    checked(k, n)?;
    checked_alpha(alpha)?;
    Ok(OneSided { lower: exact_lower(k, n, alpha), upper: exact_upper(k, n, alpha) })
}

/// Wilson's one-sided bounds of a share.
///
/// - Estimates: as [`exact_bounds`], approximately.
/// - Formula: the limits of [`wilson`] with `z` the normal quantile of `1 - α`.
/// - Assumes: independent trials with one probability.
/// - Not estimable: `n = 0` (`empty`), `k > n` or `alpha` outside (0, 1) (`invalid`).
/// - Cost: constant.
/// - Source: Wilson 1927. Pinned by the family `proportion_intervals`.
pub fn wilson_bounds(k: u64, n: u64, alpha: f64) -> Result<OneSided, NotEstimable> {
    checked(k, n)?;
    checked_alpha(alpha)?;
    let (lower, upper) = wilson_limits(k as f64 / n as f64, n as f64, -normal_quantile(alpha));
    Ok(OneSided { lower: if k == 0 { 0.0 } else { lower }, upper: if k == n { 1.0 } else { upper } })
}

/// The difference `k1/n1 − k2/n2` of two independent shares (method `newcombe`; `n` is `n1 + n2`).
///
/// - Estimates: how much larger the first probability is.
/// - Formula: with Wilson limits `l, u` of each share, `d − √((p1-l1)² + (u2-p2)²)` and `d + √((u1-p1)² + (p2-l2)²)`.
/// - Assumes: two independent samples of independent trials.
/// - Not estimable: a sample is empty (`empty`), `k > n` (`invalid`).
/// - Cost: constant.
/// - Source: Newcombe 1998, Statistics in Medicine 17, p. 873, method 10. Pinned by the family `two_proportions` and by
///   `newcombes_published_example_is_reproduced`.
pub fn newcombe_difference(k1: u64, n1: u64, k2: u64, n2: u64, level: Level) -> Figure {
    let first = wilson(k1, n1, level)?;
    let second = wilson(k2, n2, level)?;
    let point = first.point - second.point;
    let below = (first.point - first.lower).hypot(second.upper - second.point);
    let above = (first.upper - first.point).hypot(second.point - second.lower);
    Ok(Estimate::within(point, [point - below, point + above], level.get(), n1 + n2, "newcombe"))
}

/// The share `k/n` with the percentile interval that a bootstrap with infinitely many resamples would give (method
/// `percentile`).
///
/// - Estimates: as [`wilson`], badly near 0 and 1 (at `k = 0` it is a point): for comparison with others' output only.
/// - Formula: quantiles of Binomial(n, k/n) at `α/2` and `1 − α/2`, over `n`.
/// - Assumes: independent trials with one probability.
/// - Not estimable: `n = 0` (`empty`), `k > n` (`invalid`).
/// - Cost: two bisections. Source: Efron and Tibshirani 1993, section 13.3. Pinned by the family `bootstrap`, kind
///   `exact_binomial`.
pub fn ideal_percentile(k: u64, n: u64, level: Level) -> Figure {
    checked(k, n)?;
    let p = k as f64 / n as f64;
    let quantile = |q: f64| {
        let (mut low, mut high) = (0, n);
        while low < high {
            let middle = low + (high - low) / 2;
            if binomial_cdf(middle, n, p) >= q { high = middle } else { low = middle + 1 }
        }
        high as f64 / n as f64
    };
    let tail = level.alpha() / 2.0;
    Ok(share(k, n, quantile(tail), quantile(1.0 - tail), level, "percentile"))
}

/// The smallest sample that can certify a limit: with `errors` errors in `n` trials the exact one-sided bound is at
/// most `max_error`.
///
/// - Estimates: the smallest `n` with `BinomCDF(errors; n, max_error) <= alpha`.
/// - Assumes: the items are a random sample of the target traffic.
/// - Not estimable: `max_error` or `alpha` outside (0, 1) (`invalid`).
/// - Cost: a doubling search and a bisection, each step one incomplete beta function.
/// - Source: the duality of [`exact_bounds`] with the test. Pinned by the family `min_n_certify` (0 errors below 1 %
///   need 299).
pub fn smallest_certifying_n(errors: u64, max_error: f64, alpha: f64) -> Result<u64, NotEstimable> {
    checked_alpha(alpha)?;
    checked_alpha(max_error)?;
    let certifies = |n: u64| binomial_cdf(errors, n, max_error) <= alpha;
    let mut high = errors + 1;
    while !certifies(high) {
        high = high.checked_mul(2).ok_or(NotEstimable::because(Reason::Invalid))?;
    }
    let mut low = errors;
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if certifies(middle) { high = middle } else { low = middle }
    }
    Ok(high)
}

/// The normal quantile of a two-sided level: 1.96 at 95 %.
pub(crate) fn two_sided_z(level: Level) -> f64 {
    -normal_quantile(level.alpha() / 2.0)
}

/// Wilson's limits for a share `p` of `n`, which need not be whole.
pub(crate) fn wilson_limits(p: f64, n: f64, z: f64) -> (f64, f64) {
    let scale = 1.0 + z * z / n;
    let centre = (p + z * z / (2.0 * n)) / scale;
    let half = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt() / scale;
    ((centre - half).max(0.0), (centre + half).min(1.0))
}

fn exact_lower(k: u64, n: u64, tail: f64) -> f64 {
    if k == 0 { 0.0 } else { beta_quantile(tail, k as f64, (n - k) as f64 + 1.0) }
}

fn exact_upper(k: u64, n: u64, tail: f64) -> f64 {
    // The mirrored lower limit keeps the digits of a small tail, which 1 - tail would lose.
    1.0 - exact_lower(n - k, n, tail)
}

fn checked(k: u64, n: u64) -> Result<(), NotEstimable> {
    if n == 0 {
        return Err(NotEstimable::with_counts(Reason::Empty, k, n));
    }
    if k > n {
        return Err(NotEstimable::with_counts(Reason::Invalid, k, n));
    }
    Ok(())
}

fn checked_alpha(alpha: f64) -> Result<(), NotEstimable> {
    if alpha > 0.0 && alpha < 1.0 { Ok(()) } else { Err(NotEstimable::because(Reason::Invalid)) }
}

fn share(k: u64, n: u64, lower: f64, upper: f64, level: Level, method: &'static str) -> Estimate {
    Estimate { k: Some(k), ..Estimate::within(k as f64 / n as f64, [lower, upper], level.get(), n, method) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn limits(figure: &Figure) -> [f64; 2] {
        let estimate = figure.as_ref().unwrap();
        [estimate.lower, estimate.upper]
    }

    fn close(found: [f64; 2], wanted: [f64; 2], tolerance: f64) {
        for (found, wanted) in found.into_iter().zip(wanted) {
            assert!((found - wanted).abs() < tolerance, "found {found}, wanted {wanted}");
        }
    }

    /// Newcombe 1998, Statistics in Medicine 17, pp. 857-872, table I.
    #[test]
    fn published_shares_are_reproduced() {
        close(limits(&wilson(81, 263, Level::P95)), [0.2553, 0.3662], 5e-5);
        close(limits(&clopper_pearson(81, 263, Level::P95)), [0.2527, 0.3676], 5e-5);
        close(limits(&wilson(15, 148, Level::P95)), [0.0624, 0.1605], 5e-5);
        close(limits(&clopper_pearson(15, 148, Level::P95)), [0.0578, 0.1617], 5e-5);
        close(limits(&wilson(0, 20, Level::P95)), [0.0, 0.1611], 5e-5);
        close(limits(&clopper_pearson(0, 20, Level::P95)), [0.0, 0.1684], 5e-5);
        close(limits(&clopper_pearson(1, 29, Level::P95)), [0.0009, 0.1776], 5e-5);
    }

    /// Newcombe 1998, Statistics in Medicine 17, pp. 873-890, table II: 56/70 against 48/80, method 10.
    #[test]
    fn newcombes_published_example_is_reproduced() {
        close(limits(&newcombe_difference(56, 70, 48, 80, Level::P95)), [0.0524, 0.3339], 5e-5);
        close(limits(&newcombe_difference(10, 10, 0, 10, Level::P95)), [0.6075, 1.0], 5e-5);
    }

    #[test]
    fn zero_errors_in_299_trials_certify_one_percent_and_298_do_not() {
        assert_eq!(smallest_certifying_n(0, 0.01, 0.05), Ok(299));
        assert_eq!(smallest_certifying_n(1, 0.01, 0.05), Ok(473));
        assert!(exact_bounds(0, 299, 0.05).unwrap().upper <= 0.01);
        assert!(exact_bounds(0, 298, 0.05).unwrap().upper > 0.01);
    }

    #[test]
    fn nothing_out_of_nothing_is_not_a_share() {
        let absent = Err(NotEstimable::with_counts(Reason::Empty, 0, 0));
        assert_eq!(wilson(0, 0, Level::P95), absent);
        assert_eq!(clopper_pearson(0, 0, Level::P95), absent);
        assert_eq!(jeffreys(0, 0, Level::P95), absent);
        assert_eq!(newcombe_difference(1, 2, 0, 0, Level::P95), absent);
        assert_eq!(wilson(3, 2, Level::P95), Err(NotEstimable::with_counts(Reason::Invalid, 3, 2)));
    }

    #[test]
    fn counting_the_failures_instead_mirrors_every_interval() {
        for (k, n) in [(0, 7), (3, 7), (12, 40), (39, 40), (123, 100_000)] {
            for interval in [wilson, clopper_pearson, jeffreys, agresti_coull] {
                let [lower, upper] = limits(&interval(k, n, Level::P95));
                close(limits(&interval(n - k, n, Level::P95)), [1.0 - upper, 1.0 - lower], 1e-12);
                assert!(lower <= k as f64 / n as f64 && k as f64 / n as f64 <= upper);
            }
        }
    }

    #[test]
    fn the_exact_interval_covers_at_least_its_level_for_every_probability() {
        let n = 30;
        let bounds: Vec<[f64; 2]> = (0..=n).map(|k| limits(&clopper_pearson(k, n, Level::P95))).collect();
        for percent in 1..100 {
            let p = f64::from(percent) / 100.0;
            let coverage: f64 = (0_u64..)
                .zip(&bounds)
                .filter(|(_, [lower, upper])| *lower <= p && p <= *upper)
                .map(|(k, _)| crate::stats::special::binomial_pmf(k, n, p))
                .sum();
            assert!(coverage >= 0.95 - 1e-12, "coverage {coverage} at {p}");
        }
    }

    /// Twenty trials, every share from 2 % to 98 %: Wilson covers 95.3 % on average and never less than 89 %, the
    /// bootstrap far less.
    #[test]
    fn wilson_covers_its_level_on_average_where_the_percentile_bootstrap_does_not() {
        let coverage = |interval: fn(u64, u64, Level) -> Figure| -> (f64, f64) {
            let bounds: Vec<[f64; 2]> = (0..=20).map(|k| limits(&interval(k, 20, Level::P95))).collect();
            let at = |p: f64| -> f64 {
                let covering = (0_u64..).zip(&bounds).filter(|(_, [lower, upper])| *lower <= p && p <= *upper);
                covering.map(|(k, _)| crate::stats::special::binomial_pmf(k, 20, p)).sum()
            };
            let all: Vec<f64> = (20..=980).map(|thousandth| at(f64::from(thousandth) / 1000.0)).collect();
            (all.iter().sum::<f64>() / all.len() as f64, all.iter().copied().fold(1.0, f64::min))
        };
        let (mean, least) = coverage(wilson);
        assert!((mean - 0.953).abs() < 2e-3 && least > 0.89, "mean {mean}, least {least}");
        let (mean, least) = coverage(ideal_percentile);
        assert!(mean < 0.9 && least < 0.4, "mean {mean}, least {least}");
    }
}
