//! Which items are nearly the same? A set-similarity join over character 3-grams, so that Japanese needs no word breaks.
//!
//! Two items are near when the Jaccard similarity of their prompts and of both responses, in either order, reaches a
//! threshold `t`. Then the similarity of their united 3-grams does too (a mediant lies between its parts), and of two
//! sets that similar the `|x| − ⌈t·|x|⌉ + 1` rarest members of each have one in common (prefix filtering: Bayardo, Ma
//! and Srikant 2007, "Scaling up all pairs similarity search"). So only items that share a rare 3-gram are compared.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization as _;

/// Looks into the index after which the search is stopped; ten thousand unlike items need a few million.
const LOOKS: u64 = 100_000_000;
/// 3-grams compared after which the search is stopped: a few seconds.
const STEPS: u64 = 2_000_000_000;
/// Estimated looks from which other views of the items are tried.
const CHEAP: u64 = 20_000_000;

/// The 3-grams of an item's texts, each list sorted and without repetition.
pub(super) struct Texts {
    prompt: Vec<u64>,
    a: Vec<u64>,
    b: Vec<u64>,
}

impl Texts {
    pub(super) fn of(prompt: &str, a: &str, b: &str) -> Self {
        Self { prompt: grams(prompt), a: grams(a), b: grams(b) }
    }
}

/// Pairs of indices, each and all sorted, and whether the search went to its end.
pub(super) struct Search {
    pub pairs: Vec<[usize; 2]>,
    pub complete: bool,
}

/// Every pair of items whose prompts and responses (in either order) are at least `threshold` similar.
pub(super) fn near_pairs(texts: &[Texts], threshold: f64) -> Search {
    let threshold = threshold.clamp(0.01, 1.0);
    let mut best = View::of(texts, Part::Both, threshold);
    if best.looks > CHEAP {
        // A long text that all items share fills the prefixes; without it, the rest may tell them apart.
        for part in [Part::Responses, Part::Prompt] {
            let view = View::of(texts, part, threshold);
            if view.looks < best.looks {
                best = view;
            }
        }
    }
    best.join(texts, threshold)
}

/// Three scalar values of 21 bits each in one number: no collisions. Width, case and white space do not count.
fn grams(text: &str) -> Vec<u64> {
    let mut letters: Vec<u64> = Vec::new();
    for letter in text.nfkc().flat_map(char::to_lowercase) {
        let letter = if letter.is_whitespace() { ' ' } else { letter };
        if letter != ' ' || letters.last().is_some_and(|last| *last != u64::from(u32::from(' '))) {
            letters.push(u64::from(u32::from(letter)));
        }
    }
    let packed = |window: &[u64]| window.iter().fold(0, |sum, letter| (sum << 21) | letter);
    let mut grams: Vec<u64> =
        if letters.len() < 3 { vec![packed(&letters)] } else { letters.windows(3).map(packed).collect() };
    grams.sort_unstable();
    grams.dedup();
    grams
}

/// Which texts of an item make up its set. Each part's similarity is a necessary condition.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Prompt,
    Responses,
    Both,
}

/// Members of an item's set: (text, 3-gram). The responses are a bag (1: in either, 2: in both), so order says nothing.
fn members(texts: &Texts, part: Part) -> Vec<(u8, u64)> {
    let mut members = Vec::new();
    if part != Part::Responses {
        members.extend(texts.prompt.iter().map(|gram| (0, *gram)));
    }
    if part != Part::Prompt {
        members.extend(texts.a.iter().map(|gram| (1, *gram)));
        members.extend(texts.b.iter().map(|gram| (u8::from(texts.a.binary_search(gram).is_ok()) + 1, *gram)));
    }
    members
}

/// Items as sets of ranks, the rarest first.
struct View {
    sets: Vec<Vec<u32>>,
    /// An estimate of the work: pairs that share a member of their prefixes, counted once for each.
    looks: u64,
}

