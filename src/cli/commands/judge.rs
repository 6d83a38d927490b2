//! `judge`: ask judges and keep every completion, nothing else; also by way of batch files.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::analysis::asked::{Asked, AskedJudge, CallCounts, asked};
use crate::analysis::outcome::Accounting;
use crate::cli::args::{JudgeArgs, ListFormat};
use crate::cli::asking::{Asking, Reach};
use crate::cli::batches::{self, Taken};
use crate::cli::clock::Clock;
use crate::cli::evidence::{self, Evidence};
use crate::cli::exit::{CliError, Exit};
use crate::cli::forecast::dollars;
use crate::cli::judges::Bench;
use crate::cli::judging::{Judged, Judging};
use crate::cli::ledger::Origin;
use crate::cli::output::{Existing, check_apart, check_lines, check_target, file_of, print, write_file};
use crate::cli::settings::{Environment, Settings};
use crate::cli::ui::Ui;
use crate::data::PairOptions;
use crate::domain::{NoVerdict, RunKind, Usage};
use crate::judge::Judge;
use crate::report::{RowsForm, envelope, render_rows, verdict_lines, visible_line};
use crate::runner::Spent;

pub(in crate::cli) fn run(args: &JudgeArgs, environment: &Environment, ui: Ui) -> Result<Exit, CliError> {
    let clock = Clock::new(environment.source_date_epoch.as_deref())?;
    let settings = Settings::load(args.ask.calls.config.as_deref())?;
    let existing = Existing::by_force(args.force);
    let out = file_of(args.out.as_deref());
    if let Some(path) = out {
        check_lines(path)?;
        check_target(path, existing)?;
    }
    let read =
        [&args.a, &args.b, &args.pairs].into_iter().flatten().map(String::as_str).chain(args.ask.read(&args.judge));
    check_apart(out, read)?;
    let evidence = pairs(args, ui)?;
    let mut bench = Bench::new(&settings, &args.ask, &evidence.pairs);
    let judges = bench.seat(&args.judge, ui)?;
    let reach = if args.batch_in.is_some() { Reach::Store } else { Reach::Endpoints };
    let calls = &args.ask.calls;
    let origin = Origin { kind: RunKind::Judge, command: &environment.command };
    let asking = Asking {
        calls,
        settings: &settings,
        clock,
        origin,
        served: BTreeMap::new(),
        reach,
        spent: Spent::default(),
        ui,
    };
    let judging = Judging { asking, ask: &args.ask, force: args.force };
    if let Some(path) = &args.batch_out {
        let Some(written) = batches::write(&judging, &judges, &evidence.pairs, path)? else { return Ok(Exit::Done) };
        ui.note(match written {
            0 => "the store has every answer: there is nothing to send, and no file was written".to_owned(),
            _ => format!("{written} requests written: {}; give the results back with --batch-in FILE", path.display()),
        });
        return Ok(Exit::Done);
    }
    if let Some(path) = &args.batch_in {
        let taken = batches::take(&judging, &judges, &evidence.pairs, &evidence::read(path, ui)?)?;
        ui.note(heard(&taken));
    }
    let Some(judged) = judging.gather(&judges, &evidence.pairs)? else { return Ok(Exit::Done) };
    let answer = summary(&evidence, &judges, &judged);
    // With `--out -` standard output is the verdicts'.
    if args.out.is_none() || out.is_some() {
        print(&match args.format {
            ListFormat::Json => envelope("judgments", &answer)?,
            ListFormat::Table => lines(&answer),
            ListFormat::Jsonl => rows(&answer, RowsForm::JsonLines)?,
            ListFormat::Csv => rows(&answer, RowsForm::Csv)?,
        })?;
    }
    judging.asking.whole(&judged.plan, &judged.outcome)?;
    if let Some(path) = out {
        write_file(path, &verdict_lines(&evidence.gold, &judged.judgments), existing)?;
        ui.note(format!("written: {}", path.display()));
    } else if args.out.is_some() {
        print(&verdict_lines(&evidence.gold, &judged.judgments))?;
    }
    if let Some(recording) = judged.recording {
        recording.write()?;
    }
    Ok(status(&answer, ui))
}

fn pairs(args: &JudgeArgs, ui: Ui) -> Result<Evidence, CliError> {
    let options = PairOptions { group_by: args.group_by.clone(), ..PairOptions::default() };
    match (&args.a, &args.b, &args.pairs) {
        (Some(a), Some(b), _) => evidence::responses(a, b, &options, ui),
        (_, _, Some(pairs)) => evidence::pairs(&evidence::read(pairs, ui)?, "pairs", None, &options, ui),
        _ => Err(CliError::usage("there is nothing to judge").hint("give --pairs FILE, or --a FILE --b FILE")),
    }
}

