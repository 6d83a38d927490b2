//! Responses from a model with a prompt version: kept, resumable, and what two versions are compared by.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Desk;
use super::desk::Server;
use crate::scripted::Step;

const ITEMS: usize = 12;

fn items() -> String {
    let mut text = String::new();
    for n in 0..ITEMS {
        let item = json!({"id": format!("q{n:02}"), "prompt": format!("question {n}?"), "context": format!("ctx-{n}"),
            "category": "made-up", "group": format!("g{}", n / 2), "lang": "en", "checks": [{"kind": "contains", "value": "42"}],
            "gold": "a", "gold_votes": ["a", "b"], "response": "old"});
        let _ = writeln!(text, "{item}");
    }
    text
}

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("items.jsonl", &items());
    desk.write("v1.md", "---\nid: short\nversion: 1\n---\n--- system\nBe short.\n--- user\n{prompt}\n");
    desk.write("v2.md", "---\nid: long\nversion: 2\n---\n--- system\nExplain.\n--- user\n{prompt}\n");
    desk
}

/// Answers questions, the second prompt version better; and judges by which answer explains.
fn answers(body: &Value) -> Step {
    let text = body["messages"].to_string();
    match (text.find("because-42"), text.find("just-41")) {
        (Some(better), Some(worse)) => Step::good(if better < worse { "[[A]]" } else { "[[B]]" }),
        (Some(_), None) | (None, Some(_)) => Step::good("[[C]]"),
        (None, None) if text.contains("Explain.") => Step::good("because-42"),
        (None, None) => Step::good("just-41"),
    }
}

fn answering() -> Server {
    Server::start(|_, body| answers(body))
}

/// Answers the question of one item in a way of its own.
fn but_for(question: &'static str, step: Step) -> Server {
    Server::start(move |_, body| if body.to_string().contains(question) { step.clone() } else { answers(body) })
}

