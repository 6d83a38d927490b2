#![allow(clippy::unwrap_used)]

use super::*;

fn wins(rows: &[&[f64]]) -> Wins {
    Wins::new(rows.iter().map(|row| row.to_vec()).collect()).unwrap()
}

#[test]
fn two_players_have_the_log_odds_of_their_score() {
    let fit = bradley_terry(&wins(&[&[0.0, 7.0], &[3.0, 0.0]])).unwrap();
    assert!((fit.strengths[0] - fit.strengths[1] - (7.0_f64 / 3.0).ln()).abs() < 1e-10);
    let se = fit.se_against(0, &fit.covariance).unwrap();
    assert!(se[0] == 0.0 && (se[1] - (1.0_f64 / 7.0 + 1.0 / 3.0).sqrt()).abs() < 1e-10);
    let ratings = fit.ratings(0, 1000.0).unwrap();
    assert!((ratings[1] - (1000.0 - 400.0 * (7.0_f64 / 3.0).log10())).abs() < 1e-9);
}

/// American League baseball 1987 (Agresti 1990, table 10.10), home and away together, as published relative to
/// Baltimore.
#[test]
fn agrestis_baseball_ratings_are_reproduced() {
    // Milwaukee, Detroit, Toronto, New York, Boston, Cleveland, Baltimore.
    let rows: [&[f64]; 7] = [
        &[0., 7., 9., 7., 7., 9., 11.],
        &[6., 0., 7., 5., 11., 9., 9.],
        &[4., 6., 0., 7., 7., 8., 12.],
        &[6., 8., 6., 0., 6., 7., 10.],
        &[6., 2., 6., 7., 0., 7., 12.],
        &[4., 4., 5., 6., 6., 0., 6.],
        &[2., 4., 1., 3., 1., 7., 0.],
    ];
    let fit = bradley_terry(&wins(&rows)).unwrap();
    let against_baltimore: Vec<f64> = fit.strengths.iter().map(|b| b - fit.strengths[6]).collect();
    for (found, published) in against_baltimore.iter().zip([1.58, 1.44, 1.29, 1.25, 1.11, 0.68, 0.0]) {
        assert!((found - published).abs() < 0.006, "{against_baltimore:?}");
    }
}

#[test]
fn an_unbeaten_player_has_no_finite_strength() {
    let unbeaten = wins(&[&[0.0, 3.0, 2.0], &[0.0, 0.0, 2.0], &[0.0, 1.0, 0.0]]);
    assert_eq!(bradley_terry(&unbeaten).unwrap_err(), NotEstimable::with_n(Reason::Separated, 2));
    assert_eq!(unbeaten.connectivity().strong, [vec![0], vec![1, 2]]);
    let apart = wins(&[&[0., 2., 0., 0.], &[1., 0., 0., 0.], &[0., 0., 0., 3.], &[0., 0., 1., 0.]]);
    assert_eq!(bradley_terry(&apart).unwrap_err(), NotEstimable::with_n(Reason::Disconnected, 2));
    assert!(bradley_terry(&apart.among(&[2, 3])).is_ok());
}

#[test]
fn one_player_alone_has_strength_zero() {
    assert_eq!(bradley_terry(&wins(&[&[0.0]])).unwrap().strengths, [0.0]);
}

#[test]
fn renaming_the_players_renames_their_strengths() {
    let one = bradley_terry(&wins(&[&[0., 5., 2.], &[3., 0., 4.], &[6., 1., 0.]])).unwrap();
    let two = bradley_terry(&wins(&[&[0., 6., 1.], &[2., 0., 5.], &[4., 3., 0.]])).unwrap();
    for (player, renamed) in [(0, 1), (1, 2), (2, 0)] {
        assert!((one.strengths[player] - two.strengths[renamed]).abs() < 1e-9);
    }
}

#[test]
fn games_that_repeat_within_a_cluster_add_no_certainty() {
    let game = |first, second, score| Game { first, second, score };
    let games = [game(0, 1, 1.0), game(1, 2, 1.0), game(2, 0, 1.0), game(0, 1, 0.5), game(1, 2, 0.0), game(2, 0, 0.5)];
    let twice: Vec<Game> = games.iter().chain(&games).copied().collect();
    let clusters: Vec<usize> = (0..6).chain(0..6).collect();
    let fit = |games: &[Game]| bradley_terry(&Wins::of_games(3, games).unwrap()).unwrap();
    let once = sandwich_covariance(&fit(&games), &games, None).unwrap();
    let double = sandwich_covariance(&fit(&twice), &twice, Some(&clusters)).unwrap();
    assert!((once[0][0] - double[0][0]).abs() < 1e-9);
    assert!(contrast_se(&once, 0, 7).is_err());
}

#[test]
fn the_first_win_between_equals_moves_half_of_k() {
    let game = Game { first: 0, second: 1, score: 1.0 };
    assert_eq!(elo(2, &[game], 32.0, 1000.0), Ok(vec![1016.0, 984.0]));
    assert_eq!(elo(1, &[game], 32.0, 1000.0).unwrap_err().reason, Reason::Invalid);
    assert_eq!(Wins::of_games(2, &[Game { score: 1.5, ..game }]).unwrap_err().reason, Reason::Invalid);
}

#[test]
fn a_perfect_cycle_does_not_fit() {
    let cycle = wins(&[&[0., 9., 1.], &[1., 0., 9.], &[9., 1., 0.]]);
    let found = fit_test(&cycle, &bradley_terry(&cycle).unwrap()).unwrap();
    // All strengths are equal, so each pair loses 10·ln 2 − 9·ln(10/9) − ln 10.
    let lost = 10.0 * 2.0_f64.ln() + 9.0 * 0.9_f64.ln() + 0.1_f64.ln();
    assert!((found.deviance - 6.0 * lost).abs() < 1e-9 && found.degrees == 1 && found.p < 1e-4, "{found:?}");
    let line = wins(&[&[0., 6., 8.], &[4., 0., 6.], &[2., 4., 0.]]);
    assert!(fit_test(&line, &bradley_terry(&line).unwrap()).unwrap().p > 0.5);
    let two = wins(&[&[0., 6.], &[4., 0.]]);
    assert_eq!(fit_test(&two, &bradley_terry(&two).unwrap()).unwrap_err().reason, Reason::TooFew);
}
