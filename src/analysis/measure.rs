//! The figures of one judge, over rows or over resampling units.

use super::figures::{Entry, Figures, Test};
use super::kappa::{
    AC1, ALPHA, BETWEEN_ORDERS, CONSISTENT, DECISIVE, GOLD_AND_AB, GOLD_AND_BA, STRICT, alpha, chance_corrected,
    confusion, kappa,
};
use super::means::{half_credit, mean_of_orders};
use super::outcome::Row;
use super::position;
use super::shares::{
    AGREEMENT_AB, AGREEMENT_BA, AGREEMENT_BOTH_ORDERS, AGREEMENT_DECISIVE, AGREEMENT_EXCL_INCONSISTENT,
    AGREEMENT_LENIENT, AGREEMENT_STRICT, AGREEMENT_STRICT_WORST_CASE, COLLAPSE_FIRST, COLLAPSE_SECOND, Cases,
    DECIDED_COVERAGE, DECIDED_RATE, ERROR_GOLD_LONGER, ERROR_GOLD_LONGER_DECISIVE, ERROR_GOLD_SHORTER,
    ERROR_GOLD_SHORTER_DECISIVE, FIRST_LEANING, FIRST_WIN_SINGLE, FLIP_FIRST_RATE, FLIP_RATE, FLIP_RATE_DECISIVE,
    FLIP_SECOND_RATE, GOLD_IS_LONGER, INCONSISTENCY_RATE, NO_VERDICT_RATE, ONE_TIE_RATE, POSITION_CONSISTENCY,
    PREFERS_LONGER_AT_EQUAL_GOLD, PREFERS_LONGER_COMBINED, PREFERS_LONGER_SINGLE, SINGLE_ORDER_ROWS, Share, judged,
};
use crate::domain::Preference;
use crate::stats::binomial::binomial_test;
use crate::stats::power::{detectable_difference, detectable_share};
use crate::stats::proportion::newcombe_difference;
use crate::stats::resample::{Resampling, Units, bca};
use crate::stats::two_proportions::fisher_exact;
use crate::stats::{Estimate, Figure, Level, NotEstimable};

/// How the shares of a part are turned into figures.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Over {
    /// Wilson over rows.
    Rows,
    /// Over resampling units.
    Units,
}

/// What a measurement depends on beside the rows.
#[derive(Clone, Copy)]
pub(super) struct Measuring {
    pub over: Over,
    pub resampling: Resampling,
    /// True for a part of the data (a category): kappa by its standard error alone, no tests.
    pub part: bool,
}

impl Measuring {
    fn share(self, cases: &Cases, share: &Share) -> Figure {
        match self.over {
            Over::Rows => cases.wilson(share, Level::P95),
            Over::Units => cases.clustered(share, Level::P95),
        }
    }

    pub(super) fn put(self, figures: &mut Figures, cases: &Cases, shares: &[Share]) {
        for share in shares {
            figures.figure(share.name, self.share(cases, share));
        }
    }
}

