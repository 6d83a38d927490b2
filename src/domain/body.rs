//! The body of a request: one JSON text from key to wire to journal.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// The JSON text of a request's body: what is hashed is what is sent is what is stored, written out once. It holds no line
/// break outside its strings, so it fits into one line of a file.
#[derive(Debug, Clone)]
pub struct Body(Box<RawValue>);

impl Body {
    /// The text of a value, or of what is written as one.
    pub fn of(value: &impl Serialize) -> Self {
        Self(serde_json::value::to_raw_value(value).expect("a JSON value can always be written"))
    }

    /// The body of what is not sent: `null`.
    pub fn null() -> Self {
        Self(RawValue::NULL.to_owned())
    }

    /// True where nothing is sent.
    pub fn is_null(&self) -> bool {
        self.text() == "null"
    }

    /// The text.
    pub fn text(&self) -> &str {
        self.0.get()
    }

    /// The text taken apart; `null` where it nests deeper than JSON is read here (128 levels).
    pub fn value(&self) -> Value {
        serde_json::from_str(self.text()).unwrap_or(Value::Null)
    }
}

impl PartialEq for Body {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl From<Value> for Body {
    fn from(value: Value) -> Self {
        Self::of(&value)
    }
}

impl std::fmt::Display for Body {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.text())
    }
}

impl Serialize for Body {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Body {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        if raw.get().contains(['\n', '\r']) {
            return serde_json::from_str(raw.get()).map(|value: Value| value.into()).map_err(serde::de::Error::custom);
        }
        Ok(Self(raw))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;

    #[test]
    fn a_body_is_one_text_from_end_to_end() {
        let body = Body::of(&json!({"z": 1.0, "a": "日本\n\"x\"", "n": null}));
        assert_eq!(body.text(), r#"{"z":1.0,"a":"日本\n\"x\"","n":null}"#);
        assert_eq!(serde_json::to_string(&body).unwrap(), body.text());
        assert_eq!(serde_json::from_str::<Body>(body.text()).unwrap(), body);
        assert_eq!(body.value()["a"], "日本\n\"x\"");
        assert!(Body::null().is_null() && !body.is_null());
    }

    #[test]
    fn a_body_that_was_laid_out_over_lines_is_brought_into_one() {
        let body: Body = serde_json::from_str("{\n  \"a\": [1,\r\n 2]\n}").unwrap();
        assert_eq!(body.text(), r#"{"a":[1,2]}"#);
    }
}
