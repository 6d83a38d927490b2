#![allow(clippy::unwrap_used)]

use super::*;

fn ratio(total: &[f64]) -> Option<f64> {
    (total[1] > 0.0).then(|| total[0] / total[1])
}

fn of_values(values: &[f64]) -> Units {
    Units::new(values.iter().map(|&value| vec![value, 1.0])).unwrap()
}

fn correlation(t: &[f64]) -> Option<f64> {
    let [n, x, y, xx, yy, xy] = t else { return None };
    let spread = (xx - x * x / n) * (yy - y * y / n);
    (spread > 1e-12).then(|| (xy - x * y / n) / spread.sqrt())
}

/// The law school data (Efron and Tibshirani 1993, table 3.1): correlation 0.776, acceleration −0.076 and a BCa
/// interval of about (.43, .92) at 90 %.
#[test]
fn efrons_law_school_interval_is_reproduced() {
    let lsat = [576., 635., 558., 578., 666., 580., 555., 661., 651., 605., 653., 575., 545., 572., 594.];
    let gpa = [3.39, 3.30, 2.81, 3.03, 3.44, 3.07, 3.00, 3.43, 3.36, 3.13, 3.12, 2.74, 2.76, 2.88, 2.96];
    let units = Units::new(lsat.iter().zip(&gpa).map(|(x, y)| vec![1.0, *x, *y, x * x, y * y, x * y])).unwrap();
    let resampling = Resampling { resamples: 40_000, seed: Seed(1) };
    let figure = bca(&units, correlation, Level::P90, &resampling).unwrap();
    assert!((figure.point - 0.776).abs() < 5e-4);
    assert!((figure.lower - 0.43).abs() < 0.015 && (figure.upper - 0.92).abs() < 0.015, "{figure:?}");
    let replicates: Vec<f64> = units.replicates(correlation, &resampling).into_iter().flatten().collect();
    let replicates = Resampled::drawn(replicates);
    let shape = bca_shape(figure.point, &replicates, &units.jackknife(correlation)).unwrap();
    assert!((shape.acceleration + 0.076).abs() < 5e-4, "{shape:?}");
    assert!((shape.z0 + 0.08).abs() < 0.03, "{shape:?}");
}

#[test]
fn neither_order_nor_threads_change_a_replicate() {
    let values: Vec<f64> = (0..300).map(|i| f64::from(i * 7 % 5) / 4.0).collect();
    let mut reversed = values.clone();
    reversed.reverse();
    let resampling = Resampling { resamples: 500, seed: Seed(9) };
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let one = pool(1).install(|| of_values(&values).replicates(ratio, &resampling));
    let three = pool(3).install(|| of_values(&reversed).replicates(ratio, &resampling));
    assert_eq!(one, three);
    let distinct: Vec<f64> = (0..40).map(f64::from).collect();
    let by_index = pool(1).install(|| of_values(&distinct).replicates(ratio, &resampling));
    assert_eq!(by_index, pool(3).install(|| of_values(&distinct).replicates(ratio, &resampling)));
}

#[test]
fn both_ways_of_drawing_have_the_variance_of_the_mean() {
    let few_values: Vec<f64> = (0..200).map(|i| f64::from(i % 2)).collect();
    let many_values: Vec<f64> = (0..200).map(|i| f64::from(i) / 200.0).collect();
    for values in [few_values, many_values] {
        let mean = values.iter().sum::<f64>() / 200.0;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 200.0;
        let replicates = of_values(&values).replicates(ratio, &Resampling::new(Seed(3)));
        let moment = |power| replicates.iter().map(|r| (r.unwrap() - mean).powi(power)).sum::<f64>() / 10_000.0;
        assert!(moment(1).abs() < 4.0 * (variance / 200.0 / 10_000.0).sqrt());
        assert!((moment(2) / (variance / 200.0) - 1.0).abs() < 0.06);
    }
}

#[test]
fn equal_vectors_are_kept_once() {
    let units = Units::new([vec![1.0, -0.0], vec![0.5, 1.0], vec![1.0, 0.0]]).unwrap();
    assert_eq!((units.count(), units.distinct(), units.total()), (3, 2, &[2.5, 1.0][..]));
}

#[test]
fn equal_scores_have_no_bootstrap_interval() {
    let resampling = Resampling { resamples: 200, seed: Seed(0) };
    let reason = |figure: Figure| figure.unwrap_err().reason;
    assert_eq!(reason(bca(&of_values(&[1.0; 12]), ratio, Level::P95, &resampling)), Reason::Constant);
    let percentile = percentile(&of_values(&[1.0; 12]), ratio, Level::P95, &resampling).unwrap();
    assert_eq!((percentile.lower, percentile.upper), (1.0, 1.0));
    // Different groups, one ratio: rounding must not pass for spread.
    let groups = Units::new([vec![0.1, 1.0], vec![0.2, 2.0], vec![0.3, 3.0], vec![0.7, 7.0]]).unwrap();
    assert_eq!(reason(bca(&groups, ratio, Level::P95, &resampling)), Reason::Constant);
    assert_eq!(reason(t_clustered(&[(0.1, 1.0), (0.2, 2.0), (0.3, 3.0)], Level::P95)), Reason::Constant);
}

