//! Every HTTP exchange of the reference set that one judge alone can answer for: classes, messages, requests sent.
//! Waiting and giving up are the runner's; here a call that may be tried again is tried again at once.
#![allow(clippy::unwrap_used)]

use std::time::{Duration, SystemTime};

use serde_json::Value;
use tribunal::domain::{Order, Pair, Reading, Verdict};
use tribunal::judge::{CallClass, HttpClient, Judge, JudgeSpec, Provider};

use super::folder;
use crate::endpoints::both_ways;
use crate::scripted::{Ending, Scripted, Step};

/// More tries than any case has steps.
const TRIES: usize = 6;
/// A longer wait stops a run.
const LONGEST_WAIT: Duration = Duration::from_mins(10);

#[tokio::test]
async fn every_exchange_ends_as_it_should() {
    let Some(folder) = folder() else { return };
    let text = std::fs::read_to_string(folder.join("cases/http.jsonl")).unwrap();
    let cases: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut wrong = Vec::new();
    for case in &cases {
        for (way, client) in both_ways() {
            if let Err(why) = try_case(case, &client).await {
                wrong.push(format!("{} {}, {way}: {why}", case["id"], case["title"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(cases.len() >= 40, "{} cases", cases.len());
}

struct Ended {
    result: &'static str,
    told: String,
    recorded: String,
}

async fn try_case(case: &Value, client: &HttpClient) -> Result<(), String> {
    let server = start(case).await;
    let judge = judge(case, &server, client);
    let ended = run(&judge).await;
    let expect = &case["expect"];
    if expect["result"] != ended.result {
        let also = case["also_ok"].as_array().is_some_and(|list| list.iter().any(|one| one == ended.result));
        let wanted = &expect["result"];
        return if also { Ok(()) } else { Err(format!("{} instead of {wanted}: {}", ended.result, ended.told)) };
    }
    for mention in list(&expect["mention"]) {
        if !ended.told.to_lowercase().contains(&mention.to_lowercase()) {
            return Err(format!("no mention of {mention}: {}", ended.told));
        }
    }
    for name in list(&expect["recorded"]) {
        if !ended.recorded.contains(&name) {
            return Err(format!("{name} is not recorded: {}", ended.recorded));
        }
    }
    let seen = server.seen();
    if expect["calls"].as_u64().is_some_and(|calls| calls != seen.len() as u64) {
        return Err(format!("{} calls instead of {}", seen.len(), expect["calls"]));
    }
    if expect["path"].as_str().is_some_and(|path| path != seen[0].path) {
        return Err(format!("asked at {}", seen[0].path));
    }
    let has = |name: &String| seen[1].body.get(name).is_some();
    match (
        list(&expect["request_2_has"]).iter().find(|n| !has(n)),
        list(&expect["request_2_lacks"]).iter().find(|n| has(n)),
    ) {
        (None, None) => Ok(()),
        (lacking, present) => Err(format!("second request lacks {lacking:?}, has {present:?}")),
    }
}

fn list(value: &Value) -> Vec<String> {
    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
    items.iter().map(|item| item.as_str().unwrap().to_owned()).collect()
}

async fn run(judge: &Judge) -> Ended {
    let request = judge.request(&Pair::new("q1", "2+2?", "4", "5"), Order::Ab, 0).unwrap();
    let mut told = String::new();
    for _ in 0..TRIES {
        let error = match judge.ask(&request).await {
            Ok(completion) => {
                let read = judge.read(&request, &completion);
                let result = if read.reading == Reading::Said(Verdict::First) { "verdict" } else { "item_error" };
                let recorded = serde_json::to_string(&completion).unwrap();
                return Ended { result, told: read.why, recorded };
            }
            Err(error) => error,
        };
        told = error.message;
        let result = match error.class {
            CallClass::Setup => "run_stopped",
            CallClass::Item => "item_error",
            CallClass::Retry(Some(wait)) | CallClass::RateLimited(Some(wait)) if wait > LONGEST_WAIT => "run_stopped",
            CallClass::Retry(_) | CallClass::RateLimited(_) => continue,
        };
        return Ended { result, told, recorded: String::new() };
    }
    Ended { result: "item_error", told, recorded: String::new() }
}

fn judge(case: &Value, server: &Scripted, client: &HttpClient) -> Judge {
    let prompt = tribunal::prompt::embedded("pairwise.en").unwrap();
    let mut spec = JudgeSpec::new("judge", provider(case), "judge-9", prompt);
    let base = case["base_url"].as_str().unwrap_or("http://HOST/v1");
    spec.base_url = Some(base.replace("http://HOST", &server.root));
    (spec.temperature, spec.max_tokens) = (Some(0.0), Some(64));
    // Short enough for the case in which the server hangs, long enough for a busy machine elsewhere.
    spec.timeout = case["timeout_s"].as_f64().map_or(Duration::from_secs(20), Duration::from_secs_f64);
    Judge::endpoint(spec, client).unwrap()
}

/// Who speaks the interface of the case; another one is an error, so that no case goes by unseen.
pub fn provider(case: &Value) -> Provider {
    match case["api"].as_str().unwrap() {
        "chat_completions" => Provider::Compatible,
        "messages" => Provider::Anthropic,
        other => panic!("no judge speaks {other}"),
    }
}

async fn start(case: &Value) -> Scripted {
    let scripted = case["steps"].as_array().unwrap();
    let mut steps: Vec<Step> = scripted.iter().map(step).collect();
    if scripted.last().is_none_or(|last| last["repeat"] != true) {
        steps.push(Step::good("Reasons.\n[[A]]"));
    }
    Scripted::start(steps).await
}

fn step(value: &Value) -> Step {
    let status = u16::try_from(value["status"].as_u64().unwrap()).unwrap();
    let body = match (value["raw"].as_str(), &value["body"]) {
        (Some(raw), _) => raw.to_owned(),
        (None, Value::String(text)) => text.clone(),
        (None, body) => body.to_string(),
    };
    let mut step = Step::raw(status, "application/json", body);
    step.headers.clear();
    for (name, text) in value["headers"].as_object().into_iter().flatten() {
        step.headers.push((name.clone(), header(text.as_str().unwrap())));
    }
    step.delay = Duration::from_millis(value["delay_ms"].as_u64().unwrap_or(0));
    if let Some(bytes) = value["close_after_bytes"].as_u64() {
        step.ending = Ending::Cut(usize::try_from(bytes).unwrap());
    }
    step
}

/// A header's text, `{{http_date:+2}}` made the date in two seconds.
fn header(text: &str) -> String {
    let Some(offset) = text.strip_prefix("{{http_date:").and_then(|rest| rest.strip_suffix("}}")) else {
        return text.to_owned();
    };
    #[allow(clippy::disallowed_methods)] // the scripted server's own clock
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    let date = now.checked_add_signed(offset.parse().unwrap()).unwrap();
    httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + Duration::from_secs(date))
}
