//! Judge prompt files: front matter, slots, and the literal one-pass fill.
//!
//! The fence. Whatever stands between two fence lines is material, so no text may be able to write the closing line.
//! `{fence}` is filled with a short tag taken from a checksum of the texts and drawn again until it occurs in none of
//! them: the closing line cannot be in a text, whoever wrote it. That is what makes it safe, so a checksum will do; that
//! it depends on all texts keeps the author of one from writing something that looks like it. The tag is a function of
//! the texts alone and the same in both orders, so requests stay reproducible and the two orders differ in nothing but
//! the order. A longer run of backticks would do as well for a parser, but models do not count backticks.

use std::path::Path;

use crate::domain::{Digest, ItemId, Message, Notice, Order, Pair, Severity, nearest};

use super::contract::Contract;
use super::embedded;
use super::lint::{Inspected, inspect};

/// A judge prompt: a versioned text with slots and an output contract.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgePrompt {
    /// What kind of prompt this is, such as `pairwise`; the file's stem where it has no front matter.
    pub id: String,
    /// Raised with every change of wording; `unversioned` where none is given.
    pub version: String,
    /// Language tag of the instructions, where given.
    pub language: Option<String>,
    /// How replies are read.
    pub contract: Contract,
    /// What is worth knowing about the file although it is usable.
    pub warnings: Vec<Notice>,
    pub(super) parts: Vec<Part>,
    pub(super) digest: Digest,
}

/// One message of the template.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Part {
    pub role: &'static str,
    pub pieces: Vec<Piece>,
}

/// Literal text or a slot.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Piece {
    Text(String),
    Slot(Slot),
}

/// What a template may name in braces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    Prompt,
    ResponseA,
    ResponseB,
    Reference,
    Rubric,
    Fence,
}

impl Slot {
    pub const ALL: [Self; 6] =
        [Self::Prompt, Self::ResponseA, Self::ResponseB, Self::Reference, Self::Rubric, Self::Fence];
    pub const REQUIRED: [Self; 3] = [Self::Prompt, Self::ResponseA, Self::ResponseB];

    pub fn name(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::ResponseA => "response_a",
            Self::ResponseB => "response_b",
            Self::Reference => "reference",
            Self::Rubric => "rubric",
            Self::Fence => "fence",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|slot| slot.name() == name)
    }
}

/// What can be wrong with a judge prompt or its use.
#[derive(Debug, thiserror::Error)]
pub enum PromptError {
    /// The file cannot be read.
    #[error("failed to read the judge prompt {path}: {source}{hint}")]
    Read {
        /// As given.
        path: String,
        /// What the system says.
        source: std::io::Error,
        /// A near-miss among the embedded names, or the list of them.
        hint: String,
    },
    /// The file is no usable judge prompt.
    #[error("{origin}{}: {}", .notices.first().and_then(|one| one.line).map(|line| format!(":{line}")).unwrap_or_default(), .notices.iter().map(|one| one.text.as_str()).collect::<Vec<_>>().join("; "))]
    Refused {
        /// File or name of the prompt.
        origin: String,
        /// Every error found; never empty.
        notices: Vec<Notice>,
    },
    /// The template shows something that this item does not have.
    #[error(
        "item {item}: judge prompt {prompt} shows {{{slot}}}, and the item has no field {slot:?}; add it or use a prompt without {{{slot}}}"
    )]
    MissingField {
        /// The item.
        item: ItemId,
        /// The prompt.
        prompt: String,
        /// Slot and field.
        slot: &'static str,
    },
    /// A generation prompt shows a field that this item does not have.
    #[error(
        "item {item}: prompt {prompt} shows {{{field}}}, and the item has no such field{}; braces that are meant as they stand take spaces: {{ {field} }}",
        .near.as_ref().map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
    )]
    UnknownField {
        /// The item.
        item: ItemId,
        /// The prompt.
        prompt: String,
        /// The name in braces.
        field: String,
        /// A field of the item that is spelled nearly like it.
        near: Option<String>,
    },
}

/// Reads a judge prompt from a file; the name of an embedded prompt (see [`super::EMBEDDED`]) gives that one.
pub fn load(path: &str) -> Result<JudgePrompt, PromptError> {
    load_with(path, None)
}

/// Like [`load`], with the contract given from outside, for files that state none. A file that states another is refused.
pub fn load_as(path: &str, contract: Contract) -> Result<JudgePrompt, PromptError> {
    load_with(path, Some(contract))
}

fn load_with(path: &str, contract: Option<Contract>) -> Result<JudgePrompt, PromptError> {
    if let Some(text) = embedded::text(path) {
        return finish(inspect(text, path, contract), path);
    }
    let bytes = std::fs::read(path).map_err(|source| PromptError::Read {
        path: path.to_owned(),
        source,
        hint: nearest(&name_of(path), embedded::EMBEDDED.iter().copied())
            .map_or_else(String::new, |near| format!("; there is an embedded prompt {near:?}")),
    })?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + valid.split(|&byte| byte == b'\n').count().saturating_sub(1) as u64;
        let text = "not UTF-8; save the prompt as UTF-8".to_owned();
        PromptError::Refused { origin: path.to_owned(), notices: vec![Notice::error(Some(line), None, text)] }
    })?;
    finish(inspect(&text, path, contract), path)
}