impl View {
    fn of(texts: &[Texts], part: Part, threshold: f64) -> Self {
        let mut counts: HashMap<(u8, u64), u32> = HashMap::new();
        for item in texts {
            for member in members(item, part) {
                *counts.entry(member).or_default() += 1;
            }
        }
        let mut order: Vec<(u32, (u8, u64))> = counts.iter().map(|(member, count)| (*count, *member)).collect();
        order.sort_unstable();
        let mut ranks = counts;
        for (rank, (_, member)) in (0..).zip(&order) {
            ranks.insert(*member, rank);
        }
        let sets: Vec<Vec<u32>> = texts
            .iter()
            .map(|item| {
                let mut set: Vec<u32> =
                    members(item, part).iter().filter_map(|member| ranks.get(member).copied()).collect();
                set.sort_unstable();
                set
            })
            .collect();
        let mut inside = vec![0_u64; order.len()];
        for rank in sets.iter().flat_map(|set| prefix(set, threshold)) {
            inside[*rank as usize] += 1;
        }
        Self { sets, looks: inside.iter().map(|count| count * count.saturating_sub(1) / 2).sum() }
    }

    /// Looks up every item's prefix among those before it, smaller sets first, and compares what it meets.
    fn join(&self, texts: &[Texts], threshold: f64) -> Search {
        let mut by_size: Vec<usize> = (0..self.sets.len()).collect();
        by_size.sort_by_key(|&index| self.sets[index].len());
        let mut index: HashMap<u32, Vec<usize>> = HashMap::new();
        let mut met_by: Vec<usize> = vec![usize::MAX; self.sets.len()];
        let (mut looks, mut steps) = (0, 0);
        let mut search = Search { pairs: Vec::new(), complete: true };
        for &one in &by_size {
            let smallest = kept(self.sets[one].len(), threshold);
            for rank in prefix(&self.sets[one], threshold) {
                let posted = index.entry(*rank).or_default();
                let from = posted.partition_point(|&other| self.sets[other].len() < smallest);
                looks += (posted.len() - from) as u64;
                for &other in &posted[from..] {
                    if std::mem::replace(&mut met_by[other], one) == one {
                        continue;
                    }
                    // The rarest members come first, so unlike items part after a few steps.
                    let alike = jaccard_reaches(&self.sets[one], &self.sets[other], threshold, &mut steps);
                    if alike && are_near(&texts[one], &texts[other], threshold, &mut steps) {
                        search.pairs.push([one.min(other), one.max(other)]);
                    }
                }
                posted.push(one);
            }
            if looks > LOOKS || steps > STEPS {
                search.complete = false;
                break;
            }
        }
        search.pairs.sort_unstable();
        search
    }
}

/// Smallest overlap that a set of this size needs: `⌈t·size⌉`, with slack for rounding.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn kept(size: usize, threshold: f64) -> usize {
    (size as f64 * threshold - 1e-9).ceil().max(1.0) as usize
}

fn prefix(set: &[u32], threshold: f64) -> &[u32] {
    &set[..(set.len() + 1).saturating_sub(kept(set.len(), threshold)).min(set.len())]
}

fn are_near(one: &Texts, other: &Texts, threshold: f64, steps: &mut u64) -> bool {
    let mut alike = |x: &[u64], y: &[u64]| jaccard_reaches(x, y, threshold, steps);
    alike(&one.prompt, &other.prompt)
        && (alike(&one.a, &other.a) && alike(&one.b, &other.b) || alike(&one.a, &other.b) && alike(&one.b, &other.a))
}

