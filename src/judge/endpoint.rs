//! A model behind an endpoint.
//!
//! A server may reject a sampling parameter that it does not know. A tolerant endpoint then drops the parameter (or
//! renames the token limit), remembers that for the rest of the run, and writes into each completion what was really
//! sent. That is another request, not a retry; retries belong to the runner. A strict endpoint stops at once.

use std::borrow::Cow;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value};

use super::adapted::{Adapted, Rejected};
use super::error::JudgeError;
use super::http::{self, Address, HttpClient, Post, Reply, shown};
use super::provider::{Cause, Dialect, Format, Outline, TokenLimit, Trouble};
use super::secret::Secret;
use super::spec::EndpointSpec;
use super::{Asking, CallClass, CallError, Model};
use crate::domain::{Body, Completion, JudgeRequest, Message};

/// A model that speaks one of the dialects.
pub(super) struct Endpoint {
    pub client: HttpClient,
    pub dialect: Dialect,
    /// Where to send to, and how.
    pub address: Address,
    pub key: Option<Secret>,
    pub timeout: Duration,
    pub outline: Outline,
    /// Settings that the service has no place for.
    pub lacking: Vec<&'static str>,
    pub is_tolerant: bool,
    pub adapted: Mutex<Adapted>,
}

impl Model for Endpoint {
    fn body(&self, messages: &[Message]) -> Body {
        self.outline.filled(messages)
    }

    fn ask<'a>(&'a self, request: &'a JudgeRequest) -> Asking<'a> {
        Box::pin(self.exchange(request))
    }
}

impl Endpoint {
    /// The endpoint that a spec describes, and the fields of its parameters in a fingerprint.
    pub fn new<P>(
        spec: &EndpointSpec<P>,
        format: Format,
        client: &HttpClient,
    ) -> Result<(Self, Map<String, Value>), JudgeError> {
        let url = spec.check()?;
        let (dialect, settings) = (Dialect::of(spec.provider), spec.settings(format));
        let lacking = dialect.lacking(&settings);
        let mut parameters = Map::from_iter([("parameters".to_owned(), dialect.parameters(&settings))]);
        for (name, value) in &lacking {
            // As asked, although it cannot be sent.
            parameters.insert(format!("lacking_{name}"), value.clone());
        }
        let key = spec.api_key.clone().filter(|key| !key.is_empty());
        let sent_key = key.as_ref().map(|key| (dialect.key_header(&url, key), key));
        let endpoint = Self {
            client: client.clone(),
            dialect,
            address: Address::new(url, sent_key, dialect.headers()),
            key,
            timeout: spec.timeout,
            outline: Outline::new(dialect, settings),
            lacking: lacking.into_iter().map(|(name, _)| name).collect(),
            is_tolerant: spec.tolerant,
            adapted: Mutex::new(Adapted::default()),
        };
        Ok((endpoint, parameters))
    }

    /// The token limit of an answer, as it is sent.
    pub fn max_tokens(&self) -> Option<u32> {
        let extra = |name: &str| self.outline.settings().extra.get(name).and_then(Value::as_u64);
        let extra = extra("max_completion_tokens").or_else(|| extra("max_tokens"));
        let set = self.outline.settings().limit.map(TokenLimit::count);
        extra.and_then(|limit| u32::try_from(limit).ok()).or(set)
    }

    /// The text with the key masked.
    pub fn masked(&self, text: String) -> String {
        http::masked_body(self.key.as_ref(), text)
    }

    /// True where no call leaves this machine.
    pub fn is_local(&self) -> bool {
        self.address.is_local
    }

    async fn exchange(&self, request: &JudgeRequest) -> Result<Completion, CallError> {
        let asked = &request.body;
        // Each round but the last teaches something, and there are no more things to learn than this.
        for _ in 0..=self.dialect.rejectable().len() {
            let adapted = self.adapted().clone();
            let sent = if adapted.is_none() {
                Cow::Borrowed(asked)
            } else {
                Cow::Owned(Body::of(&adapted.apply(self.dialect, &asked.value())))
            };
            let reply = self.send(request, &sent).await?;
            let trouble = match self.read(&reply) {
                Ok(mut completion) => {
                    completion.latency_ms = Some(reply.latency_ms);
                    self.record(&adapted, asked, &mut completion);
                    return Ok(completion);
                }
                Err(trouble) => trouble,
            };
            let (asked, sent) = (asked.value(), sent.value());
            let rejected = Rejected::of(self.dialect, &trouble, &sent);
            // Another call may have learnt the same meanwhile, so the question is whether the body changes.
            let learnt = self.is_tolerant && {
                let mut state = self.adapted();
                if let Some(rejected) = rejected {
                    state.learn(self.dialect, rejected, &sent);
                }
                state.apply(self.dialect, &asked) != sent
            };
            if !learnt {
                return Err(self.explain(&reply, trouble, rejected));
            }
        }
        Err(CallError {
            class: CallClass::Item,
            status: Some(400),
            message: format!("{}: the server keeps rejecting parameters", shown(&self.address.text)),
        })
    }

