//! Characters that act instead of showing are shown instead of acting.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Text of several lines with every control character made visible; line feeds and tabs stay.
///
/// NUL becomes `␀`, ESC `␛`, a bidirectional override `⟨U+202E⟩`. Joiners and variation selectors stay: emoji and
/// whole scripts need them, and they move nothing.
pub fn visible(text: &str) -> Cow<'_, str> {
    shown(text, |c| c == '\n' || c == '\t')
}

/// The same for a place of one line: line feeds and tabs are made visible too.
pub fn visible_line(text: &str) -> Cow<'_, str> {
    shown(text, |_| false)
}

fn shown(text: &str, keep: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(|c| acts(c) && !keep(c)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        match c {
            _ if !acts(c) || keep(c) => out.push(c),
            '\r' if letters.peek() == Some(&'\n') && keep('\n') => {}
            '\u{0}'..='\u{1f}' => out.extend(char::from_u32(0x2400 + u32::from(c))),
            '\u{7f}' => out.push('\u{2421}'),
            _ => write!(out, "⟨U+{:04X}⟩", u32::from(c)).expect("writing to a String cannot fail"),
        }
    }
    Cow::Owned(out)
}

/// Control characters, line separators, bidirectional controls, invisible fillers, tag characters.
fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// A JSON text in which every character that acts is written by its number, as in `\u202e`: the same value, and safe on a
/// terminal.
/// Line feeds between its parts stay; inside strings JSON has none.
pub fn inert_json(json: &str) -> Cow<'_, str> {
    let escaped = |c: char| c != '\n' && (acts(c) || matches!(c, '\u{200c}' | '\u{200d}'));
    if !json.contains(escaped) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if escaped(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}").expect("writing to a String cannot fail");
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_act_is_shown() {
        assert_eq!(visible("a\0b\u{1b}[31m"), "a␀b␛[31m");
        assert_eq!(visible("\u{202e}evil\u{2066}"), "⟨U+202E⟩evil⟨U+2066⟩");
        assert_eq!(visible("\u{7f}\u{9b}31m\u{2028}"), "␡⟨U+009B⟩31m⟨U+2028⟩");
    }

    #[test]
    fn json_keeps_its_value_and_nothing_in_it_acts() {
        let text = "\u{9b}31m \u{202e}evil\u{2066} \u{200b}\u{200d}\u{feff}\u{e0041} \u{7f} \u{1b} 日本 é \n";
        let json = serde_json::to_string_pretty(&[text]).expect("plain data");
        let inert = inert_json(&json);
        assert!(
            inert.chars().all(|c| c == '\n' || c == 'é' || !c.is_control() && (c < '\u{2000}' || "日本".contains(c))),
            "{inert}"
        );
        assert_eq!(serde_json::from_str::<Vec<String>>(&inert).expect("still JSON"), [text]);
        assert!(matches!(inert_json("{\n}\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn lines_stay_lines_in_a_block_and_become_visible_in_a_cell() {
        assert_eq!(visible("a\r\nb\tc\rd"), "a\nb\tc␍d");
        assert_eq!(visible_line("a\nb\tc"), "a␊b␉c");
    }

    #[test]
    fn scripts_and_emoji_pass_unchanged() {
        let text = "日本語 👩‍👩‍👧 שלום نَص e\u{301} 葛\u{e0100}";
        assert!(matches!(visible(text), Cow::Borrowed(same) if same == text));
    }
}
