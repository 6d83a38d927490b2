//! How close is a generated text to its references? Exact match, token F1, ROUGE-L; and pass@k, perplexity.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use super::estimate::{NotEstimable, Reason};
use super::mean::average;

/// Overlap of two texts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Overlap {
    /// Share of the text's tokens that are in the reference.
    pub precision: f64,
    /// Share of the reference's tokens that are in the text.
    pub recall: f64,
    /// Harmonic mean; 0 where nothing overlaps.
    pub f1: f64,
}

/// ROUGE-L of one text against one reference.
///
/// - Estimates: overlap by the longest common subsequence of tokens: lower case, runs of `a-z0-9`, no stemming.
/// - Formula: `LCS/length` of each side, and their harmonic mean. A side without tokens (any text without ASCII letters
///   or digits, such as Japanese) gives 0: use character measures there.
/// - Assumes: nothing. Always estimable. Cost: product of the token counts.
/// - Source: Lin 2004, section 3.1, tokens as in the `rouge-score` package. Pinned by the family `text_metrics`, kind
///   `rouge_l`.
pub fn rouge_l(text: &str, reference: &str) -> Overlap {
    let (text, reference) = (ascii_tokens(text), ascii_tokens(reference));
    overlap(longest_common(&text, &reference) as f64, text.len(), reference.len())
}

/// Exact match and token F1 of one answer, best over the references.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AnswerMatch {
    /// 1 where the normalised answer equals a reference, else 0.
    pub exact: f64,
    /// F1 of the bags of tokens.
    pub f1: f64,
}

/// Exact match and token F1 after the usual normalisation: lower case, no ASCII punctuation, no English articles,
/// single spaces.
///
/// - Formula: bag overlap; where either side is empty after normalisation, 1 if both are, else 0. Best over the
///   references.
/// - Assumes: nothing. Not estimable: no reference (`empty`).
/// - Cost: linear. Source: Rajpurkar et al. 2016. Pinned by the family `text_metrics`, kind `squad`.
pub fn answer_match(answer: &str, references: &[&str]) -> Result<AnswerMatch, NotEstimable> {
    let answer = normalised(answer);
    let mut best: Option<AnswerMatch> = None;
    for reference in references.iter().map(|reference| normalised(reference)) {
        let exact = f64::from(u8::from(answer == reference));
        let f1 = bag_f1(&answer, &reference);
        best = Some(best.map_or(AnswerMatch { exact, f1 }, |so_far| AnswerMatch {
            exact: so_far.exact.max(exact),
            f1: so_far.f1.max(f1),
        }));
    }
    best.ok_or(NotEstimable::with_n(Reason::Empty, 0))
}

/// The chance that at least one of `k` samples passes, from `c` passes in `n` samples.
///
/// - Estimates: `pass@k` without bias. Formula: `1 − C(n−c, k)/C(n, k)`, as a product.
/// - Assumes: samples drawn alike.
/// - Not estimable: `k = 0`, `k > n` (`too_few`), `c > n` (`invalid`).
/// - Cost: linear in `c`. Source: Chen et al. 2021, arXiv 2107.03374, eq. 1. Pinned by the family `text_metrics`, kind
///   `pass_at_k`.
pub fn pass_at_k(n: u64, c: u64, k: u64) -> Result<f64, NotEstimable> {
    if c > n || k == 0 {
        return Err(NotEstimable::with_counts(Reason::Invalid, c, n));
    }
    if k > n {
        return Err(NotEstimable::with_counts(Reason::TooFew, c, n));
    }
    if n - c < k {
        return Ok(1.0);
    }
    let none: f64 = (n - c + 1..=n).map(|i| 1.0 - k as f64 / i as f64).product();
    Ok(1.0 - none)
}

/// Perplexity of natural-log probabilities of tokens.
///
/// - Formula: `exp(−mean ln p)`. Assumes: nothing.
/// - Not estimable: no token (`empty`), a value above 0 or not finite (`invalid`).
/// - Cost: linear. Source: Jelinek et al. 1977. Pinned by the family `text_metrics`, kind `perplexity`.
pub fn perplexity(log_probabilities: &[f64]) -> Result<f64, NotEstimable> {
    let n = log_probabilities.len() as u64;
    if n == 0 {
        return Err(NotEstimable::with_n(Reason::Empty, 0));
    }
    if log_probabilities.iter().any(|log| !log.is_finite() || *log > 0.0) {
        return Err(NotEstimable::with_n(Reason::Invalid, n));
    }
    Ok((-average(log_probabilities)).exp())
}

