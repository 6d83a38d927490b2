//! Was it done as it was said before? A pre-registered plan, and how what was done departs from it.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::domain::{Digest, did_you_mean};
use crate::stats::{Figure, NotEstimable, Reason};

/// The fields of a plan.
const FIELDS: [&str; 6] = ["metric", "n", "stopping", "threshold", "margin", "seed"];

/// Which figure decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Mean score.
    WinRate,
    /// Mean graded score.
    Score,
    /// Share of consistent wins.
    Decided,
}

impl Metric {
    const ALL: [Self; 3] = [Self::WinRate, Self::Score, Self::Decided];

    /// The name in every file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::WinRate => "win_rate",
            Self::Score => "score",
            Self::Decided => "decided",
        }
    }
}

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stopping {
    /// After all items.
    Fixed,
    /// As soon as an anytime-valid interval decides.
    Anytime,
}

impl Stopping {
    /// The name in every file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Anytime => "anytime",
        }
    }
}

/// What was to be done.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Plan {
    /// Digest of the file.
    pub digest: Digest,
    /// Which figure decides.
    pub metric: Metric,
    /// How many items.
    pub n: u64,
    /// When to stop.
    pub stopping: Stopping,
    /// Value that the lower bound of the figure has to clear.
    pub threshold: Option<f64>,
    /// Instead: how far below ½ still counts as no worse.
    pub margin: Option<f64>,
    /// Seed of the resampling.
    pub seed: Option<u64>,
}

/// What is wrong with a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanFault {
    /// The field.
    pub field: String,
    /// What was found and what is wanted.
    pub problem: String,
}

impl Plan {
    /// Reads a plan's fields. `digest` is that of the file.
    ///
    /// # Errors
    /// The first field that is unknown, missing or of another kind than wanted.
    pub fn of(digest: Digest, fields: &Map<String, Value>) -> Result<Self, PlanFault> {
        let fault = |field: &str, problem: String| PlanFault { field: field.to_owned(), problem };
        if let Some(unknown) = fields.keys().find(|name| !FIELDS.contains(&name.as_str())) {
            let near = did_you_mean(unknown, FIELDS);
            return Err(fault(unknown, format!("is no field of a plan (they are {}){near}", FIELDS.join(", "))));
        }
        let wrong = |field: &str, wanted: &str| {
            let found = fields.get(field).map_or_else(|| "nothing".to_owned(), Value::to_string);
            fault(field, format!("found {found}, wanted {wanted}"))
        };
        let word = |field: &str| fields.get(field).and_then(Value::as_str);
        let share = |field: &str, most: f64, wanted: &str| match fields.get(field) {
            None => Ok(None),
            Some(value) => {
                let share = value.as_f64().filter(|share| *share > 0.0 && *share < most);
                share.map(Some).ok_or_else(|| wrong(field, wanted))
            }
        };
        let metric = Metric::ALL.into_iter().find(|metric| word("metric") == Some(metric.as_str()));
        let stopping = [Stopping::Fixed, Stopping::Anytime].into_iter().find(|s| word("stopping") == Some(s.as_str()));
        let seed = match fields.get("seed") {
            None => None,
            Some(value) => Some(value.as_u64().ok_or_else(|| wrong("seed", "a whole number from 0"))?),
        };
        let plan = Self {
            digest,
            metric: metric.ok_or_else(|| wrong("metric", "\"win_rate\", \"score\" or \"decided\""))?,
            n: fields
                .get("n")
                .and_then(Value::as_u64)
                .filter(|n| *n > 0)
                .ok_or_else(|| wrong("n", "a whole number of items from 1"))?,
            stopping: stopping.ok_or_else(|| wrong("stopping", "\"fixed\" or \"anytime\""))?,
            threshold: share("threshold", 1.0, "a share above 0 and below 1")?,
            margin: share("margin", 0.5, "a margin above 0 and below 0.5")?,
            seed,
        };
        if plan.threshold.is_some() && plan.margin.is_some() {
            return Err(fault("margin", "stands beside `threshold`: one of them decides".to_owned()));
        }
        Ok(plan)
    }

    /// The value that the lower bound of the figure has to clear.
    pub fn bound(&self) -> Option<f64> {
        self.threshold.or(self.margin.map(|margin| 0.5 - margin))
    }
}

/// Whether a figure clears a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Held {
    /// Its whole interval is above.
    Held,
    /// Its whole interval is below.
    NotHeld,
    /// Neither.
    Undecided,
}

impl Held {
    /// Whether the whole interval of `figure` is on one side of `bound`.
    pub fn of(figure: &Figure, bound: f64) -> Self {
        match figure {
            Ok(found) if found.lower > bound => Self::Held,
            Ok(found) if found.upper < bound => Self::NotHeld,
            _ => Self::Undecided,
        }
    }
}

/// One way in which what was done is not what was planned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Deviation {
    /// The field of the plan.
    pub field: &'static str,
    /// What it says.
    pub planned: String,
    /// What was done.
    pub done: String,
}

