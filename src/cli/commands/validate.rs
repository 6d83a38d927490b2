//! `validate`: is this file readable, and what is in it?

use serde_json::json;

use crate::cli::args::ValidateArgs;
use crate::cli::exit::{CliError, Exit};
use crate::cli::findings::{self, Form};
use crate::cli::github::{Step, Wanted};
use crate::cli::output::{print, print_lines};
use crate::cli::settings::Environment;
use crate::cli::ui::Ui;
use crate::data::{self, FileOutcome, FileReport, Kind, Loaded, PairOptions, ValidateOptions};
use crate::domain::{Notice, Severity};
use crate::prompt;
use crate::report::{FileFindings, FindingsForm, envelope, render_findings, visible_line};

pub(in crate::cli) fn run(args: &ValidateArgs, environment: &Environment, ui: Ui) -> Result<Exit, CliError> {
    let form = findings::form(args.format)?;
    let step = Step::wanted(Wanted::by_flag(args.github), environment)?;
    let as_kind = match &args.kind {
        None => None,
        Some(name) => Some(Kind::parse(name).ok_or_else(|| {
            let known = Kind::ALL.map(Kind::as_str).join(", ");
            CliError::usage(format!("--as {name}: no such kind of file")).hint(format!("want one of: {known}"))
        })?),
    };
    let options = ValidateOptions { as_kind, group_by: args.group_by.clone(), ..ValidateOptions::default() };
    let reports: Vec<FileReport> =
        args.files.iter().map(|file| ui.during(&format!("reading {file}"), || check(file, args, &options))).collect();
    let files: Vec<FileFindings> = reports.iter().map(findings::of_file).collect();
    match form {
        Form::Table => print_lines(&reports.iter().map(lines).collect::<String>())?,
        Form::Json => print(&envelope("validation", &json!({ "files": reports }))?)?,
        // What is data to a program goes out as it is: no line of it begins with what is in a cell.
        Form::Listed(form @ (FindingsForm::Csv | FindingsForm::JsonLines)) => {
            print(&render_findings(&files, "validation", form)?)?;
        }
        Form::Listed(form) => print_lines(&render_findings(&files, "validation", form)?)?,
    }
    if let Some(step) = step {
        findings::post(&step, &files, "validation", ui)?;
    }
    let refused = reports.iter().any(|report| report.outcome == FileOutcome::Error);
    Ok(if refused { Exit::Usage } else { Exit::Done })
}

fn check(file: &str, args: &ValidateArgs, options: &ValidateOptions) -> FileReport {
    let source = match data::read_source(file, &mut std::io::stdin().lock()) {
        Ok(source) => source,
        Err(error) => return FileReport::refused(error, options.as_kind),
    };
    let kind = data::detect(&source, options.as_kind);
    if kind == Kind::Prompt {
        let notices = prompt::lint(source.text(), file);
        return if notices.iter().any(|notice| notice.severity == Severity::Error) {
            FileReport {
                messages: notices,
                outcome: FileOutcome::Error,
                ..FileReport::read(file, kind, Vec::new(), Loaded { records: 0, notices: Vec::new() })
            }
        } else {
            FileReport::read(file, kind, Vec::new(), Loaded { records: 1, notices })
        };
    }
    let report = data::validate(&source, options);
    match &args.pairs {
        Some(pairs) if kind == Kind::Labels && report.outcome != FileOutcome::Error => fit(report, pairs, &source),
        _ => report,
    }
}

/// Labels have to name items that are there.
fn fit(report: FileReport, pairs: &str, labels: &data::Source) -> FileReport {
    let fitted = data::read_source(pairs, &mut std::io::stdin().lock())
        .and_then(|source| data::load_pairs(&source, &PairOptions::default()))
        .and_then(|mut pairs| {
            data::apply_labels(&mut pairs.records, &data::load_labels(labels)?.records, data::Disputed::Tie)
        });
    match fitted {
        Ok(_) => report,
        Err(error) => FileReport::refused(error, report.kind),
    }
}

fn lines(report: &FileReport) -> String {
    let word = match report.outcome {
        FileOutcome::Accept => "ok",
        FileOutcome::Warn => "warning",
        FileOutcome::Error => "refused",
    };
    let kind = report.kind.map_or("unknown", Kind::as_str);
    let contents =
        if report.contents.is_empty() { String::new() } else { format!(" · {}", report.contents.join(" · ")) };
    let head = format!("{}: {word} · {kind} · {} records{contents}\n", visible_line(&report.path), report.records);
    let message = |notice: &Notice| {
        // A warning says so behind its place.
        let severity = if notice.severity == Severity::Error { "error: " } else { "" };
        format!("  {severity}{}\n", visible_line(&data::located(&report.path, notice)))
    };
    let more = if report.unshown > 0 { format!("  … and {} more errors\n", report.unshown) } else { String::new() };
    head + &report.messages.iter().map(message).collect::<String>() + &more
}
