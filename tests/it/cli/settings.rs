//! The settings file: what it may say, and what is said about the rest.

use serde_json::json;

use super::desk::{Server, gold};
use super::{Desk, Run};
use crate::scripted::Step;

fn with(settings: &str) -> (Desk, Server) {
    let (desk, server) = (Desk::new(), Server::knowing());
    desk.write("gold.jsonl", &gold());
    desk.write("tribunal.toml", &settings.replace("URL", &format!("{}/v1", server.root())));
    (desk, server)
}

/// Refused with these words, before a call and without a trace.
fn refused(settings: &str, words: &[&str]) {
    let (desk, server) = with(settings);
    desk.run("calibrate --gold gold.jsonl --judge mini --out r.json").ends(2, words);
    assert_eq!(server.asked(), 0, "{settings}");
    assert_eq!(desk.files("."), ["gold.jsonl", "tribunal.toml"], "{settings}");
}

const JUDGE: &str = "[judges.mini]\nprovider = \"openai-compatible\"\nmodel = \"m\"\nbase_url = \"URL\"\n";

#[test]
fn what_is_wrong_is_named_by_file_and_line() {
    refused(&format!("{JUDGE}temperatur = 0\n"), &["tribunal.toml:5", "temperatur", "temperature"]);
    refused(&format!("{JUDGE}\n[limits]\nconcurency = 3\n"), &["tribunal.toml:7", "concurency", "concurrency"]);
    refused(&format!("{JUDGE}max_tokens = \"many\"\n"), &["tribunal.toml:5", "many"]);
    refused(&format!("{JUDGE}temperature = \n"), &["tribunal.toml:5"]);
}

#[test]
fn a_key_in_the_file_is_refused_by_line_and_not_repeated() {
    let settings = format!("{JUDGE}api_key = \"sk-not-to-be-seen\"\n");
    refused(&settings, &["tribunal.toml:5", "mini", "api_key_env"]);
    let (desk, _server) = with(&settings);
    let run = desk.run("calibrate --gold gold.jsonl --judge mini");
    assert!(!run.stderr.contains("sk-not-to-be-seen"), "{}", run.stderr);
}

#[test]
fn what_makes_no_sense_is_named_by_its_setting() {
    refused(&JUDGE.replace("openai-compatible", "frob"), &["judges.mini", "provider", "frob"]);
    refused(&format!("{JUDGE}read = \"aloud\"\n"), &["judges.mini", "read", "aloud"]);
    refused(&format!("{JUDGE}api_key_env = \"NOT_SET_ANYWHERE\"\n"), &["NOT_SET_ANYWHERE"]);
    refused(&format!("{JUDGE}prompt = \"nowhere.md\"\n"), &["nowhere.md"]);
    refused(&format!("{JUDGE}timeout_s = -1\n"), &["timeout"]);
    refused(&format!("{JUDGE}\n[gate]\nflip_rate = {{ min = 0.2 }}\n"), &["flip_rate", "max"]);
    refused(&JUDGE.replace("mini", "maxi"), &["mini", "maxi"]);
}

#[test]
fn a_settings_file_that_is_named_has_to_be_there() {
    let desk = Desk::new();
    desk.run("calibrate --judge control:first --config other.toml").ends(2, &["other.toml"]);
}

fn decision(gate: &str) -> i32 {
    let (desk, _server) = with(gate);
    let run: Run = desk.run("calibrate --gold gold.jsonl --judge control:longest --resamples 200 --format json");
    run.status
}

#[test]
fn the_gate_is_the_one_of_the_settings() {
    assert_eq!(decision(""), 1);
    let lax = "[gate]\nagreement_decisive = { min = 0.1 }\nkappa_strict = { min = -0.9 }\n\
        length_error_gap = { max = 1.0 }\nbeats_controls = { min = -1.0 }\n";
    assert_eq!(decision(lax), 0);
}

#[test]
fn a_flag_wins_over_the_file() {
    let settings = format!("{JUDGE}prompt = \"pairwise.ja\"\n");
    let (desk, server) = with(&settings);
    desk.run("calibrate --gold gold.jsonl --judge mini --resamples 200").ends(0, &[]);
    assert!(server.seen()[0].body.to_string().contains("回答"), "the file's prompt was asked");
    desk.run("calibrate --gold gold.jsonl --judge mini --resamples 200 --prompt pairwise.en").ends(0, &[]);
    let last = server.seen().pop().unwrap().body.to_string();
    assert!(!last.contains("回答"), "the flag's prompt was asked");
}

#[test]
fn sampling_parameters_are_sent_as_set_and_left_out_where_not() {
    let (desk, server) = with(&format!("{JUDGE}temperature = 0.5\nseed = 7\nmax_tokens = 99\n"));
    desk.run("calibrate --gold gold.jsonl --judge mini --resamples 200").ends(0, &[]);
    let body = server.seen()[0].body.clone();
    assert_eq!(
        (body["temperature"].as_f64(), body["seed"].as_i64(), body["max_tokens"].as_i64()),
        (Some(0.5), Some(7), Some(99))
    );
    let (desk, server) = with(JUDGE);
    desk.run("calibrate --gold gold.jsonl --judge mini --resamples 200").ends(0, &[]);
    let body = server.seen()[0].body.clone();
    assert!(body.get("temperature").is_none() && body.get("seed").is_none(), "{body}");
}