/// A plan beside what was done.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Prereg {
    /// The plan.
    #[serde(flatten)]
    pub plan: Plan,
    /// The figure that it decides on.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub figure: Figure,
    /// Whether that figure clears the bound; `None` where the plan has none.
    pub held: Option<Held>,
    /// Where what was done departs from it.
    pub deviations: Vec<Deviation>,
}

/// What was done.
#[derive(Debug, Clone, Copy)]
pub(super) struct Done<'a> {
    pub(super) items: u64,
    pub(super) seed: u64,
    pub(super) stopping: Stopping,
    /// The bound that was asked for on the command line, on the win rate.
    pub(super) required: Option<f64>,
    /// Comparisons of these items so far.
    pub(super) runs: u64,
    pub(super) win_rate: &'a Figure,
    pub(super) score: &'a Figure,
    pub(super) decided: &'a Figure,
}

/// Holds a plan against what was done.
pub(super) fn check(plan: &Plan, done: Done) -> Prereg {
    // The decided rate has an interval for a fixed number of items alone: after looking on the way it decides nothing.
    let no_sequence = Err(NotEstimable::because(Reason::Invalid));
    let figure = match plan.metric {
        Metric::WinRate => done.win_rate,
        Metric::Score => done.score,
        Metric::Decided if done.stopping == Stopping::Anytime => &no_sequence,
        Metric::Decided => done.decided,
    };
    let mut deviations = Vec::new();
    let mut note = |field, planned: String, done: String| {
        if planned != done {
            deviations.push(Deviation { field, planned, done });
        }
    };
    note("n", plan.n.to_string(), done.items.to_string());
    note("stopping", plan.stopping.as_str().to_owned(), done.stopping.as_str().to_owned());
    if plan.stopping == Stopping::Fixed && done.runs > 1 {
        note("stopping", "one run".to_owned(), format!("{} runs", done.runs));
    }
    if plan.metric == Metric::Decided && done.stopping == Stopping::Anytime {
        note(
            "metric",
            plan.metric.as_str().to_owned(),
            "win_rate and score, which have anytime-valid intervals".to_owned(),
        );
    }
    if let Some(seed) = plan.seed {
        note("seed", seed.to_string(), done.seed.to_string());
    }
    if let Some(required) = done.required {
        note("metric", plan.metric.as_str().to_owned(), Metric::WinRate.as_str().to_owned());
        let field = if plan.margin.is_some() { "margin" } else { "threshold" };
        let bound = |value: f64| format!("{value:.4}");
        note(field, plan.bound().map_or_else(|| "none".to_owned(), bound), bound(required));
    }
    Prereg {
        plan: plan.clone(),
        figure: figure.clone(),
        held: plan.bound().map(|bound| Held::of(figure, bound)),
        deviations,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::stats::Estimate;

    fn plan(fields: &Value) -> Result<Plan, PlanFault> {
        Plan::of(Digest::of(b"plan"), fields.as_object().unwrap())
    }

    #[test]
    fn unknown_missing_and_mistyped_fields_are_named() {
        let good = json!({"metric": "win_rate", "n": 400, "stopping": "fixed", "threshold": 0.5});
        assert_eq!(plan(&good).unwrap().bound(), Some(0.5));
        for (field, value, part) in [
            ("treshold", json!(0.5), "did you mean `threshold`?"),
            ("metric", json!("winrate"), "\"win_rate\""),
            ("n", json!(0), "found 0"),
            ("n", json!(1.5), "whole number"),
            ("stopping", json!("when it looks good"), "\"anytime\""),
            ("margin", json!(0.05), "one of them"),
            ("threshold", json!(1.0), "below 1"),
            ("seed", json!(-1), "found -1"),
        ] {
            let mut fields = good.clone();
            fields[field] = value;
            let fault = plan(&fields).unwrap_err();
            assert!(fault.field == field && fault.problem.contains(part), "{fault:?}");
        }
        assert_eq!(plan(&json!({"metric": "score", "stopping": "fixed"})).unwrap_err().field, "n");
    }

    #[test]
    fn every_departure_is_listed_and_a_plan_kept_has_none() {
        let plan = plan(&json!({"metric": "score", "n": 100, "stopping": "fixed", "margin": 0.05, "seed": 7})).unwrap();
        let rate = |point: f64| Ok(Estimate::within(point, [point - 0.02, point + 0.02], 0.95, 100, "bca"));
        let [win_rate, score, decided] = [rate(0.46), rate(0.48), rate(0.5)];
        let kept = Done {
            items: 100,
            seed: 7,
            stopping: Stopping::Fixed,
            required: None,
            runs: 1,
            win_rate: &win_rate,
            score: &score,
            decided: &decided,
        };
        let found = check(&plan, kept);
        assert_eq!((found.held, found.deviations.len()), (Some(Held::Held), 0));
        let other = Done { items: 90, seed: 1, required: Some(0.5), runs: 3, ..kept };
        let fields: Vec<&str> = check(&plan, other).deviations.iter().map(|deviation| deviation.field).collect();
        assert_eq!(fields, ["n", "stopping", "seed", "metric", "margin"]);
    }
}
