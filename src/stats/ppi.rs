//! What is the mean over all items when humans labelled a random part and the judge all? Prediction-powered inference.

use super::estimate::{Estimate, Figure, Level, NotEstimable, Reason};
use super::mean::{average, variance};
use super::proportion::two_sided_z;
use super::special::t_quantile;

/// Gold labels, and the judge's scores on the same items and on the rest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Labelled<'a> {
    /// Gold scores of the labelled items.
    pub gold: &'a [f64],
    /// The judge's scores of the same items, in the same order.
    pub judge: &'a [f64],
    /// The judge's scores of the unlabelled items.
    pub judge_unlabelled: &'a [f64],
}

/// How much weight the judge gets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Trust {
    /// Tuned for the smallest variance, between 0 and 1 (PPI++).
    Tuned,
    /// Fixed: 0 ignores the judge, 1 is plain PPI.
    Fixed(f64),
}

/// Which interval to give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interval {
    /// Normal quantile and variances over `n` (method `ppi_z`): the published form, too narrow below fifty labels.
    Normal,
    /// t quantile on `n − 1` and variances times `n/(n−1)` (method `ppi_t`): for fewer than fifty labels.
    Student,
    /// The second below fifty labels, else the first.
    BySize,
}

/// A prediction-powered mean.
#[derive(Debug, Clone, PartialEq)]
pub struct Ppi {
    /// Weight that the judge got.
    pub lambda: f64,
    /// Standard error.
    pub se: f64,
    /// Point and interval; `n` is the number of labelled items.
    pub estimate: Estimate,
}

/// The mean gold score over all items, from few gold labels and many judge scores.
///
/// - Estimates: the mean that humans would give over the population of both sets.
/// - Formula: `λ·mean(f_U) + mean(Y − λ·f_L)`, `se² = λ²·var(f_U)/N + var(Y − λ·f_L)/n`, `λ* = cov(Y, f_L)/((1 +
///   n/N)·var(f pooled))` cut to 0..=1 (0 for a constant judge).
/// - Assumes: the labelled items are a random sample of all; independent items. Any score, ties included.
/// - Not estimable: no labelled or no unlabelled item (`empty`), one labelled item (`too_few`), lengths that differ,
///   values that are not finite or a fixed weight that is not (`invalid`), no error at all (`constant`).
/// - Cost: linear.
/// - Source: Angelopoulos et al. 2023, Science 382; Angelopoulos, Duchi and Zrnic 2023, arXiv 2311.01453
///   (PPI++). Pinned by the family `ppi_mean` and by `without_trust_the_mean_is_the_classical_one`.
pub fn ppi_mean(data: Labelled<'_>, trust: Trust, interval: Interval, level: Level) -> Result<Ppi, NotEstimable> {
    let n = checked(data)?;
    let small = interval == Interval::Student || (interval == Interval::BySize && n < 50);
    let part = part(data, trust)?;
    let (se, quantile, method) = if small {
        let (n, all) = (n as f64, data.judge_unlabelled.len() as f64);
        let grown = part.from_judge * all / (all - 1.0).max(1.0) + part.from_gold * n / (n - 1.0);
        (grown.sqrt(), t_quantile(1.0 - level.alpha() / 2.0, n - 1.0), "ppi_t")
    } else {
        ((part.from_judge + part.from_gold).sqrt(), two_sided_z(level), "ppi_z")
    };
    if se == 0.0 {
        return Err(NotEstimable::with_n(Reason::Constant, n));
    }
    Ok(Ppi { lambda: part.lambda, se, estimate: around(part.point, quantile * se, n, level, method) })
}

/// Weight and mean alone, for intervals of another form.
pub(super) struct Point {
    pub(super) lambda: f64,
    pub(super) point: f64,
}

pub(super) fn ppi_mean_point(data: Labelled<'_>, trust: Trust) -> Result<Point, NotEstimable> {
    checked(data)?;
    let Part { lambda, point, .. } = part(data, trust)?;
    Ok(Point { lambda, point })
}

/// The groups of the items, by number, in the order of the scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Groups<'a> {
    /// Of the labelled items.
    pub labelled: &'a [usize],
    /// Of the unlabelled items; a group may have items of both kinds.
    pub unlabelled: &'a [usize],
}

