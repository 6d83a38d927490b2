//! The short way to a server on this machine that speaks plain HTTP: no TLS, no proxy and no redirect stands between, and
//! beside a server that answers at once the layers for them would cost more time than the exchange itself.

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Body as _, Bytes};
use hyper::header::{ACCEPT, HeaderValue, USER_AGENT as USER_AGENT_HEADER};
use hyper::{Method, Request, Uri};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};

use super::{Answer, Breakage, CONNECT_TIMEOUT, Collected, Sending, USER_AGENT, chain};

/// A client that keeps its connections; cheap to clone.
#[derive(Clone)]
pub(super) struct Local(Client<HttpConnector, Full<Bytes>>);

impl Local {
    pub fn new() -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(CONNECT_TIMEOUT));
        Self(Client::builder(TokioExecutor::new()).pool_timer(TokioTimer::new()).build(connector))
    }

    /// Sends one `POST` and collects the answer, whatever its status.
    pub async fn post(&self, uri: &Uri, sending: Sending<'_>) -> Result<Answer, Breakage> {
        let mut request = Request::new(Full::new(Bytes::from(sending.body)));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = uri.clone();
        *request.headers_mut() = sending.headers;
        request.headers_mut().insert(ACCEPT, HeaderValue::from_static("*/*"));
        request.headers_mut().insert(USER_AGENT_HEADER, HeaderValue::from_static(USER_AGENT));
        let exchange = async {
            let response = self.0.request(request).await.map_err(|error| {
                let words = chain(&error);
                if error.is_connect() { Breakage::NoConnection(words) } else { Breakage::Broken(words) }
            })?;
            let (head, mut incoming) = response.into_parts();
            let status = head.status.as_u16();
            let mut body = Collected::new(incoming.size_hint().exact());
            while let Some(frame) = incoming.frame().await {
                let frame = frame.map_err(|error| Breakage::Broken(chain(&error)))?;
                // What is no data is a trailer, of which nothing is needed.
                if let Ok(data) = frame.into_data() {
                    body.add(&data).map_err(|()| Breakage::TooLarge(status))?;
                }
            }
            Ok(Answer { status, headers: head.headers, body: body.into_bytes() })
        };
        tokio::time::timeout(sending.timeout, exchange).await.unwrap_or(Err(Breakage::Timeout))
    }
}
