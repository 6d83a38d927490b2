//! Could the sign of every difference be a coin's? The paired permutation test.

use rayon::prelude::*;

use super::estimate::{NotEstimable, Reason};
use super::resample::Resampling;

/// Up to this many non-zero differences every assignment of signs is counted.
const EXACT_UP_TO: usize = 20;

/// Relative slack within which two sums count as equal.
const TIE_SLACK: f64 = 1e-9;

/// Result of a sign-flip test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SignFlip {
    /// Mean of the differences, zeros included.
    pub mean: f64,
    /// Two-sided p-value; 1 where every difference is zero.
    pub p: f64,
    /// Number of differences.
    pub n: u64,
    /// How the p-value came about.
    pub counted: Counted,
}

/// How a permutation p-value came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// Every assignment of signs was counted.
    Exactly,
    /// That many random assignments were drawn; the p-value is `(hits + 1)/(draws + 1)`.
    ByDraws(u64),
}

/// The two-sided sign-flip test of paired differences.
///
/// - Estimates: the chance of a mean at least as far from zero if every difference were as likely to have the other
///   sign.
/// - Formula: share of sign assignments with `|Σ ±d| >= |Σ d|`, within a relative 1e-9; the one seen is among them.
/// - Assumes: independent differences, symmetric about zero under "no difference".
/// - Not estimable: no difference (`empty`), one that is not finite (`invalid`). All zero: p = 1.
/// - Cost: exact for up to 20 non-zero differences (at most 2^20 sums), else `resamples` draws, a binomial per distinct
///   size.
/// - Source: Fisher 1935, section 21; Phipson and Smyth 2010 (the added one). Pinned by the family `permutation`
///   and by `fishers_maize_test_is_reproduced`.
pub fn sign_flip(differences: &[f64], resampling: &Resampling) -> Result<SignFlip, NotEstimable> {
    flip(differences, differences.len() as u64, resampling)
}

/// The sign-flip test with whole groups flipped together: `groups[i]` names the group of `differences[i]`.
///
/// Formula, assumptions and source as [`sign_flip`], on the groups' sums; the mean is over all differences.
/// Not estimable: also where the lengths differ (`invalid`).
pub fn sign_flip_by_group(
    differences: &[f64],
    groups: &[usize],
    resampling: &Resampling,
) -> Result<SignFlip, NotEstimable> {
    if differences.len() != groups.len() {
        return Err(NotEstimable::with_n(Reason::Invalid, differences.len() as u64));
    }
    let mut sums = std::collections::BTreeMap::<usize, f64>::new();
    for (difference, group) in differences.iter().zip(groups) {
        *sums.entry(*group).or_default() += difference;
    }
    let sums: Vec<f64> = sums.into_values().collect();
    flip(&sums, differences.len() as u64, resampling)
}

/// One unit of a test of equal means: its sum, its weight (number of values) and the part that it belongs to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnitInPart {
    /// Sum of its values.
    pub sum: f64,
    /// Number of its values.
    pub weight: f64,
    /// Number of its part.
    pub part: usize,
}

/// A test that parts have one mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EqualMeans {
    /// Between-part sum of squares `Σ W_c(m_c − m)²`.
    pub statistic: f64,
    /// Permutation p-value, `(hits + 1)/(draws + 1)`; 1 where all parts have the same mean.
    pub p: f64,
    /// Number of parts.
    pub parts: u64,
}

/// Whether parts have different means: units are dealt anew to the parts.
///
/// - Estimates: the chance of means at least as far apart if the part did not matter.
/// - Formula: share of deals with `Σ W_c(m_c − m)²` at least that of the data, within a relative 1e-9, `W_c` the weight
///   and `m_c` the mean of a part, `m` the mean of all; the one seen is among them.
/// - Assumes: independent units that are exchangeable under "no difference" (their spread and weights included).
/// - Not estimable: fewer than two parts (`too_few`), no weight above zero or values that are not finite (`invalid`).
/// - Cost: `resamples` shuffles of the units, in parallel.
/// - Source: Pitman 1938, Biometrika 29 (the randomisation test of the analysis of variance); Phipson and Smyth 2010.
///   Pinned by `a_mean_that_differs_in_one_part_is_found_and_equal_ones_are_not`.
pub fn equal_means(units: &[UnitInPart], resampling: &Resampling) -> Result<EqualMeans, NotEstimable> {
    let n = units.len() as u64;
    let parts = units.iter().map(|unit| unit.part + 1).max().unwrap_or(0);
    let used = (0..parts).filter(|part| units.iter().any(|unit| unit.part == *part)).count() as u64;
    // With one unit in every part each deal is the one that was observed: nothing could be found.
    if used < 2 || used == n {
        return Err(NotEstimable::with_n(Reason::TooFew, n));
    }
    if units.iter().any(|unit| !unit.sum.is_finite() || !unit.weight.is_finite() || unit.weight <= 0.0) {
        return Err(NotEstimable::with_n(Reason::Invalid, n));
    }
    let labels: Vec<usize> = units.iter().map(|unit| unit.part).collect();
    let statistic = between(units, &labels, parts);
    let total: f64 = units.iter().map(|unit| unit.weight).sum();
    if statistic <= TIE_SLACK * TIE_SLACK * total {
        return Ok(EqualMeans { statistic, p: 1.0, parts: used });
    }
    let reached = statistic * (1.0 - TIE_SLACK);
    let hits = (0..resampling.resamples)
        .into_par_iter()
        .filter(|replicate| {
            let mut dealt = labels.clone();
            resampling.seed.stream(*replicate as u64).shuffle(&mut dealt);
            between(units, &dealt, parts) >= reached
        })
        .count() as u64;
    Ok(EqualMeans { statistic, p: monte_carlo_p(hits, resampling.resamples as u64), parts: used })
}

