//! How many items does it take, and what could this many have found? Sample sizes, power, smallest detectable effects.

use super::binomial::{binomial_test, upper_tail};
use super::estimate::{Level, NotEstimable, Reason};
use super::proportion::{two_sided_z, wilson_limits};
use super::special::{binomial_cdf, binomial_pmf, normal_quantile};

/// The risks a plan accepts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Risk {
    /// Two-sided chance of finding a difference where there is none.
    pub alpha: f64,
    /// Chance of finding a difference that is there.
    pub power: f64,
}

impl Risk {
    /// 5 % and 80 %: what is used where nothing else is asked for.
    pub const USUAL: Self = Self { alpha: 0.05, power: 0.8 };

    fn quantiles(self) -> Result<(f64, f64), NotEstimable> {
        let inside = |p: f64| p > 0.0 && p < 1.0;
        if !inside(self.alpha) || !inside(self.power) {
            return Err(NotEstimable::because(Reason::Invalid));
        }
        Ok((-normal_quantile(self.alpha / 2.0), normal_quantile(self.power)))
    }
}

/// The smallest sample whose normal interval of a share near `p` has at most this half-width.
///
/// - Formula: `⌈z²·p(1−p)/h²⌉`. Assumes: independent trials.
/// - Not estimable: `half_width` or `p` outside (0, 1] and `[0, 1]` (`invalid`).
/// - Cost: constant. Source: inversion of the Wald interval. Pinned by the family `power`, kind `wald_half_width` (385
///   for ±5 points).
pub fn wald_sample_size(half_width: f64, p: f64, level: Level) -> Result<u64, NotEstimable> {
    if !(half_width > 0.0 && half_width <= 1.0 && (0.0..=1.0).contains(&p)) {
        return Err(NotEstimable::because(Reason::Invalid));
    }
    let z = two_sided_z(level);
    Ok(round_up(z * z * p * (1.0 - p) / (half_width * half_width)).max(1))
}

/// The smallest sample whose Wilson interval has at most this half-width whatever the share.
///
/// - Formula: `⌈z²/4h² − z²⌉`, as the interval is widest at one half. Assumes: independent trials.
/// - Not estimable: `half_width` outside (0, ½] (`invalid`).
/// - Cost: constant. Source: inversion of Wilson 1927. Pinned by the family `power`, kind `wilson_half_width` (381 for
///   ±5 points).
pub fn wilson_sample_size(half_width: f64, level: Level) -> Result<u64, NotEstimable> {
    if !(half_width > 0.0 && half_width <= 0.5) {
        return Err(NotEstimable::because(Reason::Invalid));
    }
    let square = two_sided_z(level).powi(2);
    let mut n = round_up(square / (4.0 * half_width * half_width) - square).max(1);
    let half = |n: u64| {
        let (lower, upper) = wilson_limits(0.5, n as f64, square.sqrt());
        (upper - lower) / 2.0
    };
    // Rounding can leave the closed form one off on either side.
    while half(n) > half_width {
        n += 1;
    }
    while n > 1 && half(n - 1) <= half_width {
        n -= 1;
    }
    Ok(n)
}

/// Outcomes at which an exact two-sided binomial test rejects: at most `low` or at least `high`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rejection {
    low: Option<u64>,
    high: Option<u64>,
}

impl Rejection {
    fn of(n: u64, p0: f64, alpha: f64) -> Self {
        let rejects = |k: u64| binomial_test(k, n, p0) <= alpha;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let centre = ((n as f64 * p0).round() as u64).min(n);
        // On each side of the mean the p-value falls monotonically outwards.
        let (mut inside, mut outside) = (centre, n + 1);
        while outside - inside > 1 {
            let middle = inside + (outside - inside) / 2;
            if rejects(middle) { outside = middle } else { inside = middle }
        }
        let high = (outside <= n).then_some(outside);
        let (mut accepted, mut below) = (centre, None);
        let mut left = 0;
        while left < accepted {
            let middle = left + (accepted - left) / 2;
            if rejects(middle) {
                below = Some(middle);
                left = middle + 1;
            } else {
                accepted = middle;
            }
        }
        Self { low: below, high }
    }

