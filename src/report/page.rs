//! What both pages have in common: head, warnings, glossary, provenance; and the rows of a forest plot.

use serde::Serialize;

use crate::analysis::calibration::Calibration;
use crate::analysis::gate::Limit;
use crate::stats::Figure;

use super::chart::{Axis, Mark, Strip, scale, strip};
use super::format::{self, Unit};
use super::visible::visible_line;
use super::words::{Words, fill};
use super::{Content, Lang, Report, glossary, view};

/// The frame of a page.
#[derive(Serialize)]
pub(super) struct Page {
    w: &'static Words,
    title: String,
    heading: String,
    subtitle: String,
    banner: Option<Banner>,
    warnings: Vec<String>,
    items_line: String,
    has_items: bool,
    glossary: Vec<Term>,
    provenance: Provenance,
}

#[derive(Serialize)]
struct Banner {
    kind: &'static str,
    text: String,
}

#[derive(Serialize)]
struct Term {
    label: String,
    definition: &'static str,
}

#[derive(Serialize)]
struct Provenance {
    version: String,
    command: String,
    date: String,
    seed: String,
    resamples: String,
    generator: String,
    inputs: Vec<Input>,
}

#[derive(Serialize)]
struct Input {
    role: String,
    path: String,
    digest: String,
    records: String,
}

impl Page {
    pub(super) fn of(report: &Report<'_>, items_line: String) -> Self {
        let w = Words::of(report.lang);
        let (heading, subtitle, banner) = match report.content {
            Content::Calibration(answer) => (w.calibration.to_owned(), view::gold_line(answer, w), None),
            Content::Comparison(answer) => {
                let [a, b] = view::sides(answer);
                let banner = view::banner(answer, w).map(|(kind, text)| Banner { kind, text });
                (fill(w.between, &[&a, &b]), view::judge_line(answer, report.lang), banner)
            }
        };
        Self {
            w,
            title: format!("{heading} · Tribunal"),
            heading,
            subtitle,
            banner,
            warnings: view::warnings(report.content, report.lang),
            items_line,
            has_items: !report.items.records.is_empty(),
            glossary: glossary_of(report),
            provenance: Provenance::of(report),
        }
    }
}

impl Provenance {
    fn of(report: &Report<'_>) -> Self {
        let manifest = report.manifest;
        let inputs = manifest.inputs.iter().map(|input| Input {
            role: visible_line(&input.role).into_owned(),
            path: visible_line(&input.path).into_owned(),
            digest: input.digest.to_string(),
            records: format::count(input.records),
        });
        Self {
            version: visible_line(&manifest.version).into_owned(),
            command: super::visible::visible(&manifest.command).into_owned(),
            date: visible_line(&manifest.date).into_owned(),
            seed: manifest.seed.to_string(),
            resamples: format::count(manifest.resamples),
            generator: visible_line(&manifest.generator).into_owned(),
            inputs: inputs.collect(),
        }
    }
}

/// The terms of every figure on the page, in the order of the glossary.
fn glossary_of(report: &Report<'_>) -> Vec<Term> {
    let shown: Vec<String> = match report.content {
        Content::Comparison(_) => {
            let own = ["win_rate", "score", "decided", "coverage", "length_controlled", "correction", "odds_ratio"];
            own.into_iter().chain(["flip_rate", "mcnemar"]).map(str::to_owned).collect()
        }
        Content::Calibration(answer) => view::cards(answer)
            .flat_map(|card| {
                let criteria = card.gate.iter().flat_map(|gate| &gate.criteria).map(|criterion| criterion.name.clone());
                criteria.chain(view::printed(&card.figures, Lang::En).into_iter().map(|row| row.path))
            })
            .chain(several_terms(answer))
            .collect(),
    };
    let labels: std::collections::BTreeSet<String> =
        shown.iter().map(|name| glossary::label(name, report.lang)).collect();
    let known = glossary::names().map(|name| (name, glossary::label(name, report.lang)));
    known
        .filter(|(name, label)| *name == "interval" || labels.contains(label))
        .filter_map(|(name, label)| {
            glossary::definition(name, report.lang).map(|definition| Term { label, definition })
        })
        .collect()
}

