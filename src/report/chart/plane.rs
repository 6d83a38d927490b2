//! Estimates over a measured quantity: points with their intervals on two axes, with a curve or the diagonal to compare.
//!
//! Horizontal places are percent and vertical ones pixels, so that letters keep their size on every screen.

use std::fmt::Write as _;

use crate::report::format::Unit;
use crate::stats::Estimate;

use super::axis::Axis;
use super::label::named;
use super::strip::{Mark, label};
use super::svg::{escape, image, round};

/// Left edge and width of the plot, in percent: numbers of the vertical axis stand before it.
const LEFT: f64 = 12.0;
const WIDE: f64 = 82.0;
/// Upper edge and height of the plot, in pixels.
const TOP: f64 = 24.0;
const HIGH: f64 = 200.0;
/// How wide the name of the vertical axis may be on the narrowest drawing.
const MOST_NAME: usize = 38;

/// One estimate above its place on the horizontal axis.
#[derive(Debug, Clone, Copy)]
pub(in crate::report) struct Point<'a> {
    /// Place on the horizontal axis.
    pub(in crate::report) x: f64,
    /// Place on the vertical axis, with its interval.
    pub(in crate::report) estimate: &'a Estimate,
    /// Shape and colour; a control steps aside, so that it does not lie on the point that it is compared with.
    pub(in crate::report) mark: Mark,
}

/// What the points are compared with.
#[derive(Debug, Clone, Copy)]
pub(in crate::report) enum Guide<'a> {
    /// A curve through these places.
    Curve(&'a [[f64; 2]]),
    /// Where both axes have the same value.
    Diagonal,
    /// Nothing.
    None,
}

/// What a plane shows.
#[derive(Debug, Clone, Copy)]
pub(in crate::report) struct Plane<'a> {
    /// Unique within the page.
    pub(in crate::report) id: &'a str,
    /// Name of the chart.
    pub(in crate::report) title: &'a str,
    /// The numbers in words, for those who cannot see them.
    pub(in crate::report) description: &'a str,
    /// Under the horizontal axis.
    pub(in crate::report) x_name: &'a str,
    /// Above the vertical axis.
    pub(in crate::report) y_name: &'a str,
    /// Unit of the horizontal axis; the vertical one has shares.
    pub(in crate::report) x_unit: Unit,
    /// The points, by rising place.
    pub(in crate::report) points: &'a [Point<'a>],
    /// What they are compared with.
    pub(in crate::report) guide: Guide<'a>,
    /// A vertical line to compare with.
    pub(in crate::report) at_x: Option<f64>,
    /// A horizontal line to compare with.
    pub(in crate::report) at_y: Option<f64>,
}

