//! Judges whose faults are known, tried through the real analysis: what was planted is found, and what the judge's errors do to
//! a win rate is undone.

use std::collections::BTreeSet;

use tribunal::analysis::calibration::{self, Scorecard, calibrate};
use tribunal::analysis::certificate::{Validity, certify};
use tribunal::analysis::compare::{self, Comparison, compare};
use tribunal::analysis::correction::{GoldSample, JudgeAccuracy, Method};
use tribunal::analysis::gate::GateRules;
use tribunal::analysis::jury::Panel;
use tribunal::domain::{
    Digest, GoldLabel, GoldSet, ItemFacts, ItemId, JudgeName, Judgment, Order, Preference, Reading, Said, Verdict,
};
use tribunal::stats::seed::Stream;
use tribunal::stats::{Figure, Seed};

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
        if better == Preference::Tie {
            // Where nobody is better the judge takes the longer.
            return Order::BOTH.map(|order| order.verdict_for(item.longer().unwrap()));
        }
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

/// What the certificate of a calibration says of the judge, as the door of a comparison hands it on.
fn record(stream: &mut Stream, labels: usize, faults: Faults) -> Option<JudgeAccuracy> {
    let gold = court(stream, labels, 0.5);
    let said = judgments(&gold, |item| faults.verdict(stream, item));
    let options = calibration::Options {
        rules: GateRules::default(),
        resamples: 50,
        seed: 1,
        any_model: BTreeSet::new(),
        jury: Panel::default(),
    };
    let found = calibrate(&gold, &said, &options);
    let validity = Validity { date: "2026-01-01T00:00:00Z".to_owned(), expires: "2026-01-31T00:00:00Z".to_owned() };
    certify(&found.judges[0], &found.gold, &options.rules, None, validity).unwrap().unwrap().accuracy()
}

/// Where the labels of a comparison come from.
#[derive(Debug, Clone, Copy)]
enum Labels {
    /// None on the items compared: the judge was calibrated on so many others.
    Certificate(usize),
    /// So many of the items, drawn at random.
    Sample(usize),
}

/// One comparison as the product makes it, of so many items.
fn compared(stream: &mut Stream, items: usize, truth: Truth, faults: Faults, labels: Labels) -> Comparison {
    let mut options = compare::Options::new("a", "b", 50, 1);
    if let Labels::Certificate(labels) = labels {
        options.accuracy = record(stream, labels, faults);
    } else {
        options.gold_sample = GoldSample::Random;
    }
    let mut new = truth.court(stream, items);
    let said = judgments(&new, |item| faults.verdict(stream, item));
    let labelled = if let Labels::Sample(labels) = labels { labels } else { 0 };
    // The items are drawn alike, so the first of them are a random sample.
    new.items.iter_mut().skip(labelled).for_each(|item| item.gold = None);
    compare(&new, &said, &JudgeName::from("judge"), &options)
}

/// What people would say of the items compared.
#[derive(Debug, Clone, Copy)]
struct Truth {
    /// How often `a` is better among the items that are no tie.
    share: f64,
    /// How often nobody is.
    ties: f64,
    /// How often `a` is the longer response.
    a_longer: f64,
}

impl Truth {
    fn court(self, stream: &mut Stream, items: usize) -> GoldSet {
        let mut gold = court(stream, items, self.share);
        for item in &mut gold.items {
            if chance(stream, self.ties) {
                item.gold = Some(GoldLabel { label: Preference::Tie, votes: Vec::new(), disputed: false });
            }
            let [a, b] = if chance(stream, self.a_longer) { [900, 300] } else { [300, 900] };
            (item.length_a, item.length_b) = (Some(a), Some(b));
        }
        gold
    }

    /// The mean of the gold scores.
    fn mean(self) -> f64 {
        (1.0 - self.ties) * self.share + self.ties / 2.0
    }
}

const BALANCED: Truth = Truth { share: 0.75, ties: 0.0, a_longer: 0.5 };
const FLIPPING: Faults = Faults { flips: 0.15, error_shorter: 0.25, error_longer: 0.05 };

