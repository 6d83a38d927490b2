//! When a run that nobody watches says how far it is, and in which words. The time is handed in.

use std::time::Duration;

/// A log that stands still for longer looks dead.
const SILENCE: Duration = Duration::from_secs(30);
/// So many lines come at that pace; behind them the pace halves with every few, so that a run of a night does not fill a log.
const STEADY: u32 = 10;
/// Lines before the pace halves again.
const BEFORE_SLOWER: u32 = 3;
/// Lines by the clock in one run at most; those at each tenth come on top.
const MOST: u32 = 30;
/// Fewer tell nothing at a tenth.
const TENTHS_FROM: u64 = 10;
/// The rate of the first seconds foretells nothing.
const FORETELLS: Duration = Duration::from_secs(10);

/// How far a run is, and when that was said last.
#[derive(Debug)]
pub(super) struct Pace {
    what: String,
    total: u64,
    done: u64,
    failed: u64,
    /// When the last line was said, from the begin of the run.
    said: Duration,
    /// Lines by the clock so far.
    by_clock: u32,
}

impl Pace {
    pub fn new(what: &str, total: u64) -> Self {
        Self { what: what.to_owned(), total, done: 0, failed: 0, said: Duration::ZERO, by_clock: 0 }
    }

    /// So many steps further; a line at each tenth.
    pub fn step(&mut self, steps: u64, at: Duration) -> Option<String> {
        let tenth = |done: u64| done.saturating_mul(10) / self.total.max(1);
        let before = tenth(self.done);
        self.done += steps;
        (self.total >= TENTHS_FROM && tenth(self.done) > before).then(|| self.line(at))
    }

    /// One more that came to nothing; it is a step of its own.
    pub fn failed(&mut self) {
        self.failed += 1;
    }

    /// A line where the last one is too long ago.
    pub fn tick(&mut self, at: Duration) -> Option<String> {
        (at >= self.due()?).then(|| {
            self.by_clock += 1;
            self.line(at)
        })
    }

    /// When the next line by the clock is due; `None` where there is none any more.
    pub fn due(&self) -> Option<Duration> {
        let slower = (self.by_clock + 1).saturating_sub(STEADY).div_ceil(BEFORE_SLOWER);
        (self.by_clock < MOST && self.done < self.total).then(|| self.said + SILENCE * 2_u32.pow(slower))
    }

    /// How many came to nothing, where any did: ` · 2 failed`.
    pub fn failures(&self) -> String {
        if self.failed == 0 { String::new() } else { format!(" · {} failed", self.failed) }
    }

    fn line(&mut self, at: Duration) -> String {
        self.said = at;
        let left = self.left(at).map_or_else(String::new, |left| format!(" · about {} left", spoken(left)));
        format!("{}: {} of {}{}{left}", self.what, self.done, self.total, self.failures())
    }

    /// The time left at the rate so far.
    fn left(&self, at: Duration) -> Option<Duration> {
        if at < FORETELLS || self.done == 0 || self.done >= self.total {
            return None;
        }
        let seconds = at.as_secs_f64() / self.done as f64 * (self.total - self.done) as f64;
        Duration::try_from_secs_f64(seconds).ok()
    }
}

/// A time as people say it: `45 s`, `12 min`, `3 h 20 min`.
pub(super) fn spoken(time: Duration) -> String {
    let seconds = time.as_secs() + u64::from(time.subsec_nanos() > 0);
    let minutes = seconds.div_ceil(60);
    match seconds {
        0..=90 => format!("{seconds} s"),
        91..=5400 => format!("{minutes} min"),
        _ => format!("{} h {} min", minutes / 60, minutes % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// Every line of a run that makes a step each so many seconds, looked at once a second.
    fn lines(total: u64, seconds_a_step: u64) -> Vec<(u64, String)> {
        let mut pace = Pace::new("m", total);
        let mut said = Vec::new();
        for second in 1..=total * seconds_a_step {
            let line = if second % seconds_a_step == 0 { pace.step(1, s(second)) } else { None };
            said.extend(line.or_else(|| pace.tick(s(second))).map(|line| (second, line)));
        }
        said
    }

    #[test]
    fn a_slow_run_is_never_silent_for_long_and_says_what_is_left() {
        let said = lines(12, 20);
        let mut before = 0;
        for (second, line) in &said {
            assert!(second - before <= 30, "{said:?}");
            assert!(*second == 240 || line.ends_with(" left"), "{line}");
            before = *second;
        }
        assert_eq!(said[0], (30, "m: 1 of 12 · about 6 min left".to_owned()));
    }

    #[test]
    fn a_run_that_gets_no_answer_at_all_says_so_all_the_same() {
        let mut pace = Pace::new("m", 4);
        assert_eq!(pace.tick(s(29)), None);
        assert_eq!(pace.tick(s(30)).as_deref(), Some("m: 0 of 4"));
        pace.failed();
        assert_eq!(pace.step(1, s(40)), None, "four have no tenths");
        assert_eq!(pace.tick(s(60)).as_deref(), Some("m: 1 of 4 · 1 failed · about 3 min left"));
    }

    #[test]
    fn no_run_fills_a_log_however_long_it_takes() {
        for (total, seconds_a_step) in [(100, 1), (1000, 3), (2000, 60), (3, 100_000), (100_000, 10)] {
            let said = lines(total, seconds_a_step).len();
            assert!(said <= 40, "{total} steps of {seconds_a_step} s: {said} lines");
        }
    }

    #[test]
    fn a_quick_run_says_its_tenths_alone() {
        let mut pace = Pace::new("m", 60);
        let said: Vec<_> = (0..60).filter_map(|_| pace.step(1, s(1))).collect();
        assert_eq!((said.len(), said[0].as_str(), said[9].as_str()), (10, "m: 6 of 60", "m: 60 of 60"));
        assert_eq!(pace.due(), None, "nothing is due behind the last");
    }

    #[test]
    fn times_are_said_as_people_say_them() {
        let said = [0, 1, 90, 91, 3600, 5401, 86_400].map(|seconds| spoken(s(seconds)));
        assert_eq!(said, ["0 s", "1 s", "90 s", "2 min", "60 min", "1 h 31 min", "24 h 0 min"]);
    }
}
