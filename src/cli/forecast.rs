//! What a run will cost, in words, and the question whether to go on.

use super::exit::{CliError, Exit};
use super::ui::Ui;
use crate::runner::Forecast;

/// One line a judge that has calls to make, and the sum where there are several; empty where nothing is asked of any endpoint.
pub(super) fn lines(forecasts: &[Forecast]) -> Vec<String> {
    let asked: Vec<&Forecast> = forecasts.iter().filter(|forecast| forecast.calls > 0).collect();
    let mut lines: Vec<String> = asked.iter().map(|forecast| line(forecast)).collect();
    if asked.len() > 1 {
        let sum: Option<f64> = asked.iter().map(|forecast| forecast.usd_most).sum();
        let most =
            sum.map_or_else(|| "unknown, since a price is".to_owned(), |sum| format!("at most {}", dollars(sum)));
        lines.push(format!("all together: {most}"));
    }
    lines
}

fn line(forecast: &Forecast) -> String {
    let output = match (forecast.output_most, forecast.output_expected) {
        (Some(most), Some(expected)) => {
            format!("at most {} output tokens ({} expected)", grouped(most), grouped(expected))
        }
        (Some(most), None) => format!("at most {} output tokens", grouped(most)),
        (None, Some(expected)) => format!("about {} output tokens, without a limit", grouped(expected)),
        (None, None) => "output tokens without a limit".to_owned(),
    };
    let money = match (forecast.usd_most, forecast.usd_expected) {
        (Some(most), Some(expected)) => format!("at most {} ({} expected)", dollars(most), dollars(expected)),
        (Some(most), None) => format!("at most {}", dollars(most)),
        (None, _) if forecast.terms.price.is_some() => "cost without a limit (set `max_tokens`)".to_owned(),
        (None, _) => "price unknown (set `price` of the judge)".to_owned(),
    };
    format!(
        "{}: {} calls, about {} input tokens, {output}; {money}, repeated tries left out",
        forecast.judge,
        grouped(forecast.calls),
        grouped(forecast.input_tokens)
    )
}

/// Asks a person whether to go on, where calls leave the machine or cost money and a person is there.
pub(super) fn confirm(forecasts: &[Forecast], ui: Ui) -> Result<(), CliError> {
    let is_free = |forecast: &Forecast| {
        let costs = forecast.terms.price.is_some_and(|price| price.input > 0.0 || price.output > 0.0);
        forecast.calls == 0 || (forecast.terms.is_local && !costs)
    };
    if forecasts.iter().all(is_free) || ui.agrees("go on?") {
        return Ok(());
    }
    Err(CliError {
        exit: Exit::Interrupted,
        ..CliError::usage("not begun: none of these calls was made, and none was paid for")
    }
    .hint("run the same command again to go on; --yes leaves the question out"))
}

/// US dollars, with the digits that a small sum needs.
pub(super) fn dollars(sum: f64) -> String {
    if sum > 0.0 && sum < 0.01 { format!("${sum:.6}") } else { format!("${sum:.2}") }
}

/// A count with its thousands apart.
fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let head = digits.len() % 3;
    let mut text = digits[..head].to_owned();
    for (at, digit) in digits[head..].chars().enumerate() {
        if at % 3 == 0 && !text.is_empty() {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Price;
    use crate::runner::Terms;

    fn forecast(price: Option<Price>, usd: Option<f64>) -> Forecast {
        Forecast {
            judge: "mini".into(),
            terms: Terms { max_tokens: Some(1024), price, is_local: false },
            calls: 1240,
            input_tokens: 496_000,
            output_most: Some(1_269_760),
            output_expected: None,
            usd_most: usd,
            usd_expected: None,
        }
    }

    #[test]
    fn counts_are_grouped_and_an_unknown_price_is_said_to_be_unknown() {
        assert_eq!(
            ["0", "12", "1,234", "123,456", "1,000,000"].map(str::to_owned),
            [0, 12, 1234, 123_456, 1_000_000].map(grouped)
        );
        let unknown = line(&forecast(None, None));
        assert!(
            unknown.starts_with("mini: 1,240 calls, about 496,000 input tokens, at most 1,269,760 output tokens"),
            "{unknown}"
        );
        assert!(unknown.contains("price unknown") && !unknown.contains('$'), "{unknown}");
        let price = Some(Price { input: 1.0, output: 2.0 });
        let both = lines(&[forecast(price, Some(3.0)), forecast(None, None)]);
        assert!(both[0].contains("at most $3.00") && both[2].contains("unknown"), "{both:?}");
        assert!(lines(&[Forecast { calls: 0, ..forecast(None, None) }]).is_empty());
    }
}
