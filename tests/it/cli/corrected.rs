//! What a comparison says beside the judge's own answer: the correction, the checks, the plan, and how often it was run.

use serde_json::{Value, json};

use super::Desk;
use super::desk::{Server, gold};

/// Sixty pairs of which `a` is the longer in forty; the first `labelled` carry gold, the first twenty the mark of a sample.
fn pairs(labelled: usize, marked: bool) -> String {
    (0..60)
        .map(|n| {
            let long = "a much longer answer ".repeat(1 + n % 3);
            let (a, b) = if n % 3 == 0 { ("short".to_owned(), long) } else { (long, "short".to_owned()) };
            let mut item = json!({"id": format!("{n:03}"), "prompt": format!("p{n}"), "response_a": a, "response_b": b,
                "category": if n % 2 == 0 { "x" } else { "y" }});
            if n < labelled {
                let labels = ["a", "b", "a", "a", "tie"];
                item["gold"] = json!(labels[n % 5]);
            }
            if marked && n < 20 {
                item["meta"] = json!({"sampled": {"n": 20, "seed": 3}});
            }
            format!("{item}\n")
        })
        .collect()
}

const LONGEST: &str = "compare --pairs pairs.jsonl --judge control:longest --resamples 200";

fn correction(desk: &Desk, line: &str) -> Value {
    desk.run(&format!("{line} --format json")).json(0)["result"]["correction"].clone()
}

#[test]
fn gold_of_a_random_sample_corrects_by_word_or_by_mark_and_is_not_trusted_without() {
    let desk = Desk::new();
    desk.write("pairs.jsonl", &pairs(20, false));
    let bare = correction(&desk, LONGEST);
    assert_eq!((&bare["method"], &bare["missing"]), (&Value::Null, &json!(["random_sample", "certificate"])));
    assert!(bare["corrected"]["not_estimable"].is_string() && bare["raw"]["point"].is_number(), "{bare}");
    let by_word = correction(&desk, &format!("{LONGEST} --gold-sample random"));
    assert_eq!(
        (&by_word["method"], &by_word["corrected"]["method"], &by_word["inputs"]["labelled"]),
        (&json!("ppi_plus_plus"), &json!("ppi_adjusted"), &json!(20))
    );
    desk.write("pairs.jsonl", &pairs(30, true));
    let by_mark = correction(&desk, LONGEST);
    assert_eq!(by_mark["inputs"]["sample"], json!({"n": 20, "seed": 3}));
    assert_eq!((&by_mark["corrected"], &by_mark["inputs"]["labelled"]), (&by_word["corrected"], &json!(20)));
    desk.write("pairs.jsonl", &pairs(19, true));
    assert_eq!(correction(&desk, LONGEST)["missing"][0], "whole_sample");
    let said = desk.run(&format!("{LONGEST} --lang ja")).stdout;
    assert!(said.contains("補正できない"), "{said}");
}

#[test]
fn the_certificate_that_opened_the_door_corrects_the_decided_rate_and_every_run_is_counted() {
    let (desk, server) = (Desk::new(), Server::knowing());
    desk.write("gold.jsonl", &gold());
    let unlabelled = gold().lines().enumerate().fold(String::new(), |text, (n, line)| {
        let mut item: Value = serde_json::from_str(line).unwrap();
        item.as_object_mut().unwrap().remove("gold");
        item["id"] = json!(format!("n{n}"));
        // Two of three items favour `a`.
        if n % 3 == 0 {
            let (a, b) = (item["response_a"].clone(), item["response_b"].clone());
            (item["response_a"], item["response_b"]) = (b, a);
        }
        format!("{text}{item}\n")
    });
    desk.write("pairs.jsonl", &unlabelled);
    desk.run(&format!("calibrate --gold gold.jsonl --resamples 200 --judge {}", server.judge())).ends(0, &[]);
    let line = format!("compare --pairs pairs.jsonl --resamples 200 --judge {}", server.judge());
    let result = desk.run(&format!("{line} --format json")).json(0)["result"].clone();
    let found = &result["correction"];
    assert_eq!(
        (&found["method"], &found["valid_when"]),
        (&json!("rogan_gladen_pooled"), &json!("judge_errs_as_on_its_gold"))
    );
    assert_eq!((&found["inputs"]["accuracy"]["k"], &found["inputs"]["accuracy"]["n"]), (&json!(26), &json!(26)));
    let width = |figure: &Value| figure["upper"].as_f64().unwrap() - figure["lower"].as_f64().unwrap();
    assert!(width(&found["corrected"]) > width(&result["decided"]), "the judge's own error is in it: {found}");
    assert_eq!(result["ledger"], json!({"runs": 1, "with_this_judge": 1}));
    // The same again from the store is no new look; another judge prompt is.
    let again = desk.run(&format!("{line} --format json")).json(0)["result"]["ledger"].clone();
    assert_eq!(again["runs"], 1);
    let other =
        desk.run(&format!("{line} --uncalibrated --prompt pairwise.ja --format json")).json(0)["result"].clone();
    assert_eq!(other["ledger"], json!({"runs": 2, "with_this_judge": 2}));
    assert!(other["warnings"].to_string().contains("2 times"), "{}", other["warnings"]);
    assert_eq!(other["correction"]["missing"][1], "certificate");
}

