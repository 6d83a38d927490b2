//! Verdict labels as single tokens, for reading verdicts from log-probabilities, and the schema of the contract `json`.

use serde_json::{Value, json};

use crate::domain::Verdict;

use super::contract::Contract;
use super::normalise::plain_signs;

impl Contract {
    /// The verdict that this token names by itself, brackets, quotes, space, letter case and width aside. `None` for a
    /// token with anything else in it, and always for [`Contract::Scale5`], whose steps are no single tokens.
    pub fn label(self, token: &str) -> Option<Verdict> {
        if self == Self::Scale5 || token.len() > LONGEST {
            return None;
        }
        let plain = plain_signs(token).to_lowercase();
        let core = plain.trim_matches(is_edge);
        match (core, self) {
            ("a", _) => Some(Verdict::First),
            ("b", _) => Some(Verdict::Second),
            ("c", Self::Bracket) | ("tie" | "引き分け" | "引分け", Self::Label | Self::Json) => {
                Some(Verdict::Tie)
            }
            _ => None,
        }
    }

    /// How the verdict is written as a label of this contract.
    pub fn label_of(self, verdict: Verdict) -> &'static str {
        match (verdict, self) {
            (Verdict::First, _) => "A",
            (Verdict::Second, _) => "B",
            (Verdict::Tie, Self::Bracket) => "C",
            (Verdict::Tie, Self::Json | Self::Label | Self::Scale5) => "tie",
        }
    }

    /// The same token with the label of `verdict` in place of its own; `None` where it has none.
    pub fn relabel(self, token: &str, verdict: Verdict) -> Option<String> {
        self.label(token)?;
        let edge = |c: char| is_edge(plain_signs(c.encode_utf8(&mut [0; 4])).chars().next().unwrap_or(' '));
        let head = token.len() - token.trim_start_matches(edge).len();
        let tail = token.trim_end_matches(edge).len();
        Some(format!("{}{}{}", token.get(..head)?, self.label_of(verdict), token.get(tail..)?))
    }

    /// The JSON Schema of the answers that this contract asks for; `None` for contracts of text.
    pub fn json_schema(self) -> Option<Value> {
        (self == Self::Json).then(|| {
            json!({
                "type": "object",
                "properties": {"reason": {"type": "string"}, "winner": {"type": "string", "enum": ["A", "B", "tie"]}},
                "required": ["reason", "winner"],
                "additionalProperties": false,
            })
        })
    }
}

/// Longer tokens are no labels, in bytes.
const LONGEST: usize = 64;

/// What may stand around a label; `▁` and `Ġ` are how some tokenisers write a space, `Ċ` a line feed.
fn is_edge(c: char) -> bool {
    c.is_whitespace() || "[](){}\"'“”‘’「」『』*_`.:。,、▁Ġġċ\u{10a}".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_a_label_or_it_is_not() {
        use Verdict::{First, Second, Tie};
        for (token, bracket, label) in [
            ("A", Some(First), Some(First)),
            (" b", Some(Second), Some(Second)),
            ("[[A", Some(First), Some(First)),
            ("C]]", Some(Tie), None),
            ("Ｂ", Some(Second), Some(Second)),
            ("▁A", Some(First), Some(First)),
            ("ĠB", Some(Second), Some(Second)),
            (" tie", None, Some(Tie)),
            ("\"A\"", Some(First), Some(First)),
            ("引き分け", None, Some(Tie)),
            ("AB", None, None),
            ("A>B", None, None),
            ("An", None, None),
            ("[[", None, None),
            ("", None, None),
        ] {
            assert_eq!(Contract::Bracket.label(token), bracket, "{token}");
            assert_eq!(Contract::Label.label(token), label, "{token}");
            assert_eq!(Contract::Scale5.label(token), None);
        }
    }

    #[test]
    fn a_label_is_replaced_and_what_stands_around_it_stays() {
        for (token, wanted) in [("[[A", "[[B"), ("［Ａ］", "［B］"), (" c]]", " B]]"), ("ĠA", "ĠB")] {
            assert_eq!(Contract::Bracket.relabel(token, Verdict::Second).as_deref(), Some(wanted));
        }
        assert_eq!(Contract::Label.relabel(" A", Verdict::Tie).as_deref(), Some(" tie"));
        assert_eq!(Contract::Bracket.relabel("tie", Verdict::First), None);
    }

    #[test]
    fn the_schema_allows_what_the_contract_reads() {
        let schema = Contract::Json.json_schema();
        assert!(schema.is_some_and(|schema| schema["properties"]["winner"]["enum"] == json!(["A", "B", "tie"])));
        assert!(Contract::Bracket.json_schema().is_none());
    }
}
