//! Names of any length in a place of a given width. Nothing here knows the reader's font: widths are estimates that err on the wide
//! side.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthChar;

use super::svg::escape;

/// A name in a drawing that keeps within its place, and what follows it; what had to be left out is in the title. `place` is the
/// attributes of the text but for its height.
pub(super) fn named(body: &mut String, place: &str, y: f64, name: &str, most: usize, after: &str) {
    let short = shortened(name, most);
    let title = if short == name { String::new() } else { format!("<title>{}</title>", escape(name)) };
    write!(body, r#"<text {place} y="{y}">{title}<tspan class="what">{}</tspan>{after}</text>"#, escape(&short))
        .expect("writing to a String cannot fail");
}

/// How wide a text is, in half an ideograph.
pub(super) fn columns(text: &str) -> usize {
    text.chars().map(quarters).sum::<usize>().div_ceil(2)
}

/// Quarters of an ideograph; a few letters are far wider than the others.
fn quarters(c: char) -> usize {
    match c {
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '—' | '…' => 3,
        _ => c.width().unwrap_or(0) * 2,
    }
}

/// At most so wide: the middle gives way, since names differ at their ends (`…-v1`, `…-v2`) as often as at their beginnings.
fn shortened(text: &str, most: usize) -> String {
    if columns(text) <= most {
        return text.to_owned();
    }
    // Two for the ellipsis, the larger half to the beginning.
    let room = most.saturating_sub(2) * 2;
    let head = fitting(text.chars(), room.div_ceil(2));
    let tail = fitting(text.chars().rev(), room / 2);
    let tail: String = tail.chars().rev().collect();
    // A sign that joins the one before it cannot stand alone.
    let tail = tail.trim_start_matches(|c: char| c.width() == Some(0));
    format!("{head}…{tail}")
}

fn fitting(letters: impl Iterator<Item = char>, room: usize) -> String {
    let mut used = 0;
    letters
        .take_while(|c| {
            used += quarters(*c);
            used <= room
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_stay_and_long_ones_keep_both_ends() {
        assert_eq!(shortened("prompt-v1", 14), "prompt-v1");
        assert_eq!(shortened("the-present-prompt/v12-2026-10", 14), "the-pr…026-10");
        assert_eq!(shortened("要約プロンプト改訂版第三版", 14), "要約プ…第三版");
    }

    #[test]
    fn no_name_is_wider_than_its_place() {
        let names = [
            "WWWWWWWWWWWWWWWWWWWWWWW",
            "iiiiiiiiiiiiiiiiiiiiiiiiiiii",
            "漢字漢字漢字漢字漢字漢字漢字",
            "e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}",
        ];
        for name in names {
            for most in 0..20 {
                let short = shortened(name, most);
                assert!(columns(&short) <= most.max(2), "{short} in {most}");
            }
        }
    }
}
