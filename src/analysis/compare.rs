//! Is A better than B on these items, according to this judge?

use std::collections::BTreeMap;

use serde::Serialize;

use super::calibration::MOST_PARTS;
use super::figures::Test;
use super::outcome::{self, Accounting, Row, Sheet};
use super::scores::{Scored, Scores};
use super::shares::{Cases, FEW_UNITS, FLIP_RATE};
use super::usage;
use super::warning::Warning;
use crate::domain::{Fingerprint, GoldSet, JudgeName, Judgment, JudgmentDetail};
use crate::stats::binomial::mcnemar;
use crate::stats::multiplicity::{Adjustment, adjust};
use crate::stats::resample::Resampling;
use crate::stats::{Estimate, Figure, Level, Seed};

/// What a comparison depends on beside the data.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Name of side `a`.
    pub a: String,
    /// Name of side `b`.
    pub b: String,
    /// Resamples of every bootstrap.
    pub resamples: usize,
    /// Seed of every bootstrap.
    pub seed: u64,
}

/// Which side the evidence favours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Favours {
    /// `a` is better: the whole interval of the win rate is above ½.
    A,
    /// `b` is better: the whole interval is below ½.
    B,
    /// The interval holds ½, or win rate and graded score point to different sides.
    Undecided,
}

/// Why no certificate backs a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Banner {
    /// The judge was not tried, or did not pass.
    #[serde(rename = "uncalibrated")]
    Uncalibrated,
    /// A control judge: a known answer, not a measurement.
    #[serde(rename = "control judge")]
    Control,
    /// Recorded verdicts of a judge without a certificate.
    #[serde(rename = "recorded")]
    Recorded,
}

/// Counts of outcomes over items (repeats of an item count each).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Outcomes {
    /// Both orders name `a`.
    pub a_wins: u64,
    /// Both orders name `b`.
    pub b_wins: u64,
    /// Both orders are ties.
    pub tie: u64,
    /// Position collapse to the first.
    pub flip_first: u64,
    /// Position collapse to the second.
    pub flip_second: u64,
    /// One `a`, one tie.
    pub half_a: u64,
    /// One `b`, one tie.
    pub half_b: u64,
    /// Folded disagreements of unknown direction.
    pub inconsistent: u64,
    /// Identical responses: a tie that was not asked.
    pub identical: u64,
    /// An order is missing: left out, bounded.
    pub no_verdict: u64,
}

/// McNemar's test on consistent wins.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct McNemarResult {
    /// Units with more consistent wins of `a` than of `b`: its consistent wins where no two outcomes share a unit.
    pub a_only: u64,
    /// Units with more consistent wins of `b`.
    pub b_only: u64,
    /// Exact conditional binomial p.
    pub p_exact: f64,
    /// Mid-p.
    pub p_mid: f64,
}

/// The win rate were every missing verdict a loss or a win of `a`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bounds {
    /// Missing verdicts all lost.
    pub all_lost: Option<f64>,
    /// Missing verdicts all won.
    pub all_won: Option<f64>,
    /// Number of missing outcomes.
    pub missing: u64,
}

