//! What a run leaves in the ledger of its store.

use super::clock::Clock;
use super::exit::{CliError, Exit};
use super::ui::Ui;
use crate::domain::{
    Digest, Judgment, Pair, RunAccounting, RunCalls, RunEnd, RunHeader, RunItems, RunJudge, RunJudgment, RunKind,
    RunState, Said, Usage,
};
use crate::judge::{Generator, Judge, JudgeKind};
use crate::runner::{Calls, Incomplete, Plan, RunOutcome, Source, Task, Trial};
use crate::store::Store;

/// Which command asks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origin<'a> {
    pub kind: RunKind,
    /// As typed, without secrets.
    pub command: &'a str,
}

/// A run that was begun; `None` inside where the store keeps nothing.
pub(super) struct Entry(Option<RunHeader>);

/// Begins a run of judging, before anything is asked.
pub(super) fn begin(
    store: &mut Store,
    origin: Origin<'_>,
    clock: Clock,
    trial: &Trial<'_, Judge>,
    plan: &Plan,
) -> Result<Entry, CliError> {
    let items = RunItems { count: trial.items.len() as u64, digest: items_digest(trial.items) };
    Ok(Entry(store.begin_run(header(origin, clock, plan, items, trial.judges.iter().map(judge).collect()))?))
}

/// Begins a run of generating.
pub(super) fn begin_generating(
    store: &mut Store,
    origin: Origin<'_>,
    clock: Clock,
    trial: &Trial<'_, Generator>,
    plan: &Plan,
) -> Result<Entry, CliError> {
    let parts: Vec<String> =
        trial.items.iter().map(|item| format!("{}\u{0}{}", item.id, item.prompt.to_text())).collect();
    let digest = Digest::of_parts(parts.iter().map(String::as_bytes));
    let items = RunItems { count: trial.items.len() as u64, digest };
    Ok(Entry(store.begin_run(header(origin, clock, plan, items, trial.judges.iter().map(system).collect()))?))
}

fn header(origin: Origin<'_>, clock: Clock, plan: &Plan, items: RunItems, judges: Vec<RunJudge>) -> RunHeader {
    RunHeader {
        number: 0,
        kind: origin.kind,
        command: origin.command.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started: clock.now(),
        process: 0,
        planned: plan.tasks.len() as u64,
        items,
        judges,
    }
}

fn system(system: &Generator) -> RunJudge {
    RunJudge {
        name: system.name().clone(),
        kind: "endpoint".to_owned(),
        fingerprint: system.fingerprint().clone(),
        model: Some(system.model_name().to_owned()),
        prompt: Some(system.prompt().name()),
        prompt_digest: Some(system.prompt().digest()),
        contract: None,
        read: None,
    }
}

/// A run that has ended.
#[derive(Clone, Copy)]
pub(super) struct Ended<'a> {
    pub plan: &'a Plan,
    pub outcome: &'a Result<RunOutcome, CliError>,
    /// One for each task of the plan; none where the run brought no outcome or asked for something else than verdicts.
    pub judgments: &'a [Judgment],
}

impl Entry {
    /// Writes how the run ended. That cannot be mended here, so a failure is a warning: the answers are saved already.
    pub fn finish(self, store: &mut Store, clock: Clock, run: Ended<'_>, ui: Ui) {
        let Some(header) = self.0 else { return };
        let Ended { plan, outcome, judgments } = run;
        if let Ok(RunOutcome { incomplete: Some(Incomplete::Store { .. }), .. }) = outcome {
            rescue(store, ui);
        }
        let end = match outcome {
            Ok(outcome) => ended(plan, outcome, judgments, clock),
            Err(error) => broken_off(error, clock),
        };
        if let Err(error) = store.finish_run(&header, lines(plan, judgments), &end) {
            ui.warn(format!("run {} has no end in the ledger: {error}", header.number));
        }
    }
}

/// Answers that the store could not take are paid for: another disk may have room for them.
fn rescue(store: &Store, ui: Ui) {
    let path = std::env::temp_dir().join(format!("tribunal-unsaved-{}.jsonl", std::process::id()));
    match store.rescue(&path) {
        Ok(0) => {}
        Ok(saved) => ui.warn(format!(
            "{saved} answers that the store could not take are in {0}; when there is room, `tribunal runs import {0}` brings them in",
            path.display()
        )),
        Err(error) => ui.warn(format!(
            "not all answers that the store could not take could be written to {}, the rest is lost: {error}",
            path.display()
        )),
    }
}

