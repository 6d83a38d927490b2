//! Bradley-Terry strengths from games that come in clusters, ties as halves: contrasts with the sandwich.

use tribunal::stats::rating::{Game, Wins, bradley_terry, contrast_se, sandwich_covariance};
use tribunal::stats::seed::Stream;
use tribunal::stats::special::normal_quantile;

use super::{Claim, Scores, Study, chance};

const STRENGTHS: [f64; 4] = [0.6, 0.2, -0.2, -0.6];

/// Every item is played by every two systems in both orders; the second order repeats the first six times in ten.
fn games(stream: &mut Stream, items: usize, tie: f64) -> (Vec<Game>, Vec<usize>) {
    let mut games = Vec::new();
    let mut clusters = Vec::new();
    for item in 0..items {
        for (first, stronger) in STRENGTHS.iter().enumerate() {
            for (second, weaker) in STRENGTHS.iter().enumerate().skip(first + 1) {
                let expected = 1.0 / (1.0 + (weaker - stronger).exp());
                // With ties as halves the expected score is that of the strengths.
                let scores = Scores { win: expected - tie / 2.0, tie };
                let score = scores.draw(stream);
                let again = if chance(stream, 0.6) { score } else { scores.draw(stream) };
                games.extend([score, again].map(|score| Game { first, second, score }));
                clusters.extend([item; 2]);
            }
        }
    }
    (games, clusters)
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Errors {
    ByItem,
    ByGame,
}

fn covers(stream: &mut Stream, items: usize, tie: f64, errors: Errors) -> Option<bool> {
    let (games, clusters) = games(stream, items, tie);
    let fit = bradley_terry(&Wins::of_games(STRENGTHS.len(), &games).ok()?).ok()?;
    let clusters = (errors == Errors::ByItem).then_some(clusters.as_slice());
    let covariance = sandwich_covariance(&fit, &games, clusters).ok()?;
    let half = normal_quantile(0.975) * contrast_se(&covariance, 0, 3).ok()?;
    let miss = fit.strengths[0] - fit.strengths[3] - (STRENGTHS[0] - STRENGTHS[3]);
    Some(miss.abs() <= half)
}

#[test]
fn contrasts_of_strengths_are_covered_when_errors_go_by_item() {
    let mut study = Study::new("Contrasts of Bradley-Terry strengths");
    let grid = [(60, 0.3), (30, 0.3), (200, 0.0)];
    let cells = study.size().of(1, grid.len());
    for (items, tie) in grid.into_iter().take(cells) {
        let data = format!("{items} items, 4 systems, both orders, ties {tie}");
        let replicates = study.size().of(150, 4_000);
        study.cell("sandwich by item 95 %", &data, Claim::AtLeast(0.95), replicates, |stream| {
            covers(stream, items, tie, Errors::ByItem)
        });
        study.cell("sandwich by game 95 %", &data, Claim::Known(0.87), replicates, |stream| {
            covers(stream, items, tie, Errors::ByGame)
        });
    }
    study.finish();
}