/// All figures of these cases, in the order in which they are printed.
pub(super) fn figures(cases: &Cases, how: Measuring) -> Figures {
    let mut out = Figures::new();
    if how.over == Over::Rows {
        out.count("rows", cases.all.len() as u64);
        out.push("verdicts_missing", Entry::Group(missing(cases)));
    } else {
        out.count("units", cases.units as u64);
    }
    how.put(&mut out, cases, &[POSITION_CONSISTENCY, COLLAPSE_FIRST, COLLAPSE_SECOND, FIRST_LEANING, FIRST_WIN_SINGLE]);
    if how.over == Over::Rows {
        out.push("combined_verdicts", Entry::Group(combined_verdicts(cases)));
    }
    how.put(&mut out, cases, &[PREFERS_LONGER_SINGLE, PREFERS_LONGER_COMBINED]);
    if how.over == Over::Rows {
        out.count("judged", cases.all.iter().filter(|case| judged(case).is_some()).count() as u64);
        out.push("gold_labels", Entry::Group(gold_labels(cases)));
    }
    agreement(&mut out, cases, how);
    out.push("length", Entry::Group(length(cases, how)));
    out.figure("length_error_gap", length_gap(cases, how, Level::P95));
    how.put(&mut out, cases, &[PREFERS_LONGER_AT_EQUAL_GOLD]);
    how.put(
        &mut out,
        cases,
        &[FLIP_RATE, FLIP_FIRST_RATE, FLIP_SECOND_RATE, FLIP_RATE_DECISIVE, INCONSISTENCY_RATE, ONE_TIE_RATE],
    );
    how.put(&mut out, cases, &[DECIDED_RATE, DECIDED_COVERAGE]);
    if how.over == Over::Rows && !how.part {
        out.push("direction_test", Entry::Test(direction_test(cases)));
        if !cases.clustered {
            // Rows that share a unit are no independent trials; the interval of the gap over units stands for the test.
            out.push("length_gap_test", Entry::Test(length_gap_test(cases)));
        }
        out.figure("flip_excess", position::flip_excess(cases));
        out.figure("repetition_stability", position::repetition_stability(cases));
    }
    how.put(&mut out, cases, &[NO_VERDICT_RATE, SINGLE_ORDER_ROWS]);
    out
}

/// Shares that count both orders of a row, over items: two judgments of one item are no independent trials, even where no two rows
/// share a unit.
pub(super) fn shares_of_both_orders(cases: &Cases, resampling: Resampling) -> Figures {
    let how = Measuring { over: Over::Units, resampling, part: true };
    let mut out = Figures::new();
    out.count("units", cases.units as u64);
    how.put(&mut out, cases, &[FIRST_WIN_SINGLE, PREFERS_LONGER_SINGLE, NO_VERDICT_RATE]);
    out
}

fn missing(cases: &Cases) -> Figures {
    // A folded disagreement tells neither order's verdict.
    let lacking =
        |pick: fn(&Row) -> Option<Preference>| cases.all.iter().filter(|case| pick(case.row).is_none()).count() as u64;
    let mut figures = Figures::new();
    figures.count("ab", lacking(|row| row.ab));
    figures.count("ba", lacking(|row| row.ba));
    figures
}

fn combined_verdicts(cases: &Cases) -> Figures {
    let count = |wanted: Option<Preference>| cases.all.iter().filter(|case| case.combined == wanted).count() as u64;
    let mut figures = Figures::new();
    for preference in Preference::ALL {
        figures.count(preference.as_str(), count(Some(preference)));
    }
    figures.count("none", count(None));
    figures
}

fn gold_labels(cases: &Cases) -> Figures {
    let mut figures = Figures::new();
    for preference in Preference::ALL {
        let count = cases.all.iter().filter_map(judged).filter(|(gold, _)| *gold == preference).count();
        figures.count(preference.as_str(), count as u64);
    }
    figures
}

fn agreement(out: &mut Figures, cases: &Cases, how: Measuring) {
    how.put(out, cases, &[AGREEMENT_STRICT]);
    out.figure("kappa_strict", kappa(cases, STRICT, how, Level::P95, how.part));
    how.put(out, cases, &[AGREEMENT_BOTH_ORDERS, AGREEMENT_EXCL_INCONSISTENT]);
    out.figure("kappa_excl_inconsistent", kappa(cases, CONSISTENT, how, Level::P95, true));
    how.put(out, cases, &[AGREEMENT_AB]);
    out.figure("kappa_ab", kappa(cases, GOLD_AND_AB, how, Level::P95, true));
    how.put(out, cases, &[AGREEMENT_BA]);
    out.figure("kappa_ba", kappa(cases, GOLD_AND_BA, how, Level::P95, true));
    out.figure("agreement_mean_of_orders", mean_of_orders(cases));
    out.figure("kappa_between_orders", kappa(cases, BETWEEN_ORDERS, how, Level::P95, true));
    how.put(out, cases, &[AGREEMENT_LENIENT, AGREEMENT_DECISIVE]);
    out.figure("kappa_decisive", kappa(cases, DECISIVE, how, Level::P95, true));
    out.figure("agreement_half_credit", half_credit(cases, Level::P95));
    how.put(out, cases, &[AGREEMENT_STRICT_WORST_CASE]);
    let table = confusion(cases, STRICT);
    out.figure("ac1", chance_corrected(cases, how, table.ac1(), AC1));
    if !how.part {
        out.figure("alpha", chance_corrected(cases, how, alpha(cases), ALPHA));
    }
    if how.over == Over::Rows {
        let cell = |gold: usize| [0, 1, 2].map(|judge| table.count(gold, judge));
        out.push("confusion", Entry::Matrix([0, 1, 2].map(cell)));
    }
}

