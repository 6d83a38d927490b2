//! How strong is each system, and how ready is the judge to say "tie"? Davidson's and Rao and Kupper's models.
//!
//! Half-win Bradley-Terry ([`bradley_terry`](super::rating::bradley_terry)) is the default; these are its sensitivity
//! check.

use nalgebra::{DMatrix, DVector};

use super::estimate::{NotEstimable, Reason};
use super::newton::{Evaluation, ln_logistic, logistic, maximise, small};
use super::rating::{Wins, centred};

/// Strengths and a tie parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct TieFit {
    /// Natural-log strengths with mean zero.
    pub strengths: Vec<f64>,
    /// Davidson's `ν` (0 is no ties) or Rao and Kupper's `η` (1 is no ties).
    pub tie: f64,
    /// Maximised log likelihood, without constants.
    pub log_likelihood: f64,
}

/// Davidson's model: `P(i) : P(j) : P(tie) = π_i : π_j : ν·√(π_i·π_j)`.
///
/// - Estimates: log strengths and the readiness to tie between equals, `ν/(2 + ν)`.
/// - Formula: maximum likelihood by Newton steps; it is a conditional logit, so the likelihood is concave.
/// - Assumes: independent games. `ties[i][j] = ties[j][i]` counts the ties of a pair once.
/// - Not estimable: ties not symmetric or of another size (`invalid`); as
///   [`bradley_terry`](super::rating::bradley_terry) with ties linking both ways; no tie, or nothing but ties
///   (`separated`).
/// - Cost: players³ a step. Source: Davidson 1970, JASA 65. Pinned by the family `bradley_terry`, kind
///   `davidson`, and by `two_players_have_a_closed_form`.
pub fn davidson(wins: &Wins, ties: &[Vec<f64>]) -> Result<TieFit, NotEstimable> {
    fit(wins, ties, 0.0, davidson_pair).map(|fit| TieFit { tie: fit.tie.exp(), ..fit })
}

/// Rao and Kupper's model: `P(i) = π_i/(π_i + η·π_j)`, the rest is tied.
///
/// - Estimates: log strengths and the threshold `ln η` below which a difference is called a tie.
/// - Formula: maximum likelihood by Newton steps; concave in the strengths and `ln η`.
/// - Assumes, not estimable, cost: as [`davidson`].
/// - Source: Rao and Kupper 1967, JASA 62. Pinned by the family `bradley_terry`, kind `rao_kupper`.
pub fn rao_kupper(wins: &Wins, ties: &[Vec<f64>]) -> Result<TieFit, NotEstimable> {
    fit(wins, ties, 0.5, rao_kupper_pair).map(|fit| TieFit { tie: fit.tie.exp(), ..fit })
}

/// What one pair of players adds to the log likelihood.
struct PairTerm {
    value: f64,
    /// Slope in the gap of strengths and in the tie parameter.
    slope: [f64; 2],
    /// Negative second derivatives: gap-gap, gap-tie, tie-tie.
    curve: [f64; 3],
}

/// Counts of one pair: wins of the first, wins of the second, ties.
#[derive(Clone, Copy)]
struct PairCounts {
    first: f64,
    second: f64,
    tied: f64,
}

fn fit(
    wins: &Wins,
    ties: &[Vec<f64>],
    start: f64,
    pair: fn(f64, f64, PairCounts) -> Option<PairTerm>,
) -> Result<TieFit, NotEstimable> {
    let players = wins.players();
    let fits = ties.len() == players
        && (0..players).all(|i| {
            ties[i].len() == players && (0..players).all(|j| i == j || (ties[i][j] >= 0.0 && ties[i][j] == ties[j][i]))
        });
    if !fits {
        return Err(NotEstimable::with_n(Reason::Invalid, players as u64));
    }
    let pairs = || (0..players).flat_map(|i| (i + 1..players).map(move |j| (i, j)));
    let half = |i: usize, j: usize| wins.count(i, j) + ties[i][j] / 2.0;
    let linked = (0..players).map(|i| (0..players).map(|j| if i == j { 0.0 } else { half(i, j) }).collect()).collect();
    Wins::new(linked)?.connectivity().checked()?;
    let tied: f64 = pairs().map(|(i, j)| ties[i][j]).sum();
    let decided: f64 = pairs().map(|(i, j)| wins.count(i, j) + wins.count(j, i)).sum();
    if tied == 0.0 || decided == 0.0 {
        return Err(NotEstimable::with_n(Reason::Separated, players as u64));
    }
    let evaluate = |at: &DVector<f64>| {
        let size = players - 1;
        let strength = |player: usize| if player < size { at[player] } else { 0.0 };
        let mut total =
            Evaluation { value: 0.0, gradient: DVector::zeros(players), information: DMatrix::zeros(players, players) };
        for (i, j) in pairs() {
            let counts = PairCounts { first: wins.count(i, j), second: wins.count(j, i), tied: ties[i][j] };
            if counts.first + counts.second + counts.tied > 0.0 {
                let term = pair(strength(i) - strength(j), at[size], counts)?;
                add(&mut total, &term, i, j);
            }
        }
        Some(total)
    };
    let mut begin = DVector::zeros(players);
    begin[players - 1] = start;
    let maximum =
        maximise(begin, evaluate, small).map_err(|absence| NotEstimable::with_n(absence.reason, players as u64))?;
    let free = maximum.point.rows(0, players - 1).into_owned();
    Ok(TieFit { strengths: centred(&free), tie: maximum.point[players - 1], log_likelihood: maximum.at.value })
}

