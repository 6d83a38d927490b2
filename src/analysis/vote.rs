//! What do several votes come to?

use std::collections::BTreeSet;

use serde::Serialize;

use crate::domain::{JudgeName, Preference};

/// How the members' votes become one verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Rule {
    /// More than half of the seats name the same class.
    #[default]
    Majority,
    /// Every seat names the same class.
    Unanimous,
}

impl Rule {
    /// Votes for one class that make a ruling of `seats` seats.
    fn needs(self, seats: usize) -> usize {
        match self {
            Self::Majority => seats / 2 + 1,
            Self::Unanimous => seats,
        }
    }
}

/// Who sits on the jury, and by which rule.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Panel {
    /// The rule.
    pub rule: Rule,
    /// The members; `None` for every judge on trial that is no control.
    pub members: Option<BTreeSet<JudgeName>>,
}

/// What the votes on one row come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ruling {
    For(Preference),
    NoMajority,
    TooFewVotes,
}

/// The ruling of the seats; a seat without a verdict is `None` and counts for nobody.
pub(super) fn ruling(rule: Rule, seats: &[Option<Preference>]) -> Ruling {
    let needed = rule.needs(seats.len());
    let votes = |class: Preference| seats.iter().filter(|said| **said == Some(class)).count();
    if seats.len() < 2 || seats.iter().flatten().count() < needed {
        return Ruling::TooFewVotes;
    }
    Preference::ALL.into_iter().find(|class| votes(*class) >= needed).map_or(Ruling::NoMajority, Ruling::For)
}

/// Rows by what the jury made of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Rulings {
    /// Ruled for `a`.
    pub a: u64,
    /// Ruled for `b`.
    pub b: u64,
    /// Ruled a tie.
    pub tie: u64,
    /// Abstained: enough votes, and no class with a majority.
    pub no_majority: u64,
    /// Abstained: too few seats with a verdict for any majority.
    pub too_few_votes: u64,
}

impl Rulings {
    /// Counts one ruling.
    pub(super) fn add(&mut self, ruling: Ruling) {
        let count = match ruling {
            Ruling::For(Preference::A) => &mut self.a,
            Ruling::For(Preference::B) => &mut self.b,
            Ruling::For(Preference::Tie) => &mut self.tie,
            Ruling::NoMajority => &mut self.no_majority,
            Ruling::TooFewVotes => &mut self.too_few_votes,
        };
        *count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Preference::{A, B, Tie};

    #[test]
    fn a_majority_is_more_than_half_of_those_who_were_asked() {
        let said = |votes: &[Option<Preference>]| ruling(Rule::Majority, votes);
        assert_eq!(said(&[Some(A), Some(A), Some(B)]), Ruling::For(A));
        assert_eq!(said(&[Some(A), Some(Tie), Some(B)]), Ruling::NoMajority);
        assert_eq!(said(&[Some(A), Some(B)]), Ruling::NoMajority);
        assert_eq!(said(&[Some(A), Some(A), Some(B), Some(B)]), Ruling::NoMajority);
        assert_eq!(said(&[Some(Tie), Some(Tie), Some(B)]), Ruling::For(Tie));
        // A seat that says nothing still counts against a majority.
        assert_eq!(said(&[Some(A), Some(A), None]), Ruling::For(A));
        assert_eq!(said(&[Some(A), None, None]), Ruling::TooFewVotes);
        assert_eq!(said(&[Some(A), Some(B), None]), Ruling::NoMajority);
        assert_eq!(said(&[Some(A)]), Ruling::TooFewVotes);
    }

    #[test]
    fn unanimity_takes_every_seat() {
        let said = |votes: &[Option<Preference>]| ruling(Rule::Unanimous, votes);
        assert_eq!(said(&[Some(B), Some(B), Some(B)]), Ruling::For(B));
        assert_eq!(said(&[Some(B), Some(B), Some(A)]), Ruling::NoMajority);
        assert_eq!(said(&[Some(B), Some(B), None]), Ruling::TooFewVotes);
    }
}
