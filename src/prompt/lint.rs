//! What is wrong with a judge prompt file, and what is unwise about it.

use std::collections::BTreeSet;

use crate::domain::{Digest, Notice, nearest};

use super::contract::Contract;
use super::normalise::pattern;
use super::template::{JudgePrompt, Part, Piece, Slot, stem};

/// Every finding about a judge prompt: errors refuse it, warnings make its verdicts worth less.
pub fn lint(text: &str, origin: &str) -> Vec<Notice> {
    inspect(text, origin, None).notices
}

/// A prompt as far as it could be read, with all findings.
pub(super) struct Inspected {
    pub prompt: JudgePrompt,
    pub notices: Vec<Notice>,
}

const KEYS: [&str; 4] = ["id", "version", "language", "contract"];

/// Reads a prompt text; never fails, the findings tell.
pub(super) fn inspect(text: &str, origin: &str, given: Option<Contract>) -> Inspected {
    let mut notices = Vec::new();
    let digest = Digest::of(text.as_bytes());
    let clean = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    let front = front_matter(&clean, &mut notices);
    if !front.present {
        let text = "no front matter; add id, version, language and contract between two `---` lines";
        notices.push(Notice::warning(Some(1), None, text));
    }
    let contract = contract(&front, given, &mut notices);
    if front.present && front.language.is_none() {
        notices.push(Notice::warning(
            Some(1),
            Some("language"),
            "no language is given; add `language: en` or `language: ja`",
        ));
    }
    if front.present && front.version.is_none() {
        notices.push(Notice::warning(
            Some(1),
            Some("version"),
            "no version is given; add `version: 1` and raise it with every change",
        ));
    }
    let parts = parts(front.body, front.body_line, &mut notices);
    check_slots(&parts, &mut notices);
    check_wording(front.body, contract, &mut notices);
    let prompt = JudgePrompt {
        id: front.id.unwrap_or_else(|| stem(origin)),
        version: front.version.unwrap_or_else(|| "unversioned".to_owned()),
        language: front.language,
        contract,
        warnings: Vec::new(),
        parts,
        digest,
    };
    Inspected { prompt, notices }
}

pub(super) struct FrontMatter<'a> {
    present: bool,
    pub id: Option<String>,
    pub version: Option<String>,
    language: Option<String>,
    pub contract: Option<(u64, String)>,
    pub body: &'a str,
    /// Physical line on which the body starts.
    pub body_line: u64,
}

pub(super) fn front_matter<'a>(text: &'a str, notices: &mut Vec<Notice>) -> FrontMatter<'a> {
    let mut front = FrontMatter {
        present: false,
        id: None,
        version: None,
        language: None,
        contract: None,
        body: text,
        body_line: 1,
    };
    let Some(rest) = text.strip_prefix("---\n") else { return front };
    front.present = true;
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut offset = 0;
    for (number, raw) in (2..).zip(rest.split_inclusive('\n')) {
        offset += raw.len();
        let line = raw.trim();
        if line == "---" {
            front.body = &rest[offset..];
            front.body_line = number + 1;
            return front;
        }
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let Some((key, value)) = line.split_once(':') else {
            notices.push(Notice::error(Some(number), None, format!("front matter: {line:?} is not `key: value`")));
            continue;
        };
        let (key, value) = (key.trim(), value.trim().trim_matches(['"', '\'']).to_owned());
        if !seen.insert(key) {
            notices.push(Notice::error(Some(number), Some(key), format!("front matter: {key:?} is given twice")));
        }
        if value.is_empty() {
            notices.push(Notice::error(Some(number), Some(key), format!("front matter: {key:?} has no value")));
            continue;
        }
        match key {
            "id" => front.id = Some(value),
            "version" => front.version = Some(value),
            "language" => front.language = Some(value),
            "contract" => front.contract = Some((number, value)),
            other => {
                let near = nearest(other, KEYS).map_or_else(String::new, |near| format!("; did you mean {near:?}?"));
                notices.push(Notice::warning(
                    Some(number),
                    Some(other),
                    format!("front matter: {other:?} is unknown and ignored{near}"),
                ));
            }
        }
    }
    notices.push(Notice::error(Some(1), None, "the front matter is never closed; end it with a line `---`"));
    front
}

