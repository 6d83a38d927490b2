//! A judge: a model with a name, an identity, and a way to read what it says.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::checks::Checks;
use super::control::{Control, read_word, word};
use super::endpoint::Endpoint;
use super::error::JudgeError;
use super::http::HttpClient;
use super::logprobs;
use super::provider::Dialect;
use super::replay::{Answer, RecordedJudge, Recording};
use super::spec::{JudgeSpec, Price, ReadMode, ServedPolicy};
use super::{CallClass, CallError, JudgeKind, Model};
use crate::domain::{
    Body, Completion, ControlKind, Digest, Fingerprint, FinishReason, ItemId, JudgeName, JudgeRequest, NoVerdict,
    Order, Pair, ReadVerdict, Reading, RequestKey, Usage, Verdict,
};
use crate::prompt::{Contract, JudgePrompt};

/// Whoever is asked which of two responses is better.
///
/// [`Judge::request`] is pure and fixes the key before any call; [`Judge::ask`] makes the call; [`Judge::read`] is
/// pure again, so a verdict can be derived anew from a stored completion.
pub struct Judge {
    name: JudgeName,
    kind: JudgeKind,
    identity: Map<String, Value>,
    fingerprint: Fingerprint,
    model: Option<String>,
    price: Option<Price>,
    served_model: ServedPolicy,
    voice: Voice,
}

enum Voice {
    Prompted(Arc<Asked>),
    Control(Control),
    Checks(Checks),
    Replay(Box<RecordedJudge>, Option<Contract>),
    Screened(Checks, Box<Judge>),
}

/// A model that is asked with a prompt.
struct Asked {
    endpoint: Endpoint,
    prompt: JudgePrompt,
    read: ReadMode,
}

/// One question as a line of a batch file names it.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchCall {
    /// The path of the interface, such as `/v1/chat/completions`.
    pub path: &'static str,
    /// The request body.
    pub body: Body,
}

impl std::fmt::Debug for Judge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Judge")
            .field("name", &self.name)
            .field("fingerprint", &self.fingerprint)
            .finish_non_exhaustive()
    }
}

impl Judge {
    /// A model behind an endpoint. Nothing is sent here.
    pub fn endpoint(spec: JudgeSpec, client: &HttpClient) -> Result<Self, JudgeError> {
        spec.check_reading()?;
        let (endpoint, parameters) = Endpoint::new(&spec, spec.format(), client)?;
        let mut identity = fields(json!({
            "provider": spec.provider.as_str(),
            "model": spec.model,
            "prompt": spec.prompt.digest(),
            "contract": spec.prompt.contract.as_str(),
            "read": spec.read.as_str(),
        }));
        identity.extend(parameters);
        let asked = Asked { endpoint, prompt: spec.prompt, read: spec.read };
        let voice = Voice::Prompted(Arc::new(asked));
        let mut judge = Self::local(spec.name, JudgeKind::Endpoint, identity, voice);
        judge.model = Some(spec.model);
        judge.price = spec.price;
        judge.served_model = spec.served_model;
        Ok(judge)
    }

    /// A control judge, built with the pairs that it will be asked about; an oracle takes its gold from them.
    pub fn control(name: impl Into<JudgeName>, kind: ControlKind, pairs: &[Pair]) -> Self {
        let identity = fields(json!({"control": kind.to_string()}));
        Self::local(name.into(), JudgeKind::Control, identity, Voice::Control(Control::new(kind, pairs)))
    }

    /// The items' own checks alone, run here on the pairs that will be asked about.
    pub fn checks(pairs: &[Pair]) -> Result<Self, JudgeError> {
        let voice = Voice::Checks(Checks::new(pairs)?);
        Ok(Self::local("checks".into(), JudgeKind::Checks, fields(json!({"checks": 1})), voice))
    }

    /// The items' own checks where exactly one response passes them; the rest is asked of `inner`.
    pub fn checks_then(pairs: &[Pair], inner: Self) -> Result<Self, JudgeError> {
        let checks = Checks::new(pairs)?;
        let identity = fields(json!({"checks": 1, "then": inner.identity, "then_fingerprint": inner.fingerprint}));
        let name = format!("checks+{}", inner.name).into();
        let (model, price) = (inner.model.clone(), inner.price);
        let (kind, served_model) = (inner.kind, inner.served_model);
        let mut judge = Self::local(name, kind, identity, Voice::Screened(checks, Box::new(inner)));
        (judge.model, judge.price, judge.served_model) = (model, price, served_model);
        Ok(judge)
    }

