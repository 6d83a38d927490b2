//! What a reader has to know before using an answer, as data: JSON gets the English sentence, pages their own language's.

use std::fmt;

use serde::{Serialize, Serializer};

use super::prereg::Deviation;
use crate::domain::{NoVerdict, Remark};

/// One thing that a reader has to know. [`fmt::Display`] and JSON give it in English.
#[derive(Debug, Clone, PartialEq)]
pub enum Warning {
    /// The judge was asked about a part of the items.
    Part {
        /// Items asked about.
        judged: usize,
        /// Items that could have been.
        all: usize,
    },
    /// Half of the replies or more were cut off at the token limit.
    CutOff {
        /// Replies that were cut off.
        replies: u64,
        /// Planned judgments.
        planned: u64,
    },
    /// No reply could be read.
    Unreadable,
    /// The server rejected these parameters.
    Rejected(Vec<String>),
    /// Rows with one order only.
    OneOrder {
        /// Rows with one order.
        rows: u64,
        /// Judged rows.
        judged: u64,
    },
    /// Items were asked more than once.
    Repeated {
        /// Rows: items times their repeats.
        rows: usize,
        /// Items.
        items: usize,
    },
    /// Judgments without a verdict, by kind.
    NoVerdicts {
        /// Judgments without a verdict.
        without: u64,
        /// Planned judgments.
        planned: u64,
        /// How many of each kind that occurs.
        kinds: Vec<(NoVerdict, u64)>,
    },
    /// No item has a gold label.
    NoGold,
    /// All gold labels are of one class.
    OneClass,
    /// More categories than can be shown apart.
    ManyCategories {
        /// Categories.
        found: usize,
        /// The most that are shown.
        most: usize,
    },
    /// More judges than can be set against each other pair by pair, or seated as a jury unasked.
    ManyJudges {
        /// Judges on trial, controls left out.
        found: usize,
        /// The most that are.
        most: usize,
    },
    /// Items whose votes have no plurality.
    Disputed {
        /// How many.
        items: usize,
        /// The first of them.
        first: Vec<String>,
    },
    /// Few independent units.
    FewUnits {
        /// Units.
        units: usize,
        /// The interval of record.
        method: &'static str,
    },
    /// So many verdicts are missing that the bounds matter.
    SeeBounds {
        /// Judgments without a verdict.
        without: u64,
        /// Planned judgments.
        planned: u64,
    },
    /// Labelled items that a correction by labels leaves out.
    LabelsLeftOut {
        /// Labelled items without a verdict in both orders.
        items: u64,
        /// Labelled items that were used.
        used: u64,
    },
    /// The judge flips more often here than the gate of its certificate allows.
    FlipsAboveGate {
        /// The flip rate here.
        rate: f64,
        /// Its 95 % interval.
        interval: [f64; 2],
        /// The most that the gate allows.
        most: f64,
    },
    /// A margin is kept by the word of a judge that tells little apart here, which looks the same as no difference.
    TellsLittleApart {
        /// Items of which it decided for one side.
        decided: u64,
        /// Items with a verdict in both orders.
        judged: u64,
        /// Its flip rate, where there is one.
        flip_rate: Option<f64>,
    },
    /// Languages that the certificate's gold set lacks.
    LanguageGap(Vec<String>),
    /// Categories that the certificate's gold set lacks.
    CategoryGap(Vec<String>),
    /// The certificate names no served model, the answers do.
    ModelUnknownAtTrial(Vec<String>),
    /// The certificate names a served model, the answers do not.
    ModelUnknownNow(String),
    /// The answers are another model's than the certificate's, which therefore does not count.
    OtherModel {
        /// The model of the certificate.
        wanted: String,
        /// The models that answered.
        served: Vec<String>,
    },
    /// The same items were compared more than once.
    Reruns {
        /// Finished comparisons.
        runs: u64,
        /// Those by this judge.
        with_this_judge: u64,
    },
    /// What was done departs from the pre-registered plan.
    NotAsPlanned(Deviation),
    /// What the reader of a file warns of.
    OfFile {
        /// The file's name.
        file: String,
        /// The warning.
        remark: Remark,
    },
    /// A sentence from elsewhere, shown as it is in every language.
    Note(String),
}

