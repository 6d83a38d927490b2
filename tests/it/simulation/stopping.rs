//! Looking after every item: the error stays below 5 %, and most of the budget is saved where there is something to see.
//!
//! Items are shuffled once; a look sees the longest run of finished items from the start of that order. Items that one
//! side wins have longer answers and finish later, so the finished ones by themselves are no random part.

use tribunal::stats::Level;
use tribunal::stats::proportion::wilson;
use tribunal::stats::seed::Stream;
use tribunal::stats::sequential::{
    BetaPrior, beta_mixture_log_e, beta_mixture_sequence, kelly_log_capital, kelly_sequence,
};

use super::{Claim, Scores, Study, holds};

const BETS: u32 = 10;
const BUDGET: usize = 600;

/// `ln(1/α)` at 5 %.
const BORDER: f64 = 2.995_732_273_553_991;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Rule {
    Kelly,
    BetaMixture,
}

impl Rule {
    fn name(self) -> &'static str {
        if self == Self::Kelly { "kelly_grid" } else { "beta_mixture" }
    }

    fn excludes(self, seen: &[f64], mean: f64) -> bool {
        let evidence = match self {
            Self::Kelly => kelly_log_capital(seen, mean, BETS),
            Self::BetaMixture => beta_mixture_log_e(seen.iter().sum(), seen.len() as u64, mean, BetaPrior::HALVES),
        };
        evidence.unwrap() >= BORDER
    }
}

/// What a run has seen over time.
struct Run {
    /// Scores in the shuffled order.
    shuffled: Vec<f64>,
    /// Positions in that order, as they finish.
    finishing: Vec<usize>,
}

impl Run {
    /// Items are asked sixteen at a time, in the shuffled order; a won item takes three times as long.
    fn of(stream: &mut Stream, scores: Scores, items: usize) -> Self {
        let mut shuffled: Vec<f64> = (0..items).map(|_| scores.draw(stream)).collect();
        shuffled.sort_unstable_by(f64::total_cmp);
        stream.shuffle(&mut shuffled);
        let mut free = [0.0_f64; 16];
        let mut ends: Vec<(f64, usize)> = Vec::new();
        for (place, score) in shuffled.iter().enumerate() {
            let next = (0..free.len()).min_by(|x, y| free[*x].total_cmp(&free[*y])).unwrap_or(0);
            free[next] += (0.5 + stream.unit_f64()) * (1.0 + 2.0 * score);
            ends.push((free[next], place));
        }
        ends.sort_unstable_by(|x, y| x.0.total_cmp(&y.0));
        Self { shuffled, finishing: ends.into_iter().map(|(_, place)| place).collect() }
    }

    /// Number of items in the finished run from the start, after each item that finishes, without repetition.
    fn looks(&self) -> Vec<usize> {
        let mut finished = vec![false; self.shuffled.len()];
        let mut prefix = 0;
        let mut looks = Vec::new();
        for place in &self.finishing {
            finished[*place] = true;
            let before = prefix;
            while finished.get(prefix) == Some(&true) {
                prefix += 1;
            }
            if prefix > before {
                looks.push(prefix);
            }
        }
        looks
    }
}

const EVEN: [Scores; 3] =
    [Scores { win: 0.5, tie: 0.0 }, Scores { win: 0.35, tie: 0.3 }, Scores { win: 0.1, tie: 0.8 }];

#[test]
fn looking_after_every_item_errs_in_at_most_one_run_of_twenty() {
    let mut study = Study::new("Looking after every item with nothing to see");
    let items = study.size().of(120, BUDGET);
    let replicates = study.size().of(120, 2_000);
    for scores in EVEN {
        let data = format!("{items} items, won {}, tied {}", scores.win, scores.tie);
        for rule in [Rule::Kelly, Rule::BetaMixture] {
            study.cell(
                &format!("{}, ever excludes ½", rule.name()),
                &data,
                Claim::AtMost(0.05),
                replicates,
                |stream| {
                    let run = Run::of(stream, scores, items);
                    Some(run.looks().into_iter().any(|seen| rule.excludes(&run.shuffled[..seen], 0.5)))
                },
            );
        }
    }
    // Two ways to be wrong: an interval for one look, and looking at whatever has finished.
    let data = "120 items, won 0.5, tied 0";
    study.cell("wilson, ever excludes ½", data, Claim::Known(0.259), replicates, |stream| {
        let run = Run::of(stream, EVEN[0], 120);
        let excluded = |seen: usize| {
            let wins = run.shuffled[..seen].iter().filter(|score| **score == 1.0).count() as u64;
            holds(&wilson(wins, seen as u64, Level::P95), 0.5) == Some(false)
        };
        Some(run.looks().into_iter().any(excluded))
    });
    study.cell("kelly_grid over finished items, ever excludes ½", data, Claim::Known(0.763), replicates, |stream| {
        let run = Run::of(stream, EVEN[0], 120);
        let finished: Vec<f64> = run.finishing.iter().map(|place| run.shuffled[*place]).collect();
        Some((1..=finished.len()).any(|seen| Rule::Kelly.excludes(&finished[..seen], 0.5)))
    });
    study.finish();
}

