//! How many items would decide a comparison that is open?

use serde::Serialize;

use super::compare::{Comparison, Favours, Requirement};
use super::prereg::Held;

/// More than this many times the present number is not worth naming.
const FORESEEABLE: f64 = 100.0;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CountedUnit {
    /// Items.
    Items,
    /// Groups, where items share one.
    Groups,
}

/// How many items would decide what is open, if the win rate stays where it is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct WouldDecide {
    /// What has to be cleared: the bound of the requirement, or ½.
    pub bound: f64,
    /// What is counted: repeats of an item, and items of a group, are no further evidence.
    pub unit: CountedUnit,
    /// How many there are.
    pub present: u64,
    /// How many would decide; `None` where the win rate is too close to the bound.
    pub needed: Option<u64>,
    /// True where items were asked repeatedly: more repeats of them are no substitute.
    pub repeated: bool,
}

impl WouldDecide {
    /// `None` where nothing is open: a requirement that is answered, or a side that is better; and where there is no win rate.
    ///
    /// The half of the interval that faces the bound shrinks with the square root of the number.
    pub(super) fn of(answer: &Comparison) -> Option<Self> {
        let bound = match &answer.requirement {
            Some(required) => (required.held == Held::Undecided).then_some(required.bound)?,
            None => (answer.decision == Favours::Undecided).then_some(Requirement::Better.bound())?,
        };
        if answer.needs_another_judge() || answer.stopping.as_ref().is_some_and(|stopping| stopping.decided) {
            return None;
        }
        let rate = answer.win_rate.as_ref().ok()?;
        let distance = (rate.point - bound).abs();
        let width = if rate.point > bound { rate.point - rate.lower } else { rate.upper - rate.point };
        let factor = (width / distance).powi(2);
        let (present, unit) = if answer.groups < answer.items_judged {
            (answer.groups, CountedUnit::Groups)
        } else {
            (answer.items_judged, CountedUnit::Items)
        };
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most a hundred times a count")]
        let needed = (distance > 0.0 && factor <= FORESEEABLE).then(|| (present as f64 * factor).ceil() as u64);
        // Where the interval holds and something else keeps it open, more of the same does not.
        let needed = needed.filter(|needed| *needed >= present).map(|needed| needed.max(present + 1));
        let repeated = answer.outcomes.valid() + answer.outcomes.no_verdict > answer.items;
        Some(Self { bound, unit, present, needed, repeated })
    }
}
