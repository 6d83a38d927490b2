//! BCa intervals of the mean of 100,000 scores with ties: `cargo bench --bench bootstrap`, or `benches/bootstrap/against-scipy`
//! to have scipy do the same in the same run.
//!
//! Without an argument prints a line each for people; with `--json FILE` reads the scores from the file
//! (`group,score` a line) and prints one JSON line for each kind of work.

use std::time::Instant;

use tribunal::stats::resample::{Resampling, Units, bca};
use tribunal::stats::{Estimate, Level, Seed};

const ITEMS: u64 = 100_000;
const GROUPS: u64 = 1_000;
const RESAMPLES: usize = 10_000;

/// Times each kind of work is done; the fastest counts, as other programs only ever slow a run down.
const ROUNDS: usize = 5;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let file = arguments.iter().position(|word| word == "--json").and_then(|at| arguments.get(at + 1));
    let scores = file.map_or_else(made_up, |path| read(path));
    assert_eq!(scores.len() as u64, ITEMS, "the work is {ITEMS} items");
    for (name, by_group) in [("grouped", true), ("ungrouped", false)] {
        let (seconds, estimate) = fastest(|| interval(&scores, by_group));
        if file.is_some() {
            println!(
                "{{\"work\":\"{name}\",\"seconds\":{seconds},\"point\":{},\"lower\":{},\"upper\":{}}}",
                estimate.point, estimate.lower, estimate.upper
            );
        } else {
            let Estimate { point, lower, upper, .. } = estimate;
            println!(
                "{name}: {seconds:.4} s for {RESAMPLES} resamples of {ITEMS} items, {point:.4} [{lower:.4}, {upper:.4}]"
            );
        }
    }
}

/// From the scores of the items to the interval: units are made, sorted and drawn within the time.
fn interval(scores: &[(u64, f64)], by_group: bool) -> Estimate {
    let units = if by_group {
        let mut sums = vec![vec![0.0; 2]; usize::try_from(GROUPS).unwrap_or(0)];
        for (group, score) in scores {
            let sum = &mut sums[usize::try_from(*group).unwrap_or(0)];
            sum[0] += score;
            sum[1] += 1.0;
        }
        Units::new(sums)
    } else {
        Units::new(scores.iter().map(|(_, score)| vec![*score, 1.0]))
    };
    let resampling = Resampling { resamples: RESAMPLES, seed: Seed(1) };
    let mean = |total: &[f64]| (total[1] > 0.0).then(|| total[0] / total[1]);
    units.and_then(|units| bca(&units, mean, Level::P95, &resampling)).expect("a hundred thousand scores that differ")
}

fn fastest(mut work: impl FnMut() -> Estimate) -> (f64, Estimate) {
    let mut times: Vec<(f64, Estimate)> = (0..ROUNDS)
        .map(|_| {
            let started = now();
            let estimate = work();
            (started.elapsed().as_secs_f64(), estimate)
        })
        .collect();
    times.sort_by(|one, other| one.0.total_cmp(&other.0));
    times.swap_remove(0)
}

/// Scores 0, ½ and 1 in groups that lean to either side.
fn made_up() -> Vec<(u64, f64)> {
    let mut stream = Seed(7).child("bootstrap bench").stream(0);
    let leaning: Vec<f64> = (0..GROUPS).map(|_| 0.2 + 0.4 * stream.unit_f64()).collect();
    (0..ITEMS)
        .map(|item| {
            let group = item % GROUPS;
            let draw = stream.unit_f64();
            let win = leaning[usize::try_from(group).unwrap_or(0)];
            (
                group,
                if draw < win {
                    1.0
                } else if draw < win + 0.3 {
                    0.5
                } else {
                    0.0
                },
            )
        })
        .collect()
}

fn read(path: &str) -> Vec<(u64, f64)> {
    let text = std::fs::read_to_string(path).expect("the file of scores is there");
    text.lines()
        .map(|line| {
            let (group, score) = line.split_once(',').expect("a line is group,score");
            (group.parse().expect("a group is a number"), score.parse().expect("a score is a number"))
        })
        .collect()
}

#[allow(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn now() -> Instant {
    Instant::now()
}
