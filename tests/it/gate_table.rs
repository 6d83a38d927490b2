//! The table "the worst judge that can still pass" of docs/methods.md, worked out anew through the gate itself.

use std::path::Path;

use tribunal::analysis::calibration::{Options, calibrate};
use tribunal::analysis::gate::{Decision, Gate, GateRules};
use tribunal::analysis::jury::Panel;
use tribunal::domain::{
    Digest, GoldLabel, GoldSet, ItemFacts, Judgment, NoVerdict, Order, Preference, Reading, Said, Verdict,
};

/// What is used where nothing else is asked for; the bounds of kappa are close enough to its limit to need them all.
const DEFAULT: usize = 10_000;

/// Enough for bounds that are not on a knife's edge: the same cells as by default.
const FEWER: usize = 2_000;

/// For criteria that are decided without a bootstrap.
const FEWEST: usize = 200;

/// The gold sets of the columns: a tenth ties, the rest half a and half b, half with the longer answer the better one.
const SIZES: [usize; 3] = [30, 100, 300];

/// One row of the table: what the judge does wrong `k` times, being right everywhere else.
struct Fault {
    name: &'static str,
    /// Of how many; the denominator of the row's cells.
    chances: fn(&GoldSet) -> usize,
    /// The judgments of a judge with the fault `k` times.
    judge: fn(&GoldSet, usize) -> Vec<Judgment>,
    passes: fn(&Gate) -> bool,
    resamples: usize,
}

const FAULTS: [Fault; 8] = [
    Fault {
        name: "flip_rate",
        chances: |gold| gold.items.len(),
        judge: flips,
        passes: |gate| by(gate, "flip_rate"),
        resamples: FEWEST,
    },
    Fault {
        name: "agreement_decisive",
        chances: |gold| decisive(gold).len(),
        judge: wrong_sides,
        passes: |gate| by(gate, "agreement_decisive"),
        resamples: FEWEST,
    },
    Fault {
        name: "kappa_strict",
        chances: |gold| decisive(gold).len(),
        judge: wrong_sides,
        passes: |gate| by(gate, "kappa_strict"),
        resamples: DEFAULT,
    },
    Fault {
        name: "length_error_gap",
        chances: |gold| better_is_shorter(gold).len(),
        judge: |gold, k| {
            answers(gold, |item| if better_is_shorter(gold)[..k].contains(&item) { Does::Errs } else { Does::Right })
        },
        passes: |gate| by(gate, "length_error_gap"),
        resamples: FEWEST,
    },
    Fault {
        name: "no_verdict_rate",
        chances: |gold| gold.items.len() * 2,
        judge: silences,
        passes: |gate| by(gate, "no_verdict_rate"),
        resamples: FEWEST,
    },
    Fault {
        name: "beats_controls",
        chances: |gold| decisive(gold).len(),
        judge: wrong_sides,
        passes: |gate| by(gate, "beats_controls"),
        resamples: FEWER,
    },
    Fault {
        name: "whole gate, wrong sides",
        chances: |gold| decisive(gold).len(),
        judge: wrong_sides,
        passes: |gate| gate.decision == Decision::Pass,
        resamples: FEWER,
    },
    Fault {
        name: "whole gate, ties",
        chances: |gold| decisive(gold).len(),
        judge: |gold, k| {
            answers(gold, |item| if decisive(gold)[..k].contains(&item) { Does::Ties } else { Does::Right })
        },
        passes: |gate| gate.decision == Decision::Pass,
        resamples: DEFAULT,
    },
];

fn by(gate: &Gate, name: &str) -> bool {
    gate.criteria.iter().find(|criterion| criterion.name == name).unwrap().decision == Decision::Pass
}

fn gold(n: usize) -> GoldSet {
    let item = |i: usize| {
        let label = if i < n / 10 { Preference::Tie } else { [Preference::A, Preference::B][i % 2] };
        let a_is_longer = (label == Preference::B) == (i / 2).is_multiple_of(2);
        ItemFacts {
            id: format!("q{i:03}").into(),
            group: None,
            category: None,
            lang: None,
            turn: None,
            model_a: None,
            model_b: None,
            length_a: Some(if a_is_longer { 200 } else { 100 }),
            length_b: Some(if a_is_longer { 100 } else { 200 }),
            identical: false,
            gold: Some(GoldLabel { label, disputed: false, votes: Vec::new() }),
        }
    };
    GoldSet::new(format!("gold of {n}"), Digest::of(b"made up"), (0..n).map(item).collect())
}

fn label(gold: &GoldSet, item: usize) -> Preference {
    gold.items[item].gold_label().unwrap()
}

fn decisive(gold: &GoldSet) -> Vec<usize> {
    (0..gold.items.len()).filter(|item| label(gold, *item).is_decisive()).collect()
}

fn better_is_shorter(gold: &GoldSet) -> Vec<usize> {
    decisive(gold).into_iter().filter(|item| gold.items[*item].longer() != Some(label(gold, *item))).collect()
}