    /// Reads an answer that came another way, such as in a file of many, as if it had come over the line.
    pub fn read_offline(&self, asked: &Body, status: u16, body: &str) -> Result<Completion, CallError> {
        let body = http::masked_body(self.key.as_ref(), body.to_owned());
        let reply = Reply { status, retry_after: None, is_html: false, location: None, body, latency_ms: 0 };
        match self.read(&reply) {
            Ok(mut completion) => {
                self.record(&Adapted::default(), asked, &mut completion);
                Ok(completion)
            }
            Err(trouble) => {
                let rejected = Rejected::of(self.dialect, &trouble, &asked.value());
                Err(self.explain(&reply, trouble, rejected))
            }
        }
    }

    /// Writes into a completion what was sent otherwise than asked, if anything was.
    fn record(&self, adapted: &Adapted, asked: &Body, completion: &mut Completion) {
        if !adapted.is_none() || !self.lacking.is_empty() {
            adapted.record(self.dialect, &asked.value(), &self.lacking, completion);
        }
    }

    fn read(&self, reply: &Reply) -> Result<Completion, Trouble> {
        self.dialect.read(reply.status, reply.retry_after, &reply.body).map_err(|mut trouble| {
            if reply.is_html && (200..300).contains(&reply.status) {
                trouble.class = CallClass::Setup;
                trouble.words = http::excerpt(&reply.body);
            }
            trouble
        })
    }

    async fn send(&self, request: &JudgeRequest, body: &Body) -> Result<Reply, CallError> {
        let post =
            Post { to: &self.address, body: body.text().to_owned(), key: self.key.as_ref(), timeout: self.timeout };
        let reply = self.client.post(post).await?;
        // Heard by nobody unless a log of the texts was asked for.
        tracing::debug!(
            event = "bodies",
            item = request.item.as_str(),
            order = request.order.as_str(),
            repeat = request.repeat,
            key = request.key.0.short(),
            url = shown(&self.address.text),
            status = reply.status,
            latency_ms = reply.latency_ms,
            request = http::masked_body(self.key.as_ref(), body.text().to_owned()),
            answer = reply.body,
        );
        Ok(reply)
    }

    fn adapted(&self) -> MutexGuard<'_, Adapted> {
        // The state is two plain fields, whole at every moment; a panic elsewhere does not spoil it.
        self.adapted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn explain(&self, reply: &Reply, trouble: Trouble, rejected: Option<Rejected>) -> CallError {
        let (place, status) = (shown(&self.address.text), reply.status);
        let words = if trouble.words.is_empty() { "no explanation" } else { &trouble.words };
        let hint = rejected.map_or_else(
            || self.hint(reply, &trouble),
            |rejected| {
                let (setting, advice) = rejected.setting();
                format!("; the server does not take setting `{setting}`: {advice}")
            },
        );
        // What is set is sent with every question, so no other would fare better.
        let class = if rejected.is_some() { CallClass::Setup } else { trouble.class };
        CallError { class, status: Some(status), message: format!("{place}: status {status}: {words}{hint}") }
    }

    fn hint(&self, reply: &Reply, trouble: &Trouble) -> String {
        match reply.status {
            _ if trouble.cause == Cause::Quota => "; the quota is used up, and waiting will not help".to_owned(),
            200..=299 if reply.is_html => "; a web page, not an answer: check `base_url`".to_owned(),
            300..=399 => match &reply.location {
                Some(place) => format!("; the server points to {}: set `base_url` to the right address", shown(place)),
                None => "; a redirect: set `base_url` to the right address".to_owned(),
            },
            401 if self.key.is_none() => "; no key was sent: set `api_key_env` or `api_key_file`".to_owned(),
            _ if matches!(reply.status, 401 | 403) || trouble.cause == Cause::Key => {
                "; check the key of `api_key_env` or `api_key_file` and its access to the model".to_owned()
            }
            402 => "; the account has no credit left".to_owned(),
            404 | 405 | 410 => {
                format!("; check `model` (`{}`) and `base_url`{}", self.outline.settings().model, self.version_hint())
            }
            _ => String::new(),
        }
    }

    fn version_hint(&self) -> &'static str {
        match self.dialect {
            Dialect::Chat | Dialect::Messages if self.address.text.contains("/v1/") => " (asked under /v1)",
            Dialect::Chat | Dialect::Messages => ", which usually ends in /v1",
            Dialect::Generate => ", which usually ends in /v1beta",
        }
    }
}
