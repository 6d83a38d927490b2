//! What would humans have said, given how often the judge errs? Corrections of a judged share.

use super::clustered::clopper_pearson_real;
use super::estimate::{Estimate, Figure, Level, NotEstimable, Reason};
use super::proportion::two_sided_z;

/// A judged share on new items, and the judge's record on items with gold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JudgedShare {
    /// New items judged positive.
    pub judged_positive: u64,
    /// New items.
    pub n: u64,
    /// Gold-negative items judged negative.
    pub true_negative: u64,
    /// Gold-negative items.
    pub negatives: u64,
    /// Gold-positive items judged positive.
    pub true_positive: u64,
    /// Gold-positive items.
    pub positives: u64,
}

/// A share corrected for the judge's errors.
#[derive(Debug, Clone, PartialEq)]
pub struct Corrected {
    /// The share as judged.
    pub naive: f64,
    /// Share of gold positives that the judge recognises.
    pub sensitivity: f64,
    /// Share of gold negatives that the judge recognises.
    pub specificity: f64,
    /// The corrected share before it is cut to 0..=1: far outside means that the error rates do not carry over.
    pub unclipped: f64,
    /// Its standard error by the delta method.
    pub delta_se: f64,
    /// The corrected share with the delta-method interval (method `rogan_gladen_delta`), for comparison.
    pub delta: Estimate,
    /// The corrected share with the adjusted interval of record (method `lang_reiczigel`).
    pub adjusted: Figure,
}

/// The share that gold would give, by Rogan and Gladen, with the interval of Lang and Reiczigel.
///
/// - Estimates: the share of gold-positive items among the new ones.
/// - Formula: `θ = (p + q0 − 1)/(q0 + q1 − 1)`, `q0` specificity, `q1` sensitivity. Interval: `p` with `z²/2` added,
///   `q0, q1` with one success and one failure added, `θ + 2z²(θ·v1 − (1−θ)·v0) ± z·√(v + (1−θ)²v0 + θ²v1)/(q0 + q1 −
///   1)`, cut to 0..=1.
/// - Assumes: the judge errs on the new items as it did on the gold; independent items.
/// - Not estimable: an empty sample (`empty`), counts above totals (`invalid`), `q0 + q1 <= 1` (`not_informative`);
///   `adjusted` alone where only the adjusted sum is at most 1.
/// - Cost: constant.
/// - Source: Rogan and Gladen 1978, Am. J. Epidemiol. 107; Lang and Reiczigel 2014, Prev. Vet. Med. 113.
///   Pinned by the family `judge_error_correction` and by `a_published_correction_is_reproduced`.
pub fn rogan_gladen(input: JudgedShare, level: Level) -> Result<Corrected, NotEstimable> {
    let JudgedShare { judged_positive, n, true_negative, negatives, true_positive, positives } = input;
    checked(judged_positive, n)?;
    checked(true_negative, negatives)?;
    checked(true_positive, positives)?;
    let share = |k: u64, n: u64| k as f64 / n as f64;
    let (p, q0, q1) = (share(judged_positive, n), share(true_negative, negatives), share(true_positive, positives));
    let informed = q0 + q1 - 1.0;
    if informed <= 0.0 {
        return Err(NotEstimable::with_counts(Reason::NotInformative, judged_positive, n));
    }
    let theta = (p + q0 - 1.0) / informed;
    let spread = |q: f64, n: f64| q * (1.0 - q) / n;
    let variance = spread(p, n as f64)
        + (1.0 - theta).powi(2) * spread(q0, negatives as f64)
        + theta.powi(2) * spread(q1, positives as f64);
    let delta_se = variance.sqrt() / informed;
    let half = two_sided_z(level) * delta_se;
    let point = theta.clamp(0.0, 1.0);
    let delta = corrected(point, (theta - half, theta + half), n, level, "rogan_gladen_delta");
    let adjusted = lang_reiczigel(input, point, level);
    Ok(Corrected { naive: p, sensitivity: q1, specificity: q0, unclipped: theta, delta_se, delta, adjusted })
}