/// Draws the plane; the vertical axis holds 0 to 100 %.
pub(in crate::report) fn plane(shown: &Plane<'_>, x: &Axis) -> String {
    let y = Axis::around([0.0, 1.0], Unit::Share);
    let mut body = String::new();
    grid(&mut body, shown, x, &y);
    match shown.guide {
        Guide::Curve(places) => curve(&mut body, places, x, &y),
        Guide::Diagonal => {
            let [low, high] = x.ends();
            curve(&mut body, &[[low, low], [high, high]], x, &y);
        }
        Guide::None => {}
    }
    for point in shown.points {
        draw(&mut body, *point, x, &y);
    }
    let height = TOP + HIGH + 44.0;
    image(shown.id, "plane", &format!(r#"width="100%" height="{height}""#), shown.title, shown.description, &body)
}

fn across(x: &Axis, value: f64) -> f64 {
    round(LEFT + WIDE * x.at(value) / 100.0)
}

fn down(y: &Axis, value: f64) -> f64 {
    round(TOP + HIGH * (1.0 - y.at(value) / 100.0))
}

fn grid(body: &mut String, shown: &Plane<'_>, x: &Axis, y: &Axis) {
    let (right, bottom) = (LEFT + WIDE, TOP + HIGH);
    let mut line = |class: &str, [x1, x2]: [f64; 2], [y1, y2]: [f64; 2]| {
        write!(body, r#"<line class="{class}" x1="{x1}%" x2="{x2}%" y1="{y1}" y2="{y2}"/>"#)
            .expect("writing to a String cannot fail");
    };
    y.ticks().iter().map(|tick| down(y, *tick)).for_each(|at| line("grid", [LEFT, right], [at, at]));
    x.ticks().iter().map(|tick| across(x, *tick)).for_each(|at| line("grid", [at, at], [TOP, bottom]));
    if let Some(at) = shown.at_x.map(|at| across(x, at)) {
        line("limit", [at, at], [TOP, bottom]);
    }
    if let Some(at) = shown.at_y.map(|at| down(y, at)) {
        line("limit", [LEFT, right], [at, at]);
    }
    let mut text = |x: f64, y: f64, class: &str, content: &str| {
        write!(body, r#"<text class="{class}" x="{x}%" y="{y}">{}</text>"#, escape(content))
            .expect("writing to a String cannot fail");
    };
    for tick in y.ticks() {
        text(LEFT - 1.5, down(y, *tick) + 4.0, "end", &label(*tick, Unit::Share));
    }
    for (index, tick) in x.ticks().iter().enumerate() {
        let class = if index % 2 == 1 { "mid minor" } else { "mid" };
        text(across(x, *tick), bottom + 16.0, class, &label(*tick, shown.x_unit));
    }
    text(LEFT + WIDE / 2.0, bottom + 36.0, "mid name", shown.x_name);
    named(body, &format!(r#"class="name" x="{LEFT}%""#), TOP - 10.0, shown.y_name, MOST_NAME, "");
}

fn curve(body: &mut String, places: &[[f64; 2]], x: &Axis, y: &Axis) {
    let mut path = String::new();
    for [at, value] in places {
        let command = if path.is_empty() { 'M' } else { 'L' };
        write!(path, "{command}{} {}", x.at(*at), round(100.0 - y.at(*value)))
            .expect("writing to a String cannot fail");
    }
    write!(
        body,
        r#"<svg x="{LEFT}%" y="{TOP}" width="{WIDE}%" height="{HIGH}" viewBox="0 0 100 100" preserveAspectRatio="none"><path class="guide" d="{path}" vector-effect="non-scaling-stroke"/></svg>"#
    )
    .expect("writing to a String cannot fail");
}

fn draw(body: &mut String, point: Point<'_>, x: &Axis, y: &Axis) {
    let [low, at, high] =
        [point.estimate.lower, point.estimate.point, point.estimate.upper].map(|value| down(y, value));
    let aside = if point.mark == Mark::Control { 7 } else { 0 };
    write!(
        body,
        r#"<svg x="{}%" overflow="visible"><g class="{}" transform="translate({aside} 0)"><path class="ci" d="M0 {low}V{high}"/><g class="dot" transform="translate(0 {at})">{}</g></g></svg>"#,
        across(x, point.x),
        point.mark.class(),
        point.mark.shape()
    )
    .expect("writing to a String cannot fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown<'a>(points: &'a [Point<'a>], guide: Guide<'a>) -> Plane<'a> {
        Plane {
            id: "p",
            title: "t",
            description: "d",
            x_name: "x",
            y_name: "y",
            x_unit: Unit::Share,
            points,
            guide,
            at_x: None,
            at_y: Some(0.5),
        }
    }

    #[test]
    fn a_point_lies_where_both_axes_say_and_its_interval_is_upright() {
        let estimate = Estimate::within(0.75, [0.5, 1.0], 0.95, 40, "wilson");
        let axis = Axis::around([0.0, 1.0], Unit::Share);
        let svg = plane(&shown(&[Point { x: 0.5, estimate: &estimate, mark: Mark::Plain }], Guide::None), &axis);
        assert!(svg.contains(r#"<svg x="53%""#), "half of 82 % behind 12 %: {svg}");
        assert!(svg.contains(r#"d="M0 124V24""#) && svg.contains("translate(0 74)"), "{svg}");
        assert!(svg.contains(r#"class="limit" x1="12%" x2="94%" y1="124" y2="124""#), "{svg}");
    }

    #[test]
    fn the_diagonal_joins_equal_values_of_both_axes() {
        let axis = Axis::between(0.5, 1.0);
        let svg = plane(&shown(&[], Guide::Diagonal), &axis);
        assert!(svg.contains("d=\"M0 50L100 0\""), "{svg}");
    }

    #[test]
    fn a_curve_has_a_place_for_every_point() {
        let axis = Axis::around([-100.0, 100.0], Unit::Plain);
        let svg = plane(&shown(&[], Guide::Curve(&[[-100.0, 0.0], [0.0, 0.5], [100.0, 1.0]])), &axis);
        assert!(svg.contains('L') && svg.matches("class=\"guide\"").count() == 1 && !svg.contains("NaN"), "{svg}");
    }
}
