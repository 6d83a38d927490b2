//! Judges exactly at a limit of the gate, by every criterion that an interval decides, over items and over groups.

use tribunal::analysis::gate::Decision;
use tribunal::domain::{GoldLabel, Order, Preference, Verdict};
use tribunal::stats::Seed;
use tribunal::stats::seed::Stream;

use super::reports::{calibrated, items, judgment, line, runs};
use super::{Claim, Size, Study, chance};

/// How often it flips, and how often it is wrong where the better response is the shorter one and where it is the longer one.
#[derive(Debug, Clone, Copy)]
struct Faults {
    flips: f64,
    shorter: f64,
    longer: f64,
}

/// Items in groups; an item fails as the first of its group did in half of the cases.
#[derive(Debug, Clone, Copy)]
struct Design {
    items: usize,
    of_group: usize,
}

fn passes(stream: &mut Stream, faults: Faults, design: Design, criterion: &str) -> bool {
    let mut items = items(stream, design.items, design.of_group);
    let mut judgments = Vec::new();
    let mut lead = [0.0; 2];
    for (number, item) in items.iter_mut().enumerate() {
        let better = if chance(stream, 0.5) { Preference::A } else { Preference::B };
        item.gold = Some(GoldLabel { label: better, votes: Vec::new(), disputed: false });
        // Items of one group have the same luck, whatever the faults are.
        let luck = [stream.unit_f64(), stream.unit_f64()];
        let leads = number % design.of_group == 0;
        let luck = if leads || chance(stream, 0.5) { luck } else { lead };
        if leads {
            lead = luck;
        }
        let flips = luck[0] < faults.flips;
        let errs = luck[1] < if item.longer() == Some(better) { faults.longer } else { faults.shorter };
        let said = if errs { better.swapped() } else { better };
        judgments.extend(Order::BOTH.map(|order| {
            judgment(item, "judge", 0, order, if flips { Verdict::First } else { order.verdict_for(said) })
        }));
    }
    let gate = calibrated(items, &judgments, Size::asked_for().of(40, 300)).judges.remove(0).gate.unwrap();
    gate.criteria.iter().find(|one| one.name == criterion).unwrap().decision == Decision::Pass
}

#[test]
fn no_criterion_lets_a_judge_at_its_limit_through_more_than_once_in_twenty() {
    let mut study = Study::new("Judges exactly at every limit of the gate");
    let errs = |error: f64| Faults { flips: 0.0, shorter: error, longer: error };
    // Kappa of two even classes is 1 − 2·error; a judge that is right by halves is worth as much as the coin.
    let limits = [
        ("kappa_strict", errs(0.3)),
        ("beats_controls", errs(0.5)),
        ("length_error_gap", Faults { flips: 0.0, shorter: 0.35, longer: 0.15 }),
        ("flip_rate", Faults { flips: 0.2, ..errs(0.0) }),
        ("agreement_decisive", errs(0.25)),
    ];
    let designs =
        [Design { items: 30, of_group: 1 }, Design { items: 120, of_group: 3 }, Design { items: 100, of_group: 1 }];
    let cells = study.size().of(1, designs.len());
    for Design { items, of_group } in designs.into_iter().take(cells) {
        for (criterion, faults) in limits {
            let grouped = if of_group > 1 { format!(" in groups of {of_group}, half alike") } else { String::new() };
            let data = format!("{items} items{grouped}, at the limit of {criterion}");
            let found =
                runs(&study, &data, 500, |stream| passes(stream, faults, Design { items, of_group }, criterion));
            line(&mut study, ("passes", &data), Claim::AtMost(0.05), &found, |passes| Some(*passes));
        }
    }
    study.finish();
}

/// Counts of a judge that says a or b of labels a or b: both a, label a alone, judge a alone, both b.
type Cells = [u64; 4];

/// Whether the gate's criterion of kappa lets this table pass.
fn kappa_passes(cells: Cells) -> bool {
    use Preference::{A, B};
    let said: Vec<_> = [(A, A), (A, B), (B, A), (B, B)]
        .into_iter()
        .zip(cells)
        .flat_map(|(pair, count)| (0..count).map(move |_| pair))
        .collect();
    let mut items = items(&mut Seed(1).stream(0), said.len(), 1);
    let mut judgments = Vec::new();
    for (item, (label, judged)) in items.iter_mut().zip(said) {
        item.gold = Some(GoldLabel { label, votes: Vec::new(), disputed: false });
        judgments.extend(Order::BOTH.map(|order| judgment(item, "judge", 0, order, order.verdict_for(judged))));
    }
    let gate = calibrated(items, &judgments, 200).judges.remove(0).gate.unwrap();
    gate.criteria.iter().find(|one| one.name == "kappa_strict").unwrap().decision == Decision::Pass
}

/// How likely a judge whose kappa is exactly 0.4 (two even classes, 30 % wrong) passes kappa's limit with `n` labels, summed
/// over all tables; those that may pass and are less likely than `least` count as passed.
fn passes_at_kappas_limit(n: u64, least: f64) -> f64 {
    let log_factorial = |k: u64| (1..=k).map(|factor| (factor as f64).ln()).sum::<f64>();
    let probability = |cells: Cells| {
        let logs = cells.iter().zip([0.35_f64, 0.15, 0.15, 0.35]);
        (log_factorial(n) + logs.map(|(&k, share)| k as f64 * share.ln() - log_factorial(k)).sum::<f64>()).exp()
    };
    // The interval is the same whatever the classes and the raters are called, so half of each pair of counts will do.
    let split = |sum: u64| (0..=sum / 2).map(move |less| (less, sum - less));
    let mut passed = 0.0;
    for wrong in 0..=n {
        for ((missed, found), (less, more)) in
            split(wrong).flat_map(|one| split(n - wrong).map(move |other| (one, other)))
        {
            let cells = [more, found, missed, less];
            let alike = [missed == found, less == more].iter().filter(|same| !**same).count();
            let weight = probability(cells) * [1.0, 2.0, 4.0][alike];
            // Kappa is at most 1 − 2w/(1 + w²) where a share w is wrong, and a bound above 0.4 needs a kappa above it.
            if 3 * wrong < n && (weight < least || kappa_passes(cells)) {
                passed += weight;
            }
        }
    }
    passed
}

#[test]
fn kappas_limit_lets_at_most_one_in_twenty_through_by_the_law_itself() {
    let mut study = Study::new("Judges exactly at kappa's limit, by the law itself");
    let (labels, least) = study.size().of((&[20][..], 1e-4), (&[20, 25, 30, 35, 40, 60, 80, 100][..], 1e-7));
    for &n in labels {
        let passed = passes_at_kappas_limit(n, least);
        study.figure("kappa_strict at the gate", &format!("{n} labels, two even classes"), passed, [0.0, 0.0505], 1);
    }
    study.finish();
}
