//! Is A better than B on these items, according to this judge?

use serde::Serialize;

use super::figures::Test;
use super::outcome::Accounting;
use crate::domain::{Fingerprint, JudgeName};
use crate::stats::Figure;

/// What a comparison depends on beside the data.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Name of side `a`.
    pub a: String,
    /// Name of side `b`.
    pub b: String,
    /// Resamples of every bootstrap.
    pub resamples: usize,
    /// Seed of every bootstrap.
    pub seed: u64,
}

/// Which side the evidence favours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Favours {
    /// `a` is better: the whole interval of the win rate is above ½.
    A,
    /// `b` is better: the whole interval is below ½.
    B,
    /// The interval holds ½, or win rate and decided rate point to different sides.
    Undecided,
}

/// Counts of outcomes over items (repeats of an item count each).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Outcomes {
    /// Both orders name `a`.
    pub a_wins: u64,
    /// Both orders name `b`.
    pub b_wins: u64,
    /// Both orders are ties.
    pub tie: u64,
    /// Position collapse to the first.
    pub flip_first: u64,
    /// Position collapse to the second.
    pub flip_second: u64,
    /// One `a`, one tie.
    pub half_a: u64,
    /// One `b`, one tie.
    pub half_b: u64,
    /// Folded disagreements of unknown direction.
    pub inconsistent: u64,
    /// Identical responses: a tie that was not asked.
    pub identical: u64,
    /// An order is missing: left out, bounded.
    pub no_verdict: u64,
}

/// McNemar's test on consistent wins.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct McNemarResult {
    /// Consistent wins of `a`.
    pub a_only: u64,
    /// Consistent wins of `b`.
    pub b_only: u64,
    /// Exact conditional binomial p.
    pub p_exact: f64,
    /// Mid-p.
    pub p_mid: f64,
}

/// The win rate were every missing verdict a loss or a win of `a`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bounds {
    /// Missing verdicts all lost.
    pub all_lost: Option<f64>,
    /// Missing verdicts all won.
    pub all_won: Option<f64>,
    /// Number of missing outcomes.
    pub missing: u64,
}

/// One category's part.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CategoryRow {
    /// The category.
    pub category: String,
    /// Items in it.
    pub items: u64,
    /// Win rate of `a` with its interval.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub win_rate: Figure,
    /// Exact McNemar p within the category.
    pub p: f64,
    /// The same after Holm's correction over the categories.
    pub p_holm: f64,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Name of side `a`.
    pub a: String,
    /// Name of side `b`.
    pub b: String,
    /// The judge.
    pub judge: JudgeName,
    /// Its fingerprint.
    pub fingerprint: Fingerprint,
    /// Items compared.
    pub items: u64,
    /// Resampling units.
    pub groups: u64,
    /// Counts of outcomes.
    pub outcomes: Outcomes,
    /// Mean score of `a`; the headline, with its interval of record.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub win_rate: Figure,
    /// Mean graded score of `a`.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub score: Figure,
    /// Share of `a` among consistent wins.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub decided: Figure,
    /// Share of outcomes that are consistent wins.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub coverage: Figure,
    /// All intervals of the win rate, the one of record first.
    #[serde(serialize_with = "serialize_all")]
    pub win_rate_intervals: Vec<Figure>,
    /// True below 20 resampling units.
    pub few_units: bool,
    /// Exact and mid-p McNemar on consistent wins.
    pub mcnemar: McNemarResult,
    /// Sign test on the graded score.
    pub sign_test: Test,
    /// Sign-flip permutation test on the graded score, over groups.
    pub permutation: Test,
    /// Smallest deviation of the win rate from ½ that 80 % of such samples would have shown.
    #[serde(serialize_with = "super::figures::serialize_detectable")]
    pub detectable: Result<f64, crate::stats::NotEstimable>,
    /// Bounds for missing verdicts.
    pub bounds: Bounds,
    /// Flip rate of the judge on these items.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub flip_rate: Figure,
    /// Per category, with Holm's correction.
    pub by_category: Vec<CategoryRow>,
    /// Where every planned judgment went.
    pub accounting: Accounting,
    /// Path or identity of the certificate that opened the door; filled in by the command.
    pub certificate: Option<String>,
    /// Why this comparison is not backed by a certificate (`uncalibrated`, `control judge`, `recorded`), if it is not.
    pub banner: Option<String>,
    /// Which side the evidence favours.
    pub decision: Favours,
    /// One sentence for people.
    pub reason: String,
    /// What a reader has to know.
    pub warnings: Vec<String>,
}

fn serialize_all<S: serde::Serializer>(figures: &[Figure], serializer: S) -> Result<S::Ok, S::Error> {
    use serde::ser::SerializeSeq;
    #[derive(Serialize)]
    struct One<'a>(#[serde(serialize_with = "crate::stats::serialize_figure")] &'a Figure);
    let mut seq = serializer.serialize_seq(Some(figures.len()))?;
    for figure in figures {
        seq.serialize_element(&One(figure))?;
    }
    seq.end()
}
