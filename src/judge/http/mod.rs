//! The one place that talks to the network: send, wait, read, and say what a failure means.
//!
//! Redirects are not followed (a `POST` would lose its body), answers are bounded in size, and the key is masked in
//! everything that comes back before anyone else sees it.

mod local;
mod remote;

use std::error::Error;
use std::fmt;
use std::net::IpAddr;
use std::sync::Once;
use std::time::{Duration, Instant, SystemTime};

use hyper::header::{AUTHORIZATION, CONTENT_TYPE, DATE, HeaderMap, HeaderName, HeaderValue, LOCATION, RETRY_AFTER};
use reqwest::Url;
use serde_json::Value;

use local::Place;
use remote::Remote;

use super::error::JudgeError;
use super::secret::Secret;
use super::{CallClass, CallError};

/// Largest answer that is read, in bytes: a judge's reasons are a few kilobytes, a runaway server has no end.
const LARGEST_ANSWER: usize = 16 << 20;
/// A server that does not even accept a connection within this time is not there.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);
/// Memory set aside for an answer before any of it came, in bytes.
const LARGEST_RESERVED: usize = 64 << 10;
/// Longest quotation of an error body, in characters.
const LONGEST_EXCERPT: usize = 400;

/// How the program calls itself.
const USER_AGENT: &str = concat!("tribunal/", env!("CARGO_PKG_VERSION"));

/// The HTTP client that all endpoint judges of a run share; cheap to clone.
#[derive(Clone)]
pub struct HttpClient {
    remote: Remote,
    /// False: all go the way of remote servers.
    knows_short_way: bool,
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HttpClient")
    }
}

impl HttpClient {
    /// Sets up the client. Sends nothing.
    pub fn new() -> Result<Self, JudgeError> {
        Ok(Self { knows_short_way: true, ..Self::remote_only()? })
    }

    /// A client that takes the way of remote servers to those on this machine too, to check that both ways are alike.
    pub fn remote_only() -> Result<Self, JudgeError> {
        static PROVIDER: Once = Once::new();
        PROVIDER.call_once(|| {
            // An error means that the embedding program installed a provider first, which serves as well.
            let _ = rustls::crypto::ring::default_provider().install_default();
        });
        Ok(Self { remote: Remote::new()?, knows_short_way: false })
    }

    /// Sends one `POST` and waits for the whole answer, whatever its status.
    pub(super) async fn post(&self, mut post: Post<'_>) -> Result<Reply, CallError> {
        let headers = post.to.headers.as_ref().map_err(Clone::clone)?;
        let (body, timeout) = (std::mem::take(&mut post.body), post.timeout);
        #[allow(clippy::disallowed_methods)] // latency is measured here and nowhere else
        let sent = Instant::now();
        let answer = match &post.to.plain {
            // In a box: every layer around would else move the whole of it, more than a kilobyte, several times a call.
            Some(place) if self.knows_short_way => Box::pin(place.post(body, timeout)).await,
            _ => self.remote.post(post.to, headers.clone(), body, timeout).await,
        };
        let Answer { status, headers, body } = answer.map_err(|broken| failure(&broken, &post))?;
        let latency_ms = u64::try_from(sent.elapsed().as_millis()).unwrap_or(u64::MAX);
        #[allow(clippy::disallowed_methods)] // only to count from where the server sent no date of its own
        let now = SystemTime::now();
        Ok(Reply {
            status,
            retry_after: retry_after(&headers, now),
            is_html: text_of(&headers, &CONTENT_TYPE).is_some_and(|kind| kind.contains("html")),
            location: text_of(&headers, &LOCATION).map(|place| post.mask(excerpt(place))),
            body: masked_body(post.key, text_from(body)),
            latency_ms,
        })
    }
}

/// What came over the line.
struct Answer {
    status: u16,
    headers: HeaderMap,
    body: Vec<u8>,
}

/// Why no whole answer came; with the words of whoever noticed.
enum Breakage {
    Timeout,
    NoHost(String),
    NoAddress(String),
    NoConnection(String),
    Broken(String),
    /// Of an answer with this status.
    TooLarge(u16),
}

/// The bytes of an answer so far.
struct Collected(Vec<u8>);