    fn power(self, n: u64, p: f64) -> f64 {
        self.low.map_or(0.0, |k| binomial_cdf(k, n, p)) + self.high.map_or(0.0, |k| upper_tail(k, n, p))
    }
}

/// Power and true size of an exact two-sided binomial test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BinomialPower {
    /// Chance of rejecting where the share is `p1`.
    pub power: f64,
    /// Chance of rejecting where the share is `p0`; at most `alpha`, as outcomes are whole.
    pub size: f64,
}

/// Power of the exact two-sided binomial test of `p0` with `n` trials where the share is `p1`.
///
/// - Formula: sum of the probabilities of the rejected outcomes under `p1`; rejected means [`binomial_test`] `<=
///   alpha`.
/// - Assumes: independent trials.
/// - Not estimable: `n = 0` (`empty`), shares outside 0..=1 or alpha outside (0, 1) (`invalid`).
/// - Cost: two bisections. Source: the definition. Pinned by the family `power`, kind `binom_test_power`.
pub fn binomial_power(n: u64, p0: f64, p1: f64, alpha: f64) -> Result<BinomialPower, NotEstimable> {
    checked_test(n, p0, alpha)?;
    if !(0.0..=1.0).contains(&p1) {
        return Err(NotEstimable::with_n(Reason::Invalid, n));
    }
    let rejection = Rejection::of(n, p0, alpha);
    Ok(BinomialPower { power: rejection.power(n, p1), size: rejection.power(n, p0) })
}

/// The smallest distance from `p0` that an exact two-sided binomial test of `n` trials finds with this power.
///
/// - Estimates: what "nothing found" rules out. Whichever side needs less distance counts.
/// - Formula: the root in `d` of the power at `p0 + d` or `p0 − d`, by bisection to 1e-12.
/// - Assumes: independent trials.
/// - Not estimable: as [`binomial_power`]; no share is far enough (`too_few`).
/// - Cost: some forty pairs of incomplete beta functions a side. Source: inversion of [`binomial_power`]. Pinned by
///   `the_detectable_share_has_just_the_power_asked_for`.
pub fn detectable_share(n: u64, p0: f64, alpha: f64, power: f64) -> Result<f64, NotEstimable> {
    checked_test(n, p0, alpha)?;
    Risk { alpha, power }.quantiles()?;
    let rejection = Rejection::of(n, p0, alpha);
    let search = |reach: f64, side: f64| {
        let found = |distance: f64| rejection.power(n, (p0 + side * distance).clamp(0.0, 1.0)) >= power;
        found(reach).then(|| bisect(0.0, reach, found))
    };
    let above = search(1.0 - p0, 1.0);
    let below = search(p0, -1.0);
    let nearest = [above, below].into_iter().flatten().min_by(f64::total_cmp);
    nearest.ok_or(NotEstimable::with_n(Reason::TooFew, n))
}

