//! Which interval does a prediction-powered mean keep its level with where labels are few and one side wins nearly always?

use std::collections::BTreeMap;

use super::estimate::{Estimate, Level, NotEstimable, Reason};
use super::mean::{average, variance};
use super::ppi::{Groups, Labelled, Ppi, Trust, ppi_mean_point};
use super::special::t_quantile;

/// What is added to the labelled items for the interval alone: gold and judge in each of the four ways in which they can
/// agree and disagree.
const CELLS: [[f64; 2]; 4] = [[1.0, 1.0], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];

/// How much of an item, or of a group of items, each cell is given.
const PART: f64 = 0.5;

/// The prediction-powered mean of scores in 0..=1 with an interval that few labels and extreme rates do not break (methods
/// `ppi_adjusted`, `ppi_adjusted_clustered`).
///
/// - Estimates: as [`ppi_mean`](super::ppi::ppi_mean) with the tuned weight, which gives the point and `λ`.
/// - Formula: the interval is centre ± t(G − 1)·se over the labelled items and half an item more in each of the four cells of gold and judge
///   (1 or 0 each). `λ`, the centre and `se² = M/(M − 1)·(Σ_g r_g² + Σ_cells r²/2)` are those of the larger sample, `M = G + 2`, `r_g` the
///   sum over the items of group `g` of `(Y − λf − mean)/m` for a labelled and `λ(f − mean)/N` for an unlabelled one, `m` the weight of
///   labelled and added items. Without groups every item is one, and `G = n`. With them the added half is one of a group of the size
///   `Σ s²/Σ s`, `s` the labelled items of a group. It is moved out to the point where it does not hold it, and cut to 0..=1.
/// - Assumes: the labelled items, or whole groups, are a random sample; independent groups.
/// - Not estimable: as [`ppi_mean`](super::ppi::ppi_mean), scores outside 0..=1 (`invalid`), labels in one group only (`too_few`). Never
///   `constant`.
/// - Cost: linear.
/// - Source: Angelopoulos, Duchi and Zrnic 2023 for the mean; half an observation in each cell of paired answers: Agresti and Min 2005,
///   Statistics in Medicine 24, 729-740; groups: CR1, Cameron and Miller 2015. Pinned by
///   `the_adjusted_interval_of_a_small_table_is_the_one_worked_out_by_hand` and by the simulation `prediction-powered means`.
pub fn ppi_mean_adjusted(data: Labelled<'_>, groups: Option<Groups<'_>>, level: Level) -> Result<Ppi, NotEstimable> {
    let found = ppi_mean_point(data, Trust::Tuned)?;
    let n = data.gold.len() as u64;
    let all = [data.gold, data.judge, data.judge_unlabelled];
    if all.iter().any(|scores| scores.iter().any(|score| !(0.0..=1.0).contains(score))) {
        return Err(NotEstimable::with_n(Reason::Invalid, n));
    }
    let of = |groups: &[usize], many: usize, from: usize| -> Vec<usize> {
        if groups.is_empty() { (from..from + many).collect() } else { groups.to_vec() }
    };
    let (labelled, rest) = (data.gold.len(), data.judge_unlabelled.len());
    let named = groups.unwrap_or(Groups { labelled: &[], unlabelled: &[] });
    let (own, others) = (of(named.labelled, labelled, 0), of(named.unlabelled, rest, labelled));
    if own.len() != labelled || others.len() != rest {
        return Err(NotEstimable::with_n(Reason::Invalid, n));
    }
    let mut sizes = BTreeMap::<usize, f64>::new();
    for group in &own {
        *sizes.entry(*group).or_default() += 1.0;
    }
    if sizes.len() < 2 {
        return Err(NotEstimable::with_n(Reason::TooFew, n));
    }
    let size = sizes.values().map(|size| size * size).sum::<f64>() / sizes.values().sum::<f64>();
    let grown = Grown { data, weight: PART * size };
    let (centre, se) = grown.mean(&own, &others);
    let half = t_quantile(1.0 - level.alpha() / 2.0, sizes.len() as f64 - 1.0) * se;
    let method = if groups.is_some() { "ppi_adjusted_clustered" } else { "ppi_adjusted" };
    let point = found.point.clamp(0.0, 1.0);
    let bounds = [(centre - half).clamp(0.0, point), (centre + half).clamp(point, 1.0)];
    Ok(Ppi { lambda: found.lambda, se, estimate: Estimate::within(point, bounds, level.get(), n, method) })
}

/// The labelled items with the four cells.
struct Grown<'a> {
    data: Labelled<'a>,
    weight: f64,
}

