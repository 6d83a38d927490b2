//! Judges whose faults are known, tried through the real analysis: what was planted is found, and what the judge's errors do to
//! a win rate is undone.

use std::collections::BTreeSet;

use tribunal::analysis::calibration::{self, Scorecard, calibrate};
use tribunal::analysis::compare::{self, Comparison, compare};
use tribunal::analysis::gate::GateRules;
use tribunal::analysis::jury::Panel;
use tribunal::domain::{
    ControlKind, Digest, GoldLabel, GoldSet, ItemFacts, ItemId, JudgeName, Judgment, Order, Per, Preference, Reading,
    Said, Verdict,
};
use tribunal::stats::correction::{DecidedShare, pooled_accuracy_correction};
use tribunal::stats::seed::Stream;
use tribunal::stats::{Figure, Level, Seed};

use super::{Claim, Study, chance, holds};

/// Items of which `a` is better with probability `share`, else `b`; the longer response is either.
fn court(stream: &mut Stream, items: usize, share: f64) -> GoldSet {
    let items = (0..items).map(|number| {
        let [length_a, length_b] = if chance(stream, 0.5) { [900, 300] } else { [300, 900] };
        ItemFacts {
            id: ItemId(format!("q{number:04}")),
            group: None,
            category: None,
            lang: None,
            turn: None,
            model_a: None,
            model_b: None,
            length_a: Some(length_a),
            length_b: Some(length_b),
            identical: false,
            gold: Some(GoldLabel {
                label: if chance(stream, share) { Preference::A } else { Preference::B },
                votes: Vec::new(),
                disputed: false,
            }),
        }
    });
    GoldSet::new("planted", Digest::of(b"planted"), items.collect())
}

fn judgments(gold: &GoldSet, mut verdict: impl FnMut(&ItemFacts) -> [Verdict; 2]) -> Vec<Judgment> {
    let asked = gold.items.iter().flat_map(|item| {
        Order::BOTH.into_iter().zip(verdict(item)).map(|(order, verdict)| Judgment {
            item: item.id.clone(),
            judge: JudgeName::from("judge"),
            repeat: 0,
            said: Said::InOrder(order, Reading::Said(verdict)),
            detail: None,
        })
    });
    asked.collect()
}

/// What an oracle with this error says, the same in both orders.
fn oracle(error: f64, seed: u64) -> impl FnMut(&ItemFacts) -> [Verdict; 2] {
    let oracle = ControlKind::Oracle { error, seed, per: Per::Item };
    move |item| Order::BOTH.map(|order| oracle.verdict(&item.id, item.into(), order, 0).unwrap())
}

fn tried(gold: &GoldSet, judgments: &[Judgment]) -> Scorecard {
    let options = calibration::Options {
        rules: GateRules::default(),
        resamples: 50,
        seed: 1,
        any_model: BTreeSet::new(),
        jury: Panel::default(),
    };
    calibrate(gold, judgments, &options).judges.remove(0)
}

fn compared(items: &GoldSet, judgments: &[Judgment]) -> Comparison {
    let options = compare::Options::new("a", "b", 50, 1);
    compare(items, judgments, &JudgeName::from("judge"), &options)
}

/// Flips to the first slot four times out of five, and errs more where the better response is the shorter one.
#[derive(Debug, Clone, Copy)]
struct Faults {
    flips: f64,
    error_shorter: f64,
    error_longer: f64,
}

impl Faults {
    fn verdict(self, stream: &mut Stream, item: &ItemFacts) -> [Verdict; 2] {
        if chance(stream, self.flips) {
            return [if chance(stream, 0.8) { Verdict::First } else { Verdict::Second }; 2];
        }
        let better = item.gold.as_ref().unwrap().label;
        let error = if item.longer() == Some(better) { self.error_longer } else { self.error_shorter };
        let said = if chance(stream, error) { better.swapped() } else { better };
        Order::BOTH.map(|order| order.verdict_for(said))
    }
}

