#![allow(clippy::unwrap_used)]

use super::super::{Dialect, Outline, plain};
use super::*;
use crate::judge::Secret;
use crate::judge::http::KeyHeader;

fn settings() -> Settings {
    plain("m")
}

#[test]
fn what_is_not_set_is_not_sent() {
    let messages = [Message { role: "user".to_owned(), content: "hi".to_owned() }];
    assert_eq!(
        Dialect::Chat.body(&settings(), &messages).to_string(),
        r#"{"model":"m","messages":[{"role":"user","content":"hi"}]}"#
    );
}

#[test]
fn what_is_set_is_sent_and_extra_fields_win() {
    let mut settings = settings();
    settings.temperature = Some(0.0);
    settings.limit = Some(TokenLimit::Plain(64));
    settings.seed = Some(7);
    settings.stop = vec!["\n\n".to_owned()];
    settings.extra = json!({"top_k": 5, "max_tokens": 9}).as_object().cloned().unwrap_or_default();
    let body = Dialect::Chat.body(&settings, &[]);
    assert_eq!(body["temperature"], json!(0.0));
    assert_eq!(body["seed"], json!(7));
    assert_eq!(body["stop"], json!(["\n\n"]));
    assert_eq!(body["max_tokens"], json!(9));
    assert_eq!(body["top_k"], json!(5));
}

#[test]
fn an_outline_filled_in_is_the_body_to_the_byte() {
    let messages =
        ["system", "user"].map(|role| Message { role: role.to_owned(), content: "日本\n\"x\" \u{7f}".to_owned() });
    let mut settings = settings();
    settings.temperature = Some(0.0);
    settings.format = Format::JsonSchema(json!({"type": "object"}));
    for extra in [json!({}), json!({"top_k": 5, "model": "other"}), json!({"messages": [{"role": "x"}]})] {
        settings.extra = extra.as_object().cloned().unwrap();
        for dialect in [Dialect::Chat, Dialect::Messages, Dialect::Generate] {
            let whole = dialect.body(&settings, &messages).to_string();
            assert_eq!(Outline::new(dialect, settings.clone()).filled(&messages).text(), whole);
        }
    }
}