fn heard(taken: &Taken) -> String {
    let Taken { kept, cost_usd, known, failed, strangers, broken } = taken;
    let cost = cost_usd
        .filter(|_| *kept > 0)
        .map_or_else(String::new, |cost| format!(" ({} at the judge's price)", dollars(cost)));
    let mut parts = vec![format!("{kept} answers taken into the store{cost}")];
    let more = [
        (known, "there before"),
        (failed, "requests without an answer"),
        (strangers, "of other requests, left out"),
        (broken, "lines that are no results"),
    ];
    parts.extend(more.into_iter().filter(|(count, _)| **count > 0).map(|(count, what)| format!("{count} {what}")));
    parts.join(", ")
}

fn summary(evidence: &Evidence, judges: &[Judge], judged: &Judged) -> Asked {
    let by_judge = judges.iter().zip(&judged.outcome.by_judge);
    let judges = by_judge.map(|(judge, calls)| AskedJudge {
        name: judge.name().clone(),
        fingerprint: judge.fingerprint().clone(),
        accounting: Accounting::default(),
        calls: CallCounts { made: calls.calls.made, cached: calls.calls.cached, retried: calls.calls.retried },
        usage: calls.usage,
        cost_usd: calls.cost_usd,
    });
    asked(&evidence.gold, &judged.judgments, judges.collect())
}

/// One row a judge.
fn rows(answer: &Asked, form: RowsForm) -> Result<String, CliError> {
    let row = |judge: &AskedJudge| {
        let total = judge.accounting.total();
        let mut row = Map::new();
        row.insert("judge".to_owned(), json!(judge.name));
        row.insert("fingerprint".to_owned(), json!(judge.fingerprint));
        row.insert("planned".to_owned(), json!(total.planned));
        row.insert("judged".to_owned(), json!(total.judged));
        row.extend(NoVerdict::ALL.map(|kind| (kind.as_str().to_owned(), json!(total.count(kind)))));
        row.insert("identical".to_owned(), json!(judge.accounting.identical));
        let CallCounts { made, cached, retried } = judge.calls;
        row.extend(
            [("made", made), ("cached", cached), ("retried", retried)].map(|(name, n)| (name.to_owned(), json!(n))),
        );
        row.insert("input_tokens".to_owned(), json!(judge.usage.input_tokens));
        row.insert("output_tokens".to_owned(), json!(judge.usage.output_tokens));
        row.insert("cost_usd".to_owned(), json!(judge.cost_usd));
        Value::Object(row)
    };
    let kinds = NoVerdict::ALL.map(NoVerdict::as_str);
    let columns = [
        &["judge", "fingerprint", "planned", "judged"][..],
        &kinds,
        &["identical", "made", "cached", "retried", "input_tokens", "output_tokens", "cost_usd"],
    ]
    .concat();
    Ok(render_rows(&columns, &answer.judges.iter().map(row).collect::<Vec<_>>(), form)?)
}

fn lines(answer: &Asked) -> String {
    let mut text = String::new();
    for judge in &answer.judges {
        let total = judge.accounting.total();
        let mut parts = vec![format!("{} planned", total.planned), format!("{} judged", total.judged)];
        let kinds = NoVerdict::ALL.into_iter().map(|kind| (kind.as_str(), total.count(kind)));
        parts.extend(kinds.filter(|(_, count)| *count > 0).map(|(kind, count)| format!("{count} {kind}")));
        if judge.accounting.identical > 0 {
            parts.push(format!("{} identical, not asked", judge.accounting.identical));
        }
        let CallCounts { made, cached, retried } = judge.calls;
        let Usage { input_tokens, output_tokens } = judge.usage;
        let known = |count: Option<u64>| count.map_or_else(|| "unknown".to_owned(), |count| count.to_string());
        let cost = judge.cost_usd.map_or_else(|| "cost unknown".to_owned(), |usd| format!("${usd:.4}"));
        let _ = writeln!(
            text,
            "{}: {}\n  calls: {made} made, {cached} from the store, {retried} retried · tokens: {} in, {} out · {cost}",
            visible_line(judge.name.as_str()),
            parts.join(" · "),
            known(input_tokens),
            known(output_tokens),
        );
    }
    text
}

/// Status 4 where a call brought nothing: it can be made again. What was answered, however badly, is done.
fn status(answer: &Asked, ui: Ui) -> Exit {
    let total = answer.accounting.total();
    let lacking = total.count(NoVerdict::Failed) + total.count(NoVerdict::Missing);
    if lacking == 0 {
        return Exit::Done;
    }
    ui.note(format!("{lacking} judgments have no answer; the same command asks for them again"));
    Exit::Incomplete
}