impl Collected {
    /// What the server says of the length is a hint, and no reason to set much memory aside.
    fn new(expected: Option<u64>) -> Self {
        let expected = expected.and_then(|length| usize::try_from(length).ok()).unwrap_or(0);
        Self(Vec::with_capacity(expected.min(LARGEST_RESERVED)))
    }

    /// An error where it gets too large.
    fn add(&mut self, chunk: &[u8]) -> Result<(), ()> {
        if self.0.len() + chunk.len() > LARGEST_ANSWER {
            return Err(());
        }
        self.0.extend_from_slice(chunk);
        Ok(())
    }

    fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

/// Where to send to, and what every request there says of itself; worked out once, since both are costly.
pub(super) struct Address {
    /// In full, as set.
    pub text: String,
    /// An error where the key fits into no header.
    headers: Result<HeaderMap, CallError>,
    /// `None` for what is no address: the client says what is wrong with it.
    url: Option<Url>,
    /// For a server on this machine that speaks plain HTTP.
    plain: Option<Place>,
    /// True for a server on this machine.
    pub is_local: bool,
}

impl Address {
    /// The address as set, the key with the way it is sent, and further headers: names in lower case, and texts that are
    /// no secret.
    pub fn new(text: String, key: Option<(KeyHeader, &Secret)>, more: &[(&'static str, &'static str)]) -> Self {
        let url = Url::parse(&text).ok();
        let local = url.as_ref().filter(|url| is_local(url));
        let plain = local.filter(|url| url.scheme() == "http" && url.username().is_empty() && url.password().is_none());
        let headers = headers(key, more);
        let plain = plain.zip(headers.as_ref().ok()).and_then(|(url, headers)| Place::new(url, headers));
        Self { headers, plain, is_local: local.is_some(), text, url }
    }
}

/// What is sent.
pub(super) struct Post<'a> {
    /// Where to.
    pub to: &'a Address,
    /// The JSON text.
    pub body: String,
    /// The key, which is masked in what comes back.
    pub key: Option<&'a Secret>,
    /// Limit for the whole exchange.
    pub timeout: Duration,
}

/// How a key is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyHeader {
    /// `Authorization: Bearer KEY`
    Bearer,
    /// The bare key in the header of this name, in lower case.
    Plain(&'static str),
}

impl Post<'_> {
    fn mask(&self, text: String) -> String {
        match self.key {
            Some(key) => key.mask(text),
            None => text,
        }
    }
}

/// Masks the key in a body. JSON may spell it with escapes (`\/`, `\u0041`), so its strings are looked at as they read.
pub(super) fn masked_body(key: Option<&Secret>, body: String) -> String {
    let Some(key) = key else { return body };
    if body.contains('\\')
        && let Ok(mut value) = serde_json::from_str::<Value>(&body)
        && mask_strings(&mut value, key)
    {
        return value.to_string();
    }
    key.mask(body)
}

