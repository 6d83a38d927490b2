//! Can stated probabilities be trusted? Log loss, Brier, calibration error, selective risk, AUROC, average precision.

use super::estimate::{NotEstimable, Reason};
use super::numeric::average_ranks;

/// Probabilities are kept this far from zero before taking logarithms.
const SMALLEST: f64 = 1e-15;

/// Number of equal-width bins of the calibration error.
pub const BINS: usize = 15;

/// Quality of probabilities over classes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MulticlassQuality {
    /// Number of items.
    pub n: u64,
    /// Share of items whose most probable class (the first on ties) is right.
    pub accuracy: f64,
    /// Mean negative log probability of the truth, natural logarithm, clipped at 1e-15.
    pub log_loss: f64,
    /// Mean over items of `Σ_k (p_k − y_k)²`, in 0..=2 (twice the binary Brier score for two classes).
    pub brier: f64,
}

/// Accuracy, log loss and Brier score of probabilities over classes.
///
/// - Formula: see [`MulticlassQuality`]. Assumes: independent items.
/// - Not estimable: no item (`empty`); ragged rows, labels outside the classes, values outside 0..=1 or not summing to
///   1 within 1e-6 (`invalid`).
/// - Cost: items × classes. Source: Good 1952; Brier 1950. Pinned by the family `probability_multiclass`.
pub fn multiclass(probabilities: &[Vec<f64>], labels: &[usize]) -> Result<MulticlassQuality, NotEstimable> {
    let n = checked(probabilities, labels)?;
    let (mut right, mut loss, mut brier) = (0_u64, 0.0, 0.0);
    for (row, label) in probabilities.iter().zip(labels) {
        right += u64::from(top_class(row) == *label);
        loss -= row[*label].clamp(SMALLEST, 1.0).ln();
        let truth = |class: usize| f64::from(u8::from(class == *label));
        brier += row.iter().enumerate().map(|(class, p)| (p - truth(class)).powi(2)).sum::<f64>();
    }
    let count = n as f64;
    Ok(MulticlassQuality { n, accuracy: right as f64 / count, log_loss: loss / count, brier: brier / count })
}

/// The predictions that probabilities over classes stand for: confidence of the top class, and whether it is right.
///
/// Not estimable: as [`multiclass`].
pub fn top_predictions(probabilities: &[Vec<f64>], labels: &[usize]) -> Result<Vec<Prediction>, NotEstimable> {
    checked(probabilities, labels)?;
    let predict = |(row, label): (&Vec<f64>, &usize)| {
        let top = top_class(row);
        Prediction { confidence: row[top], correct: top == *label }
    };
    Ok(probabilities.iter().zip(labels).map(predict).collect())
}

/// A prediction with its confidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// Confidence in 0..=1.
    pub confidence: f64,
    /// Whether it was right.
    pub correct: bool,
}

/// Expected calibration error over 15 equal-width bins `(lo, hi]`, the first including 0.
///
/// - Estimates: the mean distance of confidence from accuracy; biased upwards for small samples, so show `n`.
/// - Formula: `Σ_b n_b/n·|accuracy_b − mean confidence_b|`, bin `clamp(⌈15c⌉ − 1, 0, 14)`. Assumes: independent items.
/// - Not estimable: no item (`empty`), a confidence outside 0..=1 (`invalid`).
/// - Cost: linear. Source: Naeini, Cooper and Hauskrecht 2015; Guo et al. 2017, eq. 3. Pinned by the families
///   `probability_multiclass` and `probability_binary`.
pub fn calibration_error(predictions: &[Prediction]) -> Result<f64, NotEstimable> {
    let n = some(predictions)? as f64;
    // Per bin the sum of (correct − confidence): its absolute value is n_b times the gap.
    let mut gaps = [0.0_f64; BINS];
    for prediction in predictions {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let bin = ((prediction.confidence * BINS as f64).ceil() - 1.0).clamp(0.0, BINS as f64 - 1.0) as usize;
        gaps[bin] += f64::from(u8::from(prediction.correct)) - prediction.confidence;
    }
    Ok(gaps.iter().map(|gap| gap.abs()).sum::<f64>() / n)
}

