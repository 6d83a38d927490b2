//! What the template of a comparison is filled with.

use serde::Serialize;

use crate::analysis::compare::Comparison;
use crate::domain::NoVerdict;
use crate::stats::{Figure, Reason};

use super::chart::{Mark, Segment, bar, swatch};
use super::format::{self, Unit};
use super::glossary::{definition, label};
use super::page::{Drawing, Entry, Forest, MissingRow, Plot};
use super::page_calibration::Legend;
use super::page_charts::{self, ChartGroup, Drawn};
use super::sentences;
use super::visible::visible_line;
use super::words::{Words, fill};
use super::{Lang, beside, view};

/// The answer, laid out.
#[derive(Serialize)]
pub(super) struct ComparisonPage {
    decision: &'static str,
    word: String,
    reason: String,
    stopping: Vec<String>,
    certificate: String,
    fingerprint: String,
    rates_title: String,
    rates_note: String,
    rates: Option<Forest>,
    rate_notes: Vec<RateNote>,
    coverage: String,
    intervals: Vec<IntervalRow>,
    outcome_bar: Drawing,
    outcomes: Vec<OutcomeLine>,
    length_controlled: String,
    requirement: Option<String>,
    correction: Vec<beside::FigureRow>,
    correction_note: String,
    tests: Vec<TestLine>,
    effect: String,
    detectable: String,
    checks: Option<Checks>,
    bounds: String,
    few_units: bool,
    categories: Option<Forest>,
    category_rows: Vec<CategoryLine>,
    interaction: Option<String>,
    prereg: Option<Plan>,
    accounting: Vec<AccountingLine>,
    charts: Vec<ChartGroup>,
    missing: Vec<MissingRow>,
}

#[derive(Serialize)]
struct RateNote {
    label: String,
    definition: &'static str,
}

#[derive(Serialize)]
struct IntervalRow {
    method: &'static str,
    value: String,
}

#[derive(Serialize)]
struct OutcomeLine {
    legend: Legend,
    count: String,
    share: String,
}

#[derive(Serialize)]
struct TestLine {
    label: &'static str,
    data: String,
    p: String,
}

#[derive(Serialize)]
struct Checks {
    rows: Vec<beside::FigureRow>,
    tests: Vec<TestLine>,
    effect: String,
}

#[derive(Serialize)]
struct Plan {
    rows: Vec<[String; 3]>,
    sentence: String,
}

fn test_lines(rows: Vec<view::TestRow>) -> Vec<TestLine> {
    rows.into_iter().map(|row| TestLine { label: row.label, data: row.data, p: row.p }).collect()
}

#[derive(Serialize)]
struct CategoryLine {
    category: String,
    n: String,
    value: String,
    p: String,
    p_holm: String,
}

#[derive(Serialize)]
struct AccountingLine {
    label: &'static str,
    count: String,
}

impl ComparisonPage {
    pub(super) fn of(answer: &Comparison, lang: Lang) -> Self {
        let words = Words::of(lang);
        let [a, _] = view::sides(answer);
        let correction = beside::correction(answer, lang);
        let certificate = answer
            .certificate
            .as_deref()
            .map_or_else(|| words.no_certificate.to_owned(), |path| visible_line(path).into_owned());
        Self {
            decision: if view::is_open(answer) { "open" } else { "pass" },
            word: view::decision_word(answer, words),
            reason: view::comparison_reason(answer, lang),
            stopping: view::beside_headline(answer, lang),
            certificate,
            fingerprint: answer.fingerprint.short(),
            rates_title: fill(words.rates, &[&a]),
            rates_note: fill(words.rates_note, &[&a]),
            rates: rates(answer, lang),
            rate_notes: view::rates(answer)
                .map(|(name, _)| RateNote {
                    label: label(name, lang),
                    definition: definition(name, lang).unwrap_or(""),
                })
                .into(),
            coverage: format!("{}: {}", label("coverage", lang), format::figure(&answer.coverage, Unit::Share, words)),
            intervals: answer.win_rate_intervals.iter().filter_map(interval_row).collect(),
            outcome_bar: outcome_bar(answer, lang),
            outcomes: outcome_lines(answer, lang),
            length_controlled: format!(
                "{}: {}",
                label("length_controlled", lang),
                format::figure(&answer.length_controlled, Unit::Share, words)
            ),
            requirement: beside::requirement(answer, words),
            correction: correction.rows,
            correction_note: correction.sentence,
            tests: test_lines(view::test_rows(answer, words)),
            effect: beside::effect(&answer.mcnemar, words),
            checks: beside::checks(answer, words).map(|found| Checks {
                rows: found.rows,
                tests: test_lines(found.tests),
                effect: found.effect,
            }),
            interaction: beside::interaction(answer, words),
            prereg: beside::prereg(answer, lang).map(|plan| Plan { rows: plan.rows, sentence: plan.sentence }),
            detectable: view::detectable(answer, words),
            bounds: view::bounds(answer, words),
            few_units: answer.few_units,
            categories: categories(answer, lang),
            category_rows: category_lines(answer, words),
            accounting: accounting(answer, words),
            charts: charts(answer, lang),
            missing: missing(answer, lang),
        }
    }
}

fn rates(answer: &Comparison, lang: Lang) -> Option<Forest> {
    let entries = view::rates(answer).map(|(name, figure)| Entry {
        name: label(name, lang),
        figure: figure.clone(),
        mark: Mark::Plain,
    });
    half_plot("rates", &entries, lang)
}

