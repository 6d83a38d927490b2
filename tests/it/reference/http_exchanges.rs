//! Every scripted exchange of the reference set ends as it says, run through judge, runner and store.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use serde_json::Value;
use tribunal::domain::{Order, Pair, Reading, Said, Verdict};
use tribunal::judge::{HttpClient, Judge, JudgeSpec, Secret};
use tribunal::runner::{Plan, PlanOptions, RunOptions, Stop, Trial, judgments, run};
use tribunal::store::Store;

use super::folder;
use super::http::provider;
use crate::endpoints::both_ways;
use crate::scripted::{Ending, Scripted, Seen, Step};

const KEY: &str = "sk-very-secret-1234567890";

fn step(value: &Value) -> Step {
    let body = match (&value["raw"], &value["body"]) {
        (Value::String(raw), _) | (_, Value::String(raw)) => raw.clone(),
        (_, Value::Null) => String::new(),
        (_, object) => object.to_string(),
    };
    let status = u16::try_from(value["status"].as_u64().unwrap()).unwrap();
    let mut step = Step { headers: Vec::new(), ..Step::raw(status, "", body) };
    for (name, header) in value["headers"].as_object().into_iter().flatten() {
        step = step.with(name, header.as_str().unwrap());
    }
    step.delay = Duration::from_millis(value["delay_ms"].as_u64().unwrap_or(0));
    if let Some(bytes) = value["close_after_bytes"].as_u64() {
        step.ending = Ending::Cut(usize::try_from(bytes).unwrap());
    }
    step
}

fn steps(case: &Value) -> Vec<Step> {
    let given = case["steps"].as_array().unwrap();
    let mut steps: Vec<_> = given.iter().map(step).collect();
    if given.last().is_none_or(|last| last["repeat"] != true) {
        steps.push(Step::good("Reasons.\n[[A]]"));
    }
    steps
}

struct Ended {
    result: &'static str,
    verdict: &'static str,
    words: String,
    seen: Vec<Seen>,
    saved: String,
    has_cost: bool,
}

async fn ended(case: &Value, client: &HttpClient) -> Ended {
    let server = Scripted::start(steps(case)).await;
    let prompt = tribunal::prompt::embedded("pairwise.en").unwrap();
    let mut spec = JudgeSpec::new("mini", provider(case), "judge-9", prompt);
    let base = case["base_url"].as_str().unwrap_or("http://HOST/v1");
    spec.base_url = Some(base.replace("http://HOST", &server.root));
    spec.api_key = Some(Secret::new(KEY));
    (spec.temperature, spec.max_tokens) = (Some(0.0), Some(256));
    spec.timeout = Duration::from_secs(case["timeout_s"].as_u64().unwrap_or(20));
    let judges = [Judge::endpoint(spec, client).unwrap()];
    let pairs = [Pair::new("q1", "2+2?", "4", "5")];
    let trial = Trial { items: &pairs, judges: &judges };
    let plan_options = PlanOptions { orders: vec![Order::Ab], ..PlanOptions::default() };
    let plan = Plan::new(&trial, &plan_options, &mut |_| false).unwrap();
    let timestamp = || "2026-01-02T03:04:05Z".to_owned();
    let mut options = RunOptions::new(&timestamp);
    options.retry.first_delay = Duration::from_millis(200);
    let mut store = Store::memory();
    let outcome = run(&trial, &plan, &mut store, &options, Stop::never(), &mut |_| {}).await;
    let saved = store.records().map(|record| serde_json::to_string(&record).unwrap()).collect();
    let (result, verdict, words, has_cost) = match outcome {
        Err(error) => ("run_stopped", "", error.to_string(), false),
        Ok(outcome) => {
            let judgments = judgments(&trial, &plan, &outcome);
            let detail = judgments[0].detail.clone().unwrap();
            let words = detail.why.unwrap_or_default();
            let has_cost = detail.cost_usd.is_some();
            match (judgments[0].said, outcome.incomplete) {
                (_, Some(incomplete)) => ("run_stopped", "", incomplete.to_string(), has_cost),
                (Said::InOrder(_, Reading::Said(Verdict::First)), _) => ("verdict", "A", words, has_cost),
                (Said::InOrder(_, Reading::Said(Verdict::Second)), _) => ("verdict", "B", words, has_cost),
                (Said::InOrder(_, Reading::Said(Verdict::Tie)), _) => ("verdict", "tie", words, has_cost),
                _ => ("item_error", "", words, has_cost),
            }
        }
    };
    Ended { result, verdict, words, seen: server.seen(), saved, has_cost }
}

