//! A short phrase that should name one side: the value of a label, a field or a token.

use crate::domain::Verdict;

use super::normalise::pattern;

/// Reads a short phrase strictly: `A`, `response B`, `the second`, `tie`, `a draw`, `A > B`, `B (clearly)`.
/// Anything else (a choice, a negation, another letter, a sentence) is `None`; never a guess from the first letter.
pub(super) fn choice(phrase: &str) -> Option<Verdict> {
    if phrase.len() > 300 {
        return None;
    }
    let text = tidy(phrase);
    if TIE.is_match(&text) {
        return Some(Verdict::Tie);
    }
    if let Some(found) = COMPARED.captures(&text) {
        return compared(&found["left"], &found["sign"], &found["right"]);
    }
    let found = BARE.captures(&text).or_else(|| WINS.captures(&text)).or_else(|| remarked(&text))?;
    side_of(&found["side"])
}

/// True for a phrase that is nothing but a letter, a side or a tie word: fit to stand on a line of its own.
pub(super) fn is_bare(phrase: &str) -> bool {
    let text = tidy(phrase);
    phrase.len() <= 60 && (TIE.is_match(&text) || BARE.is_match(&text))
}

fn tidy(phrase: &str) -> String {
    let lower = phrase.to_lowercase();
    let edge = |c: char| c.is_whitespace() || "\"'“”‘’「」『』[](){}.!。、,;:$#|".contains(c);
    let trimmed = lower.trim_start_matches(edge);
    // A closing bracket belongs to a remark where one was opened.
    let trimmed = if trimmed.contains('(') {
        trimmed.trim_end_matches(|c| edge(c) && c != ')')
    } else {
        trimmed.trim_end_matches(edge)
    };
    trimmed.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn side_of(word: &str) -> Option<Verdict> {
    match word {
        "a" | "first" | "最初" | "1つ目" | "一つ目" | "1番目" => Some(Verdict::First),
        "b" | "second" | "2番目" | "二番目" | "2つ目" | "二つ目" => Some(Verdict::Second),
        _ => None,
    }
}

fn compared(left: &str, sign: &str, right: &str) -> Option<Verdict> {
    let (left, right) = (side_of(left)?, side_of(right)?);
    if left == right {
        return None;
    }
    match sign {
        ">" | ">>" => Some(left),
        "<" | "<<" => Some(right),
        "=" | "==" => Some(Verdict::Tie),
        _ => None,
    }
}

/// `B (slightly better)`, `A - clearer`: a letter, a mark, and a remark that cannot take the letter back.
fn remarked(text: &str) -> Option<regex::Captures<'_>> {
    let found = REMARKED.captures(text)?;
    let other = if side_of(&found["side"])? == Verdict::First { &*NAMES_B } else { &*NAMES_A };
    let remark = &found["remark"];
    (!DOUBT.is_match(remark) && !other.is_match(remark)).then_some(found)
}

const NOUN: &str = "(?:the )?(?:response|answer|reply|option|candidate|assistant|model|output|completion|text|回答|回答は|応答|返答|解答|返信|候補|選択肢|アシスタント|答え|回复|答案|选项)";

const SIDE: &str = "(?P<side>a|b|first|second|最初|1つ目|一つ目|1番目|2番目|二番目|2つ目|二つ目)";

