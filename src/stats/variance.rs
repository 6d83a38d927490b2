//! How much of the spread is the judge's own noise? Variance components from repeats, and the noise floor of a run.

use super::estimate::{NotEstimable, Reason};
use super::special::normal_quantile;

/// Components of scores: items × repeats of one judge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OneWay {
    /// Mean over everything.
    pub mean: f64,
    /// Mean square between items.
    pub ms_between: f64,
    /// Mean square within items.
    pub ms_within: f64,
    /// Variance of the items' true scores, cut at 0.
    pub var_item: f64,
    /// Variance of the judge's repeats.
    pub var_repeat: f64,
    /// Reliability of one repeat; `None` where nothing varies.
    pub icc1: Option<f64>,
    /// Reliability of the mean of all repeats; `None` where items do not vary.
    pub icck: Option<f64>,
    /// Standard error of the mean over new items and new repeats.
    pub se_mean: f64,
    /// Standard error of the mean over new repeats of the same items.
    pub noise_se: f64,
    /// By how much two runs of the same items may differ through the judge's noise alone, at 95 %.
    pub noise_floor_95: f64,
    /// Share of the variance of one score that is noise; `None` where nothing varies.
    pub share_repeat: Option<f64>,
    /// Number of items.
    pub items: u64,
}

/// Variance components of `items` (rows) judged `k` times each (columns), or unequally often where verdicts are missing.
///
/// - Estimates: how much items differ and how much one judge differs from itself.
/// - Formula: `MSB = Σ n_i (m_i − m)²/(I − 1)`, `MSW = Σ (x − m_i)²/(N − I)`, `n0 = (N − Σ n_i²/N)/(I − 1)`, which is `k` where all
///   have equally many; `var_repeat = MSW`, `var_item = max(0, (MSB − MSW)/n0)`, `icc1 = (MSB−MSW)/(MSB+(n0−1)MSW)`, `icck =
///   (MSB−MSW)/MSB`, `se = √(MSB/N)`, `noise_se = √(MSW/N)`, `noise_floor = z·√2·noise_se`.
/// - Assumes: independent items, exchangeable repeats; that a repeat is missing has nothing to do with its score.
/// - Not estimable: no item, or one without any repeat (`empty`), one item (`too_few`), nowhere two repeats (`no_repeats`: the
///   floor is unknown, not 0), values that are not finite (`invalid`).
/// - Cost: linear. Source: Shrout and Fleiss 1979, Psychological Bulletin 86, case 1; unequal numbers: Searle, Casella and
///   McCulloch 1992, section 3.6. Pinned by the family `variance_components`, kind `oneway`, by
///   `shrout_and_fleiss_are_reproduced` and by `unequal_numbers_of_repeats_have_the_components_worked_out_by_hand`.
pub fn one_way(items: &[Vec<f64>]) -> Result<OneWay, NotEstimable> {
    let n = items.len() as u64;
    if items.is_empty() || items.iter().any(Vec::is_empty) {
        return Err(NotEstimable::with_n(Reason::Empty, n));
    }
    if items.iter().flatten().any(|value| !value.is_finite()) {
        return Err(NotEstimable::with_n(Reason::Invalid, n));
    }
    if items.iter().all(|row| row.len() < 2) {
        return Err(NotEstimable::with_n(Reason::NoRepeats, n));
    }
    if n < 2 {
        return Err(NotEstimable::with_n(Reason::TooFew, n));
    }
    let sizes: Vec<f64> = items.iter().map(|row| row.len() as f64).collect();
    let (count, all) = (n as f64, sizes.iter().sum::<f64>());
    let means: Vec<f64> = items.iter().zip(&sizes).map(|(row, k)| row.iter().sum::<f64>() / k).collect();
    let mean = means.iter().zip(&sizes).map(|(m, k)| m * k).sum::<f64>() / all;
    let ms_between = means.iter().zip(&sizes).map(|(m, k)| k * (m - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let within = items.iter().zip(&means).flat_map(|(row, m)| row.iter().map(move |value| (value - m).powi(2)));
    let ms_within = within.sum::<f64>() / (all - count);
    let k = (all - sizes.iter().map(|k| k * k).sum::<f64>() / all) / (count - 1.0);
    let var_item = ((ms_between - ms_within) / k).max(0.0);
    let ratio = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
    let noise_se = (ms_within / all).sqrt();
    Ok(OneWay {
        mean,
        ms_between,
        ms_within,
        var_item,
        var_repeat: ms_within,
        icc1: ratio(ms_between - ms_within, ms_between + (k - 1.0) * ms_within),
        icck: ratio(ms_between - ms_within, ms_between),
        se_mean: (ms_between / all).sqrt(),
        noise_se,
        noise_floor_95: normal_quantile(0.975) * std::f64::consts::SQRT_2 * noise_se,
        share_repeat: ratio(ms_within, var_item + ms_within),
        items: n,
    })
}

/// The variance of repeats of 0/1 verdicts within items, for unequally many repeats.
///
/// - Formula: mean over items with two or more repeats of `k/(k−1)·p(1−p)`; equals `MSW` where all have equally many.
/// - Assumes: exchangeable repeats.
/// - Not estimable: no item with two repeats (`no_repeats`), values outside 0..=1 (`invalid`).
/// - Cost: linear. Source: the unbiased variance of a share. Pinned by the family `variance_components`, kind
///   `binary_noise`.
pub fn binary_noise(items: &[Vec<f64>]) -> Result<f64, NotEstimable> {
    let n = items.len() as u64;
    if items.iter().flatten().any(|value| !(0.0..=1.0).contains(value)) {
        return Err(NotEstimable::with_n(Reason::Invalid, n));
    }
    let noises: Vec<f64> = items
        .iter()
        .filter(|row| row.len() >= 2)
        .map(|row| {
            let k = row.len() as f64;
            let p = row.iter().sum::<f64>() / k;
            k / (k - 1.0) * p * (1.0 - p)
        })
        .collect();
    if noises.is_empty() {
        return Err(NotEstimable::with_n(Reason::NoRepeats, n));
    }
    Ok(noises.iter().sum::<f64>() / noises.len() as f64)
}

/// Components of balanced scores: items × judges × repeats.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crossed {
    /// Mean square of items.
    pub ms_item: f64,
    /// Mean square of judges.
    pub ms_judge: f64,
    /// Mean square of the interaction (with one repeat: of the residual).
    pub ms_interaction: f64,
    /// Mean square of repeats; `None` with one repeat.
    pub ms_residual: Option<f64>,
    /// Variance of items, cut at 0.
    pub var_item: f64,
    /// Variance of judges, cut at 0.
    pub var_judge: f64,
    /// Variance of the interaction, cut at 0; `None` with one repeat, where it cannot be told from the residual.
    pub var_interaction: Option<f64>,
    /// Variance of repeats (with one repeat: interaction and repeats together).
    pub var_residual: f64,
    /// Standard error of the mean over new items, judges and repeats.
    pub se_mean: f64,
}

/// Variance components of `scores[item][judge][repeat]`.
///
/// - Estimates: how much items, judges and their combination differ. Judges as a sample needs three, better five.
/// - Formula: expected mean squares, `var_item = (MS_i − MS_ij)/(J·r)`, `var_judge = (MS_j − MS_ij)/(n·r)`, `var_ij =
///   (MS_ij − MS_e)/r`, cut at 0; `se² = var_item/n + var_judge/J + var_ij/(nJ) + var_e/(nJr)`.
/// - Assumes: independent items and judges, balanced.
/// - Not estimable: no item (`empty`), one item or one judge (`too_few`), unequal numbers or values that are not finite
///   (`invalid`).
/// - Cost: linear. Source: Searle, Casella and McCulloch 1992. Pinned by the family `variance_components`,
///   kind `crossed`.
pub fn crossed(scores: &[Vec<Vec<f64>>]) -> Result<Crossed, NotEstimable> {
    let (judges, repeats) = checked_crossed(scores)?;
    let (n, j, r) = (scores.len() as f64, judges as f64, repeats as f64);
    let cell = |item: usize, judge: usize| scores[item][judge].iter().sum::<f64>() / r;
    let items: Vec<f64> = (0..scores.len()).map(|i| (0..judges).map(|k| cell(i, k)).sum::<f64>() / j).collect();
    let columns: Vec<f64> = (0..judges).map(|k| (0..scores.len()).map(|i| cell(i, k)).sum::<f64>() / n).collect();
    let mean = items.iter().sum::<f64>() / n;
    let spread = |means: &[f64]| means.iter().map(|m| (m - mean).powi(2)).sum::<f64>();
    let ms_item = j * r * spread(&items) / (n - 1.0);
    let ms_judge = n * r * spread(&columns) / (j - 1.0);
    let (mut interaction, mut residual) = (0.0, 0.0);
    for (i, item) in items.iter().enumerate() {
        for (k, judge) in columns.iter().enumerate() {
            let centre = cell(i, k);
            interaction += (centre - item - judge + mean).powi(2);
            residual += scores[i][k].iter().map(|value| (value - centre).powi(2)).sum::<f64>();
        }
    }
    let ms_interaction = r * interaction / ((n - 1.0) * (j - 1.0));
    let ms_residual = (repeats > 1).then(|| residual / (n * j * (r - 1.0)));
    let var_item = ((ms_item - ms_interaction) / (j * r)).max(0.0);
    let var_judge = ((ms_judge - ms_interaction) / (n * r)).max(0.0);
    let var_interaction = ms_residual.map(|ms| ((ms_interaction - ms) / r).max(0.0));
    let var_residual = ms_residual.unwrap_or(ms_interaction);
    let variance = var_item / n + var_judge / j + var_interaction.unwrap_or(0.0) / (n * j) + var_residual / (n * j * r);
    Ok(Crossed {
        ms_item,
        ms_judge,
        ms_interaction,
        ms_residual,
        var_item,
        var_judge,
        var_interaction,
        var_residual,
        se_mean: variance.sqrt(),
    })
}

/// What an item and a call cost, in any one unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Costs {
    /// Of one more item, apart from its calls.
    pub item: f64,
    /// Of one more call.
    pub call: f64,
}

