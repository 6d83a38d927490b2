//! How many items, labels, calls, dollars and hours until this is decided?
//!
//! The win rates are assumptions, not what a pilot found: a pilot tells the spread (ties, flips, clusters, the judge's own
//! noise) and what a call takes, never the effect, since planning on an observed effect plans on its luck.

mod assumption;
mod labels;
mod pilot;
mod simulation;

use serde::Serialize;

use super::gate::{Gate, GateRules};
use crate::stats::power::{
    Discordance, Risk, mcnemar_power, mcnemar_sample_size, mean_sample_size, wilson_sample_size,
};
use crate::stats::special::normal_quantile;
use crate::stats::{Level, NotEstimable, Reason};

pub use assumption::Assumption;
pub use labels::{LabelRow, LabelSource};
pub use pilot::Pilot;
pub use simulation::{RUNS, SUPPLY, Sequential};

/// Win rates that are planned for where none is asked for.
pub const EFFECTS: [f64; 5] = [0.52, 0.55, 0.60, 0.65, 0.70];

/// Share of ties where no pilot tells.
pub const TIES: f64 = 0.10;

/// Share of outcomes whose orders disagree, where no pilot tells: half of what the gate lets through. The labels of the
/// flip rate are planned with the same number.
pub const FLIPS: f64 = 0.10;

/// Beyond so many pairs the exact power of McNemar's test is not summed up; the approximation is as good there.
const EXACT_UP_TO: u64 = 20_000;

/// From this variance of the number of discordant pairs on the saw teeth of the exact test, two pairs wide, are gone.
const SMOOTHED: f64 = 25.0;

/// What is to be planned.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Win rates of `a`, each in (0, 1) and not ½.
    pub effects: Vec<f64>,
    /// Two-sided risk of a wrong finding, and the wanted chance of a right one.
    pub risk: Risk,
    /// Wanted half-width of the win rate's interval at level `1 − alpha`.
    pub half_width: f64,
    /// Times that each order is asked.
    pub repeats: u32,
    /// Share of ties where no pilot tells.
    pub ties: f64,
    /// Share of outcomes whose orders disagree where no pilot tells.
    pub flips: f64,
    /// The criteria of the gate.
    pub rules: GateRules,
    /// What a call takes.
    pub calls: CallTerms,
    /// Seed of the simulation of early stopping.
    pub seed: u64,
}

/// What one call takes on average, as recorded calls have it; `None` is unknown, never zero.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct CallTerms {
    /// Recorded calls behind the means.
    pub recorded: u64,
    /// Tokens of a request.
    pub input_tokens: Option<f64>,
    /// Tokens of an answer.
    pub output_tokens: Option<f64>,
    /// US dollars a call.
    pub usd: Option<f64>,
    /// Milliseconds a call.
    pub latency_ms: Option<f64>,
    /// Calls open at a time.
    pub concurrency: u32,
    /// Rate limit.
    pub requests_per_minute: Option<f64>,
    /// Rate limit.
    pub tokens_per_minute: Option<f64>,
}

/// What so many items cost.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cost {
    /// Calls: both orders, times the repeats.
    pub calls: u64,
    /// Tokens of requests and answers.
    pub tokens: Option<f64>,
    /// US dollars.
    pub usd: Option<f64>,
    /// Hours, by the slowest of latency and rate limits.
    pub hours: Option<f64>,
}

impl Cost {
    /// The cost of `items`.
    pub fn of(items: u64, repeats: u32, terms: &CallTerms) -> Self {
        let calls = items.saturating_mul(2).saturating_mul(u64::from(repeats));
        let many = calls as f64;
        let tokens = terms.input_tokens.zip(terms.output_tokens).map(|(input, output)| many * (input + output));
        let minutes = [
            terms.latency_ms.map(|latency| many * latency / 60_000.0 / f64::from(terms.concurrency.max(1))),
            terms.requests_per_minute.map(|rate| many / rate),
            terms.tokens_per_minute.zip(tokens).map(|(rate, tokens)| tokens / rate),
        ];
        // A rate alone bounds the time from below; without the latency nobody knows what it is.
        let hours = minutes[0].map(|latency| minutes.iter().flatten().fold(latency, |most, m| most.max(*m)) / 60.0);
        Self { calls, tokens, usd: terms.usd.map(|usd| many * usd), hours }
    }
}

