//! Markdown for a pull request: short enough to be read there, data escaped so that nothing in it is markup.

use std::fmt::Write as _;

use crate::analysis::calibration::Calibration;
use crate::analysis::compare::Comparison;
use crate::analysis::gate::{Criterion, Decision};
use crate::analysis::prereg::Held;

use super::format::{self, Unit, unit_of};
use super::glossary::label;
use super::several;
use super::view::{self, SCORECARD};
use super::visible::visible_line;
use super::words::{Words, fill};
use super::{Content, Lang, Report, beside};

/// The whole report.
pub(super) fn render(report: &Report<'_>) -> String {
    let mut out = String::new();
    match report.content {
        Content::Calibration(calibration) => write_calibration(&mut out, calibration, report.lang),
        Content::Comparison(comparison) => write_comparison(&mut out, comparison, report.lang),
    }
    write_list(&mut out, Words::of(report.lang).warnings, &view::warnings(report.content, report.lang));
    write_provenance(&mut out, report);
    out
}

fn write_calibration(out: &mut String, calibration: &Calibration, lang: Lang) {
    let words = Words::of(lang);
    line(
        out,
        &format!("## {}: {} {}", words.calibration, mark(calibration.decision), words.decision(calibration.decision)),
    );
    blank(out);
    line(out, &escape(&view::gold_line(calibration, words)));
    blank(out);
    for card in &calibration.judges {
        let decision = view::decision(card).unwrap_or(Decision::Inconclusive);
        let word = words.decision(decision);
        let headline = escape(&view::headline(card, lang));
        line(out, &format!("- {} **{word}** **{}**: {headline}", mark(decision), escape(&view::name(card))));
    }
    heading(out, words.scorecard);
    let mut head = vec![words.judge.to_owned(), words.decision.to_owned()];
    head.extend(SCORECARD.iter().map(|name| label(name, lang)));
    head.push(words.n.to_owned());
    let rows = view::cards(calibration).map(|card| {
        let word = view::decision(card).map_or(words.control, |decision| words.decision(decision));
        let mut row = vec![view::name(card), word.to_owned()];
        row.extend(SCORECARD.iter().map(|name| {
            let figure = format::figure(&card.shown(name), unit_of(name), words);
            view::own_n(card, name).map_or_else(|| figure.clone(), |n| format!("{figure}, {n}"))
        }));
        row.push(format::count(view::judged(card)));
        row
    });
    table(out, &head, rows);
    write_criteria(out, calibration, lang);
    write_several(out, calibration, lang);
    let missing: Vec<String> = view::not_measured(calibration, lang)
        .into_iter()
        .map(|gap| format!("{} ({}): {} {}", gap.figure, gap.judges, words.needs, gap.needs))
        .collect();
    write_list(out, words.not_measured, &missing);
}

fn write_several(out: &mut String, calibration: &Calibration, lang: Lang) {
    let words = Words::of(lang);
    let rows = |out: &mut String, rows: several::Rows| table(out, &rows.head, rows.rows.into_iter());
    let list = |out: &mut String, texts: &[String]| {
        if !texts.is_empty() {
            blank(out);
        }
        for text in texts {
            line(out, &format!("- {}", escape(text)));
        }
    };
    if !calibration.versus.is_empty() {
        heading(out, words.versus);
        line(out, words.versus_note);
        blank(out);
        rows(out, several::pairs(calibration, lang));
        list(out, &several::pair_remarks(calibration, words));
    }
    if let Some(jury) = &calibration.jury {
        heading(out, words.jury);
        line(out, words.jury_note);
        blank(out);
        line(out, &escape(&several::jury_line(jury, lang)));
        blank(out);
        rows(out, several::jury_and_members(calibration, jury, lang));
        blank(out);
        line(out, words.jury_gains);
        blank(out);
        rows(out, several::gains(jury, lang));
        list(out, &several::jury_sentences(jury, lang));
    }
}

