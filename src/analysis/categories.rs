//! Where does it hold? A comparison by category, and whether the categories differ at all.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::calibration::MOST_PARTS;
use super::compare::Outcomes;
use super::discordant::McNemarResult;
use super::outcome::{Row, Sheet};
use super::scores::{Scored, Scores};
use crate::domain::GoldSet;
use crate::stats::multiplicity::{Adjustment, adjust};
use crate::stats::permutation::{UnitInPart, equal_means};
use crate::stats::resample::Resampling;
use crate::stats::{Figure, NotEstimable, Reason};

/// One category's part.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CategoryRow {
    /// The category.
    pub category: String,
    /// Items in it.
    pub items: u64,
    /// Counts of outcomes in it.
    pub outcomes: Outcomes,
    /// Win rate of `a` with its interval.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub win_rate: Figure,
    /// Exact McNemar p within the category.
    pub p: f64,
    /// The same after Holm's correction over the categories.
    pub p_holm: f64,
}

/// The test that the win rate is the same in all categories.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interaction {
    /// Permutation p-value.
    pub p: f64,
    /// Categories.
    pub categories: u64,
    /// Units that were dealt.
    pub units: u64,
    /// `permutation_between_categories`.
    pub method: &'static str,
}

/// Serialises an interaction or its absence.
pub(super) fn serialize_interaction<S: serde::Serializer>(
    interaction: &Result<Interaction, NotEstimable>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match interaction {
        Ok(found) => found.serialize(serializer),
        Err(absence) => absence.serialize(serializer),
    }
}

/// Win rates by category, with Holm's correction; none below two categories or above the most that are shown.
pub(super) fn by_category(items: &GoldSet, sheet: &Sheet, resampling: &Resampling) -> Vec<CategoryRow> {
    let mut parts: BTreeMap<&str, Vec<Row>> = BTreeMap::new();
    for row in &sheet.rows {
        if let Some(category) = &items.items[row.item].category {
            parts.entry(category).or_default().push(*row);
        }
    }
    if !(2..=MOST_PARTS).contains(&parts.len()) {
        return Vec::new();
    }
    let mut rows: Vec<CategoryRow> = parts
        .into_iter()
        .map(|(category, rows)| {
            let scores = Scores::of(items, &rows, |item| item.category.as_deref() == Some(category));
            let (a_only, b_only) = scores.discordant();
            CategoryRow {
                category: category.to_owned(),
                items: scores.items,
                outcomes: scores.outcomes,
                win_rate: scores.intervals(Scored::Plain, resampling).swap_remove(0),
                p: McNemarResult::of(a_only, b_only, scores.units.len() as u64).p_exact,
                p_holm: 1.0,
            }
        })
        .collect();
    let raw: Vec<f64> = rows.iter().map(|row| row.p).collect();
    if let Ok(adjusted) = adjust(&raw, Adjustment::Holm) {
        for (row, p) in rows.iter_mut().zip(adjusted) {
            row.p_holm = p;
        }
    }
    rows
}

/// Tests that the win rate is the same in all categories, by dealing units anew to them. Items without a category are left
/// out. Not estimable where a unit has items in several categories (`invalid`): dealing it to one would be wrong.
pub(super) fn interaction(
    items: &GoldSet,
    scores: &Scores,
    resampling: &Resampling,
) -> Result<Interaction, NotEstimable> {
    let category = |item: usize| items.items[item].category.as_deref();
    let names: BTreeSet<&str> = scores.singles.iter().filter_map(|single| category(single.item)).collect();
    let number: BTreeMap<&str, usize> = names.iter().enumerate().map(|(number, name)| (*name, number)).collect();
    let mut units: BTreeMap<usize, UnitInPart> = BTreeMap::new();
    for single in &scores.singles {
        let Some(part) = category(single.item).and_then(|name| number.get(name)).copied() else { continue };
        let unit = units.entry(single.unit).or_insert(UnitInPart { sum: 0.0, weight: 0.0, part });
        if unit.part != part {
            return Err(NotEstimable::with_n(Reason::Invalid, scores.units.len() as u64));
        }
        (unit.sum, unit.weight) = (unit.sum + single.plain, unit.weight + 1.0);
    }
    let units: Vec<UnitInPart> = units.into_values().collect();
    let resampling = Resampling { seed: resampling.seed.child("interaction"), ..*resampling };
    let test = equal_means(&units, &resampling)?;
    Ok(Interaction {
        p: test.p,
        categories: test.parts,
        units: units.len() as u64,
        method: "permutation_between_categories",
    })
}
