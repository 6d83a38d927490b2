//! The record of one answered request: a line of the journal.

use super::frame;
use crate::domain::{Body, Completion, Fingerprint, ItemId, JudgeName, Order, RequestKey};
use serde::{Deserialize, Serialize};

/// One answered request: what was asked and what came back, both as they were.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The key under which the completion is found.
    pub key: RequestKey,
    /// The judge's name at that time; for people, never for look-up.
    pub judge: JudgeName,
    /// The judge's fingerprint.
    pub fingerprint: Fingerprint,
    /// The item asked about.
    pub item: ItemId,
    /// Which response was shown first.
    pub order: Order,
    /// 0 for the first asking of this order.
    pub repeat: u32,
    /// When the answer came, RFC 3339 in UTC, as handed in by the caller.
    pub at: String,
    /// The request body as sent.
    pub body: Body,
    /// What came back.
    pub completion: Completion,
}

/// So many brackets cannot nest deeper than JSON is read (128), wherever they stand.
const SURELY_SHALLOW: usize = 100;

/// Writes the record as a line behind `lines`, newline included. What cannot be read back must not count as saved; in a
/// record nesting alone can make it so, and reading a line back costs as much as writing it, so lines with few brackets
/// are taken as they are.
pub(super) fn append(record: &Record, lines: &mut Vec<u8>) -> Result<(), serde_json::Error> {
    let start = lines.len();
    frame::append(record, lines)?;
    let line = &lines[start..];
    if brackets(line) > SURELY_SHALLOW {
        frame::check::<Record>(line)?;
    }
    Ok(())
}

/// Opening brackets, wherever they stand; in pieces whose count fits a byte, so that many bytes are looked at together.
fn brackets(line: &[u8]) -> usize {
    let within = |piece: &[u8]| piece.iter().map(|byte| u8::from(matches!(byte, b'{' | b'['))).sum::<u8>();
    line.chunks(usize::from(u8::MAX)).map(|piece| usize::from(within(piece))).sum()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(super) mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::domain::Digest;

    pub(in crate::store) fn record(n: u32) -> Record {
        Record {
            key: RequestKey(Digest::of(&n.to_le_bytes())),
            judge: "mini".into(),
            fingerprint: Fingerprint::recorded("mini"),
            item: format!("item \"{n}\"\n日本").into(),
            order: Order::Ab,
            repeat: 0,
            at: "2026-01-02T03:04:05Z".to_owned(),
            body: Body::of(
                &json!({"messages": [{"role": "user", "content": "which?\n{\"v\":1,\"sha256\":\""}], "seed": n}),
            ),
            completion: Completion::of_text(format!("[[A]] {n}")),
        }
    }

    #[test]
    fn a_record_that_nests_too_deeply_to_be_read_back_is_refused() {
        let nested = |depth: usize| Record {
            completion: Completion {
                logprobs: Some((0..depth).fold(Value::Null, |inner, _| Value::Array(vec![inner]))),
                ..Completion::of_text("x")
            },
            ..record(1)
        };
        for depth in [90, 120] {
            let mut line = Vec::new();
            append(&nested(depth), &mut line).unwrap();
            assert!(serde_json::from_slice::<Record>(&line).is_ok(), "{depth}");
        }
        assert!(append(&nested(200), &mut Vec::new()).is_err());
    }
}
