//! Four formulas that are often published for judges, each beside ours: where they go wrong, ours does not.

use serde_json::{Value, json};
use tribunal::analysis::calibration::{Options, calibrate};
use tribunal::analysis::compare::{self, compare};
use tribunal::analysis::gate::GateRules;
use tribunal::analysis::jury::Panel;
use tribunal::data::{PairOptions, Source, gold_set, load_pairs};
use tribunal::domain::{GoldSet, JudgeName, Judgment, Order, Reading, Said, Verdict};

use Verdict::{First, Second, Tie};

/// One item: its gold label, which response is longer, and the slots that the judge named in either order.
struct Trial {
    gold: &'static str,
    longer: &'static str,
    group: usize,
    ab: Verdict,
    ba: Verdict,
}

fn trial(gold: &'static str, longer: &'static str, ab: Verdict, ba: Verdict) -> Trial {
    Trial { gold, longer, group: usize::MAX, ab, ba }
}

fn court(trials: &[Trial]) -> (GoldSet, Vec<Judgment>) {
    let line = |(n, trial): (usize, &Trial)| {
        let text = |side: &str| if trial.longer == side { "a longer response" } else { "short" };
        let (a, b) = if trial.longer == "none" { ("alike", "equal") } else { (text("a"), text("b")) };
        let group = if trial.group == usize::MAX { n } else { trial.group };
        format!(
            "{}\n",
            json!({"id": format!("q{n:04}"), "prompt": format!("p{n}"), "response_a": a, "response_b": b,
                "gold": trial.gold, "group": format!("g{group}")})
        )
    };
    let text: String = trials.iter().enumerate().map(line).collect();
    let source = Source::from_bytes("flaws.jsonl".to_owned(), text.into_bytes()).unwrap();
    let pairs = load_pairs(&source, &PairOptions::default()).unwrap().records;
    let judgments = trials.iter().zip(&pairs).flat_map(|(trial, pair)| {
        [(Order::Ab, trial.ab), (Order::Ba, trial.ba)].map(|(order, said)| Judgment {
            item: pair.id.clone(),
            judge: JudgeName::from("judge"),
            repeat: 0,
            said: Said::InOrder(order, Reading::Said(said)),
            detail: None,
        })
    });
    let judgments = judgments.collect();
    (gold_set("flaws", &pairs), judgments)
}

fn figures(trials: &[Trial]) -> Value {
    let (gold, judgments) = court(trials);
    let options = Options {
        rules: GateRules::default(),
        resamples: 2_000,
        seed: 7,
        any_model: std::collections::BTreeSet::new(),
        jury: Panel::default(),
    };
    let answer = serde_json::to_value(calibrate(&gold, &judgments, &options)).unwrap();
    let mut card = answer["judges"][0]["figures"].clone();
    card["clustered"] = answer["judges"][0]["figures_clustered"].clone();
    card
}

fn comparison(trials: &[Trial]) -> Value {
    let (gold, judgments) = court(trials);
    let options = compare::Options::new("a", "b", 2_000, 7);
    serde_json::to_value(compare(&gold, &judgments, &JudgeName::from("judge"), &options)).unwrap()
}

fn repeated(times: usize, one: impl Fn(usize) -> Trial) -> Vec<Trial> {
    (0..times).map(one).collect()
}

#[test]
fn slots_that_are_not_mapped_back_would_make_a_first_slot_judge_perfectly_consistent() {
    let trials = repeated(40, |n| trial(if n % 2 == 0 { "a" } else { "b" }, "a", First, First));
    let flawed = trials.iter().filter(|trial| trial.ab == trial.ba).count() as f64 / 40.0;
    assert_eq!(flawed, 1.0, "the same letter twice is taken for the same winner twice");
    let ours = figures(&trials);
    assert_eq!(ours["position_consistency"]["point"], 0.0);
    assert_eq!((&ours["flip_rate"]["point"], &ours["flip_first_rate"]["point"]), (&json!(1.0), &json!(1.0)));
    let compared = comparison(&trials);
    assert_eq!((&compared["outcomes"]["a_wins"], &compared["outcomes"]["flip_first"]), (&json!(0), &json!(40)));
    assert_eq!(compared["score"]["point"], 0.5);
    assert!(compared["decided"]["not_estimable"].is_string());
}

#[test]
fn slots_that_are_not_mapped_back_would_call_a_steady_winner_a_position_collapse() {
    let trials = repeated(40, |n| trial(if n % 4 == 0 { "b" } else { "a" }, "a", First, Second));
    let flawed = trials.iter().filter(|trial| trial.ab != trial.ba).count() as f64 / 40.0;
    assert_eq!(flawed, 1.0, "different letters are taken for a flip");
    let ours = figures(&trials);
    assert_eq!((&ours["flip_rate"]["point"], &ours["position_consistency"]["point"]), (&json!(0.0), &json!(1.0)));
    assert_eq!(comparison(&trials)["outcomes"]["a_wins"], 40);
}

