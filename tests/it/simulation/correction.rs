//! Shares and means corrected by gold labels: Rogan-Gladen, one pooled accuracy, prediction-powered means.

use tribunal::stats::correction::{DecidedShare, JudgedShare, pooled_accuracy_correction, rogan_gladen};
use tribunal::stats::ppi::{Groups, Interval, Labelled, Trust, ppi_mean};
use tribunal::stats::ppi_adjusted::ppi_mean_adjusted;
use tribunal::stats::proportion::wilson;
use tribunal::stats::seed::Stream;
use tribunal::stats::{Figure, Level, NotEstimable};

use super::{Claim, Scores, Study, chance, holds};

/// New items, gold of each class, and how often the judge recognises each class.
#[derive(Debug, Clone, Copy)]
struct Trial {
    theta: f64,
    sensitivity: f64,
    specificity: f64,
    items: u64,
    gold: u64,
}

impl Trial {
    fn draw(self, stream: &mut Stream) -> JudgedShare {
        let judged = self.theta * self.sensitivity + (1.0 - self.theta) * (1.0 - self.specificity);
        JudgedShare {
            judged_positive: stream.binomial(self.items, judged),
            n: self.items,
            true_negative: stream.binomial(self.gold, self.specificity),
            negatives: self.gold,
            true_positive: stream.binomial(self.gold, self.sensitivity),
            positives: self.gold,
        }
    }
}

#[test]
fn rogan_and_gladens_share_is_covered_and_the_judged_share_is_not() {
    let mut study = Study::new("Shares corrected by sensitivity and specificity");
    let nominal = Claim::AtLeast(0.95);
    // Judged share, delta method.
    let grid = [
        (
            Trial { theta: 0.9, sensitivity: 0.9, specificity: 0.7, items: 500, gold: 30 },
            [Claim::Known(0.020), Claim::Known(0.921)],
        ),
        (
            Trial { theta: 0.7, sensitivity: 0.85, specificity: 0.85, items: 500, gold: 50 },
            [Claim::Known(0.185), nominal],
        ),
        (
            Trial { theta: 0.95, sensitivity: 0.9, specificity: 0.7, items: 500, gold: 30 },
            [Claim::Known(0.0), Claim::Known(0.899)],
        ),
        (
            Trial { theta: 0.5, sensitivity: 0.8, specificity: 0.9, items: 200, gold: 100 },
            [Claim::Known(0.696), nominal],
        ),
        (
            Trial { theta: 0.1, sensitivity: 0.7, specificity: 0.95, items: 1_000, gold: 60 },
            [Claim::Known(0.636), Claim::Known(0.924)],
        ),
    ];
    let cells = study.size().of(2, grid.len());
    for (trial, [judged, delta]) in grid.into_iter().take(cells) {
        let Trial { theta, sensitivity, specificity, items, gold } = trial;
        let data = format!(
            "true {theta}, {items} items, sensitivity {sensitivity}, specificity {specificity}, {gold} + {gold} gold"
        );
        let replicates = study.replicates();
        let mut with = |method: &str, claim: Claim, of: fn(JudgedShare) -> Result<Figure, NotEstimable>| {
            study.cell(method, &data, claim, replicates, |stream| {
                of(trial.draw(stream)).ok().and_then(|figure| holds(&figure, theta))
            });
        };
        with("lang_reiczigel 95 %", nominal, |input| Ok(rogan_gladen(input, Level::P95)?.adjusted));
        with("delta 95 %", delta, |input| Ok(Ok(rogan_gladen(input, Level::P95)?.delta)));
        with("judged share, wilson 95 %", judged, |input| Ok(wilson(input.judged_positive, input.n, Level::P95)));
    }
    study.finish();
}

#[test]
fn a_share_corrected_by_one_accuracy_is_covered() {
    let mut study = Study::new("Decided shares corrected by one accuracy");
    let grid = [
        (0.7, 0.9, 300, 50),
        (0.5, 0.8, 200, 60),
        (0.9, 0.85, 500, 30),
        (0.95, 0.85, 100, 100),
        (0.6, 0.75, 1_000, 200),
    ];
    let cells = study.size().of(3, grid.len());
    for (theta, accuracy, items, gold) in grid.into_iter().take(cells) {
        let data = format!("true {theta}, {items} items, accuracy {accuracy}, {gold} gold");
        let replicates = study.replicates();
        study.cell("pooled_accuracy 95 %", &data, Claim::AtLeast(0.95), replicates, |stream| {
            let judged = theta * accuracy + (1.0 - theta) * (1.0 - accuracy);
            let wins = stream.binomial(items, judged);
            let agreed = stream.binomial(gold, accuracy);
            holds(&pooled_accuracy_correction(DecidedShare { wins, n: items, agreed, gold }, Level::P95), theta)
        });
    }
    study.finish();
}

