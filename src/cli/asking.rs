//! A run with its store, its progress and its interrupt, whoever is asked. What is particular to judging is in `judging`.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::args::CallArgs;
use super::clock::Clock;
use super::exit::{CliError, Exit};
use super::interrupt::{Ended, interruptible};
use super::ledger::Origin;
use super::output::print;
use super::settings::Settings;
use super::ui::{Progress, Ui};
use super::{forecast, limits, log};
use crate::domain::JudgeName;
use crate::judge::JudgeKind;
use crate::report::visible_line;
use crate::runner::{
    self, Answer, Calls, Incomplete, JudgePlan, Plan, Respondent, RunEvent, RunOptions, RunOutcome, Spent, Stop, Trial,
    run,
};
use crate::store::{Access, Store};

/// What the asking is done with beside the plan.
pub(super) struct Asking<'a> {
    pub calls: &'a CallArgs,
    pub settings: &'a Settings,
    pub clock: Clock,
    /// Which command asks, for the ledger.
    pub origin: Origin<'a>,
    /// The model that has to answer for a judge, where its certificate names one.
    pub served: BTreeMap<JudgeName, String>,
    pub reach: Reach,
    /// What the same command has spent before, for its budgets hold for all of it.
    pub spent: Spent,
    pub ui: Ui,
}

/// Whom a run may turn to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// The store, and the endpoints for what it does not have.
    Endpoints,
    /// The store alone: no call is made.
    Store,
}

