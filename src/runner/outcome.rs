//! How a run ended.

use std::sync::Arc;
use std::time::Duration;

use super::budget::Spent;
use crate::domain::{Completion, JudgeName, NoVerdict, Notice, Usage};
use crate::judge::{CallError, JudgeKind};

/// Calls by what became of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Calls {
    /// Questions put to an endpoint, each counted once however often it was tried.
    pub made: u64,
    /// Judgments whose answer was in the store.
    pub cached: u64,
    /// Repeated tries that were sent: with `made` they are the requests that the endpoint saw.
    pub retried: u64,
    /// Questions without an answer after all tries; part of `made`.
    pub failed: u64,
}

impl Calls {
    fn plus(self, other: Self) -> Self {
        Self {
            made: self.made + other.made,
            cached: self.cached + other.cached,
            retried: self.retried + other.retried,
            failed: self.failed + other.failed,
        }
    }
}

/// What one judge's calls of this run came to; answers from the store cost nothing here.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeCalls {
    /// Whose.
    pub judge: JudgeName,
    /// The calls.
    pub calls: Calls,
    /// Answers that the endpoint gave in this run.
    pub answered: u64,
    /// Tokens of this run's answers; a count is `None` when one answer came without it.
    pub usage: Usage,
    /// US dollars of this run's answers; `None` when the cost of one is unknown.
    pub cost_usd: Option<f64>,
}

impl JudgeCalls {
    pub(super) fn new(judge: &JudgeName) -> Self {
        Self {
            judge: judge.clone(),
            calls: Calls::default(),
            answered: 0,
            usage: Usage { input_tokens: Some(0), output_tokens: Some(0) },
            cost_usd: Some(0.0),
        }
    }

    pub(super) fn spend(&mut self, usage: &Usage, cost_usd: Option<f64>) {
        let sum = |all: Option<u64>, one: Option<u64>| Some(all?.saturating_add(one?));
        self.answered += 1;
        self.usage.input_tokens = sum(self.usage.input_tokens, usage.input_tokens);
        self.usage.output_tokens = sum(self.usage.output_tokens, usage.output_tokens);
        self.cost_usd = self.cost_usd.and_then(|all| Some(all + cost_usd?));
    }
}

/// Why a run did not answer all that was planned. What was saved stays saved: the same command goes on from there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Incomplete {
    /// It was asked to stop.
    #[error("the run was stopped before it was done; run it again to go on from there")]
    Stopped,
    /// Calls fail one after the other, all tries included.
    #[error(
        "the endpoint of judge `{judge}` is gone: {calls} calls in a row failed, the last with: {why}; run again when it is back"
    )]
    EndpointGone {
        /// Whose endpoint.
        judge: JudgeName,
        /// Calls in a row.
        calls: u32,
        /// The last failure.
        why: String,
    },
    /// The endpoint answered before, and now refuses everything (key withdrawn, quota used up, model gone).
    #[error("the endpoint of judge `{judge}` does not accept calls any more: {why}; put that right and run again")]
    Refused {
        /// Whose endpoint.
        judge: JudgeName,
        /// What it says.
        why: String,
    },
    /// The server asks for a longer wait than a run sits out.
    #[error("the endpoint of judge `{judge}` asks to come back in {} s ({why}); run again then", wait.as_secs())]
    ComeBack {
        /// Whose endpoint.
        judge: JudgeName,
        /// The wait that it asks for.
        wait: Duration,
        /// What it says.
        why: String,
    },
    /// The server keeps limiting the rate: pause after pause brought no answer.
    #[error(
        "the endpoint of judge `{judge}` keeps limiting the rate: {pauses} pauses in a row brought no answer, the last \
         with: {why}; run again later, or with less at a time (--requests-per-minute, --tokens-per-minute)"
    )]
    RateLimited {
        /// Whose endpoint.
        judge: JudgeName,
        /// Pauses in a row.
        pauses: u32,
        /// What the server says.
        why: String,
    },
    /// The budget does not allow another call.
    #[error(
        "the budget `{setting}` does not allow another call at its worst case: {spent}; run again to go on from there with a new budget"
    )]
    Budget {
        /// The setting that ended the run.
        setting: &'static str,
        /// What was spent, in words.
        spent: String,
    },
    /// Another model answered than the one that the judge was tried with; its answers were not kept.
    #[error(
        "judge `{judge}` was answered by the model `{served}`, and it was calibrated as `{wanted}`; \
         calibrate it anew, or set `served_model = \"any\"`"
    )]
    OtherModel {
        /// Whose endpoint.
        judge: JudgeName,
        /// The model that was to answer.
        wanted: String,
        /// The model that the server says it served.
        served: String,
    },
    /// Answers could not be saved; the run stopped rather than pay for more.
    #[error("{}: {why}", match unsaved {
        0 => "the store failed for a while, every answer was saved in the end, and the run can go on from there".to_owned(),
        many => format!("{many} answers could not be saved"),
    })]
    Store {
        /// Answers that were paid for and are lost.
        unsaved: u64,
        /// Why.
        why: String,
    },
}

