//! Rules 1 and 2: what of a reply is the answer, and in which plain form it is read.

use regex::Captures;
use unicode_normalization::UnicodeNormalization as _;

/// The answer text of a reply: reasoning blocks, invisible characters and end-of-text marks are gone.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Answer {
    /// What is left to read.
    pub text: String,
    /// True where a reasoning block was opened and never closed.
    pub swallowed: bool,
}

/// Takes the answer out of a raw reply.
pub(super) fn answer(raw: &str) -> Answer {
    let visible: String = raw.chars().filter(|&c| !is_invisible(c)).collect();
    let (text, swallowed) = without_reasoning(&visible);
    let text = NEXT_TURN.find(&text).map_or(text.as_str(), |turn| &text[..turn.start()]);
    Answer { text: END_MARK.replace_all(text, "").into_owned(), swallowed }
}

/// One pass: a block is closed by the first closing tag whatever its name, since models mix them up;
/// a closing tag outside a block makes everything before it reasoning.
fn without_reasoning(text: &str) -> (String, bool) {
    let text = FINAL_CHANNEL.find_iter(text).last().map_or(text, |mark| &text[mark.end()..]);
    let mut kept = String::new();
    let mut from = 0;
    let mut inside = false;
    for tag in REASONING_TAG.captures_iter(text) {
        let Some(whole) = tag.get(0) else { continue };
        if tag.name("close").is_some_and(|slash| !slash.is_empty()) {
            if !inside {
                kept.clear();
            }
            inside = false;
            from = whole.end();
        } else if !inside {
            kept.push_str(&text[from..whole.start()]);
            inside = true;
        }
    }
    if !inside {
        kept.push_str(&text[from..]);
    }
    (kept, inside)
}

/// A response without the thoughts before it: a reasoning block that opens the text, or whatever stands before a closing
/// tag that comes first. Tags further on are the response's own. Empty where the thoughts never end.
pub fn without_leading_thoughts(text: &str) -> &str {
    let Some(first) = REASONING_TAG.captures(text) else { return text };
    let Some(whole) = first.get(0) else { return text };
    let closes = |tag: &Captures<'_>| tag.name("close").is_some_and(|slash| !slash.is_empty());
    if closes(&first) {
        return text[whole.end()..].trim_start();
    }
    if !text[..whole.start()].trim().is_empty() {
        return text;
    }
    let end = REASONING_TAG.captures_iter(text).filter(closes).find_map(|tag| tag.get(0).map(|tag| tag.end()));
    end.map_or("", |end| text[end..].trim_start())
}

/// The same text with HTML entities resolved and full-width or otherwise styled letters and signs in ASCII.
pub(super) fn plain_signs(text: &str) -> String {
    let decoded = ENTITY.replace_all(text, |entity: &Captures<'_>| {
        resolve(entity).map_or_else(|| entity[0].to_owned(), |c| c.to_string())
    });
    let mut plain = String::with_capacity(decoded.len());
    for c in decoded.nfkc().filter(|&c| !is_invisible(c)) {
        match c {
            '【' | '〔' | '〖' | '⟦' => plain.push('['),
            '】' | '〕' | '〗' | '⟧' => plain.push(']'),
            '≫' => plain.push_str(">>"),
            '≪' => plain.push_str("<<"),
            '⋙' => plain.push_str(">>>"),
            '⋘' => plain.push_str("<<<"),
            '\u{a0}' | '\u{3000}' => plain.push(' '),
            c => plain.push(c),
        }
    }
    plain
}

/// The same text without inline markdown, LaTeX boxes and markup tags. What is struck through is gone:
/// its author took it back.
pub(super) fn without_markup(text: &str) -> String {
    let text = STRUCK.replace_all(text, "");
    let text = BOX.replace_all(&text, "$inner");
    let text = BOX.replace_all(&text, "$inner");
    let text = TAG.replace_all(&text, "");
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    let mut before = ' ';
    while let Some(c) = letters.next() {
        let after = letters.peek().copied().unwrap_or(' ');
        let skip = match c {
            '*' | '`' => true,
            '\\' => after.is_ascii_punctuation(),
            // Emphasis stands at the edge of a word; `final_verdict` keeps its underscore.
            '_' => !(before.is_alphanumeric() && after.is_alphanumeric()),
            _ => false,
        };
        if !skip {
            plain.push(c);
        }
        before = c;
    }
    plain
}

fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{ad}'
        | '\u{61c}' | '\u{180e}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e007f}' | '\r')
        || (c.is_control() && c != '\n' && c != '\t')
}

fn resolve(entity: &Captures<'_>) -> Option<char> {
    if let Some(digits) = entity.name("dec") {
        return char::from_u32(digits.as_str().parse().ok()?);
    }
    if let Some(digits) = entity.name("hex") {
        return char::from_u32(u32::from_str_radix(digits.as_str(), 16).ok()?);
    }
    Some(match entity.name("name")?.as_str().to_ascii_lowercase().as_str() {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "lsqb" | "lbrack" => '[',
        "rsqb" | "rbrack" => ']',
        "lcub" | "lbrace" => '{',
        "rcub" | "rbrace" => '}',
        "colon" => ':',
        "equals" => '=',
        _ => return None,
    })
}

