//! Batch files: the same requests as a live run would send, as lines for a provider's batch service or for
//! `vllm run-batch`, and the answers taken back from its output file.
//!
//! The request key is the `custom_id`, so answers may come in any order, in parts, and beside live calls: an answer that
//! was taken back is an answer in the store like any other.

use serde_json::{Value, json};

use crate::domain::{Body, Digest, RequestKey};

/// One request as a line of a batch input file, without a line end.
pub fn batch_line(key: &RequestKey, path: &str, body: &Body) -> String {
    json!({"custom_id": key.0.to_string(), "method": "POST", "url": path, "body": body}).to_string()
}

/// One line of a batch output file.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchReply {
    /// Physical line, from 1.
    pub line: u64,
    /// Whose answer it is; `None` for an identity that is no request key, which is of another tool's batch.
    pub key: Option<RequestKey>,
    /// What came back.
    pub outcome: BatchOutcome,
}

/// What became of one request of a batch.
#[derive(Debug, Clone, PartialEq)]
pub enum BatchOutcome {
    /// The endpoint answered, be it with an error of its own.
    Answered {
        /// HTTP status.
        status: u16,
        /// The body as JSON text.
        body: String,
    },
    /// The batch service did not get an answer (expired, cancelled, …).
    Failed {
        /// In its words.
        why: String,
    },
}

/// A line of a batch output file that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct BatchLineError {
    /// Physical line, from 1.
    pub line: u64,
    /// What was found and what is wanted.
    pub problem: String,
}

/// Reads a batch output file line by line. A broken line costs that line: the others were paid for.
pub fn read_batch_file(text: &str) -> Vec<Result<BatchReply, BatchLineError>> {
    (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(number, line)| reply(number, line).map_err(|problem| BatchLineError { line: number, problem }))
        .collect()
}

fn reply(line: u64, text: &str) -> Result<BatchReply, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| format!("not one JSON value: {error}"))?;
    if value.get("method").is_some() && value.get("body").is_some() {
        return Err("this is a request; want the file of results that the batch service gives back".to_owned());
    }
    let id = value.get("custom_id").and_then(Value::as_str).ok_or("field `custom_id` is missing")?;
    let key = Digest::parse(id).map(RequestKey);
    let response = value.get("response").filter(|response| response.is_object());
    let outcome = match response {
        Some(response) => answered(response)?,
        None => failed(value.get("error")).ok_or("want a field `response`, or `error` that says why there is none")?,
    };
    Ok(BatchReply { line, key, outcome })
}

fn answered(response: &Value) -> Result<BatchOutcome, String> {
    let status = response.get("status_code").and_then(Value::as_u64);
    let status = status.and_then(|status| u16::try_from(status).ok()).filter(|status| (100..600).contains(status));
    let status = status.ok_or("field `response.status_code`: want an HTTP status")?;
    let body = match response.get("body") {
        Some(Value::String(text)) => text.clone(),
        Some(body) => body.to_string(),
        None => String::new(),
    };
    Ok(BatchOutcome::Answered { status, body })
}

fn failed(error: Option<&Value>) -> Option<BatchOutcome> {
    let error = error.filter(|error| !error.is_null())?;
    let text = |name: &str| error.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let why = match (text("code"), text("message"), error.as_str()) {
        (Some(code), Some(message), _) => format!("{code}: {message}"),
        (Some(words), None, _) | (None, Some(words), _) | (None, None, Some(words)) => words.to_owned(),
        (None, None, None) => error.to_string(),
    };
    Some(BatchOutcome::Failed { why })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn key() -> RequestKey {
        RequestKey(Digest::of(b"k"))
    }

    #[test]
    fn a_request_line_carries_the_key_as_its_identity() {
        let line = batch_line(&key(), "/v1/chat/completions", &json!({"model": "m"}).into());
        let value: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(value["custom_id"].as_str(), Some(key().0.to_string().as_str()));
        assert_eq!((value["method"].as_str(), value["url"].as_str()), (Some("POST"), Some("/v1/chat/completions")));
        assert_eq!(value["body"]["model"], "m");
        assert!(!line.contains('\n') && key().0.to_string().len() <= 64);
    }

    #[test]
    fn answers_failures_and_strangers_are_told_apart() {
        let ours = key().0.to_string();
        let text = [
            json!({"custom_id": ours, "response": {"status_code": 200, "body": {"id": "c"}}, "error": null})
                .to_string(),
            json!({"custom_id": ours, "response": null, "error": {"code": "batch_expired", "message": "late"}})
                .to_string(),
            json!({"custom_id": "request-1", "response": {"status_code": 400, "body": {"error": 1}}}).to_string(),
        ]
        .join("\n");
        let replies: Vec<BatchReply> = read_batch_file(&text).into_iter().map(Result::unwrap).collect();
        assert_eq!(replies[0].key, Some(key()));
        assert_eq!(replies[0].outcome, BatchOutcome::Answered { status: 200, body: r#"{"id":"c"}"#.to_owned() });
        assert_eq!(replies[1].outcome, BatchOutcome::Failed { why: "batch_expired: late".to_owned() });
        assert_eq!((replies[2].line, replies[2].key), (3, None));
    }

    #[test]
    fn a_broken_line_costs_that_line_and_says_what_is_wanted() {
        let ours = key().0.to_string();
        let good = json!({"custom_id": ours, "response": {"status_code": 200, "body": {}}}).to_string();
        let request = batch_line(&key(), "/v1/chat/completions", &json!({}).into());
        for (line, mention) in [
            ("{\"custom_id\":", "JSON"),
            ("{}", "custom_id"),
            (r#"{"custom_id":"x"}"#, "response"),
            (r#"{"custom_id":"x","response":{"status_code":"ok"}}"#, "status_code"),
            (&request, "results"),
        ] {
            let read = read_batch_file(&format!("{good}\n{line}\n\n{good}\n"));
            assert_eq!(read.iter().filter(|one| one.is_ok()).count(), 2);
            let error = read[1].as_ref().unwrap_err();
            assert!(error.line == 2 && error.problem.contains(mention), "{error}");
        }
    }
}
