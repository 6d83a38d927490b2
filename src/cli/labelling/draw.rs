//! What chance decides: which pairs are drawn, in which order they come, on which side each answer is shown.
//!
//! Each draw is a digest of (purpose, seed, who, item), so it depends neither on the order of the file nor on what was
//! labelled before, and it is the same on every machine.

use std::collections::BTreeSet;

use crate::domain::{Annotator, Digest, ItemId, Order, Pair};

/// A simple random sample of `n` pairs, by position in the file: those with the smallest draws.
pub(super) fn sample(pairs: &[Pair], n: usize, seed: u64) -> BTreeSet<usize> {
    let all: Vec<usize> = (0..pairs.len()).collect();
    sorted(pairs, all, |id| draw("sample", seed, "", id)).into_iter().take(n).collect()
}

/// The positions in the order in which this annotator sees them.
pub(super) fn shuffled(pairs: &[Pair], positions: Vec<usize>, seed: u64, annotator: &Annotator) -> Vec<usize> {
    sorted(pairs, positions, |id| draw("order", seed, &annotator.0, id))
}

/// Which response this annotator sees first.
pub(super) fn side(seed: u64, annotator: &Annotator, id: &ItemId) -> Order {
    if draw("side", seed, &annotator.0, id)[0] & 1 == 0 { Order::Ab } else { Order::Ba }
}

fn sorted(pairs: &[Pair], mut positions: Vec<usize>, draw: impl Fn(&ItemId) -> [u8; 32]) -> Vec<usize> {
    positions.sort_by_cached_key(|position| draw(&pairs[*position].id));
    positions
}

fn draw(purpose: &str, seed: u64, annotator: &str, id: &ItemId) -> [u8; 32] {
    let parts = [b"labelling 1".as_slice(), purpose.as_bytes(), &seed.to_le_bytes(), annotator.as_bytes()];
    *Digest::of_parts(parts.into_iter().chain([id.as_str().as_bytes()])).bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(n: usize) -> Vec<Pair> {
        (0..n).map(|n| Pair::new(format!("q{n}"), "p", "a", "b")).collect()
    }

    fn ids(pairs: &[Pair], positions: impl IntoIterator<Item = usize>) -> BTreeSet<String> {
        positions.into_iter().map(|position| pairs[position].id.0.clone()).collect()
    }

    #[test]
    fn a_sample_does_not_depend_on_the_order_of_the_file_and_grows_by_adding() {
        let pairs = pairs(40);
        let mut turned = pairs.clone();
        turned.reverse();
        let drawn = |pairs: &[Pair], n| ids(pairs, sample(pairs, n, 3));
        assert_eq!(drawn(&pairs, 10), drawn(&turned, 10));
        assert!(drawn(&pairs, 20).is_superset(&drawn(&pairs, 10)));
        assert_ne!(drawn(&pairs, 10), ids(&pairs, sample(&pairs, 10, 4)));
        assert_eq!(sample(&pairs, 99, 3).len(), 40);
    }

    #[test]
    fn every_pair_is_drawn_about_as_often_as_any_other() {
        let pairs = pairs(20);
        let mut counts = [0_u32; 20];
        for seed in 0..2000 {
            for position in sample(&pairs, 5, seed) {
                counts[position] += 1;
            }
        }
        // 500 are expected of each, with a standard deviation of 19.4; five of them.
        assert!(counts.iter().all(|count| count.abs_diff(500) < 97), "{counts:?}");
    }

    #[test]
    fn order_and_sides_are_each_annotators_own_and_sides_are_even() {
        let pairs = pairs(400);
        let of = |name: &str| shuffled(&pairs, (0..400).collect(), 1, &name.into());
        assert_eq!(of("kim"), of("kim"));
        assert_ne!(of("kim"), of("lee"));
        let firsts = |name: &str| -> Vec<bool> {
            pairs.iter().map(|pair| side(1, &name.into(), &pair.id) == Order::Ab).collect()
        };
        assert_ne!(firsts("kim"), firsts("lee"));
        let count = firsts("kim").iter().filter(|first| **first).count();
        assert!(count.abs_diff(200) < 50, "{count} of 400, five standard deviations are 50");
    }

    #[test]
    fn draws_are_fixed_for_all_time() {
        let drawn: Vec<usize> = sample(&pairs(12), 4, 7).into_iter().collect();
        assert_eq!(drawn, PINNED, "labels that lie in files rely on it");
    }

    /// Computed apart from this code: SHA-256 over length-prefixed parts.
    const PINNED: [usize; 4] = [1, 2, 10, 11];
}
