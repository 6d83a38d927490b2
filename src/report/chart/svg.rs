//! The few pieces of SVG that every chart is made of.

use std::fmt::Write as _;

/// Text that is text wherever it stands, in an element or an attribute.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}

/// At most two decimals: small files, and the same bytes on every machine.
pub(super) fn round(value: f64) -> f64 {
    // Adding zero turns -0 into 0.
    (value * 100.0).round() / 100.0 + 0.0
}

/// An image with a name and a description for those who cannot see it. `id` is unique within the page.
pub(super) fn image(id: &str, class: &str, frame: &str, title: &str, description: &str, body: &str) -> String {
    let [id, title, description] = [id, title, description].map(escape);
    let mut out = format!(r#"<svg class="{class}" role="img" aria-labelledby="{id}-t"#);
    if description.is_empty() {
        write!(out, r#"" {frame}><title id="{id}-t">{title}</title>"#)
    } else {
        write!(out, r#" {id}-d" {frame}><title id="{id}-t">{title}</title><desc id="{id}-d">{description}</desc>"#)
    }
    .expect("writing to a String cannot fail");
    out.push_str(body);
    out.push_str("</svg>");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_leave_its_place() {
        let svg = image("x", "c", "", "</title><script>", "\"><g onload='x'>", "");
        assert!(!svg.contains("<script") && !svg.contains("<g"), "{svg}");
    }

    #[test]
    fn no_negative_zero() {
        assert_eq!(round(-0.001).to_string(), "0");
        assert_eq!(round(33.3333).to_string(), "33.33");
    }
}
