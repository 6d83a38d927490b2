//! JSON Lines and JSON arrays → objects, without ever losing a key, an object or a line number.

use serde::de::DeserializeSeed as _;

use super::fields::{Fields, FieldsOf, Shape};
use super::record::{Broken, Origin, Record};
use crate::domain::Notice;

/// One object a line; blank lines are skipped and counted.
pub(super) struct Lines<'a> {
    rest: &'a str,
    line: u64,
    cut: bool,
    shape: Shape,
}

impl<'a> Lines<'a> {
    /// `cut`: the text ended inside a character.
    pub(super) fn new(text: &'a str, cut: bool) -> Self {
        Self { rest: text, line: 0, cut, shape: Shape::default() }
    }
}

impl Iterator for Lines<'_> {
    type Item = Result<Record, Broken>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.rest.is_empty() {
            let (line, rest, ended) = match self.rest.split_once('\n') {
                Some((line, rest)) => (line, rest, true),
                None => (self.rest, "", false),
            };
            self.rest = rest;
            self.line += 1;
            let content = line.trim_ascii();
            if content.is_empty() {
                continue;
            }
            let parsed = one_object(content, self.line, &mut self.shape);
            if self.cut && !ended {
                return Some(Err(Broken::cut(self.line, "the last line ends inside a character: it was cut off")));
            }
            return Some(parsed.map_err(|broken| self.explained(broken)));
        }
        None
    }
}

impl Lines<'_> {
    /// Tells a cut-off last line and a spread-out object from other broken lines.
    fn explained(&mut self, broken: Broken) -> Broken {
        let next = self.rest.trim_ascii_start();
        if broken.unfinished && next.starts_with(['"', '}', ']']) {
            self.rest = "";
            let text = "the object goes on in the next line: one JSON object per line is wanted, or a JSON array";
            return Broken { notice: Notice::error(broken.notice.line, None, text), unfinished: false, cut: false };
        }
        // Only the last line can have been cut off by a crash in the middle of a write.
        Broken { cut: broken.unfinished && next.is_empty(), ..broken }
    }
}

/// The elements of a JSON array, one by one.
pub(super) struct Array<'a> {
    text: &'a str,
    at: usize,
    line: u64,
    counted_to: usize,
    state: ArrayState,
}

enum ArrayState {
    Start,
    Inside,
    Done,
}

impl<'a> Array<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, line: 1, counted_to: 0, state: ArrayState::Start }
    }

    /// Moves to the next character that is not white space and keeps the line number.
    fn skip_space(&mut self) -> Option<u8> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_ascii_start().len();
        self.line += newlines(&self.text[self.counted_to..self.at]);
        self.counted_to = self.at;
        self.text.as_bytes().get(self.at).copied()
    }

    fn refuse(&mut self, text: &str) -> Result<Record, Broken> {
        self.state = ArrayState::Done;
        Err(Broken::at(Notice::error(Some(self.line), None, text)))
    }

    fn element(&mut self) -> Option<Result<Record, Broken>> {
        let rest = &self.text[self.at..];
        if !rest.starts_with('{') {
            self.state = ArrayState::Done;
            return Some(Err(not_an_object(rest, self.line)));
        }
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<Fields>();
        match stream.next() {
            Some(Ok(fields)) => {
                let record = Record { line: self.line, fields, origin: Origin::Json };
                self.at += stream.byte_offset();
                Some(Ok(record))
            }
            Some(Err(error)) => {
                self.state = ArrayState::Done;
                Some(Err(broken(&error, rest, self.line)))
            }
            // The element begins with `{`, so there is one.
            None => None,
        }
    }
}

