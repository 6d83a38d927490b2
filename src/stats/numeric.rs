//! How close are numeric ratings to the gold? Correlations, errors, pinball loss, ranked probability score.

use super::estimate::{NotEstimable, Reason};
use super::mean::average;

/// Smallest denominator of a relative error: the spacing of doubles at 1.
const SMALLEST_DENOMINATOR: f64 = f64::EPSILON;

/// Pearson's correlation.
///
/// - Estimates: how linear the relation is. Formula: `Σ(x−x̄)(y−ȳ)/√(Σ(x−x̄)²·Σ(y−ȳ)²)`. Assumes: independent pairs.
/// - Not estimable: fewer than two pairs (`too_few`), a constant side (`constant`), lengths that differ or values that
///   are not finite (`invalid`).
/// - Cost: linear. Source: Pearson 1895. Pinned by the family `ordinal_regression` and by
///   `correlations_of_a_published_table`.
pub fn pearson(gold: &[f64], rated: &[f64]) -> Result<f64, NotEstimable> {
    let n = varied(gold, rated)?;
    let (x, y) = (average(gold), average(rated));
    let (mut cross, mut xx, mut yy) = (0.0, 0.0, 0.0);
    for (a, b) in gold.iter().zip(rated) {
        cross += (a - x) * (b - y);
        xx += (a - x) * (a - x);
        yy += (b - y) * (b - y);
    }
    let spread = (xx * yy).sqrt();
    if spread > 0.0 { Ok((cross / spread).clamp(-1.0, 1.0)) } else { Err(NotEstimable::with_n(Reason::Constant, n)) }
}

/// Spearman's rank correlation: Pearson's of average ranks.
///
/// - Estimates: how monotone the relation is. Formula, assumptions, not estimable: as [`pearson`], on ranks.
/// - Cost: two sorts. Source: Spearman 1904; Kendall 1948 (ties). Pinned by `ordinal_regression` and
///   `correlations_of_a_published_table`.
pub fn spearman(gold: &[f64], rated: &[f64]) -> Result<f64, NotEstimable> {
    varied(gold, rated)?;
    pearson(&average_ranks(gold), &average_ranks(rated))
}

/// Kendall's tau-b.
///
/// - Estimates: the excess of concordant over discordant pairs of items, ties corrected for.
/// - Formula: `(C − D)/√((N − T_x)(N − T_y))`, `N` pairs, `T` those tied on a side. Assumptions, not estimable: as
///   [`pearson`].
/// - Cost: n·ln n (merge sort). Source: Kendall 1945; Knight 1966 (algorithm). Pinned by `ordinal_regression`
///   and `tau_by_merging_equals_tau_by_counting`.
pub fn kendall_tau_b(gold: &[f64], rated: &[f64]) -> Result<f64, NotEstimable> {
    let n = varied(gold, rated)?;
    let mut pairs: Vec<(f64, f64)> = gold.iter().copied().zip(rated.iter().copied()).collect();
    pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let tied = |lengths: &mut dyn Iterator<Item = usize>| -> f64 { lengths.map(|l| (l * (l - 1) / 2) as f64).sum() };
    let both = tied(&mut pairs.chunk_by(|a, b| a == b).map(<[_]>::len));
    let in_gold = tied(&mut pairs.chunk_by(|a, b| a.0 == b.0).map(<[_]>::len));
    let mut second: Vec<f64> = pairs.iter().map(|pair| pair.1).collect();
    let discordant = sort_counting(&mut second);
    let in_rated = tied(&mut second.chunk_by(|a, b| a == b).map(<[_]>::len));
    let all = (n * (n - 1) / 2) as f64;
    let concordant = all - in_gold - in_rated + both - discordant;
    let scale = ((all - in_gold) * (all - in_rated)).sqrt();
    Ok((concordant - discordant) / scale)
}

/// Errors of ratings against gold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RatingErrors {
    /// Mean absolute error.
    pub mae: f64,
    /// Root of the mean squared error.
    pub rmse: f64,
    /// Share of the gold's variance that is explained; below 0 worse than the gold's mean. `None` for a constant gold.
    pub r2: Option<f64>,
    /// Mean absolute error relative to the gold, as a fraction; meaningless where a gold value is 0.
    pub mape: f64,
    /// Number of gold values of 0, which make `mape` explode: warn.
    pub zero_golds: u64,
}