fn lang_reiczigel(input: JudgedShare, point: f64, level: Level) -> Figure {
    let z = two_sided_z(level);
    let size = input.n as f64 + z * z;
    let p = (input.judged_positive as f64 + z * z / 2.0) / size;
    let (size0, size1) = (input.negatives as f64 + 2.0, input.positives as f64 + 2.0);
    let q0 = (input.true_negative as f64 + 1.0) / size0;
    let q1 = (input.true_positive as f64 + 1.0) / size1;
    let informed = q0 + q1 - 1.0;
    if informed <= 0.0 {
        return Err(NotEstimable::with_counts(Reason::NotInformative, input.judged_positive, input.n));
    }
    let theta = (p + q0 - 1.0) / informed;
    let (v0, v1) = (q0 * (1.0 - q0) / size0, q1 * (1.0 - q1) / size1);
    let shift = 2.0 * z * z * (theta * v1 - (1.0 - theta) * v0);
    let variance = p * (1.0 - p) / size + (1.0 - theta).powi(2) * v0 + theta.powi(2) * v1;
    let half = z * variance.sqrt() / informed;
    Ok(corrected(point, (theta + shift - half, theta + shift + half), input.n, level, "lang_reiczigel"))
}

/// A decided share on new items, and one accuracy of the judge on decided gold items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecidedShare {
    /// New decided items that went to the first side.
    pub wins: u64,
    /// New decided items.
    pub n: u64,
    /// Decided gold items on which the judge agreed.
    pub agreed: u64,
    /// Decided gold items.
    pub gold: u64,
}

/// A share with the number of independent trials that it is worth; over groups that is less than the trials counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorthShare {
    /// The share, 0..=1.
    pub share: f64,
    /// Independent trials that it is worth.
    pub worth: f64,
}

impl WorthShare {
    /// The share of an estimate with the number of independent trials whose Wilson interval ends where this one ends.
    ///
    /// - Formula: the score equation `(p − L)² = z²·L(1 − L)/n` at each bound `L`, solved for `n`; the smaller of both, at
    ///   most the estimate's own `n`. For Wilson's interval that is `n`; over groups it takes in the design effect and the
    ///   quantile of t.
    /// - Source: Wilson 1927. Pinned by `a_wilson_interval_is_worth_its_own_trials`.
    pub fn of(estimate: &Estimate) -> Self {
        let z = Level::new(estimate.level).map_or(0.0, two_sided_z);
        let trials = |bound: f64| {
            let gap = (estimate.point - bound).powi(2);
            let inner = bound > 0.0 && bound < 1.0 && gap > 0.0;
            if inner { z * z * bound * (1.0 - bound) / gap } else { f64::INFINITY }
        };
        let n = estimate.n as f64;
        let worth = trials(estimate.lower).min(trials(estimate.upper));
        // The last digits of a Wilson bound are rounding.
        let worth = if worth >= n * (1.0 - 1e-9) { n } else { worth };
        Self { share: estimate.point, worth }
    }
}

/// The decided share that gold would give when the judge errs equally often either way (method `pooled_accuracy`).
///
/// - Estimates: the share of new decided items that gold would give to the first side.
/// - Formula: `θ = (p + q − 1)/(2q − 1)`, cut to 0..=1. Interval: all `θ` with `|p + q − 1 − θ(2q − 1)| <=
///   z·√(p(1−p)/n + (1−2θ)²·q(1−q)/m)`, with `p` and `q` moved towards ½ by `z²/2` successes and failures (score-type
///   test inversion, so it holds when `q` is near ½ or 1).
/// - Assumes: the judge errs on the new items as on the gold, equally often in favour of either side; independent
///   items.
/// - Not estimable: an empty sample (`empty`), counts above totals (`invalid`), an accuracy whose exact lower bound at
///   this level is at most ½ (`not_informative`).
/// - Cost: two bisections.
/// - Source: Rogan and Gladen 1978 with one error rate; Fieller 1954 for the interval. Pinned by
///   `the_pooled_interval_holds_its_level_in_a_simulation`.
pub fn pooled_accuracy_correction(input: DecidedShare, level: Level) -> Figure {
    let DecidedShare { wins, n, agreed, gold } = input;
    checked(wins, n)?;
    checked(agreed, gold)?;
    let share = |k: u64, n: u64| WorthShare { share: k as f64 / n as f64, worth: n as f64 };
    pooled_correction(share(wins, n), share(agreed, gold), level)
        .map(|estimate| Estimate { n, ..estimate })
        .map_err(|absence| NotEstimable { k: Some(agreed), n: Some(gold), ..absence })
}

