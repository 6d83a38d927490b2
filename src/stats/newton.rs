//! Newton's method with step halving for concave likelihoods: shared by the logistic and the rating models.

use nalgebra::{DMatrix, DVector};

use super::estimate::{NotEstimable, Reason};

/// Steps after which a concave likelihood that has a maximum has long found it.
const MAX_STEPS: usize = 100;

/// A log likelihood at one point, with its slope and curvature.
pub(crate) struct Evaluation {
    pub(crate) value: f64,
    pub(crate) gradient: DVector<f64>,
    /// Negative second derivatives.
    pub(crate) information: DMatrix<f64>,
}

/// Where the iteration ended.
pub(crate) struct Maximum {
    pub(crate) point: DVector<f64>,
    pub(crate) at: Evaluation,
}

/// What the caller makes of a proposed step before it is taken.
pub(crate) enum Judgement {
    Continue,
    /// The step is too small to matter.
    Settled,
    /// The likelihood rises for ever along this step.
    Separated,
}

/// Climbs from `start`; `evaluate` gives `None` outside its domain, `judge` sees each step with its number.
///
/// Not estimable: flat in some direction (`constant`), rising for ever (`separated`), no end after 100 steps
/// (`not_converged`).
pub(crate) fn maximise(
    start: DVector<f64>,
    evaluate: impl Fn(&DVector<f64>) -> Option<Evaluation>,
    judge: impl Fn(&DVector<f64>, usize) -> Judgement,
) -> Result<Maximum, NotEstimable> {
    let mut point = start;
    let mut at = evaluate(&point).ok_or(NotEstimable::because(Reason::Invalid))?;
    for number in 0..MAX_STEPS {
        let step = solve(&at.information, &at.gradient).ok_or(NotEstimable::because(Reason::Constant))?;
        match judge(&step, number) {
            Judgement::Continue => {}
            Judgement::Settled => return Ok(Maximum { point, at }),
            Judgement::Separated => return Err(NotEstimable::because(Reason::Separated)),
        }
        let mut scale = 1.0;
        loop {
            let next = &point + &step * scale;
            if let Some(there) = evaluate(&next).filter(|there| there.value >= at.value - 1e-12 * at.value.abs()) {
                (point, at) = (next, there);
                break;
            }
            scale /= 2.0;
            if scale < 1e-10 {
                return Err(NotEstimable::because(Reason::NotConverged));
            }
        }
    }
    Err(NotEstimable::because(Reason::NotConverged))
}

/// Settled once no coordinate moves by more than 1e-11.
pub(crate) fn small(step: &DVector<f64>, _: usize) -> Judgement {
    if step.amax() < 1e-11 { Judgement::Settled } else { Judgement::Continue }
}

/// Solves a positive definite system; `None` where it is singular.
fn solve(matrix: &DMatrix<f64>, right: &DVector<f64>) -> Option<DVector<f64>> {
    let size = matrix.nrows();
    if size == 0 {
        return Some(DVector::zeros(0));
    }
    let cholesky = matrix.clone().cholesky()?;
    // A pivot far below its diagonal means that the column is a combination of those before it.
    let factor = cholesky.l_dirty();
    let flat = (0..size).any(|i| factor[(i, i)] * factor[(i, i)] <= 1e-12 * matrix[(i, i)]);
    (!flat).then(|| cholesky.solve(right))
}

/// The inverse of a positive definite matrix; `None` where it is singular.
pub(crate) fn inverse(matrix: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    matrix.clone().cholesky().map(|cholesky| cholesky.inverse())
}

/// `1/(1 + e^−x)` without overflow.
pub(crate) fn logistic(x: f64) -> f64 {
    if x >= 0.0 {
        1.0 / (1.0 + (-x).exp())
    } else {
        let e = x.exp();
        e / (1.0 + e)
    }
}

/// `ln(1/(1 + e^−x))` without overflow or loss of digits.
pub(crate) fn ln_logistic(x: f64) -> f64 {
    if x >= 0.0 { -(-x).exp().ln_1p() } else { x - x.exp().ln_1p() }
}