/// Adds a pair's term; the last coordinate is the tie parameter, and the last player's strength is fixed.
fn add(total: &mut Evaluation, term: &PairTerm, i: usize, j: usize) {
    let tie = total.gradient.len() - 1;
    total.value += term.value;
    total.gradient[tie] += term.slope[1];
    total.information[(tie, tie)] += term.curve[2];
    // Player i comes before j, so only j can be the fixed one.
    let signed: &[(usize, f64)] = if j < tie { &[(i, 1.0), (j, -1.0)] } else { &[(i, 1.0)] };
    for (a, sign) in signed {
        total.gradient[*a] += sign * term.slope[0];
        total.information[(*a, tie)] += sign * term.curve[1];
        total.information[(tie, *a)] += sign * term.curve[1];
        for (b, other) in signed {
            total.information[(*a, *b)] += sign * other * term.curve[0];
        }
    }
}

/// `tie` is `ln ν`. Always `Some`: the model has no border.
#[allow(clippy::unnecessary_wraps)]
fn davidson_pair(gap: f64, tie: f64, counts: PairCounts) -> Option<PairTerm> {
    let exponents = [gap / 2.0, -gap / 2.0, tie];
    let top = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = exponents.iter().map(|e| (e - top).exp()).sum();
    let [first, second, tied] = exponents.map(|e| (e - top).exp() / sum);
    let games = counts.first + counts.second + counts.tied;
    let seen = counts.first * exponents[0] + counts.second * exponents[1] + counts.tied * exponents[2];
    let lean = (first - second) / 2.0;
    Some(PairTerm {
        value: seen - games * (top + sum.ln()),
        slope: [(counts.first - counts.second) / 2.0 - games * lean, counts.tied - games * tied],
        curve: [games * ((first + second) / 4.0 - lean * lean), -games * lean * tied, games * tied * (1.0 - tied)],
    })
}

/// `tie` is `ln η`, which must be above zero.
fn rao_kupper_pair(gap: f64, tie: f64, counts: PairCounts) -> Option<PairTerm> {
    if tie <= 0.0 {
        return None;
    }
    let (up, down) = (counts.first + counts.tied, counts.second + counts.tied);
    let (first, second) = (logistic(gap - tie), logistic(-gap - tie));
    let square = (2.0 * tie).exp();
    let ratio = square / (square - 1.0);
    let value = up * ln_logistic(gap - tie) + down * ln_logistic(-gap - tie) + counts.tied * (square - 1.0).ln();
    let (weight_up, weight_down) = (up * first * (1.0 - first), down * second * (1.0 - second));
    Some(PairTerm {
        value,
        slope: [
            up * (1.0 - first) - down * (1.0 - second),
            counts.tied * 2.0 * ratio - up * (1.0 - first) - down * (1.0 - second),
        ],
        curve: [
            weight_up + weight_down,
            weight_down - weight_up,
            weight_up + weight_down + counts.tied * 4.0 * ratio / (square - 1.0),
        ],
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn pair(first: f64, second: f64, tied: f64) -> (Wins, Vec<Vec<f64>>) {
        let wins = Wins::new(vec![vec![0.0, first], vec![second, 0.0]]).unwrap();
        (wins, vec![vec![0.0, tied], vec![tied, 0.0]])
    }

    /// Two players and two parameters fit the shares exactly: π ratio 6/3, ν = 4/√18, and the saturated likelihood for
    /// both models.
    #[test]
    fn two_players_have_a_closed_form() {
        let (wins, ties) = pair(6.0, 3.0, 4.0);
        let fit = davidson(&wins, &ties).unwrap();
        assert!((fit.strengths[0] - fit.strengths[1] - 2.0_f64.ln()).abs() < 1e-9);
        assert!((fit.tie - 4.0 / 18.0_f64.sqrt()).abs() < 1e-9);
        let saturated: f64 = [6.0, 3.0, 4.0].iter().map(|c: &f64| c * (c / 13.0).ln()).sum();
        assert!((fit.log_likelihood - saturated).abs() < 1e-9);
        assert!((rao_kupper(&wins, &ties).unwrap().log_likelihood - saturated).abs() < 1e-9);
    }

    #[test]
    fn without_ties_or_without_wins_there_is_no_tie_parameter() {
        let (wins, ties) = pair(6.0, 3.0, 0.0);
        assert_eq!(davidson(&wins, &ties).unwrap_err().reason, Reason::Separated);
        let (wins, ties) = pair(0.0, 0.0, 5.0);
        assert_eq!(rao_kupper(&wins, &ties).unwrap_err().reason, Reason::Separated);
    }

    #[test]
    fn crooked_ties_are_refused() {
        let (wins, _) = pair(6.0, 3.0, 0.0);
        let crooked = vec![vec![0.0, 1.0], vec![2.0, 0.0]];
        assert_eq!(davidson(&wins, &crooked).unwrap_err().reason, Reason::Invalid);
    }
}