/// Error rate among the most confident predictions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RiskPoint {
    /// Share of predictions kept.
    pub coverage: f64,
    /// Error rate among them.
    pub risk: f64,
}

/// Risk against coverage as the confidence threshold falls; tied confidences enter together.
///
/// - Formula: one point per distinct confidence. Assumes: independent items.
/// - Not estimable: as [`calibration_error`].
/// - Cost: a sort. Source: El-Yaniv and Wiener 2010. Pinned through [`area_under_risk`] and [`risk_at_coverage`].
pub fn risk_curve(predictions: &[Prediction]) -> Result<Vec<RiskPoint>, NotEstimable> {
    let n = some(predictions)? as f64;
    let mut sorted = predictions.to_vec();
    sorted.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    let (mut kept, mut wrong) = (0_usize, 0_usize);
    Ok(sorted
        .chunk_by(|a, b| a.confidence == b.confidence)
        .map(|tied| {
            kept += tied.len();
            wrong += tied.iter().filter(|prediction| !prediction.correct).count();
            RiskPoint { coverage: kept as f64 / n, risk: wrong as f64 / kept as f64 }
        })
        .collect())
}

/// Area under the risk-coverage curve: 0 where every error is less confident than every hit and there is none.
///
/// - Formula: `Σ (coverage_i − coverage_{i−1})·risk_i` (right step). Assumes: independent items.
/// - Not estimable: as [`calibration_error`].
/// - Cost: a sort. Source: Geifman, Uziel and El-Yaniv 2019, with ties entering together. Pinned by the families
///   `probability_multiclass` and `probability_binary`.
pub fn area_under_risk(predictions: &[Prediction]) -> Result<f64, NotEstimable> {
    let mut before = 0.0;
    let mut area = 0.0;
    for point in risk_curve(predictions)? {
        area += (point.coverage - before) * point.risk;
        before = point.coverage;
    }
    Ok(area)
}

/// Error rate of the smallest set of most confident predictions, closed under ties, that covers at least `coverage`.
///
/// - Not estimable: as [`calibration_error`]; `coverage` outside 0..=1 (`invalid`).
/// - Cost: a sort. Source: as [`risk_curve`]. Pinned by the family `probability_multiclass`.
pub fn risk_at_coverage(predictions: &[Prediction], coverage: f64) -> Result<f64, NotEstimable> {
    let curve = risk_curve(predictions)?;
    if !(0.0..=1.0).contains(&coverage) {
        return Err(NotEstimable::with_n(Reason::Invalid, predictions.len() as u64));
    }
    // A coverage such as 0.8 of 5 must not be missed by rounding.
    let reached = curve.iter().find(|point| point.coverage >= coverage - 1e-12).or(curve.last());
    reached.map(|point| point.risk).ok_or(NotEstimable::with_n(Reason::Empty, 0))
}

/// A probability of "positive" with the truth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    /// Probability of positive, in 0..=1.
    pub score: f64,
    /// Whether it was positive.
    pub positive: bool,
}

impl Scored {
    /// The prediction at the threshold one half, with the probability of the predicted side as confidence.
    pub fn prediction(self) -> Prediction {
        let predicted = self.score >= 0.5;
        Prediction { confidence: self.score.max(1.0 - self.score), correct: predicted == self.positive }
    }

    fn truth(self) -> f64 {
        f64::from(u8::from(self.positive))
    }
}

/// Binary Brier score: `mean (p − y)²`, in 0..=1.
///
/// Not estimable: no item (`empty`), a score outside 0..=1 (`invalid`). Source: Brier 1950. Pinned by the family
/// `probability_binary`.
pub fn binary_brier(items: &[Scored]) -> Result<f64, NotEstimable> {
    let n = some_scored(items)?;
    Ok(items.iter().map(|item| (item.score - item.truth()).powi(2)).sum::<f64>() / n)
}

/// Binary log loss, natural logarithm, clipped at 1e-15.
///
/// Not estimable: as [`binary_brier`]. Source: Good 1952. Pinned by the family `probability_binary`.
pub fn binary_log_loss(items: &[Scored]) -> Result<f64, NotEstimable> {
    let n = some_scored(items)?;
    let loss = |item: &Scored| {
        let right = if item.positive { item.score } else { 1.0 - item.score };
        -right.clamp(SMALLEST, 1.0).ln()
    };
    Ok(items.iter().map(loss).sum::<f64>() / n)
}

