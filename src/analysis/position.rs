//! With repeats: how much of the disagreement between the orders is position, and how much is noise?

use std::collections::BTreeMap;

use super::shares::Cases;
use crate::domain::Order;
use crate::stats::repeats::{RepeatedItem, excesses, repeats};
use crate::stats::resample::t_clustered;
use crate::stats::{Estimate, Figure, Level, NotEstimable, Reason};

/// The verdicts of each item in each order over its repeats, as identities, with the item's resampling unit;
/// nothing where nothing was repeated.
fn by_item(cases: &Cases) -> Vec<(usize, RepeatedItem)> {
    if cases.all.iter().all(|case| case.row.repeat == 0) {
        return Vec::new();
    }
    let mut items: BTreeMap<usize, (usize, RepeatedItem)> = BTreeMap::new();
    for (case, unit) in cases.all.iter().zip(&cases.unit) {
        let empty = || (*unit, RepeatedItem { forward: Vec::new(), reverse: Vec::new() });
        let (_, item) = items.entry(case.row.item).or_insert_with(empty);
        for (order, said) in case.row.singles() {
            let verdicts = match order {
                Order::Ab => &mut item.forward,
                Order::Ba => &mut item.reverse,
            };
            verdicts.push(u32::try_from(said.index()).unwrap_or(0));
        }
    }
    items.into_values().collect()
}

/// Disagreement across the orders minus that within them, the mean over items: above zero it is position bias.
/// Not estimable without repeats.
pub(super) fn flip_excess(cases: &Cases) -> Figure {
    let items = by_item(cases);
    let mut units: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    let mut n = 0;
    for (unit, item) in &items {
        for excess in excesses(std::slice::from_ref(item)) {
            let sums = units.entry(*unit).or_default();
            *sums = (sums.0 + excess, sums.1 + 1.0);
            n += 1;
        }
    }
    if n == 0 {
        return Err(NotEstimable::with_n(Reason::NoRepeats, 0));
    }
    let pairs: Vec<(f64, f64)> = units.into_values().collect();
    t_clustered(&pairs, Level::P95).map(|estimate| Estimate { n, ..estimate })
}

/// Share of equal verdicts among pairs of repeats of one order, the mean over orders and items. Not estimable without repeats.
pub(super) fn repetition_stability(cases: &Cases) -> Figure {
    let mut units: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    let mut n = 0;
    for (unit, item) in by_item(cases) {
        for verdicts in [item.forward, item.reverse] {
            let one = RepeatedItem { forward: verdicts, reverse: Vec::new() };
            if let Some(stability) = repeats(&[one]).ok().and_then(|found| found.stability) {
                let sums = units.entry(unit).or_default();
                *sums = (sums.0 + stability, sums.1 + 1.0);
                n += 1;
            }
        }
    }
    if n == 0 {
        return Err(NotEstimable::with_n(Reason::NoRepeats, 0));
    }
    let pairs: Vec<Vec<f64>> = units.into_values().map(|(sum, weight)| vec![sum, weight]).collect();
    super::means::mean_at(&pairs, n, Level::P95)
}
