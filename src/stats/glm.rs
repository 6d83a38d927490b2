//! What shifts a binary or graded outcome, other things equal? Logistic regression with cluster-robust errors.
//!
//! No intercept is added: give one as a column where it belongs. A model of pairs whose columns all change sign when
//! the two answers change names has none, else the fit would depend on which answer is called first.

use std::collections::BTreeMap;

use nalgebra::{DMatrix, DVector};

use super::estimate::{Estimate, Figure, Level, NotEstimable, Reason};
use super::newton::{Evaluation, Judgement, Maximum, inverse, logistic as expit, maximise};
use super::proportion::two_sided_z;
use super::special::{chi_square_sf, normal_sf};

/// Newton steps after which a step that still separates the rows shows that it always will.
const STEPS_BEFORE_SEPARATION: usize = 15;

/// The data of a regression.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Regression<'a> {
    /// One row of covariates per observation, all of one length.
    pub rows: &'a [Vec<f64>],
    /// One outcome in 0..=1 per observation; a tie is ½.
    pub outcomes: &'a [f64],
    /// The cluster of each observation; without, every observation is its own.
    pub clusters: Option<&'a [usize]>,
}

/// A fitted logistic regression.
#[derive(Debug, Clone, PartialEq)]
pub struct LogisticFit {
    /// One coefficient per column, on the log odds scale.
    pub coefficients: Vec<f64>,
    /// Standard errors if the observations are independent and the outcomes 0 or 1.
    pub se_model: Vec<f64>,
    /// Cluster-robust standard errors without small-sample factor.
    pub se_cr0: Vec<f64>,
    /// Cluster-robust standard errors with the variance times `G/(G−1)`: those of record. `None` for a single cluster.
    pub se_cr1: Option<Vec<f64>>,
    /// Log likelihood at the maximum.
    pub log_likelihood: f64,
    /// Number of observations.
    pub n: u64,
    /// Number of clusters.
    pub clusters: u64,
    /// Whether every outcome is 0 or 1; else only the cluster-robust errors mean anything.
    pub binary: bool,
}

/// Maximum likelihood logistic regression, quasi-likelihood where outcomes are graded.
///
/// - Estimates: the change of the log odds of the outcome per unit of each covariate, the others held.
/// - Formula: maximum of `Σ y·ln p + (1−y)·ln(1−p)`, `p = 1/(1+e^{−x·b})`; model errors from the inverse information
///   `C`, robust ones from `C·(Σ_c u_c·u_c')·C` with the clusters' score sums `u_c`.
/// - Assumes: independent clusters; linear log odds.
/// - Not estimable: no row (`empty`), ragged rows or outcomes outside 0..=1 (`invalid`), columns that determine each
///   other (`constant`), outcomes that the columns split perfectly (`separated`), no end of the iteration
///   (`not_converged`).
/// - Cost: about ten passes, each rows × columns².
/// - Source: Nelder and Wedderburn 1972; Cox 1958; Liang and Zeger 1986, Biometrika 73; Albert and
///   Anderson 1984, Biometrika 71 (separation). Pinned by the family `logistic` and by
///   `the_study_hours_fit_is_reproduced`.
pub fn logistic(data: Regression<'_>) -> Result<LogisticFit, NotEstimable> {
    let columns = checked(data)?;
    let n = data.rows.len() as u64;
    let cells: Vec<f64> = data.rows.iter().flatten().copied().collect();
    let Peak { maximum, covariance } = peak(&Design { cells: &cells, columns }, data.outcomes)?;
    let design = DMatrix::from_fn(data.rows.len(), columns, |row, column| data.rows[row][column]);
    let outcomes = DVector::from_column_slice(data.outcomes);
    let fitted = (&design * &maximum.point).map(expit);
    let residuals = &outcomes - fitted;
    let (meat, clusters) = cluster_meat(&design, &residuals, data.clusters);
    let robust = &covariance * meat * &covariance;
    let roots = |matrix: &DMatrix<f64>| -> Vec<f64> { matrix.diagonal().iter().map(|v| v.max(0.0).sqrt()).collect() };
    let se_cr0 = roots(&robust);
    let factor = (clusters as f64 / (clusters as f64 - 1.0)).sqrt();
    Ok(LogisticFit {
        coefficients: maximum.point.iter().copied().collect(),
        se_model: roots(&covariance),
        se_cr1: (clusters > 1).then(|| se_cr0.iter().map(|se| se * factor).collect()),
        se_cr0,
        log_likelihood: maximum.at.value,
        n,
        clusters,
        binary: data.outcomes.iter().all(|y| *y == 0.0 || *y == 1.0),
    })
}

/// Covariates in one piece, row by row: for fits that are made many times over.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Design<'a> {
    /// Finite.
    pub(crate) cells: &'a [f64],
    /// At least 1; the cells are so many to a row.
    pub(crate) columns: usize,
}

impl Design<'_> {
    fn rows(&self) -> std::slice::ChunksExact<'_, f64> {
        self.cells.chunks_exact(self.columns)
    }
}

