//! Prompt versions for generating responses: what a system is told beside the item, filled literally in one pass.
//!
//! The file is a text with `{prompt}` in it, after front matter `id` and `version`, in one part or in `--- system` and
//! `--- user` parts like a judge prompt. Any other `{name}` shows the item's field of that name. Where a part is
//! `{prompt}` alone, a conversation stays one: its messages are sent as they are.

use serde_json::Value;

use super::lint::{Braced, braced, front_matter, roles};
use super::template::{PromptError, stem};
use crate::domain::{Digest, Item, Message, Notice, Prompt, Severity, nearest, plain_text};

/// A versioned prompt that responses are generated with.
#[derive(Debug, Clone, PartialEq)]
pub struct GenerationPrompt {
    /// What the prompt is for; the file's stem where it has no front matter.
    pub id: String,
    /// Raised with every change of wording; the head of the digest where none is given.
    pub version: String,
    /// What is worth knowing about the file although it is usable.
    pub warnings: Vec<Notice>,
    parts: Vec<Part>,
    digest: Digest,
}

#[derive(Debug, Clone, PartialEq)]
struct Part {
    role: &'static str,
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone, PartialEq)]
enum Piece {
    Text(String),
    Prompt,
    Field(String),
}

/// Reads a generation prompt from a file.
///
/// # Errors
/// A file that cannot be read, is no UTF-8, has broken front matter, or does not show the item's prompt.
pub fn load_generation(path: &str) -> Result<GenerationPrompt, PromptError> {
    let read = |source| PromptError::Read { path: path.to_owned(), source, hint: String::new() };
    let bytes = std::fs::read(path).map_err(read)?;
    let text = String::from_utf8(bytes).map_err(|_| refused(path, Notice::error(None, None, "not UTF-8")))?;
    parse_generation(&text, path)
}

/// Reads a generation prompt from its text; `origin` appears in messages.
pub fn parse_generation(text: &str, origin: &str) -> Result<GenerationPrompt, PromptError> {
    let mut notices = Vec::new();
    let digest = Digest::of(text.as_bytes());
    let clean = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    let front = front_matter(&clean, &mut notices);
    if let Some((line, _)) = &front.contract {
        let text = "this is a judge prompt (it has a contract); a prompt for generating responses has none";
        notices.push(Notice::error(Some(*line), Some("contract"), text));
    }
    let parts: Vec<Part> = roles(front.body, front.body_line, &mut notices)
        .into_iter()
        .map(|(role, _, text)| Part { role, pieces: pieces(text.trim_end()) })
        .collect();
    if !parts.iter().flat_map(|part| &part.pieces).any(|piece| *piece == Piece::Prompt) {
        let text = "slot {prompt} is missing: the system would not see what is asked";
        notices.push(Notice::error(None, Some("prompt"), text));
    }
    let (errors, warnings): (Vec<_>, Vec<_>) =
        notices.into_iter().partition(|notice| notice.severity == Severity::Error);
    if !errors.is_empty() {
        return Err(PromptError::Refused { origin: origin.to_owned(), notices: errors });
    }
    Ok(GenerationPrompt {
        id: front.id.unwrap_or_else(|| stem(origin)),
        version: front.version.unwrap_or_else(|| digest.short()),
        warnings,
        parts,
        digest,
    })
}

fn refused(origin: &str, notice: Notice) -> PromptError {
    PromptError::Refused { origin: origin.to_owned(), notices: vec![notice] }
}

fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for found in braced(text) {
        match found {
            Braced::Text(text) => pieces.push(Piece::Text(text.to_owned())),
            Braced::Name { name: "prompt", .. } => pieces.push(Piece::Prompt),
            Braced::Name { name, .. } if is_field(name) => pieces.push(Piece::Field(name.to_owned())),
            Braced::Name { whole, .. } => pieces.push(Piece::Text(whole.to_owned())),
        }
    }
    pieces
}

