//! A model behind an endpoint.
//!
//! A server may reject a sampling parameter that it does not know. A tolerant endpoint then drops the parameter (or
//! renames the token limit), remembers that for the rest of the run, and writes into each completion what was really
//! sent. That is another request, not a retry; retries belong to the runner.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;

use super::http::{HttpClient, Post, Reply, shown};
use super::provider::openai::{self, ChatSettings, Trouble};
use super::secret::Secret;
use super::{Asking, CallError, Model};
use crate::domain::{Completion, FinishReason, JudgeRequest, Message};

/// Parameters that shape sampling and that a tolerant endpoint may leave out.
const SAMPLING: [&str; 8] =
    ["temperature", "top_p", "seed", "stop", "presence_penalty", "frequency_penalty", "top_k", "min_p"];

/// A model that speaks chat completions.
pub(super) struct Endpoint {
    pub client: HttpClient,
    /// The full address of chat completions.
    pub url: String,
    pub key: Option<Secret>,
    pub timeout: Duration,
    pub settings: ChatSettings,
    pub is_tolerant: bool,
    pub adapted: Mutex<Adapted>,
}

/// What this server turned out not to accept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Adapted {
    dropped: BTreeSet<String>,
    is_limit_renamed: bool,
}

/// The name that newer models want instead of `max_tokens`.
const NEW_LIMIT: &str = "max_completion_tokens";

impl Adapted {
    fn apply(&self, body: &Value) -> Value {
        let Some(fields) = body.as_object() else { return body.clone() };
        let kept = fields.iter().filter(|(name, _)| !self.dropped.contains(*name));
        kept.map(|(name, value)| {
            let renamed = self.is_limit_renamed && name == "max_tokens";
            (if renamed { NEW_LIMIT.to_owned() } else { name.clone() }, value.clone())
        })
        .collect()
    }

    /// Learns from a rejection of the body `sent`; false where it teaches nothing new.
    fn learn(&mut self, trouble: &Trouble, sent: &Value) -> bool {
        if !trouble.is_unsupported {
            return false;
        }
        let complains_of =
            |name: &str| trouble.param.as_deref().map_or_else(|| names(&trouble.words, name), |param| param == name);
        let has = |name: &str| sent.get(name).is_some();
        if has("max_tokens") && complains_of("max_tokens") && trouble.words.contains(NEW_LIMIT) {
            self.is_limit_renamed = true;
            return true;
        }
        match SAMPLING.iter().find(|name| has(name) && complains_of(name)) {
            Some(name) => self.dropped.insert((*name).to_owned()),
            None => false,
        }
    }

    /// Writes into a completion what was sent otherwise than asked.
    fn record(&self, asked: &Value, completion: &mut Completion) {
        let dropped: Vec<&String> = self.dropped.iter().filter(|name| asked.get(name.as_str()).is_some()).collect();
        if !dropped.is_empty() {
            completion.extra.insert("dropped_parameters".to_owned(), dropped.into_iter().cloned().collect());
        }
        if self.is_limit_renamed && asked.get("max_tokens").is_some() {
            completion.extra.insert("renamed_parameters".to_owned(), serde_json::json!({"max_tokens": NEW_LIMIT}));
        }
    }
}

/// True where `words` hold `name` as a word of its own.
fn names(words: &str, name: &str) -> bool {
    words.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).any(|word| word == name)
}

impl Model for Endpoint {
    fn body(&self, messages: &[Message]) -> Value {
        openai::body(&self.settings, messages)
    }

    fn ask<'a>(&'a self, request: &'a JudgeRequest) -> Asking<'a> {
        Box::pin(self.exchange(&request.body))
    }
}

impl Endpoint {
    async fn exchange(&self, asked: &Value) -> Result<Completion, CallError> {
        // Each round but the last teaches something, and there are no more things to learn than this.
        for _ in 0..=SAMPLING.len() {
            let adapted = self.adapted().clone();
            let sent = adapted.apply(asked);
            let reply = self.send(&sent).await?;
            let trouble = match read(&reply) {
                Ok(mut completion) => {
                    completion.latency_ms = Some(reply.latency_ms);
                    adapted.record(asked, &mut completion);
                    return Ok(completion);
                }
                Err(trouble) => trouble,
            };
            // Another call may have learnt the same meanwhile, so the question is whether the body changes.
            let learnt = self.is_tolerant && {
                let mut state = self.adapted();
                state.learn(&trouble, &sent);
                state.apply(asked) != sent
            };
            if !learnt {
                return Err(self.explain(&reply, trouble));
            }
        }
        Err(CallError {
            class: super::CallClass::Item,
            status: Some(400),
            message: format!("{}: the server keeps rejecting parameters", shown(&self.url)),
        })
    }

