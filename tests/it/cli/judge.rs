//! Asking alone: completions are kept, verdicts are a file, and a batch service is another way to the same store.

use serde_json::{Value, json};

use super::Desk;
use super::desk::{Server, knows, pairs};
use crate::scripted::Step;

const JUDGMENTS: usize = 60;

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("pairs.jsonl", &pairs());
    desk
}

#[test]
fn verdicts_of_a_run_compare_like_the_run_itself() {
    let (desk, server) = (desk(), Server::knowing());
    let asked =
        desk.run(&format!("judge --pairs pairs.jsonl --judge {} --out verdicts.jsonl --format json", server.judge()));
    let result = asked.json(0)["result"].clone();
    assert_eq!((&result["accounting"]["judged"], &result["calls"]["made"]), (&json!(JUDGMENTS), &json!(JUDGMENTS)));
    assert_eq!(result["usage"], json!({"input_tokens": 6000, "output_tokens": 1200}));
    assert_eq!(result["cost_usd"], Value::Null, "an unknown price is no price of nothing");
    let live = desk.run(&format!(
        "compare --pairs pairs.jsonl --judge {} --uncalibrated --resamples 200 --format json",
        server.judge()
    ));
    let recorded = desk.run("compare --verdicts verdicts.jsonl --resamples 200 --format json");
    let rate = |run: &super::Run| run.json(0)["result"]["win_rate"].clone();
    assert_eq!(rate(&live), rate(&recorded));
    assert_eq!(server.asked(), JUDGMENTS, "the comparison takes its answers from the store");
}

#[test]
fn calls_that_bring_nothing_make_the_run_incomplete_and_are_asked_again() {
    let desk = desk();
    let bad = Step::json(400, &json!({"error": {"message": "this text is too long"}}));
    let mut server =
        Server::start(move |_, body| if body.to_string().contains("question 3?") { bad.clone() } else { knows(body) });
    let line = |server: &Server| format!("judge --pairs pairs.jsonl --judge {} --format json", server.judge());
    let first = desk.run(&line(&server));
    assert_eq!(first.json(4)["result"]["accounting"]["by_order"]["ab"]["failed"], 1);
    first.ends(4, &["2 judgments have no answer"]);
    server.stop();
    let server = Server::knowing();
    assert_eq!(desk.run(&line(&server)).json(0)["result"]["calls"], json!({"made": 2, "cached": 58, "retried": 0}));
}

/// What a batch service makes of a file of requests: answers in reverse order, but for those of one question.
fn served(requests: &str, without: &str) -> String {
    let mut lines: Vec<String> = requests
        .lines()
        .map(|line| {
            let request: Value = serde_json::from_str(line).unwrap();
            let id = &request["custom_id"];
            if request.to_string().contains(without) {
                return json!({"custom_id": id, "response": null, "error": {"code": "batch_expired", "message": "late"}}).to_string();
            }
            let body: Value = serde_json::from_slice(&knows(&request["body"]).body).unwrap();
            json!({"id": "b", "custom_id": id, "response": {"status_code": 200, "body": body}, "error": null}).to_string()
        })
        .collect();
    lines.reverse();
    lines.join("\n") + "\n"
}

#[test]
fn a_run_may_be_half_batch_and_half_live() {
    let (desk, server) = (desk(), Server::knowing());
    let judge = server.judge();
    let line = |more: &str| format!("judge --pairs pairs.jsonl --judge {judge} {more}");
    desk.run(&line("--batch-out requests.jsonl")).ends(0, &["60 requests written"]);
    assert_eq!(server.asked(), 0);
    let requests = desk.read("requests.jsonl");
    let first: Value = serde_json::from_str(requests.lines().next().unwrap()).unwrap();
    assert_eq!((&first["method"], &first["url"]), (&json!("POST"), &json!("/v1/chat/completions")));
    assert_eq!(first["body"]["model"], "mini");

    desk.write(
        "results.jsonl",
        &(served(&requests, "question 3?")
            + "{\"custom_id\":\"of another tool\",\"response\":{\"status_code\":200,\"body\":{}}}\n{half"),
    );
    let taken = desk.run(&line("--batch-in results.jsonl --format json"));
    taken.ends(
        4,
        &[
            "58 answers taken",
            "2 requests without an answer",
            "1 of other requests",
            "1 lines that are no results",
            "batch_expired",
            "--batch-out",
        ],
    );
    assert_eq!(taken.json(4)["result"]["accounting"]["missing"], 2);
    assert_eq!(server.asked(), 0);

    desk.run(&line("--batch-in results.jsonl")).ends(4, &["0 answers taken", "58 there before"]);
    desk.run(&line("--batch-out rest.jsonl")).ends(0, &["2 requests written"]);
    let live = desk.run(&line("--format json"));
    assert_eq!(live.json(0)["result"]["calls"], json!({"made": 2, "cached": 58, "retried": 0}));
    assert_eq!(server.asked(), 2);
    desk.run(&line("--batch-out nothing.jsonl")).ends(0, &["nothing to send"]);
    assert!(!desk.has("nothing.jsonl"));
}

