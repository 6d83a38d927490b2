//! Judgments: what one judge said about one item, once.

use serde::{Deserialize, Serialize};

use super::ids::{ItemId, JudgeName};
use super::request::{Fingerprint, Usage};
use super::verdict::{NoVerdict, Order, Verdict};

/// The outcome of reading one completion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reading {
    /// The judge named a slot or a tie.
    Said(Verdict),
    /// It did not, for this reason.
    None(NoVerdict),
}

impl Reading {
    /// The verdict, where there is one.
    pub fn verdict(self) -> Option<Verdict> {
        match self {
            Self::Said(verdict) => Some(verdict),
            Self::None(_) => None,
        }
    }
}

/// What a contract makes of one completion: the reading, and how it came about.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadVerdict {
    /// The verdict or its absence.
    pub reading: Reading,
    /// The graded verdict by slots (`A>>B` …), where the contract grades.
    pub grade: Option<String>,
    /// Probability that the first slot is better, where it was read.
    pub probability: Option<f64>,
    /// Where the verdict was found, or why there is none, in words.
    pub why: String,
}

/// Both orders folded by someone else: the direction of a disagreement is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Folded {
    /// Both orders named `a`.
    A,
    /// Both orders named `b`.
    B,
    /// Both orders were ties.
    Tie,
    /// The orders disagreed.
    Inconsistent,
}

/// What is known about one asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Said {
    /// One order was asked, and this was read.
    InOrder(Order, Reading),
    /// A recording that holds only the fold of both orders.
    Folded(Folded),
}

/// One judgment: the unit of accounting (item × order × repeat × judge).
/// A folded recording stands for two of them, one in each order.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgment {
    /// What was judged.
    pub item: ItemId,
    /// Who judged.
    pub judge: JudgeName,
    /// 0 for the first asking of this order.
    pub repeat: u32,
    /// What was said.
    pub said: Said,
    /// What else is known; boxed, since tables of bare verdicts have none of it.
    pub detail: Option<Box<JudgmentDetail>>,
}

/// The circumstances of a judgment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JudgmentDetail {
    /// The raw completion.
    pub raw: Option<String>,
    /// Reasoning that came apart from the answer.
    pub reasoning: Option<String>,
    /// Why there is no verdict, in words.
    pub why: Option<String>,
    /// The graded verdict as said (`A>>B` …), by slots.
    pub grade: Option<String>,
    /// Probability that the first slot is better, where the judge gave one.
    pub probability: Option<f64>,
    /// The judge's fingerprint as recorded.
    pub fingerprint: Option<Fingerprint>,
    /// The model name that the server said it served.
    pub served_model: Option<String>,
    /// Tokens.
    pub usage: Usage,
    /// Milliseconds of the successful call.
    pub latency_ms: Option<u64>,
    /// Cost in US dollars; `None` is unknown, never zero.
    pub cost_usd: Option<f64>,
    /// Sampling parameters that the server rejected, so that the answer was given without them.
    pub dropped_parameters: Vec<String>,
}
