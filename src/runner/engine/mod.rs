//! The one loop: starts calls, takes their outcomes, saves batches. It alone writes to the store. The calls themselves
//! (writing the body, waiting, reading the answer) are done on the runtime's other threads.

mod saving;
mod settle;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::{JoinError, JoinSet, yield_now};
use tokio::time::{Instant, sleep_until};

use super::budget::Purse;
use super::event::{Asked, RunEvent};
use super::lane::{Lane, Question, Turn};
use super::outcome::{Answer, Incomplete, RunOutcome, SetupError};
use super::plan::{Plan, Source, Trial};
use super::respondent::{Respondent, Subject};
use super::stop::Stop;
use super::{Limits, RunError, RunOptions, Standing, check_budget};
use crate::domain::{Completion, JudgeRequest, NoVerdict, Notice};
use crate::judge::{CallClass, CallError};
use crate::store::{Record, Store};
use saving::{Saving, written};

/// A judge on this machine never waits: after so many of its answers others get a turn, such as who hears a request to stop.
const AT_A_STRETCH: usize = 64;

/// Why no new call starts.
enum Halt {
    Incomplete(Incomplete),
    Setup(SetupError),
}

struct Reply {
    question: Question,
    request: JudgeRequest,
    outcome: Result<Completion, CallError>,
}

pub(super) struct Engine<'r, 't, J: Respondent> {
    trial: &'r Trial<'t, J>,
    plan: &'r Plan,
    store: &'r mut Store,
    options: &'r RunOptions<'r>,
    on_event: &'r mut dyn FnMut(RunEvent<'t>),
    sharers: BTreeMap<usize, Vec<usize>>,
    lanes: Vec<Lane>,
    answers: Vec<Option<Answer>>,
    notices: Vec<Notice>,
    /// Answers that do not count before they are on the disk, and the tasks that they are for.
    unsaved: Vec<Record>,
    tasks_unsaved: Vec<usize>,
    store_failure: String,
    /// The batch on its way to the disk.
    saving: Option<Saving>,
    save_at: Option<Duration>,
    saved_at: Option<Duration>,
    purse: Purse,
    halt: Option<Halt>,
    in_flight: u64,
    start: Instant,
}

