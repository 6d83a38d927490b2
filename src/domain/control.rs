//! Control judges: the dumb baselines that every real judge must beat, and the known answers that the whole program
//! is tested with. This is the one definition of what they say; whoever asks them or works them out uses it.
//!
//! An answer is a pure function of (kind, seed, item, order, repeat): see [`super::draw`].

use std::fmt;

use super::draw;
use super::ids::ItemId;
use super::item::ItemFacts;
use super::verdict::{Order, Preference, Verdict};

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

/// What a control may know of an item; the default knows nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ControlFacts {
    /// Length of `response_a` in Unicode scalar values.
    pub length_a: Option<u64>,
    /// Length of `response_b` in Unicode scalar values.
    pub length_b: Option<u64>,
    /// The human answer; only an oracle looks at it.
    pub gold: Option<Preference>,
}

impl From<&ItemFacts> for ControlFacts {
    fn from(item: &ItemFacts) -> Self {
        Self { length_a: item.length_a, length_b: item.length_b, gold: item.gold_label() }
    }
}

impl ControlFacts {
    /// The longer response, a tie where the lengths are equal; `None` where they are not known.
    fn longer(self) -> Option<Preference> {
        Some(match self.length_a?.cmp(&self.length_b?) {
            std::cmp::Ordering::Greater => Preference::A,
            std::cmp::Ordering::Less => Preference::B,
            std::cmp::Ordering::Equal => Preference::Tie,
        })
    }
}

impl ControlKind {
    /// The name without parameters, as in `control:coin`.
    pub fn name(self) -> &'static str {
        match self {
            Self::First => "control:first",
            Self::Second => "control:second",
            Self::Longest => "control:longest",
            Self::Shortest => "control:shortest",
            Self::Tie => "control:tie",
            Self::Coin { .. } => "control:coin",
            Self::Oracle { .. } => "control:oracle",
        }
    }

    /// True where the control answers without knowing anything of the item.
    pub fn is_blind(self) -> bool {
        matches!(self, Self::First | Self::Second | Self::Tie | Self::Coin { .. })
    }

    /// What this control says about `item` in `order`, asked for the `repeat`-th time, from 0; `None` where `facts`
    /// lack what it needs.
    pub fn verdict(self, item: &ItemId, facts: ControlFacts, order: Order, repeat: u32) -> Option<Verdict> {
        let repeat = repeat.to_le_bytes();
        let place: [&[u8]; 2] = [order.as_str().as_bytes(), &repeat];
        Some(match self {
            Self::First => Verdict::First,
            Self::Tie => Verdict::Tie,
            Self::Longest => order.verdict_for(facts.longer()?),
            Self::Shortest => order.verdict_for(facts.longer()?.swapped()),
            Self::Coin { seed } if draw::unit("coin", seed, item, &place) < 0.5 => Verdict::First,
            Self::Second | Self::Coin { .. } => Verdict::Second,
            Self::Oracle { error, seed, per } => {
                let place: &[&[u8]] = if per == Per::Item { &[] } else { &place };
                let wrong = draw::unit("oracle error", seed, item, place) < error;
                let gold = facts.gold?;
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

impl fmt::Display for ControlKind {
    /// The full form, every parameter named.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Self::Coin { seed } => write!(f, "?seed={seed}"),
            Self::Oracle { error, seed, per } => {
                let per = if *per == Per::Item { "item" } else { "order" };
                write!(f, "?error={error}&seed={seed}&per={per}")
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_control_that_needs_a_fact_says_nothing_without_it() {
        let oracle = ControlKind::Oracle { error: 0.0, seed: 0, per: Per::Item };
        for kind in [ControlKind::Longest, ControlKind::Shortest, oracle] {
            assert_eq!(kind.verdict(&"q".into(), ControlFacts::default(), Order::Ab, 0), None);
            assert!(!kind.is_blind());
        }
        for kind in [ControlKind::First, ControlKind::Second, ControlKind::Tie, ControlKind::Coin { seed: 1 }] {
            assert!(kind.verdict(&"q".into(), ControlFacts::default(), Order::Ab, 0).is_some());
            assert!(kind.is_blind());
        }
    }

    #[test]
    fn the_full_form_names_every_parameter() {
        let oracle = ControlKind::Oracle { error: 0.1, seed: 7, per: Per::Order };
        assert_eq!(oracle.to_string(), "control:oracle?error=0.1&seed=7&per=order");
        assert_eq!(ControlKind::Coin { seed: 7 }.to_string(), "control:coin?seed=7");
        assert_eq!(ControlKind::Tie.to_string(), "control:tie");
    }
}
