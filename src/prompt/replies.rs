//! Raw replies as lines, and what a contract makes of them.

use serde::{Deserialize, Serialize};

use crate::domain::{FinishReason, NoVerdict, Reading, Verdict};

use super::contract::Contract;

/// One raw reply as handed in: `{"id","raw","finish_reason"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawReply {
    /// Names the reply.
    pub id: String,
    /// The reply as it came.
    pub raw: String,
    /// Why the model stopped, in the words of its provider; finished where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<String>,
}

/// What a contract made of a reply: `{"id","verdict","grade","no_verdict","why"}`; absent values are `null`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadReply {
    /// The name handed in.
    pub id: String,
    /// The verdict by slots.
    pub verdict: Option<Verdict>,
    /// The step of the five-step scale, by slots.
    pub grade: Option<String>,
    /// Why there is no verdict.
    pub no_verdict: Option<NoVerdict>,
    /// Where the verdict was found, or why there is none, in words.
    pub why: String,
}

/// What can be wrong with a line of raw replies.
#[derive(Debug, thiserror::Error)]
pub enum ReplyError {
    /// Not one JSON object with the wanted fields.
    #[error("not a raw reply: {0}; wanted {{\"id\":\"…\",\"raw\":\"…\"}} and optionally \"finish_reason\"")]
    Line(#[from] serde_json::Error),
    /// A word that is no finish reason.
    #[error("finish_reason: {found:?} is unknown; wanted stop, length, content_filter or refusal")]
    FinishReason {
        /// What the line says.
        found: String,
    },
}

/// Reads one line of raw replies and applies the contract to it.
pub fn read_line(contract: Contract, line: &str) -> Result<ReadReply, ReplyError> {
    let reply: RawReply = serde_json::from_str(line)?;
    read_reply(contract, &reply)
}

/// Applies the contract to one raw reply.
pub fn read_reply(contract: Contract, reply: &RawReply) -> Result<ReadReply, ReplyError> {
    let finish = match reply.finish_reason.as_deref() {
        None => FinishReason::Stop,
        Some(word) => {
            finish_reason(word).ok_or_else(|| ReplyError::FinishReason { found: word.chars().take(60).collect() })?
        }
    };
    let read = contract.read(&reply.raw, finish);
    let (verdict, no_verdict) = match read.reading {
        Reading::Said(verdict) => (Some(verdict), None),
        Reading::None(kind) => (None, Some(kind)),
    };
    Ok(ReadReply { id: reply.id.clone(), verdict, grade: read.grade, no_verdict, why: read.why })
}

/// A finish reason in the words of the common providers.
pub fn finish_reason(word: &str) -> Option<FinishReason> {
    Some(match word.trim().to_ascii_lowercase().as_str() {
        "stop" | "end_turn" | "stop_sequence" | "eos" => FinishReason::Stop,
        "length" | "max_tokens" => FinishReason::Length,
        "content_filter" | "safety" | "recitation" | "blocklist" | "prohibited_content" => FinishReason::ContentFilter,
        "refusal" => FinishReason::Refusal,
        "other" | "unknown" | "tool_calls" | "" => FinishReason::Other,
        _ => return None,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_line_goes_in_and_a_record_with_every_field_comes_out() {
        let read =
            read_line(Contract::Scale5, r#"{"id":"x","raw":"[[B>A]]","finish_reason":"end_turn","more":1}"#).unwrap();
        assert_eq!(
            serde_json::to_string(&read).unwrap(),
            r#"{"id":"x","verdict":"second","grade":"B>A","no_verdict":null,"why":"read `[[B>A]]` on line 1"}"#
        );
        let cut = read_line(Contract::Bracket, r#"{"id":"y","raw":"[[B","finish_reason":"length"}"#).unwrap();
        assert_eq!((cut.verdict, cut.no_verdict), (None, Some(NoVerdict::Truncated)));
    }

    #[test]
    fn a_line_of_another_shape_is_refused_with_the_reason() {
        let message = |line| read_line(Contract::Label, line).unwrap_err().to_string();
        assert!(message(r#"{"id":"x"}"#).contains("raw"));
        assert!(message("[[A]]").contains("not a raw reply"));
        assert!(message(r#"{"id":"x","raw":"","finish_reason":"lenght"}"#).contains("\"lenght\""));
    }
}
