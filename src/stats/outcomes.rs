//! What do pairs judged in both orders say together? The rates of the eight outcomes.

use super::binomial::binomial_test;
use super::classify::Share;

/// Counts of the outcomes of pairs judged in both orders; `x` and `y` are the two sides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OutcomeCounts {
    /// Both orders name `x`.
    pub x_wins: u64,
    /// Both orders name `y`.
    pub y_wins: u64,
    /// Both orders say tie.
    pub tie: u64,
    /// One tie, one `x`.
    pub half_x: u64,
    /// One tie, one `y`.
    pub half_y: u64,
    /// Both orders name whatever was shown first.
    pub flip_first: u64,
    /// Both orders name whatever was shown second.
    pub flip_second: u64,
    /// At least one order has no verdict.
    pub invalid: u64,
}

impl OutcomeCounts {
    /// Pairs with both verdicts: the denominator of every rate.
    pub fn valid(&self) -> u64 {
        self.x_wins + self.y_wins + self.tie + self.half_x + self.half_y + self.flip_first + self.flip_second
    }

    /// All pairs.
    pub fn total(&self) -> u64 {
        self.valid() + self.invalid
    }

    /// Four times the sum of the graded scores of `x`: 1 for a win, ¾ and ¼ for halves, ½ for ties and flips. Divide by
    /// `4·valid`.
    ///
    /// An additive effect of position cancels in it. Source: Zheng et al. 2023, arXiv 2306.05685 (both orders), graded.
    pub fn score_quarters(&self) -> u64 {
        4 * self.x_wins + 3 * self.half_x + self.half_y + 2 * (self.tie + self.flip_first + self.flip_second)
    }

    /// Twice the sum of the scores of `x` where only agreement of both orders is a win. Divide by `2·valid`.
    pub fn win_halves(&self) -> u64 {
        self.valid() + self.x_wins - self.y_wins
    }

    /// Wins of `x` among the pairs that either side won in both orders.
    pub fn decisive(&self) -> Share {
        Share { k: self.x_wins, n: self.x_wins + self.y_wins }
    }

    /// Pairs that either side won in both orders, among the valid ones.
    pub fn decisive_coverage(&self) -> Share {
        Share { k: self.x_wins + self.y_wins, n: self.valid() }
    }

    /// Pairs on which both orders agree, among the valid ones.
    pub fn consistency(&self) -> Share {
        Share { k: self.x_wins + self.y_wins + self.tie, n: self.valid() }
    }

    /// Pairs on which the verdict followed the position, among the valid ones.
    pub fn flip_rate(&self) -> Share {
        Share { k: self.flip_first + self.flip_second, n: self.valid() }
    }

    /// Flips towards the first position, among the flips.
    pub fn flip_first_share(&self) -> Share {
        Share { k: self.flip_first, n: self.flip_first + self.flip_second }
    }

    /// Exact two-sided p-value of "flips go either way equally often": the test for the existence of position bias. No
    /// flip: 1.
    pub fn flip_direction_p(&self) -> f64 {
        let Share { k, n } = self.flip_first_share();
        binomial_test(k, n, 0.5)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_judge_that_always_says_first_decides_nothing() {
        let counts = OutcomeCounts { flip_first: 10, ..OutcomeCounts::default() };
        assert_eq!((counts.score_quarters(), counts.win_halves()), (20, 10));
        assert_eq!(counts.decisive(), Share { k: 0, n: 0 });
        assert_eq!(counts.flip_rate(), Share { k: 10, n: 10 });
        assert_eq!(counts.consistency(), Share { k: 0, n: 10 });
        assert!((counts.flip_direction_p() - 2.0 / 1024.0).abs() < 1e-12);
        assert_eq!(OutcomeCounts::default().flip_direction_p(), 1.0);
    }

    #[test]
    fn halves_count_three_quarters_and_invalid_pairs_not_at_all() {
        let counts =
            OutcomeCounts { x_wins: 3, y_wins: 1, half_x: 2, half_y: 1, invalid: 4, ..OutcomeCounts::default() };
        assert_eq!((counts.valid(), counts.total()), (7, 11));
        assert_eq!(counts.score_quarters(), 12 + 6 + 1);
        assert_eq!(counts.win_halves(), 2 * 3 + 3);
        assert_eq!(counts.decisive_coverage(), Share { k: 4, n: 7 });
    }
}