/// Sum of squares between parts, about the mean of all.
fn between(units: &[UnitInPart], labels: &[usize], parts: usize) -> f64 {
    let mut sums = vec![(0.0, 0.0); parts];
    for (unit, part) in units.iter().zip(labels) {
        sums[*part].0 += unit.sum;
        sums[*part].1 += unit.weight;
    }
    let (sum, weight) = sums.iter().fold((0.0, 0.0), |(s, w), (sum, weight)| (s + sum, w + weight));
    let mean = sum / weight;
    sums.iter().filter(|(_, weight)| *weight > 0.0).map(|(sum, weight)| (sum / weight - mean).powi(2) * weight).sum()
}

/// The p-value of a Monte-Carlo test: `(hits + 1)/(draws + 1)`, never 0.
///
/// Source: Phipson and Smyth 2010, Stat. Appl. Genet. Mol. Biol. 9:39. Pinned by the family `permutation`, kind
/// `mc_p`.
pub fn monte_carlo_p(hits: u64, draws: u64) -> f64 {
    (hits as f64 + 1.0) / (draws as f64 + 1.0)
}

fn flip(sums: &[f64], n: u64, resampling: &Resampling) -> Result<SignFlip, NotEstimable> {
    if n == 0 {
        return Err(NotEstimable::with_n(Reason::Empty, 0));
    }
    if sums.iter().any(|d| !d.is_finite()) {
        return Err(NotEstimable::with_n(Reason::Invalid, n));
    }
    // Only sizes matter under the null, and sorted sizes make the result independent of the input's order.
    let mut sizes: Vec<f64> = sums.iter().map(|d| d.abs()).filter(|d| *d > 0.0).collect();
    sizes.sort_unstable_by(f64::total_cmp);
    let total: f64 = sums.iter().sum();
    let limit = total.abs() - TIE_SLACK * sizes.iter().sum::<f64>().max(total.abs());
    let (p, counted) = if sizes.is_empty() {
        (1.0, Counted::Exactly)
    } else if sizes.len() <= EXACT_UP_TO {
        (exact_share(&sizes, limit), Counted::Exactly)
    } else {
        let draws = resampling.resamples as u64;
        (monte_carlo_p(hits(&sizes, limit, resampling), draws), Counted::ByDraws(draws))
    };
    Ok(SignFlip { mean: total / n as f64, p, n, counted })
}

/// The share of sign assignments whose sum is at least `limit` from zero.
fn exact_share(sizes: &[f64], limit: f64) -> f64 {
    let mut sums = vec![0.0];
    for size in sizes {
        let down: Vec<f64> = sums.iter().map(|sum| sum - size).collect();
        for sum in &mut sums {
            *sum += size;
        }
        sums.extend(down);
    }
    sums.iter().filter(|sum| sum.abs() >= limit).count() as f64 / sums.len() as f64
}