/// Masks the key in every string and name of a JSON value; true where there was one.
fn mask_strings(value: &mut Value, key: &Secret) -> bool {
    let masked = |text: &mut String| {
        let clean = key.mask(text.clone());
        let found = clean != *text;
        *text = clean;
        found
    };
    match value {
        Value::String(text) => masked(text),
        Value::Array(values) => values.iter_mut().fold(false, |found, value| mask_strings(value, key) | found),
        Value::Object(fields) => {
            let mut found = false;
            let old = std::mem::take(fields);
            for (mut name, mut value) in old {
                found |= masked(&mut name) | mask_strings(&mut value, key);
                fields.insert(name, value);
            }
            found
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// What came back, the key masked.
#[derive(Debug, Clone)]
pub(super) struct Reply {
    pub status: u16,
    /// How long the server asks to wait.
    pub retry_after: Option<Duration>,
    /// True for a web page.
    pub is_html: bool,
    /// Where a redirect points to.
    pub location: Option<String>,
    pub body: String,
    pub latency_ms: u64,
}

/// How a failed call with this status is to be treated.
pub(super) fn class_of(status: u16, retry_after: Option<Duration>) -> CallClass {
    match status {
        429 => CallClass::RateLimited(retry_after),
        408 | 409 | 425 | 500..=599 => CallClass::Retry(retry_after),
        300..=399 | 401..=407 | 410 => CallClass::Setup,
        _ => CallClass::Item,
    }
}

/// A short piece of a body, on one line and without control characters.
pub(super) fn excerpt(body: &str) -> String {
    let mut text = String::new();
    for word in body.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
        if let Some((end, _)) = text.char_indices().nth(LONGEST_EXCERPT) {
            text.truncate(end);
            text.push('…');
            break;
        }
    }
    text
}

/// The address without its query, which may hold secrets of its own.
pub(super) fn shown(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or(url)
}

fn is_local(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// The bytes as text, copied only where they are none.
fn text_from(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn headers(key: Option<(KeyHeader, &Secret)>, more: &[(&'static str, &'static str)]) -> Result<HeaderMap, CallError> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    for (name, text) in more {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(text));
    }
    let Some((header, key)) = key else { return Ok(headers) };
    let unusable = |_| CallError {
        class: CallClass::Setup,
        status: None,
        message:
            "the API key holds characters that no header can carry; check what `api_key_env` or `api_key_file` names"
                .to_owned(),
    };
    let secret = |text: String| {
        HeaderValue::from_str(&text).map_err(unusable).map(|mut value| {
            value.set_sensitive(true);
            value
        })
    };
    match header {
        KeyHeader::Bearer => headers.insert(AUTHORIZATION, secret(format!("Bearer {}", key.expose()))?),
        KeyHeader::Plain(name) => headers.insert(HeaderName::from_static(name), secret(key.expose().to_owned())?),
    };
    Ok(headers)
}

/// A call that broke before the answer was whole.
fn failure(broken: &Breakage, post: &Post<'_>) -> CallError {
    let place = shown(&post.to.text);
    let (class, message) = match broken {
        Breakage::Timeout => {
            let limit = post.timeout.as_secs_f64();
            (CallClass::Retry(None), format!("{place}: no whole answer within {limit} s (setting `timeout_s`)"))
        }
        Breakage::NoHost(words) => (CallClass::Setup, format!("{place}: no such host; check `base_url`: {words}")),
        Breakage::NoAddress(words) => {
            (CallClass::Setup, format!("{place}: not an address to send to; check `base_url`: {words}"))
        }
        Breakage::NoConnection(words) => {
            (CallClass::Retry(None), format!("{place}: no connection; is the server running? {words}"))
        }
        Breakage::Broken(words) => (CallClass::Retry(None), format!("{place}: the connection broke: {words}")),
        Breakage::TooLarge(_) => {
            (CallClass::Item, format!("{place}: the answer is larger than {} MiB", LARGEST_ANSWER >> 20))
        }
    };
    let status = if let Breakage::TooLarge(status) = broken { Some(*status) } else { None };
    CallError { class, status, message: post.mask(message) }
}

/// An error with its causes, outermost first; a cause that the text before already names is left out.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let words = inner.to_string();
        if !text.contains(&words) {
            text = format!("{text}: {words}");
        }
        cause = inner.source();
    }
    excerpt(&text)
}

fn text_of<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// How long the server asks to wait: `retry-after-ms`, else `Retry-After` in seconds or as an HTTP date. A date is
/// counted from the answer's own `Date` where it has one, since clocks differ; a date in the past means no wait.
fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let millis = headers.get("retry-after-ms").and_then(|value| value.to_str().ok()).and_then(seconds);
    if let Some(millis) = millis {
        return Duration::try_from_secs_f64(millis / 1000.0).ok();
    }
    let text = text_of(headers, &RETRY_AFTER)?.trim();
    if let Some(seconds) = seconds(text) {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(text).ok()?;
    let from = text_of(headers, &DATE).and_then(|text| httpdate::parse_http_date(text).ok()).unwrap_or(now);
    Some(date.duration_since(from).unwrap_or(Duration::ZERO))
}

