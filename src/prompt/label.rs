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
    let whole_to = match ending {
        Ending::Whole => usize::MAX,
        // Without a line end behind it nobody knows whether `A` was to become `A tie`.
        Ending::Cut => page.text().trim_end_matches('\n').len(),
    };
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
    for mark in &mut marks {
        if mark.end >= whole_to
            && ending == Ending::Cut
            && mark.value != Some(Verdict::Tie)
            && !page_ends_line(page, mark.end)
        {
            mark.value = None;
        }
    }
    marks
}

/// True where something that ends a line or a sentence stands behind the value.
fn page_ends_line(page: &Page, end: usize) -> bool {
    page.text()[..end].ends_with(['.', '。', '!', ')']) || page.text()[end..].starts_with("\n\n")
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
    let end = found.start + found.value + found.line[found.value..found.until].trim_end().len();
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