/// The smallest difference of two independent shares that a two-sided test finds with this power.
///
/// - Estimates: what "no difference found" between samples of `n1` and `n2` with pooled share `p` rules out.
/// - Formula: the root in `d` of `d = z_α·√(p(1−p)(1/n1+1/n2)) + z_β·√(p1(1−p1)/n1 + p2(1−p2)/n2)` with `p1 − p2 = d`
///   around the pooled share.
/// - Assumes: independent trials, large samples.
/// - Not estimable: an empty sample (`empty`), `p_pooled` outside (0, 1) (`invalid`), no difference within 0..=1 is
///   large enough (`too_few`).
/// - Cost: a bisection. Source: Fleiss, Levin and Paik 2003 (without continuity correction). Pinned by
///   `the_detectable_difference_inverts_the_published_sample_size`.
pub fn detectable_difference(n1: u64, n2: u64, p_pooled: f64, alpha: f64, power: f64) -> Result<f64, NotEstimable> {
    if n1 == 0 || n2 == 0 {
        return Err(NotEstimable::with_n(Reason::Empty, n1 + n2));
    }
    if !(p_pooled > 0.0 && p_pooled < 1.0) {
        return Err(NotEstimable::with_n(Reason::Invalid, n1 + n2));
    }
    let (z_alpha, z_beta) = Risk { alpha, power }.quantiles()?;
    let (first, second) = (n1 as f64, n2 as f64);
    let (up, down) = (second / (first + second), first / (first + second));
    let null = z_alpha * (p_pooled * (1.0 - p_pooled) * (1.0 / first + 1.0 / second)).sqrt();
    let found = |difference: f64| {
        let (p1, p2) = (p_pooled + up * difference, p_pooled - down * difference);
        let variance = p1 * (1.0 - p1) / first + p2 * (1.0 - p2) / second;
        difference >= null + z_beta * variance.max(0.0).sqrt()
    };
    let reach = ((1.0 - p_pooled) / up).min(p_pooled / down);
    if !found(reach) {
        return Err(NotEstimable::with_n(Reason::TooFew, n1 + n2));
    }
    Ok(bisect(0.0, reach, found))
}

/// Discordance of two paired arms: how often they differ, and by how much one is ahead.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Discordance {
    /// Share of pairs on which exactly one arm is right.
    pub share: f64,
    /// Share of pairs only the first arm gets right minus that of the second.
    pub difference: f64,
}

/// The number of pairs for McNemar's test to find a difference, before rounding up.
///
/// - Formula: `(z_α·√s + z_β·√(s − d²))²/d²` with discordant share `s` and difference `d`.
/// - Assumes: independent pairs; a normal approximation, so check small results with [`mcnemar_power`].
/// - Not estimable: `|d| > s`, `d = 0` or a share outside (0, 1] (`invalid`).
/// - Cost: constant. Source: Connor 1987, Biometrics 43. Pinned by the family `power`, kind `mcnemar_connor`.
pub fn mcnemar_sample_size(discordance: Discordance, risk: Risk) -> Result<f64, NotEstimable> {
    let Discordance { share, difference } = discordance;
    if !(share > 0.0 && share <= 1.0 && difference != 0.0 && difference.abs() <= share) {
        return Err(NotEstimable::because(Reason::Invalid));
    }
    let (z_alpha, z_beta) = risk.quantiles()?;
    Ok(connor(share, difference, z_alpha, z_beta))
}

/// The smallest difference of two paired arms that McNemar's test of `n` pairs finds with this power.
///
/// - Formula: the root in `d` of [`mcnemar_sample_size`] `= n`.
/// - Assumes: as there.
/// - Not estimable: `n = 0` (`empty`), a share outside (0, 1] (`invalid`), even `d = share` needs more pairs
///   (`too_few`).
/// - Cost: a bisection. Source: Connor 1987. Pinned by the family `power`, kind `mcnemar_mde`.
pub fn mcnemar_detectable(n: u64, discordant_share: f64, risk: Risk) -> Result<f64, NotEstimable> {
    if n == 0 {
        return Err(NotEstimable::with_n(Reason::Empty, 0));
    }
    if !(discordant_share > 0.0 && discordant_share <= 1.0) {
        return Err(NotEstimable::with_n(Reason::Invalid, n));
    }
    let (z_alpha, z_beta) = risk.quantiles()?;
    let found = |difference: f64| connor(discordant_share, difference, z_alpha, z_beta) <= n as f64;
    if !found(discordant_share) {
        return Err(NotEstimable::with_n(Reason::TooFew, n));
    }
    Ok(bisect(0.0, discordant_share, found))
}

fn connor(share: f64, difference: f64, z_alpha: f64, z_beta: f64) -> f64 {
    let square = difference * difference;
    (z_alpha * share.sqrt() + z_beta * (share - square).max(0.0).sqrt()).powi(2) / square
}

