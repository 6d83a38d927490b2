//! Figures that could not be had, each with what would allow it.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::figures::Figures;
use crate::stats::Reason;

/// A figure that was not measured. In JSON `{"figure","needs"}`, in English; pages use their own language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unmeasured {
    /// Agreement with humans: there is no gold.
    Agreement,
    /// Position bias by direction: only the fold of both orders is known.
    Direction,
    /// Position bias: there is one order only.
    Position,
    /// Length bias: the lengths are not known.
    Length,
    /// Noise apart from position bias: nothing was repeated.
    Noise,
    /// The judge beside single humans: no annotators are named.
    Humans,
}

impl Unmeasured {
    /// The figure, in English.
    pub fn figure(self) -> &'static str {
        match self {
            Self::Agreement => "agreement with humans",
            Self::Direction => "position bias by direction",
            Self::Position => "position bias",
            Self::Length => "length bias",
            Self::Noise => "noise apart from position bias",
            Self::Humans => "the judge beside single humans",
        }
    }

    /// The field or flag that would allow it, in English.
    pub fn needs(self) -> &'static str {
        match self {
            Self::Agreement => "gold labels: `gold` or `gold_votes` in the file, or --gold FILE",
            Self::Direction => "the verdict of each order (`ab` and `ba`) instead of `merged` alone",
            Self::Position => "the same items judged in both orders",
            Self::Length => "`len_a_chars` and `len_b_chars`, or the texts of the responses",
            Self::Noise => "--repeats 2 or more",
            Self::Humans => "`gold_votes` with an `annotator` for each label, two or more an item",
        }
    }

    /// What these figures lack.
    pub(super) fn of(figures: &Figures) -> Vec<Self> {
        let absent = |path: &str, reason: Reason| matches!(figures.get(path), Err(absence) if absence.reason == reason);
        let lacking = [
            (Self::Agreement, absent("agreement_strict", Reason::NoGold)),
            (Self::Direction, absent("flip_rate", Reason::DirectionUnknown)),
            (Self::Position, absent("position_consistency", Reason::Empty)),
            (Self::Length, absent("length.gold_is_longer", Reason::NotRecorded)),
            (Self::Noise, absent("flip_excess", Reason::NoRepeats)),
            (Self::Humans, figures.entry("humans").is_none()),
        ];
        lacking.into_iter().filter(|(_, lacks)| *lacks).map(|(gap, _)| gap).collect()
    }
}

impl Serialize for Unmeasured {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("figure", self.figure())?;
        map.serialize_entry("needs", self.needs())?;
        map.end()
    }
}
