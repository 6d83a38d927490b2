//! What becomes of a call that came back: saved, tried again, given up, or the end of the run.

use std::time::Duration;

use super::{Engine, Halt, Reply};
use crate::domain::{Completion, JudgeRequest, NoVerdict, Usage};
use crate::judge::{CallClass, CallError, JudgeKind};
use crate::runner::event::{Call, RunEvent};
use crate::runner::lane::Question;
use crate::runner::outcome::{Answer, Incomplete, SetupError};
use crate::runner::plan::Source;
use crate::runner::respondent::Respondent;
use crate::runner::retry::Next;
use crate::store::Record;

/// Refusals of the setup in a row after which an endpoint that has answered before counts as refusing everything:
/// one alone may be about the item (a gateway that dislikes its text).
const REFUSALS: u32 = 3;
/// Tries of the first call while no connection comes about: an address without a server should be known in seconds.
const FIRST_TRIES: u32 = 3;

impl<J: Respondent> Engine<'_, '_, J> {
    pub(super) fn settle(&mut self, reply: Reply) {
        let number = self.plan.tasks[reply.question.task].judge;
        let judge = &self.trial.judges[number];
        let (usage, usd) = match &reply.outcome {
            Ok(completion) => (completion.usage, judge.cost_usd(&completion.usage)),
            // What a server refused it does not charge for. What it answered illegibly or too late it may.
            Err(error) => (Usage::default(), error.status.filter(|status| *status >= 300).map(|_| 0.0)),
        };
        let now = self.now();
        self.lanes[number].came_back(&reply.question, now, &usage, usd, &mut self.purse);
        self.in_flight = self.in_flight.saturating_sub(1);
        self.tell(&reply, usage, usd);
        match reply.outcome {
            Ok(completion) => self.accept(reply.question, reply.request, completion),
            Err(error) => self.decline(reply.question, &error),
        }
    }

    fn tell(&mut self, reply: &Reply, usage: Usage, cost_usd: Option<f64>) {
        let question = &reply.question;
        let waited = self.now().saturating_sub(question.sent);
        let (status, latency_ms, error) = match &reply.outcome {
            Ok(completion) => (Some(200), completion.latency_ms, None),
            Err(error) => (error.status, None, Some(error.message.clone())),
        };
        let call = Call {
            asked: self.asked(question.task),
            key: reply.request.key,
            attempt: question.failures + question.rejections + 1,
            status,
            latency: latency_ms.map_or(waited, Duration::from_millis),
            usage,
            cost_usd,
            error,
        };
        (self.on_event)(RunEvent::Called(call));
    }

    fn accept(&mut self, question: Question, request: JudgeRequest, mut completion: Completion) {
        completion.retries = question.failures + question.rejections;
        let number = self.plan.tasks[question.task].judge;
        let judge = &self.trial.judges[number];
        let lane = &mut self.lanes[number];
        lane.prove();
        lane.window.succeeded();
        // Paid for, be it kept or not.
        let cost_usd = judge.cost_usd(&completion.usage);
        lane.calls.spend(&completion.usage, cost_usd);
        if let Some((wanted, served)) = self.options.other_model(judge.name(), &completion) {
            let (judge, wanted, served) = (judge.name().clone(), wanted.to_owned(), served.to_owned());
            self.stop(Halt::Incomplete(Incomplete::OtherModel { judge, wanted, served }));
            return;
        }
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
        self.save_soon();
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
            CallClass::Retry(_) => self.retry(question, error),
            CallClass::RateLimited(_) => self.slow_down(question, error),
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

    /// The server limits the rate. That is about the lane and not about the question, so the lane pauses and the question
    /// goes back to the front; only one that is rejected time and again while others get through is given up.
    fn slow_down(&mut self, mut question: Question, error: &CallError) {
        question.rejections += 1;
        let planned = &self.plan.tasks[question.task];
        let judge = self.trial.judges[planned.judge].name();
        let (policy, now) = (&self.options.retry, self.now());
        let lane = &mut self.lanes[planned.judge];
        lane.reached = true;
        let fruitless = lane.window.limited(question.epoch);
        match policy.after(&error.class, fruitless.unwrap_or(1), &planned.key) {
            Next::ComeBack(wait) => {
                let (judge, why) = (judge.clone(), error.message.clone());
                self.stop(Halt::Incomplete(Incomplete::ComeBack { judge, wait, why }));
                return;
            }
            Next::GiveUp => {
                let (judge, why) = (judge.clone(), error.message.clone());
                let pauses = fruitless.unwrap_or(policy.tries);
                self.stop(Halt::Incomplete(Incomplete::RateLimited { judge, pauses, why }));
                return;
            }
            Next::Again(wait) if fruitless.is_some() => {
                lane.window.rest(now, wait);
                let (judge, why) = (judge.clone(), error.message.clone());
                (self.on_event)(RunEvent::Paused { judge, wait, why });
            }
            // It was sent before the pause that holds or held, and adds to it only what the server asks for.
            Next::Again(_) => {
                if let CallClass::RateLimited(Some(asked)) = error.class {
                    lane.window.pause(now + asked);
                }
            }
        }
        if question.rejections >= policy.tries {
            self.fail(question.task, error);
        } else if self.halt.is_none() {
            lane.take_back(question);
        }
    }

    /// A call that brought nothing: a judgment of its own kind, never a tie. It is not stored, so the next run asks again.
    pub(super) fn fail(&mut self, task: usize, error: &CallError) {
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
}
