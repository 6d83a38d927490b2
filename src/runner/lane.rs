//! The calls of one judge: what waits, what is due, and how its endpoint has been doing.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use super::limits::Throttle;
use super::outcome::JudgeCalls;
use crate::domain::JudgeName;

/// One question on its way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Question {
    /// Index of its task.
    pub task: usize,
    /// Tries that have failed.
    pub failures: u32,
}

/// The state of one judge's calls. Times are since the start of the run.
#[derive(Debug)]
pub(super) struct Lane {
    pub throttle: Throttle,
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
    ready: VecDeque<Question>,
    waiting: BTreeMap<(Duration, u64), Question>,
    sequence: u64,
}

impl Lane {
    pub fn new(judge: &JudgeName, concurrency: usize) -> Self {
        Self {
            throttle: Throttle::new(concurrency),
            calls: JudgeCalls::new(judge),
            accepted: false,
            reached: false,
            accepted_before: false,
            given_up: 0,
            refused: 0,
            ready: VecDeque::new(),
            waiting: BTreeMap::new(),
            sequence: 0,
        }
    }

    pub fn push(&mut self, task: usize) {
        self.ready.push_back(Question { task, failures: 0 });
    }

    /// Puts a question off. It keeps its place among the open ones: while an endpoint is in trouble, its troubled
    /// questions are not joined by all the others.
    pub fn wait(&mut self, question: Question, until: Duration) {
        self.sequence += 1;
        self.waiting.insert((until, self.sequence), question);
        self.throttle.started();
    }

    /// The next question that may be asked now.
    pub fn next(&mut self, now: Duration) -> Option<Question> {
        if self.throttle.pause_at(now).is_some() {
            return None;
        }
        if let Some(due) = self.waiting.first_entry().filter(|first| first.key().0 <= now) {
            return Some(due.remove());
        }
        if self.throttle.is_full() {
            return None;
        }
        let question = self.ready.pop_front()?;
        self.throttle.started();
        Some(question)
    }

    /// When to look again, if time alone can let another question start.
    pub fn wake(&self, now: Duration) -> Option<Duration> {
        let fresh = (!self.ready.is_empty() && !self.throttle.is_full()).then_some(now);
        let due = self.waiting.first_key_value().map(|((due, _), _)| *due);
        let earliest = fresh.into_iter().chain(due).min()?;
        Some(self.throttle.pause_at(now).map_or(earliest, |until| until.max(earliest)))
    }

    pub fn is_idle(&self) -> bool {
        self.ready.is_empty() && self.waiting.is_empty()
    }

    /// Forgets what has not been asked.
    pub fn clear(&mut self) {
        self.ready.clear();
        for _ in std::mem::take(&mut self.waiting) {
            self.throttle.ended();
        }
    }

    pub fn prove(&mut self) {
        self.accepted = true;
        self.given_up = 0;
        self.refused = 0;
        self.throttle.prove();
    }
}
