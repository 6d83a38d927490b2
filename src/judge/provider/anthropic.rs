//! The messages interface of Anthropic.
//!
//! The system text stands apart, a token limit is required, thinking comes in blocks of its own, and tokens read from
//! or written to the cache are counted beside the input rather than in it.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::address::Base;
use super::trouble::{Cause, Trouble, error_of};
use super::{Format, Parameter, Settings, append, optional, parse, put, required, text};
use crate::domain::{Completion, FinishReason, Message, Usage};
use crate::judge::http::excerpt;

/// The version of the interface that is spoken here.
pub const HEADERS: &[(&str, &str)] = &[("anthropic-version", "2023-06-01")];

/// What a model may reject.
pub const REJECTABLE: &[Parameter] = &[
    optional("temperature", &["temperature"]),
    optional("top_p", &["top_p"]),
    optional("stop", &["stop_sequences"]),
    optional("reasoning_effort", &["output_config", "effort"]),
    optional("top_k", &["top_k"]),
    required("json_schema", &["output_config", "format"], &["output_format", "json_schema"]),
    required("max_tokens", &["max_tokens"], &[]),
];

/// The interface requires a token limit; this one is sent where none is set.
const DEFAULT_LIMIT: u32 = 1024;

/// The request body, without further fields.
pub fn body(settings: &Settings, messages: &[Message]) -> Map<String, Value> {
    let (system, turns): (Vec<_>, Vec<_>) = messages.iter().partition(|message| message.role == "system");
    let system: Vec<&str> = system.iter().map(|message| message.content.as_str()).collect();
    let limit = settings.limit.map_or(DEFAULT_LIMIT, super::TokenLimit::count);
    let mut body = Map::new();
    let mut set = |name: &str, value: Option<Value>| put(&mut body, name, value);
    set("model", Some(json!(settings.model)));
    set("system", (!system.is_empty()).then(|| json!(system.join("\n\n"))));
    set("messages", Some(json!(turns)));
    set("max_tokens", Some(json!(limit)));
    set("temperature", settings.temperature.map(Value::from));
    set("top_p", settings.top_p.map(Value::from));
    set("stop_sequences", (!settings.stop.is_empty()).then(|| json!(settings.stop)));
    let mut output = Map::new();
    put(&mut output, "effort", settings.effort.as_ref().map(|effort| json!(effort)));
    if let Format::JsonSchema(schema) = &settings.format {
        put(&mut output, "format", Some(json!({"type": "json_schema", "schema": schema})));
    }
    set("output_config", (!output.is_empty()).then_some(Value::Object(output)));
    body
}

/// The address of messages under `base`, with or without `/v1` and a slash at the end.
pub fn address(base: &str) -> Result<String, String> {
    let base = Base::parse(base)?;
    Ok(base.with(if base.is_bare() { "/v1/messages" } else { "/messages" }))
}

/// Reads the body of an answer whose status says that it failed.
pub fn read_failure(status: u16, retry_after: Option<Duration>, body: &str) -> Trouble {
    let value: Value = serde_json::from_str(body).unwrap_or(Value::Null);
    let mut trouble = Trouble::of_status(status, retry_after, body, &value);
    let kind = text(error_of(&value), "type").unwrap_or_default();
    let lower = trouble.words.to_lowercase();
    if kind == "billing_error" || status == 400 && lower.contains("credit balance") {
        trouble.settle(Cause::Quota);
    } else if status == 400 && lower.contains("content filtering policy") {
        trouble.cause = Cause::Filter;
    }
    trouble
}

/// Reads an answer whose status says that it worked.
pub fn read_answer(body: &str, retry_after: Option<Duration>) -> Result<Completion, Trouble> {
    let value = parse(body)?;
    if value.get("error").is_some_and(|error| !error.is_null()) {
        return Err(wrapped(&value, retry_after));
    }
    let Some(blocks) = value.get("content").and_then(Value::as_array) else {
        return Err(Trouble::retry("the answer holds no content"));
    };
    let mut completion = Completion::of_text(String::new());
    for block in blocks {
        match block.get("type").and_then(Value::as_str) {
            Some("text") => completion.text.push_str(&text(block, "text").unwrap_or_default()),
            Some("thinking") => append(&mut completion.reasoning, text(block, "thinking")),
            // Redacted thinking is a cipher, and no tool was offered.
            _ => {}
        }
    }
    let reason = value.get("stop_reason").and_then(Value::as_str);
    completion.finish = finish_of(reason);
    if completion.finish == FinishReason::Refusal {
        completion.refusal = Some(completion.text.clone()).filter(|text| !text.trim().is_empty());
    }
    completion.served_model = text(&value, "model");
    completion.usage = usage(value.get("usage"));
    completion.extra = extra(&value, completion.finish, reason);
    Ok(completion)
}

/// An error inside an answer of status 200: its type says what it means.
fn wrapped(value: &Value, retry_after: Option<Duration>) -> Trouble {
    let status = match text(error_of(value), "type").as_deref() {
        Some("invalid_request_error") => 400,
        Some("authentication_error") => 401,
        Some("billing_error") => 402,
        Some("permission_error") => 403,
        Some("not_found_error") => 404,
        Some("request_too_large") => 413,
        Some("rate_limit_error") => 429,
        Some("timeout_error") => 504,
        Some("overloaded_error") => 529,
        _ => 500,
    };
    read_failure(status, retry_after, &value.to_string())
}

fn finish_of(reason: Option<&str>) -> FinishReason {
    match reason {
        Some("end_turn" | "stop_sequence") => FinishReason::Stop,
        Some("max_tokens" | "model_context_window_exceeded") => FinishReason::Length,
        Some("refusal") => FinishReason::Refusal,
        _ => FinishReason::Other,
    }
}

fn usage(value: Option<&Value>) -> Usage {
    let count = |name: &str| value.and_then(|usage| usage.get(name)).and_then(Value::as_u64);
    let cached = |name: &str| count(name).unwrap_or(0);
    let input = count("input_tokens").map(|tokens| {
        let written = cached("cache_creation_input_tokens");
        tokens.saturating_add(written).saturating_add(cached("cache_read_input_tokens"))
    });
    Usage { input_tokens: input, output_tokens: count("output_tokens") }
}

fn extra(value: &Value, finish: FinishReason, reason: Option<&str>) -> Map<String, Value> {
    let mut extra = Map::new();
    let cached = value.pointer("/usage/cache_read_input_tokens").and_then(Value::as_u64).filter(|count| *count > 0);
    put(&mut extra, "cached_tokens", cached.map(Value::from));
    if let (FinishReason::Other, Some(reason)) = (finish, reason) {
        put(&mut extra, "finish_reason", Some(Value::from(excerpt(reason))));
    }
    extra
}

#[cfg(test)]
#[path = "anthropic_tests.rs"]
mod tests;