#[test]
fn a_confidence_sequence_holds_the_truth_at_all_looks_together() {
    let mut study = Study::new("Confidence sequences over all looks");
    let items = study.size().of(80, BUDGET);
    let replicates = study.size().of(60, 1_000);
    for scores in [Scores { win: 0.65, tie: 0.0 }, Scores { win: 0.55, tie: 0.2 }, Scores { win: 0.9, tie: 0.05 }] {
        let data = format!("{items} items, won {}, tied {}", scores.win, scores.tie);
        for rule in [Rule::Kelly, Rule::BetaMixture] {
            study.cell(&format!("{} 95 %", rule.name()), &data, Claim::AtLeast(0.95), replicates, |stream| {
                let run = Run::of(stream, scores, items);
                Some(run.looks().into_iter().all(|seen| !rule.excludes(&run.shuffled[..seen], scores.mean())))
            });
        }
    }
    study.finish();
}

#[test]
fn a_mean_is_excluded_by_the_evidence_exactly_when_it_lies_outside_the_sequence() {
    let mut stream = tribunal::stats::Seed(3).stream(0);
    for round in 0..40 {
        let seen: Vec<f64> = (0..10 + round * 3).map(|_| EVEN[round % 3].draw(&mut stream)).collect();
        let (sum, count) = (seen.iter().sum(), seen.len() as u64);
        let mean = 0.05 + 0.9 * stream.unit_f64();
        let kelly = kelly_sequence(&seen, BETS, Level::P95);
        let mixture = beta_mixture_sequence(sum, count, BetaPrior::HALVES, Level::P95);
        assert_eq!(holds(&kelly, mean), Some(!Rule::Kelly.excludes(&seen, mean)), "{seen:?} {mean}");
        assert_eq!(holds(&mixture, mean), Some(!Rule::BetaMixture.excludes(&seen, mean)), "{seen:?} {mean}");
    }
}

#[test]
fn at_a_win_rate_of_65_percent_at_least_half_of_600_items_is_saved() {
    let mut study = Study::new("Items asked until ½ is excluded, of a budget of 600");
    let replicates = study.size().of(60, 2_000);
    let grid = [
        (Scores { win: 0.65, tie: 0.0 }, Rule::BetaMixture, 0.5),
        (Scores { win: 0.55, tie: 0.2 }, Rule::Kelly, 0.5),
        (Scores { win: 0.65, tie: 0.0 }, Rule::Kelly, 0.5),
        (Scores { win: 0.45, tie: 0.4 }, Rule::Kelly, 0.5),
        (Scores { win: 0.55, tie: 0.2 }, Rule::BetaMixture, 0.5),
    ];
    let cells = study.size().of(2, grid.len());
    for (scores, rule, at_most) in grid.into_iter().take(cells) {
        let seed = tribunal::stats::Seed(1).child("saved");
        let asked: Vec<f64> = (0..replicates)
            .map(|replicate| {
                let run = Run::of(&mut seed.stream(replicate), scores, BUDGET);
                let stop = run.looks().into_iter().find(|seen| rule.excludes(&run.shuffled[..*seen], 0.5));
                stop.unwrap_or(BUDGET) as f64 / BUDGET as f64
            })
            .collect();
        let count = asked.len() as f64;
        let mean = asked.iter().sum::<f64>() / count;
        let se = (asked.iter().map(|share| (share - mean).powi(2)).sum::<f64>() / (count - 1.0) / count).sqrt();
        let data =
            format!("won {}, tied {}: share of the budget, mean of {:.0} items", scores.win, scores.tie, mean * 600.0);
        study.figure(rule.name(), &data, mean + 4.0 * se, [0.0, at_most], replicates);
    }
    study.finish();
}
