//! The time of day, from one place. `SOURCE_DATE_EPOCH` fixes it, so that equal inputs give equal bytes.

use std::time::{Duration, Instant};

use jiff::fmt::temporal::DateTimePrinter;
use jiff::{SignedDuration, Timestamp};

use super::exit::CliError;

/// Tells the time as RFC 3339 in UTC, to the second.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    fixed: Option<Timestamp>,
}

impl Clock {
    /// A clock fixed at `source_date_epoch` (seconds), or running.
    pub fn new(source_date_epoch: Option<&str>) -> Result<Self, CliError> {
        let fixed = source_date_epoch
            .map(|text| {
                let seconds = text.trim().parse::<i64>().ok();
                seconds.and_then(|seconds| Timestamp::from_second(seconds).ok()).ok_or_else(|| {
                    CliError::usage(format!("SOURCE_DATE_EPOCH is `{text}`, wanted: seconds since 1970-01-01"))
                        .hint("unset SOURCE_DATE_EPOCH, or set it to a whole number")
                })
            })
            .transpose()?;
        Ok(Self { fixed })
    }

    fn timestamp(self) -> Timestamp {
        self.fixed.unwrap_or_else(Timestamp::now)
    }

    /// Now.
    pub fn now(self) -> String {
        text(self.timestamp())
    }

    /// Milliseconds since 1970: for how long something took.
    pub fn milliseconds(self) -> i64 {
        self.timestamp().as_millisecond()
    }

    /// So many days from now.
    pub fn in_days(self, days: i64) -> String {
        text(
            self.timestamp().saturating_add(SignedDuration::from_hours(days * 24)).unwrap_or_else(|_| self.timestamp()),
        )
    }
}

/// Tells how long something takes. No result depends on it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stopwatch(Instant);

impl Stopwatch {
    #[allow(clippy::disallowed_methods, reason = "this file tells the time")]
    pub fn begin() -> Self {
        Self(Instant::now())
    }

    pub fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}

fn text(timestamp: Timestamp) -> String {
    DateTimePrinter::new().precision(Some(0)).timestamp_to_string(&timestamp)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_fixed_clock_tells_the_fixed_time() {
        let clock = Clock::new(Some("1700000000")).unwrap();
        assert_eq!(clock.now(), "2023-11-14T22:13:20Z");
        assert_eq!(clock.in_days(30), "2023-12-14T22:13:20Z");
        assert!(Clock::new(Some("yesterday")).is_err());
    }
}