fn ascii_tokens(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    lower.split(|c| !word(c)).filter(|token| !token.is_empty()).map(str::to_owned).collect()
}

fn longest_common(one: &[String], other: &[String]) -> usize {
    let mut row = vec![0; other.len() + 1];
    for token in one {
        let mut diagonal = 0;
        for (place, candidate) in other.iter().enumerate() {
            let above = row[place + 1];
            row[place + 1] = if token == candidate { diagonal + 1 } else { above.max(row[place]) };
            diagonal = above;
        }
    }
    row[other.len()]
}

fn overlap(common: f64, text: usize, reference: usize) -> Overlap {
    if common == 0.0 {
        return Overlap { precision: 0.0, recall: 0.0, f1: 0.0 };
    }
    let (precision, recall) = (common / text as f64, common / reference as f64);
    Overlap { precision, recall, f1: 2.0 * precision * recall / (precision + recall) }
}

fn normalised(text: &str) -> String {
    static ARTICLES: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\b(?:a|an|the)\b").expect("the pattern is a constant that compiles"));
    let plain: String = text.to_lowercase().chars().filter(|c| !c.is_ascii_punctuation()).collect();
    ARTICLES.replace_all(&plain, " ").split_whitespace().collect::<Vec<_>>().join(" ")
}

fn bag_f1(answer: &str, reference: &str) -> f64 {
    if answer.is_empty() || reference.is_empty() {
        return f64::from(u8::from(answer == reference));
    }
    let mut bag = BTreeMap::<&str, i64>::new();
    for token in reference.split(' ') {
        *bag.entry(token).or_default() += 1;
    }
    let mut common = 0.0;
    for token in answer.split(' ') {
        if let Some(left) = bag.get_mut(token).filter(|left| **left > 0) {
            *left -= 1;
            common += 1.0;
        }
    }
    overlap(common, answer.split(' ').count(), reference.split(' ').count()).f1
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Lin 2004, section 3.1: "police killed the gunman" against "police kill the gunman" and "the gunman kill police".
    #[test]
    fn lins_gunman_is_reproduced() {
        assert_eq!(rouge_l("police kill the gunman", "police killed the gunman").f1, 0.75);
        assert_eq!(rouge_l("the gunman kill police", "police killed the gunman").f1, 0.5);
        assert_eq!(rouge_l("", "not empty").f1, 0.0);
        assert_eq!(rouge_l("日本語だけ", "日本語だけ").f1, 0.0);
    }

    #[test]
    fn articles_case_and_punctuation_do_not_count() {
        let found = answer_match("The Eiffel Tower, Paris", &["Paris", "Eiffel tower paris"]).unwrap();
        assert_eq!((found.exact, found.f1), (1.0, 1.0));
        assert_eq!(answer_match("a", &["the"]).unwrap().f1, 1.0);
        assert_eq!(answer_match("", &["not empty"]).unwrap(), AnswerMatch { exact: 0.0, f1: 0.0 });
        assert_eq!(answer_match("東京", &["東京。"]).unwrap().exact, 0.0);
        assert_eq!(answer_match("x", &[]).unwrap_err().reason, Reason::Empty);
    }

    #[test]
    fn one_sample_passes_as_often_as_passes_are() {
        assert!((pass_at_k(10, 3, 1).unwrap() - 0.3).abs() < 1e-12);
        assert!((pass_at_k(10, 3, 5).unwrap() - (1.0 - 21.0 / 252.0)).abs() < 1e-12);
        assert_eq!(pass_at_k(10, 0, 5), Ok(0.0));
        assert_eq!(pass_at_k(3, 1, 5).unwrap_err().reason, Reason::TooFew);
        assert_eq!(pass_at_k(3, 4, 1).unwrap_err().reason, Reason::Invalid);
    }

    #[test]
    fn even_odds_at_every_token_are_a_perplexity_of_two() {
        assert!((perplexity(&[-std::f64::consts::LN_2; 7]).unwrap() - 2.0).abs() < 1e-12);
        assert_eq!(perplexity(&[]).unwrap_err().reason, Reason::Empty);
        assert_eq!(perplexity(&[0.5]).unwrap_err().reason, Reason::Invalid);
    }
}
