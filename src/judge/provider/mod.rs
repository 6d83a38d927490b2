//! Providers: pure translators between messages and a service's own JSON. They send nothing.

mod address;
mod anthropic;
mod gemini;
mod openai;
mod ordinary;
mod trouble;

pub(super) use trouble::{Cause, Trouble};

use std::time::Duration;

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use self::address::Base;
use super::http::KeyHeader;
use super::secret::Secret;
use super::spec::Provider;
use crate::domain::{Body, Completion, FinishReason, Message};

/// The language a service speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Chat completions, of `OpenAI` and every compatible server.
    Chat,
    /// Messages, of Anthropic.
    Messages,
    /// `generateContent`, of Gemini.
    Generate,
}

/// Everything of a request but its messages. What is not set is left out.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub model: String,
    pub temperature: Option<f64>,
    pub top_p: Option<f64>,
    pub limit: Option<TokenLimit>,
    pub seed: Option<i64>,
    pub stop: Vec<String>,
    /// How long to think, in the service's own words.
    pub effort: Option<String>,
    pub format: Format,
    /// Further fields of the body, which win over all others; objects are merged.
    pub extra: Map<String, Value>,
}

/// Token limit of the answer. The name matters to chat completions alone, where models want one or the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenLimit {
    /// `max_tokens`
    Plain(u32),
    /// `max_completion_tokens`
    WithReasoning(u32),
}

impl TokenLimit {
    pub fn count(self) -> u32 {
        match self {
            Self::Plain(count) | Self::WithReasoning(count) => count,
        }
    }
}

/// The form of the answer that the server is told to enforce or to add to.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Format {
    Text,
    JsonObject,
    JsonSchema(Value),
    /// Text with the log-probabilities of its tokens.
    Logprobs,
}

/// How many alternatives to a token are asked for: the most that the services give.
const ALTERNATIVES: u32 = 20;

/// A part of the body that a server may not know.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parameter {
    /// The setting that asks for it.
    pub setting: &'static str,
    /// Where it stands in the body: the names on the way.
    pub path: &'static [&'static str],
    /// Further names under which a server complains of it.
    pub aliases: &'static [&'static str],
    /// What its absence would do.
    pub need: Need,
}

/// What an answer is without a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// Still an answer: a tolerant judge goes on without it and says so.
    Optional,
    /// Nothing that could be read as set up.
    Required,
}

/// What the bodies of all questions have in common, written out once; the texts of a question are written into it without
/// being copied.
pub(super) struct Outline {
    dialect: Dialect,
    settings: Settings,
    /// The fields in order, with nothing where the messages go; `None` where the messages stand in more than one field or further fields
    /// replace them.
    fields: Option<Vec<(String, Option<Box<RawValue>>)>>,
}

impl Outline {
    pub fn new(dialect: Dialect, settings: Settings) -> Self {
        let is_one_field = dialect == Dialect::Chat && !settings.extra.contains_key(MESSAGES);
        let fields = match dialect.body(&settings, &[]) {
            Value::Object(fields) if is_one_field => fields
                .into_iter()
                .map(|(name, value)| {
                    let text = (name != MESSAGES).then(|| to_raw_value(&value)).transpose()?;
                    Ok((name, text))
                })
                .collect::<Result<_, serde_json::Error>>()
                .ok(),
            _ => None,
        };
        Self { dialect, settings, fields }
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The body that asks this, the same as [`Dialect::body`] gives.
    pub fn filled(&self, messages: &[Message]) -> Body {
        match &self.fields {
            Some(fields) => Body::of(&Filled { fields, messages }),
            None => Body::of(&self.dialect.body(&self.settings, messages)),
        }
    }
}

struct Filled<'a> {
    fields: &'a [(String, Option<Box<RawValue>>)],
    messages: &'a [Message],
}

impl Serialize for Filled<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, text) in self.fields {
            match text {
                Some(text) => map.serialize_entry(name, text)?,
                None => map.serialize_entry(name, self.messages)?,
            }
        }
        map.end()
    }
}

/// The field of the messages in chat completions.
const MESSAGES: &str = "messages";