fn hits(sizes: &[f64], limit: f64, resampling: &Resampling) -> u64 {
    let runs: Vec<(f64, u64)> = sizes.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u64)).collect();
    (0..resampling.resamples as u64)
        .into_par_iter()
        .filter(|&draw| {
            let mut stream = resampling.seed.stream(draw);
            let sum: f64 =
                runs.iter().map(|&(size, many)| size * (2.0 * stream.binomial(many, 0.5) as f64 - many as f64)).sum();
            sum.abs() >= limit
        })
        .count() as u64
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::stats::Seed;

    /// Darwin's maize, cross- minus self-fertilised in eighths of an inch; Fisher 1935, section 21: 863 of 32,768 sums
    /// reach the observed 314 on one side, so the two-sided p is 1726/32768.
    #[test]
    fn one_unit_in_every_part_says_nothing() {
        let units: Vec<UnitInPart> =
            (0..4).map(|part| UnitInPart { part, sum: (part % 2) as f64, weight: 1.0 }).collect();
        let resampling = Resampling { resamples: 100, seed: crate::stats::Seed(1) };
        assert_eq!(equal_means(&units, &resampling).unwrap_err().reason, Reason::TooFew);
    }

    #[test]
    fn fishers_maize_test_is_reproduced() {
        let maize = [49., -67., 8., 16., 6., 23., 28., 41., 14., 29., 56., 24., 75., 60., -48.];
        let test = sign_flip(&maize, &Resampling::new(Seed(1))).unwrap();
        assert_eq!((test.p, test.counted), (1726.0 / 32768.0, Counted::Exactly));
        assert!((test.mean - 314.0 / 15.0).abs() < 1e-12);
    }

    #[test]
    fn draws_agree_with_counting() {
        let few: Vec<f64> = [1.0, 0.5, -0.5, 1.0, 0.25, -1.0, 0.5, 0.5, 1.0, -0.25, 0.5, 1.0].to_vec();
        let resampling = Resampling::new(Seed(2));
        let exact = sign_flip(&few, &resampling).unwrap().p;
        let sizes: Vec<f64> = few.iter().map(|d| d.abs()).collect();
        let drawn = monte_carlo_p(hits(&sizes, few.iter().sum::<f64>() - 1e-9, &resampling), 10_000);
        assert!((drawn - exact).abs() < 4.0 * (exact * (1.0 - exact) / 10_000.0).sqrt(), "{drawn} {exact}");
    }

    #[test]
    fn many_differences_are_drawn_and_their_order_does_not_matter() {
        let mut differences: Vec<f64> = (0..60).map(|i| f64::from(i % 5) / 4.0 - 0.4).collect();
        let resampling = Resampling { resamples: 999, seed: Seed(3) };
        let first = sign_flip(&differences, &resampling).unwrap();
        differences.reverse();
        assert_eq!(first.counted, Counted::ByDraws(999));
        assert_eq!(first.p, sign_flip(&differences, &resampling).unwrap().p);
    }

    #[test]
    fn no_difference_at_all_is_p_one_and_no_data_is_no_test() {
        let resampling = Resampling::new(Seed(0));
        assert_eq!(sign_flip(&[0.0; 40], &resampling).unwrap().p, 1.0);
        assert_eq!(sign_flip(&[], &resampling).unwrap_err().reason, Reason::Empty);
        assert_eq!(monte_carlo_p(0, 999), 0.001);
    }

    #[test]
    fn a_group_flips_as_one() {
        let resampling = Resampling::new(Seed(0));
        let grouped = sign_flip_by_group(&[1.0, 1.0, 1.0, 0.5], &[4, 4, 4, 9], &resampling).unwrap();
        assert_eq!((grouped.p, grouped.mean), (0.5, 0.875));
        assert_eq!(sign_flip(&[1.0, 1.0, 1.0, 0.5], &resampling).unwrap().p, 0.125);
    }

    #[test]
    fn a_mean_that_differs_in_one_part_is_found_and_equal_ones_are_not() {
        let resampling = Resampling { resamples: 1999, seed: Seed(5) };
        let unit = |part, sum: f64| UnitInPart { sum, weight: 1.0, part };
        // Four units in two parts, 1 1 against 0 0: of the six ways to deal, two are as far apart.
        let few = [unit(0, 1.0), unit(0, 1.0), unit(1, 0.0), unit(1, 0.0)];
        let p = equal_means(&few, &resampling).unwrap().p;
        assert!((p - 1.0 / 3.0).abs() < 0.05, "{p}");
        let spread = |part: usize, high: f64| (0..40).map(move |i| unit(part, if i % 4 == 0 { high } else { 0.5 }));
        let same: Vec<UnitInPart> = (0..3).flat_map(|part| spread(part, 1.0)).collect();
        assert_eq!(equal_means(&same, &resampling).unwrap(), EqualMeans { statistic: 0.0, p: 1.0, parts: 3 });
        let other: Vec<UnitInPart> = spread(0, 1.0).chain(spread(1, 1.0)).chain(spread(2, 0.0)).collect();
        assert!(equal_means(&other, &resampling).unwrap().p < 0.001);
        // Exchanging the sides mirrors every score and changes nothing.
        let mirrored: Vec<UnitInPart> = other.iter().map(|u| UnitInPart { sum: u.weight - u.sum, ..*u }).collect();
        assert_eq!(equal_means(&mirrored, &resampling).unwrap().p, equal_means(&other, &resampling).unwrap().p);
        assert_eq!(equal_means(&few[..2], &resampling).unwrap_err().reason, Reason::TooFew);
    }
}
