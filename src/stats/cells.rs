//! Coefficients beside kappa from counts that need not be whole: what a bootstrap computes anew from each resample.

/// Gwet's AC1 of a 3×3 table given row by row; `None` for an empty one.
///
/// - Estimates: as [`super::agreement::Confusion::ac1`].
/// - Formula: `(p − e)/(1 − e)`, `p` the share on the diagonal, `e = Σ π(1 − π)/2` over the classes, `π` the mean of both margins.
/// - Cost: constant. Source: Gwet 2008, equation 5. Pinned by `coefficients_of_cells_are_those_of_the_table`.
pub fn ac1_of_cells(cells: &[f64]) -> Option<f64> {
    let n: f64 = cells.iter().sum();
    let (agreed, chance) = ((cells[0] + cells[4] + cells[8]) / n, ac1_chance(cells));
    (n > 0.0).then(|| (agreed - chance) / (1.0 - chance))
}

/// The slope of AC1 against the observed agreement at fixed margins: `1 / (1 − e)`.
pub fn ac1_slope(cells: &[f64]) -> f64 {
    1.0 / (1.0 - ac1_chance(cells))
}

fn ac1_chance(cells: &[f64]) -> f64 {
    let n: f64 = cells.iter().sum();
    let margin = |c: usize| {
        let row: f64 = cells[c * 3..c * 3 + 3].iter().sum();
        let column: f64 = cells.iter().skip(c).step_by(3).sum();
        (row + column) / (2.0 * n)
    };
    (0..3).map(|c| margin(c) * (1.0 - margin(c))).sum::<f64>() / 2.0
}

/// Krippendorff's nominal alpha of two raters from their 3×3 table given row by row: both orders of each pair enter the
/// coincidences. `None` where only one class occurs.
///
/// - Estimates: as [`super::agreement::krippendorff_alpha`].
/// - Formula: `1 − (n − 1)·seen/expected` with `n` values, `seen` disagreeing and `expected` possible disagreeing pairs.
/// - Cost: constant. Source: Krippendorff 2011, section C. Pinned by `coefficients_of_cells_are_those_of_the_table`.
pub fn alpha_of_cells(cells: &[f64]) -> Option<f64> {
    let n = 2.0 * cells.iter().sum::<f64>();
    let seen = n - 2.0 * (cells[0] + cells[4] + cells[8]);
    let expected = alpha_expected(cells);
    (expected > 0.0).then(|| 1.0 - (n - 1.0) * seen / expected)
}

/// The slope of alpha against the observed agreement at fixed margins: `n(n − 1)/expected`.
pub fn alpha_slope(cells: &[f64]) -> f64 {
    let n = 2.0 * cells.iter().sum::<f64>();
    (n - 1.0) * n / alpha_expected(cells)
}

fn alpha_expected(cells: &[f64]) -> f64 {
    let n = 2.0 * cells.iter().sum::<f64>();
    let total = |c: usize| -> f64 {
        cells[c * 3..c * 3 + 3].iter().sum::<f64>() + cells.iter().skip(c).step_by(3).sum::<f64>()
    };
    (0..3).map(|c| total(c) * (n - total(c))).sum()
}

/// What Fleiss' kappa needs to know of one item with votes per class: the votes, the ordered agreeing pairs, and 1.
pub fn fleiss_sums(votes: &[u64]) -> Vec<f64> {
    let agreeing = votes.iter().map(|count| count * count.saturating_sub(1)).sum::<u64>();
    votes.iter().map(|count| *count as f64).chain([agreeing as f64, 1.0]).collect()
}

/// Fleiss' kappa from the sums of [`fleiss_sums`] over items with `raters` votes each; `None` where one class holds all.
///
/// - Estimates: as [`super::agreement::fleiss_kappa`].
/// - Formula: `(p − e)/(1 − e)`, `p` the share of agreeing pairs, `e` the sum of squared class shares.
/// - Cost: linear in the classes. Source: Fleiss 1971, equations 3 to 7. Pinned by `fleiss_of_sums_is_that_of_the_items`.
pub fn fleiss_of_sums(sums: &[f64], raters: u64) -> Option<f64> {
    let (counts, [agreeing, n]) = sums.split_last_chunk::<2>()?;
    let votes = n * raters as f64;
    let chance: f64 = counts.iter().map(|count| (count / votes).powi(2)).sum();
    let observed = agreeing / (votes * (raters as f64 - 1.0));
    (chance < 1.0).then(|| (observed - chance) / (1.0 - chance))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::stats::agreement::{Confusion, Metric, fleiss_kappa, krippendorff_alpha};

    #[test]
    fn coefficients_of_cells_are_those_of_the_table() {
        let counts = [9, 2, 1, 3, 7, 0, 2, 1, 5];
        let cells = counts.map(|count| count as f64);
        let ac1 = Confusion::from_cells(3, counts.to_vec()).unwrap().ac1().unwrap();
        assert!((ac1_of_cells(&cells).unwrap() - ac1).abs() < 1e-12);
        let raters: (Vec<_>, Vec<_>) = (0..9)
            .flat_map(|cell| (0..counts[cell]).map(move |_| (Some((cell / 3) as f64), Some((cell % 3) as f64))))
            .unzip();
        let alpha = krippendorff_alpha(&[raters.0, raters.1], Metric::Nominal).unwrap();
        assert!((alpha_of_cells(&cells).unwrap() - alpha).abs() < 1e-12);
        assert_eq!((ac1_of_cells(&[0.0; 9]), alpha_of_cells(&[0.0; 9])), (None, None));
    }

    #[test]
    fn fleiss_of_sums_is_that_of_the_items() {
        let items = [vec![3, 0, 1], vec![0, 4, 0], vec![2, 1, 1], vec![1, 0, 3]];
        let mut sums = vec![0.0; 5];
        for item in &items {
            fleiss_sums(item).iter().zip(&mut sums).for_each(|(one, sum)| *sum += one);
        }
        assert!((fleiss_of_sums(&sums, 4).unwrap() - fleiss_kappa(&items).unwrap()).abs() < 1e-12);
    }
}
