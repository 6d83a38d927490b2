//! Does the longer response win? Scores in bins of the difference in length, with the fitted curve through them.

use serde::Serialize;

use crate::analysis::outcome::{Row, Sheet};
use crate::analysis::scores::{Scored, Scores};
use crate::domain::{GoldSet, Preference};
use crate::stats::length_control::{LengthRow, length_controlled_win_rate};
use crate::stats::resample::Resampling;
use crate::stats::{Estimate, Figure, NotEstimable, Reason};

/// Bins of equal size, at most. Odd, so that no cut falls on the middle, where no side to cut on is right for both systems.
const BINS: usize = 9;
/// Rows in a bin, at least: fewer give an interval that says nothing.
const LEAST: usize = 10;
/// Rows below which no curve is fitted, as for the length-controlled win rate.
const FEWEST: usize = 50;
/// Bars of the histogram, about.
const BARS: f64 = 16.0;
/// Points of the curve.
const POINTS: usize = 33;

/// The score of `a` by length of `a` minus length of `b`, in characters.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Length {
    /// Rows with both lengths and a score.
    pub n: u64,
    /// Bins of about equal size, by rising difference; they mirror when the sides are exchanged.
    pub bins: Vec<LengthBin>,
    /// How often each difference occurs, equal lengths in a bar of their own; the outer bars are open to the outside.
    pub counts: Vec<LengthCount>,
    /// The logistic curve through the single rows.
    #[serde(serialize_with = "super::or_absence")]
    pub fit: Result<LengthFit, NotEstimable>,
}

/// Rows whose difference in length lies in one range.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LengthBin {
    /// Smallest difference in it.
    pub from: i64,
    /// Largest difference in it.
    pub to: i64,
    /// Mean difference.
    pub mean_difference: f64,
    /// Mean score of `a` by the judge.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub score: Figure,
    /// Mean score of `a` by the human labels of the same rows.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub gold: Figure,
}

/// One bar of the histogram: `from ..  to`, the end left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LengthCount {
    /// Smallest difference; `None` is open.
    pub from: Option<i64>,
    /// First difference beyond; `None` is open.
    pub to: Option<i64>,
    /// Rows.
    pub n: u64,
}

/// `score = 1 / (1 + exp(-(slope * tanh(difference / spread) + intercept)))`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LengthFit {
    /// Effect of the difference.
    pub slope: f64,
    /// Log-odds at equal length.
    pub intercept: f64,
    /// Standard deviation of the differences.
    pub spread: f64,
    /// Points of the curve: difference, score.
    pub curve: Vec<[f64; 2]>,
    /// Rows it was fitted to.
    pub n: u64,
}

/// Not estimable: no row with a score (`empty`), a length missing (`not_recorded`).
pub(super) fn length(items: &GoldSet, sheet: &Sheet, resampling: &Resampling) -> Result<Length, NotEstimable> {
    let mut rows: Vec<(i64, Row)> = Vec::new();
    for row in sheet.rows.iter().filter(|row| row.outcome().score().is_some()) {
        let item = &items.items[row.item];
        let Some((a, b)) = item.length_a.zip(item.length_b) else {
            return Err(NotEstimable::with_n(Reason::NotRecorded, sheet.rows.len() as u64));
        };
        rows.push((i64::try_from(a).unwrap_or(i64::MAX).saturating_sub(i64::try_from(b).unwrap_or(i64::MAX)), *row));
    }
    if rows.is_empty() {
        return Err(NotEstimable::with_n(Reason::Empty, 0));
    }
    rows.sort_by_key(|(difference, row)| (*difference, row.item, row.repeat));
    let bins = (rows.len() / LEAST).clamp(1, BINS);
    let bins = if bins.is_multiple_of(2) { bins - 1 } else { bins };
    Ok(Length {
        n: rows.len() as u64,
        bins: cut(&rows, bins).into_iter().map(|part| bin(items, part, resampling)).collect(),
        counts: counts(&rows),
        fit: fit(&rows),
    })
}

/// Parts of about equal size in an odd number; equal differences stay together, so a part may be left out. The cuts of differences with
/// the other sign are the same ones seen from the other end: each is the place between unequal differences that is nearest to
/// where it should be, the one farther from the middle of two, and parts are made large enough from both ends inwards.
fn cut(rows: &[(i64, Row)], bins: usize) -> Vec<&[(i64, Row)]> {
    let n = rows.len();
    let places: Vec<usize> = (1..n).filter(|at| rows[*at].0 != rows[at - 1].0).collect();
    let nearest = |index: usize| {
        let far = |at: &usize| (at * bins).abs_diff(n * index);
        let from_middle = |at: &usize| (2 * at).abs_diff(n);
        places.iter().copied().min_by_key(|at| (far(at), std::cmp::Reverse(from_middle(at))))
    };
    let (mut low, mut high) = (vec![0], vec![n]);
    for index in 1..=bins / 2 {
        let below = nearest(index).filter(|at| at - low[low.len() - 1] >= LEAST && 2 * at <= n);
        let above = nearest(bins - index).filter(|at| high[high.len() - 1] - at >= LEAST && 2 * at >= n);
        low.extend(below);
        high.extend(above);
    }
    // A middle that is too small joins its neighbours.
    while high[high.len() - 1] - low[low.len() - 1] < LEAST && low.len() + high.len() > 2 {
        if high[high.len() - 1] == low[low.len() - 1] {
            high.pop();
            break;
        }
        let (left, right) = (low.len() > 1, high.len() > 1);
        if left {
            low.pop();
        }
        if right {
            high.pop();
        }
    }
    high.reverse();
    let edges: Vec<usize> = low.into_iter().chain(high).collect();
    edges.windows(2).map(|edge| &rows[edge[0]..edge[1]]).collect()
}

