//! Control judges as models: asked like any other judge, answered by [`ControlKind::verdict`].
//!
//! A control is built with the pairs that it will be asked about and keeps of them only what it needs; an oracle gets
//! its gold there, never through a request.

use std::collections::BTreeMap;

use super::{Asking, CallClass, CallError, Model};
use crate::domain::{
    Body, Completion, ControlFacts, ControlKind, ItemId, JudgeRequest, Message, NoVerdict, Order, Pair, ReadVerdict,
    Reading, Usage, Verdict,
};

/// A control judge that knows its items.
#[derive(Debug)]
pub(super) struct Control {
    kind: ControlKind,
    known: BTreeMap<ItemId, ControlFacts>,
}

impl Control {
    pub(super) fn new(kind: ControlKind, pairs: &[Pair]) -> Self {
        let known = pairs.iter().map(|pair| (pair.id.clone(), ControlFacts::from(&pair.facts())));
        Self { kind, known: known.collect() }
    }

    /// True where the control was told of the item, or needs to know nothing of it.
    pub(super) fn knows(&self, item: &ItemId) -> bool {
        self.kind.is_blind() || self.known.contains_key(item)
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
        let facts = self.known.get(item).copied().unwrap_or_default();
        self.kind.verdict(item, facts, order, repeat)
    }
}

impl Model for Control {
    fn body(&self, _messages: &[Message]) -> Body {
        Body::null()
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
