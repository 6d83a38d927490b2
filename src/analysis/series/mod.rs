//! What do the charts of a report draw? Counts and binned shares that no single figure holds; the page and the JSON show
//! the same ones.
//!
//! Files: `length` score against the difference in length · `confidence` stated probability against the human label.

mod confidence;
mod length;

use serde::Serialize;
use serde::ser::SerializeStruct;

use super::outcome::Sheet;
use crate::domain::{GoldSet, Judgment, Preference};
use crate::stats::resample::Resampling;
use crate::stats::{NotEstimable, Reason};

pub use confidence::{Confidence, ConfidenceBin};
pub use length::{Length, LengthBin, LengthCount, LengthFit};

/// Resamples for the intervals of a bin; nothing is decided on them.
const BIN_RESAMPLES: usize = 1_000;

/// What one judge's charts draw.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Series {
    /// The verdict with `a` shown first against the one with `b` shown first.
    #[serde(serialize_with = "or_absence")]
    pub orders: Result<Orders, NotEstimable>,
    /// The score of `a` by how much longer it is.
    #[serde(serialize_with = "or_absence")]
    pub length: Result<Length, NotEstimable>,
    /// How often stated probabilities come true.
    #[serde(serialize_with = "or_absence")]
    pub confidence: Result<Confidence, NotEstimable>,
}

/// Counts of rows by what was said in each order, as identities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Orders {
    /// First index: `a` shown first; second index: `b` shown first; each `a`, `b`, `tie`, no verdict.
    pub cells: [[u64; 4]; 4],
}

impl Orders {
    /// How often each was said with `a` shown first.
    pub fn row_totals(&self) -> [u64; 4] {
        self.cells.map(|row| row.iter().sum())
    }

    /// How often each was said with `b` shown first.
    pub fn column_totals(&self) -> [u64; 4] {
        [0, 1, 2, 3].map(|column| self.cells.iter().map(|row| row[column]).sum())
    }
}

impl Serialize for Orders {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Orders", 6)?;
        out.serialize_field("rows", "a_shown_first")?;
        out.serialize_field("columns", "b_shown_first")?;
        out.serialize_field("labels", &["a", "b", "tie", "no_verdict"])?;
        out.serialize_field("cells", &self.cells)?;
        out.serialize_field("row_totals", &self.row_totals())?;
        out.serialize_field("column_totals", &self.column_totals())?;
        out.end()
    }
}

fn or_absence<T: Serialize, S: serde::Serializer>(
    value: &Result<T, NotEstimable>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match value {
        Ok(found) => found.serialize(serializer),
        Err(absence) => absence.serialize(serializer),
    }
}

/// The series of one judge. Judgments of other judges are left out.
pub(super) fn series(items: &GoldSet, sheet: &Sheet, judgments: &[Judgment], resampling: &Resampling) -> Series {
    let resamples = resampling.resamples.min(BIN_RESAMPLES);
    let resampling = Resampling { resamples, seed: resampling.seed.child("series") };
    Series {
        orders: orders(sheet),
        length: length::length(items, sheet, &resampling),
        confidence: confidence::confidence(items, &sheet.judge, judgments),
    }
}

/// Not estimable where some rows are folds of unknown direction, or there is none.
fn orders(sheet: &Sheet) -> Result<Orders, NotEstimable> {
    let n = sheet.rows.len() as u64;
    if sheet.rows.iter().any(|row| row.folded) {
        return Err(NotEstimable::with_n(Reason::DirectionUnknown, n));
    }
    if sheet.rows.is_empty() {
        return Err(NotEstimable::with_n(Reason::Empty, 0));
    }
    let mut orders = Orders::default();
    let index = |said: Option<Preference>| said.map_or(3, Preference::index);
    for row in &sheet.rows {
        orders.cells[index(row.ab)][index(row.ba)] += 1;
    }
    Ok(orders)
}

/// An item of which nothing is known.
#[cfg(test)]
fn facts(id: &str) -> crate::domain::ItemFacts {
    crate::domain::ItemFacts {
        id: id.into(),
        group: None,
        category: None,
        lang: None,
        turn: None,
        model_a: None,
        model_b: None,
        length_a: None,
        length_b: None,
        identical: false,
        gold: None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::analysis::outcome::{Accounting, Row};
    use Preference::{A, B, Tie};

    fn sheet(said: &[(Option<Preference>, Option<Preference>)]) -> Sheet {
        let row = |(item, (ab, ba)): (usize, &(Option<Preference>, Option<Preference>))| Row {
            item,
            repeat: 0,
            ab: *ab,
            ba: *ba,
            folded: false,
            folded_inconsistent: false,
            planned: 2,
        };
        let rows = said.iter().enumerate().map(row).collect();
        Sheet { judge: "j".into(), rows, accounting: Accounting::default() }
    }

    #[test]
    fn every_row_is_counted_where_both_orders_put_it() {
        let found = orders(&sheet(&[(Some(A), Some(A)), (Some(A), Some(B)), (Some(Tie), None), (None, None)])).unwrap();
        assert_eq!(found.cells, [[1, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 1]]);
        assert_eq!((found.row_totals(), found.column_totals()), ([2, 0, 1, 1], [1, 1, 0, 2]));
    }

    #[test]
    fn a_fold_of_unknown_direction_is_not_put_anywhere() {
        let mut one = sheet(&[(Some(A), Some(A))]);
        one.rows[0].folded = true;
        assert_eq!(orders(&one).unwrap_err().reason, Reason::DirectionUnknown);
    }
}
