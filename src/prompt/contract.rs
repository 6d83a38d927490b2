//! What a judge prompt asks the reply to look like, and how a reply is read. Total: any text gives an answer.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::domain::{FinishReason, NoVerdict, ReadVerdict, Reading, Verdict};

use super::marks::{Ending, Unpicked};
use super::normalise::{answer, pattern, plain_signs};
use super::{json, label, token};

/// The output contract of a judge prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Contract {
    /// Reasons, then exactly one of `[[A]]`, `[[B]]`, `[[C]]`; C is the tie.
    Bracket,
    /// One object with `winner` (`"A"`, `"B"` or `"tie"`) and `reason`.
    Json,
    /// Reasons, then a line `Verdict: A`, `Verdict: B` or `Verdict: tie`.
    Label,
    /// Reasons, then one of `[[A>>B]]`, `[[A>B]]`, `[[A=B]]`, `[[B>A]]`, `[[B>>A]]`.
    Scale5,
}

impl Contract {
    /// All contracts.
    pub const ALL: [Self; 4] = [Self::Bracket, Self::Json, Self::Label, Self::Scale5];

    /// The name, as in front matter and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bracket => "bracket",
            Self::Json => "json",
            Self::Label => "label",
            Self::Scale5 => "scale5",
        }
    }

    /// The contract of that name; letter case does not matter.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|contract| contract.as_str().eq_ignore_ascii_case(name.trim()))
    }

    /// Reads a raw reply: the verdict by slots (`A` is the response shown first) or the kind of its absence,
    /// and in `why` where it was found or why there is none. `grade` is set by [`Contract::Scale5`] alone.
    pub fn read(self, raw: &str, finish: FinishReason) -> ReadVerdict {
        let ending = match finish {
            FinishReason::ContentFilter => {
                return none(NoVerdict::Filtered, "the provider's content filter stopped the reply");
            }
            FinishReason::Refusal => return none(NoVerdict::Refused, "the model declined to answer"),
            FinishReason::Length => Ending::Cut,
            FinishReason::Stop | FinishReason::Other => Ending::Whole,
        };
        let answer = answer(raw);
        let read = match self {
            Self::Bracket => token::read_bracket(&answer.text, ending).map(|found| said(found.value, None, found.why)),
            Self::Json => json::read(&answer.text, ending).map(|found| said(found.value, None, found.why)),
            Self::Label => label::read(&answer.text, ending).map(|found| said(found.value, None, found.why)),
            Self::Scale5 => token::read_scale5(&answer.text, ending)
                .map(|found| said(found.value.verdict, Some(found.value.name.to_owned()), found.why)),
        };
        read.unwrap_or_else(|unpicked| absent(&unpicked, &answer.text, answer.swallowed, finish))
    }
}

impl fmt::Display for Contract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

fn said(verdict: Verdict, grade: Option<String>, why: String) -> ReadVerdict {
    ReadVerdict { reading: Reading::Said(verdict), grade, probability: None, why }
}

fn none(kind: NoVerdict, why: impl Into<String>) -> ReadVerdict {
    ReadVerdict { reading: Reading::None(kind), grade: None, probability: None, why: why.into() }
}

fn absent(unpicked: &Unpicked, answer: &str, swallowed: bool, finish: FinishReason) -> ReadVerdict {
    let why = match unpicked {
        Unpicked::Because(why) => why.clone(),
        Unpicked::Nothing if swallowed => "a reasoning block was opened and never closed".to_owned(),
        Unpicked::Nothing if answer.trim().is_empty() => "there is no answer text".to_owned(),
        Unpicked::Nothing if is_refusal(answer) => return none(NoVerdict::Refused, "the reply declines to judge"),
        Unpicked::Nothing => "nothing in the reply has the form of a verdict".to_owned(),
    };
    if finish == FinishReason::Length {
        return none(NoVerdict::Truncated, format!("the reply was cut off: {why}"));
    }
    none(NoVerdict::Unparsed, why)
}

