//! Requests and completions: what is asked of a model and the raw text that came back.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::body::Body;
use super::ids::{Digest, ItemId};
use super::item::Message;
use super::verdict::Order;

/// Hash of everything that can change a judge's answer: provider, model, prompt text, contract,
/// read mode and parameters. Not the key, host, timeouts or limits. Recorded judges without one are `recorded:<name>`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(pub String);

impl Fingerprint {
    /// The fingerprint of a judge known only by recorded verdicts.
    pub fn recorded(name: &str) -> Self {
        Self(format!("recorded:{name}"))
    }

    /// Eight characters for file names: the head of the hash, or of the hash of a recorded name.
    pub fn short(&self) -> String {
        match Digest::parse(&self.0) {
            Some(digest) => digest.short(),
            None => Digest::of(self.0.as_bytes()).short(),
        }
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The identity of one completion: judge fingerprint, exact request and repeat number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RequestKey(pub Digest);

/// One question to one model: everything that can change the answer, nothing else.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeRequest {
    /// The item asked about.
    pub item: ItemId,
    /// Which response was shown first.
    pub order: Order,
    /// 0 for the first asking of this order.
    pub repeat: u32,
    /// The key under which the completion is kept.
    pub key: RequestKey,
    /// The messages as they will be sent; empty for judges that read the pair itself.
    pub messages: Vec<Message>,
    /// The request body as it will be sent (provider's own shape); `null` for local judges.
    pub body: Body,
}

/// Tokens of one call, as the server counted them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Tokens of the answer, reasoning included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
}

/// Why a model stopped writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// It was done.
    Stop,
    /// The token limit cut it off.
    Length,
    /// A content filter stopped it.
    ContentFilter,
    /// It declined, by a field of its own.
    Refusal,
    /// Another reason, or none given.
    Other,
}

/// The raw outcome of a call that returned an answer. Stored as it came; verdicts are derived from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Completion {
    /// The answer text.
    pub text: String,
    /// Why the model stopped.
    pub finish: FinishReason,
    /// Reasoning that came in a field of its own; never read as the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// A refusal that came in a field of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
    /// Token log-probabilities in the server's own shape; alternatives only where a reading needs them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logprobs: Option<Value>,
    /// The model name that the server said it served.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served_model: Option<String>,
    /// Tokens.
    #[serde(default)]
    pub usage: Usage,
    /// Milliseconds from sending to the whole answer, of the successful try.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<u64>,
    /// Number of tries before the successful one.
    #[serde(default)]
    pub retries: u32,
    /// Further fields worth keeping (system fingerprint, dropped parameters, …).
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

impl Completion {
    /// A finished answer with this text and nothing else known.
    pub fn of_text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            finish: FinishReason::Stop,
            reasoning: None,
            refusal: None,
            logprobs: None,
            served_model: None,
            usage: Usage::default(),
            latency_ms: None,
            retries: 0,
            extra: Map::new(),
        }
    }
}