/// Mean absolute, squared and relative errors.
///
/// - Formula: `mean|e|`, `√mean e²`, `1 − Σe²/Σ(y−ȳ)²`, `mean |e|/max(|y|, 2.2e-16)`. Assumes: independent items.
/// - Not estimable: no item (`empty`), lengths that differ or values that are not finite (`invalid`).
/// - Cost: linear. Source: any textbook. Pinned by the family `ordinal_regression`.
pub fn rating_errors(gold: &[f64], rated: &[f64]) -> Result<RatingErrors, NotEstimable> {
    let n = checked(gold, rated)? as f64;
    let errors = || gold.iter().zip(rated).map(|(y, x)| x - y);
    let square: f64 = errors().map(|e| e * e).sum();
    let mean = average(gold);
    let spread: f64 = gold.iter().map(|y| (y - mean).powi(2)).sum();
    let constant = gold.iter().all(|y| *y == gold[0]);
    let relative = errors().zip(gold).map(|(e, y)| e.abs() / y.abs().max(SMALLEST_DENOMINATOR));
    Ok(RatingErrors {
        mae: errors().map(f64::abs).sum::<f64>() / n,
        rmse: (square / n).sqrt(),
        r2: (!constant && spread > 0.0).then(|| 1.0 - square / spread),
        mape: relative.sum::<f64>() / n,
        zero_golds: gold.iter().filter(|y| **y == 0.0).count() as u64,
    })
}

/// Mean pinball loss of predicted quantiles at `q`.
///
/// - Formula: `mean max(q·(y − x), (q − 1)·(y − x))`. Assumes: independent items.
/// - Not estimable: as [`rating_errors`]; `q` outside 0..=1 (`invalid`).
/// - Cost: linear. Source: Koenker and Bassett 1978. Pinned by the family `ordinal_regression`.
pub fn pinball(gold: &[f64], rated: &[f64], q: f64) -> Result<f64, NotEstimable> {
    let n = checked(gold, rated)?;
    if !(0.0..=1.0).contains(&q) {
        return Err(NotEstimable::with_n(Reason::Invalid, n));
    }
    let loss = gold.iter().zip(rated).map(|(y, x)| (q * (y - x)).max((q - 1.0) * (y - x)));
    Ok(loss.sum::<f64>() / n as f64)
}

/// Ranked probability score of probabilities over ordered classes.
///
/// - Estimates: the mean squared distance of the cumulative probabilities from the truth; 0 is perfect. Divide by `K −
///   1` for 0..=1.
/// - Formula: `mean Σ_{k<K} (F_k − [label < k])²`. Assumes: independent items, classes in their order.
/// - Not estimable: no item (`empty`); ragged rows, labels outside the classes, values outside 0..=1 or not summing to
///   1 within 1e-6 (`invalid`).
/// - Cost: items × classes. Source: Epstein 1969; Murphy 1971. Pinned by the family `ordinal_regression`, kind `rps`.
pub fn ranked_probability_score(probabilities: &[Vec<f64>], labels: &[usize]) -> Result<f64, NotEstimable> {
    super::probability::checked(probabilities, labels)?;
    let scores = probabilities.iter().zip(labels).map(|(row, label)| {
        let mut cumulative = 0.0;
        let mut score = 0.0;
        for (class, p) in row.iter().take(row.len() - 1).enumerate() {
            cumulative += p;
            let truth = f64::from(u8::from(*label <= class));
            score += (cumulative - truth).powi(2);
        }
        score
    });
    Ok(scores.sum::<f64>() / labels.len() as f64)
}

/// Ranks from 1, tied values sharing the mean of their ranks.
pub(crate) fn average_ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for run in order.chunk_by(|a, b| values[*a] == values[*b]) {
        let rank = before as f64 + f64::midpoint(run.len() as f64, 1.0);
        for place in run {
            ranks[*place] = rank;
        }
        before += run.len();
    }
    ranks
}

fn checked(gold: &[f64], rated: &[f64]) -> Result<u64, NotEstimable> {
    let n = gold.len() as u64;
    if gold.len() != rated.len() || gold.iter().chain(rated).any(|value| !value.is_finite()) {
        return Err(NotEstimable::with_n(Reason::Invalid, n));
    }
    if n == 0 { Err(NotEstimable::with_n(Reason::Empty, 0)) } else { Ok(n) }
}

fn varied(gold: &[f64], rated: &[f64]) -> Result<u64, NotEstimable> {
    let n = checked(gold, rated)?;
    if n < 2 {
        return Err(NotEstimable::with_n(Reason::TooFew, n));
    }
    let constant = |values: &[f64]| values.iter().all(|value| *value == values[0]);
    if constant(gold) || constant(rated) {
        return Err(NotEstimable::with_n(Reason::Constant, n));
    }
    Ok(n)
}

