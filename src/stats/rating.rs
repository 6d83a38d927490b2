//! How strong is each system, judged from pairs? Bradley-Terry strengths, their errors, and whether they exist at all.

use std::collections::BTreeMap;

use nalgebra::{DMatrix, DVector};

use super::estimate::{NotEstimable, Reason};
use super::newton::{Evaluation, inverse, ln_logistic, logistic, maximise, small};
use super::special::chi_square_sf;

/// `wins[i][j]` is how often `i` beat `j`; a tie is one half on each side.
#[derive(Debug, Clone, PartialEq)]
pub struct Wins(Vec<Vec<f64>>);

/// One comparison of two players.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Game {
    /// First player.
    pub first: usize,
    /// Second player.
    pub second: usize,
    /// Score of the first: 1, ½ or 0.
    pub score: f64,
}

impl Wins {
    /// A square matrix of counts, none negative; the diagonal is ignored.
    ///
    /// Not estimable: no player (`empty`), not square, negative or infinite (`invalid`).
    pub fn new(matrix: Vec<Vec<f64>>) -> Result<Self, NotEstimable> {
        let players = matrix.len();
        if players == 0 {
            return Err(NotEstimable::with_n(Reason::Empty, 0));
        }
        let fits = |row: &Vec<f64>| row.len() == players && row.iter().all(|count| count.is_finite() && *count >= 0.0);
        if !matrix.iter().all(fits) {
            return Err(NotEstimable::with_n(Reason::Invalid, players as u64));
        }
        Ok(Self(matrix))
    }

    /// The matrix of these games.
    ///
    /// Not estimable: no player (`empty`), a player outside `0..players`, against itself, or a score outside 0..=1
    /// (`invalid`).
    pub fn of_games(players: usize, games: &[Game]) -> Result<Self, NotEstimable> {
        let mut matrix = vec![vec![0.0; players]; players];
        for game in games {
            checked_game(players, game)?;
            matrix[game.first][game.second] += game.score;
            matrix[game.second][game.first] += 1.0 - game.score;
        }
        Self::new(matrix)
    }

    /// Number of players.
    pub fn players(&self) -> usize {
        self.0.len()
    }

    /// How often `winner` beat `loser`.
    pub fn count(&self, winner: usize, loser: usize) -> f64 {
        if winner == loser { 0.0 } else { self.0[winner][loser] }
    }

    fn games(&self, one: usize, other: usize) -> f64 {
        self.count(one, other) + self.count(other, one)
    }

    /// Which players can be compared with each other.
    ///
    /// - Weak components: linked by any game. Across them nothing can be compared.
    /// - Strong components: each player beats the others by a chain of wins. Strengths are finite within one only (Ford
    ///   1957).
    /// - Cost: players³. Pinned by the family `bradley_terry`, kind `check`.
    pub fn connectivity(&self) -> Connectivity {
        let beats = |one: usize, other: usize| self.count(one, other) > 0.0;
        let meets = |one: usize, other: usize| self.games(one, other) > 0.0;
        let reach = closure(self.players(), beats);
        let touch = closure(self.players(), meets);
        Connectivity {
            weak: components(self.players(), |one, other| touch[one][other]),
            strong: components(self.players(), |one, other| reach[one][other] && reach[other][one]),
        }
    }

    /// The same counts among these players only, in this order.
    #[must_use]
    pub fn among(&self, players: &[usize]) -> Self {
        Self(players.iter().map(|one| players.iter().map(|other| self.count(*one, *other)).collect()).collect())
    }
}

/// Groups of players that can be compared; each group and the list of groups in order of the smallest player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connectivity {
    /// Players linked by games.
    pub weak: Vec<Vec<usize>>,
    /// Players linked by chains of wins in both directions.
    pub strong: Vec<Vec<usize>>,
}

impl Connectivity {
    /// Whether every player is linked to every other by games.
    pub fn is_connected(&self) -> bool {
        self.weak.len() == 1
    }

    /// Whether the strengths of all players exist.
    pub fn is_strongly_connected(&self) -> bool {
        self.strong.len() == 1
    }

