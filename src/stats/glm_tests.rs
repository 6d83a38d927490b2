#![allow(clippy::unwrap_used)]

use super::*;

fn data<'a>(rows: &'a [Vec<f64>], outcomes: &'a [f64]) -> Regression<'a> {
    Regression { rows, outcomes, clusters: None }
}

fn close(found: f64, wanted: f64, tolerance: f64) {
    assert!((found - wanted).abs() < tolerance, "found {found}, wanted {wanted}");
}

/// A 2x2 table has a closed form: 15 of 20 against 6 of 20.
#[test]
fn a_two_by_two_table_gives_its_log_odds_ratio() {
    let rows: Vec<Vec<f64>> = (0..40).map(|i| vec![1.0, f64::from(i / 20)]).collect();
    let outcomes: Vec<f64> = (0..40).map(|i| f64::from(u8::from(!(6..25).contains(&i)))).collect();
    let fit = logistic(data(&rows, &outcomes)).unwrap();
    close(fit.coefficients[0], (6.0_f64 / 14.0).ln(), 1e-9);
    close(fit.coefficients[1], (15.0_f64 * 14.0 / (5.0 * 6.0)).ln(), 1e-9);
    close(fit.se_model[1], (1.0 / 15.0 + 1.0 / 5.0 + 1.0 / 6.0 + 1.0_f64 / 14.0).sqrt(), 1e-9);
    let figure = fit.coefficient(1, Level::P95, Errors::Clustered).unwrap();
    assert_eq!((figure.method, figure.n), ("wald_clustered", 40));
    assert!(figure.lower > 0.0);
}

/// Hours of study and passing (the worked example of most introductions): intercept −4.0777, slope 1.5046.
#[test]
fn the_study_hours_fit_is_reproduced() {
    let hours =
        [0.5, 0.75, 1., 1.25, 1.5, 1.75, 1.75, 2., 2.25, 2.5, 2.75, 3., 3.25, 3.5, 4., 4.25, 4.5, 4.75, 5., 5.5];
    let passed = [0., 0., 0., 0., 0., 0., 1., 0., 1., 0., 1., 0., 1., 0., 1., 1., 1., 1., 1., 1.];
    let rows: Vec<Vec<f64>> = hours.iter().map(|h| vec![1.0, *h]).collect();
    let fit = logistic(data(&rows, &passed)).unwrap();
    close(fit.coefficients[0], -4.0777, 5e-5);
    close(fit.coefficients[1], 1.5046, 5e-5);
    close(fit.se_model[1], 0.6287, 5e-5);
    close(likelihood_ratio_p(data(&rows, &passed), 1).unwrap(), 0.0006, 5e-5);
}

#[test]
fn perfect_and_nearly_perfect_splits_are_separated() {
    let reason = |rows: &[Vec<f64>], y: &[f64]| logistic(data(rows, y)).unwrap_err().reason;
    assert_eq!(reason(&[vec![-1.0], vec![-0.5], vec![0.5], vec![1.0]], &[0., 0., 1., 1.]), Reason::Separated);
    let quasi = [vec![1.0, 0.2], vec![1.0, -0.1], vec![-1.0, 0.3], vec![-1.0, -0.4], vec![1.0, 0.5], vec![-1.0, 0.1]];
    assert_eq!(reason(&quasi, &[1., 1., 0., 0., 1., 0.]), Reason::Separated);
    // One group all successes, the other mixed; the ties must not hide it.
    let one_sided = [vec![1.0, 0.0], vec![1.0, 0.0], vec![1.0, 0.0], vec![1.0, 1.0], vec![1.0, 1.0]];
    assert_eq!(reason(&one_sided, &[0.0, 1.0, 0.5, 1.0, 1.0]), Reason::Separated);
    // A strong effect alone is no separation.
    let strong: Vec<Vec<f64>> = (-20..=20).map(|i| vec![f64::from(i)]).collect();
    let outcomes: Vec<f64> = (-20..=20).map(|i| f64::from(u8::from(i > 0 || i == -1))).collect();
    assert!(logistic(data(&strong, &outcomes)).unwrap().coefficients[0] > 1.0);
}

#[test]
fn dependent_columns_are_found() {
    let rows: Vec<Vec<f64>> = (0..20).map(|i| vec![f64::from(i % 3) - 1.0, 2.0 * f64::from(i % 3) - 2.0]).collect();
    let outcomes: Vec<f64> = (0..20).map(|i| f64::from(i % 2)).collect();
    assert_eq!(logistic(data(&rows, &outcomes)).unwrap_err().reason, Reason::Constant);
    assert_eq!(condition_number(&rows).unwrap_err().reason, Reason::Constant);
    let apart = [vec![1.0, 0.0], vec![0.0, 5.0]];
    close(condition_number(&apart).unwrap(), 1.0, 1e-12);
}