fn judge(judge: &Judge) -> RunJudge {
    RunJudge {
        name: judge.name().clone(),
        kind: match judge.kind() {
            JudgeKind::Endpoint => "endpoint",
            JudgeKind::Replay => "replay",
            JudgeKind::Checks => "checks",
            JudgeKind::Control => "control",
        }
        .to_owned(),
        fingerprint: judge.fingerprint().clone(),
        model: judge.model_name().map(str::to_owned),
        prompt: judge.prompt().map(crate::prompt::JudgePrompt::name),
        prompt_digest: judge.prompt_digest(),
        contract: judge.prompt().map(|prompt| prompt.contract.as_str().to_owned()),
        read: judge.read_mode().map(|mode| mode.as_str().to_owned()),
    }
}

/// Digest of the ids and texts asked about, in order.
pub(super) fn items_digest(pairs: &[Pair]) -> Digest {
    let prompts: Vec<String> =
        pairs.iter().map(|pair| serde_json::to_string(&pair.prompt).unwrap_or_default()).collect();
    let parts = pairs.iter().zip(&prompts).flat_map(|(pair, prompt)| {
        [pair.id.as_str(), prompt.as_str(), pair.response_a.as_str(), pair.response_b.as_str()].map(str::as_bytes)
    });
    Digest::of_parts(parts)
}

/// The judgments as lines, made one by one: there may be very many.
fn lines<'a>(plan: &'a Plan, judgments: &'a [Judgment]) -> impl Iterator<Item = RunJudgment> {
    plan.tasks.iter().zip(judgments).filter_map(|(task, judgment)| line(task, judgment))
}

fn ended(plan: &Plan, outcome: &RunOutcome, judgments: &[Judgment], clock: Clock) -> RunEnd {
    let Calls { made, cached, retried, failed } = outcome.calls;
    let sum = |of: fn(&Usage) -> Option<u64>| {
        outcome.by_judge.iter().try_fold(0_u64, |all, judge| Some(all.saturating_add(of(&judge.usage)?)))
    };
    RunEnd {
        finished: clock.now(),
        state: match &outcome.incomplete {
            None => RunState::Done,
            Some(Incomplete::Stopped) => RunState::Interrupted,
            Some(_) => RunState::Incomplete,
        },
        reason: outcome.incomplete.as_ref().map(ToString::to_string),
        judgments: 0,
        accounting: RunAccounting::of(lines(plan, judgments)),
        calls: RunCalls { made, cached, retried, failed },
        usage: Usage { input_tokens: sum(|usage| usage.input_tokens), output_tokens: sum(|usage| usage.output_tokens) },
        cost_usd: outcome.by_judge.iter().try_fold(0.0, |all, judge| Some(all + judge.cost_usd?)),
        reparsed: Vec::new(),
    }
}

/// A folded judgment is no asking of this run.
fn line(task: &Task, judgment: &Judgment) -> Option<RunJudgment> {
    let Said::InOrder(order, reading) = judgment.said else { return None };
    let detail = judgment.detail.as_deref();
    let mut line = RunJudgment {
        item: judgment.item.clone(),
        judge: judgment.judge.clone(),
        order,
        repeat: judgment.repeat,
        key: (task.source != Source::Local).then_some(task.key),
        verdict: None,
        no_verdict: None,
        grade: detail.and_then(|detail| detail.grade.clone()),
        why: detail.and_then(|detail| detail.why.clone()),
    };
    line.set_reading(reading);
    Some(line)
}

/// A run that ended without an outcome.
fn broken_off(error: &CliError, clock: Clock) -> RunEnd {
    RunEnd {
        finished: clock.now(),
        state: if error.exit == Exit::Interrupted { RunState::Interrupted } else { RunState::Incomplete },
        reason: Some(error.message.clone()),
        judgments: 0,
        accounting: std::collections::BTreeMap::new(),
        calls: RunCalls::default(),
        usage: Usage::default(),
        cost_usd: None,
        reparsed: Vec::new(),
    }
}
