//! A run with its progress, its store and its interrupt.

use std::collections::BTreeMap;
use std::time::Duration;

use super::args::AskArgs;
use super::clock::Clock;
use super::exit::{CliError, Exit};
use super::ledger::{self, Origin};
use super::output::{Existing, check_target, write_file};
use super::settings::Limits;
use super::ui::Ui;
use crate::domain::{JudgeName, Judgment, Pair};
use crate::judge::{Judge, JudgeKind, RecordedLine, RecordingHeader, write_recording};
use crate::runner::{
    Calls, IdenticalPairs, Incomplete, JudgePlan, Plan, PlanOptions, RunEvent, RunOptions, RunOutcome, Source, Trial,
    run, stop_signal,
};
use crate::store::{Access, Store};

/// What the asking is done with beside the flags.
pub(super) struct Asking<'a> {
    pub ask: &'a AskArgs,
    pub limits: &'a Limits,
    pub clock: Clock,
    pub force: bool,
    /// Which command asks, for the ledger.
    pub origin: Origin<'a>,
    /// The model that has to answer for a judge, where its certificate names one.
    pub served: BTreeMap<JudgeName, String>,
    pub ui: Ui,
}

impl Asking<'_> {
    /// Asks every judge about every pair in both orders. An incomplete run is an error with its own status.
    pub fn ask(&self, judges: &[Judge], pairs: &[Pair]) -> Result<Vec<Judgment>, CliError> {
        if let Some(path) = &self.ask.record {
            if judges.iter().all(|judge| judge.kind() != JudgeKind::Endpoint) {
                return Err(CliError::usage("there is nothing to record: no judge is behind an endpoint")
                    .hint("leave --record out"));
            }
            check_target(path, Existing::by_force(self.force))?;
        }
        let trial = Trial { pairs, judges };
        let mut store = self.open(judges)?;
        let options = PlanOptions {
            repeats: self.ask.repeats,
            identical: if self.ask.ask_identical { IdenticalPairs::Ask } else { IdenticalPairs::LeaveOut },
            ..PlanOptions::default()
        };
        let plan = Plan::new(&trial, &options, &mut |key| store.get(key).is_some())?;
        self.announce(&plan);
        let entry = ledger::begin(&mut store, self.origin, self.clock, &trial, &plan)?;
        let outcome = self.run(&trial, &plan, &mut store);
        entry.finish(&mut store, self.clock, &plan, &outcome, self.ui);
        let outcome = outcome?;
        // Half a recording would stand in the way of the run that goes on from here.
        if let Some(path) = self.ask.record.as_ref().filter(|_| outcome.incomplete.is_none()) {
            let text = recording(judges, &plan, &trial, &mut store, &self.clock.now())?;
            write_file(path, &text, Existing::by_force(self.force))?;
        }
        for notice in store.close() {
            self.ui.warn(notice.text);
        }
        self.judgments(outcome)
    }

    fn open(&self, judges: &[Judge]) -> Result<Store, CliError> {
        let paid = judges.iter().any(|judge| judge.kind() == JudgeKind::Endpoint);
        if self.ask.no_store || !paid {
            return Ok(Store::memory());
        }
        let (store, notices) = Store::open(&self.ask.store, Access::Write)?;
        for notice in notices {
            self.ui.warn(notice.text);
        }
        Ok(store)
    }

    fn announce(&self, plan: &Plan) {
        for JudgePlan { judge, planned, cached, shared, to_ask, not_applicable, .. } in &plan.judges {
            if *not_applicable > 0 {
                self.ui.note(format!(
                    "{judge}: {not_applicable} judgments are outside its plan (items without checks or labels)"
                ));
            }
            if cached + to_ask > 0 {
                let shared =
                    if *shared > 0 { format!(", {shared} shared with an equal question") } else { String::new() };
                self.ui.note(format!(
                    "{judge}: {planned} judgments planned, {cached} in the store, {to_ask} to ask{shared}"
                ));
            }
        }
    }

    fn run(&self, trial: &Trial<'_, Judge>, plan: &Plan, store: &mut Store) -> Result<RunOutcome, CliError> {
        let timestamp = || self.clock.now();
        let mut options = RunOptions::new(&timestamp);
        let concurrency = self.ask.concurrency.or(self.limits.concurrency);
        options.concurrency = concurrency.map_or(options.concurrency, |n| usize::try_from(n.max(1)).unwrap_or(1));
        options.served_models.clone_from(&self.served);
        let to_ask: u64 = plan.judges.iter().map(|judge| judge.to_ask).sum();
        let names: Vec<&str> =
            trial.judges.iter().filter(|j| j.kind() == JudgeKind::Endpoint).map(|j| j.name().as_str()).collect();
        let mut progress = (to_ask > 0).then(|| self.ui.progress(to_ask, &names.join(", ")));
        let mut spent = None;
        let mut on_event = |event: RunEvent| {
            let Some(progress) = progress.as_mut() else { return };
            match event {
                // An answer counts when it is saved.
                RunEvent::Answered { cost_usd, .. } => {
                    spent = cost_usd.map(|cost| cost + spent.unwrap_or(0.0)).or(spent);
                }
                RunEvent::BatchSaved { records } => progress.step(records, spent),
                RunEvent::Failed { asked, why } => {
                    progress.step(1, spent);
                    progress.say(&format!("{} {} {}: {why}", asked.judge, asked.item, asked.order.as_str()));
                }
                RunEvent::Retrying { asked, failures, wait, why } => progress.say(&format!(
                    "{} {}: try {failures} failed ({why}); next in {:.1} s",
                    asked.judge,
                    asked.item,
                    wait.as_secs_f64()
                )),
                RunEvent::Paused { judge, wait } => {
                    progress.say(&format!("{judge}: the server asks for {:.0} s of rest", wait.as_secs_f64()));
                }
                RunEvent::Stopped { in_flight } => {
                    progress.say(&format!("stopping: {in_flight} calls in flight are waited for and kept"));
                }
                _ => {}
            }
        };
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let outcome = runtime.block_on(async {
            let (handle, stop) = stop_signal();
            let mut interrupts = interrupts();
            let running = run(trial, plan, store, &options, stop, &mut on_event);
            tokio::pin!(running);
            // The first interrupt asks the run to finish what is in flight; the second does not wait for it.
            tokio::select! {
                outcome = &mut running => return Some(outcome),
                _ = interrupts.recv() => handle.stop(),
            }
            tokio::select! {
                outcome = &mut running => Some(outcome),
                _ = interrupts.recv() => None,
            }
        });
        // A connection that hangs must not hold up the end.
        runtime.shutdown_timeout(Duration::from_millis(100));
        if let Some(progress) = progress {
            progress.finish();
        }
        match outcome {
            Some(outcome) => Ok(outcome?),
            None => Err(CliError {
                exit: Exit::Interrupted,
                ..CliError::incomplete("interrupted twice: calls in flight were given up")
            }
            .hint("what was saved is kept; run the same command again to go on")),
        }
    }

    fn judgments(&self, outcome: RunOutcome) -> Result<Vec<Judgment>, CliError> {
        for notice in &outcome.notices {
            self.ui.warn(&notice.text);
        }
        let Calls { made, cached, retried, failed } = outcome.calls;
        if made + cached > 0 {
            self.ui.note(format!("calls: {made} made, {cached} from the store, {retried} retried, {failed} failed"));
        }
        match outcome.incomplete {
            None => match nothing_accepted(&outcome) {
                Some(error) => Err(error),
                None => Ok(outcome.judgments),
            },
            Some(incomplete) => {
                let exit = if incomplete == Incomplete::Stopped { Exit::Interrupted } else { Exit::Incomplete };
                let kept = match &incomplete {
                    _ if self.ask.no_store => "nothing was kept (--no-store)",
                    Incomplete::Store { .. } => "what was saved before is kept; make room or choose another --store",
                    _ => "what was answered is kept",
                };
                Err(CliError { exit, ..CliError::incomplete(incomplete) }
                    .hint(format!("no result is written of an incomplete run; {kept}")))
            }
        }
    }
}

