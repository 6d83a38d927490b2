//! Do two raters agree more than chance would? Cohen's kappa, Gwet's AC1, Fleiss' kappa, Krippendorff's alpha.

use super::estimate::{Estimate, Figure, Level, NotEstimable, Reason};
use super::proportion::two_sided_z;

/// How far apart two classes are, in the declared order of the classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weights {
    /// Every disagreement counts the same (plain kappa).
    Nominal,
    /// By the number of steps; with `a < tie < b` a tie is half way.
    Linear,
    /// By the square of the number of steps (quadratic weighted kappa).
    Quadratic,
}

impl Weights {
    fn between(self, row: usize, column: usize) -> f64 {
        let steps = row.abs_diff(column) as f64;
        match self {
            Self::Nominal => f64::from(u8::from(row != column)),
            Self::Linear => steps,
            Self::Quadratic => steps * steps,
        }
    }
}

/// Counts of gold class (row) against judge class (column) over the declared classes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confusion {
    classes: usize,
    cells: Vec<u64>,
}

impl Confusion {
    /// An empty table over `classes` declared classes, whether or not all of them will be seen.
    pub fn new(classes: usize) -> Self {
        Self { classes, cells: vec![0; classes * classes] }
    }

    /// The table of these cells, row by row.
    ///
    /// Not estimable: the number of cells is not the square of the number of classes (`invalid`).
    pub fn from_cells(classes: usize, cells: Vec<u64>) -> Result<Self, NotEstimable> {
        if cells.len() != classes * classes {
            return Err(NotEstimable::because(Reason::Invalid));
        }
        Ok(Self { classes, cells })
    }

    /// Counts one item. A class outside the declared ones is an error (`invalid`) and counts nothing.
    pub fn record(&mut self, gold: usize, judge: usize) -> Result<(), NotEstimable> {
        if gold >= self.classes || judge >= self.classes {
            return Err(NotEstimable::because(Reason::Invalid));
        }
        self.cells[gold * self.classes + judge] += 1;
        Ok(())
    }

    /// Number of declared classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The counts, row by row.
    pub fn cells(&self) -> &[u64] {
        &self.cells
    }

    /// The count of one cell; 0 outside the table.
    pub fn count(&self, gold: usize, judge: usize) -> u64 {
        if gold < self.classes && judge < self.classes { self.cells[gold * self.classes + judge] } else { 0 }
    }

    /// Number of items.
    pub fn n(&self) -> u64 {
        self.cells.iter().sum()
    }

    /// Number of items with gold class `class`.
    pub fn gold_total(&self, class: usize) -> u64 {
        (0..self.classes).map(|judge| self.count(class, judge)).sum()
    }

    /// Number of items with judge class `class`.
    pub fn judge_total(&self, class: usize) -> u64 {
        (0..self.classes).map(|gold| self.count(gold, class)).sum()
    }

    /// Number of items on which both agree.
    pub fn agreed(&self) -> u64 {
        (0..self.classes).map(|class| self.count(class, class)).sum()
    }

    /// The share of items on which both agree, uncorrected for chance.
    ///
    /// Not estimable: no item (`empty`). Pinned by the family `agreement`, field `strict`.
    pub fn observed(&self) -> Result<f64, NotEstimable> {
        let n = self.some_n()?;
        Ok(self.agreed() as f64 / n)
    }

    /// Cohen's kappa.
    ///
    /// - Estimates: the share of the agreement possible beyond chance that is reached; 0 is chance, 1 perfect.
    /// - Formula: `1 − Σ o / Σ e` over the off-diagonal, `e` from the two margins.
    /// - Assumes: independent items.
    /// - Not estimable: no item (`empty`); both constant on one class, 0/0 (`constant`), not 1.
    /// - Cost: the number of cells.
    /// - Source: Cohen 1960, Educ. Psychol. Meas. 20. Pinned by the family `agreement` and by
    ///   `cohens_kappa_of_a_published_table`.
    pub fn kappa(&self) -> Result<f64, NotEstimable> {
        self.weighted_kappa(Weights::Nominal)
    }

