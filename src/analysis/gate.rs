//! Does the evidence pass these criteria? Knows names, estimates and limits, not where they come from.

use serde::{Deserialize, Serialize};

use crate::stats::Figure;

/// The answer to a criterion, and to the gate as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// The whole deciding interval is on the good side.
    Pass,
    /// The data do not decide.
    Inconclusive,
    /// The whole deciding interval is on the bad side.
    Fail,
}

impl Decision {
    /// `PASS`, `FAIL` or `INCONCLUSIVE`, for people.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Inconclusive => "INCONCLUSIVE",
            Self::Fail => "FAIL",
        }
    }

    /// `pass`, `fail` or `inconclusive`, as in every file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Inconclusive => "inconclusive",
            Self::Fail => "fail",
        }
    }

    /// All pass → pass, any fails → fail, else inconclusive; nothing to decide is inconclusive.
    pub fn all(decisions: impl IntoIterator<Item = Self>) -> Self {
        decisions.into_iter().max().unwrap_or(Self::Inconclusive)
    }
}

/// Where a figure has to be.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Limit {
    /// At most this.
    Max(f64),
    /// At least this.
    Min(f64),
    /// More than this.
    Above(f64),
    /// At most this far from zero, to either side.
    Within(f64),
}

impl Limit {
    /// Decides for an interval; a point is an interval of no width.
    pub fn decide(self, lower: f64, upper: f64) -> Decision {
        let (good, bad) = match self {
            Self::Max(limit) => (upper <= limit, lower > limit),
            Self::Min(limit) => (lower >= limit, upper < limit),
            Self::Above(limit) => (lower > limit, upper <= limit),
            Self::Within(limit) => (lower >= -limit && upper <= limit, lower > limit || upper < -limit),
        };
        if good {
            Decision::Pass
        } else if bad {
            Decision::Fail
        } else {
            Decision::Inconclusive
        }
    }
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Max(limit) => write!(f, "≤ {limit}"),
            Self::Min(limit) => write!(f, "≥ {limit}"),
            Self::Above(limit) => write!(f, "> {limit}"),
            Self::Within(limit) => write!(f, "within ±{limit}"),
        }
    }
}

/// Whether the interval or the point decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DecideOn {
    /// The whole interval has to be on one side.
    Interval,
    /// The point alone; shown wherever it is used.
    Point,
}

/// One criterion with its answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Criterion {
    /// The figure's name.
    pub name: String,
    /// The answer.
    pub decision: Decision,
    /// The figure as shown, with its 95 % interval.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub figure: Figure,
    /// What the decision was made on: the 90 % interval, or the point.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub decided_on: Figure,
    /// Whether the interval or the point decides.
    pub decide: DecideOn,
    /// Where the figure has to be.
    pub limit: Limit,
    /// Smallest number of labelled units at which the present point would decide; `None` where it decides already,
    /// or beyond a million.
    pub labels_needed: Option<u64>,
    /// The same in items of the gold set, at the present share of items that count here; `None` as there.
    pub gold_needed: Option<u64>,
    /// One sentence for people, in English.
    pub reason: String,
    /// What the sentence is about, for other languages.
    #[serde(skip)]
    pub why: Why,
}

/// What the `n` of a criterion counts, and with it `labels_needed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// Rows on which neither label nor verdict is a tie.
    DecisiveRows,
    /// The same with responses of unequal length.
    DecisiveUnequalRows,
    /// Rows with a label and a verdict.
    JudgedRows,
    /// Rows with a verdict in both orders.
    TwoOrderRows,
    /// Single judgments.
    Judgments,
    /// Labelled items of the gold set themselves.
    Labels,
}

impl Counted {
    /// By the criterion's name.
    pub fn of(criterion: &str) -> Self {
        match criterion {
            "agreement_decisive" => Self::DecisiveRows,
            "length_error_gap" => Self::DecisiveUnequalRows,
            "kappa_strict" | "beats_controls" => Self::JudgedRows,
            "flip_rate" => Self::TwoOrderRows,
            "no_verdict_rate" => Self::Judgments,
            _ => Self::Labels,
        }
    }

    /// Whether it takes a label to count.
    pub fn is_labelled(self) -> bool {
        !matches!(self, Self::TwoOrderRows | Self::Judgments)
    }

    /// In English, in the plural.
    pub fn words(self) -> &'static str {
        match self {
            Self::DecisiveRows => "decisive pairs",
            Self::DecisiveUnequalRows => "decisive pairs of unequal length",
            Self::JudgedRows => "judged pairs",
            Self::TwoOrderRows => "pairs judged in both orders",
            Self::Judgments => "judgments",
            Self::Labels => "labels",
        }
    }
}

