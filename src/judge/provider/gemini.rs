//! `generateContent` of Gemini.
//!
//! The model stands in the address and the key in a header, never in the address. The system text stands apart,
//! thoughts are parts that say so of themselves, and a question that was blocked has no candidate at all.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::address::Base;
use super::trouble::{Cause, Trouble, error_of};
use super::{ALTERNATIVES, Format, Need, Parameter, Settings, append, parse, put, required, text};
use crate::domain::{Completion, FinishReason, Message, Usage};
use crate::judge::CallClass;
use crate::judge::http::excerpt;

/// What a model may reject.
pub const REJECTABLE: &[Parameter] = &[
    generation("temperature", &["generationConfig", "temperature"], &[]),
    generation("top_p", &["generationConfig", "topP"], &["top_p"]),
    generation("seed", &["generationConfig", "seed"], &[]),
    generation("stop", &["generationConfig", "stopSequences"], &["stop_sequences"]),
    generation(
        "reasoning_effort",
        &["generationConfig", "thinkingConfig"],
        &["thinking_config", "thinking", "thinkingLevel", "thinking_level", "thinkingBudget", "thinking_budget"],
    ),
    generation("top_k", &["generationConfig", "topK"], &["top_k"]),
    generation("presence_penalty", &["generationConfig", "presencePenalty"], &["presence_penalty", "penalty"]),
    generation("frequency_penalty", &["generationConfig", "frequencyPenalty"], &["frequency_penalty", "penalty"]),
    required("read", &["generationConfig", "responseLogprobs"], &["response_logprobs", "logprobs"]),
    required("json_schema", &["generationConfig", "responseJsonSchema"], &["response_json_schema"]),
    required("read", &["generationConfig", "responseMimeType"], &["response_mime_type"]),
    required("max_tokens", &["generationConfig", "maxOutputTokens"], &["max_output_tokens"]),
];

const fn generation(
    setting: &'static str,
    path: &'static [&'static str],
    aliases: &'static [&'static str],
) -> Parameter {
    Parameter { setting, path, aliases, need: Need::Optional }
}

/// The request body, without further fields.
pub fn body(settings: &Settings, messages: &[Message]) -> Map<String, Value> {
    let (system, turns): (Vec<_>, Vec<_>) = messages.iter().partition(|message| message.role == "system");
    let system: Vec<Value> = system.iter().map(|message| json!({"text": message.content})).collect();
    let turns: Vec<Value> = turns
        .iter()
        .map(|turn| {
            let role = if turn.role == "assistant" { "model" } else { "user" };
            json!({"role": role, "parts": [{"text": turn.content}]})
        })
        .collect();
    let mut body = Map::new();
    put(&mut body, "systemInstruction", (!system.is_empty()).then(|| json!({"parts": system})));
    put(&mut body, "contents", Some(json!(turns)));
    let config = config(settings);
    put(&mut body, "generationConfig", (!config.is_empty()).then_some(Value::Object(config)));
    body
}

fn config(settings: &Settings) -> Map<String, Value> {
    let mut config = Map::new();
    let mut set = |name: &str, value: Option<Value>| put(&mut config, name, value);
    set("temperature", settings.temperature.map(Value::from));
    set("topP", settings.top_p.map(Value::from));
    set("maxOutputTokens", settings.limit.map(|limit| json!(limit.count())));
    set("seed", settings.seed.map(Value::from));
    set("stopSequences", (!settings.stop.is_empty()).then(|| json!(settings.stop)));
    set("thinkingConfig", settings.effort.as_deref().map(|effort| thinking(&settings.model, effort)));
    match &settings.format {
        Format::Text => {}
        Format::JsonObject => set("responseMimeType", Some(json!("application/json"))),
        Format::JsonSchema(schema) => {
            set("responseMimeType", Some(json!("application/json")));
            set("responseJsonSchema", Some(schema.clone()));
        }
        Format::Logprobs => {
            set("responseLogprobs", Some(json!(true)));
            set("logprobs", Some(json!(ALTERNATIVES)));
        }
    }
    config
}

/// Models of the second generation take a number of tokens for what later ones take as a level. The numbers are those
/// by which the service's own compatible interface translates a `reasoning_effort`.
fn thinking(model: &str, effort: &str) -> Value {
    let is_second = model.rsplit('/').next().is_some_and(|name| name.starts_with("gemini-2"));
    let budget = match effort {
        "none" => Some(0),
        "minimal" | "low" => Some(1024),
        "medium" => Some(8192),
        "high" => Some(24_576),
        _ => None,
    };
    match budget.filter(|_| is_second) {
        Some(budget) => json!({"thinkingBudget": budget}),
        None => json!({"thinkingLevel": effort}),
    }
}

/// The address of the model's `generateContent` under `base`: a bare host gets `/v1beta`; an address that already ends
/// in the method is kept.
pub fn address(base: &str, model: &str) -> Result<String, String> {
    let base = Base::parse(base)?;
    if base.path().ends_with(METHOD) {
        return Ok(base.with(METHOD));
    }
    let model = model.trim().trim_matches('/');
    let path = if model.contains('/') { escaped(model) } else { format!("models/{}", escaped(model)) };
    let version = if base.is_bare() { "/v1beta" } else { "" };
    Ok(base.with(&format!("{version}/{path}{METHOD}")))
}

