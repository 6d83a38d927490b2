//! Named figures in a fixed order: what a scorecard consists of.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::stats::{Figure, NotEstimable, Reason};

/// A test against a null hypothesis, with what it could have found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Test {
    /// Two-sided p-value.
    pub p: f64,
    /// Successes of the test.
    pub k: u64,
    /// Trials of the test; 0 means that there was nothing to test and `p` is 1.
    pub n: u64,
    /// Which test.
    pub method: &'static str,
    /// Smallest deviation from the null (a difference of shares) that 80 % of such samples would have shown at 5 %.
    #[serde(serialize_with = "crate::analysis::figures::serialize_detectable")]
    pub detectable: Result<f64, NotEstimable>,
}

/// Serialises a detectable effect as a number with its meaning, or as the absence.
pub fn serialize_detectable<S: Serializer>(
    value: &Result<f64, NotEstimable>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match value {
        Ok(effect) => {
            let mut map = serializer.serialize_map(Some(3))?;
            map.serialize_entry("effect", effect)?;
            map.serialize_entry("power", &0.8)?;
            map.serialize_entry("alpha", &0.05)?;
            map.end()
        }
        Err(absence) => absence.serialize(serializer),
    }
}

/// One entry of a scorecard.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// A number with its interval, or its honest absence.
    Figure(Figure),
    /// A plain count.
    Count(u64),
    /// A test.
    Test(Test),
    /// Counts in a square: rows gold a, b, tie; columns judge a, b, tie.
    Matrix([[u64; 3]; 3]),
    /// A word (a name, a unit, a rule).
    Word(String),
    /// Figures below a common name.
    Group(Figures),
}

/// Figures by name, in the order in which they are printed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Figures(Vec<(String, Entry)>);

impl Figures {
    /// No figures.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends an entry.
    pub fn push(&mut self, name: impl Into<String>, entry: Entry) {
        self.0.push((name.into(), entry));
    }

    /// Appends a figure.
    pub fn figure(&mut self, name: impl Into<String>, figure: Figure) {
        self.push(name, Entry::Figure(figure));
    }

    /// Appends a count.
    pub fn count(&mut self, name: impl Into<String>, count: u64) {
        self.push(name, Entry::Count(count));
    }

    /// All entries in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.0.iter().map(|(name, entry)| (name.as_str(), entry))
    }

    /// The entry at a dotted path such as `length.error_gold_shorter`.
    pub fn entry(&self, path: &str) -> Option<&Entry> {
        let (head, rest) = path.split_once('.').map_or((path, None), |(head, rest)| (head, Some(rest)));
        let entry = self.0.iter().find(|(name, _)| name == head).map(|(_, entry)| entry)?;
        match (rest, entry) {
            (None, entry) => Some(entry),
            (Some(rest), Entry::Group(figures)) => figures.entry(rest),
            (Some(_), _) => None,
        }
    }

    /// The figure at a dotted path; a missing one is `not_recorded`.
    pub fn get(&self, path: &str) -> Figure {
        match self.entry(path) {
            Some(Entry::Figure(figure)) => figure.clone(),
            _ => Err(NotEstimable::because(Reason::NotRecorded)),
        }
    }

    /// True where there is nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Figure(figure) => crate::stats::serialize_figure(figure, serializer),
            Self::Count(count) => count.serialize(serializer),
            Self::Test(test) => test.serialize(serializer),
            Self::Matrix(cells) => {
                let mut map = serializer.serialize_map(Some(3))?;
                map.serialize_entry("rows", "gold")?;
                map.serialize_entry("labels", &["a", "b", "tie"])?;
                map.serialize_entry("cells", cells)?;
                map.end()
            }
            Self::Word(word) => word.serialize(serializer),
            Self::Group(figures) => figures.serialize(serializer),
        }
    }
}

impl Serialize for Figures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, entry) in &self.0 {
            map.serialize_entry(name, entry)?;
        }
        map.end()
    }
}
