//! Shares: Wilson and Clopper-Pearson for independent trials, their clustered forms for trials in groups.

use tribunal::stats::clustered::{korn_graubard, wilson_clustered};
use tribunal::stats::proportion::{clopper_pearson, wilson};
use tribunal::stats::seed::Stream;
use tribunal::stats::special::binomial_pmf;
use tribunal::stats::{Figure, Level};

use super::{Claim, Study, chance, holds};

type Share = fn(u64, u64, Level) -> Figure;

/// The probability that the interval of `n` trials holds `p`: no simulation, the law itself.
fn exact_coverage(intervals: &[Figure], p: f64) -> f64 {
    let n = intervals.len() as u64 - 1;
    (0..=n)
        .zip(intervals)
        .filter(|(_, interval)| holds(interval, p) == Some(true))
        .map(|(k, _)| binomial_pmf(k, n, p))
        .sum()
}

fn all_of(share: Share, n: u64, level: Level) -> Vec<Figure> {
    (0..=n).map(|k| share(k, n, level)).collect()
}

#[test]
fn exact_intervals_of_shares_cover_every_share_and_wilson_covers_the_average_one() {
    let mut study = Study::new("Shares, by the law itself");
    let steps = study.size().of(97, 961);
    for n in study.size().of(&[5, 20][..], &[5, 10, 20, 50, 100, 200][..]) {
        for (name, share, level) in
            [("wilson 95 %", wilson as Share, Level::P95), ("clopper_pearson 90 %", clopper_pearson, Level::P90)]
        {
            let intervals = all_of(share, *n, level);
            let shares = (0..steps).map(|step| 0.02 + 0.96 * f64::from(step) / f64::from(steps - 1));
            let covered: Vec<f64> = shares.map(|p| exact_coverage(&intervals, p)).collect();
            let mean = covered.iter().sum::<f64>() / covered.len() as f64;
            let least = covered.iter().copied().fold(1.0, f64::min);
            let (mean_from, least_from) = if level == Level::P90 { (0.9, 0.9) } else { (0.95, 0.83) };
            let count = covered.len() as u64;
            study.figure(name, &format!("n = {n}, mean over shares .02 to .98"), mean, [mean_from, 1.0], count);
            study.figure(name, &format!("n = {n}, least over shares .02 to .98"), least, [least_from, 1.0], count);
        }
    }
    study.finish();
}

#[test]
fn simulated_shares_are_covered_as_often_as_the_law_says() {
    let mut study = Study::new("Shares of independent trials");
    for n in study.size().of(&[20][..], &[5, 20, 100][..]) {
        for p in study.size().of(&[0.1, 0.5][..], &[0.02, 0.1, 0.3, 0.5, 0.95][..]) {
            for (name, share, level) in
                [("wilson 95 %", wilson as Share, Level::P95), ("clopper_pearson 90 %", clopper_pearson, Level::P90)]
            {
                let intervals = all_of(share, *n, level);
                let exact = Claim::Exactly(exact_coverage(&intervals, *p));
                let replicates = study.replicates();
                study.cell(name, &format!("n = {n}, share {p}"), exact, replicates, |stream| {
                    let k = (0..*n).filter(|_| chance(stream, *p)).count();
                    holds(&intervals[k], *p)
                });
            }
        }
    }
    study.finish();
}

/// Groups of ten trials that are all alike with probability `alike`, else independent.
fn groups(stream: &mut Stream, count: u64, share: f64, alike: f64) -> Vec<(u64, u64)> {
    (0..count)
        .map(|_| {
            if chance(stream, alike) {
                return (if chance(stream, share) { 10 } else { 0 }, 10);
            }
            (stream.binomial(10, share), 10)
        })
        .collect()
}

/// Coverage of the clustered forms at a share, where a few groups of rare events hide how alike groups are.
fn known(share: f64, alike: f64, groups: u64) -> [Option<f64>; 2] {
    if (share, alike, groups) == (0.1, 0.5, 40) { [Some(0.874), Some(0.860)] } else { [None, None] }
}

#[test]
fn shares_of_grouped_trials_are_covered_with_few_groups_and_with_groups_all_alike() {
    let mut study = Study::new("Shares of trials in groups of ten");
    for count in study.size().of(&[12][..], &[5, 12, 20, 40, 100][..]) {
        for share in study.size().of(&[0.3][..], &[0.02, 0.1, 0.3, 0.5][..]) {
            for alike in study.size().of(&[0.0, 0.5][..], &[0.0, 0.1, 0.5, 1.0][..]) {
                let data = format!("{count} groups, {alike} of them alike, share {share}");
                let replicates = study.replicates();
                let [shown, gate] = known(*share, *alike, *count);
                let claim = shown.map_or(Claim::AtLeast(0.95), Claim::Known);
                study.cell("wilson_clustered 95 %", &data, claim, replicates, |stream| {
                    holds(&wilson_clustered(&groups(stream, *count, *share, *alike), Level::P95), *share)
                });
                let claim = gate.map_or(Claim::AtLeast(0.9), Claim::Known);
                study.cell("korn_graubard 90 %", &data, claim, replicates, |stream| {
                    holds(&korn_graubard(&groups(stream, *count, *share, *alike), Level::P90), *share)
                });
            }
        }
    }
    study.finish();
}