/// One category's part.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CategoryRow {
    /// The category.
    pub category: String,
    /// Items in it.
    pub items: u64,
    /// Win rate of `a` with its interval.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub win_rate: Figure,
    /// Exact McNemar p within the category.
    pub p: f64,
    /// The same after Holm's correction over the categories.
    pub p_holm: f64,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Name of side `a`.
    pub a: String,
    /// Name of side `b`.
    pub b: String,
    /// The judge.
    pub judge: JudgeName,
    /// Its fingerprint.
    pub fingerprint: Fingerprint,
    /// Items compared.
    pub items: u64,
    /// Resampling units.
    pub groups: u64,
    /// Counts of outcomes.
    pub outcomes: Outcomes,
    /// Mean score of `a`; the headline, with its interval of record.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub win_rate: Figure,
    /// Mean graded score of `a`.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub score: Figure,
    /// Share of `a` among consistent wins.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub decided: Figure,
    /// Share of outcomes that are consistent wins.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub coverage: Figure,
    /// All intervals of the win rate, the one of record first.
    #[serde(serialize_with = "serialize_all")]
    pub win_rate_intervals: Vec<Figure>,
    /// True below 20 resampling units.
    pub few_units: bool,
    /// Exact and mid-p McNemar on consistent wins.
    pub mcnemar: McNemarResult,
    /// Sign test on the graded score.
    pub sign_test: Test,
    /// Sign-flip permutation test on the graded score, over groups.
    pub permutation: Test,
    /// Smallest deviation of the win rate from ½ that 80 % of such samples would have shown.
    #[serde(serialize_with = "super::figures::serialize_detectable")]
    pub detectable: Result<f64, crate::stats::NotEstimable>,
    /// Bounds for missing verdicts.
    pub bounds: Bounds,
    /// How it came to stop where it did, where it was to stop once decided; see [`super::stopping`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopping: Option<super::stopping::Stopping>,
    /// Flip rate of the judge on these items.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub flip_rate: Figure,
    /// Per category, with Holm's correction.
    pub by_category: Vec<CategoryRow>,
    /// Where every planned judgment went.
    pub accounting: Accounting,
    /// Path or identity of the certificate that opened the door; filled in by the command.
    pub certificate: Option<String>,
    /// Why this comparison is not backed by a certificate, if it is not.
    pub banner: Option<Banner>,
    /// Which side the evidence favours.
    pub decision: Favours,
    /// One sentence for people.
    pub reason: String,
    /// What a reader has to know.
    pub warnings: Vec<Warning>,
}

fn serialize_all<S: serde::Serializer>(figures: &[Figure], serializer: S) -> Result<S::Ok, S::Error> {
    use serde::ser::SerializeSeq;
    #[derive(Serialize)]
    struct One<'a>(#[serde(serialize_with = "crate::stats::serialize_figure")] &'a Figure);
    let mut seq = serializer.serialize_seq(Some(figures.len()))?;
    for figure in figures {
        seq.serialize_element(&One(figure))?;
    }
    seq.end()
}

/// Compares the two sides by what one judge said. Judgments of other judges are ignored.
pub fn compare(items: &GoldSet, judgments: &[Judgment], judge: &JudgeName, options: &Options) -> Comparison {
    let own: Vec<Judgment> = judgments.iter().filter(|judgment| judgment.judge == *judge).cloned().collect();
    let sheet = outcome::sheets(items, &own).pop().unwrap_or_else(|| Sheet::empty(judge, items));
    let details: Vec<&JudgmentDetail> = own.iter().filter_map(|judgment| judgment.detail.as_deref()).collect();
    let scores = Scores::of(items, &sheet.rows, |_| true);
    let resampling = Resampling { resamples: options.resamples, seed: Seed(options.seed).child("compare") };
    let cases = Cases::new(items, sheet.rows.iter());
    let outcomes = scores.outcomes;
    let win_rate_intervals = scores.intervals(Scored::Plain, &resampling);
    let win_rate = win_rate_intervals[0].clone();
    let decided = scores.decided();
    let mcnemar = mcnemar_of(scores.discordant());
    let score = scores.intervals(Scored::Graded, &resampling).swap_remove(0);
    let (decision, reason) = decide(options, &win_rate, &score);
    Comparison {
        a: options.a.clone(),
        b: options.b.clone(),
        judge: judge.clone(),
        fingerprint: usage::fingerprint(judge, &details),
        items: scores.items,
        groups: scores.units.len() as u64,
        outcomes,
        score,
        coverage: scores.coverage(),
        few_units: (scores.units.len() as u64) < FEW_UNITS,
        mcnemar,
        sign_test: scores.sign_test(),
        permutation: scores.permutation(&resampling),
        detectable: scores.detectable(),
        bounds: scores.bounds(),
        stopping: None,
        flip_rate: if cases.clustered {
            cases.clustered(&FLIP_RATE, Level::P95)
        } else {
            cases.wilson(&FLIP_RATE, Level::P95)
        },
        by_category: by_category(items, &sheet, &resampling),
        accounting: sheet.accounting,
        certificate: None,
        banner: None,
        warnings: warnings(&scores, &sheet, &win_rate),
        win_rate,
        decided,
        win_rate_intervals,
        decision,
        reason,
    }
}

