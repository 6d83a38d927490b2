//! `runs show`: everything about one run.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::json;

use super::args::RunArg;
use super::{columns, dollars, find};
use crate::cli::args::DocumentFormat;
use crate::cli::exit::{CliError, Exit};
use crate::cli::output::print;
use crate::cli::ui::Ui;
use crate::domain::{RunAccounting, RunCounts, RunEnd, RunHeader};
use crate::report::{envelope, visible_line};
use crate::store::Run;

pub(in crate::cli) fn run(store: &Path, run: RunArg, format: DocumentFormat, ui: Ui) -> Result<Exit, CliError> {
    let run = find(store, run, ui)?;
    match format {
        DocumentFormat::Table => print(&page(&run))?,
        DocumentFormat::Json => print(&envelope(
            "run",
            &json!({
                "number": run.number,
                "status": run.status.as_str(),
                "file": run.path.display().to_string(),
                "damaged_lines": run.damaged,
                "lost_judgments": run.lost(),
                "header": run.header,
                "end": run.end,
                "judgments": run.judgments,
            }),
        )?)?,
    }
    Ok(Exit::Done)
}

fn page(run: &Run) -> String {
    let kind = run.header.as_ref().map_or("unknown", |header| header.kind.as_str());
    let mut text = format!("run {}: {kind}, {}\n", run.number, run.status.as_str());
    if let Some(reason) = run.end.as_ref().and_then(|end| end.reason.as_ref()) {
        let _ = writeln!(text, "  {}", visible_line(reason));
    }
    if let Some(header) = &run.header {
        text.push_str(&about(header, run.end.as_ref()));
    }
    if let Some(end) = &run.end {
        text.push_str(&came_to(end));
    }
    if let Some(header) = &run.header {
        let _ = write!(text, "\nto repeat it:\n  {}\n", visible_line(&header.command));
    }
    text
}

fn about(header: &RunHeader, end: Option<&RunEnd>) -> String {
    let finished = end.map_or_else(|| "no end".to_owned(), |end| end.finished.clone());
    let RunHeader { started, planned, items, version, .. } = header;
    let mut text = format!(
        "  {started} to {finished}, version {}\n  {} items ({}), {planned} judgments planned\n\n",
        visible_line(version),
        items.count,
        items.digest.short(),
    );
    let mut rows =
        vec![["judge", "kind", "fingerprint", "model", "prompt", "contract", "read"].map(str::to_owned).to_vec()];
    let or_none = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    rows.extend(header.judges.iter().map(|judge| {
        vec![
            judge.name.to_string(),
            judge.kind.clone(),
            judge.fingerprint.short(),
            or_none(&judge.model),
            or_none(&judge.prompt),
            or_none(&judge.contract),
            or_none(&judge.read),
        ]
    }));
    text.push_str(&columns(&rows));
    text
}

fn came_to(end: &RunEnd) -> String {
    let mut text = String::new();
    if !end.accounting.is_empty() {
        let head = [
            "judge",
            "order",
            "planned",
            "judged",
            "unparsed",
            "refused",
            "filtered",
            "truncated",
            "failed",
            "missing",
        ];
        let mut rows = vec![head.map(str::to_owned).to_vec()];
        for (judge, accounting) in &end.accounting {
            let RunAccounting { ab, ba } = accounting;
            for (order, counts) in [("ab", *ab), ("ba", *ba), ("both", accounting.total())] {
                rows.push(counted(judge, order, counts));
            }
        }
        let _ = write!(text, "\n{}", columns(&rows));
    }
    let calls = end.calls;
    let _ = writeln!(
        text,
        "\ncalls: {} made, {} from the store, {} retried, {} failed",
        calls.made, calls.cached, calls.retried, calls.failed
    );
    let tokens = |count: Option<u64>| count.map_or_else(|| "unknown".to_owned(), |count| count.to_string());
    let _ = writeln!(
        text,
        "tokens: {} in, {} out · cost: {}",
        tokens(end.usage.input_tokens),
        tokens(end.usage.output_tokens),
        dollars(end.cost_usd)
    );
    for again in &end.reparsed {
        let _ = writeln!(
            text,
            "read anew {} by version {}: {} verdicts changed",
            visible_line(&again.at),
            visible_line(&again.version),
            again.changed
        );
    }
    text
}

fn counted(judge: &str, order: &str, counts: RunCounts) -> Vec<String> {
    let RunCounts { judged, unparsed, refused, filtered, truncated, failed, missing } = counts;
    let numbers = [counts.planned(), judged, unparsed, refused, filtered, truncated, failed, missing];
    [judge, order].into_iter().map(str::to_owned).chain(numbers.map(|number| number.to_string())).collect()
}