/// Reads a judge prompt from its text; `origin` (a path or a name) appears in messages.
///
/// A text without front matter is allowed: its contract is then `bracket`, with a warning.
pub fn parse(text: &str, origin: &str) -> Result<JudgePrompt, PromptError> {
    finish(inspect(text, origin, None), origin)
}

/// Like [`parse`], with the contract given from outside, for texts that state none.
pub fn parse_as(text: &str, origin: &str, contract: Contract) -> Result<JudgePrompt, PromptError> {
    finish(inspect(text, origin, Some(contract)), origin)
}

fn finish(inspected: Inspected, origin: &str) -> Result<JudgePrompt, PromptError> {
    let (errors, warnings): (Vec<_>, Vec<_>) =
        inspected.notices.into_iter().partition(|notice| notice.severity == Severity::Error);
    if !errors.is_empty() {
        return Err(PromptError::Refused { origin: origin.to_owned(), notices: errors });
    }
    Ok(JudgePrompt { warnings, ..inspected.prompt })
}

/// The file name without `.md`: what an embedded prompt would be called.
fn name_of(path: &str) -> String {
    let name = Path::new(path).file_name().map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned());
    name.strip_suffix(".md").map_or(name.clone(), str::to_owned)
}

/// The stem of a path: the id of prompts that state none.
pub(super) fn stem(origin: &str) -> String {
    Path::new(origin).file_stem().map_or_else(|| origin.to_owned(), |stem| stem.to_string_lossy().into_owned())
}

impl JudgePrompt {
    /// `id.language`, or the id alone.
    pub fn name(&self) -> String {
        self.language.as_ref().map_or_else(|| self.id.clone(), |language| format!("{}.{language}", self.id))
    }

    /// The digest of the exact text of the file, front matter included.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    fn has(&self, slot: Slot) -> bool {
        self.parts.iter().flat_map(|part| &part.pieces).any(|piece| *piece == Piece::Slot(slot))
    }

    /// The messages for one pair in one order. `{response_a}` receives what is shown first in that order.
    ///
    /// Slots are filled once and literally: whatever the texts hold stays as it is.
    pub fn fill(&self, pair: &Pair, order: Order) -> Result<Vec<Message>, PromptError> {
        let question = pair.prompt.to_text();
        let (first, second) = pair.shown(order);
        let missing =
            |slot: Slot| PromptError::MissingField { item: pair.id.clone(), prompt: self.name(), slot: slot.name() };
        let fence = if self.has(Slot::Fence) { self.fence(pair, &question) } else { String::new() };
        let mut messages = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            let texts = part.pieces.iter().map(|piece| {
                Ok(match piece {
                    Piece::Text(text) => text,
                    Piece::Slot(Slot::Prompt) => &*question,
                    Piece::Slot(Slot::ResponseA) => first,
                    Piece::Slot(Slot::ResponseB) => second,
                    Piece::Slot(slot @ Slot::Reference) => pair.reference.as_deref().ok_or_else(|| missing(*slot))?,
                    Piece::Slot(slot @ Slot::Rubric) => pair.rubric.as_deref().ok_or_else(|| missing(*slot))?,
                    Piece::Slot(Slot::Fence) => &fence,
                })
            });
            let content = texts.collect::<Result<Vec<&str>, PromptError>>()?.concat();
            messages.push(Message { role: part.role.to_owned(), content });
        }
        Ok(messages)
    }

    /// A tag that occurs in none of the texts shown; the same in both orders.
    fn fence(&self, pair: &Pair, question: &str) -> String {
        let mut answers = [pair.response_a.as_str(), pair.response_b.as_str()];
        answers.sort_unstable();
        let mut texts = vec![question, answers[0], answers[1]];
        if self.has(Slot::Reference) {
            texts.extend(pair.reference.as_deref());
        }
        if self.has(Slot::Rubric) {
            texts.extend(pair.rubric.as_deref());
        }
        let mut sum = crc32fast::Hasher::new();
        for text in &texts {
            sum.update(&(text.len() as u64).to_le_bytes());
            sum.update(text.as_bytes());
        }
        free_tag(Digest::of(&sum.finalize().to_le_bytes()), &texts)
    }
}

