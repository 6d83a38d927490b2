#![allow(clippy::unwrap_used)]

use super::*;

fn close(found: f64, wanted: f64, tolerance: f64) {
    assert!((found - wanted).abs() < tolerance, "found {found}, wanted {wanted}");
}

#[test]
fn five_points_need_385_by_wald_and_381_by_wilson() {
    assert_eq!(wald_sample_size(0.05, 0.5, Level::P95), Ok(385));
    assert_eq!(wilson_sample_size(0.05, Level::P95), Ok(381));
    assert_eq!(wilson_sample_size(0.0, Level::P95).unwrap_err().reason, Reason::Invalid);
}

/// At n = 20 and one half the exact test at 5 % rejects up to 5 and from 15: size 0.0414.
#[test]
fn the_rejection_region_is_the_one_of_the_tables() {
    assert_eq!(Rejection::of(20, 0.5, 0.05), Rejection { low: Some(5), high: Some(15) });
    close(binomial_power(20, 0.5, 0.5, 0.05).unwrap().size, 0.0414, 5e-5);
    assert_eq!(Rejection::of(5, 0.5, 0.05), Rejection { low: None, high: None });
    assert_eq!(Rejection::of(40, 0.0, 0.05), Rejection { low: None, high: Some(1) });
}

#[test]
fn the_rejection_region_matches_the_test_at_every_outcome() {
    for (n, p0) in [(7, 0.5), (33, 0.2), (50, 0.9), (101, 0.5)] {
        let Rejection { low, high } = Rejection::of(n, p0, 0.05);
        for k in 0..=n {
            let rejected = low.is_some_and(|low| k <= low) || high.is_some_and(|high| k >= high);
            assert_eq!(rejected, binomial_test(k, n, p0) <= 0.05, "n {n} p0 {p0} k {k}");
        }
    }
}

#[test]
fn the_detectable_share_has_just_the_power_asked_for() {
    for (n, p0) in [(50, 0.5), (200, 0.5), (80, 0.3)] {
        let distance = detectable_share(n, p0, 0.05, 0.8).unwrap();
        let at = |d: f64| {
            binomial_power(n, p0, p0 + d, 0.05).unwrap().power.max(binomial_power(n, p0, p0 - d, 0.05).unwrap().power)
        };
        close(at(distance), 0.8, 1e-6);
        assert!(at(distance - 0.01) < 0.8);
    }
    assert!(detectable_share(400, 0.5, 0.05, 0.8).unwrap() < detectable_share(100, 0.5, 0.05, 0.8).unwrap());
}

#[test]
fn five_flips_can_find_nothing() {
    assert_eq!(detectable_share(5, 0.5, 0.05, 0.8).unwrap_err().reason, Reason::TooFew);
    assert_eq!(detectable_share(0, 0.5, 0.05, 0.8).unwrap_err().reason, Reason::Empty);
}

/// Fleiss, Levin and Paik 2003, table A.4 without continuity correction: 0.60 against 0.70 at 5 % and 80 % needs 356 a
/// group.
#[test]
fn the_detectable_difference_inverts_the_published_sample_size() {
    close(detectable_difference(356, 356, 0.65, 0.05, 0.8).unwrap(), 0.1, 2e-4);
    assert_eq!(detectable_difference(1, 1, 0.5, 0.05, 0.8).unwrap_err().reason, Reason::TooFew);
    assert_eq!(detectable_difference(0, 9, 0.5, 0.05, 0.8).unwrap_err().reason, Reason::Empty);
    let (one, other) = (detectable_difference(40, 90, 0.3, 0.05, 0.8), detectable_difference(90, 40, 0.7, 0.05, 0.8));
    close(one.unwrap(), other.unwrap(), 1e-9);
}

#[test]
fn the_detectable_paired_difference_inverts_connors_sample_size() {
    let difference = mcnemar_detectable(200, 0.2, Risk::USUAL).unwrap();
    close(mcnemar_sample_size(Discordance { share: 0.2, difference }, Risk::USUAL).unwrap(), 200.0, 1e-6);
    assert_eq!(mcnemar_detectable(5, 0.1, Risk::USUAL).unwrap_err().reason, Reason::TooFew);
    let impossible = Discordance { share: 0.1, difference: 0.2 };
    assert_eq!(mcnemar_sample_size(impossible, Risk::USUAL).unwrap_err().reason, Reason::Invalid);
}

#[test]
fn without_difference_the_exact_test_keeps_its_size() {
    let power = mcnemar_power(100, 0.1, 0.1, 0.05).unwrap();
    assert!(power.exact <= 0.05 && power.exact < power.mid && power.mid < 0.055, "{power:?}");
    assert_eq!(mcnemar_power(10, 0.0, 0.0, 0.05), Ok(McNemarPower { exact: 0.0, mid: 0.0 }));
}

#[test]
fn graded_sample_size_by_hand() {
    close(mean_sample_size(0.4, 0.1, Risk::USUAL).unwrap(), 2.801_585_218_112_968_f64.powi(2) * 16.0, 1e-9);
}
