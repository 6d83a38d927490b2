//! Seeds, named child seeds and numbered streams: the only source of chance in the room.
//!
//! Everything drawn here is a function of (seed, name, stream number, position), so results do not depend on threads or
//! on the order in which work finishes. The draws are our own code on `next_u64`: library samplers may change values
//! between releases.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

/// Name of the generator with all draws built on it; it changes whenever the same seed would give other values.
pub const GENERATOR: &str = "chacha8-v1";

/// The seed of one purpose. Derive a child per purpose by name, a stream per replicate by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seed(pub u64);

impl Seed {
    /// The seed of a named purpose below this one: the first eight bytes (little endian) of SHA-256 over the seed and
    /// the name.
    ///
    /// Two purposes never share draws by accident, and a new purpose does not shift the draws of the old ones.
    #[must_use]
    pub fn child(&self, name: &str) -> Self {
        let digest = Sha256::new().chain_update(self.0.to_le_bytes()).chain_update(name.as_bytes()).finalize();
        Self(digest.iter().take(8).rev().fold(0, |value, &byte| (value << 8) | u64::from(byte)))
    }

    /// The stream of draws of one replicate: independent of every other replicate's.
    pub fn stream(&self, replicate: u64) -> Stream {
        let mut generator = ChaCha8Rng::seed_from_u64(self.0);
        generator.set_stream(replicate);
        Stream(generator)
    }
}

/// One sequence of draws.
#[derive(Debug, Clone)]
pub struct Stream(ChaCha8Rng);

impl Stream {
    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number in `0..n`, each equally likely; 0 where `n` is 0.
    ///
    /// Multiplies to 128 bits and rejects the uneven remainder (Lemire 2019, "Fast random integer generation in an
    /// interval", algorithm 5), so there is no modulo bias.
    pub fn below(&mut self, n: u64) -> u64 {
        let mut product = u128::from(self.next_u64()) * u128::from(n);
        let mut low = low_half(product);
        if low < n {
            let threshold = n.wrapping_neg() % n;
            while low < threshold {
                product = u128::from(self.next_u64()) * u128::from(n);
                low = low_half(product);
            }
        }
        high_half(product)
    }

    /// A number in `[0, 1)`: the upper 53 bits as a fraction.
    pub fn unit_f64(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Puts the values into a random order, each order equally likely (Fisher-Yates, from the end).
    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        for last in (1..values.len()).rev() {
            let other = usize::try_from(self.below(last as u64 + 1)).unwrap_or(last);
            values.swap(last, other);
        }
    }

    /// The number of successes in `n` trials of probability `p` (clamped to 0..=1; `NaN` counts as 0).
    ///
    /// Sequential inversion where `n·min(p, 1-p) < 10`, else transformed rejection with squeeze (BTRS; Hörmann 1993,
    /// "The generation of binomial random variates", J. Stat. Comput. Simul. 46, algorithm BTRS). Expected cost is
    /// bounded for every `n` and `p`. Pinned by golden draws and by chi-square tests against the law, both in this
    /// file.
    pub fn binomial(&mut self, n: u64, p: f64) -> u64 {
        if n == 0 || p.is_nan() || p <= 0.0 {
            return 0;
        }
        if p >= 1.0 {
            return n;
        }
        if p > 0.5 {
            return n - self.binomial_lower_half(n, 1.0 - p);
        }
        self.binomial_lower_half(n, p)
    }

    fn binomial_lower_half(&mut self, n: u64, p: f64) -> u64 {
        if n as f64 * p < 10.0 { self.binomial_by_inversion(n, p) } else { self.binomial_by_rejection(n, p) }
    }

    fn binomial_by_inversion(&mut self, n: u64, p: f64) -> u64 {
        let odds = p / (1.0 - p);
        // (1-p)^n through ln_1p: exact enough for tiny p, and above e^-14 because n·p < 10 and p <= 1/2.
        let mut mass = (n as f64 * (-p).ln_1p()).exp();
        let mut rest = self.unit_f64();
        let mut successes = 0;
        while rest >= mass {
            rest -= mass;
            successes += 1;
            // Rounding can leave a rest beyond the last possible value, or below the smallest mass that still counts.
            if successes >= n || mass < 1e-300 {
                return successes.min(n);
            }
            mass *= odds * (n - successes + 1) as f64 / successes as f64;
        }
        successes
    }