/// The shortest head of the digest, from six digits on, that occurs in none of the texts. Six are short enough for
/// small models and rarely need a second look.
fn free_tag(mut digest: Digest, texts: &[&str]) -> String {
    loop {
        let digits = digest.to_string();
        for length in 6..=digits.len() {
            if !texts.iter().any(|text| text.contains(&digits[..length])) {
                return digits[..length].to_owned();
            }
        }
        // The texts hold all 64 digits. No finite text holds every member of the chain of digests.
        digest = Digest::of(digest.bytes());
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const TEMPLATE: &str = "---\nid: t\nversion: 3\nlanguage: en\ncontract: bracket\n---\n{fence}\nQ {prompt}\n{fence}\nA {response_a}\n{fence}\nB {response_b}\n{fence}\n[[A]] [[B]] [[C]]\n";

    fn filled(text: &str, pair: &Pair, order: Order) -> String {
        parse(text, "t.md").unwrap().fill(pair, order).unwrap()[0].content.clone()
    }

    #[test]
    fn texts_that_look_like_slots_stay_as_they_are() {
        let pair = Pair::new("q", "{response_b} {{prompt}}", "{prompt} {fence} ${x} %s {{ }}", "{criteria}");
        let text = filled(TEMPLATE, &pair, Order::Ab);
        assert!(text.contains("Q {response_b} {{prompt}}\n"));
        assert!(text.contains("A {prompt} {fence} ${x} %s {{ }}\n"));
        assert!(text.contains("B {criteria}\n"));
    }

    #[test]
    fn the_first_slot_holds_what_is_shown_first() {
        let pair = Pair::new("q", "?", "one", "two");
        assert!(filled(TEMPLATE, &pair, Order::Ab).contains("A one\n"));
        assert!(filled(TEMPLATE, &pair, Order::Ba).contains("A two\n"));
    }

    #[test]
    fn renaming_the_responses_gives_the_requests_of_the_other_order() {
        let (pair, swapped) = (Pair::new("q", "?", "one", "two"), Pair::new("q", "?", "two", "one"));
        for (one, other) in [(Order::Ab, Order::Ba), (Order::Ba, Order::Ab)] {
            assert_eq!(filled(TEMPLATE, &pair, one), filled(TEMPLATE, &swapped, other));
        }
    }

    #[test]
    fn no_text_can_hold_its_own_fence() {
        let tag = |pair: &Pair| filled(TEMPLATE, pair, Order::Ab).lines().next().unwrap().to_owned();
        let mut pair = Pair::new("q", "?", "one", "two");
        let first = tag(&pair);
        assert_eq!(first.len(), 6);
        assert_ne!(tag(&Pair::new("q", "?", "one", "three")), first);
        pair.response_b = format!("{first} {first}");
        let text = filled(TEMPLATE, &pair, Order::Ab);
        assert_eq!(text.matches(&tag(&pair)).count(), 4);
    }

    #[test]
    fn a_tag_that_a_text_foresaw_is_drawn_again() {
        let digest = Digest::of(b"texts");
        let digits = digest.to_string();
        assert_eq!(free_tag(digest, &["nothing"]), digits[..6]);
        assert_eq!(free_tag(digest, &["x", &digits[..9]]), digits[..10]);
        let next = Digest::of(digest.bytes()).to_string();
        assert_eq!(free_tag(digest, &[&digits]), next[..6]);
    }

    #[test]
    fn a_template_that_shows_a_reference_refuses_items_without_one() {
        let text = TEMPLATE.replace("Q {prompt}", "Q {prompt} {reference}");
        let prompt = parse(&text, "t.md").unwrap();
        let mut pair = Pair::new("q7", "?", "one", "two");
        let message = prompt.fill(&pair, Order::Ab).unwrap_err().to_string();
        assert!(message.contains("q7") && message.contains("{reference}"), "{message}");
        pair.reference = Some("the truth".to_owned());
        assert!(prompt.fill(&pair, Order::Ab).unwrap()[0].content.contains("the truth"));
    }

    #[test]
    fn a_system_part_becomes_a_message_of_its_own() {
        let text = TEMPLATE.replacen("---\n{fence}", "---\n--- system\nBe fair.\n--- user\n{fence}", 1);
        let messages = parse(&text, "t.md").unwrap().fill(&Pair::new("q", "?", "one", "two"), Order::Ab).unwrap();
        assert_eq!(messages.len(), 2);
        assert_eq!((messages[0].role.as_str(), messages[0].content.as_str()), ("system", "Be fair."));
        assert_eq!(messages[1].role, "user");
    }

    #[test]
    fn a_missing_file_is_named_with_the_embedded_prompt_that_was_meant() {
        let message = load("pairwise.jp").unwrap_err().to_string();
        assert!(message.contains("pairwise.jp") && message.contains("pairwise.ja"), "{message}");
        assert_eq!(load("pairwise.ja").unwrap().language.as_deref(), Some("ja"));
    }

    #[test]
    fn the_digest_covers_every_byte_of_the_file() {
        let one = parse(TEMPLATE, "t.md").unwrap();
        let other = parse(&TEMPLATE.replace("version: 3", "version: 4"), "t.md").unwrap();
        assert_ne!(one.digest(), other.digest());
        assert_eq!(one.digest(), Digest::of(TEMPLATE.as_bytes()));
    }
}
