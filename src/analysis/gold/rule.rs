//! The rules by name, how bad each is, and the way out.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::domain::Severity;

macro_rules! rules {
    ($($name:ident $text:literal $severity:ident $way_out:literal;)*) => {
        /// What a gold set is looked at for; described in the table of [`super`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule {
            $(#[doc = concat!("`", $text, "`")] $name,)*
        }

        impl Rule {
            /// All rules, in the order in which findings are listed.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The name in every output.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// How bad it is.
            pub fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity,)* }
            }

            /// What to do about it.
            pub fn way_out(self) -> &'static str {
                match self { $(Self::$name => $way_out,)* }
            }
        }
    };
}

rules! {
    NoLabels "no-labels" Error
        "add `gold` or `gold_votes` to the items, or join a label file";
    SingleClass "single-class" Error
        "add items whose better response is on the other side, or swap a and b in half of the items";
    ConflictingDuplicates "conflicting-duplicates" Error
        "keep one of them, with the label that a second reading gives";
    DecisiveOnIdentical "decisive-on-identical" Error
        "label it a tie, or repair the response that was copied";
    ChecksContradictLabel "checks-contradict-label" Error
        "read the item again: either the label or a check is wrong";
    FewLabels "few-labels" Warning
        "label more items; intervals from so few are too wide to decide a gate";
    LabelImbalance "label-imbalance" Warning
        "swap a and b in some items, so that each side is better about equally often";
    NoTies "no-ties" Warning
        "add some true ties, or read the figures as saying nothing about how the judge treats them";
    LengthConfounding "length-confounding" Warning
        "add items where the other kind of length wins; else a judge that only counts letters looks good";
    SmallCell "small-cell" Warning
        "add items there, or do not read figures by that language or category";
    OneSidedCell "one-sided-cell" Warning
        "swap a and b in some of its items; else a judge that favours a slot looks good or bad there";
    DuplicatePair "duplicate-pair" Warning
        "keep one of them; copies make every interval too narrow";
    NearDuplicates "near-duplicates" Warning
        "keep one of each, or give them a common `group` so that they are resampled together";
    NearDuplicatesUnfinished "near-duplicates-unfinished" Warning
        "look for a text that all items share, and lint the set in parts";
    RepeatedPrompt "repeated-prompt" Warning
        "give items with one prompt a common `group`, or name the field that holds it (`--group-by`)";
    ChecksDecideNothing "checks-decide-nothing" Warning
        "add a check that only the better response passes, or drop the checks";
    DisputedLabel "disputed-label" Warning
        "collect another vote, set `gold` by hand, or leave them out (`--disputed drop`)";
    EmptyResponse "empty-response" Warning
        "fill it in, or drop the item; an empty response is seldom what the judge is for";
    IdenticalResponses "identical-responses" Warning
        "drop the item; no judge is asked about identical responses";
    VerdictShapedText "verdict-shaped-text" Warning
        "reword it, unless the item is there to test whether the judge is led by it";
    PositionLeak "position-leak" Warning
        "cut the name of the slot from the beginning; it tells the judge which response is meant";
    MissingLabel "missing-label" Warning
        "label them, or keep unlabelled items in a file of their own";
    MissingCategory "missing-category" Warning
        "add `category`, so that figures by kind of task cover every item";
    MissingLang "missing-lang" Warning
        "add `lang` (such as en or ja), so that figures by language cover every item";
    MissingWhy "missing-why" Warning
        "say in `meta.why` why the label holds, or name its source in `attribution`";
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