    /// Cohen's weighted kappa; quadratic weights give QWK.
    ///
    /// - Estimates: as [`kappa`](Self::kappa), with near misses counted as near.
    /// - Formula: `1 − Σ w·o / Σ w·e`.
    /// - Assumes: independent items; classes declared in their order.
    /// - Not estimable: as [`kappa`](Self::kappa).
    /// - Cost: the number of cells.
    /// - Source: Cohen 1968, Psychological Bulletin 70. Pinned by the families `agreement` and
    ///   `ordinal_regression`.
    pub fn weighted_kappa(&self, weights: Weights) -> Result<f64, NotEstimable> {
        self.some_n()?;
        kappa_of_cells(&self.as_f64(), weights).ok_or(NotEstimable::with_n(Reason::Constant, self.n()))
    }

    /// Kappa at these margins if the observed agreement were `observed`: turns a bound of the agreement into one of
    /// kappa where the bootstrap degenerates, as at perfect agreement.
    ///
    /// - Estimates: `(o − e)/(1 − e)` with `e` from both margins. Assumes: margins as they are.
    /// - Not estimable: no item (`empty`), an agreement outside 0..=1 (`invalid`), both constant on one class
    ///   (`constant`).
    /// - Cost: the number of classes. Source: Cohen 1960. Pinned by `kappa_at_the_observed_agreement_is_kappa`.
    pub fn kappa_at_agreement(&self, observed: f64) -> Result<f64, NotEstimable> {
        let n = self.some_n()?;
        if !(0.0..=1.0).contains(&observed) {
            return Err(NotEstimable::with_n(Reason::Invalid, self.n()));
        }
        let products = (0..self.classes).map(|class| (self.gold_total(class) * self.judge_total(class)) as f64);
        let chance = products.sum::<f64>() / (n * n);
        if chance >= 1.0 {
            return Err(NotEstimable::with_n(Reason::Constant, self.n()));
        }
        Ok((observed - chance) / (1.0 - chance))
    }

    /// The standard error of kappa over many items.
    ///
    /// - Estimates: the standard deviation of [`kappa`](Self::kappa) over samples of `n` items.
    /// - Formula: `√((A + B − C)/n) / (1 − e)` with `A = Σ p_ii·(1 − (p_i. + p_.i)(1−κ))²`,
    ///   `B = (1−κ)²·Σ_{i≠j} p_ij·(p_.i + p_j.)²`, `C = (κ − e·(1−κ))²`.
    /// - Assumes: independent items, 50 or more.
    /// - Not estimable: as [`kappa`](Self::kappa).
    /// - Cost: the number of cells.
    /// - Source: Fleiss, Cohen and Everitt 1969, Psychological Bulletin 72. Pinned by the family `agreement`.
    pub fn kappa_se(&self) -> Result<f64, NotEstimable> {
        let kappa = self.kappa()?;
        let n = self.some_n()?;
        let row = |class| self.gold_total(class) as f64 / n;
        let column = |class| self.judge_total(class) as f64 / n;
        let chance: f64 = (0..self.classes).map(|class| row(class) * column(class)).sum();
        let miss = 1.0 - kappa;
        let (mut on, mut off) = (0.0, 0.0);
        for gold in 0..self.classes {
            for judge in 0..self.classes {
                let share = self.count(gold, judge) as f64 / n;
                if gold == judge {
                    on += share * (1.0 - (row(gold) + column(gold)) * miss).powi(2);
                } else {
                    off += share * (column(gold) + row(judge)).powi(2);
                }
            }
        }
        let variance = on + miss * miss * off - (kappa - chance * miss).powi(2);
        // At perfect agreement the difference is rounding noise around zero.
        let variance = if variance < 1e-14 { 0.0 } else { variance };
        Ok((variance / n).sqrt() / (1.0 - chance))
    }

    /// Kappa with the normal interval of [`kappa_se`](Self::kappa_se) (method `fleiss_cohen_everitt`), cut to −1..=1.
    ///
    /// Not estimable: as [`kappa`](Self::kappa); also a standard error of zero (`constant`), where the interval would
    /// be a point.
    pub fn kappa_interval(&self, level: Level) -> Figure {
        let (point, se) = (self.kappa()?, self.kappa_se()?);
        if se == 0.0 {
            return Err(NotEstimable::with_n(Reason::Constant, self.n()));
        }
        let half = two_sided_z(level) * se;
        Ok(Estimate::within(
            point,
            [(point - half).max(-1.0), (point + half).min(1.0)],
            level.get(),
            self.n(),
            "fleiss_cohen_everitt",
        ))
    }