fn write_criteria(out: &mut String, calibration: &Calibration, lang: Lang) {
    let words = Words::of(lang);
    let open: Vec<(String, &Criterion)> = calibration
        .judges
        .iter()
        .flat_map(|card| view::open_criteria(card).into_iter().map(|criterion| (view::name(card), criterion)))
        .collect();
    if open.is_empty() {
        return;
    }
    heading(out, words.open_criteria);
    let head = [
        words.judge,
        words.criterion,
        words.value_95,
        words.n,
        words.limit,
        words.decision,
        words.labels_needed_head,
        words.why,
    ];
    let rows = open.into_iter().map(|(judge, criterion)| {
        let unit = unit_of(&criterion.name);
        vec![
            judge,
            label(&criterion.name, lang),
            format::figure(&criterion.figure, unit, words),
            criterion.figure.as_ref().map(view::counts).unwrap_or_default(),
            format::limit(criterion.limit, unit),
            words.criterion_word(criterion.decision).to_owned(),
            view::labels_needed(criterion, words).unwrap_or_else(|| "–".to_owned()),
            view::sentence(criterion, lang),
        ]
    });
    table(out, &head.map(str::to_owned), rows);
}

fn write_comparison(out: &mut String, comparison: &Comparison, lang: Lang) {
    let words = Words::of(lang);
    let [a, b] = view::sides(comparison);
    line(out, &format!("## {}: {}", words.comparison, escape(&fill(words.between, &[&a, &b]))));
    blank(out);
    if let Some((_, banner)) = view::banner(comparison, words) {
        line(out, &format!("> **{}**", escape(&banner)));
        blank(out);
    }
    // What was required is what the reader looks for, whichever side is better.
    let mark = match comparison.requirement.map(|required| required.held) {
        Some(Held::NotHeld) => "❌",
        Some(Held::Undecided) => "❔",
        None if view::is_open(comparison) => "❔",
        Some(Held::Held) | None => "✅",
    };
    let word = escape(&view::decision_word(comparison, words));
    line(out, &format!("{mark} **{word}**: {}", escape(&view::comparison_reason(comparison, lang))));
    blank(out);
    line(out, &escape(&view::judge_line(comparison, lang)));
    if let Some(certificate) = view::certificate_line(comparison, lang) {
        blank(out);
        line(out, &escape(&certificate));
    }
    if let Some(required) = beside::requirement(comparison, words) {
        paragraph(out, &required);
    }
    for sentence in view::beside_headline(comparison, lang) {
        blank(out);
        line(out, &escape(&sentence));
    }
    heading(out, &escape(&fill(words.rates, &[&a])));
    write_figures(out, beside::rate_rows(comparison, lang), words);
    if let Some(others) = beside::other_intervals(comparison, words) {
        paragraph(out, &others);
    }
    paragraph(out, &view::bounds(comparison, words));
    heading(out, words.correction);
    let correction = beside::correction(comparison, lang);
    write_figures(out, correction.rows, words);
    paragraph(out, &correction.sentence);
    heading(out, words.outcomes);
    let rows = view::outcome_rows(comparison, lang)
        .into_iter()
        .filter(|row| row.count > 0)
        .map(|row| vec![row.label, format::count(row.count), format::percent(row.share)]);
    table(out, &[words.outcome, words.count, words.share].map(str::to_owned), rows);
    heading(out, words.tests);
    write_tests(out, view::test_rows(comparison, words), words);
    paragraph(out, &beside::effect(&comparison.mcnemar, words));
    paragraph(out, &view::detectable(comparison, words));
    if let Some(checks) = beside::checks(comparison, words) {
        heading(out, words.checks);
        write_figures(out, checks.rows, words);
        blank(out);
        write_tests(out, checks.tests, words);
        paragraph(out, &checks.effect);
    }
    write_categories(out, comparison, lang);
    write_prereg(out, comparison, lang);
}

fn write_figures(out: &mut String, rows: Vec<beside::FigureRow>, words: &Words) {
    let head = [words.figure, words.value, words.n, words.method].map(str::to_owned);
    table(out, &head, rows.into_iter().map(Vec::from));
}

fn write_tests(out: &mut String, rows: Vec<view::TestRow>, words: &Words) {
    let rows = rows.into_iter().map(|row| vec![row.label.to_owned(), row.data, row.p]);
    table(out, &[words.test, words.data, "p"].map(str::to_owned), rows);
}

fn write_prereg(out: &mut String, comparison: &Comparison, lang: Lang) {
    let words = Words::of(lang);
    let Some(plan) = beside::prereg(comparison, lang) else { return };
    heading(out, words.prereg);
    let head = [words.field, words.planned_head, words.done_head].map(str::to_owned);
    table(out, &head, plan.rows.into_iter().map(Vec::from));
    paragraph(out, &plan.sentence);
}

