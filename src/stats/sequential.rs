//! May we stop already? Tests and intervals that stay valid however often one looks.
//!
//! All outcomes are in 0..=1 (a tie is ½), one per item, in an order that has nothing to do with the outcome. The beta
//! mixture and the Kelly grid depend only on which outcomes came, not on their order.

use super::estimate::{Estimate, Figure, Level, NotEstimable, Reason};
use super::mean::average;
use super::special::ln_gamma;

/// Parameters of the beta distribution that the mixture bets with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BetaPrior {
    /// Weight of wins.
    pub a: f64,
    /// Weight of losses.
    pub b: f64,
}

impl BetaPrior {
    /// One half each: the default.
    pub const HALVES: Self = Self { a: 0.5, b: 0.5 };
}

/// Log evidence against "the mean is `m0`" from a beta mixture: stop when it reaches `ln(1/α)`.
///
/// - Estimates: the logarithm of an e-value; its expectation under `m0` is at most 1 at any stopping time.
/// - Formula: `ln B(a+s, b+n−s) − ln B(a, b) − s·ln m0 − (n−s)·ln(1−m0)`, `s` the sum of the outcomes.
/// - Assumes: outcomes in 0..=1 with mean `m0`, each given the past.
/// - Not estimable: a sum outside 0..=n, `m0` outside (0, 1), weights not above zero (`invalid`).
/// - Cost: constant. Source: Robbins 1970, Ann. Math. Stat. 41; Howard et al. 2021 (bounded outcomes).
///   Pinned by the family `sequential`, kind `beta_mixture_e`, and by `one_uniform_win_doubles_the_evidence`.
pub fn beta_mixture_log_e(sum: f64, n: u64, m0: f64, prior: BetaPrior) -> Result<f64, NotEstimable> {
    let fits = (0.0..=n as f64).contains(&sum) && m0 > 0.0 && m0 < 1.0 && prior.a > 0.0 && prior.b > 0.0;
    if fits { Ok(log_e(sum, n, m0, prior)) } else { Err(NotEstimable::with_n(Reason::Invalid, n)) }
}

/// The p-value that stays valid at any stopping time: `min(1, e^−log_e)`.
pub fn anytime_p(log_e: f64) -> f64 {
    (-log_e).exp().min(1.0)
}

/// The mean with the beta mixture's confidence sequence at this moment (method `beta_mixture`): for 0/1 outcomes.
///
/// - Estimates: the mean; the intervals of all moments hold together with probability `level`.
/// - Formula: all `m` with `log_e(m) < ln(1/α)`, a convex set, by bisection on each side of `s/n`.
/// - Assumes: as [`beta_mixture_log_e`].
/// - Not estimable: no outcome (`empty`); as there (`invalid`).
/// - Cost: two bisections. Source: as there. Pinned by the family `sequential`, kind `beta_mixture_cs`.
pub fn beta_mixture_sequence(sum: f64, n: u64, prior: BetaPrior, level: Level) -> Figure {
    if n == 0 {
        return Err(NotEstimable::with_n(Reason::Empty, 0));
    }
    beta_mixture_log_e(sum, n, 0.5, prior)?;
    let border = -level.alpha().ln();
    let interval = convex_interval(sum / n as f64, |m| log_e(sum, n, m, prior) < border);
    Ok(sequence(sum / n as f64, interval, n, level, "beta_mixture"))
}

/// Log capital of a gambler who bets against "the mean is `m0`" with a grid of fixed fractions: stop when it reaches
/// `ln(1/α)`.
///
/// - Estimates: as [`beta_mixture_log_e`]; adapts to outcomes of small variance, such as many ties.
/// - Formula: `½·mean_i Π(1 + λ_i(x − m)) + ½·mean_i Π(1 − λ'_i(x − m))`, `λ_i = i/((D+1)m)`, `λ'_i = i/((D+1)(1−m))`,
///   `i = 1..D`.
/// - Assumes: as there.
/// - Not estimable: an outcome outside 0..=1, `m0` outside (0, 1), no bet (`invalid`). No outcome: 0.
/// - Cost: distinct outcomes × bets. Source: Waudby-Smith and Ramdas 2024, JRSS B 86 (grid Kelly). Pinned by
///   the family `sequential`, kind `kelly_grid`.
pub fn kelly_log_capital(outcomes: &[f64], m0: f64, bets: u32) -> Result<f64, NotEstimable> {
    let tally = tally(outcomes)?;
    if !(m0 > 0.0 && m0 < 1.0 && bets > 0) {
        return Err(NotEstimable::with_n(Reason::Invalid, outcomes.len() as u64));
    }
    Ok(log_capital(&tally, m0, bets))
}