    pub(crate) fn checked(&self) -> Result<(), NotEstimable> {
        if !self.is_connected() {
            return Err(NotEstimable::with_n(Reason::Disconnected, self.weak.len() as u64));
        }
        if !self.is_strongly_connected() {
            return Err(NotEstimable::with_n(Reason::Separated, self.strong.len() as u64));
        }
        Ok(())
    }
}

/// Fitted strengths with their covariance.
#[derive(Debug, Clone, PartialEq)]
pub struct BradleyTerry {
    /// Natural-log strengths with mean zero; `P(i beats j) = 1/(1 + e^{b_j − b_i})`.
    pub strengths: Vec<f64>,
    /// Covariance of the centred strengths (Moore-Penrose inverse of the information), row by row.
    pub covariance: Vec<Vec<f64>>,
    /// Maximised log likelihood.
    pub log_likelihood: f64,
}

/// Bradley-Terry strengths by maximum likelihood.
///
/// - Estimates: the log odds of one player beating another, as a difference of strengths.
/// - Formula: maximum of `Σ w_ij·ln(1/(1+e^{b_j−b_i}))` with `Σ b = 0`, by Newton steps.
/// - Assumes: independent games (else use [`sandwich_covariance`]); strengths on one line. Ties as half wins: a
///   quasi-likelihood.
/// - Not estimable: players not linked by games (`disconnected`); unbeaten or winless ones, whose strength is infinite
///   (`separated`). `n` is the number of components then. Never a silent penalty.
/// - Cost: players³ a step, about ten steps.
/// - Source: Bradley and Terry 1952; Zermelo 1929; Ford 1957 (existence). Pinned by the family `bradley_terry` and by
///   `two_players_have_the_log_odds_of_their_score`.
pub fn bradley_terry(wins: &Wins) -> Result<BradleyTerry, NotEstimable> {
    wins.connectivity().checked()?;
    let free = wins.players() - 1;
    let maximum = maximise(DVector::zeros(free), |at| Some(evaluate(wins, at)), small)
        .map_err(|absence| NotEstimable::with_n(absence.reason, wins.players() as u64))?;
    let strengths = centred(&maximum.point);
    let covariance = pseudo_inverse(&information(wins, &strengths))?;
    Ok(BradleyTerry { covariance: rows_of(&covariance), strengths, log_likelihood: maximum.at.value })
}

impl BradleyTerry {
    /// Standard error of each strength minus that of `anchor`, under a covariance such as [`Self::covariance`]; 0 for
    /// the anchor itself.
    ///
    /// Not estimable: no such player, or a covariance of another size (`invalid`).
    pub fn se_against(&self, anchor: usize, covariance: &[Vec<f64>]) -> Result<Vec<f64>, NotEstimable> {
        (0..self.strengths.len()).map(|player| contrast_se(covariance, player, anchor)).collect()
    }

    /// Strengths on the scale of chess ratings: `anchor_rating + 400/ln 10·(b − b_anchor)`.
    ///
    /// Not estimable: no such player (`invalid`).
    pub fn ratings(&self, anchor: usize, anchor_rating: f64) -> Result<Vec<f64>, NotEstimable> {
        let base = self.strengths.get(anchor).ok_or(NotEstimable::because(Reason::Invalid))?;
        Ok(self.strengths.iter().map(|b| anchor_rating + rating_points(b - base)).collect())
    }
}

/// A difference of natural-log strengths in rating points: `400/ln 10` times it.
pub fn rating_points(difference: f64) -> f64 {
    400.0 / std::f64::consts::LN_10 * difference
}

/// The standard error of the difference of two strengths under a covariance.
///
/// Not estimable: no such player (`invalid`).
pub fn contrast_se(covariance: &[Vec<f64>], one: usize, other: usize) -> Result<f64, NotEstimable> {
    let at = |i: usize, j: usize| {
        covariance.get(i).and_then(|row| row.get(j)).copied().ok_or(NotEstimable::because(Reason::Invalid))
    };
    if one == other {
        return at(one, one).map(|_| 0.0);
    }
    Ok((at(one, one)? + at(other, other)? - at(one, other)? - at(other, one)?).max(0.0).sqrt())
}