/// The coefficients of [`logistic`] alone, to the last digit, for outcomes in 0..=1.
///
/// Not estimable: as there.
pub(crate) fn coefficients(design: &Design<'_>, outcomes: &[f64]) -> Result<Vec<f64>, NotEstimable> {
    peak(design, outcomes).map(|found| found.maximum.point.iter().copied().collect())
}

/// The maximum, and the inverse of its curvature.
struct Peak {
    maximum: Maximum,
    covariance: DMatrix<f64>,
}

fn peak(design: &Design<'_>, outcomes: &[f64]) -> Result<Peak, NotEstimable> {
    let n = outcomes.len() as u64;
    let judge = |step: &DVector<f64>, number: usize| {
        let moved = || design.rows().map(|row| product(row, step));
        let most = moved().fold(0.0, |most: f64, change| most.max(change.abs()));
        if most < 1e-11 {
            Judgement::Settled
        } else if number >= STEPS_BEFORE_SEPARATION && separates(moved(), most, outcomes) {
            Judgement::Separated
        } else {
            Judgement::Continue
        }
    };
    let maximum = maximise(DVector::zeros(design.columns), |at| Some(evaluate(design, outcomes, at)), judge)
        .map_err(|absence| NotEstimable::with_n(absence.reason, n))?;
    let covariance = inverse(&maximum.at.information).ok_or(NotEstimable::with_n(Reason::Constant, n))?;
    Ok(Peak { maximum, covariance })
}

/// Which standard error to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Errors {
    /// From the inverse information: independent 0/1 outcomes only.
    Model,
    /// Cluster-robust (CR1): the default.
    Clustered,
}

/// A Wald test of one coefficient against zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wald {
    /// Coefficient over standard error.
    pub z: f64,
    /// Two-sided p-value.
    pub p: f64,
}

impl LogisticFit {
    /// One coefficient with its Wald interval (method `wald` or `wald_clustered`); exponentiate for odds ratios.
    ///
    /// Not estimable: no such column (`invalid`), clustered errors of a single cluster (`too_few`).
    pub fn coefficient(&self, column: usize, level: Level, errors: Errors) -> Figure {
        let (point, se) = self.at(column, errors)?;
        let half = two_sided_z(level) * se;
        let method = if errors == Errors::Model { "wald" } else { "wald_clustered" };
        let n = if errors == Errors::Model { self.n } else { self.clusters };
        Ok(Estimate::within(point, [point - half, point + half], level.get(), n, method))
    }

    /// The Wald test of one coefficient.
    ///
    /// Not estimable: as [`coefficient`](Self::coefficient); also a standard error of zero (`constant`).
    pub fn wald(&self, column: usize, errors: Errors) -> Result<Wald, NotEstimable> {
        let (point, se) = self.at(column, errors)?;
        if se == 0.0 {
            return Err(NotEstimable::with_n(Reason::Constant, self.n));
        }
        let z = point / se;
        Ok(Wald { z, p: 2.0 * normal_sf(z.abs()) })
    }

    fn at(&self, column: usize, errors: Errors) -> Result<(f64, f64), NotEstimable> {
        let se = match errors {
            Errors::Model => &self.se_model,
            Errors::Clustered => self.se_cr1.as_ref().ok_or(NotEstimable::with_n(Reason::TooFew, self.clusters))?,
        };
        let point = self.coefficients.get(column).zip(se.get(column));
        point.map(|(b, se)| (*b, *se)).ok_or(NotEstimable::with_n(Reason::Invalid, self.n))
    }
}

/// The likelihood-ratio p-value of dropping one column: independent 0/1 outcomes only.
///
/// - Formula: `2·(l_full − l_reduced)` against chi-square with one degree of freedom.
/// - Not estimable: as [`logistic`]; graded outcomes or no such column (`invalid`).
/// - Cost: two fits. Source: Wilks 1938. Pinned by the family `logistic`.
pub fn likelihood_ratio_p(data: Regression<'_>, column: usize) -> Result<f64, NotEstimable> {
    let full = logistic(data)?;
    if !full.binary || column >= full.coefficients.len() {
        return Err(NotEstimable::with_n(Reason::Invalid, full.n));
    }
    let reduced: Vec<Vec<f64>> = data
        .rows
        .iter()
        .map(|row| row.iter().enumerate().filter(|(at, _)| *at != column).map(|(_, value)| *value).collect())
        .collect();
    let without = if full.coefficients.len() == 1 {
        -(full.n as f64) * std::f64::consts::LN_2
    } else {
        logistic(Regression { rows: &reduced, ..data })?.log_likelihood
    };
    Ok(chi_square_sf(2.0 * (full.log_likelihood - without), 1.0))
}