impl From<String> for Warning {
    fn from(text: String) -> Self {
        Self::Note(text)
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Part { judged, all } => {
                write!(f, "this judge was asked about {judged} of the {all} items; its figures speak of those alone")
            }
            Self::CutOff { replies, planned } => write!(
                f,
                "{replies} of {planned} replies were cut off at the token limit: raise `max_tokens` of the judge"
            ),
            Self::Unreadable => f.write_str(
                "no reply could be read: does the prompt ask for the form that its contract reads? `tribunal prompt read` shows it",
            ),
            Self::Rejected(names) => {
                write!(f, "the server rejected {}: it was left out of the requests", names.join(", "))
            }
            Self::OneOrder { rows, judged } => write!(
                f,
                "{rows} of {judged} judged rows have one order only; agreement counts them as they are, position figures leave them out"
            ),
            Self::Repeated { rows, items } => write!(
                f,
                "{items} items were asked repeatedly, {rows} rows in all: an n counts rows, the intervals count items; where more \
                 are needed, more repeats of the same items are no substitute for more items"
            ),
            Self::NoVerdicts { without, planned, kinds } => {
                let kinds: Vec<String> =
                    kinds.iter().map(|(kind, count)| format!("{count} {}", kind.as_str())).collect();
                write!(f, "{without} of {planned} judgments have no verdict: {}", kinds.join(", "))
            }
            Self::NoGold => f.write_str("no item has a gold label: position figures only"),
            Self::OneClass => f.write_str(
                "all gold labels are of one class: kappa measures nothing and agreement rewards a constant judge",
            ),
            Self::ManyCategories { found, most } => {
                write!(f, "{found} categories are too many to show apart (at most {most})")
            }
            Self::ManyJudges { found, most } => write!(
                f,
                "{found} judges are too many to be set against each other pair by pair (at most {most}): name some with --judge, or a jury with --jury-member"
            ),
            Self::Disputed { items, first } => write!(
                f,
                "{items} items have no plurality of votes; they count as ties (--disputed drop leaves them out): {}",
                some(first, *items)
            ),
            Self::FewUnits { units, method } => {
                write!(f, "only {units} independent units; the interval of record is `{method}`")
            }
            Self::SeeBounds { without, planned } => {
                write!(f, "{without} of {planned} judgments have no verdict: see the bounds")
            }
            Self::LabelsLeftOut { items, used } => write!(
                f,
                "{items} of {} labelled items have no verdict of this judge in both orders and are left out of the correction: the {used} \
                 others are a random sample only if what is missing has nothing to do with who is better",
                items + used
            ),
            Self::FlipsAboveGate { rate, interval: [lower, upper], most } => write!(
                f,
                "the verdict follows the position on {:.1} % of these items (95 % interval {:.1} to {:.1} %), and the gate of the \
                 certificate allows {:.1} %: the judge does worse here than on its gold set, so what its certificate says may not hold here",
                rate * 100.0,
                lower * 100.0,
                upper * 100.0,
                most * 100.0
            ),
            Self::TellsLittleApart { decided, judged, flip_rate } => little_apart(f, *decided, *judged, *flip_rate),
            Self::LanguageGap(names) => {
                write!(f, "the certificate's gold set has no item of language {}", names.join(", "))
            }
            Self::CategoryGap(names) => {
                write!(f, "the certificate's gold set has no item of category {}", names.join(", "))
            }
            Self::ModelUnknownAtTrial(served) => write!(
                f,
                "the certificate names no served model, and these answers are of {}: whether the model on trial was the same is not known",
                served.join(", ")
            ),
            Self::ModelUnknownNow(wanted) => write!(
                f,
                "the certificate is for the served model {wanted}, and these answers name none: whether it is the same is not known"
            ),
            Self::OtherModel { wanted, served } => write!(
                f,
                "the certificate is for the served model {wanted}, and these answers are of {}: it does not count for them",
                served.join(", ")
            ),
            Self::Reruns { runs, with_this_judge } => write!(
                f,
                "these items were compared {runs} times ({with_this_judge} of them by this judge): running again until it looks good makes chance look like a result"
            ),
            Self::NotAsPlanned(Deviation { field, planned, done }) => {
                write!(f, "not as planned: `{field}` was {planned} in the pre-registration, and {done} in fact")
            }
            Self::OfFile { file, remark } => write!(f, "{file}: {remark}"),
            Self::Note(text) => f.write_str(text),
        }
    }
}

/// The first names of `all`, and that there are more.
pub fn some(first: &[String], all: usize) -> String {
    let more = if first.len() < all { ", …" } else { "" };
    format!("{}{more}", first.join(", "))
}

impl Serialize for Warning {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

fn little_apart(f: &mut fmt::Formatter<'_>, decided: u64, judged: u64, flip_rate: Option<f64>) -> fmt::Result {
    write!(f, "the judge decided for one side on {decided} of {judged} judged items")?;
    if let Some(rate) = flip_rate {
        write!(f, ", and its verdict followed the position on {:.1} %", rate * 100.0)?;
    }
    f.write_str(
        "; what it cannot tell apart counts as a tie, so a win rate near 50 % is no evidence here that one side is no worse: the \
         requirement stays open until another judge rules on these items",
    )
}
