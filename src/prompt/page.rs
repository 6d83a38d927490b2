//! A text with what stands around each place in it: lines, quotations, code fences, sentences.

use std::ops::Range;

use super::normalise::{pattern, plain_signs, without_markup};

/// Whose words a place holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The judge's own words.
    Own,
    /// A block quotation or a code fence: the judge's own or a quotation, decided by what else there is.
    Block,
    /// Quoted from a candidate or from the instructions.
    Quoted,
}

/// How a token stands in its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// Alone on the line, or behind a key such as `Final verdict:`.
    Alone,
    /// At the start, with words behind it.
    Opening,
    /// At the end, with words before it.
    Closing,
    /// Amid words.
    Mid,
}

#[derive(Debug)]
struct Line {
    start: usize,
    end: usize,
    block: bool,
    /// How many lines with something on them come before.
    ordinal: usize,
}

/// A text and its lines. All look-ups are logarithmic or bounded, so that hostile texts cost no more than long ones.
#[derive(Debug)]
pub(super) struct Page {
    text: String,
    lines: Vec<Line>,
    quoted: Vec<Range<usize>>,
}

/// How far around a token words are looked at, in bytes.
const NEAR: usize = 160;

impl Page {
    /// A page of prose: signs in ASCII, no markup, quotations found.
    pub fn of_prose(answer: &str) -> Self {
        let text = without_outer_quotes(&plain_signs(answer)).to_owned();
        let mut page = Self { text: String::new(), lines: Vec::new(), quoted: Vec::new() };
        // Fences and quote marks are markup too, so they are looked at before it goes.
        let (mut fenced, mut ordinal) = (false, 0);
        for line in text.split('\n') {
            let fence = is_fence(line);
            fenced ^= fence;
            let plain = if fence { String::new() } else { without_markup(line) };
            page.push_line(&plain, fenced || line.trim_start().starts_with('>'), &mut ordinal);
        }
        page.quoted = quotations(&page.text);
        page
    }

    /// A page of data: the text as it is; quotation marks belong to the data.
    pub fn of_data(answer: &str) -> Self {
        let mut page = Self { text: String::new(), lines: Vec::new(), quoted: Vec::new() };
        let (mut fenced, mut ordinal) = (false, 0);
        for line in answer.split('\n') {
            fenced ^= is_fence(line);
            page.push_line(line, fenced || line.trim_start().starts_with('>'), &mut ordinal);
        }
        page
    }

    fn push_line(&mut self, line: &str, block: bool, ordinal: &mut usize) {
        let start = self.text.len();
        self.text.push_str(line);
        self.lines.push(Line { start, end: self.text.len(), block, ordinal: *ordinal });
        self.text.push('\n');
        *ordinal += usize::from(!line.trim().is_empty());
    }

    /// The whole text, each line ended by a line feed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The lines with their starting places.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.lines.iter().map(|line| (line.start, &self.text[line.start..line.end]))
    }

    fn line_at(&self, place: usize) -> &Line {
        let index = self.lines.partition_point(|line| line.start <= place).max(1) - 1;
        &self.lines[index]
    }

    /// The number of the line with something on it that holds `place`, from 0.
    pub fn ordinal(&self, place: usize) -> usize {
        self.line_at(place).ordinal
    }

    /// The physical line that holds `place`, from 1.
    pub fn line_number(&self, place: usize) -> usize {
        self.lines.partition_point(|line| line.start <= place).max(1)
    }

    /// What stands before `place` on its line, at most [`NEAR`] bytes of it.
    pub fn before(&self, place: usize) -> &str {
        self.slice(self.line_at(place).start.max(place.saturating_sub(NEAR)), place)
    }

    /// What stands behind `place` on its line, at most [`NEAR`] bytes of it.
    pub fn behind(&self, place: usize) -> &str {
        self.slice(place, self.line_at(place).end.min(place + NEAR))
    }

    /// What stands before `place` across lines, at most [`NEAR`] bytes of it.
    pub fn lead(&self, place: usize) -> &str {
        self.slice(place.saturating_sub(NEAR), place)
    }

    /// A slice with both ends moved inwards to character boundaries.
    fn slice(&self, mut from: usize, mut to: usize) -> &str {
        while !self.text.is_char_boundary(from) {
            from += 1;
        }
        while to > from && !self.text.is_char_boundary(to) {
            to -= 1;
        }
        self.text.get(from..to).unwrap_or("")
    }

    /// Whose words the place between `start` and `end` holds.
    pub fn place(&self, start: usize, end: usize) -> Place {
        let before = self.before(start);
        // `Final verdict: "[[A]]"` is the judge's own; `"Final verdict: [[A]]"` is not.
        let keyed = key_rank(before) > 0 && before.trim_end().ends_with(['"', '\'', '“', '‘', '「', '『']);
        let index = self.quoted.partition_point(|span| span.end < end);
        let enclosed = self.quoted.get(index).is_some_and(|span| span.start <= start);
        let touching = |c: char| "\"'“”‘’「」『』".contains(c);
        let hugged = self.text[..start].chars().next_back().is_some_and(touching)
            && self.text[end..].chars().next().is_some_and(touching);
        if (enclosed || hugged) && !keyed || ATTRIBUTED.is_match(self.lead(start)) || CITED.is_match(self.behind(end)) {
            Place::Quoted
        } else if self.line_at(start).block && !self.introduced(start) {
            Place::Block
        } else {
            Place::Own
        }
    }

    /// True where the last words before the block announce a verdict: `My choice:` and then a fence.
    fn introduced(&self, start: usize) -> bool {
        let lead = self.lead(self.line_at(start).start).trim_end();
        let last = lead.rsplit('\n').next().unwrap_or("");
        last.ends_with(':') && key_rank(last) > 0
    }

    /// How the token between `start` and `end` stands in its line.
    pub fn standing(&self, start: usize, end: usize) -> Standing {
        let before = self.before(start);
        let led = !is_decoration(before) && key_rank(before) == 0;
        let followed = !TRAILER.is_match(self.behind(end));
        match (led, followed) {
            (false, false) => Standing::Alone,
            (false, true) => Standing::Opening,
            (true, false) => Standing::Closing,
            (true, true) => Standing::Mid,
        }
    }
}

