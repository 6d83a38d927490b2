#![allow(clippy::unwrap_used)]

use super::super::{Dialect, TokenLimit, plain};
use super::*;

fn message(role: &str, content: &str) -> Message {
    Message { role: role.to_owned(), content: content.to_owned() }
}

#[test]
fn the_system_text_stands_apart_and_what_is_not_set_is_not_sent() {
    let messages = [message("system", "Be fair."), message("user", "hi")];
    assert_eq!(
        Value::Object(body(&plain("m"), &messages)).to_string(),
        r#"{"systemInstruction":{"parts":[{"text":"Be fair."}]},"contents":[{"role":"user","parts":[{"text":"hi"}]}]}"#
    );
}

#[test]
fn what_is_set_takes_the_services_own_names() {
    let mut settings = plain("gemini-3-flash");
    (settings.temperature, settings.top_p, settings.seed) = (Some(0.0), Some(0.5), Some(7));
    settings.limit = Some(TokenLimit::Plain(64));
    settings.stop = vec!["END".to_owned()];
    settings.effort = Some("low".to_owned());
    settings.format = Format::JsonSchema(json!({"type": "object"}));
    settings.extra =
        json!({"generationConfig": {"topK": 3, "thinkingConfig": {"includeThoughts": true}}, "safetySettings": []})
            .as_object()
            .cloned()
            .unwrap_or_default();
    let body = Dialect::Generate.body(&settings, &[]);
    assert_eq!(
        body["generationConfig"],
        json!({"temperature": 0.0, "topP": 0.5, "maxOutputTokens": 64, "seed": 7, "stopSequences": ["END"],
            "thinkingConfig": {"thinkingLevel": "low", "includeThoughts": true},
            "responseMimeType": "application/json", "responseJsonSchema": {"type": "object"}, "topK": 3})
    );
    assert_eq!(body["safetySettings"], json!([]));
    assert!(Dialect::Generate.parameters(&settings).get("contents").is_none());
}

#[test]
fn log_probabilities_and_older_thinking_models_have_their_own_fields() {
    let mut settings = plain("models/gemini-2.5-flash");
    settings.effort = Some("medium".to_owned());
    settings.format = Format::Logprobs;
    let body = Dialect::Generate.body(&settings, &[]);
    let wanted = json!({"thinkingConfig": {"thinkingBudget": 8192}, "responseLogprobs": true, "logprobs": 20});
    assert_eq!(body["generationConfig"], wanted);
}

#[test]
fn the_model_stands_in_the_address_and_nothing_can_leave_its_place() {
    let wanted = "https://h/v1beta/models/g-1:generateContent";
    for base in ["https://h", "https://h/", "https://h/v1beta", "https://h/v1beta/"] {
        assert_eq!(address(base, "g-1").as_deref(), Ok(wanted));
        assert_eq!(address(base, "models/g-1").as_deref(), Ok(wanted));
    }
    assert_eq!(address(wanted, "g-1").as_deref(), Ok(wanted));
    assert_eq!(address("https://h/v1", "tunedModels/x").as_deref(), Ok("https://h/v1/tunedModels/x:generateContent"));
    assert_eq!(
        address("https://h/v1", "g?key=1#").as_deref(),
        Ok("https://h/v1/models/g%3Fkey%3D1%23:generateContent")
    );
    assert!(address("https://h/v1beta?key=abc", "g").is_err_and(|why| !why.contains("abc")));
}

fn answer(reason: &str, parts: &Value) -> Completion {
    let value = json!({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": reason}],
        "modelVersion": "served-1",
        "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 15, "thoughtsTokenCount": 5,
            "cachedContentTokenCount": 60, "totalTokenCount": 120}});
    read_answer(&value.to_string(), None).unwrap()
}

#[test]
fn thoughts_stay_apart_and_are_paid_for_as_output() {
    let completion = answer("STOP", &json!([{"text": "[[B]]?", "thought": true}, {"text": "So "}, {"text": "[[A]]"}]));
    assert_eq!(completion.text, "So [[A]]");
    assert_eq!(completion.reasoning.as_deref(), Some("[[B]]?"));
    assert_eq!(completion.served_model.as_deref(), Some("served-1"));
    assert_eq!(completion.usage, Usage { input_tokens: Some(100), output_tokens: Some(20) });
    assert_eq!(completion.extra["reasoning_tokens"], json!(5));
}

