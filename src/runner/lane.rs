//! The calls of one judge: what waits, what is due, and how its endpoint has been doing.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use super::Limits;
use super::bucket::Bucket;
use super::budget::{Leave, Purse};
use super::outcome::JudgeCalls;
use super::respondent::Terms;
use super::size::{Gauge, Size};
use super::window::Window;
use crate::domain::{JudgeName, Usage};

/// A question that was rejected so often lets all others go first: it may be too large for the limit by itself.
const PATIENCE: u32 = 3;

/// One question on its way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Question {
    /// Index of its task.
    pub task: usize,
    /// Tries that have failed.
    pub failures: u32,
    /// Tries that a limit of the rate rejected.
    pub rejections: u32,
    /// The window's epoch in which it was last sent.
    pub epoch: u64,
    /// When it was last sent.
    pub sent: Duration,
    pub size: Size,
    /// US dollars held back while it is in flight.
    held: f64,
    /// Tokens reserved while it is in flight.
    reserved: f64,
}

impl Question {
    pub fn is_fresh(&self) -> bool {
        self.failures == 0 && self.rejections == 0
    }
}

/// What comes next in a lane.
#[derive(Debug, Clone, Copy)]
pub(super) enum Turn {
    /// This question may be sent now; everything it needs is reserved.
    Send(Question),
    /// None may be sent now.
    Rest,
    /// None will be sent any more: the budget of this setting is used up.
    UsedUp(&'static str),
}

/// The state of one judge's calls. Times are since the start of the run.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Lane {
    pub window: Window,
    pub calls: JudgeCalls,
    /// The endpoint understood a request in this run.
    pub accepted: bool,
    /// Something answered at its address, be it with an error.
    pub reached: bool,
    /// It answered in an earlier run: so the setup was right once.
    pub accepted_before: bool,
    /// Questions in a row that were given up.
    pub given_up: u32,
    /// Refusals of the whole setup in a row.
    pub refused: u32,
    terms: Terms,
    gauge: Gauge,
    requests: Option<Bucket>,
    tokens: Option<Bucket>,
    /// What a limit rejected: goes first, and holds no place meanwhile.
    rejected: VecDeque<Question>,
    ready: VecDeque<Question>,
    /// What was rejected time and again: goes last.
    deferred: VecDeque<Question>,
    waiting: BTreeMap<(Duration, u64), Question>,
    sequence: u64,
    /// Only a call in flight that comes back can let another start: it holds back money.
    is_short: bool,
}

/// Where the next question stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Waiting,
    Rejected,
    Ready,
    Deferred,
}

impl Lane {
    pub fn new(judge: &JudgeName, terms: Terms, limits: &Limits, concurrency: usize) -> Self {
        Self {
            window: Window::new(limits.concurrency.unwrap_or(concurrency)),
            calls: JudgeCalls::new(judge),
            accepted: false,
            reached: false,
            accepted_before: false,
            given_up: 0,
            refused: 0,
            terms,
            gauge: Gauge::new(),
            requests: limits.requests_per_minute.map(Bucket::new),
            tokens: limits.tokens_per_minute.map(Bucket::new),
            rejected: VecDeque::new(),
            ready: VecDeque::new(),
            deferred: VecDeque::new(),
            waiting: BTreeMap::new(),
            sequence: 0,
            is_short: false,
        }
    }

    pub fn push(&mut self, task: usize, size: Size) {
        self.ready.push_back(Question {
            task,
            failures: 0,
            rejections: 0,
            epoch: 0,
            sent: Duration::ZERO,
            size,
            held: 0.0,
            reserved: 0.0,
        });
    }

    /// Puts a question off. It keeps its place among the open ones: while an endpoint is in trouble, its troubled
    /// questions are not joined by all the others.
    pub fn wait(&mut self, question: Question, until: Duration) {
        self.sequence += 1;
        self.waiting.insert((until, self.sequence), question);
        self.window.started();
    }

    /// Takes back a question that a limit rejected. It is not to blame, so it goes first when the pause is over.
    pub fn take_back(&mut self, question: Question) {
        if question.rejections < PATIENCE {
            self.rejected.push_front(question);
        } else {
            self.deferred.push_back(question);
        }
    }