const METHOD: &str = ":generateContent";

/// The model's name as a part of a path.
fn escaped(model: &str) -> String {
    let mut path = String::new();
    for byte in model.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/@".contains(&byte) {
            path.push(char::from(byte));
        } else {
            const DIGITS: [char; 16] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'];
            path.extend(['%', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
        }
    }
    path
}

/// Reads the body of an answer whose status says that it failed.
pub fn read_failure(status: u16, retry_after: Option<Duration>, body: &str) -> Trouble {
    let value: Value = serde_json::from_str(body).unwrap_or(Value::Null);
    let error = error_of(&value);
    let details = error.get("details").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let asked = details.iter().find_map(|detail| wait(detail.get("retryDelay")?.as_str()?));
    let mut trouble = Trouble::of_status(status, retry_after.or(asked), body, &value);
    let reason = details.iter().find_map(|detail| text(detail, "reason")).unwrap_or_default();
    if status == 400 && (reason.starts_with("API_KEY") || trouble.words.contains("API key")) {
        trouble.settle(Cause::Key);
    } else if status == 429 && details.iter().any(is_daily) {
        // A limit by the day is over tomorrow, not in a minute.
        trouble.settle(Cause::Quota);
    } else if text(error, "status").as_deref() == Some("FAILED_PRECONDITION") {
        trouble.class = CallClass::Setup;
    }
    trouble
}

fn is_daily(detail: &Value) -> bool {
    let violations = detail.get("violations").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    violations.iter().any(|one| text(one, "quotaId").is_some_and(|id| id.contains("PerDay")))
}

/// `"34.07s"`
fn wait(text: &str) -> Option<Duration> {
    let seconds: f64 = text.strip_suffix('s')?.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// Reads an answer whose status says that it worked.
pub fn read_answer(body: &str, retry_after: Option<Duration>) -> Result<Completion, Trouble> {
    let value = parse(body)?;
    if let Some(error) = value.get("error").filter(|error| !error.is_null()) {
        let code = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
        let status = code.filter(|code| (400..600).contains(code)).unwrap_or(500);
        return Err(read_failure(status, retry_after, body));
    }
    let candidate = value.get("candidates").and_then(|candidates| candidates.get(0));
    let blocked = value.get("promptFeedback").and_then(|feedback| text(feedback, "blockReason"));
    let Some(candidate) = candidate.filter(|candidate| candidate.is_object()) else {
        return blocked.map_or_else(
            || Err(Trouble::retry("the answer holds no candidates")),
            |reason| Ok(stopped(&value, &reason)),
        );
    };
    let mut completion = Completion::of_text(String::new());
    let parts = candidate.pointer("/content/parts").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    for part in parts {
        if part.get("thought").and_then(Value::as_bool) == Some(true) {
            append(&mut completion.reasoning, text(part, "text"));
        } else {
            completion.text.push_str(&text(part, "text").unwrap_or_default());
        }
    }
    let reason = candidate.get("finishReason").and_then(Value::as_str);
    completion.finish = finish_of(reason);
    completion.logprobs = candidate.get("logprobsResult").filter(|logprobs| !logprobs.is_null()).cloned();
    about(&value, &mut completion);
    if let (FinishReason::Other | FinishReason::ContentFilter, Some(reason)) = (completion.finish, reason) {
        put(&mut completion.extra, "finish_reason", Some(Value::from(excerpt(reason))));
    }
    Ok(completion)
}

/// The question itself was blocked.
fn stopped(value: &Value, reason: &str) -> Completion {
    let mut completion = Completion::of_text(String::new());
    completion.finish = FinishReason::ContentFilter;
    about(value, &mut completion);
    put(&mut completion.extra, "filter", Some(Value::from(excerpt(reason))));
    completion
}

/// What comes beside the answer.
fn about(value: &Value, completion: &mut Completion) {
    completion.served_model = text(value, "modelVersion");
    let count = |name: &str| value.get("usageMetadata").and_then(|usage| usage.get(name)).and_then(Value::as_u64);
    let (written, thought) = (count("candidatesTokenCount"), count("thoughtsTokenCount"));
    let is_known = written.is_some() || thought.is_some();
    completion.usage = Usage {
        input_tokens: count("promptTokenCount"),
        output_tokens: is_known.then(|| written.unwrap_or(0).saturating_add(thought.unwrap_or(0))),
    };
    let positive = |count: Option<u64>| count.filter(|count| *count > 0).map(Value::from);
    put(&mut completion.extra, "reasoning_tokens", positive(thought));
    put(&mut completion.extra, "cached_tokens", positive(count("cachedContentTokenCount")));
}

fn finish_of(reason: Option<&str>) -> FinishReason {
    match reason {
        Some("STOP") => FinishReason::Stop,
        Some("MAX_TOKENS") => FinishReason::Length,
        Some("SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII") => FinishReason::ContentFilter,
        _ => FinishReason::Other,
    }
}

#[cfg(test)]
#[path = "gemini_tests.rs"]
mod tests;
