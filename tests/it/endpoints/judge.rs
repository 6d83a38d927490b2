//! Endpoint judges against a scripted server on this machine.

use std::time::{Duration, SystemTime};

use serde_json::json;
use tribunal::domain::{Completion, FinishReason, NoVerdict, Order, Pair, Reading, Verdict};
use tribunal::judge::{CallClass, CallError, Judge, JudgeSpec, Provider, ReadMode, Secret};
use tribunal::prompt::JudgePrompt;

use crate::scripted::{Ending, Scripted, Step};

const KEY: &str = "sk-very-secret-1234567890";

fn prompt() -> JudgePrompt {
    tribunal::prompt::embedded("pairwise.en").unwrap()
}

fn judge(server: &Scripted, tune: impl FnOnce(&mut JudgeSpec)) -> Judge {
    let mut spec = JudgeSpec::new("mini", Provider::Compatible, "judge-9", prompt());
    spec.base_url = Some(format!("{}/v1", server.root));
    spec.api_key = Some(Secret::new(KEY));
    tune(&mut spec);
    Judge::endpoint(spec, &super::client()).unwrap()
}

async fn ask(judge: &Judge) -> (Result<Completion, CallError>, Option<Reading>) {
    let request = judge.request(&Pair::new("q1", "2+2?", "4", "5"), Order::Ab, 0).unwrap();
    let answer = judge.ask(&request).await;
    let reading = answer.as_ref().ok().map(|completion| judge.read(&request, completion).reading);
    (answer, reading)
}

/// The failure that one answer leads to. Whatever it is, the key is not in it.
async fn failure(step: Step) -> CallError {
    let server = Scripted::start(vec![step]).await;
    let error = ask(&judge(&server, |_| {})).await.0.unwrap_err();
    assert!(!format!("{error} {error:?}").contains(KEY), "{error:?}");
    assert_eq!(server.seen().len(), 1, "a judge never retries");
    error
}

fn error_body(message: &str) -> serde_json::Value {
    json!({"error": {"message": message, "type": "some_error"}})
}

#[tokio::test]
async fn a_good_answer_becomes_a_verdict_with_usage_model_and_latency() {
    let server = Scripted::start(vec![Step::good("Reasons.\n[[A]]")]).await;
    let judge = judge(&server, |spec| spec.temperature = Some(0.0));
    let (answer, reading) = ask(&judge).await;
    let completion = answer.unwrap();
    assert_eq!(reading, Some(Reading::Said(Verdict::First)));
    assert_eq!((completion.usage.input_tokens, completion.usage.output_tokens), (Some(100), Some(20)));
    assert_eq!(completion.served_model.as_deref(), Some("served-1"));
    assert!(completion.latency_ms.is_some());
    let seen = &server.seen()[0];
    assert_eq!(seen.path, "/v1/chat/completions");
    assert_eq!(seen.authorization.as_deref(), Some("Bearer sk-very-secret-1234567890"));
    let request = judge.request(&Pair::new("q1", "2+2?", "4", "5"), Order::Ab, 0).unwrap();
    assert_eq!(seen.body, request.body.value(), "what was hashed is what was sent");
}

#[tokio::test]
async fn without_a_key_no_key_is_sent() {
    let server = Scripted::start(vec![Step::good("[[A]]")]).await;
    let judge = judge(&server, |spec| spec.api_key = None);
    ask(&judge).await.0.unwrap();
    assert_eq!(server.seen()[0].authorization, None);
}

#[tokio::test]
async fn a_bare_host_is_asked_under_v1() {
    let server = Scripted::start(vec![Step::good("[[A]]")]).await;
    for base in [server.root.clone(), format!("{}/", server.root), format!("{}/v1/", server.root)] {
        ask(&judge(&server, |spec| spec.base_url = Some(base))).await.0.unwrap();
    }
    assert!(server.seen().iter().all(|seen| seen.path == "/v1/chat/completions"));
}

#[tokio::test]
async fn a_status_leads_to_its_class_and_the_message_to_the_setting() {
    for (status, class, mentions) in [
        (400, CallClass::Item, vec!["Some words"]),
        (401, CallClass::Setup, vec!["Some words", "api_key_env"]),
        (403, CallClass::Setup, vec!["Some words", "access"]),
        (404, CallClass::Setup, vec!["Some words", "judge-9", "base_url", "/v1/chat/completions"]),
        (408, CallClass::Retry(None), vec![]),
        (422, CallClass::Item, vec![]),
        (429, CallClass::RateLimited(None), vec![]),
        (500, CallClass::Retry(None), vec!["Some words"]),
        (529, CallClass::Retry(None), vec![]),
    ] {
        let error = failure(Step::json(status, &error_body("Some words"))).await;
        assert_eq!((error.status, error.class.clone()), (Some(status), class));
        for mention in mentions {
            assert!(error.message.contains(mention), "{status}: {}", error.message);
        }
    }
}

