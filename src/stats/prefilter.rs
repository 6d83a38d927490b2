//! What does a pre-annotation filter keep, at what price? The algebra of request rate, retention and accuracy.

use super::estimate::{NotEstimable, Reason};

/// Slack for rounding in feasibility checks.
const SLACK: f64 = 1e-9;

/// Items to filter, and how many of them are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pool {
    /// Items.
    pub n: u64,
    /// Items that are wanted.
    pub positives: u64,
}

/// What a filter does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FilterRates {
    /// Share of all items sent on.
    pub request_rate: f64,
    /// Share of the wanted items sent on; `None` without wanted items.
    pub retention: Option<f64>,
    /// Share of items treated rightly.
    pub accuracy: f64,
    /// Smallest and largest retention possible at this request rate; `None` without wanted items.
    pub retention_range: Option<Range>,
}

/// A range of values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// Smallest.
    pub min: f64,
    /// Largest.
    pub max: f64,
}

/// Counts of a filter; fractional, and negative where the rates they came from are impossible.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FilterCounts {
    /// Wanted and sent on.
    pub true_positive: f64,
    /// Not wanted and sent on.
    pub false_positive: f64,
    /// Wanted and dropped.
    pub false_negative: f64,
    /// Not wanted and dropped.
    pub true_negative: f64,
}

/// Counted decisions of a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decisions {
    /// Wanted and sent on.
    pub true_positive: u64,
    /// Not wanted and sent on.
    pub false_positive: u64,
    /// Wanted and dropped.
    pub false_negative: u64,
    /// Not wanted and dropped.
    pub true_negative: u64,
}

/// Request rate, retention and accuracy of counted decisions.
///
/// - Formula: `(TP+FP)/N`, `TP/P`, `(TP+TN)/N`; retention lies within `max(0, req−q)/p ..= min(req, p)/p`.
/// - Assumes: nothing. Intervals: Wilson on `N` and on `P`; a threshold chosen on the same items needs a hold-out.
/// - Not estimable: no item (`empty`).
/// - Cost: constant. Source: counting. Pinned by the family `prefilter`, kind `from_counts`.
pub fn filter_rates(decisions: Decisions) -> Result<FilterRates, NotEstimable> {
    let Decisions { true_positive, false_positive, false_negative, true_negative } = decisions;
    let (sent, positives) = (true_positive + false_positive, true_positive + false_negative);
    let n = sent + false_negative + true_negative;
    if n == 0 {
        return Err(NotEstimable::with_n(Reason::Empty, 0));
    }
    let request_rate = sent as f64 / n as f64;
    Ok(FilterRates {
        request_rate,
        retention: (positives > 0).then(|| true_positive as f64 / positives as f64),
        accuracy: (true_positive + true_negative) as f64 / n as f64,
        retention_range: retention_range(Pool { n, positives }, request_rate).ok(),
    })
}

/// The retentions that are possible at a request rate.
///
/// - Formula: `max(0, req−q)/p ..= min(req, p)/p`, `p` the share of wanted items, `q = 1 − p`.
/// - Not estimable: no item or no wanted item (`empty`), a rate outside 0..=1 or more wanted items than items
///   (`invalid`).
/// - Cost: constant. Source: Fréchet's bounds. Pinned by the family `prefilter`.
pub fn retention_range(pool: Pool, request_rate: f64) -> Result<Range, NotEstimable> {
    let (p, q) = shares(pool)?;
    if !(0.0..=1.0).contains(&request_rate) {
        return Err(NotEstimable::with_n(Reason::Invalid, pool.n));
    }
    Ok(Range { min: (request_rate - q).max(0.0) / p, max: request_rate.min(p) / p })
}

/// A filter rebuilt from its published rates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rebuilt {
    /// Whether such a filter can exist.
    pub feasible: bool,
    /// The counts that the rates imply, as the algebra gives them.
    pub counts: FilterCounts,
    /// `2p·ret − req + q`.
    pub accuracy: f64,
    /// Retentions possible at this request rate.
    pub retention_range: Range,
    /// Retention gained per unit of request rate at equal accuracy: `1/2p`.
    pub exchange: f64,
}

/// The confusion matrix behind a published request rate and retention.
///
/// - Formula: `TP = ret·P`, `FP = req·N − TP`, `FN = P − TP`, `TN = N − P − FP`. An impossible pair is reported as the
///   algebra gives it, negative counts included, beside `feasible`.
/// - Assumes: rates of the same items.
/// - Not estimable: as [`retention_range`]; a retention outside 0..=1 (`invalid`).
/// - Cost: constant. Source: the definitions. Pinned by the family `prefilter`, kind `reconstruct`.
pub fn rebuild(pool: Pool, request_rate: f64, retention: f64) -> Result<Rebuilt, NotEstimable> {
    let (p, q) = shares(pool)?;
    let retention_range = retention_range(pool, request_rate)?;
    if !(0.0..=1.0).contains(&retention) {
        return Err(NotEstimable::with_n(Reason::Invalid, pool.n));
    }
    let (n, positives) = (pool.n as f64, pool.positives as f64);
    let true_positive = retention * positives;
    let false_positive = request_rate * n - true_positive;
    Ok(Rebuilt {
        feasible: retention_range.min - SLACK <= retention && retention <= retention_range.max + SLACK,
        counts: FilterCounts {
            true_positive,
            false_positive,
            false_negative: positives - true_positive,
            true_negative: n - positives - false_positive,
        },
        accuracy: 2.0 * p * retention - request_rate + q,
        retention_range,
        exchange: 1.0 / (2.0 * p),
    })
}

