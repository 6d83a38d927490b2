//! How sure is a plain mean, over single values or over fixed strata?

use super::classify::Share;
use super::estimate::{NotEstimable, Reason};
use super::resample::clustered_ratio;

/// A mean with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// Its standard error; `None` for a single value.
    pub se: Option<f64>,
    /// Number of values.
    pub n: u64,
}

/// The mean of independent values.
///
/// - Estimates: the mean of the population.
/// - Formula: `Σx/n`, `se = √(Σ(x − mean)²/(n−1)/n)`.
/// - Assumes: independent values.
/// - Not estimable: no value (`empty`), one that is not finite (`invalid`).
/// - Cost: linear. Source: any textbook. Pinned by the family `bootstrap`, kind `mean_se`.
pub fn mean(values: &[f64]) -> Result<Mean, NotEstimable> {
    let n = values.len() as u64;
    if n == 0 {
        return Err(NotEstimable::with_n(Reason::Empty, 0));
    }
    if values.iter().any(|value| !value.is_finite()) {
        return Err(NotEstimable::with_n(Reason::Invalid, n));
    }
    let mean = average(values);
    let se = (n > 1).then(|| (variance(values, 1.0) / n as f64).sqrt());
    Ok(Mean { mean, se, n })
}

/// The mean over fixed strata that are sampled in proportion to their known sizes.
///
/// - Estimates: `Σ W_h·mean_h` with `W_h = n_h/n`.
/// - Formula: `se = √Σ W_h²·s_h²/n_h`.
/// - Assumes: strata that are part of the design, not found afterwards; independent values within.
/// - Not estimable: no value (`empty`), a stratum with a single value (`too_few`: collapse it), a value that is not
///   finite (`invalid`).
/// - Cost: linear. Source: Cochran 1977. Pinned by the family `bootstrap`, kind `stratified`.
pub fn stratified_mean(strata: &[Vec<f64>]) -> Result<Mean, NotEstimable> {
    let n: usize = strata.iter().map(Vec::len).sum();
    if n == 0 {
        return Err(NotEstimable::with_n(Reason::Empty, 0));
    }
    if strata.iter().flatten().any(|value| !value.is_finite()) {
        return Err(NotEstimable::with_n(Reason::Invalid, n as u64));
    }
    if strata.iter().any(|stratum| stratum.len() == 1) {
        return Err(NotEstimable::with_n(Reason::TooFew, n as u64));
    }
    let (mut total, mut square) = (0.0, 0.0);
    for stratum in strata.iter().filter(|stratum| !stratum.is_empty()) {
        let weight = stratum.len() as f64 / n as f64;
        total += weight * average(stratum);
        square += weight * weight * variance(stratum, 1.0) / stratum.len() as f64;
    }
    Ok(Mean { mean: total, se: Some(square.sqrt()), n: n as u64 })
}

/// How many times larger the variance of the mean is because values of one group resemble each other; at least 1.
///
/// - Estimates: the design effect. Formula: `max(1, (se_cr1/se_iid)²)`.
/// - Assumes: independent groups; `groups[i]` names the group of `values[i]`.
/// - Not estimable: no value (`empty`), one value or one group (`too_few`), equal values (`constant`), lengths that
///   differ or values that are not finite (`invalid`).
/// - Cost: linear. Source: Kish 1965. Pinned by `copies_within_groups_are_worth_one_value`.
pub fn design_effect(values: &[f64], groups: &[usize]) -> Result<f64, NotEstimable> {
    let plain = mean(values)?;
    if values.len() != groups.len() {
        return Err(NotEstimable::with_n(Reason::Invalid, plain.n));
    }
    let mut sums = std::collections::BTreeMap::<usize, (f64, f64)>::new();
    for (value, group) in values.iter().zip(groups) {
        let (sum, count) = sums.entry(*group).or_default();
        *sum += value;
        *count += 1.0;
    }
    let clustered = clustered_ratio(&sums.into_values().collect::<Vec<_>>())?;
    let (Some(iid), Some(robust)) = (plain.se, clustered.se_cr1) else {
        return Err(NotEstimable::with_n(Reason::TooFew, clustered.groups));
    };
    if iid == 0.0 {
        return Err(NotEstimable::with_n(Reason::Constant, plain.n));
    }
    Ok((robust / iid).powi(2).max(1.0))
}