/// `{A}` and `{ x }` in an example are no slots; `{context}` is one.
fn is_field(name: &str) -> bool {
    name.len() > 1 && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

impl GenerationPrompt {
    /// The item's prompt as it is, with nothing around it.
    pub fn plain() -> Self {
        let parts = vec![Part { role: "user", pieces: vec![Piece::Prompt] }];
        Self {
            id: "plain".to_owned(),
            version: "1".to_owned(),
            warnings: Vec::new(),
            parts,
            digest: Digest::of(b"{prompt}"),
        }
    }

    /// `id.version`, the name under which responses of this prompt appear.
    pub fn name(&self) -> String {
        format!("{}.{}", self.id, self.version)
    }

    /// The digest of the exact text of the file, front matter included.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The messages for one item. Slots are filled once and literally: whatever the texts hold stays as it is.
    ///
    /// # Errors
    /// [`PromptError::UnknownField`] where the item lacks a field that the prompt shows.
    pub fn fill(&self, item: &Item) -> Result<Vec<Message>, PromptError> {
        let mut messages = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            if let ([Piece::Prompt], Prompt::Chat(chat)) = (part.pieces.as_slice(), &item.prompt) {
                messages.extend(chat.iter().cloned());
                continue;
            }
            let mut content = String::new();
            for piece in &part.pieces {
                match piece {
                    Piece::Text(text) => content.push_str(text),
                    Piece::Prompt => content.push_str(&item.prompt.to_text()),
                    Piece::Field(name) => content.push_str(&self.field(item, name)?),
                }
            }
            messages.push(Message { role: part.role.to_owned(), content });
        }
        Ok(messages)
    }

    fn field(&self, item: &Item, name: &str) -> Result<String, PromptError> {
        match item.fields.get(name) {
            Some(Value::Null) | None => Err(PromptError::UnknownField {
                item: item.id.clone(),
                prompt: self.name(),
                field: name.to_owned(),
                near: nearest(name, item.fields.keys().map(String::as_str)).map(str::to_owned),
            }),
            Some(value) => Ok(plain_text(value)),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn item(prompt: Prompt) -> Item {
        let fields = serde_json::from_str(r#"{"context":"{prompt} stays","year":1999}"#).unwrap();
        Item { id: "q".into(), prompt, fields }
    }

    fn text(text: &str) -> Prompt {
        Prompt::Text(text.to_owned())
    }

    #[test]
    fn fields_and_the_prompt_are_filled_once_and_literally() {
        let prompt = parse_generation("---\nid: a\nversion: 2\n---\n{context} in {year}: {prompt}\n", "a.md").unwrap();
        let messages = prompt.fill(&item(text("what? {year}"))).unwrap();
        assert_eq!(messages[0].content, "{prompt} stays in 1999: what? {year}");
        assert_eq!(prompt.name(), "a.2");
    }

    #[test]
    fn a_conversation_stays_one_where_the_prompt_stands_alone() {
        let chat: Vec<Message> = ["user", "assistant", "user"]
            .map(|role| Message { role: role.to_owned(), content: format!("by {role}") })
            .into();
        let prompt = parse_generation("---\nid: a\n---\n--- system\nBe short.\n--- user\n{prompt}\n", "a.md").unwrap();
        let messages = prompt.fill(&item(Prompt::Chat(chat.clone()))).unwrap();
        assert_eq!(messages[0].content, "Be short.");
        assert_eq!(messages[1..], chat);
        let shown = parse_generation("Q: {prompt}", "a.md").unwrap().fill(&item(Prompt::Chat(chat))).unwrap();
        assert!(shown[0].content.starts_with("Q: User: by user\n\nAssistant: by assistant"), "{shown:?}");
    }

    #[test]
    fn a_field_that_the_item_lacks_is_named_with_the_near_one() {
        let prompt = parse_generation("{contxt} {prompt} {A} { x }", "a.md").unwrap();
        let message = prompt.fill(&item(text("?"))).unwrap_err().to_string();
        assert!(message.contains("{contxt}") && message.contains("`context`"), "{message}");
    }

    #[test]
    fn a_prompt_that_does_not_show_the_question_is_refused() {
        for wrong in ["Answer well.", "{Prompt}", "---\ncontract: bracket\n---\n{prompt}"] {
            assert!(parse_generation(wrong, "a.md").is_err(), "{wrong}");
        }
    }

    #[test]
    fn another_wording_is_another_version() {
        let (one, other) =
            (parse_generation("{prompt}", "a.md").unwrap(), parse_generation("{prompt}!", "a.md").unwrap());
        assert_ne!(one.digest(), other.digest());
        assert_ne!(one.name(), other.name());
    }
}
