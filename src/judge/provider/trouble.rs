//! What a service says is wrong.

use std::time::Duration;

use serde_json::Value;

use crate::judge::CallClass;
use crate::judge::http::{class_of, excerpt};

/// A failure, understood.
#[derive(Debug, Clone)]
pub struct Trouble {
    pub class: CallClass,
    /// The service's own words, short.
    pub words: String,
    /// The parameter it complains of.
    pub param: Option<String>,
    pub cause: Cause,
}

/// What lies behind a failure, as far as it can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// Whatever the words say.
    Other,
    /// A content filter refused the request itself.
    Filter,
    /// The money or the contingent is used up.
    Quota,
    /// The key is the trouble, whatever the status says.
    Key,
    /// A parameter is not known or not supported.
    Unsupported,
}

impl Trouble {
    /// A failure of which no more is known.
    pub fn plain(class: CallClass, words: impl Into<String>) -> Self {
        Self { class, words: words.into(), param: None, cause: Cause::Other }
    }

    /// Sets a cause that no later try takes away.
    pub fn settle(&mut self, cause: Cause) {
        (self.class, self.cause) = (CallClass::Setup, cause);
    }

    /// An answer that is none, and may be one next time.
    pub fn retry(words: &str) -> Self {
        Self::plain(CallClass::Retry(None), words)
    }

    /// What status and words tell by themselves.
    pub fn of_status(status: u16, retry_after: Option<Duration>, body: &str, value: &Value) -> Self {
        let words = words_of(value).unwrap_or_else(|| excerpt(body));
        let mut trouble = Self::plain(class_of(status, retry_after), words);
        let lower = trouble.words.to_lowercase();
        if matches!(status, 400 | 422) && UNSUPPORTED.iter().any(|mark| lower.contains(mark)) {
            trouble.cause = Cause::Unsupported;
        }
        trouble
    }
}

/// How services say that they do not take a parameter.
const UNSUPPORTED: [&str; 14] = [
    "unsupported",
    "not support",
    "unrecognized",
    "unknown param",
    "unknown name",
    "unknown field",
    "not permitted",
    "not allowed",
    "not enabled",
    "not available",
    "deprecated",
    "cannot find field",
    "cannot both be specified",
    "may only be set",
];

/// The object that describes a failure: a list of one error, a nested error, or the bare object are all in use.
pub fn error_of(value: &Value) -> &Value {
    let value = if let Value::Array(list) = value { list.first().unwrap_or(&Value::Null) } else { value };
    value.get("error").filter(|error| error.is_object()).unwrap_or(value)
}

/// The message of an error body, in any of the shapes in use.
pub fn words_of(value: &Value) -> Option<String> {
    let value = if let Value::Array(list) = value { list.first()? } else { value };
    let error = value.get("error").unwrap_or(value);
    let found =
        error.as_str().or_else(|| ["message", "detail", "msg"].iter().find_map(|name| error.get(name)?.as_str()));
    found.map(excerpt).filter(|words| !words.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_told_in_the_servers_own_words() {
        for body in [
            r#"{"error":{"message":"Invalid value"}}"#,
            r#"{"error":"Invalid value"}"#,
            r#"[{"error":{"message":"Invalid value"}}]"#,
            r#"{"detail":"Invalid value"}"#,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"Invalid value"}}"#,
            "Invalid value",
        ] {
            let value = serde_json::from_str(body).unwrap_or(Value::Null);
            assert_eq!(Trouble::of_status(400, None, body, &value).words, "Invalid value");
        }
    }
}