fn bin(items: &GoldSet, part: &[(i64, Row)], resampling: &Resampling) -> LengthBin {
    let own: Vec<Row> = part.iter().map(|(_, row)| *row).collect();
    let labelled: Vec<Row> = own.iter().filter_map(|row| as_labelled(*row, items)).collect();
    let score = |rows: &[Row]| -> Figure {
        let figure = Scores::of(items, rows, |_| false).intervals(Scored::Plain, resampling).swap_remove(0);
        figure.map(|estimate| Estimate { k: None, ..estimate })
    };
    LengthBin {
        from: part.first().map_or(0, |(difference, _)| *difference),
        to: part.last().map_or(0, |(difference, _)| *difference),
        mean_difference: part.iter().map(|(difference, _)| *difference as f64).sum::<f64>() / part.len() as f64,
        gold: if labelled.is_empty() {
            Err(NotEstimable::with_n(Reason::NoGold, own.len() as u64))
        } else {
            score(&labelled)
        },
        score: score(&own),
    }
}

/// The row as it would be had the judge said what the human label says.
fn as_labelled(row: Row, items: &GoldSet) -> Option<Row> {
    let label: Option<Preference> = items.items[row.item].gold_label();
    label.map(|label| Row { ab: Some(label), ba: Some(label), folded: false, folded_inconsistent: false, ..row })
}

/// Bars of one round width to either side of a bar for equal lengths, over the middle 98 %, open at both ends.
fn counts(rows: &[(i64, Row)]) -> Vec<LengthCount> {
    let outside = (rows.len() - 1) / 100;
    let (low, high) = (rows[outside].0, rows[rows.len() - 1 - outside].0);
    let rough = ((high - low) as f64 / BARS).max(1.0);
    let power = 10_f64.powf(rough.log10().floor());
    let wide = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| *step >= rough);
    #[allow(clippy::cast_possible_truncation, reason = "a whole number between 1 and the largest length")]
    let step = wide.unwrap_or(rough).ceil() as i64;
    // The bar of a difference, counted from that of equal lengths: 1..=step is bar 1, -step..=-1 bar -1.
    let place = |difference: i64| (difference.abs() + step - 1) / step * difference.signum();
    let edges = |bar: i64| match bar.signum() {
        1 => ((bar - 1) * step + 1, bar * step + 1),
        -1 => (bar * step, (bar + 1) * step),
        _ => (0, 1),
    };
    let (first, last) = (place(low), place(high));
    let mut bars: Vec<LengthCount> =
        (first..=last).map(|bar| LengthCount { from: Some(edges(bar).0), to: Some(edges(bar).1), n: 0 }).collect();
    for (difference, _) in rows {
        let at = usize::try_from(place(*difference).clamp(first, last) - first).unwrap_or(0);
        bars[at].n += 1;
    }
    let most = bars.len() - 1;
    if place(rows[0].0) < first {
        bars[0].from = None;
    }
    if rows.last().is_some_and(|(largest, _)| place(*largest) > last) {
        bars[most].to = None;
    }
    bars
}

