//! May we stop asking already? Looks at completed prefixes of a shuffled order of the units.
//!
//! The order is drawn once, from the seed, so it has nothing to do with the outcome; a look happens only where every unit
//! of a prefix has its answers. How fast which answer came changes nothing. Each unit has one score, the mean of its
//! outcomes, and the confidence sequence of these scores holds at all looks together, so stopping at the first look that
//! decides costs nothing of its level.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;

use super::compare::{self, Comparison, Favours};
use super::outcome::{self, Outcome, Sheet};
use super::prereg::Held;
use super::warning::Warning;
use crate::domain::{GoldSet, JudgeName, Judgment, Said, Unit};
use crate::stats::sequential::kelly_sequence;
use crate::stats::{Estimate, Figure, Level, Seed};

/// Fewest units between two looks: with both orders they keep a usual number of calls open.
const LEAST_STEP: usize = 16;

/// A step is this part of the units that are left: some fifty looks for a thousand units.
const STEP_PART: usize = 20;

/// Bets of the Kelly grid on each side, as in Waudby-Smith and Ramdas 2024.
pub(super) const BETS: u32 = 10;

/// When it is decided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rule {
    /// The sequence excludes ½.
    Separated,
    /// It excludes ½, or lies wholly within this distance of it: no difference that matters.
    Equivalent(f64),
    /// It is wholly above ½ minus this margin, or wholly below.
    NoWorse(f64),
}

impl Rule {
    /// `separated`, `separated_or_equivalent` or `no_worse`, as in the machine output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Separated => "separated",
            Self::Equivalent(_) => "separated_or_equivalent",
            Self::NoWorse(_) => "no_worse",
        }
    }

    /// The margin on the win rate, where the rule has one.
    pub fn margin(self) -> Option<f64> {
        match self {
            Self::Separated => None,
            Self::Equivalent(margin) | Self::NoWorse(margin) => Some(margin),
        }
    }

    /// Whether the sequence of the win rate decides; nothing is separated while the graded score points to the other side.
    fn decides(self, rate: &Estimate, graded: &Estimate) -> bool {
        let opposed = (rate.point - 0.5) * (graded.point - 0.5) < 0.0;
        let separated = !opposed && (rate.lower > 0.5 || rate.upper < 0.5);
        match self {
            Self::Separated => separated,
            Self::Equivalent(margin) => separated || (rate.lower >= 0.5 - margin && rate.upper <= 0.5 + margin),
            Self::NoWorse(margin) => rate.lower > 0.5 - margin || rate.upper < 0.5 - margin,
        }
    }
}

/// Where the judgments come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// They were asked for step by step; a run over everything would have asked for `planned` of them.
    Asked {
        /// Judgments of a run to the end.
        planned: u64,
    },
    /// All of them were recorded before: what stopping would have saved is a simulation.
    Recorded,
}

/// What stopping depends on beside the data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// When it is decided.
    pub rule: Rule,
    /// Level of the confidence sequence, over all looks together.
    pub level: Level,
    /// Seed of the order.
    pub seed: u64,
    /// Where the judgments come from.
    pub evidence: Evidence,
}

/// How a comparison came to stop where it did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stopping {
    /// When it was to be decided: `separated`, `separated_or_equivalent`, `no_worse`.
    pub rule: &'static str,
    /// The margin on the win rate, where the rule has one.
    pub margin: Option<f64>,
    /// Chance of a wrong separation, over all looks together.
    pub alpha: f64,
    /// Seed of the order.
    pub seed: u64,
    /// Units of the prefix that was used.
    pub units_used: u64,
    /// All units.
    pub units_total: u64,
    /// Items of the prefix.
    pub items_used: u64,
    /// All items.
    pub items_total: u64,
    /// Units of the prefix in which no item has a verdict in both orders: counted, left out.
    pub without_verdict: u64,
    /// Looks taken.
    pub looks: u64,
    /// Whether the rule was met; else everything was used.
    pub decided: bool,
    /// The mean of the units' scores with its confidence sequence: the interval of record.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub sequence: Figure,
    /// Judgments behind the prefix.
    pub calls_used: u64,
    /// Judgments that a run to the end would have asked for beside these.
    pub calls_saved: u64,
    /// US dollars saved at the mean cost of the judgments used; `None` where the cost of one is unknown.
    pub usd_saved: Option<f64>,
    /// True where every judgment was recorded before, so nothing was saved in fact.
    pub simulated: bool,
}

impl Stopping {
    /// Whether units were left unused.
    pub fn is_early(&self) -> bool {
        self.units_used < self.units_total
    }
}

/// The order in which units are used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Course {
    /// The items of each unit by their index in the set, in the order of use.
    units: Vec<Vec<usize>>,
}

/// One look.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    /// Units of the prefix.
    pub used: usize,
    /// When it is decided.
    pub rule: Rule,
    /// Level of the sequence.
    pub level: Level,
}

