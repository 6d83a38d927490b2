//! Items: pairs of responses with their texts, and what the reading wing knows of them without texts.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::ids::{Annotator, Digest, GroupId, ItemId, SystemName};
use super::verdict::{Order, Preference};

/// One chat message of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// `system`, `user` or `assistant`.
    pub role: String,
    /// The text.
    pub content: String,
}

/// What the two responses answer: one text, or a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Prompt {
    /// A single text.
    Text(String),
    /// A conversation, oldest message first.
    Chat(Vec<Message>),
}

impl Prompt {
    /// The prompt as one text: a conversation becomes `Role: …` blocks separated by blank lines.
    pub fn to_text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Chat(messages) => messages
                .iter()
                .map(|message| format!("{}: {}", capitalised(&message.role), message.content))
                .collect::<Vec<_>>()
                .join("\n\n"),
        }
    }
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// One human label, with its author where known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vote {
    /// What the annotator prefers.
    pub label: Preference,
    /// Who said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotator: Option<Annotator>,
}

/// The human answer for one item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoldLabel {
    /// The label in force.
    pub label: Preference,
    /// The votes behind it; empty where only a label was given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub votes: Vec<Vote>,
    /// True where the label is a tie only because no answer has a plurality of the votes.
    #[serde(default)]
    pub disputed: bool,
}

/// A deterministic check that both responses are run against.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// What is checked.
    #[serde(flatten)]
    pub kind: CheckKind,
    /// Inverts the outcome.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub not: bool,
}

/// The kinds of deterministic checks; JSON objects tagged with `kind`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CheckKind {
    /// The trimmed response equals `value`.
    Exact {
        /// The wanted text.
        value: String,
        /// Compare without regard to letter case.
        #[serde(default)]
        ignore_case: bool,
    },
    /// The response contains `value`.
    Contains {
        /// The wanted part.
        value: String,
        /// Compare without regard to letter case.
        #[serde(default)]
        ignore_case: bool,
    },
    /// The pattern (syntax of the `regex` crate) is found anywhere.
    Regex {
        /// The pattern.
        pattern: String,
    },
    /// The trimmed response is one JSON value.
    Json,
    /// The response is JSON and valid against the schema.
    JsonSchema {
        /// The JSON Schema.
        schema: Value,
    },
    /// The last number in the response is within `tolerance` of `value`.
    Numeric {
        /// The wanted number.
        value: f64,
        /// Largest allowed absolute difference.
        #[serde(default)]
        tolerance: f64,
    },
    /// The response, split at `separator` and trimmed, is this set; order free, no duplicates.
    Set {
        /// The wanted members.
        values: Vec<String>,
        /// What stands between two members.
        separator: String,
    },
    /// The size of the trimmed response is within bounds.
    Length {
        /// What is counted.
        unit: LengthUnit,
        /// Smallest allowed size.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min: Option<u64>,
        /// Largest allowed size.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max: Option<u64>,
    },
}

/// What a length check counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LengthUnit {
    /// Unicode scalar values.
    Chars,
    /// White-space separated words.
    Words,
    /// Non-empty lines.
    Lines,
}

/// A task that systems are asked to do, without an answer to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// Unique within its set.
    pub id: ItemId,
    /// What is asked.
    pub prompt: Prompt,
    /// Every other field of the record, kept as it was (`category`, `group`, `checks`, `context`, …).
    pub fields: Map<String, Value>,
}

/// Two responses to one item, in canonical order, with all texts.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// Unique within its set.
    pub id: ItemId,
    /// What both responses answer.
    pub prompt: Prompt,
    /// The response called `a`.
    pub response_a: String,
    /// The response called `b`.
    pub response_b: String,
    /// Who wrote `a`.
    pub model_a: Option<SystemName>,
    /// Who wrote `b`.
    pub model_b: Option<SystemName>,
    /// Kind of task.
    pub category: Option<String>,
    /// Resampling unit; the item itself where absent.
    pub group: Option<GroupId>,
    /// Language tag such as `en` or `ja`.
    pub lang: Option<String>,
    /// A reference answer, for prompts with a `{reference}` slot.
    pub reference: Option<String>,
    /// A rubric, for prompts with a `{rubric}` slot.
    pub rubric: Option<String>,
    /// Free tags.
    pub tags: Vec<String>,
    /// Deterministic checks; empty where there are none.
    pub checks: Vec<Check>,
    /// The human answer, where there is one.
    pub gold: Option<GoldLabel>,
    /// Every other field of the record, kept as it was (`meta`, `source`, `turn`, …).
    pub extra: Map<String, Value>,
}

