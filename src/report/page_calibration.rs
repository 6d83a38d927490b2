//! What the template of a calibration is filled with.

use serde::Serialize;

use crate::analysis::calibration::{Calibration, Scorecard};
use crate::analysis::figures::{Entry as FigureEntry, Figures};
use crate::analysis::gate::{Criterion, DecideOn, Decision};
use crate::domain::NoVerdict;
use crate::stats::Figure;

use super::chart::{Axis, Mark, Segment, Strip, bar, scale, strip, swatch};
use super::format::{self, Unit, unit_of};
use super::glossary::{definition, label};
use super::page::{Drawing, Entry, Forest, MissingRow, Plot, edge};
use super::page_charts::{self, ChartGroup, Drawn};
use super::page_multiples::{self, Multiples};
use super::page_several::SeveralPage;
use super::sentences;
use super::visible::visible_line;
use super::words::Words;
use super::{Lang, view};

/// Figures drawn for judges and controls together.
const FORESTS: [&str; 8] = [
    "agreement_decisive",
    "agreement_half_credit",
    "agreement_strict",
    "kappa_strict",
    "flip_rate",
    "inconsistency_rate",
    "length_error_gap",
    "no_verdict_rate",
];

/// Figures drawn for every category.
const MULTIPLES: [&str; 2] = ["agreement_decisive", "flip_rate"];

/// The answer, laid out.
#[derive(Serialize)]
pub(super) struct CalibrationPage {
    decision: &'static str,
    word: &'static str,
    sentence: &'static str,
    verdicts: Vec<VerdictCard>,
    forests: Vec<Forest>,
    flows: Vec<Flow>,
    flow_legend: Vec<Legend>,
    lengths: Vec<Forest>,
    multiples: Vec<Multiples>,
    languages: Vec<Forest>,
    humans: Vec<FigureRow>,
    tables: Vec<FigureTable>,
    accounting: Vec<AccountingRow>,
    none_kinds: Vec<&'static str>,
    charts: Vec<ChartGroup>,
    missing: Vec<MissingRow>,
    several: SeveralPage,
}

#[derive(Serialize)]
struct VerdictCard {
    /// What the summary on top links to; unique within the page.
    anchor: String,
    name: String,
    model: String,
    fingerprint: String,
    certificate: String,
    decision: &'static str,
    word: &'static str,
    headline: String,
    n: String,
    criteria: Vec<CriterionRow>,
}

#[derive(Serialize)]
struct CriterionRow {
    label: String,
    decision: &'static str,
    word: &'static str,
    value: String,
    counts: String,
    limit: String,
    sentence: String,
    labels_needed: String,
    strip: Drawing,
    scale: Drawing,
}

#[derive(Serialize)]
struct Flow {
    name: String,
    class: &'static str,
    n: String,
    bar: Drawing,
    parts: Vec<String>,
}

#[derive(Serialize)]
pub(super) struct Legend {
    pub(super) label: String,
    pub(super) swatch: Drawing,
}

#[derive(Serialize)]
struct FigureTable {
    name: String,
    rows: Vec<FigureRow>,
}

#[derive(Serialize)]
struct FigureRow {
    path: String,
    label: String,
    value: String,
    n: String,
    method: &'static str,
}

#[derive(Serialize)]
struct AccountingRow {
    name: String,
    counts: Vec<String>,
}

impl CalibrationPage {
    pub(super) fn of(answer: &Calibration, lang: Lang) -> Self {
        let words = Words::of(lang);
        let cards = || view::cards(answer);
        Self {
            decision: class_of(answer.decision),
            word: words.decision(answer.decision),
            sentence: words.overall(answer.decision),
            verdicts: answer.judges.iter().enumerate().map(|(index, card)| verdict_card(index, card, lang)).collect(),
            forests: FORESTS.iter().filter_map(|name| forest(name, answer, lang)).collect(),
            flows: cards().enumerate().filter_map(|(index, card)| flow(index, card, words)).collect(),
            flow_legend: flow_legend(words),
            lengths: lengths(answer, lang).into_iter().collect(),
            multiples: MULTIPLES.iter().filter_map(|name| page_multiples::by_category(answer, name, lang)).collect(),
            languages: grouped(answer, lang, "by_language"),
            humans: human_rows(&answer.humans, lang),
            tables: cards().map(|card| table(card, lang)).collect(),
            accounting: cards().map(accounting).collect(),
            none_kinds: none_kinds(words),
            charts: charts(answer, words),
            missing: missing(answer, lang),
            several: SeveralPage::of(answer, lang),
        }
    }
}

