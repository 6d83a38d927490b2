//! `JUnit` XML for build servers: every criterion is a test case, and one that is not passed is a failure.
//!
//! An inconclusive criterion is a failure of the type `inconclusive` and never a skipped test: build servers show a suite
//! with skipped tests as passed, and a judge that did not pass its gate must not look like one that did. The exit status
//! says the same (3, not 0).

use std::fmt::Write as _;

use crate::analysis::calibration::Calibration;
use crate::analysis::compare::{Comparison, Requirement};
use crate::analysis::gate::Decision;
use crate::analysis::prereg::Held;
use crate::domain::RunManifest;

use super::format::{self, unit_of};
use super::github::without_commands;
use super::visible::{visible, visible_line};
use super::{Content, Lang, Report, beside, view};

/// Letters of an attribute; build servers show one line of it.
const LONGEST_ATTRIBUTE: usize = 2_000;
/// Letters of a text.
const LONGEST_TEXT: usize = 20_000;

/// A test case: what it is called and, unless it passed, of which type its failure is, in one line and in full.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) failure: Option<Failure>,
}

/// Why a case is not passed.
pub(super) struct Failure {
    pub(super) kind: &'static str,
    pub(super) message: String,
    pub(super) text: String,
}

/// The cases about one judge, comparison or file.
pub(super) struct Suite {
    pub(super) name: String,
    pub(super) class: &'static str,
    pub(super) cases: Vec<Case>,
}

/// The report as one XML document.
pub(super) fn render(report: &Report<'_>) -> String {
    write(&suites(report), Some(report.manifest))
}

/// What has to hold, judge by judge or for the one comparison.
pub(super) fn suites(report: &Report<'_>) -> Vec<Suite> {
    match report.content {
        Content::Calibration(calibration) => of_calibration(calibration, report.lang),
        Content::Comparison(comparison) => vec![of_comparison(comparison, report.lang)],
    }
}

fn of_calibration(calibration: &Calibration, lang: Lang) -> Vec<Suite> {
    let gates = calibration.judges.iter().filter_map(|card| card.gate.as_ref().map(|gate| (card, gate)));
    let suite = |(card, gate): (&crate::analysis::calibration::Scorecard, &crate::analysis::gate::Gate)| {
        let case = |criterion: &crate::analysis::gate::Criterion| {
            let unit = unit_of(&criterion.name);
            let failure = kind(criterion.decision).map(|kind| Failure {
                kind,
                message: view::because(criterion, lang),
                text: [
                    Some(view::sentence(criterion, lang)),
                    view::labels_needed(criterion, super::words::Words::of(lang)),
                ]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join("\n"),
            });
            Case { name: format!("{} {}", criterion.name, format::limit(criterion.limit, unit)), failure }
        };
        Suite { name: view::name(card), class: "tribunal.calibrate", cases: gate.criteria.iter().map(case).collect() }
    };
    gates.map(suite).collect()
}

fn kind(decision: Decision) -> Option<&'static str> {
    match decision {
        Decision::Pass => None,
        Decision::Fail => Some("fail"),
        Decision::Inconclusive => Some("inconclusive"),
    }
}

fn of_comparison(comparison: &Comparison, lang: Lang) -> Suite {
    let words = super::words::Words::of(lang);
    let [a, b] = view::sides(comparison);
    let failed = |held: Held, message: String| {
        let kind = match held {
            Held::Held => return None,
            Held::NotHeld => "fail",
            Held::Undecided => "inconclusive",
        };
        let mut lines = vec![message.clone(), view::comparison_reason(comparison, lang)];
        lines.extend(view::beside_headline(comparison, lang));
        let text = lines.join("\n");
        Some(Failure { kind, message, text })
    };
    let mut cases = Vec::new();
    if let Some(required) = comparison.requirement {
        let name = match required.requirement {
            Requirement::Better => "require better".to_owned(),
            Requirement::NoWorse { margin } => format!("require no-worse, margin {margin}"),
        };
        let message = beside::requirement(comparison, words).unwrap_or_default();
        cases.push(Case { name, failure: failed(required.held, message) });
    }
    if let Some(found) = &comparison.prereg {
        let view = beside::prereg(comparison, lang);
        let message = view.map(|view| view.sentence).unwrap_or_default();
        if let Some(held) = found.held {
            let name = format!("plan: {}", found.plan.metric.as_str());
            cases.push(Case { name, failure: failed(held, message) });
        }
        let listed: Vec<String> =
            found.deviations.iter().map(|gap| format!("{}: {} → {}", gap.field, gap.planned, gap.done)).collect();
        let failure = (!listed.is_empty()).then(|| Failure {
            kind: "deviation",
            message: listed.join(", "),
            text: listed.join("\n"),
        });
        cases.push(Case { name: "done as planned".to_owned(), failure });
    }
    Suite { name: format!("{a} / {b}"), class: "tribunal.compare", cases }
}

