#![allow(clippy::unwrap_used)]

use super::*;
use crate::domain::{GoldLabel, NoVerdict, Preference, Reading};
use crate::judge::{JsonForm, Provider};

/// Nothing is sent here, so one client serves all tests.
static CLIENT: std::sync::LazyLock<HttpClient> = std::sync::LazyLock::new(|| HttpClient::new().unwrap());

fn prompt() -> JudgePrompt {
    crate::prompt::embedded("pairwise.en").unwrap()
}

fn spec() -> JudgeSpec {
    let mut spec = JudgeSpec::new("mini", Provider::Compatible, "m-1", prompt());
    spec.base_url = Some("http://127.0.0.1:9/v1".to_owned());
    spec
}

type Change = fn(&mut JudgeSpec);

fn endpoint(tune: impl FnOnce(&mut JudgeSpec)) -> Result<Judge, JudgeError> {
    let mut spec = spec();
    tune(&mut spec);
    Judge::endpoint(spec, &CLIENT)
}

fn pair() -> Pair {
    Pair::new("q1", "2+2?", "4", "5")
}

fn checked() -> Pair {
    let mut pair = pair();
    pair.checks = serde_json::from_value(json!([{"kind": "numeric", "value": 4}])).unwrap();
    pair
}

async fn verdict(judge: &Judge, pair: &Pair, order: Order) -> Reading {
    let request = judge.request(pair, order, 0).unwrap();
    let completion = judge.ask(&request).await.unwrap();
    judge.read(&request, &completion).reading
}

#[test]
fn what_can_change_an_answer_changes_the_fingerprint() {
    let base = endpoint(|_| {}).unwrap().fingerprint().clone();
    let changes: [Change; 12] = [
        |s| s.model = "m-2".to_owned(),
        |s| s.provider = Provider::Ollama,
        |s| s.temperature = Some(0.0),
        |s| s.top_p = Some(0.5),
        |s| s.max_tokens = Some(64),
        |s| s.seed = Some(1),
        |s| s.stop = vec!["x".to_owned()],
        |s| s.read = ReadMode::Json,
        |s| s.read = ReadMode::Logprobs,
        |s| s.max_completion_tokens = Some(64),
        |s| s.reasoning_effort = Some("low".to_owned()),
        |s| s.extra = fields(json!({"top_k": 1})),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        assert_ne!(*endpoint(change).unwrap().fingerprint(), base, "change {number}");
    }
}

#[test]
fn key_host_timeout_price_and_name_do_not_change_the_fingerprint() {
    let base = endpoint(|_| {}).unwrap().fingerprint().clone();
    let changes: [Change; 6] = [
        |s| s.api_key = Some(super::super::Secret::new("sk-123456")),
        |s| s.base_url = Some("https://elsewhere.example/v1".to_owned()),
        |s| s.timeout = std::time::Duration::from_secs(1),
        |s| s.price = Some(Price { input: 1.0, output: 2.0 }),
        |s| s.name = "other".into(),
        |s| s.family = Some("f".to_owned()),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        assert_eq!(*endpoint(change).unwrap().fingerprint(), base, "change {number}");
    }
}

#[test]
fn a_key_depends_on_order_repeat_and_texts_and_is_known_before_the_call() {
    let judge = endpoint(|_| {}).unwrap();
    let key = |pair: &Pair, order, repeat| judge.request(pair, order, repeat).unwrap().key;
    let base = key(&pair(), Order::Ab, 0);
    assert_eq!(base, key(&pair(), Order::Ab, 0));
    assert_ne!(base, key(&pair(), Order::Ba, 0));
    assert_ne!(base, key(&pair(), Order::Ab, 1));
    assert_ne!(base, key(&Pair::new("q1", "2+2?", "4", "6"), Order::Ab, 0));
    assert_eq!(base, key(&Pair::new("q2", "2+2?", "4", "5"), Order::Ab, 0), "the id is not part of the question");
    let request = judge.request(&pair(), Order::Ab, 0).unwrap();
    assert_eq!(request.body.value()["model"], json!("m-1"));
    assert!(request.body.value().get("temperature").is_none());
    assert!(judge.is_call(&request));
}