/// [`pooled_accuracy_correction`] of shares that are worth fewer trials than were counted: `n` of the estimate is what
/// `wins` is worth, rounded down.
///
/// Not estimable: a share outside 0..=1 or a worth that is no number above zero (`invalid`); as there.
pub fn pooled_correction(wins: WorthShare, accuracy: WorthShare, level: Level) -> Figure {
    let sound = |of: WorthShare| (0.0..=1.0).contains(&of.share) && of.worth.is_finite() && of.worth > 0.0;
    if !(sound(wins) && sound(accuracy)) {
        return Err(NotEstimable::because(Reason::Invalid));
    }
    if clopper_pearson_real(accuracy.share, accuracy.worth, level).0 <= 0.5 {
        return Err(NotEstimable::because(Reason::NotInformative));
    }
    let (p, q) = (wins.share, accuracy.share);
    let point = ((p + q - 1.0) / (2.0 * q - 1.0)).clamp(0.0, 1.0);
    let z = two_sided_z(level);
    let towards_half = |of: WorthShare| ((of.share * of.worth + z * z / 2.0) / (of.worth + z * z), of.worth + z * z);
    let ((p, size_p), (q, size_q)) = (towards_half(wins), towards_half(accuracy));
    let centre = (p + q - 1.0) / (2.0 * q - 1.0);
    let inside = |theta: f64| {
        let miss = p + q - 1.0 - theta * (2.0 * q - 1.0);
        let variance = p * (1.0 - p) / size_p + (1.0 - 2.0 * theta).powi(2) * q * (1.0 - q) / size_q;
        miss * miss <= z * z * variance
    };
    let limit = |end: f64| {
        let (mut held, mut out) = (centre, end);
        if (end - centre) * (end - 0.5) <= 0.0 || inside(end) {
            return end;
        }
        for _ in 0..100 {
            let middle = f64::midpoint(held, out);
            if inside(middle) {
                held = middle;
            } else {
                out = middle;
            }
        }
        held
    };
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of trials, above zero")]
    let n = wins.worth as u64;
    Ok(corrected(point, (limit(0.0).min(point), limit(1.0).max(point)), n, level, "pooled_accuracy"))
}

fn checked(k: u64, n: u64) -> Result<(), NotEstimable> {
    match (k, n) {
        (_, 0) => Err(NotEstimable::with_counts(Reason::Empty, k, n)),
        (k, n) if k > n => Err(NotEstimable::with_counts(Reason::Invalid, k, n)),
        _ => Ok(()),
    }
}