fn class_of(decision: Decision) -> &'static str {
    match decision {
        Decision::Pass => "pass",
        Decision::Inconclusive => "open",
        Decision::Fail => "fail",
    }
}

fn mark_of(decision: Decision) -> Mark {
    match decision {
        Decision::Pass => Mark::Pass,
        Decision::Inconclusive => Mark::Open,
        Decision::Fail => Mark::Fail,
    }
}

fn verdict_card(index: usize, card: &Scorecard, lang: Lang) -> VerdictCard {
    let words = Words::of(lang);
    let decision = view::decision(card).unwrap_or(Decision::Inconclusive);
    let mut criteria: Vec<&Criterion> = card.gate.iter().flat_map(|gate| &gate.criteria).collect();
    criteria.sort_by_key(|criterion| std::cmp::Reverse(criterion.decision));
    let shown = |text: Option<&str>| text.map(|text| visible_line(text).into_owned()).unwrap_or_default();
    VerdictCard {
        anchor: format!("judge-{}", index + 1),
        name: view::name(card),
        model: shown(card.model.as_deref()),
        fingerprint: card.fingerprint.short(),
        certificate: shown(card.certificate.as_deref()),
        decision: class_of(decision),
        word: words.decision(decision),
        headline: view::headline(card, lang),
        n: format::count(view::judged(card)),
        criteria: criteria
            .into_iter()
            .enumerate()
            .map(|(row, criterion)| criterion_row(&format!("crit-{index}-{row}"), criterion, lang))
            .collect(),
    }
}

fn criterion_row(id: &str, criterion: &Criterion, lang: Lang) -> CriterionRow {
    let words = Words::of(lang);
    let unit = unit_of(&criterion.name);
    let title = label(&criterion.name, lang);
    let value = match (&criterion.decided_on, criterion.decide) {
        (Ok(on), DecideOn::Point) => format::point(on, unit),
        (figure, _) => format::figure_at_level(figure, unit, words),
    };
    let limit = format::limit(criterion.limit, unit);
    let drawn = criterion.decided_on.as_ref().ok().filter(|_| unit != Unit::Count);
    let svg = drawn.map(|estimate| {
        let axis = Axis::around([estimate.lower, estimate.upper, edge(criterion.limit)], unit);
        let name = format!("{title}: {value}");
        let description = format!("{} {limit}; n {}", words.limit, view::counts(estimate));
        let row = Strip {
            id,
            title: &name,
            description: &description,
            estimate: Some(estimate),
            limit: Some(criterion.limit),
            reference: None,
            mark: mark_of(criterion.decision),
        };
        [strip(&row, &axis), scale(&axis, unit)]
    });
    let [strip, scale] = svg.unwrap_or_default().map(|svg| Drawing { svg });
    CriterionRow {
        label: title,
        decision: class_of(criterion.decision),
        word: words.criterion_word(criterion.decision),
        value,
        counts: criterion.decided_on.as_ref().map(view::counts).unwrap_or_default(),
        limit,
        sentence: view::because(criterion, lang),
        labels_needed: view::labels_needed(criterion, words).unwrap_or_default(),
        strip,
        scale,
    }
}

fn forest(name: &str, answer: &Calibration, lang: Lang) -> Option<Forest> {
    let entries: Vec<Entry> = view::cards(answer)
        .map(|card| Entry {
            name: view::name(card),
            figure: card.shown(name),
            mark: if card.gate.is_some() { Mark::Plain } else { Mark::Control },
        })
        .collect();
    let plot = Plot {
        name,
        title: label(name, lang),
        definition: definition(name, lang).unwrap_or_default(),
        unit: unit_of(name),
        limit: view::limit_of(answer, name),
        reference: None,
    };
    Forest::draw(&plot, &entries, Words::of(lang))
}

