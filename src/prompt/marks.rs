//! Rules 3 to 6: which of the verdict-shaped places in a reply is the judge's verdict.

use super::normalise::pattern;
use super::page::{Page, Place, Standing, key_rank};

/// A place that looks like a verdict.
#[derive(Debug, Clone)]
pub(super) struct Mark<V> {
    /// What it says; `None` for a choice, a placeholder, a letter outside the set.
    pub value: Option<V>,
    /// As written, for the explanation.
    pub shown: String,
    /// Where it begins in the page, in bytes, a key of its own included.
    pub start: usize,
    /// Where its value begins.
    pub value_at: usize,
    /// Where it ends.
    pub end: usize,
    /// Whether it can be the verdict, or only speak against one.
    pub weight: Weight,
}

/// What a mark may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    /// It has the asked form.
    Verdict,
    /// It has another form: it can contradict a verdict before it, never be one.
    Objection,
}

/// Why no verdict could be picked.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unpicked {
    /// Nothing looks like a verdict.
    Nothing,
    /// Something does, and it is none, for this reason.
    Because(String),
}

/// A picked verdict.
#[derive(Debug)]
pub(super) struct Picked<V> {
    pub value: V,
    pub why: String,
}

/// How many marks from the end are looked at. A reply with more is a list or an attack;
/// what lies further back is a thought on the way in any case.
const LOOKED_AT: usize = 256;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Stands,
    Echo,
    Negated,
}

struct Seen<'a, V> {
    mark: &'a Mark<V>,
    place: Place,
    standing: Standing,
    rank: u8,
    line: usize,
    fate: Fate,
    choice: bool,
}

/// Picks the judge's own last verdict, or says why there is none. `cut` is true where the reply was cut off.
pub(super) fn pick<V: Copy + PartialEq>(
    page: &Page,
    marks: &[Mark<V>],
    options: usize,
    ending: Ending,
) -> Result<Picked<V>, Unpicked> {
    let marks = &marks[marks.len().saturating_sub(LOOKED_AT)..];
    if marks.iter().all(|mark| mark.weight == Weight::Objection) {
        return Err(Unpicked::Nothing);
    }
    let mut seen: Vec<Seen<'_, V>> = marks.iter().map(|mark| look(page, mark)).collect();
    strike_sentences(page, &mut seen, options);
    strike_lists(&mut seen, options);
    decide(page, &seen, ending)
}

/// How the reply ended, as far as the reading of marks cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// The model was done.
    Whole,
    /// The token limit cut it off.
    Cut,
}

fn look<'a, V>(page: &Page, mark: &'a Mark<V>) -> Seen<'a, V> {
    let negated = NEGATED_BEFORE.is_match(page.before(mark.start)) || NEGATED_BEHIND.is_match(page.behind(mark.end));
    let conditional = IF_BEHIND.is_match(page.behind(mark.end)) || IF_BEFORE.is_match(page.before(mark.start));
    Seen {
        mark,
        place: page.place(mark.start, mark.end),
        standing: page.standing(mark.start, mark.end),
        rank: key_rank(page.before(mark.value_at)),
        line: page.ordinal(mark.start),
        fate: match (negated, conditional) {
            (true, _) => Fate::Negated,
            (false, true) => Fate::Echo,
            (false, false) => Fate::Stands,
        },
        choice: false,
    }
}

