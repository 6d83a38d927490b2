//! Batch files in place of live calls: what is to be asked goes out as requests, and the answers come back into the store.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::asking::Consent;
use super::exit::CliError;
use super::judging::Judging;
use super::output::{Existing, write_file};
use crate::data::Source as File;
use crate::domain::{Pair, RequestKey};
use crate::judge::{BatchOutcome, BatchReply, Judge, JudgeKind, batch_line, read_batch_file};
use crate::runner::{Plan, Source, Trial};
use crate::store::{Record, Store};

/// Answers are saved so many at a time.
const SAVED_AT_ONCE: usize = 512;
/// More troubles of one file than this are counted, not listed.
const LISTED: usize = 10;

/// Writes every question that the store has no answer to, `--max-calls` of them at most. Returns how many there are; `None`
/// after a dry run.
pub(super) fn write(
    judging: &Judging<'_>,
    judges: &[Judge],
    pairs: &[Pair],
    path: &Path,
) -> Result<Option<u64>, CliError> {
    one_endpoint(judges)?;
    let trial = Trial { items: pairs, judges };
    let mut store = judging.asking.open(judges)?;
    let plan = Plan::new(&trial, &judging.plan_options(), &mut |key| store.get(key).is_some())?;
    judging.asking.announce(&plan, "judgments");
    if judging.asking.consent(&trial, &plan, &mut store)? == Consent::DryRun {
        return Ok(None);
    }
    let mut text = String::new();
    let mut written = 0;
    let most = judging.asking.calls.max_calls.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
    for task in plan.tasks.iter().filter(|task| task.source == Source::Ask).take(most) {
        let judge = &judges[task.judge];
        let call = judge.batch_body(&judge.request(&pairs[task.item], task.order, task.repeat)?)?;
        text.push_str(&batch_line(&task.key, call.path, &call.body));
        text.push('\n');
        written += 1;
    }
    if written > 0 {
        write_file(path, &text, Existing::by_force(judging.force))?;
    }
    Ok(Some(written))
}

/// A batch service takes the requests of one model at a time.
fn one_endpoint(judges: &[Judge]) -> Result<(), CliError> {
    match judges.iter().filter(|judge| judge.kind() == JudgeKind::Endpoint).count() {
        1 => Ok(()),
        0 => {
            Err(CliError::usage("there is nothing to send: no judge is behind an endpoint").hint("leave the batch out"))
        }
        _ => Err(CliError::usage("a batch file holds the requests of one model").hint("write one file for each judge")),
    }
}

/// What came of a file of results.
#[derive(Debug, Default)]
pub(super) struct Taken {
    /// Answers that are in the store now.
    pub kept: u64,
    /// What these cost at the judge's price, in US dollars, where price and usage are known. No run counts it: none made the calls.
    pub cost_usd: Option<f64>,
    /// Answers that were there before.
    pub known: u64,
    /// Requests that the service or the endpoint did not answer.
    pub failed: u64,
    /// Answers to questions that are not in this plan.
    pub strangers: u64,
    /// Lines that are no results.
    pub broken: u64,
}

