//! Which of two judges is closer to the labels, on the same items? Every pair of judges on trial, paired by item.

use std::collections::BTreeMap;

use serde::Serialize;

use super::kappa::kappa_of_table;
use super::means::half_credit_of;
use super::outcome::{Outcome, Row, Sheet};
use crate::domain::{GoldSet, JudgeName, Preference};
use crate::stats::agreement::Confusion;
use crate::stats::binomial::mcnemar;
use crate::stats::bounded::t_adjusted;
use crate::stats::clustered::wilson_clustered;
use crate::stats::multiplicity::{Adjustment, adjust};
use crate::stats::paired::{PairedTable, tango_difference};
use crate::stats::proportion::wilson;
use crate::stats::resample::Resampling;
use crate::stats::{Estimate, Figure, Level, NotEstimable, Reason};

/// Judges whose pairs are compared one by one. More of them make more pairs than anybody reads.
pub const MOST_JUDGES: usize = 20;

/// Resamples for the kappa of two judges; no gate depends on it.
const KAPPA_RESAMPLES: usize = 2_000;

/// Two judges on the same items. Every difference is `a` minus `b`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Versus {
    /// The judge whose name comes first.
    pub a: JudgeName,
    /// The other one.
    pub b: JudgeName,
    /// Rows that either was asked about, by who has a combined verdict.
    pub verdicts: Overlap,
    /// Whose combined verdict is the label, over labelled rows on which both have one.
    pub right: Paired,
    /// Difference of half-credit agreement over the same rows.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub half_credit: Figure,
    /// Whose verdict flips with the order, over rows that both judged in both orders.
    pub flips: Paired,
    /// Share of rows with the same combined verdict, labelled or not.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub agreement: Figure,
    /// The same beyond chance (Cohen's kappa).
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub kappa: Figure,
    /// Double fault: share of labelled rows on which both are wrong.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub both_wrong: Figure,
    /// What the missing verdicts could make of the difference of strict agreement.
    pub bounds: WorstCase,
}

/// Which of two judges has a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Overlap {
    /// Both.
    pub both: u64,
    /// The first alone.
    pub only_a: u64,
    /// The second alone.
    pub only_b: u64,
    /// Neither.
    pub none: u64,
}

/// A yes or no of two judges on the same rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Paired {
    /// Rows with a yes of both.
    pub both: u64,
    /// Rows with a yes of the first alone.
    pub a_only: u64,
    /// Rows with a yes of the second alone.
    pub b_only: u64,
    /// Rows with a no of both.
    pub neither: u64,
    /// Units with more rows of the first alone, and with more of the second alone: what the tests count. The same as
    /// `a_only` and `b_only` where no two rows share a unit.
    pub voices: [u64; 2],
    /// Exact McNemar p; 1 where the two never differ.
    pub p_exact: f64,
    /// Mid-p.
    pub p_mid: f64,
    /// The exact p after Holm's correction over its family: all pairs of judges, or all members of a jury.
    pub p_holm: f64,
    /// Share of the first minus share of the second: Tango over rows, t over units where rows share one.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub difference: Figure,
}

/// The difference of strict agreement over all labelled rows that either judge was asked about, missing verdicts at their worst.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct WorstCase {
    /// Missing verdicts of the first all wrong, of the second all right.
    pub lower: Option<f64>,
    /// Missing verdicts of the first all right, of the second all wrong.
    pub upper: Option<f64>,
    /// Labelled rows with a missing verdict.
    pub missing: u64,
}

/// The rows of several judges side by side.
pub(super) struct Lineup<'a> {
    pub names: Vec<&'a JudgeName>,
    pub lines: Vec<Line<'a>>,
    /// True where two lines share a resampling unit.
    pub clustered: bool,
    pub units: usize,
    /// Rows left out since too few judges were asked about them.
    pub left_out: usize,
    pub has_gold: bool,
}

/// One item and repeat that some judge was asked about.
pub(super) struct Line<'a> {
    pub item: usize,
    pub repeat: u32,
    pub unit: usize,
    pub gold: Option<Preference>,
    /// The row of each judge; none where it was not asked.
    pub rows: Vec<Option<&'a Row>>,
}

impl Line<'_> {
    /// The combined verdict of one judge.
    pub(super) fn said(&self, judge: usize) -> Option<Preference> {
        self.rows[judge].and_then(Row::combined)
    }
}

