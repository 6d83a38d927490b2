//! The figures of one judge, over rows or over resampling units.

use super::figures::{Entry, Figures, Test};
use super::outcome::Row;
use super::position;
use super::shares::{
    AGREEMENT_AB, AGREEMENT_BA, AGREEMENT_BOTH_ORDERS, AGREEMENT_DECISIVE, AGREEMENT_EXCL_INCONSISTENT,
    AGREEMENT_LENIENT, AGREEMENT_STRICT, AGREEMENT_STRICT_WORST_CASE, COLLAPSE_FIRST, COLLAPSE_SECOND, Case, Cases,
    DECIDED_COVERAGE, DECIDED_RATE, ERROR_GOLD_LONGER, ERROR_GOLD_LONGER_DECISIVE, ERROR_GOLD_SHORTER,
    ERROR_GOLD_SHORTER_DECISIVE, FIRST_LEANING, FIRST_WIN_SINGLE, FLIP_FIRST_RATE, FLIP_RATE, FLIP_RATE_DECISIVE,
    FLIP_SECOND_RATE, GOLD_IS_LONGER, INCONSISTENCY_RATE, NO_VERDICT_RATE, POSITION_CONSISTENCY,
    PREFERS_LONGER_AT_EQUAL_GOLD, PREFERS_LONGER_COMBINED, PREFERS_LONGER_SINGLE, SINGLE_ORDER_ROWS, Share, judged,
};
use crate::domain::{Order, Preference};
use crate::stats::agreement::{Confusion, Metric, Weights, kappa_of_cells, krippendorff_alpha};
use crate::stats::binomial::binomial_test;
use crate::stats::clustered::clopper_pearson_real;
use crate::stats::power::{detectable_difference, detectable_share};
use crate::stats::proportion::newcombe_difference;
use crate::stats::resample::{Resampling, Units, bca, t_clustered};
use crate::stats::two_proportions::fisher_exact;
use crate::stats::{Estimate, Figure, Level, NotEstimable, Reason};

