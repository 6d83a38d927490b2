//! What stands behind the numbers of a plan, as data: JSON gets the English sentence, reports their own language's.

use std::fmt;

use serde::{Serialize, Serializer};

use super::labels::AGREEMENT;
use super::{Basis, Options, RUNS, SUPPLY};

/// One assumption. [`fmt::Display`] and JSON give it in English.
#[derive(Debug, Clone, PartialEq)]
pub enum Assumption {
    /// The win rates are assumed.
    Effects,
    /// The chances of being wrong.
    Risk {
        /// Two-sided risk of a wrong finding.
        alpha: f64,
        /// Chance of a right one.
        power: f64,
    },
    /// Ties and flips.
    Spread {
        /// Share of ties.
        ties: f64,
        /// Share of orders that disagree.
        flips: f64,
        /// Outcomes of the pilot that told them; `None` for defaults.
        outcomes: Option<u64>,
    },
    /// Groups of items.
    Clusters {
        /// The design effect.
        effect: f64,
        /// Units of the pilot that told it; `None` where none did.
        units: Option<u64>,
    },
    /// Repeats.
    Repeats {
        /// How often each order is asked.
        repeats: u32,
        /// By what the variance shrinks; `None` where no pilot has repeats.
        factor: Option<f64>,
    },
    /// How the numbers of items come about: by a mean, and by McNemar's test twice.
    McNemar,
    /// How the numbers of early stopping come about.
    Stopping,
    /// How the numbers of labels come about.
    Labels {
        /// Whether a pilot's judge was tried on gold labels.
        tried: bool,
        /// The flip rate that is assumed: of the flag, or of the pilot; `None` where the pilot's is not known.
        flip_rate: Option<f64>,
    },
    /// What a call takes.
    Usage {
        /// Recorded calls behind the means.
        recorded: u64,
    },
    /// No price is known.
    NoPrice,
    /// How long it takes.
    Time {
        /// Calls open at a time.
        concurrency: u32,
        /// Whether the latency of recorded calls is known.
        known: bool,
    },
}

/// The assumptions of a plan.
pub(super) fn of(basis: &Basis, tried: bool, options: &Options) -> Vec<Assumption> {
    let pilot = basis.pilot.as_ref();
    let mut all = vec![
        Assumption::Effects,
        Assumption::Risk { alpha: basis.alpha, power: basis.power },
        Assumption::Spread { ties: basis.ties, flips: basis.flips, outcomes: pilot.map(|pilot| pilot.outcomes) },
        Assumption::Clusters { effect: basis.design_effect, units: pilot.map(|pilot| pilot.units) },
    ];
    if basis.repeats > 1 {
        let factor = pilot.and_then(|pilot| pilot.noise).map(|_| basis.repeat_factor);
        all.push(Assumption::Repeats { repeats: basis.repeats, factor });
    }
    let flip_rate = pilot.map_or(Some(basis.flips), |pilot| pilot.flip_rate);
    all.extend([Assumption::McNemar, Assumption::Stopping, Assumption::Labels { tried, flip_rate }]);
    let calls = &options.calls;
    all.push(Assumption::Usage { recorded: calls.recorded });
    if calls.usd.is_none() {
        all.push(Assumption::NoPrice);
    }
    all.push(Assumption::Time { concurrency: calls.concurrency, known: calls.latency_ms.is_some() });
    all
}

impl Serialize for Assumption {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Effects => f.write_str(
                "the win rates are assumed: choose the smallest that would matter; a pilot's own win rate is not used",
            ),
            Self::Risk { alpha, power } => write!(
                f,
                "two-sided risk of a wrong finding {:.1} %, chance of a right one {:.1} %",
                alpha * 100.0,
                power * 100.0
            ),
            Self::Spread { ties, flips, outcomes } => {
                let (ties, flips) = (ties * 100.0, flips * 100.0);
                let from = outcomes.map_or_else(
                    || "by default; a pilot (--pilot) would tell".to_owned(),
                    |n| format!("as in {n} outcomes of the pilot"),
                );
                write!(f, "{ties:.1} % ties and {flips:.1} % outcomes whose orders disagree, {from}; both score half")
            }
            Self::Clusters { units: None, .. } => {
                f.write_str("items are independent; where they come in groups, more are needed (a pilot would tell)")
            }
            Self::Clusters { effect, units: Some(units) } => {
                write!(
                    f,
                    "design effect {effect:.2}, as in the {units} units of the pilot; every number of items has it"
                )
            }
            Self::Repeats { repeats, factor: None } => write!(
                f,
                "{repeats} repeats are taken to reduce no variance: only a pilot with repeats would tell by how much"
            ),
            Self::Repeats { repeats, factor: Some(factor) } => {
                write!(
                    f,
                    "{repeats} repeats leave {:.0} % of the variance of an item's score, as in the pilot",
                    factor * 100.0
                )
            }
            Self::McNemar => f.write_str(
                "items: for the interval of the win rate, by the normal approximation; McNemar's test takes consistent wins \
                 alone, by Connor's formula, a normal approximation too: the exact test has less power with so many, which \
                 stands beside it, and the wanted power with the number of the exact test",
            ),
            Self::Stopping => write!(
                f,
                "early stopping: mean of {RUNS} simulated runs over {SUPPLY} times the items of the fixed number, one \
                 score a unit; it saves where the truth is further from 50 % than what the fixed number is planned for"
            ),
            Self::Labels { tried, flip_rate } => {
                f.write_str("labels: units from which on the gate's own interval decides for ")?;
                match (tried, flip_rate) {
                    (true, _) => f.write_str("the pilot's figures")?,
                    (false, None) => write!(f, "a decent judge (agreement {:.0} %)", AGREEMENT * 100.0)?,
                    (false, Some(flips)) => write!(
                        f,
                        "a decent judge (agreement {:.0} %, and {:.1} % flips as above)",
                        AGREEMENT * 100.0,
                        flips * 100.0
                    )?,
                }
                f.write_str(
                    "; each counts the rows its figure is made of (agreement: those where judge and label are decisive), whole \
                     ones, rounded towards the limit",
                )
            }
            Self::Usage { recorded: 0 } => {
                f.write_str("no call of this judge is recorded with its tokens, so tokens are unknown")
            }
            Self::Usage { recorded } => write!(f, "tokens as in {recorded} recorded calls, on average"),
            Self::NoPrice => f.write_str("the price is unknown (set `price` of the judge), so the cost is unknown"),
            Self::Time { concurrency, known: true } => write!(
                f,
                "time: mean latency of the recorded calls with {concurrency} open at a time, and the rate limits, \
                 whichever is slower"
            ),
            Self::Time { known: false, .. } => {
                f.write_str("no latency of this judge is recorded, so the time is unknown")
            }
        }
    }
}