/// The covariance of the strengths when games of one cluster depend on each other.
///
/// - Estimates: as [`BradleyTerry::covariance`], robust to dependence within clusters and to a wrong variance (ties as
///   halves).
/// - Formula: `C·(Σ_c u_c·u_c')·C` with the score sums `u_c` of the clusters; no small-sample factor.
/// - Assumes: independent clusters, many of them. Without clusters every game is its own.
/// - Not estimable: a game outside the players or clusters of another length (`invalid`).
/// - Cost: games + clusters × players². Source: White 1982; Liang and Zeger 1986. Pinned by the family `bradley_terry`,
///   kind `rows`.
pub fn sandwich_covariance(
    fit: &BradleyTerry,
    games: &[Game],
    clusters: Option<&[usize]>,
) -> Result<Vec<Vec<f64>>, NotEstimable> {
    let players = fit.strengths.len();
    if clusters.is_some_and(|clusters| clusters.len() != games.len()) || fit.covariance.len() != players {
        return Err(NotEstimable::with_n(Reason::Invalid, games.len() as u64));
    }
    let mut scores = BTreeMap::<usize, DVector<f64>>::new();
    for (number, game) in games.iter().enumerate() {
        checked_game(players, game)?;
        let surprise = game.score - logistic(fit.strengths[game.first] - fit.strengths[game.second]);
        let cluster = clusters.map_or(number, |clusters| clusters[number]);
        let score = scores.entry(cluster).or_insert_with(|| DVector::zeros(players));
        score[game.first] += surprise;
        score[game.second] -= surprise;
    }
    let bread = DMatrix::from_fn(players, players, |i, j| fit.covariance[i][j]);
    let mut meat = DMatrix::zeros(players, players);
    for score in scores.values() {
        meat.ger(1.0, score, score, 1.0);
    }
    Ok(rows_of(&(&bread * meat * &bread)))
}

/// How well strengths on one line explain the results.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// Twice the log likelihood lost against a separate probability for every pair.
    pub deviance: f64,
    /// Pairs that met, minus players, plus one.
    pub degrees: u64,
    /// Chance of at least this deviance if strengths lie on one line.
    pub p: f64,
}

/// Tests whether one strength per player explains the results: cycles and styles that beat each other show here.
///
/// - Formula: `2·Σ w_ij·ln(share_ij/p_ij)` against chi-square on `pairs − (K − 1)` degrees of freedom.
/// - Assumes: independent games without ties, several per pair; ties as halves make it conservative.
/// - Not estimable: strengths of other players (`invalid`), as many strengths as pairs (`too_few`).
/// - Cost: players². Source: Bradley 1954; Agresti 2013. Pinned by `a_perfect_cycle_does_not_fit`.
pub fn fit_test(wins: &Wins, fit: &BradleyTerry) -> Result<Fit, NotEstimable> {
    let players = wins.players();
    if fit.strengths.len() != players {
        return Err(NotEstimable::with_n(Reason::Invalid, players as u64));
    }
    let (mut deviance, mut met) = (0.0, 0_u64);
    for one in 0..players {
        for other in one + 1..players {
            let games = wins.games(one, other);
            if games > 0.0 {
                met += 1;
                let gap = fit.strengths[one] - fit.strengths[other];
                let term = |count: f64, log: f64| if count > 0.0 { count * ((count / games).ln() - log) } else { 0.0 };
                deviance +=
                    term(wins.count(one, other), ln_logistic(gap)) + term(wins.count(other, one), ln_logistic(-gap));
            }
        }
    }
    let degrees = (met + 1).saturating_sub(players as u64);
    if degrees == 0 {
        return Err(NotEstimable::with_n(Reason::TooFew, met));
    }
    let deviance = (2.0 * deviance).max(0.0);
    Ok(Fit { deviance, degrees, p: chi_square_sf(deviance, degrees as f64) })
}

/// Online Elo ratings, for display beside others' output: they depend on the order of the games and have no error.
///
/// - Formula: `R += K·(score − 1/(1 + 10^{(R_b − R_a)/400}))`, both players from the old ratings.
/// - Not estimable: a game outside the players, against oneself, or a score outside 0..=1 (`invalid`).
/// - Cost: linear. Source: Elo 1978. Pinned by the family `elo` and by `the_first_win_between_equals_moves_half_of_k`.
pub fn elo(players: usize, games: &[Game], k: f64, initial: f64) -> Result<Vec<f64>, NotEstimable> {
    let mut ratings = vec![initial; players];
    for game in games {
        checked_game(players, game)?;
        let expected = 1.0 / (1.0 + 10_f64.powf((ratings[game.second] - ratings[game.first]) / 400.0));
        let change = k * (game.score - expected);
        ratings[game.first] += change;
        ratings[game.second] -= change;
    }
    Ok(ratings)
}