/// [`kelly_log_capital`] of outcomes given as distinct values in 0..=1 with how often each came; for simulations, which
/// know the counts.
pub fn kelly_log_capital_of_counts(counts: &[(f64, f64)], m0: f64, bets: u32) -> Result<f64, NotEstimable> {
    let fits = |(value, many): &(f64, f64)| (0.0..=1.0).contains(value) && *many >= 0.0;
    if !(m0 > 0.0 && m0 < 1.0 && bets > 0 && counts.iter().all(fits)) {
        return Err(NotEstimable::because(Reason::Invalid));
    }
    Ok(log_capital(counts, m0, bets))
}

/// The mean with the Kelly grid's confidence sequence at this moment (method `kelly_grid`): for graded outcomes and
/// ties.
///
/// - Estimates, assumes: as [`beta_mixture_sequence`].
/// - Formula: all `m` with log capital below `ln(1/α)`; every product is convex in `m`, so it is an interval.
/// - Not estimable: no outcome (`empty`); as [`kelly_log_capital`] (`invalid`).
/// - Cost: two bisections. Source: as there. Pinned by the family `sequential`, kind `kelly_grid_cs`.
pub fn kelly_sequence(outcomes: &[f64], bets: u32, level: Level) -> Figure {
    let n = outcomes.len() as u64;
    let tally = tally(outcomes)?;
    if outcomes.is_empty() {
        return Err(NotEstimable::with_n(Reason::Empty, 0));
    }
    if bets == 0 {
        return Err(NotEstimable::with_n(Reason::Invalid, n));
    }
    let border = -level.alpha().ln();
    let mean = average(outcomes).clamp(0.0, 1.0);
    let interval = convex_interval(mean, |m| log_capital(&tally, m, bets) < border);
    Ok(sequence(mean, interval, n, level, "kelly_grid"))
}

/// The mean with the predictable plug-in confidence sequence (method `hedged`): depends on the order, for reference
/// only.
///
/// - Estimates: as [`beta_mixture_sequence`].
/// - Formula: bets `√(2·ln(2/α)/(v_{t−1}·t·ln(t+1)))` from the running variance (prior mean ½ and variance ¼ as one
///   fake outcome), cut at `½/m` and `½/(1−m)`; all grid points whose larger half capital stayed below `1/α`, widened
///   by one step, intersected over time.
/// - Assumes: as there; a fixed order.
/// - Not estimable: no outcome (`empty`), an outcome outside 0..=1 or no grid (`invalid`).
/// - Cost: outcomes × grid. Source: Waudby-Smith and Ramdas 2024. Pinned by the family
///   `sequential`, kind `hedged_cs`.
pub fn hedged_sequence(outcomes: &[f64], grid: u32, level: Level) -> Figure {
    let n = outcomes.len() as u64;
    tally(outcomes)?;
    if outcomes.is_empty() {
        return Err(NotEstimable::with_n(Reason::Empty, 0));
    }
    if grid == 0 {
        return Err(NotEstimable::with_n(Reason::Invalid, n));
    }
    let bets = plug_in_bets(outcomes, level.alpha());
    let step = 1.0 / f64::from(grid);
    let border = -level.alpha().ln();
    // For each grid point its two log capitals, carried through time.
    let mut capital: Vec<[f64; 2]> = vec![[0.0; 2]; grid as usize + 1];
    let (mut lower, mut upper) = (0.0_f64, 1.0_f64);
    for (outcome, bet) in outcomes.iter().zip(&bets) {
        let (mut first, mut last) = (None, None);
        for (place, [up, down]) in capital.iter_mut().enumerate() {
            let m = place as f64 * step;
            *up += (1.0 + bet.min(0.5 / m) * (outcome - m)).ln();
            *down += (1.0 - bet.min(0.5 / (1.0 - m)) * (outcome - m)).ln();
            if up.max(*down) - std::f64::consts::LN_2 < border {
                first = first.or(Some(m));
                last = Some(m);
            }
        }
        // An empty set keeps the last interval: it can only come from a broken assumption.
        if let (Some(first), Some(last)) = (first, last) {
            lower = lower.max(first - step);
            upper = upper.min(last + step);
        }
    }
    Ok(sequence(average(outcomes), (lower, upper), n, level, "hedged"))
}