/// What the judge does with one item, in both orders alike.
enum Does {
    Right,
    Errs,
    Ties,
}

fn judgment(gold: &GoldSet, item: usize, order: Order, reading: Reading) -> Judgment {
    Judgment {
        item: gold.items[item].id.clone(),
        judge: "made up".into(),
        repeat: 0,
        said: Said::InOrder(order, reading),
        detail: None,
    }
}

fn answers(gold: &GoldSet, does: impl Fn(usize) -> Does) -> Vec<Judgment> {
    let mut judgments = Vec::new();
    for item in 0..gold.items.len() {
        let said = match does(item) {
            Does::Right => label(gold, item),
            Does::Errs => label(gold, item).swapped(),
            Does::Ties => Preference::Tie,
        };
        judgments.extend(Order::BOTH.map(|order| judgment(gold, item, order, Reading::Said(order.verdict_for(said)))));
    }
    judgments
}

fn wrong_sides(gold: &GoldSet, k: usize) -> Vec<Judgment> {
    answers(gold, |item| if decisive(gold)[..k].contains(&item) { Does::Errs } else { Does::Right })
}

/// The first slot in both orders on `k` items, decisive ones before ties.
fn flips(gold: &GoldSet, k: usize) -> Vec<Judgment> {
    let mut judgments = answers(gold, |_| Does::Right);
    for judgment in judgments.iter_mut().rev().take(2 * k) {
        if let Said::InOrder(order, _) = judgment.said {
            judgment.said = Said::InOrder(order, Reading::Said(Verdict::First));
        }
    }
    judgments
}

/// No verdict on `k` judgments.
fn silences(gold: &GoldSet, k: usize) -> Vec<Judgment> {
    let mut judgments = answers(gold, |_| Does::Right);
    for judgment in judgments.iter_mut().rev().take(k) {
        if let Said::InOrder(order, _) = judgment.said {
            judgment.said = Said::InOrder(order, Reading::None(NoVerdict::Unparsed));
        }
    }
    judgments
}

fn passes(fault: &Fault, gold: &GoldSet, k: usize) -> bool {
    let options = Options {
        rules: GateRules::default(),
        resamples: fault.resamples,
        seed: 1,
        any_model: std::collections::BTreeSet::new(),
        jury: Panel::default(),
    };
    let answer = calibrate(gold, &(fault.judge)(gold, k), &options);
    (fault.passes)(answer.judges[0].gate.as_ref().unwrap())
}

/// The most faults with which a judge passes, by bisection.
fn worst(fault: &Fault, gold: &GoldSet) -> usize {
    let (mut good, mut bad) = (0, (fault.chances)(gold));
    while bad - good > 1 {
        let middle = good.midpoint(bad);
        if passes(fault, gold, middle) { good = middle } else { bad = middle }
    }
    good
}

/// The cells of the row that begins with `name`, as `k of n`.
fn written(text: &str, name: &str) -> Vec<(usize, usize)> {
    let row = text.lines().find(|line| line.starts_with(&format!("| {name} |")));
    let row = row.unwrap_or_else(|| panic!("docs/methods.md has no row `{name}`"));
    row.split('|')
        .filter_map(|cell| {
            let (k, rest) = cell.trim().split_once(" of ")?;
            let n: String = rest.chars().take_while(char::is_ascii_digit).collect();
            Some((k.parse().ok()?, n.parse().ok()?))
        })
        .collect()
}

#[test]
fn the_documented_worst_judges_pass_and_one_fault_more_does_not() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/methods.md");
    let text = std::fs::read_to_string(path).unwrap();
    let sets = SIZES.map(gold);
    let mut wrong = Vec::new();
    for fault in &FAULTS {
        let cells = written(&text, fault.name);
        for (at, gold) in sets.iter().enumerate() {
            let chances = (fault.chances)(gold);
            let fits = cells
                .get(at)
                .is_some_and(|(k, n)| *n == chances && passes(fault, gold, *k) && !passes(fault, gold, k + 1));
            if !fits {
                let found = worst(fault, gold);
                let percent = found as f64 / chances as f64 * 100.0;
                wrong.push(format!("{}, {}: want {found} of {chances} ({percent:.1} %)", fault.name, gold.name));
            }
        }
    }
    assert!(wrong.is_empty(), "docs/methods.md says otherwise:\n{}", wrong.join("\n"));
}

#[test]
fn a_perfect_judge_passes_the_defaults_on_thirty_balanced_items() {
    let gold = gold(30);
    let options = Options {
        rules: GateRules::default(),
        resamples: FEWER,
        seed: 1,
        any_model: std::collections::BTreeSet::new(),
        jury: Panel::default(),
    };
    let answer = calibrate(&gold, &wrong_sides(&gold, 0), &options);
    assert_eq!(answer.decision, Decision::Pass);
}