fn mcnemar_of((a_only, b_only): (u64, u64)) -> McNemarResult {
    let test = mcnemar(a_only, b_only);
    McNemarResult { a_only, b_only, p_exact: test.p_exact, p_mid: test.p_mid }
}

/// The decision word and one sentence. The win rate and the decided rate always lie on one side of ½; the graded score need not,
/// since halves count in it: where it points to the other side nothing is decided.
fn decide(options: &Options, win_rate: &Figure, score: &Figure) -> (Favours, String) {
    let Ok(rate) = win_rate else { return (Favours::Undecided, "no item has a verdict in both orders".to_owned()) };
    let opposed = score.as_ref().is_ok_and(|score| are_opposed(rate, score));
    let shown = format!(
        "win rate {:.1} %, 95 % interval {:.1} to {:.1} %",
        rate.point * 100.0,
        rate.lower * 100.0,
        rate.upper * 100.0
    );
    let better = |one: &str, other: &str| {
        format!("{one} is better than {other} on these items by this judge: {shown} of {}", options.a)
    };
    if opposed {
        (Favours::Undecided, format!("win rate and graded score point to different sides ({shown} of {})", options.a))
    } else if rate.lower > 0.5 {
        (Favours::A, better(&options.a, &options.b))
    } else if rate.upper < 0.5 {
        (Favours::B, better(&options.b, &options.a))
    } else {
        (Favours::Undecided, format!("{shown} of {} includes 50 %", options.a))
    }
}

/// Whether win rate and graded score point to different sides.
fn are_opposed(rate: &Estimate, score: &Estimate) -> bool {
    (score.point - 0.5) * (rate.point - 0.5) < 0.0
}

impl Comparison {
    /// Whether nothing is decided since win rate and graded score point to different sides.
    pub fn is_opposed(&self) -> bool {
        self.win_rate.as_ref().is_ok_and(|rate| self.score.as_ref().is_ok_and(|score| are_opposed(rate, score)))
    }
}

fn by_category(items: &GoldSet, sheet: &Sheet, resampling: &Resampling) -> Vec<CategoryRow> {
    let mut parts: BTreeMap<&str, Vec<Row>> = BTreeMap::new();
    for row in &sheet.rows {
        if let Some(category) = &items.items[row.item].category {
            parts.entry(category).or_default().push(*row);
        }
    }
    if !(2..=MOST_PARTS).contains(&parts.len()) {
        return Vec::new();
    }
    let mut rows: Vec<CategoryRow> = parts
        .into_iter()
        .map(|(category, rows)| {
            let scores = Scores::of(items, &rows, |item| item.category.as_deref() == Some(category));
            CategoryRow {
                category: category.to_owned(),
                items: scores.items,
                win_rate: scores.intervals(Scored::Plain, resampling).swap_remove(0),
                p: mcnemar_of(scores.discordant()).p_exact,
                p_holm: 1.0,
            }
        })
        .collect();
    let raw: Vec<f64> = rows.iter().map(|row| row.p).collect();
    if let Ok(adjusted) = adjust(&raw, Adjustment::Holm) {
        for (row, p) in rows.iter_mut().zip(adjusted) {
            row.p_holm = p;
        }
    }
    rows
}

fn warnings(scores: &Scores, sheet: &Sheet, win_rate: &Figure) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if (scores.units.len() as u64) < FEW_UNITS {
        let method = win_rate.as_ref().map_or("none", |estimate| estimate.method);
        warnings.push(Warning::FewUnits { units: scores.units.len(), method });
    }
    let total = sheet.accounting.total();
    if total.without() * 20 > total.planned {
        warnings.push(Warning::SeeBounds { without: total.without(), planned: total.planned });
    }
    warnings
}
