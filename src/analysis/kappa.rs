//! Agreement beyond chance of one judge with the labels, or of its orders with each other.

use std::cmp::Ordering;

use super::measure::{Measuring, Over};
use super::shares::{Case, Cases, judged};
use crate::domain::{Order, Preference};
use crate::stats::agreement::{Confusion, Metric, Weights, kappa_of_cells, krippendorff_alpha};
use crate::stats::cells::{ac1_of_cells, ac1_slope, alpha_of_cells, alpha_slope};
use crate::stats::clustered::clopper_pearson_real;
use crate::stats::resample::{Resampling, Units, bca};
use crate::stats::{Estimate, Figure, Level, NotEstimable, Reason};

/// From this number of items on, kappa's asymptotic standard error is used where no gate depends on it.
const ASYMPTOTIC_FROM: u64 = 50;

/// Resamples for coefficients that stand beside kappa; no gate depends on them.
const SECONDARY_RESAMPLES: usize = 2_000;

/// A pair of labels to be compared by kappa.
pub(super) type Labels = fn(&Case) -> Option<(Preference, Preference)>;

pub(super) const STRICT: Labels = judged;
pub(super) const CONSISTENT: Labels = |case| judged(case).filter(|_| case.row.is_consistent());
pub(super) const DECISIVE: Labels =
    |case| judged(case).filter(|(gold, combined)| gold.is_decisive() && combined.is_decisive());
pub(super) const GOLD_AND_AB: Labels = |case| case.gold.zip(said_in(case, Order::Ab));
pub(super) const GOLD_AND_BA: Labels = |case| case.gold.zip(said_in(case, Order::Ba));
pub(super) const BETWEEN_ORDERS: Labels = |case| said_in(case, Order::Ab).zip(said_in(case, Order::Ba));

fn said_in(case: &Case, order: Order) -> Option<Preference> {
    case.row.singles().find(|(asked, _)| *asked == order).map(|(_, said)| said)
}

/// The table of a pair of labels over all three classes.
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
        return table.kappa_interval(level).or_else(|_| Ok(at_margins(&table, point, kappa_slope(&table), n, level)));
    }
    let by_unit = (!over_rows).then(|| cells_by_unit(cases, labels));
    kappa_of_table(&table, by_unit, level, &how.resampling)
}

/// Kappa of a table with the BCa interval over its rows, or over the units that `by_unit` gives as their nine cells each.
pub(super) fn kappa_of_table(
    table: &Confusion,
    by_unit: Option<Vec<Vec<f64>>>,
    level: Level,
    resampling: &Resampling,
) -> Figure {
    let (point, n) = (table.kappa()?, table.n());
    let method = if by_unit.is_none() { "bca" } else { "bca_clustered" };
    let vectors = canonical(by_unit.unwrap_or_else(|| rows_of(table)));
    let units = vectors.len() as u64;
    let resampled = Units::new(vectors)
        .and_then(|units| bca(&units, |cells| kappa_of_cells(cells, Weights::Nominal), level, resampling));
    Ok(match resampled {
        Ok(estimate) if estimate.lower < estimate.upper => {
            Estimate { point, n, lower: estimate.lower.max(-1.0), upper: estimate.upper.min(1.0), method, ..estimate }
        }
        _ => at_margins(table, point, kappa_slope(table), units, level),
    })
}

/// One unit vector for each row of the table.
fn rows_of(table: &Confusion) -> Vec<Vec<f64>> {
    let unit = |cell: usize| (0..9).map(|i| f64::from(u8::from(i == cell))).collect::<Vec<f64>>();
    (0..9).flat_map(|cell| std::iter::repeat_n(unit(cell), usize::try_from(table.cells()[cell]).unwrap_or(0))).collect()
}

/// The same units with the names of `a` and `b`, or of rows and columns, exchanged if that puts them earlier in order. Every coefficient
/// is blind to both, and resamples are drawn from sorted units: so they are drawn alike whichever side is called `a`.
fn canonical(vectors: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    const EXCHANGED: [[usize; 9]; 3] =
        [[4, 3, 5, 1, 0, 2, 7, 6, 8], [0, 3, 6, 1, 4, 7, 2, 5, 8], [4, 1, 7, 3, 0, 6, 5, 2, 8]];
    let sorted = |mut vectors: Vec<Vec<f64>>| {
        vectors.sort_unstable_by(|x, y| x.partial_cmp(y).unwrap_or(Ordering::Equal));
        vectors
    };
    let exchanged = |cells: &[usize; 9]| -> Vec<Vec<f64>> {
        sorted(vectors.iter().map(|unit| cells.iter().map(|cell| unit[*cell]).collect()).collect())
    };
    let others: Vec<_> = EXCHANGED.iter().map(exchanged).collect();
    let earlier = |one: Vec<Vec<f64>>, other: Vec<Vec<f64>>| if other < one { other } else { one };
    others.into_iter().fold(sorted(vectors), earlier)
}

