//! What would the win rate be were both responses equally long?

use super::scores::Scores;
use crate::domain::GoldSet;
use crate::stats::length_control::{LengthRow, length_controlled_interval};
use crate::stats::resample::Resampling;
use crate::stats::{Figure, Level, NotEstimable, Reason};

/// A resample costs a whole fit, so there are fewer of them than elsewhere.
const MOST_RESAMPLES: usize = 1_000;
/// Below this many an interval is not worth its name.
const LEAST_RESAMPLES: usize = 200;
/// Rows that all fits together may go through, so that large runs end.
const MOST_ROWS: usize = 20_000_000;

/// The length-controlled win rate, fitted on this run alone. Not recorded where a length is missing.
pub(super) fn length_controlled(items: &GoldSet, scores: &Scores, resampling: &Resampling) -> Figure {
    let n = scores.singles.len();
    let row = |single: &super::scores::Single| {
        let item = &items.items[single.item];
        let delta_length = item.length_a? as f64 - item.length_b? as f64;
        Some(LengthRow { preference: single.plain, delta_length, difficulty: 0.0 })
    };
    let rows: Option<Vec<LengthRow>> = scores.singles.iter().map(row).collect();
    let Some(rows) = rows else { return Err(NotEstimable::with_n(Reason::NotRecorded, n as u64)) };
    let units: Vec<usize> = scores.singles.iter().map(|single| single.unit).collect();
    let affordable = (MOST_ROWS / n.max(1)).clamp(LEAST_RESAMPLES, MOST_RESAMPLES);
    let resampling =
        Resampling { resamples: resampling.resamples.min(affordable), seed: resampling.seed.child("length") };
    length_controlled_interval(&rows, &units, &resampling, Level::P95)
}
