//! Settings of an endpoint judge, as the command line has resolved them.

use std::time::Duration;

use serde_json::{Map, Value};

use super::error::JudgeError;
use super::provider::{Dialect, Format, Settings, TokenLimit};
use super::secret::Secret;
use crate::domain::{JudgeName, Usage};
use crate::prompt::{Contract, GenerationPrompt, JudgePrompt};

/// Who is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// `OpenAI` itself.
    OpenAi,
    /// A local Ollama, by its compatible interface.
    Ollama,
    /// Anthropic, by its messages interface.
    Anthropic,
    /// Gemini, by `generateContent`.
    Gemini,
    /// Any server that speaks chat completions.
    Compatible,
}

impl Provider {
    /// All providers.
    pub const ALL: [Self; 5] = [Self::OpenAi, Self::Anthropic, Self::Gemini, Self::Ollama, Self::Compatible];

    /// The name in settings and fingerprints.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Ollama => "ollama",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Compatible => "openai-compatible",
        }
    }

    /// Reads the name in settings; `None` for an unknown one.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.as_str() == name)
    }

    /// The environment variable that holds the key where none is named; `None` where no key is needed.
    pub fn key_variable(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("OPENAI_API_KEY"),
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
            Self::Gemini => Some("GEMINI_API_KEY"),
            Self::Ollama | Self::Compatible => None,
        }
    }

    /// Where the provider is found when no address is set.
    fn base_url(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("https://api.openai.com/v1"),
            Self::Ollama => Some("http://localhost:11434/v1"),
            Self::Anthropic => Some("https://api.anthropic.com/v1"),
            Self::Gemini => Some("https://generativelanguage.googleapis.com/v1beta"),
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
    /// As text with the log-probabilities of its tokens: the verdict is the label with the most mass.
    Logprobs,
}

impl ReadMode {
    /// All modes.
    pub const ALL: [Self; 3] = [Self::Text, Self::Json, Self::Logprobs];

    /// Reads the name in settings; `None` for an unknown one.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == name)
    }

    /// The name in settings and fingerprints.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Logprobs => "logprobs",
        }
    }
}

/// What a server is told about a JSON object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum JsonForm {
    /// That it is one object.
    #[default]
    Object,
    /// The schema of the prompt's contract, where the server supports schemas.
    Schema,
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

/// Everything that makes an endpoint judge.
pub type JudgeSpec = EndpointSpec<JudgePrompt>;

/// Everything that makes a generator of responses; how answers are asked for means nothing to it.
pub type GeneratorSpec = EndpointSpec<GenerationPrompt>;

/// A model behind an endpoint, with the prompt that it is asked by. What is `None` is left out of the request.
#[derive(Debug, Clone)]
pub struct EndpointSpec<P> {
    /// The name in every table.
    pub name: JudgeName,
    /// Who is spoken to.
    pub provider: Provider,
    /// The model as asked.
    pub model: String,
    /// The model family, for self-preference audits.
    pub family: Option<String>,
    /// The address, with or without its version part and a slash at the end; the provider's own where absent.
    pub base_url: Option<String>,
    /// The key.
    pub api_key: Option<Secret>,
    /// The prompt.
    pub prompt: P,
    /// Sampling temperature.
    pub temperature: Option<f64>,
    /// Nucleus sampling, above 0 up to 1.
    pub top_p: Option<f64>,
    /// Token limit of the answer.
    pub max_tokens: Option<u32>,
    /// The same limit under the name that some models of chat completions want; one of the two at most.
    pub max_completion_tokens: Option<u32>,
    /// Sampling seed.
    pub seed: Option<i64>,
    /// Texts that end the answer.
    pub stop: Vec<String>,
    /// How long a reasoning model thinks, in the service's words (`low`, `medium`, `high` …).
    pub reasoning_effort: Option<String>,
    /// How the answer is asked for.
    pub read: ReadMode,
    /// What the server is told about the JSON object of [`ReadMode::Json`].
    pub json_form: JsonForm,
    /// Leave out sampling parameters that the server rejects.
    pub tolerant: bool,
    /// Limit for one whole exchange: more than nothing, a day at most.
    pub timeout: Duration,
    /// Price; unknown where absent, never zero.
    pub price: Option<Price>,
    /// What to make of another served model.
    pub served_model: ServedPolicy,
    /// Further fields of the request body, which win over all others; objects are merged.
    pub extra: Map<String, Value>,
}

/// A server that takes longer is not waited for.
const LONGEST_TIMEOUT: Duration = Duration::from_hours(24);
/// Names of further fields that could hold a key.
const KEY_NAMES: [&str; 5] = ["api_key", "apikey", "authorization", "x_api_key", "access_token"];