#[test]
fn what_a_batch_brings_is_told_with_its_cost() {
    let (desk, server) = (desk(), Server::knowing());
    desk.write(
        "tribunal.toml",
        &format!(
            "[judges.mini]\nprovider = \"openai-compatible\"\nmodel = \"mini\"\nbase_url = \"{}/v1\"\n\
             price = {{ input = 1.0, output = 10.0 }}\n",
            server.root()
        ),
    );
    let line = |more: &str| format!("judge --pairs pairs.jsonl --judge mini {more}");
    desk.run(&line("--batch-out requests.jsonl")).ends(0, &[]);
    desk.write("results.jsonl", &served(&desk.read("requests.jsonl"), "question 3?"));
    // 58 answers of 100 tokens at 1 dollar a million and 20 at 10.
    desk.run(&line("--batch-in results.jsonl"))
        .ends(4, &["58 answers taken into the store ($0.02 at the judge's price)"]);
    assert_eq!(server.asked(), 0);
}

#[test]
fn an_answer_of_a_batch_is_read_as_one_over_the_line() {
    let (desk, server) = (desk(), Server::knowing());
    let line = |more: &str| format!("judge --pairs pairs.jsonl --judge {} {more}", server.judge());
    desk.run(&line("--batch-out requests.jsonl")).ends(0, &[]);
    let filtered = json!({"error": {"message": "filtered", "code": "content_filter"}});
    let results: String = desk
        .read("requests.jsonl")
        .lines()
        .map(|line| {
            let id = serde_json::from_str::<Value>(line).unwrap()["custom_id"].clone();
            format!("{}\n", json!({"custom_id": id, "response": {"status_code": 400, "body": filtered}}))
        })
        .collect();
    desk.write("results.jsonl", &results);
    let run = desk.run(&line("--batch-in results.jsonl --format json"));
    assert_eq!(run.json(0)["result"]["accounting"]["filtered"], JUDGMENTS);
}

#[test]
fn a_batch_needs_one_endpoint_and_a_store() {
    let (desk, server) = (desk(), Server::knowing());
    let judge = server.judge();
    desk.run("judge --pairs pairs.jsonl --judge control:first --batch-out r.jsonl")
        .ends(2, &["no judge is behind an endpoint"]);
    desk.run(&format!("judge --pairs pairs.jsonl --judge {judge} --judge {judge}2 --batch-out r.jsonl"))
        .ends(2, &["one model"]);
    desk.write("results.jsonl", "{}\n");
    desk.run(&format!("judge --pairs pairs.jsonl --judge {judge} --no-store --batch-in results.jsonl"))
        .ends(2, &["--no-store"]);
    assert_eq!(server.asked(), 0);
}

#[test]
fn a_dry_run_of_a_batch_writes_nothing_and_a_part_of_one_is_a_part() {
    let (desk, server) = (desk(), Server::knowing());
    let line = |more: &str| format!("judge --pairs pairs.jsonl --judge {} {more}", server.judge());
    let dry = desk.run(&line("--batch-out requests.jsonl --dry-run"));
    assert!(dry.status == 0 && dry.stdout.contains("60 calls") && !desk.has("requests.jsonl"), "{}", dry.stdout);
    desk.run(&line("--batch-out requests.jsonl --max-calls 20")).ends(0, &["20 requests written"]);
    assert_eq!(desk.read("requests.jsonl").lines().count(), 20);
    desk.run(&line("--batch-in requests.jsonl")).ends(2, &["no answer to a question"]);
    desk.run(&line("--batch-in requests.jsonl --dry-run")).ends(2, &["--dry-run"]);
}

#[test]
fn a_key_that_a_batch_service_repeats_is_masked() {
    let desk = desk();
    let key = "sk-quite-secret-0123456789";
    desk.write(
        "tribunal.toml",
        "[judges.mini]\nprovider = \"openai-compatible\"\nmodel = \"m\"\nbase_url = \"http://127.0.0.1:9/v1\"\napi_key_env = \"MY_KEY\"\n",
    );
    let run = |more: &str| desk.run_with(&format!("judge --pairs pairs.jsonl --judge mini {more}"), &[("MY_KEY", key)]);
    run("--batch-out requests.jsonl").ends(0, &[]);
    let request: Value = serde_json::from_str(desk.read("requests.jsonl").lines().next().unwrap()).unwrap();
    let error = json!({"code": "x", "message": format!("bad key {key}")});
    desk.write(
        "results.jsonl",
        &format!("{}\n", json!({"custom_id": request["custom_id"], "response": null, "error": error})),
    );
    let taken = run("--batch-in results.jsonl --log run.log");
    taken.ends(4, &["bad key ****"]);
    assert!(!taken.stderr.contains(key) && !desk.read("run.log").contains(key));
}