#[test]
fn every_finish_reason_has_its_meaning() {
    for (reason, finish) in [
        ("STOP", FinishReason::Stop),
        ("MAX_TOKENS", FinishReason::Length),
        ("SAFETY", FinishReason::ContentFilter),
        ("RECITATION", FinishReason::ContentFilter),
        ("PROHIBITED_CONTENT", FinishReason::ContentFilter),
        ("BLOCKLIST", FinishReason::ContentFilter),
        ("SPII", FinishReason::ContentFilter),
        ("LANGUAGE", FinishReason::Other),
        ("MALFORMED_FUNCTION_CALL", FinishReason::Other),
        ("SOMETHING_NEW", FinishReason::Other),
    ] {
        assert_eq!(answer(reason, &json!([{"text": "x"}])).finish, finish, "{reason}");
    }
}

#[test]
fn thinking_that_used_up_the_limit_is_an_answer_cut_off() {
    let body = r#"{"candidates":[{"content":{"role":"model"},"finishReason":"MAX_TOKENS"}],
        "usageMetadata":{"promptTokenCount":9,"thoughtsTokenCount":64}}"#;
    let completion = read_answer(body, None).unwrap();
    assert_eq!((completion.text.as_str(), completion.finish), ("", FinishReason::Length));
    assert_eq!(completion.usage.output_tokens, Some(64));
}

#[test]
fn a_blocked_question_is_filtered_and_an_empty_answer_worth_another_try() {
    let body = r#"{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":9}}"#;
    let completion = read_answer(body, None).unwrap();
    assert_eq!(completion.finish, FinishReason::ContentFilter);
    assert_eq!(completion.extra["filter"], json!("PROHIBITED_CONTENT"));
    for body in ["", "null", "{}", r#"{"candidates":[]}"#, r#"{"candidates":[{"con"#] {
        assert_eq!(read_answer(body, None).unwrap_err().class, CallClass::Retry(None), "{body}");
    }
}

#[test]
fn log_probabilities_are_kept_as_sent() {
    let body = r#"{"candidates":[{"content":{"parts":[{"text":"A"}]},"finishReason":"STOP",
        "logprobsResult":{"chosenCandidates":[{"token":"A","logProbability":-0.1}]}}]}"#;
    let kept = read_answer(body, None).unwrap().logprobs.unwrap();
    assert_eq!(kept["chosenCandidates"][0]["token"], json!("A"));
}

fn failure(status: u16, words: &str, name: &str, details: &Value) -> Trouble {
    let body = json!({"error": {"code": status, "message": words, "status": name, "details": details}});
    read_failure(status, None, &body.to_string())
}

#[test]
fn a_failure_is_classed_by_status_name_and_details() {
    let none = json!([]);
    assert_eq!(failure(503, "overloaded", "UNAVAILABLE", &none).class, CallClass::Retry(None));
    assert_eq!(failure(403, "no", "PERMISSION_DENIED", &none).class, CallClass::Setup);
    assert_eq!(failure(404, "models/x is not found", "NOT_FOUND", &none).class, CallClass::Setup);
    assert_eq!(failure(400, "too long", "INVALID_ARGUMENT", &none).class, CallClass::Item);
    assert_eq!(failure(400, "location", "FAILED_PRECONDITION", &none).class, CallClass::Setup);
    let key = failure(400, "API key not valid.", "INVALID_ARGUMENT", &json!([{"reason": "API_KEY_INVALID"}]));
    assert!(key.cause == Cause::Key && key.class == CallClass::Setup);
    let limited = failure(429, "slow", "RESOURCE_EXHAUSTED", &json!([{"retryDelay": "2.5s"}]));
    assert_eq!(limited.class, CallClass::RateLimited(Some(Duration::from_millis(2500))));
    let day = json!([{"violations": [{"quotaId": "GenerateRequestsPerDayPerProject"}]}, {"retryDelay": "9s"}]);
    let spent = failure(429, "quota", "RESOURCE_EXHAUSTED", &day);
    assert!(spent.cause == Cause::Quota && spent.class == CallClass::Setup);
    let words = "Invalid JSON payload received. Unknown name \"seed\" at 'generation_config': Cannot find field.";
    assert_eq!(failure(400, words, "INVALID_ARGUMENT", &none).cause, Cause::Unsupported);
    for nonsense in ["-1s", "NaNs", "1e300s", "soon", ""] {
        let limited = failure(429, "slow", "RESOURCE_EXHAUSTED", &json!([{"retryDelay": nonsense}]));
        assert_eq!(limited.class, CallClass::RateLimited(None), "{nonsense}");
    }
}