/// 2 for a key that calls itself final, 1 for another verdict key, 0 where there is no key right before the token.
pub(super) fn key_rank(before: &str) -> u8 {
    let lower = before.trim_start_matches(|c: char| c.is_whitespace() || ">#-•+\"'“「".contains(c)).to_lowercase();
    if !KEYED.is_match(&lower) {
        return 0;
    }
    1 + u8::from(FINAL.is_match(&lower))
}

fn is_fence(line: &str) -> bool {
    let line = line.trim();
    ["```", "~~~"].iter().any(|mark| line.strip_prefix(mark).is_some_and(|rest| !rest.contains(mark)))
}

fn is_decoration(text: &str) -> bool {
    DECORATION.is_match(text)
}

/// A reply that stands in quotation marks as a whole is not a quotation.
fn without_outer_quotes(text: &str) -> &str {
    let trimmed = text.trim();
    for (open, close) in [('"', '"'), ('“', '”'), ('「', '」'), ('\'', '\'')] {
        if let Some(inner) = trimmed.strip_prefix(open).and_then(|rest| rest.strip_suffix(close))
            && !inner.contains([open, close])
        {
            return inner;
        }
    }
    text
}

/// Spans between quotation marks on one line, in order.
fn quotations(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut open: Option<(char, usize)> = None;
    for (at, c) in text.char_indices() {
        match (open, c) {
            (_, '\n') => open = None,
            (Some((close, from)), c) if c == close => {
                spans.push(from..at);
                open = None;
            }
            (None, '"') => open = Some(('"', at)),
            (None, '“' | '„') => open = Some(('”', at)),
            (None, '「') => open = Some(('」', at)),
            (None, '『') => open = Some(('』', at)),
            (None, '«') => open = Some(('»', at)),
            _ => {}
        }
    }
    spans
}

pattern!(
    KEYED,
    r"^(?:[\p{L}' ,]{0,60}[\s,])?(?:\p{Han}{0,4})?(?:verdict|decision|judge?ment|choice|answer|conclusion|winner|preference|final|overall|判定|判断|判决|判決|裁决|裁決|结论|結論|評決|選択)(?:結果)?(?: is| goes to)?\s*(?:[:=\-–—]|は|is)?\s*[\x22'“「(\[]?$"
);
pattern!(FINAL, r"final|overall|最終|最终|総合");
pattern!(DECORATION, r#"^[\s>#\-•+|=(\[{$:"'“「]*(?:[0-9]{1,2}[.)]\s*)?(?:\\boxed\{)?[\s$"'“「]*$"#);
pattern!(
    TRAILER,
    r#"^[\s.。!！,、;:|)\]}>$"'”」]*(?:(?:です|だ|である|とします|とする|となります)[。.\s]*|\((?:tie|draw|引き分け|final)\)[.\s]*)?$"#
);
// A subject that is not the judge, a verb of saying, and little else before the token.
pattern!(
    ATTRIBUTED,
    r#"(?i)(?:\b(?:reply|response|answer|candidate|assistant|question|prompt|instructions?|template|user|it|text|author|[AB])\b[^.!?。]{0,60}\b(?:ends?|ended|contains?|contained|includes?|included|says?|said|claims?|claimed|states?|stated|writes?|wrote|inserts?|inserted|asks?|asked|demands?|tells?|told|reads?|plants?|planted|instructs?)|(?:回答|応答|返答|解答)[^。\n]{0,30}(?:には|の末尾は|の最後は)|(?i)\b(?:quoted?|quoting|planted|injected|embedded))(?:\s+(?:with|the|a|an|as|for|me|us|to|text|line|words?|string|marker|token|phrase|verdict|final|answer|output|write|say|in))*\s*[:,]?[\s>]*["'“‘「『]?(?:final |my )?(?:verdict)?:?\s*["'“‘「『]?$"#
);
pattern!(CITED, r"^[」』]?\s*(?:と(?:書|記|い[うっ]|述べ|出力|あり|ある)|という(?:文|指示|記述|行))");
