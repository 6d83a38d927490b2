//! The scores of a comparison by resampling unit, and what follows from them.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};

use super::compare::{Bounds, Outcomes};
use super::figures::Test;
use super::outcome::{Outcome, Row};
use super::shares::FEW_UNITS;
use crate::domain::{GoldSet, ItemFacts, Unit};
use crate::stats::binomial::sign_test;
use crate::stats::bounded::t_adjusted;
use crate::stats::clustered::{clopper_pearson_real, constant_units, wilson_clustered};
use crate::stats::permutation::sign_flip_by_group;
use crate::stats::power::detectable_share;
use crate::stats::proportion::wilson;
use crate::stats::resample::{Resampling, Units, bca_of, clustered_ratio, percentile_of, t_clustered};
use crate::stats::special::normal_quantile;
use crate::stats::{Estimate, Figure, Level, NotEstimable, Reason};

/// Where fewer units than this carry the spread, resampling them does not show what the rest might have been.
const FEW_CARRY: f64 = 10.0;

/// Bounds that are this near are the same: that of constant units is the exact one where all are wins of one side.
const ROUNDING: f64 = 1e-12;

/// How many units carry the spread of the scores, `(Σ r²)² / Σ r⁴` over their residuals: all where they stray alike, one where one
/// alone does.
fn carriers(pairs: &[(f64, f64)], mean: f64) -> f64 {
    let squares = || pairs.iter().map(|(sum, weight)| (sum - mean * weight).powi(2));
    squares().sum::<f64>().powi(2) / squares().map(|square| square * square).sum::<f64>()
}

impl Outcomes {
    fn add(&mut self, outcome: Outcome) {
        let count = match outcome {
            Outcome::AWins => &mut self.a_wins,
            Outcome::BWins => &mut self.b_wins,
            Outcome::Tie => &mut self.tie,
            Outcome::FlipFirst => &mut self.flip_first,
            Outcome::FlipSecond => &mut self.flip_second,
            Outcome::HalfA => &mut self.half_a,
            Outcome::HalfB => &mut self.half_b,
            Outcome::Inconsistent => &mut self.inconsistent,
            Outcome::NoVerdict => &mut self.no_verdict,
        };
        *count += 1;
    }

    /// Outcomes with a score.
    pub fn valid(&self) -> u64 {
        self.a_wins
            + self.b_wins
            + self.tie
            + self.flip_first
            + self.flip_second
            + self.half_a
            + self.half_b
            + self.inconsistent
            + self.identical
    }
}

/// Which of the two scores of an outcome.
#[derive(Clone, Copy)]
pub(super) enum Scored {
    Plain,
    Graded,
}

/// Sums of one resampling unit.
#[derive(Default, Clone, Copy)]
pub(super) struct Sums {
    plain: f64,
    graded: f64,
    won: u64,
    lost: u64,
    n: f64,
}

/// One outcome that has a score.
#[derive(Clone, Copy)]
pub(super) struct Single {
    /// Index of the item in the set.
    pub(super) item: usize,
    /// Index of the resampling unit.
    pub(super) unit: usize,
    pub(super) plain: f64,
    pub(super) graded: f64,
}

/// The scores of all outcomes, by resampling unit.
pub(super) struct Scores {
    pub(super) outcomes: Outcomes,
    pub(super) items: u64,
    pub(super) units: Vec<Sums>,
    /// Every outcome that has a score, identical responses last.
    pub(super) singles: Vec<Single>,
}

/// For which side resamples are drawn: always the same one, whichever is called `a`, so that exchanging the names mirrors every
/// interval at ½ instead of drawing anew.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    A,
    B,
    /// The scores are their own mirror image: both sides give the same interval, and it has to be its own mirror image too.
    Either,
}

impl Side {
    /// The side whose sorted units come first.
    fn of(pairs: &[(f64, f64)]) -> Self {
        let sorted = |side: Self| {
            let mut sums = side.sums(pairs);
            sums.sort_unstable_by(|x, y| x[0].total_cmp(&y[0]).then(x[1].total_cmp(&y[1])));
            sums
        };
        match sorted(Self::A).partial_cmp(&sorted(Self::B)) {
            Some(Ordering::Less) => Self::A,
            Some(Ordering::Greater) => Self::B,
            _ => Self::Either,
        }
    }

    /// Sum and weight of each unit, as this side scores it. Scores are quarters, so the mirror image is exact.
    fn sums(self, pairs: &[(f64, f64)]) -> Vec<Vec<f64>> {
        pairs.iter().map(|(sum, n)| vec![if self == Self::B { n - sum } else { *sum }, *n]).collect()
    }

