//! The short way to a server on this machine that speaks plain HTTP: no TLS, no proxy and no redirect stands between, and
//! beside a server that answers at once the layers for them would cost more time than the exchange itself.
//!
//! Whoever asks also moves the bytes: a connection belongs to the call under way, and to nobody between two calls. So
//! no task of its own has to be woken for it, which is most of what a client with a task for each connection costs.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Body as _, Bytes};
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{ACCEPT, HOST, HeaderValue, USER_AGENT as USER_AGENT_HEADER};
use hyper::{Method, Request, Uri};
use hyper_util::rt::TokioIo;
use reqwest::Url;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::{Answer, Breakage, CONNECT_TIMEOUT, Collected, Sending, USER_AGENT, chain};

/// Where on this machine a server listens, what is asked of it, and the connections to it.
pub(super) struct Place {
    host: String,
    port: u16,
    /// As the request names the host.
    named: HeaderValue,
    /// The path with its query.
    path: Uri,
    /// Connections between two calls, never more than calls were open at a time. One that the server closed meanwhile is
    /// noticed when it is taken.
    kept: Mutex<Vec<Connection>>,
}

impl Place {
    /// `None` where the address has no host or cannot be written in a request.
    pub fn new(url: &Url) -> Option<Self> {
        let host = url.host_str()?;
        let named = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        let path = url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()));
        Some(Self {
            host: host.trim_matches(['[', ']']).to_owned(),
            port: url.port_or_known_default()?,
            named: named.parse().ok()?,
            path: path.parse().ok()?,
            kept: Mutex::default(),
        })
    }

    /// Sends one `POST` and collects the answer, whatever its status.
    pub async fn post(&self, sending: Sending<'_>) -> Result<Answer, Breakage> {
        let mut request = Request::new(Full::new(Bytes::from(sending.body)));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.path.clone();
        let headers = request.headers_mut();
        *headers = sending.headers;
        headers.insert(HOST, self.named.clone());
        headers.insert(ACCEPT, HeaderValue::from_static("*/*"));
        headers.insert(USER_AGENT_HEADER, HeaderValue::from_static(USER_AGENT));
        // In a box: every layer around would else move the whole of it, some kilobytes, several times a call.
        let exchange = Box::pin(self.exchange(request));
        timeout(sending.timeout, exchange).await.unwrap_or(Err(Breakage::Timeout))
    }

    async fn exchange(&self, mut request: Request<Full<Bytes>>) -> Result<Answer, Breakage> {
        loop {
            let kept = self.open_connection().await;
            let is_kept = kept.is_some();
            let mut connection = match kept {
                Some(connection) => connection,
                None => Connection::open(&self.host, self.port).await?,
            };
            match connection.exchange(request).await {
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
    /// Moves bytes while it is polled; `None` once the connection has ended.
    bytes: Option<http1::Connection<TokioIo<TcpStream>, Full<Bytes>>>,
}

impl Connection {
    async fn open(host: &str, port: u16) -> Result<Self, Breakage> {
        let opened = timeout(CONNECT_TIMEOUT, TcpStream::connect((host, port))).await;
        let stream = opened.unwrap_or_else(|_| Err(std::io::ErrorKind::TimedOut.into()));
        let stream = stream.map_err(|error| Breakage::NoConnection(chain(&error)))?;
        // A request goes out at once; without this it is merely late.
        let _ = stream.set_nodelay(true);
        let (requests, bytes) = http1::handshake(TokioIo::new(stream)).await.map_err(|error| broken(&error))?;
        Ok(Self { requests, bytes: Some(bytes) })
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

    async fn exchange(&mut self, request: Request<Full<Bytes>>) -> Result<Answer, Failure> {
        let sent = self.requests.try_send_request(request);
        let response = self.meanwhile(sent).await.map_err(|mut failed| {
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
            && let Some(frame) = self.meanwhile(incoming.frame()).await
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
    async fn meanwhile<T>(&mut self, awaited: impl Future<Output = T>) -> T {
        let mut awaited = pin!(awaited);
        poll_fn(|context| {
            if let Poll::Ready(ready) = awaited.as_mut().poll(context) {
                return Poll::Ready(ready);
            }
            self.advance(context);
            awaited.as_mut().poll(context)
        })
        .await
    }

    fn advance(&mut self, context: &mut Context<'_>) {
        // How it ended is told to whoever waits for an answer.
        if self.bytes.as_mut().is_some_and(|bytes| Pin::new(bytes).poll(context).is_ready()) {
            self.bytes = None;
        }
    }
}

fn broken(error: &hyper::Error) -> Breakage {
    Breakage::Broken(chain(error))
}