    /// Gwet's AC1.
    ///
    /// - Estimates: agreement beyond chance where chance is a guess on hard items; stable when one class dominates.
    /// - Formula: `(o − e)/(1 − e)`, `e = Σ π_k(1−π_k)/(K−1)`, `π_k` the mean of both margins, `K` the number of
    ///   declared classes.
    /// - Assumes: independent items. Depends on `K`: state it.
    /// - Not estimable: no item (`empty`), fewer than two classes (`constant`).
    /// - Cost: the number of cells.
    /// - Source: Gwet 2008, Brit. J. Math. Stat. Psychol. 61. Pinned by the family `agreement`.
    pub fn ac1(&self) -> Result<f64, NotEstimable> {
        let observed = self.observed()?;
        if self.classes < 2 {
            return Err(NotEstimable::with_n(Reason::Constant, self.n()));
        }
        let twice = 2.0 * self.n() as f64;
        let guess: f64 = (0..self.classes)
            .map(|class| (self.gold_total(class) + self.judge_total(class)) as f64 / twice)
            .map(|share| share * (1.0 - share))
            .sum();
        let chance = guess / (self.classes as f64 - 1.0);
        Ok((observed - chance) / (1.0 - chance))
    }

    /// The counts as the cell vector that [`kappa_of_cells`] takes.
    pub fn as_f64(&self) -> Vec<f64> {
        self.cells.iter().map(|&count| count as f64).collect()
    }

    pub(crate) fn some_n(&self) -> Result<f64, NotEstimable> {
        match self.n() {
            0 => Err(NotEstimable::with_n(Reason::Empty, 0)),
            n => Ok(n as f64),
        }
    }
}

/// Kappa of a square table given as its cells, row by row: the statistic for [`bca`](super::resample::bca).
///
/// `None` where it is 0/0 or the number of cells is no square.
pub fn kappa_of_cells(cells: &[f64], weights: Weights) -> Option<f64> {
    let classes = cells.len().isqrt();
    if classes * classes != cells.len() {
        return None;
    }
    let n: f64 = cells.iter().sum();
    let row = |class: usize| cells[class * classes..][..classes].iter().sum::<f64>();
    let column = |class: usize| cells.iter().skip(class).step_by(classes).sum::<f64>();
    let columns: Vec<f64> = (0..classes).map(column).collect();
    let (mut seen, mut expected) = (0.0, 0.0);
    for gold in 0..classes {
        let row = row(gold);
        for judge in (0..classes).filter(|&judge| judge != gold) {
            let weight = weights.between(gold, judge);
            seen += weight * cells[gold * classes + judge];
            expected += weight * row * columns[judge];
        }
    }
    (expected > 0.0).then(|| 1.0 - n * seen / expected)
}

/// Fleiss' kappa of items rated by equally many raters each; an item is its count of ratings per class.
///
/// - Estimates: agreement beyond chance of raters who need not be the same from item to item.
/// - Formula: `(P − e)/(1 − e)`, `P` the mean over items of the share of agreeing rater pairs, `e = Σ p_k²`.
/// - Assumes: independent items.
/// - Not estimable: no item (`empty`), fewer than two ratings an item (`too_few`), unequal numbers of ratings or of
///   classes (`invalid`), one class only (`constant`).
/// - Cost: linear.
/// - Source: Fleiss 1971, Psychological Bulletin 76. Pinned by `fleiss_kappa_of_a_worked_table`.
pub fn fleiss_kappa(items: &[Vec<u64>]) -> Result<f64, NotEstimable> {
    let n = items.len() as u64;
    let first = items.first().ok_or(NotEstimable::with_n(Reason::Empty, 0))?;
    let raters: u64 = first.iter().sum();
    if items.iter().any(|item| item.len() != first.len() || item.iter().sum::<u64>() != raters) {
        return Err(NotEstimable::with_n(Reason::Invalid, n));
    }
    if raters < 2 {
        return Err(NotEstimable::with_n(Reason::TooFew, n));
    }
    let pairs = (raters * (raters - 1)) as f64;
    let agreeing: u64 = items.iter().flatten().map(|&count| count * count.saturating_sub(1)).sum();
    let observed = agreeing as f64 / pairs / n as f64;
    let totals = (0..first.len()).map(|class| items.iter().map(|item| item[class]).sum::<u64>());
    if totals.clone().filter(|&total| total > 0).count() < 2 {
        return Err(NotEstimable::with_n(Reason::Constant, n));
    }
    let chance: f64 = totals.map(|total| (total as f64 / (n * raters) as f64).powi(2)).sum();
    Ok((observed - chance) / (1.0 - chance))
}

