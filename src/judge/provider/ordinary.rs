//! The answer of every day in chat completions, read straight into a completion. The general way builds a tree of the
//! whole answer first and takes three times as long; beside a server that answers at once that is felt.
//!
//! Whatever is not exactly ordinary (an error inside, refusals, thoughts, log-probabilities, several choices, parts,
//! other types, a name given twice) is left to the general way, which says the same of ordinary answers. Fields that are
//! not needed are read past as soon as they look like JSON: half a character or a number too large in one of them costs no answer.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::openai::finish_of;
use crate::domain::{Completion, FinishReason, Usage};

#[derive(Deserialize)]
struct Answer {
    error: Option<IgnoredAny>,
    choices: [Object<Choice>; 1],
    model: Option<String>,
    usage: Option<Object<Counts>>,
    system_fingerprint: Option<String>,
    provider: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Choice {
    error: Option<IgnoredAny>,
    message: Object<Message>,
    finish_reason: Option<String>,
    logprobs: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Message {
    content: String,
    refusal: Option<IgnoredAny>,
    reasoning: Option<IgnoredAny>,
    reasoning_content: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Counts {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<IgnoredAny>,
    completion_tokens_details: Option<IgnoredAny>,
}

/// A JSON object. By itself a struct would be read from an array as well, field by field.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
            type Value = T;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(fields))
            }
        }

        deserializer.deserialize_map(Fields(PhantomData)).map(Self)
    }
}

/// The completion of an ordinary answer; `None` for any other.
pub fn read(body: &str) -> Option<Completion> {
    let Object(answer) = serde_json::from_str(body).ok()?;
    let Answer { error: None, choices: [Object(choice)], model, usage, system_fingerprint, provider: None } = answer
    else {
        return None;
    };
    let Choice { error: None, message: Object(message), finish_reason, logprobs: None } = choice else { return None };
    let Message { content, refusal: None, reasoning: None, reasoning_content: None } = message else { return None };
    let usage = match usage {
        None => Usage::default(),
        Some(Object(Counts {
            prompt_tokens,
            completion_tokens,
            prompt_tokens_details: None,
            completion_tokens_details: None,
        })) => Usage { input_tokens: Some(prompt_tokens?), output_tokens: Some(completion_tokens?) },
        Some(_) => return None,
    };
    let finish = finish_of(finish_reason.as_deref());
    if finish == FinishReason::Other {
        return None;
    }
    let mut completion = Completion::of_text(content);
    (completion.finish, completion.usage) = (finish, usage);
    completion.served_model = model.filter(|model| !model.is_empty());
    if let Some(system) = system_fingerprint.filter(|system| !system.is_empty()) {
        completion.extra = Map::from_iter([("system_fingerprint".to_owned(), Value::String(system))]);
    }
    Some(completion)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::openai::read_any;
    use super::*;

    #[test]
    fn an_ordinary_answer_says_the_same_in_both_ways() {
        for body in [
            r#"{"choices":[{"message":{"content":"A"}, "finish_reason":"stop"}]}"#,
            r#"{"id":"x","object":"chat.completion","created":1,"model":"m-1","choices":[{"index":0,"message":{"role":"assistant","content":"\u65e5\n本 \"B\"","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"length"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7},"system_fingerprint":"fp_1","service_tier":"default"}"#,
            r#"{"error":null,"model":"","choices":[{"message":{"content":"","reasoning":null},"finish_reason":"Content_Filter"}],"usage":null,"system_fingerprint":""}"#,
            r#"{"choices":[{"message":{"content":"x"},"finish_reason":"eos","error":null,"stop_reason":null}],"usage":{"prompt_tokens":0,"completion_tokens":0},"timings":{"a":1.5e3}}"#,
        ] {
            assert_eq!(read(body), Some(read_any(body, None).unwrap()), "{body}");
        }
    }

    #[test]
    fn what_is_wrong_in_a_field_that_nobody_needs_costs_no_answer() {
        let deep = format!("{}{}", "[".repeat(1000), "]".repeat(1000));
        for odd in [r#""\ud800""#, "1e999", &deep] {
            let body = format!(r#"{{"choices":[{{"message":{{"content":"A"}},"finish_reason":"stop"}}],"odd":{odd}}}"#);
            assert_eq!(read(&body).map(|completion| completion.text), Some("A".to_owned()), "{odd}");
        }
    }

    #[test]
    fn what_is_not_exactly_ordinary_is_left_to_the_general_way() {
        for body in [
            "",
            r#"{"choices":[]}"#,
            r#"{"choices":[{"message":{"content":"A"},"finish_reason":"stop"}]"#,
            r#"{"choices":[{"message":{"content":"A"},"finish_reason":"stop"}]} x"#,
            r#"{"choices":[{"message":{"content":"A"},"finish_reason":"stop"}],"error":{"code":503}}"#,
            r#"{"choices":[{"message":{"content":"A"},"finish_reason":"stop","error":"down"}]}"#,
            r#"{"choices":[{"message":{"content":"A"},"finish_reason":"stop"},{"message":{"content":"B"},"finish_reason":"stop"}]}"#,
            r#"{"choices":[{"message":{"content":"A","content":"B"},"finish_reason":"stop"}]}"#,
            r#"{"choices":[{"message":{"content":"A","refusal":""},"finish_reason":"stop"}]}"#,
            r#"{"choices":[{"message":{"content":"A","reasoning_content":"hm"},"finish_reason":"stop"}]}"#,
            r#"{"choices":[{"message":{"content":[{"text":"A"}]},"finish_reason":"stop"}]}"#,
            r#"{"choices":[{"message":{"content":null},"finish_reason":"stop"}]}"#,
            r#"{"choices":[{"message":{"content":"A"},"finish_reason":"tool_calls"}]}"#,
            r#"{"choices":[{"message":{"content":"A"},"finish_reason":7}]}"#,
            r#"{"choices":[{"message":{"content":"A"},"finish_reason":"stop","logprobs":{"content":[]}}]}"#,
            r#"{"choices":[{"message":{"content":"A"},"finish_reason":"stop"}],"usage":{"input_tokens":5}}"#,
            r#"{"choices":[{"message":{"content":"A"},"finish_reason":"stop"}],"usage":{"prompt_tokens":-5,"completion_tokens":1}}"#,
            r#"{"choices":[{"message":{"content":"A"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":1,"completion_tokens_details":{"reasoning_tokens":4}}}"#,
            r#"{"choices":[{"message":{"content":"A"},"finish_reason":"stop"}],"provider":"p"}"#,
            r#"{"choices":[{"message":{"content":"A"},"finish_reason":"stop"}],"usage":[5,2,null,null]}"#,
            r#"{"choices":[{"message":["A",null,null,null],"finish_reason":"stop"}]}"#,
            r#"{"choices":[[null,{"content":"A"},"stop",null]]}"#,
            r#"[null,[{"message":{"content":"A"},"finish_reason":"stop"}],"m",null,null,null]"#,
            r#"{"choices":{"0":{"message":{"content":"A"},"finish_reason":"stop"}}}"#,
        ] {
            assert_eq!(read(body), None, "{body}");
        }
    }
}
