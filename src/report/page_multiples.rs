//! Small multiples: one figure in every category, a panel each, all on one scale.

use serde::Serialize;

use crate::analysis::calibration::Calibration;
use crate::analysis::figures::{Entry as FigureEntry, Figures};
use crate::stats::Figure;

use super::chart::{Axis, Mark, Strip, scale, strip};
use super::format::{self, unit_of};
use super::glossary::label;
use super::page::{Drawing, edge};
use super::visible::visible_line;
use super::words::{Words, fill};
use super::{Lang, view};

/// More panels than this are a wall; the rest is in the tables.
pub(super) const MOST_PANELS: usize = 24;

/// The panels of one figure.
#[derive(Serialize)]
pub(super) struct Multiples {
    name: String,
    figure: String,
    title: String,
    limit: String,
    note: &'static str,
    panels: Vec<Panel>,
    scale: Drawing,
    more: String,
}

#[derive(Serialize)]
struct Panel {
    name: String,
    rows: Vec<MiniRow>,
}

#[derive(Serialize)]
struct MiniRow {
    name: String,
    value: String,
    counts: String,
    strip: Drawing,
}

/// One category with the figure of each judge.
struct Part {
    name: String,
    n: u64,
    figures: Vec<(String, Figure)>,
}

/// A figure of every judge on trial in every category; `None` where no category has it.
pub(super) fn by_category(answer: &Calibration, name: &str, lang: Lang) -> Option<Multiples> {
    let words = Words::of(lang);
    let mut parts: Vec<Part> = Vec::new();
    for card in &answer.judges {
        let entry = card.figures_clustered.entry("by_category").or_else(|| card.figures.entry("by_category"));
        let Some(FigureEntry::Group(categories)) = entry else { continue };
        for (category, figure) in categories.iter().filter_map(|(category, entry)| Some((category, of(entry, name)?))) {
            let category = visible_line(category).into_owned();
            let n = figure.as_ref().map_or(0, |estimate| estimate.n);
            match parts.iter_mut().find(|part| part.name == category) {
                Some(part) => {
                    part.n = part.n.max(n);
                    part.figures.push((view::name(card), figure));
                }
                None => parts.push(Part { name: category, n, figures: vec![(view::name(card), figure)] }),
            }
        }
    }
    let more = parts.len().saturating_sub(MOST_PANELS);
    parts.sort_by(|x, y| y.n.cmp(&x.n).then_with(|| x.name.cmp(&y.name)));
    parts.truncate(MOST_PANELS);
    parts.sort_by(|x, y| x.name.cmp(&y.name));
    let unit = unit_of(name);
    let limit = view::limit_of(answer, name);
    let found = || parts.iter().flat_map(|part| &part.figures).filter_map(|(_, figure)| figure.as_ref().ok());
    found().next()?;
    let axis = Axis::around(found().flat_map(|one| [one.lower, one.upper]).chain(limit.map(edge)), unit);
    let row = |panel: usize, index: usize, category: &str, judge: &str, figure: &Figure| {
        let value = format::figure(figure, unit, words);
        let counts = figure.as_ref().map(view::counts).unwrap_or_default();
        let shown = Strip {
            id: &format!("{name}-by-category-{panel}-{index}"),
            title: &format!("{category}, {judge}: {value}"),
            description: &format!("n {counts}"),
            estimate: figure.as_ref().ok(),
            limit,
            reference: None,
            mark: Mark::Plain,
        };
        MiniRow { name: judge.to_owned(), counts, strip: Drawing { svg: strip(&shown, &axis) }, value }
    };
    let panels = parts.iter().enumerate().map(|(panel, part)| Panel {
        name: part.name.clone(),
        rows: part
            .figures
            .iter()
            .enumerate()
            .map(|(index, (judge, figure))| row(panel, index, &part.name, judge, figure))
            .collect(),
    });
    Some(Multiples {
        panels: panels.collect(),
        name: format!("{name}-by-category"),
        figure: name.to_owned(),
        title: format!("{}: {}", words.by_category, label(name, lang)),
        limit: limit.map(|limit| format::limit(limit, unit)).unwrap_or_default(),
        note: words.multiples_note,
        scale: Drawing { svg: scale(&axis, unit) },
        more: if more == 0 { String::new() } else { fill(words.panels_more, &[&format::count(more as u64)]) },
    })
}

fn of(entry: &FigureEntry, name: &str) -> Option<Figure> {
    let FigureEntry::Group(figures) = entry else { return None };
    has(figures, name).then(|| figures.get(name))
}

fn has(figures: &Figures, name: &str) -> bool {
    matches!(figures.entry(name), Some(FigureEntry::Figure(_)))
}
