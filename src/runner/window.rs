//! How many questions one judge may have open, and when it must hold back. Pure: the time since the start comes in.
//!
//! One question goes first: a wrong key or an unknown model then costs one call, not one an item. Once it was understood
//! the window opens at [`FIRST`] and grows by one with every answer, so it doubles each round trip, until the server
//! limits the rate for the first time; from there by one a round trip. A limit halves it, once for all the calls that were
//! under way when it came (an epoch): they say nothing about the window that followed.

use std::time::Duration;

/// The first window: what every server stands, and few ask for less.
const FIRST: usize = 8;

/// The open questions of one judge: in flight, or put off until their next try.
#[derive(Debug)]
pub(super) struct Window {
    most: usize,
    size: f64,
    open: usize,
    is_proven: bool,
    is_slow_start: bool,
    epoch: u64,
    fruitless: u32,
    paused_until: Duration,
}

impl Window {
    /// At most `most` questions at a time; none means one.
    pub fn new(most: usize) -> Self {
        let most = most.max(1);
        Self {
            most,
            size: most.min(FIRST) as f64,
            open: 0,
            is_proven: false,
            is_slow_start: true,
            epoch: 0,
            fruitless: 0,
            paused_until: Duration::ZERO,
        }
    }

    /// Questions that may be open now.
    pub fn size(&self) -> usize {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // from 1 to `most`
        let size = self.size as usize;
        if self.is_proven { size } else { 1 }
    }

    /// True when no further question may be opened before another is closed.
    pub fn is_full(&self) -> bool {
        self.open >= self.size()
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

    /// The stamp of a call that is sent now.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// The endpoint understood a request.
    pub fn prove(&mut self) {
        self.is_proven = true;
        self.fruitless = 0;
    }

    /// It answered one: there may be room for more.
    pub fn succeeded(&mut self) {
        self.prove();
        self.size = (self.size + if self.is_slow_start { 1.0 } else { 1.0 / self.size }).min(self.most as f64);
    }

    /// The server limits the rate. For the first such answer to a call of this epoch: how many epochs in a row went without
    /// an answer, this one included. `None` for one that was on its way before the window last shrank.
    pub fn limited(&mut self, sent_in: u64) -> Option<u32> {
        if sent_in < self.epoch {
            return None;
        }
        self.epoch += 1;
        self.is_slow_start = false;
        self.size = (self.size / 2.0).max(1.0);
        self.fruitless += 1;
        Some(self.fruitless)
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

    fn fill(window: &mut Window) -> usize {
        let mut opened = 0;
        while !window.is_full() {
            window.started();
            opened += 1;
        }
        opened
    }

    /// One round trip in which all open calls are answered.
    fn answered(window: &mut Window) {
        for _ in 0..fill(window) {
            window.ended();
            window.succeeded();
        }
    }

    #[test]
    fn one_question_goes_first_and_the_others_follow_once_it_was_understood() {
        let mut window = Window::new(3);
        assert_eq!(fill(&mut window), 1);
        window.ended();
        window.prove();
        assert_eq!(fill(&mut window), 3);
    }

    #[test]
    fn the_window_doubles_each_round_trip_until_the_first_limit_and_grows_by_one_afterwards() {
        let mut window = Window::new(1000);
        answered(&mut window);
        let mut sizes = Vec::new();
        for _ in 0..4 {
            sizes.push(window.size());
            answered(&mut window);
        }
        assert_eq!(sizes, [9, 18, 36, 72]);
        assert_eq!(window.limited(window.epoch()), Some(1));
        assert_eq!(window.size(), 72);
        answered(&mut window);
        let after = window.size();
        answered(&mut window);
        assert!((72..=73).contains(&after) && window.size() <= after + 1, "{after} {}", window.size());
    }

    #[test]
    fn it_never_grows_beyond_the_most_nor_shrinks_below_one() {
        let mut window = Window::new(12);
        for _ in 0..100 {
            window.succeeded();
        }
        assert_eq!(window.size(), 12);
        for n in 1..=20 {
            assert_eq!(window.limited(window.epoch()), Some(n));
        }
        assert_eq!(window.size(), 1);
        assert_eq!(fill(&mut Window::new(0)), 1);
    }

    #[test]
    fn calls_that_were_under_way_when_the_window_shrank_do_not_shrink_it_again() {
        let mut window = Window::new(64);
        for _ in 0..100 {
            window.succeeded();
        }
        let sent = window.epoch();
        assert_eq!(window.limited(sent), Some(1));
        for _ in 0..63 {
            assert_eq!(window.limited(sent), None);
        }
        assert_eq!(window.size(), 32);
        assert_eq!(window.limited(window.epoch()), Some(2));
        assert_eq!(window.size(), 16);
        window.succeeded();
        assert_eq!(window.limited(window.epoch()), Some(1), "an answer between them ends the row");
    }

    #[test]
    fn a_pause_holds_until_its_longest_end() {
        let mut window = Window::new(3);
        window.pause(SECOND * 9);
        window.pause(SECOND * 4);
        assert_eq!(window.pause_at(SECOND * 5), Some(SECOND * 9));
        assert_eq!(window.pause_at(SECOND * 9), None);
    }
}
