//! The contracts `bracket` and `scale5`: a token in double brackets.

use crate::domain::Verdict;

use super::choice::choice;
use super::label;
use super::marks::{Ending, Mark, Picked, Unpicked, Weight, pick};
use super::normalise::pattern;
use super::page::{Page, Standing, key_rank};

/// Reads `[[A]]`, `[[B]]`, `[[C]]`; C is the tie.
pub(super) fn read_bracket(answer: &str, ending: Ending) -> Result<Picked<Verdict>, Unpicked> {
    let page = Page::of_prose(answer);
    let mut marks = tokens(&page, bracket_value);
    // `Final verdict: B` has another form than asked; it cannot be read, yet it can contradict a token before it.
    marks.extend(
        label::marks(&page, Ending::Whole)
            .into_iter()
            .filter(|mark| mark.value.is_some())
            .map(|mark| Mark { weight: Weight::Objection, ..mark }),
    );
    marks.sort_by_key(|mark| mark.start);
    pick(&page, &marks, 3, ending)
}

fn bracket_value(inner: &str) -> Option<Verdict> {
    if inner.trim().eq_ignore_ascii_case("c") { Some(Verdict::Tie) } else { choice(inner) }
}

/// A step of the five-step scale, by slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Grade {
    /// The better slot.
    pub verdict: Verdict,
    /// As it is written in every file.
    pub name: &'static str,
}

/// Reads `[[A>>B]]`, `[[A>B]]`, `[[A=B]]`, `[[B>A]]`, `[[B>>A]]` and their mirror images.
pub(super) fn read_scale5(answer: &str, ending: Ending) -> Result<Picked<Grade>, Unpicked> {
    let page = Page::of_prose(answer);
    pick(&page, &tokens(&page, grade), 4, ending)
}

fn grade(inner: &str) -> Option<Grade> {
    let compact: String = NOUN.replace_all(inner, "").to_lowercase().split_whitespace().collect();
    let step = STEP.captures(&compact)?;
    let (left, sign, right) = (&step["left"], &step["sign"], &step["right"]);
    if left == right {
        return None;
    }
    let (verdict, name) = match (left, sign) {
        ("a", ">>") | ("b", "<<") => (Verdict::First, "A>>B"),
        ("a", ">") | ("b", "<") => (Verdict::First, "A>B"),
        (_, "=" | "==") => (Verdict::Tie, "A=B"),
        ("b", ">") | ("a", "<") => (Verdict::Second, "B>A"),
        ("b", ">>") | ("a", "<<") => (Verdict::Second, "B>>A"),
        _ => return None,
    };
    Some(Grade { verdict, name })
}

/// All tokens on the page, in order. Double brackets that hold no attempt at a verdict (`[[1], [2]]`) are none.
fn tokens<V>(page: &Page, value: impl Fn(&str) -> Option<V>) -> Vec<Mark<V>> {
    let mut marks = Vec::new();
    for found in TOKEN.captures_iter(page.text()) {
        let (Some(whole), Some(inner)) = (found.get(0), found.get(1)) else { continue };
        let closed = found.get(2).is_some();
        let read = value(inner.as_str());
        let unfinished = !closed && (read.is_some() || PARTIAL.is_match(inner.as_str()));
        let stray = closed
            && read.is_none()
            && (ATTEMPT.is_match(inner.as_str())
                || page.standing(whole.start(), whole.end()) == Standing::Alone && WORDS.is_match(inner.as_str()));
        let whole_token = closed && read.is_some();
        if !(unfinished || stray || whole_token) {
            continue;
        }
        marks.push(Mark {
            value: read.filter(|_| closed),
            shown: shown(whole.as_str()),
            start: whole.start(),
            value_at: whole.start(),
            end: whole.end(),
            weight: Weight::Verdict,
        });
    }
    for found in SINGLE.captures_iter(page.text()) {
        let (Some(whole), Some(inner)) = (found.get(1), found.get(2)) else { continue };
        // One pair of brackets is a slip only where the line says that this is the verdict.
        if key_rank(page.before(whole.start())) == 0 || page.text()[..whole.start()].ends_with('[') {
            continue;
        }
        marks.push(Mark {
            value: value(inner.as_str()),
            shown: shown(whole.as_str()),
            start: whole.start(),
            value_at: whole.start(),
            end: whole.end(),
            weight: Weight::Verdict,
        });
    }
    marks.sort_by_key(|mark| mark.start);
    marks
}

fn shown(text: &str) -> String {
    text.trim().chars().take(40).collect()
}

pattern!(TOKEN, r"\[[ \t]*\[([^\[\]\n]{0,60})(\][ \t]*\])?");
pattern!(SINGLE, r"(?:^|[^\[\n])(\[([^\[\]\n]{1,30})\])(?:[^\]\[(]|$)");
pattern!(PARTIAL, r"(?i)^\s*(?:[abc]\s*[<>=]*\s*)?$");
pattern!(
    ATTEMPT,
    r"(?i)^\s*(?:[a-z]|[abc]{2,3}|[?_.… -]*|(?:[abc]\b.*[/|,<>=].*)|.*\b(?:not|or|and|verdict|winner|option|letter|your|choice|tie|response|answer|reply)\b.*)\s*$"
);
pattern!(WORDS, r"^[\p{L} /|'?-]{1,60}$");
pattern!(NOUN, r"(?i)\b(?:response|answer|reply|assistant|option|model)\b|回答|応答|返答");
pattern!(STEP, r"^(?P<left>[ab])(?P<sign>[<>=]{1,3})(?P<right>[ab])$");