fn fit(rows: &[(i64, Row)]) -> Result<LengthFit, NotEstimable> {
    let n = rows.len() as u64;
    if rows.len() < FEWEST {
        return Err(NotEstimable::with_n(Reason::TooFew, n));
    }
    let fitted: Vec<LengthRow> = rows
        .iter()
        .filter_map(|(difference, row)| {
            let preference = row.outcome().score()?;
            Some(LengthRow { preference, delta_length: *difference as f64, difficulty: 0.0 })
        })
        .collect();
    let found = length_controlled_win_rate(&fitted)?;
    let Some(&[slope, intercept]) = found.coefficients.as_deref() else {
        return Err(NotEstimable::with_n(Reason::Constant, n));
    };
    let mean = fitted.iter().map(|row| row.delta_length).sum::<f64>() / n as f64;
    let spread = (fitted.iter().map(|row| (row.delta_length - mean).powi(2)).sum::<f64>() / (n as f64 - 1.0)).sqrt();
    let (low, high) = (rows[rows.len() / 100].0 as f64, rows[rows.len() - 1 - rows.len() / 100].0 as f64);
    let curve = (0..POINTS).map(|index| {
        let difference = low + (high - low) * index as f64 / (POINTS - 1) as f64;
        [difference, 1.0 / (1.0 + (-(slope * (difference / spread).tanh() + intercept)).exp())]
    });
    Ok(LengthFit { slope, intercept, spread, curve: curve.collect(), n })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::analysis::outcome::Accounting;
    use crate::analysis::series::facts;
    use crate::domain::ItemFacts;
    use crate::stats::Seed;

    /// Items in which `a` is `difference` characters longer and wins where it is longer.
    fn longest_wins(differences: &[i64]) -> (GoldSet, Sheet) {
        let items = differences.iter().enumerate().map(|(index, difference)| ItemFacts {
            length_a: Some(u64::try_from(10_000 + difference).unwrap()),
            length_b: Some(10_000),
            ..facts(&format!("q{index:05}"))
        });
        let items = GoldSet::new("g", crate::domain::Digest::of(b"g"), items.collect());
        let rows = differences.iter().enumerate().map(|(item, difference)| {
            let said = Some(if *difference > 0 { Preference::A } else { Preference::B });
            Row { item, repeat: 0, ab: said, ba: said, folded: false, folded_inconsistent: false, planned: 2 }
        });
        let rows = rows.collect();
        (items, Sheet { judge: "j".into(), rows, accounting: Accounting::default() })
    }

    fn measured(differences: &[i64]) -> Length {
        let (items, sheet) = longest_wins(differences);
        length(&items, &sheet, &Resampling { resamples: 200, seed: Seed(1) }).unwrap()
    }

    #[test]
    fn bins_and_bars_hold_every_row_once_and_rise() {
        let differences: Vec<i64> = (0..230).map(|i| (i * 37) % 400 - 200).collect();
        let found = measured(&differences);
        assert_eq!(found.bins.len(), 9);
        let n = |bin: &LengthBin| bin.score.as_ref().unwrap().n;
        assert_eq!(found.bins.iter().map(n).sum::<u64>(), 230);
        assert_eq!(found.counts.iter().map(|bar| bar.n).sum::<u64>(), 230);
        assert!(found.bins.windows(2).all(|two| two[0].to < two[1].from));
        assert!(found.counts.windows(2).all(|two| two[0].to == two[1].from));
    }

    /// Which system is called `a` is a matter of names.
    #[test]
    fn exchanging_the_sides_mirrors_bins_and_bars() {
        let mut stream = Seed(6).child("mirror").stream(0);
        for case in 0..60_u64 {
            let (n, wide) = (
                1 + stream.below(150),
                match case % 3 {
                    0 => 3,
                    1 => 30,
                    _ => 4_000,
                },
            );
            let shift = stream.below(wide).cast_signed();
            let differences: Vec<i64> = (0..n).map(|_| stream.below(wide).cast_signed() - shift).collect();
            let swapped: Vec<i64> = differences.iter().map(|difference| -difference).collect();
            let (one, other) = (measured(&differences), measured(&swapped));
            let bins = |found: &Length| -> Vec<(i64, i64, u64)> {
                found.bins.iter().map(|bin| (bin.from, bin.to, bin.score.as_ref().unwrap().n)).collect()
            };
            let mirrored: Vec<_> = bins(&other).iter().rev().map(|(from, to, n)| (-to, -from, *n)).collect();
            assert_eq!(bins(&one), mirrored, "{differences:?}");
            assert!(bins(&one).len() == 1 || bins(&one).iter().all(|(_, _, n)| *n >= LEAST as u64), "{:?}", bins(&one));
            assert_eq!(one.bins.iter().map(|bin| bin.score.as_ref().unwrap().n).sum::<u64>(), n);
            let bars: Vec<_> = one.counts.iter().map(|bar| (bar.from, bar.to, bar.n)).collect();
            let edge = |edge: Option<i64>| edge.map(|edge| 1 - edge);
            let mirrored: Vec<_> = other.counts.iter().rev().map(|bar| (edge(bar.to), edge(bar.from), bar.n)).collect();
            assert_eq!(bars, mirrored, "{differences:?}");
        }
    }

    #[test]
    fn a_judge_of_length_scores_the_short_nothing_and_the_long_all() {
        let found = measured(&(0..100).map(|i| i * 4 - 201).collect::<Vec<_>>());
        assert_eq!(found.bins[0].score.as_ref().unwrap().point, 0.0);
        assert_eq!(found.bins.last().unwrap().score.as_ref().unwrap().point, 1.0);
        assert_eq!(found.bins[0].gold.as_ref().unwrap_err().reason, Reason::NoGold);
        assert_eq!(found.fit.unwrap_err().reason, Reason::Separated);
    }

    #[test]
    fn equal_differences_are_never_torn_apart() {
        let found = measured(&[5; 60]);
        assert_eq!((found.bins.len(), found.counts.len()), (1, 1));
        assert_eq!(found.fit.unwrap_err().reason, Reason::Constant);
    }
}