/// The prediction-powered mean where items share groups (method `ppi_clustered`).
///
/// - Estimates: as [`ppi_mean`], the mean over items.
/// - Formula: point and `λ` as there; `se² = G_L/(G_L − 1)·Σ_g r_g²`, `r_g` the sum over the items of group `g` of
///   `(Y − λf − mean)/n` for a labelled and `λ(f − mean)/N` for an unlabelled one, `G_L` the groups with a labelled item;
///   t quantile on `G_L − 1`.
/// - Assumes: independent groups; the labelled items (or whole groups) are a random sample.
/// - Not estimable: as there; labels in one group only (`too_few`); lists of other lengths (`invalid`).
/// - Cost: linear. Source: the linearised form of Angelopoulos, Duchi and Zrnic 2023 with the cluster-robust variance of
///   Cameron and Miller 2015 (CR1). Pinned by `single_items_as_groups_give_nearly_the_ungrouped_interval` and
///   `copies_in_a_group_bring_no_evidence`.
pub fn ppi_mean_grouped(
    data: Labelled<'_>,
    groups: Groups<'_>,
    trust: Trust,
    level: Level,
) -> Result<Ppi, NotEstimable> {
    let n = checked(data)?;
    if groups.labelled.len() != data.gold.len() || groups.unlabelled.len() != data.judge_unlabelled.len() {
        return Err(NotEstimable::with_n(Reason::Invalid, n));
    }
    let Part { lambda, point, .. } = part(data, trust)?;
    let rectified: Vec<f64> = data.gold.iter().zip(data.judge).map(|(gold, judge)| gold - lambda * judge).collect();
    let (centre, mean) = (average(&rectified), average(data.judge_unlabelled));
    let mut sums = std::collections::BTreeMap::<usize, f64>::new();
    for (value, group) in rectified.iter().zip(groups.labelled) {
        *sums.entry(*group).or_default() += (value - centre) / n as f64;
    }
    let labelled = sums.len() as f64;
    if sums.len() < 2 {
        return Err(NotEstimable::with_n(Reason::TooFew, n));
    }
    for (value, group) in data.judge_unlabelled.iter().zip(groups.unlabelled) {
        *sums.entry(*group).or_default() += lambda * (value - mean) / data.judge_unlabelled.len() as f64;
    }
    let square: f64 = sums.values().map(|sum| sum * sum).sum();
    let se = (square * labelled / (labelled - 1.0)).sqrt();
    if se == 0.0 {
        return Err(NotEstimable::with_n(Reason::Constant, n));
    }
    let half = t_quantile(1.0 - level.alpha() / 2.0, labelled - 1.0) * se;
    Ok(Ppi { lambda, se, estimate: around(point, half, n, level, "ppi_clustered") })
}

/// A stratum of the items with its share of the population.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stratum<'a> {
    /// Share of the population; all shares sum to 1.
    pub weight: f64,
    /// The labels and scores of the stratum.
    pub data: Labelled<'a>,
}

