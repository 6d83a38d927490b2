//! What a pilot tells a plan: the spread, never the effect.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::super::outcome::{self, Outcome, Sheet};
use crate::domain::{GoldSet, JudgeName, Judgment, Unit};
use crate::stats::mean::design_effect;
use crate::stats::variance::one_way;
use crate::stats::{NotEstimable, Reason};

/// The spread of a pilot's outcomes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pilot {
    /// Who judged.
    pub judge: JudgeName,
    /// Outcomes with a verdict in both orders.
    pub outcomes: u64,
    /// Items with one.
    pub items: u64,
    /// Resampling units.
    pub units: u64,
    /// Share of ties in both orders.
    pub ties: f64,
    /// Share of outcomes whose orders disagree.
    pub flips: f64,
    /// Share of flips alone, as the gate counts them; `None` where a disagreement was folded and nobody knows what it was.
    pub flip_rate: Option<f64>,
    /// How many times larger the variance of the mean is because items share a unit; 1 where none does.
    pub design_effect: f64,
    /// Variance between items and within one item's repeats; `None` without repeats.
    pub noise: Option<Noise>,
}

/// Where the variance of a score comes from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Noise {
    /// Variance of the items' own scores.
    pub item: f64,
    /// Variance of one judge's repeats.
    pub repeat: f64,
}

impl Pilot {
    /// What one judge's recorded verdicts tell.
    ///
    /// # Errors
    /// Fewer than two items with a verdict in both orders (`empty`, `too_few`).
    pub fn of(items: &GoldSet, judgments: &[Judgment], judge: &JudgeName) -> Result<Self, NotEstimable> {
        let own: Vec<Judgment> = judgments.iter().filter(|judgment| judgment.judge == *judge).cloned().collect();
        let sheet = outcome::sheets(items, &own).pop().unwrap_or_else(|| Sheet::empty(judge, items));
        let mut scores: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        let (mut ties, mut decided, mut flipped, mut folded, mut outcomes) = (0_u64, 0_u64, 0_u64, 0_u64, 0_u64);
        for row in &sheet.rows {
            let outcome = row.outcome();
            let Some(score) = outcome.score() else { continue };
            scores.entry(row.item).or_default().push(score);
            outcomes += 1;
            ties += u64::from(outcome == Outcome::Tie);
            decided += u64::from(matches!(outcome, Outcome::AWins | Outcome::BWins));
            flipped += u64::from(matches!(outcome, Outcome::FlipFirst | Outcome::FlipSecond));
            folded += u64::from(outcome == Outcome::Inconsistent);
        }
        match scores.len() {
            0 => return Err(NotEstimable::with_n(Reason::Empty, 0)),
            1 => return Err(NotEstimable::with_n(Reason::TooFew, 1)),
            _ => {}
        }
        let means: Vec<f64> = scores.values().map(|own| own.iter().sum::<f64>() / own.len() as f64).collect();
        let mut units: HashMap<Unit<'_>, usize> = HashMap::new();
        let groups: Vec<usize> = scores
            .keys()
            .map(|item| {
                let next = units.len();
                *units.entry(items.items[*item].unit()).or_insert(next)
            })
            .collect();
        let effect = if units.len() < means.len() { design_effect(&means, &groups).unwrap_or(1.0) } else { 1.0 };
        let rows: Vec<Vec<f64>> = scores.values().cloned().collect();
        let noise = one_way(&rows).ok().map(|found| Noise { item: found.var_item, repeat: found.var_repeat });
        let share = |count: u64| count as f64 / outcomes as f64;
        Ok(Self {
            judge: judge.clone(),
            outcomes,
            items: scores.len() as u64,
            units: units.len() as u64,
            ties: share(ties),
            flips: share(outcomes - ties - decided),
            flip_rate: (folded == 0).then(|| share(flipped)),
            design_effect: effect,
            noise,
        })
    }

    /// By what the variance of one item's score shrinks when each order is asked `repeats` times; 1 where unknown.
    pub fn repeat_factor(&self, repeats: u32) -> f64 {
        match self.noise {
            Some(Noise { item, repeat }) if item + repeat > 0.0 => {
                (item + repeat / f64::from(repeats.max(1))) / (item + repeat)
            }
            _ => 1.0,
        }
    }
}
