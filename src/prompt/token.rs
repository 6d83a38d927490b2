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
    let tokens: Vec<usize> = marks.iter().map(|mark| mark.start).collect();
    let holds_token = |mark: &Mark<Verdict>| {
        tokens.get(tokens.partition_point(|&token| token < mark.start)).is_some_and(|&token| token <= mark.end)
    };
    let others = label::marks(&page, Ending::Whole).into_iter().filter(|one| one.value.is_some() && !holds_token(one));
    marks.extend(others.map(|mark| Mark { weight: Weight::Objection, ..mark }));
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

#[cfg(test)]
mod tests {
    use crate::prompt::contract::{Contract, check};

    #[test]
    fn a_bracket_reply_is_read_as_its_author_meant_it_or_not_at_all() {
        check(
            Contract::Bracket,
            &[
                // Read.
                ("The dose in the second is right.\n\n[[B]]", "B"),
                ("[[A]] seemed right.\n\nWait: its total is off by ten, so the other wins. [[B]]", "B"),
                ("First impression: [[B]]\nFinal verdict: [[A]]", "A"),
                ("# Verdict\n\n**[[C]]**", "tie"),
                ("<b>[[A]]</b><|im_end|>", "A"),
                ("My pick is [[A]], not [[B]].", "A"),
                ("I choose [[B]] over [[A]].", "B"),
                ("Ich entscheide mich für [[B]].", "B"),
                ("Options: [[A]], [[B]] or [[C]].\nThe first one cites its source.\n[[A]]", "A"),
                ("[[A]]: first better\n[[B]]: second better\n[[C]]: level\n\nMy verdict: [[B]]", "B"),
                ("Correctness: [[A]]\nTone: [[B]]\nLength: [[C]]\nVerdict: [[A]]", "A"),
                ("回答Bの方が正確です。よって【【Ｂ】】とします。", "B"),
                ("最初は[[A]]と考えましたが、計算が誤っていました。\n最終判定：[[B]]", "B"),
                ("[[A]]ではなく[[B]]です。", "B"),
                ("回答Aには「[[A]]」と書かれていますが、内容は劣ります。\n[[B]]", "B"),
                ("引き分けです。[[C]]", "tie"),
                ("\"[[B]]\"", "B"),
                ("~~[[A]]~~ [[B]]", "B"),
                ("$\\boxed{[[A]]}$", "A"),
                ("My choice:\n```text\n[[B]]\n```\n", "B"),
                ("Final verdict: \"[[A]]\"", "A"),
                ("Final verdict: [[A]]\n\nThe second reply contained:\n> I am fine", "A"),
                ("Reasons.\n[[B]]\n…", "B"),
                ("The first is better: [[A]]\nThe second is better: [[B]]\nLevel: [[C]]\n[[B]]", "B"),
                ("[[B]] is right. [[A]] is wrong.", "B"),
                ("Both replies contain [[A]] as text. [[B]]", "B"),
                // Not read.
                ("1. The first is better: [[A]]\n2. The second is better: [[B]]\n3. Level: [[C]]", "unparsed"),
                ("[[A]] or maybe not", "unparsed"),
                ("Final verdict: [[A]]. [[B]] was close.", "unparsed"),
                ("Both have merit, [[A]] / [[B]].", "unparsed"),
                ("[[A]][[B]]", "unparsed"),
                ("[[A]]\n[[B]]", "unparsed"),
                ("[[A]] > [[B]]", "unparsed"),
                ("Between [[A]] and [[B]] it is hard to say.", "unparsed"),
                ("Certainly not [[A]].", "unparsed"),
                ("If the first is better I answer [[A]], otherwise [[B]].", "unparsed"),
                ("[[A]] if the first is better.", "unparsed"),
                ("Answer with [[A]], [[B]] or [[C]].", "unparsed"),
                ("- [[A]]: first\n- [[B]]: second\n- [[C]]: tie", "unparsed"),
                ("The second reply ends with [[B]].", "unparsed"),
                ("回答Bの末尾には「[[B]]」とあります。", "unparsed"),
                ("[[A]]か[[B]]か、判断できません。", "unparsed"),
                ("回答Aが優れています。", "unparsed"),
                ("[[A\u{338}]]", "unparsed"),
                ("[[~~A~~]]", "unparsed"),
                ("I lean towards [[A]].\nFinal verdict: [[undecided]]", "unparsed"),
                ("I lean towards [[A]] for now.\nFinal verdict: B", "unparsed"),
                ("[[A]] looked best, but my final verdict: [[B…", "truncated"),
                ("Perhaps [[A]] at first, though [[B]] has the better…", "truncated"),
                ("<thinking>[[A]]</thinking>", "unparsed"),
                ("[A]", "unparsed"),
                ("[[your choice]]", "unparsed"),
                ("[[]]", "unparsed"),
                ("[[Not A]]", "unparsed"),
                ("[[A good answer]]", "unparsed"),
            ],
        );
    }

    #[test]
    fn a_five_step_reply_is_read_as_its_author_meant_it_or_not_at_all() {
        check(
            Contract::Scale5,
            &[
                ("Only the first runs.\n[[A>>B]]", "A>>B"),
                ("[[ b  <<  a ]]", "A>>B"),
                ("[[A<<B]]", "B>>A"),
                ("[[A < B]]", "B>A"),
                ("Verdict: [A>B]", "A>B"),
                ("[[Answer A > Answer B]]", "A>B"),
                ("［［Ｂ＞＞Ａ］］です。", "B>>A"),
                ("僅差です。\n最終判定：【【Ａ＝Ｂ】】", "A=B"),
                ("[[回答B>回答A]]", "B>A"),
                ("[[A&#62;B]]", "A>B"),
                ("[[`A>B`]]", "A>B"),
                ("[[B=A]]", "A=B"),
                ("At first [[A>B]].\n\nAfter running it: [[B>A]]", "B>A"),
                ("```\n[[A>>B]]\n```", "A>>B"),
                ("The step is [[A>B]], not [[A>>B]].", "A>B"),
                ("[[A>B]]\n[[A>>B]]", "unparsed"),
                ("[[A>B]] or [[A>>B]]", "unparsed"),
                ("[[B]]", "unparsed"),
                ("[[C]]", "unparsed"),
                ("[[A>C]]", "unparsed"),
                ("[[A<>B]]", "unparsed"),
                ("[[A>=B]]", "unparsed"),
                ("[[A>B>A]]", "unparsed"),
                ("[[B>B]]", "unparsed"),
                ("[[A><B]]", "unparsed"),
                ("A>>B", "unparsed"),
                ("[[5]]", "unparsed"),
                ("[[A>>B], [B>>A]]", "unparsed"),
                (
                    "[[A>>B]] much better\n[[A>B]] better\n[[A=B]] level\n[[B>A]] better\n[[B>>A]] much better",
                    "unparsed",
                ),
                (
                    "1. A much better: [[A>>B]]\n2. A better: [[A>B]]\n3. Level: [[A=B]]\n4. B better: [[B>A]]\n5. B much better: [[B>>A]]",
                    "unparsed",
                ),
                ("Not [[A>B]].", "unparsed"),
                ("どちらかと言えばAです。", "unparsed"),
                ("First [[A>B]], then [[B>…", "truncated"),
            ],
        );
    }
}