fn contract(front: &FrontMatter<'_>, given: Option<Contract>, notices: &mut Vec<Notice>) -> Contract {
    let names = Contract::ALL.map(Contract::as_str);
    let Some((line, name)) = &front.contract else {
        if given.is_none() {
            let text = "no contract is given, so replies are read as `bracket`; add `contract: bracket`, json, label or scale5";
            notices.push(Notice::warning(Some(1), Some("contract"), text));
        }
        return given.unwrap_or(Contract::Bracket);
    };
    let Some(stated) = Contract::parse(name) else {
        let near = nearest(name, names).map_or_else(String::new, |near| format!("; did you mean {near:?}?"));
        let text = format!("contract {name:?} is unknown; wanted one of {}{near}", names.join(", "));
        notices.push(Notice::error(Some(*line), Some("contract"), text));
        return given.unwrap_or(Contract::Bracket);
    };
    if let Some(other) = given.filter(|other| *other != stated) {
        let text = format!("the file states contract {stated}, and {other} was asked for");
        notices.push(Notice::error(Some(*line), Some("contract"), text));
    }
    stated
}

/// Splits the body at `--- system` and `--- user` lines and finds the slots.
fn parts(body: &str, first_line: u64, notices: &mut Vec<Notice>) -> Vec<Part> {
    let parts = roles(body, first_line, notices).into_iter();
    parts.map(|(role, line, text)| Part { role, pieces: pieces(text.trim_end(), line, notices) }).collect()
}

/// Splits the body at `--- system` and `--- user` lines: role, first physical line, text.
pub(super) fn roles(body: &str, first_line: u64, notices: &mut Vec<Notice>) -> Vec<(&'static str, u64, String)> {
    let mut parts: Vec<(&'static str, u64, String)> = vec![("user", first_line, String::new())];
    for (number, line) in (first_line..).zip(body.split_inclusive('\n')) {
        let role = match line.trim() {
            "--- system" => "system",
            "--- user" => "user",
            _ => {
                if let Some((_, _, text)) = parts.last_mut() {
                    text.push_str(line);
                }
                continue;
            }
        };
        parts.push((role, number + 1, String::new()));
    }
    parts.retain(|(_, _, text)| !text.trim().is_empty());
    let roles: Vec<_> = parts.iter().map(|(role, _, _)| *role).collect();
    if !matches!(roles.as_slice(), ["user"] | ["system", "user"]) {
        let text = "wanted one text, or a part behind `--- system` and then one behind `--- user`";
        notices.push(Notice::error(Some(first_line), None, text));
    }
    parts
}

/// A stretch of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Braced<'a> {
    /// Literal text.
    Text(&'a str),
    /// A word in braces.
    Name { whole: &'a str, name: &'a str },
}

/// The text and the words in braces of a template, in order.
pub(super) fn braced(text: &str) -> Vec<Braced<'_>> {
    let mut found = Vec::new();
    let mut from = 0;
    for captures in BRACED.captures_iter(text) {
        let (Some(whole), Some(name)) = (captures.get(0), captures.get(1)) else { continue };
        found.push(Braced::Text(&text[from..whole.start()]));
        found.push(Braced::Name { whole: whole.as_str(), name: name.as_str() });
        from = whole.end();
    }
    found.push(Braced::Text(&text[from..]));
    found.retain(|braced| *braced != Braced::Text(""));
    found
}

fn pieces(text: &str, first_line: u64, notices: &mut Vec<Notice>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut from = 0;
    // Lines are counted on from slot to slot: a text may be nothing but braces.
    let (mut line, mut counted) = (first_line, 0);
    for found in BRACED.captures_iter(text) {
        let (Some(whole), Some(name)) = (found.get(0), found.get(1)) else { continue };
        line += text[counted..whole.start()].matches('\n').count() as u64;
        counted = whole.start();
        let Some(slot) = Slot::parse(name.as_str()) else {
            notices.extend(unknown_slot(name.as_str(), line));
            continue;
        };
        if text[..whole.start()].ends_with('{') && text[whole.end()..].starts_with('}') {
            let text = format!("{{{{{0}}}}} keeps its outer braces; write {{{0}}}", slot.name());
            notices.push(Notice::warning(Some(line), Some(slot.name()), text));
        }
        pieces.push(Piece::Text(text[from..whole.start()].to_owned()));
        pieces.push(Piece::Slot(slot));
        from = whole.end();
    }
    pieces.push(Piece::Text(text[from..].to_owned()));
    pieces.retain(|piece| !matches!(piece, Piece::Text(text) if text.is_empty()));
    pieces
}

/// A word in braces that is no slot: an error where it looks like one, nothing for `{A}` or `{ x }` in an example.
fn unknown_slot(name: &str, line: u64) -> Option<Notice> {
    let lower = name.trim().to_lowercase();
    let names = Slot::ALL.map(Slot::name);
    let near =
        ALIASES.iter().find(|(alias, _)| *alias == lower).map(|(_, slot)| *slot).or_else(|| nearest(&lower, names));
    if near.is_none() && (name != lower || lower.len() < 2 || lower.contains(' ')) {
        return None;
    }
    let near = near.map_or_else(String::new, |near| format!("; did you mean {{{near}}}?"));
    let text =
        format!("slot {{{name}}} is unknown; wanted {}{near}", names.map(|slot| format!("{{{slot}}}")).join(", "));
    Some(Notice::error(Some(line), Some(name.trim()), text))
}