#[test]
fn planted_flips_errors_and_length_preference_are_found() {
    let mut study = Study::new("Planted faults, found by a calibration");
    let grid = [
        (120, Faults { flips: 0.15, error_shorter: 0.3, error_longer: 0.1 }),
        (300, Faults { flips: 0.05, error_shorter: 0.15, error_longer: 0.15 }),
        (60, Faults { flips: 0.3, error_shorter: 0.25, error_longer: 0.05 }),
    ];
    let cells = study.size().of(1, grid.len());
    for (items, faults) in grid.into_iter().take(cells) {
        let Faults { flips, error_shorter, error_longer } = faults;
        let truths = [
            ("flip_rate", flips),
            ("flip_first_rate", flips * 0.8),
            ("length_error_gap", error_shorter - error_longer),
            ("agreement_decisive", 1.0 - f64::midpoint(error_shorter, error_longer)),
            ("agreement_strict", (1.0 - flips) * (1.0 - f64::midpoint(error_shorter, error_longer))),
        ];
        let data =
            format!("{items} items, flips {flips}, errs {error_shorter} on shorter and {error_longer} on longer");
        let replicates = study.size().of(60, 2_000);
        let cards: Vec<Scorecard> = (0..replicates)
            .map(|replicate| {
                let mut stream = Seed(1).child(&data).stream(replicate);
                let gold = court(&mut stream, items, 0.5);
                let said = judgments(&gold, |item| faults.verdict(&mut stream, item));
                tried(&gold, &said)
            })
            .collect();
        for (figure, truth) in truths {
            let mut cards = cards.iter();
            study.cell(&format!("{figure} 95 %"), &data, Claim::AtLeast(0.95), replicates, |_| {
                holds(&cards.next().unwrap().figures.get(figure), truth)
            });
        }
    }
    study.finish();
}

/// The decided rate of a comparison, corrected by the accuracy of a calibration.
fn corrected(tried: &Scorecard, compared: &Comparison) -> Figure {
    let (agreement, decided) = (tried.figures.get("agreement_decisive")?, compared.decided.clone()?);
    let input =
        DecidedShare { wins: decided.k.unwrap(), n: decided.n, agreed: agreement.k.unwrap(), gold: agreement.n };
    pooled_accuracy_correction(input, Level::P95)
}

#[test]
fn a_corrected_win_rate_covers_the_true_one_and_the_raw_one_does_not() {
    let mut study = Study::new("Win rates of an erring judge, raw and corrected");
    // The raw rate may by chance still cover the truth where the judge errs little.
    let grid = [(0.75, 0.15, 400, 100, 0.05), (0.65, 0.1, 800, 150, 0.5), (0.9, 0.2, 300, 60, 0.01)];
    let cells = study.size().of(1, grid.len());
    let replicates = study.size().of(60, 2_000);
    for (theta, error, items, labels, raw) in grid.into_iter().take(cells) {
        let data = format!("true {theta}, error {error}, {items} items, {labels} gold");
        let runs: Vec<(Figure, Figure)> = (0..replicates)
            .map(|replicate| {
                let mut stream = Seed(1).child(&data).stream(replicate);
                let gold = court(&mut stream, labels, 0.5);
                let tried = tried(&gold, &judgments(&gold, oracle(error, stream.next_u64())));
                let new = court(&mut stream, items, theta);
                let compared = compared(&new, &judgments(&new, oracle(error, stream.next_u64())));
                (corrected(&tried, &compared), compared.win_rate)
            })
            .collect();
        let mut each = runs.iter();
        study
            .cell("corrected 95 %", &data, Claim::AtLeast(0.95), replicates, |_| holds(&each.next().unwrap().0, theta));
        let mut each = runs.iter();
        study.cell("raw win rate 95 %", &data, Claim::AtMost(raw), replicates, |_| {
            holds(&each.next().unwrap().1, theta)
        });
    }
    study.finish();
}

#[test]
fn the_gate_lets_a_judge_at_the_limit_through_at_most_once_in_twenty() {
    let mut study = Study::new("Judges exactly at a limit of the gate");
    let replicates = study.size().of(60, 1_000);
    let at_flips = Faults { flips: 0.2, error_shorter: 0.0, error_longer: 0.0 };
    let at_agreement = Faults { flips: 0.0, error_shorter: 0.25, error_longer: 0.25 };
    for (name, faults) in [("flip_rate", at_flips), ("agreement_decisive", at_agreement)] {
        study.cell(
            &format!("{name} passes"),
            "150 items, fault at the limit",
            Claim::AtMost(0.05),
            replicates,
            |stream| {
                let gold = court(stream, 150, 0.5);
                let said = judgments(&gold, |item| faults.verdict(stream, item));
                let card = tried(&gold, &said);
                let gate = card.gate.unwrap();
                let criterion = gate.criteria.iter().find(|criterion| criterion.name == name).unwrap();
                Some(criterion.decision == tribunal::analysis::gate::Decision::Pass)
            },
        );
    }
    study.finish();
}
