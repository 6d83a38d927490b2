//! Which of several p-values still stand? Adjusted p-values, in the order of the input.

use super::estimate::{NotEstimable, Reason};

/// Which error rate to hold over a family of tests, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Adjustment {
    /// Any false finding at all; single step.
    Bonferroni,
    /// Any false finding at all; step-down, never less powerful than Bonferroni. For few comparisons declared
    /// beforehand.
    Holm,
    /// The expected share of false findings, for independent or positively dependent tests. For exploration.
    BenjaminiHochberg,
    /// The expected share of false findings under any dependence.
    BenjaminiYekutieli,
}

/// The p-values adjusted for their number.
///
/// - Estimates: for each test, the smallest level of the whole family at which it would still be found.
/// - Formula, with `p(1) <= … <= p(m)`: Bonferroni `m·p`; Holm `max_{j<=i} (m−j+1)·p(j)`; Benjamini-Hochberg
///   `min_{j>=i} m·p(j)/j`; Benjamini-Yekutieli the same times `Σ 1/j`; all at most 1.
/// - Assumes: valid p-values; for Benjamini-Hochberg also positive dependence.
/// - Not estimable: a p-value outside 0..=1 (`invalid`). No p-values give no p-values.
/// - Cost: a sort.
/// - Source: Holm 1979; Benjamini and Hochberg 1995; Benjamini and Yekutieli 2001, theorem 1.3. Pinned by the family
///   `multiple_comparisons` and by `a_worked_example_is_reproduced`.
pub fn adjust(p_values: &[f64], adjustment: Adjustment) -> Result<Vec<f64>, NotEstimable> {
    if p_values.iter().any(|p| !(0.0..=1.0).contains(p)) {
        return Err(NotEstimable::with_n(Reason::Invalid, p_values.len() as u64));
    }
    let count = p_values.len();
    let tests = count as f64;
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut adjusted = vec![0.0; count];
    match adjustment {
        Adjustment::Bonferroni => {
            for (out, p) in adjusted.iter_mut().zip(p_values) {
                *out = (p * tests).min(1.0);
            }
        }
        Adjustment::Holm => {
            let mut running: f64 = 0.0;
            for (rank, &test) in order.iter().enumerate() {
                running = running.max(p_values[test] * (tests - rank as f64));
                adjusted[test] = running.min(1.0);
            }
        }
        Adjustment::BenjaminiHochberg | Adjustment::BenjaminiYekutieli => {
            let harmonic: f64 = (1..=count).map(|j| 1.0 / j as f64).sum();
            let factor = if adjustment == Adjustment::BenjaminiYekutieli { tests * harmonic } else { tests };
            let mut running: f64 = 1.0;
            for (rank, &test) in order.iter().enumerate().rev() {
                running = running.min(p_values[test] * factor / (rank as f64 + 1.0));
                adjusted[test] = running;
            }
        }
    }
    Ok(adjusted)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn close(found: &[f64], wanted: &[f64]) {
        assert_eq!(found.len(), wanted.len());
        for (f, w) in found.iter().zip(wanted) {
            assert!((f - w).abs() < 1e-12, "found {found:?}, wanted {wanted:?}");
        }
    }

    #[test]
    fn a_worked_example_is_reproduced() {
        let p = [0.01, 0.04, 0.03, 0.005];
        close(&adjust(&p, Adjustment::Bonferroni).unwrap(), &[0.04, 0.16, 0.12, 0.02]);
        close(&adjust(&p, Adjustment::Holm).unwrap(), &[0.03, 0.06, 0.06, 0.02]);
        close(&adjust(&p, Adjustment::BenjaminiHochberg).unwrap(), &[0.02, 0.04, 0.04, 0.02]);
        let harmonic = 25.0 / 12.0;
        let yekutieli = [0.02, 0.04, 0.04, 0.02].map(|p: f64| p * harmonic);
        close(&adjust(&p, Adjustment::BenjaminiYekutieli).unwrap(), &yekutieli);
    }

    #[test]
    fn adjusted_values_never_fall_below_the_raw_ones_nor_leave_the_unit_interval() {
        let p = [0.2, 0.9, 0.2, 1.0, 0.0, 0.51];
        for adjustment in
            [Adjustment::Bonferroni, Adjustment::Holm, Adjustment::BenjaminiHochberg, Adjustment::BenjaminiYekutieli]
        {
            let adjusted = adjust(&p, adjustment).unwrap();
            assert!(adjusted.iter().zip(&p).all(|(a, p)| a >= p && *a <= 1.0), "{adjustment:?}: {adjusted:?}");
        }
    }

    #[test]
    fn a_value_that_is_no_probability_is_refused() {
        assert_eq!(adjust(&[0.1, f64::NAN], Adjustment::Holm).unwrap_err().reason, Reason::Invalid);
        assert_eq!(adjust(&[], Adjustment::Holm), Ok(vec![]));
    }
}
