//! Chat completions, as `OpenAI` and every compatible server speak them (vLLM, llama.cpp, Ollama, LM Studio, routers).

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::domain::{Completion, FinishReason, Message, Usage};
use crate::judge::CallClass;
use crate::judge::http::{class_of, excerpt};

/// Everything of a request but its messages. What is not set is left out.
#[derive(Debug, Clone)]
pub struct ChatSettings {
    pub model: String,
    pub temperature: Option<f64>,
    pub top_p: Option<f64>,
    pub max_tokens: Option<u32>,
    pub seed: Option<i64>,
    pub stop: Vec<String>,
    /// Ask the server to answer with one JSON object.
    pub json: bool,
    /// Further fields of the body, which win over all others.
    pub extra: Map<String, Value>,
}

/// The request body.
pub fn body(settings: &ChatSettings, messages: &[Message]) -> Value {
    let mut body = Map::new();
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            body.insert(name.to_owned(), value);
        }
    };
    set("model", Some(json!(settings.model)));
    set("messages", Some(json!(messages)));
    set("temperature", settings.temperature.map(Value::from));
    set("top_p", settings.top_p.map(Value::from));
    set("max_tokens", settings.max_tokens.map(Value::from));
    set("seed", settings.seed.map(Value::from));
    set("stop", (!settings.stop.is_empty()).then(|| json!(settings.stop)));
    set("response_format", settings.json.then(|| json!({"type": "json_object"})));
    let mut names: Vec<&String> = settings.extra.keys().collect();
    names.sort();
    for name in names {
        set(name, settings.extra.get(name).cloned());
    }
    Value::Object(body)
}

/// The address of chat completions under `base`: with or without a slash at the end; a bare host gets `/v1`; an
/// address that already ends in the path is kept; a query (`?api-version=…`) stays behind the path.
pub fn address(base: &str) -> Result<String, String> {
    let (scheme, rest) =
        base.split_once("://").ok_or("want an address with its scheme, such as http://HOST:PORT/v1")?;
    if !matches!(scheme, "http" | "https") {
        return Err(format!("found `{scheme}://`, want http:// or https://"));
    }
    let (place, query) = rest.split_once('?').map_or((rest, None), |(place, query)| (place, Some(query)));
    let place = place.trim_end_matches('/');
    let host = place.split('/').next().unwrap_or_default();
    if host.is_empty() {
        return Err(format!("found `{scheme}://` without a host, want http://HOST:PORT/v1"));
    }
    if host.contains('@') {
        return Err("a name or password inside the address would be shown; use `api_key_env`".to_owned());
    }
    let mut url = format!("{scheme}://{place}");
    if host.len() == place.len() {
        url.push_str("/v1");
    }
    if !url.ends_with("/chat/completions") {
        url.push_str("/chat/completions");
    }
    if let Some(query) = query {
        url.push('?');
        url.push_str(query);
    }
    Ok(url)
}

/// What a service says is wrong.
#[derive(Debug, Clone)]
pub struct Trouble {
    pub class: CallClass,
    /// The service's own words, short.
    pub words: String,
    /// The parameter it complains of.
    pub param: Option<String>,
    /// True where a content filter refused the request itself.
    pub is_filtered: bool,
    /// True where the money or the contingent is used up.
    pub is_quota: bool,
    /// True where the service names the parameter as one it does not know or support.
    pub is_unsupported: bool,
}

impl Trouble {
    fn plain(class: CallClass, words: impl Into<String>) -> Self {
        let words = words.into();
        Self { class, words, param: None, is_filtered: false, is_quota: false, is_unsupported: false }
    }
}

/// Reads the body of an answer whose status says that it failed.
pub fn read_failure(status: u16, retry_after: Option<Duration>, body: &str) -> Trouble {
    let value: Value = serde_json::from_str(body).unwrap_or(Value::Null);
    let mut trouble = Trouble::plain(class_of(status, retry_after), words_of(&value).unwrap_or_else(|| excerpt(body)));
    // A list of one error, a nested error, or the bare object: all are in use.
    let value = if let Value::Array(list) = &value { list.first().unwrap_or(&Value::Null) } else { &value };
    let error = value.get("error").filter(|error| error.is_object()).unwrap_or(value);
    let field = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
    let marks = format!("{} {}", field("code"), field("type"));
    trouble.param = error.get("param").and_then(Value::as_str).map(str::to_owned);
    trouble.is_filtered = status == 400 && (marks.contains("content_filter") || marks.contains("content_policy"));
    trouble.is_quota = status == 429 && (marks.contains("insufficient_quota") || marks.contains("billing"));
    trouble.is_unsupported = matches!(status, 400 | 422) && {
        let lower = trouble.words.to_lowercase();
        marks.contains("unsupported")
            || ["unsupported", "not support", "unrecognized", "unknown param", "not permitted", "deprecated"]
                .iter()
                .any(|mark| lower.contains(mark))
    };
    if trouble.is_quota {
        trouble.class = CallClass::Setup;
    }
    trouble
}

/// Reads an answer whose status says that it worked; `retry_after` is what its header asks, should it carry a failure.
pub fn read_answer(body: &str, retry_after: Option<Duration>) -> Result<Completion, Trouble> {
    let retry = |words: &str| Trouble::plain(CallClass::Retry(None), words);
    let value: Value = serde_json::from_str(body).map_err(|error| {
        // What ends as an object and still does not read was sent like that, and would be again.
        let is_whole = !error.is_eof() && body.trim_end().ends_with('}');
        if is_whole {
            Trouble::plain(CallClass::Item, format!("the answer is no valid JSON: {error}"))
        } else {
            retry("the answer is not whole JSON")
        }
    })?;
    let choice = value.get("choices").and_then(|choices| choices.get(0));
    if let Some(error) = value.get("error").filter(|error| !error.is_null()) {
        return Err(wrapped(&value, error, retry_after));
    }
    let Some(choice) = choice else { return Err(retry("the answer holds no choices")) };
    // A router reports the failure of the server behind it inside the choice.
    if let Some(error) = choice.get("error").filter(|error| !error.is_null()) {
        return Err(wrapped(choice, error, retry_after));
    }
    let Some(message) = choice.get("message").filter(|message| message.is_object()) else {
        return Err(retry("the answer's choice holds no message"));
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

/// The message of an error body, in any of the shapes in use.
fn words_of(value: &Value) -> Option<String> {
    let value = if let Value::Array(list) = value { list.first()? } else { value };
    let error = value.get("error").unwrap_or(value);
    let found =
        error.as_str().or_else(|| ["message", "detail", "msg"].iter().find_map(|name| error.get(name)?.as_str()));
    found.map(excerpt).filter(|words| !words.is_empty())
}

fn text(value: &Value, name: &str) -> Option<String> {
    value.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
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
            let words = text(part, "thinking").or_else(|| text(part, "text"));
            completion.reasoning = words.or(completion.reasoning.take());
        }
        _ => completion.text.push_str(part.as_str().or_else(|| part.get("text")?.as_str()).unwrap_or_default()),
    }
}

fn finish_of(reason: Option<&str>) -> FinishReason {
    match reason.map(str::to_ascii_lowercase).as_deref() {
        Some("stop" | "end_turn" | "stop_sequence" | "eos" | "eos_token") => FinishReason::Stop,
        Some("length" | "max_tokens" | "max_output_tokens" | "model_length") => FinishReason::Length,
        Some("content_filter" | "safety") => FinishReason::ContentFilter,
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
