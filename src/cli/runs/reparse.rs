//! `runs reparse`: the stored completions read again by today's contracts.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use super::args::RunArg;
use super::{find, last, warn_all, warn_of_damage};
use crate::cli::args::DocumentFormat;
use crate::cli::clock::Clock;
use crate::cli::exit::{CliError, Exit};
use crate::cli::output::print;
use crate::cli::ui::Ui;
use crate::domain::{ReadVerdict, Reading, Reparsed, RunAccounting, RunEnd, RunHeader, RunJudgment};
use crate::judge::read_completion;
use crate::prompt::Contract;
use crate::report::{envelope, visible_line};
use crate::store::{Access, Ledger, Run, Store};

/// Read modes that this version knows: the contract alone, and by the log-probabilities that the completion carries.
const BY_CONTRACT: [&str; 3] = ["text", "json", "logprobs"];

/// Which runs.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) enum Which {
    All,
    One(RunArg),
}

/// What becomes of the new verdicts.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) enum Then {
    /// They are shown.
    Show,
    /// They are written into the ledger too, at this time.
    Write(Clock),
}

pub(in crate::cli) fn run(
    dir: &Path,
    which: Which,
    then: Then,
    format: DocumentFormat,
    ui: Ui,
) -> Result<Exit, CliError> {
    // A writer makes a store where there is none; this command must not.
    let ledger = Ledger::open(dir)?;
    let access = if matches!(then, Then::Show) { Access::Read } else { Access::Write };
    let (mut store, notices) = ui.during("opening the store", || Store::open(dir, access))?;
    warn_all(&notices, ui);
    // Behind the lock, so that nobody writes between the reading and the writing.
    let runs = chosen(dir, &ledger, which, ui)?;
    let read: Vec<Reread> = ui
        .during("reading the completions again", || runs.into_iter().map(|run| Reread::of(run, &mut store)).collect());
    if let Then::Write(clock) = then {
        for run in read.iter().filter(|run| !run.changes.is_empty()) {
            write(run, &mut store, clock, ui)?;
        }
    }
    warn_all(&store.close(), ui);
    match format {
        DocumentFormat::Table => print(&read.iter().map(lines).collect::<String>())?,
        DocumentFormat::Json => {
            print(&envelope("reparse", &json!({"runs": read.iter().map(document).collect::<Vec<_>>()}))?)?;
        }
    }
    let differs = read.iter().any(|run| !run.changes.is_empty());
    Ok(if differs && matches!(then, Then::Show) { Exit::Short } else { Exit::Done })
}

fn chosen(dir: &Path, ledger: &Ledger, which: Which, ui: Ui) -> Result<Vec<Run>, CliError> {
    if let Which::One(run) = which {
        return Ok(vec![find(dir, run, ui)?]);
    }
    last(ledger, dir)?;
    let mut runs = Vec::new();
    for number in ledger.numbers()? {
        let run = ledger.read(number)?;
        warn_of_damage(&run, ui);
        runs.push(run);
    }
    Ok(runs)
}

/// A run, read again.
struct Reread {
    run: Run,
    /// With the new readings.
    judgments: Vec<RunJudgment>,
    changes: Vec<Change>,
    /// Completions that were read.
    read: u64,
    /// Verdicts that no completion is kept of: local judges, failed calls.
    without: u64,
    /// Answers that should be in the journal and are not.
    gone: u64,
    /// Answers that are not read by a contract that is known here.
    unreadable: u64,
}

struct Change {
    judgment: usize,
    old: String,
    new: String,
    why: String,
}

impl Reread {
    fn of(run: Run, store: &mut Store) -> Self {
        let judgments = run.judgments.clone();
        let mut reread = Self { run, judgments, changes: Vec::new(), read: 0, without: 0, gone: 0, unreadable: 0 };
        for at in 0..reread.judgments.len() {
            reread.read_one(at, store);
        }
        reread
    }

