//! `runs list`: one line a run, the newest last.

use std::path::Path;

use serde_json::{Value, json};

use super::{columns, dollars, total, warn_of_damage};
use crate::cli::args::ListFormat;
use crate::cli::exit::{CliError, Exit};
use crate::cli::output::print;
use crate::cli::ui::Ui;
use crate::report::{RowsForm, envelope, render_rows};
use crate::store::{Ledger, Run};

pub(in crate::cli) fn run(store: &Path, format: ListFormat, ui: Ui) -> Result<Exit, CliError> {
    let ledger = Ledger::open(store)?;
    let mut runs = Vec::new();
    for number in ledger.numbers()? {
        let mut run = ledger.read(number)?;
        warn_of_damage(&run, ui);
        // The judgments of many runs need not be in memory together.
        let lost = run.lost();
        run.judgments = Vec::new();
        runs.push(Listed { run, lost });
    }
    match format {
        ListFormat::Table if runs.is_empty() => ui.note(format!("{} has no run yet", store.display())),
        ListFormat::Table => print(&table(&runs))?,
        ListFormat::Json => {
            print(&envelope("runs", &json!({"runs": runs.iter().map(entry).collect::<Vec<_>>()}))?)?;
        }
        ListFormat::Jsonl => print(&rows(&runs, RowsForm::JsonLines)?)?,
        ListFormat::Csv => print(&rows(&runs, RowsForm::Csv)?)?,
    }
    Ok(Exit::Done)
}

/// The columns of a table: the fields of an entry.
const COLUMNS: [&str; 13] = [
    "number",
    "status",
    "kind",
    "started",
    "finished",
    "judges",
    "planned",
    "judged",
    "failed",
    "cost_usd",
    "file",
    "damaged_lines",
    "lost_judgments",
];

fn rows(runs: &[Listed], form: RowsForm) -> Result<String, CliError> {
    Ok(render_rows(&COLUMNS, &runs.iter().map(entry).collect::<Vec<_>>(), form)?)
}

/// A run without its judgments, and how many of them its file lacks.
struct Listed {
    run: Run,
    lost: u64,
}

fn table(runs: &[Listed]) -> String {
    let head = ["run", "started", "kind", "judges", "planned", "judged", "failed", "cost", "state"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(runs.iter().map(|listed| row(&listed.run)));
    columns(&rows)
}

fn row(run: &Run) -> Vec<String> {
    let unknown = || "-".to_owned();
    let header = run.header.as_ref();
    let counts = total(run);
    vec![
        run.number.to_string(),
        header.map_or_else(unknown, |header| header.started.clone()),
        header.map_or_else(unknown, |header| header.kind.as_str().to_owned()),
        header.map_or_else(unknown, |header| judges(header.judges.iter().map(|judge| judge.name.as_str()))),
        header.map_or_else(unknown, |header| header.planned.to_string()),
        counts.map_or_else(unknown, |counts| counts.judged.to_string()),
        counts.map_or_else(unknown, |counts| counts.failed.to_string()),
        run.end.as_ref().map_or_else(unknown, |end| dollars(end.cost_usd)),
        run.status.as_str().to_owned(),
    ]
}

/// The first judges by name, the rest by number.
fn judges<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    match names.len() {
        0..=3 => names.join(", "),
        many => format!("{}, {} more", names[..2].join(", "), many - 2),
    }
}

fn entry(listed: &Listed) -> Value {
    let run = &listed.run;
    let header = run.header.as_ref();
    let counts = total(run);
    json!({
        "number": run.number,
        "status": run.status.as_str(),
        "kind": header.map(|header| header.kind),
        "started": header.map(|header| &header.started),
        "finished": run.end.as_ref().map(|end| &end.finished),
        "judges": header.map(|header| header.judges.iter().map(|judge| &judge.name).collect::<Vec<_>>()),
        "planned": header.map(|header| header.planned),
        "judged": counts.map(|counts| counts.judged),
        "failed": counts.map(|counts| counts.failed),
        "cost_usd": run.end.as_ref().and_then(|end| end.cost_usd),
        "file": run.path.display().to_string(),
        "damaged_lines": run.damaged,
        "lost_judgments": listed.lost,
    })
}
