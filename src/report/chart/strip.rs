//! One row of a forest plot: an interval on an axis, with the limit and its good side. Rows under each other make
//! the plot; the numbers stand beside them as text.

use std::fmt::Write as _;

use crate::analysis::gate::Limit;
use crate::report::format::Unit;
use crate::stats::Estimate;

use super::axis::Axis;
use super::svg::{escape, image};

/// The shape and colour of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::report) enum Mark {
    /// Filled disc.
    Plain,
    /// Hollow square.
    Control,
    /// Disc in the colour of what holds.
    Pass,
    /// Cross in the colour of what fails.
    Fail,
    /// Diamond in the colour of what is open.
    Open,
}

impl Mark {
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Control => "ctl",
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Open => "open",
        }
    }

    pub(super) fn shape(self) -> &'static str {
        match self {
            Self::Plain | Self::Pass => r#"<circle r="5"/>"#,
            Self::Control => r#"<rect x="-4" y="-4" width="8" height="8"/>"#,
            Self::Fail => r#"<path d="M-5-5 5 5M5-5-5 5"/>"#,
            Self::Open => r#"<path d="M0-6.5 6.5 0 0 6.5-6.5 0z"/>"#,
        }
    }
}

/// What a row shows.
#[derive(Debug, Clone, Copy)]
pub(in crate::report) struct Strip<'a> {
    /// Unique within the page.
    pub(in crate::report) id: &'a str,
    /// What is read to those who cannot see the row.
    pub(in crate::report) title: &'a str,
    /// The rest of what is seen, such as counts and limit.
    pub(in crate::report) description: &'a str,
    /// The interval; nothing is drawn for an absence.
    pub(in crate::report) estimate: Option<&'a Estimate>,
    /// Where the figure has to be, where it has to be anywhere.
    pub(in crate::report) limit: Option<Limit>,
    /// A line to compare with, such as 50 % for no difference.
    pub(in crate::report) reference: Option<f64>,
    /// The point.
    pub(in crate::report) mark: Mark,
}

/// Draws a row on an axis. It is at least 30 pixels high and grows with the text beside it.
pub(in crate::report) fn strip(row: &Strip<'_>, axis: &Axis) -> String {
    let mut body = String::new();
    if let Some(limit) = row.limit {
        draw_good_side(&mut body, limit, axis);
    }
    for tick in axis.ticks() {
        vertical(&mut body, "grid", axis.at(*tick));
    }
    if let Some(reference) = row.reference {
        vertical(&mut body, "limit", axis.at(reference));
    }
    if let Some(limit) = row.limit {
        edges(limit).into_iter().flatten().for_each(|at| vertical(&mut body, "limit", axis.at(at)));
    }
    if let Some(estimate) = row.estimate {
        let [low, point, high] = [estimate.lower, estimate.point, estimate.upper].map(|value| axis.at(value));
        let class = row.mark.class();
        let end =
            |at: f64| format!(r#"<svg x="{at}%" y="50%" overflow="visible" class="cap"><path d="M0-4V4"/></svg>"#);
        write!(
            body,
            r#"<g class="{class}"><line class="ci" x1="{low}%" x2="{high}%" y1="50%" y2="50%"/>{}{}<svg x="{point}%" y="50%" overflow="visible" class="dot">{}</svg></g>"#,
            end(low),
            end(high),
            row.mark.shape()
        )
        .expect("writing to a String cannot fail");
    }
    image(row.id, "strip", r#"width="100%" height="30""#, row.title, row.description, &body)
}

/// The numbers under the rows.
pub(in crate::report) fn scale(axis: &Axis, unit: Unit) -> String {
    let mut body = String::new();
    let last = axis.ticks().len() - 1;
    for (index, tick) in axis.ticks().iter().enumerate() {
        let anchor = if index == 0 {
            "start"
        } else if index == last {
            "end"
        } else {
            "middle"
        };
        let text = label(*tick, unit);
        // Every second number steps aside where there is no room.
        let class = if index % 2 == 1 && last.is_multiple_of(2) { r#" class="minor""# } else { "" };
        write!(body, r#"<text x="{}%" y="13" text-anchor="{anchor}"{class}>{}</text>"#, axis.at(*tick), escape(&text))
            .expect("writing to a String cannot fail");
    }
    format!(r#"<svg class="scale" width="100%" height="18" aria-hidden="true">{body}</svg>"#)
}

pub(super) fn label(tick: f64, unit: Unit) -> String {
    let scaled = match unit {
        Unit::Share | Unit::Points => tick * 100.0,
        _ => tick,
    };
    let text = format!("{scaled:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.').replace('-', "−");
    match unit {
        Unit::Share => format!("{text} %"),
        _ if text == "−0" => "0".to_owned(),
        _ => text,
    }
}

fn edges(limit: Limit) -> [Option<f64>; 2] {
    match limit {
        Limit::Max(at) | Limit::Min(at) | Limit::Above(at) => [Some(at), None],
        Limit::Within(at) => [Some(-at), Some(at)],
    }
}

fn draw_good_side(body: &mut String, limit: Limit, axis: &Axis) {
    let [low, high] = axis.ends();
    let (from, to) = match limit {
        Limit::Max(at) => (low, at),
        Limit::Min(at) | Limit::Above(at) => (at, high),
        Limit::Within(at) => (-at, at),
    };
    let [from, to] = [from, to].map(|value| axis.at(value.clamp(low, high)));
    let width = super::svg::round(to - from);
    write!(body, r#"<rect class="good" x="{from}%" y="0" width="{width}%" height="100%"/>"#)
        .expect("writing to a String cannot fail");
}

fn vertical(body: &mut String, class: &str, at: f64) {
    write!(body, r#"<line class="{class}" x1="{at}%" x2="{at}%" y1="0" y2="100%"/>"#)
        .expect("writing to a String cannot fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate() -> Estimate {
        Estimate::within(0.3, [0.2, 0.45], 0.95, 50, "wilson")
    }

    #[test]
    fn point_interval_and_limit_lie_where_the_axis_says() {
        let axis = Axis::around([0.0, 1.0], Unit::Share);
        let row = Strip {
            id: "r",
            title: "t",
            description: "",
            estimate: Some(&estimate()),
            limit: Some(Limit::Max(0.2)),
            reference: None,
            mark: Mark::Fail,
        };
        let svg = strip(&row, &axis);
        assert!(svg.contains(r#"class="ci" x1="20%" x2="45%""#), "{svg}");
        assert!(svg.contains(r#"<svg x="30%""#), "{svg}");
        assert!(svg.contains(r#"class="limit" x1="20%""#), "{svg}");
        assert!(svg.contains(r#"class="good" x="0%" y="0" width="20%""#), "{svg}");
    }

    #[test]
    fn an_absence_draws_no_point() {
        let axis = Axis::around([], Unit::Share);
        let row = Strip {
            id: "r",
            title: "t",
            description: "",
            estimate: None,
            limit: None,
            reference: None,
            mark: Mark::Plain,
        };
        assert!(!strip(&row, &axis).contains("class=\"ci\""));
    }

    #[test]
    fn ticks_read_in_the_unit() {
        assert_eq!(label(0.025, Unit::Share), "2.5 %");
        assert_eq!(label(-0.2, Unit::Coefficient), "−0.2");
        assert_eq!(label(0.0, Unit::Points), "0");
    }
}