fn seconds(text: &str) -> Option<f64> {
    text.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const NOW: Duration = Duration::from_secs(1_700_000_000);

    fn wait(pairs: &[(&'static str, &str)]) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.insert(*name, HeaderValue::from_str(value).unwrap());
        }
        retry_after(&headers, SystemTime::UNIX_EPOCH + NOW)
    }

    fn date(offset: i64) -> String {
        let seconds = NOW.as_secs().checked_add_signed(offset).unwrap();
        httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
    }

    #[test]
    fn a_key_is_masked_however_json_spells_it() {
        let key = Secret::new("MARK2/abc/def==");
        for body in [
            r#"{"error":{"message":"bad key Bearer MARK2\/abc\/def=="}}"#,
            r#"{"model":"\u004dARK2/abc/def=="}"#,
            r#"{"MARK2\/abc\/def==":[1]}"#,
            "plain MARK2/abc/def==",
        ] {
            let masked = masked_body(Some(&key), body.to_owned());
            let read = serde_json::from_str::<Value>(&masked).map_or(masked.clone(), |value| value.to_string());
            assert!(!read.contains("abc") && read.contains("****"), "{read}");
        }
        assert_eq!(masked_body(Some(&key), r#"{"a":"x\/y"}"#.to_owned()), r#"{"a":"x\/y"}"#);
    }

    #[test]
    fn no_header_shows_the_key_when_printed() {
        let key = Secret::new("MARK2-abcdef");
        for header in [KeyHeader::Bearer, KeyHeader::Plain("x-api-key"), KeyHeader::Plain("x-goog-api-key")] {
            let headers = headers(Some((header, &key)), &[]).unwrap();
            assert!(!format!("{headers:?}").contains("MARK2"), "{headers:?}");
            assert!(headers.values().any(|value| value.to_str().unwrap().contains("MARK2-abcdef")));
        }
    }

    #[test]
    fn every_form_of_retry_after_is_read() {
        assert_eq!(wait(&[("retry-after", "3")]), Some(Duration::from_secs(3)));
        assert_eq!(wait(&[("retry-after", "0.5")]), Some(Duration::from_millis(500)));
        assert_eq!(wait(&[("retry-after", &date(2))]), Some(Duration::from_secs(2)));
        assert_eq!(wait(&[("retry-after", &date(-60))]), Some(Duration::ZERO));
        assert_eq!(wait(&[("retry-after", "9"), ("retry-after-ms", "300")]), Some(Duration::from_millis(300)));
        for nonsense in ["soon", "-1", "NaN", "inf", "1e300", ""] {
            assert_eq!(wait(&[("retry-after", nonsense)]), None, "{nonsense}");
        }
        assert_eq!(wait(&[]), None);
    }

    #[test]
    fn a_date_is_counted_from_the_servers_own_clock() {
        assert_eq!(wait(&[("retry-after", &date(3602)), ("date", &date(3600))]), Some(Duration::from_secs(2)));
    }

    #[test]
    fn a_status_decides_whether_another_try_makes_sense() {
        assert_eq!(class_of(429, None), CallClass::RateLimited(None));
        assert_eq!(class_of(529, None), CallClass::Retry(None));
        assert_eq!(class_of(408, None), CallClass::Retry(None));
        assert_eq!(class_of(401, None), CallClass::Setup);
        assert_eq!(class_of(404, None), CallClass::Setup);
        assert_eq!(class_of(307, None), CallClass::Setup);
        assert_eq!(class_of(400, None), CallClass::Item);
        assert_eq!(class_of(413, None), CallClass::Item);
    }

    #[test]
    fn an_excerpt_is_one_short_line_without_control_characters() {
        assert_eq!(excerpt("<html>\r\n  <b>502\u{1b}[31m</b>"), "<html> <b>502 [31m</b>");
        assert_eq!(excerpt(&"日".repeat(1000)).chars().count(), LONGEST_EXCERPT + 1);
    }

    #[test]
    fn only_servers_on_this_machine_bypass_a_proxy() {
        for (url, local) in [
            ("http://127.0.0.1:8000/v1", true),
            ("http://localhost:11434/v1", true),
            ("http://[::1]:80/v1", true),
            ("http://localhost.example.com/v1", false),
            ("http://10.0.0.1/v1", false),
        ] {
            assert_eq!(Address::new(url.to_owned(), None, &[]).is_local, local, "{url}");
        }
    }
}
