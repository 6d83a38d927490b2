//! What a server turned out not to accept, and what is sent instead.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::provider::{Cause, Dialect, Need, Parameter, Trouble};
use crate::domain::Completion;

/// What this server turned out not to accept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Adapted {
    /// Settings left out.
    dropped: BTreeSet<&'static str>,
    is_limit_renamed: bool,
}

/// The two names of the token limit in chat completions: newer models want the second.
const LIMITS: [&str; 2] = ["max_tokens", "max_completion_tokens"];

/// The other name of the token limit in `body`, and its own.
fn limit_names(body: &Value) -> Option<(&'static str, &'static str)> {
    let [old, new] = LIMITS;
    match (body.get(old).is_some(), body.get(new).is_some()) {
        (true, false) => Some((old, new)),
        (false, true) => Some((new, old)),
        _ => None,
    }
}

impl Adapted {
    /// True while the server took everything as it was asked.
    pub fn is_none(&self) -> bool {
        self.dropped.is_empty() && !self.is_limit_renamed
    }

    /// What is sent in place of what was asked.
    pub fn apply(&self, dialect: Dialect, asked: &Value) -> Value {
        let mut body = asked.clone();
        for parameter in dialect.rejectable().iter().filter(|one| self.dropped.contains(one.setting)) {
            if parameter.need == Need::Optional {
                remove(&mut body, parameter.path);
            }
        }
        if self.is_limit_renamed
            && let Some((from, to)) = limit_names(&body)
            && let Value::Object(fields) = body
        {
            // In place, so that a body is the same text however it came about.
            body = fields
                .into_iter()
                .map(|(name, value)| (if name == from { to.to_owned() } else { name }, value))
                .collect();
        }
        body
    }

    /// Learns from the rejection of a parameter of the body `sent`.
    pub fn learn(&mut self, dialect: Dialect, rejected: Rejected, sent: &Value) {
        match rejected {
            Rejected::Parameter(parameter) if parameter.need == Need::Optional => {
                self.dropped.insert(parameter.setting);
            }
            Rejected::Limit { .. } if dialect == Dialect::Chat && limit_names(sent).is_some() => {
                self.is_limit_renamed = true;
            }
            Rejected::Parameter(_) | Rejected::Limit { .. } => {}
        }
    }

    /// Writes into a completion what was sent otherwise than asked; `lacking` is what this service has no place for.
    pub fn record(&self, dialect: Dialect, asked: &Value, lacking: &[&'static str], completion: &mut Completion) {
        let rejectable = dialect.rejectable().iter();
        let asked_for = rejectable.filter(|one| self.dropped.contains(one.setting) && has(asked, one.path));
        let dropped: BTreeSet<&str> = asked_for.map(|one| one.setting).chain(lacking.iter().copied()).collect();
        if !dropped.is_empty() {
            completion.extra.insert("dropped_parameters".to_owned(), json!(dropped));
        }
        if self.is_limit_renamed
            && let Some((from, to)) = limit_names(asked)
        {
            completion.extra.insert("renamed_parameters".to_owned(), json!({from: to}));
        }
    }
}

/// A part of a body that a server does not take.
#[derive(Debug, Clone, Copy)]
pub(super) enum Rejected {
    /// By this name.
    Parameter(Parameter),
    /// The token limit under the name `from`; the server wants it as `to`.
    Limit {
        /// As sent.
        from: &'static str,
        /// As wanted.
        to: &'static str,
    },
}

impl Rejected {
    /// Which part of the body `sent` the trouble is about; `None` where it is about none of them.
    pub fn of(dialect: Dialect, trouble: &Trouble, sent: &Value) -> Option<Self> {
        if trouble.cause != Cause::Unsupported {
            return None;
        }
        if dialect == Dialect::Chat
            && let Some((from, to)) = limit_names(sent)
            && complains_of(trouble, from)
            && (trouble.words.contains(to) || from == LIMITS[1])
        {
            return Some(Self::Limit { from, to });
        }
        let about = |one: &&Parameter| {
            let own = one.path.last().copied().into_iter().chain([one.setting]).chain(one.aliases.iter().copied());
            has(sent, one.path) && own.into_iter().any(|name| complains_of(trouble, name))
        };
        dialect.rejectable().iter().find(about).copied().map(Self::Parameter)
    }

    /// The setting to change, and how.
    pub fn setting(self) -> (&'static str, String) {
        match self {
            Self::Limit { from, to } => (from, format!("set `{to}` instead")),
            Self::Parameter(parameter) if parameter.need == Need::Required => {
                let advice = match parameter.setting {
                    "max_tokens" => "try `max_completion_tokens` instead".to_owned(),
                    "max_completion_tokens" => "try `max_tokens` instead".to_owned(),
                    "read" if parameter.path.contains(&"top_logprobs") => {
                        "fewer alternatives can be asked for with extra = { top_logprobs = 5 }".to_owned()
                    }
                    _ => "the answer cannot be read as set up without it".to_owned(),
                };
                (parameter.setting, advice)
            }
            Self::Parameter(parameter) => (parameter.setting, "take it out, or set `tolerant = true`".to_owned()),
        }
    }
}

fn complains_of(trouble: &Trouble, name: &str) -> bool {
    // `generation_config.temperature`: the last name is the parameter's own.
    let last = |param: &str| param.rsplit(['.', '/']).next().is_some_and(|last| last == name);
    trouble.param.as_deref().map_or_else(|| names(&trouble.words, name), last)
}

/// True where `words` hold `name` as a word of its own, whatever the case of its letters.
fn names(words: &str, name: &str) -> bool {
    words.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).any(|word| word.eq_ignore_ascii_case(name))
}