/// The suites as one document. Nothing in it depends on how long anything took.
pub(super) fn write(suites: &[Suite], manifest: Option<&RunManifest>) -> String {
    let count = |suites: &[Suite]| {
        let cases = suites.iter().flat_map(|suite| &suite.cases);
        cases.fold((0, 0), |(all, failed), case| (all + 1, failed + usize::from(case.failure.is_some())))
    };
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let (tests, failures) = count(suites);
    let _ = writeln!(
        out,
        "<testsuites name=\"tribunal\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"0\">"
    );
    // The time zone of a manifest's date is always UTC, which the schema of `JUnit` has no place for.
    let date = manifest
        .map(|manifest| format!(" timestamp=\"{}\"", attribute(manifest.date.trim_end_matches('Z'))))
        .unwrap_or_default();
    for suite in suites {
        let (tests, failures) = count(std::slice::from_ref(suite));
        let name = attribute(&suite.name);
        let _ = writeln!(
            out,
            "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"0\"{date}>"
        );
        for case in &suite.cases {
            let own = attribute(&case.name);
            let _ = write!(out, "    <testcase classname=\"{}.{name}\" name=\"{own}\"", suite.class);
            match &case.failure {
                None => out.push_str("/>\n"),
                Some(failure) => {
                    let message = attribute(&failure.message);
                    let _ = writeln!(
                        out,
                        ">\n      <failure type=\"{}\" message=\"{message}\">{}</failure>\n    </testcase>",
                        failure.kind,
                        escape(&cut(&visible(&failure.text), LONGEST_TEXT))
                    );
                }
            }
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    // It goes to standard output too, where a line may be a command to what reads the log of a build.
    without_commands(&out).into_owned()
}

fn attribute(text: &str) -> String {
    escape(&cut(&visible_line(text), LONGEST_ATTRIBUTE))
}

fn cut(text: &str, most: usize) -> String {
    text.char_indices().nth(most).map_or_else(|| text.to_owned(), |(end, _)| format!("{}…", &text[..end]))
}

/// Text for XML 1.0, inside elements and attributes. What it has no character for is replaced; control characters were made
/// visible before.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_a_command_to_the_log_of_a_build() {
        let text = "x\n::error::y ##[error]z".to_owned();
        let failure = Failure { kind: "fail", message: text.clone(), text: text.clone() };
        let case = Case { name: text.clone(), failure: Some(failure) };
        let out = write(&[Suite { name: text, class: "tribunal.test", cases: vec![case] }], None);
        assert!(!out.contains("##[") && !out.lines().any(|line| line.trim_start().starts_with("::")), "{out}");
    }

    #[test]
    fn nothing_in_a_name_or_a_reason_can_end_its_place() {
        let hostile = "\"><x/>]]>\u{0}\u{1b}\u{fffe}&amp;".to_owned();
        let failure =
            Failure { kind: "fail", message: hostile.clone(), text: format!("{hostile}\n{}", "y".repeat(1_000_000)) };
        let case = Case { name: hostile.clone(), failure: Some(failure) };
        let text = write(&[Suite { name: hostile, class: "tribunal.test", cases: vec![case] }], None);
        assert!(!text.contains("]]>") && !text.contains("<x/>") && text.len() < 50_000, "{text}");
        assert!(text.chars().all(|c| c == '\n' || !c.is_control() && c != '\u{fffe}'));
        assert!(text.contains("&quot;&gt;&lt;x/&gt;]]&gt;␀␛\u{fffd}&amp;amp;"), "{text}");
    }
}