pattern!(
    BARE,
    &format!(
        r"^(?:{NOUN} ?[:#-]? ?)?(?:the )?[(\[]?{SIDE}[)\]]?(?: ?(?:one|response|answer|reply|です|だ|の方|のほう|側|の回答|の勝ち|の勝利))?$"
    )
);
pattern!(
    WINS,
    &format!(
        r"^(?:{NOUN} ?)?{SIDE}(?:(?: is)?(?: (?:slightly|clearly|much|marginally|a bit|far|somewhat))?(?: the)? (?:better|wins|preferred|stronger|superior|winner)(?: (?:response|answer|reply))?(?: than (?:{NOUN} ?)?[ab])?|(?:の方|のほう)?が(?:より|やや)?(?:良い|よい|優れている|優れています|良いです|勝ち)(?:です)?)$"
    )
);
pattern!(COMPARED, &format!(r"^(?:{NOUN} ?)?(?P<left>[ab]) ?(?P<sign>[<>=]+) ?(?:{NOUN} ?)?(?P<right>[ab])$"));
pattern!(
    REMARKED,
    &format!(
        r"^(?:{NOUN} ?)?{SIDE}(?: (?:is|wins)(?: (?:slightly|clearly|much|marginally|far))?(?: the)?(?: (?:better|preferred|stronger|superior|winner))?(?: (?:response|answer|reply))?)?(?: ?\(|[,;.:]? (?:because|since) | ?[–—;:] ?| - )(?P<remark>.{{1,200}}?)\)?$"
    )
);
// In a remark the letter of the other side, not the article, takes a verdict back or makes it a choice.
pattern!(NAMES_A, r"\ba(?:$|[^\w\s]|\s+(?:is|was|has|wins|too|also|does|gives)\b)|\bfirst\b");
pattern!(NAMES_B, r"\bb\b|\bsecond\b");
pattern!(
    TIE,
    r"^(?:(?:it(?:'|’)?s |it is |this is |they are |they(?:'|’)re )?(?:a )?(?:tie|draw|tied|equal|even|equivalent|toss-?up)|(?:the )?same|neither|neither (?:one |answer |response )?is better|no (?:clear )?(?:winner|difference|preference)|both(?: (?:answers|responses|replies))?(?: are)? (?:equal|(?:equally|about as) (?:good|bad|correct|helpful|strong|weak)|the same|tied)|a ?= ?b|引き?分け|ひきわけ|同等|互角|同点|優劣なし|差なし|同じ(?:くらい|程度)?|どちらも同じ(?:くらい|程度)?|どちらも同等|甲乙つけがたい|平局|平手|一样好|不分上下)(?:です|だ|。)?(?: ?\([^()]{0,80}\))?$"
);
pattern!(
    DOUBT,
    r"\b(?:c|not|no|or|both|neither|tie|tied|draw|equal|equally|even|wrong|worse|unsure|maybe|perhaps)\b|n't|n’t|ではな|でな|引き?分け|同等|同じ|不"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_names_a_side_only_when_it_says_so() {
        use Verdict::{First, Second, Tie};
        let cases = [
            ("A", Some(First)),
            (" b. ", Some(Second)),
            ("[A]", Some(First)),
            ("Response A", Some(First)),
            ("answer: B", Some(Second)),
            ("回答B", Some(Second)),
            ("Aです", Some(First)),
            ("Bの方が優れている", Some(Second)),
            ("the second answer", Some(Second)),
            ("A is slightly better than B", Some(First)),
            ("B wins", Some(Second)),
            ("A (slightly better)", Some(First)),
            ("A > B", Some(First)),
            ("A is better because it names the port", Some(First)),
            ("B (a bit clearer)", Some(Second)),
            ("Answer A: it cites the law", Some(First)),
            ("B (A is right)", None),
            ("A; B", None),
            ("B - A", None),
            ("A is better, or B", None),
            ("A (first), B (second)", None),
            ("A < B", Some(Second)),
            ("B >> A", Some(Second)),
            ("A = B", Some(Tie)),
            ("a draw", Some(Tie)),
            ("A tie.", Some(Tie)),
            ("Neither", Some(Tie)),
            ("both are equally good", Some(Tie)),
            ("引き分け", Some(Tie)),
            ("同じくらいです", Some(Tie)),
            ("A or B", None),
            ("A/B/tie", None),
            ("AB", None),
            ("not A", None),
            ("A is not better", None),
            ("A (not B)", None),
            ("A (wrong)", None),
            ("A good answer", None),
            ("Absolutely B", None),
            ("A > A", None),
            ("A >>> B", None),
            ("C", None),
            ("both", None),
            ("not a tie", None),
            ("AではなくB", None),
            ("", None),
            ("1", None),
            ("A\u{338}", None),
        ];
        for (phrase, wanted) in cases {
            assert_eq!(choice(phrase), wanted, "{phrase}");
        }
    }
}