#[test]
fn renaming_the_two_answers_keeps_an_antisymmetric_fit() {
    let rows: Vec<Vec<f64>> =
        (0..60).map(|i| vec![f64::from(i % 3) - 1.0, f64::from(i * 7 % 11) / 5.0 - 1.0]).collect();
    let outcomes: Vec<f64> = (0..60).map(|i| f64::from(i * 5 % 3) / 2.0).collect();
    let other: Vec<Vec<f64>> = rows.iter().map(|row| row.iter().map(|x| -x).collect()).collect();
    let turned: Vec<f64> = outcomes.iter().map(|y| 1.0 - y).collect();
    let (one, two) = (logistic(data(&rows, &outcomes)).unwrap(), logistic(data(&other, &turned)).unwrap());
    for (a, b) in one.coefficients.iter().zip(&two.coefficients) {
        close(*a, *b, 1e-9);
    }
    assert!(!one.binary);
}

#[test]
fn doubling_every_observation_within_its_cluster_keeps_the_robust_error() {
    let rows: Vec<Vec<f64>> = (0..30).map(|i| vec![1.0, f64::from(i * 7 % 10)]).collect();
    let outcomes: Vec<f64> = (0..30).map(|i| f64::from(i * 11 % 4 / 2)).collect();
    let clusters: Vec<usize> = (0..30).collect();
    let twice = |v: &[f64]| v.iter().chain(v).copied().collect::<Vec<f64>>();
    let rows_twice: Vec<Vec<f64>> = rows.iter().chain(&rows).cloned().collect();
    let clusters_twice: Vec<usize> = clusters.iter().chain(&clusters).copied().collect();
    let once = logistic(Regression { rows: &rows, outcomes: &outcomes, clusters: Some(&clusters) }).unwrap();
    let outcomes_twice = twice(&outcomes);
    let double =
        logistic(Regression { rows: &rows_twice, outcomes: &outcomes_twice, clusters: Some(&clusters_twice) }).unwrap();
    close(once.se_cr1.unwrap()[1], double.se_cr1.unwrap()[1], 1e-9);
    assert!(double.se_model[1] < once.se_model[1]);
}

#[test]
fn bad_input_is_refused() {
    let reason = |rows: &[Vec<f64>], y: &[f64]| logistic(data(rows, y)).unwrap_err().reason;
    assert_eq!(reason(&[], &[]), Reason::Empty);
    assert_eq!(reason(&[vec![1.0]], &[1.5]), Reason::Invalid);
    assert_eq!(reason(&[vec![1.0], vec![1.0, 2.0]], &[0.0, 1.0]), Reason::Invalid);
    assert_eq!(reason(&[vec![f64::NAN]], &[1.0]), Reason::Invalid);
}

/// The log likelihood with slope and curvature as matrices write them.
fn by_matrices(rows: &[Vec<f64>], outcomes: &[f64], at: &DVector<f64>) -> Evaluation {
    let ln_logistic = crate::stats::newton::ln_logistic;
    let design = DMatrix::from_fn(rows.len(), rows[0].len(), |row, column| rows[row][column]);
    let outcomes = DVector::from_column_slice(outcomes);
    let predictor = &design * at;
    let value =
        predictor.iter().zip(&outcomes).map(|(eta, y)| y * ln_logistic(*eta) + (1.0 - y) * ln_logistic(-eta)).sum();
    let fitted = predictor.map(expit);
    let gradient = design.transpose() * (&outcomes - &fitted);
    let mut weighted = design.clone();
    for (mut row, p) in weighted.row_iter_mut().zip(&fitted) {
        row *= p * (1.0 - p);
    }
    Evaluation { value, gradient, information: design.transpose() * weighted }
}

#[test]
fn one_pass_over_the_rows_gives_what_matrices_give_to_the_last_digit() {
    for columns in 1..=4_usize {
        let row = |i: usize| (0..columns).map(|c| ((i * (c + 3)) as f64 * 0.37).sin() * (c + 1) as f64).collect();
        let rows: Vec<Vec<f64>> = (0..500).map(row).collect();
        let outcomes: Vec<f64> = (0..500).map(|i| [0.0, 0.5, 1.0][i * i % 7 % 3]).collect();
        for scale in [0.0, 0.3, -2.5, 40.0] {
            let at = DVector::from_fn(columns, |c, _| scale * (0.7 - c as f64));
            let cells: Vec<f64> = rows.iter().flatten().copied().collect();
            let own = evaluate(&Design { cells: &cells, columns }, &outcomes, &at);
            let other = by_matrices(&rows, &outcomes, &at);
            assert_eq!(own.value.to_bits(), other.value.to_bits(), "{columns} columns, scale {scale}");
            assert_eq!((own.gradient, own.information), (other.gradient, other.information));
        }
    }
}
