//! Is a share, or a change between two paired arms, more than chance? Exact tests on counts.

use super::special::{binomial_cdf, binomial_pmf, binomial_sf};

/// Relative slack within which two probabilities count as equally likely, as in R's `binom.test`.
const TIE_SLACK: f64 = 1e-7;

/// Exact two-sided p-value of "the probability is `p0`" after `k` of `n`.
///
/// - Estimates: the chance, under `p0`, of an outcome no more likely than the one seen (minimum likelihood).
/// - Formula: `Σ pmf(j)` over all `j` with `pmf(j) <= pmf(k)·(1 + 1e-7)`.
/// - Assumes: independent trials with one probability.
/// - No data (`n = 0`), or counts or `p0` outside their domain: 1, as nothing speaks against `p0`.
/// - Cost: a bisection for the other tail, then two incomplete beta functions.
/// - Source: the definition of R's `binom.test`. Pinned by the family `binomial_tests` and
///   `known_binomial_tests_are_reproduced`.
pub fn binomial_test(k: u64, n: u64, p0: f64) -> f64 {
    if n == 0 || k > n || !(0.0..=1.0).contains(&p0) {
        return 1.0;
    }
    let limit = binomial_pmf(k, n, p0) * (1.0 + TIE_SLACK);
    let mean = n as f64 * p0;
    if k as f64 == mean {
        return 1.0;
    }
    let p = if (k as f64) < mean {
        let first = first_at_most(limit, mean, n, p0);
        binomial_cdf(k, n, p0) + first.map_or(0.0, |j| upper_tail(j, n, p0))
    } else {
        let last = last_at_most(limit, mean, n, p0);
        upper_tail(k, n, p0) + last.map_or(0.0, |j| binomial_cdf(j, n, p0))
    };
    p.min(1.0)
}

/// Probability of `k` or more successes in `n` trials of probability `p`.
pub fn upper_tail(k: u64, n: u64, p: f64) -> f64 {
    if k == 0 { 1.0 } else { binomial_sf(k - 1, n, p) }
}

/// One-sided and mid-p values of an exact binomial test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BinomialTails {
    /// Probability of `k` or fewer.
    pub less: f64,
    /// Probability of `k` or more.
    pub greater: f64,
    /// `less` with half of the probability of exactly `k`.
    pub mid_less: f64,
    /// `greater` with half of the probability of exactly `k`.
    pub mid_greater: f64,
    /// Twice the smaller mid-p tail, at most 1.
    pub mid_two_sided: f64,
}

/// The tails of "the probability is `p0`" after `k` of `n`, plain and mid-p.
///
/// - Estimates: one-sided p-values; the mid-p ones are less conservative but not guaranteed.
/// - Formula: `P(X <= k)`, `P(X >= k)`, each also minus `½·P(X = k)`.
/// - Assumes: independent trials with one probability.
/// - `n = 0`: 1 and ½, as the formula says.
/// - Cost: two incomplete beta functions.
/// - Source: Lancaster 1961, JASA 56 (mid-p). Pinned by the family `binomial_tests`.
pub fn binomial_tails(k: u64, n: u64, p0: f64) -> BinomialTails {
    let less = binomial_cdf(k, n, p0);
    let greater = upper_tail(k, n, p0);
    let half = binomial_pmf(k, n, p0) / 2.0;
    let (mid_less, mid_greater) = (less - half, greater - half);
    BinomialTails { less, greater, mid_less, mid_greater, mid_two_sided: (2.0 * mid_less.min(mid_greater)).min(1.0) }
}

/// McNemar's test of two paired arms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct McNemar {
    /// Pairs that only the first arm got right.
    pub b: u64,
    /// Pairs that only the second arm got right.
    pub c: u64,
    /// Exact conditional p-value, for gates: never above its nominal size.
    pub p_exact: f64,
    /// Mid-p value, for display: closer to its nominal size.
    pub p_mid: f64,
}

/// Whether two paired arms differ, from the discordant pairs alone.
///
/// - Estimates: the chance of a split at least as uneven as `b : c` if neither arm is better.
/// - Formula: exact `min(1, 2·BinomCDF(min(b,c); b+c, ½))`; mid-p subtracts `pmf(min(b,c))` (and is 1 at `b = c` at
///   most).
/// - Assumes: independent pairs.
/// - No discordant pair: p = 1 ("identical on every item"), never 0.
/// - Cost: one incomplete beta function.
/// - Source: McNemar 1947; Fagerland, Lydersen and Laake 2013, BMC Med. Res. Methodol. 13:91. Pinned by
///   the family `mcnemar` and by `fagerlands_published_example_is_reproduced`.
pub fn mcnemar(b: u64, c: u64) -> McNemar {
    let discordant = b + c;
    if discordant == 0 {
        return McNemar { b, c, p_exact: 1.0, p_mid: 1.0 };
    }
    let fewer = b.min(c);
    let doubled = 2.0 * binomial_cdf(fewer, discordant, 0.5);
    let p_mid = (doubled - binomial_pmf(fewer, discordant, 0.5)).min(1.0);
    McNemar { b, c, p_exact: doubled.min(1.0), p_mid }
}

