//! A large run in which one call of twenty brings no verdict, in every way there is: each is accounted for, by kind and side.
//! `TRIBUNAL_ITEMS` sets the size; CONTRIBUTING.md has the command for 10,000 items.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::Desk;
use super::desk::{Server, knows};
use crate::scripted::Step;

const KINDS: [&str; 5] = ["unparsed", "refused", "filtered", "truncated", "failed"];
const ORDERS: [&str; 2] = ["ab", "ba"];

/// How often the server did what, by order.
type Tally = BTreeMap<(&'static str, &'static str), u64>;

#[allow(clippy::disallowed_methods, reason = "the size of a test is told to the test")]
fn items() -> u64 {
    std::env::var("TRIBUNAL_ITEMS").map_or(400, |text| text.parse().expect("TRIBUNAL_ITEMS is a number of items"))
}

fn pairs() -> String {
    let mut text = String::new();
    for n in 0..items() {
        // Two of three are better in `a`.
        let (a, b) = if n % 3 == 0 { ("WRONG-7", "RIGHT-7") } else { ("RIGHT-7", "WRONG-7") };
        let item = json!({"id": format!("q{n}"), "prompt": format!("item-{n}?"),
            "response_a": format!("{a} from system one"), "response_b": format!("{b} from system two")});
        let _ = writeln!(text, "{item}");
    }
    text
}

/// What the server does with that question: one of a hundred for each kind, whatever was asked before.
fn fate(item: u64, order: &str) -> &'static str {
    let number = 2 * item + u64::from(order == "ba");
    let drawn = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    usize::try_from(drawn % 100).ok().and_then(|n| KINDS.get(n)).copied().unwrap_or("judged")
}

fn answer(body: &Value, tally: &Mutex<Tally>) -> Step {
    let text = body["messages"].to_string();
    let number = text.split("item-").nth(1).unwrap().split('?').next().unwrap();
    let order = if text.find("system one") < text.find("system two") { "ab" } else { "ba" };
    let fate = fate(number.parse().unwrap(), order);
    *tally.lock().unwrap().entry((order, fate)).or_default() += 1;
    let ended = |reason: &str, content: &str| {
        let message = json!({"role": "assistant", "content": content});
        Step::json(200, &json!({"model": "served-1", "choices": [{"finish_reason": reason, "message": message}]}))
    };
    match fate {
        "failed" => Step::json(400, &json!({"error": {"message": "this text is too long"}})),
        "filtered" if number.ends_with('1') => ended("content_filter", ""),
        "filtered" => Step::json(400, &json!({"error": {"message": "no", "code": "content_filter"}})),
        "truncated" => ended("length", "The first response is"),
        "refused" => ended("stop", "I'm sorry, but I can't help with that."),
        "unparsed" => ended("stop", "Both have their merits."),
        _ => knows(body),
    }
}

/// The accounting that fits what the server did.
fn accounting(tally: &Tally) -> Value {
    let count = |order: &str, kind: &str| tally.iter().filter(|(key, _)| **key == (order, kind)).map(|(_, n)| *n).sum();
    let side = |order: &str| {
        let mut counts = BTreeMap::from([("judged", count(order, "judged")), ("missing", 0)]);
        counts.extend(KINDS.map(|kind| (kind, count(order, kind))));
        counts.insert("planned", counts.values().sum());
        counts
    };
    let (ab, ba) = (side("ab"), side("ba"));
    let mut both: BTreeMap<&str, Value> = ab.iter().map(|(kind, n)| (*kind, json!(n + ba[kind]))).collect();
    both.extend([("identical", json!(0)), ("by_order", json!({"ab": ab, "ba": ba}))]);
    json!(both)
}

/// Items without a verdict in both orders, and those of the rest that `a` wins.
fn outcomes() -> (u64, u64) {
    let is_whole = |item: &u64| ORDERS.iter().all(|order| fate(*item, order) == "judged");
    let whole: Vec<u64> = (0..items()).filter(is_whole).collect();
    (items() - whole.len() as u64, whole.iter().filter(|item| *item % 3 != 0).count() as u64)
}

fn thousands(n: u64) -> String {
    if n < 1000 { n.to_string() } else { format!("{},{:03}", n / 1000, n % 1000) }
}

#[test]
fn every_call_without_a_verdict_is_accounted_for_by_kind_and_side_and_bounds_stand_beside_the_win_rate() {
    let tally = Arc::new(Mutex::new(Tally::new()));
    let told = Arc::clone(&tally);
    let (desk, server) = (Desk::new(), Server::start(move |_, body| answer(body, &told)));
    desk.write("pairs.jsonl", &pairs());

    let judged = desk.run(&format!("judge --pairs pairs.jsonl --judge {} --format json", server.judge())).json(4);
    let did = std::mem::take(&mut *tally.lock().unwrap());
    assert_eq!(did.values().sum::<u64>(), 2 * items(), "everything was asked once");
    assert!(ORDERS.iter().all(|order| KINDS.iter().all(|kind| did[&(*order, *kind)] > 0)), "{did:?}");
    let wanted = accounting(&did);
    assert_eq!(judged["result"]["accounting"], wanted);
    assert_eq!(judged["result"]["judges"][0]["accounting"], wanted);
    assert_eq!(judged["result"]["calls"], json!({"made": 2 * items(), "cached": 0, "retried": 0}));
    let run = &desk.run("runs list --format json").json(0)["result"]["runs"][0];
    assert_eq!((&run["judged"], &run["failed"]), (&wanted["judged"], &wanted["failed"]));

    let compare = |format: &str| {
        let line = format!("compare --pairs pairs.jsonl --judge {} --uncalibrated --resamples 200", server.judge());
        let run = desk.run(&format!("{line} --format {format}"));
        run.ends(0, &[]);
        let asked = std::mem::take(&mut *tally.lock().unwrap());
        let failed = ORDERS.iter().map(|order| ((*order, "failed"), did[&(*order, "failed")])).collect();
        assert_eq!(asked, failed, "only what failed is asked again");
        run.stdout
    };
    let result = serde_json::from_str::<Value>(&compare("json")).unwrap()["result"].clone();
    assert_eq!(result["accounting"], wanted);
    let ((missing, won), all) = (outcomes(), items());
    assert_eq!((&result["outcomes"]["no_verdict"], &result["outcomes"]["a_wins"]), (&json!(missing), &json!(won)));
    let near = |found: &Value, k: u64, n: u64| (found.as_f64().unwrap() - k as f64 / n as f64).abs() < 1e-12;
    assert!(near(&result["win_rate"]["point"], won, all - missing), "{}", result["win_rate"]);
    assert!(near(&result["bounds"]["all_lost"], won, all), "{}", result["bounds"]);
    assert!(near(&result["bounds"]["all_won"], won + missing, all), "{}", result["bounds"]);
    assert_eq!(result["bounds"]["missing"], missing);

    let percent = |k: u64| format!("{:.1} %", 100.0 * k as f64 / all as f64);
    let sentence = format!(
        "{} items have no verdict. Were they all lost, the win rate would be {}; all won, {}.",
        thousands(missing),
        percent(won),
        percent(won + missing)
    );
    for format in ["table", "markdown", "html"] {
        let text = compare(format).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(&sentence), "no `{sentence}` in {format}");
    }
}
