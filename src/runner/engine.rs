//! The one loop: starts calls, takes their outcomes, saves batches. It alone writes to the store.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::time::{Instant, sleep_until};

use super::event::{Asked, RunEvent};
use super::lane::{Lane, Question};
use super::outcome::{Answer, Incomplete, RunOutcome, SetupError};
use super::plan::{Plan, Source, Trial};
use super::respondent::{Respondent, Subject};
use super::retry::Next;
use super::stop::Stop;
use super::{RunError, RunOptions};
use crate::domain::{Completion, JudgeRequest, NoVerdict, Notice};
use crate::judge::{CallClass, CallError, JudgeKind};
use crate::store::{Record, Store};

/// Refusals of the setup in a row after which an endpoint that has answered before counts as refusing everything:
/// one alone may be about the item (a gateway that dislikes its text).
const REFUSALS: u32 = 3;
/// Tries of the first call while no connection comes about: an address without a server should be known in seconds.
const FIRST_TRIES: u32 = 3;

/// Why no new call starts.
enum Halt {
    Incomplete(Incomplete),
    Setup(SetupError),
}

type Call<'r> = Pin<Box<dyn Future<Output = Reply> + Send + 'r>>;

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
    on_event: &'r mut dyn FnMut(RunEvent),
    sharers: BTreeMap<usize, Vec<usize>>,
    lanes: Vec<Lane>,
    answers: Vec<Option<Answer>>,
    notices: Vec<Notice>,
    /// Answers that do not count before they are on the disk, and the tasks that they are for.
    unsaved: Vec<Record>,
    tasks_unsaved: Vec<usize>,
    store_failure: String,
    save_at: Option<Duration>,
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
        on_event: &'r mut dyn FnMut(RunEvent),
    ) -> Self {
        let lanes = trial.judges.iter().map(|judge| Lane::new(judge.name(), options.concurrency)).collect();
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
            save_at: None,
            halt: None,
            in_flight: 0,
            start: Instant::now(),
        }
    }

    pub async fn run(mut self, mut stop: Stop) -> Result<RunOutcome, RunError> {
        (self.on_event)(RunEvent::Planned(self.plan.judges.clone()));
        for task in 0..self.plan.tasks.len() {
            match self.plan.tasks[task].source {
                Source::Stored => self.recall(task),
                Source::Ask => self.lanes[self.plan.tasks[task].judge].push(task),
                Source::Local | Source::Shared(_) => {}
            }
        }
        self.ask_local(&stop).await?;
        let mut calls = FuturesUnordered::new();
        loop {
            if stop.is_requested() {
                self.stop(Halt::Incomplete(Incomplete::Stopped));
            }
            if let Err(error) = self.launch(&mut calls) {
                self.save();
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
                Some(reply) = calls.next(), if !calls.is_empty() => self.settle(reply),
                () = until(wake) => {}
            }
            if self.unsaved.len() >= self.options.batch_records || self.save_at.is_some_and(|at| at <= self.now()) {
                self.save();
            }
        }
        // Also the second chance of a batch that could not be written.
        self.save();
        self.hear_the_store();
        if !self.unsaved.is_empty() {
            self.halt = Some(self.store_failed());
        }
        self.finish()
    }

    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    /// The next moment at which something is due that no call brings about.
    fn wake(&self) -> Option<Instant> {
        let now = self.now();
        let lanes = self.lanes.iter().filter_map(|lane| lane.wake(now));
        lanes.chain(self.save_at).min().map(|at| self.start + at)
    }

    /// An answer from the store; one that cannot be read any more is asked for again.
    fn recall(&mut self, task: usize) {
        let planned = &self.plan.tasks[task];
        let lane = &mut self.lanes[planned.judge];
        let name = self.trial.judges[planned.judge].name();
        let stored =
            self.store.get(&planned.key).filter(|completion| self.options.other_model(name, completion).is_none());
        let Some(completion) = stored else {
            lane.push(task);
            return;
        };
        lane.accepted_before = true;
        lane.calls.calls.cached += 1;
        self.answers[task] = Some(Answer::Answered(Arc::new(completion)));
        let asked = self.asked(task);
        (self.on_event)(RunEvent::Cached(asked));
    }

    /// Judges on this machine: asked one after the other, outside the store.
    async fn ask_local(&mut self, stop: &Stop) -> Result<(), RunError> {
        for (at, task) in self.plan.tasks.iter().enumerate().filter(|(_, task)| task.source == Source::Local) {
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
        let request = judge.request(item, task.order, task.repeat);
        request.map_err(|source| {
            RunError::Plan(super::PlanError { judge: judge.name().clone(), item: item.id().clone(), source })
        })
    }

    fn asked(&self, task: usize) -> Asked {
        let task = &self.plan.tasks[task];
        Asked {
            judge: self.trial.judges[task.judge].name().clone(),
            item: self.trial.items[task.item].id().clone(),
            order: task.order,
            repeat: task.repeat,
        }
    }

    /// Starts every call that may start now.
    fn launch(&mut self, calls: &mut FuturesUnordered<Call<'r>>) -> Result<(), RunError> {
        let now = self.now();
        for number in 0..self.lanes.len() {
            while let Some(question) = self.lanes[number].next(now) {
                let request = self.request(question.task)?;
                self.lanes[number].calls.calls.made += u64::from(question.failures == 0);
                let judge = &self.trial.judges[number];
                calls.push(Box::pin(async move {
                    let outcome = judge.ask(&request).await;
                    Reply { question, request, outcome }
                }));
            }
        }
        Ok(())
    }

    fn settle(&mut self, reply: Reply) {
        let task = reply.question.task;
        let number = self.plan.tasks[task].judge;
        self.lanes[number].throttle.ended();
        self.in_flight = self.in_flight.saturating_sub(1);
        match reply.outcome {
            Ok(completion) => self.accept(reply.question, reply.request, completion),
            Err(error) => self.decline(reply.question, &error),
        }
    }

    fn accept(&mut self, question: Question, request: JudgeRequest, mut completion: Completion) {
        completion.retries = question.failures;
        let number = self.plan.tasks[question.task].judge;
        let judge = &self.trial.judges[number];
        let lane = &mut self.lanes[number];
        lane.prove();
        if let Some((wanted, served)) = self.options.other_model(judge.name(), &completion) {
            let (judge, wanted, served) = (judge.name().clone(), wanted.to_owned(), served.to_owned());
            self.stop(Halt::Incomplete(Incomplete::OtherModel { judge, wanted, served }));
            return;
        }
        let cost_usd = judge.cost_usd(&completion.usage);
        lane.calls.spend(&completion.usage, cost_usd);
        let record = Record {
            key: request.key,
            judge: judge.name().clone(),
            fingerprint: judge.fingerprint().clone(),
            item: request.item,
            order: request.order,
            repeat: request.repeat,
            at: (self.options.timestamp)(),
            body: request.body,
            completion,
        };
        self.tasks_unsaved.push(question.task);
        self.unsaved.push(record);
        self.save_at = self.save_at.or(Some(self.now() + self.options.batch_delay));
        let asked = self.asked(question.task);
        (self.on_event)(RunEvent::Answered { asked, cost_usd });
    }

    fn decline(&mut self, question: Question, error: &CallError) {
        match error.class {
            CallClass::Item => {
                // The endpoint understood the request well enough to refuse this one.
                self.lanes[self.plan.tasks[question.task].judge].prove();
                self.fail(question.task, error);
            }
            CallClass::Setup => self.refuse(question, error),
            CallClass::Retry(_) | CallClass::RateLimited(_) => self.retry(question, error),
        }
    }

    /// Everything will be refused as set up, or so the server says.
    fn refuse(&mut self, question: Question, error: &CallError) {
        let number = self.plan.tasks[question.task].judge;
        let judge = &self.trial.judges[number];
        let lane = &mut self.lanes[number];
        lane.refused += 1;
        let patience = if lane.accepted || lane.accepted_before { REFUSALS } else { 1 };
        let (is_over, accepted) = (lane.refused >= patience, lane.accepted);
        self.fail(question.task, error);
        if is_over && accepted {
            let (judge, why) = (judge.name().clone(), error.message.clone());
            self.stop(Halt::Incomplete(Incomplete::Refused { judge, why }));
        } else if is_over {
            self.stop(Halt::Setup(SetupError::new(judge.name(), judge.kind(), error)));
        }
    }

    fn retry(&mut self, mut question: Question, error: &CallError) {
        question.failures += 1;
        let planned = &self.plan.tasks[question.task];
        let judge = self.trial.judges[planned.judge].name();
        let now = self.now();
        let lane = &mut self.lanes[planned.judge];
        lane.reached |= error.status.is_some();
        let no_server = !(lane.reached || lane.accepted || lane.accepted_before);
        if no_server && question.failures >= FIRST_TRIES {
            self.fail(question.task, error);
            self.stop(Halt::Setup(SetupError::new(judge, JudgeKind::Endpoint, error)));
            return;
        }
        match self.options.retry.after(&error.class, question.failures, &planned.key) {
            Next::Again(wait) => {
                lane.calls.calls.retried += u64::from(self.halt.is_none());
                if let CallClass::RateLimited(Some(pause)) = error.class {
                    lane.throttle.pause(now + pause);
                    (self.on_event)(RunEvent::Paused { judge: judge.clone(), wait: pause });
                }
                if self.halt.is_none() {
                    lane.wait(question, now + wait);
                    let (asked, why) = (self.asked(question.task), error.message.clone());
                    (self.on_event)(RunEvent::Retrying { asked, failures: question.failures, wait, why });
                }
            }
            Next::GiveUp => {
                lane.given_up += 1;
                let calls = lane.given_up;
                self.fail(question.task, error);
                if calls >= self.options.gone_after {
                    let (judge, why) = (judge.clone(), error.message.clone());
                    self.stop(Halt::Incomplete(Incomplete::EndpointGone { judge, calls, why }));
                }
            }
            Next::ComeBack(wait) => {
                let (judge, why) = (judge.clone(), error.message.clone());
                self.stop(Halt::Incomplete(Incomplete::ComeBack { judge, wait, why }));
            }
        }
    }

    /// A call that brought nothing: a judgment of its own kind, never a tie. It is not stored, so the next run asks again.
    fn fail(&mut self, task: usize, error: &CallError) {
        let planned = &self.plan.tasks[task];
        if planned.source != Source::Local {
            self.lanes[planned.judge].calls.calls.failed += 1;
        }
        for at in self.served_by(task) {
            self.answers[at] = Some(Answer::Absent { kind: NoVerdict::Failed, why: error.message.clone() });
        }
        let asked = self.asked(task);
        (self.on_event)(RunEvent::Failed { asked, why: error.message.clone() });
    }

    /// The task and those that share its answer.
    fn served_by(&self, task: usize) -> Vec<usize> {
        let mut all = vec![task];
        all.extend(self.sharers.get(&task).into_iter().flatten());
        all
    }

    /// Writes what came in. Only now do these answers count. A short write of a small batch: calls take far longer.
    fn save(&mut self) {
        self.save_at = None;
        if self.unsaved.is_empty() {
            return;
        }
        let saved = self.store.put_batch(&self.unsaved);
        self.hear_the_store();
        if let Err(error) = saved {
            self.store_failure = error.to_string();
            self.stop(self.store_failed());
            return;
        }
        let records = self.unsaved.len() as u64;
        let tasks = std::mem::take(&mut self.tasks_unsaved);
        for (task, record) in tasks.into_iter().zip(std::mem::take(&mut self.unsaved)) {
            let answer = Answer::Answered(Arc::new(record.completion));
            for at in self.served_by(task) {
                self.answers[at] = Some(answer.clone());
            }
        }
        (self.on_event)(RunEvent::BatchSaved { records });
    }

    fn store_failed(&self) -> Halt {
        let unsaved = self.unsaved.len() as u64;
        Halt::Incomplete(Incomplete::Store { unsaved, why: self.store_failure.clone() })
    }

    fn hear_the_store(&mut self) {
        for notice in self.store.take_notices() {
            self.notices.push(notice.clone());
            (self.on_event)(RunEvent::Noticed(notice));
        }
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
        Ok(RunOutcome::new(answers, by_judge, incomplete, self.notices))
    }
}

async fn until(wake: Option<Instant>) {
    match wake {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}
