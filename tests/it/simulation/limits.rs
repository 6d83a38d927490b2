//! Judges exactly at a limit of the gate, by every criterion that an interval decides, over items and over groups.

use tribunal::analysis::gate::Decision;
use tribunal::domain::{GoldLabel, Order, Preference, Verdict};
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
            // With 30 items BCa's bound of kappa is a little too near: 0.069 in 4,000 runs.
            let few = (items, criterion) == (30, "kappa_strict");
            let claim = if few { Claim::Known(0.069) } else { Claim::AtMost(0.05) };
            line(&mut study, ("passes", &data), claim, &found, |passes| Some(*passes));
        }
    }
    study.finish();
}
