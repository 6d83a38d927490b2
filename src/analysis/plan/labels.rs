//! How many gold labels make a criterion of the gate decidable? The gate's own rule, turned round.

use serde::Serialize;

use super::super::criteria::FORESEEABLE;
use super::super::gate::{Criterion, DecideOn, Decision, Gate, GateRules, Limit, Rule};
use super::Basis;
use crate::stats::clustered::clopper_pearson_real;
use crate::stats::proportion::smallest_certifying_n;
use crate::stats::{Level, NotEstimable};

/// One-sided risk of every deciding interval of the gate.
const ALPHA: f64 = 0.05;

/// An agreement of a decent judge, where no pilot tells.
pub(super) const AGREEMENT: f64 = 0.85;

/// Where the value of a criterion comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LabelSource {
    /// The pilot's judge on its gold labels.
    Pilot,
    /// A default: a decent judge.
    Default,
    /// Nobody knows without a pilot that has gold labels.
    Unknown,
    /// It is decided on the point, at any number of labels.
    Point,
}

/// The labels of one criterion.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LabelRow {
    /// The criterion.
    pub criterion: String,
    /// Where the figure has to be.
    pub limit: Limit,
    /// The figure that is assumed.
    pub assumed: Option<f64>,
    /// Where that comes from.
    pub source: LabelSource,
    /// Units from which on the assumed figure decides; `None` where that is unknown, or beyond any foreseeable number.
    pub labels: Option<u64>,
    /// What it would decide.
    pub decision: Option<Decision>,
    /// Fewest units at which a judge without a single error passes; for shares.
    pub at_best: Option<u64>,
}

/// One row a criterion, those of the pilot where its judge was tried. The flip rate needs no label: without any it is the
/// pilot's, else the one that the items are planned with.
pub(super) fn rows(rules: &GateRules, gate: Option<&Gate>, basis: &Basis) -> Result<Vec<LabelRow>, NotEstimable> {
    let deff = basis.design_effect;
    let flip_rate = match &basis.pilot {
        None => Some((basis.flips, LabelSource::Default)),
        Some(pilot) => pilot.flip_rate.map(|rate| (rate, LabelSource::Pilot)),
    };
    let named = [
        ("agreement_decisive", rules.agreement_decisive, Some((AGREEMENT, LabelSource::Default))),
        ("kappa_strict", rules.kappa_strict, None),
        ("flip_rate", rules.flip_rate, flip_rate),
        ("length_error_gap", rules.length_error_gap, None),
        ("no_verdict_rate", rules.no_verdict_rate, None),
        ("beats_controls", rules.beats_controls, None),
    ];
    let rows = named.into_iter().map(|(name, rule, usual)| {
        let tried = gate.and_then(|gate| gate.criteria.iter().find(|criterion| criterion.name == name));
        let row = match tried {
            Some(criterion) if criterion.decided_on.is_ok() => of_pilot(criterion),
            _ => of_default(name, rule, usual, deff),
        };
        Ok(LabelRow { at_best: at_best(name, rule, deff)?, ..row })
    });
    rows.collect()
}

fn of_pilot(criterion: &Criterion) -> LabelRow {
    let on = criterion.decided_on.as_ref().ok();
    let decided = criterion.decision != Decision::Inconclusive;
    let labels = if decided { on.map(|estimate| estimate.n) } else { criterion.labels_needed };
    let source = if criterion.decide == DecideOn::Point { LabelSource::Point } else { LabelSource::Pilot };
    let is_decidable = labels.is_some() || source == LabelSource::Point;
    LabelRow {
        criterion: criterion.name.clone(),
        limit: criterion.limit,
        assumed: on.map(|estimate| estimate.point),
        source,
        labels,
        decision: on.filter(|_| is_decidable).map(|found| criterion.limit.decide(found.point, found.point)),
        at_best: None,
    }
}

fn of_default(name: &str, rule: Rule, usual: Option<(f64, LabelSource)>, deff: f64) -> LabelRow {
    let source = match (rule.decide, usual) {
        (DecideOn::Point, _) => LabelSource::Point,
        (DecideOn::Interval, Some((_, source))) => source,
        (DecideOn::Interval, None) => LabelSource::Unknown,
    };
    let assumed = usual.filter(|_| source != LabelSource::Point).map(|(share, _)| share);
    let needed = assumed.and_then(|share| deciding(share, rule.limit));
    LabelRow {
        criterion: name.to_owned(),
        limit: rule.limit,
        assumed,
        source,
        labels: needed.map(|n| super::whole(n as f64 * deff)),
        decision: assumed.filter(|_| needed.is_some()).map(|share| rule.limit.decide(share, share)),
        at_best: None,
    }
}

/// The smallest number of independent units from which on the exact interval around `share` decides. Units are whole: of
/// 58 at 85 % it is 49 that count, not 49.3, the number next to it on the side of the limit.
fn deciding(share: f64, limit: Limit) -> Option<u64> {
    let decides = |share: f64, n: u64| {
        let (lower, upper) = clopper_pearson_real(share, n as f64, Level::P90);
        limit.decide(lower, upper) != Decision::Inconclusive
    };
    let towards = match limit {
        Limit::Max(border) | Limit::Min(border) | Limit::Above(border) | Limit::Within(border) => border - share,
    };
    let counted = |n: u64| {
        let count = share * n as f64;
        // A product such as 0.15 · 20 is whole but for its last digit.
        let count = if (count - count.round()).abs() < 1e-9 { count.round() } else { count };
        (if towards < 0.0 { count.floor() } else { count.ceil() }) / n as f64
    };
    // One unit nearer to the limit than any rounding: where even that decides, everything beyond does.
    let safe = |n: u64| decides((share + towards.signum() / n as f64).clamp(0.0, 1.0), n);
    if !safe(FORESEEABLE) {
        return None;
    }
    let (mut no, mut yes) = (0, FORESEEABLE);
    while yes - no > 1 {
        let middle = no + (yes - no) / 2;
        if safe(middle) { yes = middle } else { no = middle }
    }
    while yes > 1 && decides(counted(yes - 1), yes - 1) {
        yes -= 1;
    }
    Some(yes)
}

/// The fewest units without an error that certify the limit of a share.
fn at_best(name: &str, rule: Rule, deff: f64) -> Result<Option<u64>, NotEstimable> {
    if rule.decide == DecideOn::Point || !["agreement_decisive", "flip_rate", "no_verdict_rate"].contains(&name) {
        return Ok(None);
    }
    let error = match rule.limit {
        Limit::Max(most) => most,
        Limit::Min(least) => 1.0 - least,
        Limit::Above(_) | Limit::Within(_) => return Ok(None),
    };
    if !(error > 0.0 && error < 1.0) {
        return Ok(None);
    }
    Ok(Some(super::whole(smallest_certifying_n(0, error, ALPHA)? as f64 * deff)))
}
