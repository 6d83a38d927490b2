//! When to try again. Pure: no clock, and the jitter is drawn from the request's own key, so a run can be repeated exactly.

use std::time::Duration;

use crate::domain::{Digest, RequestKey};
use crate::judge::CallClass;

/// How failed calls are repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Tries in all, the first included.
    pub tries: u32,
    /// Back-off before the second try; doubles with each further one, and half of it is jitter.
    pub first_delay: Duration,
    /// The back-off never grows beyond this.
    pub longest_delay: Duration,
    /// A server that asks for a longer wait than this ends the run, which can be resumed then: neither waiting for hours in
    /// silence nor asking earlier than told would be right.
    pub longest_wait: Duration,
    /// Seed of the jitter.
    pub seed: u64,
}

impl Default for RetryPolicy {
    /// Seven tries over about half a minute; waits of up to five minutes where the server asks for them.
    fn default() -> Self {
        Self {
            tries: 7,
            first_delay: Duration::from_millis(500),
            longest_delay: Duration::from_secs(30),
            longest_wait: Duration::from_mins(5),
            seed: 0,
        }
    }
}

/// What to do after a failed try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// Try again after this wait.
    Again(Duration),
    /// No further try.
    GiveUp,
    /// The server asks for a wait that is too long to sit out.
    ComeBack(Duration),
}

impl RetryPolicy {
    /// The decision after `failures` failed tries (this one included) of the request with `key`.
    pub(super) fn after(&self, class: &CallClass, failures: u32, key: &RequestKey) -> Next {
        let asked = match class {
            CallClass::Item | CallClass::Setup => return Next::GiveUp,
            CallClass::Retry(asked) | CallClass::RateLimited(asked) => *asked,
        };
        if let Some(wait) = asked.filter(|wait| *wait > self.longest_wait) {
            return Next::ComeBack(wait);
        }
        if failures >= self.tries {
            return Next::GiveUp;
        }
        let back_off = self.back_off(failures, key);
        // Never earlier than the server asks, and not all at once when it asks the same of everybody.
        let told = asked.map(|wait| wait + self.first_delay.mul_f64(self.jitter(failures, key)));
        Next::Again(told.map_or(back_off, |told| told.max(back_off)))
    }

    /// Exponential, with equal jitter: half of the delay is certain, half is drawn.
    fn back_off(&self, failures: u32, key: &RequestKey) -> Duration {
        let doublings = failures.saturating_sub(1).min(30);
        let whole = self.first_delay.saturating_mul(1 << doublings).min(self.longest_delay);
        (whole / 2).saturating_add((whole / 2).mul_f64(self.jitter(failures, key)))
    }

    /// A number in 0..1 that depends on seed, key and try alone.
    fn jitter(&self, failures: u32, key: &RequestKey) -> f64 {
        let seed = self.seed.to_le_bytes();
        let failures = failures.to_le_bytes();
        let digest = Digest::of_parts([seed.as_slice(), key.0.bytes(), failures.as_slice()]);
        let head = digest.bytes().first_chunk::<4>().map_or(0, |bytes| u32::from_le_bytes(*bytes));
        f64::from(head) / (f64::from(u32::MAX) + 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn key(n: u8) -> RequestKey {
        RequestKey(Digest::of(&[n]))
    }

    fn wait(next: Next) -> Duration {
        match next {
            Next::Again(wait) => wait,
            other => panic!("no further try: {other:?}"),
        }
    }

    #[test]
    fn the_back_off_doubles_within_its_jitter_up_to_the_longest() {
        let policy = RetryPolicy { tries: 100, ..RetryPolicy::default() };
        for failures in 1..20 {
            let whole = (policy.first_delay * 2_u32.pow(failures - 1)).min(policy.longest_delay);
            for n in 0..50 {
                let wait = wait(policy.after(&CallClass::Retry(None), failures, &key(n)));
                assert!(wait >= whole / 2 && wait <= whole, "{failures}: {wait:?} of {whole:?}");
            }
        }
    }

    #[test]
    fn requests_that_failed_together_do_not_come_back_together() {
        let policy = RetryPolicy::default();
        for class in [CallClass::Retry(None), CallClass::RateLimited(Some(SECOND))] {
            let mut waits: Vec<_> = (0..50).map(|n| wait(policy.after(&class, 1, &key(n)))).collect();
            waits.sort();
            waits.dedup();
            assert!(waits.len() > 45, "{} different waits of 50", waits.len());
        }
    }

    #[test]
    fn the_same_seed_waits_the_same_and_another_does_not() {
        let policy = RetryPolicy::default();
        let other = RetryPolicy { seed: 1, ..RetryPolicy::default() };
        let class = CallClass::Retry(None);
        assert_eq!(policy.after(&class, 1, &key(1)), policy.clone().after(&class, 1, &key(1)));
        assert_ne!(policy.after(&class, 1, &key(1)), other.after(&class, 1, &key(1)));
    }

    #[test]
    fn nobody_comes_back_earlier_than_the_server_asks() {
        let policy = RetryPolicy::default();
        for class in [CallClass::RateLimited(Some(SECOND * 20)), CallClass::Retry(Some(SECOND * 20))] {
            for n in 0..50 {
                assert!(wait(policy.after(&class, 1, &key(n))) >= SECOND * 20);
            }
        }
        // A wait of nothing does not switch the back-off off.
        assert!(wait(policy.after(&CallClass::RateLimited(Some(Duration::ZERO)), 3, &key(1))) >= SECOND);
    }

    #[test]
    fn a_wait_of_hours_is_not_sat_out() {
        let hours = SECOND * 7200;
        let next = RetryPolicy::default().after(&CallClass::RateLimited(Some(hours)), 1, &key(1));
        assert_eq!(next, Next::ComeBack(hours));
    }

    #[test]
    fn tries_are_counted_and_what_cannot_work_is_not_tried_again() {
        let policy = RetryPolicy { tries: 3, ..RetryPolicy::default() };
        assert!(matches!(policy.after(&CallClass::Retry(None), 2, &key(1)), Next::Again(_)));
        assert_eq!(policy.after(&CallClass::Retry(None), 3, &key(1)), Next::GiveUp);
        assert_eq!(policy.after(&CallClass::RateLimited(None), 3, &key(1)), Next::GiveUp);
        assert_eq!(policy.after(&CallClass::Item, 1, &key(1)), Next::GiveUp);
        assert_eq!(policy.after(&CallClass::Setup, 1, &key(1)), Next::GiveUp);
    }
}
