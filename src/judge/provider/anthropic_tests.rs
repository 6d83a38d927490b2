#![allow(clippy::unwrap_used)]

use super::super::{Dialect, TokenLimit, plain};
use super::*;
use crate::judge::CallClass;

fn message(role: &str, content: &str) -> Message {
    Message { role: role.to_owned(), content: content.to_owned() }
}

#[test]
fn the_system_text_stands_apart_and_a_token_limit_is_always_sent() {
    let messages = [message("system", "Be fair."), message("user", "hi")];
    assert_eq!(
        Value::Object(body(&plain("m"), &messages)).to_string(),
        r#"{"model":"m","system":"Be fair.","messages":[{"role":"user","content":"hi"}],"max_tokens":1024}"#
    );
}

#[test]
fn what_is_set_takes_the_services_own_names() {
    let mut settings = plain("m");
    (settings.temperature, settings.top_p) = (Some(0.0), Some(0.5));
    settings.limit = Some(TokenLimit::WithReasoning(64));
    settings.seed = Some(7);
    settings.stop = vec!["END".to_owned()];
    settings.effort = Some("low".to_owned());
    settings.format = Format::JsonSchema(json!({"type": "object"}));
    settings.extra = json!({"thinking": {"type": "adaptive"}, "output_config": {"effort": "max"}})
        .as_object()
        .cloned()
        .unwrap_or_default();
    let body = Dialect::Messages.body(&settings, &[]);
    assert_eq!(body["max_tokens"], json!(64));
    assert_eq!(body["stop_sequences"], json!(["END"]));
    assert_eq!(body["thinking"], json!({"type": "adaptive"}));
    let format = json!({"type": "json_schema", "schema": {"type": "object"}});
    assert_eq!(body["output_config"], json!({"effort": "max", "format": format}), "objects are merged");
    assert!(body.get("seed").is_none(), "there is no such field");
    assert_eq!(Dialect::Messages.lacking(&settings), [("seed", json!(7))]);
}

#[test]
fn a_base_address_leads_to_messages_however_it_is_written() {
    for base in ["https://h", "https://h/", "https://h/v1", "https://h/v1/", "https://h/v1/messages"] {
        assert_eq!(address(base).as_deref(), Ok("https://h/v1/messages"));
    }
    assert_eq!(address("https://h/proxy/anthropic/v1").as_deref(), Ok("https://h/proxy/anthropic/v1/messages"));
}

fn answer(stop: &str, content: &Value) -> Completion {
    let usage = json!({"input_tokens": 10, "cache_creation_input_tokens": 5, "cache_read_input_tokens": 85,
        "output_tokens": 20});
    let value =
        json!({"type": "message", "model": "served-1", "content": content, "stop_reason": stop, "usage": usage});
    read_answer(&value.to_string(), None).unwrap()
}

#[test]
fn only_text_blocks_are_the_answer_and_thoughts_are_kept() {
    let content = json!([{"type": "thinking", "thinking": "[[B]]?", "signature": "x"},
        {"type": "redacted_thinking", "data": "[[B]]"}, {"type": "text", "text": "So "},
        {"type": "text", "text": "[[A]]"}]);
    let completion = answer("end_turn", &content);
    assert_eq!(completion.text, "So [[A]]");
    assert_eq!(completion.reasoning.as_deref(), Some("[[B]]?"));
    assert_eq!(completion.served_model.as_deref(), Some("served-1"));
}

#[test]
fn cached_tokens_are_input_too() {
    let completion = answer("end_turn", &json!([]));
    assert_eq!(completion.usage, Usage { input_tokens: Some(100), output_tokens: Some(20) });
    assert_eq!(completion.extra["cached_tokens"], json!(85));
    let bare = read_answer(r#"{"content":[],"stop_reason":"end_turn"}"#, None).unwrap();
    assert_eq!(bare.usage, Usage::default(), "unknown is not zero");
}

#[test]
fn every_stop_reason_has_its_meaning() {
    for (reason, finish) in [
        ("end_turn", FinishReason::Stop),
        ("stop_sequence", FinishReason::Stop),
        ("max_tokens", FinishReason::Length),
        ("model_context_window_exceeded", FinishReason::Length),
        ("refusal", FinishReason::Refusal),
        ("pause_turn", FinishReason::Other),
        ("something_new", FinishReason::Other),
    ] {
        let completion = answer(reason, &json!([{"type": "text", "text": "x"}]));
        assert_eq!(completion.finish, finish, "{reason}");
        assert_eq!(completion.extra.contains_key("finish_reason"), finish == FinishReason::Other, "{reason}");
    }
}

#[test]
fn a_failure_is_classed_by_status_and_told_in_its_own_words() {
    let failure = |status, kind: &str, words: &str| {
        let body = json!({"type": "error", "error": {"type": kind, "message": words}, "request_id": "r"});
        read_failure(status, None, &body.to_string())
    };
    assert_eq!(failure(529, "overloaded_error", "Overloaded").class, CallClass::Retry(None));
    assert_eq!(failure(529, "overloaded_error", "Overloaded").words, "Overloaded");
    assert_eq!(failure(429, "rate_limit_error", "slow").class, CallClass::RateLimited(None));
    assert_eq!(failure(401, "authentication_error", "invalid x-api-key").class, CallClass::Setup);
    assert_eq!(failure(413, "request_too_large", "big").class, CallClass::Item);
    assert_eq!(failure(400, "invalid_request_error", "prompt is too long").class, CallClass::Item);
    let broke = failure(400, "invalid_request_error", "Your credit balance is too low to access the API.");
    assert!(broke.cause == Cause::Quota && broke.class == CallClass::Setup);
    assert_eq!(
        failure(400, "invalid_request_error", "Output blocked by content filtering policy").cause,
        Cause::Filter
    );
    assert_eq!(
        failure(400, "invalid_request_error", "top_k: Extra inputs are not permitted").cause,
        Cause::Unsupported
    );
    assert_ne!(failure(400, "invalid_request_error", "max_tokens: 99999 > 8192").cause, Cause::Unsupported);
}

#[test]
fn an_error_in_a_success_means_what_its_type_says() {
    for (kind, class) in [
        ("overloaded_error", CallClass::Retry(None)),
        ("rate_limit_error", CallClass::RateLimited(None)),
        ("authentication_error", CallClass::Setup),
        ("billing_error", CallClass::Setup),
        ("invalid_request_error", CallClass::Item),
        ("new_error", CallClass::Retry(None)),
    ] {
        let body = json!({"type": "error", "error": {"type": kind, "message": "words"}}).to_string();
        assert_eq!(read_answer(&body, None).unwrap_err().class, class, "{kind}");
    }
}

#[test]
fn what_is_no_whole_answer_is_worth_another_try() {
    for body in ["", "null", "{}", r#"{"content":null}"#, r#"{"content":[{"type":"te"#] {
        assert_eq!(read_answer(body, None).unwrap_err().class, CallClass::Retry(None), "{body}");
    }
}