#[tokio::test]
async fn a_gateways_page_is_quoted_and_no_json_error_shows() {
    let error = failure(Step::raw(502, "text/html", "<title>502 Bad Gateway</title>")).await;
    assert_eq!(error.class, CallClass::Retry(None));
    assert!(error.message.contains("502 Bad Gateway") && !error.message.contains("expected"), "{}", error.message);
}

#[tokio::test]
async fn a_web_page_in_place_of_an_answer_points_to_the_address() {
    let error = failure(Step::raw(200, "text/html", "<html>Welcome</html>")).await;
    assert_eq!(error.class, CallClass::Setup);
    assert!(error.message.contains("base_url"), "{}", error.message);
}

#[tokio::test]
async fn every_form_of_retry_after_reaches_the_class() {
    let limited = |name: &str, value: &str| Step::json(429, &error_body("slow down")).with(name, value);
    let wait = async |step| match failure(step).await.class {
        CallClass::RateLimited(wait) => wait,
        other => panic!("{other:?}"),
    };
    assert_eq!(wait(limited("retry-after", "7")).await, Some(Duration::from_secs(7)));
    assert_eq!(wait(limited("retry-after-ms", "300")).await, Some(Duration::from_millis(300)));
    assert_eq!(wait(limited("retry-after", "soon")).await, None);
    let date = httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + Duration::from_secs(4_000_000_000));
    assert!(wait(limited("retry-after", &date)).await > Some(Duration::from_secs(1_000_000)));
    assert_eq!(wait(limited("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")).await, Some(Duration::ZERO));
    let busy = failure(Step::json(503, &error_body("busy")).with("retry-after", "1")).await;
    assert_eq!(busy.class, CallClass::Retry(Some(Duration::from_secs(1))));
}

