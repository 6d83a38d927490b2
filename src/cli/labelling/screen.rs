//! A pair laid out for a screen of any size: pure text, no terminal. All texts are hostile and arrive with what would act made visible.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::words::Words;
use crate::domain::{Order, Pair};
use crate::report::visible;

/// From this width on two answers stand side by side.
const SIDE_BY_SIDE: usize = 80;

/// Columns between them.
const GAP: usize = 3;

/// What is shown of a pair. No id, no system, no category, no gold: each may tell who wrote what, or what others think.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sheet {
    /// What both answers are to: the prompt, the reference, the rubric.
    pub above: Vec<Block>,
    pub first: Block,
    pub second: Block,
}

/// A text under its title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    pub title: &'static str,
    pub text: String,
}

impl Sheet {
    pub fn of(pair: &Pair, shown: Order, words: &'static Words) -> Self {
        let block = |title, text: &str| {
            let text =
                if text.trim().is_empty() { words.empty.to_owned() } else { visible(text).replace('\t', "    ") };
            Block { title, text }
        };
        let (first, second) = pair.shown(shown);
        let mut above = vec![block(words.prompt, &pair.prompt.to_text())];
        above.extend(pair.reference.as_ref().map(|text| block(words.reference, text)));
        above.extend(pair.rubric.as_ref().map(|text| block(words.rubric, text)));
        Self { above, first: block(words.first, first), second: block(words.second, second) }
    }

    /// The blocks one after the other.
    pub fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.above.iter().chain([&self.first, &self.second])
    }

    /// The lines on a screen of this width.
    pub fn lines(&self, width: usize) -> Vec<Line> {
        let mut lines = Vec::new();
        let stacked = |lines: &mut Vec<Line>, block: &Block| {
            lines.push(Line::title(block.title, None));
            lines.extend(wrapped(&block.text, width).into_iter().map(Line::of));
            lines.push(Line::of(String::new()));
        };
        self.above.iter().for_each(|block| stacked(&mut lines, block));
        if width < SIDE_BY_SIDE {
            stacked(&mut lines, &self.first);
            stacked(&mut lines, &self.second);
            lines.pop();
            return lines;
        }
        let column = column(width);
        lines.push(Line::title(self.first.title, Some(self.second.title.to_owned())));
        let (left, right) = (wrapped(&self.first.text, column), wrapped(&self.second.text, column));
        for row in 0..left.len().max(right.len()) {
            let text = |side: &[String]| side.get(row).cloned().unwrap_or_default();
            lines.push(Line { left: text(&left), right: Some(text(&right)), is_title: false });
        }
        lines
    }
}

/// Columns of one answer where two stand side by side.
fn column(width: usize) -> usize {
    (width - GAP) / 2
}

/// Where the right answer begins.
pub(super) fn right_edge(width: usize) -> usize {
    column(width) + GAP
}

/// One line on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub left: String,
    /// What stands in the right column, where there are two.
    pub right: Option<String>,
    pub is_title: bool,
}

impl Line {
    fn title(left: &str, right: Option<String>) -> Self {
        Self { left: left.to_owned(), right, is_title: true }
    }

    /// A line of text across the screen.
    pub fn of(left: String) -> Self {
        Self { left, right: None, is_title: false }
    }
}

/// A text in lines of at most `width` columns. Breaks behind spaces and between wide characters, inside a word only where it is longer
/// than a line. Blanks stay: answers may be code.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    text.split('\n').flat_map(|line| wrapped_line(line, width.max(2))).collect()
}

fn wrapped_line(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut line, mut used) = (String::new(), 0);
    // Where the line can be broken: its length in bytes there.
    let mut stop = 0;
    for c in text.chars() {
        let wide = c.width().unwrap_or(0);
        // A blank at which a line is full is not carried over.
        if c == ' ' && used == width {
            lines.push(std::mem::take(&mut line));
            (used, stop) = (0, 0);
            continue;
        }
        while used + wide > width && !line.is_empty() {
            let rest = line.split_off(if stop > 0 { stop } else { line.len() });
            lines.push(std::mem::replace(&mut line, rest));
            (used, stop) = (columns(&line), 0);
        }
        if wide == 2 && !line.is_empty() && !closes(c) {
            stop = line.len();
        }
        line.push(c);
        used += wide;
        if c == ' ' {
            stop = line.len();
        }
    }
    lines.push(line);
    lines
}

/// What no line begins with.
fn closes(c: char) -> bool {
    matches!(c, '、' | '。' | '，' | '．' | '）' | '」' | '』' | '】' | '：' | '；' | '！' | '？' | 'ー')
}

