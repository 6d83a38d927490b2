#![allow(clippy::unwrap_used)]

use super::*;

fn close(found: f64, wanted: f64, tolerance: f64) {
    assert!((found - wanted).abs() < tolerance, "found {found}, wanted {wanted}");
}

fn table(classes: usize, cells: &[u64]) -> Confusion {
    Confusion::from_cells(classes, cells.to_vec()).unwrap()
}

/// Fifty proposals, two readers, 20 and 15 on the diagonal: the example of most textbooks, kappa 0.40. The second is
/// Cohen 1960, table 1 (shares of 200): kappa 0.492.
#[test]
fn cohens_kappa_of_a_published_table() {
    close(table(2, &[20, 5, 10, 15]).kappa().unwrap(), 0.4, 1e-12);
    close(table(3, &[88, 14, 18, 10, 40, 10, 2, 6, 12]).kappa().unwrap(), 0.492, 5e-4);
}

#[test]
fn the_standard_error_matches_the_spread_of_resampled_tables() {
    use crate::stats::resample::{Resampling, Units};
    let confusion = table(3, &[88, 14, 18, 10, 40, 10, 2, 6, 12]);
    let units = Units::new(confusion.cells().iter().enumerate().flat_map(|(cell, &many)| {
        let mut vector = vec![0.0; 9];
        vector[cell] = 1.0;
        std::iter::repeat_n(vector, usize::try_from(many).unwrap())
    }))
    .unwrap();
    let replicates = units.replicates(|t| kappa_of_cells(t, Weights::Nominal), &Resampling::new(crate::stats::Seed(4)));
    let values: Vec<f64> = replicates.into_iter().flatten().collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let spread = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt();
    close(confusion.kappa_se().unwrap() / spread, 1.0, 0.03);
}

/// Gwet's paradox table: 94 % agreement with kappa near zero while AC1 stays high (118, 5, 2, 0 of 125: kappa −0.023,
/// AC1 0.9408).
#[test]
fn ac1_withstands_a_dominating_class() {
    let confusion = table(2, &[118, 5, 2, 0]);
    close(confusion.kappa().unwrap(), -0.0234, 5e-5);
    close(confusion.ac1().unwrap(), 0.9408, 5e-5);
}

#[test]
fn a_judge_that_always_says_tie_has_kappa_zero_and_two_constant_raters_none() {
    close(table(3, &[0, 0, 5, 0, 0, 5, 0, 0, 0]).kappa().unwrap(), 0.0, 1e-12);
    let constant = table(3, &[6, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(constant.kappa().unwrap_err().reason, Reason::Constant);
    assert_eq!(constant.kappa_se().unwrap_err().reason, Reason::Constant);
    assert_eq!(Confusion::new(3).kappa().unwrap_err().reason, Reason::Empty);
    assert_eq!(Confusion::new(3).observed().unwrap_err().reason, Reason::Empty);
}

#[test]
fn exchanging_the_raters_or_renaming_the_classes_keeps_kappa() {
    let confusion = table(3, &[9, 2, 1, 3, 7, 0, 1, 4, 5]);
    let swapped = table(3, &[9, 3, 1, 2, 7, 4, 1, 0, 5]);
    close(confusion.kappa().unwrap(), swapped.kappa().unwrap(), 1e-12);
    let renamed = table(3, &[5, 4, 1, 0, 7, 3, 1, 2, 9]);
    close(
        confusion.weighted_kappa(Weights::Quadratic).unwrap(),
        renamed.weighted_kappa(Weights::Quadratic).unwrap(),
        1e-12,
    );
}

#[test]
fn kappa_at_the_observed_agreement_is_kappa() {
    let confusion = table(3, &[9, 2, 1, 3, 7, 0, 1, 4, 5]);
    close(confusion.kappa_at_agreement(confusion.observed().unwrap()).unwrap(), confusion.kappa().unwrap(), 1e-12);
    let perfect = table(2, &[15, 0, 0, 15]);
    close(perfect.kappa_at_agreement(0.9).unwrap(), 0.8, 1e-12);
    assert_eq!(perfect.kappa_at_agreement(1.1).unwrap_err().reason, Reason::Invalid);
    assert_eq!(table(2, &[5, 0, 0, 0]).kappa_at_agreement(1.0).unwrap_err().reason, Reason::Constant);
}

#[test]
fn weights_do_not_matter_with_two_classes() {
    let confusion = table(2, &[24, 5, 1, 10]);
    for weights in [Weights::Linear, Weights::Quadratic] {
        close(confusion.weighted_kappa(weights).unwrap(), confusion.kappa().unwrap(), 1e-12);
    }
}

#[test]
fn a_class_that_was_not_declared_is_refused() {
    let mut confusion = Confusion::new(2);
    assert!(confusion.record(0, 1).is_ok());
    assert_eq!(confusion.record(2, 0).unwrap_err().reason, Reason::Invalid);
    assert_eq!((confusion.n(), confusion.count(0, 1)), (1, 1));
}

/// Fourteen raters, ten items, five classes: the worked example at "Fleiss' kappa" in the literature, 0.210.
#[test]
fn fleiss_kappa_of_a_worked_table() {
    let items: Vec<Vec<u64>> = [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ]
    .map(Vec::from)
    .to_vec();
    close(fleiss_kappa(&items).unwrap(), 0.210, 5e-4);
    assert_eq!(fleiss_kappa(&[vec![3, 0], vec![3, 0]]).unwrap_err().reason, Reason::Constant);
    assert_eq!(fleiss_kappa(&[vec![3, 0], vec![1, 1]]).unwrap_err().reason, Reason::Invalid);
}

/// Krippendorff 2011, section C: four observers, twelve units, missing values.
#[test]
fn krippendorffs_own_example_is_reproduced() {
    let row = |text: &str| text.chars().map(|c| c.to_digit(10).map(f64::from)).collect::<Vec<_>>();
    let raters = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."].map(row);
    close(krippendorff_alpha(&raters, Metric::Nominal).unwrap(), 0.743, 5e-4);
    close(krippendorff_alpha(&raters, Metric::Ordinal).unwrap(), 0.815, 5e-4);
    close(krippendorff_alpha(&raters, Metric::Interval).unwrap(), 0.849, 5e-4);
}

#[test]
fn alpha_of_one_value_or_of_nothing_is_no_number() {
    let one = [vec![Some(1.0), Some(1.0)], vec![Some(1.0), None]];
    assert_eq!(krippendorff_alpha(&one, Metric::Nominal).unwrap_err().reason, Reason::Constant);
    let alone = [vec![Some(1.0), None], vec![None, Some(2.0)]];
    assert_eq!(krippendorff_alpha(&alone, Metric::Nominal).unwrap_err().reason, Reason::Empty);
}