impl Course {
    /// The order that a seed gives: a shuffle of the units sorted by name, whatever the order of the file.
    pub fn new(items: &GoldSet, seed: u64) -> Self {
        let mut units: BTreeMap<Unit<'_>, Vec<usize>> = BTreeMap::new();
        for (index, item) in items.items.iter().enumerate() {
            units.entry(item.unit()).or_default().push(index);
        }
        let mut units: Vec<Vec<usize>> = units.into_values().collect();
        Seed(seed).child("stopping").stream(0).shuffle(&mut units);
        Self { units }
    }

    /// The items of each unit, in the order of use.
    pub fn units(&self) -> &[Vec<usize>] {
        &self.units
    }

    /// The prefix of the next look after one of `used` units: a function of the numbers alone, so that no look depends
    /// on how many calls are open. `None` at the end.
    pub fn next_look(&self, used: usize) -> Option<usize> {
        let left = self.units.len() - used.min(self.units.len());
        (left > 0).then(|| used + left.div_ceil(STEP_PART).max(LEAST_STEP).min(left))
    }

    /// Whether the first `used` units decide, by the judgments of at least these.
    pub fn is_decided(&self, items: &GoldSet, judgments: &[Judgment], judge: &JudgeName, look: Look) -> bool {
        let scores = self.scores(items, &sheet(items, judgments, judge));
        Sequences::of(&scores[..look.used], look.level).decide(look.rule)
    }

    /// The mean score of each unit, in the order of use; `None` where no item has a verdict in both orders.
    fn scores(&self, items: &GoldSet, sheet: &Sheet) -> Vec<Option<UnitScore>> {
        let mut outcomes: Vec<Vec<Outcome>> = vec![Vec::new(); items.items.len()];
        for row in &sheet.rows {
            outcomes[row.item].push(row.outcome());
        }
        for (item, outcomes) in items.items.iter().zip(&mut outcomes) {
            if item.identical && outcomes.is_empty() {
                outcomes.push(Outcome::Tie);
            }
        }
        self.units.iter().map(|unit| UnitScore::of(unit.iter().flat_map(|item| &outcomes[*item]))).collect()
    }
}

#[derive(Debug, Clone, Copy)]
struct UnitScore {
    plain: f64,
    graded: f64,
}

impl UnitScore {
    fn of<'a>(outcomes: impl Iterator<Item = &'a Outcome>) -> Option<Self> {
        let (mut plain, mut graded, mut n) = (0.0, 0.0, 0.0);
        for (score, grade) in outcomes.filter_map(|outcome| outcome.score().zip(outcome.graded_score())) {
            plain += score;
            graded += grade;
            n += 1.0;
        }
        (n > 0.0).then(|| Self { plain: plain / n, graded: graded / n })
    }
}

/// The confidence sequences of a prefix.
struct Sequences {
    rate: Figure,
    graded: Figure,
}

impl Sequences {
    fn of(scores: &[Option<UnitScore>], level: Level) -> Self {
        let of =
            |score: fn(&UnitScore) -> f64| sequence(&scores.iter().flatten().map(score).collect::<Vec<_>>(), level);
        Self { rate: of(|unit| unit.plain), graded: of(|unit| unit.graded) }
    }

    fn decide(&self, rule: Rule) -> bool {
        matches!((&self.rate, &self.graded), (Ok(rate), Ok(graded)) if rule.decides(rate, graded))
    }
}

/// The mean of scores in 0..=1 with its confidence sequence, by the Kelly grid: it holds its level whatever the scores, and
/// stops about as soon as the beta mixture where every score is 0 or 1. Choosing between the two by the scores seen would
/// not: the choice follows the data.
pub(super) fn sequence(scores: &[f64], level: Level) -> Figure {
    kelly_sequence(scores, BETS, level)
}

/// The prefix of the next look, for so many units in all.
pub(super) fn looks(units: usize) -> Vec<usize> {
    let course = Course { units: vec![Vec::new(); units] };
    std::iter::successors(course.next_look(0), |used| course.next_look(*used)).collect()
}

fn sheet(items: &GoldSet, judgments: &[Judgment], judge: &JudgeName) -> Sheet {
    let own: Vec<Judgment> = judgments.iter().filter(|judgment| judgment.judge == *judge).cloned().collect();
    outcome::sheets(items, &own).pop().unwrap_or_else(|| Sheet::empty(judge, items))
}

/// Where it stops, and what is known then.
#[derive(Debug, Clone, PartialEq)]
pub struct Conclusion {
    /// The items of the prefix: all that a comparison may use.
    pub items: GoldSet,
    /// How it came to stop.
    pub stopping: Stopping,
    /// The graded score with its confidence sequence.
    pub score: Figure,
}