/// How far apart two values are for Krippendorff's alpha.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// Different is different.
    Nominal,
    /// By the number of ratings between the two values.
    Ordinal,
    /// By the squared difference of the values.
    Interval,
}

/// Krippendorff's alpha of any number of raters (rows) over the same units (columns), with missing values.
///
/// - Estimates: `1 −` observed over expected disagreement of two values of the same unit.
/// - Formula: `1 − (N−1)·Σ o_ck·δ²_ck / Σ n_c·n_k·δ²_ck` over the coincidences `o` of pairable values.
/// - Assumes: independent units; units with fewer than two values say nothing and are dropped.
/// - Not estimable: no pairable unit (`empty`), a single value throughout (`constant`), rows of unequal length or a
///   value that is not finite (`invalid`).
/// - Cost: units × distinct values².
/// - Source: Krippendorff 2011, "Computing Krippendorff's alpha-reliability". Pinned by the families
///   `krippendorff_alpha` and `agreement`, and by `krippendorffs_own_example_is_reproduced`.
pub fn krippendorff_alpha(raters: &[Vec<Option<f64>>], metric: Metric) -> Result<f64, NotEstimable> {
    let columns = raters.first().map_or(0, Vec::len);
    if raters.iter().any(|row| row.len() != columns) || raters.iter().flatten().flatten().any(|v| !v.is_finite()) {
        return Err(NotEstimable::because(Reason::Invalid));
    }
    let units: Vec<Vec<f64>> = (0..columns)
        .map(|unit| raters.iter().filter_map(|row| row[unit]).collect::<Vec<f64>>())
        .filter(|values| values.len() >= 2)
        .collect();
    let mut scale: Vec<f64> = units.iter().flatten().map(|value| value + 0.0).collect();
    scale.sort_unstable_by(f64::total_cmp);
    scale.dedup();
    match scale.len() {
        0 => return Err(NotEstimable::with_n(Reason::Empty, 0)),
        1 => return Err(NotEstimable::with_n(Reason::Constant, units.len() as u64)),
        _ => {}
    }
    let coincidences = coincidences(&units, &scale);
    let width = scale.len();
    let totals: Vec<f64> = coincidences.chunks(width).map(|row| row.iter().sum()).collect();
    let n: f64 = totals.iter().sum();
    let (mut seen, mut expected) = (0.0, 0.0);
    for c in 0..width {
        for k in c + 1..width {
            let distance = match metric {
                Metric::Nominal => 1.0,
                Metric::Ordinal => totals[c..=k].iter().sum::<f64>() - f64::midpoint(totals[c], totals[k]),
                Metric::Interval => scale[k] - scale[c],
            };
            seen += coincidences[c * width + k] * distance * distance;
            expected += totals[c] * totals[k] * distance * distance;
        }
    }
    Ok(1.0 - (n - 1.0) * seen / expected)
}

/// The symmetric table of value pairs within units, each unit weighing as many pairs as it has values.
fn coincidences(units: &[Vec<f64>], scale: &[f64]) -> Vec<f64> {
    let width = scale.len();
    let mut table = vec![0.0; width * width];
    let mut counts = vec![0.0; width];
    for unit in units {
        counts.fill(0.0);
        for value in unit {
            let place = scale.partition_point(|s| s < value).min(width - 1);
            counts[place] += 1.0;
        }
        let others = unit.len() as f64 - 1.0;
        for c in 0..width {
            for k in 0..width {
                let same = f64::from(u8::from(c == k));
                table[c * width + k] += counts[c] * (counts[k] - same) / others;
            }
        }
    }
    table
}

#[cfg(test)]
#[path = "agreement_tests.rs"]
mod tests;