/// Takes the answers of a file of results into the store, in whatever order they come.
pub(super) fn take(judging: &Judging<'_>, judges: &[Judge], pairs: &[Pair], file: &File) -> Result<Taken, CliError> {
    if judging.asking.calls.no_store {
        return Err(CliError::usage("answers of a batch are taken into the store").hint("leave --no-store out"));
    }
    if judging.asking.calls.dry_run {
        return Err(
            CliError::usage("--batch-in makes no call: there is nothing to try dry").hint("leave --dry-run out")
        );
    }
    one_endpoint(judges)?;
    let trial = Trial { items: pairs, judges };
    let mut store = judging.asking.open(judges)?;
    let plan = Plan::new(&trial, &judging.plan_options(), &mut |key| store.get(key).is_some())?;
    let mut intake = Intake {
        judging,
        trial: &trial,
        asked: plan
            .tasks
            .iter()
            .enumerate()
            .filter(|(_, task)| task.source == Source::Ask)
            .map(|(at, task)| (task.key, at))
            .collect(),
        stored: plan.tasks.iter().filter(|task| task.source == Source::Stored).map(|task| task.key).collect(),
        plan: &plan,
        records: Vec::new(),
        taken: Taken { cost_usd: Some(0.0), ..Taken::default() },
        troubles: Vec::new(),
    };
    for line in read_batch_file(file.text()) {
        match line {
            Ok(reply) => intake.reply(reply)?,
            Err(error) => {
                intake.taken.broken += 1;
                intake.troubles.push(format!("{}: {error}", file.path()));
            }
        }
        if intake.records.len() >= SAVED_AT_ONCE {
            intake.save(&mut store)?;
        }
    }
    intake.save(&mut store)?;
    for notice in store.close() {
        judging.asking.ui.warn(notice.text);
    }
    for trouble in intake.troubles.iter().take(LISTED) {
        judging.asking.ui.warn(trouble);
    }
    if intake.troubles.len() > LISTED {
        judging.asking.ui.warn(format!("{} more lines brought no answer", intake.troubles.len() - LISTED));
    }
    let Taken { kept, known, failed, strangers, broken, .. } = intake.taken;
    if kept + known + failed == 0 && strangers + broken > 0 {
        return Err(CliError::usage(format!(
            "{} holds no answer to a question of these judges on these pairs",
            file.path()
        ))
        .hint(
            "want the file of results that came back for the requests of --batch-out, with the same judge and pairs",
        ));
    }
    Ok(intake.taken)
}

struct Intake<'a> {
    judging: &'a Judging<'a>,
    trial: &'a Trial<'a, Judge>,
    plan: &'a Plan,
    asked: BTreeMap<RequestKey, usize>,
    stored: BTreeSet<RequestKey>,
    records: Vec<Record>,
    taken: Taken,
    troubles: Vec<String>,
}

impl Intake<'_> {
    fn reply(&mut self, reply: BatchReply) -> Result<(), CliError> {
        let Some(key) = reply.key else {
            self.taken.strangers += 1;
            return Ok(());
        };
        if self.stored.contains(&key) {
            self.taken.known += 1;
            return Ok(());
        }
        let Some(at) = self.asked.get(&key).copied() else {
            self.taken.strangers += 1;
            return Ok(());
        };
        let task = &self.plan.tasks[at];
        let (judge, pair) = (&self.trial.judges[task.judge], &self.trial.items[task.item]);
        let request = judge.request(pair, task.order, task.repeat)?;
        let read = match reply.outcome {
            BatchOutcome::Answered { status, body } => {
                judge.read_batch(&request, status, &body).map_err(|error| error.message)
            }
            BatchOutcome::Failed { why } => Err(judge.masked(&why)),
        };
        match read {
            Ok(completion) => {
                self.stored.insert(key);
                let cost = judge.cost_usd(&completion.usage);
                self.taken.cost_usd = self.taken.cost_usd.zip(cost).map(|(before, own)| before + own);
                self.records.push(Record {
                    key,
                    judge: judge.name().clone(),
                    fingerprint: judge.fingerprint().clone(),
                    item: request.item,
                    order: request.order,
                    repeat: request.repeat,
                    at: self.judging.asking.clock.now(),
                    body: request.body,
                    completion,
                });
            }
            Err(why) => {
                self.taken.failed += 1;
                self.troubles.push(format!("line {}: {} {}: {why}", reply.line, request.item, task.order.as_str()));
            }
        }
        Ok(())
    }

    fn save(&mut self, store: &mut Store) -> Result<(), CliError> {
        store.put_batch(&self.records)?;
        self.taken.kept += self.records.len() as u64;
        self.records.clear();
        Ok(())
    }
}
