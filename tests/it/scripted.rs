//! A server on this machine that answers as it is told, and remembers what it was asked.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Response, Uri};
use futures_util::stream::{self, StreamExt};
use serde_json::{Value, json};

/// One answer.
#[derive(Debug, Clone)]
pub struct Step {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    pub delay: Duration,
    pub ending: Ending,
}

/// How the body of an answer ends.
#[derive(Debug, Clone, Copy)]
pub enum Ending {
    /// As it should.
    Whole,
    /// The connection breaks behind this many bytes.
    Cut(usize),
    /// Nothing more comes behind this many bytes.
    Stall(usize),
}

impl Step {
    /// A JSON answer.
    pub fn json(status: u16, body: &Value) -> Self {
        Self::raw(status, "application/json", body.to_string())
    }

    /// Any answer.
    pub fn raw(status: u16, kind: &str, body: impl Into<Vec<u8>>) -> Self {
        let headers = vec![("content-type".to_owned(), kind.to_owned())];
        Self { status, headers, body: body.into(), delay: Duration::ZERO, ending: Ending::Whole }
    }

    /// A good answer with this text.
    pub fn good(text: &str) -> Self {
        let message = json!({"role": "assistant", "content": text});
        Self::json(
            200,
            &json!({"id": "c1", "model": "served-1", "system_fingerprint": "fp",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}}),
        )
    }

    /// The same with one more header.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}

/// One request, as it arrived.
#[derive(Debug, Clone)]
pub struct Seen {
    /// With the query, where there is one.
    pub path: String,
    pub authorization: Option<String>,
    pub headers: HeaderMap,
    pub body: Value,
    pub at: tokio::time::Instant,
}

/// The running server; it ends with the test's runtime.
pub struct Scripted {
    /// `http://127.0.0.1:PORT`
    pub root: String,
    seen: Arc<Mutex<Vec<Seen>>>,
}

/// What to answer to the nth request (from 0) with this body.
type Answer = Box<dyn Fn(usize, &Value) -> Step + Send + Sync>;

struct Script {
    answer: Answer,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Scripted {
    /// Answers with `steps` in turn, the last one for ever.
    pub async fn start(steps: Vec<Step>) -> Self {
        Self::answering(move |nth, _| steps[nth.min(steps.len() - 1)].clone()).await
    }

    /// Answers by what was asked, and how much before it.
    pub async fn answering(script: impl Fn(usize, &Value) -> Step + Send + Sync + 'static) -> Self {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let script = Arc::new(Script { answer: Box::new(script), seen: Arc::clone(&seen) });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let root = format!("http://{}", listener.local_addr().unwrap());
        let app = Router::new().fallback(answer).with_state(script);
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self { root, seen }
    }

    /// How often it was asked so far.
    pub fn asked(&self) -> usize {
        self.seen.lock().unwrap().len()
    }

    /// What was asked so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

async fn answer(State(script): State<Arc<Script>>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response<Body> {
    let step = {
        let mut seen = script.seen.lock().unwrap();
        let authorization = headers.get("authorization").map(|value| value.to_str().unwrap().to_owned());
        let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
        let step = (script.answer)(seen.len(), &body);
        let path = uri.to_string();
        seen.push(Seen { path, authorization, headers, body, at: tokio::time::Instant::now() });
        step
    };
    tokio::time::sleep(step.delay).await;
    let mut response = Response::builder().status(step.status);
    for (name, value) in &step.headers {
        response = response.header(name, dated(value));
    }
    let head = |bytes: usize| -> Result<Vec<u8>, std::io::Error> { Ok(step.body[..bytes].to_vec()) };
    let body = match step.ending {
        Ending::Whole => Body::from(step.body),
        Ending::Cut(bytes) => Body::from_stream(stream::iter([head(bytes), Err(std::io::Error::other("cut"))])),
        Ending::Stall(bytes) => Body::from_stream(stream::iter([head(bytes)]).chain(stream::pending())),
    };
    response.body(body).unwrap()
}

/// `{{http_date:+2}}` is the time two seconds from the moment of the answer.
fn dated(header: &str) -> String {
    let Some(seconds) = header.strip_prefix("{{http_date:").and_then(|rest| rest.strip_suffix("}}")) else {
        return header.to_owned();
    };
    #[allow(clippy::disallowed_methods)] // The server's clock.
    let now = SystemTime::now();
    let seconds: i64 = seconds.parse().unwrap();
    let by = Duration::from_secs(seconds.unsigned_abs());
    httpdate::fmt_http_date(if seconds < 0 { now - by } else { now + by })
}
