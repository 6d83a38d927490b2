//! Do two paired arms differ? The discordant units of a comparison, by verdicts or by checks.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use crate::domain::{GoldSet, ItemId, Unit};
use crate::stats::binomial::mcnemar;
use crate::stats::clustered::wilson_clustered;
use crate::stats::paired::{PairedTable, matched_odds_ratio, tango_difference};
use crate::stats::proportion::wilson;
use crate::stats::{Figure, Level, NotEstimable};

/// McNemar's test on units, with the effect.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct McNemarResult {
    /// Units with more consistent wins of `a` than of `b`: its consistent wins where no two outcomes share a unit.
    pub a_only: u64,
    /// Units with more consistent wins of `b`.
    pub b_only: u64,
    /// Exact conditional binomial p.
    pub p_exact: f64,
    /// Mid-p.
    pub p_mid: f64,
    /// `(a_only − b_only)` of all units, with Tango's interval: −1..=1.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub effect: Figure,
    /// How many times as often only `a` wins.
    #[serde(serialize_with = "serialize_odds")]
    pub odds_ratio: Result<Odds, NotEstimable>,
}

/// A matched odds ratio with its exact 95 % interval; `None` where it has no bound.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Odds {
    /// `a_only / b_only`; `None` where `b_only` is 0.
    pub ratio: Option<f64>,
    /// Lower limit.
    pub lower: f64,
    /// Upper limit; `None` where `b_only` is 0.
    pub upper: Option<f64>,
}

fn serialize_odds<S: serde::Serializer>(odds: &Result<Odds, NotEstimable>, serializer: S) -> Result<S::Ok, S::Error> {
    match odds {
        Ok(odds) => odds.serialize(serializer),
        Err(absence) => absence.serialize(serializer),
    }
}

impl McNemarResult {
    /// The test of `a_only` against `b_only` among `units`.
    pub(super) fn of(a_only: u64, b_only: u64, units: u64) -> Self {
        let test = mcnemar(a_only, b_only);
        let rest = units.saturating_sub(a_only + b_only);
        let table = PairedTable { both: 0, first_only: a_only, second_only: b_only, neither: rest };
        let finite = |value: f64| value.is_finite().then_some(value);
        let odds = matched_odds_ratio(a_only, b_only, Level::P95);
        Self {
            a_only,
            b_only,
            p_exact: test.p_exact,
            p_mid: test.p_mid,
            effect: tango_difference(table, Level::P95),
            odds_ratio: odds.map(|o| Odds { ratio: finite(o.ratio), lower: o.lower, upper: finite(o.upper) }),
        }
    }
}

/// Whether each response of an item passes all checks of the item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passes {
    /// The response called `a`.
    pub a: bool,
    /// The response called `b`.
    pub b: bool,
}

/// What the checks of the items say of the two sides, whatever the judge says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChecksResult {
    /// Items with checks.
    pub items: u64,
    /// Share of them that `a` passes.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub a_passes: Figure,
    /// Share of them that `b` passes.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub b_passes: Figure,
    /// McNemar on passing: `a_only` are units in which more items are passed by `a` alone.
    pub mcnemar: McNemarResult,
}

#[derive(Default, Clone, Copy)]
struct Counts {
    a: u64,
    b: u64,
    n: u64,
}

/// Compares both sides by the checks; `None` where no item has any.
pub(super) fn by_checks(items: &GoldSet, passes: &BTreeMap<ItemId, Passes>) -> Option<ChecksResult> {
    let mut names: HashMap<Unit<'_>, usize> = HashMap::new();
    let mut units: Vec<Counts> = Vec::new();
    for item in &items.items {
        let Some(passed) = passes.get(&item.id) else { continue };
        let next = names.len();
        let unit = *names.entry(item.unit()).or_insert(next);
        if unit == units.len() {
            units.push(Counts::default());
        }
        let counts = &mut units[unit];
        counts.a += u64::from(passed.a);
        counts.b += u64::from(passed.b);
        counts.n += 1;
    }
    let all: u64 = units.iter().map(|unit| unit.n).sum();
    let share = |of: fn(&Counts) -> u64| {
        let counts: Vec<(u64, u64)> = units.iter().map(|unit| (of(unit), unit.n)).collect();
        if all > units.len() as u64 {
            wilson_clustered(&counts, Level::P95)
        } else {
            wilson(counts.iter().map(|(k, _)| k).sum(), all, Level::P95)
        }
    };
    let more = |of: fn(&Counts) -> bool| units.iter().filter(|unit| of(unit)).count() as u64;
    (all > 0).then(|| ChecksResult {
        items: all,
        a_passes: share(|unit| unit.a),
        b_passes: share(|unit| unit.b),
        mcnemar: McNemarResult::of(more(|unit| unit.a > unit.b), more(|unit| unit.b > unit.a), units.len() as u64),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::domain::{Digest, Pair};

    fn result(rows: &[(&str, &str, bool, bool)]) -> ChecksResult {
        let facts = rows.iter().map(|(id, group, ..)| {
            let mut pair = Pair::new(*id, "p", "one", "two");
            pair.group = (!group.is_empty()).then(|| (*group).into());
            pair.facts()
        });
        let items = GoldSet::new("g", Digest::of(b""), facts.collect());
        let passes = rows.iter().map(|(id, _, a, b)| (ItemId::from(*id), Passes { a: *a, b: *b })).collect();
        by_checks(&items, &passes).unwrap()
    }

    #[test]
    fn passing_alone_is_what_counts_and_both_or_neither_say_nothing() {
        let found =
            result(&[("1", "", true, false), ("2", "", true, true), ("3", "", false, false), ("4", "", true, false)]);
        assert_eq!((found.items, found.mcnemar.a_only, found.mcnemar.b_only), (4, 2, 0));
        assert_eq!(found.a_passes.unwrap().k, Some(3));
        assert!((found.mcnemar.p_exact - 0.5).abs() < 1e-12, "two of two: twice a quarter");
        let odds = found.mcnemar.odds_ratio.unwrap();
        assert_eq!((odds.ratio, odds.upper), (None, None), "no bound is no number");
    }

    #[test]
    fn a_group_has_one_voice() {
        let found = result(&[("1", "g", true, false), ("2", "g", true, false), ("3", "h", false, true)]);
        assert_eq!((found.mcnemar.a_only, found.mcnemar.b_only), (1, 1));
        assert_eq!(found.mcnemar.effect.unwrap().point, 0.0);
        assert_eq!(found.a_passes.unwrap().method, "wilson_clustered");
    }
}