fn checked_game(players: usize, game: &Game) -> Result<(), NotEstimable> {
    let known = game.first < players && game.second < players && game.first != game.second;
    if known && (0.0..=1.0).contains(&game.score) { Ok(()) } else { Err(NotEstimable::because(Reason::Invalid)) }
}

/// All strengths from the free ones: the last is fixed at zero, then the mean is taken off.
pub(crate) fn centred(free: &DVector<f64>) -> Vec<f64> {
    let mut strengths: Vec<f64> = free.iter().copied().collect();
    strengths.push(0.0);
    let mean = strengths.iter().sum::<f64>() / strengths.len() as f64;
    strengths.iter().map(|b| b - mean).collect()
}

fn evaluate(wins: &Wins, free: &DVector<f64>) -> Evaluation {
    let size = free.len();
    let strength = |player: usize| if player < size { free[player] } else { 0.0 };
    let mut value = 0.0;
    let mut gradient = DVector::zeros(size);
    let mut curvature = DMatrix::zeros(size, size);
    for one in 0..wins.players() {
        for other in one + 1..wins.players() {
            let games = wins.games(one, other);
            if games == 0.0 {
                continue;
            }
            let gap = strength(one) - strength(other);
            let p = logistic(gap);
            value += wins.count(one, other) * ln_logistic(gap) + wins.count(other, one) * ln_logistic(-gap);
            let surprise = wins.count(one, other) - games * p;
            let weight = games * p * (1.0 - p);
            gradient[one] += surprise;
            curvature[(one, one)] += weight;
            if other < size {
                gradient[other] -= surprise;
                curvature[(other, other)] += weight;
                curvature[(one, other)] -= weight;
                curvature[(other, one)] -= weight;
            }
        }
    }
    Evaluation { value, gradient, information: curvature }
}

fn information(wins: &Wins, strengths: &[f64]) -> DMatrix<f64> {
    let players = strengths.len();
    let mut matrix = DMatrix::zeros(players, players);
    for one in 0..players {
        for other in one + 1..players {
            let p = logistic(strengths[one] - strengths[other]);
            let weight = wins.games(one, other) * p * (1.0 - p);
            matrix[(one, one)] += weight;
            matrix[(other, other)] += weight;
            matrix[(one, other)] -= weight;
            matrix[(other, one)] -= weight;
        }
    }
    matrix
}

/// Moore-Penrose inverse of a connected graph's Laplacian: `(L + J/K)⁻¹ − J/K`.
fn pseudo_inverse(laplacian: &DMatrix<f64>) -> Result<DMatrix<f64>, NotEstimable> {
    let players = laplacian.nrows();
    let share = DMatrix::from_element(players, players, 1.0 / players as f64);
    let inverse = inverse(&(laplacian + &share)).ok_or(NotEstimable::with_n(Reason::Constant, players as u64))?;
    Ok(inverse - share)
}

fn rows_of(matrix: &DMatrix<f64>) -> Vec<Vec<f64>> {
    matrix.row_iter().map(|row| row.iter().copied().collect()).collect()
}

/// Who is linked to whom through any number of steps (everybody to oneself).
fn closure(players: usize, linked: impl Fn(usize, usize) -> bool) -> Vec<Vec<bool>> {
    let mut reach: Vec<Vec<bool>> =
        (0..players).map(|one| (0..players).map(|other| one == other || linked(one, other)).collect()).collect();
    for through in 0..players {
        let onward = reach[through].clone();
        for row in &mut reach {
            if row[through] {
                row.iter_mut().zip(&onward).for_each(|(seen, next)| *seen |= next);
            }
        }
    }
    reach
}

fn components(players: usize, together: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for player in 0..players {
        match groups.iter_mut().find(|group| together(group[0], player)) {
            Some(group) => group.push(player),
            None => groups.push(vec![player]),
        }
    }
    groups
}

#[cfg(test)]
#[path = "rating_tests.rs"]
mod tests;