/// The stratified prediction-powered mean (method `ppi_stratified`), the judge's weight tuned in each stratum.
///
/// - Estimates: as [`ppi_mean`], where labels were sampled within known strata.
/// - Formula: `Σ w·θ_h`, `se = √Σ w²·se_h²`, normal quantile.
/// - Assumes: random labels within each stratum, ten or more; known shares.
/// - Not estimable: as [`ppi_mean`] in any stratum; weights negative or not summing to 1 within 1e-6 (`invalid`).
/// - Cost: linear. Source: Fisch et al. 2024, arXiv 2406.04291. Pinned by the family `ppi_mean`, kind
///   `stratified`.
pub fn stratified_ppi_mean(strata: &[Stratum<'_>], level: Level) -> Figure {
    let weight: f64 = strata.iter().map(|stratum| stratum.weight).sum();
    if strata.iter().any(|stratum| stratum.weight < 0.0) || !weight.is_finite() || (weight - 1.0).abs() > 1e-6 {
        return Err(NotEstimable::because(Reason::Invalid));
    }
    let (mut point, mut square, mut n) = (0.0, 0.0, 0);
    for stratum in strata {
        n += checked(stratum.data)?;
        let part = part(stratum.data, Trust::Tuned)?;
        point += stratum.weight * part.point;
        square += stratum.weight.powi(2) * (part.from_judge + part.from_gold);
    }
    if square == 0.0 {
        return Err(NotEstimable::with_n(Reason::Constant, n));
    }
    Ok(around(point, two_sided_z(level) * square.sqrt(), n, level, "ppi_stratified"))
}

struct Part {
    lambda: f64,
    point: f64,
    /// Variance of the point that the unlabelled scores bring.
    from_judge: f64,
    /// Variance of the point that the labelled items bring.
    from_gold: f64,
}

fn part(data: Labelled<'_>, trust: Trust) -> Result<Part, NotEstimable> {
    let (n, all) = (data.gold.len() as f64, data.judge_unlabelled.len() as f64);
    let lambda = match trust {
        Trust::Tuned => tuned(data),
        Trust::Fixed(lambda) if lambda.is_finite() => lambda,
        Trust::Fixed(_) => return Err(NotEstimable::with_n(Reason::Invalid, data.gold.len() as u64)),
    };
    let rectified: Vec<f64> = data.gold.iter().zip(data.judge).map(|(gold, judge)| gold - lambda * judge).collect();
    Ok(Part {
        lambda,
        point: lambda * average(data.judge_unlabelled) + average(&rectified),
        from_judge: lambda * lambda * variance(data.judge_unlabelled, 0.0) / all,
        from_gold: variance(&rectified, 0.0) / n,
    })
}

fn tuned(data: Labelled<'_>) -> f64 {
    let (n, all) = (data.gold.len() as f64, data.judge_unlabelled.len() as f64);
    let pooled: Vec<f64> = data.judge.iter().chain(data.judge_unlabelled).copied().collect();
    let spread = variance(&pooled, 1.0);
    if spread == 0.0 {
        return 0.0;
    }
    let (gold, judge) = (average(data.gold), average(data.judge));
    let together: f64 = data.gold.iter().zip(data.judge).map(|(y, f)| (y - gold) * (f - judge)).sum::<f64>() / n;
    (together / ((1.0 + n / all) * spread)).clamp(0.0, 1.0)
}

fn checked(data: Labelled<'_>) -> Result<u64, NotEstimable> {
    let n = data.gold.len() as u64;
    let finite = |values: &[f64]| values.iter().all(|value| value.is_finite());
    if data.judge.len() != data.gold.len()
        || !(finite(data.gold) && finite(data.judge) && finite(data.judge_unlabelled))
    {
        return Err(NotEstimable::with_n(Reason::Invalid, n));
    }
    if n == 0 || data.judge_unlabelled.is_empty() {
        return Err(NotEstimable::with_n(Reason::Empty, n));
    }
    if n == 1 {
        return Err(NotEstimable::with_n(Reason::TooFew, n));
    }
    Ok(n)
}

fn around(point: f64, half: f64, n: u64, level: Level, method: &'static str) -> Estimate {
    Estimate::within(point, [point - half, point + half], level.get(), n, method)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::stats::Seed;

    #[test]
    fn without_trust_the_mean_is_the_classical_one() {
        let data =
            Labelled { gold: &[1.0, 0.0, 0.5, 1.0], judge: &[1.0, 0.0, 1.0, 1.0], judge_unlabelled: &[0.0, 1.0] };
        let ppi = ppi_mean(data, Trust::Fixed(0.0), Interval::Student, Level::P95).unwrap();
        let classic =
            crate::stats::resample::t_clustered(&[(1.0, 1.0), (0.0, 1.0), (0.5, 1.0), (1.0, 1.0)], Level::P95);
        assert!((ppi.estimate.lower - classic.unwrap().lower).abs() < 1e-12);
    }

    #[test]
    fn a_constant_or_contrary_judge_gets_no_weight() {
        let gold = [1.0, 0.0, 1.0, 0.0];
        for judge in [[1.0; 4], [0.0, 1.0, 0.0, 1.0]] {
            let data = Labelled { gold: &gold, judge: &judge, judge_unlabelled: &judge };
            assert_eq!(ppi_mean(data, Trust::Tuned, Interval::BySize, Level::P95).unwrap().lambda, 0.0);
        }
    }

    #[test]
    fn the_tuned_interval_holds_its_level_and_is_narrower_than_gold_alone() {
        let (mut held, mut narrower) = (0, 0);
        for run in 0..400 {
            let mut stream = Seed(12).child("ppi").stream(run);
            let mut draw = |count: usize| -> (Vec<f64>, Vec<f64>) {
                (0..count)
                    .map(|_| {
                        let truth = f64::from(u8::from(stream.unit_f64() < 0.6));
                        let right = stream.unit_f64() < 0.85;
                        (truth, if right { truth } else { 1.0 - truth })
                    })
                    .unzip()
            };
            let (gold, judge) = draw(40);
            let (_, judge_unlabelled) = draw(800);
            let data = Labelled { gold: &gold, judge: &judge, judge_unlabelled: &judge_unlabelled };
            let tuned = ppi_mean(data, Trust::Tuned, Interval::BySize, Level::P95).unwrap().estimate;
            let plain = ppi_mean(data, Trust::Fixed(0.0), Interval::BySize, Level::P95).unwrap().estimate;
            held += u32::from(tuned.lower <= 0.6 && 0.6 <= tuned.upper);
            narrower += u32::from(tuned.upper - tuned.lower < plain.upper - plain.lower);
        }
        assert!(held >= 366 && narrower > 380, "held {held} of 400, narrower {narrower}");
    }

    #[test]
    fn the_tuned_estimate_of_a_small_table_is_the_one_worked_out_by_hand() {
        // Gold 1 1 0 0, judge 1 1 1 0, rest 1 1 1 1 1 0 0 0. cov = 2/4 − 2/4·3/4 = 1/8; all twelve scores have mean 8/12 and
        // variance 12·(2/9)/11 = 8/33; λ = (1/8)/((3/2)·(8/33)) = 11/32. Point: 11/32·5/8 + (2/4 − 11/32·3/4) = 117/256.
        // Y − λf is 21/32, 21/32, −11/32, 0: mean 31/128, variance (441 + 441 + 121)/4096 − 961/16384 = 3051/16384.
        let data = Labelled {
            gold: &[1.0, 1.0, 0.0, 0.0],
            judge: &[1.0, 1.0, 1.0, 0.0],
            judge_unlabelled: &[1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0],
        };
        let ppi = ppi_mean(data, Trust::Tuned, Interval::BySize, Level::P95).unwrap();
        assert!((ppi.lambda - 11.0 / 32.0).abs() < 1e-15, "{ppi:?}");
        assert!((ppi.estimate.point - 117.0 / 256.0).abs() < 1e-15, "{ppi:?}");
        // With ddof 1: λ²·(15/64)/7 + (3051/16384)/3.
        let square = (121.0 / 1024.0) * (15.0 / 64.0) / 7.0 + 3051.0 / 16384.0 / 3.0;
        assert!((ppi.se - f64::sqrt(square)).abs() < 1e-15, "{ppi:?}");
        // The quantile of t on three degrees of freedom.
        assert!((ppi.estimate.upper - ppi.estimate.point - 3.182_446_305_284_263 * ppi.se).abs() < 1e-9, "{ppi:?}");
    }

    #[test]
    fn single_items_as_groups_give_nearly_the_ungrouped_interval() {
        let score = |i: usize| [0.0, 0.5, 1.0, 1.0][i * 7 % 4];
        let (judge, rest): (Vec<f64>, Vec<f64>) =
            ((0..40).map(score).collect(), (40..400).map(|i| score(i + 1)).collect());
        let gold: Vec<f64> = (0..40).map(|i| if i % 5 == 0 { 1.0 - judge[i] } else { judge[i] }).collect();
        let data = Labelled { gold: &gold, judge: &judge, judge_unlabelled: &rest };
        let (labelled, unlabelled): (Vec<usize>, Vec<usize>) = ((0..40).collect(), (40..400).collect());
        let groups = Groups { labelled: &labelled, unlabelled: &unlabelled };
        let plain = ppi_mean(data, Trust::Tuned, Interval::Student, Level::P95).unwrap();
        let grouped = ppi_mean_grouped(data, groups, Trust::Tuned, Level::P95).unwrap();
        assert_eq!((grouped.lambda, grouped.estimate.point), (plain.lambda, plain.estimate.point));
        assert!(grouped.se >= plain.se && grouped.se < plain.se * 1.01, "{grouped:?} {plain:?}");
    }

    #[test]
    fn copies_in_a_group_bring_no_evidence() {
        let gold = [1.0, 0.0, 1.0, 1.0, 0.0, 1.0];
        let judge = [1.0, 0.0, 0.0, 1.0, 1.0, 1.0];
        let rest = [1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0];
        let repeated = |values: &[f64]| -> Vec<f64> { values.iter().flat_map(|value| [*value; 9]).collect() };
        let numbered = |from: usize, many: usize, copies: usize| -> Vec<usize> {
            (from..from + many).flat_map(|group| std::iter::repeat_n(group, copies)).collect()
        };
        let se = |copies: usize| {
            let (gold, judge, rest) = match copies {
                1 => (gold.to_vec(), judge.to_vec(), rest.to_vec()),
                _ => (repeated(&gold), repeated(&judge), repeated(&rest)),
            };
            let (labelled, unlabelled) = (numbered(0, 6, copies), numbered(6, 8, copies));
            let groups = Groups { labelled: &labelled, unlabelled: &unlabelled };
            let data = Labelled { gold: &gold, judge: &judge, judge_unlabelled: &rest };
            ppi_mean_grouped(data, groups, Trust::Fixed(0.5), Level::P95).unwrap().se
        };
        assert!((se(1) - se(9)).abs() < 1e-12);
    }

    #[test]
    fn too_little_data_is_refused() {
        let reason = |gold: &[f64], judge: &[f64], rest: &[f64]| {
            let data = Labelled { gold, judge, judge_unlabelled: rest };
            ppi_mean(data, Trust::Tuned, Interval::Normal, Level::P95).unwrap_err().reason
        };
        assert_eq!(reason(&[], &[], &[1.0]), Reason::Empty);
        assert_eq!(reason(&[1.0], &[1.0], &[1.0]), Reason::TooFew);
        assert_eq!(reason(&[1.0, 0.0], &[1.0], &[1.0]), Reason::Invalid);
        assert_eq!(reason(&[1.0, 1.0], &[1.0, 1.0], &[1.0]), Reason::Constant);
    }
}