impl Pair {
    /// A pair with the required fields and nothing else.
    pub fn new(id: impl Into<ItemId>, prompt: &str, response_a: &str, response_b: &str) -> Self {
        Self {
            id: id.into(),
            prompt: Prompt::Text(prompt.to_owned()),
            response_a: response_a.to_owned(),
            response_b: response_b.to_owned(),
            model_a: None,
            model_b: None,
            category: None,
            group: None,
            lang: None,
            reference: None,
            rubric: None,
            tags: Vec::new(),
            checks: Vec::new(),
            gold: None,
            extra: Map::new(),
        }
    }

    /// The two responses as shown in `order`: `(first, second)`.
    pub fn shown(&self, order: Order) -> (&str, &str) {
        order.shown(&self.response_a, &self.response_b)
    }

    /// True when the two responses are the same text.
    pub fn is_identical(&self) -> bool {
        self.response_a == self.response_b
    }

    /// What the reading wing needs to know of this pair. Lengths are Unicode scalar values.
    pub fn facts(&self) -> ItemFacts {
        ItemFacts {
            id: self.id.clone(),
            group: self.group.clone(),
            category: self.category.clone(),
            lang: self.lang.clone(),
            turn: self.extra.get("turn").map(plain_text),
            model_a: self.model_a.clone(),
            model_b: self.model_b.clone(),
            length_a: Some(self.response_a.chars().count() as u64),
            length_b: Some(self.response_b.chars().count() as u64),
            identical: self.is_identical(),
            gold: self.gold.clone(),
        }
    }
}

/// A JSON scalar as plain text, for fields used as labels.
pub fn plain_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// What is known of an item without its texts: all that statistics need.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemFacts {
    /// Unique within its set.
    pub id: ItemId,
    /// Resampling unit; the item itself where absent.
    pub group: Option<GroupId>,
    /// Kind of task.
    pub category: Option<String>,
    /// Language tag.
    pub lang: Option<String>,
    /// Turn of a conversation, as text.
    pub turn: Option<String>,
    /// Who wrote `a`.
    pub model_a: Option<SystemName>,
    /// Who wrote `b`.
    pub model_b: Option<SystemName>,
    /// Length of `response_a` in Unicode scalar values.
    pub length_a: Option<u64>,
    /// Length of `response_b` in Unicode scalar values.
    pub length_b: Option<u64>,
    /// True when the two responses are the same text.
    pub identical: bool,
    /// The human answer, where there is one.
    pub gold: Option<GoldLabel>,
}

impl ItemFacts {
    /// The response that is longer, `None` where the lengths are equal or unknown.
    pub fn longer(&self) -> Option<Preference> {
        match (self.length_a?, self.length_b?) {
            (a, b) if a > b => Some(Preference::A),
            (a, b) if a < b => Some(Preference::B),
            _ => None,
        }
    }

    /// The resampling unit: the group, or the item itself where it has none. A group and an item of one name are two units.
    pub fn unit(&self) -> Unit<'_> {
        self.group.as_ref().map_or(Unit::Item(&self.id), Unit::Group)
    }

    /// The label in force, where there is one.
    pub fn gold_label(&self) -> Option<Preference> {
        self.gold.as_ref().map(|gold| gold.label)
    }
}

/// What is drawn as one when items are resampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unit<'a> {
    /// An item of its own.
    Item(&'a ItemId),
    /// All items of a group.
    Group(&'a GroupId),
}

/// A set of items as the reading wing sees it: sorted by id, so that no result depends on file order.
#[derive(Debug, Clone, PartialEq)]
pub struct GoldSet {
    /// The name shown to people, usually the file's name.
    pub name: String,
    /// Digest of what the items say (ids, texts or lengths, labels).
    pub digest: Digest,
    /// The items, sorted by id.
    pub items: Vec<ItemFacts>,
}

impl GoldSet {
    /// A set of `items`, sorted by id here.
    pub fn new(name: impl Into<String>, digest: Digest, mut items: Vec<ItemFacts>) -> Self {
        items.sort_by(|x, y| x.id.cmp(&y.id));
        Self { name: name.into(), digest, items }
    }

    /// Number of items with a human answer.
    pub fn labelled(&self) -> usize {
        self.items.iter().filter(|item| item.gold.is_some()).count()
    }
}
