//! The way to any server: TLS, HTTP/2, the system's proxies.

use std::time::Duration;

use hyper::header::HeaderMap;
use reqwest::{Certificate, Client, ClientBuilder, redirect, retry};

use super::{Address, Answer, Breakage, CONNECT_TIMEOUT, Collected, USER_AGENT, chain};
use crate::judge::error::JudgeError;

/// Clients that share their connections; cheap to clone.
#[derive(Clone)]
pub(super) struct Remote {
    /// Honours the system's proxy settings.
    proxied: Client,
    /// For servers on this machine, which no proxy can reach.
    direct: Client,
}

impl Remote {
    pub fn new() -> Result<Self, JudgeError> {
        Ok(Self { proxied: build(|builder| builder)?, direct: build(ClientBuilder::no_proxy)? })
    }

    /// Sends one `POST` and collects the answer, whatever its status. The limit is for the whole exchange.
    pub async fn post(
        &self,
        to: &Address,
        headers: HeaderMap,
        body: String,
        limit: Duration,
    ) -> Result<Answer, Breakage> {
        let client = if to.is_local { &self.direct } else { &self.proxied };
        let request = match &to.url {
            Some(url) => client.post(url.clone()),
            // The client says what is wrong with it.
            None => client.post(&to.text),
        };
        let sent = request.headers(headers).timeout(limit).body(body).send().await;
        let mut response = sent.map_err(breakage)?;
        let mut body = Collected::new(response.content_length());
        while let Some(chunk) = response.chunk().await.map_err(breakage)? {
            body.add(&chunk).map_err(|()| Breakage::TooLarge(response.status().as_u16()))?;
        }
        let status = response.status().as_u16();
        Ok(Answer { status, headers: std::mem::take(response.headers_mut()), body: body.into_bytes() })
    }
}

fn build(tune: impl Fn(ClientBuilder) -> ClientBuilder) -> Result<Client, JudgeError> {
    let builder = || {
        tune(Client::builder())
            .redirect(redirect::Policy::none())
            // The runner tries again, and counts what it does.
            .retry(retry::never())
            .connect_timeout(CONNECT_TIMEOUT)
            .user_agent(USER_AGENT)
    };
    // On a machine without a bundle of root certificates the builder fails, even where only plain http will be
    // spoken; the roots compiled in serve there.
    builder()
        .build()
        .or_else(|_| builder().tls_certs_only(embedded_roots()).build())
        .map_err(|error| JudgeError::Client(chain(&error)))
}

fn embedded_roots() -> Vec<Certificate> {
    webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter().filter_map(|der| Certificate::from_der(der).ok()).collect()
}

fn breakage(error: reqwest::Error) -> Breakage {
    let error = error.without_url();
    if error.is_timeout() {
        Breakage::Timeout
    } else if error.is_dns() {
        Breakage::NoHost(chain(&error))
    } else if error.is_builder() {
        Breakage::NoAddress(chain(&error))
    } else if error.is_connect() {
        Breakage::NoConnection(chain(&error))
    } else {
        Breakage::Broken(chain(&error))
    }
}