impl<'a> Lineup<'a> {
    /// The judges in the order of `sheets`, items in the order of the set: those that `least` judges or more were asked about.
    pub(super) fn new(gold: &'a GoldSet, sheets: &[&'a Sheet], least: usize) -> Self {
        let mut by_row: BTreeMap<(usize, u32), Vec<Option<&Row>>> = BTreeMap::new();
        for (judge, sheet) in sheets.iter().enumerate() {
            for row in &sheet.rows {
                by_row.entry((row.item, row.repeat)).or_insert_with(|| vec![None; sheets.len()])[judge] = Some(row);
            }
        }
        let all = by_row.len();
        by_row.retain(|_, rows| rows.iter().flatten().count() >= least);
        let mut names = std::collections::HashMap::new();
        let lines: Vec<Line> = by_row
            .into_iter()
            .map(|((item, repeat), rows)| {
                let next = names.len();
                let unit = *names.entry(gold.items[item].unit()).or_insert(next);
                Line { item, repeat, unit, gold: gold.items[item].gold_label(), rows }
            })
            .collect();
        Self {
            names: sheets.iter().map(|sheet| &sheet.judge).collect(),
            clustered: names.len() < lines.len(),
            units: names.len(),
            left_out: all - lines.len(),
            has_gold: lines.iter().any(|line| line.gold.is_some()),
            lines,
        }
    }

    /// Why a figure that needs labels has no rows.
    pub(super) fn unlabelled(&self) -> Reason {
        if self.has_gold { Reason::Empty } else { Reason::NoGold }
    }

    /// A share over lines: Wilson, over units where lines share one.
    pub(super) fn share(&self, reason: Reason, of: impl Fn(&Line) -> Option<bool>) -> Figure {
        let counts = self.by_unit(|line| of(line).map(|yes| [f64::from(u8::from(yes)), 1.0]));
        counted(&counts, self.clustered, reason)
    }

    /// A mean of differences in −1..=1 over lines: t over units, and half a unit more at each end, since judges rarely differ.
    pub(super) fn difference(&self, reason: Reason, of: impl Fn(&Line) -> Option<f64>) -> Figure {
        let sums = self.by_unit(|line| of(line).map(|value| [value, 1.0]));
        if sums.is_empty() {
            return Err(NotEstimable::with_n(reason, 0));
        }
        let n = whole(sums.iter().map(|[_, weight]| weight).sum());
        let units: Vec<(f64, f64)> = sums.into_iter().map(|[sum, weight]| (sum, weight)).collect();
        t_adjusted(&units, [-1.0, 1.0], Level::P95).map(|found| Estimate { n, ..found })
    }

    /// Sums by unit, units without any left out.
    pub(super) fn by_unit<const N: usize>(&self, of: impl Fn(&Line) -> Option<[f64; N]>) -> Vec<[f64; N]> {
        let mut sums: Vec<Option<[f64; N]>> = vec![None; self.units];
        for line in &self.lines {
            if let Some(values) = of(line) {
                let sum = sums[line.unit].get_or_insert([0.0; N]);
                sum.iter_mut().zip(values).for_each(|(total, value)| *total += value);
            }
        }
        sums.into_iter().flatten().collect()
    }

    /// The yes or no of two judges over the lines on which both have one.
    pub(super) fn paired(&self, reason: Reason, of: impl Fn(&Line) -> Option<(bool, bool)>) -> Paired {
        let cells = |line: &Line| {
            of(line).map(|(a, b)| [a && b, a && !b, b && !a, !a && !b].map(|yes| f64::from(u8::from(yes))))
        };
        let by_unit = self.by_unit(cells);
        let count = |cell: usize| whole(by_unit.iter().map(|unit| unit[cell]).sum());
        let [both, a_only, b_only, neither] = [0, 1, 2, 3].map(count);
        let voices = [
            by_unit.iter().filter(|unit| unit[1] > unit[2]).count() as u64,
            by_unit.iter().filter(|unit| unit[2] > unit[1]).count() as u64,
        ];
        let test = mcnemar(voices[0], voices[1]);
        let table = PairedTable { both, first_only: a_only, second_only: b_only, neither };
        let difference = if table.n() == 0 {
            Err(NotEstimable::with_n(reason, 0))
        } else if self.clustered {
            self.difference(reason, |line| of(line).map(|(a, b)| f64::from(u8::from(a)) - f64::from(u8::from(b))))
        } else {
            tango_difference(table, Level::P95)
        };
        let (p_exact, p_mid) = (test.p_exact, test.p_mid);
        Paired { both, a_only, b_only, neither, voices, p_exact, p_mid, p_holm: p_exact, difference }
    }
}