/// Calibration error of the scores themselves: how far scores near `s` are from being positive with probability `s`.
///
/// Formula and bins: as [`calibration_error`]. Not estimable: as [`binary_brier`]. Pinned by the family
/// `probability_binary`.
pub fn binary_calibration_error(items: &[Scored]) -> Result<f64, NotEstimable> {
    let as_is = |item: &Scored| Prediction { confidence: item.score, correct: item.positive };
    calibration_error(&items.iter().map(as_is).collect::<Vec<_>>())
}

/// Area under the ROC curve.
///
/// - Estimates: the chance that a positive scores above a negative, ties counting half.
/// - Formula: `(R − P(P+1)/2)/(P·N)`, `R` the rank sum of the positives. Assumes: independent items.
/// - Not estimable: as [`binary_brier`]; one class only (`constant`).
/// - Cost: a sort. Source: Mann and Whitney 1947; Hanley and McNeil 1982. Pinned by the family `probability_binary`.
pub fn auroc(items: &[Scored]) -> Result<f64, NotEstimable> {
    let n = some_scored(items)?;
    let positives = items.iter().filter(|item| item.positive).count() as f64;
    if positives == 0.0 || positives == n {
        return Err(NotEstimable::with_counts(Reason::Constant, whole(positives), items.len() as u64));
    }
    let ranks = average_ranks(&items.iter().map(|item| item.score).collect::<Vec<f64>>());
    let sum: f64 = ranks.iter().zip(items).filter(|(_, item)| item.positive).map(|(rank, _)| rank).sum();
    Ok((sum - positives * (positives + 1.0) / 2.0) / (positives * (n - positives)))
}

/// Average precision.
///
/// - Estimates: precision averaged over the recall gained at each threshold.
/// - Formula: `Σ (R_i − R_{i−1})·P_i` over distinct scores, falling. Assumes: independent items.
/// - Not estimable: as [`binary_brier`]; no positive (`constant`).
/// - Cost: a sort. Source: Salton and McGill 1983, without interpolation. Pinned by the family `probability_binary`.
pub fn average_precision(items: &[Scored]) -> Result<f64, NotEstimable> {
    some_scored(items)?;
    let positives = items.iter().filter(|item| item.positive).count() as f64;
    if positives == 0.0 {
        return Err(NotEstimable::with_counts(Reason::Constant, 0, items.len() as u64));
    }
    let mut sorted = items.to_vec();
    sorted.sort_by(|a, b| b.score.total_cmp(&a.score));
    let (mut kept, mut hits, mut area) = (0.0, 0.0, 0.0);
    for tied in sorted.chunk_by(|a, b| a.score == b.score) {
        let found = tied.iter().filter(|item| item.positive).count() as f64;
        kept += tied.len() as f64;
        hits += found;
        area += found / positives * (hits / kept);
    }
    Ok(area)
}

/// Checks rows of probabilities and their labels; gives the number of items.
pub(crate) fn checked(probabilities: &[Vec<f64>], labels: &[usize]) -> Result<u64, NotEstimable> {
    let n = labels.len() as u64;
    let invalid = NotEstimable::with_n(Reason::Invalid, n);
    if probabilities.len() != labels.len() {
        return Err(invalid);
    }
    let Some(first) = probabilities.first() else { return Err(NotEstimable::with_n(Reason::Empty, 0)) };
    let fits = |(row, label): (&Vec<f64>, &usize)| {
        row.len() == first.len()
            && *label < row.len()
            && row.iter().all(|p| (0.0..=1.0).contains(p))
            && (row.iter().sum::<f64>() - 1.0).abs() <= 1e-6
    };
    if probabilities.iter().zip(labels).all(fits) { Ok(n) } else { Err(invalid) }
}

/// The most probable class, the first on ties.
fn top_class(row: &[f64]) -> usize {
    row.iter().enumerate().fold((0, f64::NEG_INFINITY), |top, (class, p)| if *p > top.1 { (class, *p) } else { top }).0
}

