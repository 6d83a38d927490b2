//! What a source file says as code: comments, the insides of literals and test items are blanked, lines stay where they are.

/// The code of a file, ready to be searched.
pub fn code_of(text: &str) -> String {
    without_test_items(&without_words(text))
}

/// An identifier, a number or one sign, and the line it stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    /// The text.
    pub text: &'a str,
    /// From 1.
    pub line: usize,
}

/// The tokens of a code, blanks left out.
pub fn tokens(code: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    for (number, line) in (1..).zip(code.lines()) {
        let mut rest = line;
        while let Some(first) = rest.chars().next() {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let end = if is_word(first) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
            let (text, after) = rest.split_at(end);
            if !first.is_whitespace() {
                found.push(Token { text, line: number });
            }
            rest = after;
        }
    }
    found
}

/// Blanks comments and the insides of text and character literals.
fn without_words(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let Some(end) = literal_or_comment(&chars, at) else {
            out.push(chars[at]);
            at += 1;
            continue;
        };
        out.extend(chars[at..end].iter().map(|c| if *c == '\n' { '\n' } else { ' ' }));
        at = end;
    }
    out
}

/// The end of the comment or literal that begins at `at`, if one does.
fn literal_or_comment(chars: &[char], at: usize) -> Option<usize> {
    let after = |offset: usize| chars.get(at + offset).copied();
    let in_word = at > 0 && (chars[at - 1].is_alphanumeric() || chars[at - 1] == '_');
    match (chars[at], after(1)) {
        ('/', Some('/')) => Some(find(chars, at, '\n')),
        ('/', Some('*')) => Some(block_comment_end(chars, at)),
        ('"', _) => Some(text_end(chars, at)),
        ('r' | 'b' | 'c', _) if !in_word => raw_text_end(chars, at),
        ('\'', Some('\\')) => Some(find(chars, at + 3, '\'') + 1),
        ('\'', Some(_)) if after(2) == Some('\'') => Some(at + 3),
        _ => None,
    }
}

fn find(chars: &[char], from: usize, wanted: char) -> usize {
    (from..chars.len()).find(|at| chars[*at] == wanted).unwrap_or(chars.len())
}

fn block_comment_end(chars: &[char], from: usize) -> usize {
    let (mut depth, mut at) = (0_usize, from);
    while at + 1 < chars.len() {
        match (chars[at], chars[at + 1]) {
            ('/', '*') => depth += 1,
            ('*', '/') if depth == 1 => return at + 2,
            ('*', '/') => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
    }
    chars.len()
}

fn text_end(chars: &[char], quote: usize) -> usize {
    let mut at = quote + 1;
    while at < chars.len() && chars[at] != '"' {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(chars.len())
}

/// The end of `r"…"`, `r#"…"#`, `b"…"`, `br"…"` and their like; `None` where these letters begin a name.
fn raw_text_end(chars: &[char], from: usize) -> Option<usize> {
    let letters = chars[from..].iter().take_while(|c| "rbc".contains(**c)).count();
    let is_raw = chars[from..from + letters].contains(&'r');
    let hashes = chars[from + letters..].iter().take_while(|c| **c == '#').count();
    let quote = from + letters + hashes;
    if letters > 2 || chars.get(quote) != Some(&'"') {
        return None;
    }
    if !is_raw {
        return (hashes == 0).then(|| text_end(chars, quote));
    }
    let closes = |at: usize| chars[at] == '"' && chars[at + 1..].iter().take_while(|c| **c == '#').count() >= hashes;
    let end = (quote + 1..chars.len()).find(|at| closes(*at)).map_or(chars.len(), |at| at + 1 + hashes);
    Some(end)
}

/// Blanks every item below `#[cfg(test)]`.
fn without_test_items(code: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let mut out = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(start) = rest.find(MARK) {
        let end = start + item_end(&rest[start..]);
        out.push_str(&rest[..start]);
        out.extend(rest[start..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        rest = &rest[end..];
    }
    out + rest
}

/// Where the item that begins here with its attributes ends: behind `;`, or behind the brace that closes its first one.
fn item_end(code: &str) -> usize {
    let (mut square, mut round, mut curly) = (0_i32, 0_i32, 0_i32);
    for (at, c) in code.char_indices() {
        match c {
            '[' => square += 1,
            ']' => square -= 1,
            '(' => round += 1,
            ')' => round -= 1,
            '{' => curly += 1,
            '}' => {
                curly -= 1;
                if curly == 0 {
                    return at + 1;
                }
            }
            ';' if square == 0 && round == 0 && curly == 0 => return at + 1,
            _ => {}
        }
    }
    code.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> String {
        tokens(&code_of(text)).iter().map(|token| token.text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn comments_and_literals_are_no_code() {
        assert_eq!(words("a // sled\n/* sled /* sled */ sled */ b"), "a b");
        assert_eq!(words(r#"f("sled \" sled", 'x', '\'', b"sled", 'a')"#), "f ( , , , , )");
        assert_eq!(words(r##"x(r"sled", r#"sled " sled"#, br"sled")y"##), "x ( , , ) y");
    }

    #[test]
    fn lifetimes_and_raw_names_are_code() {
        assert_eq!(words("fn f<'a>(x: &'a str) {}"), "fn f < ' a > ( x : & ' a str ) { }");
        assert_eq!(words("let r = rb; bc(c)"), "let r = rb ; bc ( c )");
    }

    #[test]
    fn test_items_are_left_out_and_what_follows_is_not() {
        assert_eq!(words("a;\n#[cfg(test)]\n#[allow(x)]\npub mod tests { fn f() { {} } }\nb;"), "a ; b ;");
        assert_eq!(words("#[cfg(test)]\n#[path = \"x.rs\"]\nmod tests;\nb"), "b");
        assert_eq!(words("#[cfg(test)]\nfn f(a: [u8; 3]) -> u8 { 1 }\nb"), "b");
    }

    #[test]
    fn lines_stay_where_they_are() {
        let code = code_of("/* one\ntwo */ \"three\nfour\"\n#[cfg(test)]\nmod t {\n}\nfive");
        assert_eq!(tokens(&code), [Token { text: "five", line: 7 }]);
    }
}