/// Both error rates of every judge on trial under each other.
fn lengths(answer: &Calibration, lang: Lang) -> Option<Forest> {
    let words = Words::of(lang);
    let names = [
        ("length.error_gold_shorter_decisive", words.shorter_right),
        ("length.error_gold_longer_decisive", words.longer_right),
    ];
    let entries: Vec<Entry> = answer
        .judges
        .iter()
        .flat_map(|card| {
            names.map(|(name, side)| Entry {
                name: format!("{} · {side}", view::name(card)),
                figure: card.shown(name),
                mark: Mark::Plain,
            })
        })
        .collect();
    let plot = Plot {
        name: "error_by_length",
        title: words.decisive_errors.to_owned(),
        definition: words.by_length_note,
        unit: Unit::Share,
        limit: None,
        reference: None,
    };
    Forest::draw(&plot, &entries, words)
}

/// One plot a judge: decisive agreement in each part of the items.
fn grouped(answer: &Calibration, lang: Lang, prefix: &str) -> Vec<Forest> {
    let name = "agreement_decisive";
    let plots = answer.judges.iter().enumerate().filter_map(|(index, card)| {
        let parts = card.figures_clustered.entry(prefix).or_else(|| card.figures.entry(prefix));
        let Some(FigureEntry::Group(parts)) = parts else { return None };
        let entries: Vec<Entry> = parts
            .iter()
            .filter_map(|(part, entry)| match entry {
                FigureEntry::Group(figures) => {
                    Some(Entry { name: visible_line(part).into_owned(), figure: figures.get(name), mark: Mark::Plain })
                }
                _ => None,
            })
            .collect();
        let plot = Plot {
            name: &format!("{prefix}-{index}"),
            title: format!("{}: {}", view::name(card), label(name, lang)),
            definition: "",
            unit: Unit::Share,
            limit: view::limit_of(answer, name),
            reference: None,
        };
        Forest::draw(&plot, &entries, Words::of(lang))
    });
    plots.collect()
}

fn flow(index: usize, card: &Scorecard, words: &Words) -> Option<Flow> {
    let counted = |name: &str| counts(&card.figures.get(name));
    let (consistent, n) = counted("position_consistency")
        .or_else(|| counted("inconsistency_rate").map(|(k, n)| (n.saturating_sub(k), n)))
        .filter(|(_, n)| *n > 0)?;
    let inconsistent = n.saturating_sub(consistent);
    let parts = match (counted("flip_first_rate"), counted("flip_second_rate"), counted("one_tie_rate")) {
        (Some((first, _)), Some((second, _)), Some((half, _))) => {
            vec![
                ("seg-same", words.consistent, consistent),
                ("seg-half", words.flow_half, half),
                ("seg-flip1", words.flow_first, first),
                ("seg-flip2", words.flow_second, second),
            ]
        }
        _ => vec![
            ("seg-same", words.consistent, consistent),
            ("seg-none", words.direction_unknown_segment, inconsistent),
        ],
    };
    let segments: Vec<Segment> =
        parts.into_iter().map(|(class, label, count)| Segment { class, label: label.to_owned(), count }).collect();
    let name = view::name(card);
    Some(Flow {
        class: if card.gate.is_some() { "trial" } else { "control" },
        n: format::count(n),
        bar: Drawing { svg: bar(&format!("flow-{index}"), &format!("{name}: {}", words.flow), &segments) },
        parts: segments
            .iter()
            .filter(|part| part.count > 0)
            .map(|part| format!("{} {}", format::count(part.count), part.label))
            .collect(),
        name,
    })
}

fn counts(figure: &Figure) -> Option<(u64, u64)> {
    match figure {
        Ok(estimate) => estimate.k.map(|k| (k, estimate.n)),
        Err(absence) => absence.k.zip(absence.n),
    }
}

