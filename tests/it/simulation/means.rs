//! Means of scores with ties: BCa and percentile over items and over groups, and the t interval for few groups.

use tribunal::stats::bounded::{t_adjusted, wilson_mean};
use tribunal::stats::resample::{Resampling, Units, bca, percentile, t_clustered};
use tribunal::stats::seed::Stream;
use tribunal::stats::{Figure, Level, Seed};

use super::{Claim, Scores, Study, chance, class, holds};

/// `(sum, weight)` of each unit.
type Sums = Vec<(f64, f64)>;

const METHODS: [&str; 3] = ["t_clustered 95 %", "bca 95 %", "percentile 95 %"];

fn interval(method: &str, sums: &Sums, resamples: usize, seed: Seed) -> Figure {
    if method.starts_with("t_") {
        return t_clustered(sums, Level::P95);
    }
    let units = Units::new(sums.iter().map(|(sum, weight)| vec![*sum, *weight]))?;
    let ratio = |total: &[f64]| (total[1] > 0.0).then(|| total[0] / total[1]);
    let resampling = Resampling { resamples, seed };
    if method.starts_with("bca") {
        bca(&units, ratio, Level::P95, &resampling)
    } else {
        percentile(&units, ratio, Level::P95, &resampling)
    }
}

fn resamples(study: &Study) -> usize {
    study.size().of(300, 2_000)
}

fn cells(study: &mut Study, data: &str, claims: [Claim; 3], truth: f64, draw: impl Fn(&mut Stream) -> Sums) {
    let (replicates, resamples) = (study.replicates(), resamples(study));
    for (method, claim) in METHODS.into_iter().zip(claims) {
        study.cell(method, data, claim, replicates, |stream| {
            let sums = draw(stream);
            holds(&interval(method, &sums, resamples, Seed(stream.next_u64())), truth)
        });
    }
}

const NOMINAL: [Claim; 3] = [Claim::AtLeast(0.95); 3];

#[test]
fn win_rates_of_items_with_ties_are_covered() {
    let mut study = Study::new("Win rates over items");
    let grid: [(u64, Scores, [Claim; 3]); 7] = [
        (50, Scores { win: 0.45, tie: 0.3 }, NOMINAL),
        (20, Scores { win: 0.4, tie: 0.3 }, NOMINAL),
        // Six of twenty items decide here.
        (20, Scores { win: 0.15, tie: 0.7 }, [Claim::AtLeast(0.95), Claim::Known(0.925), Claim::AtLeast(0.95)]),
        (50, Scores { win: 0.15, tie: 0.7 }, NOMINAL),
        (200, Scores { win: 0.15, tie: 0.7 }, NOMINAL),
        (50, Scores { win: 0.85, tie: 0.1 }, [Claim::Known(0.932), Claim::AtLeast(0.95), Claim::Known(0.936)]),
        (200, Scores { win: 0.55, tie: 0.0 }, NOMINAL),
    ];
    let count = study.size().of(1, grid.len());
    for (items, scores, claims) in grid.into_iter().take(count) {
        let data = format!("{items} items, won {}, tied {}", scores.win, scores.tie);
        cells(&mut study, &data, claims, scores.mean(), |stream| {
            (0..items).map(|_| (scores.draw(stream), 1.0)).collect()
        });
    }
    study.finish();
}

/// Items per group.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Sizes {
    Five,
    OneToNine,
}

/// Groups are won as a whole more or less: half of them favour the first side, half the other.
fn groups(stream: &mut Stream, count: u64, sizes: Sizes) -> Sums {
    (0..count)
        .map(|_| {
            let size = if sizes == Sizes::Five { 5 } else { 1 + stream.below(9) };
            let scores = KINDS[usize::from(chance(stream, 0.5))];
            ((0..size).map(|_| scores.draw(stream)).sum(), size as f64)
        })
        .collect()
}

/// What t, BCa and percentile cover over few groups, which is below their level.
fn known(count: u64, sizes: Sizes) -> [Claim; 3] {
    let [t, bca, percentile] = match (count, sizes) {
        (5, Sizes::Five) => [0.931, 0.859, 0.840],
        (5, Sizes::OneToNine) => [0.907, 0.852, 0.841],
        (10, Sizes::Five) => return [Claim::AtLeast(0.95), Claim::Known(0.935), Claim::Known(0.923)],
        (10, Sizes::OneToNine) => [0.927, 0.911, 0.901],
        (20, Sizes::Five) => return [Claim::AtLeast(0.95), Claim::AtLeast(0.95), Claim::Known(0.936)],
        (20, Sizes::OneToNine) => return [Claim::AtLeast(0.95), Claim::AtLeast(0.95), Claim::Known(0.928)],
        _ => return NOMINAL,
    };
    [t, bca, percentile].map(Claim::Known)
}

const KINDS: [Scores; 2] = [Scores { win: 0.6, tie: 0.3 }, Scores { win: 0.2, tie: 0.3 }];

