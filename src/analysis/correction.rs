//! What would humans have said? A comparison corrected for the judge's measured error, beside the raw rate.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::scores::Scores;
use crate::domain::{GoldSet, ItemId, Preference};
use crate::stats::clustered::clopper_pearson_real;
use crate::stats::correction::{WorthShare, pooled_correction};
use crate::stats::ppi::{Groups, Labelled, Ppi};
use crate::stats::ppi_adjusted::ppi_mean_adjusted;
use crate::stats::{Estimate, Figure, Level, NotEstimable, Reason};

/// Labelled items below which no prediction-powered mean is given: the weight of the judge is tuned on them.
const FEWEST_LABELLED: usize = 10;

/// How the labelled items of a run were chosen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum GoldSample {
    /// Nobody said.
    #[default]
    Unknown,
    /// At random, by the user's word: every item with gold counts.
    Random,
    /// By the marks in the items: the drawn items of each sample, by its size and seed.
    Marked(BTreeMap<Mark, BTreeSet<ItemId>>),
}

/// A random sample of items that were drawn to be labelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Mark {
    /// Items drawn.
    pub n: u64,
    /// Seed of the draw.
    pub seed: u64,
}

/// What the certificate says of the judge's accuracy on decided items.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JudgeAccuracy {
    /// Decided gold items on which the judge agreed.
    pub k: u64,
    /// Decided gold items.
    pub n: u64,
    /// Independent items that these are worth; below `n` where the gold was grouped.
    pub worth: f64,
    /// The gold set.
    pub gold: String,
    /// When the judge was tried.
    pub date: String,
}

/// By which method a comparison was corrected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Every item carries gold: its mean needs no judge.
    GoldMean,
    /// PPI++ on the graded score.
    PpiPlusPlus,
    /// Rogan-Gladen on the decided rate, with one pooled accuracy.
    RoganGladenPooled,
}

/// When a corrected rate may be believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ValidWhen {
    /// The labels are what is wanted to be known.
    EveryItemIsLabelled,
    /// The labelled items are a random sample of the items compared.
    GoldIsARandomSample,
    /// The judge errs on these items as on the gold of its certificate, equally often in favour of either side.
    JudgeErrsAsOnItsGold,
}

/// What a correction lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    /// No item carries gold.
    Gold,
    /// Nobody said that the labelled items are a random sample.
    RandomSample,
    /// Not all items that were drawn carry gold.
    WholeSample,
    /// Several samples were drawn, with other sizes or seeds.
    OneSample,
    /// Fewer than ten labelled items.
    MoreGold,
    /// The labelled items, or their groups, do not allow an error to be estimated.
    Spread,
    /// No certificate opened the door.
    Certificate,
    /// No item was decided.
    DecidedItems,
    /// The lower bound of the judge's accuracy is not above one half.
    InformativeJudge,
}

/// What went into a correction.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Inputs {
    /// Of [`Method::GoldMean`].
    Gold {
        /// Labelled items.
        labelled: u64,
        /// Labelled items left out, since the judge has no verdict in both orders.
        without_outcome: u64,
    },
    /// Of [`Method::PpiPlusPlus`].
    Ppi {
        /// Labelled items with an outcome.
        labelled: u64,
        /// Labelled items of the sample left out, since the judge has no verdict in both orders.
        without_outcome: u64,
        /// Labelled items with an outcome that are not of the drawn sample: their labels are not used.
        outside_sample: u64,
        /// Other items with an outcome.
        unlabelled: u64,
        /// Weight that the judge got.
        lambda: f64,
        /// Standard error behind the interval.
        se: f64,
        /// The draw by the marks; `None` by the user's word.
        sample: Option<Mark>,
    },
    /// Of [`Method::RoganGladenPooled`].
    Pooled {
        /// Decided items that `a` won.
        wins: u64,
        /// Decided items.
        decided: u64,
        /// Independent items that these are worth.
        decided_worth: f64,
        /// The judge's record on gold.
        accuracy: JudgeAccuracy,
        /// Exact 95 % lower bound of the accuracy.
        accuracy_lower: f64,
        /// The corrected rate before it is cut to 0..=1.
        unclipped: f64,
    },
    /// Nothing could be corrected.
    Nothing {},
}

/// A rate as judged, and as humans would have judged it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Correction {
    /// The method; `None` where nothing could be corrected.
    pub method: Option<Method>,
    /// The rate as judged that the correction is of: the graded score, or the decided rate.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub raw: Figure,
    /// The corrected rate.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub corrected: Figure,
    /// What went in.
    pub inputs: Inputs,
    /// When it may be believed.
    pub valid_when: Option<ValidWhen>,
    /// What is missing, where nothing could be corrected.
    pub missing: Vec<Missing>,
}