fn has(body: &Value, path: &[&str]) -> bool {
    path.iter().try_fold(body, |value, name| value.get(name)).is_some()
}

/// Takes out what stands at `path`, and what is empty without it.
fn remove(body: &mut Value, path: &[&str]) {
    let (Some(fields), Some((name, rest))) = (body.as_object_mut(), path.split_first()) else { return };
    if rest.is_empty() {
        fields.shift_remove(*name);
        return;
    }
    let Some(inner) = fields.get_mut(*name) else { return };
    remove(inner, rest);
    if inner.as_object().is_some_and(serde_json::Map::is_empty) {
        fields.shift_remove(*name);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const CHAT: Dialect = Dialect::Chat;

    fn trouble(dialect: Dialect, message: &str, param: Option<&str>) -> Trouble {
        let body = json!({"error": {"message": message, "param": param}}).to_string();
        dialect.read(400, None, &body).unwrap_err()
    }

    fn learnt(dialect: Dialect, message: &str, param: Option<&str>, asked: &Value) -> Option<Adapted> {
        let rejected = Rejected::of(dialect, &trouble(dialect, message, param), asked)?;
        let mut adapted = Adapted::default();
        adapted.learn(dialect, rejected, asked);
        Some(adapted)
    }

    #[test]
    fn a_rejected_parameter_is_dropped_and_recorded() {
        let asked = json!({"model": "m", "temperature": 0, "seed": 7});
        let words = "Unsupported value: 'temperature' does not support 0";
        let adapted = learnt(CHAT, words, None, &asked).unwrap();
        assert_eq!(adapted.apply(CHAT, &asked), json!({"model": "m", "seed": 7}));
        let mut completion = Completion::of_text("x");
        adapted.record(CHAT, &asked, &["stop"], &mut completion);
        assert_eq!(completion.extra["dropped_parameters"], json!(["stop", "temperature"]));
    }

    #[test]
    fn the_token_limit_is_renamed_in_place_either_way() {
        let asked = json!({"model": "m", "max_tokens": 64});
        let words = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
        let adapted = learnt(CHAT, words, Some("max_tokens"), &asked).unwrap();
        assert_eq!(adapted.apply(CHAT, &asked), json!({"model": "m", "max_completion_tokens": 64}));
        let asked = json!({"model": "m", "max_completion_tokens": 64});
        let words = "Unrecognized request argument supplied: max_completion_tokens";
        let adapted = learnt(CHAT, words, None, &asked).unwrap();
        assert_eq!(adapted.apply(CHAT, &asked), json!({"model": "m", "max_tokens": 64}));
        let mut completion = Completion::of_text("x");
        adapted.record(CHAT, &asked, &[], &mut completion);
        assert_eq!(completion.extra["renamed_parameters"], json!({"max_completion_tokens": "max_tokens"}));
    }

    #[test]
    fn what_the_answer_cannot_be_read_without_is_never_dropped() {
        let asked = json!({"model": "m", "messages": [], "logprobs": true});
        assert!(learnt(CHAT, "Unsupported parameter: 'messages'", Some("messages"), &asked).is_none());
        assert!(learnt(CHAT, "Unsupported parameter: 'seed'", Some("seed"), &asked).is_none(), "it was not sent");
        let adapted = learnt(CHAT, "'logprobs' is not supported", None, &asked).unwrap();
        assert_eq!(adapted.apply(CHAT, &asked), asked);
        let rejected = Rejected::of(CHAT, &trouble(CHAT, "'logprobs' is not supported", None), &asked).unwrap();
        assert_eq!(rejected.setting().0, "read");
    }

    #[test]
    fn nested_parameters_are_found_by_the_services_words_and_leave_nothing_empty_behind() {
        let asked = json!({"contents": [], "generationConfig": {"seed": 7}});
        let words = "Invalid JSON payload received. Unknown name \"seed\" at 'generation_config': Cannot find field.";
        let adapted = learnt(Dialect::Generate, words, None, &asked).unwrap();
        assert_eq!(adapted.apply(Dialect::Generate, &asked), json!({"contents": []}));
        let asked = json!({"output_config": {"effort": "low", "format": {}}});
        let words = "This model does not support the effort parameter.";
        let adapted = learnt(Dialect::Messages, words, None, &asked).unwrap();
        assert_eq!(adapted.apply(Dialect::Messages, &asked), json!({"output_config": {"format": {}}}));
    }
}