/// The terms that only several judges bring up.
fn several_terms(answer: &Calibration) -> impl Iterator<Item = String> {
    let pairs = (!answer.versus.is_empty()).then_some("both_wrong").into_iter();
    let jury = answer.jury.iter().flat_map(|_| ["jury_coverage", "shared_errors"]);
    pairs.chain(jury).map(str::to_owned)
}

/// Something that was not measured, and what would allow it.
#[derive(Serialize)]
pub(super) struct MissingRow {
    pub(super) figure: String,
    pub(super) needs: String,
    /// For whom, where there are several.
    pub(super) judges: String,
}

/// The value at which a limit lies, the upper one for both sides.
pub(super) fn edge(limit: Limit) -> f64 {
    match limit {
        Limit::Max(at) | Limit::Min(at) | Limit::Above(at) | Limit::Within(at) => at,
    }
}

/// A forest plot: rows that share an axis.
#[derive(Serialize)]
pub(super) struct Forest {
    name: String,
    title: String,
    definition: &'static str,
    limit: String,
    rows: Vec<ForestRow>,
    scale: Drawing,
}

#[derive(Serialize)]
struct ForestRow {
    name: String,
    class: &'static str,
    value: String,
    counts: String,
    strip: Drawing,
}

/// A drawing made by `chart`, the only thing that templates take as markup.
#[derive(Serialize)]
pub(super) struct Drawing {
    pub(super) svg: String,
}

/// What a row of a forest plot is made of.
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) figure: Figure,
    pub(super) mark: Mark,
}

/// What a forest plot is made of.
pub(super) struct Plot<'a> {
    /// Unique within the page; the figure's name in data attributes.
    pub(super) name: &'a str,
    pub(super) title: String,
    pub(super) definition: &'static str,
    pub(super) unit: Unit,
    pub(super) limit: Option<Limit>,
    /// A value that the axis has to hold, drawn as a line to compare with.
    pub(super) reference: Option<f64>,
}

impl Forest {
    /// Draws the rows; `None` where no row has a number.
    pub(super) fn draw(plot: &Plot<'_>, entries: &[Entry], words: &Words) -> Option<Self> {
        let found = || entries.iter().filter_map(|entry| entry.figure.as_ref().ok());
        found().next()?;
        let edge = plot.limit.map(edge);
        let ends = found().flat_map(|estimate| [estimate.lower, estimate.point, estimate.upper]);
        let axis = Axis::around(ends.chain(edge).chain(plot.reference), plot.unit);
        let rows = entries.iter().enumerate().map(|(index, entry)| {
            let value = format::figure(&entry.figure, plot.unit, words);
            let title = format!("{}, {}: {value}", plot.title, entry.name);
            let counts = entry.figure.as_ref().map(view::counts).unwrap_or_default();
            let limit = plot.limit.map(|limit| format!("; {} {}", words.limit, format::limit(limit, plot.unit)));
            let description = format!("n {counts}{}", limit.unwrap_or_default());
            let row = Strip {
                id: &format!("{}-{index}", plot.name),
                title: &title,
                description: &description,
                estimate: entry.figure.as_ref().ok(),
                limit: plot.limit,
                reference: plot.reference,
                mark: entry.mark,
            };
            ForestRow {
                name: entry.name.clone(),
                class: if entry.mark == Mark::Control { "control" } else { "trial" },
                counts,
                strip: Drawing { svg: strip(&row, &axis) },
                value,
            }
        });
        Some(Self {
            rows: rows.collect(),
            name: plot.name.to_owned(),
            title: plot.title.clone(),
            definition: plot.definition,
            limit: plot.limit.map(|limit| format::limit(limit, plot.unit)).unwrap_or_default(),
            scale: Drawing { svg: scale(&axis, plot.unit) },
        })
    }
}
