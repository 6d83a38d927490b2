//! How many questions one judge may have open, and when it must hold back. Pure: the time since the start comes in.

use std::time::Duration;

/// The open questions of one judge: in flight, or put off until their next try.
#[derive(Debug)]
pub(super) struct Throttle {
    most: usize,
    open: usize,
    proven: bool,
    paused_until: Duration,
}

impl Throttle {
    /// At most `most` questions at a time, and one alone until the endpoint has understood one: a wrong key or an unknown
    /// model then costs one call, not one an item.
    pub fn new(most: usize) -> Self {
        Self { most: most.max(1), open: 0, proven: false, paused_until: Duration::ZERO }
    }

    /// True when no further question may be opened before another is closed.
    pub fn is_full(&self) -> bool {
        self.open >= if self.proven { self.most } else { 1 }
    }

    /// The end of the pause that holds at `now`, if one does.
    pub fn pause_at(&self, now: Duration) -> Option<Duration> {
        (now < self.paused_until).then_some(self.paused_until)
    }

    pub fn started(&mut self) {
        self.open += 1;
    }

    pub fn ended(&mut self) {
        self.open = self.open.saturating_sub(1);
    }

    /// The endpoint understood a request.
    pub fn prove(&mut self) {
        self.proven = true;
    }

    /// No new call before `until`; a shorter pause never ends a longer one.
    pub fn pause(&mut self, until: Duration) {
        self.paused_until = self.paused_until.max(until);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn one_question_goes_first_and_the_others_follow_once_it_was_understood() {
        let mut throttle = Throttle::new(3);
        throttle.started();
        assert!(throttle.is_full());
        throttle.ended();
        throttle.prove();
        for _ in 0..3 {
            assert!(!throttle.is_full());
            throttle.started();
        }
        assert!(throttle.is_full());
    }

    #[test]
    fn a_pause_holds_until_its_longest_end() {
        let mut throttle = Throttle::new(3);
        throttle.pause(SECOND * 9);
        throttle.pause(SECOND * 4);
        assert_eq!(throttle.pause_at(SECOND * 5), Some(SECOND * 9));
        assert_eq!(throttle.pause_at(SECOND * 9), None);
    }

    #[test]
    fn no_concurrency_means_one_at_a_time() {
        assert!(!Throttle::new(0).is_full());
    }
}