#[test]
fn every_parameter_is_sent_under_the_services_own_name() {
    let more = "max_completion_tokens = 9\nreasoning_effort = \"low\"\nprompt = \"pairwise-json.en\"\nread = \"json\"\n\
        json_schema = true\nextra = { top_k = 3, nested = { on = true } }\n";
    let (desk, server) = with(&format!("{JUDGE}{more}"));
    desk.run("calibrate --gold gold.jsonl --judge mini --resamples 200 --no-store");
    let body = server.seen()[0].body.clone();
    assert_eq!((body["max_completion_tokens"].as_i64(), body["top_k"].as_i64()), (Some(9), Some(3)));
    assert_eq!((body["reasoning_effort"].as_str(), body["nested"]["on"].as_bool()), (Some("low"), Some(true)));
    assert_eq!(body["response_format"]["type"], "json_schema");
    assert!(body.get("max_tokens").is_none(), "{body}");
}

#[test]
fn settings_that_cannot_go_together_are_refused_before_a_call() {
    refused(&format!("{JUDGE}max_tokens = 1\nmax_completion_tokens = 1\n"), &["mini", "`max_tokens`", "keep one"]);
    refused(&format!("{JUDGE}json_schema = true\n"), &["mini", "`json_schema`"]);
    refused(&format!("{JUDGE}api_key_env = \"A\"\napi_key_file = \"b\"\n"), &["mini", "api_key_env", "api_key_file"]);
    refused(&format!("{JUDGE}extra = {{ stream = true }}\n"), &["mini", "`extra`", "stream"]);
    let claude = JUDGE.replace("openai-compatible", "anthropic");
    refused(&claude, &["ANTHROPIC_API_KEY"]);
    refused(&JUDGE.replace("openai-compatible", "gemini"), &["GEMINI_API_KEY"]);
    refused(&JUDGE.replace("openai-compatible", "gemeni"), &["did you mean `gemini`"]);
}

#[test]
fn a_strict_judge_ends_after_one_call_that_names_the_setting() {
    let server = Server::start(|_, _| {
        let error = json!({"message": "'seed' is not supported with this model", "param": "seed"});
        Step::json(400, &json!({"error": error}))
    });
    let desk = Desk::new();
    desk.write("gold.jsonl", &gold());
    let judge = JUDGE.replace("URL", &format!("{}/v1", server.root()));
    desk.write("tribunal.toml", &format!("{judge}seed = 7\ntolerant = false\n"));
    desk.run("calibrate --gold gold.jsonl --judge mini").ends(2, &["mini", "`seed`", "tolerant"]);
    assert_eq!(server.asked(), 1);
}

#[test]
fn a_key_in_a_file_is_sent_and_never_shown() {
    let settings = format!("{JUDGE}api_key_file = \"keys/mini.txt\"\n");
    refused(&settings, &["mini.txt", "cannot be read"]);
    let (desk, server) = with(&settings);
    let folder = desk.path("keys");
    #[allow(clippy::disallowed_methods, reason = "a test lays out its files")]
    std::fs::create_dir(&folder).unwrap();
    desk.write("keys/mini.txt", "\n");
    desk.run("calibrate --gold gold.jsonl --judge mini").ends(2, &["mini.txt", "no key"]);
    desk.write("keys/mini.txt", " sk-not-to-be-seen \nsecond line\n");
    let run = desk.run("calibrate --gold gold.jsonl --judge mini --resamples 200 --format json --record r.jsonl");
    run.ends(0, if cfg!(unix) { &["warning", "mini.txt", "chmod 600"] } else { &[] });
    assert_eq!(server.seen()[0].authorization.as_deref(), Some("Bearer sk-not-to-be-seen"));
    for text in [run.stdout.as_str(), run.stderr.as_str(), &desk.read("r.jsonl")] {
        assert!(!text.contains("sk-not-to-be-seen"), "{text}");
    }
}

/// A judge that draws [[A]] and leans to it with three quarters.
fn leaning() -> Server {
    Server::start(|_, body| {
        assert_eq!((&body["logprobs"], &body["top_logprobs"]), (&json!(true), &json!(20)));
        let token = |text: &str, p: f64| json!({"token": text, "logprob": p.ln()});
        let letter =
            json!({"token": "A", "logprob": 0.75_f64.ln(), "top_logprobs": [token("A", 0.75), token("B", 0.25)]});
        let logprobs = json!({"content": [token("[[", 1.0), letter, token("]]", 1.0)]});
        let message = json!({"role": "assistant", "content": "[[A]]"});
        Step::json(200, &json!({"choices": [{"finish_reason": "stop", "message": message, "logprobs": logprobs}]}))
    })
}

#[test]
fn log_probabilities_are_asked_for_kept_and_read_again_from_a_recording() {
    let (desk, server) = (Desk::new(), leaning());
    desk.write("gold.jsonl", &gold());
    let judge = JUDGE.replace("URL", &format!("{}/v1", server.root()));
    desk.write("tribunal.toml", &format!("{judge}read = \"logprobs\"\nprompt = \"pairwise-letter.en\"\n"));
    let run = "calibrate --gold gold.jsonl --resamples 200 --format json";
    let live = desk.run(&format!("{run} --judge mini --record r.jsonl")).json(1);
    let replayed = desk.run(&format!("{run} --judge replay:r.jsonl")).json(1);
    assert_eq!(live["judges"][0]["figures"], replayed["judges"][0]["figures"]);
    assert!(desk.read("r.jsonl").contains("top_logprobs"));
}