impl<P> EndpointSpec<P> {
    /// An endpoint with defaults: no parameter set, tolerant, 120 s per call.
    pub fn new(name: impl Into<JudgeName>, provider: Provider, model: &str, prompt: P) -> Self {
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
            max_completion_tokens: None,
            seed: None,
            stop: Vec::new(),
            reasoning_effort: None,
            read: ReadMode::default(),
            json_form: JsonForm::default(),
            tolerant: true,
            timeout: Duration::from_mins(2),
            price: None,
            served_model: ServedPolicy::default(),
            extra: Map::new(),
        }
    }

    /// What is sent with every question, the answer asked for in this form.
    pub(super) fn settings(&self, format: Format) -> Settings {
        let limit = self.max_tokens.map(TokenLimit::Plain);
        Settings {
            model: self.model.clone(),
            temperature: self.temperature,
            top_p: self.top_p,
            limit: limit.or(self.max_completion_tokens.map(TokenLimit::WithReasoning)),
            seed: self.seed,
            stop: self.stop.clone(),
            effort: self.reasoning_effort.clone(),
            format,
            extra: self.extra.clone(),
        }
    }

    /// Refuses settings that no server could make sense of; gives the address to ask.
    pub(super) fn check(&self) -> Result<String, JudgeError> {
        self.check_numbers()?;
        let dialect = Dialect::of(self.provider);
        let own = ["model", "messages", "contents", "n", "stream"];
        if let Some(name) = own.into_iter().find(|name| self.extra.contains_key(*name)) {
            let problem = format!("`{name}` cannot be set here: one whole answer is asked of one model");
            return Err(self.wrong("extra", problem));
        }
        let is_key = |name: &String| KEY_NAMES.contains(&name.to_ascii_lowercase().replace('-', "_").as_str());
        if self.extra.keys().any(is_key) {
            return Err(self.wrong("extra", "a key does not belong into settings; use `api_key_env` or `api_key_file`"));
        }
        if !self.tolerant
            && let Some((name, _)) = dialect.lacking(&self.settings(Format::Text)).into_iter().next()
        {
            let problem = format!("{} has none; take it out, or set `tolerant = true`", self.provider.as_str());
            return Err(self.wrong(name, problem));
        }
        let has_key = self.api_key.as_ref().is_some_and(|key| !key.is_empty());
        if self.provider.key_variable().is_some() && self.base_url.is_none() && !has_key {
            return Err(self.wrong("api_key_env", "there is no key in the variable".to_owned()));
        }
        let base = self.base_url.as_deref().or(self.provider.base_url());
        let base =
            base.ok_or_else(|| self.wrong("base_url", "want an address such as http://127.0.0.1:8000/v1".to_owned()))?;
        dialect.address(base, &self.model).map_err(|problem| self.wrong("base_url", problem))
    }

    fn wrong(&self, setting: &'static str, problem: impl Into<String>) -> JudgeError {
        JudgeError::Setting { judge: self.name.to_string(), setting, problem: problem.into() }
    }

    fn check_numbers(&self) -> Result<(), JudgeError> {
        let found = |number: f64, want: &str| format!("found {number}, want {want}");
        if self.model.trim().is_empty() {
            return Err(self.wrong("model", "want the name of a model"));
        }
        if let Some(t) = self.temperature.filter(|t| !(t.is_finite() && *t >= 0.0)) {
            return Err(self.wrong("temperature", found(t, "a number from 0")));
        }
        if let Some(t) = self.temperature.filter(|t| *t > 1.0 && self.provider == Provider::Anthropic) {
            return Err(self.wrong("temperature", found(t, "a number from 0 to 1 for this provider")));
        }
        if let Some(p) = self.top_p.filter(|p| !(*p > 0.0 && *p <= 1.0)) {
            return Err(self.wrong("top_p", found(p, "a number above 0 and up to 1")));
        }
        match (self.max_tokens, self.max_completion_tokens) {
            (Some(_), Some(_)) => {
                let problem = "`max_completion_tokens` is set too, and both name the same limit; keep one of them";
                return Err(self.wrong("max_tokens", problem));
            }
            (Some(0), _) => return Err(self.wrong("max_tokens", "found 0, want at least 1")),
            (_, Some(0)) => return Err(self.wrong("max_completion_tokens", "found 0, want at least 1")),
            _ => {}
        }
        if self.timeout.is_zero() || self.timeout > LONGEST_TIMEOUT {
            return Err(self.wrong("timeout_s", "want more than 0 seconds, and a day at most"));
        }
        if self.reasoning_effort.as_ref().is_some_and(|effort| effort.trim().is_empty()) {
            return Err(self.wrong("reasoning_effort", "found nothing, want a word such as \"low\""));
        }
        let price = self.price.map(|price| [price.input, price.output]).unwrap_or_default();
        if let Some(p) = price.into_iter().find(|p| !(p.is_finite() && *p >= 0.0)) {
            return Err(self.wrong("price", found(p, "US dollars per million tokens, from 0")));
        }
        Ok(())
    }
}

impl JudgeSpec {
    /// The form in which a verdict is asked for.
    pub(super) fn format(&self) -> Format {
        match (self.read, self.json_form) {
            (ReadMode::Text, _) => Format::Text,
            (ReadMode::Logprobs, _) => Format::Logprobs,
            (ReadMode::Json, JsonForm::Object) => Format::JsonObject,
            (ReadMode::Json, JsonForm::Schema) => {
                self.prompt.contract.json_schema().map_or(Format::JsonObject, Format::JsonSchema)
            }
        }
    }

    /// Refuses a way of reading that the prompt's contract or the provider does not have.
    pub(super) fn check_reading(&self) -> Result<(), JudgeError> {
        let contract = self.prompt.contract;
        if self.read == ReadMode::Logprobs && contract == Contract::Scale5 {
            let problem = "found \"logprobs\", and no single token carries a step of contract scale5; \
                want a prompt of another contract, such as pairwise-letter.en";
            return Err(self.wrong("read", problem));
        }
        if self.json_form == JsonForm::Schema {
            if self.read != ReadMode::Json {
                return Err(self.wrong("json_schema", "it belongs to read = \"json\""));
            }
            if contract.json_schema().is_none() {
                let problem = format!("contract {contract} has no schema; want a prompt of contract json");
                return Err(self.wrong("json_schema", problem));
            }
        }
        match Dialect::of(self.provider).refuses(&self.format()) {
            Some((setting, problem)) => Err(self.wrong(setting, problem)),
            None => Ok(()),
        }
    }
}
