//! A system under comparison: a model with a prompt version, asked for responses instead of verdicts.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::endpoint::Endpoint;
use super::error::JudgeError;
use super::http::HttpClient;
use super::judge::{fields, sent_key};
use super::provider::Format;
use super::spec::{GeneratorSpec, Price};
use super::{CallError, Model};
use crate::domain::{Completion, Digest, Fingerprint, Item, JudgeName, JudgeRequest, Order, Usage};
use crate::prompt::GenerationPrompt;

/// Generates responses to items.
pub struct Generator {
    name: JudgeName,
    fingerprint: Fingerprint,
    /// The same without the prompt version.
    sender: Fingerprint,
    model: String,
    price: Option<Price>,
    endpoint: Arc<Endpoint>,
    prompt: GenerationPrompt,
}

impl std::fmt::Debug for Generator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Generator")
            .field("name", &self.name)
            .field("fingerprint", &self.fingerprint)
            .finish_non_exhaustive()
    }
}

impl Generator {
    /// A model behind an endpoint with a prompt version. Nothing is sent here.
    pub fn new(spec: GeneratorSpec, client: &HttpClient) -> Result<Self, JudgeError> {
        let (endpoint, parameters) = Endpoint::new(&spec, Format::Text, client)?;
        let mut identity = fields(json!({
            "generates": 1,
            "provider": spec.provider.as_str(),
            "model": spec.model,
        }));
        identity.extend(parameters);
        let sender = hash(&identity);
        identity.insert("prompt".to_owned(), json!(spec.prompt.digest()));
        let fingerprint = hash(&identity);
        let (name, model, price, prompt) = (spec.name, spec.model, spec.price, spec.prompt);
        Ok(Self { name, fingerprint, sender, model, price, endpoint: Arc::new(endpoint), prompt })
    }

    /// The name in tables: model and prompt version.
    pub fn name(&self) -> &JudgeName {
        &self.name
    }

    /// The hash of everything that can change a response.
    pub fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    /// The model as asked.
    pub fn model_name(&self) -> &str {
        &self.model
    }

    /// The prompt version.
    pub fn prompt(&self) -> &GenerationPrompt {
        &self.prompt
    }

    /// The price, where it is known.
    pub fn price(&self) -> Option<Price> {
        self.price
    }

    /// The token limit of a response, as it is sent.
    pub fn max_tokens(&self) -> Option<u32> {
        self.endpoint.max_tokens()
    }

    /// True where no call leaves this machine.
    pub fn is_local(&self) -> bool {
        self.endpoint.is_local()
    }

    /// The request for the `repeat`-th response to `item`, from 0. Pure. There is nothing to show in an order, so the
    /// order is always [`Order::Ab`]. What the prompt version says is all in the body, so two versions that come to the same
    /// text for an item share one key and one response.
    pub fn request(&self, item: &Item, repeat: u32) -> Result<JudgeRequest, JudgeError> {
        let messages = self.prompt.fill(item)?;
        let body = self.endpoint.body(&messages);
        let key = sent_key(&self.sender, &body, repeat);
        Ok(JudgeRequest { item: item.id.clone(), order: Order::Ab, repeat, key, messages, body })
    }

    /// Answers one request of [`Generator::request`], as work that no longer needs this generator; gives the request back.
    /// The error says whether another try makes sense.
    pub fn send(
        &self,
        request: JudgeRequest,
    ) -> impl Future<Output = (JudgeRequest, Result<Completion, CallError>)> + Send + use<> {
        let endpoint = Arc::clone(&self.endpoint);
        async move {
            let outcome = endpoint.ask(&request).await;
            (request, outcome)
        }
    }

    /// The cost of a call in US dollars; `None` is unknown, never zero.
    pub fn cost_usd(&self, usage: &Usage) -> Option<f64> {
        self.price?.of(usage)
    }
}

fn hash(identity: &Map<String, Value>) -> Fingerprint {
    let text = Value::Object(identity.clone()).to_string();
    Fingerprint(Digest::of(text.as_bytes()).to_string())
}
