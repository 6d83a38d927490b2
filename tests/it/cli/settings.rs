//! The settings file: what it may say, and what is said about the rest.

use super::desk::{Server, gold};
use super::{Desk, Run};

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
