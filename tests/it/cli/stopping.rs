//! A comparison that stops when it is decided: the same place whatever comes first, and nothing asked beyond it.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Desk;
use super::desk::Server;

/// Pairs of which `a` is right in every item whose number is below `share` of a cycle of 20.
fn pairs(n: usize, right_of_20: usize) -> String {
    let mut text = String::new();
    for at in 0..n {
        let (right, wrong) = (format!("RIGHT-7 answer {at}"), format!("WRONG-7 answer {at}"));
        let a_is_right = at % 20 < right_of_20;
        let (a, b) = if a_is_right { (right, wrong) } else { (wrong, right) };
        let gold = if a_is_right { "a" } else { "b" };
        let pair = json!({"id": format!("q{at:03}"), "prompt": format!("question {at}?"), "response_a": a,
            "response_b": b, "gold": gold});
        let _ = writeln!(text, "{pair}");
    }
    text
}

fn desk(n: usize, right_of_20: usize) -> Desk {
    let desk = Desk::new();
    desk.write("pairs.jsonl", &pairs(n, right_of_20));
    desk
}

fn line(judge: &str, more: &str) -> String {
    format!("compare --pairs pairs.jsonl --judge {judge} --uncalibrated --resamples 200 --stop-when-decided {more}")
}

#[test]
fn an_oracle_over_13_of_20_stops_within_half_of_600_and_says_so() {
    let desk = desk(600, 13);
    let result = desk.run(&line("control:oracle", "--require better --format json")).json(0)["result"].clone();
    let stopping = &result["stopping"];
    let used = stopping["units_used"].as_u64().unwrap();
    assert!(used <= 300, "{stopping}");
    assert_eq!((&stopping["decided"], &stopping["units_total"]), (&json!(true), &json!(600)));
    assert_eq!(stopping["calls_saved"].as_u64().unwrap(), 2 * (600 - used));
    assert_eq!(stopping["sequence"], result["win_rate"]);
    assert_eq!(result["win_rate"]["method"], "kelly_grid");
    assert_eq!((&result["decision"], &result["items"]), (&json!("a"), &json!(used)));
    assert_eq!((&stopping["usd_saved"], &stopping["simulated"]), (&json!(0.0), &json!(false)));
    for (format, lang, words) in [
        ("table", "en", "Stopped as decided"),
        ("markdown", "en", "may overstate"),
        ("html", "en", "Stopped as decided"),
        ("table", "ja", "打ち切った"),
        ("markdown", "ja", "過大"),
        ("html", "ja", "打ち切った"),
    ] {
        let run = desk.run(&line("control:oracle", &format!("--format {format} --lang {lang}")));
        run.ends(0, &[]);
        let text = run.stdout.replace("\n  ", " ");
        assert!(text.contains(words), "{format} {lang}: {text}");
    }
}

#[test]
fn without_a_difference_everything_is_used() {
    let desk = desk(120, 10);
    let result = desk.run(&line("control:oracle", "--require better --format json")).json(3)["result"].clone();
    let stopping = &result["stopping"];
    assert_eq!((&stopping["decided"], &stopping["units_used"]), (&json!(false), &json!(120)));
    assert_eq!((&result["decision"], &stopping["calls_saved"]), (&json!("undecided"), &json!(0)));
}

#[test]
fn what_is_asked_ends_with_the_prefix_and_a_second_run_asks_nothing_and_ends_there_too() {
    let (desk, server) = (desk(200, 20), Server::knowing());
    let first = desk.run(&line(&server.judge(), "--concurrency 1 --format json"));
    let result = first.json(0)["result"].clone();
    assert_eq!((&result["stopping"]["units_used"], server.asked()), (&json!(16), 32));
    assert_eq!(result["stopping"]["usd_saved"], Value::Null, "no price is known");
    let again = desk.run(&line(&server.judge(), "--concurrency 1 --format json"));
    assert_eq!((again.stdout, server.asked()), (first.stdout, 32));
    let other = desk.run(&line(&server.judge(), "--concurrency 16 --store other --format json"));
    assert_eq!((&other.json(0)["result"], server.asked()), (&result, 64));
    assert_ne!(
        desk.run(&line(&server.judge(), "--seed 2 --format json")).json(0)["result"]["stopping"]["seed"],
        result["stopping"]["seed"]
    );
}

