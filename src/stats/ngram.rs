//! How many n-grams does a text share with its references? BLEU and chrF.
//!
//! BLEU is kept as sums per segment ([`bleu_sums`]), so that a bootstrap over items adds sums and recomputes the corpus
//! score.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;

use super::estimate::{NotEstimable, Reason};

/// How BLEU is computed, to be printed beside every score.
pub const BLEU_SIGNATURE: &str = "case:mixed|tok:13a|smooth:exp|order:4";

/// Longest n-gram of BLEU.
const WORD_ORDER: usize = 4;

/// Longest n-gram of chrF.
const CHARACTER_ORDER: usize = 6;

/// Weight of recall in chrF, squared.
const BETA_SQUARED: f64 = 4.0;

/// The sums of one segment: matches and totals of 1- to 4-grams, length of the text, length of the closest reference.
///
/// Add the vectors of all segments and give them to [`bleu_of_sums`].
/// Not estimable: no reference (`empty`).
pub fn bleu_sums(text: &str, references: &[&str]) -> Result<[f64; 10], NotEstimable> {
    let words = tokens_13a(text);
    let references: Vec<Vec<String>> = references.iter().map(|reference| tokens_13a(reference)).collect();
    let length = words.len();
    // The closest length, the shorter on ties.
    let closest = references.iter().map(Vec::len).min_by_key(|other| (other.abs_diff(length), *other));
    let closest = closest.ok_or(NotEstimable::with_n(Reason::Empty, 0))?;
    let mut sums = [0.0; 10];
    for order in 1..=WORD_ORDER {
        let counts = ngrams(&words, order);
        let allowed: Vec<HashMap<&[String], usize>> =
            references.iter().map(|reference| ngrams(reference, order)).collect();
        let most = |gram: &[String]| allowed.iter().filter_map(|counts| counts.get(gram)).max().copied().unwrap_or(0);
        let matched: usize = counts.iter().map(|(gram, count)| (*count).min(most(gram))).sum();
        sums[order - 1] = matched as f64;
        sums[WORD_ORDER + order - 1] = (length + 1).saturating_sub(order) as f64;
    }
    sums[8] = length as f64;
    sums[9] = closest as f64;
    Ok(sums)
}

/// Which n-gram orders a BLEU score averages over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Orders {
    /// All four: for a corpus.
    All,
    /// Only those the text is long enough for: for single sentences.
    Effective,
}

/// BLEU, 0 to 100, of the added sums of [`bleu_sums`].
///
/// - Estimates: n-gram precision with a penalty for short texts. A corpus score is not the mean of sentence scores.
/// - Formula: `100·min(1, e^{1−r/c})·(Π p_n)^{1/4}`; the `m`-th order without match counts as `1/(2^m·total)`
///   (exponential smoothing).
/// - Assumes: nothing. 0 for no match at all. `None` where the sums are not ten numbers.
/// - Cost: constant. Source: Papineni et al. 2002, section 2.3; Post 2018 (tokens, smoothing). Pinned by the family
///   `text_metrics`, kind `bleu`, and by `a_sentence_counted_by_hand_is_reproduced`.
pub fn bleu_of_sums(sums: &[f64], orders: Orders) -> Option<f64> {
    let [matched, totals] = [sums.get(..WORD_ORDER)?, sums.get(WORD_ORDER..2 * WORD_ORDER)?];
    let (length, reference) = (*sums.get(8)?, *sums.get(9)?);
    if matched.iter().all(|count| *count == 0.0) {
        return Some(0.0);
    }
    let mut smoothing = 1.0;
    let mut logs = Vec::new();
    for (count, total) in matched.iter().zip(totals).take_while(|(_, total)| **total > 0.0) {
        logs.push(if *count == 0.0 {
            smoothing *= 2.0;
            (1.0 / (smoothing * total)).ln()
        } else {
            (count / total).ln()
        });
    }
    if orders == Orders::All && logs.len() < WORD_ORDER {
        return Some(0.0);
    }
    let brevity = if length < reference { (1.0 - reference / length).exp() } else { 1.0 };
    Some(100.0 * brevity * (logs.iter().sum::<f64>() / logs.len() as f64).exp())
}

/// BLEU of a corpus, 0 to 100: each segment a text with its references.
///
/// Formula, source: as [`bleu_of_sums`]. Not estimable: no segment, or one without references (`empty`).
pub fn corpus_bleu(segments: &[(&str, Vec<&str>)]) -> Result<f64, NotEstimable> {
    let mut total = [0.0; 10];
    for (text, references) in segments {
        for (sum, value) in total.iter_mut().zip(bleu_sums(text, references)?) {
            *sum += value;
        }
    }
    let score = if segments.is_empty() { None } else { bleu_of_sums(&total, Orders::All) };
    score.ok_or(NotEstimable::with_n(Reason::Empty, 0))
}

/// BLEU of one sentence, 0 to 100, over the orders that it is long enough for.
///
/// Formula, source: as [`bleu_of_sums`]. Not estimable: no reference (`empty`).
pub fn sentence_bleu(text: &str, references: &[&str]) -> Result<f64, NotEstimable> {
    let sums = bleu_sums(text, references)?;
    bleu_of_sums(&sums, Orders::Effective).ok_or(NotEstimable::with_n(Reason::Empty, 0))
}

