//! Every rule for printing a number, in one place.
//!
//! Shares are percent with one decimal, two where the interval is narrower than 0.4 points; coefficients have two,
//! three where the interval is narrower than 0.02. Minus signs are real minus signs. An absence is said in words.

use crate::analysis::gate::Limit;
use crate::stats::{Estimate, Figure, Level, NotEstimable};

use super::words::{Words, fill};

/// What a figure counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// A share of 0..=1, shown as percent.
    Share,
    /// A difference of shares, shown as signed percentage points.
    Points,
    /// A coefficient such as κ.
    Coefficient,
    /// A whole number.
    Count,
    /// Anything else: cost, tokens, milliseconds.
    Plain,
}

/// The unit of a figure by its name (the last part of a dotted path decides).
pub(super) fn unit_of(name: &str) -> Unit {
    let last = name.rsplit('.').next().unwrap_or(name);
    let has = |parts: &[&str]| parts.iter().any(|part| last.contains(part));
    if has(&["kappa", "ac1", "alpha", "correlation"]) {
        Unit::Coefficient
    } else if has(&["gap", "beats", "excess", "advantage", "difference"]) {
        Unit::Points
    } else if has(&["cost", "usd", "tokens", "latency", "_ms"]) {
        Unit::Plain
    } else if has(&["labels", "classes", "gold_a", "gold_b"]) || last == "n" || last == "rows" {
        Unit::Count
    } else {
        Unit::Share
    }
}

/// A point with its interval and unit: `47.0 % [44.7, 49.4]`.
pub(super) fn estimate(estimate: &Estimate, unit: Unit) -> String {
    match interval(estimate, unit) {
        Some(bounds) => format!("{} {bounds}", point(estimate, unit)),
        None => point(estimate, unit),
    }
}

/// The point alone: `47.0 %`, `+3.1 pp`, `0.52`.
pub(super) fn point(estimate: &Estimate, unit: Unit) -> String {
    value(estimate.point, unit, decimals(estimate, unit))
}

/// A value without an interval: `85.0 %`, `+3.1 pp`, `0.52`.
pub(super) fn plain(of: f64, unit: Unit) -> String {
    let digits = match unit {
        Unit::Share | Unit::Points => 1,
        Unit::Coefficient | Unit::Plain => 2,
        Unit::Count => 0,
    };
    value(of, unit, digits)
}

/// The interval alone, without the unit: `[44.7, 49.4]`; none for a figure decided on its point.
pub(super) fn interval(estimate: &Estimate, unit: Unit) -> Option<String> {
    if estimate.method == "point" {
        return None;
    }
    let digits = decimals(estimate, unit);
    Some(format!("[{}, {}]", bare(estimate.lower, unit, digits), bare(estimate.upper, unit, digits)))
}

/// A figure, or `not estimable: reason` in words.
pub(super) fn figure(figure: &Figure, unit: Unit, words: &Words) -> String {
    match figure {
        Ok(found) => estimate(found, unit),
        Err(absence) => absent(absence, words),
    }
}

/// The same where intervals of other levels stand near: one that is not of 95 % says its own.
pub(super) fn figure_at_level(figure: &Figure, unit: Unit, words: &Words) -> String {
    let text = self::figure(figure, unit, words);
    match figure {
        Ok(found) if is_unusual(found.level) && interval(found, unit).is_some() => {
            format!("{text}{}", fill(words.at_level, &[&round_percent(found.level)]))
        }
        _ => text,
    }
}

/// Intervals are of 95 % unless they say otherwise.
fn is_unusual(level: f64) -> bool {
    (level - Level::P95.get()).abs() > 1e-9
}

/// An absence in words, with its counts where there are any.
pub(super) fn absent(absence: &NotEstimable, words: &Words) -> String {
    let reason = words.reason(absence.reason);
    match (absence.k, absence.n) {
        (Some(k), Some(n)) => format!("{}: {reason} ({} / {})", words.not_estimable, count(k), count(n)),
        (None, Some(n)) => format!("{}: {reason} (n = {})", words.not_estimable, count(n)),
        _ => format!("{}: {reason}", words.not_estimable),
    }
}

/// A limit with its unit: `≤ 20 %`, `≥ 0.40`, `> 0 pp`.
pub(super) fn limit(limit: Limit, unit: Unit) -> String {
    let (sign, at) = match limit {
        Limit::Max(at) => ("≤ ", at),
        Limit::Min(at) => ("≥ ", at),
        Limit::Above(at) => ("> ", at),
        Limit::Within(at) => ("± ", at),
    };
    let text = match unit {
        Unit::Share | Unit::Points => {
            let percent = trimmed(at * 100.0);
            format!("{percent} {}", if unit == Unit::Share { "%" } else { "pp" })
        }
        Unit::Coefficient => bare(at, unit, 2),
        Unit::Count | Unit::Plain => trimmed(at),
    };
    format!("{sign}{text}")
}

/// A share as percent with one decimal: `12.5 %`.
pub(super) fn percent(share: f64) -> String {
    value(share, Unit::Share, 1)
}

/// A share that people chose, without a decimal that says nothing: `95 %`, `97.5 %`.
pub(super) fn round_percent(share: f64) -> String {
    percent(share).replace(".0 %", " %")
}

/// `p = 0.034`, `p < 0.0001`.
pub(super) fn p_value(p: f64) -> String {
    if p < 0.0001 {
        return "p < 0.0001".to_owned();
    }
    format!("p = {}", p_digits(p))
}

/// The p-value without its letter.
pub(super) fn p_digits(p: f64) -> String {
    match p {
        p if p < 0.0001 => "< 0.0001".to_owned(),
        p if p < 0.001 => format!("{p:.4}"),
        p if p < 0.0995 => format!("{p:.3}"),
        p => format!("{p:.2}"),
    }
}

