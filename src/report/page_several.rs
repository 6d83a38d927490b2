//! What the part of a calibration's template about several judges is filled with.

use serde::Serialize;

use crate::analysis::calibration::Calibration;
use crate::analysis::jury::Jury;

use super::chart::Mark;
use super::format::{Unit, unit_of};
use super::glossary::{definition, label};
use super::page::{Entry, Forest, Plot};
use super::several::{self, Rows};
use super::words::{Words, fill};
use super::{Lang, view};

/// Pairs of judges, and the jury.
#[derive(Serialize)]
pub(super) struct SeveralPage {
    pairs: Option<Grid>,
    remarks: Vec<String>,
    jury: Option<JuryPart>,
}

#[derive(Serialize)]
struct JuryPart {
    line: String,
    sentences: Vec<String>,
    forests: Vec<Forest>,
    gains: Option<Forest>,
    table: Grid,
}

#[derive(Serialize)]
struct Grid {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl From<Rows> for Grid {
    fn from(rows: Rows) -> Self {
        Self { head: rows.head, rows: rows.rows }
    }
}

impl SeveralPage {
    pub(super) fn of(answer: &Calibration, lang: Lang) -> Self {
        Self {
            pairs: (!answer.versus.is_empty()).then(|| several::pairs(answer, lang).into()),
            remarks: several::pair_remarks(answer, Words::of(lang)),
            jury: answer.jury.as_ref().map(|jury| JuryPart::of(answer, jury, lang)),
        }
    }
}

impl JuryPart {
    fn of(answer: &Calibration, jury: &Jury, lang: Lang) -> Self {
        Self {
            line: several::jury_line(jury, lang),
            sentences: several::jury_sentences(jury, lang),
            forests: several::FIGURES.iter().filter_map(|name| forest(name, answer, jury, lang)).collect(),
            gains: gains(jury, lang),
            table: several::gains(jury, lang).into(),
        }
    }
}

/// The jury above its members, by one figure.
fn forest(name: &str, answer: &Calibration, jury: &Jury, lang: Lang) -> Option<Forest> {
    let words = Words::of(lang);
    let of_jury = Entry { name: words.jury.to_owned(), figure: jury.figures.get(name), mark: Mark::Plain };
    let members = several::member_cards(answer, jury).map(|card| Entry {
        name: view::name(card),
        figure: card.shown(name),
        mark: Mark::Control,
    });
    let entries: Vec<Entry> = std::iter::once(of_jury).chain(members).collect();
    let plot = Plot {
        name: &format!("jury-{name}"),
        title: label(name, lang),
        definition: definition(name, lang).unwrap_or_default(),
        unit: unit_of(name),
        limit: None,
        reference: None,
    };
    Forest::draw(&plot, &entries, words)
}

/// What the jury adds to each member, to the best of them and to their mean.
fn gains(jury: &Jury, lang: Lang) -> Option<Forest> {
    let words = Words::of(lang);
    let entry = |name: &str, figure, mark| Entry { name: format!("− {name}"), figure, mark };
    let mut entries = vec![
        entry(words.best_member, jury.over_best.clone(), Mark::Plain),
        entry(words.mean_member, jury.over_mean.clone(), Mark::Plain),
    ];
    let members = jury.gains.iter();
    entries.extend(members.map(|gain| entry(&several::name(&gain.member), gain.difference.clone(), Mark::Control)));
    let plot = Plot {
        name: "jury-gains",
        title: fill("{}: {}", &[words.jury_gains, words.half_difference]),
        definition: "",
        unit: Unit::Points,
        limit: None,
        reference: Some(0.0),
    };
    Forest::draw(&plot, &entries, words)
}
