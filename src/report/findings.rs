//! Findings about files, for tables, scripts, build servers and comments.

use serde::Serialize;

use crate::domain::Severity;

use super::junit::{self, Case, Failure, Suite};
use super::visible::visible_line;
use super::{ReportError, csv, jsonl, markdown};

/// What was found about one file.
#[derive(Debug, Clone)]
pub struct FileFindings {
    /// The file as its user named it.
    pub path: String,
    /// `accept`, `warn` or `error`.
    pub outcome: &'static str,
    /// Whether the command's exit status counts the file as one that falls short.
    pub falls_short: bool,
    /// What is in the file, in words.
    pub contents: String,
    /// What was found.
    pub findings: Vec<FileFinding>,
}

/// One finding.
#[derive(Debug, Clone)]
pub struct FileFinding {
    /// How bad it is.
    pub severity: Severity,
    /// Physical line, from 1.
    pub line: Option<u64>,
    /// The field, or the items concerned.
    pub place: Option<String>,
    /// The rule that found it, where rules have names.
    pub rule: Option<&'static str>,
    /// What was found.
    pub text: String,
}

/// How findings are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindingsForm {
    /// A table, a row a finding.
    Csv,
    /// An object a finding.
    JsonLines,
    /// For a comment on a pull request.
    Markdown,
    /// A test case a file.
    JUnit,
}

/// A row: a finding, or a file in which nothing was found.
#[derive(Serialize)]
struct Row<'a> {
    record: &'static str,
    path: &'a str,
    outcome: &'static str,
    severity: Option<&'static str>,
    line: Option<u64>,
    place: Option<&'a str>,
    rule: Option<&'static str>,
    text: &'a str,
}

const HEAD: [&str; 8] = ["record", "path", "outcome", "severity", "line", "place", "rule", "text"];

/// Writes findings; `kind` is that of the JSON envelope, such as `validation`.
pub fn render_findings(files: &[FileFindings], kind: &'static str, form: FindingsForm) -> Result<String, ReportError> {
    let rows: Vec<Row<'_>> = files.iter().flat_map(rows).collect();
    Ok(match form {
        FindingsForm::JsonLines => jsonl::render(kind, &rows, None)?,
        FindingsForm::Csv => {
            let mut out = String::new();
            csv::line(&mut out, &HEAD.map(str::to_owned));
            for row in &rows {
                csv::line(&mut out, &cells(row).map(|text| csv::cell(&text)));
            }
            out
        }
        FindingsForm::Markdown => {
            let mut out = String::new();
            markdown::table(
                &mut out,
                &HEAD[1..].iter().map(|&name| name.to_owned()).collect::<Vec<_>>(),
                rows.iter().map(|row| cells(row)[1..].to_vec()),
            );
            out
        }
        FindingsForm::JUnit => {
            let cases = files.iter().map(case).collect();
            let class = if kind == "validation" { "tribunal.validate" } else { "tribunal.gold_lint" };
            junit::write(&[Suite { name: kind.to_owned(), class, cases }], None)
        }
    })
}

fn rows(file: &FileFindings) -> Vec<Row<'_>> {
    let head = Row {
        record: "file",
        path: &file.path,
        outcome: file.outcome,
        severity: None,
        line: None,
        place: None,
        rule: None,
        text: &file.contents,
    };
    let mut out = vec![head];
    for found in &file.findings {
        out.push(Row {
            record: "finding",
            path: &file.path,
            outcome: file.outcome,
            severity: Some(word(found.severity)),
            line: found.line,
            place: found.place.as_deref(),
            rule: found.rule,
            text: &found.text,
        });
    }
    out
}

fn cells(row: &Row<'_>) -> [String; HEAD.len()] {
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    [
        row.record.to_owned(),
        row.path.to_owned(),
        row.outcome.to_owned(),
        text(row.severity),
        row.line.map(|line| line.to_string()).unwrap_or_default(),
        text(row.place),
        text(row.rule),
        row.text.to_owned(),
    ]
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

fn case(file: &FileFindings) -> Case {
    let line = |found: &FileFinding| {
        let place = found.line.map(|line| format!("{line}: ")).unwrap_or_default();
        let rule = found.rule.map(|rule| format!("{rule}: ")).unwrap_or_default();
        let field = found.place.as_deref().map(|field| format!("[{field}] ")).unwrap_or_default();
        // One line each: what an id holds begins none of its own.
        visible_line(&format!("{}: {place}{rule}{field}{}", word(found.severity), found.text)).into_owned()
    };
    let lines: Vec<String> = file.findings.iter().map(line).collect();
    let failure = file.falls_short.then(|| Failure {
        kind: "findings",
        message: lines.first().cloned().unwrap_or_else(|| file.contents.clone()),
        text: lines.join("\n"),
    });
    Case { name: file.path.clone(), failure }
}