fn generate(desk: &Desk, server: &Server, more: &str) -> super::Run {
    desk.run(&format!("generate --items items.jsonl --model {} {more}", server.judge()))
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// An answer with this finish reason.
fn finished(text: &str, reason: &str) -> Step {
    let message = json!({"role": "assistant", "content": text});
    Step::json(
        200,
        &json!({"model": "served-1", "choices": [{"index": 0, "finish_reason": reason, "message": message}]}),
    )
}

#[test]
fn responses_are_read_by_validate_and_compared_and_carry_what_the_item_is() {
    let (desk, server) = (desk(), answering());
    generate(&desk, &server, "--prompt v1.md --out one.jsonl").ends(0, &["12 responses planned", "written: one.jsonl"]);
    generate(&desk, &server, "--prompt v2.md --out two.jsonl").ends(0, &[]);
    assert_eq!(server.asked(), 2 * ITEMS);
    let rows = lines(&desk.read("one.jsonl"));
    let ids: Vec<&str> = rows.iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert!(ids.is_sorted() && ids.len() == ITEMS, "in the order of the items");
    let row = &rows[3];
    assert_eq!((&row["response"], &row["prompt"]), (&json!("just-41"), &json!("question 3?")));
    assert_eq!((&row["model"], &row["prompt_version"]), (&json!("mini"), &json!("short.1")));
    assert_eq!((&row["category"], &row["group"], &row["lang"]), (&json!("made-up"), &json!("g1"), &json!("en")));
    assert_eq!(row["checks"][0]["value"], "42");
    for field in ["gold", "gold_votes"] {
        assert!(row.get(field).is_none(), "{field} would label an answer that nobody has seen");
    }
    let said = desk.run("validate one.jsonl two.jsonl");
    said.ends(0, &[]);
    assert!(said.stdout.contains("responses"), "{}", said.stdout);
    let run = desk.run("compare --a one.jsonl --b two.jsonl --judge control:longest --resamples 200 --format json");
    let result = run.json(0)["result"].clone();
    assert_eq!((&result["a"], &result["b"]), (&json!("mini/short.1"), &json!("mini/long.2")), "{result}");
}

#[test]
fn the_second_run_asks_nothing_and_writes_the_same() {
    let (desk, server) = (desk(), answering());
    generate(&desk, &server, "--prompt v1.md --out one.jsonl").ends(0, &[]);
    generate(&desk, &server, "--prompt v1.md --out one.jsonl").ends(2, &["exists already", "--force"]);
    let printed = generate(&desk, &server, "--prompt v1.md");
    printed.ends(0, &["12 in the store, 0 to ask"]);
    assert_eq!((server.asked(), printed.stdout), (ITEMS, desk.read("one.jsonl")));
    let listed = desk.run("runs list --format json").json(0);
    assert_eq!(listed["result"]["runs"][0]["kind"], "generate", "{listed}");
    assert_eq!(listed["result"]["runs"][0]["planned"], ITEMS);
    desk.run("runs show 1").ends(0, &[]);
}

#[test]
fn an_interrupted_generation_goes_on_where_it_stopped() {
    let (desk, server) = (desk(), answering());
    generate(&desk, &server, "--out one.jsonl --max-calls 5").ends(4, &["`max_calls`"]);
    assert!(!desk.has("one.jsonl") && server.asked() == 5);
    generate(&desk, &server, "--out one.jsonl").ends(0, &["5 in the store, 7 to ask"]);
    assert_eq!((server.asked(), lines(&desk.read("one.jsonl")).len()), (ITEMS, ITEMS));
    assert_eq!(lines(&desk.read("one.jsonl"))[0]["prompt_version"], "plain.1");
}

#[test]
fn items_without_a_response_are_named_and_the_others_are_written() {
    let (desk, server) =
        (desk(), but_for("question 3?", Step::json(400, &json!({"error": {"message": "too long a text"}}))));
    let run = generate(&desk, &server, "--prompt v1.md --out one.jsonl");
    run.ends(4, &["no response to 1 item: q03", "too long a text"]);
    let rows = lines(&desk.read("one.jsonl"));
    assert!(rows.len() == ITEMS - 1 && rows.iter().all(|row| row["id"] != "q03"));
}

#[test]
fn odd_responses_are_kept_and_said_to_be_odd() {
    let refusal = Step::json(
        200,
        &json!({"model": "m", "choices": [{"index": 0, "finish_reason": "stop",
        "message": {"role": "assistant", "content": null, "refusal": "I would rather not."}}]}),
    );
    for (step, words, response, reason) in [
        (finished("half an ans", "length"), "cut off by the token limit", "half an ans", "length"),
        (finished("some", "content_filter"), "stopped by a content filter", "some", "content_filter"),
        (refusal, "refused", "I would rather not.", "refusal"),
        (finished("  ", "stop"), "with an empty response", "  ", "stop"),
        (finished("", "stop"), "with an empty response", "", "stop"),
        (finished("<think>only thoughts", "length"), "cut off by the token limit", "", "length"),
    ] {
        let (desk, server) = (desk(), but_for("question 3?", step));
        let run = generate(&desk, &server, "--prompt v1.md --out one.jsonl");
        run.ends(0, &[words, "q03"]);
        let rows = lines(&desk.read("one.jsonl"));
        assert_eq!(
            (rows.len(), &rows[3]["response"], &rows[3]["finish_reason"]),
            (ITEMS, &json!(response), &json!(reason))
        );
        desk.run("validate one.jsonl").ends(0, &[]);
    }
}

#[test]
fn thoughts_before_an_answer_are_no_part_of_it_and_stay_in_the_store() {
    let (desk, server) =
        (desk(), but_for("question 3?", finished("<think>secret musings</think>\n\nThe answer.", "stop")));
    generate(&desk, &server, "--prompt v1.md --out one.jsonl").ends(0, &[]);
    assert_eq!(lines(&desk.read("one.jsonl"))[3]["response"], "The answer.");
    assert!(!desk.read("one.jsonl").contains("musings"));
    assert!(desk.read(".tribunal/journal/000001.jsonl").contains("secret musings"));
}

#[test]
fn prompts_that_cannot_be_filled_and_judge_prompts_are_refused_before_a_call() {
    let (desk, server) = (desk(), answering());
    desk.write("field.md", "{contex} {prompt}");
    generate(&desk, &server, "--prompt field.md").ends(2, &["q00", "{contex}", "`context`"]);
    desk.write("judge.md", "---\nid: j\nversion: 1\ncontract: bracket\n---\n{prompt} {response_a} {response_b} [[A]]");
    generate(&desk, &server, "--prompt judge.md").ends(2, &["judge.md", "judge prompt"]);
    generate(&desk, &server, "--prompt none.md").ends(2, &["none.md"]);
    desk.run("generate --items items.jsonl --model control:longest").ends(2, &["control:longest", "want a model"]);
    desk.write("items.jsonl", "{\"id\":\"q\",\"promt\":\"?\"}\n");
    generate(&desk, &server, "").ends(2, &["items.jsonl:1", "`promt`"]);
    assert_eq!(server.asked(), 0);
}

#[test]
fn a_dry_run_makes_no_call_and_no_store_keeps_nothing() {
    let (desk, server) = (desk(), answering());
    let run = generate(&desk, &server, "--prompt v1.md --out one.jsonl --dry-run");
    run.ends(0, &[]);
    assert!(run.stdout.contains("12 calls") && server.asked() == 0, "{}", run.stdout);
    assert!(!desk.has("one.jsonl") && !desk.has(".tribunal"));
    for _ in 0..2 {
        generate(&desk, &server, "--prompt v1.md --no-store").ends(0, &[]);
    }
    assert!(!desk.has(".tribunal") && server.asked() == 2 * ITEMS);
}

/// `compare` of both prompt versions.
fn compare(desk: &Desk, server: &Server, more: &str) -> super::Run {
    desk.run(&format!(
        "compare --prompt-a v1.md --prompt-b v2.md --model {0} --items items.jsonl --judge {0} --resamples 200 --format json {more}",
        server.judge()
    ))
}

#[test]
fn two_prompt_versions_are_generated_judged_and_compared_in_one_command() {
    let (desk, server) = (desk(), answering());
    let run = compare(&desk, &server, "--uncalibrated");
    let result = run.json(0)["result"].clone();
    assert_eq!((&result["a"], &result["b"]), (&json!("mini/short.1"), &json!("mini/long.2")));
    assert_eq!(result["win_rate"]["point"], 0.0, "the version that explains wins everywhere: {}", result["win_rate"]);
    assert_eq!(server.asked(), 4 * ITEMS, "two responses and two orders");
    let again = compare(&desk, &server, "--uncalibrated");
    assert_eq!((again.stdout, server.asked()), (run.stdout, 4 * ITEMS));
    let listed = desk.run("runs list --format json").json(0);
    let kinds: Vec<&str> =
        listed["result"]["runs"].as_array().unwrap().iter().map(|run| run["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == "generate").count(), 4, "one for each version: {kinds:?}");
    // The same responses by way of files are the same comparison.
    generate(&desk, &server, "--prompt v1.md --out one.jsonl").ends(0, &[]);
    generate(&desk, &server, "--prompt v2.md --out two.jsonl").ends(0, &[]);
    let files = desk.run(&format!(
        "compare --a one.jsonl --b two.jsonl --judge {} --uncalibrated --resamples 200 --format json",
        server.judge()
    ));
    assert_eq!(files.json(0)["result"]["win_rate"], result["win_rate"]);
    assert_eq!(server.asked(), 4 * ITEMS);
}

#[test]
fn a_judge_without_a_certificate_is_refused_before_a_response_is_paid_for() {
    let (desk, server) = (desk(), answering());
    compare(&desk, &server, "").ends(5, &["no valid certificate", "--uncalibrated"]);
    assert!(server.asked() == 0 && !desk.has(".tribunal"));
    for more in ["--uncalibrated --dry-run", "--dry-run"] {
        let run = compare(&desk, &server, more);
        run.ends(0, &[]);
        assert_eq!(run.stdout.matches(": 12 calls").count(), 2, "{}", run.stdout);
        assert_eq!(run.stderr.matches("no valid certificate yet").count(), usize::from(more == "--dry-run"));
    }
    assert!(server.asked() == 0 && !desk.has(".tribunal"));
}

#[test]
fn local_judges_compare_prompt_versions_too() {
    for judge in ["control:longest", "checks"] {
        let (desk, server) = (desk(), answering());
        let run = desk.run(&format!(
            "compare --prompt-a v1.md --prompt-b v2.md --model {} --items items.jsonl --judge {judge} --uncalibrated --resamples 200 --format json",
            server.judge()
        ));
        assert_eq!(run.json(0)["result"]["win_rate"]["point"], 0.0, "{judge}: {}", run.stderr);
        assert_eq!(server.asked(), 2 * ITEMS);
    }
}

#[test]
fn an_item_that_one_side_has_no_response_to_is_left_out_and_named() {
    let (desk, server) = (
        desk(),
        Server::start(|_, body| {
            let text = body.to_string();
            let fails = text.contains("question 3?") && text.contains("Explain.");
            if fails { Step::json(400, &json!({"error": {"message": "too long a text"}})) } else { answers(body) }
        }),
    );
    let run = compare(&desk, &server, "--uncalibrated");
    run.ends(0, &["no response to 1 item: q03"]);
    assert_eq!(run.json(0)["result"]["win_rate"]["n"], ITEMS - 1, "no response is no loss");
    assert!(run.stdout.contains("q03"), "the report says what was left out");
}

#[test]
fn one_text_twice_is_refused_and_one_request_is_asked_once() {
    let (desk, server) = (desk(), answering());
    desk.write("v2.md", &desk.read("v1.md"));
    compare(&desk, &server, "--uncalibrated").ends(2, &["same text", "--prompt-b"]);
    assert_eq!(server.asked(), 0);
    // Another file that comes to the same requests.
    desk.write("v2.md", &desk.read("v1.md").replace("id: short", "id: other"));
    compare(&desk, &server, "--uncalibrated").ends(0, &["12 shared with an equal question"]);
    assert_eq!(server.asked(), ITEMS, "identical responses are no question for a judge");
}

#[test]
fn a_budget_holds_for_generating_and_judging_together() {
    let (desk, server) = (desk(), answering());
    let most = 3 * ITEMS;
    compare(&desk, &server, &format!("--uncalibrated --max-calls {most}"))
        .ends(4, &["`max_calls`", &format!("{most} calls sent")]);
    assert_eq!(server.asked(), most, "two responses an item, and the judge gets what is left");
}