    fn binomial_by_rejection(&mut self, n: u64, p: f64) -> u64 {
        let trials = n as f64;
        let spread = (trials * p * (1.0 - p)).sqrt();
        let b = 1.15 + 2.53 * spread;
        let a = -0.0873 + 0.0248 * b + 0.01 * p;
        let c = trials * p + 0.5;
        let squeeze = 0.92 - 4.2 / b;
        let odds = p / (1.0 - p);
        let alpha = (2.83 + 5.1 / b) * spread;
        let mode = ((trials + 1.0) * p).floor();
        loop {
            let u = self.unit_f64() - 0.5;
            let v = self.unit_f64();
            let us = 0.5 - u.abs();
            let k = ((2.0 * a / us + b) * u + c).floor();
            if !(0.0..=trials).contains(&k) {
                continue;
            }
            if us >= 0.07 && v <= squeeze {
                return whole(k);
            }
            let height = (v * alpha / (a / (us * us) + b)).ln();
            let bound = (mode + 0.5) * ((mode + 1.0) / (odds * (trials - mode + 1.0))).ln()
                + (trials + 1.0) * ((trials - mode + 1.0) / (trials - k + 1.0)).ln()
                + (k + 0.5) * (odds * (trials - k + 1.0) / (k + 1.0)).ln()
                + stirling_tail(mode)
                + stirling_tail(trials - mode)
                - stirling_tail(k)
                - stirling_tail(trials - k);
            if height <= bound {
                return whole(k);
            }
        }
    }
}

#[allow(clippy::cast_possible_truncation)]
fn low_half(product: u128) -> u64 {
    product as u64
}

#[allow(clippy::cast_possible_truncation)]
fn high_half(product: u128) -> u64 {
    (product >> 64) as u64
}

/// A whole, non-negative number below 2^53 as an integer.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn whole(value: f64) -> u64 {
    value as u64
}