/// What is not as the case says.
fn complaints(case: &Value, ended: &Ended) -> Vec<String> {
    let expect = &case["expect"];
    let texts = |list: &Value| -> Vec<String> {
        list.as_array().into_iter().flatten().map(|text| text.as_str().unwrap().to_owned()).collect()
    };
    let mut wrong = Vec::new();
    if [&ended.words, &ended.saved].iter().any(|text| text.contains(KEY)) {
        wrong.push("the key is in it".to_owned());
    }
    if expect["result"] != ended.result {
        if !texts(&case["also_ok"]).iter().any(|also| also == ended.result) {
            wrong.push(format!("{} instead of {}", ended.result, expect["result"]));
        }
        return wrong;
    }
    let calls = ended.seen.len() as u64;
    if expect["calls"].as_u64().is_some_and(|wanted| wanted != calls) {
        wrong.push(format!("{calls} calls instead of {}", expect["calls"]));
    }
    if expect["calls_max"].as_u64().is_some_and(|most| calls > most) {
        wrong.push(format!("{calls} calls, {} at most", expect["calls_max"]));
    }
    if expect["verdict"].as_str().is_some_and(|wanted| wanted != ended.verdict) {
        wrong.push(format!("verdict {}", ended.verdict));
    }
    let waits = ended.seen.windows(2).map(|pair| pair[1].at.duration_since(pair[0].at).as_secs_f64());
    for (wait, wanted) in waits.zip(expect["waits"].as_array().into_iter().flatten()) {
        if wait + 0.02 < wanted["min_s"].as_f64().unwrap() || wait > wanted["max_s"].as_f64().unwrap() {
            wrong.push(format!("waited {wait} s, wanted {wanted}"));
        }
    }
    for mention in texts(&expect["mention"]) {
        if !ended.words.to_lowercase().contains(&mention.to_lowercase()) {
            wrong.push(format!("no {mention:?} in {:?}", ended.words));
        }
    }
    let second = |field: &String| ended.seen.get(1).is_some_and(|seen| seen.body.get(field).is_some());
    wrong.extend(texts(&expect["request_2_has"]).iter().filter(|f| !second(f)).map(|f| format!("no {f}")));
    wrong.extend(texts(&expect["request_2_lacks"]).iter().filter(|f| second(f)).map(|f| format!("{f} again")));
    wrong.extend(texts(&expect["recorded"]).iter().filter(|f| !ended.saved.contains(*f)).map(|f| format!("{f} lost")));
    if expect["path"].as_str().is_some_and(|path| ended.seen.iter().any(|seen| seen.path != path)) {
        wrong.push(format!("asked at {}", ended.seen[0].path));
    }
    if expect["cost"] == "unknown" && ended.has_cost {
        wrong.push("an unknown cost became a number".to_owned());
    }
    wrong
}

#[tokio::test]
async fn every_exchange_ends_as_it_should_with_its_waits_and_calls() {
    let Some(folder) = folder() else { return };
    let text = std::fs::read_to_string(folder.join("cases/http.jsonl")).unwrap();
    let cases: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ways = both_ways();
    let asked: Vec<_> =
        cases.iter().flat_map(|case| ways.iter().map(move |(way, client)| (case, *way, client))).collect();
    let ended = asked.iter().map(|(case, _, client)| ended(case, client));
    let ended = futures_util::future::join_all(ended).await;
    let (mut must, mut should) = (Vec::new(), Vec::new());
    for ((case, way, _), ended) in asked.iter().zip(&ended) {
        let found = complaints(case, ended);
        if !found.is_empty() {
            let list = if case["level"] == "must" { &mut must } else { &mut should };
            list.push(format!("{} {}, {way}: {}", case["id"], case["title"], found.join("; ")));
        }
    }
    eprintln!("not as a good tool would: {should:#?}");
    assert!(must.is_empty(), "{must:#?}");
    assert!(cases.len() >= 40, "{} cases", cases.len());
}