fn some(predictions: &[Prediction]) -> Result<u64, NotEstimable> {
    let n = predictions.len() as u64;
    if predictions.iter().any(|prediction| !(0.0..=1.0).contains(&prediction.confidence)) {
        return Err(NotEstimable::with_n(Reason::Invalid, n));
    }
    if n == 0 { Err(NotEstimable::with_n(Reason::Empty, 0)) } else { Ok(n) }
}

fn some_scored(items: &[Scored]) -> Result<f64, NotEstimable> {
    let n = items.len() as u64;
    if items.iter().any(|item| !(0.0..=1.0).contains(&item.score)) {
        return Err(NotEstimable::with_n(Reason::Invalid, n));
    }
    if n == 0 { Err(NotEstimable::with_n(Reason::Empty, 0)) } else { Ok(n as f64) }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn whole(value: f64) -> u64 {
    value as u64
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn scored(scores: &[f64], labels: &[u8]) -> Vec<Scored> {
        scores.iter().zip(labels).map(|(score, label)| Scored { score: *score, positive: *label == 1 }).collect()
    }

    fn close(found: Result<f64, NotEstimable>, wanted: f64) {
        assert!((found.unwrap() - wanted).abs() < 1e-12, "found {found:?}, wanted {wanted}");
    }

    /// The four scores of scikit-learn's documentation: AUROC 0.75, average precision 0.8333.
    #[test]
    fn four_well_known_scores_are_reproduced() {
        let items = scored(&[0.1, 0.4, 0.35, 0.8], &[0, 0, 1, 1]);
        close(auroc(&items), 0.75);
        close(average_precision(&items), 5.0 / 6.0);
    }

    #[test]
    fn one_class_has_no_roc_and_no_positive_no_precision() {
        assert_eq!(auroc(&scored(&[0.2, 0.6], &[1, 1])).unwrap_err().reason, Reason::Constant);
        assert_eq!(average_precision(&scored(&[0.2, 0.6], &[0, 0])).unwrap_err().reason, Reason::Constant);
        assert_eq!(auroc(&[]).unwrap_err().reason, Reason::Empty);
        assert_eq!(binary_brier(&scored(&[1.2], &[1])).unwrap_err().reason, Reason::Invalid);
    }

    #[test]
    fn tied_confidences_enter_together_whatever_their_order() {
        let one = [(0.6, true), (0.6, false), (0.9, true), (0.7, true)];
        let predictions: Vec<Prediction> =
            one.iter().map(|(c, r)| Prediction { confidence: *c, correct: *r }).collect();
        let mut reversed = predictions.clone();
        reversed.reverse();
        close(area_under_risk(&predictions), 0.125);
        assert_eq!(area_under_risk(&predictions), area_under_risk(&reversed));
        close(risk_at_coverage(&predictions, 0.8), 0.25);
        close(risk_at_coverage(&predictions, 0.5), 0.0);
    }

    #[test]
    fn a_miss_that_was_certain_costs_no_more_than_the_clip() {
        let quality = multiclass(&[vec![0.0, 1.0]], &[0]).unwrap();
        assert!((quality.log_loss - 1e15_f64.ln()).abs() < 1e-9 && quality.brier == 2.0);
        close(binary_log_loss(&scored(&[0.0], &[1])), 1e15_f64.ln());
    }

    #[test]
    fn rows_that_are_no_probabilities_are_refused() {
        for row in [vec![0.5, 0.4], vec![1.5, -0.5], vec![f64::NAN, 1.0]] {
            assert_eq!(multiclass(&[row], &[0]).unwrap_err().reason, Reason::Invalid);
        }
        assert_eq!(multiclass(&[vec![1.0, 0.0]], &[2]).unwrap_err().reason, Reason::Invalid);
        assert_eq!(multiclass(&[], &[]).unwrap_err().reason, Reason::Empty);
    }

    #[test]
    fn well_calibrated_predictions_have_no_calibration_error() {
        let predictions: Vec<Prediction> = (0..10).map(|i| Prediction { confidence: 0.7, correct: i < 7 }).collect();
        assert!(calibration_error(&predictions).unwrap() < 1e-12);
        let edges = [Prediction { confidence: 0.0, correct: true }, Prediction { confidence: 1.0, correct: true }];
        close(calibration_error(&edges), 0.5);
    }
}