impl Correction {
    /// Labelled items that were left out since the judge has no verdict in both orders, and those used.
    pub fn left_out(&self) -> (u64, u64) {
        match self.inputs {
            Inputs::Gold { labelled, without_outcome } | Inputs::Ppi { labelled, without_outcome, .. } => {
                (without_outcome, labelled)
            }
            Inputs::Pooled { .. } | Inputs::Nothing {} => (0, 0),
        }
    }
}

/// What a correction is made of.
pub(super) struct Evidence<'a> {
    pub(super) items: &'a GoldSet,
    pub(super) scores: &'a Scores,
    pub(super) score: &'a Figure,
    pub(super) decided: &'a Figure,
}

/// Corrects by the gold of the items where it is a random sample of them, else by the judge's record on its gold set.
pub(super) fn correct(evidence: &Evidence, sample: &GoldSample, accuracy: Option<&JudgeAccuracy>) -> Correction {
    let by_gold = match by_gold(evidence, sample) {
        Ok(correction) => return correction,
        Err(missing) => missing,
    };
    match by_accuracy(evidence, accuracy) {
        Ok(correction) => correction,
        Err(missing) => Correction {
            method: None,
            raw: evidence.score.clone(),
            corrected: Err(NotEstimable::because(reason(by_gold, missing))),
            inputs: Inputs::Nothing {},
            valid_when: None,
            missing: vec![by_gold, missing],
        },
    }
}

/// The reason in the closed list of the stats room; `missing` says more.
fn reason(by_gold: Missing, by_accuracy: Missing) -> Reason {
    match (by_gold, by_accuracy) {
        (_, Missing::InformativeJudge) => Reason::NotInformative,
        (Missing::Gold, _) => Reason::NoGold,
        (Missing::MoreGold, _) => Reason::TooFew,
        (Missing::Spread, _) => Reason::Constant,
        _ => Reason::NotRecorded,
    }
}

/// The graded score of each item with an outcome, repeats averaged, with its unit and its gold score.
struct Judged {
    judge: f64,
    gold: Option<f64>,
    unit: usize,
    index: usize,
}

fn gold_score(label: Preference) -> f64 {
    match label {
        Preference::A => 1.0,
        Preference::Tie => 0.5,
        Preference::B => 0.0,
    }
}

fn judged(evidence: &Evidence) -> Vec<Judged> {
    let mut sums: BTreeMap<usize, (f64, f64, usize)> = BTreeMap::new();
    for single in &evidence.scores.singles {
        let sum = sums.entry(single.item).or_insert((0.0, 0.0, single.unit));
        (sum.0, sum.1) = (sum.0 + single.graded, sum.1 + 1.0);
    }
    let item = |(index, (sum, n, unit)): (usize, (f64, f64, usize))| Judged {
        judge: sum / n,
        gold: evidence.items.items[index].gold_label().map(gold_score),
        unit,
        index,
    };
    sums.into_iter().map(item).collect()
}

fn by_gold(evidence: &Evidence, sample: &GoldSample) -> Result<Correction, Missing> {
    let all = judged(evidence);
    if all.iter().all(|item| item.gold.is_none()) {
        return Err(Missing::Gold);
    }
    if all.iter().all(|item| item.gold.is_some()) {
        return gold_mean(evidence, &all);
    }
    let (mark, drawn) = match sample {
        GoldSample::Unknown => return Err(Missing::RandomSample),
        GoldSample::Random => (None, None),
        GoldSample::Marked(samples) => {
            let mut samples = samples.iter();
            let (Some((mark, drawn)), None) = (samples.next(), samples.next()) else { return Err(Missing::OneSample) };
            let labelled =
                |id: &&ItemId| evidence.items.items.iter().any(|item| item.id == **id && item.gold.is_some());
            if drawn.iter().filter(labelled).count() as u64 != mark.n {
                return Err(Missing::WholeSample);
            }
            (Some(*mark), Some(drawn))
        }
    };
    let is_drawn = |item: &&Judged| {
        item.gold.is_some() && drawn.is_none_or(|drawn| drawn.contains(&evidence.items.items[item.index].id))
    };
    let (labelled, rest): (Vec<&Judged>, Vec<&Judged>) = all.iter().partition(is_drawn);
    if labelled.len() < FEWEST_LABELLED {
        return Err(Missing::MoreGold);
    }
    let found = ppi(&labelled, &rest, is_grouped(&all)).map_err(|_| Missing::Spread)?;
    let of_sample = |id: &ItemId| drawn.is_none_or(|drawn| drawn.contains(id));
    let in_sample = evidence.items.items.iter().filter(|item| item.gold_label().is_some() && of_sample(&item.id));
    Ok(Correction {
        method: Some(Method::PpiPlusPlus),
        raw: evidence.score.clone(),
        corrected: Ok(found.estimate),
        inputs: Inputs::Ppi {
            labelled: labelled.len() as u64,
            without_outcome: (in_sample.count() - labelled.len()) as u64,
            outside_sample: rest.iter().filter(|item| item.gold.is_some()).count() as u64,
            unlabelled: rest.len() as u64,
            lambda: found.lambda,
            se: found.se,
            sample: mark,
        },
        valid_when: Some(ValidWhen::GoldIsARandomSample),
        missing: Vec::new(),
    })
}