impl Iterator for Array<'_> {
    type Item = Result<Record, Broken>;

    fn next(&mut self) -> Option<Self::Item> {
        let found = match self.state {
            ArrayState::Done => return None,
            ArrayState::Start | ArrayState::Inside => self.skip_space(),
        };
        let first = matches!(self.state, ArrayState::Start);
        self.state = ArrayState::Inside;
        match found {
            Some(b']') if !first => self.closed(),
            // The caller has seen the `[` of the start.
            Some(b'[' | b',') if first || found == Some(b',') => {
                self.at += 1;
                match self.skip_space() {
                    Some(b']') if first => self.closed(),
                    Some(_) => self.element(),
                    None => Some(self.refuse("the JSON array is never closed")),
                }
            }
            Some(_) => Some(self.refuse("a `,` or `]` is wanted after an object of the array")),
            None => Some(self.refuse("the JSON array is never closed")),
        }
    }
}

impl Array<'_> {
    fn closed(&mut self) -> Option<Result<Record, Broken>> {
        self.at += 1;
        if self.skip_space().is_some() {
            return Some(self.refuse("there is text after the JSON array"));
        }
        self.state = ArrayState::Done;
        None
    }
}

fn newlines(text: &str) -> u64 {
    text.bytes().filter(|&byte| byte == b'\n').count() as u64
}

/// Reads one line that must hold one object and nothing else.
fn one_object(content: &str, line: u64, shape: &mut Shape) -> Result<Record, Broken> {
    if !content.starts_with('{') {
        return Err(not_an_object(content, line));
    }
    let mut deserializer = serde_json::Deserializer::from_str(content);
    let fields = FieldsOf(shape).deserialize(&mut deserializer).map_err(|error| broken(&error, content, line))?;
    if let Err(error) = deserializer.end() {
        let rest = &content[floor(content, error.column().saturating_sub(1))..];
        let text = if rest.starts_with('{') {
            "two objects on one line: one JSON object per line is wanted".to_owned()
        } else {
            format!("there is text after the object (column {}): one JSON object per line is wanted", error.column())
        };
        return Err(Broken::at(Notice::error(Some(line), None, text)));
    }
    Ok(Record { line, fields, origin: Origin::Json })
}

fn not_an_object(content: &str, line: u64) -> Broken {
    let found = match content.as_bytes().first() {
        Some(b'[') => "an array",
        Some(b'"') => "a string",
        Some(b'0'..=b'9' | b'-') => "a number",
        _ if content.starts_with("null") => "null",
        _ => "something that is not JSON",
    };
    Broken::at(Notice::error(Some(line), None, format!("a record must be a JSON object `{{…}}`, found {found}")))
}

/// An error of the JSON parser with its physical line and the field it stands in.
fn broken(error: &serde_json::Error, text: &str, first_line: u64) -> Broken {
    let lines_before = error.line().saturating_sub(1);
    let offset: usize = text.split_inclusive('\n').take(lines_before).map(str::len).sum();
    let place = floor(text, (offset + error.column()).saturating_sub(1));
    let field = key_before(&text[..floor(text, offset + error.column())]);
    let mut message = error.to_string();
    if let Some(place) = message.rfind(" at line ") {
        message.truncate(place);
    }
    if message.contains("surrogate") || message.contains("hex escape") {
        message =
            format!("half of a surrogate pair, which is no character ({message}); a text was cut inside an emoji");
    } else if ["NaN", "Infinity", "-Infinity"].iter().any(|word| text[place..].starts_with(word)) {
        message = format!(
            "NaN and Infinity at column {} are no JSON: null is wanted where there is no number",
            error.column()
        );
    } else if !error.is_data() {
        // Our own visitor takes every value, so a data error is its word about a doubled key.
        message = format!("not valid JSON at column {}: {message}", error.column());
    }
    let notice = Notice::error(Some(first_line + lines_before as u64), field.as_deref(), message);
    Broken { notice, unfinished: error.is_eof(), cut: false }
}

/// The largest character boundary at or below `at`.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&place| text.is_char_boundary(place)).unwrap_or(0)
}