#[tokio::test]
async fn a_used_up_quota_stops_and_says_so() {
    let body = json!({"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}});
    let error = failure(Step::json(429, &body)).await;
    assert_eq!(error.class, CallClass::Setup);
    assert!(error.message.contains("quota"), "{}", error.message);
}

#[tokio::test]
async fn a_success_that_carries_a_failure_is_a_failure() {
    let wrapped = json!({"choices": null, "error": {"code": 429, "message": "Provider returned error"}});
    assert_eq!(failure(Step::json(200, &wrapped)).await.class, CallClass::RateLimited(None));
    assert_eq!(failure(Step::json(200, &json!({"choices": []}))).await.class, CallClass::Retry(None));
    let cut = Step::raw(200, "application/json", r#"{"choices":[{"message":{"content":"Reas"#);
    assert_eq!(failure(cut).await.class, CallClass::Retry(None));
}

#[tokio::test]
async fn a_connection_that_breaks_midway_is_worth_another_try() {
    let mut step = Step::good("[[A]]");
    step.ending = Ending::Cut(40);
    let error = failure(step).await;
    assert_eq!(error.class, CallClass::Retry(None));
    assert!(error.message.contains("broke"), "{}", error.message);
}

#[tokio::test]
async fn a_server_that_hangs_runs_into_the_limit() {
    let (mut silent, mut stalled) = (Step::good("[[A]]"), Step::good("[[A]]"));
    silent.delay = Duration::from_mins(1);
    stalled.ending = Ending::Stall(40);
    for step in [silent, stalled] {
        let server = Scripted::start(vec![step]).await;
        let error = ask(&judge(&server, |spec| spec.timeout = Duration::from_millis(200))).await.0.unwrap_err();
        assert_eq!(error.class, CallClass::Retry(None));
        assert!(error.message.contains("timeout_s"), "{}", error.message);
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_with_a_hint() {
    let server = Scripted::start(vec![Step::good("[[A]]")]).await;
    // Port 9 (discard) is not served on a test machine.
    let judge = judge(&server, |spec| spec.base_url = Some("http://127.0.0.1:9/v1".to_owned()));
    let error = ask(&judge).await.0.unwrap_err();
    assert_eq!(error.class, CallClass::Retry(None));
    assert!(error.message.contains("127.0.0.1:9") && error.message.contains("running"), "{}", error.message);
}

#[tokio::test]
async fn an_endless_answer_is_not_read_to_its_end() {
    let error = failure(Step::raw(200, "application/json", vec![b' '; 17 << 20])).await;
    assert_eq!(error.class, CallClass::Item);
    assert!(error.message.contains("16 MiB"), "{}", error.message);
}

#[tokio::test]
async fn a_redirect_is_not_followed_and_the_way_out_is_told() {
    let error = failure(Step::raw(307, "text/plain", "").with("location", "https://new.example/v1/chat?k=1")).await;
    assert_eq!(error.class, CallClass::Setup);
    assert!(error.message.contains("https://new.example/v1/chat:"), "{}", error.message);
}

#[tokio::test]
async fn a_key_that_the_server_sends_back_is_masked_everywhere() {
    let error = failure(Step::json(400, &error_body(&format!("bad key {KEY}!")))).await;
    assert!(error.message.contains("bad key ****!"), "{}", error.message);
    failure(Step::raw(500, "text/plain", format!("{}{KEY}", "x".repeat(390)))).await;
    failure(Step::raw(307, "text/plain", "").with("location", &format!("http://h/{KEY}/v1"))).await;
    let server = Scripted::start(vec![Step::good(&format!("your key is {KEY} [[B]]"))]).await;
    let (answer, reading) = ask(&judge(&server, |_| {})).await;
    assert_eq!(answer.unwrap().text, "your key is **** [[B]]");
    assert_eq!(reading, Some(Reading::Said(Verdict::Second)));
}

#[tokio::test]
async fn a_key_that_no_header_can_carry_is_a_matter_of_setup_and_not_shown() {
    let server = Scripted::start(vec![Step::good("[[A]]")]).await;
    let error = ask(&judge(&server, |spec| spec.api_key = Some(Secret::new("sk-top\u{7}secret")))).await.0.unwrap_err();
    assert_eq!(error.class, CallClass::Setup);
    assert!(error.message.contains("api_key_env") && !error.message.contains("secret"), "{}", error.message);
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn no_text_is_counted_by_its_cause() {
    let choice = |finish: &str, message: serde_json::Value| {
        Step::json(200, &json!({"choices": [{"finish_reason": finish, "message": message}]}))
    };
    let filter = json!({"error": {"message": "filtered by policy", "code": "content_filter"}});
    for (step, wanted) in [
        (choice("length", json!({"content": "", "reasoning_content": "[[A]]?"})), NoVerdict::Truncated),
        (choice("content_filter", json!({"content": null})), NoVerdict::Filtered),
        (choice("stop", json!({"content": null, "refusal": "No."})), NoVerdict::Refused),
        (choice("stop", json!({"content": null})), NoVerdict::Unparsed),
        (Step::json(400, &filter), NoVerdict::Filtered),
    ] {
        let server = Scripted::start(vec![step]).await;
        assert_eq!(ask(&judge(&server, |_| {})).await.1, Some(Reading::None(wanted)));
    }
}

fn rejected(message: &str, param: &str) -> Step {
    Step::json(400, &json!({"error": {"message": message, "code": "unsupported_parameter", "param": param}}))
}

#[tokio::test]
async fn a_tolerant_judge_drops_and_renames_what_the_server_rejects_and_remembers_it() {
    let server = Scripted::start(vec![
        rejected("'max_tokens' is not supported. Use 'max_completion_tokens' instead.", "max_tokens"),
        rejected("'temperature' does not support 0 with this model.", "temperature"),
        Step::good("[[A]]"),
    ])
    .await;
    let judge = judge(&server, |spec| (spec.temperature, spec.max_tokens) = (Some(0.0), Some(64)));
    let completion = ask(&judge).await.0.unwrap();
    assert_eq!(completion.extra["dropped_parameters"], json!(["temperature"]));
    assert_eq!(completion.extra["renamed_parameters"], json!({"max_tokens": "max_completion_tokens"}));
    assert_eq!(completion.finish, FinishReason::Stop);
    ask(&judge).await.0.unwrap();
    let seen = server.seen();
    assert_eq!(seen.len(), 4, "the second question is sent right at once");
    for body in [&seen[2].body, &seen[3].body] {
        assert!(body.get("temperature").is_none() && body.get("max_tokens").is_none(), "{body}");
        assert_eq!(body["max_completion_tokens"], json!(64));
    }
}

#[tokio::test]
async fn a_strict_judge_stops_at_the_first_rejection_and_names_the_setting() {
    for (parameter, mentions) in [
        ("temperature", ["`temperature`", "tolerant"]),
        ("max_tokens", ["`max_tokens`", "set `max_completion_tokens`"]),
    ] {
        let words = format!("'{parameter}' is not supported. Use 'max_completion_tokens' instead.");
        let server = Scripted::start(vec![rejected(&words, parameter), Step::good("[[A]]")]).await;
        let judge = judge(&server, |spec| {
            (spec.temperature, spec.max_tokens, spec.tolerant) = (Some(0.0), Some(64), false);
        });
        let error = ask(&judge).await.0.unwrap_err();
        assert_eq!(error.class, CallClass::Setup);
        for mention in mentions {
            assert!(error.message.contains(mention), "{}", error.message);
        }
        assert_eq!(server.seen().len(), 1);
    }
}

#[tokio::test]
async fn what_the_reading_needs_is_not_dropped_even_by_a_tolerant_judge() {
    let server = Scripted::start(vec![rejected("'logprobs' is not supported with this model", "logprobs")]).await;
    let error = ask(&judge(&server, |spec| spec.read = ReadMode::Logprobs)).await.0.unwrap_err();
    assert_eq!(error.class, CallClass::Setup);
    assert!(error.message.contains("`read`"), "{}", error.message);
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn a_judge_is_asked_from_many_tasks_at_once() {
    let server = Scripted::start(vec![Step::good("[[B]]")]).await;
    let judge = std::sync::Arc::new(judge(&server, |_| {}));
    let tasks: Vec<_> = (0..16)
        .map(|_| {
            let judge = std::sync::Arc::clone(&judge);
            tokio::spawn(async move { ask(&judge).await.1 })
        })
        .collect();
    for task in tasks {
        assert_eq!(task.await.unwrap(), Some(Reading::Said(Verdict::Second)));
    }
}

/// A judge of another interface, under the server's own address without a version.
fn foreign(server: &Scripted, provider: Provider, tune: impl FnOnce(&mut JudgeSpec)) -> Judge {
    judge(server, |spec| {
        (spec.provider, spec.base_url) = (provider, Some(server.root.clone()));
        tune(spec);
    })
}

fn message(stop: &str, text: &str) -> Step {
    let content = json!([{"type": "thinking", "thinking": "[[B]]?"}, {"type": "text", "text": text}]);
    let usage = json!({"input_tokens": 60, "cache_read_input_tokens": 40, "output_tokens": 20});
    Step::json(200, &json!({"model": "served-1", "content": content, "stop_reason": stop, "usage": usage}))
}

fn candidate(finish: &str, text: &str) -> Step {
    let parts = json!([{"text": "[[B]]?", "thought": true}, {"text": text}]);
    let usage = json!({"promptTokenCount": 100, "candidatesTokenCount": 15, "thoughtsTokenCount": 5});
    let candidates = json!([{"content": {"parts": parts}, "finishReason": finish}]);
    Step::json(200, &json!({"candidates": candidates, "modelVersion": "served-1", "usageMetadata": usage}))
}

#[tokio::test]
async fn every_provider_is_asked_at_its_own_place_with_its_own_key_header() {
    for (provider, step, path, header) in [
        (Provider::Anthropic, message("end_turn", "Reasons.\n[[A]]"), "/v1/messages", "x-api-key"),
        (
            Provider::Gemini,
            candidate("STOP", "Reasons.\n[[A]]"),
            "/v1beta/models/judge-9:generateContent",
            "x-goog-api-key",
        ),
    ] {
        let server = Scripted::start(vec![step]).await;
        let (answer, reading) = ask(&foreign(&server, provider, |_| {})).await;
        let completion = answer.unwrap();
        assert_eq!(reading, Some(Reading::Said(Verdict::First)));
        assert_eq!((completion.usage.input_tokens, completion.usage.output_tokens), (Some(100), Some(20)));
        assert_eq!(completion.served_model.as_deref(), Some("served-1"));
        assert_eq!(completion.reasoning.as_deref(), Some("[[B]]?"));
        let seen = &server.seen()[0];
        assert_eq!((seen.path.as_str(), seen.authorization.as_deref()), (path, None));
        assert_eq!(seen.headers[header], KEY);
        assert_eq!(seen.headers.contains_key("anthropic-version"), provider == Provider::Anthropic);
        assert!(!seen.path.contains(KEY) && !seen.body.to_string().contains(KEY));
    }
}

#[tokio::test]
async fn no_text_is_counted_by_its_cause_whoever_answers() {
    let blocked = Step::json(200, &json!({"promptFeedback": {"blockReason": "SAFETY"}}));
    let policy = json!({"type": "error",
        "error": {"type": "invalid_request_error", "message": "Output blocked by content filtering policy"}});
    for (provider, step, wanted) in [
        (Provider::Anthropic, message("max_tokens", "The first"), NoVerdict::Truncated),
        (Provider::Anthropic, message("refusal", "[[A]]"), NoVerdict::Refused),
        (Provider::Anthropic, message("end_turn", ""), NoVerdict::Unparsed),
        (Provider::Anthropic, Step::json(400, &policy), NoVerdict::Filtered),
        (Provider::Gemini, candidate("MAX_TOKENS", ""), NoVerdict::Truncated),
        (Provider::Gemini, candidate("SAFETY", "[[A]]"), NoVerdict::Filtered),
        (Provider::Gemini, candidate("STOP", "I'm sorry, but I can't help with that."), NoVerdict::Refused),
        (Provider::Gemini, candidate("STOP", ""), NoVerdict::Unparsed),
        (Provider::Gemini, blocked, NoVerdict::Filtered),
    ] {
        let server = Scripted::start(vec![step.clone()]).await;
        let reading = ask(&foreign(&server, provider, |_| {})).await.1;
        assert_eq!(reading, Some(Reading::None(wanted)), "{step:?}");
    }
}

#[tokio::test]
async fn no_provider_sends_a_key_further_than_its_header() {
    for provider in [Provider::Anthropic, Provider::Gemini] {
        for step in [
            Step::json(401, &error_body(&format!("bad key {KEY}"))),
            Step::json(400, &error_body(&format!("API key not valid: {KEY}"))),
            Step::raw(500, "text/plain", format!("x-api-key: {KEY}")),
            Step::raw(307, "text/plain", "").with("location", &format!("http://h/{KEY}/v1?key={KEY}")),
        ] {
            let server = Scripted::start(vec![step]).await;
            let error = ask(&foreign(&server, provider, |_| {})).await.0.unwrap_err();
            assert!(!format!("{error} {error:?}").contains(KEY), "{error:?}");
        }
        let echo = match provider {
            Provider::Anthropic => message("end_turn", &format!("{KEY} [[A]]")),
            _ => candidate("STOP", &format!("{KEY} [[A]]")),
        };
        let server = Scripted::start(vec![echo]).await;
        assert_eq!(ask(&foreign(&server, provider, |_| {})).await.0.unwrap().text, "**** [[A]]");
    }
}

#[tokio::test]
async fn a_tolerant_judge_of_another_interface_drops_and_says_so() {
    let words = json!({"error": {"code": 400, "status": "INVALID_ARGUMENT",
        "message": "Invalid JSON payload received. Unknown name \"seed\" at 'generation_config': Cannot find field."}});
    let server = Scripted::start(vec![Step::json(400, &words), candidate("STOP", "[[A]]")]).await;
    let gemini = foreign(&server, Provider::Gemini, |spec| (spec.seed, spec.temperature) = (Some(7), Some(0.0)));
    let completion = ask(&gemini).await.0.unwrap();
    assert_eq!(completion.extra["dropped_parameters"], json!(["seed"]));
    assert_eq!(server.seen()[1].body["generationConfig"], json!({"temperature": 0.0}));
    let words = json!({"type": "error",
        "error": {"type": "invalid_request_error", "message": "`temperature` is deprecated for this model."}});
    let server = Scripted::start(vec![Step::json(400, &words), message("end_turn", "[[A]]")]).await;
    let claude = foreign(&server, Provider::Anthropic, |spec| (spec.seed, spec.temperature) = (Some(7), Some(0.0)));
    let completion = ask(&claude).await.0.unwrap();
    assert_eq!(completion.extra["dropped_parameters"], json!(["seed", "temperature"]));
}

#[tokio::test]
async fn an_overloaded_service_is_worth_another_try_and_its_wait_is_heard() {
    let overloaded = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    let limited = json!({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "slow",
        "details": [{"retryDelay": "3s"}]}});
    for (provider, step, class) in [
        (Provider::Anthropic, Step::json(529, &overloaded), CallClass::Retry(None)),
        (Provider::Gemini, Step::json(429, &limited), CallClass::RateLimited(Some(Duration::from_secs(3)))),
        (
            Provider::Gemini,
            Step::json(429, &limited).with("retry-after", "1"),
            CallClass::RateLimited(Some(Duration::from_secs(1))),
        ),
    ] {
        let server = Scripted::start(vec![step]).await;
        let error = ask(&foreign(&server, provider, |_| {})).await.0.unwrap_err();
        assert_eq!(error.class, class);
    }
}