    fn read_one(&mut self, at: usize, store: &mut Store) {
        let judgment = &mut self.judgments[at];
        let Some(key) = judgment.key.filter(|_| judgment.is_answered()) else {
            self.without += 1;
            return;
        };
        let Some(contract) = contract(self.run.header.as_ref(), judgment) else {
            self.unreadable += 1;
            return;
        };
        let Some(completion) = store.get(&key) else {
            self.gone += 1;
            return;
        };
        self.read += 1;
        let ReadVerdict { reading, grade, why, .. } = read_completion(contract, &completion);
        if reading == judgment.reading() && grade == judgment.grade {
            return;
        }
        let old = word(judgment.reading(), judgment.grade.as_deref());
        let new = word(reading, grade.as_deref());
        judgment.set_reading(reading);
        judgment.grade = grade;
        judgment.why = judgment.verdict.is_none().then(|| why.clone());
        self.changes.push(Change { judgment: at, old, new, why });
    }
}

fn contract(header: Option<&RunHeader>, judgment: &RunJudgment) -> Option<Contract> {
    let judge = header?.judges.iter().find(|judge| judge.name == judgment.judge)?;
    let is_by_contract = judge.read.as_deref().is_none_or(|read| BY_CONTRACT.contains(&read));
    Contract::parse(judge.contract.as_deref()?).filter(|_| is_by_contract)
}

fn word(reading: Reading, grade: Option<&str>) -> String {
    let word = match reading {
        Reading::Said(crate::domain::Verdict::First) => "first",
        Reading::Said(crate::domain::Verdict::Second) => "second",
        Reading::Said(crate::domain::Verdict::Tie) => "tie",
        Reading::None(kind) => kind.as_str(),
    };
    grade.map_or_else(|| word.to_owned(), |grade| format!("{word} ({grade})"))
}

fn write(run: &Reread, store: &mut Store, clock: Clock, ui: Ui) -> Result<(), CliError> {
    let (Some(header), Some(end)) = (&run.run.header, &run.run.end) else { return Ok(()) };
    if !run.run.damaged.is_empty() || run.run.lost() > 0 {
        ui.warn(format!("run {} is damaged and stays as it is", run.run.number));
        return Ok(());
    }
    let mut end = RunEnd { accounting: RunAccounting::of(&run.judgments), ..end.clone() };
    let version = env!("CARGO_PKG_VERSION").to_owned();
    end.reparsed.push(Reparsed { at: clock.now(), version, changed: run.changes.len() as u64 });
    store.finish_run(header, run.judgments.iter().cloned(), &end)?;
    ui.note(format!("run {}: {} verdicts written", run.run.number, run.changes.len()));
    Ok(())
}

fn lines(run: &Reread) -> String {
    let mut text = String::new();
    for change in &run.changes {
        let RunJudgment { item, judge, order, repeat, .. } = &run.judgments[change.judgment];
        let Change { old, new, why, .. } = change;
        let line = format!("{judge} {item} {} {repeat}: {old} → {new} ({why})", order.as_str());
        let _ = writeln!(text, "  {}", visible_line(&line));
    }
    let Reread { read, changes, without, gone, unreadable, .. } = run;
    let mut head = format!("run {}: {read} completions read, {} verdicts differ", run.run.number, changes.len());
    if *without > 0 {
        let _ = write!(head, ", {without} judgments without a completion");
    }
    if *gone > 0 {
        let _ = write!(head, ", {gone} completions not in the journal any more");
    }
    if *unreadable > 0 {
        let _ = write!(head, ", {unreadable} not read by a contract of this version");
    }
    if run.run.end.is_none() {
        let _ = write!(head, " ({})", run.run.status.as_str());
    }
    format!("{head}\n{text}")
}

fn document(run: &Reread) -> Value {
    let changes: Vec<Value> = run
        .changes
        .iter()
        .map(|change| {
            let RunJudgment { item, judge, order, repeat, .. } = &run.judgments[change.judgment];
            let Change { old, new, why, .. } = change;
            json!({"judge": judge, "item": item, "order": order, "repeat": repeat, "old": old, "new": new, "why": why})
        })
        .collect();
    json!({
        "run": run.run.number,
        "read": run.read,
        "changed": run.changes.len(),
        "without_completion": run.without,
        "not_in_journal": run.gone,
        "not_by_contract": run.unreadable,
        "changes": changes,
    })
}
