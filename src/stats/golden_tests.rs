//! Functions that other tests reach only through others, each against a published number or one that was got another way: by hand,
//! by a closed form, or by another program, which the test names.
#![allow(clippy::unwrap_used, clippy::float_cmp)]

use super::agreement::Confusion;
use super::binomial::{binomial_tails, upper_tail};
use super::cells::{ac1_of_cells, ac1_slope, alpha_of_cells, alpha_slope};
use super::clustered::clopper_pearson_real;
use super::glm::{Errors, Regression, logistic};
use super::ngram::{Orders, bleu_of_sums, bleu_sums};
use super::outcomes::OutcomeCounts;
use super::ppi::{Interval, Labelled, Stratum, Trust, ppi_mean, stratified_ppi_mean};
use super::probability::{Prediction, Scored, binary_calibration_error, risk_curve, top_predictions};
use super::proportion::wilson_bounds;
use super::rating::{Wins, rating_points};
use super::repeats::{RepeatedItem, excesses};
use super::resample::{LeaveOneOut, Resampled, bca_of, percentile_of};
use super::special::{binomial_sf, ln_gamma};
use super::{Estimate, Level, NotEstimable, Reason};

#[derive(serde::Serialize)]
struct Held(#[serde(serialize_with = "crate::stats::serialize_figure")] super::Figure);

fn close(found: f64, wanted: f64) {
    assert!((found - wanted).abs() <= 1e-10 + 1e-10 * wanted.abs(), "found {found}, wanted {wanted}");
}

/// 9! = 362880, Γ(½) = √π, and ln Γ(123.4) by scipy 1.17.
#[test]
fn the_gamma_function_has_its_factorials_and_its_half() {
    close(ln_gamma(10.0), 362_880.0_f64.ln());
    close(ln_gamma(0.5), std::f64::consts::PI.sqrt().ln());
    close(ln_gamma(123.4), 469.336_097_442_190_6);
}

/// Seven heads of ten: (120 + 45 + 10 + 1)/1024 or more, 120/1024 exactly.
#[test]
fn seven_heads_of_ten_have_tails_by_hand() {
    close(upper_tail(7, 10, 0.5), 176.0 / 1024.0);
    close(binomial_sf(6, 10, 0.5), 176.0 / 1024.0);
    assert_eq!((upper_tail(0, 10, 0.5), binomial_sf(10, 10, 0.5)), (1.0, 0.0));
    let tails = binomial_tails(7, 10, 0.5);
    close(tails.greater, 176.0 / 1024.0);
    close(tails.less, 968.0 / 1024.0);
    close(tails.mid_greater, 116.0 / 1024.0);
    close(tails.mid_less, 908.0 / 1024.0);
    close(tails.mid_two_sided, 232.0 / 1024.0);
}

/// 81 of 263 is the first example of Newcombe 1998: .2527 to .3676 exact; one-sided 95 % Wilson bounds by statsmodels 0.15.
/// 5.95 of 17 by scipy's beta quantiles.
#[test]
fn newcombes_first_example_has_its_exact_and_its_one_sided_bounds() {
    let (lower, upper) = clopper_pearson_real(81.0 / 263.0, 263.0, Level::P95);
    assert!((lower - 0.2527).abs() < 5e-5 && (upper - 0.3676).abs() < 5e-5, "{lower} {upper}");
    let (lower, upper) = clopper_pearson_real(0.35, 17.0, Level::P90);
    close(lower, 0.164_159_768_550_745_68);
    close(upper, 0.577_441_351_751_451_2);
    assert_eq!(
        (clopper_pearson_real(0.0, 5.0, Level::P95).0, clopper_pearson_real(1.0, 5.0, Level::P95).1),
        (0.0, 1.0)
    );
    let bounds = wilson_bounds(81, 263, 0.05).unwrap();
    close(bounds.lower, 0.263_313_617_188_481_4);
    close(bounds.upper, 0.356_566_349_608_848_15);
    let none = wilson_bounds(0, 10, 0.05).unwrap();
    // z²/(n + z²) with z = 1.6448536.
    close(none.upper, 2.705_543_454_095_404 / 12.705_543_454_095_404);
    assert_eq!(none.lower, 0.0);
}

/// The table of most introductions (20, 5, 10, 15): kappa .4; interval by statsmodels 0.15, `cohens_kappa`.
#[test]
fn kappa_of_the_usual_table_has_its_large_sample_interval() {
    let table = Confusion::from_cells(2, vec![20, 5, 10, 15]).unwrap();
    let found = table.kappa_interval(Level::P95).unwrap();
    close(found.point, 0.4);
    close(found.lower, 0.151_092_290_476_661_06);
    close(found.upper, 0.648_907_709_523_338_8);
    assert_eq!((table.classes(), table.n(), table.agreed()), (2, 50, 35));
    assert_eq!(([0, 1].map(|c| table.gold_total(c)), [0, 1].map(|c| table.judge_total(c))), ([25, 25], [30, 20]));
    assert_eq!(table.as_f64(), [20.0, 5.0, 10.0, 15.0]);
    let perfect = Confusion::from_cells(2, vec![5, 0, 0, 5]).unwrap();
    assert_eq!(perfect.kappa_interval(Level::P95).unwrap_err().reason, Reason::Constant);
}

/// 1 − slope · (1 − agreement) is the coefficient itself at the observed agreement; AC1's slope by hand: margins (.5, .4, .1), so
/// chance is (.25 + .24 + .09)/2 = .29.
#[test]
fn the_slopes_of_ac1_and_alpha_lead_back_to_the_coefficients() {
    let cells = [4.0, 1.0, 0.0, 1.0, 3.0, 0.0, 0.0, 0.0, 1.0];
    close(ac1_slope(&cells), 1.0 / 0.71);
    close(1.0 - ac1_slope(&cells) * 0.2, ac1_of_cells(&cells).unwrap());
    close(1.0 - alpha_slope(&cells) * 0.2, alpha_of_cells(&cells).unwrap());
    // Krippendorff by hand: 20 values, 10, 8 and 2 of a kind: 1 − 19·4/(20² − 100 − 64 − 4).
    close(alpha_of_cells(&cells).unwrap(), 1.0 - 19.0 * 4.0 / 232.0);
}

/// Woolf: ln(15·14/(5·6)) over √(1/15 + 1/5 + 1/6 + 1/14).
#[test]
fn walds_test_of_a_two_by_two_table_is_woolfs() {
    let rows: Vec<Vec<f64>> = (0..40).map(|i| vec![1.0, f64::from(i / 20)]).collect();
    let outcomes: Vec<f64> = (0..40).map(|i| f64::from(u8::from(!(6..25).contains(&i)))).collect();
    let fit = logistic(Regression { rows: &rows, outcomes: &outcomes, clusters: None }).unwrap();
    let found = fit.wald(1, Errors::Model).unwrap();
    let z = 7.0_f64.ln() / (1.0 / 15.0 + 1.0 / 5.0 + 1.0 / 6.0 + 1.0_f64 / 14.0).sqrt();
    assert!((found.z - z).abs() < 1e-7 && (found.p - 2.0 * super::special::normal_sf(z)).abs() < 1e-9, "{found:?}");
}

/// 5 of 6 words, 3 of 5 pairs, 1 of 4 triples and none of 3 quadruples are found; the last counts as ½ of 3 (smoothed).
#[test]
fn bleu_is_made_of_counts_that_add_up_over_texts() {
    let sums = bleu_sums("the cat sat on the mat", &["the cat is on the mat"]).unwrap();
    assert_eq!(sums, [5.0, 3.0, 1.0, 0.0, 6.0, 5.0, 4.0, 3.0, 6.0, 6.0]);
    let by_hand = 100.0 * (5.0 / 6.0 * (3.0 / 5.0) * (1.0 / 4.0) * (0.5 / 3.0_f64)).powf(0.25);
    let found = bleu_of_sums(&sums, Orders::All).unwrap();
    assert!((found - by_hand).abs() < 1e-9 || (100.0 * found - by_hand).abs() < 1e-9, "{found} {by_hand}");
    let doubled: Vec<f64> = sums.iter().map(|sum| 2.0 * sum).collect();
    let twice = 100.0 * (5.0 / 6.0 * (3.0 / 5.0) * (1.0 / 4.0) * (0.5 / 6.0_f64)).powf(0.25);
    let found = bleu_of_sums(&doubled, Orders::All).unwrap();
    assert!((found - twice).abs() < 1e-9 || (100.0 * found - twice).abs() < 1e-9, "{found} {twice}");
    assert_eq!(bleu_of_sums(&[0.0; 10], Orders::All), Some(0.0));
}

#[test]
fn flips_to_the_first_slot_are_a_share_of_the_flips() {
    let counts = OutcomeCounts { flip_first: 7, flip_second: 3, x_wins: 40, ..OutcomeCounts::default() };
    assert_eq!((counts.flip_first_share().k, counts.flip_first_share().n), (7, 10));
    // 2 · 176/1024.
    close(counts.flip_direction_p(), 352.0 / 1024.0);
}

/// One stratum is the plain mean; the same data in two halves have √½ of its standard error; points are weighted.
#[test]
fn strata_of_a_prediction_powered_mean_are_weighed_and_their_variances_by_the_square() {
    let one = Labelled {
        gold: &[1.0, 0.0, 1.0, 1.0, 0.0, 0.5],
        judge: &[1.0, 0.0, 1.0, 0.0, 0.0, 1.0],
        judge_unlabelled: &[1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0],
    };
    let other = Labelled { gold: &[1.0, 1.0, 1.0, 0.0], judge: &[1.0, 1.0, 0.0, 0.0], judge_unlabelled: &[1.0, 0.0] };
    let plain = |data| ppi_mean(data, Trust::Tuned, Interval::Normal, Level::P95).unwrap().estimate;
    let strata = |parts: &[(f64, Labelled<'static>)]| {
        let strata: Vec<Stratum> =
            parts.iter().map(|(weight, data)| Stratum { weight: *weight, data: *data }).collect();
        stratified_ppi_mean(&strata, Level::P95)
    };
    let width = |found: &Estimate| found.upper - found.lower;
    let whole = strata(&[(1.0, one)]).unwrap();
    close(whole.point, plain(one).point);
    close(width(&whole), width(&plain(one)));
    let halves = strata(&[(0.5, one), (0.5, one)]).unwrap();
    close(halves.point, plain(one).point);
    close(width(&halves), width(&plain(one)) / 2.0_f64.sqrt());
    let mixed = strata(&[(0.3, one), (0.7, other)]).unwrap();
    close(mixed.point, 0.3 * plain(one).point + 0.7 * plain(other).point);
    close(width(&mixed), (0.3 * width(&plain(one))).hypot(0.7 * width(&plain(other))));
    assert_eq!(strata(&[(0.3, one), (0.3, one)]).unwrap_err().reason, Reason::Invalid);
}

#[test]
fn predictions_and_the_curve_of_their_risk_are_counted_by_hand() {
    let rows = vec![vec![0.7, 0.2, 0.1], vec![0.1, 0.5, 0.4], vec![0.3, 0.3, 0.4]];
    let found = top_predictions(&rows, &[0, 2, 2]).unwrap();
    let wanted =
        [(0.7, true), (0.5, false), (0.4, true)].map(|(confidence, correct)| Prediction { confidence, correct });
    assert_eq!(found, wanted);
    let curve = risk_curve(&found).unwrap();
    let points: Vec<(f64, f64)> = curve.iter().map(|point| (point.coverage, point.risk)).collect();
    assert_eq!(points, [(1.0 / 3.0, 0.0), (2.0 / 3.0, 0.5), (1.0, 1.0 / 3.0)]);
    let tied = risk_curve(&[wanted[1], Prediction { correct: true, ..wanted[1] }]).unwrap();
    assert_eq!((tied.len(), tied[0].coverage, tied[0].risk), (1, 1.0, 0.5), "tied confidences enter together");
}

/// Two at .95 of which one is positive (.45 off), two at .05 of which none is (.05 off): (2·.45 + 2·.05)/4.
#[test]
fn a_binary_calibration_error_is_that_of_the_positive_class() {
    let item = |score, positive| Scored { score, positive };
    let items = [item(0.95, true), item(0.95, false), item(0.05, false), item(0.05, false)];
    close(binary_calibration_error(&items).unwrap(), 0.25);
    assert_eq!(item(0.2, false).prediction(), Prediction { confidence: 0.8, correct: true });
    assert_eq!(item(0.5, false).prediction(), Prediction { confidence: 0.5, correct: false });
}

#[test]
fn players_that_never_met_are_apart_and_an_unbeaten_one_has_no_strength() {
    let wins = |rows: &[&[f64]]| Wins::new(rows.iter().map(|row| row.to_vec()).collect()).unwrap();
    let apart = wins(&[&[0.0, 1.0, 0.0], &[1.0, 0.0, 0.0], &[0.0, 0.0, 0.0]]);
    assert_eq!((apart.players(), apart.connectivity().is_connected()), (3, false));
    let unbeaten = wins(&[&[0.0, 1.0], &[0.0, 0.0]]).connectivity();
    assert!(unbeaten.is_connected() && !unbeaten.is_strongly_connected());
    assert!(wins(&[&[0.0, 1.0], &[1.0, 0.0]]).connectivity().is_strongly_connected());
    // Odds of ten to one are 400 points.
    close(rating_points(10.0_f64.ln()), 400.0);
}

/// Across: 2 of 4 pairs differ. Within: 1 of 1 differs, none of 1 does; their mean is ½. The second item has no repeat.
#[test]
fn an_excess_is_disagreement_across_minus_within() {
    let item = |forward: &[u32], reverse: &[u32]| RepeatedItem { forward: forward.to_vec(), reverse: reverse.to_vec() };
    assert_eq!(excesses(&[item(&[0, 1], &[0, 0]), item(&[0], &[1])]), [0.0]);
    assert_eq!(excesses(&[item(&[0, 0], &[1, 1])]), [1.0]);
}

/// Quantiles of type 7 of 0, 1, …, 100; and scipy 1.17, `bootstrap(method="BCa")`, of the mean of ten numbers with nine resamples.
#[test]
fn replicates_drawn_before_give_the_intervals_of_another_program() {
    let replicates: Vec<f64> = (0..=100).map(f64::from).collect();
    let found = percentile_of(50.0, &Resampled::drawn(replicates), 7, Level::P95).unwrap();
    close(found.lower, 2.5);
    close(found.upper, 97.5);
    assert_eq!((found.n, found.method), (7, "percentile"));
    let data: [f64; 10] = [1.0, 2.0, 2.0, 3.0, 5.0, 8.0, 13.0, 1.0, 0.0, 4.0];
    let total: f64 = data.iter().sum();
    let jackknife: Vec<LeaveOneOut> =
        data.iter().map(|value| LeaveOneOut { value: Some((total - value) / 9.0), multiplicity: 1 }).collect();
    let drawn = Resampled::drawn(vec![2.3, 2.6, 2.8, 2.9, 3.0, 3.4, 3.7, 3.7, 5.7]);
    let found = bca_of(total / 10.0, &drawn, &jackknife, Level::P95).unwrap();
    assert!((found.lower - 3.574_347_220_239_267).abs() < 1e-9, "{found:?}");
    assert!((found.upper - 5.699_999_124_184_704).abs() < 1e-9, "{found:?}");
}

#[test]
fn an_estimate_and_its_absence_keep_what_they_were_made_of() {
    let found = Estimate::within(0.3, [0.2, 0.5], 0.9, 12, "made_up");
    assert_eq!((found.point, found.lower, found.upper, found.level, found.n, found.k), (0.3, 0.2, 0.5, 0.9, 12, None));
    let known = Estimate::known(3.0, 4, "count");
    assert_eq!((known.lower, known.upper, known.method), (3.0, 3.0, "count"));
    close(Level::P90.alpha(), 0.1);
    let absence = NotEstimable::because(Reason::TooFew);
    assert_eq!((absence.reason.as_str(), absence.n), ("too_few", None));
    let written = |figure| serde_json::to_value(Held(figure)).unwrap();
    assert_eq!(written(Err(absence))["not_estimable"], "too_few");
    assert_eq!(written(Ok(found))["upper"], 0.5);
}
