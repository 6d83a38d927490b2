//! Every test at 5 % where there is nothing to find.

use tribunal::stats::Seed;
use tribunal::stats::binomial::{mcnemar, sign_test};
use tribunal::stats::multiplicity::{Adjustment, adjust};
use tribunal::stats::outcomes::OutcomeCounts;
use tribunal::stats::permutation::{sign_flip, sign_flip_by_group};
use tribunal::stats::resample::Resampling;
use tribunal::stats::seed::Stream;
use tribunal::stats::two_proportions::fisher_exact;

use super::{Claim, Scores, Study, chance};

const ALPHA: f64 = 0.05;
const NOMINAL: Claim = Claim::AtMost(ALPHA);

/// Tests cost little, and what they may err is little.
fn replicates(study: &Study) -> u64 {
    study.size().of(1_500, 20_000)
}

fn found(p: f64) -> bool {
    p <= ALPHA
}

/// Items that only the first or only the second arm got right, each with half the chance `discordant`.
fn discordant(stream: &mut Stream, items: u64, discordant: f64) -> (u64, u64) {
    let both = stream.binomial(items, discordant);
    let first = stream.binomial(both, 0.5);
    (first, both - first)
}

#[test]
fn exact_tests_of_counts_find_nothing_more_often_than_they_say() {
    let mut study = Study::new("Exact tests with nothing to find");
    let replicates = replicates(&study);
    let all = [(50, 0.1), (300, 0.2), (100, 0.2), (20, 0.5), (1_000, 0.3)];
    let cells = study.size().of(2, all.len());
    for (items, share) in all.into_iter().take(cells) {
        let data = format!("{items} items, {share} discordant");
        study.cell("mcnemar exact", &data, NOMINAL, replicates, |stream| {
            let (b, c) = discordant(stream, items, share);
            Some(found(mcnemar(b, c).p_exact))
        });
        // Close to its level, sometimes a little above: for display, never for a gate.
        study.cell("mcnemar mid-p", &data, Claim::AtMost(0.052), replicates, |stream| {
            let (b, c) = discordant(stream, items, share);
            Some(found(mcnemar(b, c).p_mid))
        });
        study.cell("direction of flips, exact", &data, NOMINAL, replicates, |stream| {
            let (flip_first, flip_second) = discordant(stream, items, share);
            Some(found(OutcomeCounts { flip_first, flip_second, ..OutcomeCounts::default() }.flip_direction_p()))
        });
    }
    for (n1, n2, p) in [(20, 20, 0.3), (15, 60, 0.2), (100, 100, 0.5)] {
        study.cell("fisher exact", &format!("{n1} and {n2}, share {p}"), NOMINAL, replicates, |stream| {
            Some(found(fisher_exact(stream.binomial(n1, p), n1, stream.binomial(n2, p), n2).unwrap()))
        });
    }
    study.finish();
}

/// A paired difference of two scores, as likely up as down, often zero.
fn difference(stream: &mut Stream) -> f64 {
    let scores = Scores { win: 0.35, tie: 0.3 };
    scores.draw(stream) - scores.draw(stream)
}

#[test]
fn tests_of_graded_differences_find_nothing_more_often_than_they_say() {
    let mut study = Study::new("Tests of graded differences with nothing to find");
    let quick = replicates(&study);
    let resamples = study.size().of(199, 999);
    for items in [12, 60] {
        let data = format!("{items} differences with ties");
        study.cell("sign test", &data, NOMINAL, quick, |stream| {
            let differences: Vec<f64> = (0..items).map(|_| difference(stream)).collect();
            Some(found(sign_test(&differences).p))
        });
        let replicates = study.size().of(250, 8_000);
        study.cell("sign flips", &data, NOMINAL, replicates, |stream| {
            let differences: Vec<f64> = (0..items).map(|_| difference(stream)).collect();
            let resampling = Resampling { resamples, seed: Seed(stream.next_u64()) };
            Some(found(sign_flip(&differences, &resampling).unwrap().p))
        });
    }
    for groups in [10, 40] {
        let replicates = study.size().of(250, 8_000);
        let draw = |stream: &mut Stream| -> (Vec<f64>, Vec<usize>) {
            // Five items a group; in seven groups of ten all are copies of one.
            let mut differences = Vec::new();
            for _ in 0..groups {
                let alike = chance(stream, 0.7).then(|| difference(stream));
                differences.extend((0..5).map(|_| alike.unwrap_or_else(|| difference(stream))));
            }
            (differences, (0..groups * 5).map(|item| item / 5).collect())
        };
        let data = format!("{groups} groups of 5, alike");
        study.cell("sign flips by group", &data, NOMINAL, replicates, |stream| {
            let (differences, groups) = draw(stream);
            let resampling = Resampling { resamples, seed: Seed(stream.next_u64()) };
            Some(found(sign_flip_by_group(&differences, &groups, &resampling).unwrap().p))
        });
        if groups == 40 {
            study.cell("sign flips, groups ignored", &data, Claim::Known(0.309), replicates, |stream| {
                let (differences, _) = draw(stream);
                let resampling = Resampling { resamples, seed: Seed(stream.next_u64()) };
                Some(found(sign_flip(&differences, &resampling).unwrap().p))
            });
        }
    }
    study.finish();
}

#[test]
fn holm_holds_the_family_and_raw_p_values_do_not() {
    let mut study = Study::new("Families of tests with nothing to find");
    let replicates = replicates(&study);
    // Eight categories of a hundred items with six in ten discordant; the smallest p-value of each family.
    let smallest = |stream: &mut Stream, adjustment: Option<Adjustment>| {
        let p: Vec<f64> = (0..8)
            .map(|_| {
                let (b, c) = discordant(stream, 100, 0.6);
                mcnemar(b, c).p_exact
            })
            .collect();
        let p = adjustment.map_or(p.clone(), |adjustment| adjust(&p, adjustment).unwrap());
        Some(found(p.into_iter().fold(1.0, f64::min)))
    };
    let data = "8 categories of 100 items";
    study.cell("holm, any finding", data, NOMINAL, replicates, |stream| smallest(stream, Some(Adjustment::Holm)));
    study.cell("benjamini-hochberg, any finding", data, NOMINAL, replicates, |stream| {
        smallest(stream, Some(Adjustment::BenjaminiHochberg))
    });
    study.cell("unadjusted, any finding", data, Claim::Known(0.27), replicates, |stream| smallest(stream, None));
    // Three true effects beside five nulls: a step-down must not let them in.
    study.cell("holm beside true effects", "5 nulls and 3 effects", NOMINAL, replicates, |stream| {
        let nulls = (0..5).map(|_| discordant(stream, 100, 0.6)).map(|(b, c)| mcnemar(b, c).p_exact);
        let mut p: Vec<f64> = nulls.collect();
        p.extend([1e-6, 1e-5, 1e-4]);
        let adjusted = adjust(&p, Adjustment::Holm).unwrap();
        Some(found(adjusted[..5].iter().copied().fold(1.0, f64::min)))
    });
    study.finish();
}
