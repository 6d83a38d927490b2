//! What would the win rate be if both answers were equally long? The length-controlled win rate, fitted on the run
//! itself.

use rayon::prelude::*;

use super::estimate::{Estimate, Figure, Level, NotEstimable, Reason};
use super::glm::{Design, coefficients};
use super::mean::{average, variance};
use super::newton::logistic as expit;
use super::resample::{Resampled, Resampling, percentile_of};

/// Comparisons below which no fit is made.
const FEWEST: usize = 50;

/// Resamples whose fit may fail before the interval is given up.
const MAX_FAILED_SHARE: f64 = 0.05;

/// One comparison with the baseline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LengthRow {
    /// Preference for the system in 0..=1; a tie is ½.
    pub preference: f64,
    /// Length of the system's answer minus that of the baseline's, in one unit throughout.
    pub delta_length: f64,
    /// How hard the item is, where known; 0 for all where not.
    pub difficulty: f64,
}

/// A win rate as it is and with the effect of length taken off.
#[derive(Debug, Clone, PartialEq)]
pub struct LengthControlled {
    /// Mean preference.
    pub raw: f64,
    /// Mean prediction with the length term set to zero.
    pub controlled: f64,
    /// Coefficients of length, difficulty (only where it varies) and intercept; `None` where all lengths are equal.
    pub coefficients: Option<Vec<f64>>,
}

/// The length-controlled win rate ("local fit": unpenalised, on this run alone).
///
/// - Estimates: the mean preference if every pair had equal lengths.
/// - Formula: logistic regression of the preference on `tanh(Δ/sd(Δ))`, difficulty and an intercept; mean prediction at
///   `Δ = 0`.
/// - Assumes: length acts through the tanh term alone. Get the interval by refitting in an item bootstrap. Not the
///   leaderboard figure of `AlpacaEval` 2, which adds penalties and outside data.
/// - Not estimable: no row (`empty`), preferences outside 0..=1 or infinite values (`invalid`), or as [`super::glm::logistic`].
///   Equal lengths throughout: `controlled = raw`.
/// - Cost: one fit. Source: Dubois et al. 2024, arXiv 2404.04475. Pinned by the family
///   `length_controlled_winrate`.
pub fn length_controlled_win_rate(rows: &[LengthRow]) -> Result<LengthControlled, NotEstimable> {
    let n = rows.len() as u64;
    if rows.is_empty() {
        return Err(NotEstimable::with_n(Reason::Empty, 0));
    }
    let fits = |row: &LengthRow| {
        (0.0..=1.0).contains(&row.preference) && row.delta_length.is_finite() && row.difficulty.is_finite()
    };
    if !rows.iter().all(fits) {
        return Err(NotEstimable::with_n(Reason::Invalid, n));
    }
    let outcomes: Vec<f64> = rows.iter().map(|row| row.preference).collect();
    let deltas: Vec<f64> = rows.iter().map(|row| row.delta_length).collect();
    let raw = average(&outcomes);
    if deltas.iter().all(|delta| *delta == deltas[0]) {
        return Ok(LengthControlled { raw, controlled: raw, coefficients: None });
    }
    let spread = variance(&deltas, 1.0).sqrt();
    let with_difficulty = rows.iter().any(|row| row.difficulty != rows[0].difficulty);
    let columns = if with_difficulty { 3 } else { 2 };
    let mut cells = Vec::with_capacity(columns * rows.len());
    for row in rows {
        cells.push((row.delta_length / spread).tanh());
        cells.extend(with_difficulty.then_some(row.difficulty));
        cells.push(1.0);
    }
    if !cells.iter().all(|cell| cell.is_finite()) {
        return Err(NotEstimable::with_n(Reason::Invalid, n));
    }
    let fitted = coefficients(&Design { cells: &cells, columns }, &outcomes)?;
    let at_equal_length: Vec<f64> = if with_difficulty {
        let rest = |row: &[f64]| row.iter().zip(&fitted).skip(1).map(|(x, b)| x * b).sum();
        cells.chunks_exact(columns).map(|row| expit(rest(row))).collect()
    } else {
        // Nothing but the intercept is left, the same for all.
        vec![expit(fitted[1]); rows.len()]
    };
    Ok(LengthControlled { raw, controlled: average(&at_equal_length), coefficients: Some(fitted) })
}

