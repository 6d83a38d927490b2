//! Positions and identities, kept as different types so that nobody compares them.

use serde::{Deserialize, Serialize};

/// What the judge said about the slots it saw. A position, never an identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The response shown first is better.
    First,
    /// The response shown second is better.
    Second,
    /// Neither is better.
    Tie,
}

/// What a verdict means about the two responses. An identity, never a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preference {
    /// `response_a` is better.
    A,
    /// `response_b` is better.
    B,
    /// Neither is better.
    Tie,
}

impl Preference {
    /// All three, in the order of every confusion table.
    pub const ALL: [Self; 3] = [Self::A, Self::B, Self::Tie];

    /// Row or column in a confusion table: a 0, b 1, tie 2.
    pub fn index(self) -> usize {
        match self {
            Self::A => 0,
            Self::B => 1,
            Self::Tie => 2,
        }
    }

    /// True for `a` and `b`.
    pub fn is_decisive(self) -> bool {
        self != Self::Tie
    }

    /// The score of `a`: 1, 0 or ½.
    pub fn score(self) -> f64 {
        match self {
            Self::A => 1.0,
            Self::B => 0.0,
            Self::Tie => 0.5,
        }
    }

    /// The same preference after `a` and `b` changed names.
    #[must_use]
    pub fn swapped(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
            Self::Tie => Self::Tie,
        }
    }

    /// `a`, `b` or `tie`, as in every file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::A => "a",
            Self::B => "b",
            Self::Tie => "tie",
        }
    }
}

/// Which response was shown first: the only trace of position in the house.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// `response_a` was shown first.
    Ab,
    /// `response_b` was shown first.
    Ba,
}

impl Order {
    /// Both, in the order in which they are asked.
    pub const BOTH: [Self; 2] = [Self::Ab, Self::Ba];

    /// Turns a slot verdict into an identity. This is the one place that does.
    pub fn identify(self, verdict: Verdict) -> Preference {
        match (self, verdict) {
            (Self::Ab, Verdict::First) | (Self::Ba, Verdict::Second) => Preference::A,
            (Self::Ab, Verdict::Second) | (Self::Ba, Verdict::First) => Preference::B,
            (_, Verdict::Tie) => Preference::Tie,
        }
    }

    /// The slot verdict that means `preference` in this order: the inverse of [`Order::identify`].
    pub fn verdict_for(self, preference: Preference) -> Verdict {
        match (self, preference) {
            (Self::Ab, Preference::A) | (Self::Ba, Preference::B) => Verdict::First,
            (Self::Ab, Preference::B) | (Self::Ba, Preference::A) => Verdict::Second,
            (_, Preference::Tie) => Verdict::Tie,
        }
    }

    /// `(first, second)` as shown, given what belongs to `a` and to `b`.
    pub fn shown<T>(self, a: T, b: T) -> (T, T) {
        match self {
            Self::Ab => (a, b),
            Self::Ba => (b, a),
        }
    }

    /// `ab` or `ba`, as in every file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ab => "ab",
            Self::Ba => "ba",
        }
    }
}

/// Why a judgment has no verdict. Counted and shown, never imputed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NoVerdict {
    /// There is an answer, and no verdict can be read from it.
    Unparsed,
    /// The model declined to judge.
    Refused,
    /// The provider's content filter stopped the answer.
    Filtered,
    /// The answer was cut off before a whole verdict.
    Truncated,
    /// The call failed, retries included.
    Failed,
    /// Nothing was recorded.
    Missing,
}

impl NoVerdict {
    /// All kinds, in the order in which they are listed.
    pub const ALL: [Self; 6] =
        [Self::Unparsed, Self::Refused, Self::Filtered, Self::Truncated, Self::Failed, Self::Missing];

    /// The name of the kind, as in every file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unparsed => "unparsed",
            Self::Refused => "refused",
            Self::Filtered => "filtered",
            Self::Truncated => "truncated",
            Self::Failed => "failed",
            Self::Missing => "missing",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VERDICTS: [Verdict; 3] = [Verdict::First, Verdict::Second, Verdict::Tie];

    #[test]
    fn the_first_slot_is_a_when_a_was_shown_first_and_b_otherwise() {
        assert_eq!(Order::Ab.identify(Verdict::First), Preference::A);
        assert_eq!(Order::Ba.identify(Verdict::First), Preference::B);
        assert_eq!(Order::Ab.identify(Verdict::Second), Preference::B);
        assert_eq!(Order::Ba.identify(Verdict::Second), Preference::A);
    }

    #[test]
    fn identify_and_verdict_for_are_inverse() {
        for order in Order::BOTH {
            for verdict in VERDICTS {
                assert_eq!(order.verdict_for(order.identify(verdict)), verdict);
            }
        }
    }

    #[test]
    fn swapping_the_order_swaps_the_preference() {
        for verdict in VERDICTS {
            assert_eq!(Order::Ab.identify(verdict), Order::Ba.identify(verdict).swapped());
        }
    }
}