fn is_grouped(items: &[Judged]) -> bool {
    let units: BTreeSet<usize> = items.iter().map(|item| item.unit).collect();
    units.len() < items.len()
}

fn ppi(labelled: &[&Judged], rest: &[&Judged], grouped: bool) -> Result<Ppi, NotEstimable> {
    let judge = |items: &[&Judged]| items.iter().map(|item| item.judge).collect::<Vec<f64>>();
    let units = |items: &[&Judged]| items.iter().map(|item| item.unit).collect::<Vec<usize>>();
    let gold: Vec<f64> = labelled.iter().filter_map(|item| item.gold).collect();
    let (on_labelled, on_rest) = (judge(labelled), judge(rest));
    let data = Labelled { gold: &gold, judge: &on_labelled, judge_unlabelled: &on_rest };
    let (labelled, unlabelled) = (units(labelled), units(rest));
    let groups = grouped.then_some(Groups { labelled: &labelled, unlabelled: &unlabelled });
    ppi_mean_adjusted(data, groups, Level::P95)
}

/// Where every item is labelled the labels are the answer; the interval is over units.
fn gold_mean(evidence: &Evidence, all: &[Judged]) -> Result<Correction, Missing> {
    let gold: Vec<f64> = all.iter().filter_map(|item| item.gold).collect();
    let units: Vec<usize> = all.iter().map(|item| item.unit).collect();
    let labelled = all.len() as u64;
    let with_gold = evidence.items.items.iter().filter(|item| item.gold_label().is_some()).count() as u64;
    // A judge that says one thing only gets no weight: what is left is the mean of the labels.
    let silent = vec![0.0; gold.len()];
    let data = Labelled { gold: &gold, judge: &silent, judge_unlabelled: &[0.0] };
    let grouped = is_grouped(all);
    let groups = grouped.then_some(Groups { labelled: &units, unlabelled: &[usize::MAX] });
    let found = ppi_mean_adjusted(data, groups, Level::P95).map_err(|_| Missing::Spread)?.estimate;
    let mean = Estimate { method: if grouped { "mean_adjusted_clustered" } else { "mean_adjusted" }, ..found };
    Ok(Correction {
        method: Some(Method::GoldMean),
        raw: evidence.score.clone(),
        corrected: Ok(mean),
        inputs: Inputs::Gold { labelled, without_outcome: with_gold - labelled },
        valid_when: Some(ValidWhen::EveryItemIsLabelled),
        missing: Vec::new(),
    })
}

fn by_accuracy(evidence: &Evidence, accuracy: Option<&JudgeAccuracy>) -> Result<Correction, Missing> {
    let accuracy = accuracy.ok_or(Missing::Certificate)?;
    let decided = evidence.decided.as_ref().map_err(|_| Missing::DecidedItems)?;
    let wins = WorthShare::of(decided);
    let right = WorthShare { share: accuracy.k as f64 / accuracy.n as f64, worth: accuracy.worth };
    // The only absence that sound inputs leave is an accuracy that may be chance.
    let corrected = pooled_correction(wins, right, Level::P95).map_err(|_| Missing::InformativeJudge)?;
    Ok(Correction {
        method: Some(Method::RoganGladenPooled),
        raw: evidence.decided.clone(),
        corrected: Ok(Estimate { n: decided.n, ..corrected }),
        inputs: Inputs::Pooled {
            wins: decided.k.unwrap_or_default(),
            decided: decided.n,
            decided_worth: wins.worth,
            accuracy_lower: clopper_pearson_real(right.share, right.worth, Level::P95).0,
            unclipped: (wins.share + right.share - 1.0) / (2.0 * right.share - 1.0),
            accuracy: accuracy.clone(),
        },
        valid_when: Some(ValidWhen::JudgeErrsAsOnItsGold),
        missing: Vec::new(),
    })
}

#[cfg(test)]
#[path = "correction_tests.rs"]
mod tests;
