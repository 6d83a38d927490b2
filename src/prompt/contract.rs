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
