//! Is a changed verdict the position's fault or plain noise? Repeats within an order against pairs across orders.

use super::estimate::{Estimate, Figure, Level, NotEstimable, Reason};
use super::mean::{average, variance};
use super::special::t_quantile;

/// The valid verdicts on one item, as identities: what each order's repeats said about who is better (a class number).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RepeatedItem {
    /// Verdicts with the first response shown first.
    pub forward: Vec<u32>,
    /// Verdicts with the second response shown first, mapped to identities.
    pub reverse: Vec<u32>,
}

/// How far verdicts change with the order beyond how far they change by themselves.
#[derive(Debug, Clone, PartialEq)]
pub struct Repeats {
    /// Mean over items and orders, with two or more repeats, of the share of agreeing pairs of repeats; `None` without
    /// any.
    pub stability: Option<f64>,
    /// Mean over items of disagreement across orders minus disagreement within: above 0 is position bias. `None`
    /// without repeats.
    pub excess: Option<f64>,
    /// Items that have both.
    pub excess_items: u64,
    /// Standard error of the excess over items; `None` for fewer than two.
    pub excess_se: Option<f64>,
}

/// Stability under repetition, and position bias apart from noise.
///
/// - Estimates: `excess` is half the squared distance between the two orders' verdict distributions, without bias,
///   averaged over items.
/// - Formula: across = share of differing (forward, reverse) pairs; within = mean over orders with repeats of the share
///   of differing pairs; `excess = mean(across − within)`, `se = sd/√items`.
/// - Assumes: independent items, repeats drawn alike.
/// - Not estimable: no item (`empty`). Fields are `None` where no item qualifies: with one repeat noise and bias cannot
///   be told apart.
/// - Cost: items × repeats². Source: U-statistics, Hoeffding 1948; Shi et al. 2024, arXiv 2406.07791 (repetition
///   stability). Pinned by the family `position_repeats` and by `always_first_is_all_bias_and_a_coin_is_all_noise`.
pub fn repeats(items: &[RepeatedItem]) -> Result<Repeats, NotEstimable> {
    if items.is_empty() {
        return Err(NotEstimable::with_n(Reason::Empty, 0));
    }
    let orders = items.iter().flat_map(|item| [&item.forward, &item.reverse]);
    let stabilities: Vec<f64> = orders.filter_map(|verdicts| agreeing(verdicts)).collect();
    let excesses = excesses(items);
    let count = excesses.len() as f64;
    Ok(Repeats {
        stability: (!stabilities.is_empty()).then(|| average(&stabilities)),
        excess: (!excesses.is_empty()).then(|| average(&excesses)),
        excess_items: excesses.len() as u64,
        excess_se: (excesses.len() > 1).then(|| (variance(&excesses, 1.0) / count).sqrt()),
    })
}

/// The excess of each item that has verdicts in both orders and repeats in one: the units for a bootstrap over items or
/// groups.
pub fn excesses(items: &[RepeatedItem]) -> Vec<f64> {
    items
        .iter()
        .filter_map(|item| {
            let within: Vec<f64> =
                [&item.forward, &item.reverse].into_iter().filter_map(|v| agreeing(v)).map(|same| 1.0 - same).collect();
            let pairs = item.forward.len() * item.reverse.len();
            if pairs == 0 || within.is_empty() {
                return None;
            }
            let differing = item.forward.iter().flat_map(|one| item.reverse.iter().filter(move |other| *other != one));
            Some(differing.count() as f64 / pairs as f64 - average(&within))
        })
        .collect()
}

impl Repeats {
    /// The excess with a t interval over items (method `t`).
    ///
    /// Not estimable: no item with repeats (`no_repeats`), one item (`too_few`), the same excess throughout
    /// (`constant`).
    pub fn excess_interval(&self, level: Level) -> Figure {
        let n = self.excess_items;
        let point = self.excess.ok_or(NotEstimable::with_n(Reason::NoRepeats, n))?;
        let se = self.excess_se.ok_or(NotEstimable::with_n(Reason::TooFew, n))?;
        if se == 0.0 {
            return Err(NotEstimable::with_n(Reason::Constant, n));
        }
        let half = t_quantile(1.0 - level.alpha() / 2.0, n as f64 - 1.0) * se;
        Ok(Estimate::within(point, [point - half, point + half], level.get(), n, "t"))
    }
}

/// Share of agreeing unordered pairs; `None` for fewer than two verdicts.
fn agreeing(verdicts: &[u32]) -> Option<f64> {
    let count = verdicts.len();
    if count < 2 {
        return None;
    }
    let same: usize =
        verdicts.iter().enumerate().map(|(i, v)| verdicts[i + 1..].iter().filter(|o| *o == v).count()).sum();
    Some(same as f64 / (count * (count - 1) / 2) as f64)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::stats::Seed;

    #[test]
    fn always_first_is_all_bias_and_a_coin_is_all_noise() {
        let first = RepeatedItem { forward: vec![0, 0, 0], reverse: vec![1, 1, 1] };
        let biased = repeats(&vec![first; 20]).unwrap();
        assert_eq!((biased.stability, biased.excess), (Some(1.0), Some(1.0)));
        let mut stream = Seed(1).stream(0);
        let mut tosses = || (0..4).map(|_| u32::from(stream.unit_f64() < 0.5)).collect::<Vec<u32>>();
        let items: Vec<RepeatedItem> =
            (0..400).map(|_| RepeatedItem { forward: tosses(), reverse: tosses() }).collect();
        let noisy = repeats(&items).unwrap();
        let figure = noisy.excess_interval(Level::new(0.999).unwrap()).unwrap();
        assert!(figure.lower < 0.0 && 0.0 < figure.upper && (noisy.stability.unwrap() - 0.5).abs() < 0.05, "{noisy:?}");
    }

    #[test]
    fn one_verdict_each_tells_nothing_apart() {
        let found = repeats(&[RepeatedItem { forward: vec![0], reverse: vec![1] }]).unwrap();
        assert_eq!(found, Repeats { stability: None, excess: None, excess_items: 0, excess_se: None });
        assert_eq!(found.excess_interval(Level::P95).unwrap_err().reason, Reason::NoRepeats);
        assert_eq!(repeats(&[]).unwrap_err().reason, Reason::Empty);
    }
}