/// What decides a criterion beside its figure and limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// Nothing else: the figure and the limit say it all.
    Figure,
    /// The advantage over the control of this name.
    Advantage(String),
    /// The two decisive classes.
    Classes {
        /// Those with a verdict in both orders.
        judged: u64,
        /// Those in the gold.
        there: u64,
    },
    /// Judged items that have a gold label.
    Labels {
        /// How many there are.
        judged: u64,
        /// How many are wanted.
        least: u64,
    },
    /// The models that answered, with their calls.
    Models(Vec<(String, u64)>),
}

/// A decision with its reasons.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gate {
    /// All pass → pass, any fails → fail, else inconclusive.
    pub decision: Decision,
    /// Each criterion.
    pub criteria: Vec<Criterion>,
}

impl Gate {
    /// The gate over these criteria.
    pub fn of(criteria: Vec<Criterion>) -> Self {
        Self { decision: Decision::all(criteria.iter().map(|criterion| criterion.decision)), criteria }
    }

    /// This gate with one more criterion.
    #[must_use]
    pub fn and(mut self, criterion: Criterion) -> Self {
        self.decision = self.decision.max(criterion.decision);
        self.criteria.push(criterion);
        self
    }

    /// This gate with what its criteria lack counted in items of the gold set: `labelled` of its `items` have a label and a verdict.
    #[must_use]
    pub(super) fn in_items(mut self, labelled: u64, items: u64) -> Self {
        for criterion in &mut self.criteria {
            let counted = Counted::of(&criterion.name);
            let of = if counted.is_labelled() { labelled } else { items };
            let n = criterion.decided_on.as_ref().map_or(0, |estimate| estimate.n);
            criterion.gold_needed = match counted {
                Counted::Labels => criterion.labels_needed,
                _ if n == 0 => None,
                _ => criterion.labels_needed.map(|needed| (needed * of).div_ceil(n)),
            };
        }
        self
    }

    /// The criteria with one decision.
    pub fn with(&self, decision: Decision) -> impl Iterator<Item = &Criterion> {
        self.criteria.iter().filter(move |criterion| criterion.decision == decision)
    }
}

/// A limit as settings give it: `flip_rate = { max = 0.20, decide = "interval" }`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Rule {
    /// Where the figure has to be.
    pub limit: Limit,
    /// What decides.
    pub decide: DecideOn,
}

/// The criteria of the calibration gate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct GateRules {
    /// Share of two-order rows whose orders name different responses; default ≤ 0.20.
    pub flip_rate: Rule,
    /// Agreement where judge and gold are both decisive; default ≥ 0.75.
    pub agreement_decisive: Rule,
    /// Cohen's kappa over all judged rows; default ≥ 0.40.
    pub kappa_strict: Rule,
    /// Decisive error where gold is shorter minus where it is longer; default ≤ 0.20.
    pub length_error_gap: Rule,
    /// Judgments without a verdict, of planned; default ≤ 0.05 on the point.
    pub no_verdict_rate: Rule,
    /// Smallest advantage over a control judge in half-credit agreement; default > 0.
    pub beats_controls: Rule,
    /// Fewest judged labelled rows; default 20.
    pub min_labels: u64,
    /// Largest share of rows with one order only; default 0.50.
    pub max_single_order: f64,
}

impl Default for GateRules {
    fn default() -> Self {
        let interval = |limit| Rule { limit, decide: DecideOn::Interval };
        Self {
            flip_rate: interval(Limit::Max(0.20)),
            agreement_decisive: interval(Limit::Min(0.75)),
            kappa_strict: interval(Limit::Min(0.40)),
            length_error_gap: interval(Limit::Max(0.20)),
            no_verdict_rate: Rule { limit: Limit::Max(0.05), decide: DecideOn::Point },
            beats_controls: interval(Limit::Above(0.0)),
            min_labels: 20,
            max_single_order: 0.50,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_decides_only_when_it_is_wholly_on_one_side() {
        assert_eq!(Limit::Max(0.2).decide(0.1, 0.2), Decision::Pass);
        assert_eq!(Limit::Max(0.2).decide(0.1, 0.21), Decision::Inconclusive);
        assert_eq!(Limit::Max(0.2).decide(0.21, 0.3), Decision::Fail);
        assert_eq!(Limit::Min(0.75).decide(0.7, 0.74), Decision::Fail);
        assert_eq!(Limit::Above(0.0).decide(0.0, 0.1), Decision::Inconclusive);
        assert_eq!(Limit::Within(0.2).decide(-0.3, -0.21), Decision::Fail);
    }

    #[test]
    fn one_failure_outranks_what_is_inconclusive() {
        assert_eq!(Decision::all([Decision::Pass, Decision::Inconclusive, Decision::Fail]), Decision::Fail);
        assert_eq!(Decision::all([Decision::Pass, Decision::Inconclusive]), Decision::Inconclusive);
        assert_eq!(Decision::all([]), Decision::Inconclusive);
    }
}
