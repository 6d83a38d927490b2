//! Control judges: the dumb baselines that every real judge must beat, and the known answers that the whole program
//! is tested with.
//!
//! A control is built with the pairs that it will be asked about and keeps of them only what it needs; an oracle gets
//! its gold there, never through a request. What a control answers is a pure function of (kind, seed, item, order,
//! repeat): see [`super::draw`].

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

use super::draw;
use super::{Asking, CallClass, CallError, Model};
use crate::domain::{Completion, ItemId, JudgeRequest, Message, NoVerdict, Order, Pair, Preference};
use crate::domain::{ReadVerdict, Reading, Usage, Verdict};

/// Which control judge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ControlKind {
    /// Always the response shown first.
    First,
    /// Always the response shown second.
    Second,
    /// The longer response by Unicode scalar values; a tie where they are equal.
    Longest,
    /// The shorter response by Unicode scalar values; a tie where they are equal.
    Shortest,
    /// Always a tie.
    Tie,
    /// First or second with even chances, drawn anew for each order and repeat.
    Coin {
        /// Seed of the draws.
        seed: u64,
    },
    /// The human answer, wrong with probability `error`. A wrong answer is the other side; in place of a tie, a or b
    /// by a further draw. Does not apply to items without a human answer.
    Oracle {
        /// Probability of a wrong answer, 0..=1.
        error: f64,
        /// Seed of the draws.
        seed: u64,
        /// What one draw covers.
        per: Per,
    },
}

/// What one draw of an oracle's error covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Per {
    /// The item: the same answer in both orders and all repeats.
    Item,
    /// One asking: each order and repeat for itself.
    Order,
}

impl fmt::Display for ControlKind {
    /// The full form, every parameter named.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::First => f.write_str("control:first"),
            Self::Second => f.write_str("control:second"),
            Self::Longest => f.write_str("control:longest"),
            Self::Shortest => f.write_str("control:shortest"),
            Self::Tie => f.write_str("control:tie"),
            Self::Coin { seed } => write!(f, "control:coin?seed={seed}"),
            Self::Oracle { error, seed, per } => {
                let per = if *per == Per::Item { "item" } else { "order" };
                write!(f, "control:oracle?error={error}&seed={seed}&per={per}")
            }
        }
    }
}

/// What a control knows of an item.
#[derive(Debug, Clone, Copy)]
struct Known {
    length_a: usize,
    length_b: usize,
    gold: Option<Preference>,
}

/// A control judge that knows its items.
#[derive(Debug)]
pub(super) struct Control {
    kind: ControlKind,
    known: BTreeMap<ItemId, Known>,
}

impl Control {
    pub(super) fn new(kind: ControlKind, pairs: &[Pair]) -> Self {
        let known = pairs.iter().map(|pair| {
            let facts = Known {
                length_a: pair.response_a.chars().count(),
                length_b: pair.response_b.chars().count(),
                gold: pair.gold.as_ref().map(|gold| gold.label),
            };
            (pair.id.clone(), facts)
        });
        Self { kind, known: known.collect() }
    }

    /// True where the control was told of the item, or needs to know nothing of it.
    pub(super) fn knows(&self, item: &ItemId) -> bool {
        use ControlKind::{Coin, First, Second, Tie};
        matches!(self.kind, First | Second | Tie | Coin { .. }) || self.known.contains_key(item)
    }

    /// True where the control has an answer for the item.
    pub(super) fn applies(&self, item: &ItemId) -> bool {
        match self.kind {
            ControlKind::Oracle { .. } => self.known.get(item).is_some_and(|known| known.gold.is_some()),
            _ => true,
        }
    }

    /// The answer; `None` for an item that the control does not know or does not apply to.
    pub(super) fn verdict(&self, item: &ItemId, order: Order, repeat: u32) -> Option<Verdict> {
        let repeat = repeat.to_le_bytes();
        let place: [&[u8]; 2] = [order.as_str().as_bytes(), &repeat];
        Some(match self.kind {
            ControlKind::First => Verdict::First,
            ControlKind::Tie => Verdict::Tie,
            ControlKind::Longest => order.verdict_for(longer(self.known.get(item)?)),
            ControlKind::Shortest => order.verdict_for(longer(self.known.get(item)?).swapped()),
            ControlKind::Coin { seed } if draw::unit("coin", seed, item, &place) < 0.5 => Verdict::First,
            ControlKind::Second | ControlKind::Coin { .. } => Verdict::Second,
            ControlKind::Oracle { error, seed, per } => {
                let place: &[&[u8]] = if per == Per::Item { &[] } else { &place };
                let wrong = draw::unit("oracle error", seed, item, place) < error;
                let gold = self.known.get(item)?.gold?;
                order.verdict_for(match gold {
                    _ if !wrong => gold,
                    Preference::Tie if draw::unit("oracle side", seed, item, place) < 0.5 => Preference::A,
                    Preference::Tie => Preference::B,
                    decisive => decisive.swapped(),
                })
            }
        })
    }
}

fn longer(known: &Known) -> Preference {
    match known.length_a.cmp(&known.length_b) {
        std::cmp::Ordering::Greater => Preference::A,
        std::cmp::Ordering::Less => Preference::B,
        std::cmp::Ordering::Equal => Preference::Tie,
    }
}

impl Model for Control {
    fn body(&self, _messages: &[Message]) -> Value {
        Value::Null
    }

    fn ask<'a>(&'a self, request: &'a JudgeRequest) -> Asking<'a> {
        let answer = self.verdict(&request.item, request.order, request.repeat);
        Box::pin(std::future::ready(match answer {
            Some(verdict) => Ok(local_answer(verdict)),
            None => Err(CallError {
                class: CallClass::Item,
                status: None,
                message: format!("{} has no answer for item `{}`", self.kind, request.item),
            }),
        }))
    }
}

/// The completion of a local judge: one word, and no tokens spent.
pub(super) fn local_answer(verdict: Verdict) -> Completion {
    let usage = Usage { input_tokens: Some(0), output_tokens: Some(0) };
    Completion { usage, ..Completion::of_text(word(verdict)) }
}

/// The answer of a local judge: the slot's name and nothing else.
pub(super) fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::First => "first",
        Verdict::Second => "second",
        Verdict::Tie => "tie",
    }
}

/// Reads the answer of a local judge: one word, exactly.
pub(super) fn read_word(text: &str) -> ReadVerdict {
    let found = [Verdict::First, Verdict::Second, Verdict::Tie].into_iter().find(|verdict| word(*verdict) == text);
    let (reading, why) = match found {
        Some(verdict) => (Reading::Said(verdict), "the whole answer"),
        None => (Reading::None(NoVerdict::Unparsed), "want `first`, `second` or `tie`"),
    };
    ReadVerdict { reading, grade: None, probability: None, why: why.to_owned() }
}

#[cfg(test)]
#[path = "control_tests.rs"]
mod tests;