fn flow_legend(words: &Words) -> Vec<Legend> {
    [
        ("seg-same", words.consistent),
        ("seg-half", words.flow_half),
        ("seg-flip1", words.flow_first),
        ("seg-flip2", words.flow_second),
    ]
    .map(|(class, label)| Legend { label: label.to_owned(), swatch: Drawing { svg: swatch(class) } })
    .into()
}

/// The heat maps of the judges on trial, and what their series draw.
fn charts(answer: &Calibration, words: &Words) -> Vec<ChartGroup> {
    let matrix = |card: &Scorecard| {
        card.figures.iter().find_map(|(_, entry)| match entry {
            FigureEntry::Matrix(cells) => Some(*cells),
            _ => None,
        })
    };
    let squares = answer.judges.iter().enumerate();
    let squares = squares
        .filter_map(|(index, card)| Some(page_charts::heat_map(index, &view::name(card), &matrix(card)?, words)));
    let names: Vec<String> = answer.judges.iter().map(view::name).collect();
    let judges = answer.judges.iter().zip(&names).enumerate();
    let drawn: Vec<Drawn<'_>> = judges
        .filter_map(|(index, (card, name))| {
            Some(Drawn { index, name, sides: ["A", "B"], series: card.series.as_ref()? })
        })
        .collect();
    let confusion = ChartGroup::of("confusion", words.confusion, words.confusion_note.to_owned(), squares.collect());
    confusion.into_iter().chain(page_charts::series_groups(&drawn, words)).collect()
}

/// What was not measured, the series of the charts included.
fn missing(answer: &Calibration, lang: Lang) -> Vec<MissingRow> {
    let words = Words::of(lang);
    let needs = |needs: &str| format!("{} {needs}", words.needs);
    let own = view::not_measured(answer, lang).into_iter();
    let mut rows: Vec<MissingRow> =
        own.map(|gap| MissingRow { figure: gap.figure, needs: needs(&gap.needs), judges: gap.judges }).collect();
    let silent = |card: &&Scorecard| card.series.as_ref().is_some_and(|series| series.confidence.is_err());
    let silent: Vec<String> = answer.judges.iter().filter(silent).map(view::name).collect();
    if !silent.is_empty() {
        rows.push(MissingRow {
            figure: words.gap_confidence.to_owned(),
            needs: needs(words.needs_probabilities),
            judges: silent.join(", "),
        });
    }
    rows
}

/// The figures as shown: clustered intervals where there are any.
fn table(card: &Scorecard, lang: Lang) -> FigureTable {
    let mut rows = figure_rows(&card.figures, lang);
    for clustered in figure_rows(&card.figures_clustered, lang) {
        match rows.iter_mut().find(|row| row.path == clustered.path) {
            Some(row) => *row = clustered,
            None => rows.push(clustered),
        }
    }
    FigureTable { name: view::name(card), rows }
}

fn figure_rows(figures: &Figures, lang: Lang) -> Vec<FigureRow> {
    let printed = view::printed(figures, lang).into_iter();
    printed
        .map(|row| FigureRow {
            label: label(&row.path, lang),
            path: row.path,
            value: row.value,
            n: row.n,
            method: row.method,
        })
        .collect()
}

/// The figures of the humans; an interval that takes pairs of votes of one item for independent is left to the data.
fn human_rows(figures: &Figures, lang: Lang) -> Vec<FigureRow> {
    let mut rows = figure_rows(figures, lang);
    if let Some(place) = rows.iter().position(|row| row.path == "pairwise_vote_agreement_clustered") {
        let clustered = rows.remove(place);
        if let Some(row) = rows.iter_mut().find(|row| row.path == "pairwise_vote_agreement") {
            *row =
                FigureRow { label: std::mem::take(&mut row.label), path: std::mem::take(&mut row.path), ..clustered };
        }
    }
    rows
}

fn none_kinds(words: &Words) -> Vec<&'static str> {
    NoVerdict::ALL.map(|kind| sentences::none_word(kind, words)).to_vec()
}

fn accounting(card: &Scorecard) -> AccountingRow {
    let total = card.accounting.total();
    let counts = [total.planned, total.judged].into_iter().chain(total.none).chain([card.accounting.identical]);
    AccountingRow { name: view::name(card), counts: counts.map(format::count).collect() }
}
