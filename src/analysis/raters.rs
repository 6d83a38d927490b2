//! How far do the people who label agree? Asked while they still label, so of labels alone: no judge is needed.

use crate::domain::Preference;
use crate::stats::agreement::{Metric, krippendorff_alpha};
use crate::stats::cells::alpha_of_cells;
use crate::stats::clustered::wilson_clustered;
use crate::stats::proportion::wilson;
use crate::stats::resample::{Resampling, Units, bca};
use crate::stats::seed::Seed;
use crate::stats::{Estimate, Figure, Level, NotEstimable};

/// Resamples of alpha's interval: it is looked at in passing and decides nothing.
const RESAMPLES: usize = 1_000;

/// What the labels of several people say of each other.
#[derive(Debug, Clone, PartialEq)]
pub struct RatersAgreement {
    /// People with at least one label.
    pub raters: usize,
    /// Items with two labels or more.
    pub shared: u64,
    /// Pairs of labels of one item.
    pub compared: u64,
    /// Those of them that are the same.
    pub agreeing: u64,
    /// Their share; the interval is Wilson's with two raters, over items with more.
    pub raw: Figure,
    /// Krippendorff's nominal alpha over the shared items.
    pub alpha: Result<f64, NotEstimable>,
    /// Its bootstrap interval over items; absent where resampling has no spread, as at perfect agreement.
    pub alpha_interval: Figure,
}

/// Agreement of raters (rows) over the same items (columns); `None` where somebody has not labelled an item.
///
/// Rows have equal lengths, else nothing is estimable. Cost: 1,000 resamples of the shared items.
pub fn agree(raters: &[Vec<Option<Preference>>], seed: Seed) -> RatersAgreement {
    let columns = raters.iter().map(Vec::len).min().unwrap_or(0);
    let tallies = (0..columns).map(|item| {
        raters.iter().filter_map(|row| row[item]).fold([0_u64; 3], |mut counts, label| {
            counts[label.index()] += 1;
            counts
        })
    });
    let shared: Vec<[u64; 3]> = tallies.filter(|counts| counts.iter().sum::<u64>() >= 2).collect();
    let of_item = |counts: &[u64; 3]| {
        let agreeing: u64 = counts.iter().map(|count| choose_two(*count)).sum();
        (agreeing, choose_two(counts.iter().sum()))
    };
    let by_item: Vec<(u64, u64)> = shared.iter().map(of_item).collect();
    let (agreeing, compared) = by_item.iter().fold((0, 0), |sum, item| (sum.0 + item.0, sum.1 + item.1));
    let raw = if compared == shared.len() as u64 {
        wilson(agreeing, compared, Level::P95)
    } else {
        wilson_clustered(&by_item, Level::P95).map(|found| Estimate { n: shared.len() as u64, k: None, ..found })
    };
    let values: Vec<Vec<Option<f64>>> =
        raters.iter().map(|row| row.iter().map(|label| label.map(|label| label.index() as f64)).collect()).collect();
    RatersAgreement {
        raters: raters.iter().filter(|row| row.iter().any(Option::is_some)).count(),
        shared: shared.len() as u64,
        compared,
        agreeing,
        raw,
        alpha: krippendorff_alpha(&values, Metric::Nominal),
        alpha_interval: alpha_interval(&shared, seed),
    }
}

fn choose_two(count: u64) -> u64 {
    count * count.saturating_sub(1) / 2
}

/// Alpha is a function of the summed coincidences, to which an item of `m` labels gives each ordered pair of them with the
/// weight `1/(m − 1)`; half of that is what a table of two raters would hold.
fn alpha_interval(shared: &[[u64; 3]], seed: Seed) -> Figure {
    let coincidences = |counts: &[u64; 3]| -> Vec<f64> {
        let others = counts.iter().sum::<u64>() as f64 - 1.0;
        let pairs = |one: usize, other: usize| {
            let rest = if one == other { counts[other].saturating_sub(1) } else { counts[other] };
            counts[one] as f64 * rest as f64 / others / 2.0
        };
        (0..9).map(|cell| pairs(cell / 3, cell % 3)).collect()
    };
    let units = Units::new(shared.iter().map(coincidences))?;
    let resampling = Resampling { resamples: RESAMPLES, seed: seed.child("alpha of raters") };
    let found = bca(&units, alpha_of_cells, Level::P95, &resampling)?;
    Ok(Estimate { lower: found.lower.max(-1.0), upper: found.upper.min(1.0), ..found })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// One row a rater, one letter an item; `.` is no label.
    fn found(rows: &[&str]) -> RatersAgreement {
        let label = |letter| match letter {
            'a' => Some(Preference::A),
            'b' => Some(Preference::B),
            't' => Some(Preference::Tie),
            _ => None,
        };
        let rows: Vec<Vec<Option<Preference>>> = rows.iter().map(|row| row.chars().map(label).collect()).collect();
        agree(&rows, Seed(1))
    }

    #[test]
    fn items_of_one_label_are_not_shared() {
        let found = found(&["aab.", "ab.t"]);
        assert_eq!((found.raters, found.shared, found.compared, found.agreeing), (2, 2, 2, 1));
        assert_eq!(found.raw.unwrap().method, "wilson");
    }

    #[test]
    fn alpha_of_the_coincidences_is_krippendorffs() {
        // Labels are missing, so the weights of the items differ.
        let rows = ["aabbtabtab.a", "aabtt.btaba.", "ab.btabtbb.a"];
        let found = found(&rows);
        let interval = found.alpha_interval.unwrap();
        assert!((found.alpha.unwrap() - interval.point).abs() < 1e-12);
        assert!(interval.lower < interval.point && interval.point < interval.upper);
        assert_eq!(found.raw.unwrap().method, "wilson_clustered");
    }

    #[test]
    fn one_rater_has_nobody_to_agree_with() {
        let found = found(&["abt"]);
        assert_eq!((found.raters, found.shared), (1, 0));
        assert!(found.raw.is_err() && found.alpha.is_err() && found.alpha_interval.is_err());
    }
}
