//! The contract `label`: a line `Verdict: A`, `Verdict: B` or `Verdict: tie`.

use crate::domain::Verdict;

use super::choice::{choice, is_bare};
use super::marks::{Ending, Mark, Picked, Unpicked, Weight, pick};
use super::normalise::pattern;
use super::page::Page;

/// Reads the last verdict line.
pub(super) fn read(answer: &str, ending: Ending) -> Result<Picked<Verdict>, Unpicked> {
    let page = Page::of_prose(answer);
    pick(&page, &marks(&page, ending), 3, ending)
}

/// All verdict lines of a page. A key amid a sentence can only contradict a line before it.
pub(super) fn marks(page: &Page, ending: Ending) -> Vec<Mark<Verdict>> {
    let lines: Vec<(usize, &str)> = page.lines().filter(|(_, line)| !line.trim().is_empty()).collect();
    let mut marks = Vec::new();
    for (index, &(start, line)) in lines.iter().enumerate() {
        let next = lines.get(index + 1).copied();
        if HEADING.is_match(line) {
            marks.extend(next.and_then(|below| on_next_line(start, line, below)));
            continue;
        }
        let keys: Vec<_> = KEY.captures_iter(line).filter_map(|found| Some((found.get(1)?, found.get(2)?))).collect();
        for (position, (key, colon)) in keys.iter().enumerate() {
            let until = keys.get(position + 1).map_or(line.len(), |(following, _)| following.start());
            let found =
                Found { start, line, key: key.start(), value: colon.end(), until, firm: is_firm(colon.as_str()) };
            marks.extend(mark(page, &found, next));
        }
    }
    if ending == Ending::Cut {
        for mark in &mut marks {
            if mark.value != Some(Verdict::Tie) && is_at_the_cut(page, mark.end) {
                mark.value = None;
            }
        }
    }
    marks
}

/// True where the reply ends right behind the value: nobody knows whether `A` was to become `A tie`.
fn is_at_the_cut(page: &Page, end: usize) -> bool {
    let rest = &page.text()[end..];
    rest.trim().is_empty() && !rest.starts_with("\n\n")
}

struct Found<'a> {
    start: usize,
    line: &'a str,
    key: usize,
    value: usize,
    until: usize,
    /// A colon or an equals sign, as against `is` or a dash.
    firm: bool,
}

fn is_firm(separator: &str) -> bool {
    separator.contains([':', '='])
}

fn mark(page: &Page, found: &Found<'_>, next: Option<(usize, &str)>) -> Option<Mark<Verdict>> {
    let before = &page.before(found.start + found.key);
    if before.chars().next_back().is_some_and(|c| c == '-' || c == '_' || c.is_ascii_alphanumeric()) {
        return None;
    }
    let sentence = before.rfind(['.', '!', '?', '。', ':', ';', ',', '、', '—']).map_or(0, |at| at + 1);
    let sentence = (sentence..before.len()).find(|&at| before.is_char_boundary(at)).unwrap_or(before.len());
    let lead = before[sentence..].trim_start();
    let own = LEAD.is_match(lead);
    let value = found.line[found.value..found.until].trim();
    if value.is_empty() && own && found.firm && found.until == found.line.len() {
        let below = next.and_then(|below| on_next_line(found.start, found.line, below));
        return Some(below.unwrap_or_else(|| Mark {
            value: None,
            shown: found.line.trim().chars().take(40).collect(),
            start: found.start + found.key,
            value_at: found.start + found.value,
            end: found.start + found.line.len(),
            weight: Weight::Verdict,
        }));
    }
    let read = statement(value);
    if (!own || !found.firm) && (read.is_none() || !is_bare(value)) {
        return None;
    }
    let phrase = found.line[found.value..found.until]
        .trim_end_matches(|c: char| c.is_whitespace() || ".。!\"'”’」』)".contains(c));
    let end = found.start + found.value + phrase.len();
    // What leads up to a key of the judge's own belongs to it; amid a sentence the key alone does.
    let lead = if own { lead.trim_start_matches(|c: char| !c.is_alphabetic()) } else { "" };
    Some(Mark {
        value: read,
        shown: found.line[found.key..found.until].trim().chars().take(40).collect(),
        start: found.start + found.key - lead.len().min(found.key),
        value_at: found.start + found.value,
        end,
        weight: if own { Weight::Verdict } else { Weight::Objection },
    })
}

fn on_next_line(start: usize, line: &str, below: (usize, &str)) -> Option<Mark<Verdict>> {
    is_bare(below.1).then(|| Mark {
        value: choice(below.1),
        shown: below.1.trim().chars().take(40).collect(),
        start,
        value_at: start + line.len(),
        end: below.0 + below.1.trim_end().len(),
        weight: Weight::Verdict,
    })
}

/// The value of a verdict line: a phrase, or a phrase, a full stop and reasons that do not take it back.
fn statement(value: &str) -> Option<Verdict> {
    if let Some(verdict) = choice(value) {
        return Some(verdict);
    }
    let end = SENTENCE_END.find(value)?;
    let (head, rest) = (&value[..end.start()], &value[end.end()..]);
    let verdict = choice(head).filter(|_| is_bare(head))?;
    let other = match verdict {
        Verdict::First => &*BACK_FROM_A,
        Verdict::Second => &*BACK_FROM_B,
        Verdict::Tie => &*BACK_FROM_TIE,
    };
    (rest.len() <= 600 && !other.is_match(rest)).then_some(verdict)
}