/// US dollars, with the digits that a small sum needs: `$1.50`, `$0.000420`.
pub(super) fn dollars(sum: f64) -> String {
    if sum > 0.0 && sum < 0.01 { format!("${sum:.6}") } else { format!("${sum:.2}") }
}

/// A count with separators: `1,814`.
pub(super) fn count(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A whole number with its sign and separators: `−1,204`.
pub(super) fn whole(number: i64) -> String {
    let digits = count(number.unsigned_abs());
    if number < 0 { format!("−{digits}") } else { digits }
}

/// A measured quantity with one decimal: `−311.2`.
pub(super) fn decimal(number: f64) -> String {
    bare(number, Unit::Plain, 1)
}

/// A coefficient with two decimals: `−0.09`.
pub(super) fn coefficient(number: f64) -> String {
    bare(number, Unit::Coefficient, 2)
}

fn decimals(estimate: &Estimate, unit: Unit) -> usize {
    let width = estimate.upper - estimate.lower;
    let narrow = |limit: f64| width > 0.0 && width < limit;
    match unit {
        Unit::Share | Unit::Points => 1 + usize::from(narrow(0.004)),
        Unit::Coefficient => 2 + usize::from(narrow(0.02)),
        Unit::Count => 0,
        Unit::Plain => 2,
    }
}

fn value(value: f64, unit: Unit, digits: usize) -> String {
    let number = bare(value, unit, digits);
    match unit {
        Unit::Share => format!("{number} %"),
        Unit::Points => format!("{number} pp"),
        Unit::Coefficient | Unit::Count | Unit::Plain => number,
    }
}

/// The number without its unit; differences carry their sign.
fn bare(value: f64, unit: Unit, digits: usize) -> String {
    let scaled = match unit {
        Unit::Share | Unit::Points => value * 100.0,
        _ => value,
    };
    let text = format!("{:.*}", digits, scaled.abs());
    let zero = text.chars().all(|c| c == '0' || c == '.');
    if zero {
        text
    } else if scaled < 0.0 {
        format!("−{text}")
    } else if unit == Unit::Points {
        format!("+{text}")
    } else {
        text
    }
}

/// As few decimals as the value needs, at most three: limits are typed by people.
fn trimmed(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Lang;
    use crate::stats::Reason;

    fn of(point: f64, lower: f64, upper: f64) -> Estimate {
        Estimate::within(point, [lower, upper], 0.95, 100, "wilson")
    }

    #[test]
    fn a_share_is_percent_with_the_digits_its_interval_deserves() {
        assert_eq!(estimate(&of(0.47, 0.447, 0.494), Unit::Share), "47.0 % [44.7, 49.4]");
        assert_eq!(estimate(&of(0.47123, 0.4702, 0.4722), Unit::Share), "47.12 % [47.02, 47.22]");
        assert_eq!(estimate(&of(1.0, 0.884, 1.0), Unit::Share), "100.0 % [88.4, 100.0]");
    }

    #[test]
    fn an_interval_of_another_level_says_its_own() {
        let at = |level| Ok(Estimate::within(0.47, [0.4, 0.5], level, 100, "clopper_pearson"));
        let [en, ja] = [Lang::En, Lang::Ja].map(Words::of);
        assert_eq!(figure_at_level(&at(0.90), Unit::Share, en), "47.0 % [40.0, 50.0] (90 % interval)");
        assert_eq!(figure_at_level(&at(0.90), Unit::Share, ja), "47.0 % [40.0, 50.0]（90 %区間）");
        assert_eq!(figure_at_level(&at(0.975), Unit::Share, en), "47.0 % [40.0, 50.0] (97.5 % interval)");
        assert_eq!(figure_at_level(&at(0.95), Unit::Share, en), "47.0 % [40.0, 50.0]");
    }

    #[test]
    fn differences_are_signed_and_zero_is_not() {
        assert_eq!(estimate(&of(0.031, -0.0121, 0.08), Unit::Points), "+3.1 pp [−1.2, +8.0]");
        assert_eq!(estimate(&of(-0.0001, -0.1, 0.1), Unit::Points), "0.0 pp [−10.0, +10.0]");
        assert_eq!(estimate(&of(-0.067, -0.11, 0.02), Unit::Coefficient), "−0.07 [−0.11, 0.02]");
    }

    #[test]
    fn an_absence_is_said_in_words_with_its_counts() {
        let words = Words::of(Lang::En);
        let absence = NotEstimable::with_counts(Reason::TooFew, 1, 3);
        assert_eq!(absent(&absence, words), "not estimable: too few units (1 / 3)");
    }

    #[test]
    fn limits_p_values_and_counts_read_as_people_write_them() {
        assert_eq!(limit(Limit::Max(0.2), Unit::Share), "≤ 20 %");
        assert_eq!(limit(Limit::Min(0.4), Unit::Coefficient), "≥ 0.40");
        assert_eq!(limit(Limit::Above(0.0), Unit::Points), "> 0 pp");
        assert_eq!(p_value(0.034), "p = 0.034");
        assert_eq!(p_value(0.000_01), "p < 0.0001");
        assert_eq!(p_value(1.0), "p = 1.00");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(12), "12");
    }

    #[test]
    fn units_follow_from_names() {
        assert_eq!(unit_of("by_category.math.kappa_strict"), Unit::Coefficient);
        assert_eq!(unit_of("length_error_gap"), Unit::Points);
        assert_eq!(unit_of("agreement_decisive"), Unit::Share);
    }
}
