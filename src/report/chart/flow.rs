//! From the verdict in one order to the verdict in the other: ribbons as thick as their counts.

use std::fmt::Write as _;

use super::label::{columns, named};
use super::svg::{image, round};

/// Pixels for all counts together, between two classes, and above the first where both headings fit one line.
const HIGH: f64 = 168.0;
const GAP: f64 = 18.0;
const TOP: f64 = 30.0;
/// Pixels of a second line of headings.
const LINE: f64 = 17.0;
/// Width of a column, in percent.
const NODE: f64 = 1.5;
/// How wide a heading may be on the narrowest drawing (a phone's), both headings on one line, and a class on its half.
const MOST_HEAD: usize = 42;
const MOST_LINE: usize = 44;
const MOST_CLASS: usize = 14;

/// The words around the ribbons.
#[derive(Debug, Clone, Copy)]
pub(in crate::report) struct FlowLabels<'a> {
    /// Name of the chart.
    pub(in crate::report) title: &'a str,
    /// Over the left and the right column.
    pub(in crate::report) heads: [&'a str; 2],
    /// `a`, `b`, tie, no verdict.
    pub(in crate::report) classes: [&'a str; 4],
}

/// Draws the ribbons; rows `a` shown first, columns `b` shown first, each `a`, `b`, tie, no verdict.
pub(in crate::report) fn flow(id: &str, labels: &FlowLabels<'_>, cells: &[[u64; 4]; 4]) -> String {
    let total: u64 = cells.iter().flatten().sum();
    let scale = if total == 0 { 0.0 } else { HIGH / total as f64 };
    let left = cells.map(|row| row.iter().sum::<u64>());
    let right = [0, 1, 2, 3].map(|column| cells.iter().map(|row| row[column]).sum::<u64>());
    let lines = if columns(labels.heads[0]) + columns(labels.heads[1]) > MOST_LINE { 1.0 } else { 0.0 };
    let top = TOP + LINE * lines;
    let starts = [left, right].map(|counts| starts(&counts, scale, top));
    let mut body = String::new();
    let mut description = Vec::new();
    let classes = left.iter().filter(|count| **count > 0).count().max(right.iter().filter(|count| **count > 0).count());
    let height = top + HIGH + GAP * classes.saturating_sub(1) as f64 + 12.0;
    write!(
        body,
        r#"<svg x="{NODE}%" y="0" width="{}%" height="{height}" viewBox="0 0 100 {height}" preserveAspectRatio="none">"#,
        100.0 - NODE * 2.0
    )
    .expect("writing to a String cannot fail");
    let mut used = starts;
    for (from, row) in cells.iter().enumerate() {
        for (to, count) in row.iter().enumerate().filter(|(_, count)| **count > 0) {
            let thick = *count as f64 * scale;
            let [y1, y2] = [used[0][from], used[1][to]];
            used[0][from] += thick;
            used[1][to] += thick;
            ribbon(&mut body, class_of(from, to), [y1, y2], thick);
            let [one, other] = [labels.classes[from], labels.classes[to]];
            description.push(format!("{} {one}, {} {other}: {count}", labels.heads[0], labels.heads[1]));
        }
    }
    body.push_str("</svg>");
    for (side, counts) in [left, right].iter().enumerate() {
        let edge = if side == 0 { r#"class="name" x="0""# } else { r#"class="name end" x="100%""# };
        named(&mut body, edge, 13.0 + LINE * lines * side as f64, labels.heads[side], MOST_HEAD, "");
        column(&mut body, side, counts, &starts[side], scale, labels);
    }
    let frame = format!(r#"width="100%" height="{height}""#);
    image(id, "orders", &frame, labels.title, &description.join("; "), &body)
}

/// The upper edge of each class that has any.
fn starts(counts: &[u64; 4], scale: f64, top: f64) -> [f64; 4] {
    let mut at = top;
    counts.map(|count| {
        let start = at;
        if count > 0 {
            at += count as f64 * scale + GAP;
        }
        start
    })
}

fn class_of(from: usize, to: usize) -> &'static str {
    match (from, to) {
        (3, _) | (_, 3) => "seg-none",
        (from, to) if from == to => "seg-same",
        (0, 1) => "seg-flip1",
        (1, 0) => "seg-flip2",
        _ => "seg-half",
    }
}

fn ribbon(body: &mut String, class: &str, [y1, y2]: [f64; 2], thick: f64) {
    let [a, b, c, d] = [y1, y2, y2 + thick, y1 + thick].map(round);
    write!(body, r#"<path class="ribbon {class}" d="M0 {a}C50 {a} 50 {b} 100 {b}V{c}C50 {c} 50 {d} 0 {d}z"/>"#)
        .expect("writing to a String cannot fail");
}

/// The bars at one end of the ribbons, the names of their classes laid over the ribbons beside them.
fn column(body: &mut String, side: usize, counts: &[u64; 4], starts: &[f64; 4], scale: f64, labels: &FlowLabels<'_>) {
    let (x, text, class) = if side == 0 { (0.0, NODE + 1.5, "on") } else { (100.0 - NODE, 98.5 - NODE, "on end") };
    for (index, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let (start, high) = (starts[index], *count as f64 * scale);
        write!(
            body,
            r#"<rect class="node" x="{x}%" y="{}" width="{NODE}%" height="{}"/>"#,
            round(start),
            round(high.max(1.0))
        )
        .expect("writing to a String cannot fail");
        let place = format!(r#"class="{class}" x="{text}%""#);
        let number = format!(" {count}");
        named(body, &place, round(start + high / 2.0 + 4.0), labels.classes[index], MOST_CLASS, &number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LABELS: FlowLabels<'_> =
        FlowLabels { title: "t", heads: ["A first", "B first"], classes: ["a", "b", "tie", "none"] };

    #[test]
    fn ribbons_are_as_thick_as_their_counts_and_fill_both_columns() {
        let svg = flow("f", &LABELS, &[[60, 30, 0, 0], [0, 10, 0, 0], [0; 4], [0; 4]]);
        assert_eq!(svg.matches("class=\"ribbon").count(), 3);
        // 100 rows on 168 pixels: 60 of them are 100.8 high, and so is the class that they lead to.
        assert!(svg.contains("M0 30C50 30 50 30 100 30V130.8C50 130.8 50 130.8 0 130.8z"), "{svg}");
        assert!(svg.contains(r#"class="node" x="0%" y="30" width="1.5%" height="151.2""#), "{svg}");
        assert!(svg.contains("A first a, B first b: 30"), "{svg}");
    }

    #[test]
    fn flips_ties_and_missing_verdicts_have_classes_of_their_own() {
        assert_eq!(
            [(0, 0), (0, 1), (1, 0), (0, 2), (2, 2), (1, 3)].map(|(from, to)| class_of(from, to)),
            ["seg-same", "seg-flip1", "seg-flip2", "seg-half", "seg-same", "seg-none"]
        );
    }

    #[test]
    fn long_names_are_shortened_and_stand_whole_in_the_title_and_long_headings_on_two_lines() {
        let long = "a-system/with<a>name-of-any-length-v12";
        let heads = format!("{long} {long} first");
        let labels = FlowLabels { heads: [&heads, "B first"], classes: [long, "b", "tie", "none"], ..LABELS };
        let svg = flow("f", &labels, &[[1, 1, 0, 0], [0, 1, 0, 0], [0; 4], [0; 4]]);
        assert!(svg.contains("<title>a-system/with&lt;a&gt;name-of-any-length-v12</title>"), "{svg}");
        assert!(svg.contains(r#"<tspan class="what">a-syst…th-v12</tspan> 2"#), "{svg}");
        assert!(svg.contains(r#"class="name end" x="100%" y="30""#), "{svg}");
        assert!(flow("f", &LABELS, &[[1; 4]; 4]).contains(r#"class="name end" x="100%" y="13""#), "one line is enough");
    }

    #[test]
    fn nothing_at_all_draws_nothing() {
        let svg = flow("f", &LABELS, &[[0; 4]; 4]);
        assert!(!svg.contains("<path") && !svg.contains("NaN"), "{svg}");
    }
}
