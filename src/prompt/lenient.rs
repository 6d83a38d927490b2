//! JSON objects in a text, read with the small slips that models make.
//!
//! Tolerated: trailing commas, single and typographic quotes, raw line breaks in strings, bare words as keys and
//! values, an end cut off. Work is bounded by a budget linear in the length of the text, whatever it holds.

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    Text(String),
    /// A number, a boolean or null: never a verdict.
    Other,
    List(Vec<Node>),
    Object(Vec<(String, Node)>),
}

/// An object found in the text.
#[derive(Debug, PartialEq)]
pub(super) struct Object {
    /// Its fields in order, duplicates included.
    pub fields: Vec<(String, Node)>,
    /// Byte place of the opening brace.
    pub start: usize,
    /// Byte place behind the last thing read.
    pub end: usize,
    /// What is there of it.
    pub state: State,
}

/// How much of an object could be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// All of it.
    Whole,
    /// The text ends, or the syntax breaks within a later field: the fields read so far are whole.
    Partial,
    /// The syntax breaks right behind a value or its comma (`"A" | "B"`): the last field cannot be trusted.
    Broken,
}

const DEPTH: usize = 32;

/// All outermost objects of the text in order; behind a broken one the search goes on inside it.
pub(super) fn objects(text: &str) -> Vec<Object> {
    let mut reader = Reader { letters: text.char_indices().collect(), length: text.len(), at: 0, budget: 0 };
    reader.budget = reader.letters.len().saturating_mul(24) + 4096;
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(offset) = reader.letters[from..].iter().position(|&(_, c)| c == '{') {
        let start = from + offset;
        reader.at = start;
        let (fields, state) = reader.object(0);
        from = if state == State::Whole { reader.at } else { start + 1 };
        if state == State::Whole || !fields.is_empty() {
            found.push(Object { fields, start: reader.place(start), end: reader.place(reader.at), state });
        }
        if reader.budget == 0 {
            break;
        }
    }
    found
}

struct Reader {
    letters: Vec<(usize, char)>,
    length: usize,
    at: usize,
    budget: usize,
}

impl Reader {
    fn place(&self, index: usize) -> usize {
        self.letters.get(index).map_or(self.length, |&(place, _)| place)
    }

    fn peek(&self) -> Option<char> {
        if self.budget == 0 { None } else { self.letters.get(self.at).map(|&(_, c)| c) }
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        self.budget -= 1;
        Some(c)
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.next();
        }
    }

    /// Reads an object from its opening brace on.
    fn object(&mut self, depth: usize) -> (Vec<(String, Node)>, State) {
        self.next();
        let mut fields = Vec::new();
        loop {
            self.skip_space();
            match self.peek() {
                Some('}') => {
                    self.next();
                    return (fields, State::Whole);
                }
                None => return (fields, State::Partial),
                _ => {}
            }
            let Some(key) = self.scalar() else { return (fields, self.unless_ended(State::Broken)) };
            self.skip_space();
            if self.next() != Some(':') {
                return (fields, self.unless_ended(State::Broken));
            }
            self.skip_space();
            let Some(value) = self.value(depth) else { return (fields, State::Partial) };
            let key = match key {
                Node::Text(text) => text,
                _ => String::new(),
            };
            fields.push((key, value));
            self.skip_space();
            match self.peek() {
                Some(',') => {
                    self.next();
                }
                Some('}') | None => {}
                Some(_) => return (fields, State::Broken),
            }
        }
    }

    fn unless_ended(&self, state: State) -> State {
        if self.at >= self.letters.len() { State::Partial } else { state }
    }

    fn value(&mut self, depth: usize) -> Option<Node> {
        if depth >= DEPTH {
            return None;
        }
        match self.peek()? {
            '{' => {
                let (fields, state) = self.object(depth + 1);
                (state == State::Whole).then_some(Node::Object(fields))
            }
            '[' => self.list(depth + 1),
            _ => self.scalar(),
        }
    }

    fn list(&mut self, depth: usize) -> Option<Node> {
        self.next();
        let mut nodes = Vec::new();
        loop {
            self.skip_space();
            if self.peek()? == ']' {
                self.next();
                return Some(Node::List(nodes));
            }
            nodes.push(self.value(depth)?);
            self.skip_space();
            match self.peek()? {
                ',' => {
                    self.next();
                }
                ']' => {}
                _ => return None,
            }
        }
    }

    fn scalar(&mut self) -> Option<Node> {
        match self.peek()? {
            quote @ ('"' | '\'' | '“' | '”' | '‘' | '’') => self.string(quote).map(Node::Text),
            _ => self.word(),
        }
    }

    fn string(&mut self, quote: char) -> Option<String> {
        self.next();
        let mut text = String::new();
        loop {
            let c = self.next()?;
            let closes = match quote {
                '"' => c == '"',
                '“' | '”' => matches!(c, '“' | '”' | '"'),
                // An apostrophe within a word is no closing quote.
                _ => matches!(c, '\'' | '‘' | '’') && self.delimited(),
            };
            if closes {
                return Some(text);
            }
            if c == '\\' {
                let escaped = self.next()?;
                text.push(if escaped == 'u' { self.code_point()? } else { unescaped(escaped) });
            } else {
                text.push(c);
            }
        }
    }

    /// True where a comma, colon or closing bracket comes next, or the text ends. Looks at most eight characters on.
    fn delimited(&self) -> bool {
        let rest = &self.letters[self.at..];
        let next = rest.iter().take(8).find(|(_, c)| !c.is_whitespace());
        next.map_or(rest.len() <= 8, |&(_, c)| matches!(c, ',' | ':' | '}' | ']'))
    }

    fn code_point(&mut self) -> Option<char> {
        let mut code = 0;
        for _ in 0..4 {
            code = code * 16 + self.next()?.to_digit(16)?;
        }
        Some(char::from_u32(code).unwrap_or('\u{fffd}'))
    }

    /// A bare word or a number; it must be followed by something, else it may have been cut off.
    fn word(&mut self) -> Option<Node> {
        let mut word = String::new();
        while let Some(c) = self.peek().filter(|c| c.is_alphanumeric() || "+-._".contains(*c)) {
            word.push(c);
            self.next();
        }
        if word.is_empty() || self.peek().is_none() {
            return None;
        }
        let plain = matches!(word.to_ascii_lowercase().as_str(), "true" | "false" | "null" | "none" | "nan")
            || word.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
        Some(if plain { Node::Other } else { Node::Text(word) })
    }
}

fn unescaped(c: char) -> char {
    match c {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        c => c,
    }
}