#[test]
fn one_run_stands_in_the_ledger_whatever_the_number_of_steps() {
    let (desk, server) = (desk(80, 12), Server::knowing());
    let result = desk.run(&line(&server.judge(), "--format json")).json(0)["result"].clone();
    assert!(result["stopping"]["looks"].as_u64().unwrap() > 1, "{}", result["stopping"]);
    let runs = desk.run("runs list").stdout;
    assert_eq!(runs.matches("compare").count(), 1, "{runs}");
    assert!(runs.contains("done"), "{runs}");
}

#[test]
fn a_dry_run_forecasts_the_most_and_asks_nothing() {
    let (desk, server) = (desk(40, 20), Server::knowing());
    let run = desk.run(&line(&server.judge(), "--dry-run"));
    run.ends(0, &[]);
    assert!(run.stdout.contains("80 calls") && run.stdout.contains("the most"), "{}", run.stdout);
    assert_eq!(server.asked(), 0);
}

#[test]
fn a_budget_holds_over_all_steps_and_the_next_run_goes_on_from_there() {
    let (desk, server) = (desk(80, 10), Server::knowing());
    desk.run(&line(&server.judge(), "--max-calls 50 --out result.json")).ends(4, &["max_calls", "50 calls sent"]);
    assert_eq!(server.asked(), 50);
    assert!(!desk.has("result.json"));
    desk.run(&line(&server.judge(), "--out result.json")).ends(0, &[]);
    assert_eq!(server.asked(), 160);
}

#[test]
fn recorded_verdicts_are_a_simulation_that_ends_where_asking_would() {
    let desk = desk(200, 16);
    let asked = desk.run(&line("control:oracle", "--format json")).json(0)["result"].clone();
    desk.run("judge --pairs pairs.jsonl --judge control:oracle --out verdicts.jsonl").ends(0, &[]);
    let run = desk.run("compare --verdicts verdicts.jsonl --resamples 200 --stop-when-decided --format json");
    let recorded = run.json(0)["result"].clone();
    assert_eq!(recorded["stopping"]["simulated"], true);
    for field in ["units_used", "units_total", "sequence", "calls_saved"] {
        assert_eq!(recorded["stopping"][field], asked["stopping"][field], "{field}");
    }
}

#[test]
fn a_margin_alone_makes_equivalence_an_end_and_is_checked() {
    let desk = desk(600, 10);
    let result = desk.run(&line("control:oracle", "--margin 0.15 --format json")).json(0)["result"].clone();
    assert_eq!(
        (&result["stopping"]["rule"], &result["stopping"]["decided"]),
        (&json!("separated_or_equivalent"), &json!(true))
    );
    desk.run(&line("control:oracle", "--margin 0.7")).ends(2, &["--margin", "0.5"]);
}

#[test]
fn an_early_end_that_was_planned_is_no_deviation_and_the_decided_rate_decides_none() {
    let desk = desk(600, 13);
    let plan = |metric: &str| format!("metric = \"{metric}\"\nn = 600\nstopping = \"anytime\"\nthreshold = 0.5\n");
    desk.write("rate.toml", &plan("win_rate"));
    desk.write("decided.toml", &plan("decided"));
    let prereg = |file: &str| {
        let run = desk.run(&line("control:oracle", &format!("--format json --prereg {file}")));
        run.json(0)["result"]["prereg"].clone()
    };
    let held = prereg("rate.toml");
    assert_eq!((&held["held"], &held["deviations"]), (&json!("held"), &json!([])), "{held}");
    let decided = prereg("decided.toml");
    assert_eq!(decided["held"], "undecided", "{decided}");
    assert_eq!(decided["deviations"][0]["field"], "metric");
}