/// Whether `|x ∩ y| / |x ∪ y| >= threshold` for sorted sets, that is `|x ∩ y| >= t/(1+t)·(|x| + |y|)`. Ends as soon as
/// too many members of one set are missing from the other.
fn jaccard_reaches<T: Ord>(x: &[T], y: &[T], threshold: f64, steps: &mut u64) -> bool {
    let wanted = kept(x.len() + y.len(), threshold / (1.0 + threshold));
    if wanted > x.len().min(y.len()) {
        return false;
    }
    let (spare_x, spare_y) = (x.len() - wanted, y.len() - wanted);
    let (mut i, mut j, mut common) = (0, 0, 0);
    while i < x.len() && j < y.len() && i - common <= spare_x && j - common <= spare_y {
        match x[i].cmp(&y[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => (i, j, common) = (i + 1, j + 1, common + 1),
        }
    }
    *steps += (i + j) as u64;
    common >= wanted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Digest;

    /// Text without structure: hexadecimal digits of digests.
    fn noise(seed: usize, length: usize) -> String {
        let mut text = String::new();
        for block in 0.. {
            if text.len() >= length {
                break;
            }
            text += &Digest::of(format!("{seed} {block}").as_bytes()).to_string();
        }
        text.truncate(length);
        text
    }

    fn brute(texts: &[Texts], threshold: f64) -> Vec<[usize; 2]> {
        let all = (0..texts.len()).flat_map(|x| (x + 1..texts.len()).map(move |y| [x, y]));
        all.filter(|&[x, y]| are_near(&texts[x], &texts[y], threshold, &mut 0)).collect()
    }

    #[test]
    fn width_case_and_white_space_do_not_count_and_order_of_words_does() {
        assert_eq!(grams("ＡＢＣ  def\n"), grams("abc DEF "));
        assert_ne!(grams("abc def"), grams("def abc"));
        assert_eq!(grams("日本"), grams("日本"));
        assert_ne!(grams("日本"), grams("日木"));
        assert_eq!(grams(""), grams("  "));
    }

    #[test]
    fn similarity_is_the_common_part_of_the_union() {
        let reaches = |x: &[u32], y: &[u32], threshold| jaccard_reaches(x, y, threshold, &mut 0);
        // 4 of 5, 3 of 5, 0 of 2.
        assert!(reaches(&[1, 2, 3, 4, 5], &[1, 2, 3, 4], 0.8) && !reaches(&[1, 2, 3, 4, 5], &[1, 2, 3, 4], 0.81));
        assert!(reaches(&[1, 2, 3, 4], &[2, 3, 4, 5], 0.6) && !reaches(&[1, 2, 3, 4], &[2, 3, 4, 5], 0.61));
        assert!(!reaches(&[1], &[2], 0.01) && reaches(&[1], &[1], 1.0));
    }

    #[test]
    fn the_join_finds_what_comparing_all_pairs_finds() {
        // Families of texts that share between half and all of their letters.
        let texts: Vec<Texts> = (0..150)
            .map(|n| {
                let text = |part: usize| noise(n / 5 * 10 + part, 100) + &noise(1000 + n * 10 + part, n % 7 * 4);
                if n % 2 == 0 {
                    Texts::of(&text(0), &text(1), &text(2))
                } else {
                    Texts::of(&text(0), &text(2), &text(1))
                }
            })
            .collect();
        for threshold in [0.6, 0.8, 0.9, 1.0] {
            let wanted = brute(&texts, threshold);
            assert!(threshold == 1.0 || wanted.len() > 20, "{threshold}: {}", wanted.len());
            for part in [Part::Both, Part::Prompt, Part::Responses] {
                let found = View::of(&texts, part, threshold).join(&texts, threshold);
                assert!(found.complete);
                assert_eq!(found.pairs, wanted);
            }
        }
    }

    #[test]
    fn a_prompt_that_all_share_does_not_lead_to_comparing_all() {
        let shared = noise(1, 1500);
        let texts: Vec<Texts> =
            (0..200).map(|n| Texts::of(&shared, &noise(10 + 2 * n, 60), &noise(11 + 2 * n, 60))).collect();
        let whole = View::of(&texts, Part::Both, 0.8);
        let responses = View::of(&texts, Part::Responses, 0.8);
        assert!(responses.looks * 10 < whole.looks, "{} {}", responses.looks, whole.looks);
        assert_eq!(near_pairs(&texts, 0.8).pairs, Vec::<[usize; 2]>::new());
    }
}