#[test]
fn settings_without_sense_are_refused_by_name() {
    let cases: [(&str, Change); 20] = [
        ("temperature", |s| s.temperature = Some(f64::NAN)),
        ("top_p", |s| s.top_p = Some(0.0)),
        ("max_tokens", |s| s.max_tokens = Some(0)),
        ("max_tokens", |s| (s.max_tokens, s.max_completion_tokens) = (Some(1), Some(1))),
        ("max_completion_tokens", |s| s.max_completion_tokens = Some(0)),
        ("reasoning_effort", |s| s.reasoning_effort = Some(" ".to_owned())),
        ("json_schema", |s| s.json_form = JsonForm::Schema),
        ("json_schema", |s| (s.read, s.json_form) = (ReadMode::Json, JsonForm::Schema)),
        ("read", |s| (s.provider, s.read) = (Provider::Anthropic, ReadMode::Logprobs)),
        ("read", |s| (s.provider, s.read) = (Provider::Anthropic, ReadMode::Json)),
        ("seed", |s| (s.provider, s.seed, s.tolerant) = (Provider::Anthropic, Some(7), false)),
        ("timeout_s", |s| s.timeout = std::time::Duration::ZERO),
        ("timeout_s", |s| s.timeout = std::time::Duration::MAX),
        ("price", |s| s.price = Some(Price { input: -1.0, output: 0.0 })),
        ("extra", |s| s.extra = fields(json!({"stream": true}))),
        ("extra", |s| s.extra = fields(json!({"API-Key": "sk-1"}))),
        ("temperature", |s| (s.provider, s.temperature) = (Provider::Anthropic, Some(1.5))),
        ("base_url", |s| s.base_url = None),
        ("base_url", |s| s.base_url = Some("localhost:1".to_owned())),
        ("model", |s| s.model = " ".to_owned()),
    ];
    for (setting, change) in cases {
        let message = endpoint(change).unwrap_err().to_string();
        assert!(message.contains(&format!("setting `{setting}`")), "{message}");
    }
    for provider in [Provider::OpenAi, Provider::Anthropic, Provider::Gemini] {
        let keyless = endpoint(|s| (s.provider, s.base_url) = (provider, None)).unwrap_err().to_string();
        assert!(keyless.contains("api_key_env"), "{keyless}");
    }
    let scale = crate::prompt::embedded("pairwise-scale5.en").unwrap();
    let message = endpoint(|s| (s.prompt, s.read) = (scale, ReadMode::Logprobs)).unwrap_err().to_string();
    assert!(message.contains("`read`") && message.contains("pairwise-letter"), "{message}");
}

#[test]
fn a_setting_that_a_provider_has_no_place_for_is_part_of_the_judge_as_asked() {
    let claude = |seed| endpoint(|s| (s.provider, s.seed) = (Provider::Anthropic, seed)).unwrap();
    let (plain, seeded) = (claude(None), claude(Some(7)));
    assert_ne!(plain.fingerprint(), seeded.fingerprint());
    let body = |judge: &Judge| judge.request(&pair(), Order::Ab, 0).unwrap().body;
    assert_eq!(body(&plain), body(&seeded), "it cannot be sent");
    let answer = r#"{"content":[{"type":"text","text":"[[A]]"}],"stop_reason":"end_turn"}"#;
    let request = seeded.request(&pair(), Order::Ab, 0).unwrap();
    let completion = seeded.read_batch(&request, 200, answer).unwrap();
    assert_eq!(completion.extra["dropped_parameters"], json!(["seed"]));
}

#[test]
fn a_schema_is_the_one_of_the_prompts_contract() {
    let json_prompt = || crate::prompt::embedded("pairwise-json.en").unwrap();
    for (provider, place) in [
        (Provider::Compatible, "/response_format/json_schema/schema/required"),
        (Provider::Anthropic, "/output_config/format/schema/required"),
        (Provider::Gemini, "/generationConfig/responseJsonSchema/required"),
    ] {
        let judge = endpoint(|s| {
            (s.provider, s.prompt) = (provider, json_prompt());
            (s.read, s.json_form) = (ReadMode::Json, JsonForm::Schema);
        });
        let request = judge.unwrap().request(&pair(), Order::Ab, 0).unwrap();
        assert_eq!(request.body.value().pointer(place), Some(&json!(["reason", "winner"])), "{}", request.body);
    }
}

