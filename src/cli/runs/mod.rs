//! The ledger of a store, for people: one file a question asked of it.

pub(super) mod args;
pub(super) mod export;
pub(super) mod import;
pub(super) mod list;
pub(super) mod reparse;
pub(super) mod show;
pub(super) mod upkeep;

use std::path::Path;

use super::exit::CliError;
use super::ui::Ui;
use crate::domain::{Notice, RunAccounting, RunCounts};
use crate::report::visible_line;
use crate::store::{Ledger, Run};
use args::RunArg;

/// The run of that number, or the newest; damage is said.
fn find(store: &Path, wanted: RunArg, ui: Ui) -> Result<Run, CliError> {
    let ledger = Ledger::open(store)?;
    let number = match wanted {
        RunArg::Number(number) => number,
        RunArg::Last => last(&ledger, store)?,
    };
    let run = ledger.read(number)?;
    warn_of_damage(&run, ui);
    Ok(run)
}

fn last(ledger: &Ledger, store: &Path) -> Result<u32, CliError> {
    let last = ledger.numbers()?.last().copied();
    last.ok_or_else(|| {
        CliError::usage(format!("{} has no run yet", store.display()))
            .hint("`tribunal calibrate` and `tribunal compare` leave one where an endpoint is asked")
    })
}

/// No verdict goes missing in silence.
fn warn_of_damage(run: &Run, ui: Ui) {
    for line in &run.damaged {
        ui.warn(format!("{}:{line} is damaged and was left out", run.path.display()));
    }
    if run.lost() > 0 {
        ui.warn(format!("{}: {} judgments are lost", run.path.display(), run.lost()));
    }
}

/// What a store has to say.
fn warn_all(notices: &[Notice], ui: Ui) {
    for notice in notices {
        ui.warn(&notice.text);
    }
}

/// All judges of a run together; `None` for a run that has no judgments.
fn total(run: &Run) -> Option<RunCounts> {
    let accounting = &run.end.as_ref()?.accounting;
    let sum = accounting.values().map(RunAccounting::total).fold(RunCounts::default(), RunCounts::plus);
    (!accounting.is_empty()).then_some(sum)
}

fn dollars(cost: Option<f64>) -> String {
    cost.map_or_else(|| "unknown".to_owned(), |cost| format!("${cost:.4}"))
}

/// Rows under a head, in columns with two spaces between them.
fn columns(rows: &[Vec<String>]) -> String {
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| visible_line(cell).into_owned()).collect()).collect();
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| wide(cell)).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows.first().map_or(0, Vec::len)).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().zip(&widths).map(|(cell, width)| {
            let pad = " ".repeat(width - wide(cell));
            format!("{cell}{pad}")
        });
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

fn wide(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}