impl<'r, 't, J: Respondent> Engine<'r, 't, J> {
    pub fn new(
        trial: &'r Trial<'t, J>,
        plan: &'r Plan,
        store: &'r mut Store,
        options: &'r RunOptions<'r>,
        on_event: &'r mut dyn FnMut(RunEvent<'t>),
    ) -> Self {
        let none = Limits::default();
        let limits = |judge: &J| options.limits.get(judge.name()).unwrap_or(&none);
        let lane = |judge: &J| {
            let mut lane = Lane::new(judge.name(), judge.terms(), limits(judge), options.concurrency);
            lane.accepted = options.standing == Standing::Proven;
            lane
        };
        let lanes = trial.judges.iter().map(lane).collect();
        Self {
            trial,
            plan,
            store,
            options,
            on_event,
            sharers: plan.sharers(),
            lanes,
            answers: vec![None; plan.tasks.len()],
            notices: Vec::new(),
            unsaved: Vec::new(),
            tasks_unsaved: Vec::new(),
            store_failure: String::new(),
            saving: None,
            save_at: None,
            saved_at: None,
            purse: Purse::new(options.budget, options.spent),
            halt: None,
            in_flight: 0,
            start: Instant::now(),
        }
    }

    pub async fn run(mut self, mut stop: Stop) -> Result<RunOutcome, RunError> {
        check_budget(self.trial, self.plan, self.options.budget)?;
        (self.on_event)(RunEvent::Planned(self.plan.judges.clone()));
        for task in 0..self.plan.tasks.len() {
            match self.plan.tasks[task].source {
                Source::Stored => self.recall(task),
                Source::Ask => self.push(task),
                Source::Local | Source::Shared(_) => {}
            }
        }
        self.ask_local(&stop).await?;
        let mut calls = JoinSet::new();
        loop {
            if stop.is_requested() {
                self.stop(Halt::Incomplete(Incomplete::Stopped));
            }
            if let Err(error) = self.launch(&mut calls) {
                self.save_all().await;
                return Err(error);
            }
            self.in_flight = calls.len() as u64;
            if calls.is_empty() && (self.halt.is_some() || self.lanes.iter().all(Lane::is_idle)) {
                break;
            }
            let wake = self.wake();
            tokio::select! {
                biased;
                () = stop.requested(), if self.halt.is_none() => self.stop(Halt::Incomplete(Incomplete::Stopped)),
                Some(written) = written(self.saving.as_mut()), if self.saving.is_some() => self.saved(written),
                Some(reply) = calls.join_next(), if !calls.is_empty() => {
                    self.settle(whole(reply));
                    // Whatever else came in meanwhile: one look at clocks and timers serves all of it.
                    while let Some(reply) = calls.try_join_next() {
                        self.settle(whole(reply));
                    }
                }
                () = until(wake) => {}
            }
            if self.is_due() {
                self.save();
            }
        }
        // Asked for while the last answers came in: it is obeyed all the same.
        if self.halt.is_none() && stop.is_requested() {
            self.stop(Halt::Incomplete(Incomplete::Stopped));
        }
        // Also the second chance of a batch that could not be written.
        self.save_all().await;
        self.hear_the_store();
        // As it is in the end: a batch that failed once may have been written since.
        if !self.unsaved.is_empty() || matches!(self.halt, Some(Halt::Incomplete(Incomplete::Store { .. }))) {
            self.halt = Some(self.store_failed());
        }
        self.finish()
    }

    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    /// The next moment at which something is due that no call brings about, nor the end of the batch under way.
    fn wake(&self) -> Option<Instant> {
        let now = self.now();
        let lanes = self.lanes.iter().filter(|_| !self.is_choked()).filter_map(|lane| lane.wake(now));
        let save_at = self.save_at.filter(|_| self.saving.is_none() && self.store_failure.is_empty());
        lanes.chain(save_at).min().map(|at| self.start + at)
    }

    fn push(&mut self, task: usize) {
        let planned = &self.plan.tasks[task];
        self.lanes[planned.judge].push(task, planned.size);
    }

    /// An answer from the store; one that cannot be read any more is asked for again.
    fn recall(&mut self, task: usize) {
        let planned = &self.plan.tasks[task];
        let name = self.trial.judges[planned.judge].name();
        let stored =
            self.store.get(&planned.key).filter(|completion| self.options.other_model(name, completion).is_none());
        let Some(completion) = stored else {
            self.push(task);
            return;
        };
        let lane = &mut self.lanes[planned.judge];
        lane.accepted_before = true;
        lane.calls.calls.cached += 1;
        self.answers[task] = Some(Answer::Answered(Arc::new(completion)));
        let asked = self.asked(task);
        (self.on_event)(RunEvent::Cached(asked));
    }

    /// Judges on this machine: asked one after the other, outside the store.
    async fn ask_local(&mut self, stop: &Stop) -> Result<(), RunError> {
        let local = self.plan.tasks.iter().enumerate().filter(|(_, task)| task.source == Source::Local);
        for (number, (at, task)) in local.enumerate() {
            if number % AT_A_STRETCH == 0 {
                yield_now().await;
            }
            if stop.is_requested() {
                break;
            }
            let judge = &self.trial.judges[task.judge];
            let request = self.request(at)?;
            match judge.ask(&request).await {
                Ok(completion) => {
                    self.answers[at] = Some(Answer::Answered(Arc::new(completion)));
                    let asked = self.asked(at);
                    (self.on_event)(RunEvent::Answered { asked, cost_usd: Some(0.0) });
                }
                Err(error) if error.class == CallClass::Setup => {
                    return Err(RunError::Setup(SetupError::new(judge.name(), judge.kind(), &error)));
                }
                Err(error) => self.fail(at, &error),
            }
        }
        Ok(())
    }

    fn request(&self, task: usize) -> Result<JudgeRequest, RunError> {
        let task = &self.plan.tasks[task];
        let (judge, item) = (&self.trial.judges[task.judge], &self.trial.items[task.item]);
        let request = judge.request_again(item, task.order, task.repeat, task.key);
        request.map_err(|source| {
            RunError::Plan(super::PlanError { judge: judge.name().clone(), item: item.id().clone(), source })
        })
    }

    fn asked(&self, task: usize) -> Asked<'t> {
        let task = &self.plan.tasks[task];
        Asked {
            judge: self.trial.judges[task.judge].name(),
            item: self.trial.items[task.item].id(),
            order: task.order,
            repeat: task.repeat,
        }
    }

    /// Starts every call that may start now.
    fn launch(&mut self, calls: &mut JoinSet<Reply>) -> Result<(), RunError> {
        if self.is_choked() {
            return Ok(());
        }
        let now = self.now();
        for number in 0..self.lanes.len() {
            loop {
                let question = match self.lanes[number].next(now, &mut self.purse) {
                    Turn::Send(question) => question,
                    Turn::Rest => break,
                    Turn::UsedUp(setting) => {
                        self.in_flight = calls.len() as u64;
                        let spent = self.purse.told();
                        self.stop(Halt::Incomplete(Incomplete::Budget { setting, spent }));
                        break;
                    }
                };
                let request = self.request(question.task)?;
                let counts = &mut self.lanes[number].calls.calls;
                *if question.is_fresh() { &mut counts.made } else { &mut counts.retried } += 1;
                let sending = self.trial.judges[number].send(request);
                calls.spawn(async move {
                    let (request, outcome) = sending.await;
                    Reply { question, request, outcome }
                });
            }
        }
        Ok(())
    }

    /// Starts nothing more. The first reason is the one that is told.
    fn stop(&mut self, halt: Halt) {
        if self.halt.is_none() {
            self.halt = Some(halt);
            (self.on_event)(RunEvent::Stopped { in_flight: self.in_flight });
        }
        self.lanes.iter_mut().for_each(Lane::clear);
    }

    fn finish(mut self) -> Result<RunOutcome, RunError> {
        let incomplete = match self.halt.take() {
            Some(Halt::Setup(error)) => return Err(RunError::Setup(error)),
            Some(Halt::Incomplete(why)) => Some(why),
            None => None,
        };
        let incomplete = incomplete.or_else(|| self.answers.contains(&None).then_some(Incomplete::Stopped));
        let why = incomplete.as_ref().map_or_else(String::new, |why| format!("not asked: {why}"));
        let missing = || Answer::Absent { kind: NoVerdict::Missing, why: why.clone() };
        let answers = self.answers.into_iter().map(|known| known.unwrap_or_else(missing)).collect();
        let by_judge = self.lanes.into_iter().map(|lane| lane.calls).collect();
        (self.on_event)(RunEvent::Done);
        Ok(RunOutcome::new(answers, by_judge, incomplete, self.purse.spent(), self.notices))
    }
}

/// The reply of a call; a panic in one goes on here, as if it had been made on this thread.
fn whole(reply: Result<Reply, JoinError>) -> Reply {
    match reply {
        Ok(reply) => reply,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(error) => unreachable!("no call is given up before its run: {error}"),
        },
    }
}

async fn until(wake: Option<Instant>) {
    match wake {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}