    /// This side's figure as one of `a`; the point is that of `plain` where it is known, to the last digit.
    fn named(self, figure: Figure, plain: Option<&Estimate>) -> Figure {
        let estimate = figure?;
        let Estimate { lower, upper, .. } = estimate;
        let (lower, upper) = match self {
            Self::A => (lower, upper),
            Self::B => (1.0 - upper, 1.0 - lower),
            Self::Either => {
                let half = f64::midpoint(0.5 - lower, upper - 0.5);
                (0.5 - half, 0.5 + half)
            }
        };
        let mirrored = if self == Self::B { 1.0 - estimate.point } else { estimate.point };
        Ok(Estimate { point: plain.map_or(mirrored, |plain| plain.point), lower, upper, ..estimate })
    }
}

impl Scores {
    /// The scores of `rows`, and of the items with identical responses among those that `belong`.
    pub(super) fn of(items: &GoldSet, rows: &[Row], belong: impl Fn(&ItemFacts) -> bool) -> Self {
        let mut scores = Self { outcomes: Outcomes::default(), items: 0, units: Vec::new(), singles: Vec::new() };
        let mut names: HashMap<Unit<'_>, usize> = HashMap::new();
        let mut add = |item: usize, outcome: Outcome| {
            let Some((plain, graded)) = outcome.score().zip(outcome.graded_score()) else { return };
            let facts = &items.items[item];
            let next = names.len();
            let unit = *names.entry(facts.unit()).or_insert(next);
            if unit == scores.units.len() {
                scores.units.push(Sums::default());
            }
            let sums = &mut scores.units[unit];
            sums.plain += plain;
            sums.graded += graded;
            sums.won += u64::from(outcome == Outcome::AWins);
            sums.lost += u64::from(outcome == Outcome::BWins);
            sums.n += 1.0;
            scores.singles.push(Single { item, unit, plain, graded });
        };
        let mut seen = BTreeSet::new();
        for row in rows {
            let outcome = row.outcome();
            scores.outcomes.add(outcome);
            seen.insert(row.item);
            add(row.item, outcome);
        }
        let unasked = |(index, item): &(usize, &ItemFacts)| item.identical && belong(item) && !seen.contains(index);
        for (index, _) in items.items.iter().enumerate().filter(unasked) {
            scores.outcomes.identical += 1;
            add(index, Outcome::Tie);
        }
        scores.items = seen.len() as u64 + scores.outcomes.identical;
        scores
    }

    /// Share of `a` among consistent wins.
    pub(super) fn decided(&self) -> Figure {
        self.share(|unit| (unit.won, unit.won + unit.lost))
    }