impl Asking<'_> {
    /// The store, or one in memory where nothing is paid for or nothing is to be kept. A dry run looks and writes nothing.
    pub fn open<R: Respondent>(&self, respondents: &[R]) -> Result<Store, CliError> {
        let paid = respondents.iter().any(|one| one.kind() == JudgeKind::Endpoint);
        if self.calls.no_store || !paid {
            return Ok(Store::memory());
        }
        let access = if self.calls.dry_run { Access::Read } else { Access::Write };
        if access == Access::Read && !self.calls.store.join("journal").is_dir() {
            return Ok(Store::memory());
        }
        let (store, notices) = self.ui.during("opening the store", || Store::open(&self.calls.store, access))?;
        for notice in notices {
            self.ui.warn(notice.text);
        }
        Ok(store)
    }

    /// Says what will be asked; `what` names the things planned (`judgments`).
    pub fn announce(&self, plan: &Plan, what: &str) {
        for JudgePlan { judge, planned, cached, shared, to_ask, not_applicable, .. } in &plan.judges {
            if *not_applicable > 0 {
                self.ui.note(format!(
                    "{judge}: {not_applicable} items are outside its plan (they have no checks or labels)"
                ));
            }
            if cached + to_ask + shared > 0 {
                let shared =
                    if *shared > 0 { format!(", {shared} shared with an equal question") } else { String::new() };
                self.ui
                    .note(format!("{judge}: {planned} {what} planned, {cached} in the store, {to_ask} to ask{shared}"));
            }
        }
    }

    /// Says what the calls will cost and asks a person whether to go on. After a dry run there is nothing to go on to.
    pub fn consent<R: Respondent>(
        &self,
        trial: &Trial<'_, R>,
        plan: &Plan,
        store: &mut Store,
    ) -> Result<Consent, CliError> {
        if self.reach == Reach::Store {
            return Ok(Consent::GoOn);
        }
        // A limit that cannot be kept is known before anything is said about cost.
        let timestamp = String::new;
        let options = self.options(trial, &timestamp)?;
        runner::check_budget(trial, plan, options.budget)?;
        let open = |judge: &JudgePlan| judge.to_ask.min(options.concurrency_of(&judge.judge) as u64);
        limits::make_room(&plan.judges.iter().map(open).filter(|calls| *calls > 0).collect::<Vec<_>>())?;
        let forecasts = runner::forecast(trial, plan, &mut |key| store.get(key).map(|completion| completion.usage));
        log::forecast(&forecasts);
        let lines = forecast::lines(&forecasts);
        if self.calls.dry_run {
            let nothing = "nothing to ask: every answer is at hand".to_owned();
            let lines = if lines.is_empty() { vec![nothing] } else { lines };
            let lines: Vec<_> = lines.iter().map(|line| visible_line(line)).collect();
            print(&(lines.join("\n") + "\n"))?;
            return Ok(Consent::DryRun);
        }
        for line in lines {
            self.ui.note(line);
        }
        if !self.calls.yes {
            forecast::confirm(&forecasts, self.ui)?;
        }
        Ok(Consent::GoOn)
    }

    /// Runs the plan, with progress on standard error.
    pub fn run<R: Respondent>(
        &self,
        trial: &Trial<'_, R>,
        plan: &Plan,
        store: &mut Store,
    ) -> Result<RunOutcome, CliError> {
        let timestamp = || self.clock.now();
        let options = self.options(trial, &timestamp)?;
        let is_whole = |outcome: &Result<RunOutcome, _>| outcome.as_ref().is_ok_and(|done| done.incomplete.is_none());
        let work = async |stop, watch: &mut Watch| {
            run(trial, plan, store, &options, stop, &mut |event| watch.see(event)).await
        };
        let outcome = self.watched(trial.judges, plan, is_whole, work)?;
        if let Ok(outcome) = &outcome {
            log::outcome(outcome);
        }
        Ok(outcome?)
    }

    /// Does asynchronous work with the progress of `plan` on standard error. The first interrupt finishes and saves what
    /// is in flight; the second gives it up. What is whole in spite of an interrupt counts as interrupted: whoever sends one
    /// wants no result.
    pub fn watched<R: Respondent, T>(
        &self,
        judges: &[R],
        plan: &Plan,
        is_whole: impl Fn(&T) -> bool,
        work: impl AsyncFnOnce(Stop, &mut Watch) -> T,
    ) -> Result<T, CliError> {
        let to_ask: u64 = plan.judges.iter().map(|judge| judge.to_ask).sum();
        let names: Vec<&str> =
            judges.iter().filter(|j| j.kind() == JudgeKind::Endpoint).map(|j| j.name().as_str()).collect();
        let mut watch = Watch {
            progress: (to_ask > 0).then(|| self.ui.progress(to_ask, &names.join(", "))),
            spent: None,
            limited: BTreeSet::new(),
            troubles: 0,
        };
        let outcome = interruptible(async |stop| work(stop, &mut watch).await)?;
        if let Some(progress) = watch.progress {
            progress.finish();
        }
        let interrupted = |what: &str| {
            CliError { exit: Exit::Interrupted, ..CliError::incomplete(what) }
                .hint("what was saved is kept; run the same command again to go on")
        };
        match outcome {
            Ended::Told(outcome) if is_whole(&outcome) => Err(interrupted("interrupted as the last answer came in")),
            Ended::Undisturbed(outcome) | Ended::Told(outcome) => Ok(outcome),
            Ended::GivenUp => Err(interrupted("interrupted twice: calls in flight were given up")),
        }
    }

    /// How a plan is run under these flags and settings.
    pub fn options<'t, R: Respondent>(
        &self,
        trial: &Trial<'_, R>,
        timestamp: &'t dyn Fn() -> String,
    ) -> Result<RunOptions<'t>, CliError> {
        let limits = limits::in_force(self.calls, self.settings, trial.judges.iter().map(Respondent::name))?;
        let mut options = RunOptions::new(timestamp);
        options.concurrency = limits.concurrency.unwrap_or(options.concurrency);
        options.limits = limits.judges;
        (options.budget, options.spent) = (limits.budget, self.spent);
        options.served_models.clone_from(&self.served);
        if self.reach == Reach::Store {
            options.budget.max_calls = Some(0);
        }
        Ok(options)
    }

    /// Says what was asked. An incomplete run, or an endpoint that accepted nothing, is an error with its own status.
    pub fn whole(&self, plan: &Plan, outcome: &RunOutcome) -> Result<(), CliError> {
        for notice in &outcome.notices {
            self.ui.warn(&notice.text);
        }
        let Calls { made, cached, retried, failed } = outcome.calls;
        if made + cached > 0 {
            self.ui.note(format!("calls: {made} made, {cached} from the store, {retried} retried, {failed} failed"));
        }
        let Some(incomplete) = &outcome.incomplete else {
            return nothing_accepted(plan, outcome).map_or(Ok(()), Err);
        };
        if self.reach == Reach::Store && matches!(incomplete, Incomplete::Budget { .. }) {
            return Err(CliError::incomplete("some questions have no answer yet")
                .hint("send them with --batch-out, or leave --batch-in out to ask them now"));
        }
        let exit = if *incomplete == Incomplete::Stopped { Exit::Interrupted } else { Exit::Incomplete };
        let kept = match incomplete {
            _ if self.calls.no_store => "nothing was kept (--no-store)",
            Incomplete::Store { .. } => "what was saved before is kept; make room or choose another --store",
            _ => "what was answered is kept",
        };
        Err(CliError { exit, ..CliError::incomplete(incomplete) }
            .hint(format!("no result is written of an incomplete run; {kept}")))
    }
}

