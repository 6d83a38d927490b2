//! A linear axis with round ticks.

use crate::report::format::Unit;

use super::svg::round;

/// A range with its ticks.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::report) struct Axis {
    low: f64,
    high: f64,
    ticks: Vec<f64>,
}

impl Axis {
    /// The smallest range of round ticks that holds all values; shares stay within 0..=1, and what is nearer to an
    /// end of the scale than half the range starts at that end.
    pub(in crate::report) fn around(values: impl IntoIterator<Item = f64>, unit: Unit) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.into_iter().filter(|value| value.is_finite()) {
            low = low.min(value);
            high = high.max(value);
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        let span = (high - low).max(0.02);
        match unit {
            Unit::Share => {
                low = if low < span { 0.0 } else { (low - 0.06 * span).max(0.0) };
                high = if 1.0 - high < span / 2.0 { 1.0 } else { (high + 0.06 * span).min(1.0) };
            }
            Unit::Points => (low, high) = ((low - 0.06 * span).min(0.0), (high + 0.06 * span).max(0.0)),
            Unit::Coefficient => {
                low = (low - 0.06 * span).min(0.0);
                high = if high > 0.5 { 1.0 } else { high + 0.06 * span };
            }
            Unit::Count | Unit::Plain => (low, high) = (low.min(0.0), high + 0.06 * span),
        }
        Self::ticked(low, high)
    }

    /// A range whose ends are round.
    pub(in crate::report) fn between(low: f64, high: f64) -> Self {
        Self::ticked(low, high)
    }

    fn ticked(low: f64, high: f64) -> Self {
        let rough = (high - low) / 5.0;
        let power = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 2.5, 5.0, 10.0].map(|factor| factor * power);
        let step = step.into_iter().find(|step| *step >= rough * 0.999).unwrap_or(10.0 * power);
        let first = (low / step + 1e-9).floor();
        let last = (high / step - 1e-9).ceil();
        let mut ticks = Vec::new();
        let mut index = first;
        while index <= last && ticks.len() < 12 {
            ticks.push(index * step);
            index += 1.0;
        }
        Self { low: first * step, high: last * step, ticks }
    }

    /// The place of a value, in percent of the width.
    pub(super) fn at(&self, value: f64) -> f64 {
        round((value - self.low) / (self.high - self.low) * 100.0)
    }

    pub(super) fn ticks(&self) -> &[f64] {
        &self.ticks
    }

    /// The value behind both ends.
    pub(super) fn ends(&self) -> [f64; 2] {
        [self.low, self.high]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_lies_on_the_axis_and_the_ticks_are_round() {
        for (values, unit) in [
            ([0.61, 0.97], Unit::Share),
            ([0.0, 0.012], Unit::Share),
            ([-0.31, 0.42], Unit::Points),
            ([0.2, 0.93], Unit::Coefficient),
            ([0.5, 0.5], Unit::Share),
        ] {
            let axis = Axis::around(values, unit);
            for value in values {
                assert!((0.0..=100.0).contains(&axis.at(value)), "{value} on {axis:?}");
            }
            assert!((3..=12).contains(&axis.ticks().len()), "{axis:?}");
            assert_eq!(axis.at(axis.ticks()[0]), 0.0, "the axis starts at a tick");
        }
    }

    #[test]
    fn shares_never_leave_zero_to_one() {
        let axis = Axis::around([0.02, 1.0], Unit::Share);
        assert_eq!(axis.ends(), [0.0, 1.0]);
    }
}
