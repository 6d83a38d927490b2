//! What kind of file is this? Decided from the names of the first record's fields.

use serde::Serialize;

use super::record::{Records, records};
use super::source::Source;

/// The kinds of files people hand in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Two responses to one prompt.
    Pairs,
    /// Pairs with human labels.
    Gold,
    /// Human labels in a file of their own.
    Labels,
    /// Responses of one system.
    Responses,
    /// Recorded verdicts of judges.
    Verdicts,
    /// Answers beside the truth.
    Predictions,
    /// A judge prompt.
    Prompt,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 7] =
        [Self::Pairs, Self::Gold, Self::Labels, Self::Responses, Self::Verdicts, Self::Predictions, Self::Prompt];

    /// The name of the kind, as after `--as`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pairs => "pairs",
            Self::Gold => "gold",
            Self::Labels => "labels",
            Self::Responses => "responses",
            Self::Verdicts => "verdicts",
            Self::Predictions => "predictions",
            Self::Prompt => "prompt",
        }
    }

    /// The kind of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// The kind of a source; `as_kind` decides where it is given. Pairs where nothing tells.
pub fn detect(source: &Source, as_kind: Option<Kind>) -> Kind {
    if let Some(kind) = as_kind {
        return kind;
    }
    if is_prompt(source) {
        return Kind::Prompt;
    }
    let fields = first_fields(source);
    let has = |name: &str| fields.iter().any(|field| field == name);
    if has("response_a") || has("response_b") {
        return if has("gold") || has("gold_votes") { Kind::Gold } else { Kind::Pairs };
    }
    if has("order") || has("ab") || has("ba") || has("merged") || has("verdict") || has("winner") {
        return Kind::Verdicts;
    }
    if has("pred") || has("ranked") || has("probs") {
        return Kind::Predictions;
    }
    if has("response") {
        return Kind::Responses;
    }
    if has("label") || has("annotator") || (has("gold") && !has("prompt")) { Kind::Labels } else { Kind::Pairs }
}

/// Text with a slot or front matter that is not a file of records.
fn is_prompt(source: &Source) -> bool {
    let text = source.text().trim_ascii_start();
    if text.starts_with("---\n") || text.starts_with("---\r\n") {
        return true;
    }
    let is_record = text.strip_prefix(['{', '[']).is_some_and(|rest| {
        let next = rest.trim_ascii_start();
        next.starts_with(['"', '{', '}', ']', '[']) || next.is_empty()
    });
    let extension = source.extension();
    let named = matches!(extension.as_str(), "txt" | "md" | "prompt");
    let slots = ["{prompt}", "{response_a}", "{response_b}"].iter().any(|slot| text.contains(slot));
    let is_data = matches!(extension.as_str(), "jsonl" | "json" | "ndjson" | "csv" | "tsv");
    !is_record && !is_data && (slots || named)
}

/// The field names of the first readable record or of the header; of a broken one what can be made out.
fn first_fields(source: &Source) -> Vec<String> {
    let mut stream = records(source);
    if let Records::Table(table) = &mut stream {
        let header = table.header().ok().flatten().unwrap_or_default();
        return header.iter().map(ToString::to_string).collect();
    }
    match stream.next() {
        None => Vec::new(),
        Some(Ok(record)) => record.fields.names().map(str::to_owned).collect(),
        Some(Err(_)) => quoted_names(source.text()),
    }
}

/// The texts before a colon in the head of broken JSON.
fn quoted_names(text: &str) -> Vec<String> {
    const HEAD: usize = 20;
    let parts: Vec<&str> = text.splitn(100, '"').collect();
    parts
        .windows(2)
        .filter(|window| window[1].trim_ascii_start().starts_with(':'))
        .map(|window| window[0].to_owned())
        .take(HEAD)
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn kind(name: &str, text: &str) -> Kind {
        detect(&Source::from_bytes(name, text).unwrap(), None)
    }

    #[test]
    fn kinds_are_told_apart_by_their_fields() {
        for (text, wanted) in [
            (r#"{"id":1,"prompt":"p","response_a":"x","response_b":"y"}"#, Kind::Pairs),
            (r#"{"id":1,"prompt":"p","response_a":"x","response_b":"y","gold":null}"#, Kind::Gold),
            (r#"{"id":1,"prompt":"p","response":"x"}"#, Kind::Responses),
            (r#"{"id":1,"label":"a","annotator":"r"}"#, Kind::Labels),
            (r#"{"id":1,"gold":"a"}"#, Kind::Labels),
            (r#"{"id":1,"judge":"j","ab":"a","ba":"b","gold":"a"}"#, Kind::Verdicts),
            (r#"{"id":1,"order":"ab","winner":"a"}"#, Kind::Verdicts),
            (r#"{"id":1,"gold":"a","pred":"b"}"#, Kind::Predictions),
            (r#"{"id":1,"prompt":"p","response_a":"x","response_a":"y"}"#, Kind::Pairs),
            ("{\n  \"id\": 1,\n  \"response\": \"x\"\n}", Kind::Responses),
        ] {
            assert_eq!(kind("x.jsonl", text), wanted, "{text}");
        }
        assert_eq!(kind("x.csv", "\"id\";\"label\"\n1;a\n"), Kind::Labels);
        assert_eq!(kind("x.jsonl", ""), Kind::Pairs);
    }

    #[test]
    fn prompts_are_texts_with_slots_or_front_matter() {
        assert_eq!(kind("x.md", "---\nid: p\n---\n"), Kind::Prompt);
        assert_eq!(kind("<stdin>", "{prompt}\n\n{response_a}"), Kind::Prompt);
        assert_eq!(kind("x.txt", "Compare."), Kind::Prompt);
        assert_eq!(kind("<stdin>", "{\"id\":1,\"prompt\":\"{prompt}\",\"response_a\":\"\"}"), Kind::Pairs);
    }

    #[test]
    fn the_word_of_the_user_decides() {
        assert_eq!(detect(&Source::from_bytes("x.md", "x").unwrap(), Some(Kind::Gold)), Kind::Gold);
        assert!(Kind::ALL.iter().all(|kind| Kind::parse(kind.as_str()) == Some(*kind)));
    }
}