/// True for a text that opens with an unmistakable refusal to do the task. "I cannot decide" is none.
fn is_refusal(answer: &str) -> bool {
    let opening: String = plain_signs(&answer.trim().chars().take(400).collect::<String>()).replace('’', "'");
    REFUSAL.is_match(opening.trim())
}

pattern!(
    REFUSAL,
    r"(?i)^(?:(?:i'm|i am|we're) (?:very |so |really |truly )?sorry[^.\n]{0,40}[,.]? |(?:sorry|unfortunately|apologies|i apologi[sz]e)[,.!]? (?:but )?)?(?:as an? (?:ai|language model)[^.\n]{0,60},? )?(?:but )?(?:i|we) (?:can't|cannot|can not|won't|will not|am unable to|am not able to|'m unable to|must decline to|must refuse to|have to decline to|am not comfortable)\s?(?:help|assist|compare|judge|evaluate|rate|rank|comply|engage|continue|fulfil|fulfill|answer|respond|provide|participate|process|do that|do this|comparing|judging)|^i'm (?:unable|not able|not comfortable)[^.\n]{0,12}(?:help|assist|compar|judg|evaluat|comply|engag|provid|answer|process)|^(?:申し訳(?:ありません|ございません)|すみません|恐れ入りますが)[^\n]{0,80}(?:できません|できかねます|いたしかねます|控え|お断り|お答えでき|お手伝いでき)|^(?:この|その|ご)[^。\n]{0,40}(?:にはお答えできません|はお手伝いできません|評価することはできません|お断りします)|^(?:抱歉|对不起|很抱歉)[^\n]{0,30}(?:无法|不能)"
);

/// What the tests beside the contracts compare: the grade, `A`, `B`, `tie`, or the kind of absence.
#[cfg(test)]
pub(super) fn outcome(contract: Contract, raw: &str, finish: FinishReason) -> String {
    let read = contract.read(raw, finish);
    read.grade.unwrap_or_else(|| {
        match read.reading {
            Reading::Said(Verdict::First) => "A",
            Reading::Said(Verdict::Second) => "B",
            Reading::Said(Verdict::Tie) => "tie",
            Reading::None(kind) => kind.as_str(),
        }
        .to_owned()
    })
}