/// Columns as the sum of its characters: never fewer than a terminal takes.
fn columns(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// Short texts in as few lines as they need, with `between` them.
pub(super) fn packed(texts: &[&str], between: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for text in texts {
        match lines.last_mut() {
            Some(line) if line.width() + between.width() + text.width() <= width => {
                line.push_str(between);
                line.push_str(text);
            }
            _ => lines.push((*text).to_owned()),
        }
    }
    lines
}

/// Cut to a width, for lines that must stay one.
pub(super) fn cut(text: &str, width: usize) -> String {
    wrapped_line(text, width.max(2)).swap_remove(0)
}

/// How to move in a long text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Move {
    PageDown,
    PageUp,
    LineDown,
    LineUp,
    Start,
    End,
}

/// The first line shown after a move, of `lines` with `room` for so many. A page leaves a line of the one before.
pub(super) fn moved(top: usize, by: Move, lines: usize, room: usize) -> usize {
    let last = lines.saturating_sub(room);
    let page = room.saturating_sub(1).max(1);
    let wanted = match by {
        Move::PageDown => top + page,
        Move::PageUp => top.saturating_sub(page),
        Move::LineDown => top + 1,
        Move::LineUp => top.saturating_sub(1),
        Move::Start => 0,
        Move::End => last,
    };
    wanted.min(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Lang;

    fn pair() -> Pair {
        let mut pair = Pair::new("gpt-wins-1", "Which?", "one\u{1b}[31m \u{202e}two", "日本語の答え、です。");
        pair.model_a = Some("secret-a".into());
        pair.category = Some("secret-c".to_owned());
        pair.extra.insert("meta".to_owned(), serde_json::json!({"model": "secret-m"}));
        pair
    }

    fn all(sheet: &Sheet, width: usize) -> String {
        let lines = sheet.lines(width);
        let columns = lines.iter().flat_map(|line| [line.left.as_str(), line.right.as_deref().unwrap_or("")]);
        columns.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn nothing_tells_who_wrote_what() {
        for width in [40, 120] {
            let text = all(&Sheet::of(&pair(), Order::Ba, Words::of(Lang::En)), width);
            assert!(!text.contains("secret") && !text.contains("gpt-wins"), "{text}");
        }
    }

    #[test]
    fn what_would_act_on_a_terminal_is_shown() {
        let text = all(&Sheet::of(&pair(), Order::Ab, Words::of(Lang::En)), 60);
        assert!(text.contains("one␛[31m ⟨U+202E⟩two") && !text.contains('\u{1b}'), "{text}");
    }

    #[test]
    fn answers_stand_side_by_side_where_there_is_room_in_the_order_shown() {
        let sheet = Sheet::of(&pair(), Order::Ba, Words::of(Lang::En));
        let wide = sheet.lines(100);
        let answers = wide.last().map(|line| (line.left.as_str(), line.right.as_deref()));
        assert_eq!(answers, Some(("日本語の答え、です。", Some("one␛[31m ⟨U+202E⟩two"))));
        assert!(sheet.lines(79).iter().all(|line| line.right.is_none()));
    }

    #[test]
    fn lines_keep_to_the_width_and_lose_nothing_but_blanks_at_breaks() {
        for text in [
            "let x = 1;\n    if x { y }",
            "答えは、四十二です。理由はありません。",
            "a-word-longer-than-any-line b",
            "x  y 日本 z",
        ] {
            for width in [2, 7, 20] {
                let lines = wrapped(text, width);
                assert!(lines.iter().all(|line| columns(line) <= width), "{width}: {lines:?}");
                let letters = |text: &str| text.replace([' ', '\n'], "");
                assert_eq!(letters(&lines.concat()), letters(text));
            }
        }
        assert_eq!(wrapped("one two three", 8), ["one two ", "three"]);
        assert_eq!(wrapped("日本、語", 4), ["日", "本、", "語"]);
        assert_eq!(wrapped("", 8), [""]);
    }

    #[test]
    fn pages_overlap_by_a_line_and_stop_at_the_ends() {
        assert_eq!(moved(0, Move::PageDown, 100, 20), 19);
        assert_eq!(moved(75, Move::PageDown, 100, 20), 80);
        assert_eq!(moved(5, Move::PageUp, 100, 20), 0);
        assert_eq!([moved(0, Move::End, 5, 20), moved(0, Move::LineDown, 5, 20)], [0, 0]);
        assert_eq!(moved(3, Move::LineDown, 10, 0), 4);
    }

    #[test]
    fn keys_are_packed_into_lines() {
        assert_eq!(packed(&["aa", "bb", "cc"], " · ", 7), ["aa · bb", "cc"]);
        assert_eq!(cut("a long line", 6), "a long");
    }
}