/// The last key of the outermost object in a piece of JSON that breaks off.
fn key_before(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let (mut depth, mut at, mut key, mut key_is_next) = (0_usize, 0, None, false);
    while at < bytes.len() {
        match bytes[at] {
            b'{' | b'[' => {
                depth += 1;
                key_is_next = depth == 1;
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' => key_is_next = depth == 1,
            b'"' => {
                let start = at;
                at += 1;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                if key_is_next && at < bytes.len() {
                    key = serde_json::from_str(&text[start..=at]).ok().or(key);
                    key_is_next = false;
                }
            }
            _ => {}
        }
        at += 1;
    }
    key
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn error_of(text: &str) -> Notice {
        Lines::new(text, false).find_map(Result::err).unwrap().notice
    }

    #[test]
    fn an_array_gives_the_line_in_which_each_object_begins() {
        let text = "\n[\n {\"id\":\n 1},\n\n {\"id\": 2}\n]\n";
        let lines: Vec<u64> = Array::new(text).map(|record| record.unwrap().line).collect();
        assert_eq!(lines, [3, 6]);
        assert_eq!(Array::new(" [ ] ").count(), 0);
    }

    #[test]
    fn a_broken_array_is_refused_where_it_breaks() {
        for (text, line, part) in [
            ("[{\"a\":1}\n", 2, "never closed"),
            ("[", 1, "never closed"),
            ("[{\"a\":1},\n", 2, "never closed"),
            ("[{\"a\":1}\n{\"a\":2}]", 2, "`,` or `]`"),
            ("[{\"a\":1}]\nx", 2, "after the JSON array"),
            ("[{\"a\":1},\n3]", 2, "a number"),
            ("[{\"a\":1},\n{\"b\":\n tru }]", 3, "not valid JSON"),
            ("[{\"a\":1},]", 1, "found something"),
        ] {
            let found: Vec<Notice> = Array::new(text).filter_map(Result::err).map(|broken| broken.notice).collect();
            assert_eq!(found.len(), 1, "{text}");
            assert_eq!(found[0].line, Some(line), "{text}: {}", found[0].text);
            assert!(found[0].text.contains(part), "{text}: {}", found[0].text);
        }
    }

    #[test]
    fn a_doubled_key_is_named_also_inside_a_field() {
        assert_eq!(error_of(r#"{"id":1,"x":2,"id":3}"#).field.as_deref(), Some("id"));
        let nested = error_of(r#"{"id":1,"meta":{"k":1,"k":2}}"#);
        assert_eq!(nested.field.as_deref(), Some("meta"));
        assert!(nested.text.contains("`k` stands twice"));
    }

    #[test]
    fn text_after_an_object_is_never_dropped() {
        assert!(error_of(r#"{"a":1} {"a":2}"#).text.contains("two objects"));
        assert!(error_of(r#"{"a":1} // note"#).text.contains("text after the object (column 9)"));
    }

    #[test]
    fn only_an_unfinished_last_line_counts_as_cut_off() {
        let cut = |text: &str| Lines::new(text, false).find_map(Result::err).unwrap().cut;
        assert!(cut("{\"a\":1}\n{\"a\": \"x"));
        assert!(cut("{\"a\":1}\n{\"a\": {\"b\":1}"));
        assert!(!cut("{\"a\": \"x\n{\"a\":1}\n"));
        assert!(!cut("{\"a\":1}\n{\"a\":1,}"));
        assert!(!cut("{\n\"a\":1\n}"));
    }

    #[test]
    fn numbers_that_are_none_are_named_with_the_way_out() {
        for text in [r#"{"a":1,"p":NaN}"#, r#"{"a":1,"p":Infinity}"#, r#"{"a":1,"p":-Infinity}"#] {
            let notice = error_of(text);
            assert!(notice.text.contains("null is wanted") && notice.field.as_deref() == Some("p"), "{}", notice.text);
        }
    }

    #[test]
    fn nesting_without_end_is_an_error_and_no_crash() {
        let deep = format!("{{\"a\":{}", "[".repeat(100_000));
        assert!(error_of(&deep).text.contains("recursion"));
    }

    #[test]
    fn numbers_keep_their_value() {
        let record = Lines::new(r#"{"a":1e2,"b":-3,"c":18446744073709551615}"#, false).next().unwrap().unwrap();
        assert_eq!(record.fields.to_json(), r#"{"a":100.0,"b":-3,"c":18446744073709551615}"#);
    }
}