fn length(cases: &Cases, how: Measuring) -> Figures {
    let mut figures = Figures::new();
    how.put(
        &mut figures,
        cases,
        &[
            GOLD_IS_LONGER,
            ERROR_GOLD_SHORTER,
            ERROR_GOLD_LONGER,
            ERROR_GOLD_SHORTER_DECISIVE,
            ERROR_GOLD_LONGER_DECISIVE,
        ],
    );
    figures
}

/// Decisive error where gold is the shorter minus where it is the longer: Newcombe over rows; over units each bound is the
/// farther one of BCa and of Newcombe's method, and the method names whichever gave them, or both.
pub(super) fn length_gap(cases: &Cases, how: Measuring, level: Level) -> Figure {
    let (k1, n1) = cases.count(&ERROR_GOLD_SHORTER_DECISIVE);
    let (k2, n2) = cases.count(&ERROR_GOLD_LONGER_DECISIVE);
    if n1 == 0 || n2 == 0 {
        return Err(NotEstimable::with_n(cases.absence(&ERROR_GOLD_SHORTER_DECISIVE), n1 + n2));
    }
    let newcombe = newcombe_difference(k1, n1, k2, n2, level);
    if how.over == Over::Rows {
        return newcombe;
    }
    let vectors = cases.sums_by_unit(4, |case| {
        let (ks, ns) = (ERROR_GOLD_SHORTER_DECISIVE.of)(case);
        let (kl, nl) = (ERROR_GOLD_LONGER_DECISIVE.of)(case);
        let sums = [ks, ns, kl, nl].map(f64::from);
        (ns + nl > 0).then(|| sums.into_iter().enumerate().collect())
    });
    let gap = |t: &[f64]| (t[1] > 0.0 && t[3] > 0.0).then(|| t[0] / t[1] - t[2] / t[3]);
    let by_parts = length_gap_by_parts(cases, level, n1 + n2);
    match (Units::new(vectors).and_then(|units| bca(&units, gap, level, &how.resampling)), &by_parts) {
        // A handful of errors resampled has too little spread: the bootstrap alone keeps 90 of 95 %.
        (Ok(found), Ok(parts)) => Ok(Estimate {
            n: n1 + n2,
            lower: found.lower.min(parts.lower),
            upper: found.upper.max(parts.upper),
            method: match (parts.lower < found.lower, parts.upper > found.upper) {
                (false, false) => "bca_clustered",
                (true, true) => "newcombe_clustered",
                _ => "bca_newcombe_clustered",
            },
            ..found
        }),
        (Ok(found), Err(_)) => Ok(Estimate { n: n1 + n2, method: "bca_clustered", ..found }),
        (Err(_), _) => by_parts,
    }
}

/// Newcombe's hybrid of the two shares' intervals over units, where resampling has no spread.
fn length_gap_by_parts(cases: &Cases, level: Level, n: u64) -> Figure {
    let one = cases.clustered(&ERROR_GOLD_SHORTER_DECISIVE, level)?;
    let two = cases.clustered(&ERROR_GOLD_LONGER_DECISIVE, level)?;
    let point = one.point - two.point;
    let below = (one.point - one.lower).hypot(two.upper - two.point);
    let above = (one.upper - one.point).hypot(two.point - two.lower);
    Ok(Estimate::within(
        point,
        [(point - below).max(-1.0), (point + above).min(1.0)],
        level.get(),
        n,
        "newcombe_clustered",
    ))
}