/// The length-controlled win rate with a bootstrap interval over groups (method `length_control`): the whole fit, the
/// spread of the lengths included, is made anew on every resample.
///
/// - Estimates, assumes: as [`length_controlled_win_rate`]; `groups[i]` names the group of `rows[i]`.
/// - Formula: as there; quantiles (type 7) of the refitted values.
/// - Not estimable: fewer than fifty comparisons, or one group (`too_few`); lengths without spread, where the figure would
///   be the win rate itself (`constant`); a perfect split, also in more than 5 % of the resamples (`separated`); lists of
///   different lengths (`invalid`); as there.
/// - Cost: `resamples` fits, in parallel.
/// - Source: as there, with the bootstrap of Efron 1979 instead of the published standard error, which leaves the error of
///   the coefficients out. Pinned by `the_interval_holds_the_point_and_widens_where_items_are_copies`.
pub fn length_controlled_interval(
    rows: &[LengthRow],
    groups: &[usize],
    resampling: &Resampling,
    level: Level,
) -> Figure {
    let n = rows.len() as u64;
    if groups.len() != rows.len() {
        return Err(NotEstimable::with_n(Reason::Invalid, n));
    }
    let mut units: Vec<Vec<LengthRow>> = vec![Vec::new(); groups.iter().map(|group| group + 1).max().unwrap_or(0)];
    for (row, group) in rows.iter().zip(groups) {
        units[*group].push(*row);
    }
    units.retain(|unit| !unit.is_empty());
    if rows.len() < FEWEST || units.len() < 2 {
        return Err(NotEstimable::with_n(Reason::TooFew, n));
    }
    let whole = length_controlled_win_rate(rows)?;
    if whole.coefficients.is_none() {
        return Err(NotEstimable::with_n(Reason::Constant, n));
    }
    let refitted: Vec<f64> = (0..resampling.resamples)
        .into_par_iter()
        .filter_map(|replicate| {
            let mut stream = resampling.seed.stream(replicate as u64);
            let mut drawn = Vec::with_capacity(rows.len());
            for _ in 0..units.len() {
                let unit = usize::try_from(stream.below(units.len() as u64)).unwrap_or(0);
                drawn.extend_from_slice(&units[unit]);
            }
            length_controlled_win_rate(&drawn).ok().map(|fit| fit.controlled)
        })
        .collect();
    let failed = (resampling.resamples - refitted.len()) as f64;
    if failed > MAX_FAILED_SHARE * resampling.resamples as f64 {
        return Err(NotEstimable::with_n(Reason::Separated, n));
    }
    let estimate = percentile_of(whole.controlled, &Resampled::drawn(refitted), n, level)?;
    Ok(Estimate { method: "length_control", ..estimate })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::stats::Seed;

    fn row(preference: f64, delta_length: f64) -> LengthRow {
        LengthRow { preference, delta_length, difficulty: 0.0 }
    }

    #[test]
    fn equal_lengths_leave_the_win_rate_alone() {
        let rows = [row(1.0, 10.0), row(0.0, 10.0), row(0.5, 10.0), row(1.0, 10.0)];
        let figure = length_controlled_win_rate(&rows).unwrap();
        assert_eq!(figure, LengthControlled { raw: 0.625, controlled: 0.625, coefficients: None });
    }

    #[test]
    fn a_preference_for_length_alone_is_controlled_away() {
        // Longer wins three of four times, shorter loses as often, and the system is longer most of the time.
        let rows: Vec<LengthRow> = (0..80)
            .map(|i| {
                let longer = i < 60;
                let wins = if longer { i % 4 != 0 } else { i % 4 == 0 };
                row(f64::from(u8::from(wins)), if longer { 100.0 } else { -100.0 })
            })
            .collect();
        let figure = length_controlled_win_rate(&rows).unwrap();
        assert!(figure.raw > 0.6 && (figure.controlled - 0.5).abs() < 0.03, "{figure:?}");
        assert_eq!(length_controlled_win_rate(&[]).unwrap_err().reason, Reason::Empty);
        assert_eq!(length_controlled_win_rate(&[row(2.0, 1.0)]).unwrap_err().reason, Reason::Invalid);
    }

    /// The system is longer in two of three comparisons, and the longer answer wins more often than it should.
    fn biased(many: usize) -> Vec<LengthRow> {
        (0..many)
            .map(|i| {
                let longer = i % 3 != 0;
                let wins = if longer { i % 5 != 0 } else { i % 4 == 0 };
                row(f64::from(u8::from(wins)), if longer { 80.0 + i as f64 } else { -90.0 - i as f64 })
            })
            .collect()
    }

    #[test]
    fn the_interval_holds_the_point_and_widens_where_items_are_copies() {
        let rows = biased(90);
        let resampling = Resampling { resamples: 400, seed: Seed(3) };
        let interval = |rows: &[LengthRow], groups: Vec<usize>| {
            length_controlled_interval(rows, &groups, &resampling, Level::P95).unwrap()
        };
        let single = interval(&rows, (0..90).collect());
        let raw = length_controlled_win_rate(&rows).unwrap().raw;
        assert!(single.lower < single.point && single.point < single.upper, "{single:?}");
        assert!(single.point < raw, "the length bias is taken off: {single:?}, raw {raw}");
        let fourfold: Vec<LengthRow> = rows.iter().flat_map(|row| [*row; 4]).collect();
        let taken_apart = interval(&fourfold, (0..360).collect());
        let together = interval(&fourfold, (0..360).map(|i| i / 4).collect());
        assert!(together.upper - together.lower > 1.6 * (taken_apart.upper - taken_apart.lower));
    }

    #[test]
    fn exchanging_the_systems_mirrors_the_interval() {
        let resampling = Resampling { resamples: 200, seed: Seed(3) };
        let rows = biased(60);
        let mirrored: Vec<LengthRow> = rows.iter().map(|r| row(1.0 - r.preference, -r.delta_length)).collect();
        let groups: Vec<usize> = (0..60).collect();
        let [one, other] =
            [rows, mirrored].map(|rows| length_controlled_interval(&rows, &groups, &resampling, Level::P95).unwrap());
        assert!((one.point + other.point - 1.0).abs() < 1e-9 && (one.lower + other.upper - 1.0).abs() < 1e-9);
    }

    #[test]
    fn few_comparisons_equal_lengths_and_a_perfect_split_are_refused() {
        let resampling = Resampling { resamples: 200, seed: Seed(3) };
        let reason = |rows: &[LengthRow]| {
            let groups: Vec<usize> = (0..rows.len()).collect();
            length_controlled_interval(rows, &groups, &resampling, Level::P95).unwrap_err().reason
        };
        assert_eq!(reason(&biased(49)), Reason::TooFew);
        assert_eq!(reason(&vec![row(1.0, 3.0); 60]), Reason::Constant);
        let split: Vec<LengthRow> =
            (0..60).map(|i| row(f64::from(u8::from(i % 2 == 0)), if i % 2 == 0 { 9.0 } else { -9.0 })).collect();
        assert_eq!(reason(&split), Reason::Separated);
    }
}