    async fn send(&self, body: &Value) -> Result<Reply, CallError> {
        let text = body.to_string();
        // This service reads plain keys from a header of its own.
        let key_header = shown(&self.url).contains(".azure.com/").then_some("api-key");
        let post =
            Post { url: &self.url, body: text.as_bytes(), key: self.key.as_ref(), key_header, timeout: self.timeout };
        self.client.post(post).await
    }

    fn adapted(&self) -> MutexGuard<'_, Adapted> {
        // The state is two plain fields, whole at every moment; a panic elsewhere does not spoil it.
        self.adapted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn explain(&self, reply: &Reply, trouble: Trouble) -> CallError {
        let place = shown(&self.url);
        let status = reply.status;
        let words = if trouble.words.is_empty() { "no explanation".to_owned() } else { trouble.words };
        let hint = match status {
            _ if trouble.is_quota => "; the quota is used up, and waiting will not help".to_owned(),
            200..=299 if reply.is_html => "; a web page, not an answer: check `base_url`".to_owned(),
            300..=399 => match &reply.location {
                Some(place) => format!("; the server points to {}: set `base_url` to the right address", shown(place)),
                None => "; a redirect: set `base_url` to the right address".to_owned(),
            },
            401 if self.key.is_none() => "; no key was sent: set `api_key_env`".to_owned(),
            401 | 403 => "; check the key named by `api_key_env` and its access to the model".to_owned(),
            402 => "; the account has no credit left".to_owned(),
            404 | 405 | 410 => {
                format!("; check `model` (`{}`) and `base_url`{}", self.settings.model, self.version_hint())
            }
            _ => String::new(),
        };
        CallError {
            class: trouble.class,
            status: Some(status),
            message: format!("{place}: status {status}: {words}{hint}"),
        }
    }

    fn version_hint(&self) -> &'static str {
        if self.url.contains("/v1/") { " (asked under /v1)" } else { ", which usually ends in /v1" }
    }
}

fn read(reply: &Reply) -> Result<Completion, Trouble> {
    if (200..300).contains(&reply.status) {
        return match openai::read_answer(&reply.body, reply.retry_after) {
            Err(mut trouble) if reply.is_html => {
                trouble.class = super::CallClass::Setup;
                trouble.words = super::http::excerpt(&reply.body);
                Err(trouble)
            }
            // Kept as a completion, since filtered items are not a random sample and are counted apart.
            Err(trouble) if trouble.is_filtered => Ok(filtered(&trouble)),
            read => read,
        };
    }
    let trouble = openai::read_failure(reply.status, reply.retry_after, &reply.body);
    if trouble.is_filtered { Ok(filtered(&trouble)) } else { Err(trouble) }
}

fn filtered(trouble: &Trouble) -> Completion {
    let mut completion = Completion::of_text(String::new());
    completion.finish = FinishReason::ContentFilter;
    completion.extra.insert("filter".to_owned(), Value::from(trouble.words.clone()));
    completion
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;

    fn rejection(message: &str, param: Option<&str>) -> Trouble {
        openai::read_failure(400, None, &json!({"error": {"message": message, "param": param}}).to_string())
    }

    #[test]
    fn a_rejected_parameter_is_dropped_and_recorded() {
        let asked = json!({"model": "m", "temperature": 0, "seed": 7});
        let mut adapted = Adapted::default();
        assert!(adapted.learn(&rejection("Unsupported value: 'temperature' does not support 0", None), &asked));
        assert_eq!(adapted.apply(&asked), json!({"model": "m", "seed": 7}));
        let mut completion = Completion::of_text("x");
        adapted.record(&asked, &mut completion);
        assert_eq!(completion.extra["dropped_parameters"], json!(["temperature"]));
    }

    #[test]
    fn the_token_limit_is_renamed_in_place() {
        let asked = json!({"model": "m", "max_tokens": 64});
        let mut adapted = Adapted::default();
        let words = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
        assert!(adapted.learn(&rejection(words, Some("max_tokens")), &asked));
        assert_eq!(adapted.apply(&asked), json!({"model": "m", "max_completion_tokens": 64}));
    }

    #[test]
    fn what_is_no_sampling_parameter_is_never_dropped() {
        let asked = json!({"model": "m", "messages": []});
        let mut adapted = Adapted::default();
        assert!(!adapted.learn(&rejection("Unsupported parameter: 'messages'", Some("messages")), &asked));
        assert!(!adapted.learn(&rejection("Unsupported parameter: 'seed'", Some("seed")), &asked));
    }
}
