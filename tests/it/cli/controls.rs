//! Control judges on the shipped gold set: what is known about them is what the program says.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Desk;

fn core() -> Vec<Value> {
    include_str!("../../../gold/core.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn calibrated(judge: &str, status: i32) -> Value {
    let line = format!("calibrate --judge {judge} --resamples 200 --format json");
    let json = Desk::new().run(&line).json(status);
    assert_eq!(json["result"]["judges"].as_array().unwrap().len(), 1);
    json["result"]["judges"][0].clone()
}

fn share(figure: &Value) -> (u64, u64) {
    (figure["k"].as_u64().unwrap(), figure["n"].as_u64().unwrap())
}

#[test]
fn a_judge_that_always_takes_the_first_slot_is_never_consistent_and_decides_nothing() {
    let card = calibrated("control:first", 1);
    let figures = &card["figures"];
    let items = core().len() as u64;
    assert_eq!(share(&figures["position_consistency"]), (0, items));
    assert_eq!(share(&figures["flip_rate"]), (items, items));
    assert_eq!(share(&figures["flip_first_rate"]), (items, items));
    assert_eq!(share(&figures["flip_second_rate"]), (0, items));
    assert_eq!(figures["agreement_decisive"]["not_estimable"], "empty");
    assert_eq!(figures["combined_verdicts"]["tie"], items);
    assert_eq!(card["gate"]["decision"], "fail");
    assert_eq!(card["certificate"], Value::Null, "a control judge gets no certificate");
}

#[test]
fn a_comparison_by_the_first_slot_has_no_decided_rate_and_a_win_rate_of_one_half() {
    let desk = Desk::new();
    desk.write("core.jsonl", include_str!("../../../gold/core.jsonl"));
    let run = desk.run("compare --pairs core.jsonl --judge control:first --resamples 200 --format json");
    let result = run.json(0)["result"].clone();
    assert_eq!(result["decided"]["not_estimable"], "empty");
    assert_eq!(share(&result["decided"]), (0, 0));
    assert_eq!((result["win_rate"]["point"].as_f64(), result["score"]["point"].as_f64()), (Some(0.5), Some(0.5)));
    assert_eq!(result["outcomes"]["flip_first"], result["items"]);
    assert_eq!(share(&result["coverage"]).0, 0);
}

#[test]
fn an_oracle_without_error_agrees_with_every_label_and_passes() {
    let card = calibrated("control:oracle?error=0&seed=1", 0);
    let items = core().len() as u64;
    for figure in ["agreement_strict", "agreement_both_orders", "position_consistency"] {
        assert_eq!(share(&card["figures"][figure]), (items, items), "{figure}");
    }
    assert_eq!(card["figures"]["kappa_strict"]["point"], 1.0);
    assert_eq!(card["gate"]["decision"], "pass");
    for criterion in card["gate"]["criteria"].as_array().unwrap() {
        assert_eq!(criterion["decision"], "pass", "{criterion}");
    }
}

/// 30 items of the shipped set: 13 a, 13 b, 4 ties, the better response the shorter one in half of the decisive ones.
fn thirty() -> String {
    let mut left = BTreeMap::from([("a short", 7), ("a long", 6), ("b short", 6), ("b long", 7), ("tie", 4)]);
    let mut text = String::new();
    for item in core() {
        let length = |side: &str| item[side].as_str().unwrap().chars().count();
        let (a, b) = (length("response_a"), length("response_b"));
        let kind = match (item["gold"].as_str().unwrap(), a.cmp(&b)) {
            ("tie", _) => "tie",
            (_, std::cmp::Ordering::Equal) => continue,
            ("a", std::cmp::Ordering::Less) => "a short",
            ("a", _) => "a long",
            (_, std::cmp::Ordering::Greater) => "b short",
            _ => "b long",
        };
        let places = left.get_mut(kind).unwrap();
        if *places > 0 {
            *places -= 1;
            text += &item.to_string();
            text.push('\n');
        }
    }
    assert!(left.values().all(|places| *places == 0), "{left:?}");
    text
}

#[test]
fn an_oracle_without_error_passes_on_thirty_balanced_items_too() {
    let desk = Desk::new();
    desk.write("thirty.jsonl", &thirty());
    let run =
        desk.run("calibrate --gold thirty.jsonl --judge control:oracle?error=0&seed=1 --resamples 1000 --format json");
    let card = run.json(0)["result"]["judges"][0].clone();
    assert_eq!(share(&card["figures"]["agreement_strict"]), (30, 30));
    assert_eq!(card["gate"]["decision"], "pass");
}

#[test]
fn the_kappa_interval_of_a_coin_holds_zero_and_the_coin_fails() {
    let card = calibrated("control:coin?seed=3", 1);
    let kappa = &card["figures"]["kappa_strict"];
    let (lower, upper) = (kappa["lower"].as_f64().unwrap(), kappa["upper"].as_f64().unwrap());
    assert!(lower < 0.0 && 0.0 < upper, "{kappa}");
    assert_eq!(card["gate"]["decision"], "fail");
}

#[test]
fn a_judge_that_only_says_tie_gets_full_credit_for_gold_ties_and_half_for_the_rest() {
    let card = calibrated("control:tie", 1);
    let items = core();
    let ties = items.iter().filter(|item| item["gold"] == "tie").count() as u64;
    let all = items.len() as u64;
    assert_eq!(share(&card["figures"]["agreement_strict"]), (ties, all));
    let half = &card["figures"]["agreement_half_credit"];
    assert_eq!(half["k_half"], 2 * ties + (all - ties));
    assert_eq!(card["figures"]["agreement_decisive"]["not_estimable"], "empty");
    assert_eq!(card["gate"]["decision"], "fail");
}

#[test]
fn a_judge_that_takes_the_longer_response_is_found_out_by_the_length_error_gap() {
    let figures = calibrated("control:longest", 1)["figures"].clone();
    assert_eq!(share(&figures["length"]["error_gold_longer_decisive"]).0, 0);
    assert!(figures["length_error_gap"]["lower"].as_f64().unwrap() > 0.5, "{}", figures["length_error_gap"]);
}

#[test]
fn asking_a_perfect_judge_again_does_not_undo_its_pass() {
    let desk = Desk::new();
    desk.write("thirty.jsonl", &thirty());
    for repeats in [1, 2, 5] {
        let judge = "control:oracle?error=0&seed=1";
        let line = format!("calibrate --gold thirty.jsonl --judge {judge} --repeats {repeats} --resamples 500");
        desk.run(&line).ends(0, &[]);
    }
}
