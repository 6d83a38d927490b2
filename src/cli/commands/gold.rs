//! `gold lint`: findings about a gold set.

use std::collections::BTreeMap;

use serde_json::json;

use crate::analysis::gold::{ChecksPassed, Finding, GoldLint, Options, lint};
use crate::cli::args::{GoldArgs, GoldCommand, GoldLintArgs};
use crate::cli::evidence;
use crate::cli::exit::{CliError, Exit};
use crate::cli::findings::{self, Form};
use crate::cli::github::{Step, Wanted};
use crate::cli::labelling;
use crate::cli::output::{print, print_lines};
use crate::cli::settings::Environment;
use crate::cli::ui::Ui;
use crate::data::{self, Disputed, PairOptions};
use crate::domain::{ItemId, Pair, Severity};
use crate::judge::{CheckError, run_checks};
use crate::report::{FileFindings, FindingsForm, envelope, render_findings, visible_line};

pub(in crate::cli) fn run(args: &GoldArgs, environment: &Environment, ui: Ui) -> Result<Exit, CliError> {
    match &args.command {
        GoldCommand::Lint(args) => lint_files(args, environment, ui),
        GoldCommand::Label(args) => labelling::label(args, environment, ui),
        GoldCommand::Export(args) => labelling::export::run(args, ui),
    }
}

fn lint_files(args: &GoldLintArgs, environment: &Environment, ui: Ui) -> Result<Exit, CliError> {
    let GoldLintArgs { files, labels, format, github } = args;
    let form = findings::form(*format)?;
    let step = Step::wanted(Wanted::by_flag(*github), environment)?;
    if labels.is_some() && files.len() > 1 {
        return Err(CliError::usage("--labels goes with one file of pairs").hint("look at one file at a time"));
    }
    let mut reports = Vec::new();
    for file in files {
        let source = evidence::read(file, ui)?;
        let reading = format!("reading {file}");
        let mut loaded = ui.during(&reading, || data::load_pairs(&source, &PairOptions::default()))?;
        ui.notices(source.path(), &loaded.notices);
        if let Some(path) = labels {
            let source = evidence::read(path, ui)?;
            let labels = data::load_labels(&source)?;
            ui.notices(source.path(), &labels.notices);
            let notices = data::apply_labels(&mut loaded.records, &labels.records, Disputed::Tie)?;
            ui.notices(source.path(), &notices);
        }
        let report = ui.during("comparing texts", || {
            outcomes(&loaded.records).map(|passed| lint(&loaded.records, &passed, &Options::default()))
        });
        reports.push((source.path().to_owned(), report?));
    }
    let found: Vec<FileFindings> = reports.iter().map(|(path, report)| findings::of_gold(path, report)).collect();
    match form {
        Form::Table => print_lines(&reports.iter().map(|(path, report)| lines(path, report)).collect::<String>())?,
        Form::Json => {
            let files: Vec<_> = reports.iter().map(|(path, report)| json!({"path": path, "lint": report})).collect();
            print(&envelope("gold_lint", &json!({ "files": files }))?)?;
        }
        // What is data to a program goes out as it is: no line of it begins with what is in a cell.
        Form::Listed(form @ (FindingsForm::Csv | FindingsForm::JsonLines)) => {
            print(&render_findings(&found, "gold_lint", form)?)?;
        }
        Form::Listed(form) => print_lines(&render_findings(&found, "gold_lint", form)?)?,
    }
    if let Some(step) = step {
        findings::post(&step, &found, "gold_lint", ui)?;
    }
    Ok(if reports.iter().all(|(_, report)| report.is_clean()) { Exit::Done } else { Exit::Short })
}

/// What the checks of every item that has any say of its two responses.
fn outcomes(pairs: &[Pair]) -> Result<BTreeMap<ItemId, ChecksPassed>, CliError> {
    let passes = |pair: &Pair, text: &str| -> Result<bool, CheckError> {
        Ok(run_checks(&pair.checks, text)?.iter().all(|outcome| outcome.passed))
    };
    let of = |pair: &Pair| -> Result<ChecksPassed, CheckError> {
        Ok(ChecksPassed { a: passes(pair, &pair.response_a)?, b: passes(pair, &pair.response_b)? })
    };
    let checked = pairs.iter().filter(|pair| !pair.checks.is_empty());
    checked
        .map(|pair| match of(pair) {
            Ok(passed) => Ok((pair.id.clone(), passed)),
            Err(error) => {
                Err(CliError::usage(format!("item `{}`: {error}", pair.id))
                    .hint("mend the field `checks` of that item"))
            }
        })
        .collect()
}

fn lines(path: &str, report: &GoldLint) -> String {
    let all = report.counts.all;
    let head = format!(
        "{}: {} items, {} labelled (a {}, b {}, tie {}), {} with checks; the better response is the shorter in {}, the longer in {}\n",
        visible_line(path),
        all.items,
        all.labelled,
        all.a,
        all.b,
        all.tie,
        all.with_checks,
        all.better_is_shorter,
        all.better_is_longer,
    );
    let none = if report.is_clean() { "  nothing found\n" } else { "" };
    head + none + &report.findings.iter().map(finding).collect::<String>()
}

fn finding(finding: &Finding) -> String {
    let severity = if finding.severity == Severity::Error { "error" } else { "warning" };
    let ids: Vec<&str> = finding.items.iter().map(ItemId::as_str).collect();
    let more =
        if finding.count > ids.len() { format!(" and {} more", finding.count - ids.len()) } else { String::new() };
    let items = if ids.is_empty() { String::new() } else { format!(" [{}{more}]", visible_line(&ids.join(", "))) };
    format!(
        "  {severity}: {}: {}{items}\n    → {}\n",
        finding.rule.as_str(),
        visible_line(&finding.text),
        finding.way_out
    )
}
