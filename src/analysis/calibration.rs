//! How good and how biased is this judge against the gold set?

use serde::Serialize;

use super::figures::Figures;
use super::gate::{Decision, Gate, GateRules};
use super::outcome::Accounting;
use crate::domain::{Fingerprint, JudgeName};

/// What a calibration depends on beside the data.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The criteria of the gate.
    pub rules: GateRules,
    /// Resamples of every bootstrap.
    pub resamples: usize,
    /// Seed of every bootstrap.
    pub seed: u64,
}

/// A figure that was not measured, and what would allow it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unmeasured {
    /// The figure.
    pub figure: String,
    /// The field or flag that would allow it.
    pub needs: String,
}

/// All that is known of one judge.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scorecard {
    /// The judge.
    pub name: JudgeName,
    /// Its fingerprint.
    pub fingerprint: Fingerprint,
    /// The model that answered, as the server named it, where known.
    pub model: Option<String>,
    /// Where every planned judgment went.
    pub accounting: Accounting,
    /// The figures, with intervals over rows.
    pub figures: Figures,
    /// The same with intervals over items or groups, where verdicts share one; else empty.
    pub figures_clustered: Figures,
    /// The decision with its reasons; `None` for control judges shown as baselines.
    pub gate: Option<Gate>,
    /// Where the certificate was written; filled in by the command.
    pub certificate: Option<String>,
    /// What was not measured.
    pub not_measured: Vec<Unmeasured>,
    /// What a reader has to know before using the figures.
    pub warnings: Vec<String>,
}

impl Scorecard {
    /// The figure as reports show it: clustered where verdicts share a unit, else over rows.
    pub fn shown(&self, path: &str) -> crate::stats::Figure {
        match self.figures_clustered.entry(path) {
            Some(super::figures::Entry::Figure(figure)) => figure.clone(),
            _ => self.figures.get(path),
        }
    }
}

/// The answer: one scorecard a judge, the controls beside them, the humans among themselves.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Calibration {
    /// Fail if any judge fails, else inconclusive if any is, else pass.
    pub decision: Decision,
    /// The judges on trial, sorted by name.
    pub judges: Vec<Scorecard>,
    /// The control judges on the same items.
    pub controls: Vec<Scorecard>,
    /// Agreement among the annotators; empty where there is one label an item.
    pub humans: Figures,
    /// The gold set: `{name, digest, items, labelled, groups, categories, languages}`.
    pub gold: GoldSummary,
    /// What a reader has to know about the data.
    pub warnings: Vec<String>,
}

/// What the gold set holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GoldSummary {
    /// Its name.
    pub name: String,
    /// Its digest.
    pub digest: crate::domain::Digest,
    /// Items.
    pub items: u64,
    /// Items with a label.
    pub labelled: u64,
    /// Labels `a`, `b`, `tie`.
    pub labels: [u64; 3],
    /// Items whose votes have no plurality.
    pub disputed: u64,
    /// Resampling units; equal to `items` where nothing is grouped.
    pub groups: u64,
    /// Categories, sorted.
    pub categories: Vec<String>,
    /// Languages, sorted.
    pub languages: Vec<String>,
}
