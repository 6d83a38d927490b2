//! Is A better than B on these items, according to this judge?

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::adjusted::length_controlled;
use super::categories;
use super::correction::{self, Correction, GoldSample, JudgeAccuracy};
use super::discordant::{self, ChecksResult};
use super::figures::Test;
use super::gate::Decision;
use super::outcome::{self, Accounting, Sheet};
use super::prereg::{self, Held, Plan, Prereg, Stopping};
use super::scores::{Scored, Scores};
use super::series::{self, Series};
use super::shares::{Cases, FEW_UNITS, FLIP_RATE};
use super::stopping::Conclusion;
use super::usage;
use super::warning::Warning;
use crate::domain::{Fingerprint, GoldSet, ItemId, JudgeName, Judgment, JudgmentDetail};
use crate::stats::resample::Resampling;
use crate::stats::{Estimate, Figure, Level, NotEstimable, Seed};

pub use super::categories::{CategoryRow, Interaction};
pub use super::deciding::{CountedUnit, WouldDecide};
pub use super::discordant::{McNemarResult, Odds, Passes};

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
    /// How the items that carry gold were chosen.
    pub gold_sample: GoldSample,
    /// The judge's record on the gold set of the certificate that opened the door.
    pub accuracy: Option<JudgeAccuracy>,
    /// The highest flip rate that the gate of that certificate allows.
    pub most_flips: Option<f64>,
    /// Which responses pass the checks of their item; items without checks are not in it.
    pub passes: BTreeMap<ItemId, Passes>,
    /// What has to hold.
    pub requirement: Option<Requirement>,
    /// What was to be done.
    pub plan: Option<Plan>,
    /// How often these items were compared before.
    pub ledger: Option<Reruns>,
    /// Where the asking ended early, and what it ended with; the items are then those that were used.
    pub stopped: Option<Conclusion>,
}

impl Options {
    /// A comparison of `a` with `b` about which nothing else is known.
    pub fn new(a: impl Into<String>, b: impl Into<String>, resamples: usize, seed: u64) -> Self {
        Self {
            a: a.into(),
            b: b.into(),
            resamples,
            seed,
            gold_sample: GoldSample::Unknown,
            accuracy: None,
            most_flips: None,
            passes: BTreeMap::new(),
            requirement: None,
            plan: None,
            ledger: None,
            stopped: None,
        }
    }
}

/// A judge that flips on more items is not trusted to tell that there is no difference: the limit of the gate as it comes.
const MOST_FLIPS: f64 = 0.20;

/// What a comparison has to show.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Requirement {
    /// `a` is better: the lower bound of the win rate is above ½.
    Better,
    /// `a` is no worse than `b` by more than `margin`: the lower bound is above ½ − `margin`.
    NoWorse {
        /// Above 0, below ½.
        margin: f64,
    },
}

impl Requirement {
    /// The value that the lower bound of the win rate has to clear.
    pub fn bound(self) -> f64 {
        match self {
            Self::Better => 0.5,
            Self::NoWorse { margin } => 0.5 - margin,
        }
    }
}

/// A requirement beside what was found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Required {
    /// What had to hold.
    #[serde(flatten)]
    pub requirement: Requirement,
    /// The value that the lower bound of the win rate had to clear.
    pub bound: f64,
    /// Whether it does.
    pub held: Held,
}

/// How often the same items were compared, as the ledger of the store tells; this run is among them where it asked an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Reruns {
    /// Finished comparisons of these items, by any judge: those that brought new answers, or were the first of their judge. One that
    /// was answered from the store alone shows the same result again.
    pub runs: u64,
    /// Those by this judge.
    pub with_this_judge: u64,
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

/// A trial that opened no door.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Tried {
    /// Fail or inconclusive.
    pub decision: Decision,
    /// The criteria that made it so, by name.
    pub criteria: Vec<String>,
    /// The gold set.
    pub gold: String,
    /// Its file as it was named; no part of a result, but of the way to try again.
    #[serde(skip)]
    pub gold_file: Option<String>,
    /// The file of labels beside it.
    #[serde(skip)]
    pub labels_file: Option<String>,
    /// When: UTC, RFC 3339.
    pub date: String,
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

impl Outcomes {
    /// The counts by their names in every file.
    pub fn named(&self) -> [(&'static str, u64); 10] {
        [
            ("a_wins", self.a_wins),
            ("b_wins", self.b_wins),
            ("tie", self.tie),
            ("flip_first", self.flip_first),
            ("flip_second", self.flip_second),
            ("half_a", self.half_a),
            ("half_b", self.half_b),
            ("inconsistent", self.inconsistent),
            ("identical", self.identical),
            ("no_verdict", self.no_verdict),
        ]
    }
}

/// Outcomes as shares of all of them; 0 each where there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutcomeShares(
    /// The counts.
    pub Outcomes,
);

