//! The judge made of an item's own checks: exactly one response that passes all of them wins.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::check::{CheckOutcome, CheckSet};
use super::control::local_answer;
use super::error::JudgeError;
use super::{Asking, CallClass, CallError, Model};
use crate::domain::{Body, ItemId, JudgeRequest, Message, Order, Pair, Preference, Verdict};

/// What the checks of one item say.
#[derive(Debug, Clone, PartialEq)]
struct Checked {
    /// The one response that passes all checks, a tie where both or neither do.
    preference: Preference,
    /// The outcomes by response, for whoever asks why.
    report: Value,
}

/// A judge that knows the outcome of every item's checks; items without checks are not among them.
#[derive(Debug)]
pub(super) struct Checks {
    known: BTreeMap<ItemId, Checked>,
}

impl Checks {
    /// Runs the checks of every pair.
    pub(super) fn new(pairs: &[Pair]) -> Result<Self, JudgeError> {
        let mut known = BTreeMap::new();
        for pair in pairs.iter().filter(|pair| !pair.checks.is_empty()) {
            let broken = |source| JudgeError::Check { item: pair.id.clone(), source };
            let set = CheckSet::compile(&pair.checks).map_err(broken)?;
            let (a, b) = (set.run(&pair.response_a), set.run(&pair.response_b));
            let preference = match (all_pass(&a), all_pass(&b)) {
                (true, false) => Preference::A,
                (false, true) => Preference::B,
                _ => Preference::Tie,
            };
            known.insert(pair.id.clone(), Checked { preference, report: json!({"a": a, "b": b}) });
        }
        Ok(Self { known })
    }

    /// The answer; `None` for an item without checks.
    pub(super) fn verdict(&self, item: &ItemId, order: Order) -> Option<Verdict> {
        self.known.get(item).map(|checked| order.verdict_for(checked.preference))
    }

    /// True where exactly one response passes.
    pub(super) fn decides(&self, item: &ItemId) -> bool {
        self.known.get(item).is_some_and(|checked| checked.preference.is_decisive())
    }
}

fn all_pass(outcomes: &[CheckOutcome]) -> bool {
    outcomes.iter().all(|outcome| outcome.passed)
}

impl Model for Checks {
    fn body(&self, _messages: &[Message]) -> Body {
        Body::null()
    }

    fn ask<'a>(&'a self, request: &'a JudgeRequest) -> Asking<'a> {
        let answer = self.known.get(&request.item).map(|checked| {
            let mut completion = local_answer(request.order.verdict_for(checked.preference));
            completion.extra = Map::from_iter([("checks".to_owned(), checked.report.clone())]);
            completion
        });
        let lacking = || CallError {
            class: CallClass::Item,
            status: None,
            message: format!("item `{}` has no checks", request.item),
        };
        Box::pin(std::future::ready(answer.ok_or_else(lacking)))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn pair(a: &str, b: &str) -> Pair {
        let mut pair = Pair::new("q", "2+2?", a, b);
        pair.checks = serde_json::from_value(json!([{"kind": "numeric", "value": 4}])).unwrap();
        pair
    }

    #[test]
    fn the_only_response_that_passes_wins_in_both_orders() {
        for (a, b, wanted) in [
            ("4", "5", Preference::A),
            ("5", "4", Preference::B),
            ("4", "four is 4", Preference::Tie),
            ("5", "6", Preference::Tie),
        ] {
            let checks = Checks::new(&[pair(a, b)]).unwrap();
            for order in Order::BOTH {
                assert_eq!(order.identify(checks.verdict(&"q".into(), order).unwrap()), wanted);
            }
            assert_eq!(checks.decides(&"q".into()), wanted.is_decisive());
        }
    }

    #[test]
    fn an_item_without_checks_has_no_answer() {
        let checks = Checks::new(&[Pair::new("q", "?", "a", "b")]).unwrap();
        assert_eq!(checks.verdict(&"q".into(), Order::Ab), None);
        assert!(!checks.decides(&"q".into()));
    }
}