/// What became of one task.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// The completion, saved where it is to be saved; equal questions share one.
    Answered(Arc<Completion>),
    /// There is none.
    Absent {
        /// `Failed`, or `Missing` where the run ended before.
        kind: NoVerdict,
        /// Why, in words.
        why: String,
    },
}

/// What a run brought.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOutcome {
    /// One answer for each planned task, in the plan's order, whatever order the answers came in. Where a run is
    /// incomplete, the tasks without an answer are `missing`.
    pub answers: Vec<Answer>,
    /// All judges' calls together.
    pub calls: Calls,
    /// By judge, in the order of the judges.
    pub by_judge: Vec<JudgeCalls>,
    /// Why the run is incomplete; `None` when every task was answered or failed for good.
    pub incomplete: Option<Incomplete>,
    /// What was spent of the budget, by this run and before it.
    pub spent: Spent,
    /// What the store had to say during the run.
    pub notices: Vec<Notice>,
}

impl RunOutcome {
    /// Lets go of what was answered, where that was read already: an answered task then holds an empty completion. Tens of
    /// thousands of answers weigh more than everything that is still to be done with them.
    pub fn let_go_of_answers(&mut self) {
        let empty = Arc::new(Completion::of_text(""));
        for answer in &mut self.answers {
            if let Answer::Answered(completion) = answer {
                *completion = Arc::clone(&empty);
            }
        }
    }

    pub(super) fn new(
        answers: Vec<Answer>,
        by_judge: Vec<JudgeCalls>,
        incomplete: Option<Incomplete>,
        spent: Spent,
        notices: Vec<Notice>,
    ) -> Self {
        let calls = by_judge.iter().fold(Calls::default(), |sum, judge| sum.plus(judge.calls));
        Self { answers, calls, by_judge, incomplete, spent, notices }
    }
}

/// A run that cannot be: as set up, the judge answers nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("judge `{judge}` cannot be asked: {why}{}{hint}", if hint.is_empty() { "" } else { "; " })]
pub struct SetupError {
    /// The judge.
    pub judge: JudgeName,
    /// HTTP status, where there was one.
    pub status: Option<u16>,
    /// What happened.
    pub why: String,
    /// The setting to look at; empty where `why` names it.
    pub hint: &'static str,
}

impl SetupError {
    pub(super) fn new(judge: &JudgeName, kind: JudgeKind, error: &CallError) -> Self {
        let names_setting = SETTINGS.iter().any(|setting| error.message.contains(setting));
        let hint = match kind {
            _ if names_setting => "",
            JudgeKind::Endpoint => hint(error.status),
            JudgeKind::Replay | JudgeKind::Checks | JudgeKind::Control => "check what --judge names",
        };
        Self { judge: judge.clone(), status: error.status, why: error.message.clone(), hint }
    }
}

const SETTINGS: [&str; 5] = ["setting `", "`api_key_env`", "`base_url`", "`model`", "`timeout_s`"];

fn hint(status: Option<u16>) -> &'static str {
    match status {
        Some(401 | 403) => "check the key in the variable that `api_key_env` names, and that it may use this `model`",
        Some(404 | 405) => "check `model` and `base_url` (the base URL of most servers ends with /v1)",
        Some(402 | 429) => "check the quota or credit behind the key in the variable that `api_key_env` names",
        None => "check `base_url`, and that the server runs and can be reached",
        Some(_) => "check `provider`, `model`, `base_url` and the key in the variable that `api_key_env` names",
    }
}
