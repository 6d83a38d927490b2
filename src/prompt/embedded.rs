//! The prompts that ship inside the binary.

use super::template::{JudgePrompt, parse};

/// The prompt used where none is named.
pub const DEFAULT: &str = "pairwise.en";

macro_rules! shipped {
    ($($name:literal),+ $(,)?) => {
        /// The names of the embedded prompts.
        pub const EMBEDDED: &[&str] = &[$($name),+];

        /// The exact text of an embedded prompt.
        pub(super) fn text(name: &str) -> Option<&'static str> {
            match name {
                $($name => Some(include_str!(concat!("../../prompts/", $name, ".md"))),)+
                _ => None,
            }
        }
    };
}

shipped!(
    "pairwise.en",
    "pairwise.ja",
    "pairwise-rubric.en",
    "pairwise-rubric.ja",
    "pairwise-json.en",
    "pairwise-json.ja",
    "pairwise-scale5.en",
    "pairwise-scale5.ja",
    "pairwise-label.en",
    "pairwise-label.ja",
    "pairwise-letter.en",
    "pairwise-letter.ja",
);

/// The embedded prompt of that name.
pub fn embedded(name: &str) -> Option<JudgePrompt> {
    parse(text(name)?, name).ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::domain::{FinishReason, Order, Pair};
    use crate::prompt::{lint, parse};

    #[test]
    fn every_embedded_prompt_is_clean_and_named_by_its_id_and_language() {
        for name in EMBEDDED {
            let prompt = parse(text(name).unwrap(), name).unwrap();
            assert_eq!(&prompt.name(), name);
            assert_eq!(lint(text(name).unwrap(), name), [], "{name}");
        }
        assert!(EMBEDDED.contains(&DEFAULT));
        assert!(embedded("nonesuch").is_none());
    }

    #[test]
    fn a_prompt_repeated_by_the_judge_is_never_a_verdict() {
        let pair = Pair::new("q", "Which is it?", "This.", "That.");
        for name in EMBEDDED {
            let prompt = embedded(name).unwrap();
            for order in Order::BOTH {
                let messages = prompt.fill(&pair, order).unwrap();
                for finish in [FinishReason::Stop, FinishReason::Length] {
                    let read = prompt.contract.read(&messages[0].content, finish);
                    assert_eq!(read.reading.verdict(), None, "{name}: {}", read.why);
                }
            }
        }
    }
}