/// McNemar's test on consistent wins: by a formula that knows no exact test, and by the exact test itself.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct McNemarSize {
    /// Items by Connor's formula, a normal approximation.
    pub items: u64,
    /// Power of the exact test with as many independent items, below the wanted one as a rule; `None` where they are too
    /// many to sum up.
    pub power_exact: Option<f64>,
    /// Items with which the exact test has the wanted power; `None` where they are too many to sum up.
    pub items_exact: Option<u64>,
}

/// The plan for one win rate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EffectRow {
    /// The win rate that is assumed.
    pub win_rate: f64,
    /// Standard deviation of an item's score at this win rate.
    pub sd: f64,
    /// Items for the wanted power, by the mean score.
    pub items: u64,
    /// What they cost.
    pub cost: Cost,
    /// The same by McNemar's test.
    pub mcnemar: McNemarSize,
    /// Early stopping over [`SUPPLY`] times as many items.
    pub stopping: Sequential,
    /// What that costs on average.
    pub cost_stopping: Cost,
}

/// Items for a wanted half-width.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HalfWidth {
    /// The half-width.
    pub half_width: f64,
    /// Level of the interval.
    pub level: f64,
    /// Items whatever the win rate and without any tie: Wilson's interval of a share at ½.
    pub items_most: u64,
    /// Items with the assumed ties and flips at a win rate of ½: the normal interval of a mean.
    pub items: u64,
    /// What the larger number costs.
    pub cost: Cost,
}

/// What the plan rests on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Basis {
    /// Share of ties.
    pub ties: f64,
    /// Share of outcomes whose orders disagree.
    pub flips: f64,
    /// How many times larger the variance is because items come in groups.
    pub design_effect: f64,
    /// By what the variance of one item shrinks with the repeats.
    pub repeat_factor: f64,
    /// Times that each order is asked.
    pub repeats: u32,
    /// Two-sided risk of a wrong finding.
    pub alpha: f64,
    /// Chance of a right one.
    pub power: f64,
    /// The judge of the pilot, where there is one.
    pub pilot: Option<Pilot>,
    /// What a call takes.
    pub calls: CallTerms,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Plan {
    /// What it rests on.
    pub basis: Basis,
    /// Items by win rate.
    pub effects: Vec<EffectRow>,
    /// Items for a half-width.
    pub half_width: HalfWidth,
    /// Gold labels by criterion of the gate.
    pub labels: Vec<LabelRow>,
    /// The assumptions behind the numbers, in words.
    pub assumptions: Vec<Assumption>,
}

/// Plans; `gate` is what the pilot's judge came to on a gold set, where it has labels.
///
/// # Errors
/// `invalid` for a win rate, risk, half-width or share outside its range.
pub fn plan(pilot: Option<Pilot>, gate: Option<&Gate>, options: &Options) -> Result<Plan, NotEstimable> {
    let basis = basis(pilot, options)?;
    let effects: Result<Vec<EffectRow>, NotEstimable> =
        options.effects.iter().enumerate().map(|(at, rate)| effect(*rate, at, &basis, options)).collect();
    Ok(Plan {
        half_width: half_width(&basis, options)?,
        labels: labels::rows(&options.rules, gate, &basis)?,
        assumptions: assumption::of(&basis, gate.is_some(), options),
        effects: effects?,
        basis,
    })
}

fn basis(pilot: Option<Pilot>, options: &Options) -> Result<Basis, NotEstimable> {
    let (ties, flips) = pilot.as_ref().map_or((options.ties, options.flips), |pilot| (pilot.ties, pilot.flips));
    if !(ties >= 0.0 && flips >= 0.0 && ties + flips <= 1.0 && options.repeats > 0) {
        return Err(NotEstimable::because(Reason::Invalid));
    }
    Ok(Basis {
        ties,
        flips,
        design_effect: pilot.as_ref().map_or(1.0, |pilot| pilot.design_effect),
        repeat_factor: pilot.as_ref().map_or(1.0, |pilot| pilot.repeat_factor(options.repeats)),
        repeats: options.repeats,
        alpha: options.risk.alpha,
        power: options.risk.power,
        pilot,
        calls: options.calls.clone(),
    })
}

/// Shares of consistent wins, losses and the rest at a win rate above ½; a win rate too high for so many ties has fewer.
#[derive(Debug, Clone, Copy)]
struct Shares {
    won: f64,
    lost: f64,
    rest: f64,
}

impl Shares {
    fn at(win_rate: f64, undecided: f64) -> Self {
        let rest = undecided.min(2.0 * (1.0 - win_rate));
        Self { won: win_rate - rest / 2.0, lost: (1.0 - win_rate - rest / 2.0).max(0.0), rest }
    }