/// A share given as `(k, n)` by unit.
pub(super) fn counted(by_unit: &[[f64; 2]], clustered: bool, reason: Reason) -> Figure {
    let counts: Vec<(u64, u64)> = by_unit.iter().map(|[k, n]| (whole(*k), whole(*n))).filter(|(_, n)| *n > 0).collect();
    if counts.is_empty() {
        return Err(NotEstimable::with_counts(reason, 0, 0));
    }
    if clustered {
        return wilson_clustered(&counts, Level::P95);
    }
    wilson(counts.iter().map(|(k, _)| k).sum(), counts.iter().map(|(_, n)| n).sum(), Level::P95)
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count, summed as a weight")]
fn whole(count: f64) -> u64 {
    count.round() as u64
}

/// Every pair of judges, in the order of the lineup; none beyond [`MOST_JUDGES`].
pub(super) fn versus(lineup: &Lineup, resampling: &Resampling) -> Vec<Versus> {
    let judges = lineup.names.len();
    if judges > MOST_JUDGES {
        return Vec::new();
    }
    let resampling = Resampling { resamples: resampling.resamples.min(KAPPA_RESAMPLES), ..*resampling };
    let mut pairs: Vec<Versus> = (0..judges)
        .flat_map(|a| (a + 1..judges).map(move |b| [a, b]))
        .map(|pair| of_pair(lineup, pair, &resampling))
        .collect();
    holm(pairs.iter_mut().map(|pair| &mut pair.right).collect());
    holm(pairs.iter_mut().map(|pair| &mut pair.flips).collect());
    pairs
}

/// Corrects the exact p-values of one family.
pub(super) fn holm(mut family: Vec<&mut Paired>) {
    let raw: Vec<f64> = family.iter().map(|paired| paired.p_exact).collect();
    if let Ok(adjusted) = adjust(&raw, Adjustment::Holm) {
        family.iter_mut().zip(adjusted).for_each(|(paired, p)| paired.p_holm = p);
    }
}

fn of_pair(lineup: &Lineup, [a, b]: [usize; 2], resampling: &Resampling) -> Versus {
    let both = |line: &Line| line.said(a).zip(line.said(b));
    let labelled = |line: &Line| line.gold.zip(both(line));
    let flips = |line: &Line| flipped(line.rows[a]).zip(flipped(line.rows[b]));
    let folded = lineup.lines.iter().any(|line| [a, b].iter().any(|judge| line.rows[*judge].is_some_and(|r| r.folded)));
    Versus {
        a: lineup.names[a].clone(),
        b: lineup.names[b].clone(),
        verdicts: overlap(lineup, [a, b]),
        right: lineup.paired(lineup.unlabelled(), |line| labelled(line).map(|(gold, (a, b))| (a == gold, b == gold))),
        half_credit: lineup.difference(lineup.unlabelled(), |line| {
            labelled(line).map(|(gold, (a, b))| half_credit_of(gold, a) - half_credit_of(gold, b))
        }),
        flips: lineup.paired(if folded { Reason::DirectionUnknown } else { Reason::Empty }, flips),
        agreement: lineup.share(Reason::Empty, |line| both(line).map(|(a, b)| a == b)),
        kappa: kappa(lineup, both, resampling),
        both_wrong: lineup
            .share(lineup.unlabelled(), |line| labelled(line).map(|(gold, (a, b))| a != gold && b != gold)),
        bounds: bounds(lineup, [a, b]),
    }
}

/// Whether a row with both orders is a flip.
fn flipped(row: Option<&Row>) -> Option<bool> {
    let row = row.filter(|row| row.has_direction())?;
    Some(matches!(row.outcome(), Outcome::FlipFirst | Outcome::FlipSecond))
}

fn overlap(lineup: &Lineup, [a, b]: [usize; 2]) -> Overlap {
    let mut found = Overlap::default();
    for line in lineup.lines.iter().filter(|line| line.rows[a].is_some() || line.rows[b].is_some()) {
        let count = match (line.said(a), line.said(b)) {
            (Some(_), Some(_)) => &mut found.both,
            (Some(_), None) => &mut found.only_a,
            (None, Some(_)) => &mut found.only_b,
            (None, None) => &mut found.none,
        };
        *count += 1;
    }
    found
}

fn kappa(lineup: &Lineup, of: impl Fn(&Line) -> Option<(Preference, Preference)>, resampling: &Resampling) -> Figure {
    let mut cells = vec![0_u64; 9];
    for (a, b) in lineup.lines.iter().filter_map(&of) {
        cells[a.index() * 3 + b.index()] += 1;
    }
    let table = Confusion::from_cells(3, cells)?;
    let by_unit = || {
        let cells = lineup.by_unit(|line| {
            of(line).map(|(a, b)| {
                let mut cells = [0.0; 9];
                cells[a.index() * 3 + b.index()] = 1.0;
                cells
            })
        });
        cells.into_iter().map(Vec::from).collect()
    };
    kappa_of_table(&table, lineup.clustered.then(by_unit), Level::P95, resampling)
}

fn bounds(lineup: &Lineup, [a, b]: [usize; 2]) -> WorstCase {
    let (mut n, mut missing, mut lower, mut upper) = (0_u64, 0_u64, 0_i64, 0_i64);
    for line in lineup.lines.iter().filter(|line| line.rows[a].is_some() || line.rows[b].is_some()) {
        let Some(gold) = line.gold else { continue };
        let right = |judge: usize| line.said(judge).map(|said| i64::from(said == gold));
        let [one, other] = [right(a), right(b)];
        n += 1;
        missing += u64::from(one.is_none() || other.is_none());
        lower += one.unwrap_or(0) - other.unwrap_or(1);
        upper += one.unwrap_or(1) - other.unwrap_or(0);
    }
    let mean = |sum: i64| (n > 0).then(|| sum as f64 / n as f64);
    WorstCase { lower: mean(lower), upper: mean(upper), missing }
}

#[cfg(test)]
#[path = "versus_tests.rs"]
pub(super) mod tests;
