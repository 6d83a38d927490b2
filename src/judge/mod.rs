//! Whatever turns a request into a completion: endpoints, recordings, controls, deterministic checks.
//!
//! A [`Judge`] is a model with a prompt and a contract. Its request is pure, so the key exists before the call and
//! planning, price forecast, resuming and de-duplication need no network; its reading is pure, so a verdict can be
//! derived anew from a stored completion. This room never retries, never counts, never stores: a failed call is a
//! [`CallError`] that says whether another try makes sense. Keys are [`Secret`]s and leave it in request headers alone.

mod adapted;
mod batch;
mod check;
mod checks;
mod control;
mod endpoint;
mod error;
mod generator;
mod http;
// The room's main noun has the room's name.
#[allow(clippy::module_inception)]
mod judge;
mod logprobs;
mod number;
mod provider;
mod replay;
mod secret;
mod short;
mod spec;

pub use crate::domain::{ControlKind, Per};
pub use batch::{BatchLineError, BatchOutcome, BatchReply, batch_line, read_batch_file};
pub use check::{CheckError, CheckOutcome, CheckSet, run_checks};
pub use error::{FORMS, JudgeError};
pub use generator::Generator;
pub use http::HttpClient;
pub use judge::{BatchCall, Judge, read_completion};
pub use replay::{RecordedLine, Recording, RecordingHeader, write_recording};
pub use secret::Secret;
pub use short::{ShortForm, parse_short};
pub use spec::{EndpointSpec, GeneratorSpec, JsonForm, JudgeSpec, Price, Provider, ReadMode, ServedPolicy};

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use crate::domain::{Body, Completion, JudgeRequest, Message};

/// The future of one call.
pub type Asking<'a> = Pin<Box<dyn Future<Output = Result<Completion, CallError>> + Send + 'a>>;

/// Something that answers requests: an endpoint, a recording, a control, a set of checks.
pub trait Model: Send + Sync {
    /// The body that would be sent for these messages, in the provider's own shape; `null` for local models. Pure.
    fn body(&self, messages: &[Message]) -> Body;

    /// Answers one request. Never retries; the error says whether a retry makes sense.
    fn ask<'a>(&'a self, request: &'a JudgeRequest) -> Asking<'a>;
}

/// What kind of judge this is; decides what the store keeps and what a certificate is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JudgeKind {
    /// A model behind an endpoint: calls cost money, completions are stored.
    Endpoint,
    /// Recorded completions or verdicts.
    Replay,
    /// Deterministic checks alone.
    Checks,
    /// A control judge: a dumb baseline or a known answer.
    Control,
}

/// How a failed call is to be treated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallClass {
    /// Worth another try (5xx, timeout, broken connection); after that much time, where the server said so.
    Retry(Option<Duration>),
    /// The server limits the rate (429); retry after that much time, where it said so.
    RateLimited(Option<Duration>),
    /// This request will never work (400, context too long); others may.
    Item,
    /// No request will work as set up (wrong key, unknown model, no such host).
    Setup,
}

/// A call that brought no completion. A value, not the end of a run.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct CallError {
    /// What to do about it.
    pub class: CallClass,
    /// HTTP status, where there was one.
    pub status: Option<u16>,
    /// What happened, with a masked excerpt of the body; never a key.
    pub message: String,
}