#[test]
fn the_order_of_extra_fields_does_not_change_the_body() {
    let with = |extra: &str| {
        let mut settings = settings();
        settings.extra = serde_json::from_str(extra).unwrap_or_default();
        Dialect::Chat.body(&settings, &[]).to_string()
    };
    assert_eq!(with(r#"{"a":1,"b":2}"#), with(r#"{"b":2,"a":1}"#));
}

#[test]
fn a_base_address_leads_to_chat_completions_however_it_is_written() {
    for (base, wanted) in [
        ("http://h:1/v1", "http://h:1/v1/chat/completions"),
        ("http://h:1/v1/", "http://h:1/v1/chat/completions"),
        ("http://h:1", "http://h:1/v1/chat/completions"),
        ("http://h:1/", "http://h:1/v1/chat/completions"),
        ("https://h/api/openai", "https://h/api/openai/chat/completions"),
        ("https://h/v1/chat/completions", "https://h/v1/chat/completions"),
        ("https://h/dep/x?api-version=1", "https://h/dep/x/chat/completions?api-version=1"),
        ("https://r.openai.azure.com", "https://r.openai.azure.com/openai/v1/chat/completions"),
        ("https://r.openai.azure.com/openai/", "https://r.openai.azure.com/openai/v1/chat/completions"),
        ("https://r.openai.azure.com/openai/v1/", "https://r.openai.azure.com/openai/v1/chat/completions"),
        (
            "https://r.openai.azure.com/openai/deployments/x/?api-version=1",
            "https://r.openai.azure.com/openai/deployments/x/chat/completions?api-version=1",
        ),
        ("https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1/chat/completions"),
        ("http://[::1]:8080/", "http://[::1]:8080/v1/chat/completions"),
    ] {
        assert_eq!(address(base).as_deref(), Ok(wanted));
    }
}

#[test]
fn azure_takes_plain_keys_and_signed_tokens_in_different_places() {
    let header = |url: &str, key: &str| Dialect::Chat.key_header(url, &Secret::new(key));
    assert_eq!(header("https://r.openai.azure.com/openai/v1/chat/completions", "abcdef"), KeyHeader::Plain("api-key"));
    assert_eq!(header("https://r.openai.azure.com/openai/v1/chat/completions", "eyJa.b.c"), KeyHeader::Bearer);
    assert_eq!(header("https://h/r.openai.azure.com/v1/chat/completions", "abcdef"), KeyHeader::Bearer);
}

#[test]
fn thoughts_in_a_list_of_texts_are_all_kept() {
    let thoughts = json!([{"type": "text", "text": "[[B]]"}, {"type": "text", "text": "?"}]);
    let parts = json!([{"type": "thinking", "thinking": thoughts}, {"type": "thinking", "thinking": "!"},
        {"type": "text", "text": "[[A]]"}]);
    let completion = answer(&json!({"finish_reason": "stop", "message": {"content": parts}})).unwrap();
    assert_eq!((completion.text.as_str(), completion.reasoning.as_deref()), ("[[A]]", Some("[[B]]?!")));
}

fn answer(choice: &Value) -> Result<Completion, Trouble> {
    read_answer(
        &json!({"model": "served-1", "choices": [choice], "system_fingerprint": "fp_1", "new": {"field": 1},
        "usage": {"prompt_tokens": 100, "completion_tokens": 20}})
        .to_string(),
        None,
    )
}

#[test]
fn a_good_answer_is_read_with_all_that_came_along() {
    let choice = json!({"finish_reason": "stop", "message": {"content": "[[A]]", "reasoning_content": "hm"}});
    let completion = answer(&choice).unwrap();
    assert_eq!(completion.text, "[[A]]");
    assert_eq!(completion.reasoning.as_deref(), Some("hm"));
    assert_eq!(completion.finish, FinishReason::Stop);
    assert_eq!(completion.served_model.as_deref(), Some("served-1"));
    assert_eq!(completion.usage, Usage { input_tokens: Some(100), output_tokens: Some(20) });
    assert_eq!(completion.extra["system_fingerprint"], json!("fp_1"));
}

#[test]
fn text_parts_are_joined_and_thoughts_stay_apart() {
    let parts = json!([{"type": "thinking", "thinking": "[[B]]?"}, {"type": "text", "text": "So\n"},
        {"type": "text", "text": "[[A]]"}]);
    let completion = answer(&json!({"finish_reason": "stop", "message": {"content": parts}})).unwrap();
    assert_eq!(completion.text, "So\n[[A]]");
    assert_eq!(completion.reasoning.as_deref(), Some("[[B]]?"));
}

#[test]
fn empty_content_is_an_answer_and_its_cause_is_kept() {
    for (choice, finish) in [
        (json!({"finish_reason": "length", "message": {"content": "", "reasoning": "..."}}), FinishReason::Length),
        (json!({"finish_reason": "content_filter", "message": {"content": null}}), FinishReason::ContentFilter),
        (json!({"finish_reason": "stop", "message": {"content": null, "refusal": "No."}}), FinishReason::Refusal),
        (json!({"finish_reason": "stop", "message": {"content": null}}), FinishReason::Stop),
        (json!({"finish_reason": null, "message": {}}), FinishReason::Other),
    ] {
        let completion = answer(&choice).unwrap();
        assert_eq!((completion.text.as_str(), completion.finish), ("", finish), "{choice}");
    }
}

#[test]
fn missing_usage_is_unknown_and_never_zero() {
    let completion = read_answer(r#"{"choices":[{"message":{"content":"x"}}]}"#, None).unwrap();
    assert_eq!(completion.usage, Usage::default());
}

#[test]
fn a_success_without_an_answer_is_worth_another_try() {
    for body in [
        r#"{"choices":[]}"#,
        r#"{"choices":null}"#,
        r#"{"choices":[{"finish_reason":"stop"}]}"#,
        r#"{"choices":[{"message":{"content":"Reas"#,
        "",
        "[]",
        "null",
    ] {
        let trouble = read_answer(body, None).unwrap_err();
        assert_eq!(trouble.class, CallClass::Retry(None), "{body}");
    }
}

#[test]
fn an_error_wrapped_in_a_success_means_what_its_code_says() {
    for (error, class) in [
        (json!({"code": 429, "message": "Provider returned error"}), CallClass::RateLimited(None)),
        (json!({"code": "401", "message": "no"}), CallClass::Setup),
        (json!({"code": 502, "message": "bad"}), CallClass::Retry(None)),
        (json!({"code": 400, "message": "too long"}), CallClass::Item),
        (json!({"message": "odd"}), CallClass::Retry(None)),
        (json!("odd"), CallClass::Retry(None)),
    ] {
        let trouble = read_answer(&json!({"choices": null, "error": error}).to_string(), None).unwrap_err();
        assert_eq!(trouble.class, class, "{error}");
    }
}

#[test]
fn token_limits_forms_and_effort_have_their_fields() {
    let mut settings = settings();
    settings.limit = Some(TokenLimit::WithReasoning(9));
    settings.effort = Some("low".to_owned());
    settings.format = Format::Logprobs;
    let wanted = json!({"max_completion_tokens": 9, "reasoning_effort": "low", "logprobs": true, "top_logprobs": 20});
    assert_eq!(Dialect::Chat.parameters(&settings), wanted);
    settings.format = Format::JsonSchema(json!({"type": "object"}));
    let body = Dialect::Chat.body(&settings, &[]);
    let schema = json!({"name": "verdict", "strict": true, "schema": {"type": "object"}});
    assert_eq!(body["response_format"], json!({"type": "json_schema", "json_schema": schema}));
}

#[test]
fn a_used_up_quota_is_no_rate_limit() {
    let body = r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#;
    let trouble = read_failure(429, None, body);
    assert_eq!(trouble.cause, Cause::Quota);
    assert_eq!(trouble.class, CallClass::Setup);
    assert_ne!(read_failure(429, None, r#"{"error":{"code":"rate_limit_exceeded"}}"#).cause, Cause::Quota);
}

#[test]
fn a_value_out_of_range_is_not_an_unsupported_parameter() {
    let unsupported =
        r#"{"error":{"message":"Unsupported value: 'temperature' does not support 0.","param":"temperature"}}"#;
    let range = r#"{"error":{"message":"temperature must be at most 2","param":"temperature"}}"#;
    assert_eq!(read_failure(400, None, unsupported).cause, Cause::Unsupported);
    assert_ne!(read_failure(400, None, range).cause, Cause::Unsupported);
}