impl Grown<'_> {
    /// Mean of a value of gold and judge over labelled items and cells.
    fn average(&self, value: impl Fn(f64, f64) -> f64) -> f64 {
        let labelled: f64 = self.data.gold.iter().zip(self.data.judge).map(|(y, f)| value(*y, *f)).sum();
        let cells: f64 = CELLS.iter().map(|[y, f]| value(*y, *f)).sum();
        (labelled + self.weight * cells) / self.total()
    }

    fn total(&self) -> f64 {
        self.data.gold.len() as f64 + self.weight * CELLS.len() as f64
    }

    fn lambda(&self) -> f64 {
        let (n, rest) = (self.data.gold.len() as f64, self.data.judge_unlabelled.len() as f64);
        let pooled: Vec<f64> = self.data.judge.iter().chain(self.data.judge_unlabelled).copied().collect();
        let spread = variance(&pooled, 1.0);
        if spread == 0.0 {
            return 0.0;
        }
        let (gold, judge) = (self.average(|y, _| y), self.average(|_, f| f));
        let together = self.average(|y, f| (y - gold) * (f - judge));
        (together / ((1.0 + n / rest) * spread)).clamp(0.0, 1.0)
    }

    /// The mean and its standard error over groups.
    fn mean(&self, own: &[usize], others: &[usize]) -> (f64, f64) {
        let lambda = self.lambda();
        let centre = self.average(|y, f| y - lambda * f);
        let (judge, rest) = (average(self.data.judge_unlabelled), self.data.judge_unlabelled.len() as f64);
        let mut sums = BTreeMap::<usize, f64>::new();
        for ((y, f), group) in self.data.gold.iter().zip(self.data.judge).zip(own) {
            *sums.entry(*group).or_default() += (y - lambda * f - centre) / self.total();
        }
        let groups = sums.len() as f64 + PART * CELLS.len() as f64;
        for (f, group) in self.data.judge_unlabelled.iter().zip(others) {
            *sums.entry(*group).or_default() += lambda * (f - judge) / rest;
        }
        // Half a group of this size: its sum is that of a whole one, and its square counts half.
        let whole = self.weight / PART / self.total();
        let cells = CELLS.iter().map(|[y, f]| PART * ((y - lambda * f - centre) * whole).powi(2)).sum::<f64>();
        let square = sums.values().map(|sum| sum * sum).sum::<f64>() + cells;
        (lambda * judge + centre, (square * groups / (groups - 1.0)).sqrt())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::stats::Seed;

    #[test]
    fn the_adjusted_interval_of_a_small_table_is_the_one_worked_out_by_hand() {
        // Gold 1 1 1 0, judge always 1, as on the rest: no weight for the judge. With two items more, one of each class: mean 4/6,
        // Σ r² = (4·(1/3)² + 2·(2/3)²)/36 = 1/27, M = 6: se² = 6/5/27 = 2/45.
        let data = Labelled { gold: &[1.0, 1.0, 1.0, 0.0], judge: &[1.0; 4], judge_unlabelled: &[1.0; 8] };
        let found = ppi_mean_adjusted(data, None, Level::P95).unwrap();
        assert_eq!((found.lambda, found.estimate.point, found.estimate.method), (0.0, 0.75, "ppi_adjusted"));
        assert!((found.se - (2.0_f64 / 45.0).sqrt()).abs() < 1e-15, "{found:?}");
        assert!((found.estimate.lower - (2.0 / 3.0 - 3.182_446_305_284_263 * found.se).max(0.0)).abs() < 1e-9);
        assert_eq!(found.estimate.upper, 1.0);
    }

    #[test]
    fn labels_of_one_side_alone_prove_no_certainty() {
        let data = Labelled { gold: &[1.0; 20], judge: &[1.0; 20], judge_unlabelled: &[1.0; 300] };
        let found = ppi_mean_adjusted(data, None, Level::P95).unwrap().estimate;
        assert_eq!((found.point, found.upper), (1.0, 1.0));
        // As far out as the exact bound of twenty of twenty, 0.832, about.
        assert!(found.lower > 0.78 && found.lower < 0.86, "{found:?}");
    }

    #[test]
    fn single_items_as_groups_are_items_and_copies_are_no_evidence() {
        let mut stream = Seed(4).child("adjusted").stream(0);
        let draw = |many: usize, stream: &mut crate::stats::seed::Stream| -> Vec<f64> {
            (0..many).map(|_| f64::from(u8::from(stream.unit_f64() < 0.7))).collect()
        };
        let (gold, judge, rest) = (draw(20, &mut stream), draw(20, &mut stream), draw(90, &mut stream));
        let width = |copies: usize, grouped: bool| {
            let repeated = |values: &[f64]| -> Vec<f64> {
                values.iter().flat_map(|value| std::iter::repeat_n(*value, copies)).collect()
            };
            let (gold, judge, rest) = (repeated(&gold), repeated(&judge), repeated(&rest));
            let named = |from: usize, many: usize| -> Vec<usize> {
                (from..from + many).flat_map(|group| std::iter::repeat_n(group, copies)).collect()
            };
            let (labelled, unlabelled) = (named(0, 20), named(20, 90));
            let groups = grouped.then_some(Groups { labelled: &labelled, unlabelled: &unlabelled });
            let data = Labelled { gold: &gold, judge: &judge, judge_unlabelled: &rest };
            let found = ppi_mean_adjusted(data, groups, Level::P95).unwrap().estimate;
            found.upper - found.lower
        };
        assert!((width(1, true) - width(1, false)).abs() < 1e-12);
        assert!((width(6, true) - width(1, true)).abs() < 0.002, "{} {}", width(6, true), width(1, true));
        assert!(width(6, false) < 0.5 * width(6, true));
    }

    #[test]
    fn scores_beyond_their_range_and_one_group_are_refused() {
        let reason = |gold: &[f64], groups: Option<Groups>| {
            let data = Labelled { gold, judge: &[1.0, 0.0], judge_unlabelled: &[1.0, 0.0] };
            ppi_mean_adjusted(data, groups, Level::P95).unwrap_err().reason
        };
        assert_eq!(reason(&[1.5, 0.0], None), Reason::Invalid);
        let one = Groups { labelled: &[3, 3], unlabelled: &[4, 5] };
        assert_eq!(reason(&[1.0, 0.0], Some(one)), Reason::TooFew);
        let short = Groups { labelled: &[3, 4], unlabelled: &[4] };
        assert_eq!(reason(&[1.0, 0.0], Some(short)), Reason::Invalid);
    }
}