/// The rest of Stirling's formula for `ln k!` after `(k+½)·ln(k+1) − (k+1) + ½·ln 2π` (Hörmann 1993).
fn stirling_tail(k: f64) -> f64 {
    const TABLE: [f64; 10] = [
        0.081_061_466_795_327_8,
        0.041_340_695_955_409_5,
        0.027_677_925_684_998_3,
        0.020_790_672_103_765_1,
        0.016_644_691_189_821_2,
        0.013_876_128_823_070_7,
        0.011_896_709_945_891_8,
        0.010_411_265_261_972_1,
        0.009_255_462_182_712_73,
        0.008_330_563_433_362_87,
    ];
    if let Some(&tail) = TABLE.iter().enumerate().find(|(i, _)| *i as f64 == k).map(|(_, tail)| tail) {
        return tail;
    }
    let next = k + 1.0;
    let square = next * next;
    (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / 1260.0 / square) / square) / next
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::special::{binomial_pmf, chi_square_sf};

    #[test]
    fn the_draws_of_a_seed_are_fixed_for_ever() {
        let mut stream = Seed(7).stream(3);
        let words: Vec<u64> = (0..3).map(|_| stream.next_u64()).collect();
        assert_eq!(words, GOLDEN_WORDS);
        let below: Vec<u64> = (0..8).map(|_| stream.below(10)).collect();
        assert_eq!(below, GOLDEN_BELOW);
        assert_eq!(stream.unit_f64(), GOLDEN_UNIT);
        let mut order = [0, 1, 2, 3, 4, 5, 6, 7];
        stream.shuffle(&mut order);
        assert_eq!(order, GOLDEN_ORDER);
        let draws =
            [(10, 0.3), (1_000, 0.004), (50_000, 0.4), (50_000, 0.999), (80, 0.5)].map(|(n, p)| stream.binomial(n, p));
        assert_eq!(draws, GOLDEN_BINOMIAL);
        assert_eq!(Seed(7).child("bootstrap"), GOLDEN_CHILD);
    }

    const GOLDEN_WORDS: [u64; 3] = [3_348_856_302_973_006_449, 1_713_045_363_199_913_294, 18_059_454_136_845_528_042];
    const GOLDEN_BELOW: [u64; 8] = [3, 3, 3, 9, 3, 0, 4, 9];
    const GOLDEN_UNIT: f64 = 0.373_090_300_026_282_2;
    const GOLDEN_ORDER: [usize; 8] = [4, 7, 5, 2, 1, 0, 6, 3];
    const GOLDEN_BINOMIAL: [u64; 5] = [3, 4, 19_936, 49_946, 40];
    const GOLDEN_CHILD: Seed = Seed(14_980_359_175_749_230_952);

    #[test]
    fn streams_and_children_differ_from_each_other() {
        let first = |seed: Seed, stream| seed.stream(stream).next_u64();
        assert_ne!(first(Seed(1), 0), first(Seed(1), 1));
        assert_ne!(first(Seed(1), 0), first(Seed(2), 0));
        assert_ne!(Seed(1).child("a"), Seed(1).child("b"));
        assert_ne!(Seed(1).child("a"), Seed(2).child("a"));
    }

    #[test]
    fn below_is_even_over_a_range_that_does_not_divide_the_word() {
        let mut stream = Seed(11).stream(0);
        let mut counts = [0_u64; 7];
        for _ in 0..70_000 {
            counts[usize::try_from(stream.below(7)).unwrap_or(0)] += 1;
        }
        let statistic: f64 = counts.iter().map(|&c| (c as f64 - 10_000.0).powi(2) / 10_000.0).sum();
        assert!(chi_square_sf(statistic, 6.0) > 1e-4, "{counts:?}");
        assert_eq!(stream.below(0), 0);
        assert_eq!(stream.below(1), 0);
    }

    #[test]
    fn binomial_draws_follow_the_law() {
        let cases = [
            (1, 0.5),
            (10, 0.3),
            (40, 0.25),
            (100, 0.5),
            (100, 0.93),
            (1_000, 0.011),
            (50_000, 0.000_05),
            (50_000, 0.37),
            (50_000, 0.9995),
        ];
        for (number, &(n, p)) in cases.iter().enumerate() {
            let mut stream = Seed(5).child("law").stream(number as u64);
            let draws = 20_000;
            let mut counts = std::collections::BTreeMap::<u64, u64>::new();
            for _ in 0..draws {
                *counts.entry(stream.binomial(n, p)).or_default() += 1;
            }
            let p_value = goodness_of_fit(&counts, n, p, draws);
            assert!(p_value > 1e-4, "binomial({n}, {p}) does not follow its law: p = {p_value}");
        }
    }

    /// Chi-square test over cells merged from the left until each expects at least 20 draws.
    fn goodness_of_fit(counts: &std::collections::BTreeMap<u64, u64>, n: u64, p: f64, draws: u64) -> f64 {
        let (mut expected, mut seen) = (0.0, 0.0);
        let mut cells: Vec<(f64, f64)> = Vec::new();
        for k in 0..=n {
            expected += binomial_pmf(k, n, p) * draws as f64;
            seen += counts.get(&k).copied().unwrap_or(0) as f64;
            if expected >= 20.0 {
                cells.push((expected, seen));
                (expected, seen) = (0.0, 0.0);
            }
        }
        if let Some(last) = cells.last_mut() {
            last.0 += expected;
            last.1 += seen;
        }
        let statistic: f64 = cells.iter().map(|(e, s)| (s - e).powi(2) / e).sum();
        chi_square_sf(statistic, cells.len() as f64 - 1.0)
    }

    #[test]
    fn binomial_at_its_ends_is_certain() {
        let mut stream = Seed(1).stream(0);
        assert_eq!([stream.binomial(0, 0.5), stream.binomial(9, 0.0), stream.binomial(9, 1.0)], [0, 0, 9]);
        assert_eq!(stream.binomial(9, f64::NAN), 0);
    }
}