/// An endpoint that accepted no call at all was not on trial: what is wrong is how it was asked.
fn nothing_accepted(outcome: &RunOutcome) -> Option<CliError> {
    let judge = outcome.by_judge.iter().find(|judge| {
        let Calls { made, cached, failed, .. } = judge.calls;
        made > 0 && failed == made && cached == 0
    })?;
    let why = outcome
        .judgments
        .iter()
        .filter(|judgment| judgment.judge == judge.judge)
        .find_map(|judgment| judgment.detail.as_ref()?.why.as_deref());
    let message = format!(
        "the endpoint of judge `{}` accepted none of {} calls: {}",
        judge.judge,
        judge.calls.made,
        why.unwrap_or("it gave no reason")
    );
    Some(CliError::usage(message).hint("check `model`, `base_url` and the parameters of the judge"))
}

/// One message for each request to end: Ctrl-C, and what a terminal, a container or a CI runner sends.
fn interrupts() -> tokio::sync::mpsc::UnboundedReceiver<()> {
    let (sender, receiver) = tokio::sync::mpsc::unbounded_channel();
    let on_interrupt = sender.clone();
    tokio::spawn(async move { while tokio::signal::ctrl_c().await.is_ok() && on_interrupt.send(()).is_ok() {} });
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        for kind in [SignalKind::terminate(), SignalKind::hangup()] {
            let sender = sender.clone();
            if let Ok(mut signals) = signal(kind) {
                tokio::spawn(async move { while signals.recv().await.is_some() && sender.send(()).is_ok() {} });
            }
        }
    }
    receiver
}

/// The completions of endpoint judges as a recording that `replay:FILE` plays.
fn recording(
    judges: &[Judge],
    plan: &Plan,
    trial: &Trial<'_, Judge>,
    store: &mut Store,
    now: &str,
) -> Result<String, CliError> {
    let mut text = String::new();
    for (index, judge) in judges.iter().enumerate().filter(|(_, judge)| judge.kind() == JudgeKind::Endpoint) {
        let header = RecordingHeader {
            fingerprint: Some(judge.fingerprint().clone()),
            model: judge.model_name().map(str::to_owned),
            prompt: judge.prompt().map(crate::prompt::JudgePrompt::name),
            prompt_digest: judge.prompt_digest(),
            contract: judge.prompt().map(|prompt| prompt.contract.as_str().to_owned()),
            created: Some(now.to_owned()),
            ..RecordingHeader::new(judge.name().as_str())
        };
        let mut lines = Vec::new();
        for task in plan.tasks.iter().filter(|task| task.judge == index && task.source != Source::Local) {
            if let Some(completion) = store.get(&task.key) {
                lines.push(RecordedLine {
                    key: Some(task.key),
                    judge: judge.name().clone(),
                    item: trial.pairs[task.pair].id.clone(),
                    order: task.order,
                    repeat: task.repeat,
                    fingerprint: None,
                    completion,
                });
            }
        }
        text.push_str(&write_recording(&header, &lines)?);
    }
    Ok(text)
}
