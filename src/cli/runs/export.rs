//! `runs export`: the answers of a run as a recording, or its verdicts in the long form.

use std::path::Path;

use serde_json::json;

use super::args::RunArg;
use super::{find, warn_all};
use crate::cli::exit::{CliError, Exit};
use crate::cli::output::{Existing, check_lines, check_target, print, write_file};
use crate::cli::ui::Ui;
use crate::domain::RunJudgment;
use crate::judge::{RecordedLine, RecordingHeader, write_recording};
use crate::store::{Access, Record, Run, Store};

/// What is written of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Form {
    /// The completions of endpoints, for `replay:FILE`.
    Completions,
    /// The verdicts of all judges, for `--verdicts FILE`.
    Verdicts,
}

/// The file to write.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) struct Target<'a> {
    pub path: &'a Path,
    pub existing: Existing,
}

pub(in crate::cli) fn run(
    store: &Path,
    run: RunArg,
    form: Form,
    target: Option<Target<'_>>,
    ui: Ui,
) -> Result<Exit, CliError> {
    if let Some(target) = target {
        check_lines(target.path)?;
        check_target(target.path, target.existing)?;
    }
    let run = find(store, run, ui)?;
    if run.judgments.is_empty() {
        return Err(CliError::usage(format!("run {} has no judgments ({})", run.number, run.status.as_str())).hint(
            "run its command again: what was answered is in the journal (`tribunal runs show` has the command)",
        ));
    }
    let mut answers = Answers::open(store, ui)?;
    let text = match form {
        Form::Completions => completions(&run, &mut answers)?,
        Form::Verdicts => verdicts(&run, &mut answers)?,
    };
    answers.tell(ui);
    match target {
        None => print(&text)?,
        Some(target) => {
            write_file(target.path, &text, target.existing)?;
            ui.note(format!("written: {}", target.path.display()));
        }
    }
    Ok(Exit::Done)
}

/// The journal, with a count of what should be in it and is not.
struct Answers {
    store: Store,
    gone: u64,
}

impl Answers {
    fn open(store: &Path, ui: Ui) -> Result<Self, CliError> {
        let (store, notices) = ui.during("opening the store", || Store::open(store, Access::Read))?;
        warn_all(&notices, ui);
        Ok(Self { store, gone: 0 })
    }

    /// The record behind a judgment that was answered by an endpoint.
    fn of(&mut self, judgment: &RunJudgment) -> Option<Record> {
        let key = judgment.key.filter(|_| judgment.is_answered())?;
        let record = self.store.record(&key);
        self.gone += u64::from(record.is_none());
        record
    }

    fn tell(&self, ui: Ui) {
        if self.gone > 0 {
            ui.warn(format!("{} answers of this run are not in the journal any more", self.gone));
        }
    }
}

fn completions(run: &Run, answers: &mut Answers) -> Result<String, CliError> {
    let Some(header) = &run.header else { return Err(without_header(run)) };
    let mut text = String::new();
    for judge in header.judges.iter().filter(|judge| judge.kind == "endpoint") {
        let recording = RecordingHeader {
            fingerprint: Some(judge.fingerprint.clone()),
            model: judge.model.clone(),
            prompt: judge.prompt.clone(),
            prompt_digest: judge.prompt_digest,
            contract: judge.contract.clone(),
            created: Some(header.started.clone()),
            ..RecordingHeader::new(judge.name.clone())
        };
        let own = run.judgments.iter().filter(|judgment| judgment.judge == judge.name);
        let lines: Vec<RecordedLine> = own
            .filter_map(|judgment| {
                Some(RecordedLine {
                    key: judgment.key,
                    judge: judgment.judge.clone(),
                    item: judgment.item.clone(),
                    order: judgment.order,
                    repeat: judgment.repeat,
                    fingerprint: None,
                    completion: answers.of(judgment)?.completion,
                })
            })
            .collect();
        if !lines.is_empty() {
            text.push_str(&write_recording(&recording, &lines)?);
        }
    }
    if text.is_empty() {
        return Err(CliError::usage(format!("run {} has no completion of an endpoint", run.number))
            .hint("--verdicts writes what was said without one"));
    }
    Ok(text)
}

fn without_header(run: &Run) -> CliError {
    CliError::usage(format!("{}: the header is damaged, so the answers' contract is not known", run.path.display()))
        .hint("--verdicts writes the verdicts, which need none")
}

fn verdicts(run: &Run, answers: &mut Answers) -> Result<String, CliError> {
    let judges = run.header.as_ref().map(|header| header.judges.as_slice()).unwrap_or_default();
    let mut text = String::new();
    for judgment in &run.judgments {
        let judge = judges.iter().find(|judge| judge.name == judgment.judge);
        let record = answers.of(judgment);
        let completion = record.as_ref().map(|record| &record.completion);
        let row = json!({
            "id": judgment.item,
            "judge": judgment.judge,
            "order": judgment.order,
            "repeat": judgment.repeat,
            "verdict": judgment.verdict,
            "no_verdict": judgment.no_verdict,
            "grade": judgment.grade,
            "why": judgment.why,
            "raw": completion.map(|completion| &completion.text),
            "reasoning": completion.and_then(|completion| completion.reasoning.as_ref()),
            "fingerprint": judge.map(|judge| &judge.fingerprint),
            "served_model": completion.and_then(|completion| completion.served_model.as_ref()),
            "usage": completion.map(|completion| completion.usage),
            "latency_ms": completion.and_then(|completion| completion.latency_ms),
        });
        // What is not known is left out.
        let known = row.as_object().into_iter().flatten();
        let known: serde_json::Map<_, _> = known
            .filter(|(name, value)| *name == "verdict" || !value.is_null())
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        text.push_str(&serde_json::to_string(&known)?);
        text.push('\n');
    }
    Ok(text)
}
