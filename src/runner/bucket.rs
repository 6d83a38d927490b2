//! A token bucket: so much a minute, evenly, with little to spend at once. Pure: the time since the start comes in.

use std::time::Duration;

/// Something that is used up by calls and flows back with time: requests, or model tokens.
#[derive(Debug)]
pub(super) struct Bucket {
    capacity: f64,
    per_second: f64,
    level: f64,
    at: Duration,
}

impl Bucket {
    /// Holds one second's worth, at least 1. It refills a little slower than the limit says: a full bucket and a minute's
    /// refill together are what a minute may see, less a thousandth for the rounding of clocks.
    pub fn new(per_minute: f64) -> Self {
        let capacity = (per_minute / 60.0).max(1.0);
        // The last of a minute's refill is whole only when the minute is over, hence the 1.
        let per_second = (per_minute - (capacity - 1.0)) / 60.0 * 0.999;
        Self { capacity, per_second, level: capacity, at: Duration::ZERO }
    }

    /// When `amount` may be taken: at once, or after a wait. What is larger than the bucket goes when it is full.
    pub fn ready_at(&self, now: Duration, amount: f64) -> Duration {
        let lacking = amount.min(self.capacity) - self.level_at(now);
        // A hair's breadth of rounding must not turn into a wait of nothing, over and over.
        if lacking <= 1e-9 {
            return now;
        }
        now + Duration::from_secs_f64((lacking / self.per_second).clamp(1e-6, 1e6))
    }

    /// Takes it; what is larger than the bucket leaves a debt.
    pub fn take(&mut self, now: Duration, amount: f64) {
        self.level = self.level_at(now) - amount;
        self.at = now;
    }

    /// What was taken by estimate turned out to be something else.
    pub fn correct(&mut self, now: Duration, taken: f64, used: f64) {
        self.level = (self.level_at(now) + taken - used).min(self.capacity);
        self.at = now;
    }

    fn level_at(&self, now: Duration) -> f64 {
        let flowed = now.saturating_sub(self.at).as_secs_f64() * self.per_second;
        (self.level + flowed).min(self.capacity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The moments, in seconds, at which greedy callers of these amounts get through.
    fn moments(per_minute: f64, amounts: &[f64]) -> Vec<f64> {
        let mut bucket = Bucket::new(per_minute);
        let mut now = Duration::ZERO;
        let taken = amounts.iter().map(|amount| {
            while bucket.ready_at(now, *amount) > now {
                now = bucket.ready_at(now, *amount);
            }
            bucket.take(now, *amount);
            now.as_secs_f64()
        });
        taken.collect()
    }

    fn most_in_a_minute(moments: &[f64], amounts: &[f64]) -> f64 {
        let window = |start: f64| {
            let inside = moments.iter().zip(amounts).filter(|(at, _)| **at >= start && **at < start + 60.0);
            inside.map(|(_, amount)| amount).sum::<f64>()
        };
        moments.iter().map(|start| window(*start)).fold(0.0, f64::max)
    }

    #[test]
    fn no_minute_sees_more_requests_than_allowed_and_hardly_fewer() {
        for count in [1_u16, 7, 60, 61, 100, 500, 3000] {
            let (per_minute, ones) = (f64::from(count), vec![1.0; usize::from(count) * 3 + 3]);
            let moments = moments(per_minute, &ones);
            let most = most_in_a_minute(&moments, &ones);
            assert!(most <= per_minute && most >= per_minute * 0.95, "{most} of {per_minute}");
        }
    }

    #[test]
    fn no_minute_sees_more_tokens_than_allowed_while_requests_fit_the_bucket() {
        let amounts: Vec<f64> = (0..4000).map(|n| f64::from(50 + n * 37 % 400)).collect();
        let moments = moments(60_000.0, &amounts);
        let most = most_in_a_minute(&moments, &amounts);
        assert!((57_000.0..=60_001.0).contains(&most), "{most}");
    }

    #[test]
    fn what_is_larger_than_the_bucket_goes_when_it_is_full_and_is_paid_off_afterwards() {
        let moments = moments(600.0, &[100.0, 1.0]);
        assert!(moments[0] == 0.0 && (9.0..=10.0).contains(&moments[1]), "{moments:?}");
    }

    #[test]
    fn a_wrong_estimate_is_put_right() {
        let mut bucket = Bucket::new(6000.0);
        bucket.take(Duration::ZERO, 100.0);
        assert!(bucket.ready_at(Duration::ZERO, 100.0) > Duration::from_millis(900));
        bucket.correct(Duration::ZERO, 100.0, 0.0);
        assert_eq!(bucket.ready_at(Duration::ZERO, 100.0), Duration::ZERO);
        bucket.correct(Duration::ZERO, 0.0, 200.0);
        assert!(bucket.ready_at(Duration::ZERO, 1.0) > Duration::from_secs(1));
    }
}