#[test]
fn a_statistic_that_is_often_undefined_has_no_interval() {
    let half = |total: &[f64]| (total[0] > 5.0).then_some(total[0]);
    let units = of_values(&[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
    let figure = bca(&units, half, Level::P95, &Resampling { resamples: 500, seed: Seed(0) });
    assert_eq!(figure.unwrap_err().reason, Reason::TooFew);
}

#[test]
fn units_of_different_length_or_without_value_are_refused() {
    assert_eq!(Units::new([]).unwrap_err().reason, Reason::Empty);
    assert_eq!(Units::new([vec![1.0], vec![1.0, 2.0]]).unwrap_err().reason, Reason::Invalid);
    assert_eq!(Units::new([vec![f64::NAN]]).unwrap_err().reason, Reason::Invalid);
}

#[test]
fn quantiles_interpolate_between_order_statistics() {
    let sorted = [1.0, 2.0, 4.0, 8.0];
    assert_eq!([0.0, 0.5, 0.75, 1.0].map(|q| quantile_of_sorted(&sorted, q)), [Ok(1.0), Ok(3.0), Ok(5.0), Ok(8.0)]);
    assert_eq!(quantile_of_sorted(&[], 0.5).unwrap_err().reason, Reason::Empty);
    assert_eq!(quantile_of_sorted(&sorted, 1.5).unwrap_err().reason, Reason::Invalid);
}

/// Student's sleep data, drug 2 minus drug 1 (R's `t.test` help): mean 1.58, 95 % interval 0.7001142 to 2.4598858.
#[test]
fn a_t_interval_of_single_values_is_the_textbook_one() {
    let extra_sleep = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4];
    let groups: Vec<(f64, f64)> = extra_sleep.iter().map(|&hours| (hours, 1.0)).collect();
    let figure = t_clustered(&groups, Level::P95).unwrap();
    assert!((figure.point - 1.58).abs() < 1e-12);
    assert!((figure.lower - 0.700_114_2).abs() < 1e-6 && (figure.upper - 2.459_885_8).abs() < 1e-6, "{figure:?}");
    assert_eq!(t_clustered(&groups[..1], Level::P95).unwrap_err().reason, Reason::TooFew);
}

#[test]
fn repeating_every_member_of_a_group_changes_nothing() {
    let once = clustered_ratio(&[(1.0, 1.0), (0.0, 1.0), (0.5, 1.0)]).unwrap();
    let thrice = clustered_ratio(&[(3.0, 3.0), (0.0, 3.0), (1.5, 3.0)]).unwrap();
    assert!((once.se_cr1.unwrap() - thrice.se_cr1.unwrap()).abs() < 1e-15 && once.ratio == thrice.ratio);
}

/// Ten groups of four halves-and-wins that resemble each other: the t interval on groups holds its level, one on items
/// would not.
#[test]
fn the_clustered_t_interval_holds_its_level_with_ten_groups() {
    let truth = 0.6;
    let (mut held, mut naive_held) = (0, 0);
    for run in 0..2_000 {
        let mut stream = Seed(21).child("clustered").stream(run);
        let mut items = Vec::new();
        let groups: Vec<(f64, f64)> = (0..10)
            .map(|_| {
                let easy = stream.unit_f64() < 0.5;
                let wins = stream.binomial(4, if easy { 0.9 } else { 0.3 });
                items.extend((0..4).map(|i| (f64::from(u8::from(i < wins)), 1.0)));
                (wins as f64, 4.0)
            })
            .collect();
        let covers = |figure: Figure| figure.is_ok_and(|e| e.lower <= truth && truth <= e.upper);
        held += u32::from(covers(t_clustered(&groups, Level::P95)));
        naive_held += u32::from(covers(t_clustered(&items, Level::P95)));
    }
    let (coverage, naive) = (f64::from(held) / 2_000.0, f64::from(naive_held) / 2_000.0);
    assert!((0.935..0.975).contains(&coverage) && naive < 0.9, "coverage {coverage}, naive {naive}");
}

#[test]
fn the_bca_interval_nearly_holds_its_level_with_forty_items() {
    let mut held = 0;
    for run in 0..300 {
        let mut stream = Seed(22).child("bca").stream(run);
        let values: Vec<f64> = (0..40).map(|_| f64::from(u8::from(stream.unit_f64() < 0.7))).collect();
        let resampling = Resampling { resamples: 1_000, seed: Seed(run) };
        let figure = bca(&of_values(&values), ratio, Level::P95, &resampling);
        held += u32::from(figure.is_ok_and(|e| e.lower <= 0.7 && 0.7 <= e.upper));
    }
    assert!((270..=296).contains(&held), "held {held} of 300");
}

#[test]
fn the_law_of_a_mean_is_that_of_all_resamples() {
    // All 4⁴ resamples, each as likely as any other.
    let scores = [0.0, 0.25, 0.75, 1.0];
    let mut all = Vec::new();
    for number in 0..256 {
        let drawn = [number % 4, number / 4 % 4, number / 16 % 4, number / 64];
        all.push(drawn.iter().map(|unit| scores[*unit]).sum::<f64>() / 4.0);
    }
    all.sort_unstable_by(f64::total_cmp);
    let units = Units::new(scores.map(|score| vec![score, 1.0])).unwrap();
    let resampling = Resampling { resamples: 10, seed: Seed(1) };
    let law = units.ratio(&resampling).unwrap();
    // Repeats of one item, all as often: the same law in sums.
    let three = Units::new(scores.map(|score| vec![3.0 * score, 3.0])).unwrap().ratio(&resampling).unwrap();
    for (number, wanted) in all.iter().enumerate() {
        let middle = (number as f64 + 0.5) / 256.0;
        assert_eq!(law.quantile(middle), *wanted);
        assert!((three.quantile(middle) - wanted).abs() < 1e-15);
        let (below, equal) = (all.iter().filter(|one| *one < wanted), all.iter().filter(|one| *one == wanted));
        let mid_rank = (below.count() as f64 + equal.count() as f64 / 2.0) / 256.0;
        assert!((law.mid_rank(*wanted) - mid_rank).abs() < 1e-15);
    }
    assert_eq!((law.quantile(0.0), law.quantile(1.0)), (0.0, 1.0));
}

#[test]
fn what_has_no_law_to_work_out_is_drawn() {
    let ratio = |pairs: Vec<Vec<f64>>, seed| {
        Units::new(pairs).unwrap().ratio(&Resampling { resamples: 400, seed: Seed(seed) }).unwrap()
    };
    let uneven: Vec<Vec<f64>> = (0..30).map(|unit| vec![f64::from(unit % 2), f64::from(1 + unit % 3)]).collect();
    let odd: Vec<Vec<f64>> = (0..30).map(|unit| vec![f64::from(unit) / 30.0, 1.0]).collect();
    let many: Vec<Vec<f64>> = (0..20_000).map(|unit| vec![f64::from(unit % 2), 1.0]).collect();
    for pairs in [uneven, odd, many] {
        assert_ne!(ratio(pairs.clone(), 1), ratio(pairs.clone(), 2));
        let drawn = Units::new(pairs.clone()).unwrap();
        let drawn = drawn.replicates(|total| Some(total[0] / total[1]), &Resampling { resamples: 400, seed: Seed(1) });
        assert_eq!(ratio(pairs, 1), Resampled::drawn(drawn.into_iter().flatten().collect()));
    }
    assert!(Units::new([vec![1.0]]).unwrap().ratio(&Resampling::new(Seed(1))).is_err());
}

#[test]
fn a_law_worked_out_and_one_drawn_give_the_same_bounds() {
    let pairs: Vec<Vec<f64>> = (0..150).map(|unit| vec![[0.0, 0.5, 1.0, 1.0, 0.75][unit % 5], 1.0]).collect();
    let units = Units::new(pairs).unwrap();
    let mean = |total: &[f64]| Some(total[0] / total[1]);
    let drawn = bca(&units, mean, Level::P95, &Resampling { resamples: 200_000, seed: Seed(1) }).unwrap();
    let resampled = units.ratio(&Resampling::new(Seed(1))).unwrap();
    let point = units.total()[0] / units.total()[1];
    let law = bca_of(point, &resampled, &units.jackknife(mean), Level::P95).unwrap();
    // A step of the mean is 1/600.
    assert!(
        (law.lower - drawn.lower).abs() < 2.0 / 600.0 && (law.upper - drawn.upper).abs() < 2.0 / 600.0,
        "{law:?} {drawn:?}"
    );
}

/// The probability at the lower bound lies within 1e-5 of a step of the law in the first two: 10,000 draws cannot tell them apart.
/// Python with numpy 2.3 and scipy 1.17: the law by `convolve`, the BCa formula, `searchsorted` in the sums of the law.
#[test]
fn a_bound_next_to_a_step_of_the_law_is_the_exact_one() {
    for ((won, tied, lost), lower, upper) in [
        ((36, 0, 21), 28.0 / 57.0, 43.0 / 57.0),
        ((17, 18, 7), 0.5, 30.5 / 42.0),
        ((30, 0, 20), 0.46, 0.72),
        ((25, 10, 15), 0.47, 0.72),
        ((40, 5, 12), 35.5 / 57.0, 48.0 / 57.0),
    ] {
        let scores = [(1.0, won), (0.5, tied), (0.0, lost)];
        let units = Units::new(scores.iter().flat_map(|(score, n)| vec![vec![*score, 1.0]; *n])).unwrap();
        let resampled = units.ratio(&Resampling { resamples: 10, seed: Seed(1) }).unwrap();
        let jackknife = units.jackknife(|total| Some(total[0] / total[1]));
        let point = units.total()[0] / units.total()[1];
        let found = bca_of(point, &resampled, &jackknife, Level::P95).unwrap();
        assert!((found.lower - lower).abs() < 1e-12 && (found.upper - upper).abs() < 1e-12, "{won}:{lost} {found:?}");
    }
}