/// Whether to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Consent {
    GoOn,
    /// Only the forecast was wanted.
    DryRun,
}

/// What the user sees of a run.
pub(super) struct Watch {
    progress: Option<Progress>,
    spent: Option<f64>,
    /// Judges whose server limits the rate, as was said.
    limited: BTreeSet<JudgeName>,
    /// Failures and repeated tries so far.
    troubles: usize,
}

/// So many failures and repeated tries are told one by one; a server in trouble has thousands.
const TOLD: usize = 50;

/// A pause that someone who watches should know of.
const LONG_PAUSE: Duration = Duration::from_secs(10);

impl Watch {
    /// Tells of an event.
    pub fn see(&mut self, event: RunEvent<'_>) {
        log::run_event(&event);
        let Some(progress) = self.progress.as_mut() else { return };
        match event {
            // An answer counts when it is saved.
            RunEvent::Answered { cost_usd, .. } => {
                self.spent = cost_usd.map(|cost| cost + self.spent.unwrap_or(0.0)).or(self.spent);
            }
            RunEvent::BatchSaved { records } => progress.step(records, self.spent),
            RunEvent::Failed { asked, why } => {
                progress.fail(self.spent);
                let text = format!("{} {} {}: {why}", asked.judge, asked.item, asked.order.as_str());
                self.trouble(&text);
            }
            RunEvent::Retrying { asked, failures, wait, why } => self.trouble(&format!(
                "{} {}: try {failures} failed ({why}); next in {:.1} s",
                asked.judge,
                asked.item,
                wait.as_secs_f64()
            )),
            // A server with a limit meets it every few seconds: said once a judge, and where the wait is long.
            RunEvent::Paused { judge, wait, why } if self.limited.insert(judge.clone()) || wait >= LONG_PAUSE => {
                progress.say(&format!(
                    "{judge}: the server limits the rate ({why}); next call in {:.1} s",
                    wait.as_secs_f64()
                ));
            }
            RunEvent::Stopped { in_flight } => {
                progress.say(&format!("stopping: {in_flight} calls in flight are waited for and kept"));
            }
            _ => {}
        }
    }

    fn trouble(&mut self, text: &str) {
        self.troubles += 1;
        let Some(progress) = self.progress.as_mut().filter(|_| self.troubles <= TOLD) else { return };
        progress.say(text);
        if self.troubles == TOLD {
            progress.say("further failures and repeated tries are counted and not told here; `--log FILE` has each");
        }
    }
}

/// An endpoint that accepted no call at all was not on trial: what is wrong is how it was asked.
fn nothing_accepted(plan: &Plan, outcome: &RunOutcome) -> Option<CliError> {
    let (number, judge) = outcome.by_judge.iter().enumerate().find(|(_, judge)| {
        let Calls { made, cached, failed, .. } = judge.calls;
        made > 0 && failed == made && cached == 0
    })?;
    let mut own = plan.tasks.iter().zip(&outcome.answers).filter(|(task, _)| task.judge == number);
    let why = own.find_map(|(_, answer)| match answer {
        Answer::Absent { why, .. } => Some(why.as_str()),
        Answer::Answered(_) => None,
    });
    let message = format!(
        "the endpoint of judge `{}` accepted none of {} calls: {}",
        judge.judge,
        judge.calls.made,
        why.unwrap_or("it gave no reason")
    );
    Some(CliError::usage(message).hint("check `model`, `base_url` and the parameters of the judge"))
}