fn plug_in_bets(outcomes: &[f64], alpha: f64) -> Vec<f64> {
    let (mut sum, mut square, mut spread) = (0.5, 0.25, 0.25);
    outcomes
        .iter()
        .enumerate()
        .map(|(before, outcome)| {
            let t = before as f64 + 1.0;
            let bet = (2.0 * (2.0 / alpha).ln() / (spread * t * (1.0 + t).ln())).sqrt();
            sum += outcome;
            let mean = sum / (t + 1.0);
            square += (outcome - mean).powi(2);
            spread = square / (t + 1.0);
            bet
        })
        .collect()
}

fn log_e(sum: f64, n: u64, m: f64, prior: BetaPrior) -> f64 {
    let ln_beta = |a: f64, b: f64| ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b);
    let rest = n as f64 - sum;
    let weighted = |weight: f64, p: f64| if weight == 0.0 { 0.0 } else { weight * p.ln() };
    ln_beta(prior.a + sum, prior.b + rest) - ln_beta(prior.a, prior.b) - weighted(sum, m) - weighted(rest, 1.0 - m)
}

/// Distinct outcomes with their numbers: the capital depends on nothing else.
fn tally(outcomes: &[f64]) -> Result<Vec<(f64, f64)>, NotEstimable> {
    if outcomes.iter().any(|x| !(0.0..=1.0).contains(x)) {
        return Err(NotEstimable::with_n(Reason::Invalid, outcomes.len() as u64));
    }
    let mut sorted = outcomes.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    Ok(sorted.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as f64)).collect())
}

fn log_capital(tally: &[(f64, f64)], m: f64, bets: u32) -> f64 {
    let logs: Vec<f64> = (1..=bets)
        .flat_map(|bet| {
            let share = f64::from(bet) / (f64::from(bets) + 1.0);
            let up: f64 = tally.iter().map(|(x, many)| many * (1.0 - share + share * (x / m)).ln()).sum();
            let down: f64 =
                tally.iter().map(|(x, many)| many * (1.0 - share + share * ((1.0 - x) / (1.0 - m))).ln()).sum();
            [up, down]
        })
        .collect();
    let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if top.is_infinite() {
        return top;
    }
    top + (logs.iter().map(|log| (log - top).exp()).sum::<f64>() / logs.len() as f64).ln()
}

/// The ends of a convex set in 0..=1 that holds `centre`.
fn convex_interval(centre: f64, inside: impl Fn(f64) -> bool) -> (f64, f64) {
    let end = |border: f64| {
        // The border itself divides by zero; a point next to it stands for it.
        let near = if border == 0.0 { 1e-12 } else { 1.0 - 1e-12 };
        if inside(near) {
            return border;
        }
        let (mut held, mut out) = (centre, near);
        for _ in 0..100 {
            let middle = f64::midpoint(held, out);
            if inside(middle) {
                held = middle;
            } else {
                out = middle;
            }
        }
        held
    };
    (end(0.0), end(1.0))
}

fn sequence(point: f64, (lower, upper): (f64, f64), n: u64, level: Level, method: &'static str) -> Estimate {
    Estimate::within(point, [lower, upper], level.get(), n, method)
}

#[cfg(test)]
#[path = "sequential_tests.rs"]
mod tests;