fn write_categories(out: &mut String, comparison: &Comparison, lang: Lang) {
    let words = Words::of(lang);
    if comparison.by_category.is_empty() {
        return;
    }
    heading(out, words.by_category);
    let head = [words.category, words.n, &label("win_rate", lang), "p", words.p_holm].map(str::to_owned);
    let rows = comparison.by_category.iter().map(|row| {
        vec![
            visible_line(&row.category).into_owned(),
            format::count(row.items),
            format::figure(&row.win_rate, Unit::Share, words),
            format::p_digits(row.p),
            format::p_digits(row.p_holm),
        ]
    });
    table(out, &head, rows);
    if let Some(interaction) = beside::interaction(comparison, words) {
        paragraph(out, &interaction);
    }
}

fn write_list(out: &mut String, title: &str, entries: &[String]) {
    if entries.is_empty() {
        return;
    }
    heading(out, title);
    for entry in entries {
        line(out, &format!("- {}", escape(entry)));
    }
}

fn write_provenance(out: &mut String, report: &Report<'_>) {
    let words = Words::of(report.lang);
    let manifest = report.manifest;
    blank(out);
    line(out, &format!("<details><summary>{}</summary>", words.provenance));
    blank(out);
    line(out, &format!("- {}: {}", words.version, escape(&visible_line(&manifest.version))));
    line(out, &format!("- {}: {}", words.date, escape(&visible_line(&manifest.date))));
    line(
        out,
        &format!("- {}: {}, {}: {}", words.seed, manifest.seed, words.resamples, format::count(manifest.resamples)),
    );
    line(out, &format!("- {}: {}", words.reproduce, code(&manifest.command)));
    for input in &manifest.inputs {
        let [role, path] = [&input.role, &input.path].map(|text| escape(&visible_line(text)));
        line(out, &format!("- {role}: {path}, {} {}, `{}`", words.records, format::count(input.records), input.digest));
    }
    blank(out);
    line(out, "</details>");
}

fn mark(decision: Decision) -> &'static str {
    match decision {
        Decision::Pass => "✅",
        Decision::Inconclusive => "❔",
        Decision::Fail => "❌",
    }
}

pub(super) fn table(out: &mut String, head: &[String], rows: impl Iterator<Item = Vec<String>>) {
    let write_row = |out: &mut String, cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| escape(cell)).collect();
        line(out, &format!("| {} |", cells.join(" | ")));
    };
    write_row(out, head);
    line(out, &format!("|{}", " --- |".repeat(head.len())));
    for row in rows {
        write_row(out, &row);
    }
}

fn paragraph(out: &mut String, text: &str) {
    blank(out);
    line(out, &escape(text));
}

pub(super) fn heading(out: &mut String, title: &str) {
    blank(out);
    line(out, &format!("### {title}"));
    blank(out);
}

pub(super) fn line(out: &mut String, text: &str) {
    writeln!(out, "{text}").expect("writing to a String cannot fail");
}

fn blank(out: &mut String) {
    out.push('\n');
}

/// Text in which no character is markup, a mention or a link. Numbers and plain sentences stay readable in the source.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut previous = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // Entities: a backslash does not stop mentions, issue links and bare addresses.
            '@' => out.push_str("&#64;"),
            '#' => out.push_str("&#35;"),
            '.' if text[..at].ends_with("www") => out.push_str("&#46;"),
            ':' if text[at..].starts_with("://") => out.push_str("&#58;"),
            // An underscore inside a word is no emphasis in GitHub's dialect.
            '|' | '*' | '`' | '[' | ']' | '\\' | '~' | '!' => {
                out.push('\\');
                out.push(c);
            }
            '_' if !previous.is_alphanumeric() => out.push_str("\\_"),
            '\n' => out.push(' '),
            _ => out.push(c),
        }
        previous = c;
    }
    out
}

/// A code span whose fence is longer than any run of backticks inside.
fn code(text: &str) -> String {
    let text = visible_line(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    format!("{fence} {text} {fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_data_is_text() {
        assert_eq!(escape("a|b <img> **x**"), "a\\|b &lt;img&gt; \\*\\*x\\*\\*");
        assert_eq!(
            escape("![x](http://e) @team #1 https://e"),
            "\\!\\[x\\](http&#58;//e) &#64;team &#35;1 https&#58;//e"
        );
        assert_eq!(escape("flip_rate _x_"), "flip_rate \\_x_");
    }

    #[test]
    fn a_code_span_cannot_be_closed_from_inside() {
        assert_eq!(code("a ``b"), "``` a ``b ```");
    }
}
