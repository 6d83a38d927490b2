//! Does the judge favour its own family beyond what others see in it? Difference in differences against a reference.

use super::estimate::{Estimate, Figure, Level, NotEstimable, Reason};
use super::mean::{average, variance};
use super::proportion::two_sided_z;

/// Up to this many rows every assignment of the labels is counted.
const EXACT_UP_TO: usize = 12;

/// One judged answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FamilyRow {
    /// The judge's score.
    pub judge: f64,
    /// The reference's score of the same answer: humans, or judges of other families.
    pub reference: f64,
    /// Whose family the answer is of.
    pub side: Side,
    /// Item (or group) of the row: rows of one item depend on each other.
    pub cluster: usize,
}

/// Whether an answer comes from the judge's own family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The judge's own family.
    Own,
    /// Another family.
    Other,
}

/// Self-preference of one judge.
#[derive(Debug, Clone, PartialEq)]
pub struct SelfPreference {
    /// Difference in differences: `mean(judge − reference | own) − mean(judge − reference | other)`.
    pub did: f64,
    /// Own minus other in the judge's scores alone: mixes quality with bias, never call it bias.
    pub naive_gap: f64,
    /// Standard error for independent rows of unequal variance; `None` where a side has one row.
    pub se_welch: Option<f64>,
    /// Cluster-robust standard error (CR1); `None` for a single cluster.
    pub se_clustered: Option<f64>,
    /// The difference with its normal interval on the clustered error (method `wald_clustered`); `n` is the number of
    /// clusters.
    pub figure: Figure,
    /// Exact permutation p-value of the labels, for up to twelve rows.
    pub p_permutation: Option<f64>,
}

/// Self-preference as a difference in differences.
///
/// - Estimates: how much more the judge's scores exceed the reference's on its own family's answers than on others'.
///   The judge's overall leniency and true differences in quality cancel.
/// - Formula: least squares of `judge − reference` on "own" with intercept; CR1 errors by cluster.
/// - Assumes: the reference's errors have nothing to do with the family; independent clusters.
/// - Not estimable: a side without rows (`empty`), values that are not finite (`invalid`); within `figure`: one cluster
///   (`too_few`), no error at all (`constant`).
/// - Cost: linear; the permutation at most 924 splits.
/// - Source: Angrist and Pischke 2009; Cameron and Miller 2015 (CR1). Pinned by the family
///   `self_preference`.
pub fn self_preference(rows: &[FamilyRow], level: Level) -> Result<SelfPreference, NotEstimable> {
    let n = rows.len() as u64;
    if rows.iter().any(|row| !row.judge.is_finite() || !row.reference.is_finite()) {
        return Err(NotEstimable::with_n(Reason::Invalid, n));
    }
    let of = |side: Side, value: fn(&FamilyRow) -> f64| -> Vec<f64> {
        rows.iter().filter(|row| row.side == side).map(value).collect()
    };
    let gap = |row: &FamilyRow| row.judge - row.reference;
    let (own, other) = (of(Side::Own, gap), of(Side::Other, gap));
    if own.is_empty() || other.is_empty() {
        return Err(NotEstimable::with_counts(Reason::Empty, own.len() as u64, n));
    }
    let did = average(&own) - average(&other);
    let naive_gap = average(&of(Side::Own, |row| row.judge)) - average(&of(Side::Other, |row| row.judge));
    let se_welch = (own.len() > 1 && other.len() > 1)
        .then(|| (variance(&own, 1.0) / own.len() as f64 + variance(&other, 1.0) / other.len() as f64).sqrt());
    let (clusters, se_clustered) = clustered_error(rows, &own, &other);
    let figure = match se_clustered {
        None => Err(NotEstimable::with_n(Reason::TooFew, clusters)),
        Some(se) if se <= 1e-12 * did.abs() => Err(NotEstimable::with_n(Reason::Constant, clusters)),
        Some(se) => Ok(Estimate::within(
            did,
            [did - two_sided_z(level) * se, did + two_sided_z(level) * se],
            level.get(),
            clusters,
            "wald_clustered",
        )),
    };
    let p_permutation = (rows.len() <= EXACT_UP_TO).then(|| permutation_p(rows, did));
    Ok(SelfPreference { did, naive_gap, se_welch, se_clustered, figure, p_permutation })
}