const fn optional(setting: &'static str, path: &'static [&'static str]) -> Parameter {
    Parameter { setting, path, aliases: &[], need: Need::Optional }
}

const fn required(setting: &'static str, path: &'static [&'static str], aliases: &'static [&'static str]) -> Parameter {
    Parameter { setting, path, aliases, need: Need::Required }
}

impl Dialect {
    pub fn of(provider: Provider) -> Self {
        match provider {
            Provider::OpenAi | Provider::Ollama | Provider::Compatible => Self::Chat,
            Provider::Anthropic => Self::Messages,
            Provider::Gemini => Self::Generate,
        }
    }

    /// The full address to send to, from the base address as set.
    pub fn address(self, base: &str, model: &str) -> Result<String, String> {
        match self {
            Self::Chat => openai::address(base),
            Self::Messages => anthropic::address(base),
            Self::Generate => gemini::address(base, model),
        }
    }

    /// The header that carries the key.
    pub fn key_header(self, url: &str, key: &Secret) -> KeyHeader {
        match self {
            // This service reads plain keys from a header of its own, and refuses them in the usual one.
            Self::Chat if !key.is_token() && Base::parse(url).is_ok_and(|base| base.is_azure()) => {
                KeyHeader::Plain("api-key")
            }
            Self::Chat => KeyHeader::Bearer,
            Self::Messages => KeyHeader::Plain("x-api-key"),
            Self::Generate => KeyHeader::Plain("x-goog-api-key"),
        }
    }

    /// Further headers, without secrets.
    pub fn headers(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Chat | Self::Generate => &[],
            Self::Messages => anthropic::HEADERS,
        }
    }

    /// The request body.
    pub fn body(self, settings: &Settings, messages: &[Message]) -> Value {
        let mut body = match self {
            Self::Chat => openai::body(settings, messages),
            Self::Messages => anthropic::body(settings, messages),
            Self::Generate => gemini::body(settings, messages),
        };
        let mut names: Vec<&String> = settings.extra.keys().collect();
        names.sort();
        for name in names {
            merge(body.entry(name.clone()).or_insert(Value::Null), &settings.extra[name]);
        }
        Value::Object(body)
    }

    /// The body without the question: what of it belongs to the judge.
    pub fn parameters(self, settings: &Settings) -> Value {
        let mut body = self.body(settings, &[]);
        if let Some(fields) = body.as_object_mut() {
            for name in ["messages", "model", "contents"] {
                fields.shift_remove(name);
            }
        }
        body
    }

    /// The settings that this service has no place for at all, with their values.
    pub fn lacking(self, settings: &Settings) -> Vec<(&'static str, Value)> {
        match (self, settings.seed) {
            (Self::Messages, Some(seed)) => vec![("seed", json!(seed))],
            _ => Vec::new(),
        }
    }

    /// Why the answer's form cannot be had from this service: the setting and what to do.
    pub fn refuses(self, format: &Format) -> Option<(&'static str, &'static str)> {
        match (self, format) {
            (Self::Messages, Format::Logprobs) => Some((
                "read",
                "found \"logprobs\", and this provider gives no log-probabilities; want \"text\" or \"json\"",
            )),
            (Self::Messages, Format::JsonObject) => Some((
                "read",
                "found \"json\", and this provider enforces JSON by a schema alone; add json_schema = true, or read = \"text\"",
            )),
            _ => None,
        }
    }

    /// What a server may reject although the service as such knows it.
    pub fn rejectable(self) -> &'static [Parameter] {
        match self {
            Self::Chat => openai::REJECTABLE,
            Self::Messages => anthropic::REJECTABLE,
            Self::Generate => gemini::REJECTABLE,
        }
    }

    /// Reads an answer of this status; what a content filter stopped becomes a completion, since filtered items are
    /// no random sample and are counted apart.
    pub fn read(self, status: u16, retry_after: Option<Duration>, body: &str) -> Result<Completion, Trouble> {
        let read = match (self, (200..300).contains(&status)) {
            (Self::Chat, true) => openai::read_answer(body, retry_after),
            (Self::Messages, true) => anthropic::read_answer(body, retry_after),
            (Self::Generate, true) => gemini::read_answer(body, retry_after),
            (Self::Chat, false) => Err(openai::read_failure(status, retry_after, body)),
            (Self::Messages, false) => Err(anthropic::read_failure(status, retry_after, body)),
            (Self::Generate, false) => Err(gemini::read_failure(status, retry_after, body)),
        };
        read.or_else(|trouble| if trouble.cause == Cause::Filter { Ok(filtered(trouble.words)) } else { Err(trouble) })
    }
}

fn filtered(words: String) -> Completion {
    let mut completion = Completion::of_text(String::new());
    completion.finish = FinishReason::ContentFilter;
    completion.extra.insert("filter".to_owned(), Value::from(words));
    completion
}

/// Lays `more` over `value`: objects are merged, anything else is replaced.
fn merge(value: &mut Value, more: &Value) {
    match (value, more) {
        (Value::Object(fields), Value::Object(more)) => {
            let mut names: Vec<&String> = more.keys().collect();
            names.sort();
            for name in names {
                merge(fields.entry(name.clone()).or_insert(Value::Null), &more[name]);
            }
        }
        (value, more) => *value = more.clone(),
    }
}

/// Puts in what is set.
fn put(body: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        body.insert(name.to_owned(), value);
    }
}

/// A text that is there and not empty.
fn text(value: &Value, name: &str) -> Option<String> {
    value.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// Appends to a text that comes in parts.
fn append(whole: &mut Option<String>, part: Option<String>) {
    if let Some(part) = part {
        whole.get_or_insert_default().push_str(&part);
    }
}

/// Parses the body of an answer that says it worked.
fn parse(body: &str) -> Result<Value, Trouble> {
    serde_json::from_str(body).map_err(|error| {
        // What ends as an object and still does not read was sent like that, and would be again.
        let is_whole = !error.is_eof() && body.trim_end().ends_with('}');
        if is_whole {
            Trouble::plain(super::CallClass::Item, format!("the answer is no valid JSON: {error}"))
        } else {
            Trouble::retry("the answer is not whole JSON")
        }
    })
}

#[cfg(test)]
fn plain(model: &str) -> Settings {
    Settings {
        model: model.to_owned(),
        temperature: None,
        top_p: None,
        limit: None,
        seed: None,
        stop: Vec::new(),
        effort: None,
        format: Format::Text,
        extra: Map::new(),
    }
}