/// Stops at the first look that decides, else at the end. `judgments` are those of the prefix at least.
pub fn conclude(items: &GoldSet, judgments: &[Judgment], judge: &JudgeName, options: &Options) -> Conclusion {
    let course = Course::new(items, options.seed);
    let scores = course.scores(items, &sheet(items, judgments, judge));
    let (mut used, mut looks, mut decided) = (0, 0, false);
    while let Some(next) = course.next_look(used).filter(|_| !decided) {
        (used, looks) = (next, looks + 1);
        decided = Sequences::of(&scores[..used], options.level).decide(options.rule);
    }
    let Sequences { rate, graded } = Sequences::of(&scores[..used], options.level);
    let kept = course.units[..used].iter().flatten().map(|index| items.items[*index].clone()).collect();
    let prefix = GoldSet::new(items.name.clone(), items.digest, kept);
    let cost = Cost::of(&prefix, judgments, judge, options.evidence);
    let stopping = Stopping {
        rule: options.rule.as_str(),
        margin: options.rule.margin(),
        alpha: options.level.alpha(),
        seed: options.seed,
        units_used: used as u64,
        units_total: course.units.len() as u64,
        items_used: prefix.items.len() as u64,
        items_total: items.items.len() as u64,
        without_verdict: scores[..used].iter().filter(|score| score.is_none()).count() as u64,
        looks,
        decided,
        sequence: rate,
        calls_used: cost.used,
        calls_saved: cost.saved,
        usd_saved: cost.usd_saved,
        simulated: options.evidence == Evidence::Recorded,
    };
    Conclusion { items: prefix, stopping, score: graded }
}

/// What was asked for and what was not.
struct Cost {
    used: u64,
    saved: u64,
    usd_saved: Option<f64>,
}

impl Cost {
    fn of(prefix: &GoldSet, judgments: &[Judgment], judge: &JudgeName, evidence: Evidence) -> Self {
        let ids: HashSet<&str> = prefix.items.iter().map(|item| item.id.as_str()).collect();
        // A folded recording stands for both orders.
        let calls = |judgment: &Judgment| if matches!(judgment.said, Said::Folded(_)) { 2 } else { 1 };
        let (mut used, mut all, mut usd) = (0, 0, Some(0.0));
        for judgment in judgments.iter().filter(|judgment| judgment.judge == *judge) {
            all += calls(judgment);
            if ids.contains(judgment.item.as_str()) {
                used += calls(judgment);
                let cost = judgment.detail.as_ref().and_then(|detail| detail.cost_usd);
                usd = usd.zip(cost).map(|(sum, cost): (f64, f64)| sum + cost);
            }
        }
        let planned = match evidence {
            Evidence::Asked { planned } => planned,
            Evidence::Recorded => all,
        };
        let saved = planned.saturating_sub(used);
        let usd_saved = usd.filter(|sum| used > 0 && sum.is_finite()).map(|sum| sum / used as f64 * saved as f64);
        Self { used, saved, usd_saved }
    }
}

impl Conclusion {
    /// Makes the confidence sequence the interval of record of a comparison of [`Conclusion::items`]. Intervals for a
    /// number of items that was fixed before do not stand beside it: they do not hold where the data say when to stop.
    pub(super) fn enter(self, answer: &mut Comparison, options: &compare::Options) {
        answer.win_rate_intervals = vec![self.stopping.sequence.clone()];
        answer.win_rate.clone_from(&self.stopping.sequence);
        answer.score = self.score;
        answer.warnings.retain(|warning| !matches!(warning, Warning::FewUnits { .. }));
        if let Some(required) = &mut answer.requirement {
            required.held = Held::of(&answer.win_rate, required.bound);
        }
        answer.keep_open(options);
        (answer.decision, answer.reason) = decision(answer, &self.stopping);
        answer.stopping = Some(self.stopping);
    }
}

fn decision(answer: &Comparison, stopping: &Stopping) -> (Favours, String) {
    let Ok(rate) = &answer.win_rate else {
        return (Favours::Undecided, "no item has a verdict in both orders".to_owned());
    };
    let shown = format!(
        "win rate {:.1} %, {:.0} % confidence sequence {:.1} to {:.1} % of {}, after {} of {} units",
        rate.point * 100.0,
        rate.level * 100.0,
        rate.lower * 100.0,
        rate.upper * 100.0,
        answer.a,
        stopping.units_used,
        stopping.units_total,
    );
    let better = |one: &str, other: &str| format!("{one} is better than {other} on these items by this judge: {shown}");
    if answer.is_opposed() {
        (Favours::Undecided, format!("win rate and graded score point to different sides ({shown})"))
    } else if rate.lower > 0.5 {
        (Favours::A, better(&answer.a, &answer.b))
    } else if rate.upper < 0.5 {
        (Favours::B, better(&answer.b, &answer.a))
    } else if let Some(reason) = super::compare::no_worse(answer) {
        (Favours::Undecided, format!("{reason}; which of them is better is open: {shown}"))
    } else if let (true, Some(margin)) = (stopping.decided, stopping.margin) {
        let points = margin * 100.0;
        (
            Favours::Undecided,
            format!("the win rate is within {points:.1} points of 50 %, no difference that matters: {shown}"),
        )
    } else {
        (Favours::Undecided, format!("50 % is inside: {shown}"))
    }
}

#[cfg(test)]
#[path = "stopping_tests.rs"]
mod tests;