    /// Share of outcomes that are consistent wins.
    pub(super) fn coverage(&self) -> Figure {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a count of outcomes, kept as a weight"
        )]
        self.share(|unit| (unit.won + unit.lost, unit.n as u64))
    }

    /// True where outcomes share a unit.
    pub(super) fn is_clustered(&self) -> bool {
        self.singles.len() > self.units.len()
    }

    /// A share with Wilson's interval, over units where outcomes share one.
    fn share(&self, of: impl Fn(&Sums) -> (u64, u64)) -> Figure {
        let counts: Vec<(u64, u64)> = self.units.iter().map(of).filter(|(_, n)| *n > 0).collect();
        if self.is_clustered() {
            return wilson_clustered(&counts, Level::P95);
        }
        wilson(counts.iter().map(|(k, _)| k).sum(), counts.iter().map(|(_, n)| n).sum(), Level::P95)
    }

    fn pairs(&self, scored: Scored) -> Vec<(f64, f64)> {
        let sum = |unit: &Sums| match scored {
            Scored::Plain => unit.plain,
            Scored::Graded => unit.graded,
        };
        self.units.iter().map(|unit| (sum(unit), unit.n)).collect()
    }

    /// All intervals of a mean score, the one of record first: BCa over units from 20 units on, t below, neither nearer than the
    /// adjusted t where few units carry the spread; where all units have the same mean, that of constant units; and none nearer than
    /// the exact one of the units that lean, where none leans the other way.
    pub(super) fn intervals(&self, scored: Scored, resampling: &Resampling) -> Vec<Figure> {
        let pairs = self.pairs(scored);
        let n = self.outcomes.valid();
        if pairs.is_empty() {
            return vec![Err(NotEstimable::with_n(Reason::Empty, 0))];
        }
        let as_n =
            |figure: Figure| figure.map(|e| Estimate { n, lower: e.lower.max(0.0), upper: e.upper.min(1.0), ..e });
        let t = as_n(t_clustered(&pairs, Level::P95));
        let side = Side::of(&pairs);
        let [by_bca, by_percentile] =
            resampled(side.sums(&pairs), resampling).map(|figure| as_n(side.named(figure, t.as_ref().ok())));
        let few = (self.units.len() as u64) < FEW_UNITS;
        let record = match if few { t.clone() } else { by_bca.clone() } {
            Ok(found) if carriers(&pairs, found.point) < FEW_CARRY => {
                as_n(t_adjusted(&pairs, [0.0, 1.0], Level::P95)).map(|adjusted| no_nearer(&found, &adjusted))
            }
            other => other,
        };
        let record = unopposed(&pairs, record.unwrap_or_else(|_| self.constant(&pairs)));
        let method = record.method;
        let others = if few { [t, by_bca, by_percentile] } else { [by_bca, t, by_percentile] };
        let others = others.into_iter().flatten().filter(|other| other.method != method).map(Ok);
        std::iter::once(Ok(record)).chain(others).collect()
    }

    /// The interval where every unit has the same mean score: the exact bound of the share of units that are alike.
    fn constant(&self, pairs: &[(f64, f64)]) -> Estimate {
        let n = self.outcomes.valid();
        let point = pairs.iter().map(|(sum, _)| sum).sum::<f64>() / n as f64;
        Estimate { n, ..constant_units(point, pairs.len() as u64, [0.0, 1.0], Level::P95) }
    }

    /// Units in which more outcomes are consistent wins of `a` than of `b`, and the reverse: each unit has one voice, since repeats
    /// and items of one group are no independent trials.
    pub(super) fn discordant(&self) -> (u64, u64) {
        let count = |of: fn(&Sums) -> bool| self.units.iter().filter(|unit| of(unit)).count() as u64;
        (count(|unit| unit.won > unit.lost), count(|unit| unit.lost > unit.won))
    }

    pub(super) fn sign_test(&self) -> Test {
        let leans: Vec<f64> = self.units.iter().map(|unit| unit.graded - unit.n / 2.0).collect();
        let test = sign_test(&leans);
        let n = test.positive + test.negative;
        Test { p: test.p, k: test.positive, n, method: "sign_exact", detectable: detectable_share(n, 0.5, 0.05, 0.8) }
    }

    pub(super) fn permutation(&self, resampling: &Resampling) -> Test {
        let differences: Vec<f64> = self.singles.iter().map(|single| single.graded - 0.5).collect();
        let units: Vec<usize> = self.singles.iter().map(|single| single.unit).collect();
        let flipped = sign_flip_by_group(&differences, &units, resampling);
        // What is flipped is a unit; those at ½ flip to themselves.
        let leans = self.units.iter().map(|unit| unit.graded - unit.n / 2.0);
        let (above, below) = leans.fold((0, 0), |(above, below), lean| match lean {
            lean if lean > 0.0 => (above + 1, below),
            lean if lean < 0.0 => (above, below + 1),
            _ => (above, below),
        });
        Test {
            p: flipped.map_or(1.0, |flip| flip.p),
            k: above,
            n: above + below,
            method: "sign_flip_by_unit",
            detectable: self.detectable(),
        }
    }

    /// `(z_{0.975} + z_{0.8}) · SE`: the deviation from ½ that 80 % of such samples would have shown at 5 %.
    pub(super) fn detectable(&self) -> Result<f64, NotEstimable> {
        let ratio = clustered_ratio(&self.pairs(Scored::Plain))?;
        match ratio.se_cr1 {
            None => Err(NotEstimable::with_n(Reason::TooFew, ratio.groups)),
            Some(se) if se <= 0.0 => Err(NotEstimable::with_n(Reason::Constant, ratio.groups)),
            Some(se) => Ok((normal_quantile(0.975) + normal_quantile(0.8)) * se),
        }
    }

    pub(super) fn bounds(&self) -> Bounds {
        let (valid, missing) = (self.outcomes.valid() as f64, self.outcomes.no_verdict);
        let sum: f64 = self.units.iter().map(|unit| unit.plain).sum();
        let all = valid + missing as f64;
        let share = |won: f64| (all > 0.0).then(|| (sum + won) / all);
        Bounds { all_lost: share(0.0), all_won: share(missing as f64), missing }
    }
}