    /// A recorded judge: the one called `judge`, or the only one. Completions are read by the contract in the
    /// recording's header, else by `fallback`.
    pub fn replay(recording: &Recording, judge: Option<&str>, fallback: Option<Contract>) -> Result<Self, JudgeError> {
        let recorded = recording.choose(judge)?;
        let fail = |problem| JudgeError::Recording { file: recorded.file.clone(), line: None, problem };
        let contract = match &recorded.header.contract {
            Some(name) => Some(Contract::parse(name).ok_or_else(|| fail(format!("no contract is called `{name}`")))?),
            None => fallback,
        };
        if contract.is_none() && recorded.needs_contract() {
            return Err(fail("no header line names the contract of the completions; give the prompt".to_owned()));
        }
        let name = recorded.header.judge.clone();
        let known = recorded.header.fingerprint.clone();
        let fingerprint = known.unwrap_or_else(|| Fingerprint::recorded(name.as_str()));
        let identity = fields(json!({"recorded": name, "fingerprint": fingerprint}));
        let voice = Voice::Replay(Box::new(recorded.clone()), contract);
        let mut judge = Self::local(name, JudgeKind::Replay, identity, voice);
        judge.model.clone_from(&recorded.header.model);
        judge.fingerprint = fingerprint;
        Ok(judge)
    }

    fn local(name: JudgeName, kind: JudgeKind, identity: Map<String, Value>, voice: Voice) -> Self {
        let text = Value::Object(identity.clone()).to_string();
        let fingerprint = Fingerprint(Digest::of(text.as_bytes()).to_string());
        let served_model = ServedPolicy::default();
        Self { name, kind, identity, fingerprint, model: None, price: None, served_model, voice }
    }

    /// The name in every table.
    pub fn name(&self) -> &JudgeName {
        &self.name
    }

    /// What kind of judge this is; the one asked for the rest, where checks come first.
    pub fn kind(&self) -> JudgeKind {
        self.kind
    }

    /// The hash of everything that can change an answer, or what the recording says.
    pub fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    /// The model as asked.
    pub fn model_name(&self) -> Option<&str> {
        self.model.as_deref()
    }

    /// What to make of another served model.
    pub fn served_policy(&self) -> ServedPolicy {
        self.served_model
    }

    /// The prompt that is filled for every request; of the judge for the rest, where checks come first.
    pub fn prompt(&self) -> Option<&JudgePrompt> {
        match &self.voice {
            Voice::Prompted(asked) => Some(&asked.prompt),
            Voice::Screened(_, inner) => inner.prompt(),
            Voice::Control(_) | Voice::Checks(_) | Voice::Replay(..) => None,
        }
    }

    /// Digest of the prompt's exact text.
    pub fn prompt_digest(&self) -> Option<Digest> {
        match &self.voice {
            Voice::Prompted(asked) => Some(asked.prompt.digest()),
            Voice::Replay(recorded, _) => recorded.header.prompt_digest,
            Voice::Screened(_, inner) => inner.prompt_digest(),
            Voice::Control(_) | Voice::Checks(_) => None,
        }
    }

    /// The token limit of an answer, as it is sent.
    pub fn max_tokens(&self) -> Option<u32> {
        match &self.voice {
            Voice::Prompted(asked) => asked.endpoint.max_tokens(),
            Voice::Screened(_, inner) => inner.max_tokens(),
            Voice::Control(_) | Voice::Checks(_) | Voice::Replay(..) => None,
        }
    }

    /// True where no call leaves this machine.
    pub fn is_local(&self) -> bool {
        match &self.voice {
            Voice::Prompted(asked) => asked.endpoint.is_local(),
            Voice::Screened(_, inner) => inner.is_local(),
            Voice::Control(_) | Voice::Checks(_) | Voice::Replay(..) => true,
        }
    }

    /// How its answers are asked for; of the judge for the rest, where checks come first.
    pub fn read_mode(&self) -> Option<ReadMode> {
        match &self.voice {
            Voice::Prompted(asked) => Some(asked.read),
            Voice::Screened(_, inner) => inner.read_mode(),
            Voice::Control(_) | Voice::Checks(_) | Voice::Replay(..) => None,
        }
    }

