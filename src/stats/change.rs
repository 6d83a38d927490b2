//! Did it get worse? The verdict on a paired difference of two versions.

use super::estimate::{NotEstimable, Reason};

/// The verdict on a change; higher is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Change {
    /// Worse, beyond noise, by an amount that matters.
    Regression,
    /// Better, beyond noise, by an amount that matters.
    Improvement,
    /// Shown to be smaller than what matters.
    NoMaterialChange,
    /// None of these is shown.
    Inconclusive,
}

/// What must be exceeded for a change to count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// Difference that judging the same outputs again can bring.
    pub noise_floor: f64,
    /// Smallest difference that matters; 0 where any does.
    pub min_effect: f64,
}

/// A difference (new minus old) with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// The difference.
    pub delta: f64,
    /// Lower limit.
    pub lower: f64,
    /// Upper limit.
    pub upper: f64,
}

/// The verdict on a paired difference.
///
/// - Formula: regression iff `upper < 0` and `−delta > noise_floor` and `−delta >= min_effect`; improvement mirrored;
///   no material change iff `min_effect > 0` and the interval lies strictly within `±min_effect`; else inconclusive. In
///   this order.
/// - Assumes: an interval of the paired difference, never two intervals compared by overlap.
/// - Not estimable: a value that is not finite, a negative threshold or crossed limits (`invalid`).
/// - Cost: constant. Source: equivalence by interval, Schuirmann 1987. Pinned by the family `regression_verdict`.
pub fn verdict(difference: Difference, thresholds: Thresholds) -> Result<Change, NotEstimable> {
    let Difference { delta, lower, upper } = difference;
    let Thresholds { noise_floor, min_effect } = thresholds;
    let finite = [delta, lower, upper, noise_floor, min_effect].iter().all(|value| value.is_finite());
    if !finite || noise_floor < 0.0 || min_effect < 0.0 || lower > upper {
        return Err(NotEstimable::because(Reason::Invalid));
    }
    let matters = delta.abs() > noise_floor && delta.abs() >= min_effect;
    Ok(if upper < 0.0 && delta < 0.0 && matters {
        Change::Regression
    } else if lower > 0.0 && delta > 0.0 && matters {
        Change::Improvement
    } else if min_effect > 0.0 && lower > -min_effect && upper < min_effect {
        Change::NoMaterialChange
    } else {
        Change::Inconclusive
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decide(delta: f64, lower: f64, upper: f64, noise_floor: f64, min_effect: f64) -> Result<Change, NotEstimable> {
        verdict(Difference { delta, lower, upper }, Thresholds { noise_floor, min_effect })
    }

    #[test]
    fn each_condition_alone_can_hold_a_regression_back() {
        assert_eq!(decide(-0.1, -0.15, -0.05, 0.02, 0.03), Ok(Change::Regression));
        assert_eq!(decide(-0.1, -0.21, 0.01, 0.02, 0.03), Ok(Change::Inconclusive));
        assert_eq!(decide(-0.04, -0.06, -0.02, 0.05, 0.01), Ok(Change::Inconclusive));
        assert_eq!(decide(-0.04, -0.06, -0.02, 0.01, 0.05), Ok(Change::Inconclusive));
    }

    #[test]
    fn turning_the_scale_turns_the_verdict() {
        assert_eq!(decide(0.1, 0.05, 0.15, 0.02, 0.03), Ok(Change::Improvement));
        assert_eq!(decide(0.0, -0.01, 0.01, 0.02, 0.03), Ok(Change::NoMaterialChange));
        assert_eq!(decide(0.0, -0.01, 0.01, 0.02, 0.0), Ok(Change::Inconclusive));
    }

    #[test]
    fn an_unknown_difference_has_no_verdict() {
        assert!(decide(f64::NAN, -0.1, 0.1, 0.0, 0.0).is_err());
        assert!(decide(0.0, 0.1, -0.1, 0.0, 0.0).is_err());
        assert!(decide(0.0, -0.1, 0.1, -1.0, 0.0).is_err());
    }
}