/// Do flips go to one slot more often than a coin would? Each unit has one voice: the slot that more of its flips went to.
/// With the smallest lean such a sample would have shown.
fn direction_test(cases: &Cases) -> Test {
    let leans = cases.count_by_unit(&COLLAPSE_FIRST).into_iter().map(|(first, flips)| (2 * first).cmp(&flips));
    let (mut k, mut n) = (0, 0);
    for lean in leans.filter(|lean| lean.is_ne()) {
        n += 1;
        k += u64::from(lean.is_gt());
    }
    Test {
        p: if n == 0 { 1.0 } else { binomial_test(k, n, 0.5) },
        k,
        n,
        method: if cases.clustered { "binomial_exact_by_unit" } else { "binomial_exact" },
        detectable: detectable_share(n, 0.5, 0.05, 0.8),
    }
}

/// Does the decisive error depend on which response is longer? Fisher's exact test on the two shares.
fn length_gap_test(cases: &Cases) -> Test {
    let (k1, n1) = cases.count(&ERROR_GOLD_SHORTER_DECISIVE);
    let (k2, n2) = cases.count(&ERROR_GOLD_LONGER_DECISIVE);
    let pooled = if n1 + n2 == 0 { 0.0 } else { (k1 + k2) as f64 / (n1 + n2) as f64 };
    let p = fisher_exact(k1, n1, k2, n2).unwrap_or(1.0);
    Test {
        p,
        k: k1 + k2,
        n: n1 + n2,
        method: "fisher_exact",
        detectable: detectable_difference(n1, n2, pooled, 0.05, 0.8),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::domain::{Digest, Folded, GoldLabel, GoldSet, Judgment, Pair, Preference, Said};
    use crate::stats::Seed;

    /// The rule that gave a bound is named: a reader who works it out anew must end at the same number.
    #[test]
    fn the_gap_over_units_names_the_rule_of_its_bounds() {
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..40 {
            let mut stream = Seed(seed).child("gap").stream(0);
            let (groups, errs) = (5 + stream.below(40), [0.02, 0.2, 0.5][usize::try_from(seed % 3).unwrap()]);
            let (mut items, mut judgments) = (Vec::new(), Vec::new());
            for at in 0..groups * 3 {
                let mut facts = Pair::new(format!("q{at:03}"), "p", "long one", "short").facts();
                let gold = if stream.unit_f64() < 0.5 { Preference::A } else { Preference::B };
                let wrong = stream.unit_f64() < if gold == Preference::B { errs } else { errs / 2.0 };
                facts.group = Some(format!("g{}", at / 3).as_str().into());
                facts.gold = Some(GoldLabel { label: gold, votes: Vec::new(), disputed: false });
                let said = if (gold == Preference::A) == wrong { Folded::B } else { Folded::A };
                let item = facts.id.clone();
                items.push(facts);
                judgments.push(Judgment { item, judge: "j".into(), repeat: 0, said: Said::Folded(said), detail: None });
            }
            let items = GoldSet::new("g", Digest::of(b"g"), items);
            let sheet = crate::analysis::outcome::sheets(&items, &judgments).pop().unwrap();
            let cases = Cases::new(&items, sheet.rows.iter());
            let resampling = Resampling { resamples: 400, seed: Seed(1) };
            let how = Measuring { over: Over::Units, resampling, part: false };
            let Ok(found) = length_gap(&cases, how, Level::P90) else { continue };
            let parts = length_gap_by_parts(&cases, Level::P90, found.n).unwrap();
            let by_newcombe =
                (found.lower.total_cmp(&parts.lower).is_eq(), found.upper.total_cmp(&parts.upper).is_eq());
            let wanted = match by_newcombe {
                (true, true) => "newcombe_clustered",
                (false, false) => "bca_clustered",
                _ => "bca_newcombe_clustered",
            };
            assert_eq!(found.method, wanted, "{found:?} {parts:?}");
            seen.insert(found.method);
        }
        assert!(seen.len() >= 2, "{seen:?}");
    }
}
