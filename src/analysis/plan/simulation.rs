//! What early stopping takes on average, by a small seeded simulation of the very rule.

use serde::Serialize;

use super::super::stopping::{BETS, looks};
use super::{Basis, Shares};
use crate::stats::sequential::kelly_log_capital_of_counts;
use crate::stats::{NotEstimable, Seed};

/// Simulated runs for each win rate: the mean is known to a few per cent.
pub const RUNS: u32 = 200;

/// The items in hand are so many times those of the fixed design: enough that most runs end by a decision.
pub const SUPPLY: u64 = 4;

/// Early stopping on average.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sequential {
    /// Items in hand: [`SUPPLY`] times those of the fixed design.
    pub supply: u64,
    /// Items used on average.
    pub items_mean: f64,
    /// Share of the runs that were decided within the supply.
    pub decided: f64,
    /// Simulated runs.
    pub runs: u32,
}

/// Runs of `--stop-when-decided` over `SUPPLY` times `independent` units.
pub(super) fn run(
    shares: Shares,
    independent: u64,
    basis: &Basis,
    seed: u64,
    at: usize,
) -> Result<Sequential, NotEstimable> {
    let units = usize::try_from(independent.saturating_mul(SUPPLY)).unwrap_or(usize::MAX);
    let looks = looks(units);
    let seed = Seed(seed).child("plan").child(&format!("effect {at}"));
    let border = -basis.alpha.ln();
    let (mut used, mut decided) = (0_u64, 0_u32);
    for number in 0..RUNS {
        let mut stream = seed.stream(u64::from(number));
        let (mut won, mut rest, mut n) = (0_u64, 0_u64, 0_u64);
        let mut is_decided = false;
        for look in &looks {
            let step = *look as u64 - n;
            let wins = stream.binomial(step, shares.won);
            rest += stream.binomial(step - wins, (shares.rest / (1.0 - shares.won)).min(1.0));
            won += wins;
            n += step;
            if evidence(won, rest, n)? >= border {
                is_decided = true;
                break;
            }
        }
        used += n;
        decided += u32::from(is_decided);
    }
    let runs = f64::from(RUNS);
    Ok(Sequential {
        supply: super::whole(units as f64 * basis.design_effect),
        items_mean: used as f64 / runs * basis.design_effect,
        decided: f64::from(decided) / runs,
        runs: RUNS,
    })
}

/// Log evidence against ½ as the comparison weighs it.
fn evidence(won: u64, rest: u64, n: u64) -> Result<f64, NotEstimable> {
    let counts = [(0.0, (n - won - rest) as f64), (0.5, rest as f64), (1.0, won as f64)];
    kelly_log_capital_of_counts(&counts, 0.5, BETS)
}