/// How many paired differences point up and down, and whether that is chance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SignTest {
    /// Differences above zero.
    pub positive: u64,
    /// Differences below zero.
    pub negative: u64,
    /// Exact two-sided p-value; 1 where every difference is zero.
    pub p: f64,
}

/// The sign test of paired differences; zeros say nothing and are left out.
///
/// - Estimates: the chance of a split at least as uneven if up and down are equally likely.
/// - Formula: [`binomial_test`] of the positive ones among the non-zero, at ½.
/// - Assumes: independent pairs.
/// - No non-zero difference: p = 1.
/// - Cost: linear.
/// - Source: Arbuthnott 1710; Conover 1999, section 3.4. Pinned by the family `permutation`, kind `sign_test`.
pub fn sign_test(differences: &[f64]) -> SignTest {
    let positive = differences.iter().filter(|d| **d > 0.0).count() as u64;
    let negative = differences.iter().filter(|d| **d < 0.0).count() as u64;
    SignTest { positive, negative, p: binomial_test(positive, positive + negative, 0.5) }
}

/// The smallest `j` above the mean with `pmf(j) <= limit`; the probabilities fall from the mean on.
fn first_at_most(limit: f64, mean: f64, n: u64, p: f64) -> Option<u64> {
    let (mut low, mut high) = (whole(mean.ceil()).min(n), n);
    if binomial_pmf(high, n, p) > limit {
        return None;
    }
    while low < high {
        let middle = low + (high - low) / 2;
        if binomial_pmf(middle, n, p) <= limit { high = middle } else { low = middle + 1 }
    }
    Some(high)
}

/// The largest `j` below the mean with `pmf(j) <= limit`; the probabilities rise up to the mean.
fn last_at_most(limit: f64, mean: f64, n: u64, p: f64) -> Option<u64> {
    let (mut low, mut high) = (0, whole(mean.floor()).min(n));
    if binomial_pmf(low, n, p) > limit {
        return None;
    }
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if binomial_pmf(middle, n, p) <= limit { low = middle } else { high = middle - 1 }
    }
    Some(low)
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn whole(value: f64) -> u64 {
    value as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, wanted: f64, tolerance: f64) {
        assert!((found - wanted).abs() < tolerance, "found {found}, wanted {wanted}");
    }

    /// Conover's Mendelian example (682 of 925 at 3/4) in R's `binom.test` help page, and small cases by hand.
    #[test]
    fn known_binomial_tests_are_reproduced() {
        close(binomial_test(682, 925, 0.75), 0.3825, 5e-5);
        close(binomial_test(0, 5, 0.5), 0.0625, 1e-12);
        close(binomial_test(9, 10, 0.5), 22.0 / 1024.0, 1e-12);
        close(binomial_test(3, 3, 0.1), 0.001, 1e-12);
    }

    #[test]
    fn the_two_sided_p_value_equals_the_sum_over_all_outcomes() {
        for (n, p0) in [(1, 0.3), (9, 0.5), (20, 0.07), (31, 0.9), (60, 0.33)] {
            for k in 0..=n {
                let limit = binomial_pmf(k, n, p0) * (1.0 + TIE_SLACK);
                let sum: f64 = (0..=n).map(|j| binomial_pmf(j, n, p0)).filter(|&mass| mass <= limit).sum();
                close(binomial_test(k, n, p0), sum.min(1.0), 1e-10);
            }
        }
    }

    #[test]
    fn no_information_speaks_against_nothing() {
        assert_eq!(binomial_test(0, 0, 0.5), 1.0);
        assert_eq!(mcnemar(0, 0), McNemar { b: 0, c: 0, p_exact: 1.0, p_mid: 1.0 });
        assert_eq!(sign_test(&[0.0, 0.0]), SignTest { positive: 0, negative: 0, p: 1.0 });
    }

    /// Fagerland, Lydersen and Laake 2013, table 1 (airway hyper-responsiveness: 1 against 7) and its p-values.
    #[test]
    fn fagerlands_published_example_is_reproduced() {
        let test = mcnemar(1, 7);
        close(test.p_exact, 0.0703, 5e-5);
        close(test.p_mid, 0.0391, 5e-5);
    }

    #[test]
    fn exchanging_the_arms_keeps_the_p_value() {
        for (b, c) in [(0, 4), (3, 9), (10, 10), (100, 61)] {
            assert_eq!(mcnemar(b, c).p_exact, mcnemar(c, b).p_exact);
            assert!(mcnemar(b, c).p_mid <= mcnemar(b, c).p_exact);
        }
    }

    #[test]
    fn zeros_do_not_move_the_sign_test() {
        assert_eq!(sign_test(&[1.0, 0.0, -0.5, 1.0, 1.0]).p, sign_test(&[1.0, -0.5, 1.0, 1.0]).p);
    }
}