/// Where resampling has no spread (perfect agreement): the coefficient at the observed margins, with the exact bounds of the agreement
/// over `units` independent trials (rows, or whole units where rows share one: nothing is known of their spread).
/// Every chance-corrected coefficient is `1 − slope · (1 − agreement)` at fixed margins.
fn at_margins(table: &Confusion, point: f64, slope: f64, units: u64, level: Level) -> Estimate {
    let agreement = table.agreed() as f64 / table.n() as f64;
    let (lower, upper) = clopper_pearson_real(agreement, units as f64, level);
    let at = |agreement: f64| (1.0 - slope * (1.0 - agreement)).clamp(-1.0, 1.0);
    Estimate::within(point, [at(lower), at(upper)], level.get(), table.n(), "kappa_at_margins")
}

/// The slope of kappa: `1 / (1 − chance)`. Finite where kappa is.
fn kappa_slope(table: &Confusion) -> f64 {
    let n = table.n() as f64;
    let chance: f64 = (0..3).map(|c| table.gold_total(c) as f64 / n * (table.judge_total(c) as f64 / n)).sum();
    1.0 / (1.0 - chance)
}

/// A chance-corrected coefficient of a 3×3 table beside kappa.
#[derive(Clone, Copy)]
pub(super) struct Coefficient {
    /// Its value for cells, row by row.
    pub of: fn(&[f64]) -> Option<f64>,
    /// Its slope against the observed agreement at the margins of the cells.
    pub slope: fn(&[f64]) -> f64,
}

/// Gwet's AC1.
pub(super) const AC1: Coefficient = Coefficient { of: ac1_of_cells, slope: ac1_slope };

/// Krippendorff's nominal alpha.
pub(super) const ALPHA: Coefficient = Coefficient { of: alpha_of_cells, slope: alpha_slope };

/// AC1 and alpha: BCa over rows or units; at the margins where there is no spread.
pub(super) fn chance_corrected(
    cases: &Cases,
    how: Measuring,
    point: Result<f64, NotEstimable>,
    coefficient: Coefficient,
) -> Figure {
    let point =
        point.map_err(|absence| if cases.known.gold { absence } else { NotEstimable::because(Reason::NoGold) })?;
    let table = confusion(cases, STRICT);
    let over_rows = how.over == Over::Rows;
    let vectors = canonical(if over_rows { rows_of(&table) } else { cells_by_unit(cases, STRICT) });
    let units = vectors.len() as u64;
    let method = if over_rows { "bca" } else { "bca_clustered" };
    let resampling = Resampling { resamples: how.resampling.resamples.min(SECONDARY_RESAMPLES), ..how.resampling };
    match Units::new(vectors).and_then(|units| bca(&units, coefficient.of, Level::P95, &resampling)) {
        Ok(e) if e.lower < e.upper => {
            Ok(Estimate { point, n: table.n(), lower: e.lower.max(-1.0), upper: e.upper.min(1.0), method, ..e })
        }
        _ => Ok(at_margins(&table, point, (coefficient.slope)(&table.as_f64()), units, Level::P95)),
    }
}

pub(super) fn alpha(cases: &Cases) -> Result<f64, NotEstimable> {
    let (gold, judge): (Vec<_>, Vec<_>) = cases
        .all
        .iter()
        .filter_map(judged)
        .map(|(gold, combined)| (Some(gold.index() as f64), Some(combined.index() as f64)))
        .unzip();
    krippendorff_alpha(&[gold, judge], Metric::Nominal)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn table(cells: [u64; 9]) -> Confusion {
        Confusion::from_cells(3, cells.to_vec()).unwrap()
    }

    #[test]
    fn a_coefficient_at_the_margins_holds_its_point_and_is_finite() {
        // Always right on one class, always wrong by a tie, always right on two classes.
        for cells in [[20, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 20, 0, 0, 0, 0, 0, 0], [10, 0, 0, 0, 10, 0, 0, 0, 0]] {
            let table = table(cells);
            for coefficient in [AC1, ALPHA] {
                let Some(point) = (coefficient.of)(&table.as_f64()) else { continue };
                let estimate = at_margins(&table, point, (coefficient.slope)(&table.as_f64()), 20, Level::P95);
                let inside = estimate.lower <= point + 1e-12 && point <= estimate.upper + 1e-12;
                assert!(inside && estimate.lower.is_finite(), "{cells:?} {estimate:?}");
            }
        }
    }

    #[test]
    fn units_are_the_same_whichever_side_is_called_a() {
        let units = rows_of(&table([7, 2, 1, 0, 5, 3, 1, 4, 2]));
        let a_and_b = rows_of(&table([5, 0, 3, 2, 7, 1, 4, 1, 2]));
        let rows_and_columns = rows_of(&table([7, 0, 1, 2, 5, 4, 1, 3, 2]));
        assert_eq!(canonical(units.clone()), canonical(a_and_b));
        assert_eq!(canonical(units), canonical(rows_and_columns));
    }

    #[test]
    fn kappa_of_a_perfect_judge_is_one_with_the_exact_bound_of_the_agreement_below() {
        let table = table([15, 0, 0, 0, 15, 0, 0, 0, 0]);
        let estimate = at_margins(&table, 1.0, kappa_slope(&table), 30, Level::P90);
        let lower = 0.05_f64.powf(1.0 / 30.0);
        assert!((estimate.lower - (1.0 - 2.0 * (1.0 - lower))).abs() < 1e-9 && estimate.upper == 1.0, "{estimate:?}");
    }
}
