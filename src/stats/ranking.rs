//! How good is a ranked list? Precision, recall, reciprocal rank, average precision, nDCG, all at a cutoff.

use super::estimate::{NotEstimable, Reason};

/// Quality of one ranked list at a cutoff.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankedQuality {
    /// Relevant ones among the first `k`, divided by `k` even when fewer were returned.
    pub precision: f64,
    /// Share of the relevant ones among the first `k`.
    pub recall: f64,
    /// 1 where any of the first `k` is relevant.
    pub hit_rate: f64,
    /// One over the rank of the first relevant one within `k`, else 0.
    pub reciprocal_rank: f64,
    /// Precision at each relevant rank within `k`, summed and divided by the number of relevant ones.
    pub average_precision: f64,
    /// Discounted gain over the ideal one, gain as given (as `trec_eval`).
    pub ndcg: f64,
    /// The same with gain `2^g − 1`.
    pub ndcg_exponential: f64,
}

/// Quality of one ranked list: `ranked` holds the gain of each returned document, best first, `relevant` those of all
/// documents.
///
/// - Formula: see [`RankedQuality`]; discount `1/log2(rank + 1)`. Gains above zero are relevant. List each document
///   once.
/// - Assumes: judgments complete down to the cutoff; what was not judged counts as not relevant.
/// - Not estimable: nothing relevant (`empty`): leave the query out of the mean and say how many; `k = 0`, or gains
///   that are negative or not finite (`invalid`).
/// - Cost: a sort of the gains. Source: Järvelin and Kekäläinen 2002; Voorhees and Harman 2005 (the others).
///   Pinned by the family `ranking` and by `the_worked_example_of_the_discount_is_reproduced`.
pub fn ranked_quality(ranked: &[f64], relevant: &[f64], k: usize) -> Result<RankedQuality, NotEstimable> {
    if k == 0 || ranked.iter().chain(relevant).any(|gain| !gain.is_finite() || *gain < 0.0) {
        return Err(NotEstimable::because(Reason::Invalid));
    }
    let mut ideal: Vec<f64> = relevant.iter().copied().filter(|gain| *gain > 0.0).collect();
    if ideal.is_empty() {
        return Err(NotEstimable::with_n(Reason::Empty, 0));
    }
    ideal.sort_unstable_by(|a, b| b.total_cmp(a));
    let top = &ranked[..k.min(ranked.len())];
    let (mut hits, mut first, mut precisions) = (0.0, None, 0.0);
    for (place, _) in top.iter().enumerate().filter(|(_, gain)| **gain > 0.0) {
        let rank = place as f64 + 1.0;
        hits += 1.0;
        first = first.or(Some(rank));
        precisions += hits / rank;
    }
    let all = ideal.len() as f64;
    let exponential = |gain: f64| gain.exp2() - 1.0;
    Ok(RankedQuality {
        precision: hits / k as f64,
        recall: hits / all,
        hit_rate: f64::from(u8::from(first.is_some())),
        reciprocal_rank: first.map_or(0.0, |rank| 1.0 / rank),
        average_precision: precisions / all,
        ndcg: discounted(top, |gain| gain) / discounted(&ideal[..k.min(ideal.len())], |gain| gain),
        ndcg_exponential: discounted(top, exponential) / discounted(&ideal[..k.min(ideal.len())], exponential),
    })
}

fn discounted(gains: &[f64], value: impl Fn(f64) -> f64) -> f64 {
    gains.iter().enumerate().map(|(place, gain)| value(*gain) / (place as f64 + 2.0).log2()).sum()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Gains 3, 2, 3, 0, 1, 2 (the worked example in most introductions): DCG 6.861, ideal 7.141, nDCG 0.961.
    #[test]
    fn the_worked_example_of_the_discount_is_reproduced() {
        let gains = [3.0, 2.0, 3.0, 0.0, 1.0, 2.0];
        let quality = ranked_quality(&gains, &gains, 6).unwrap();
        assert!((discounted(&gains, |gain| gain) - 6.861).abs() < 5e-4);
        assert!((quality.ndcg - 0.961).abs() < 5e-4);
    }

    #[test]
    fn a_short_list_is_still_divided_by_the_cutoff() {
        let quality = ranked_quality(&[0.0, 1.0], &[1.0, 1.0], 5).unwrap();
        assert_eq!((quality.precision, quality.recall, quality.reciprocal_rank), (0.2, 0.5, 0.5));
        assert_eq!(quality.average_precision, 0.25);
        let nothing = ranked_quality(&[], &[1.0], 5).unwrap();
        assert_eq!((nothing.hit_rate, nothing.ndcg), (0.0, 0.0));
    }

    #[test]
    fn a_query_without_relevant_documents_has_no_quality() {
        assert_eq!(ranked_quality(&[0.0], &[0.0], 1).unwrap_err().reason, Reason::Empty);
        assert_eq!(ranked_quality(&[1.0], &[1.0], 0).unwrap_err().reason, Reason::Invalid);
        assert_eq!(ranked_quality(&[-1.0], &[1.0], 1).unwrap_err().reason, Reason::Invalid);
    }
}