    /// The price, where it is known.
    pub fn price(&self) -> Option<Price> {
        self.price
    }

    /// False for an item outside this judge's plan: checks without checks, an oracle without gold.
    pub fn applies(&self, pair: &Pair) -> bool {
        match &self.voice {
            Voice::Prompted(..) | Voice::Replay(..) => true,
            Voice::Control(control) => !control.knows(&pair.id) || control.applies(&pair.id),
            Voice::Checks(_) => !pair.checks.is_empty(),
            Voice::Screened(checks, inner) => checks.decides(&pair.id) || inner.applies(pair),
        }
    }

    /// True where answering `request` means a call to an endpoint.
    pub fn is_call(&self, request: &JudgeRequest) -> bool {
        self.kind == JudgeKind::Endpoint && !request.body.is_null()
    }

    /// The question about `pair` in `order`, asked for the `repeat`-th time, from 0. Pure.
    pub fn request(&self, pair: &Pair, order: Order, repeat: u32) -> Result<JudgeRequest, JudgeError> {
        self.question(pair, order, repeat, None)
    }

    /// The same question again, whose key [`Judge::request`] gave: hashing it a second time is saved.
    pub fn request_again(
        &self,
        pair: &Pair,
        order: Order,
        repeat: u32,
        key: RequestKey,
    ) -> Result<JudgeRequest, JudgeError> {
        self.question(pair, order, repeat, Some(key))
    }

    fn question(
        &self,
        pair: &Pair,
        order: Order,
        repeat: u32,
        known: Option<RequestKey>,
    ) -> Result<JudgeRequest, JudgeError> {
        let item = &pair.id;
        match &self.voice {
            Voice::Prompted(asked) => {
                let messages = asked.prompt.fill(pair, order)?;
                let body = asked.endpoint.body(&messages);
                let key = known.unwrap_or_else(|| sent_key(&self.fingerprint, &body, repeat));
                Ok(JudgeRequest { item: item.clone(), order, repeat, key, messages, body })
            }
            Voice::Control(control) => {
                if !control.knows(item) {
                    return Err(self.unknown(item));
                }
                let answer = control.verdict(item, order, repeat);
                let lacks = "it has no human answer";
                Ok(self.answered(item, order, repeat, answer.ok_or_else(|| self.not_applicable(item, lacks))?))
            }
            Voice::Checks(checks) => {
                if pair.checks.is_empty() {
                    return Err(self.not_applicable(item, "it has no checks"));
                }
                let answer = checks.verdict(item, order).ok_or_else(|| self.unknown(item))?;
                Ok(self.answered(item, order, repeat, answer))
            }
            Voice::Replay(recorded, _) => replay_request(recorded, item, order, repeat),
            Voice::Screened(checks, inner) => match checks.verdict(item, order) {
                Some(answer) if checks.decides(item) => Ok(self.answered(item, order, repeat, answer)),
                _ => inner.question(pair, order, repeat, known),
            },
        }
    }

    /// Answers one request of [`Judge::request`]; the error says whether another try makes sense.
    pub async fn ask(&self, request: &JudgeRequest) -> Result<Completion, CallError> {
        match &self.voice {
            Voice::Prompted(asked) => asked.endpoint.ask(request).await.map(|answer| asked.marked(answer)),
            Voice::Control(control) => control.ask(request).await,
            Voice::Checks(checks) => checks.ask(request).await,
            Voice::Replay(recorded, _) => replayed(recorded, request),
            Voice::Screened(checks, _) if checks.decides(&request.item) => checks.ask(request).await,
            Voice::Screened(_, inner) => Box::pin(inner.ask(request)).await,
        }
    }

    /// Answers one request that is a call ([`Judge::is_call`]), as work that no longer needs this judge; gives the request
    /// back.
    pub fn send(
        &self,
        request: JudgeRequest,
    ) -> impl Future<Output = (JudgeRequest, Result<Completion, CallError>)> + Send + use<> {
        let asked = self.asked().cloned();
        let name = self.name.clone();
        async move {
            let outcome = match &asked {
                Some(asked) => asked.endpoint.ask(&request).await.map(|answer| asked.marked(answer)),
                None => Err(CallError {
                    class: CallClass::Setup,
                    status: None,
                    message: format!("judge `{name}` answers without a call"),
                }),
            };
            (request, outcome)
        }
    }