/// Coverage of a rate as judged and as corrected.
fn cells(study: &mut Study, data: &str, truth: f64, claims: [Claim; 2], one: impl Fn(&mut Stream) -> Comparison) {
    let replicates = study.size().of(60, 2_000);
    let runs: Vec<[Figure; 2]> = (0..replicates)
        .map(|replicate| {
            let found = one(&mut Seed(1).child(data).stream(replicate)).correction;
            [found.corrected, found.raw]
        })
        .collect();
    for (which, (method, claim)) in ["corrected 95 %", "as judged 95 %"].into_iter().zip(claims).enumerate() {
        let mut each = runs.iter();
        study.cell(method, data, claim, replicates, |_| holds(&each.next().unwrap()[which], truth));
    }
}

const COVERED: Claim = Claim::AtLeast(0.95);

#[test]
fn a_comparison_corrected_by_the_certificate_covers_the_true_rate_and_the_judged_one_does_not() {
    let mut study = Study::new("Comparisons corrected by the certificate");
    let errs = |error: f64| Faults { flips: 0.0, error_shorter: error, error_longer: error };
    // The judged rate may by chance still cover the truth where the judge errs little. How often follows from the law of its Wilson
    // interval: of 400 decided items 0.675 are won where 0.75 were better; flips leave a binomial number of them.
    let exactly = Claim::Exactly;
    let hardly = Claim::AtMost(0.01);
    let grid = [
        (BALANCED, FLIPPING, 400, 100, exactly(0.1277)),
        (BALANCED, errs(0.15), 400, 100, exactly(0.0737)),
        (Truth { share: 0.65, ..BALANCED }, errs(0.1), 800, 150, exactly(0.5732)),
        (Truth { share: 0.9, ..BALANCED }, errs(0.2), 300, 60, hardly),
        (
            Truth { share: 0.85, ..BALANCED },
            Faults { flips: 0.3, error_shorter: 0.3, error_longer: 0.1 },
            400,
            150,
            hardly,
        ),
    ];
    let cells_of = study.size().of(1, grid.len());
    for (truth, faults, items, labels, judged) in grid.into_iter().take(cells_of) {
        let Faults { flips, error_shorter, error_longer } = faults;
        let data = format!(
            "true {}, flips {flips}, errs {error_shorter} on shorter and {error_longer} on longer, {items} items, {labels} gold",
            truth.share
        );
        cells(&mut study, &data, truth.share, [COVERED, judged], |stream| {
            let found = compared(stream, items, truth, faults, Labels::Certificate(labels));
            // A few trials leave it open whether the judge is better than a coin.
            assert!(matches!(found.correction.method, Some(Method::RoganGladenPooled) | None));
            found
        });
    }
    // Where one system writes longer, a judge that likes length errs in its favour, and one accuracy does not undo that.
    let truth = Truth { a_longer: 0.9, share: 0.6, ..BALANCED };
    let data = "true 0.6, a longer in 9 of 10, errs 0.25 on shorter and 0.05 on longer, 400 items, 100 gold";
    cells(&mut study, data, truth.share, [Claim::AtMost(0.9), Claim::AtMost(0.95)], |stream| {
        compared(stream, 400, truth, Faults { flips: 0.0, ..FLIPPING }, Labels::Certificate(100))
    });
    study.finish();
}

#[test]
fn a_comparison_corrected_by_a_random_sample_covers_the_true_score_however_the_judge_errs() {
    let mut study = Study::new("Comparisons corrected by a random sample of labels");
    let longer = Truth { a_longer: 0.9, share: 0.6, ..BALANCED };
    let grid = [
        (BALANCED, FLIPPING, 400, 40, 0.05),
        (longer, FLIPPING, 400, 60, 0.9),
        (BALANCED, FLIPPING, 600, 150, 0.01),
        (Truth { ties: 0.3, ..BALANCED }, Faults { flips: 0.25, ..FLIPPING }, 400, 80, 0.5),
        (longer, Faults { flips: 0.3, error_shorter: 0.4, error_longer: 0.0 }, 300, 100, 0.9),
    ];
    let cells_of = study.size().of(1, grid.len());
    for (truth, faults, items, labels, judged) in grid.into_iter().take(cells_of) {
        let Faults { flips, error_shorter, error_longer } = faults;
        let data = format!(
            "true {}, ties {}, a longer in {}, flips {flips}, errs {error_shorter} on shorter and {error_longer} on longer, {items} items, {labels} of them labelled",
            truth.share, truth.ties, truth.a_longer
        );
        cells(&mut study, &data, truth.mean(), [COVERED, Claim::AtMost(judged)], |stream| {
            let found = compared(stream, items, truth, faults, Labels::Sample(labels));
            assert_eq!(found.correction.method, Some(Method::PpiPlusPlus));
            found
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