/// All filters of one accuracy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IsoAccuracy {
    /// Request rates at which the accuracy can be had.
    pub request_rate: Range,
    /// Retention at the smallest and at the largest of them.
    pub retention: Range,
    /// Retention gained per unit of request rate: `1/2p`.
    pub exchange: f64,
}

/// What one accuracy can mean: from few requests and low retention to many requests and high retention.
///
/// - Formula: `req` from `|acc − q|` to `1 − |acc − p|`; `ret = (acc + req − q)/2p`.
/// - Assumes: nothing.
/// - Not estimable: as [`retention_range`]; an accuracy outside 0..=1 (`invalid`).
/// - Cost: constant. Source: the definitions. Pinned by the family `prefilter`, kind `iso_accuracy`, and by
///   `seventy_percent_accuracy_can_mean_half_or_all_of_the_wanted`.
pub fn iso_accuracy(pool: Pool, accuracy: f64) -> Result<IsoAccuracy, NotEstimable> {
    let (p, q) = shares(pool)?;
    if !(0.0..=1.0).contains(&accuracy) {
        return Err(NotEstimable::with_n(Reason::Invalid, pool.n));
    }
    let request_rate = Range { min: (accuracy - q).abs(), max: 1.0 - (accuracy - p).abs() };
    let retention = |rate: f64| ((accuracy + rate - q) / (2.0 * p)).clamp(0.0, 1.0);
    Ok(IsoAccuracy {
        request_rate,
        retention: Range { min: retention(request_rate.min), max: retention(request_rate.max) },
        exchange: 1.0 / (2.0 * p),
    })
}

fn shares(pool: Pool) -> Result<(f64, f64), NotEstimable> {
    if pool.positives == 0 {
        return Err(NotEstimable::with_counts(Reason::Empty, 0, pool.n));
    }
    if pool.positives > pool.n {
        return Err(NotEstimable::with_counts(Reason::Invalid, pool.positives, pool.n));
    }
    let p = pool.positives as f64 / pool.n as f64;
    Ok((p, 1.0 - p))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn rates(
        true_positive: u64,
        false_positive: u64,
        false_negative: u64,
        true_negative: u64,
    ) -> Result<FilterRates, NotEstimable> {
        filter_rates(Decisions { true_positive, false_positive, false_negative, true_negative })
    }

    #[test]
    fn seventy_percent_accuracy_can_mean_half_or_all_of_the_wanted() {
        let range = iso_accuracy(Pool { n: 20_000, positives: 11_743 }, 0.7).unwrap();
        assert!((range.request_rate.min - 0.28715).abs() < 1e-9 && (range.request_rate.max - 0.88715).abs() < 1e-9);
        assert!((range.retention.min - 0.48906).abs() < 5e-6 && (range.retention.max - 1.0).abs() < 1e-9);
    }

    #[test]
    fn rebuilding_from_the_rates_gives_the_counts_back() {
        let rates = rates(50, 10, 5, 35).unwrap();
        let rebuilt = rebuild(Pool { n: 100, positives: 55 }, rates.request_rate, rates.retention.unwrap()).unwrap();
        assert!(rebuilt.feasible && (rebuilt.counts.true_negative - 35.0).abs() < 1e-9);
        assert!((rebuilt.accuracy - rates.accuracy).abs() < 1e-12);
    }

    #[test]
    fn an_impossible_pair_says_so() {
        let rebuilt = rebuild(Pool { n: 1000, positives: 900 }, 0.95, 0.9).unwrap();
        assert!(!rebuilt.feasible && rebuilt.counts.true_negative < 0.0);
    }

    #[test]
    fn without_wanted_items_there_is_no_retention() {
        let found = rates(0, 0, 0, 100).unwrap();
        assert_eq!((found.retention, found.retention_range, found.accuracy), (None, None, 1.0));
        assert_eq!(rates(0, 0, 0, 0).unwrap_err().reason, Reason::Empty);
        assert_eq!(iso_accuracy(Pool { n: 5, positives: 0 }, 0.5).unwrap_err().reason, Reason::Empty);
        assert_eq!(retention_range(Pool { n: 5, positives: 6 }, 0.5).unwrap_err().reason, Reason::Invalid);
    }
}
