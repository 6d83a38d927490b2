//! Everything that can happen during a run, for progress bars and logs. Names are lent by the trial (`'t`).

use std::time::Duration;

use crate::domain::{ItemId, JudgeName, Notice, Order, RequestKey, Usage};

use super::plan::JudgePlan;

/// Which judgment an event is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked<'t> {
    /// Who judges.
    pub judge: &'t JudgeName,
    /// What.
    pub item: &'t ItemId,
    /// Which response is shown first.
    pub order: Order,
    /// 0 for the first asking of this order.
    pub repeat: u32,
}

/// One try of a call, as it came back.
#[derive(Debug, Clone, PartialEq)]
pub struct Call<'t> {
    /// Which question.
    pub asked: Asked<'t>,
    /// The key of its completion.
    pub key: RequestKey,
    /// 1 for the first try.
    pub attempt: u32,
    /// HTTP status, 200 for every answer; `None` where no server answered.
    pub status: Option<u16>,
    /// From sending to the whole answer, or to the end of the try.
    pub latency: Duration,
    /// Tokens of the answer.
    pub usage: Usage,
    /// US dollars; `None` is unknown, never zero.
    pub cost_usd: Option<f64>,
    /// Why it brought no answer.
    pub error: Option<String>,
}

/// The closed list of what can happen.
#[derive(Debug, Clone, PartialEq)]
pub enum RunEvent<'t> {
    /// First event of every run.
    Planned(Vec<JudgePlan>),
    /// A try came back; what becomes of it is an event of its own.
    Called(Call<'t>),
    /// A local judge or an endpoint answered; an endpoint's answer counts once its batch is saved.
    Answered {
        /// Which question.
        asked: Asked<'t>,
        /// What the answer cost in US dollars; `None` is unknown, never zero.
        cost_usd: Option<f64>,
    },
    /// The store had the answer.
    Cached(Asked<'t>),
    /// A try failed and will be repeated.
    Retrying {
        /// Which call.
        asked: Asked<'t>,
        /// Tries that have failed.
        failures: u32,
        /// Time until the next.
        wait: Duration,
        /// What happened.
        why: String,
    },
    /// The server limits the rate, and no new call of this judge starts before the end of a pause.
    Paused {
        /// Whose calls.
        judge: JudgeName,
        /// How long.
        wait: Duration,
        /// What the server says.
        why: String,
    },
    /// A call failed for good.
    Failed {
        /// Which call.
        asked: Asked<'t>,
        /// What happened.
        why: String,
    },
    /// Answers are on the disk and count.
    BatchSaved {
        /// How many.
        records: u64,
    },
    /// The store has something to say.
    Noticed(Notice),
    /// No new call starts any more; what is in flight is waited for.
    Stopped {
        /// Calls in flight.
        in_flight: u64,
    },
    /// Last event of every run that brings an outcome.
    Done,
}
