//! What a file of labels holds: labels, the draw of a sample, and the texts that were labelled.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cli::exit::CliError;
use crate::data::{self, Labels, Source};
use crate::domain::{Digest, ItemId, Pair};

/// A random sample of pairs that was drawn to be labelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Draw {
    /// Pairs drawn.
    pub n: u64,
    /// Seed of the draw.
    pub seed: u64,
    /// Pairs that they were drawn from.
    pub of: u64,
}

/// What a file of labels held when it was opened.
#[derive(Debug)]
pub(super) struct Kept {
    pub labels: Labels,
    /// The draws that its labels record.
    pub draws: BTreeSet<Draw>,
    /// The items whose labels record one.
    pub drawn: BTreeSet<ItemId>,
    /// Digests of the texts that were labelled, where the labels tell.
    texts: BTreeMap<ItemId, BTreeSet<String>>,
    /// Where each label begins, in bytes; those at the end of the file that nothing else follows, the last one first.
    pub tail: Vec<u64>,
}

/// The part of a line that `data` has no use for.
#[derive(Deserialize)]
struct Marked {
    id: Value,
    sampled: Option<Value>,
    pair: Option<Value>,
}

impl Marked {
    fn id(&self) -> ItemId {
        crate::domain::plain_text(&self.id).into()
    }

    /// The draw; one that cannot be is worse than none.
    fn draw(&self) -> Result<Option<Draw>, String> {
        let Some(value) = &self.sampled else { return Ok(None) };
        let draw: Draw = serde_json::from_value(value.clone())
            .map_err(|error| format!("field `sampled`, {value}, is no mark of a sample: {error}"))?;
        if draw.n == 0 || draw.n > draw.of {
            return Err(format!("field `sampled`: no sample has {} of {} pairs", draw.n, draw.of));
        }
        Ok(Some(draw))
    }

    fn text(&self) -> Result<Option<&str>, String> {
        let Some(value) = &self.pair else { return Ok(None) };
        value.as_str().map(Some).ok_or_else(|| format!("field `pair`, {value}, is no digest"))
    }
}

impl Kept {
    /// Reads the text of a file of labels, JSON Lines or a table. What its reader warns of is not said here: it would tell an annotator
    /// what others think.
    pub fn read(path: &str, bytes: &[u8]) -> Result<Self, CliError> {
        let mut kept = Self {
            labels: Labels { path: path.to_owned(), rows: Vec::new() },
            draws: BTreeSet::new(),
            drawn: BTreeSet::new(),
            texts: BTreeMap::new(),
            tail: Vec::new(),
        };
        if bytes.trim_ascii().is_empty() {
            return Ok(kept);
        }
        let source = Source::from_bytes(path, bytes)?;
        for (number, line) in (1..).zip(source.text().lines()) {
            // What is no object of a label is told by the reader of labels, or is a row of a table.
            let Ok(marked) = serde_json::from_str::<Marked>(line) else { continue };
            let wrong = |what: String| {
                CliError::usage(format!("{path} line {number}: {what}"))
                    .hint("a mark is such as {\"n\": 100, \"seed\": 1, \"of\": 400}, as `gold label` wrote it")
            };
            if let Some(draw) = marked.draw().map_err(wrong)? {
                kept.draws.insert(draw);
                kept.drawn.insert(marked.id());
            }
            if let Some(text) = marked.text().map_err(wrong)? {
                kept.texts.entry(marked.id()).or_default().insert(text.to_owned());
            }
        }
        kept.labels = data::load_labels(&source)?.records;
        let starts = starts_of_lines(bytes);
        let lines = starts.iter().enumerate().rev().map(|(line, start)| (line as u64 + 1, *start));
        let full = lines.filter(|(_, start)| {
            let line = &bytes[usize::try_from(*start).unwrap_or(bytes.len())..];
            !line.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii().is_empty()
        });
        let together = full.zip(kept.labels.rows.iter().rev()).take_while(|((line, _), row)| *line == row.line);
        kept.tail = together.map(|((_, start), _)| start).collect();
        Ok(kept)
    }

    /// The one draw that is recorded; several are an error, they are no one random sample.
    pub fn draw(&self) -> Result<Option<Draw>, CliError> {
        if self.draws.len() > 1 {
            return Err(CliError::usage(format!(
                "{} records {} different samples",
                self.labels.path,
                self.draws.len()
            ))
            .hint("a comparison can be corrected by one; keep the labels of each sample in a file of their own"));
        }
        Ok(self.draws.first().copied())
    }