const ALIASES: [(&str, &str); 12] = [
    ("question", "prompt"),
    ("instruction", "prompt"),
    ("input", "prompt"),
    ("answer_a", "response_a"),
    ("answer_b", "response_b"),
    ("output_a", "response_a"),
    ("output_b", "response_b"),
    ("output_1", "response_a"),
    ("output_2", "response_b"),
    ("response_1", "response_a"),
    ("response_2", "response_b"),
    ("criteria", "rubric"),
];

fn check_slots(parts: &[Part], notices: &mut Vec<Notice>) {
    let slots: Vec<Slot> = parts
        .iter()
        .flat_map(|part| &part.pieces)
        .filter_map(|piece| if let Piece::Slot(slot) = piece { Some(*slot) } else { None })
        .collect();
    for slot in Slot::REQUIRED {
        let name = slot.name();
        match slots.iter().filter(|one| **one == slot).count() {
            0 => notices.push(Notice::error(
                None,
                Some(name),
                format!("slot {{{name}}} is missing: the judge would not see it"),
            )),
            1 => {}
            many => notices.push(Notice::warning(None, Some(name), format!("slot {{{name}}} is filled {many} times"))),
        }
    }
    let place = |slot| slots.iter().position(|one| *one == slot);
    if let (Some(a), Some(b)) = (place(Slot::ResponseA), place(Slot::ResponseB))
        && b < a
    {
        let text = "{response_b} stands before {response_a}: A would be shown second, and position figures would point the wrong way";
        notices.push(Notice::error(None, Some("response_b"), text));
    }
    if !slots.contains(&Slot::Fence) {
        let text =
            "no {fence}: a response can imitate the end of its own place; put {fence} into the lines around the texts";
        notices.push(Notice::warning(None, Some("fence"), text));
    }
}

fn check_wording(body: &str, contract: Contract, notices: &mut Vec<Notice>) {
    let (sides, tie): ([&str; 2], &str) = match contract {
        Contract::Bracket => (["[[A]]", "[[B]]"], "[[C]]"),
        Contract::Label => (["Verdict: A", "Verdict: B"], "tie"),
        Contract::Json => (["\"A\"", "\"B\""], "tie"),
        Contract::Scale5 => (["[[A>B]]", "[[B>A]]"], "[[A=B]]"),
    };
    let name = contract.as_str();
    let warn = |text: String| Notice::warning(None, Some("contract"), text);
    if contract == Contract::Json && !body.contains("winner") {
        notices.push(warn("contract json, and the text never names the field `winner`".to_owned()));
    }
    if contract == Contract::Label && CHOICE.is_match(body) {
        return;
    }
    match sides.map(|side| body.contains(side)) {
        [true, true] if !body.contains(tie) => {
            notices.push(warn(format!("contract {name}, and the text never offers the tie ({tie})")));
        }
        [true, true] => {}
        [false, false] => {
            notices.push(warn(format!("contract {name}, and the text never shows its form ({})", sides.join(", "))));
        }
        [a, _] => {
            let (shown, hidden) = if a { (sides[0], sides[1]) } else { (sides[1], sides[0]) };
            notices.push(warn(format!(
                "the text shows {shown} as the form of a verdict and not {hidden}: this pulls towards one side"
            )));
        }
    }
}

