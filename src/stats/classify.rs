//! How good are class labels beyond raw agreement? Half credit, decided items, recall per class, MCC, macro F1.

use super::agreement::Confusion;
use super::estimate::{NotEstimable, Reason};

/// A count out of a count, for an interval of the caller's choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// How many.
    pub k: u64,
    /// Of how many.
    pub n: u64,
}

/// A value that is set by convention where the formula is 0/0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Conventional {
    /// The value.
    pub value: f64,
    /// Whether it is the convention's and not the formula's: say so where it is shown.
    pub by_convention: bool,
}

impl Confusion {
    /// Twice the credit where a tie on exactly one side counts half: `2·agreed +` items with one tie.
    ///
    /// Divide by `2n` for the share (`agreement_half_credit`). Pinned by the family `agreement`, field `lenient`.
    pub fn half_credits(&self, tie: usize) -> u64 {
        let one_sided = self.gold_total(tie) + self.judge_total(tie) - 2 * self.count(tie, tie);
        2 * self.agreed() + one_sided
    }

    /// Agreement among the items where gold and judge both name one of the two sides.
    pub fn decided(&self, first: usize, second: usize) -> Share {
        let k = self.count(first, first) + self.count(second, second);
        Share { k, n: k + self.count(first, second) + self.count(second, first) }
    }

    /// Of the items with this gold class, those the judge recognised.
    pub fn recall(&self, class: usize) -> Share {
        Share { k: self.count(class, class), n: self.gold_total(class) }
    }

    /// Mean recall over the classes that occur in the gold.
    ///
    /// - Formula: `mean_k(hits_k/gold_k)`. Assumes: independent items.
    /// - Not estimable: no item (`empty`).
    /// - Cost: the number of cells. Source: Brodersen et al. 2010. Pinned by the family `agreement`.
    pub fn balanced_accuracy(&self) -> Result<f64, NotEstimable> {
        self.some_n()?;
        let recalls: Vec<f64> = (0..self.classes())
            .map(|class| self.recall(class))
            .filter(|share| share.n > 0)
            .map(|share| share.k as f64 / share.n as f64)
            .collect();
        Ok(recalls.iter().sum::<f64>() / recalls.len() as f64)
    }

    /// Mean F1 over the classes that occur in gold or judge; a class never hit counts 0.
    ///
    /// - Formula: `mean_k 2·hits_k/(gold_k + judge_k)`. Assumes: independent items.
    /// - Not estimable: no item (`empty`).
    /// - Cost: the number of cells. Source: Lewis 1991. Pinned by the family `agreement`.
    pub fn macro_f1(&self) -> Result<f64, NotEstimable> {
        self.some_n()?;
        let scores: Vec<f64> = (0..self.classes())
            .map(|class| (self.count(class, class), self.gold_total(class) + self.judge_total(class)))
            .filter(|(_, marginal)| *marginal > 0)
            .map(|(hits, marginal)| 2.0 * hits as f64 / marginal as f64)
            .collect();
        Ok(scores.iter().sum::<f64>() / scores.len() as f64)
    }

    /// Matthews' correlation for any number of classes (`R_K`); 0 by convention where a margin is constant.
    ///
    /// - Estimates: the correlation of the two class labels.
    /// - Formula: `(n·agreed − Σ g_k·j_k)/√((n² − Σ g_k²)(n² − Σ j_k²))`.
    /// - Assumes: independent items.
    /// - Not estimable: no item (`empty`).
    /// - Cost: the number of cells. Source: Gorodkin 2004, Comput. Biol. Chem. 28. Pinned by the family
    ///   `agreement`.
    pub fn mcc(&self) -> Result<Conventional, NotEstimable> {
        let n = self.some_n()?;
        let (mut cross, mut gold_square, mut judge_square) = (0.0, 0.0, 0.0);
        for class in 0..self.classes() {
            let (gold, judge) = (self.gold_total(class) as f64, self.judge_total(class) as f64);
            cross += gold * judge;
            gold_square += gold * gold;
            judge_square += judge * judge;
        }
        let spread = (n * n - gold_square) * (n * n - judge_square);
        if spread <= 0.0 {
            return Ok(Conventional { value: 0.0, by_convention: true });
        }
        let value = (n * self.agreed() as f64 - cross) / spread.sqrt();
        Ok(Conventional { value, by_convention: false })
    }

    /// The share of the most frequent class in either margin: above 0.8 kappa alone misleads, so show AC1 beside it.
    ///
    /// Not estimable: no item (`empty`).
    pub fn largest_margin(&self) -> Result<f64, NotEstimable> {
        let n = self.some_n()?;
        let largest = (0..self.classes()).map(|class| self.gold_total(class).max(self.judge_total(class))).max();
        largest.map(|count| count as f64 / n).ok_or(NotEstimable::with_n(Reason::Empty, 0))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn table(classes: usize, cells: &[u64]) -> Confusion {
        Confusion::from_cells(classes, cells.to_vec()).unwrap()
    }

    #[test]
    fn always_tie_gets_half_credit_and_decides_nothing() {
        let confusion = table(3, &[0, 0, 5, 0, 0, 5, 0, 0, 0]);
        assert_eq!(confusion.half_credits(2), 10);
        assert_eq!(confusion.decided(0, 1), Share { k: 0, n: 0 });
        assert_eq!(confusion.recall(0), Share { k: 0, n: 5 });
        assert_eq!(confusion.mcc().unwrap(), Conventional { value: 0.0, by_convention: true });
    }

    #[test]
    fn a_two_class_table_by_hand() {
        let confusion = table(2, &[6, 2, 1, 3]);
        assert!((confusion.balanced_accuracy().unwrap() - f64::midpoint(6.0 / 8.0, 3.0 / 4.0)).abs() < 1e-12);
        assert!((confusion.macro_f1().unwrap() - f64::midpoint(12.0 / 15.0, 6.0 / 9.0)).abs() < 1e-12);
        let mcc = (6.0 * 3.0 - 2.0) / (8.0_f64 * 4.0 * 7.0 * 5.0).sqrt();
        assert!((confusion.mcc().unwrap().value - mcc).abs() < 1e-12);
        assert!((confusion.largest_margin().unwrap() - 8.0 / 12.0).abs() < 1e-12);
    }

    #[test]
    fn an_empty_table_has_no_figures() {
        let empty = Confusion::new(3);
        assert_eq!(empty.macro_f1().unwrap_err().reason, Reason::Empty);
        assert_eq!(empty.balanced_accuracy().unwrap_err().reason, Reason::Empty);
        assert_eq!(empty.mcc().unwrap_err().reason, Reason::Empty);
    }
}
