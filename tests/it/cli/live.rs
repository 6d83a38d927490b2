//! A judge that is asked over HTTP: what is paid for once is kept, and what fails is counted.

use serde_json::{Value, json};

use super::desk::{Server, gold, knows};
use super::{Desk, Run};
use crate::scripted::Step;

/// Judgments of one calibration on [`gold`].
const JUDGMENTS: usize = 60;

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("gold.jsonl", &gold());
    desk
}

fn calibrate(desk: &Desk, judge: &str, more: &str) -> Run {
    desk.run(&format!("calibrate --gold gold.jsonl --resamples 200 --judge {judge} {more}"))
}

fn card(run: &Run, status: i32) -> Value {
    run.json(status)["result"]["judges"][0].clone()
}

#[test]
fn a_judge_that_knows_passes_and_gets_a_certificate() {
    let (desk, server) = (desk(), Server::knowing());
    let run = calibrate(&desk, &server.judge(), "--format json");
    let card = card(&run, 0);
    assert_eq!(server.asked(), JUDGMENTS);
    assert_eq!(card["accounting"]["judged"], JUDGMENTS);
    assert_eq!(card["figures"]["agreement_strict"]["k"], 30);
    let path = card["certificate"].as_str().unwrap();
    let certificate: Value = serde_json::from_str(&desk.read(path)).unwrap();
    assert_eq!(certificate["decision"], "pass");
    assert_eq!(certificate["fingerprint"], card["fingerprint"]);
    assert!(certificate.to_string().contains("served-1"), "the served model is in the certificate");
}

#[test]
fn the_second_run_asks_nothing_and_says_the_same() {
    let (desk, server) = (desk(), Server::knowing());
    let first = calibrate(&desk, &server.judge(), "--format json");
    let second = calibrate(&desk, &server.judge(), "--format json");
    assert_eq!(server.asked(), JUDGMENTS, "{}", second.stderr);
    assert_eq!(first.stdout, second.stdout);
    second.ends(0, &["60 in the store, 0 to ask"]);
}

#[test]
fn more_repeats_ask_only_what_is_new() {
    let (desk, server) = (desk(), Server::knowing());
    calibrate(&desk, &server.judge(), "").ends(0, &[]);
    let twice = calibrate(&desk, &server.judge(), "--repeats 2");
    assert!(twice.stderr.contains("60 in the store, 60 to ask"), "{}", twice.stderr);
    assert_eq!(server.asked(), 2 * JUDGMENTS);
}

#[test]
fn without_a_store_everything_is_asked_again() {
    let (desk, server) = (desk(), Server::knowing());
    calibrate(&desk, &server.judge(), "--no-store").ends(0, &[]);
    assert!(!desk.has(".tribunal"));
    calibrate(&desk, &server.judge(), "--no-store").ends(0, &[]);
    assert_eq!(server.asked(), 2 * JUDGMENTS);
}

#[test]
fn another_prompt_is_another_judge_and_takes_nothing_from_the_store() {
    let (desk, server) = (desk(), Server::knowing());
    calibrate(&desk, &server.judge(), "").ends(0, &[]);
    calibrate(&desk, &server.judge(), "--prompt pairwise.ja").ends(0, &["0 in the store, 60 to ask"]);
    assert_eq!(server.asked(), 2 * JUDGMENTS);
}

#[test]
fn a_judge_that_is_always_cut_off_is_told_of_the_limit_and_not_of_the_labels() {
    let desk = desk();
    let server = Server::start(|_, _| {
        let message = json!({"role": "assistant", "content": "The first response is"});
        Step::json(200, &json!({"model": "m", "choices": [{"finish_reason": "length", "message": message}]}))
    });
    let card = card(&calibrate(&desk, &server.judge(), "--format json"), 1);
    let warnings = card["warnings"].to_string();
    assert!(warnings.contains("60 of 60 replies were cut off") && warnings.contains("max_tokens"), "{warnings}");
    let classes =
        card["gate"]["criteria"].as_array().unwrap().iter().find(|one| one["name"] == "both_classes").unwrap();
    assert!(
        classes["reason"].as_str().unwrap().contains("verdicts in both orders are there for 0 of them"),
        "{classes}"
    );
}

#[test]
fn a_failed_call_is_counted_and_never_a_tie() {
    let desk = desk();
    let bad = Step::json(400, &json!({"error": {"message": "this text is too long"}}));
    let server =
        Server::start(move |_, body| if body.to_string().contains("question 3?") { bad.clone() } else { knows(body) });
    let run = calibrate(&desk, &server.judge(), "--format json");
    let card = card(&run, run.status);
    let accounting = &card["accounting"];
    assert_eq!((&accounting["failed"], &accounting["judged"]), (&json!(2), &json!(JUDGMENTS - 2)));
    assert_eq!(card["figures"]["combined_verdicts"], json!({"a": 13, "b": 12, "tie": 4, "none": 1}));
    assert_eq!(card["figures"]["agreement_strict"]["n"], 29);
    assert_eq!(card["figures"]["agreement_strict_worst_case"]["n"], 30);
    assert!(run.stderr.contains("this text is too long"), "{}", run.stderr);
}

#[test]
fn an_answer_without_a_verdict_is_unparsed_and_never_a_tie() {
    let desk = desk();
    let server = Server::start(|_, body| {
        if body.to_string().contains("question 3?") { Step::good("Both have their merits.") } else { knows(body) }
    });
    let run = calibrate(&desk, &server.judge(), "--format json");
    let card = card(&run, run.status);
    assert_eq!(card["accounting"]["unparsed"], 2);
    assert_eq!(card["figures"]["combined_verdicts"]["none"], 1);
}

#[test]
fn a_key_reaches_the_server_and_nothing_else() {
    let (desk, server) = (desk(), Server::knowing());
    let key = "sk-quite-secret-0123456789";
    desk.write(
        "tribunal.toml",
        &format!(
            "[judges.mini]\nprovider = \"openai-compatible\"\nmodel = \"m\"\nbase_url = \"{}/v1\"\napi_key_env = \"MY_KEY\"\n",
            server.root()
        ),
    );
    let line = "calibrate --gold gold.jsonl --resamples 200 --judge mini --record record.jsonl --format html";
    let run = desk.run_with(line, &[("MY_KEY", key)]);
    run.ends(0, &[]);
    assert_eq!(server.seen()[0].authorization.as_deref(), Some(&*format!("Bearer {key}")));
    assert!(!run.stdout.contains(key) && !run.stderr.contains(key));
    let mut folders = vec![desk.path(".")];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            files += 1;
            let bytes = std::fs::read(&path).unwrap();
            assert!(!bytes.windows(key.len()).any(|window| window == key.as_bytes()), "{}", path.display());
        }
    }
    assert!(files >= 5, "store, record and certificate were looked at");
}

#[test]
fn a_recording_plays_the_run_again_without_a_call() {
    let (desk, server) = (desk(), Server::knowing());
    let live = calibrate(&desk, &server.judge(), "--record record.jsonl --format json");
    let replayed = calibrate(&desk, "replay:record.jsonl", "--format json");
    assert_eq!(server.asked(), JUDGMENTS);
    let (live, replayed) = (card(&live, 0), card(&replayed, 0));
    assert_eq!(live["figures"], replayed["figures"]);
    assert_eq!(live["fingerprint"], replayed["fingerprint"]);
    calibrate(&desk, &server.judge(), "--record record.jsonl").ends(2, &["exists already", "--force"]);
    calibrate(&desk, "replay:record.jsonl", "--record other.jsonl").ends(2, &["nothing to record"]);
}