/// The number of repeats per item that makes the mean most certain for its cost, before rounding.
///
/// - Formula: `√(c_item/c_call · var_repeat/var_item)`, at least 1.
/// - Not estimable: negative or infinite input, no cost of a call (`invalid`); items that do not differ (`constant`).
/// - Cost: constant. Source: Cochran 1977 (two-stage sampling). Pinned by
///   `repeats_pay_where_items_are_dear`.
pub fn optimal_repeats(var_item: f64, var_repeat: f64, costs: Costs) -> Result<f64, NotEstimable> {
    let fits = [var_item, var_repeat, costs.item, costs.call].iter().all(|value| value.is_finite() && *value >= 0.0);
    if !fits || costs.call == 0.0 {
        return Err(NotEstimable::because(Reason::Invalid));
    }
    if var_item == 0.0 {
        return Err(NotEstimable::because(Reason::Constant));
    }
    Ok((costs.item / costs.call * var_repeat / var_item).sqrt().max(1.0))
}

fn checked_crossed(scores: &[Vec<Vec<f64>>]) -> Result<(usize, usize), NotEstimable> {
    let n = scores.len() as u64;
    let judges = scores.first().map_or(0, Vec::len);
    let repeats = scores.first().and_then(|row| row.first()).map_or(0, Vec::len);
    if judges == 0 || repeats == 0 {
        return Err(NotEstimable::with_n(Reason::Empty, n));
    }
    let balanced = scores.iter().all(|row| row.len() == judges && row.iter().all(|cell| cell.len() == repeats));
    if !balanced || scores.iter().flatten().flatten().any(|value| !value.is_finite()) {
        return Err(NotEstimable::with_n(Reason::Invalid, n));
    }
    if n < 2 || judges < 2 {
        return Err(NotEstimable::with_n(Reason::TooFew, n));
    }
    Ok((judges, repeats))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Shrout and Fleiss 1979, table 2: four judges on six targets: ICC(1,1) .17, ICC(1,4) .44; ICC(2,1) .29 from the
    /// crossed form.
    #[test]
    fn shrout_and_fleiss_are_reproduced() {
        let scores = [
            [9., 2., 5., 8.],
            [6., 1., 3., 2.],
            [8., 4., 6., 8.],
            [7., 1., 2., 6.],
            [10., 5., 6., 9.],
            [6., 2., 4., 7.],
        ];
        let one = one_way(&scores.map(Vec::from)).unwrap();
        assert!((one.icc1.unwrap() - 0.17).abs() < 5e-3 && (one.icck.unwrap() - 0.44).abs() < 5e-3, "{one:?}");
        assert!((one.ms_between - 11.24).abs() < 5e-3 && (one.ms_within - 6.26).abs() < 5e-3);
        let two = crossed(&scores.map(|row| row.map(|value| vec![value]).to_vec())).unwrap();
        assert!((two.ms_judge - 32.49).abs() < 5e-3 && (two.ms_interaction - 1.02).abs() < 5e-3, "{two:?}");
        let icc2 = two.var_item / (two.var_item + two.var_judge + two.var_residual);
        assert!((icc2 - 0.29).abs() < 5e-3);
    }

    #[test]
    fn without_repeats_the_noise_is_unknown_and_not_zero() {
        assert_eq!(one_way(&[vec![1.0], vec![0.0]]).unwrap_err().reason, Reason::NoRepeats);
        assert_eq!(binary_noise(&[vec![1.0], vec![]]).unwrap_err().reason, Reason::NoRepeats);
        assert_eq!(one_way(&[]).unwrap_err().reason, Reason::Empty);
        assert_eq!(one_way(&[vec![1.0, 0.0]]).unwrap_err().reason, Reason::TooFew);
        assert_eq!(one_way(&[vec![1.0, 0.0], vec![]]).unwrap_err().reason, Reason::Empty);
        assert_eq!(one_way(&[vec![1.0, f64::NAN], vec![1.0]]).unwrap_err().reason, Reason::Invalid);
    }

    /// Items (1, 1, 0), (0, 0) and (1): N = 6, mean ½. Between: 3·(1/6)² + 2·(1/2)² + 1·(1/2)² = 5/6 on 2; within: 2/3 on 3;
    /// n0 = (6 − 14/6)/2 = 11/6; item (5/12 − 2/9)/(11/6) = 7/66.
    #[test]
    fn unequal_numbers_of_repeats_have_the_components_worked_out_by_hand() {
        let found = one_way(&[vec![1.0, 1.0, 0.0], vec![0.0, 0.0], vec![1.0]]).unwrap();
        assert!(
            (found.ms_between - 5.0 / 12.0).abs() < 1e-15 && (found.var_repeat - 2.0 / 9.0).abs() < 1e-15,
            "{found:?}"
        );
        assert!((found.var_item - 7.0 / 66.0).abs() < 1e-15, "{found:?}");
    }

    #[test]
    fn a_judge_that_never_changes_its_mind_has_no_noise() {
        let one = one_way(&[vec![1.0, 1.0], vec![0.0, 0.0]]).unwrap();
        assert_eq!((one.var_repeat, one.noise_floor_95, one.icc1), (0.0, 0.0, Some(1.0)));
        let flat = one_way(&[vec![1.0, 1.0], vec![1.0, 1.0]]).unwrap();
        assert_eq!((flat.icc1, flat.icck, flat.share_repeat), (None, None, None));
    }

    #[test]
    fn the_variance_of_shares_equals_the_mean_square_within() {
        let items = [vec![1.0, 0.0, 1.0], vec![0.0, 0.0, 1.0], vec![1.0, 1.0, 1.0]];
        assert!((binary_noise(&items).unwrap() - one_way(&items).unwrap().ms_within).abs() < 1e-12);
    }

    #[test]
    fn repeats_pay_where_items_are_dear() {
        assert_eq!(optimal_repeats(0.1, 0.1, Costs { item: 9.0, call: 1.0 }), Ok(3.0));
        assert_eq!(optimal_repeats(0.1, 0.01, Costs { item: 1.0, call: 1.0 }), Ok(1.0));
        assert_eq!(optimal_repeats(0.0, 0.1, Costs { item: 1.0, call: 1.0 }).unwrap_err().reason, Reason::Constant);
    }
}