/// Power of McNemar's exact and mid-p tests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct McNemarPower {
    /// Of the exact conditional test.
    pub exact: f64,
    /// Of the mid-p test.
    pub mid: f64,
}

/// Power of McNemar's tests with `n` pairs where the arms differ on shares `p10` (first only) and `p01` (second only).
///
/// - Formula: sum over the number of discordant pairs of its binomial probability times the conditional power.
/// - Assumes: independent pairs.
/// - Not estimable: `n = 0` (`empty`), shares negative or above 1 together (`invalid`).
/// - Cost: about `n` short bisections. Source: the definition (unconditional power). Pinned by the family `power`, kind
///   `mcnemar_exact_power`.
pub fn mcnemar_power(n: u64, p10: f64, p01: f64, alpha: f64) -> Result<McNemarPower, NotEstimable> {
    checked_test(n, 0.5, alpha)?;
    if !(p10 >= 0.0 && p01 >= 0.0 && p10 + p01 <= 1.0) {
        return Err(NotEstimable::with_n(Reason::Invalid, n));
    }
    let discordant = p10 + p01;
    if discordant == 0.0 {
        return Ok(McNemarPower { exact: 0.0, mid: 0.0 });
    }
    let share = p10 / discordant;
    let mut power = McNemarPower { exact: 0.0, mid: 0.0 };
    for m in 0..=n {
        let weight = binomial_pmf(m, n, discordant);
        if weight < 1e-16 {
            continue;
        }
        let conditional = |p_value: fn(super::binomial::McNemar) -> f64| {
            let rejected = |fewer: u64| p_value(super::binomial::mcnemar(fewer, m - fewer)) <= alpha;
            // The p-value grows with the smaller count, so the rejected ones are those below a border.
            let (mut low, mut high) = (0, m / 2 + 1);
            while low < high {
                let middle = low + (high - low) / 2;
                if rejected(middle) { low = middle + 1 } else { high = middle }
            }
            low.checked_sub(1)
                .map_or(0.0, |last| (binomial_cdf(last, m, share) + upper_tail(m - last, m, share)).min(1.0))
        };
        power.exact += weight * conditional(|test| test.p_exact);
        power.mid += weight * conditional(|test| test.p_mid);
    }
    Ok(power)
}

/// The number of items for a paired mean score to be told from its null value, before rounding up.
///
/// - Formula: `(z_α + z_β)²·sd²/d²`; multiply by the design effect where items come in clusters.
/// - Assumes: independent items, a normal mean. `sd` from a pilot.
/// - Not estimable: `sd` negative or `difference` zero (`invalid`).
/// - Cost: constant. Source: the usual normal approximation, e.g. Julious 2010. Pinned by
///   `graded_sample_size_by_hand`.
pub fn mean_sample_size(sd: f64, difference: f64, risk: Risk) -> Result<f64, NotEstimable> {
    if !(sd >= 0.0 && sd.is_finite() && difference != 0.0 && difference.is_finite()) {
        return Err(NotEstimable::because(Reason::Invalid));
    }
    let (z_alpha, z_beta) = risk.quantiles()?;
    Ok(((z_alpha + z_beta) * sd / difference).powi(2))
}

fn checked_test(n: u64, p0: f64, alpha: f64) -> Result<(), NotEstimable> {
    if n == 0 {
        return Err(NotEstimable::with_n(Reason::Empty, 0));
    }
    if !((0.0..=1.0).contains(&p0) && alpha > 0.0 && alpha < 1.0) {
        return Err(NotEstimable::with_n(Reason::Invalid, n));
    }
    Ok(())
}

/// The border in `low..=high` above which `found` holds; it must hold at `high`.
fn bisect(mut low: f64, mut high: f64, found: impl Fn(f64) -> bool) -> f64 {
    while high - low > 1e-12 {
        let middle = f64::midpoint(low, high);
        if found(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn round_up(value: f64) -> u64 {
    value.ceil().max(0.0) as u64
}

#[cfg(test)]
#[path = "power_tests.rs"]
mod tests;