/// The independent counts that clustered counts are worth, for exact intervals: approximate, so mark it.
///
/// - Formula: `n/deff` rounded down (at least 1), `k/deff` rounded up. Errors are rounded up so that a limit is not
///   certified by rounding.
/// - Not estimable: `k > n` or a design effect below 1 (`invalid`), `n = 0` (`empty`).
/// - Cost: constant. Source: Kish 1965. Pinned by `effective_errors_are_rounded_up`.
pub fn effective_counts(k: u64, n: u64, design_effect: f64) -> Result<Share, NotEstimable> {
    if n == 0 {
        return Err(NotEstimable::with_counts(Reason::Empty, k, n));
    }
    if k > n || !design_effect.is_finite() || design_effect < 1.0 {
        return Err(NotEstimable::with_counts(Reason::Invalid, k, n));
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let whole = |value: f64| value as u64;
    let effective = whole((n as f64 / design_effect).floor()).max(1);
    Ok(Share { k: whole((k as f64 / design_effect).ceil()).min(effective), n: effective })
}

/// The plain mean; `NaN` for no values, so callers check first.
pub(crate) fn average(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// `Σ(x − mean)²/(n − taken)`; `NaN` where that divides by zero, so callers check first.
pub(crate) fn variance(values: &[f64], taken: f64) -> f64 {
    let mean = average(values);
    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() as f64 - taken)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_of_three_by_hand() {
        let Mean { mean, se, n } = mean(&[1.0, 2.0, 6.0]).unwrap();
        assert_eq!((mean, n), (3.0, 3));
        assert!((se.unwrap() - (7.0_f64 / 3.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn equal_values_within_strata_leave_no_error() {
        let strata = [vec![0.0; 4], vec![1.0; 4]];
        assert_eq!(stratified_mean(&strata).unwrap(), Mean { mean: 0.5, se: Some(0.0), n: 8 });
        assert_eq!(stratified_mean(&[vec![1.0], vec![0.0, 1.0]]).unwrap_err().reason, Reason::TooFew);
        assert_eq!(stratified_mean(&[]).unwrap_err().reason, Reason::Empty);
        assert_eq!(super::mean(&[]).unwrap_err().reason, Reason::Empty);
        assert_eq!(super::mean(&[2.0]).unwrap().se, None);
    }

    #[test]
    fn copies_within_groups_are_worth_one_value() {
        let values: Vec<f64> = (0..40).map(|i| f64::from(i / 4 * 7 % 5)).collect();
        let groups: Vec<usize> = (0..40).map(|i| i / 4).collect();
        let effect = design_effect(&values, &groups).unwrap();
        // 39/36 instead of 1 because both errors have their own small-sample factor.
        assert!((effect - 4.0 * 39.0 / 36.0).abs() < 1e-9, "{effect}");
        let alone: Vec<usize> = (0..40).collect();
        assert!((design_effect(&values, &alone).unwrap() - 1.0).abs() < 1e-9);
        assert_eq!(design_effect(&values, &[0; 40]).unwrap_err().reason, Reason::TooFew);
        assert_eq!(design_effect(&[1.0, 1.0], &[0, 1]).unwrap_err().reason, Reason::Constant);
        assert_eq!(design_effect(&[1.0], &[]).unwrap_err().reason, Reason::Invalid);
    }

    #[test]
    fn effective_errors_are_rounded_up() {
        assert_eq!(effective_counts(1, 300, 2.0), Ok(Share { k: 1, n: 150 }));
        assert_eq!(effective_counts(0, 300, 2.5), Ok(Share { k: 0, n: 120 }));
        assert_eq!(effective_counts(1, 3, 0.5).unwrap_err().reason, Reason::Invalid);
    }
}
