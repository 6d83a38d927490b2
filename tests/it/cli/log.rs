//! The log of a run: every call is in it, no secret is, and whatever happens to the process its lines can be read.

use serde_json::{Value, json};

use super::desk::{Server, gold, knows, within_20_s};
use super::{Desk, Run};
use crate::scripted::Step;

const KEY: &str = "sk/quite-secret/0123456789";

fn desk(server: &Server) -> Desk {
    let desk = Desk::new();
    desk.write("gold.jsonl", &gold());
    desk.write(
        "tribunal.toml",
        &format!(
            "[judges.mini]\nprovider = \"openai-compatible\"\nmodel = \"m\"\nbase_url = \"{}/v1\"\napi_key_env = \"MY_KEY\"\nprice = {{ input = 1.0, output = 10.0 }}\n",
            server.root()
        ),
    );
    desk
}

fn calibrate(desk: &Desk, more: &str) -> Run {
    desk.run_with(
        &format!("calibrate --gold gold.jsonl --resamples 200 --judge mini {more} --format json"),
        &[("MY_KEY", KEY)],
    )
}

/// The log as objects; fails where a line is none.
fn lines(desk: &Desk, name: &str) -> Vec<Value> {
    let text = desk.read(name);
    assert!(text.ends_with('\n'), "the last line is whole");
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

fn of<'a>(lines: &'a [Value], event: &str) -> Vec<&'a Value> {
    lines.iter().filter(|line| line["event"] == event).collect()
}