    /// Standard deviation of a score that is 1, 0 or ½ in these shares.
    fn sd(self) -> f64 {
        let mean = self.won + self.rest / 2.0;
        (self.won + self.rest / 4.0 - mean * mean).max(0.0).sqrt()
    }
}

fn effect(win_rate: f64, at: usize, basis: &Basis, options: &Options) -> Result<EffectRow, NotEstimable> {
    #[allow(clippy::float_cmp, reason = "no difference at all is what cannot be planned for")]
    if !(win_rate > 0.0 && win_rate < 1.0) || win_rate == 0.5 {
        return Err(NotEstimable::because(Reason::Invalid));
    }
    let ahead = win_rate.max(1.0 - win_rate);
    let shares = Shares::at(ahead, basis.ties + basis.flips);
    let sd = shares.sd() * basis.repeat_factor.sqrt();
    let independent = mean_sample_size(sd, ahead - 0.5, options.risk)?;
    let items = whole(independent * basis.design_effect);
    let discordance = Discordance { share: shares.won + shares.lost, difference: shares.won - shares.lost };
    let connor = mcnemar_sample_size(discordance, options.risk)?;
    let pairs = whole(connor);
    let exact = (pairs <= EXACT_UP_TO).then(|| exact_pairs(pairs, shares, options.risk)).transpose()?;
    let stopping = simulation::run(shares, whole(independent), basis, options.seed, at)?;
    Ok(EffectRow {
        win_rate,
        sd,
        items,
        cost: Cost::of(items, options.repeats, &options.calls),
        mcnemar: McNemarSize {
            items: whole(connor * basis.design_effect),
            power_exact: exact.map(|(power, _)| power),
            items_exact: exact.map(|(_, needed)| whole(needed as f64 * basis.design_effect)),
        },
        cost_stopping: Cost::of(whole(stopping.items_mean), options.repeats, &options.calls),
        stopping,
    })
}

/// The power of the exact test with so many pairs, and the pairs with which it has the wanted one.
///
/// The power of a test of counts rises in saw teeth. Where ties make the number of discordant pairs random they are smoothed
/// away; else the number is the one from which on every number has the wanted power.
fn exact_pairs(approximate: u64, shares: Shares, risk: Risk) -> Result<(f64, u64), NotEstimable> {
    let power = |pairs: u64| mcnemar_power(pairs, shares.won, shares.lost, risk.alpha).map(|power| power.exact);
    let found = power(approximate)?;
    let (mut no, mut yes) = (0, approximate);
    while power(yes)? < risk.power {
        (no, yes) = (yes, yes + yes.div_ceil(10));
    }
    if no == 0 {
        no = yes - yes.div_ceil(10);
        while no > 0 && power(no)? >= risk.power {
            (no, yes) = (no - no.div_ceil(10), no);
        }
    }
    while yes - no > 1 {
        let middle = no + (yes - no) / 2;
        if power(middle)? < risk.power { no = middle } else { yes = middle }
    }
    let discordant = shares.won + shares.lost;
    if yes as f64 * discordant * (1.0 - discordant) < SMOOTHED {
        let teeth = whole(2.0 * (yes as f64).sqrt()) + 10;
        let mut pairs = yes + teeth;
        while pairs > yes && power(pairs - 1)? >= risk.power {
            pairs -= 1;
        }
        yes = pairs;
    }
    Ok((found, yes))
}

fn half_width(basis: &Basis, options: &Options) -> Result<HalfWidth, NotEstimable> {
    let level = Level::new(1.0 - options.risk.alpha).ok_or(NotEstimable::because(Reason::Invalid))?;
    let most = wilson_sample_size(options.half_width, level)?;
    let z = -normal_quantile(options.risk.alpha / 2.0);
    let variance = Shares::at(0.5, basis.ties + basis.flips).sd().powi(2) * basis.repeat_factor;
    let items_most = whole(most as f64 * basis.design_effect);
    Ok(HalfWidth {
        half_width: options.half_width,
        level: level.get(),
        items_most,
        items: whole(z * z * variance / options.half_width.powi(2) * basis.design_effect),
        cost: Cost::of(items_most, options.repeats, &options.calls),
    })
}

/// A number of items, rounded up; one at least.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn whole(items: f64) -> u64 {
    items.ceil().max(1.0) as u64
}

#[cfg(test)]
mod tests;