#[test]
fn prediction_powered_means_are_covered_also_with_few_labels() {
    let mut study = Study::new("Prediction-powered means");
    let truth = Scores { win: 0.45, tie: 0.25 };
    let answers = |stream: &mut Stream| {
        let gold = truth.draw(stream);
        (gold, if chance(stream, 0.85) { gold } else { Scores { win: 0.4, tie: 0.2 }.draw(stream) })
    };
    let nominal = Claim::AtLeast(0.95);
    // With the normal quantile, by size.
    let grid = [
        (15, [Claim::Known(0.913), nominal]),
        (60, [nominal, nominal]),
        (30, [Claim::Known(0.933), nominal]),
        (200, [nominal, nominal]),
    ];
    let cells = study.size().of(2, grid.len());
    for (labels, claims) in grid.into_iter().take(cells) {
        let replicates = study.size().of(250, 10_000);
        for ((name, interval), claim) in
            [("normal", Interval::Normal), ("by size", Interval::BySize)].into_iter().zip(claims)
        {
            study.cell(
                &format!("ppi {name} 95 %"),
                &format!("{labels} labels, 600 items"),
                claim,
                replicates,
                |stream| {
                    let (gold, judge): (Vec<f64>, Vec<f64>) = (0..labels).map(|_| answers(stream)).unzip();
                    let rest: Vec<f64> = (0..600).map(|_| answers(stream).1).collect();
                    let data = Labelled { gold: &gold, judge: &judge, judge_unlabelled: &rest };
                    let mean = ppi_mean(data, Trust::Tuned, interval, Level::P95).map(|ppi| ppi.estimate);
                    holds(&mean, truth.mean())
                },
            );
        }
    }
    study.finish();
}

/// A judge that is right with `accuracy` about items of which `a` is the better one in `share`.
#[derive(Debug, Clone, Copy)]
struct OneSided {
    labels: usize,
    share: f64,
    accuracy: f64,
}

impl OneSided {
    fn draw(self, stream: &mut Stream) -> (f64, f64) {
        let gold = chance(stream, self.share);
        let right = chance(stream, self.accuracy);
        (f64::from(u8::from(gold)), f64::from(u8::from(gold == right)))
    }
}

/// What a comparison reports: few labels, and one side that wins nearly always.
#[test]
fn corrected_means_of_one_sided_rates_are_covered_with_few_labels() {
    let mut study = Study::new("Corrected means of one-sided rates");
    let mut grid = Vec::new();
    for (labels, share) in [(50, 0.9), (15, 0.75), (20, 0.9), (60, 0.8), (15, 0.9), (20, 0.6), (50, 0.75), (60, 0.6)] {
        for accuracy in [0.95, 0.85, 0.9] {
            grid.push(OneSided { labels, share, accuracy });
        }
    }
    let cells = study.size().of(6, grid.len());
    for case in grid.into_iter().take(cells) {
        let OneSided { labels, share, accuracy } = case;
        let data = format!("true {share}, accuracy {accuracy}, {labels} labels, 400 items");
        let replicates = study.size().of(1_000, 10_000);
        study.cell("ppi_adjusted 95 %", &data, Claim::AtLeast(0.95), replicates, |stream| {
            let (gold, judge): (Vec<f64>, Vec<f64>) = (0..labels).map(|_| case.draw(stream)).unzip();
            let rest: Vec<f64> = (0..400).map(|_| case.draw(stream).1).collect();
            let data = Labelled { gold: &gold, judge: &judge, judge_unlabelled: &rest };
            holds(&ppi_mean_adjusted(data, None, Level::P95).map(|ppi| ppi.estimate), share)
        });
    }
    study.finish();
}

/// Groups of one kind throughout in the share `alike`, of the sizes that are gone through in turn.
#[test]
fn corrected_means_over_few_and_uneven_groups_are_covered() {
    let mut study = Study::new("Corrected means over groups");
    let uneven: &[usize] = &[1, 1, 2, 2, 9];
    let grid: &[(usize, &[usize], f64, f64)] = &[
        (10, uneven, 0.5, 0.9),
        (10, &[5], 0.5, 0.75),
        (6, uneven, 1.0, 0.9),
        (20, uneven, 1.0, 0.75),
        (6, &[5], 0.0, 0.6),
        (20, &[5], 0.5, 0.9),
        (40, uneven, 1.0, 0.9),
        (40, &[5], 0.0, 0.75),
    ];
    let cells = study.size().of(3, grid.len());
    for (labelled, sizes, alike, share) in grid.iter().copied().take(cells) {
        let case = OneSided { labels: 1, share, accuracy: 0.85 };
        let data =
            format!("{labelled} of {} groups of {sizes:?} labelled, {alike} of them alike, true {share}", labelled * 5);
        let replicates = study.size().of(1_000, 10_000);
        study.cell("ppi_adjusted_clustered 95 %", &data, Claim::AtLeast(0.95), replicates, |stream| {
            let (mut gold, mut judge, mut rest) = (Vec::new(), Vec::new(), Vec::new());
            let (mut own, mut others) = (Vec::new(), Vec::new());
            for group in 0..labelled * 5 {
                let (same, one) = (chance(stream, alike), chance(stream, share));
                for _ in 0..sizes[group % sizes.len()] {
                    let truth = if same { one } else { chance(stream, share) };
                    let says = truth == chance(stream, case.accuracy);
                    if group < labelled {
                        gold.push(f64::from(u8::from(truth)));
                        judge.push(f64::from(u8::from(says)));
                        own.push(group);
                    } else {
                        rest.push(f64::from(u8::from(says)));
                        others.push(group);
                    }
                }
            }
            let data = Labelled { gold: &gold, judge: &judge, judge_unlabelled: &rest };
            let groups = Groups { labelled: &own, unlabelled: &others };
            holds(&ppi_mean_adjusted(data, Some(groups), Level::P95).map(|ppi| ppi.estimate), share)
        });
    }
    study.finish();
}