#[test]
fn win_rates_over_groups_are_covered_by_t_with_few_and_by_the_bootstrap_with_many() {
    let mut study = Study::new("Win rates over groups");
    let truth = f64::midpoint(KINDS[0].mean(), KINDS[1].mean());
    let all = [5, 10, 20, 40, 100];
    for count in study.size().of(&all[1..3], &all[..]) {
        for sizes in study.size().of(&[Sizes::OneToNine][..], &[Sizes::Five, Sizes::OneToNine][..]) {
            let data = format!("{count} groups of {}", if *sizes == Sizes::Five { "5" } else { "1 to 9" });
            cells(&mut study, &data, known(*count, *sizes), truth, |stream| groups(stream, *count, *sizes));
        }
    }
    study.finish();
}

#[test]
fn counting_grouped_items_one_by_one_covers_far_too_little() {
    let mut study = Study::new("Grouped items taken for independent ones");
    let replicates = study.replicates();
    // Copies of one item in each group: 80 groups of five.
    let scores = Scores { win: 0.4, tie: 0.2 };
    for (method, claim, by_item) in
        [("t over items 95 %", Claim::Known(0.62), true), ("t_clustered 95 %", Claim::AtLeast(0.95), false)]
    {
        study.cell(method, "80 groups of 5 copies", claim, replicates, |stream| {
            let drawn: Vec<f64> = (0..80).map(|_| scores.draw(stream)).collect();
            let sums: Sums = if by_item {
                drawn.iter().flat_map(|score| [(*score, 1.0); 5]).collect()
            } else {
                drawn.iter().map(|score| (5.0 * score, 5.0)).collect()
            };
            holds(&t_clustered(&sums, Level::P95), scores.mean())
        });
    }
    study.finish();
}

/// Unit means of a value each with its probability.
type Law = &'static [(f64, f64)];

/// Units of these sizes; within a unit, scores follow the first one in so many cases.
#[derive(Debug, Clone, Copy)]
struct Units01 {
    sizes: &'static [usize],
    law: Law,
    alike: f64,
}

impl Units01 {
    fn mean(self) -> f64 {
        self.law.iter().map(|(value, share)| value * share).sum()
    }

    fn draw(self, stream: &mut Stream) -> Sums {
        let shares: Vec<f64> = self.law.iter().map(|(_, share)| *share).collect();
        let mut one = |size: usize| {
            let first = self.law[class(stream, &shares)].0;
            let others =
                (1..size).map(|_| if chance(stream, self.alike) { first } else { self.law[class(stream, &shares)].0 });
            (first + others.sum::<f64>(), size as f64)
        };
        self.sizes.iter().map(|size| one(*size)).collect()
    }
}

#[test]
fn means_by_few_values_or_over_uneven_units_are_covered() {
    const YES: Law = &[(1.0, 0.7), (0.0, 0.3)];
    let mut study = Study::new("Means of scores in 0..1, by few values or over uneven units");
    let grid: [(&str, &'static [usize], Law, f64); 13] = [
        ("one unit of 20 and 19 of one, half alike, right 0.7", &UNEVEN, YES, 0.5),
        ("one unit of 20 and 19 of one, alike, right 0.7", &UNEVEN, YES, 1.0),
        ("two units of 15 and 18 of one, alike, right 0.7", &TWO, YES, 1.0),
        ("one unit of 30 and nine of two, alike, right 0.7", &THIRTY, YES, 1.0),
        ("20 units at ½, in 0.154 at 1", &[1; 20], &[(0.5, 0.846), (1.0, 0.154)], 1.0),
        ("40 units at ½, in 0.076 at 1", &[1; 40], &[(0.5, 0.924), (1.0, 0.076)], 1.0),
        ("60 units at ½, in 0.05 at 1", &[1; 60], &[(0.5, 0.95), (1.0, 0.05)], 1.0),
        ("20 units at 1, in 0.03 at ½", &[1; 20], &[(0.5, 0.03), (1.0, 0.97)], 1.0),
        ("40 units at 1, in 0.05 at ½", &[1; 40], &[(0.5, 0.05), (1.0, 0.95)], 1.0),
        ("40 units at 1, in 0.02 at 0", &[1; 40], &[(0.0, 0.02), (1.0, 0.98)], 1.0),
        ("20 units near ½, in 0.03 at 1", &[1; 20], NEAR_HALF, 1.0),
        ("60 units near ½, in 0.03 at 1", &[1; 60], NEAR_HALF, 1.0),
        ("30 units of ten, half alike, right 0.7", &[10; 30], YES, 0.5),
    ];
    let replicates = study.replicates();
    for (data, sizes, law, alike) in grid {
        let units = Units01 { sizes, law, alike };
        for (method, interval) in [
            ("wilson_mean 95 %", wilson_mean as fn(&[(f64, f64)], Level) -> Figure),
            ("t_adjusted 95 %", |units, level| t_adjusted(units, [0.0, 1.0], level)),
        ] {
            // Two of twenty units hold five eighths of the weight.
            let claim = if sizes == TWO { Claim::Known(0.914) } else { Claim::AtLeast(0.95) };
            study.cell(method, data, claim, replicates, |stream| {
                holds(&interval(&units.draw(stream), Level::P95), units.mean())
            });
        }
    }
    study.finish();
}

const NEAR_HALF: Law = &[(0.495, 0.485), (0.505, 0.485), (1.0, 0.03)];
const UNEVEN: [usize; 20] = [20, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1];
const TWO: [usize; 20] = [15, 15, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1];
const THIRTY: [usize; 10] = [30, 2, 2, 2, 2, 2, 2, 2, 2, 2];