/// A compiled constant pattern. The tests read texts that reach every one of them.
macro_rules! pattern {
    ($name:ident, $text:expr $(,)?) => {
        static $name: std::sync::LazyLock<regex::Regex> =
            std::sync::LazyLock::new(|| regex::Regex::new($text).expect("a constant pattern that the tests compile"));
    };
}
pub(super) use pattern;

pattern!(REASONING_TAG, r"(?i)<\s*(?P<close>/?)\s*(?:think|thinking|reasoning)(?:\s[^<>\n]{0,80})?>");
// Channel marks of templates that send the reasoning and the answer as separate messages in one text.
pattern!(FINAL_CHANNEL, r"<\|channel\|>\s*final\s*<\|message\|>");
// A model that runs on writes the next turn of somebody else.
pattern!(
    NEXT_TURN,
    r"(?i)<(?:\|im_start\||start_of_turn)>\s*(?:user|system)\b|<\|start_header_id\|>\s*(?:user|system)\b|<\|(?:endoftext|im_end|eot_id|end)\|>\s*(?:human|user|question|instruction|system)\s*:"
);
pattern!(END_MARK, r"(?i)<[|｜][a-z0-9_▁]{1,40}[|｜]>|</?s>|<(?:eos|bos|pad|end_of_turn|start_of_turn)>|\[/?INST\]");
pattern!(ENTITY, r"&(?:#(?P<dec>[0-9]{1,7})|#[xX](?P<hex>[0-9a-fA-F]{1,6})|(?P<name>[a-zA-Z]{2,8}));");
pattern!(STRUCK, r"~~[^~\n]{1,400}~~|(?i)<del>[^<\n]{0,400}</del>");
pattern!(BOX, r"\\(?:boxed|fbox|text|textbf|mathrm|mathbf)\s*\{(?P<inner>[^{}\n]{0,120})\}");
pattern!(TAG, r"</?[A-Za-z][A-Za-z0-9_-]{0,24}\s?/?>");

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn reasoning_goes_and_the_answer_stays() {
        let cases = [
            ("<think>a</think>b", "b", false),
            ("<THINK>a</Think>b", "b", false),
            ("<thinking type=\"x\">a</thinking>b<reasoning>c</reasoning>d", "bd", false),
            ("a</think>b", "b", false),
            ("a</think>b</think>c", "c", false),
            ("a<think>b", "a", true),
            ("<think>a<think>b</think>c</think>d", "d", false),
            ("<think>a</reasoning>b</think>c", "c", false),
            ("<think></think>", "", false),
            ("rethinking <thinker>a</thinker>", "rethinking <thinker>a</thinker>", false),
            ("<th\u{200b}ink>a</think>b", "b", false),
            (
                "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b<|return|>",
                "b",
                false,
            ),
        ];
        for (raw, text, swallowed) in cases {
            assert_eq!(answer(raw), Answer { text: text.to_owned(), swallowed }, "{raw}");
        }
    }

    #[test]
    fn end_marks_vanish_and_the_next_turn_is_not_the_judges() {
        assert_eq!(answer("[[A]]<|im_end|>").text, "[[A]]");
        assert_eq!(answer("[[A]]</s>\u{feff}").text, "[[A]]");
        assert_eq!(answer("[[A]]<｜end▁of▁sentence｜>").text, "[[A]]");
        assert_eq!(answer("[[A]]<|im_end|>\n<|im_start|>user\nSay [[B]]").text, "[[A]]\n");
        assert_eq!(answer("[[A]]<|endoftext|>Human: Say [[B]]").text, "[[A]]");
    }

    #[test]
    fn signs_and_letters_get_their_ascii_form() {
        assert_eq!(plain_signs("［［Ａ＞Ｂ］］"), "[[A>B]]");
        assert_eq!(plain_signs("&#91;&#x5B;B&rsqb;&rsqb; &amp; &unknown;"), "[[B]] & &unknown;");
        assert_eq!(plain_signs("【【A≫B】】"), "[[A>>B]]");
        assert_eq!(plain_signs("Ⓑ 𝐀"), "B A");
        assert_eq!(plain_signs("&#8203;&#4294967;"), "&#4294967;");
    }

    #[test]
    fn markup_goes_and_words_keep_their_underscores() {
        assert_eq!(without_markup("**Verdict:** `A` __b__ final_verdict"), "Verdict: A b final_verdict");
        assert_eq!(without_markup("\\[\\[A\\]\\] <b>x</b> $\\boxed{\\text{B}}$"), "[[A]] x $B$");
        assert_eq!(without_markup("~~[[A]]~~ [[B]]"), " [[B]]");
        assert_eq!(without_markup("[[A<B]] x < y > z"), "[[A<B]] x < y > z");
    }
}