fn categories(answer: &Comparison, lang: Lang) -> Option<Forest> {
    let entries: Vec<Entry> = answer
        .by_category
        .iter()
        .map(|row| Entry {
            name: visible_line(&row.category).into_owned(),
            figure: row.win_rate.clone(),
            mark: Mark::Plain,
        })
        .collect();
    half_plot("categories", &entries, lang)
}

/// A plot around 50 %: the line of no difference is the limit that nothing has to pass.
fn half_plot(name: &str, entries: &[Entry], lang: Lang) -> Option<Forest> {
    let plot = Plot {
        name,
        title: label("win_rate", lang),
        definition: "",
        unit: Unit::Share,
        limit: None,
        reference: Some(0.5),
    };
    Forest::draw(&plot, entries, Words::of(lang))
}

fn interval_row(figure: &Figure) -> Option<IntervalRow> {
    let estimate = figure.as_ref().ok()?;
    Some(IntervalRow { method: estimate.method, value: format::estimate(estimate, Unit::Share) })
}

fn class_of(outcome: &str) -> &'static str {
    match outcome {
        "a_wins" => "seg-a",
        "half_a" => "seg-a2",
        "b_wins" => "seg-b",
        "half_b" => "seg-b2",
        "flip_first" => "seg-flip1",
        "flip_second" | "inconsistent" => "seg-flip2",
        "no_verdict" => "seg-none",
        _ => "seg-tie",
    }
}

/// Outcomes as the parts of a bar.
pub(super) fn segments(rows: Vec<view::OutcomeRow>) -> Vec<Segment> {
    rows.into_iter().map(|row| Segment { class: class_of(row.key), label: row.label, count: row.count }).collect()
}

fn outcome_bar(answer: &Comparison, lang: Lang) -> Drawing {
    Drawing { svg: bar("outcomes-bar", Words::of(lang).outcomes, &segments(view::outcome_rows(answer, lang))) }
}

fn charts(answer: &Comparison, lang: Lang) -> Vec<ChartGroup> {
    let words = Words::of(lang);
    let (judge, [a, b]) = (visible_line(answer.judge.as_str()), view::sides(answer));
    let drawn = Drawn { index: 0, name: &judge, sides: [&a, &b], series: &answer.series };
    let bars = page_charts::category_bars(answer, lang);
    let more = answer.by_category.len() - bars.len();
    let note = if more == 0 { String::new() } else { fill(words.categories_more, &[&format::count(more as u64)]) };
    let categories = ChartGroup::of("outcomes-by-category", words.by_category, note, bars)
        .map(|group| group.explained(outcome_lines(answer, lang).into_iter().map(|line| line.legend).collect()));
    page_charts::series_groups(&[drawn], words).into_iter().chain(categories).collect()
}

/// What a comparison could not say, with the reason of each absence or what it lacks.
fn missing(answer: &Comparison, lang: Lang) -> Vec<MissingRow> {
    let words = Words::of(lang);
    let mut rows = Vec::new();
    let mut add = |figure: &str, needs: String| {
        rows.push(MissingRow { figure: figure.to_owned(), needs, judges: String::new() });
    };
    let needs = |needs: &str| format!("{} {needs}", words.needs);
    for (name, figure) in view::rates(answer).into_iter().chain([("coverage", &answer.coverage)]) {
        if let Err(absence) = figure {
            add(&label(name, lang), format::absent(absence, words));
        }
    }
    if answer.series.orders.is_err() {
        add(words.gap_orders, needs(words.needs_orders));
    }
    match (&answer.series.length, &answer.length_controlled) {
        (Err(absence), _) if absence.reason == Reason::NotRecorded => add(words.gap_length, needs(words.needs_lengths)),
        (_, Err(absence)) => add(&label("length_controlled", lang), format::absent(absence, words)),
        _ => {}
    }
    if answer.correction.method.is_none() {
        add(words.gap_correction, beside::correction(answer, lang).sentence);
    }
    if answer.checks.is_none() {
        add(words.gap_checks, needs(words.needs_checks));
    }
    if answer.by_category.is_empty() {
        add(words.gap_categories, needs(words.needs_categories));
    }
    if answer.series.confidence.is_err() {
        add(words.gap_confidence, needs(words.needs_probabilities));
    }
    rows
}

fn outcome_lines(answer: &Comparison, lang: Lang) -> Vec<OutcomeLine> {
    view::outcome_rows(answer, lang)
        .into_iter()
        .filter(|row| row.count > 0)
        .map(|row| OutcomeLine {
            legend: Legend { label: row.label, swatch: Drawing { svg: swatch(class_of(row.key)) } },
            count: format::count(row.count),
            share: format::percent(row.share),
        })
        .collect()
}

fn category_lines(answer: &Comparison, words: &Words) -> Vec<CategoryLine> {
    let lines = answer.by_category.iter().map(|row| CategoryLine {
        category: visible_line(&row.category).into_owned(),
        n: format::count(row.items),
        value: format::figure(&row.win_rate, Unit::Share, words),
        p: format::p_digits(row.p),
        p_holm: format::p_digits(row.p_holm),
    });
    lines.collect()
}

fn accounting(answer: &Comparison, words: &Words) -> Vec<AccountingLine> {
    let total = answer.accounting.total();
    let line = |label, count| AccountingLine { label, count: format::count(count) };
    let mut lines = vec![line(words.planned, total.planned), line(words.judged, total.judged)];
    let none = NoVerdict::ALL.map(|kind| sentences::none_word(kind, words));
    lines.extend(none.into_iter().zip(total.none).map(|(label, count)| line(label, count)));
    lines.push(line(words.identical, answer.accounting.identical));
    lines
}
