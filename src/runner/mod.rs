//! Asks judges, or other respondents, and brings back their answers; [`judgments`] reads verdicts out of them.
//!
//! [`Plan`] works out what is to be asked, [`run`] asks it: one loop, which alone decides what goes to the store. One batch
//! at a time is written by another thread, with the only appender and the lock in its hands; answers count once they are on
//! the disk. `retry`, `window` (concurrency), `bucket` (rates), `size` (estimates) and `budget` are pure machines that get
//! the time handed in.
//!
//! The outcome depends on the plan and the completions alone: not on concurrency, nor on the order in which answers came.
//! A call that fails is a judgment of its own kind ([`crate::domain::NoVerdict::Failed`]), never a tie, and never the end of
//! a run, unless it says that no call will work.
//!
//! This room must never ask for what the store has, count what is not saved, or make up a verdict.

mod bucket;
mod budget;
mod engine;
mod event;
mod forecast;
mod lane;
mod outcome;
mod plan;
mod respondent;
mod retry;
mod size;
mod stop;
#[cfg(test)]
mod tests;
mod verdict;
mod window;

use std::collections::BTreeMap;
use std::time::Duration;

pub use budget::{Budget, Spent};
pub use event::{Asked, Call, RunEvent};
pub use forecast::{Forecast, forecast};
pub use outcome::{Answer, Calls, Incomplete, JudgeCalls, RunOutcome, SetupError};
pub use plan::{IdenticalPairs, JudgePlan, Plan, PlanError, PlanOptions, Source, Task, Trial};
pub use respondent::{Reader, RequestError, Respondent, Sending, Subject, Terms};
pub use retry::RetryPolicy;
pub use size::Size;
pub use stop::{Stop, StopHandle, stop_signal};
pub use verdict::judgments;

use crate::domain::{Completion, JudgeName};
use crate::store::Store;
use engine::Engine;

/// The limits of one judge's calls; `None` is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Limits {
    /// Calls open at a time.
    pub concurrency: Option<usize>,
    /// Requests a minute, spread evenly; above 0.
    pub requests_per_minute: Option<f64>,
    /// Tokens a minute, of requests and answers together, spread evenly; above 0. Reserved by estimate, corrected when
    /// an answer says what it used.
    pub tokens_per_minute: Option<f64>,
}

/// How to run a plan.
#[derive(Clone)]
pub struct RunOptions<'a> {
    /// Calls that one judge may have open at a time, where `limits` says nothing else.
    pub concurrency: usize,
    /// The limits of each judge; those that are not listed have none but `concurrency`.
    pub limits: BTreeMap<JudgeName, Limits>,
    /// What the run may spend, together with what was spent before.
    pub budget: Budget,
    /// What the same work spent before this run.
    pub spent: Spent,
    /// How failed calls are repeated.
    pub retry: RetryPolicy,
    /// So many calls of one judge given up in a row mean that its endpoint is gone.
    pub gone_after: u32,
    /// A batch is saved when it has so many answers …
    pub batch_records: usize,
    /// … or when the last one is so long ago: at once where answers are rare, else together with those that come meanwhile.
    pub batch_delay: Duration,
    /// The model that must answer for a judge, as the server names it; judges that are not listed may be answered by any.
    /// An answer of another model ends the run, and one in the store counts as not there.
    pub served_models: BTreeMap<JudgeName, String>,
    /// Whether the endpoints have shown before that they accept what is asked of them.
    pub standing: Standing,
    /// The time of day for records, RFC 3339 in UTC.
    pub timestamp: &'a dyn Fn() -> String,
}

/// What is known of endpoints when a run begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Standing {
    /// Nothing: a refusal of the first call may be about the key, the model or the address.
    #[default]
    New,
    /// They answered earlier in the same work: one refusal alone may be about the item.
    Proven,
}

impl<'a> RunOptions<'a> {
    /// The defaults: 8 calls at a time, no other limit, batches of 1,024 answers or 50 ms, an endpoint given up after 5
    /// calls in a row.
    pub fn new(timestamp: &'a dyn Fn() -> String) -> Self {
        Self {
            concurrency: 8,
            limits: BTreeMap::new(),
            budget: Budget::default(),
            spent: Spent::default(),
            retry: RetryPolicy::default(),
            gone_after: 5,
            batch_records: 1024,
            batch_delay: Duration::from_millis(50),
            served_models: BTreeMap::new(),
            standing: Standing::default(),
            timestamp,
        }
    }

    /// Calls that this judge may have open at a time.
    pub fn concurrency_of(&self, judge: &JudgeName) -> usize {
        self.limits.get(judge).and_then(|limits| limits.concurrency).unwrap_or(self.concurrency)
    }

    /// The model wanted and the model that answered, where they are known and differ.
    fn other_model<'c>(&self, judge: &JudgeName, completion: &'c Completion) -> Option<(&str, &'c str)> {
        let (wanted, served) = (self.served_models.get(judge)?, completion.served_model.as_deref()?);
        (wanted != served).then_some((wanted, served))
    }
}

/// A run that brings no outcome. Answers that came before are saved all the same.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// As set up, a judge accepts nothing.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// A request cannot be made.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A budget of money, and a judge whose calls have no known most.
    #[error("`max_usd` cannot be kept: judge `{judge}` has no `{setting}`; set it in [judges.NAME]")]
    Budget {
        /// The judge.
        judge: JudgeName,
        /// What it lacks.
        setting: &'static str,
    },
}

/// Whether a budget can be kept: one of money needs to know what each call costs at most. [`run`] checks it as well.
///
/// # Errors
/// [`RunError::Budget`] names the judge and what it lacks.
pub fn check_budget<J: Respondent>(trial: &Trial<'_, J>, plan: &Plan, budget: Budget) -> Result<(), RunError> {
    if budget.max_usd.is_none() {
        return Ok(());
    }
    for (judge, plan) in trial.judges.iter().zip(&plan.judges) {
        let terms = judge.terms();
        let setting = match (terms.price, terms.max_tokens) {
            _ if plan.to_ask + plan.cached == 0 => continue,
            (None, _) => "price",
            (_, None) => "max_tokens",
            (Some(_), Some(_)) => continue,
        };
        return Err(RunError::Budget { judge: judge.name().clone(), setting });
    }
    Ok(())
}

/// Runs a plan. Judges at endpoints are asked for what the store does not have; local judges (controls, checks, replays)
/// are asked directly and leave no trace in the store. `stop` finishes and saves what is in flight.
///
/// # Errors
/// [`RunError::Setup`] when an endpoint that has accepted nothing refuses the setup (key, model, address), or a local judge
/// cannot work at all. Everything else is part of the outcome: see [`RunOutcome::incomplete`].
pub async fn run<'t, J: Respondent>(
    trial: &Trial<'t, J>,
    plan: &Plan,
    store: &mut Store,
    options: &RunOptions<'_>,
    stop: Stop,
    on_event: &mut dyn FnMut(RunEvent<'t>),
) -> Result<RunOutcome, RunError> {
    Engine::new(trial, plan, store, options, on_event).run(stop).await
}
