//! How many questions one judge may have open, and when it must hold back. Pure: the time since the start comes in.
//!
//! One question goes first: a wrong key or an unknown model then costs one call, not one an item. Once it was understood
//! the window opens at [`FIRST`] and grows by one with every answer, so it doubles each round trip, until the server
//! limits the rate for the first time; from there by one a round trip. A limit halves it, once for all the calls that were
//! under way when it came (an epoch): they say nothing about the window that followed. Where answers are so quick that a
//! window cannot keep the rate, calls are spread in time as well.

use std::time::Duration;

/// The first window: what every server stands, and few ask for less.
const FIRST: usize = 8;

/// A pace grows by so much of itself a second, in search of the limit.
const GROWTH: f64 = 0.05;
/// Timers are no finer than this, so a call that comes late may be made up for.
const SLACK: Duration = Duration::from_millis(5);

/// Calls a second that a server turned out to stand.
#[derive(Debug)]
struct Pace {
    per_second: f64,
    since: Duration,
    next: Duration,
}

impl Pace {
    /// The limit lies between what got through of the whole time and what got through of the time at work, which may have
    /// been a burst: their geometric mean closes in on it from both sides.
    fn between(answered: u32, worked: Duration, wait: Duration, before: Option<&Self>, now: Duration) -> Option<Self> {
        let worked = worked.max(Duration::from_millis(1)).as_secs_f64();
        let before = before.map(|pace| pace.rate(now));
        let per_second = if answered == 0 {
            before? / 2.0
        } else {
            let at_work = f64::from(answered) / worked;
            let in_all = f64::from(answered) / (worked + wait.as_secs_f64());
            (in_all * before.map_or(at_work, |before| before.min(at_work))).sqrt()
        };
        Some(Self { per_second, since: now + wait, next: Duration::ZERO })
    }

    fn rate(&self, now: Duration) -> f64 {
        self.per_second * (GROWTH * now.saturating_sub(self.since).as_secs_f64()).exp()
    }

    fn sent(&mut self, now: Duration) {
        let step = Duration::from_secs_f64((1.0 / self.rate(now)).clamp(0.0, 60.0));
        self.next = self.next.max(now.saturating_sub(SLACK)) + step;
    }
}

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
    /// Answers since the last pause.
    answered: u32,
    pace: Option<Pace>,
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
            answered: 0,
            pace: None,
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
        self.answered += 1;
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

    /// An epoch ends with a pause. A lane that has rested before and rests longer than it worked meets a limit of the rate
    /// that no smaller window keeps (answers are too quick), so from then on its calls are spread.
    pub fn rest(&mut self, now: Duration, wait: Duration) {
        let has_rested = self.paused_until > Duration::ZERO;
        let worked = now.saturating_sub(self.paused_until);
        if has_rested && (self.pace.is_some() || worked < wait) {
            self.pace = Pace::between(self.answered, worked, wait, self.pace.as_ref(), now);
        }
        self.answered = 0;
        self.pause(now + wait);
    }

    /// When the next call may be sent as far as its pace goes.
    pub fn slot_at(&self, now: Duration) -> Duration {
        self.pace.as_ref().map_or(now, |pace| pace.next.max(now))
    }

    /// A call is sent.
    pub fn sent(&mut self, now: Duration) {
        if let Some(pace) = &mut self.pace {
            pace.sent(now);
        }
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

    /// A server that allows so many a second, with bursts, and answers within a millisecond; the share of the limit that
    /// gets through in a minute.
    fn share_of(rate: f64, burst: f64, wait: Duration) -> f64 {
        let (mut window, mut level, mut now, mut got) = (Window::new(256), burst, Duration::ZERO, 0_u32);
        let step = Duration::from_millis(1);
        window.prove();
        while now < SECOND * 60 {
            now = (now + step).max(window.pause_at(now).unwrap_or_default());
            level = f64::min(level + rate / 1000.0, burst);
            let sent_in = window.epoch();
            for _ in 0..window.size() {
                if window.slot_at(now) > now || window.pause_at(now).is_some() {
                    break;
                }
                window.sent(now);
                if level >= 1.0 {
                    level -= 1.0;
                    got += 1;
                    window.succeeded();
                } else if window.limited(sent_in).is_some() {
                    window.rest(now, wait);
                    level = f64::min(level + rate * wait.as_secs_f64(), burst);
                }
            }
        }
        f64::from(got) / (rate * 60.0)
    }

    #[test]
    fn quick_answers_and_small_bursts_still_leave_more_than_half_of_the_allowed_rate() {
        for (rate, burst) in [(200.0, 20.0), (200.0, 200.0), (50.0, 50.0), (20.0, 1.0), (1000.0, 10.0)] {
            for wait in [300, 1250] {
                let share = share_of(rate, burst, Duration::from_millis(wait));
                assert!(share > 0.5, "{share:.2} of {rate} a second with bursts of {burst} and pauses of {wait} ms");
            }
        }
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