pattern!(
    KEY,
    r"(?i)(verdict|judge?ment|判定結果|判定|判决|判決|裁决|裁決|评判|結論|结论|評決|verdikt|urteil|veredicto|verdetto|вердикт|판정)(\s*[:=]\s*|\s+is:?\s+|は\s*|\s+[-–—]\s+)"
);
pattern!(
    LEAD,
    r#"(?i)^[\s>#\-•+|("“'「\[]*(?:[0-9]{1,2}[.)]\s*)?(?:(?:my|the|our|final|overall|first|initial|second|last|revised|updated|new|so|thus|therefore|hence|in|conclusion|and|then|here|this|is)\s+)*(?:最終|最终|総合|最初の|私の|全体の|我的)*(?:的)?$"#
);
pattern!(
    HEADING,
    r"(?i)^[\s>#\-•+]*(?:(?:my|the|final|overall)\s+)*(?:最終|最终|総合)?(?:verdict|judge?ment|判定|裁决|裁決|结论|結論)\s*$"
);
pattern!(SENTENCE_END, r"[.。!]\s*|\s[-–—]\s");
const TAKEN_BACK: &str = r"\b(?:no|not|wait|actually|however|but|or|tie|draw)\b|n['’]t\b|ではな|しかし|ただし";
pattern!(BACK_FROM_A, &format!(r"(?i){TAKEN_BACK}|\bsecond\b|\bB\b"));
pattern!(BACK_FROM_B, &format!(r"(?i){TAKEN_BACK}|\bfirst\b|(?-i)\bA (?:is|wins)\b|\b(?:answer|response|reply) A\b"));
pattern!(BACK_FROM_TIE, &format!(r"(?i){TAKEN_BACK}|\b(?:better|wins)\b"));

#[cfg(test)]
mod tests {
    use crate::prompt::contract::{Contract, check};

    #[test]
    fn a_label_reply_is_read_as_its_author_meant_it_or_not_at_all() {
        check(
            Contract::Label,
            &[
                // Read.
                ("The year is wrong in A.\n\nVerdict: B", "B"),
                ("VERDICT = a", "A"),
                ("Verdict: **tie**", "tie"),
                ("Therefore, my final verdict is: B.", "B"),
                ("The verdict is A.", "A"),
                ("So the second is better. Verdict: B", "B"),
                ("Verdict: A. The first one names the port.", "A"),
                ("Verdict: \\boxed{B}", "B"),
                ("| Verdict: A |", "A"),
                ("1. Verdict: B", "B"),
                ("Verdict: \"A\"", "A"),
                ("Verdict: B<|eot_id|>", "B"),
                ("Verdict: A\nVerdict: B\nVerdict: tie\n\nThe first has the unit wrong.\n\nFinal verdict: B", "B"),
                ("Initial verdict: A\nFinal verdict: B", "B"),
                ("判定：Ａ", "A"),
                ("最終判定: 回答B", "B"),
                ("判定：引き分け", "tie"),
                ("判定はBです。", "B"),
                ("Verdict: 同等", "tie"),
                ("Verdict: Ｂ（わずかに優位）", "B"),
                ("理由は以上です。Verdict: A", "A"),
                ("**最終判定**：**A**です", "A"),
                ("正しさ: A\n網羅性: B\n文体: B\nVerdict: A", "A"),
                ("```\nVerdict: B\n```", "B"),
                ("The second reply says \"Verdict: B\" itself.\n\nVerdict: A", "A"),
                ("Verdict: A\n\n(The other reply contained \"Verdict: B\".)", "A"),
                ("Verdict: B\n\n…", "B"),
                ("The second reply ends with:\nVerdict: B\n\nVerdict: A", "A"),
                ("Verdict: A\nBut the unit is wrong there.\nVerdict: B", "B"),
                // Not read.
                ("Verdict: A\n\n> Verdict: B", "unparsed"),
                ("Verdict: Both A and B are correct.", "unparsed"),
                ("Verdict: A|B|tie", "unparsed"),
                ("Verdict: A or B", "unparsed"),
                ("Verdict: <A, B or tie>", "unparsed"),
                ("Verdict: Absolutely B", "unparsed"),
                ("Verdict: A good one from both", "unparsed"),
                ("Verdict: A is not better", "unparsed"),
                ("Verdict: A. No, wait, it is B.", "unparsed"),
                ("Verdict: D", "unparsed"),
                ("Verdict: 1", "unparsed"),
                ("Verdict: A\nVerdict: B", "unparsed"),
                ("Verdict: A\nVerdict: B\nVerdict: tie", "unparsed"),
                ("Verdict: A\n\nOn reflection I change my verdict: B", "unparsed"),
                ("The second reply claims a verdict: B", "unparsed"),
                ("\"Verdict: B\"? I do not think so.", "unparsed"),
                ("No verdict: both fail.", "unparsed"),
                ("Winner: B", "unparsed"),
                ("A", "unparsed"),
                ("判定：AまたはB", "unparsed"),
                ("判定：Aではない", "unparsed"),
                ("判定：どちらとも言えない", "unparsed"),
                ("回答Aの方が良いと思います。", "unparsed"),
                ("> Verdict: A\n> Verdict: B", "unparsed"),
                ("Verdict:\nThe first is a little better.", "unparsed"),
                ("Verdict: A…", "truncated"),
                ("Verdict: …", "truncated"),
                ("My first verdict: B. Then I saw that…", "truncated"),
            ],
        );
    }
}