    /// An error where a label is of other texts than its pair has now.
    pub fn check_texts(&self, pairs: &[Pair]) -> Result<(), CliError> {
        let changed = |pair: &&Pair| {
            self.texts.get(&pair.id).is_some_and(|texts| texts.iter().any(|text| *text != text_digest(pair)))
        };
        let ids: Vec<&str> = pairs.iter().filter(changed).map(|pair| pair.id.as_str()).collect();
        if ids.is_empty() {
            return Ok(());
        }
        let more = ids.len().saturating_sub(MOST_NAMED);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        let named = ids[..ids.len().min(MOST_NAMED)].join(", ");
        Err(CliError::usage(format!("{} has labels of texts that are others now: {named}{more}", self.labels.path))
            .hint("use the pairs as they were labelled, or take the lines of these items out of the labels and label them anew"))
    }
}

/// So many changed items are named.
const MOST_NAMED: usize = 10;

/// A short digest of what an annotator sees of a pair, and of which answer is which.
pub(super) fn text_digest(pair: &Pair) -> String {
    let prompt = pair.prompt.to_text();
    let seen = [
        "labelled pair 1",
        &prompt,
        pair.reference.as_deref().unwrap_or_default(),
        pair.rubric.as_deref().unwrap_or_default(),
        &pair.response_a,
        &pair.response_b,
    ];
    let digest = Digest::of_parts(seen.map(str::as_bytes));
    digest.bytes()[..8].iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

fn starts_of_lines(bytes: &[u8]) -> Vec<u64> {
    let after = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at as u64 + 1);
    std::iter::once(0).chain(after).filter(|start| *start < bytes.len() as u64).collect()
}

/// The bytes of a file of labels that is read alone.
pub(super) fn bytes_of(path: &Path) -> Result<Vec<u8>, CliError> {
    std::fs::read(path).map_err(|error| {
        let failed = CliError::usage(format!("{} cannot be read: {error}", path.display()));
        if error.kind() == ErrorKind::NotFound {
            failed.hint("make labels with `tribunal gold label`, or name their file with --labels")
        } else {
            failed
        }
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const OTHERS: &str = "{\"id\":\"q1\",\"label\":\"b\",\"annotator\":\"lee\"}\n";

    #[test]
    fn draws_are_told_and_two_of_them_are_one_too_many() {
        let line = |id: &str, seed: u64| {
            format!("{{\"id\":\"{id}\",\"label\":\"a\",\"sampled\":{{\"n\":2,\"seed\":{seed},\"of\":9}}}}\n")
        };
        let kept = Kept::read("l.jsonl", (line("q1", 3) + OTHERS).as_bytes()).unwrap();
        assert_eq!(kept.draw().unwrap(), Some(Draw { n: 2, seed: 3, of: 9 }));
        assert_eq!(kept.drawn, BTreeSet::from(["q1".into()]));
        let kept = Kept::read("l.jsonl", (line("q1", 3) + &line("q2", 4)).as_bytes()).unwrap();
        assert!(kept.draw().unwrap_err().message.contains("2 different samples"));
    }

    #[test]
    fn a_mark_that_cannot_be_is_an_error_that_names_its_line() {
        let marks = [
            "{\"n\":-2,\"seed\":1,\"of\":9}",
            "\"yes\"",
            "{\"n\":9,\"seed\":1,\"of\":2}",
            "{\"n\":0,\"seed\":1,\"of\":2}",
            "{\"n\":1}",
        ];
        for mark in marks {
            let text = format!("{OTHERS}{{\"id\":\"q2\",\"label\":\"a\",\"sampled\":{mark}}}\n");
            let error = Kept::read("l.jsonl", text.as_bytes()).unwrap_err();
            assert!(error.message.starts_with("l.jsonl line 2: field `sampled`"), "{}", error.message);
        }
        assert!(Kept::read("l.jsonl", b"{\"id\":\"q\",\"label\":\"a\",\"pair\":7}").is_err());
    }

    #[test]
    fn a_digest_is_of_every_text_that_is_seen_and_of_which_answer_is_which() {
        let pair = Pair::new("q", "p", "x", "y");
        let all = [
            pair.clone(),
            Pair::new("q", "p", "y", "x"),
            Pair::new("q", "p.", "x", "y"),
            Pair { reference: Some("r".into()), ..pair.clone() },
            Pair { rubric: Some("r".into()), ..pair.clone() },
        ];
        let digests: BTreeSet<String> = all.iter().map(text_digest).collect();
        assert_eq!(digests.len(), 5);
        assert_eq!(
            text_digest(&pair),
            text_digest(&Pair { model_a: Some("m".into()), ..Pair::new("z", "p", "x", "y") })
        );
    }
}