/// Within one sentence: all options are an echoed list, two with nothing but a link between them are a choice,
/// two under a condition are instructions.
fn strike_sentences<V: Copy + PartialEq>(page: &Page, seen: &mut [Seen<'_, V>], options: usize) {
    let mut from = 0;
    while from < seen.len() {
        let mut to = from + 1;
        while to < seen.len() && !SENTENCE_END.is_match(gap(page, seen, to)) {
            to += 1;
        }
        strike_sentence(page, &mut seen[from..to], options);
        from = to;
    }
}

fn gap<'p, V>(page: &'p Page, seen: &[Seen<'_, V>], index: usize) -> &'p str {
    page.text().get(seen[index - 1].mark.end..seen[index].mark.start).unwrap_or("")
}

fn strike_sentence<V: Copy + PartialEq>(page: &Page, seen: &mut [Seen<'_, V>], options: usize) {
    let kinds = distinct(seen);
    if kinds < 2 {
        return;
    }
    let conditional = IF_ANYWHERE.is_match(page.before(seen[0].mark.start));
    if kinds >= options || conditional {
        for one in seen.iter_mut() {
            one.fate = Fate::Echo;
        }
        return;
    }
    for index in 1..seen.len() {
        let differ = seen[index].mark.value != seen[index - 1].mark.value;
        if differ && seen[index - 1].fate == Fate::Stands && LINK.is_match(gap(page, seen, index)) {
            seen[index - 1].choice = true;
            seen[index].choice = true;
        }
    }
}

/// Neighbouring lines that together hold all options are an echoed list, whatever words stand on them.
fn strike_lists<V: Copy + PartialEq>(seen: &mut [Seen<'_, V>], options: usize) {
    let mut from = 0;
    while from < seen.len() {
        let mut to = from + 1;
        while to < seen.len() && seen[to].line <= seen[to - 1].line + 1 {
            to += 1;
        }
        strike_list(&mut seen[from..to], options);
        from = to;
    }
}

fn strike_list<V: Copy + PartialEq>(run: &mut [Seen<'_, V>], options: usize) {
    if distinct(run) < options {
        return;
    }
    // `Verdict: A` below the options, or below lines of another shape, is the verdict and not the list's last line.
    let list = match run.split_last_mut() {
        Some((last, list))
            if last.standing == Standing::Alone && distinct(list) >= options && stands_out(last, list) =>
        {
            list
        }
        _ => run,
    };
    for one in list {
        one.fate = Fate::Echo;
    }
}

fn stands_out<V>(last: &Seen<'_, V>, list: &[Seen<'_, V>]) -> bool {
    list.iter().all(|one| one.rank < last.rank) || list.iter().all(|one| one.standing != Standing::Alone)
}

fn distinct<V: Copy + PartialEq>(seen: &[Seen<'_, V>]) -> usize {
    let mut kinds: Vec<V> = Vec::new();
    for value in seen.iter().filter_map(|one| one.mark.value) {
        if !kinds.contains(&value) {
            kinds.push(value);
        }
    }
    kinds.len()
}

fn decide<V: Copy + PartialEq>(page: &Page, seen: &[Seen<'_, V>], ending: Ending) -> Result<Picked<V>, Unpicked> {
    let because = |text: String| Err(Unpicked::Because(text));
    let standing = |one: &&Seen<'_, V>| one.fate == Fate::Stands && one.place != Place::Quoted;
    let own = |one: &&Seen<'_, V>| standing(one) && one.place == Place::Own;
    let verdict = |one: &&Seen<'_, V>| one.mark.weight == Weight::Verdict;
    let Some(last) = seen
        .iter()
        .rfind(|one| own(one) && verdict(one))
        .or_else(|| seen.iter().rfind(|one| standing(one) && verdict(one)))
    else {
        return because(why_none(seen));
    };
    if last.choice {
        return because(format!("a choice between verdicts at {} is no verdict", spot(page, last)));
    }
    let Some(value) = last.mark.value else {
        return because(format!("{} is not one of the asked verdicts", spot(page, last)));
    };
    let differs = |one: &&Seen<'_, V>| one.mark.value != Some(value);
    let later = |one: &&Seen<'_, V>| one.mark.start > last.mark.start;
    if let Some(other) = seen.iter().find(|one| later(one) && standing(one) && differs(one)) {
        return because(format!("{} is followed by {}, and they disagree", spot(page, last), spot(page, other)));
    }
    if seen.iter().any(|one| later(&one) && one.fate == Fate::Negated && one.mark.value == Some(value)) {
        return because(format!("{} is taken back afterwards", spot(page, last)));
    }
    let earlier = |one: &&Seen<'_, V>| one.mark.start < last.mark.start;
    let before: Vec<_> =
        seen.iter().filter(|one| earlier(one) && standing(one) && one.place == last.place && differs(one)).collect();
    if let Some(other) = before.iter().rfind(|one| one.mark.value.is_some()) {
        let mention = matches!(last.standing, Standing::Mid | Standing::Opening);
        let beside = last.line <= other.line + 1
            && last.standing == other.standing
            && last.rank <= other.rank
            && matches!(last.standing, Standing::Alone | Standing::Opening);
        let weaker = mention && other.standing == Standing::Alone || last.rank < other.rank;
        if beside || weaker {
            return because(format!("{} and {} stand against each other", spot(page, other), spot(page, last)));
        }
        if ending == Ending::Cut && last.standing != Standing::Alone {
            return because(format!(
                "the reply was cut off while {} and {} disagree",
                spot(page, other),
                spot(page, last)
            ));
        }
    }
    Ok(Picked {
        value,
        why: format!("read {}{}", spot(page, last), if before.is_empty() { "" } else { ", the last verdict" }),
    })
}

fn spot<V>(page: &Page, one: &Seen<'_, V>) -> String {
    format!("`{}` on line {}", one.mark.shown, page.line_number(one.mark.start))
}

fn why_none<V>(seen: &[Seen<'_, V>]) -> String {
    if seen.iter().any(|one| one.fate == Fate::Negated) {
        return "the only verdict is a negated one".to_owned();
    }
    if seen.iter().any(|one| one.fate == Fate::Echo) {
        return "only the list of possible verdicts is repeated".to_owned();
    }
    "the only verdict is quoted from a text that was judged".to_owned()
}

pattern!(
    NEGATED_BEFORE,
    r"(?i)(?:\b(?:not|never|cannot be|instead of|rather than|than|over|against|beats|ruled out|rule out)|n['’]t(?: be)?|不是|并非)\s*[\x22'“「(]?$"
);
pattern!(
    NEGATED_BEHIND,
    r"(?i)^[\x22'”」)]?\s*(?:では?な[いく]|じゃな[いく]|(?:is|was|would be|seems|looks) (?:not|wrong|incorrect)\b|or (?:maybe |perhaps )?not\b|isn['’]t\b|不对|不是)"
);
pattern!(
    IF_BEHIND,
    r"(?i)^[\x22'”」)]?\s*[,:;=-]?\s*(?:if|when|means|should|for a tie\b|の場合|なら|(?:は|を意味|とは)[^。\n]{0,30}(?:場合|意味))"
);
pattern!(
    IF_BEFORE,
    r"(?i)(?:\b(?:if|when)\b[^.!?\n]{0,100}(?:write|answer|output|say|choose|use|reply|then|:|->|→)|場合は?|なら)\s*[,、:]?\s*[\x22'“「]?$"
);
pattern!(
    IF_ANYWHERE,
    r"(?i)\b(?:if|whether|either|options?|one of|choose between|choices|exactly one)\b[^.!?\n]*$|選択肢|いずれか|どれか|どちらか"
);
pattern!(SENTENCE_END, r"[.!?。!?;]|\n");
pattern!(
    LINK,
    r"(?i)^[^\p{L}\p{N}]{0,12}(?:(?:or|and|and/or|or maybe|or perhaps|vs|versus|to|または|又は|もしくは|あるいは|か|と|や|还是|或|或者|和)[^\p{L}\p{N}]{0,12})?$"
);