/// From this number of items on, kappa's asymptotic standard error is used where no gate depends on it.
const ASYMPTOTIC_FROM: u64 = 50;

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

    fn put(self, figures: &mut Figures, cases: &Cases, shares: &[Share]) {
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
    how.put(&mut out, cases, &[FLIP_RATE, FLIP_FIRST_RATE, FLIP_SECOND_RATE, FLIP_RATE_DECISIVE, INCONSISTENCY_RATE]);
    how.put(&mut out, cases, &[DECIDED_RATE, DECIDED_COVERAGE]);
    if how.over == Over::Rows && !how.part {
        out.push("direction_test", Entry::Test(direction_test(cases)));
        out.push("length_gap_test", Entry::Test(length_gap_test(cases)));
        out.figure("flip_excess", position::flip_excess(cases));
        out.figure("repetition_stability", position::repetition_stability(cases));
    }
    how.put(&mut out, cases, &[NO_VERDICT_RATE, SINGLE_ORDER_ROWS]);
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

/// A pair of labels to be compared by kappa.
type Labels = fn(&Case) -> Option<(Preference, Preference)>;

pub(super) const STRICT: Labels = judged;
const CONSISTENT: Labels = |case| judged(case).filter(|_| case.row.is_consistent());
const DECISIVE: Labels = |case| judged(case).filter(|(gold, combined)| gold.is_decisive() && combined.is_decisive());
const GOLD_AND_AB: Labels = |case| case.gold.zip(said_in(case, Order::Ab));
const GOLD_AND_BA: Labels = |case| case.gold.zip(said_in(case, Order::Ba));
const BETWEEN_ORDERS: Labels = |case| said_in(case, Order::Ab).zip(said_in(case, Order::Ba));

fn said_in(case: &Case, order: Order) -> Option<Preference> {
    case.row.singles().find(|(asked, _)| *asked == order).map(|(_, said)| said)
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
    if how.over == Over::Rows {
        let table = confusion(cases, STRICT);
        out.figure("ac1", chance_corrected(cases, how, table.ac1(), ac1_of_cells));
        if !how.part {
            out.figure("alpha", chance_corrected(cases, how, alpha(cases), alpha_of_cells));
        }
        let cell = |gold: usize| [0, 1, 2].map(|judge| table.count(gold, judge));
        out.push("confusion", Entry::Matrix([0, 1, 2].map(cell)));
    }
}

/// Labels over all three classes; the two decisive ones where a tie never enters.
pub(super) fn confusion(cases: &Cases, labels: Labels) -> Confusion {
    let mut cells = [0_u64; 9];
    for (gold, judge) in cases.all.iter().filter_map(labels) {
        cells[gold.index() * 3 + judge.index()] += 1;
    }
    Confusion::from_cells(3, cells.to_vec()).expect("nine cells make three classes")
}

fn cells_by_unit(cases: &Cases, labels: Labels) -> Vec<Vec<f64>> {
    cases.sums_by_unit(9, |case| labels(case).map(|(gold, judge)| vec![(gold.index() * 3 + judge.index(), 1.0)]))
}

/// Kappa with an interval: BCa over units for a headline, else the asymptotic one where there is enough to carry it.
pub(super) fn kappa(cases: &Cases, labels: Labels, how: Measuring, level: Level, asymptotic: bool) -> Figure {
    let table = confusion(cases, labels);
    let n = table.n();
    if n == 0 {
        let reason = if cases.known.gold { Reason::Empty } else { Reason::NoGold };
        return Err(NotEstimable::with_n(
            if cases.known.folded && cases.known.gold { Reason::DirectionUnknown } else { reason },
            0,
        ));
    }
    let point = table.kappa()?;
    let over_rows = how.over == Over::Rows;
    if over_rows && asymptotic && n >= ASYMPTOTIC_FROM {
        return table.kappa_interval(level).or_else(|_| Ok(kappa_at_margins(&table, point, level)));
    }
    let vectors = if over_rows { rows_of(&table) } else { cells_by_unit(cases, labels) };
    let resampled = Units::new(vectors)
        .and_then(|units| bca(&units, |cells| kappa_of_cells(cells, Weights::Nominal), level, &how.resampling));
    Ok(match resampled {
        Ok(estimate) if estimate.lower < estimate.upper => {
            let method = if over_rows { "bca" } else { "bca_clustered" };
            Estimate { point, n, lower: estimate.lower.max(-1.0), upper: estimate.upper.min(1.0), method, ..estimate }
        }
        _ => kappa_at_margins(&table, point, level),
    })
}

/// One unit vector for each row of the table.
fn rows_of(table: &Confusion) -> Vec<Vec<f64>> {
    let unit = |cell: usize| (0..9).map(|i| f64::from(u8::from(i == cell))).collect::<Vec<f64>>();
    (0..9).flat_map(|cell| std::iter::repeat_n(unit(cell), usize::try_from(table.cells()[cell]).unwrap_or(0))).collect()
}

/// Where resampling has no spread (perfect agreement): kappa at the observed margins, with the exact bounds of the agreement.
fn kappa_at_margins(table: &Confusion, point: f64, level: Level) -> Estimate {
    let n = table.n() as f64;
    let chance: f64 = (0..3).map(|c| table.gold_total(c) as f64 / n * (table.judge_total(c) as f64 / n)).sum();
    let (lower, upper) = clopper_pearson_real(table.agreed() as f64 / n, n, level);
    let scale = |agreement: f64| ((agreement - chance) / (1.0 - chance)).clamp(-1.0, 1.0);
    Estimate {
        point,
        lower: scale(lower),
        upper: scale(upper),
        level: level.get(),
        n: table.n(),
        k: None,
        k_half: None,
        method: "kappa_at_margins",
    }
}

/// AC1 and alpha: BCa over rows, the point alone in the bounds where there is no spread.
fn chance_corrected(
    cases: &Cases,
    how: Measuring,
    point: Result<f64, NotEstimable>,
    statistic: fn(&[f64]) -> Option<f64>,
) -> Figure {
    let point =
        point.map_err(|absence| if cases.known.gold { absence } else { NotEstimable::because(Reason::NoGold) })?;
    let table = confusion(cases, STRICT);
    let few = Resampling { resamples: if how.part { 1_000 } else { how.resampling.resamples }, ..how.resampling };
    match Units::new(rows_of(&table)).and_then(|units| bca(&units, statistic, Level::P95, &few)) {
        Ok(estimate) => Ok(Estimate { point, ..estimate }),
        Err(_) => Ok(kappa_at_margins(&table, point, Level::P95)),
    }
}

fn ac1_of_cells(cells: &[f64]) -> Option<f64> {
    let n: f64 = cells.iter().sum();
    let agreed = (cells[0] + cells[4] + cells[8]) / n;
    let margin = |c: usize| {
        let row: f64 = cells[c * 3..c * 3 + 3].iter().sum();
        let column: f64 = cells.iter().skip(c).step_by(3).sum();
        (row + column) / (2.0 * n)
    };
    let chance = (0..3).map(|c| margin(c) * (1.0 - margin(c))).sum::<f64>() / 2.0;
    (n > 0.0).then(|| (agreed - chance) / (1.0 - chance))
}

fn alpha(cases: &Cases) -> Result<f64, NotEstimable> {
    let (gold, judge): (Vec<_>, Vec<_>) = cases
        .all
        .iter()
        .filter_map(judged)
        .map(|(gold, combined)| (Some(gold.index() as f64), Some(combined.index() as f64)))
        .unzip();
    krippendorff_alpha(&[gold, judge], Metric::Nominal)
}

/// Nominal alpha of two raters from their table: both orders of each pair enter the coincidences.
fn alpha_of_cells(cells: &[f64]) -> Option<f64> {
    let n = 2.0 * cells.iter().sum::<f64>();
    let total = |c: usize| -> f64 {
        cells[c * 3..c * 3 + 3].iter().sum::<f64>() + cells.iter().skip(c).step_by(3).sum::<f64>()
    };
    let seen = n - 2.0 * (cells[0] + cells[4] + cells[8]);
    let expected: f64 = (0..3).map(|c| total(c) * (n - total(c))).sum();
    (expected > 0.0).then(|| 1.0 - (n - 1.0) * seen / expected)
}

/// Mean over the orders of (verdict == gold), over rows with gold; a missing verdict is wrong.
fn mean_of_orders(cases: &Cases) -> Figure {
    if !cases.all.iter().any(|case| case.row.has_direction() && case.gold.is_some()) {
        let reason = match (cases.known.gold, cases.known.folded) {
            (false, _) => Reason::NoGold,
            (true, true) => Reason::DirectionUnknown,
            (true, false) => Reason::Empty,
        };
        return Err(NotEstimable::with_n(reason, 0));
    }
    let hits = |case: &Case| {
        let gold = case.gold?;
        (!case.row.folded).then(|| case.row.singles().filter(|(_, said)| *said == gold).count() as f64)
    };
    let k_half: f64 = cases.all.iter().filter_map(hits).sum();
    let n = cases.all.iter().filter_map(hits).count() as u64;
    let groups = cases.sums_by_unit(2, |case| hits(case).map(|k| vec![(0, k / 2.0), (1, 1.0)]));
    mean_figure(&groups, n).map(|estimate| Estimate { k_half: Some(whole(k_half)), ..estimate })
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn whole(count: f64) -> u64 {
    count.round() as u64
}

/// Half-credit score of a verdict: 1 for the right class, ½ where exactly one side is a tie, else 0.
pub(super) fn half_credit_of(gold: Preference, said: Preference) -> f64 {
    match (gold == said, gold.is_decisive() && said.is_decisive()) {
        (true, _) => 1.0,
        (false, true) => 0.0,
        (false, false) => 0.5,
    }
}

fn half_credit(cases: &Cases, level: Level) -> Figure {
    let score = |case: &Case| judged(case).map(|(gold, combined)| half_credit_of(gold, combined));
    let n = cases.all.iter().filter_map(score).count() as u64;
    if n == 0 {
        return Err(NotEstimable::with_n(if cases.known.gold { Reason::Empty } else { Reason::NoGold }, 0));
    }
    let groups = cases.sums_by_unit(2, |case| score(case).map(|s| vec![(0, s), (1, 1.0)]));
    let k_half: f64 = cases.all.iter().filter_map(score).sum::<f64>() * 2.0;
    mean_at(&groups, n, level).map(|estimate| Estimate { k_half: Some(whole(k_half)), ..estimate })
}

fn mean_figure(groups: &[Vec<f64>], n: u64) -> Figure {
    mean_at(groups, n, Level::P95)
}

/// A mean over units given as (sum, weight): the t interval, cut to 0..=1; Wilson on the units where there is no spread.
pub(super) fn mean_at(groups: &[Vec<f64>], n: u64, level: Level) -> Figure {
    let pairs: Vec<(f64, f64)> = groups.iter().map(|unit| (unit[0], unit[1])).collect();
    match t_clustered(&pairs, level) {
        Ok(estimate) => Ok(Estimate { n, lower: estimate.lower.max(0.0), upper: estimate.upper.min(1.0), ..estimate }),
        Err(absence) if absence.reason == Reason::Constant => {
            let sum: f64 = pairs.iter().map(|(s, _)| s).sum();
            let point = sum / pairs.iter().map(|(_, w)| w).sum::<f64>();
            // Every unit has the same mean: the bound is that of the share of units that are like this.
            let (lower, _) = clopper_pearson_real(1.0, pairs.len() as f64, level);
            Ok(Estimate {
                point,
                lower: point * lower,
                upper: 1.0 - (1.0 - point) * lower,
                level: level.get(),
                n,
                k: None,
                k_half: None,
                method: "constant_units",
            })
        }
        Err(absence) => Err(absence),
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

/// Decisive error where gold is the shorter minus where it is the longer: Newcombe over rows, BCa over units.
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
    match Units::new(vectors).and_then(|units| bca(&units, gap, level, &how.resampling)) {
        Ok(estimate) => Ok(Estimate { n: n1 + n2, method: "bca_clustered", ..estimate }),
        Err(_) => length_gap_by_parts(cases, level, n1 + n2),
    }
}

/// Newcombe's hybrid of the two shares' intervals over units, where resampling has no spread.
fn length_gap_by_parts(cases: &Cases, level: Level, n: u64) -> Figure {
    let one = cases.clustered(&ERROR_GOLD_SHORTER_DECISIVE, level)?;
    let two = cases.clustered(&ERROR_GOLD_LONGER_DECISIVE, level)?;
    let point = one.point - two.point;
    let below = (one.point - one.lower).hypot(two.upper - two.point);
    let above = (one.upper - one.point).hypot(two.point - two.lower);
    Ok(Estimate {
        point,
        lower: (point - below).max(-1.0),
        upper: (point + above).min(1.0),
        level: level.get(),
        n,
        k: None,
        k_half: None,
        method: "newcombe_clustered",
    })
}

/// Do flips go to one slot more often than a coin would? With the smallest lean such a sample would have shown.
fn direction_test(cases: &Cases) -> Test {
    let (k, n) = cases.count(&COLLAPSE_FIRST);
    Test {
        p: if n == 0 { 1.0 } else { binomial_test(k, n, 0.5) },
        k,
        n,
        method: "binomial_exact",
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
