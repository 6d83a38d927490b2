//! How often do stated probabilities come true?

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use crate::domain::{GoldSet, ItemFacts, ItemId, JudgeName, Judgment, Order, Preference, Said, Unit};
use crate::stats::clustered::wilson_clustered;
use crate::stats::{Figure, Level, NotEstimable, Reason};

/// Bins of equal width between ½ and 1.
const BINS: u8 = 10;

/// The judge's stated confidence against how often it is right.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Confidence {
    /// Judgments with a probability on items whose human label is decisive.
    pub n: u64,
    /// Bins that hold any, by rising confidence.
    pub bins: Vec<ConfidenceBin>,
}

/// Judgments of one range of confidence.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConfidenceBin {
    /// Lowest confidence of the range.
    pub from: f64,
    /// Highest confidence of the range.
    pub to: f64,
    /// Mean confidence in it.
    pub mean_confidence: f64,
    /// Share of them in which the side that was held more probable is the human label; over items or groups, since both orders
    /// of an item are no independent trials.
    #[serde(serialize_with = "crate::stats::serialize_figure")]
    pub right: Figure,
}

#[derive(Default)]
struct Bin<'a> {
    stated: Vec<f64>,
    units: BTreeMap<Unit<'a>, (u64, u64)>,
}

/// Not estimable: no probability (`not_recorded`), none on an item with a decisive label (`no_gold`).
pub(super) fn confidence(
    items: &GoldSet,
    judge: &JudgeName,
    judgments: &[Judgment],
) -> Result<Confidence, NotEstimable> {
    let known: HashMap<&ItemId, &ItemFacts> = items.items.iter().map(|item| (&item.id, item)).collect();
    let mut bins: BTreeMap<u8, Bin<'_>> = BTreeMap::new();
    let (mut stated, mut n) = (0, 0);
    for judgment in judgments.iter().filter(|judgment| judgment.judge == *judge) {
        let Some(first) = judgment.detail.as_ref().and_then(|detail| detail.probability) else { continue };
        let Said::InOrder(order, _) = judgment.said else { continue };
        stated += 1;
        let Some(item) = known.get(&judgment.item).copied() else { continue };
        let Some(gold) = item.gold_label().filter(|label| label.is_decisive()) else { continue };
        let of_a = if order == Order::Ab { first } else { 1.0 - first };
        let confidence = of_a.max(1.0 - of_a);
        if !(0.5..=1.0).contains(&confidence) {
            continue;
        }
        n += 1;
        let bin = bins.entry(place(confidence)).or_default();
        bin.stated.push(confidence);
        let (right, all) = bin.units.entry(item.unit()).or_default();
        // Even odds name neither side: that is no hit.
        *right += u64::from(of_a != 0.5 && (of_a > 0.5) == (gold == Preference::A));
        *all += 1;
    }
    match (stated, n) {
        (0, _) => Err(NotEstimable::because(Reason::NotRecorded)),
        (_, 0) => Err(NotEstimable::with_n(Reason::NoGold, stated)),
        _ => Ok(Confidence { n, bins: bins.into_iter().map(|(index, bin)| finished(index, bin)).collect() }),
    }
}

/// The bin of a confidence in ½..=1; its lower end belongs to it, and 1 to the last.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the number of bins")]
fn place(confidence: f64) -> u8 {
    // What is written as 0.55 must not fall below it by the rounding of a difference.
    ((confidence - 0.5) * 2.0 * f64::from(BINS) + 1e-9).floor().clamp(0.0, f64::from(BINS - 1)) as u8
}

fn finished(index: u8, mut bin: Bin<'_>) -> ConfidenceBin {
    let edge = |index: u8| 0.5 + 0.5 * f64::from(index) / f64::from(BINS);
    let counts: Vec<(u64, u64)> = bin.units.values().copied().collect();
    // Summed by size, so that the order of a file does not reach the last digits.
    bin.stated.sort_by(f64::total_cmp);
    ConfidenceBin {
        from: edge(index),
        to: edge(index + 1),
        mean_confidence: bin.stated.iter().sum::<f64>() / bin.stated.len() as f64,
        right: wilson_clustered(&counts, Level::P95),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::analysis::series::facts;
    use crate::domain::{Digest, GoldLabel, JudgmentDetail, Reading, Verdict};

    fn judgment(item: &str, order: Order, probability: Option<f64>) -> Judgment {
        let detail = JudgmentDetail { probability, ..JudgmentDetail::default() };
        Judgment {
            item: item.into(),
            judge: "j".into(),
            repeat: 0,
            said: Said::InOrder(order, Reading::Said(Verdict::First)),
            detail: Some(Box::new(detail)),
        }
    }

    fn items(label: Preference) -> GoldSet {
        let gold = || Some(GoldLabel { label, votes: Vec::new(), disputed: false });
        let items = ["q", "r", "s"].map(|id| ItemFacts { gold: gold(), ..facts(id) });
        GoldSet::new("g", Digest::of(b"g"), items.to_vec())
    }

    #[test]
    fn the_probability_of_a_slot_becomes_the_confidence_in_a_side() {
        let said = ["q", "r", "s"].map(|id| [judgment(id, Order::Ab, Some(0.92)), judgment(id, Order::Ba, Some(0.08))]);
        let said = said.concat();
        let found = confidence(&items(Preference::A), &"j".into(), &said).unwrap();
        assert_eq!((found.n, found.bins.len()), (6, 1), "both orders hold a to be better with 92 %");
        let right = found.bins[0].right.as_ref().unwrap();
        assert_eq!(right.point, 1.0);
        assert!((found.bins[0].mean_confidence - 0.92).abs() < 1e-12);
        let found = confidence(&items(Preference::B), &"j".into(), &said).unwrap();
        assert_eq!(found.bins[0].right.as_ref().unwrap().point, 0.0);
    }

    #[test]
    fn the_order_of_the_judgments_does_not_reach_the_last_digit() {
        let stated = [0.61, 0.63, 0.62, 0.64, 0.613, 0.627];
        let said: Vec<Judgment> = stated.iter().map(|p| judgment("q", Order::Ab, Some(*p))).collect();
        let mean = |said: &[Judgment]| {
            confidence(&items(Preference::A), &"j".into(), said).unwrap().bins[0].mean_confidence.to_bits()
        };
        for turn in 0..said.len() {
            let mut other = said.clone();
            other.rotate_left(turn);
            assert_eq!(mean(&other), mean(&said), "{turn}");
            other.reverse();
            assert_eq!(mean(&other), mean(&said), "{turn} reversed");
        }
    }

    #[test]
    fn without_probabilities_or_labels_nothing_is_drawn() {
        let reason = |found: Result<Confidence, NotEstimable>| found.unwrap_err().reason;
        let bare = [judgment("q", Order::Ab, None)];
        assert_eq!(reason(confidence(&items(Preference::A), &"j".into(), &bare)), Reason::NotRecorded);
        let said = [judgment("q", Order::Ab, Some(0.7))];
        assert_eq!(reason(confidence(&items(Preference::Tie), &"j".into(), &said)), Reason::NoGold);
    }

    #[test]
    fn the_ends_of_the_scale_have_a_bin() {
        assert_eq!([0.5, 0.549, 0.55, 1.0].map(place), [0, 0, 1, 9]);
    }
}