impl OutcomeShares {
    /// The share of so many outcomes.
    pub fn of(&self, count: u64) -> f64 {
        let total: u64 = self.0.named().iter().map(|(_, count)| count).sum();
        if total == 0 { 0.0 } else { count as f64 / total as f64 }
    }
}

impl Serialize for OutcomeShares {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.named().map(|(name, count)| (name, self.of(count))))
    }
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
    /// Those of them with a verdict in both orders.
    pub items_judged: u64,
    /// Resampling units.
    pub groups: u64,
    /// Counts of outcomes.
    pub outcomes: Outcomes,
    /// The same as shares of all outcomes, those without a verdict included.
    pub outcome_shares: OutcomeShares,
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
    /// The win rate were both responses of every item equally long.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub length_controlled: Figure,
    /// The graded or decided rate as humans would have judged it.
    pub correction: Correction,
    /// True below 20 resampling units.
    pub few_units: bool,
    /// Exact and mid-p McNemar on consistent wins.
    pub mcnemar: McNemarResult,
    /// Sign test on the graded score.
    pub sign_test: Test,
    /// Sign-flip permutation test on the graded score: `k` of the `n` units that lean to a side lean to `a`.
    pub permutation: Test,
    /// Smallest deviation of the win rate from ½ that 80 % of such samples would have shown.
    #[serde(serialize_with = "super::figures::serialize_detectable")]
    pub detectable: Result<f64, NotEstimable>,
    /// What the checks of the items say of the two sides; `None` where no item has any.
    pub checks: Option<ChecksResult>,
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
    /// Whether the win rate differs between categories at all; `None` below two of them.
    #[serde(serialize_with = "serialize_interaction")]
    pub interaction: Option<Result<Interaction, NotEstimable>>,
    /// What had to hold, where something had.
    pub requirement: Option<Required>,
    /// The pre-registered plan beside what was done.
    pub prereg: Option<Prereg>,
    /// How often these items were compared; `None` where no store keeps it.
    pub ledger: Option<Reruns>,
    /// What the charts draw.
    pub series: Series,
    /// Where every planned judgment went.
    pub accounting: Accounting,
    /// How many items would decide what is open; `None` where nothing is.
    pub would_decide: Option<WouldDecide>,
    /// The trial that this judge did not pass, where no certificate backs it; filled in by the command.
    pub tried: Option<Tried>,
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

