//! Draws of the control judges: a pure function of seed, purpose and place.
//!
//! A draw is the head of a SHA-256 digest over (version, purpose, seed, item, further parts), so it depends neither
//! on the order of asking nor on which other items are asked, and it is the same on every machine.

use super::ids::{Digest, ItemId};

/// A number in [0, 1), in steps of 2^-53, drawn for `purpose` at this item and these further coordinates.
pub(super) fn unit(purpose: &str, seed: u64, item: &ItemId, place: &[&[u8]]) -> f64 {
    let seed = seed.to_le_bytes();
    let head = [b"control draw 1".as_slice(), purpose.as_bytes(), &seed, item.as_str().as_bytes()];
    let digest = Digest::of_parts(head.into_iter().chain(place.iter().copied()));
    let mut word = [0; 8];
    word.copy_from_slice(&digest.bytes()[..8]);
    // The upper 53 bits fit a double exactly.
    (u64::from_le_bytes(word) >> 11) as f64 * (-53_f64).exp2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_fixed_for_all_time() {
        let draw = unit("coin", 7, &"q1".into(), &[b"ab", &0_u32.to_le_bytes()]);
        assert!((draw - PINNED).abs() < 1e-15, "{draw}");
    }

    /// Computed apart from this code: SHA-256 over length-prefixed parts.
    const PINNED: f64 = 0.929_179_404_128_037_3;

    #[test]
    fn draws_fill_the_unit_interval_evenly() {
        let draws: Vec<f64> = (0..4000).map(|i| unit("coin", 1, &format!("q{i}").into(), &[])).collect();
        let mean = draws.iter().sum::<f64>() / 4000.0;
        // Standard error of the mean is 0.0046; five of them.
        assert!((mean - 0.5).abs() < 0.023, "{mean}");
        assert!(draws.iter().all(|draw| (0.0..1.0).contains(draw)));
    }
}