#[test]
fn the_plan_of_the_documentation_is_read_and_departures_are_said() {
    let desk = Desk::new();
    desk.write("pairs.jsonl", &pairs(0, false));
    let docs = include_str!("../../../docs/formats.md");
    let plan = docs.split("```toml\n").skip(1).map(|block| block.split("```").next().unwrap());
    let plan = plan.into_iter().find(|block| block.starts_with("metric")).unwrap();
    desk.write("plan.toml", plan);
    let run = desk.run(&format!("{LONGEST} --prereg plan.toml --require no-worse --margin 0.1 --format json"));
    let document = run.json(0);
    let found = &document["result"]["prereg"];
    let fields: Vec<&str> =
        found["deviations"].as_array().unwrap().iter().map(|d| d["field"].as_str().unwrap()).collect();
    assert_eq!(fields, ["n", "seed", "margin"]);
    assert_eq!((&found["held"], &document["result"]["requirement"]["held"]), (&json!("held"), &json!("held")));
    let files = document["manifest"]["inputs"].as_array().unwrap();
    let file = files.iter().find(|file| file["role"] == "prereg").unwrap();
    assert_eq!(file["digest"], found["digest"]);
    let json = json!({"metric": "win_rate", "n": 60, "stopping": "fixed", "threshold": 0.5});
    desk.write("plan.json", &json.to_string());
    let kept = desk.run(&format!("{LONGEST} --prereg plan.json --require better --format json")).json(0);
    assert_eq!(kept["result"]["prereg"]["deviations"], json!([]));
    desk.write("slip.toml", "metric = \"win_rate\"\nn = 60\nstoping = \"fixed\"\n");
    desk.run(&format!("{LONGEST} --prereg slip.toml"))
        .ends(2, &["slip.toml", "line 3", "stoping", "did you mean `stopping`"]);
    desk.write("broken.toml", "metric = ");
    desk.run(&format!("{LONGEST} --prereg broken.toml")).ends(2, &["broken.toml"]);
}

#[test]
fn checks_lengths_and_categories_are_told_apart() {
    let desk = Desk::new();
    let checked: String = pairs(0, false)
        .lines()
        .map(|line| {
            let mut item: Value = serde_json::from_str(line).unwrap();
            item["checks"] = json!([{"kind": "contains", "value": "longer"}]);
            format!("{item}\n")
        })
        .collect();
    desk.write("pairs.jsonl", &checked);
    let result = desk.run(&format!("{LONGEST} --format json")).json(0)["result"].clone();
    let checks = &result["checks"];
    assert_eq!((&checks["mcnemar"]["a_only"], &checks["mcnemar"]["b_only"]), (&json!(40), &json!(20)));
    assert_eq!((&checks["a_passes"]["k"], &checks["mcnemar"]["odds_ratio"]["ratio"]), (&json!(40), &json!(2.0)));
    assert!((checks["mcnemar"]["effect"]["point"].as_f64().unwrap() - 1.0 / 3.0).abs() < 1e-12, "{checks}");
    // Length alone decides, so nothing is left once it is taken off, and no fit can say how much that is.
    assert_eq!(result["length_controlled"]["not_estimable"], "separated");
    assert_eq!((&result["interaction"]["categories"], &result["interaction"]["units"]), (&json!(2), &json!(60)));
    // Both categories have two wins in three.
    assert_eq!(result["interaction"]["p"], 1.0);
}