#[test]
fn ties_that_count_as_agreement_would_make_a_judge_perfect_that_always_says_tie() {
    let trials = repeated(40, |n| trial(if n % 2 == 0 { "a" } else { "b" }, "a", Tie, Tie));
    let flawed = trials.iter().filter(|trial| trial.ab == Tie || trial.gold == "tie").count() as f64 / 40.0;
    assert_eq!(flawed, 1.0);
    let ours = figures(&trials);
    assert_eq!(ours["agreement_strict"]["point"], 0.0);
    assert_eq!(ours["agreement_half_credit"]["point"], 0.5);
    assert!(ours["agreement_decisive"]["not_estimable"].is_string());
    assert_eq!(ours["kappa_strict"]["point"], 0.0);
}

#[test]
fn a_length_figure_over_all_verdicts_would_hide_the_bias_of_a_judge_that_says_tie_a_lot() {
    // Where it decides at all, it takes the longer response, right or wrong; on two of three items it says tie.
    let trials = repeated(120, |n| {
        let (gold, longer) = [("a", "a"), ("a", "b"), ("b", "a"), ("b", "b")][n % 4];
        match (n % 12 < 4, longer) {
            (true, "a") => trial(gold, longer, First, Second),
            (true, _) => trial(gold, longer, Second, First),
            (false, _) => trial(gold, longer, Tie, Tie),
        }
    });
    let decided: Vec<&Trial> = trials.iter().filter(|trial| trial.ab != Tie).collect();
    let flawed = decided.len() as f64 / trials.len() as f64;
    assert!(flawed < 0.5, "{flawed}: it seems to avoid the longer response");
    let ours = figures(&trials);
    assert_eq!(ours["prefers_longer_combined"]["point"], 1.0);
    assert_eq!(ours["prefers_longer_combined"]["n"], decided.len());
    assert_eq!(ours["length_error_gap"]["point"], 1.0, "wrong whenever the shorter one is better, never else");
    assert_eq!(ours["length_error_gap"]["n"], decided.len());
}

#[test]
fn a_length_figure_without_gold_would_accuse_a_judge_that_is_right() {
    // The longer response is the better one on three of four items, and the judge is always right.
    let trials = repeated(80, |n| match n % 4 {
        0 => trial("a", "b", First, Second),
        1 | 2 => trial("a", "a", First, Second),
        _ => trial("b", "b", Second, First),
    });
    let ours = figures(&trials);
    assert_eq!(ours["prefers_longer_combined"]["point"], 0.75, "without gold it looks like a bias");
    assert_eq!(ours["length_error_gap"]["point"], 0.0);
}

#[test]
fn responses_of_equal_length_say_nothing_about_length() {
    let mut trials = repeated(20, |n| trial(if n % 2 == 0 { "a" } else { "b" }, "none", First, Second));
    trials.extend(repeated(20, |_| trial("a", "a", First, Second)));
    assert_eq!(figures(&trials)["prefers_longer_combined"]["n"], 20);
}

/// Half the width of an interval.
fn reach(figure: &Value) -> f64 {
    (figure["upper"].as_f64().unwrap() - figure["lower"].as_f64().unwrap()) / 2.0
}

/// What a resampling of Bernoulli(p) draws would give, in its limit.
fn bernoulli(p: f64, n: usize) -> f64 {
    1.959_964 * (p * (1.0 - p) / n as f64).sqrt()
}

#[test]
fn bernoulli_draws_would_be_too_wide_for_a_win_rate_with_many_ties() {
    // 70 % ties: the standard error is sqrt(0.3) of the one that p(1-p)/n claims.
    let trials = repeated(400, |n| match n % 20 {
        0..=2 => trial("a", "a", First, Second),
        3..=5 => trial("a", "a", Second, First),
        _ => trial("a", "a", Tie, Tie),
    });
    let rate = comparison(&trials)["win_rate"].clone();
    assert_eq!(rate["point"], 0.5);
    let ratio = reach(&rate) / bernoulli(0.5, 400);
    assert!((ratio - 0.3_f64.sqrt()).abs() < 0.05, "{ratio} of the width, wanted 0.55");
}

#[test]
fn bernoulli_draws_would_be_too_narrow_where_items_come_in_groups() {
    // 40 groups of 10 items each that stand or fall together: the effective size is 40, not 400.
    let trials = repeated(400, |n| {
        let (ab, ba) = if (n / 10) % 2 == 0 { (First, Second) } else { (Second, First) };
        Trial { group: n / 10, ..trial("a", "a", ab, ba) }
    });
    let compared = comparison(&trials);
    let ratio = reach(&compared["win_rate"]) / bernoulli(0.5, 400);
    assert!((ratio - 10_f64.sqrt()).abs() < 0.5, "{ratio} of the width, wanted 3.16");
    assert_eq!(compared["groups"], 40);
    let ours = figures(&trials);
    let strict = &ours["clustered"]["agreement_strict"];
    assert!(reach(strict) / bernoulli(0.5, 400) > 2.7, "{strict}");
}

#[test]
fn two_orders_of_one_item_are_not_two_independent_draws() {
    // Both orders always agree, so the 2 n calls hold n pieces of information.
    let trials =
        repeated(100, |n| if n % 2 == 0 { trial("a", "a", First, Second) } else { trial("a", "a", Second, First) });
    let score = comparison(&trials)["score"].clone();
    assert!((reach(&score) / bernoulli(0.5, 100) - 1.0).abs() < 0.06, "{score}");
    assert!(reach(&score) > 1.3 * bernoulli(0.5, 200));
}