/// Checks a table of `(reply, outcome)`; a reply that ends in `…` was cut off there.
#[cfg(test)]
pub(super) fn check(contract: Contract, table: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (raw, wanted) in table {
        let (text, finish) =
            raw.strip_suffix('…').map_or((*raw, FinishReason::Stop), |text| (text, FinishReason::Length));
        let got = outcome(contract, text, finish);
        if got != *wanted {
            wrong.push(format!("{raw:?}: {got} instead of {wanted}: {}", contract.read(text, finish).why));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_read_back() {
        for contract in Contract::ALL {
            assert_eq!(Contract::parse(contract.as_str()), Some(contract));
        }
        assert_eq!(Contract::parse(" JSON "), Some(Contract::Json));
        assert_eq!(Contract::parse("yaml"), None);
    }

    #[test]
    fn a_filter_and_a_refusal_field_outrank_the_text() {
        for contract in Contract::ALL {
            assert_eq!(outcome(contract, "[[A]]", FinishReason::ContentFilter), "filtered");
            assert_eq!(outcome(contract, "Verdict: A", FinishReason::Refusal), "refused");
        }
    }

    #[test]
    fn only_an_unmistakable_refusal_is_one() {
        let table = [
            ("I'm sorry, but I can't compare these two texts.", "refused"),
            ("I’m sorry, but I can’t help with that request.", "refused"),
            ("I cannot assist with this.", "refused"),
            ("As an AI language model, I am not able to judge such content.", "refused"),
            ("Sorry, I won't evaluate this material.", "refused"),
            ("Unfortunately, I must decline to answer.", "refused"),
            ("申し訳ありませんが、この内容を評価することはできません。", "refused"),
            ("申し訳ございませんが、お手伝いできません。", "refused"),
            ("このご質問にはお答えできません。", "refused"),
            ("抱歉，我无法比较这两个回答。", "refused"),
            ("I cannot decide between the two.", "unparsed"),
            ("The first reply says \"I can't help with that\".", "unparsed"),
            ("Sorry for the delay. Both are fine.", "unparsed"),
            ("申し訳ありませんが、少しお待ちください。", "unparsed"),
            ("どちらとも言えません。", "unparsed"),
            ("", "unparsed"),
            ("<think>I can't help with that", "unparsed"),
            ("<think>still thinking…", "truncated"),
            ("I'm sorry, but I can't help with …", "refused"),
        ];
        for contract in Contract::ALL {
            check(contract, &table);
        }
    }

    #[test]
    fn a_long_run_of_anything_reads_the_same_twice_as_long() {
        let pieces = [
            "[",
            "[[A",
            "[[A]]",
            "[[A]] or ",
            "{",
            "{\"",
            "{\"winner\":",
            "{\"winner\": \"A\", \"reason\": \"",
            "{“winner",
            "{'a': '",
            "[[",
            "]]",
            "Verdict: ",
            "Verdict: A\n",
            "verdict is ",
            "\"[[B]]\" ",
            "<think>",
            "</think>",
            "&#91;",
            "~~",
            "`",
            "```\n",
            "\\boxed{",
            "\"",
            "判定：",
            "\u{200b}",
            "a\u{301}",
            "> [[A]]\n",
            "not [[A]] if ",
            "I'm sorry, ",
            "the reply says ",
            "{\"a\":[",
            " ",
            "\n",
            "\\",
            "_",
            "my the ",
        ];
        for piece in pieces {
            let run = piece.repeat(5_000 / piece.len() + 1);
            for contract in Contract::ALL {
                let once = contract.read(&run, FinishReason::Stop).reading;
                let twice = contract.read(&(run.clone() + &run), FinishReason::Stop).reading;
                assert_eq!(once, twice, "{contract} {piece:?}");
            }
        }
    }

    fn fragments() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("[[A]]"),
            Just("[[B]]"),
            Just("[[C]]"),
            Just("[["),
            Just("]]"),
            Just("A"),
            Just("B"),
            Just(">"),
            Just("Verdict: "),
            Just("判定："),
            Just("{\"winner\": \"A\"}"),
            Just("{\"winner\":"),
            Just("\""),
            Just("}"),
            Just("<think>"),
            Just("</think>"),
            Just("\n"),
            Just(" "),
            Just("```"),
            Just("“"),
            Just("」"),
            Just("&#91;"),
            Just("not "),
            Just(" or "),
            Just("[[A>>B]]"),
            Just("\\"),
            Just("\u{200b}"),
            Just("［［Ｂ］］"),
            Just("~~"),
        ];
        proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn any_text_gives_an_answer(raw in any::<String>(), mixed in fragments()) {
            for contract in Contract::ALL {
                for finish in [FinishReason::Stop, FinishReason::Length] {
                    prop_assert!(!contract.read(&raw, finish).why.is_empty());
                    let read = contract.read(&mixed, finish);
                    prop_assert!(!read.why.is_empty());
                    prop_assert!(read.grade.is_none() || contract == Contract::Scale5);
                }
            }
        }

        #[test]
        fn invisible_characters_and_line_ends_change_nothing(mixed in fragments()) {
            let dressed = format!("\u{feff}{}\u{200e}", mixed.replace('\n', "\r\n"));
            for contract in Contract::ALL {
                let (one, other) = (outcome(contract, &mixed, FinishReason::Stop), outcome(contract, &dressed, FinishReason::Stop));
                prop_assert_eq!(one, other);
            }
        }

        #[test]
        fn reasoning_in_front_changes_nothing(mixed in fragments()) {
            prop_assume!(!mixed.contains("think>"));
            let dressed = format!("<think>Surely [[A]]. Verdict: B {{\"winner\": \"A\"}}</think>{mixed}");
            for contract in Contract::ALL {
                let (one, other) = (outcome(contract, &mixed, FinishReason::Stop), outcome(contract, &dressed, FinishReason::Stop));
                prop_assert_eq!(one, other);
            }
        }
    }
}
