//! Chat completions, as `OpenAI` and every compatible server speak them (vLLM, llama.cpp, Ollama, LM Studio, routers).

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::address::Base;
use super::ordinary;
use super::trouble::{Cause, Trouble, error_of, words_of};
use super::{ALTERNATIVES, Format, Parameter, Settings, TokenLimit, append, optional, parse, put, required, text};
use crate::domain::{Completion, FinishReason, Message, Usage};
use crate::judge::CallClass;
use crate::judge::http::excerpt;

/// What a server may reject: first what an answer can be given without.
pub const REJECTABLE: &[Parameter] = &[
    optional("temperature", &["temperature"]),
    optional("top_p", &["top_p"]),
    optional("seed", &["seed"]),
    optional("stop", &["stop"]),
    optional("reasoning_effort", &["reasoning_effort"]),
    optional("presence_penalty", &["presence_penalty"]),
    optional("frequency_penalty", &["frequency_penalty"]),
    optional("top_k", &["top_k"]),
    optional("min_p", &["min_p"]),
    required("read", &["top_logprobs"], &[]),
    required("read", &["logprobs"], &[]),
    required("read", &["response_format"], &["json_schema", "json_object"]),
    required("max_tokens", &["max_tokens"], &[]),
    required("max_completion_tokens", &["max_completion_tokens"], &[]),
];

/// The request body, without further fields.
pub fn body(settings: &Settings, messages: &[Message]) -> Map<String, Value> {
    let mut body = Map::new();
    let mut set = |name: &str, value: Option<Value>| put(&mut body, name, value);
    set("model", Some(json!(settings.model)));
    set("messages", Some(json!(messages)));
    set("temperature", settings.temperature.map(Value::from));
    set("top_p", settings.top_p.map(Value::from));
    match settings.limit {
        Some(TokenLimit::Plain(count)) => set("max_tokens", Some(json!(count))),
        Some(TokenLimit::WithReasoning(count)) => set("max_completion_tokens", Some(json!(count))),
        None => {}
    }
    set("seed", settings.seed.map(Value::from));
    set("stop", (!settings.stop.is_empty()).then(|| json!(settings.stop)));
    set("reasoning_effort", settings.effort.as_ref().map(|effort| json!(effort)));
    match &settings.format {
        Format::Text => {}
        Format::JsonObject => set("response_format", Some(json!({"type": "json_object"}))),
        Format::JsonSchema(schema) => {
            let schema = json!({"name": "verdict", "strict": true, "schema": schema});
            set("response_format", Some(json!({"type": "json_schema", "json_schema": schema})));
        }
        Format::Logprobs => {
            set("logprobs", Some(json!(true)));
            set("top_logprobs", Some(json!(ALTERNATIVES)));
        }
    }
    body
}

/// The address of chat completions under `base`: with or without a slash at the end; a bare host gets `/v1`, a bare
/// Azure resource `/openai/v1`; an address that already ends in the path is kept; a query (`?api-version=…`) stays
/// behind the path.
pub fn address(base: &str) -> Result<String, String> {
    let base = Base::parse(base)?;
    let is_azure = base.is_azure();
    Ok(base.with(match base.path() {
        "" if is_azure => "/openai/v1/chat/completions",
        "/openai" if is_azure => "/v1/chat/completions",
        "" => "/v1/chat/completions",
        _ => "/chat/completions",
    }))
}

/// Reads the body of an answer whose status says that it failed.
pub fn read_failure(status: u16, retry_after: Option<Duration>, body: &str) -> Trouble {
    let value: Value = serde_json::from_str(body).unwrap_or(Value::Null);
    let mut trouble = Trouble::of_status(status, retry_after, body, &value);
    let error = error_of(&value);
    let field = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
    let marks = format!("{} {}", field("code"), field("type"));
    trouble.param = error.get("param").and_then(Value::as_str).map(str::to_owned);
    let has = |mark: &str| marks.contains(mark);
    match status {
        400 if has("content_filter") || has("content_policy") => trouble.cause = Cause::Filter,
        429 if has("insufficient_quota") || has("billing") => trouble.settle(Cause::Quota),
        400 | 422 if has("unsupported") => trouble.cause = Cause::Unsupported,
        _ => {}
    }
    trouble
}

/// Reads an answer whose status says that it worked; `retry_after` is what its header asks, should it carry a failure.
pub fn read_answer(body: &str, retry_after: Option<Duration>) -> Result<Completion, Trouble> {
    ordinary::read(body).map_or_else(|| read_any(body, retry_after), Ok)
}

