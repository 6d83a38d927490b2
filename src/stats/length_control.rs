//! What would the win rate be if both answers were equally long? The length-controlled win rate, fitted on the run
//! itself.

use super::estimate::{NotEstimable, Reason};
use super::glm::{Regression, logistic};
use super::mean::{average, variance};
use super::newton::logistic as expit;

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
/// - Not estimable: no row (`empty`), preferences outside 0..=1 or infinite values (`invalid`), or as [`logistic`].
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
    let design: Vec<Vec<f64>> = rows
        .iter()
        .map(|row| {
            let mut columns = vec![(row.delta_length / spread).tanh()];
            columns.extend(with_difficulty.then_some(row.difficulty));
            columns.push(1.0);
            columns
        })
        .collect();
    let fit = logistic(Regression { rows: &design, outcomes: &outcomes, clusters: None })?;
    let at_equal_length: Vec<f64> =
        design.iter().map(|row| expit(row.iter().zip(&fit.coefficients).skip(1).map(|(x, b)| x * b).sum())).collect();
    Ok(LengthControlled { raw, controlled: average(&at_equal_length), coefficients: Some(fit.coefficients) })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

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
}