#[test]
fn a_batch_line_is_what_would_be_sent_and_its_answer_is_read_as_a_live_one() {
    let judge = endpoint(|s| s.api_key = Some(super::super::Secret::new("sk-123456"))).unwrap();
    let request = judge.request(&pair(), Order::Ab, 0).unwrap();
    let call = judge.batch_body(&request).unwrap();
    assert_eq!((call.path, &call.body), ("/v1/chat/completions", &request.body));
    let good = r#"{"choices":[{"finish_reason":"stop","message":{"content":"sk-123456 [[A]]"}}]}"#;
    let completion = judge.read_batch(&request, 200, good).unwrap();
    assert_eq!(completion.text, "**** [[A]]");
    assert_eq!(judge.read(&request, &completion).reading, Reading::Said(Verdict::First));
    let filtered = r#"{"error":{"message":"no","code":"content_filter"}}"#;
    let completion = judge.read_batch(&request, 400, filtered).unwrap();
    assert_eq!(judge.read(&request, &completion).reading, Reading::None(NoVerdict::Filtered));
    let error = judge.read_batch(&request, 429, r#"{"error":{"message":"slow sk-123456"}}"#).unwrap_err();
    assert_eq!((error.class, error.message.contains("123456")), (CallClass::RateLimited(None), false));
    assert_eq!(judge.read_batch(&request, 200, "").unwrap_err().class, CallClass::Retry(None));
    let claude = endpoint(|s| s.provider = Provider::Anthropic).unwrap();
    let request = claude.request(&pair(), Order::Ab, 0).unwrap();
    assert!(claude.batch_body(&request).unwrap_err().to_string().contains("batch"));
    let control = Judge::control("control:tie", ControlKind::Tie, &[pair()]);
    assert!(control.batch_body(&control.request(&pair(), Order::Ab, 0).unwrap()).is_err());
}

#[tokio::test]
async fn a_recording_of_log_probabilities_is_read_by_them_again() {
    let judge = endpoint(|s| s.read = ReadMode::Logprobs).unwrap();
    let request = judge.request(&pair(), Order::Ab, 0).unwrap();
    assert_eq!(request.body.value()["top_logprobs"], json!(20));
    let token = |text: &str, p: f64| json!({"token": text, "logprob": p.ln()});
    let letter = json!({"token": "A", "logprob": 0.25_f64.ln(), "top_logprobs": [token("A", 0.25), token("B", 0.75)]});
    let choice = json!({"finish_reason": "stop", "message": {"content": "[[A]]"},
        "logprobs": {"content": [token("[[", 1.0), letter, token("]]", 1.0)]}});
    let completion = judge.read_batch(&request, 200, &json!({"choices": [choice]}).to_string()).unwrap();
    let read = judge.read(&request, &completion);
    assert_eq!(read.reading, Reading::Said(Verdict::Second));
    assert!((read.probability.unwrap() - 0.25).abs() < 1e-9);
    let line = json!({"judge": "m", "item": "q1", "order": "ab", "completion": completion}).to_string();
    let recording = Recording::parse(line.as_bytes(), "r.jsonl").unwrap();
    let replayed = Judge::replay(&recording, None, Some(Contract::Bracket)).unwrap();
    let request = replayed.request(&pair(), Order::Ab, 0).unwrap();
    assert_eq!(replayed.read(&request, &replayed.ask(&request).await.unwrap()), read);
}

#[test]
fn an_unknown_price_or_count_is_an_unknown_cost() {
    let usage = Usage { input_tokens: Some(1_000_000), output_tokens: Some(500_000) };
    let priced = endpoint(|s| s.price = Some(Price { input: 0.4, output: 1.6 })).unwrap();
    assert!((priced.cost_usd(&usage).unwrap() - 1.2).abs() < 1e-12);
    assert_eq!(priced.cost_usd(&Usage { input_tokens: Some(1), output_tokens: None }), None);
    assert_eq!(endpoint(|_| {}).unwrap().cost_usd(&usage), None);
}

#[tokio::test]
async fn an_oracle_takes_its_gold_when_built_and_shows_none_in_a_request() {
    let mut labelled = pair();
    labelled.gold = Some(GoldLabel { label: Preference::B, votes: Vec::new(), disputed: false });
    let kind = ControlKind::Oracle { error: 0.0, seed: 0, per: crate::judge::Per::Item };
    let oracle = Judge::control("control:oracle", kind, std::slice::from_ref(&labelled));
    // The pair that is asked about carries no gold.
    assert_eq!(verdict(&oracle, &pair(), Order::Ab).await, Reading::Said(Verdict::Second));
    assert_eq!(verdict(&oracle, &pair(), Order::Ba).await, Reading::Said(Verdict::First));
    let request = oracle.request(&pair(), Order::Ab, 0).unwrap();
    assert!(request.messages.is_empty() && request.body.is_null() && !oracle.is_call(&request));
    let blind = Judge::control("control:oracle", kind, &[pair()]);
    assert!(!blind.applies(&pair()));
    assert!(matches!(blind.request(&pair(), Order::Ab, 0), Err(JudgeError::NotApplicable { .. })));
    let unknown = Judge::control("control:oracle", kind, &[]).request(&pair(), Order::Ab, 0);
    assert!(matches!(unknown, Err(JudgeError::UnknownItem { .. })));
}

#[tokio::test]
async fn checks_decide_alone_and_leave_out_items_without_checks() {
    let judge = Judge::checks(&[checked()]).unwrap();
    assert_eq!(verdict(&judge, &checked(), Order::Ba).await, Reading::Said(Verdict::Second));
    assert!(judge.applies(&checked()) && !judge.applies(&pair()));
    let mut broken = checked();
    broken.checks = serde_json::from_value(json!([{"kind": "regex", "pattern": "("}])).unwrap();
    let message = Judge::checks(&[broken]).unwrap_err().to_string();
    assert!(message.contains("`q1`") && message.contains("checks[0].pattern"), "{message}");
}

#[tokio::test]
async fn what_can_be_checked_is_never_judged() {
    let inner = || Judge::control("control:tie", ControlKind::Tie, &[pair()]);
    let mut both = checked();
    both.response_b = "four: 4".to_owned();
    let judge = Judge::checks_then(&[checked()], inner()).unwrap();
    assert_eq!(judge.name().as_str(), "checks+control:tie");
    assert_eq!(verdict(&judge, &checked(), Order::Ab).await, Reading::Said(Verdict::First));
    let judge = Judge::checks_then(&[both.clone()], inner()).unwrap();
    assert_eq!(verdict(&judge, &both, Order::Ab).await, Reading::Said(Verdict::Tie));
    // What the inner judge is asked has the inner judge's key, so nobody pays for it twice.
    assert_eq!(judge.request(&both, Order::Ab, 0).unwrap().key, inner().request(&both, Order::Ab, 0).unwrap().key);
}

#[test]
fn an_endpoint_behind_checks_is_called_only_for_the_rest() {
    let judge = Judge::checks_then(&[checked()], endpoint(|_| {}).unwrap()).unwrap();
    assert_eq!(judge.kind(), JudgeKind::Endpoint);
    assert!(!judge.is_call(&judge.request(&checked(), Order::Ab, 0).unwrap()));
    let mut other = pair();
    other.id = "q2".into();
    assert!(judge.is_call(&judge.request(&other, Order::Ab, 0).unwrap()));
}

const RECORDING: &str = r#"{"format":1,"kind":"recording","judge":"mini","fingerprint":"fp","model":"m-1","contract":"bracket"}
{"item":"q1","order":"ab","completion":{"text":"So [[A]]","finish":"stop","latency_ms":5}}
{"item":"q1","order":"ba","completion":{"text":"","finish":"length"}}"#;

#[tokio::test]
async fn a_recording_is_read_by_its_own_contract_and_keeps_its_fingerprint() {
    let recording = Recording::parse(RECORDING.as_bytes(), "r.jsonl").unwrap();
    let judge = Judge::replay(&recording, None, None).unwrap();
    assert_eq!((judge.name().as_str(), judge.fingerprint().0.as_str()), ("mini", "fp"));
    assert_eq!(judge.model_name(), Some("m-1"));
    assert_eq!(verdict(&judge, &pair(), Order::Ab).await, Reading::Said(Verdict::First));
    let request = judge.request(&pair(), Order::Ba, 0).unwrap();
    let read = judge.read(&request, &judge.ask(&request).await.unwrap());
    assert_eq!(read.reading, Reading::None(NoVerdict::Truncated));
    assert!(read.why.contains("token"), "{}", read.why);
    assert_eq!(judge.ask(&judge.request(&pair(), Order::Ab, 0).unwrap()).await.unwrap().latency_ms, Some(5));
}

#[test]
fn a_miss_names_item_order_and_repeat() {
    let recording = Recording::parse(RECORDING.as_bytes(), "r.jsonl").unwrap();
    let judge = Judge::replay(&recording, None, None).unwrap();
    let message = judge.request(&pair(), Order::Ba, 1).unwrap_err().to_string();
    for mention in ["r.jsonl", "`mini`", "`q1`", "order ba", "repeat 1"] {
        assert!(message.contains(mention), "{message}");
    }
}

#[test]
fn completions_without_a_contract_are_refused() {
    let text = r#"{"judge":"m","item":"q1","order":"ab","completion":{"text":"[[A]]","finish":"stop"}}"#;
    let recording = Recording::parse(text.as_bytes(), "r.jsonl").unwrap();
    assert!(Judge::replay(&recording, None, None).is_err());
    let judge = Judge::replay(&recording, None, Some(Contract::Bracket)).unwrap();
    assert_eq!(judge.fingerprint(), &Fingerprint::recorded("m"));
}