    /// The model behind the endpoint; of the judge for the rest, where checks come first.
    fn asked(&self) -> Option<&Arc<Asked>> {
        match &self.voice {
            Voice::Prompted(asked) => Some(asked),
            Voice::Screened(_, inner) => inner.asked(),
            Voice::Control(_) | Voice::Checks(_) | Voice::Replay(..) => None,
        }
    }

    /// The question of `request` as a line of a batch file in the format of chat completions.
    ///
    /// # Errors
    /// Where this judge speaks another interface, or answers here without a call.
    pub fn batch_body(&self, request: &JudgeRequest) -> Result<BatchCall, JudgeError> {
        let no_batch = |why: &'static str| JudgeError::NoBatch { judge: self.name.to_string(), why };
        match &self.voice {
            Voice::Screened(_, inner) if self.is_call(request) => inner.batch_body(request),
            Voice::Prompted(asked) if asked.endpoint.dialect == Dialect::Chat => {
                Ok(BatchCall { path: "/v1/chat/completions", body: request.body.clone() })
            }
            Voice::Prompted(_) => Err(no_batch("its provider does not take batch files of chat completions")),
            Voice::Screened(..) => Err(no_batch("the checks answer this question without a call")),
            Voice::Control(_) | Voice::Checks(_) | Voice::Replay(..) => Err(no_batch("it answers without a call")),
        }
    }

    /// A text from outside with this judge's key masked, should it be in there.
    pub fn masked(&self, text: &str) -> String {
        match self.asked() {
            Some(asked) => asked.endpoint.masked(text.to_owned()),
            None => text.to_owned(),
        }
    }

    /// Reads one answer of a batch file as if it had come over the line: what a filter stopped becomes a completion,
    /// failures get their class, the key is masked. Pure.
    pub fn read_batch(&self, request: &JudgeRequest, status: u16, body: &str) -> Result<Completion, CallError> {
        match &self.voice {
            Voice::Prompted(asked) => {
                asked.endpoint.read_offline(&request.body, status, body).map(|answer| asked.marked(answer))
            }
            Voice::Screened(_, inner) if self.is_call(request) => inner.read_batch(request, status, body),
            Voice::Screened(..) | Voice::Control(_) | Voice::Checks(_) | Voice::Replay(..) => Err(CallError {
                class: CallClass::Setup,
                status: None,
                message: format!("judge `{}` answers this question without a call", self.name),
            }),
        }
    }

    /// What the completion of a request says. Pure.
    pub fn read(&self, request: &JudgeRequest, completion: &Completion) -> ReadVerdict {
        match &self.voice {
            Voice::Prompted(asked) => read_by(asked.prompt.contract, asked.read, completion),
            Voice::Control(_) | Voice::Checks(_) => read_word(&completion.text),
            Voice::Replay(recorded, contract) => {
                match (recorded.answer(&request.item, request.order, request.repeat), contract) {
                    (Some(Answer::Verdict(reading, _)), _) => {
                        ReadVerdict { reading: *reading, grade: None, probability: None, why: "as recorded".to_owned() }
                    }
                    (_, Some(contract)) => read_by(*contract, mark_of(completion), completion),
                    (_, None) => read_word(&completion.text),
                }
            }
            Voice::Screened(checks, _) if checks.decides(&request.item) => read_word(&completion.text),
            Voice::Screened(_, inner) => inner.read(request, completion),
        }
    }

    /// The cost of a call in US dollars; `None` is unknown, never zero.
    pub fn cost_usd(&self, usage: &Usage) -> Option<f64> {
        match self.kind {
            JudgeKind::Control | JudgeKind::Checks => Some(0.0),
            JudgeKind::Endpoint | JudgeKind::Replay => self.price?.of(usage),
        }
    }

