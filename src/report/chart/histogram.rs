//! How often: bars of equal width beside each other.

use std::fmt::Write as _;

use super::svg::{escape, image, round};

const HIGH: f64 = 120.0;
const TOP: f64 = 16.0;

/// One bar.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::report) struct Bar {
    /// Where it begins, said under its left edge; empty for an open start.
    pub(in crate::report) from: String,
    /// How many.
    pub(in crate::report) n: u64,
}

/// What a histogram shows.
#[derive(Debug, Clone, Copy)]
pub(in crate::report) struct Histogram<'a> {
    /// Unique within the page.
    pub(in crate::report) id: &'a str,
    /// Name of the chart.
    pub(in crate::report) title: &'a str,
    /// The numbers in words.
    pub(in crate::report) description: &'a str,
    /// Under the bars.
    pub(in crate::report) x_name: &'a str,
    /// The bars, by rising place.
    pub(in crate::report) bars: &'a [Bar],
}

/// Draws the bars; the count stands on each where there is room.
pub(in crate::report) fn histogram(shown: &Histogram<'_>) -> String {
    let mut body = String::new();
    let most = shown.bars.iter().map(|bar| bar.n).max().unwrap_or(0).max(1) as f64;
    let wide = 100.0 / shown.bars.len().max(1) as f64;
    // Letters of a number need about a seventh of a narrow screen.
    let every = shown.bars.len().div_ceil(7).max(1);
    let bottom = TOP + HIGH;
    for (index, bar) in shown.bars.iter().enumerate() {
        let left = wide * index as f64;
        let high = round(HIGH * bar.n as f64 / most);
        write!(
            body,
            r#"<rect class="seg seg-same" x="{}%" y="{}" width="{}%" height="{high}"/>"#,
            round(left),
            round(bottom - high),
            round(wide)
        )
        .expect("writing to a String cannot fail");
        if shown.bars.len() <= 16 && bar.n > 0 {
            write!(
                body,
                r#"<text class="mid count" x="{}%" y="{}">{}</text>"#,
                round(left + wide / 2.0),
                round(bottom - high - 4.0),
                bar.n
            )
            .expect("writing to a String cannot fail");
        }
        if index % every == 0 && !bar.from.is_empty() {
            let anchor = if index == 0 { "" } else { "mid" };
            write!(
                body,
                r#"<text class="{anchor}" x="{}%" y="{}">{}</text>"#,
                round(left),
                bottom + 16.0,
                escape(&bar.from)
            )
            .expect("writing to a String cannot fail");
        }
    }
    write!(
        body,
        r#"<line class="base" x1="0" x2="100%" y1="{bottom}" y2="{bottom}"/><text class="mid name" x="50%" y="{}">{}</text>"#,
        bottom + 36.0,
        escape(shown.x_name)
    )
    .expect("writing to a String cannot fail");
    let frame = format!(r#"width="100%" height="{}""#, bottom + 44.0);
    image(shown.id, "histogram", &frame, shown.title, shown.description, &body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_bar_fills_the_height_and_the_others_their_share() {
        let bars = [("-1", 10), ("0", 40), ("1", 0)].map(|(from, n)| Bar { from: from.to_owned(), n });
        let svg = histogram(&Histogram { id: "h", title: "t", description: "d", x_name: "x", bars: &bars });
        assert!(svg.contains(r#"y="16" width="33.33%" height="120""#), "{svg}");
        assert!(svg.contains(r#"y="106" width="33.33%" height="30""#), "{svg}");
        assert!(svg.contains(">40</text>") && !svg.contains(">0</text></"), "{svg}");
    }

    #[test]
    fn no_bars_are_no_division_by_zero() {
        let svg = histogram(&Histogram { id: "h", title: "t", description: "d", x_name: "x", bars: &[] });
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