pattern!(BRACED, r"\{([A-Za-z_ ][A-Za-z0-9_ -]{0,40})\}");
// `Verdict: A|B|tie`: one line that offers all three.
pattern!(CHOICE, r"(?i)verdict:\s*\W?A\s*[|/,]\s*B\s*[|/,]\s*(?:or\s*)?tie");

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::domain::Severity;
    use crate::prompt::{parse, parse_as};

    const GOOD: &str = "---\nid: t\nversion: 1\nlanguage: en\ncontract: bracket\n---\n{fence} {prompt} {fence} {response_a} {fence} {response_b} {fence} [[A]] [[B]] [[C]]";

    fn errors(text: &str) -> Vec<String> {
        lint(text, "t.md").into_iter().filter(|one| one.severity == Severity::Error).map(|one| one.text).collect()
    }

    fn warnings(text: &str) -> Vec<String> {
        lint(text, "t.md").into_iter().filter(|one| one.severity == Severity::Warning).map(|one| one.text).collect()
    }

    #[test]
    fn a_clean_prompt_has_no_findings() {
        assert_eq!(lint(GOOD, "t.md"), []);
        assert_eq!(lint(&GOOD.replace('\n', "\r\n"), "t.md"), []);
    }

    #[test]
    fn every_error_names_its_place_and_the_way_out() {
        let cases = [
            (GOOD.replace("{response_b}", ""), "{response_b} is missing"),
            (GOOD.replace("{prompt}", "{promt}"), "did you mean {prompt}?"),
            (GOOD.replace("{prompt}", "{question}"), "did you mean {prompt}?"),
            (GOOD.replace("{prompt}", "{prompt} {Prompt}"), "did you mean {prompt}?"),
            (GOOD.replace("{prompt}", "{prompt} {model_name}"), "{model_name} is unknown"),
            (GOOD.replace("contract: bracket", "contract: brackets"), "did you mean \"bracket\"?"),
            (GOOD.replace("contract: bracket", "contract bracket"), "not `key: value`"),
            (GOOD.replace("version: 1", "version:"), "\"version\" has no value"),
            (GOOD.replace("version: 1", "id: u"), "\"id\" is given twice"),
            (GOOD.replacen("---\n{fence}", "{fence}", 1), "never closed"),
            (
                GOOD.replace("{response_a}", "{x1}").replace("{response_b}", "{response_b} {response_a}"),
                "{x1} is unknown",
            ),
            (GOOD.replace("_a}", "_#}").replace("_b}", "_a}").replace("_#}", "_b}"), "A would be shown second"),
            (GOOD.replacen("---\n{fence}", "---\n--- user\nHello\n--- system\n{fence}", 1), "`--- system`"),
            (String::new(), "{prompt} is missing"),
        ];
        for (text, wanted) in cases {
            let found = errors(&text);
            assert!(found.iter().any(|one| one.contains(wanted)), "{wanted}: {found:?}");
            assert!(parse(&text, "t.md").is_err());
        }
    }

    #[test]
    fn an_error_names_the_physical_line() {
        let text = GOOD.replacen("---\n{fence}", "---\n\n\n{fence} {promtp}", 1);
        let found = lint(&text, "t.md");
        assert_eq!(found.iter().find(|one| one.severity == Severity::Error).and_then(|one| one.line), Some(9));
    }

    #[test]
    fn what_is_unwise_is_warned_about() {
        let cases = [
            (GOOD.replace("{fence}", ""), "no {fence}"),
            (GOOD.replace("language: en\n", ""), "no language"),
            (GOOD.replace("version: 1\n", ""), "no version"),
            (GOOD.replace("contract: bracket\n", ""), "no contract"),
            (GOOD.replace("language: en", "langauge: en"), "did you mean \"language\"?"),
            (GOOD.replace("[[B]]", ""), "pulls towards one side"),
            (GOOD.replace("[[C]]", ""), "never offers the tie"),
            (GOOD.replace("[[A]] [[B]] [[C]]", ""), "never shows its form"),
            (GOOD.replace("contract: bracket", "contract: json"), "`winner`"),
            (GOOD.replace("{prompt}", "{{prompt}}"), "keeps its outer braces"),
            (GOOD.replace("{prompt}", "{prompt} {prompt}"), "filled 2 times"),
        ];
        for (text, wanted) in cases {
            assert_eq!(errors(&text), Vec::<String>::new(), "{wanted}");
            let found = warnings(&text);
            assert!(found.iter().any(|one| one.contains(wanted)), "{wanted}: {found:?}");
        }
    }

    #[test]
    fn braces_of_examples_are_no_slots() {
        let text = format!("{GOOD} {{A}} {{\"winner\": \"A\"}} {{1}} \\boxed{{B}} {{}}");
        assert_eq!(errors(&text), Vec::<String>::new());
        let prompt = parse(&text, "t.md").unwrap();
        let shown = prompt.fill(&crate::domain::Pair::new("q", "p", "a", "b"), crate::domain::Order::Ab).unwrap();
        assert!(shown[0].content.ends_with("{A} {\"winner\": \"A\"} {1} \\boxed{B} {}"));
    }

    #[test]
    fn a_plain_text_takes_the_contract_it_is_given() {
        let text = "{fence}{prompt}{fence}{response_a}{fence}{response_b}{fence} Verdict: A|B|tie";
        assert_eq!(parse(text, "dir/mine.txt").unwrap().contract, Contract::Bracket);
        let prompt = parse_as(text, "dir/mine.txt", Contract::Label).unwrap();
        assert_eq!((prompt.id.as_str(), prompt.contract), ("mine", Contract::Label));
        assert!(parse_as(GOOD, "t.md", Contract::Label).unwrap_err().to_string().contains("bracket"));
    }
}
