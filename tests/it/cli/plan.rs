//! What `plan` says, what it takes from a pilot and from the store, and what it does not know.

use serde_json::{Value, json};

use super::Desk;
use super::desk::{Server, gold, pairs};

fn plan(desk: &Desk, more: &str) -> Value {
    desk.run(&format!("plan --format json {more}")).json(0)
}

fn row<'a>(result: &'a Value, criterion: &str) -> &'a Value {
    result["labels"].as_array().unwrap().iter().find(|row| row["criterion"] == criterion).unwrap()
}

#[test]
fn without_anything_it_plans_by_stated_defaults_and_knows_no_cost() {
    let desk = Desk::new();
    let document = plan(&desk, "");
    let result = &document["result"];
    assert_eq!((&document["kind"], &document["format"]), (&json!("plan"), &json!(1)));
    assert_eq!(result["half_width"]["items_most"], 381);
    assert_eq!(result["effects"].as_array().unwrap().len(), 5);
    for row in result["effects"].as_array().unwrap() {
        let items = row["items"].as_u64().unwrap();
        assert_eq!(row["cost"], json!({"calls": 2 * items, "tokens": null, "usd": null, "hours": null}));
    }
    assert!(result["assumptions"].to_string().contains("by default"), "{}", result["assumptions"]);
    assert_eq!(row(result, "flip_rate")["at_best"], 14);
    assert_eq!(plan(&desk, ""), document, "the same plan gives the same bytes");
    let table = desk.run("plan").stdout;
    assert!(table.contains("unknown") && table.contains("Assumptions"), "{table}");
    let japanese = desk.run("plan --lang ja --format markdown").stdout;
    assert!(japanese.contains("不明") && japanese.contains("仮定"), "{japanese}");
}

#[test]
fn a_screen_has_one_flip_rate_and_names_both_numbers_of_mcnemars_test() {
    let desk = Desk::new();
    let table = desk.run("plan --effect 0.6 --format markdown").stdout;
    assert!(table.contains("10.0 % (default)") && !table.contains("15.0 %"), "{table}");
    assert!(table.contains("McNemar, by formula") && table.contains("McNemar, exact"), "{table}");
    let mcnemar = plan(&desk, "--effect 0.6")["result"]["effects"][0]["mcnemar"].clone();
    assert!(mcnemar["items_exact"].as_u64() > mcnemar["items"].as_u64(), "{mcnemar}");
}

#[test]
fn more_power_takes_more_items() {
    let desk = Desk::new();
    let items = |more: &str| plan(&desk, more)["result"]["effects"][0]["items"].as_u64().unwrap();
    assert!(items("--effect 0.6 --power 0.95") > items("--effect 0.6"));
    assert!(items("--effect 0.6 --ties 0.4") < items("--effect 0.6 --ties 0 --flips 0"));
}

#[test]
fn a_pilot_with_gold_tells_spread_and_labels() {
    let desk = Desk::new();
    desk.write("gold.jsonl", &gold());
    desk.write("pairs.jsonl", &pairs());
    desk.run("judge --pairs pairs.jsonl --judge control:longest --out verdicts.jsonl").ends(0, &[]);
    let document = plan(&desk, "--pilot verdicts.jsonl --gold gold.jsonl");
    let result = &document["result"];
    let pilot = &result["basis"]["pilot"];
    assert_eq!(
        (&pilot["judge"], &pilot["items"], &pilot["flips"]),
        (&json!("control:longest"), &json!(30), &json!(0.0))
    );
    let agreement = row(result, "agreement_decisive");
    assert_eq!((&agreement["source"], &agreement["decision"]), (&json!("pilot"), &json!("fail")));
    assert_eq!(row(result, "kappa_strict")["source"], "pilot");
    // Without gold the gate's figures are defaults, and the spread is the pilot's all the same.
    let alone = plan(&desk, "--pilot verdicts.jsonl");
    assert_eq!(row(&alone["result"], "kappa_strict")["source"], "unknown");
    assert_eq!(alone["result"]["basis"]["pilot"], *pilot);
}

#[test]
fn a_pilot_without_verdicts_is_refused_and_told_how_to_get_some() {
    let desk = Desk::new();
    desk.write("gold.jsonl", &gold());
    desk.run("plan --pilot gold.jsonl").ends(2, &["gold.jsonl", "no verdicts", "tribunal judge --pairs gold.jsonl"]);
    let line = |verdict: Value| json!({"id": "q1", "judge": "mini", "order": "ab", "verdict": verdict}).to_string();
    desk.write("single.jsonl", &line(json!("first")));
    desk.run("plan --pilot single.jsonl").ends(2, &["single.jsonl", "no item", "mini", "both orders"]);
}

#[test]
fn the_store_tells_tokens_and_the_settings_the_price() {
    let (desk, server) = (Desk::new(), Server::knowing());
    desk.write("gold.jsonl", &gold());
    desk.run(&format!("judge --pairs gold.jsonl --judge {} --out v.jsonl", server.judge())).ends(0, &[]);
    let asked = server.asked();
    let unpriced = plan(&desk, &format!("--effect 0.6 --judge {}", server.judge()));
    let basis = &unpriced["result"]["basis"]["calls"];
    assert_eq!((&basis["recorded"], &basis["usd"]), (&json!(60), &Value::Null));
    assert!(basis["input_tokens"].as_f64().unwrap() > 0.0 && basis["latency_ms"].is_number(), "{basis}");
    assert!(unpriced["result"]["effects"][0]["cost"]["hours"].is_number());
    desk.write(
        "tribunal.toml",
        &format!(
            "[judges.mini]\nprovider = \"openai-compatible\"\nmodel = \"mini\"\nbase_url = \"{}/v1\"\n\
             price = {{ input = 1.0, output = 2.0 }}\n",
            server.root()
        ),
    );
    let priced = plan(&desk, "--effect 0.6 --judge mini");
    let cost = &priced["result"]["effects"][0]["cost"];
    let calls = &priced["result"]["basis"]["calls"];
    let call = (calls["input_tokens"].as_f64().unwrap() + 2.0 * calls["output_tokens"].as_f64().unwrap()) / 1e6;
    let expected = call * cost["calls"].as_f64().unwrap();
    assert!((cost["usd"].as_f64().unwrap() - expected).abs() < 1e-9, "{cost}");
    assert_eq!(server.asked(), asked, "a plan asks nobody");
}

#[test]
fn what_cannot_be_planned_is_refused_by_its_flag() {
    let desk = Desk::new();
    for (flags, said) in [
        ("--effect 0.5", "--effect"),
        ("--effect 1.2", "--effect"),
        ("--power 1", "--power"),
        ("--alpha 0", "--alpha"),
        ("--half-width 0.5", "--half-width"),
        ("--ties 0.8 --flips 0.4", "--ties"),
        ("--gold gold.jsonl", "--pilot"),
    ] {
        desk.run(&format!("plan {flags}")).ends(2, &[said]);
    }
}
