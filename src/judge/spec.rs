//! Settings of an endpoint judge, as the command line has resolved them.

use std::time::Duration;

use serde_json::{Map, Value};

use super::secret::Secret;
use crate::domain::{JudgeName, Usage};
use crate::prompt::JudgePrompt;

/// Who is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// `OpenAI` itself.
    OpenAi,
    /// A local Ollama, by its compatible interface.
    Ollama,
    /// Any server that speaks chat completions.
    Compatible,
}

impl Provider {
    /// The name in settings and fingerprints.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Ollama => "ollama",
            Self::Compatible => "openai-compatible",
        }
    }

    /// Reads the name in settings; `None` for one that this build cannot ask.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::OpenAi, Self::Ollama, Self::Compatible].into_iter().find(|provider| provider.as_str() == name)
    }

    /// Where the provider is found when no address is set.
    pub(super) fn base_url(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("https://api.openai.com/v1"),
            Self::Ollama => Some("http://localhost:11434/v1"),
            Self::Compatible => None,
        }
    }
}

/// How an answer is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReadMode {
    /// As text.
    #[default]
    Text,
    /// As one JSON object, which the server is told to enforce.
    Json,
}

impl ReadMode {
    /// The name in settings and fingerprints.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
        }
    }
}

/// Which model names of the server are accepted beside the one asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ServedPolicy {
    /// A change of the served model is a refusal.
    #[default]
    Same,
    /// Whatever is served.
    Any,
}

/// US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// Of the request.
    pub input: f64,
    /// Of the answer.
    pub output: f64,
}

impl Price {
    /// The cost of one call in US dollars; `None` where a count is unknown.
    pub fn of(self, usage: &Usage) -> Option<f64> {
        let (input, output) = (usage.input_tokens? as f64, usage.output_tokens? as f64);
        Some((input * self.input + output * self.output) / 1e6)
    }
}

/// Everything that makes an endpoint judge. What is `None` is left out of the request.
#[derive(Debug, Clone)]
pub struct JudgeSpec {
    /// The name in every table.
    pub name: JudgeName,
    /// Who is spoken to.
    pub provider: Provider,
    /// The model as asked.
    pub model: String,
    /// The model family, for self-preference audits.
    pub family: Option<String>,
    /// The address, with or without `/v1` and a slash at the end; the provider's own where absent.
    pub base_url: Option<String>,
    /// The key.
    pub api_key: Option<Secret>,
    /// The prompt with its contract.
    pub prompt: JudgePrompt,
    /// Sampling temperature.
    pub temperature: Option<f64>,
    /// Nucleus sampling, above 0 up to 1.
    pub top_p: Option<f64>,
    /// Token limit of the answer.
    pub max_tokens: Option<u32>,
    /// Sampling seed.
    pub seed: Option<i64>,
    /// Texts that end the answer.
    pub stop: Vec<String>,
    /// How the answer is asked for.
    pub read: ReadMode,
    /// Leave out sampling parameters that the server rejects.
    pub tolerant: bool,
    /// Limit for one whole exchange.
    pub timeout: Duration,
    /// Price; unknown where absent, never zero.
    pub price: Option<Price>,
    /// What to make of another served model.
    pub served_model: ServedPolicy,
    /// Further fields of the request body, which win over all others.
    pub extra: Map<String, Value>,
}

impl JudgeSpec {
    /// A judge with defaults: no parameter set, tolerant, 120 s per call.
    pub fn new(name: impl Into<JudgeName>, provider: Provider, model: &str, prompt: JudgePrompt) -> Self {
        Self {
            name: name.into(),
            provider,
            model: model.to_owned(),
            family: None,
            base_url: None,
            api_key: None,
            prompt,
            temperature: None,
            top_p: None,
            max_tokens: None,
            seed: None,
            stop: Vec::new(),
            read: ReadMode::default(),
            tolerant: true,
            timeout: Duration::from_mins(2),
            price: None,
            served_model: ServedPolicy::default(),
            extra: Map::new(),
        }
    }
}