/// In the regression on one indicator, the coefficient's influence of a row is its residual over its side's count, with
/// sign.
fn clustered_error(rows: &[FamilyRow], own: &[f64], other: &[f64]) -> (u64, Option<f64>) {
    let mut influences = std::collections::BTreeMap::<usize, f64>::new();
    for row in rows {
        let gap = row.judge - row.reference;
        *influences.entry(row.cluster).or_default() += match row.side {
            Side::Own => (gap - average(own)) / own.len() as f64,
            Side::Other => -(gap - average(other)) / other.len() as f64,
        };
    }
    let clusters = influences.len() as f64;
    let square: f64 = influences.values().map(|influence| influence * influence).sum();
    let se = (influences.len() > 1).then(|| (square * clusters / (clusters - 1.0)).sqrt());
    (influences.len() as u64, se)
}

/// Share of all ways to choose as many rows as "own" whose difference of means is at least as large.
fn permutation_p(rows: &[FamilyRow], did: f64) -> f64 {
    let gaps: Vec<f64> = rows.iter().map(|row| row.judge - row.reference).collect();
    let own = rows.iter().filter(|row| row.side == Side::Own).count();
    let total: f64 = gaps.iter().sum();
    let (chosen, rest) = (own as f64, (rows.len() - own) as f64);
    let (mut hits, mut splits) = (0_u32, 0_u32);
    for mask in 0_u32..1 << rows.len() {
        if mask.count_ones() as usize != own {
            continue;
        }
        let sum: f64 = gaps.iter().enumerate().filter(|(place, _)| mask >> place & 1 == 1).map(|(_, gap)| gap).sum();
        let difference = sum / chosen - (total - sum) / rest;
        splits += 1;
        hits += u32::from(difference.abs() >= did.abs() - 1e-9 * did.abs().max(1e-3));
    }
    f64::from(hits) / f64::from(splits)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn row(judge: f64, reference: f64, side: Side, cluster: usize) -> FamilyRow {
        FamilyRow { judge, reference, side, cluster }
    }

    #[test]
    fn leniency_and_quality_cancel_and_favour_remains() {
        // Own answers are better by 0.3 in truth, the judge is lenient by 0.1 throughout and favours its own by 0.2.
        let rows: Vec<FamilyRow> = (0..10)
            .flat_map(|item| {
                let wobble = f64::from(u8::from(item % 2 == 0)) * 0.02;
                [row(0.9 + wobble, 0.6, Side::Own, item), row(0.4 - wobble, 0.3, Side::Other, item)]
            })
            .collect();
        let found = self_preference(&rows, Level::P95).unwrap();
        assert!((found.did - 0.22).abs() < 1e-12 && (found.naive_gap - 0.52).abs() < 1e-12, "{found:?}");
        assert_eq!(found.p_permutation, None);
        assert!(found.figure.unwrap().lower > 0.0);
    }

    #[test]
    fn four_rows_can_be_permuted_by_hand() {
        let rows = [
            row(1.0, 0.0, Side::Own, 0),
            row(1.0, 0.5, Side::Own, 1),
            row(0.0, 0.0, Side::Other, 2),
            row(0.5, 0.75, Side::Other, 3),
        ];
        // Gaps 1, .5 against 0, −.25: no other split but its mirror is as uneven: 2 of 6.
        assert!((self_preference(&rows, Level::P95).unwrap().p_permutation.unwrap() - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn one_family_alone_cannot_be_compared() {
        let rows = [row(1.0, 0.0, Side::Own, 0), row(1.0, 0.5, Side::Own, 1)];
        assert_eq!(self_preference(&rows, Level::P95).unwrap_err(), NotEstimable::with_counts(Reason::Empty, 2, 2));
        let rows = [row(1.0, 0.0, Side::Own, 0), row(1.0, 0.5, Side::Other, 0)];
        assert_eq!(self_preference(&rows, Level::P95).unwrap().figure.unwrap_err().reason, Reason::TooFew);
    }
}