/// chrF2 of one text, 0 to 100, best over the references: works for languages without spaces.
///
/// - Estimates: overlap of 1- to 6-grams of characters, recall weighing twice as much as precision; white space is left
///   out.
/// - Formula: `100·(1+4)·P·R/(4P + R)`, `P` and `R` averaged over the orders both sides are long enough for.
/// - Assumes: nothing. Not estimable: no reference (`empty`).
/// - Cost: linear. Source: Popović 2015, as in Post 2018. Pinned by the family `text_metrics`, kind `chrf`.
pub fn chrf(text: &str, references: &[&str]) -> Result<f64, NotEstimable> {
    let characters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<Vec<char>>();
    let text = characters(text);
    let scores = references.iter().map(|reference| chrf_against(&text, &characters(reference)));
    scores.max_by(f64::total_cmp).ok_or(NotEstimable::with_n(Reason::Empty, 0))
}

fn chrf_against(text: &[char], reference: &[char]) -> f64 {
    let (mut precision, mut recall, mut orders) = (0.0, 0.0, 0.0);
    for order in 1..=CHARACTER_ORDER {
        let (ours, theirs) = (ngrams(text, order), ngrams(reference, order));
        if ours.is_empty() || theirs.is_empty() {
            continue;
        }
        let matched: usize =
            ours.iter().map(|(gram, count)| (*count).min(theirs.get(gram).copied().unwrap_or(0))).sum();
        precision += matched as f64 / (text.len() + 1 - order) as f64;
        recall += matched as f64 / (reference.len() + 1 - order) as f64;
        orders += 1.0;
    }
    if precision + recall == 0.0 {
        return 0.0;
    }
    let (precision, recall) = (precision / orders, recall / orders);
    100.0 * (1.0 + BETA_SQUARED) * precision * recall / (BETA_SQUARED * precision + recall)
}

fn ngrams<T: Eq + std::hash::Hash>(tokens: &[T], order: usize) -> HashMap<&[T], usize> {
    // Only sums over the map leave this file, so its order does not matter.
    let mut counts = HashMap::new();
    for gram in tokens.windows(order) {
        *counts.entry(gram).or_default() += 1;
    }
    counts
}

/// The "13a" tokens of the translation evaluations: punctuation apart, but not within numbers.
fn tokens_13a(text: &str) -> Vec<String> {
    static RULES: LazyLock<[(Regex, &str); 4]> = LazyLock::new(|| {
        [
            (r"([\{-\~\[-\` -\&\(-\+\:-\@\/])", " $1 "),
            (r"([^0-9])([\.,])", "$1 $2 "),
            (r"([\.,])([^0-9])", " $1 $2"),
            (r"([0-9])(-)", "$1 $2 "),
        ]
        .map(|(pattern, by)| (Regex::new(pattern).expect("the pattern is a constant that compiles"), by))
    });
    let text = text.trim_end().replace("<skipped>", "").replace("-\n", "").replace('\n', " ");
    let text = text.replace("&quot;", "\"").replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">");
    let mut line = format!(" {text} ");
    for (pattern, by) in RULES.iter() {
        line = pattern.replace_all(&line, *by).into_owned();
    }
    line.split_whitespace().map(str::to_owned).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn punctuation_is_split_but_numbers_stay_whole() {
        assert_eq!(
            tokens_13a("It's 3.5 km (about 2 miles) away."),
            ["It's", "3.5", "km", "(", "about", "2", "miles", ")", "away", "."]
        );
        assert_eq!(tokens_13a("a&amp;b, 1-2"), ["a", "&", "b", ",", "1", "-", "2"]);
        assert!(tokens_13a("").is_empty());
    }

    /// "the cat is on the mat" against "the cat sat on the mat": 5/6, 3/5, 1/4, and none of 3 smoothed to 1/6.
    #[test]
    fn a_sentence_counted_by_hand_is_reproduced() {
        let score = sentence_bleu("the cat is on the mat", &["the cat sat on the mat"]).unwrap();
        let by_hand = 100.0 * (5.0 / 6.0 * 3.0 / 5.0 / 4.0 / 6.0_f64).powf(0.25);
        assert!((score - by_hand).abs() < 1e-9);
    }

    #[test]
    fn a_corpus_is_scored_by_its_sums_and_not_by_the_mean() {
        let same = "one two three four five";
        let corpus = [(same, vec![same]), ("six seven", vec!["eight nine"])];
        let score = corpus_bleu(&corpus).unwrap();
        assert!(score > 50.0 && score < 100.0);
        assert_eq!(corpus_bleu(&[(same, vec![same])]).map(f64::round), Ok(100.0));
        assert_eq!(corpus_bleu(&[]).unwrap_err().reason, Reason::Empty);
        assert_eq!(sentence_bleu("", &["not empty"]), Ok(0.0));
        assert_eq!(sentence_bleu("x", &[]).unwrap_err().reason, Reason::Empty);
    }

    #[test]
    fn short_texts_are_scored_over_the_orders_they_have() {
        assert!((sentence_bleu("Hello", &["Hello"]).unwrap() - 100.0).abs() < 1e-9);
        assert_eq!(corpus_bleu(&[("Hello", vec!["Hello"])]), Ok(0.0));
    }

    #[test]
    fn characters_are_compared_in_any_language_and_the_best_reference_counts() {
        assert!((chrf("吾輩は猫である", &["吾輩は猫である"]).unwrap() - 100.0).abs() < 1e-9);
        assert!(chrf("吾輩は猫である", &["吾輩は犬である"]).unwrap() > 20.0);
        assert!((chrf("a", &["b", "a"]).unwrap() - 100.0).abs() < 1e-9);
        assert_eq!(chrf("a", &["b"]), Ok(0.0));
        assert_eq!(chrf("a", &[]).unwrap_err().reason, Reason::Empty);
    }
}
