//! The short way to a server on this machine that speaks plain HTTP: no TLS, no proxy and no redirect stands between, and
//! beside a server that answers at once the layers for them would cost more time than the exchange itself.
//!
//! Whoever asks also moves the bytes: a connection belongs to the call under way, and to nobody between two calls. So
//! no task of its own has to be woken for it, which is most of what a client with a task for each connection costs.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Body as _, Bytes};
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{ACCEPT, HOST, HeaderMap, HeaderValue, USER_AGENT as USER_AGENT_HEADER};
use hyper::{Method, Request, Uri};
use hyper_util::rt::TokioIo;
use reqwest::Url;
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep, timeout, timeout_at};

use super::{Answer, Breakage, CONNECT_TIMEOUT, Collected, USER_AGENT, chain};

/// Where on this machine a server listens, what is asked of it, and the connections to it.
pub(super) struct Place {
    host: String,
    port: u16,
    /// Of every request.
    headers: HeaderMap,
    /// The path with its query.
    path: Uri,
    /// Connections between two calls, never more than calls were open at a time. One that the server closed meanwhile is
    /// noticed when it is taken.
    kept: Mutex<Vec<Connection>>,
}

impl Place {
    /// Requests there carry `headers` and what a whole client adds by itself. `None` where the address has no host or
    /// cannot be written in a request.
    pub fn new(url: &Url, headers: &HeaderMap) -> Option<Self> {
        let host = url.host_str()?;
        let named = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        let path = url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()));
        let mut headers = headers.clone();
        headers.insert(HOST, named.parse().ok()?);
        headers.insert(ACCEPT, HeaderValue::from_static("*/*"));
        headers.insert(USER_AGENT_HEADER, HeaderValue::from_static(USER_AGENT));
        Some(Self {
            host: host.trim_matches(['[', ']']).to_owned(),
            port: url.port_or_known_default()?,
            headers,
            path: path.parse().ok()?,
            kept: Mutex::default(),
        })
    }

    /// Sends one `POST` and collects the answer, whatever its status. The limit is for the whole exchange.
    pub async fn post(&self, body: String, limit: Duration) -> Result<Answer, Breakage> {
        let until = Instant::now() + limit;
        let mut request = Request::new(Full::new(Bytes::from(body)));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.path.clone();
        *request.headers_mut() = self.headers.clone();
        loop {
            let kept = self.open_connection().await;
            let is_kept = kept.is_some();
            let mut connection = match kept {
                Some(connection) => connection,
                None => Connection::open(&self.host, self.port, until).await?,
            };
            match connection.exchange(request, until).await {
                Ok(answer) => {
                    self.kept().push(connection);
                    return Ok(answer);
                }
                // Closed since the last look, and nothing was sent yet.
                Err(Failure::Unsent(unsent, _)) if is_kept => request = *unsent,
                Err(Failure::Unsent(_, breakage) | Failure::Broken(breakage)) => return Err(breakage),
            }
        }
    }

    /// A connection that the server still keeps, as far as can be told.
    async fn open_connection(&self) -> Option<Connection> {
        loop {
            let mut connection = self.kept().pop()?;
            if connection.is_free().await {
                return Some(connection);
            }
        }
    }

    fn kept(&self) -> MutexGuard<'_, Vec<Connection>> {
        // A list of connections is whole at every moment; a panic elsewhere does not spoil it.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why an exchange came to nothing.
enum Failure {
    /// Nothing was sent, so the request may go another way.
    Unsent(Box<Request<Full<Bytes>>>, Breakage),
    Broken(Breakage),
}

struct Connection {
    requests: SendRequest<Full<Bytes>>,
    /// Moves bytes while it is polled; `None` once the connection has ended. In a box, since connections change hands
    /// several times a call.
    bytes: Option<Box<http1::Connection<TokioIo<TcpStream>, Full<Bytes>>>>,
    /// The end of the exchange under way at the latest. It stays with the connection: to put a timer off costs little, to
    /// set one up and take it down again as much as reading an answer.
    limit: Pin<Box<Sleep>>,
}

impl Connection {
    async fn open(host: &str, port: u16, until: Instant) -> Result<Self, Breakage> {
        let opened = timeout_at(until, timeout(CONNECT_TIMEOUT, TcpStream::connect((host, port)))).await;
        let opened = opened.map_err(|_| Breakage::Timeout)?;
        let stream = opened.unwrap_or_else(|_| Err(std::io::ErrorKind::TimedOut.into()));
        let stream = stream.map_err(|error| Breakage::NoConnection(chain(&error)))?;
        // A request goes out at once; without this it is merely late.
        let _ = stream.set_nodelay(true);
        // Head and body in one piece: to copy a question's few kilobytes takes less than to write from two places.
        let mut builder = http1::Builder::new();
        builder.writev(false);
        let (requests, bytes) = builder.handshake(TokioIo::new(stream)).await.map_err(|error| broken(&error))?;
        Ok(Self { requests, bytes: Some(Box::new(bytes)), limit: Box::pin(sleep(Duration::ZERO)) })
    }

    /// True where another request can be sent: the last exchange is over on both sides, and the server has not closed.
    async fn is_free(&mut self) -> bool {
        poll_fn(|context| {
            self.advance(context);
            Poll::Ready(())
        })
        .await;
        self.bytes.is_some() && self.requests.is_ready()
    }

    async fn exchange(&mut self, request: Request<Full<Bytes>>, until: Instant) -> Result<Answer, Failure> {
        self.limit.as_mut().reset(until);
        let sent = self.requests.try_send_request(request);
        let response = self.meanwhile(sent).await?.map_err(|mut failed| {
            let unsent = failed.take_message();
            let breakage = broken(failed.error());
            match unsent {
                Some(request) => Failure::Unsent(Box::new(request), breakage),
                None => Failure::Broken(breakage),
            }
        })?;
        let (head, mut incoming) = response.into_parts();
        let status = head.status.as_u16();
        let mut body = Collected::new(incoming.size_hint().exact());
        while !incoming.is_end_stream()
            && let Some(frame) = self.meanwhile(incoming.frame()).await?
        {
            let frame = frame.map_err(|error| Failure::Broken(broken(&error)))?;
            // What is no data is a trailer, of which nothing is needed.
            if let Ok(data) = frame.into_data() {
                body.add(&data).map_err(|()| Failure::Broken(Breakage::TooLarge(status)))?;
            }
        }
        Ok(Answer { status, headers: head.headers, body: body.into_bytes() })
    }

    /// Waits for something that the connection brings about, and moves its bytes meanwhile.
    async fn meanwhile<T>(&mut self, awaited: impl Future<Output = T>) -> Result<T, Failure> {
        let mut awaited = pin!(awaited);
        poll_fn(|context| {
            if let Poll::Ready(ready) = awaited.as_mut().poll(context) {
                return Poll::Ready(Ok(ready));
            }
            self.advance(context);
            if let Poll::Ready(ready) = awaited.as_mut().poll(context) {
                return Poll::Ready(Ok(ready));
            }
            self.limit.as_mut().poll(context).map(|()| Err(Failure::Broken(Breakage::Timeout)))
        })
        .await
    }

    fn advance(&mut self, context: &mut Context<'_>) {
        // How it ended is told to whoever waits for an answer.
        if self.bytes.as_mut().is_some_and(|bytes| Pin::new(&mut **bytes).poll(context).is_ready()) {
            self.bytes = None;
        }
    }
}

fn broken(error: &hyper::Error) -> Breakage {
    Breakage::Broken(chain(error))
}