/// The BCa and the percentile interval of the ratio of the sums.
fn resampled(sums: Vec<Vec<f64>>, resampling: &Resampling) -> [Figure; 2] {
    let both = Units::new(sums).and_then(|units| {
        let (point, resampled) = (units.total()[0] / units.total()[1], units.ratio(resampling)?);
        let jackknife = units.jackknife(|total| Some(total[0] / total[1]));
        let by_bca = bca_of(point, &resampled, &jackknife, Level::P95);
        Ok([by_bca, percentile_of(point, &resampled, units.count(), Level::P95)])
    });
    both.unwrap_or_else(|absence| [Err(absence), Err(absence)])
}

/// Where units lean to one side and none to the other: the bound on the other side is no nearer to the point than the exact one
/// (Clopper and Pearson) of the share of leaning units, `s`, makes it: `½ + (mean − ½)(2s − 1)`. Wilson's calls four of four a proof
/// and t five of five beside a tie, and the sign test does not: it takes six.
fn unopposed(pairs: &[(f64, f64)], found: Estimate) -> Estimate {
    let leaning =
        |side: Ordering| pairs.iter().filter(|(sum, weight)| sum.total_cmp(&(weight / 2.0)) == side).count() as u64;
    let (for_a, for_b) = (leaning(Ordering::Greater), leaning(Ordering::Less));
    if for_a.min(for_b) > 0 || for_a == for_b {
        return found;
    }
    let (share, _) = clopper_pearson_real(1.0, for_a.max(for_b) as f64, Level::P95);
    let bound = 0.5 + (found.point - 0.5) * (2.0 * share - 1.0);
    let method = "exact_decided";
    if for_a > 0 && bound <= found.lower + ROUNDING {
        Estimate { lower: bound, method, ..found }
    } else if for_b > 0 && bound >= found.upper - ROUNDING {
        Estimate { upper: bound, method, ..found }
    } else {
        found
    }
}

