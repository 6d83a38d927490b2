//! Findings about files on their way out: which forms there are, and what stands in a row.

use super::args::FormatArg;
use super::exit::CliError;
use super::github::Step;
use super::ui::Ui;
use crate::analysis::gold::{Finding, GoldLint};
use crate::data::{FileOutcome, FileReport, Kind};
use crate::domain::{ItemId, Severity};
use crate::report::{FileFinding, FileFindings, FindingsForm, finding_annotations, render_findings};

/// How findings are written.
pub(super) enum Form {
    /// Lines for people.
    Table,
    /// The envelope.
    Json,
    /// A row, object or test case for each.
    Listed(FindingsForm),
}

/// The form by its flag.
pub(super) fn form(format: FormatArg) -> Result<Form, CliError> {
    Ok(match format {
        FormatArg::Table => Form::Table,
        FormatArg::Json => Form::Json,
        FormatArg::Jsonl => Form::Listed(FindingsForm::JsonLines),
        FormatArg::Csv => Form::Listed(FindingsForm::Csv),
        FormatArg::Markdown => Form::Listed(FindingsForm::Markdown),
        FormatArg::Junit => Form::Listed(FindingsForm::JUnit),
        FormatArg::Html => {
            let known = [
                FormatArg::Table,
                FormatArg::Json,
                FormatArg::Jsonl,
                FormatArg::Csv,
                FormatArg::Markdown,
                FormatArg::Junit,
            ];
            format.among(&known, "findings about files have no page")?;
            Form::Table
        }
    })
}

/// The findings in the summary of a step, and at their places in their files.
pub(super) fn post(step: &Step, files: &[FileFindings], kind: &'static str, ui: Ui) -> Result<(), CliError> {
    let title = if kind == "validation" { "Input files" } else { "Gold sets" };
    let table = render_findings(files, kind, FindingsForm::Markdown)?;
    step.post(&format!("## {title}\n\n{table}"), &finding_annotations(files), ui)
}

/// What `validate` found.
pub(super) fn of_file(report: &FileReport) -> FileFindings {
    let findings = report.messages.iter().map(|notice| FileFinding {
        severity: notice.severity,
        line: notice.line,
        place: notice.field.clone(),
        rule: None,
        text: notice.text.clone(),
    });
    let more = (report.unshown > 0).then(|| FileFinding {
        severity: Severity::Error,
        line: None,
        place: None,
        rule: None,
        text: format!("{} more errors are not shown", report.unshown),
    });
    let kind = report.kind.map_or("unknown", Kind::as_str);
    let facts = std::iter::once(format!("{kind}: {} records", report.records)).chain(report.contents.iter().cloned());
    FileFindings {
        path: report.path.clone(),
        outcome: match report.outcome {
            FileOutcome::Accept => "accept",
            FileOutcome::Warn => "warn",
            FileOutcome::Error => "error",
        },
        falls_short: report.outcome == FileOutcome::Error,
        contents: facts.collect::<Vec<_>>().join(" · "),
        findings: findings.chain(more).collect(),
    }
}

/// What `gold lint` found; any finding makes its exit status 1.
pub(super) fn of_gold(path: &str, report: &GoldLint) -> FileFindings {
    let all = report.counts.all;
    let outcome = match (report.is_clean(), report.count_of(Severity::Error)) {
        (true, _) => "accept",
        (false, 0) => "warn",
        (false, _) => "error",
    };
    FileFindings {
        path: path.to_owned(),
        outcome,
        falls_short: !report.is_clean(),
        contents: format!(
            "{} items, {} labelled (a {}, b {}, tie {}), {} with checks",
            all.items, all.labelled, all.a, all.b, all.tie, all.with_checks
        ),
        findings: report.findings.iter().map(found).collect(),
    }
}

fn found(finding: &Finding) -> FileFinding {
    let ids: Vec<&str> = finding.items.iter().map(ItemId::as_str).collect();
    let more = finding.count - ids.len();
    let place = match (ids.is_empty(), more) {
        (true, _) => None,
        (false, 0) => Some(ids.join(", ")),
        (false, more) => Some(format!("{} and {more} more", ids.join(", "))),
    };
    FileFinding {
        severity: finding.severity,
        line: None,
        place,
        rule: Some(finding.rule.as_str()),
        text: format!("{} → {}", finding.text, finding.way_out),
    }
}
