//! What GitHub Actions shows of a result: annotations on a run, and the summary of a step.
//!
//! A workflow command is a line that begins with `::`, or (in the old form) anything behind `##[`. Everything from outside is
//! escaped as the runner reads it back, so that no name or answer can give a command of its own.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::domain::Severity;

use super::findings::{FileFinding, FileFindings};
use super::junit::{self, Suite};
use super::visible::{visible, visible_line};
use super::{Report, view};

/// Bytes that GitHub takes as the summary of a step.
pub const LARGEST_SUMMARY: usize = 1024 * 1024;

/// Letters of one annotation.
const LONGEST: usize = 2_000;

/// A line for every criterion that does not hold (`error`) or is undecided (`warning`) and for every warning; where all
/// holds, a `notice`.
pub fn annotations(report: &Report<'_>) -> String {
    let mut out = String::new();
    let suites = junit::suites(report);
    for Suite { name, cases, .. } in &suites {
        for (case, failure) in cases.iter().filter_map(|case| case.failure.as_ref().map(|failure| (case, failure))) {
            let level = if failure.kind == "fail" { "error" } else { "warning" };
            annotate(&mut out, level, &[("title", &format!("{name}: {}", case.name))], &failure.text);
        }
    }
    for warning in view::warnings(report.content, report.lang) {
        annotate(&mut out, "warning", &[("title", report.content.kind())], &warning);
    }
    if suites.iter().flat_map(|suite| &suite.cases).all(|case| case.failure.is_none()) {
        let said = view::summary(report.content, report.lang).join("\n");
        annotate(&mut out, "notice", &[("title", report.content.kind())], &said);
    }
    out
}

/// A line for every finding, at its place in its file.
pub fn finding_annotations(files: &[FileFindings]) -> String {
    let mut out = String::new();
    for file in files {
        for FileFinding { severity, line, place, rule, text } in &file.findings {
            let level = match severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            let line = line.map(|line| line.to_string());
            let mut properties = vec![("file", file.path.as_str())];
            properties.extend(line.as_deref().map(|line| ("line", line)));
            properties.push(("title", rule.or(place.as_deref()).unwrap_or("tribunal")));
            annotate(&mut out, level, &properties, text);
        }
    }
    out
}

/// As much of a Markdown text as there is room for, in whole lines, with a word where something is missing.
pub fn step_summary(markdown: &str, room: usize) -> String {
    const CUT: &str = "\n\n… the rest is left out: GitHub takes 1 MiB as the summary of a step.\n";
    if markdown.len() <= room {
        return markdown.to_owned();
    }
    let Some(most) = room.checked_sub(CUT.len()) else { return String::new() };
    let end = (0..=most).rev().find(|at| markdown.is_char_boundary(*at)).unwrap_or_default();
    let whole = markdown[..end].rfind('\n').unwrap_or_default();
    format!("{}{CUT}", &markdown[..whole])
}

/// A text for a log in which no line is a workflow command.
pub fn without_commands(text: &str) -> Cow<'_, str> {
    let commands = |line: &str| line.trim_start().starts_with("::");
    if !text.contains("##[") && !text.lines().any(commands) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for line in text.split_inclusive('\n') {
        let line = line.replace("##[", "## [");
        out.push_str(&if commands(&line) { line.replacen("::", ": :", 1) } else { line });
    }
    Cow::Owned(out)
}

fn annotate(out: &mut String, level: &str, properties: &[(&str, &str)], text: &str) {
    let listed: Vec<String> = properties
        .iter()
        .map(|(name, value)| format!("{name}={}", data(&visible_line(value)).replace(':', "%3A").replace(',', "%2C")))
        .collect();
    // Writing to a String cannot fail.
    let _ = writeln!(out, "::{level} {}::{}", listed.join(","), data(&visible(text)));
}

/// Text as the runner unescapes it, cut to what a reader of an annotation reads.
fn data(text: &str) -> String {
    let cut = text.char_indices().nth(LONGEST).map_or_else(|| text.to_owned(), |(end, _)| format!("{}…", &text[..end]));
    cut.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A").replace("##[", "## [")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_end_its_property_or_its_line() {
        let mut out = String::new();
        annotate(
            &mut out,
            "error",
            &[("title", "a::b,file=x%0A\n::set-env name=X::y")],
            "100 %\n::error::no ##[error]\u{1b}",
        );
        assert_eq!(
            out,
            "::error title=a%3A%3Ab%2Cfile=x%250A␊%3A%3Aset-env name=X%3A%3Ay::100 %25%0A::error::no ## [error]␛\n"
        );
        assert_eq!(out.lines().count(), 1);
    }

    #[test]
    fn a_log_gives_no_command() {
        let text = "fine\n  ::error::no\n::stop-commands::x\nbehind ##[debug]y\na::b\n";
        assert_eq!(without_commands(text), "fine\n  : :error::no\n: :stop-commands::x\nbehind ## [debug]y\na::b\n");
        assert!(matches!(without_commands("a::b\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_summary_is_cut_between_lines_and_never_larger_than_there_is_room() {
        let text = "判定\n".repeat(100);
        for room in [0, 10, 90, 200, 300, 699] {
            let cut = step_summary(&text, room);
            assert!(cut.len() <= room, "{room}: {}", cut.len());
            assert!(cut.is_empty() || cut.contains("left out"), "{cut}");
        }
        assert_eq!(step_summary(&text, 700), text);
    }
}