/// The general way: reads ordinary answers and all others.
pub fn read_any(body: &str, retry_after: Option<Duration>) -> Result<Completion, Trouble> {
    let value = parse(body)?;
    let choice = value.get("choices").and_then(|choices| choices.get(0));
    if let Some(error) = value.get("error").filter(|error| !error.is_null()) {
        return Err(wrapped(&value, error, retry_after));
    }
    let Some(choice) = choice else { return Err(Trouble::retry("the answer holds no choices")) };
    // A router reports the failure of the server behind it inside the choice.
    if let Some(error) = choice.get("error").filter(|error| !error.is_null()) {
        return Err(wrapped(choice, error, retry_after));
    }
    let Some(message) = choice.get("message").filter(|message| message.is_object()) else {
        return Err(Trouble::retry("the answer's choice holds no message"));
    };
    let mut completion = Completion::of_text(String::new());
    read_message(message, &mut completion);
    let finish = choice.get("finish_reason").and_then(Value::as_str);
    completion.finish = finish_of(finish);
    if completion.refusal.is_some() && completion.text.trim().is_empty() {
        completion.finish = FinishReason::Refusal;
    }
    completion.logprobs = choice.get("logprobs").filter(|logprobs| !logprobs.is_null()).cloned();
    completion.served_model = text(&value, "model");
    completion.usage = usage(value.get("usage"));
    completion.extra = extra(&value, completion.finish, finish);
    Ok(completion)
}

/// An error inside an answer of status 200: its own code, where there is one, says what it means.
fn wrapped(holder: &Value, error: &Value, retry_after: Option<Duration>) -> Trouble {
    let words = words_of(holder).unwrap_or_else(|| excerpt(&error.to_string()));
    let code = error.get("code").or_else(|| error.get("status"));
    let code = code.and_then(|code| code.as_u64().or_else(|| code.as_str()?.parse().ok()));
    let status = code.and_then(|code| u16::try_from(code).ok()).filter(|code| (400..600).contains(code));
    match status {
        Some(status) => read_failure(status, retry_after, &json!({"error": error}).to_string()),
        None => Trouble::plain(CallClass::Retry(retry_after), words),
    }
}

fn read_message(message: &Value, completion: &mut Completion) {
    completion.reasoning = text(message, "reasoning_content").or_else(|| text(message, "reasoning"));
    completion.refusal = text(message, "refusal");
    match message.get("content") {
        Some(Value::String(content)) => completion.text.clone_from(content),
        Some(Value::Array(parts)) => {
            for part in parts {
                read_part(part, completion);
            }
        }
        _ => {}
    }
}

fn read_part(part: &Value, completion: &mut Completion) {
    match part.get("type").and_then(Value::as_str) {
        Some("refusal") => completion.refusal = text(part, "refusal").or(completion.refusal.take()),
        Some("thinking" | "reasoning") => {
            // One server writes its thoughts as a list of texts once more.
            let listed = part.get("thinking").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            for words in listed {
                append(&mut completion.reasoning, text(words, "text"));
            }
            append(&mut completion.reasoning, text(part, "thinking").or_else(|| text(part, "text")));
        }
        _ => completion.text.push_str(part.as_str().or_else(|| part.get("text")?.as_str()).unwrap_or_default()),
    }
}

/// Why the model stopped, from the words in use.
pub fn finish_of(reason: Option<&str>) -> FinishReason {
    match reason.map(str::to_ascii_lowercase).as_deref() {
        Some("stop" | "end_turn" | "stop_sequence" | "eos" | "eos_token") => FinishReason::Stop,
        Some("length" | "max_tokens" | "max_output_tokens" | "model_length") => FinishReason::Length,
        Some("content_filter" | "safety" | "recitation" | "blocklist" | "prohibited_content" | "spii") => {
            FinishReason::ContentFilter
        }
        Some("refusal") => FinishReason::Refusal,
        _ => FinishReason::Other,
    }
}

fn usage(value: Option<&Value>) -> Usage {
    let count = |name: &str| value.and_then(|usage| usage.get(name)).and_then(Value::as_u64);
    Usage {
        input_tokens: count("prompt_tokens").or_else(|| count("input_tokens")),
        output_tokens: count("completion_tokens").or_else(|| count("output_tokens")),
    }
}

/// Fields worth keeping that have no place of their own.
fn extra(value: &Value, finish: FinishReason, reason: Option<&str>) -> Map<String, Value> {
    let mut extra = Map::new();
    for name in ["system_fingerprint", "provider"] {
        if let Some(text) = text(value, name) {
            extra.insert(name.to_owned(), Value::String(text));
        }
    }
    for (name, pointer) in [
        ("reasoning_tokens", "/usage/completion_tokens_details/reasoning_tokens"),
        ("cached_tokens", "/usage/prompt_tokens_details/cached_tokens"),
    ] {
        if let Some(count) = value.pointer(pointer).and_then(Value::as_u64).filter(|count| *count > 0) {
            extra.insert(name.to_owned(), Value::from(count));
        }
    }
    if let (FinishReason::Other, Some(reason)) = (finish, reason) {
        extra.insert("finish_reason".to_owned(), Value::from(excerpt(reason)));
    }
    extra
}

#[cfg(test)]
#[path = "openai_tests.rs"]
mod tests;
