#![allow(clippy::unwrap_used)]

use super::*;
use crate::stats::Seed;

/// With a uniform prior one win has marginal probability 1/2, two wins 1/3.
#[test]
fn one_uniform_win_doubles_the_evidence() {
    let uniform = BetaPrior { a: 1.0, b: 1.0 };
    assert!((beta_mixture_log_e(1.0, 1, 0.25, uniform).unwrap() - 2.0_f64.ln()).abs() < 1e-12);
    assert!((beta_mixture_log_e(2.0, 2, 0.5, uniform).unwrap() - (4.0_f64 / 3.0).ln()).abs() < 1e-12);
    assert_eq!(anytime_p(-1.0), 1.0);
    assert!((anytime_p(20.0_f64.ln()) - 0.05).abs() < 1e-12);
}

#[test]
fn one_bet_at_one_half_can_be_counted_by_hand() {
    // One bet of half the capital: a win at m = 1/2 makes 1.5 and 0.5, of which the mean is 1; two wins make (2.25 +
    // 0.25)/2.
    assert!(kelly_log_capital(&[1.0], 0.5, 1).unwrap().abs() < 1e-12);
    assert!((kelly_log_capital(&[1.0, 1.0], 0.5, 1).unwrap() - 1.25_f64.ln()).abs() < 1e-12);
    let counted = kelly_log_capital_of_counts(&[(0.5, 3.0), (1.0, 2.0)], 0.5, 10).unwrap();
    assert!((counted - kelly_log_capital(&[1.0, 0.5, 1.0, 0.5, 0.5], 0.5, 10).unwrap()).abs() < 1e-12);
    assert_eq!(kelly_log_capital_of_counts(&[(1.5, 1.0)], 0.5, 10).unwrap_err().reason, Reason::Invalid);
}

#[test]
fn the_order_of_the_outcomes_does_not_matter() {
    let mut outcomes: Vec<f64> = (0..50).map(|i| f64::from(i * 7 % 3) / 2.0).collect();
    let first = kelly_sequence(&outcomes, 10, Level::P95).unwrap();
    outcomes.reverse();
    assert_eq!(first, kelly_sequence(&outcomes, 10, Level::P95).unwrap());
    let losses: Vec<f64> = outcomes.iter().map(|x| 1.0 - x).collect();
    let mirrored = kelly_sequence(&losses, 10, Level::P95).unwrap();
    assert!((first.lower + mirrored.upper - 1.0).abs() < 1e-9);
}

#[test]
fn looking_after_every_item_rarely_rejects_the_truth() {
    let (mut beta, mut kelly) = (0, 0);
    for run in 0..200 {
        let mut stream = Seed(3).child("peeking").stream(run);
        let (mut outcomes, mut sum) = (Vec::new(), 0.0);
        let (mut beta_found, mut kelly_found) = (false, false);
        for _ in 0..300 {
            let outcome = if stream.unit_f64() < 0.3 { 0.5 } else { f64::from(u8::from(stream.unit_f64() < 0.5)) };
            outcomes.push(outcome);
            sum += outcome;
            let n = outcomes.len() as u64;
            beta_found |= beta_mixture_log_e(sum, n, 0.5, BetaPrior::HALVES).unwrap() >= 20.0_f64.ln();
            kelly_found |= n.is_multiple_of(10) && kelly_log_capital(&outcomes, 0.5, 10).unwrap() >= 20.0_f64.ln();
        }
        beta += u32::from(beta_found);
        kelly += u32::from(kelly_found);
    }
    assert!(beta <= 10 && kelly <= 18, "beta {beta}, kelly {kelly} of 200");
}

#[test]
fn all_wins_leave_one_inside_and_exclude_one_half() {
    let figure = kelly_sequence(&[1.0; 15], 10, Level::P95).unwrap();
    assert!(figure.upper == 1.0 && figure.lower > 0.5);
    let figure = beta_mixture_sequence(15.0, 15, BetaPrior::HALVES, Level::P95).unwrap();
    assert!(figure.upper == 1.0 && figure.lower > 0.5);
    let figure = hedged_sequence(&[1.0; 15], 1000, Level::P95).unwrap();
    assert!(figure.upper == 1.0 && figure.lower > 0.5);
}

#[test]
fn outcomes_outside_the_unit_interval_are_refused() {
    assert_eq!(kelly_sequence(&[1.2], 10, Level::P95).unwrap_err().reason, Reason::Invalid);
    assert_eq!(kelly_sequence(&[], 10, Level::P95).unwrap_err().reason, Reason::Empty);
    assert_eq!(beta_mixture_log_e(3.0, 2, 0.5, BetaPrior::HALVES).unwrap_err().reason, Reason::Invalid);
    assert_eq!(beta_mixture_sequence(0.0, 0, BetaPrior::HALVES, Level::P95).unwrap_err().reason, Reason::Empty);
    assert_eq!(hedged_sequence(&[f64::NAN], 10, Level::P95).unwrap_err().reason, Reason::Invalid);
}