/// The bounds of `found`, but none nearer to the point than that of `adjusted`; the method names whichever gave them, and the
/// adjusted t alone where t gave the other.
fn no_nearer(found: &Estimate, adjusted: &Estimate) -> Estimate {
    let (lower, upper) = (found.lower.min(adjusted.lower), found.upper.max(adjusted.upper));
    let method = match (adjusted.lower < found.lower, adjusted.upper > found.upper) {
        (false, false) => found.method,
        (true, true) => adjusted.method,
        _ if found.method == "bca" => "bca_t_adjusted",
        _ => "t_adjusted",
    };
    Estimate { lower, upper, method, ..*found }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::stats::Seed;

    /// The interval of record of so many wins, ties and losses.
    fn record(won: usize, tied: usize, lost: usize) -> Estimate {
        let kinds = [(1.0, won), (0.5, tied), (0.0, lost)];
        let pairs: Vec<(f64, f64)> =
            kinds.iter().flat_map(|(score, n)| std::iter::repeat_n((*score, 1.0), *n)).collect();
        let n = pairs.len() as f64;
        let mean = pairs.iter().map(|(sum, _)| sum).sum::<f64>() / n;
        let alike = |_| constant_units(mean, pairs.len() as u64, [0.0, 1.0], Level::P95);
        let found = t_clustered(&pairs, Level::P95).unwrap_or_else(alike);
        unopposed(&pairs, found)
    }

    #[test]
    fn ties_beside_wins_prove_nothing_that_the_wins_alone_do_not() {
        for tied in [0, 1, 2, 35] {
            assert!(record(5, tied, 0).lower < 0.5, "five wins, {tied} ties");
            assert!(record(6, tied, 0).lower > 0.5, "six wins, {tied} ties");
            assert!(record(0, tied, 5).upper > 0.5 && record(0, tied, 6).upper < 0.5, "{tied} ties");
        }
        for won in 2..20 {
            assert!(record(won - 1, 1, 0).lower < record(won, 0, 0).lower, "a tie for a win, {won} in all");
        }
        assert_eq!(record(6, 0, 0).method, "exact_decided");
        assert!((record(6, 0, 0).lower - 0.025_f64.powf(1.0 / 6.0)).abs() < 1e-9);
        assert_eq!(record(20, 3, 2).method, "t_clustered", "a loss is an opponent");
    }

    /// Units of equal size with so many wins of `a` in each; the rest are wins of `b`, or ties.
    fn scores(wins: &[u64], size: u64, rest: Outcome) -> Scores {
        let mut scores = Scores { outcomes: Outcomes::default(), items: 0, units: Vec::new(), singles: Vec::new() };
        for (unit, won) in wins.iter().enumerate() {
            let outcomes = (0..size).map(|nth| if nth < *won { Outcome::AWins } else { rest });
            let mut sums = Sums { n: size as f64, ..Sums::default() };
            for outcome in outcomes {
                scores.outcomes.add(outcome);
                let plain = outcome.score().unwrap();
                sums.plain += plain;
                sums.graded += plain;
                sums.won += u64::from(outcome == Outcome::AWins);
                sums.lost += u64::from(outcome == Outcome::BWins);
                scores.singles.push(Single { item: scores.singles.len(), unit, plain, graded: plain });
            }
            scores.units.push(sums);
        }
        scores
    }

    fn intervals(scores: &Scores) -> Vec<Estimate> {
        let found = scores.intervals(Scored::Plain, &Resampling { resamples: 2_000, seed: Seed(1) });
        found.into_iter().map(Result::unwrap).collect()
    }

    fn methods(found: &[Estimate]) -> Vec<&'static str> {
        found.iter().map(|estimate| estimate.method).collect()
    }

    #[test]
    fn the_interval_of_record_is_that_of_t_below_twenty_units_and_of_bca_from_there() {
        let half = |units: u64| (0..units).map(|unit| unit % 2).collect::<Vec<_>>();
        let few = intervals(&scores(&half(19), 1, Outcome::BWins));
        assert_eq!(methods(&few), ["t_clustered", "bca", "percentile"]);
        let many = intervals(&scores(&half(20), 1, Outcome::BWins));
        assert_eq!(methods(&many), ["bca", "t_clustered", "percentile"]);
        // Groups count as units; n is that of the outcomes.
        let grouped = half(20).iter().map(|won| 1 + 2 * won).collect::<Vec<_>>();
        let grouped = intervals(&scores(&grouped, 4, Outcome::BWins));
        assert_eq!((methods(&grouped)[0], grouped[0].n), ("bca", 80));
        let none = scores(&[], 1, Outcome::BWins).intervals(Scored::Plain, &Resampling::new(Seed(1)));
        assert!(matches!(none[..], [Err(NotEstimable { reason: Reason::Empty, .. })]), "{none:?}");
    }

    #[test]
    fn where_few_units_carry_the_spread_no_bound_is_nearer_than_that_of_the_adjusted_t() {
        // A win and a loss in each but three.
        let mut wins = vec![1; 40];
        (wins[0], wins[1], wins[2]) = (2, 2, 0);
        let scores = scores(&wins, 2, Outcome::BWins);
        let found = intervals(&scores);
        let adjusted = t_adjusted(&scores.pairs(Scored::Plain), [0.0, 1.0], Level::P95).unwrap();
        assert!(
            found[0].lower <= adjusted.lower && found[0].upper >= adjusted.upper.min(1.0),
            "{found:?} {adjusted:?}"
        );
        assert!(found[0].method.ends_with("t_adjusted"), "{found:?}");
        assert_eq!(
            methods(&found)[1..],
            ["bca", "t_clustered", "percentile"],
            "what it would be without stands beside"
        );
        let bca = &found[1];
        assert!(found[0].lower < bca.lower || found[0].upper > bca.upper, "{found:?}");
    }

    #[test]
    fn the_other_side_has_the_mirror_image() {
        for (wins, size) in [
            (vec![1; 30], 1),
            ((0..30).map(|unit| u64::from(unit > 3)).collect(), 1),
            ((0..25).map(|unit| unit % 4).collect(), 3),
        ] {
            let lost: Vec<u64> = wins.iter().map(|won| size - won).collect();
            let (of_a, of_b) =
                (intervals(&scores(&wins, size, Outcome::BWins)), intervals(&scores(&lost, size, Outcome::BWins)));
            assert_eq!(methods(&of_a), methods(&of_b));
            for (a, b) in of_a.iter().zip(&of_b) {
                assert!(
                    (a.lower - (1.0 - b.upper)).abs() < 1e-12 && (a.upper - (1.0 - b.lower)).abs() < 1e-12,
                    "{a:?} {b:?}"
                );
            }
        }
        assert_eq!(intervals(&scores(&[1; 30], 1, Outcome::BWins))[0].method, "exact_decided");
        assert_eq!(
            intervals(&scores(&[0; 30], 1, Outcome::Tie))[0].method,
            "constant_units",
            "thirty ties lean nowhere"
        );
    }

    #[test]
    fn what_carries_the_spread_is_counted_by_how_much_it_strays() {
        let even: Vec<(f64, f64)> = (0..40).map(|unit| (f64::from(unit % 2), 1.0)).collect();
        assert!((carriers(&even, 0.5) - 40.0).abs() < 1e-9);
        let mut heavy = vec![(20.0, 20.0)];
        heavy.extend((0..19).map(|unit| (f64::from(unit % 2), 1.0)));
        assert!(carriers(&heavy, 0.75) < 3.0);
    }
}
