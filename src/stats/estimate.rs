//! A number fit to be shown, and its honest absence.

use std::fmt;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// Two-sided confidence level, strictly between 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Level(f64);

impl Level {
    /// 95 %: every interval that is shown.
    pub const P95: Self = Self(0.95);
    /// 90 %: two one-sided 95 % bounds, for gates.
    pub const P90: Self = Self(0.90);

    /// A level strictly between 0 and 1, else `None`.
    pub fn new(level: f64) -> Option<Self> {
        (level > 0.0 && level < 1.0).then_some(Self(level))
    }

    /// The level as a number.
    pub fn get(self) -> f64 {
        self.0
    }

    /// What is left out, both sides together: `1 - level`.
    pub fn alpha(self) -> f64 {
        1.0 - self.0
    }
}

/// A point with the interval around it.
///
/// In JSON: `{"point","lower","upper","level","n","method"}`, shares also `"k"`.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// The value.
    pub point: f64,
    /// Lower bound of the interval.
    pub lower: f64,
    /// Upper bound of the interval.
    pub upper: f64,
    /// Two-sided level of the interval.
    pub level: f64,
    /// Number of units behind the value.
    pub n: u64,
    /// For shares: how many of the `n`.
    pub k: Option<u64>,
    /// For means of halves: twice the sum of the scores (`k_half`).
    pub k_half: Option<u64>,
    /// The interval's method, such as `wilson`, `clopper_pearson`, `bca`, `bca_clustered`, `t_clustered`.
    pub method: &'static str,
}

impl Estimate {
    /// A number with its bounds, without counts of its own: `k` and `k_half` are for shares and means of halves, added
    /// with `..`.
    pub fn within(point: f64, [lower, upper]: [f64; 2], level: f64, n: u64, method: &'static str) -> Self {
        Self { point, lower, upper, level, n, k: None, k_half: None, method }
    }

    /// A number that is known: its bounds are itself, at level 1.
    pub fn known(point: f64, n: u64, method: &'static str) -> Self {
        Self::within(point, [point, point], 1.0, n, method)
    }
}

impl Serialize for Estimate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("point", &self.point)?;
        map.serialize_entry("lower", &self.lower)?;
        map.serialize_entry("upper", &self.upper)?;
        map.serialize_entry("level", &self.level)?;
        map.serialize_entry("n", &self.n)?;
        if let Some(k) = self.k {
            map.serialize_entry("k", &k)?;
        }
        if let Some(k_half) = self.k_half {
            map.serialize_entry("k_half", &k_half)?;
        }
        map.serialize_entry("method", self.method)?;
        map.end()
    }
}

/// Why there is no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// There is no unit to count.
    Empty,
    /// There are too few units for the method.
    TooFew,
    /// Everything has the same value, so the quantity is 0/0.
    Constant,
    /// A perfect split: the fit runs to infinity.
    Separated,
    /// Parts of the data cannot be compared with each other.
    Disconnected,
    /// An iterative fit did not settle.
    NotConverged,
    /// Inputs outside the domain of the method.
    Invalid,
    /// There is no human answer to compare with.
    NoGold,
    /// Only the fold of both orders was recorded.
    DirectionUnknown,
    /// A field that the figure needs was not recorded.
    NotRecorded,
    /// Each order was asked once; noise and bias cannot be told apart.
    NoRepeats,
    /// The judge is no better than chance within its error.
    NotInformative,
}

impl Reason {
    /// The reason as written in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::TooFew => "too_few",
            Self::Constant => "constant",
            Self::Separated => "separated",
            Self::Disconnected => "disconnected",
            Self::NotConverged => "not_converged",
            Self::Invalid => "invalid",
            Self::NoGold => "no_gold",
            Self::DirectionUnknown => "direction_unknown",
            Self::NotRecorded => "not_recorded",
            Self::NoRepeats => "no_repeats",
            Self::NotInformative => "not_informative",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The absence of a number, with the counts that do exist.
///
/// In JSON: `{"not_estimable":"reason"}` with `n` and `k` where they are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotEstimable {
    /// Why.
    pub reason: Reason,
    /// Number of units, where known.
    pub n: Option<u64>,
    /// How many of them, where known.
    pub k: Option<u64>,
}

impl NotEstimable {
    /// An absence with nothing else known.
    pub fn because(reason: Reason) -> Self {
        Self { reason, n: None, k: None }
    }

    /// An absence with a number of units.
    pub fn with_n(reason: Reason, n: u64) -> Self {
        Self { reason, n: Some(n), k: None }
    }

    /// An absence with `k` of `n`.
    pub fn with_counts(reason: Reason, k: u64, n: u64) -> Self {
        Self { reason, n: Some(n), k: Some(k) }
    }
}

impl Serialize for NotEstimable {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("not_estimable", self.reason.as_str())?;
        if let Some(n) = self.n {
            map.serialize_entry("n", &n)?;
        }
        if let Some(k) = self.k {
            map.serialize_entry("k", &k)?;
        }
        map.end()
    }
}

/// A number or its honest absence: what every figure of a report is.
pub type Figure = Result<Estimate, NotEstimable>;

/// Serialises a [`Figure`] as the estimate or as the absence, without a wrapper.
pub fn serialize_figure<S: Serializer>(figure: &Figure, serializer: S) -> Result<S::Ok, S::Error> {
    match figure {
        Ok(estimate) => estimate.serialize(serializer),
        Err(absence) => absence.serialize(serializer),
    }
}