/// The condition number of the covariates, each column scaled to length one: above about 1,000 effects cannot be told
/// apart.
///
/// - Formula: largest over smallest singular value. Source: Belsley, Kuh and Welsch 1980.
/// - Not estimable: no row or column (`empty`), ragged rows (`invalid`), a column of zeros or an exact dependence
///   (`constant`).
/// - Cost: rows × columns². Pinned by `dependent_columns_are_found`.
pub fn condition_number(rows: &[Vec<f64>]) -> Result<f64, NotEstimable> {
    let n = rows.len() as u64;
    let columns = rows.first().map_or(0, Vec::len);
    if columns == 0 {
        return Err(NotEstimable::with_n(Reason::Empty, n));
    }
    if rows.iter().any(|row| row.len() != columns || row.iter().any(|value| !value.is_finite())) {
        return Err(NotEstimable::with_n(Reason::Invalid, n));
    }
    let mut design = DMatrix::from_fn(rows.len(), columns, |row, column| rows[row][column]);
    for mut column in design.column_iter_mut() {
        let length = column.norm();
        if length == 0.0 {
            return Err(NotEstimable::with_n(Reason::Constant, n));
        }
        column /= length;
    }
    let values = (design.transpose() * design).symmetric_eigenvalues();
    let (largest, smallest) = (values.max(), values.min());
    if smallest <= largest * 1e-14 {
        return Err(NotEstimable::with_n(Reason::Constant, n));
    }
    Ok((largest / smallest).sqrt())
}

fn checked(data: Regression<'_>) -> Result<usize, NotEstimable> {
    let n = data.rows.len() as u64;
    let columns = data.rows.first().map_or(0, Vec::len);
    if columns == 0 {
        return Err(NotEstimable::with_n(Reason::Empty, n));
    }
    let rows_fit = data.rows.iter().all(|row| row.len() == columns && row.iter().all(|value| value.is_finite()));
    let outcomes_fit = data.outcomes.len() == data.rows.len() && data.outcomes.iter().all(|y| (0.0..=1.0).contains(y));
    let clusters_fit = data.clusters.is_none_or(|clusters| clusters.len() == data.rows.len());
    if rows_fit && outcomes_fit && clusters_fit { Ok(columns) } else { Err(NotEstimable::with_n(Reason::Invalid, n)) }
}

/// The sum of products, from the first to the last.
fn product(row: &[f64], at: &DVector<f64>) -> f64 {
    row.iter().zip(at.iter()).map(|(cell, b)| cell * b).reduce(|sum, term| sum + term).unwrap_or(0.0)
}

/// One pass over the rows. Sums go from the first row to the last; one exponential and one logarithm serve the probability and
/// the log likelihood of both outcomes.
fn evaluate(design: &Design<'_>, outcomes: &[f64], at: &DVector<f64>) -> Evaluation {
    let columns = design.columns;
    let mut value = 0.0;
    let mut gradient = DVector::zeros(columns);
    let mut information = DMatrix::zeros(columns, columns);
    for (row, y) in design.rows().zip(outcomes) {
        let eta = product(row, at);
        let small = (-eta.abs()).exp();
        let tail = small.ln_1p();
        let (ln_yes, ln_no) = if eta >= 0.0 { (-tail, -eta - tail) } else { (eta - tail, -tail) };
        let p = if eta >= 0.0 { 1.0 / (1.0 + small) } else { small / (1.0 + small) };
        value += y * ln_yes + (1.0 - y) * ln_no;
        let (residual, weight) = (y - p, p * (1.0 - p));
        for (column, cell) in row.iter().enumerate() {
            gradient[column] += cell * residual;
            let weighted = cell * weight;
            for (other, cell) in row.iter().enumerate() {
                information[(other, column)] += cell * weighted;
            }
        }
    }
    Evaluation { value, gradient, information }
}

/// Whether moving along `moved` (change of each row's predictor, `most` at most) never hurts: then there is no maximum.
fn separates(mut moved: impl Iterator<Item = f64>, most: f64, outcomes: &[f64]) -> bool {
    let slack = 1e-5 * most;
    let mut outcomes = outcomes.iter();
    moved.all(|change| match outcomes.next() {
        Some(1.0) => change >= -slack,
        Some(0.0) => change <= slack,
        _ => change.abs() <= slack,
    })
}

/// The sum over clusters of the outer products of their scores, and the number of clusters.
fn cluster_meat(design: &DMatrix<f64>, residuals: &DVector<f64>, clusters: Option<&[usize]>) -> (DMatrix<f64>, u64) {
    let columns = design.ncols();
    let mut scores = BTreeMap::<usize, DVector<f64>>::new();
    for (row, residual) in residuals.iter().enumerate() {
        let cluster = clusters.map_or(row, |clusters| clusters[row]);
        *scores.entry(cluster).or_insert_with(|| DVector::zeros(columns)) += design.row(row).transpose() * *residual;
    }
    let mut meat = DMatrix::zeros(columns, columns);
    for score in scores.values() {
        meat += score * score.transpose();
    }
    (meat, scores.len() as u64)
}

#[cfg(test)]
#[path = "glm_tests.rs"]
mod tests;
