//! Shares whose trials come in groups: intervals that know how many independent units there are.

use super::estimate::{Estimate, Figure, Level, NotEstimable, Reason};
use super::resample::clustered_ratio;
use super::special::{beta_quantile, normal_quantile, t_quantile};

/// How many independent trials a grouped sample is worth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EffectiveSample {
    /// Successes.
    pub k: u64,
    /// Trials.
    pub n: u64,
    /// Groups with at least one trial.
    pub groups: u64,
    /// Trials of an independent sample with the same standard error; between `groups` at worst, where the error
    /// cannot be estimated, and `n`.
    pub effective: f64,
}

impl EffectiveSample {
    /// The two-sided quantile that goes with the effective size: t on `G − 1` degrees of freedom where the design effect was
    /// estimated, normal where it was assumed at its worst (no event, or nothing else).
    fn quantile(&self, level: Level) -> f64 {
        let upper = 1.0 - level.alpha() / 2.0;
        if self.k == 0 || self.k == self.n {
            normal_quantile(upper)
        } else {
            t_quantile(upper, self.groups as f64 - 1.0)
        }
    }

    /// Bounds that are at least as wide as those of a sample without an event, and of one with nothing else. One event lies in one
    /// group whatever the groups are like, so from few events the design effect comes out near 1; taken at its word, one
    /// event would bound a share more closely than none does.
    fn no_better_than_none(&self, bounds: (f64, f64), at: impl Fn(f64, f64) -> (f64, f64)) -> (f64, f64) {
        let groups = self.groups as f64;
        (bounds.0.min(at(1.0, groups).0), bounds.1.max(at(0.0, groups).1))
    }
}

/// The effective sample of a share over groups of `(successes, trials)`.
///
/// - Estimates: the number of independent trials with the same standard error.
/// - Formula: `n / max(1, (SE_cluster / SE_iid)²)` with the CR1 standard error of the ratio; `G` where `k` is 0 or `n`.
/// - Assumes: independent groups.
/// - Not estimable: no trial (`empty`), one group (`too_few`).
/// - Cost: linear.
/// - Source: Kish 1965, Survey Sampling, section 8.2 (design effect). Pinned by `one_trial_a_group_is_an_independent_sample`.
pub fn effective_sample(groups: &[(u64, u64)]) -> Result<EffectiveSample, NotEstimable> {
    let k: u64 = groups.iter().map(|(k, _)| k).sum();
    let n: u64 = groups.iter().map(|(_, n)| n).sum();
    if n == 0 {
        return Err(NotEstimable::with_counts(Reason::Empty, 0, 0));
    }
    let pairs: Vec<(f64, f64)> = groups.iter().map(|(k, n)| (*k as f64, *n as f64)).collect();
    let ratio = clustered_ratio(&pairs).map_err(|absence| NotEstimable::with_counts(absence.reason, k, n))?;
    let share = k as f64 / n as f64;
    let se = ratio.se_cr1.ok_or(NotEstimable::with_counts(Reason::TooFew, k, n))?;
    let effective = if k == 0 || k == n {
        ratio.groups as f64
    } else {
        let design_effect = (se.powi(2) / (share * (1.0 - share) / n as f64)).max(1.0);
        n as f64 / design_effect
    };
    Ok(EffectiveSample { k, n, groups: ratio.groups, effective })
}