fn corrected(point: f64, (lower, upper): (f64, f64), n: u64, level: Level, method: &'static str) -> Estimate {
    let cut = |bound: f64| bound.clamp(0.0, 1.0);
    Estimate::within(point, [cut(lower), cut(upper)], level.get(), n, method)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::stats::Seed;

    /// Lee et al. 2025 (arXiv 2511.21140), worked example: p 0.4 of 1000, q0 0.7, q1 0.9, 200 each: 0.1667, [0.05635,
    /// 0.26273].
    #[test]
    fn a_published_correction_is_reproduced() {
        let input = JudgedShare {
            judged_positive: 400,
            n: 1000,
            true_negative: 140,
            negatives: 200,
            true_positive: 180,
            positives: 200,
        };
        let corrected = rogan_gladen(input, Level::P95).unwrap();
        let figure = corrected.adjusted.unwrap();
        assert!((figure.point - 1.0 / 6.0).abs() < 1e-12);
        assert!((figure.lower - 0.05635).abs() < 5e-6 && (figure.upper - 0.26273).abs() < 5e-6, "{figure:?}");
    }

    #[test]
    fn a_judge_at_chance_corrects_nothing() {
        let chance =
            JudgedShare { judged_positive: 5, n: 10, true_negative: 5, negatives: 10, true_positive: 5, positives: 10 };
        assert_eq!(rogan_gladen(chance, Level::P95).unwrap_err().reason, Reason::NotInformative);
        let pooled = DecidedShare { wins: 5, n: 10, agreed: 30, gold: 50 };
        assert_eq!(pooled_accuracy_correction(pooled, Level::P95).unwrap_err().reason, Reason::NotInformative);
        let none = DecidedShare { wins: 0, n: 0, agreed: 30, gold: 30 };
        assert_eq!(pooled_accuracy_correction(none, Level::P95).unwrap_err().reason, Reason::Empty);
    }

    #[test]
    fn a_nearly_perfect_judge_leaves_the_share_nearly_alone() {
        let pooled = DecidedShare { wins: 640, n: 1000, agreed: 100_000, gold: 100_000 };
        let figure = pooled_accuracy_correction(pooled, Level::P95).unwrap();
        let plain = crate::stats::proportion::wilson(640, 1000, Level::P95).unwrap();
        assert!((figure.lower - plain.lower).abs() < 1e-3 && (figure.upper - plain.upper).abs() < 1e-3, "{figure:?}");
    }

    #[test]
    fn a_wilson_interval_is_worth_its_own_trials() {
        for (k, n) in [(0, 12), (7, 9), (31, 100), (400, 400)] {
            let worth = WorthShare::of(&crate::stats::proportion::wilson(k, n, Level::P95).unwrap()).worth;
            assert!((worth - n as f64).abs() < 1e-6 * n as f64, "{k} of {n}: {worth}");
        }
        // Ten groups of ten that are all alike inside are worth less than ten trials: the spread is not known.
        let groups: Vec<(u64, u64)> = (0..10).map(|i| (10 * u64::from(i < 7), 10)).collect();
        let clustered = crate::stats::clustered::wilson_clustered(&groups, Level::P95).unwrap();
        let worth = WorthShare::of(&clustered).worth;
        assert!(worth > 5.0 && worth < 10.0, "{worth}");
    }

    #[test]
    fn shares_worth_half_give_a_wider_interval_around_the_same_point() {
        let (wins, accuracy) = (0.7, 0.9);
        let at = |worth: f64, gold: f64| {
            let of = |share, worth| WorthShare { share, worth };
            pooled_correction(of(wins, worth), of(accuracy, gold), Level::P95).unwrap()
        };
        let (all, half) = (at(400.0, 200.0), at(200.0, 100.0));
        assert_eq!(all.point, half.point);
        assert!((all.point - 0.75).abs() < 1e-12, "(0.7 + 0.9 - 1)/(1.8 - 1) is 3/4: {}", all.point);
        assert!(half.lower < all.lower && half.upper > all.upper);
    }

    #[test]
    fn exchanging_the_sides_mirrors_the_pooled_correction() {
        for wins in [0, 13, 50, 99, 100] {
            let one = DecidedShare { wins, n: 100, agreed: 70, gold: 80 };
            let other = DecidedShare { wins: 100 - wins, ..one };
            let (one, other) = (
                pooled_accuracy_correction(one, Level::P95).unwrap(),
                pooled_accuracy_correction(other, Level::P95).unwrap(),
            );
            assert!((one.lower + other.upper - 1.0).abs() < 1e-9 && (one.point + other.point - 1.0).abs() < 1e-9);
            assert!(one.lower <= one.point && one.point <= one.upper, "{one:?}");
        }
    }

    #[test]
    fn the_pooled_interval_holds_its_level_in_a_simulation() {
        for (case, (theta, q, n, gold)) in
            [(0.5, 0.8, 200, 60), (0.7, 0.9, 300, 50), (0.95, 0.85, 100, 100), (1.0, 0.95, 60, 40)]
                .into_iter()
                .enumerate()
        {
            let (mut held, mut made) = (0, 0);
            for run in 0..2_000 {
                let mut stream = Seed(8).child("pooled").stream((case * 10_000 + run) as u64);
                let p = theta * q + (1.0 - theta) * (1.0 - q);
                let input = DecidedShare { wins: stream.binomial(n, p), n, agreed: stream.binomial(gold, q), gold };
                if let Ok(figure) = pooled_accuracy_correction(input, Level::P95) {
                    made += 1;
                    held += u32::from(figure.lower <= theta && theta <= figure.upper);
                }
            }
            let coverage = f64::from(held) / f64::from(made);
            // At the end of the scale only one side can miss, so there is no upper limit to ask for.
            assert!(coverage >= 0.94, "coverage {coverage} at theta {theta}, q {q}");
            assert!(theta > 0.9 || coverage <= 0.98, "coverage {coverage} at theta {theta}, q {q}");
        }
    }
}