#[test]
fn every_call_is_logged_with_what_it_cost_and_none_of_its_texts() {
    let server = Server::start(|nth, body| match nth {
        3 => Step::json(500, &json!({"error": {"message": "a hiccup"}})),
        _ => knows(body),
    });
    let desk = desk(&server);
    let run = calibrate(&desk, "--log run.log --max-calls 200");
    run.ends(0, &[]);
    let lines = lines(&desk, "run.log");
    let start = of(&lines, "start")[0];
    assert_eq!(start["command"], "tribunal calibrate --gold gold.jsonl --resamples 200 --judge mini --format json");
    assert_eq!(start["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(of(&lines, "settings")[0]["file"], "tribunal.toml");
    assert_eq!(of(&lines, "plan")[0]["to_ask"], 60);
    assert_eq!(of(&lines, "forecast")[0]["calls"], 60);
    let calls = of(&lines, "call");
    assert_eq!(calls.len(), 61);
    for call in &calls {
        assert!(call["key"].as_str().unwrap().len() == 8 && call["latency_ms"].is_u64(), "{call}");
        assert!(["ab", "ba"].contains(&call["order"].as_str().unwrap()), "{call}");
    }
    let good = calls.iter().find(|call| call["status"] == 200).unwrap();
    assert_eq!((&good["input_tokens"], &good["output_tokens"]), (&json!(100), &json!(20)));
    assert!((good["cost_usd"].as_f64().unwrap() - 0.0003).abs() < 1e-12);
    let bad = calls.iter().find(|call| call["status"] == 500).unwrap();
    assert!(bad["error"].as_str().unwrap().contains("a hiccup") && bad["input_tokens"].is_null(), "{bad}");
    let again = calls.iter().find(|call| call["attempt"] == 2).unwrap();
    assert_eq!((&again["item"], &again["order"], &again["key"]), (&bad["item"], &bad["order"], &bad["key"]));
    assert_eq!(of(&lines, "retry").len(), 1);
    assert_eq!(of(&lines, "saved").iter().map(|line| line["records"].as_u64().unwrap()).sum::<u64>(), 60);
    assert_eq!(of(&lines, "judge").iter().map(|line| line["made"].as_u64().unwrap()).collect::<Vec<_>>(), [60]);
    assert_eq!(lines.last().unwrap()["event"], "end");
    assert_eq!(lines.last().unwrap()["status"], 0);
    let text = desk.read("run.log");
    assert!(!text.contains("RIGHT-7") && !text.contains("Reasons"), "no text of a question or an answer");
    // The report is the same with and without a log.
    assert_eq!(calibrate(&desk, "").stdout, run.stdout);
}

#[test]
fn texts_are_logged_where_they_are_wanted() {
    let server = Server::start(|_, body| match knows(body) {
        step if body.to_string().contains("question 3?") => step,
        _ => Step::good("\u{1b}[31m\u{9b}1m\u{202e}[[A]]"),
    });
    let desk = desk(&server);
    calibrate(&desk, "--log run.log --log-bodies");
    let lines = lines(&desk, "run.log");
    let bodies = of(&lines, "bodies");
    assert_eq!(bodies.len(), 60);
    let asked: Value = serde_json::from_str(bodies[0]["request"].as_str().unwrap()).unwrap();
    assert_eq!(asked["model"], "m");
    assert!(bodies.iter().any(|line| line["answer"].as_str().unwrap().contains("Reasons.")));
    let calls = of(&lines, "call");
    assert!(bodies.iter().all(|line| calls.iter().any(|call| call["key"] == line["key"])));
    let text = desk.read("run.log");
    assert!(!text.contains(['\u{1b}', '\u{9b}', '\u{202e}', '\u{7f}']), "nothing in it moves a cursor");
}

#[test]
fn no_key_is_in_the_log_however_a_server_throws_it_back() {
    let escaped = KEY.replace('/', r"\/");
    let unicode: String = KEY.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect();
    for (status, body) in [
        (400, format!(r#"{{"error":{{"message":"bad key {KEY}"}}}}"#)),
        (400, format!(r#"{{"error":{{"message":"bad key {escaped}"}}}}"#)),
        (400, format!(r#"{{"error":{{"message":"bad key {unicode}"}}}}"#)),
        (401, format!("Authorization: Bearer {KEY}\r\n")),
        (400, format!(r#"{{"error":{{"message":"bad key {escaped}"#)),
        (400, json!({"error": {"message": format!(r#"upstream said {{"key":"{escaped}"}}"#)}}).to_string()),
        (200, json!({"choices": [{"message": {"content": format!("your key is {KEY}")}}]}).to_string()),
    ] {
        let step = Step::raw(status, "application/json", body.clone());
        let server = Server::start(move |_, _| step.clone());
        let desk = desk(&server);
        for more in ["--log run.log --max-calls 6", "--log run.log --log-bodies --max-calls 6"] {
            calibrate(&desk, more);
        }
        let text = desk.read("run.log");
        assert!(!of(&lines(&desk, "run.log"), "bodies").is_empty(), "{text}");
        assert!(text.contains("****"), "{body}: {text}");
        let read: String = lines(&desk, "run.log").iter().map(strings).collect();
        for spelled in [KEY, &escaped, &unicode, "quite-secret"] {
            assert!(!text.contains(spelled) && !read.contains(spelled), "{body}: {spelled} in {read}");
        }
    }
}

/// Every string of a value, those of JSON texts inside of it too.
fn strings(value: &Value) -> String {
    match value {
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(inner) if !inner.is_string() => format!("{text}\n{}", strings(&inner)),
            _ => format!("{text}\n"),
        },
        Value::Array(values) => values.iter().map(strings).collect(),
        Value::Object(fields) => fields.values().map(strings).collect(),
        _ => String::new(),
    }
}

#[test]
fn an_address_is_logged_without_what_may_be_a_key() {
    let desk = Desk::new();
    for judge in
        ["--judge http://u:pa55@127.0.0.1:1/v1?sig=s3cret#m", "--judge=http://u:pa55@127.0.0.1:1/v1?sig=s3cret#m"]
    {
        desk.run(&format!("calibrate {judge} --log=run.log")).ends(2, &[]);
    }
    let text = desk.read("run.log");
    assert!(!text.contains("pa55") && !text.contains("s3cret"), "{text}");
    assert_eq!(of(&lines(&desk, "run.log"), "end").len(), 2);
}

#[test]
fn what_is_no_log_is_not_written_into() {
    let server = Server::knowing();
    let desk = desk(&server);
    let before = desk.read("gold.jsonl");
    calibrate(&desk, "--log gold.jsonl").ends(2, &["gold.jsonl", "no log of this program"]);
    calibrate(&desk, "--log tribunal.toml").ends(2, &["tribunal.toml"]);
    assert_eq!((desk.read("gold.jsonl"), server.asked()), (before, 0));
}

#[test]
fn a_log_is_appended_to_even_behind_half_a_line() {
    let server = Server::knowing();
    let desk = desk(&server);
    desk.write("run.log", "{\"timestamp\":\"old\"}\n{\"timestamp\":\"cut");
    calibrate(&desk, "--log run.log").ends(0, &[]);
    calibrate(&desk, "--log run.log").ends(0, &[]);
    let text = desk.read("run.log");
    let (old, new) = text.split_once("{\"timestamp\":\"cut\n").unwrap();
    assert_eq!(old, "{\"timestamp\":\"old\"}\n");
    desk.write("new.log", new);
    let lines = lines(&desk, "new.log");
    assert_eq!(of(&lines, "end").len(), 2);
    assert_eq!(of(&lines, "plan")[1]["cached"], 60, "the second run asks nothing");
    assert_eq!(of(&lines, "call").len(), 60);
}

#[test]
fn an_incomplete_run_says_why_it_ended_in_its_log() {
    let server = Server::start(|nth, body| {
        if nth < 5 {
            knows(body)
        } else {
            Step::json(429, &json!({"error": {"message": "slow"}})).with("retry-after", "9999")
        }
    });
    let desk = desk(&server);
    calibrate(&desk, "--log run.log").ends(4, &[]);
    let lines = lines(&desk, "run.log");
    assert!(of(&lines, "incomplete")[0]["why"].as_str().unwrap().contains("come back"));
    let end = lines.last().unwrap();
    assert_eq!((&end["event"], &end["status"], &end["level"]), (&json!("end"), &json!(4), &json!("ERROR")));
}

#[cfg(unix)]
#[test]
fn a_log_that_cannot_be_written_ends_the_command_before_anything_is_asked() {
    let server = Server::knowing();
    let desk = desk(&server);
    calibrate(&desk, "--log nowhere/run.log").ends(2, &["nowhere/run.log", "--log"]);
    calibrate(&desk, "--log .").ends(2, &["the log .", "--log"]);
    if std::path::Path::new("/dev/full").exists() {
        calibrate(&desk, "--log /dev/full").ends(2, &["/dev/full", "--log"]);
        // Nor is anything made in a place where nothing can be.
        calibrate(&desk, "--log /proc/run.log").ends(2, &["/proc/run.log"]);
    }
    calibrate(&desk, "--log-bodies").ends(2, &["--log FILE"]);
    assert_eq!(server.asked(), 0);
    assert!(!desk.has(".tribunal") && !desk.has("certificates"));
}

#[cfg(unix)]
#[test]
fn a_killed_run_leaves_a_log_of_whole_lines() {
    let server = Server::start(|nth, body| {
        let mut step = knows(body);
        step.delay = std::time::Duration::from_millis(if nth > 20 { 10_000 } else { 0 });
        step
    });
    let desk = desk(&server);
    let line = "calibrate --gold gold.jsonl --judge mini --log run.log --log-bodies";
    let mut child = desk.command(line).env("MY_KEY", KEY).stderr(std::process::Stdio::null()).spawn().unwrap();
    // The server holds what comes after; what it answered before has to be in the log.
    server.wait_for(22);
    within_20_s(|| desk.read("run.log").matches("\"event\":\"call\"").count() >= 15);
    child.kill().unwrap();
    child.wait().unwrap();
    let lines = lines(&desk, "run.log");
    assert!(of(&lines, "call").len() >= 15 && of(&lines, "end").is_empty());
}