/// Wilson's interval for a share over groups (method `wilson_clustered`): for display.
///
/// - Estimates: the share, with an interval over groups.
/// - Formula: Wilson's score interval with the effective sample size for `n` and the quantile of t on `G − 1` degrees of freedom.
///   At least as far to each side as without any event, or with nothing else.
/// - Assumes, not estimable, cost: as [`effective_sample`].
/// - Source: Franco, Little, Louis and Slud 2019, J. Survey Statistics and Methodology 7, section 2.2.4 (modified Wilson).
///   Pinned by `grouping_widens_and_single_trials_nearly_keep_the_interval`.
pub fn wilson_clustered(groups: &[(u64, u64)], level: Level) -> Figure {
    let sample = effective_sample(groups)?;
    let z = sample.quantile(level);
    let n = sample.effective;
    let share = sample.k as f64 / sample.n as f64;
    let centre = (share + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    let (lower, upper) = sample.no_better_than_none((centre - half, centre + half), |share, n| {
        let z = normal_quantile(1.0 - level.alpha() / 2.0);
        let far = z * z / (n + z * z);
        if share > 0.5 { (1.0 - far, 1.0) } else { (0.0, far) }
    });
    Ok(estimate(&sample, lower, upper, level, "wilson_clustered"))
}

/// Korn and Graubard's interval for a share over groups (method `korn_graubard`): for gates.
///
/// - Estimates: the share, with an interval over groups that keeps its level for rare events.
/// - Formula: Clopper-Pearson with `n* = effective · (z / t_{G−1})²` trials and `p·n*` successes.
///   At least as far to each side as without any event, or with nothing else, so that fewer events never give a worse bound.
/// - Assumes, not estimable, cost: as [`effective_sample`].
/// - Source: Korn and Graubard 1998, Survey Methodology 24, 193-201. Pinned by `a_gate_interval_over_groups_holds_the_display_interval`.
pub fn korn_graubard(groups: &[(u64, u64)], level: Level) -> Figure {
    let sample = effective_sample(groups)?;
    let tail = level.alpha() / 2.0;
    let ratio = normal_quantile(1.0 - tail) / sample.quantile(level);
    let n = sample.effective * ratio * ratio;
    let (lower, upper) = clopper_pearson_real(sample.k as f64 / sample.n as f64, n, level);
    let (lower, upper) =
        sample.no_better_than_none((lower, upper), |share, groups| clopper_pearson_real(share, groups, level));
    Ok(estimate(&sample, lower, upper, level, "korn_graubard"))
}

/// Clopper-Pearson bounds for a share of a number of trials that need not be whole: what a share would be worth at another `n`.
pub fn clopper_pearson_real(share: f64, n: f64, level: Level) -> (f64, f64) {
    let (tail, k) = (level.alpha() / 2.0, share * n);
    let lower = if share <= 0.0 { 0.0 } else { beta_quantile(tail, k, n - k + 1.0) };
    let upper = if share >= 1.0 { 1.0 } else { beta_quantile(1.0 - tail, k + 1.0, n - k) };
    (lower, upper)
}

/// A mean in `range` whose units all have the same value (method `constant_units`): the spread is zero and says nothing.
///
/// - Estimates: the mean, with an interval over `units` units.
/// - Formula: units of another kind are at most `1 − s` of all, `s` the exact lower bound of a share of `units` of `units`; they may
///   have any value in `range`, so the interval is `point` moved by that part to either end.
/// - Assumes: independent units.
/// - Cost: one inverse beta function. Source: Clopper and Pearson 1934 for `s`.
///   Pinned by `units_that_are_all_alike_leave_room_for_those_not_seen`.
pub fn constant_units(point: f64, units: u64, range: [f64; 2], level: Level) -> Estimate {
    let (alike, _) = clopper_pearson_real(1.0, units as f64, level);
    let [low, high] = range;
    let bounds = [low + (point - low) * alike, high - (high - point) * alike];
    Estimate::within(point, bounds, level.get(), units, "constant_units")
}

/// The share with its bounds, which rounding must not put on the wrong side of it or off the end where nothing else was seen.
fn estimate(sample: &EffectiveSample, lower: f64, upper: f64, level: Level, method: &'static str) -> Estimate {
    let point = sample.k as f64 / sample.n as f64;
    let lower = if sample.k == 0 { 0.0 } else { lower.clamp(0.0, point) };
    let upper = if sample.k == sample.n { 1.0 } else { upper.clamp(point, 1.0) };
    Estimate { k: Some(sample.k), ..Estimate::within(point, [lower, upper], level.get(), sample.n, method) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::stats::Seed;
    use crate::stats::proportion::{clopper_pearson, wilson};

    fn singles(k: usize, n: usize) -> Vec<(u64, u64)> {
        (0..n).map(|i| (u64::from(i < k), 1)).collect()
    }

    #[test]
    fn units_that_are_all_alike_leave_room_for_those_not_seen() {
        let alike = 0.025_f64.powf(0.1);
        let share = constant_units(0.5, 10, [0.0, 1.0], Level::P95);
        assert!((share.lower - 0.5 * alike).abs() < 1e-9 && (share.upper - (1.0 - 0.5 * alike)).abs() < 1e-9);
        let difference = constant_units(1.0, 10, [-1.0, 1.0], Level::P95);
        assert!((difference.lower - (2.0 * alike - 1.0)).abs() < 1e-9 && difference.upper >= 1.0, "{difference:?}");
    }

    /// Rounding alone used to put the lower bound at 2.8e-17 where the share is 0.
    #[test]
    fn every_interval_of_a_share_holds_the_share() {
        let holds = |found: &Estimate| {
            assert!(found.lower <= found.point && found.point <= found.upper, "{found:?}");
            assert!(found.lower >= 0.0 && found.upper <= 1.0, "{found:?}");
            assert!(found.k != Some(0) || found.lower == 0.0, "{found:?}");
            assert!(found.k != Some(found.n) || found.upper == 1.0, "{found:?}");
        };
        for level in [Level::P90, Level::P95, Level::new(0.999).unwrap()] {
            for n in 1..=60 {
                for k in 0..=n {
                    use crate::stats::proportion::{agresti_coull, jeffreys};
                    for interval in [wilson, clopper_pearson, jeffreys] {
                        holds(&interval(k, n, level).unwrap());
                    }
                    let adjusted = agresti_coull(k, n, level).unwrap();
                    assert!(adjusted.lower <= adjusted.point && adjusted.point <= adjusted.upper, "{adjusted:?}");
                }
            }
            let mut stream = Seed(8).child("shares").stream(0);
            for groups in 2..=40_u64 {
                for share in [0.0, 0.03, 0.5, 0.97, 1.0] {
                    let drawn: Vec<(u64, u64)> = (0..groups)
                        .map(|_| {
                            let size = 1 + stream.below(9);
                            (stream.binomial(size, share), size)
                        })
                        .collect();
                    holds(&wilson_clustered(&drawn, level).unwrap());
                    holds(&korn_graubard(&drawn, level).unwrap());
                }
            }
        }
    }

    #[test]
    fn one_trial_a_group_is_an_independent_sample() {
        let sample = effective_sample(&singles(30, 100)).unwrap();
        // CR1 multiplies the variance by G/(G-1) alone.
        assert!((sample.effective - 99.0).abs() < 1e-9, "{}", sample.effective);
    }

    #[test]
    fn grouping_widens_and_single_trials_nearly_keep_the_interval() {
        let grouped: Vec<(u64, u64)> = (0..20).map(|i| (if i < 6 { 5 } else { 0 }, 5)).collect();
        let plain = wilson(30, 100, Level::P95).unwrap();
        let single = wilson_clustered(&singles(30, 100), Level::P95).unwrap();
        let wide = wilson_clustered(&grouped, Level::P95).unwrap();
        assert!((single.upper - single.lower) / (plain.upper - plain.lower) < 1.03);
        assert!((wide.upper - wide.lower) / (plain.upper - plain.lower) > 2.0);
        assert_eq!((wide.k, wide.n), (Some(30), 100));
    }

    #[test]
    fn a_gate_interval_over_groups_holds_the_display_interval() {
        let groups: Vec<(u64, u64)> = (0..40).map(|i| (i % 4, 4)).collect();
        let shown = wilson_clustered(&groups, Level::P95).unwrap();
        let gate = korn_graubard(&groups, Level::P95).unwrap();
        assert!(gate.lower <= shown.lower && gate.upper >= shown.upper, "{gate:?} {shown:?}");
    }

    #[test]
    fn fewer_events_never_give_a_worse_bound_than_none() {
        let events = |k: u64, groups: usize| -> Vec<(u64, u64)> {
            (0..groups).map(|g| (u64::from((g as u64) < k), 10)).collect()
        };
        for groups in [2, 5, 12, 30] {
            for interval in [korn_graubard, wilson_clustered] {
                let none = interval(&events(0, groups), Level::P90).unwrap();
                let all: Vec<(u64, u64)> = vec![(10, 10); groups];
                let all = interval(&all, Level::P90).unwrap();
                for k in 1..=groups as u64 {
                    let some = interval(&events(k, groups), Level::P90).unwrap();
                    assert!(some.upper >= none.upper - 1e-12, "{k} in {groups}: {some:?} {none:?}");
                    let turned: Vec<(u64, u64)> = events(k, groups).into_iter().map(|(k, n)| (n - k, n)).collect();
                    let turned = interval(&turned, Level::P90).unwrap();
                    assert!(turned.lower <= all.lower + 1e-12, "{turned:?} {all:?}");
                    assert!((turned.lower - (1.0 - some.upper)).abs() < 1e-9, "{turned:?} {some:?}");
                }
            }
        }
    }

    /// The share of samples whose interval holds `share`: groups of ten, alike throughout with probability `alike`, else independent.
    fn coverage(
        interval: fn(&[(u64, u64)], Level) -> Figure,
        groups: usize,
        share: f64,
        alike: f64,
        level: Level,
    ) -> f64 {
        let samples = 1_500;
        let mut stream = Seed(11).child("coverage").stream(0);
        let mut held = 0;
        for _ in 0..samples {
            let counts: Vec<(u64, u64)> = (0..groups)
                .map(|_| {
                    if stream.unit_f64() < alike {
                        return (if stream.unit_f64() < share { 10 } else { 0 }, 10);
                    }
                    ((0..10).filter(|_| stream.unit_f64() < share).count() as u64, 10)
                })
                .collect();
            let found = interval(&counts, level).unwrap();
            held += u32::from(found.lower <= share && share <= found.upper);
        }
        f64::from(held) / f64::from(samples)
    }

    #[test]
    fn rare_events_in_groups_that_are_alike_are_covered() {
        for groups in [12, 20, 40] {
            for share in [0.02, 0.05, 0.1] {
                for alike in [0.1, 0.5, 1.0] {
                    let shown = coverage(wilson_clustered, groups, share, alike, Level::P95);
                    let gate = coverage(korn_graubard, groups, share, alike, Level::P90);
                    // The least, about 0.88 of both, is where an event or two decide whether groups look alike.
                    let (least_shown, least_gate) = if share < 0.1 { (0.93, 0.96) } else { (0.87, 0.86) };
                    assert!(shown > least_shown && gate > least_gate, "{groups} {share} {alike}: {shown:.3} {gate:.3}");
                }
            }
        }
    }

    #[test]
    fn no_event_in_any_group_is_worth_as_many_trials_as_there_are_groups() {
        let groups = vec![(0, 10); 30];
        let gate = korn_graubard(&groups, Level::P90).unwrap();
        let trials = clopper_pearson(0, 30, Level::P90).unwrap();
        assert!((gate.upper - trials.upper).abs() < 1e-12, "{} {}", gate.upper, trials.upper);
    }
}
