//! What a reader of files warns of, as data: a terminal gets the English sentence, a page that of its own language.

use std::fmt;

use super::Preference;

/// Names of things for a message: the first of them, and how many more there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names {
    /// The first, each fit to be shown.
    pub first: Vec<String>,
    /// How many are not among the first.
    pub more: usize,
}

impl Names {
    /// All of them.
    pub fn number(&self) -> usize {
        self.first.len() + self.more
    }

    fn items(&self) -> String {
        counted(self.number(), "item")
    }
}

impl fmt::Display for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.first.join(", "))?;
        if self.more > 0 { write!(f, " and {} more", self.more) } else { Ok(()) }
    }
}

/// What becomes of items whose votes have no plurality.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// They count as ties.
    Tie,
    /// They have no label.
    Unlabelled,
}

/// A warning about a file that is used as it is. [`fmt::Display`] gives it in English: a fragment behind `file:line: `.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remark {
    /// Responses without a word in them.
    EmptyResponses(Names),
    /// Items whose two responses are one text.
    IdenticalResponses(Names),
    /// So many items have the prompt of another one, and no group.
    SharedPrompts {
        /// How many.
        items: usize,
    },
    /// So many items have few values of a field that names their origin, and no group.
    SharedOrigin {
        /// Items.
        items: usize,
        /// Distinct values.
        values: usize,
        /// The field.
        field: &'static str,
    },
    /// No row of recorded verdicts names a judge.
    UnnamedJudge {
        /// What it is called.
        name: &'static str,
    },
    /// Items of one file of responses that the other lacks.
    OneSide {
        /// The file that has them.
        here: String,
        /// The file that lacks them.
        there: String,
        /// The items.
        items: Names,
    },
    /// Fields of items that two files of responses do not agree on; each name is an item with its field.
    FieldsDiffer {
        /// The file whose fields are used.
        used: String,
        /// Items, each with its field.
        fields: Names,
    },
    /// A field name that is probably a slip of the pen.
    Slip {
        /// As it is written.
        found: String,
        /// As it is probably meant.
        meant: &'static str,
    },
    /// The last record is cut off and was left out.
    CutOff {
        /// What is wrong with it, in the words of the parser.
        why: String,
    },
    /// Labels that are not the plurality of the votes beside them.
    AgainstVotes {
        /// The first of them.
        first: Vec<AgainstVotes>,
        /// How many there are.
        all: usize,
    },
    /// Items whose votes have no plurality.
    Disputed {
        /// The items.
        items: Names,
        /// What becomes of them.
        fate: Fate,
    },
    /// All labels are the same.
    OneClass {
        /// How many.
        labels: usize,
        /// The label.
        label: Preference,
    },
    /// Rows of a file of labels without one.
    BlankLabels(Names),
    /// Annotators who label items together and differ.
    AnnotatorsDiffer {
        /// Pairs of labels that agree.
        agreeing: usize,
        /// Pairs of labels of one item.
        compared: usize,
        /// The items on which some do not.
        items: Names,
    },
    /// Labels of a file that items with labels of their own do not take.
    LabelsKept {
        /// The first items with the label that stays.
        first: Vec<(String, Preference)>,
        /// How many there are.
        all: usize,
    },
}

/// One label that is not the plurality of its votes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgainstVotes {
    /// The item, fit to be shown.
    pub id: String,
    /// Physical line, from 1.
    pub line: u64,
    /// The label, which is used.
    pub label: Preference,
    /// The plurality of the votes.
    pub votes: Preference,
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EmptyResponses(items) => write!(f, "{} with an empty response: {items}", items.items()),
            Self::IdenticalResponses(items) => write!(
                f,
                "{} with two identical responses, a tie without a call unless --ask-identical is given: {items}",
                items.items()
            ),
            Self::SharedPrompts { items } => write!(
                f,
                "{items} items share an identical prompt with another one and have no group: give `group` or --group-by, \
                 else intervals are too narrow"
            ),
            Self::SharedOrigin { items, values, field } => write!(
                f,
                "{items} items share {values} values of `{field}` and have no group: intervals over items are too narrow; \
                 resample by it with --group-by {field}"
            ),
            Self::UnnamedJudge { name } => write!(f, "no row names a judge: it is called `{name}`"),
            Self::OneSide { here, there, items } => {
                write!(f, "{} of {here} not in {there}, left out: {items}", items.items())
            }
            Self::FieldsDiffer { used, fields } => {
                write!(f, "fields of the item differ, those of {used} are used: {fields}")
            }
            Self::Slip { found, meant } => write!(f, "`{found}` is unknown; is `{meant}` meant?"),
            Self::CutOff { why } => write!(f, "the last record is cut off and was left out ({why})"),
            Self::AgainstVotes { first, all } => {
                let one = |AgainstVotes { id, line, label, votes }: &AgainstVotes| {
                    format!("{id} (line {line}: gold {}, votes {})", label.as_str(), votes.as_str())
                };
                write!(
                    f,
                    "the label differs from the plurality of the votes in {}, the label is used: {}",
                    counted(*all, "item"),
                    Names { first: first.iter().map(one).collect(), more: all - first.len() }
                )
            }
            Self::Disputed { items, fate } => {
                let fate = match fate {
                    Fate::Tie => "counted as a tie",
                    Fate::Unlabelled => "left without a label",
                };
                write!(f, "{} disputed (no label has most votes), {fate}: {items}", items.items())
            }
            Self::OneClass { labels, label } => write!(
                f,
                "all {labels} labels are `{}`: with one class kappa is 0 or undefined whatever the judge does and measures nothing",
                label.as_str()
            ),
            Self::BlankLabels(rows) => {
                write!(f, "{} without a label left out: {rows}", counted(rows.number(), "row"))
            }
            Self::AnnotatorsDiffer { agreeing, compared, items } => write!(
                f,
                "annotators agree on {agreeing} of {compared} label pairs; they differ on {}: {items}",
                items.items()
            ),
            Self::LabelsKept { first, all } => {
                let one = |(id, label): &(String, Preference)| format!("{id} ({} stays)", label.as_str());
                write!(
                    f,
                    "labels differ from `gold` of the items themselves, which wins: {}",
                    Names { first: first.iter().map(one).collect(), more: all - first.len() }
                )
            }
        }
    }
}

/// `1 item`, `2 items`.
fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}