#[allow(clippy::ref_option, reason = "serde hands the field over like this")]
fn serialize_interaction<S: serde::Serializer>(
    interaction: &Option<Result<Interaction, NotEstimable>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match interaction {
        None => serializer.serialize_none(),
        Some(found) => categories::serialize_interaction(found, serializer),
    }
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
    let (a_only, b_only) = scores.discordant();
    let score = scores.intervals(Scored::Graded, &resampling).swap_remove(0);
    let (decision, reason) = decide(options, &win_rate, &score);
    let evidence = correction::Evidence { items, scores: &scores, score: &score, decided: &decided };
    let by_category = categories::by_category(items, &sheet, &resampling);
    let judged: BTreeSet<usize> = scores.singles.iter().map(|single| single.item).collect();
    let mut answer = Comparison {
        a: options.a.clone(),
        b: options.b.clone(),
        judge: judge.clone(),
        fingerprint: usage::fingerprint(judge, &details),
        items: scores.items,
        groups: scores.units.len() as u64,
        outcomes,
        outcome_shares: OutcomeShares(outcomes),
        coverage: scores.coverage(),
        length_controlled: length_controlled(items, &scores, &resampling),
        correction: correction::correct(&evidence, &options.gold_sample, options.accuracy.as_ref()),
        score,
        few_units: (scores.units.len() as u64) < FEW_UNITS,
        mcnemar: McNemarResult::of(a_only, b_only, scores.units.len() as u64),
        sign_test: scores.sign_test(),
        permutation: scores.permutation(&resampling),
        detectable: scores.detectable(),
        checks: discordant::by_checks(items, &options.passes),
        bounds: scores.bounds(),
        stopping: None,
        flip_rate: if cases.clustered {
            cases.clustered(&FLIP_RATE, Level::P95)
        } else {
            cases.wilson(&FLIP_RATE, Level::P95)
        },
        interaction: (by_category.len() > 1).then(|| categories::interaction(items, &scores, &resampling)),
        by_category,
        requirement: options.requirement.map(|requirement| Required {
            bound: requirement.bound(),
            held: Held::of(&win_rate, requirement.bound()),
            requirement,
        }),
        prereg: None,
        series: series::series(items, &sheet, &own, &resampling),
        ledger: options.ledger,
        accounting: sheet.accounting,
        items_judged: judged.len() as u64,
        would_decide: None,
        tried: None,
        certificate: None,
        banner: None,
        warnings: warnings(&scores, &sheet, &win_rate),
        win_rate,
        decided,
        win_rate_intervals,
        decision,
        reason,
    };
    if let Some(conclusion) = &options.stopped {
        conclusion.clone().enter(&mut answer, options);
    } else {
        answer.keep_open(options);
        answer.look_at_the_rest(items.items.len());
    }
    if let (Some(reason), None) = (no_worse(&answer).filter(|_| !answer.is_opposed()), &options.stopped) {
        answer.reason = format!("{reason}; which of them is better is open: {}", answer.reason);
    }
    answer.would_decide = WouldDecide::of(&answer);
    answer.look_at_judge(options);
    answer.look_back(options);
    answer
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

/// That `a` keeps its margin to `b`, where that was required and no more is known; which of them is better is another question.
pub(super) fn no_worse(answer: &Comparison) -> Option<String> {
    let required = answer.requirement.filter(|required| required.held == Held::Held)?;
    let Requirement::NoWorse { margin } = required.requirement else { return None };
    let open = answer.win_rate.as_ref().is_ok_and(|rate| rate.lower <= 0.5);
    open.then(|| format!("{} is no worse than {} by more than {:.1} points", answer.a, answer.b, margin * 100.0))
}

/// Whether win rate and graded score point to different sides.
fn are_opposed(rate: &Estimate, score: &Estimate) -> bool {
    (score.point - 0.5) * (rate.point - 0.5) < 0.0
}

impl Comparison {
    /// Opens a margin again that is kept by the word of a judge that tells too little apart here: one that flips more often than a
    /// gate allows, or decides for nobody. Its ties hide a difference as well as they show that there is none, as with a
    /// trial of no inferiority that lacks assay sensitivity (ICH E10, section 1.5).
    pub(super) fn keep_open(&mut self, options: &Options) {
        let Some(required) = &mut self.requirement else { return };
        let is_better = self.win_rate.as_ref().is_ok_and(|rate| rate.lower > Requirement::Better.bound());
        if required.held != Held::Held || is_better || required.requirement == Requirement::Better {
            return;
        }
        let most = options.most_flips.unwrap_or(MOST_FLIPS);
        let flip_rate = self.flip_rate.as_ref().ok().map(|found| found.point);
        let decided = self.outcomes.a_wins + self.outcomes.b_wins;
        if decided == 0 || flip_rate.is_some_and(|rate| rate > most) {
            required.held = Held::Undecided;
            let judged = self.outcomes.valid();
            self.warnings.push(Warning::TellsLittleApart { decided, judged, flip_rate });
        }
    }

    /// A reader has to know of items that the judge was not asked about.
    fn look_at_the_rest(&mut self, all: usize) {
        let judged = usize::try_from(self.items).unwrap_or(usize::MAX);
        if judged < all {
            self.warnings.push(Warning::Part { judged, all });
        }
    }

    /// Whether only another judge could decide what is open.
    pub fn needs_another_judge(&self) -> bool {
        self.warnings.iter().any(|warning| matches!(warning, Warning::TellsLittleApart { .. }))
    }

    /// What a reader has to know of the judge on these items, and of the labels that stand by.
    fn look_at_judge(&mut self, options: &Options) {
        if let (Ok(found), Some(most)) = (&self.flip_rate, options.most_flips)
            && found.point > most
        {
            let interval = [found.lower, found.upper];
            self.warnings.push(Warning::FlipsAboveGate { rate: found.point, interval, most });
        }
        let (items, used) = self.correction.left_out();
        if items > 0 {
            self.warnings.push(Warning::LabelsLeftOut { items, used });
        }
    }

    /// What was planned and how often it was done already, with what a reader has to know of it.
    fn look_back(&mut self, options: &Options) {
        self.prereg = options.plan.as_ref().map(|plan| {
            let done = prereg::Done {
                // An end that was planned for leaves items over.
                items: self.stopping.as_ref().map_or(self.items, |stopping| stopping.items_total),
                seed: options.seed,
                stopping: if self.stopping.is_some() { Stopping::Anytime } else { Stopping::Fixed },
                required: options.requirement.map(Requirement::bound),
                runs: options.ledger.map_or(1, |ledger| ledger.runs),
                win_rate: &self.win_rate,
                score: &self.score,
                decided: &self.decided,
            };
            prereg::check(plan, done)
        });
        if let Some(ledger) = self.ledger.filter(|ledger| ledger.runs > 1) {
            self.warnings.push(Warning::Reruns { runs: ledger.runs, with_this_judge: ledger.with_this_judge });
        }
        for deviation in self.prereg.iter().flat_map(|prereg| &prereg.deviations) {
            self.warnings.push(Warning::NotAsPlanned(deviation.clone()));
        }
    }

    /// Whether nothing is decided since win rate and graded score point to different sides.
    pub fn is_opposed(&self) -> bool {
        self.win_rate.as_ref().is_ok_and(|rate| self.score.as_ref().is_ok_and(|score| are_opposed(rate, score)))
    }
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