    /// The next question that may be asked now.
    pub fn next(&mut self, now: Duration, purse: &mut Purse) -> Turn {
        self.is_short = false;
        let Some((place, mut question)) = self.first(now) else { return Turn::Rest };
        let tokens = self.gauge.tokens(question.size, self.terms.max_tokens);
        if self.flow_at(now, tokens) > now {
            return Turn::Rest;
        }
        let worst = self.terms.worst_usd(question.size);
        match purse.ask(worst) {
            Leave::Granted => {}
            Leave::Later => {
                self.is_short = true;
                return Turn::Rest;
            }
            Leave::UsedUp(setting) => return Turn::UsedUp(setting),
        }
        purse.hold(worst);
        self.window.sent(now);
        for (bucket, amount) in [(&mut self.requests, 1.0), (&mut self.tokens, tokens)] {
            if let Some(bucket) = bucket {
                bucket.take(now, amount);
            }
        }
        match place {
            Place::Waiting => drop(self.waiting.pop_first()),
            Place::Rejected => drop(self.rejected.pop_front()),
            Place::Ready => drop(self.ready.pop_front()),
            Place::Deferred => drop(self.deferred.pop_front()),
        }
        if place != Place::Waiting {
            self.window.started();
        }
        (question.held, question.reserved, question.epoch) = (worst, tokens, self.window.epoch());
        question.sent = now;
        Turn::Send(question)
    }

    /// A call came back: it used these tokens and cost `usd`, where that is known.
    pub fn came_back(
        &mut self,
        question: &Question,
        now: Duration,
        usage: &Usage,
        usd: Option<f64>,
        purse: &mut Purse,
    ) {
        self.window.ended();
        purse.settle(question.held, usd);
        let used = usage.input_tokens.and_then(|input| Some(input.saturating_add(usage.output_tokens?)));
        if let (Some(bucket), Some(used)) = (&mut self.tokens, used) {
            bucket.correct(now, question.reserved, used as f64);
        }
        self.gauge.learn(question.size, usage);
    }

    /// The question whose turn it is, if one may start at all.
    fn first(&self, now: Duration) -> Option<(Place, Question)> {
        if self.window.pause_at(now).is_some() {
            return None;
        }
        if let Some((_, question)) = self.waiting.first_key_value().filter(|((due, _), _)| *due <= now) {
            return Some((Place::Waiting, *question));
        }
        if self.window.is_full() {
            return None;
        }
        let queues =
            [(Place::Rejected, &self.rejected), (Place::Ready, &self.ready), (Place::Deferred, &self.deferred)];
        queues.into_iter().find_map(|(place, queue)| Some((place, *queue.front()?)))
    }

    /// When the limits let a request of so many tokens through.
    fn flow_at(&self, now: Duration, tokens: f64) -> Duration {
        let now_or_slot = self.window.slot_at(now);
        let requests = self.requests.as_ref().map_or(now, |bucket| bucket.ready_at(now, 1.0)).max(now_or_slot);
        self.tokens.as_ref().map_or(requests, |bucket| bucket.ready_at(now, tokens).max(requests))
    }

    /// When to look again, if time alone can let another question start.
    pub fn wake(&self, now: Duration) -> Option<Duration> {
        if self.is_short {
            return None;
        }
        if let Some((_, question)) = self.first(now) {
            return Some(self.flow_at(now, self.gauge.tokens(question.size, self.terms.max_tokens)));
        }
        let has_fresh = !(self.rejected.is_empty() && self.ready.is_empty() && self.deferred.is_empty());
        let fresh = (has_fresh && !self.window.is_full()).then_some(now);
        let due = self.waiting.first_key_value().map(|((due, _), _)| *due);
        let earliest = fresh.into_iter().chain(due).min()?;
        Some(self.window.pause_at(now).map_or(earliest, |until| until.max(earliest)))
    }

    pub fn is_idle(&self) -> bool {
        self.rejected.is_empty() && self.ready.is_empty() && self.deferred.is_empty() && self.waiting.is_empty()
    }

    /// Forgets what has not been asked.
    pub fn clear(&mut self) {
        self.rejected.clear();
        self.ready.clear();
        self.deferred.clear();
        for _ in std::mem::take(&mut self.waiting) {
            self.window.ended();
        }
    }

    /// The endpoint understood a request.
    pub fn prove(&mut self) {
        self.accepted = true;
        self.given_up = 0;
        self.refused = 0;
        self.window.prove();
    }
}
