//! One bar cut into shares of a whole.

use std::fmt::Write as _;

use super::svg::{escape, image, round};

/// A part of the whole.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::report) struct Segment {
    /// Decides colour and hatching; one of the page's `seg-…` classes.
    pub(in crate::report) class: &'static str,
    /// Said in the description.
    pub(in crate::report) label: String,
    /// How many.
    pub(in crate::report) count: u64,
}

/// Draws the bar; parts of nothing are left out, parts below a fourteenth carry no number.
pub(in crate::report) fn bar(id: &str, title: &str, segments: &[Segment]) -> String {
    let total: u64 = segments.iter().map(|segment| segment.count).sum();
    let mut body = String::new();
    let mut description = Vec::new();
    let mut before = 0;
    for segment in segments.iter().filter(|segment| segment.count > 0) {
        let share = |count: u64| round(count as f64 / total as f64 * 100.0);
        let (left, right) = (share(before), share(before + segment.count));
        let width = round(right - left);
        let class = segment.class;
        write!(body, r#"<rect class="seg {class}" x="{left}%" y="0" width="{width}%" height="28"/>"#)
            .expect("writing to a String cannot fail");
        if class.starts_with("seg-flip") || class == "seg-none" {
            write!(body, r#"<rect class="hatch {class}-h" x="{left}%" y="0" width="{width}%" height="28"/>"#)
                .expect("writing to a String cannot fail");
        }
        if width >= 7.0 {
            let middle = round(f64::midpoint(left, right));
            write!(
                body,
                r#"<text class="{class}-t" x="{middle}%" y="18.5" text-anchor="middle">{}</text>"#,
                segment.count
            )
            .expect("writing to a String cannot fail");
        }
        description.push(format!("{}: {}", segment.label, segment.count));
        before += segment.count;
    }
    image(id, "bar", r#"width="100%" height="28""#, title, &description.join("; "), &body)
}

/// A small square in the look of a segment, for legends.
pub(in crate::report) fn swatch(class: &str) -> String {
    let class = escape(class);
    let hatch = if class.starts_with("seg-flip") || class == "seg-none" {
        format!(r#"<rect class="hatch {class}-h" width="14" height="14"/>"#)
    } else {
        String::new()
    };
    format!(
        r#"<svg class="swatch" width="14" height="14" aria-hidden="true"><rect class="seg {class}" width="14" height="14"/>{hatch}</svg>"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(class: &'static str, count: u64) -> Segment {
        Segment { class, label: class.to_owned(), count }
    }

    #[test]
    fn the_parts_fill_the_whole_without_a_gap() {
        let svg = bar("b", "t", &[segment("seg-a", 1), segment("seg-tie", 1), segment("seg-b", 1)]);
        for part in [
            r#"x="0%" y="0" width="33.33%""#,
            r#"x="33.33%" y="0" width="33.34%""#,
            r#"x="66.67%" y="0" width="33.33%""#,
        ] {
            assert!(svg.contains(part), "{part} in {svg}");
        }
    }

    #[test]
    fn nothing_at_all_is_an_empty_bar() {
        let svg = bar("b", "t", &[segment("seg-a", 0)]);
        assert!(!svg.contains("<rect") && !svg.contains("NaN"), "{svg}");
    }
}
