//! Judges asked about pairs: the plan in both orders, the recording, the judgments.

use std::path::PathBuf;

use super::args::AskArgs;
use super::asking::{Asking, Consent};
use super::exit::CliError;
use super::ledger::{self, Ended};
use super::output::{Existing, check_target, write_file};
use crate::domain::{Judgment, Pair};
use crate::judge::{Judge, JudgeKind, RecordedLine, RecordingHeader, write_recording};
use crate::runner::{IdenticalPairs, Plan, PlanOptions, RunOutcome, Source, Trial, judgments};
use crate::store::Store;

/// How judges are asked.
pub(super) struct Judging<'a> {
    pub asking: Asking<'a>,
    pub ask: &'a AskArgs,
    /// Whether a recording may replace a file that exists.
    pub force: bool,
}

/// What came of asking.
pub(super) struct Judged {
    pub plan: Plan,
    pub outcome: RunOutcome,
    pub judgments: Vec<Judgment>,
    /// To be written when the result is out.
    pub recording: Option<Recording>,
}

/// A recording that is still to be written. It comes after the result: a run that is ended before has left no file in the way
/// of the same command, which goes on from the store.
pub(super) struct Recording {
    path: PathBuf,
    text: String,
    existing: Existing,
}

impl Recording {
    pub fn write(&self) -> Result<(), CliError> {
        write_file(&self.path, &self.text, self.existing)
    }
}

impl Judging<'_> {
    /// Asks every judge about every pair in both orders; `None` after a dry run. An incomplete run is an error with its own
    /// status.
    pub fn ask(&self, judges: &[Judge], pairs: &[Pair]) -> Result<Option<Judged>, CliError> {
        let Some(judged) = self.gather(judges, pairs)? else { return Ok(None) };
        self.asking.whole(&judged.plan, &judged.outcome)?;
        Ok(Some(judged))
    }

    /// How a plan is made.
    pub fn plan_options(&self) -> PlanOptions {
        PlanOptions {
            repeats: self.ask.repeats,
            identical: if self.ask.ask_identical { IdenticalPairs::Ask } else { IdenticalPairs::LeaveOut },
            ..PlanOptions::default()
        }
    }

    /// The same, whole or not: the judgments of an incomplete run lack what was not asked.
    pub fn gather(&self, judges: &[Judge], pairs: &[Pair]) -> Result<Option<Judged>, CliError> {
        let asking = &self.asking;
        self.check_recording(judges)?;
        let trial = Trial { items: pairs, judges };
        let mut store = asking.open(judges)?;
        let plan = Plan::new(&trial, &self.plan_options(), &mut |key| store.get(key).is_some())?;
        asking.announce(&plan, "judgments");
        if asking.consent(&trial, &plan, &mut store)? == Consent::DryRun {
            return Ok(None);
        }
        let entry = ledger::begin(&mut store, asking.origin, asking.clock, &trial, &plan)?;
        let mut outcome = asking.run(&trial, &plan, &mut store);
        let judgments = outcome.as_ref().map_or_else(|_| Vec::new(), |outcome| judgments(&trial, &plan, outcome));
        if let Ok(outcome) = &mut outcome {
            outcome.let_go_of_answers();
        }
        entry.finish(
            &mut store,
            asking.clock,
            Ended { plan: &plan, outcome: &outcome, judgments: &judgments },
            asking.ui,
        );
        let outcome = outcome?;
        let mut judged = Judged { plan, outcome, judgments, recording: None };
        self.record(&trial, &mut judged, &mut store)?;
        for notice in store.close() {
            asking.ui.warn(notice.text);
        }
        Ok(Some(judged))
    }

    /// Refuses a recording that could not be written, before anything is asked.
    pub fn check_recording(&self, judges: &[Judge]) -> Result<(), CliError> {
        let Some(path) = &self.ask.record else { return Ok(()) };
        if judges.iter().all(|judge| judge.kind() != JudgeKind::Endpoint) {
            return Err(CliError::usage("there is nothing to record: no judge is behind an endpoint")
                .hint("leave --record out"));
        }
        check_target(path, Existing::by_force(self.force))
    }

    /// Takes down the recording where one is wanted. Half of one would stand in the way of the run that goes on from here.
    pub fn record(&self, trial: &Trial<'_, Judge>, judged: &mut Judged, store: &mut Store) -> Result<(), CliError> {
        let Some(path) = self.ask.record.as_ref().filter(|_| judged.outcome.incomplete.is_none()) else {
            return Ok(());
        };
        let text = recording(&judged.plan, trial, store, &self.asking.clock.now())?;
        let recording = Recording { path: path.clone(), text, existing: Existing::by_force(self.force) };
        if self.asking.calls.no_store {
            // Nothing else keeps what was paid for.
            return recording.write();
        }
        judged.recording = Some(recording);
        Ok(())
    }
}

/// The completions of endpoint judges as a recording that `replay:FILE` plays.
fn recording(plan: &Plan, trial: &Trial<'_, Judge>, store: &mut Store, now: &str) -> Result<String, CliError> {
    let mut text = String::new();
    for (index, judge) in trial.judges.iter().enumerate().filter(|(_, judge)| judge.kind() == JudgeKind::Endpoint) {
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
                    item: trial.items[task.item].id.clone(),
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