    /// A request whose answer is settled here. The key covers the answer, since the pair's texts, lengths and gold
    /// are not in the fingerprint.
    fn answered(&self, item: &ItemId, order: Order, repeat: u32, answer: Verdict) -> JudgeRequest {
        let head = [b"local 1".as_slice(), self.fingerprint.0.as_bytes(), item.as_str().as_bytes()];
        let place = [order.as_str().as_bytes(), &repeat.to_le_bytes(), word(answer).as_bytes()];
        let key = RequestKey(Digest::of_parts(head.into_iter().chain(place)));
        JudgeRequest { item: item.clone(), order, repeat, key, messages: Vec::new(), body: Body::null() }
    }

    fn unknown(&self, item: &ItemId) -> JudgeError {
        JudgeError::UnknownItem { judge: self.name.to_string(), item: item.clone() }
    }

    fn not_applicable(&self, item: &ItemId, lacks: &'static str) -> JudgeError {
        JudgeError::NotApplicable { judge: self.name.to_string(), item: item.clone(), lacks }
    }
}

/// The identity of a question that is sent: who is asked, the exact body, and the how-manieth asking it is.
pub(super) fn sent_key(fingerprint: &Fingerprint, body: &Body, repeat: u32) -> RequestKey {
    let parts = [b"request 1".as_slice(), fingerprint.0.as_bytes(), body.text().as_bytes(), &repeat.to_le_bytes()];
    RequestKey(Digest::of_parts(parts))
}

pub(super) fn fields(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

fn replay_request(
    recorded: &RecordedJudge,
    item: &ItemId,
    order: Order,
    repeat: u32,
) -> Result<JudgeRequest, JudgeError> {
    if recorded.answer(item, order, repeat).is_none() {
        let (file, judge) = (recorded.file.clone(), recorded.header.judge.to_string());
        return Err(JudgeError::NotRecorded { file, judge, item: item.clone(), order, repeat });
    }
    let head = [b"replay 1".as_slice(), recorded.digest.bytes(), recorded.header.judge.as_str().as_bytes()];
    let place = [item.as_str().as_bytes(), order.as_str().as_bytes(), &repeat.to_le_bytes()];
    let key = RequestKey(Digest::of_parts(head.into_iter().chain(place)));
    Ok(JudgeRequest { item: item.clone(), order, repeat, key, messages: Vec::new(), body: Body::null() })
}

fn replayed(recorded: &RecordedJudge, request: &JudgeRequest) -> Result<Completion, CallError> {
    match recorded.answer(&request.item, request.order, request.repeat) {
        Some(Answer::Completion(completion)) => Ok(Completion::clone(completion)),
        Some(Answer::Verdict(_, raw)) => Ok(Completion::of_text(raw.as_str())),
        None => Err(CallError {
            class: CallClass::Setup,
            status: None,
            message: format!(
                "{}: nothing is recorded for item `{}`, order {}, repeat {}",
                recorded.file,
                request.item,
                request.order.as_str(),
                request.repeat
            ),
        }),
    }
}

/// Under this name a completion says that it was asked for to be read by its log-probabilities, so that a recording of
/// it is read alike.
const MARK: &str = "read";

impl Asked {
    fn marked(&self, mut completion: Completion) -> Completion {
        if self.read == ReadMode::Logprobs {
            completion.extra.insert(MARK.to_owned(), Value::from(self.read.as_str()));
            if let Some(logprobs) = &mut completion.logprobs {
                logprobs::trim(self.prompt.contract, logprobs);
            }
        }
        completion
    }
}

/// How a recorded completion says it is to be read.
fn mark_of(completion: &Completion) -> ReadMode {
    let mark = completion.extra.get(MARK).and_then(Value::as_str);
    mark.and_then(ReadMode::parse).unwrap_or_default()
}

/// What a contract makes of a stored completion, as judges at endpoints read it. Pure.
pub fn read_completion(contract: Contract, completion: &Completion) -> ReadVerdict {
    read_by(contract, mark_of(completion), completion)
}

fn read_by(contract: Contract, mode: ReadMode, completion: &Completion) -> ReadVerdict {
    let refused = completion.refusal.is_some() && completion.text.trim().is_empty();
    let mut read = contract.read(&completion.text, if refused { FinishReason::Refusal } else { completion.finish });
    if read.reading == Reading::None(NoVerdict::Truncated) {
        read.why.push_str("; the token limit was reached, a larger `max_tokens` may help");
    }
    if mode == ReadMode::Logprobs { logprobs::read(contract, completion, read) } else { read }
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