/// Sorts by merging and counts the pairs that were out of order.
fn sort_counting(values: &mut [f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    let (left, right) = values.split_at_mut(values.len() / 2);
    let mut swaps = sort_counting(left) + sort_counting(right);
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut i, mut j) = (0, 0);
    while i < left.len() && j < right.len() {
        if left[i] <= right[j] {
            merged.push(left[i]);
            i += 1;
        } else {
            swaps += (left.len() - i) as f64;
            merged.push(right[j]);
            j += 1;
        }
    }
    merged.extend_from_slice(&left[i..]);
    merged.extend_from_slice(&right[j..]);
    values.copy_from_slice(&merged);
    swaps
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Hollander and Wolfe 1973, p. 187: tuna lightness against panel score (R's `cor.test` help): tau 0.4444444, rho
    /// 0.6, r 0.5711816.
    #[test]
    fn correlations_of_a_published_table() {
        let x = [44.4, 45.9, 41.9, 53.3, 44.7, 44.1, 50.7, 45.2, 60.1];
        let y = [2.6, 3.1, 2.5, 5.0, 3.6, 4.0, 5.2, 2.8, 3.8];
        assert!((kendall_tau_b(&x, &y).unwrap() - 0.444_444_4).abs() < 1e-7);
        assert!((spearman(&x, &y).unwrap() - 0.6).abs() < 1e-12);
        assert!((pearson(&x, &y).unwrap() - 0.571_181_6).abs() < 1e-7);
    }

    #[test]
    fn tau_by_merging_equals_tau_by_counting() {
        let x: Vec<f64> = (0..60).map(|i| f64::from(i * 17 % 13)).collect();
        let y: Vec<f64> = (0..60).map(|i| f64::from(i * 11 % 7)).collect();
        let (mut sum, mut in_x, mut in_y, mut all) = (0.0_f64, 0.0, 0.0, 0.0);
        for i in 0..60 {
            for j in i + 1..60 {
                let (dx, dy): (f64, f64) = (x[i] - x[j], y[i] - y[j]);
                all += 1.0;
                in_x += f64::from(u8::from(dx == 0.0));
                in_y += f64::from(u8::from(dy == 0.0));
                if dx * dy != 0.0 {
                    sum += (dx * dy).signum();
                }
            }
        }
        let expected = sum / ((all - in_x) * (all - in_y)).sqrt();
        assert!((kendall_tau_b(&x, &y).unwrap() - expected).abs() < 1e-12);
    }

    #[test]
    fn a_constant_side_has_no_correlation_and_a_constant_gold_no_r2() {
        let (gold, rated) = ([2.0, 2.0, 2.0], [1.0, 2.0, 3.0]);
        for correlation in [pearson, spearman, kendall_tau_b] {
            assert_eq!(correlation(&gold, &rated).unwrap_err().reason, Reason::Constant);
            assert_eq!(correlation(&rated, &gold).unwrap_err().reason, Reason::Constant);
            assert_eq!(correlation(&[1.0], &[1.0]).unwrap_err().reason, Reason::TooFew);
        }
        assert_eq!(rating_errors(&gold, &rated).unwrap().r2, None);
        assert_eq!(rating_errors(&[], &[]).unwrap_err().reason, Reason::Empty);
        assert_eq!(rating_errors(&[0.0, 1.0], &[0.0, 1.0]).unwrap().zero_golds, 1);
    }

    #[test]
    fn pinball_at_one_half_is_half_the_absolute_error() {
        let (gold, rated) = ([1.0, 4.0, 2.0], [2.0, 2.5, 2.0]);
        let half = pinball(&gold, &rated, 0.5).unwrap();
        assert!((half - rating_errors(&gold, &rated).unwrap().mae / 2.0).abs() < 1e-12);
        assert_eq!(pinball(&gold, &rated, 1.5).unwrap_err().reason, Reason::Invalid);
    }

    #[test]
    fn a_certain_forecast_one_class_off_scores_one() {
        let certain = [vec![0.0, 1.0, 0.0]];
        assert_eq!(ranked_probability_score(&certain, &[1]), Ok(0.0));
        assert_eq!(ranked_probability_score(&certain, &[0]), Ok(1.0));
        assert_eq!(ranked_probability_score(&[vec![1.0, 0.0, 0.0]], &[2]), Ok(2.0));
    }
}
