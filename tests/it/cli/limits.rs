//! Forecasts, budgets and dry runs as a user sees them.

use super::Desk;
use super::desk::{Server, gold};

fn desk(settings: &str) -> Desk {
    let desk = Desk::new();
    desk.write("gold.jsonl", &gold());
    desk.write("tribunal.toml", settings);
    desk
}

fn settings(server: &Server, more: &str) -> String {
    format!(
        "[judges.mini]\nprovider = \"openai-compatible\"\nmodel = \"m\"\nbase_url = \"{}/v1\"\nmax_tokens = 100\n{more}\n",
        server.root()
    )
}

const LINE: &str = "calibrate --gold gold.jsonl --resamples 200 --judge mini --out result.json";
const PRICE: &str = "price = { input = 1.0, output = 10.0 }";

#[test]
fn a_dry_run_prints_the_cost_and_does_nothing() {
    let server = Server::knowing();
    let desk = desk(&settings(&server, PRICE));
    let run = desk.run(&format!("{LINE} --dry-run"));
    run.ends(0, &[]);
    assert!(
        run.stdout.contains("mini: 60 calls, about ") && run.stdout.contains("at most 6,000 output tokens"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("at most $0."), "{}", run.stdout);
    assert_eq!(server.asked(), 0);
    assert_eq!(desk.files("."), ["gold.jsonl", "tribunal.toml"]);
    // What is in the store is no longer asked, and says what the rest will cost.
    desk.run(&format!("{LINE} --max-calls 20")).ends(4, &[]);
    let run = desk.run(&format!("{LINE} --dry-run"));
    assert!(run.stdout.contains("mini: 40 calls") && run.stdout.contains("(800 expected)"), "{}", run.stdout);
    desk.run(LINE);
    assert_eq!(desk.run(&format!("{LINE} --force --dry-run")).stdout, "nothing to ask: every answer is at hand\n");
}

#[test]
fn a_budget_ends_a_run_with_what_was_spent_and_the_next_one_goes_on() {
    let server = Server::knowing();
    // Of each call: 100 tokens at 1 dollar a million and 20 at 10.
    let desk = desk(&settings(&server, &format!("{PRICE}\n[limits]\nmax_usd = 0.01")));
    let run = desk.run(LINE);
    run.ends(4, &["mini: 60 calls", "`max_usd` does not allow another call", "US dollars spent", "run again"]);
    let asked = server.asked();
    assert!((20..=33).contains(&asked) && !desk.has("result.json"), "{asked} calls of $0.0003");
    desk.run(&format!("{LINE} --max-usd 1")).ends(0, &[]);
    assert_eq!(server.asked(), 60);
}

#[test]
fn a_budget_of_money_needs_a_price_and_a_limit_a_number_above_0() {
    let server = Server::knowing();
    desk(&settings(&server, "")).run(&format!("{LINE} --max-usd 1")).ends(2, &["`price`", "[judges.NAME]"]);
    for (more, name) in [
        ("[limits]\nmax_calls = 0", "[limits] max_calls"),
        ("[limits]\ntokens_per_minute = nan", "[limits] tokens_per_minute"),
        ("requests_per_minute = -5", "[judges.mini] requests_per_minute"),
    ] {
        desk(&settings(&server, more)).run(LINE).ends(2, &[name]);
    }
    desk(&settings(&server, "")).run(&format!("{LINE} --requests-per-minute 0")).ends(2, &["--requests-per-minute"]);
    assert_eq!(server.asked(), 0);
}

#[test]
fn an_unknown_price_is_said_to_be_unknown() {
    let server = Server::knowing();
    let run = desk(&settings(&server, "")).run(LINE);
    run.ends(0, &["60 calls", "price unknown"]);
    assert!(!run.stderr.contains('$'), "{}", run.stderr);
}
