//! The contract `json`: one object with `winner` (`"A"`, `"B"`, `"tie"`) and `reason`.

use crate::domain::Verdict;

use super::choice::choice;
use super::lenient::{Node, State, objects};
use super::marks::{Ending, Mark, Picked, Unpicked, Weight, pick};
use super::normalise::plain_signs;
use super::page::{Page, Standing};

/// The field that decides, and names that models put in its place; these count only where no object has the first.
const FIELDS: [&[&str]; 2] = [&["winner"], &["verdict", "判定", "勝者"]];

/// Reads the `winner` of the judge's own last object.
pub(super) fn read(answer: &str, ending: Ending) -> Result<Picked<Verdict>, Unpicked> {
    let trimmed = answer.trim();
    let decoded: Option<String> = if trimmed.starts_with('"') { serde_json::from_str(trimmed).ok() } else { None };
    let text = decoded.as_deref().unwrap_or(answer);
    let plain = plain_signs(text);
    for names in FIELDS {
        // The text as it is comes first: a full-width quotation mark inside a string is no end of the string.
        for text in [text, &plain] {
            let read = read_objects(text, names, ending);
            if !matches!(read, Err(Unpicked::Nothing)) {
                return read;
            }
        }
    }
    Err(Unpicked::Nothing)
}

fn read_objects(text: &str, names: &[&str], ending: Ending) -> Result<Picked<Verdict>, Unpicked> {
    let page = Page::of_data(text);
    let mut marks: Vec<Mark<Verdict>> = Vec::new();
    let mut unsure = false;
    for object in objects(text) {
        let mut said = Vec::new();
        collect(&object.fields, names, &mut said);
        let Some(&first) = said.first() else { continue };
        let agreed = said.iter().all(|one| *one == first);
        // `"A" | "B"`: the syntax breaks right behind the winner.
        let broken = object.state == State::Broken && object.fields.last().is_some_and(|(key, _)| is_named(key, names));
        let value = first.filter(|_| agreed && !broken);
        let alone = matches!(page.standing(object.start, object.end), Standing::Alone | Standing::Opening);
        if unsure && !alone {
            // A broken object may hold this one in a string whose quotes were not escaped.
            return Err(Unpicked::Because("a broken object with a winner is followed by another one".to_owned()));
        }
        unsure |= object.state != State::Whole;
        marks.push(Mark {
            value,
            shown: page.text()[object.start..object.end]
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
                .chars()
                .take(40)
                .collect(),
            start: object.start,
            value_at: object.start,
            end: object.end,
            weight: Weight::Verdict,
        });
    }
    // Objects never stand in a list of options: the third kind of verdict would need three objects.
    pick(&page, &marks, 3, ending)
}

/// Gathers what an object says about the winner; `None` where it names no side.
/// Its own field decides; only where it has none are wrapped objects looked at.
fn collect(fields: &[(String, Node)], names: &[&str], said: &mut Vec<Option<Verdict>>) {
    let own: Vec<_> = fields.iter().filter(|(key, _)| is_named(key, names)).collect();
    if !own.is_empty() {
        said.extend(own.iter().map(|(_, node)| match node {
            Node::Text(text) => choice(&plain_signs(text)),
            _ => None,
        }));
        return;
    }
    for (_, node) in fields {
        descend(node, names, said);
    }
}

fn descend(node: &Node, names: &[&str], said: &mut Vec<Option<Verdict>>) {
    match node {
        Node::Object(fields) => collect(fields, names, said),
        Node::List(nodes) => nodes.iter().for_each(|node| descend(node, names, said)),
        Node::Text(_) | Node::Other => {}
    }
}

fn is_named(key: &str, names: &[&str]) -> bool {
    let key = key.trim().to_lowercase();
    names.contains(&key.as_str())
}

#[cfg(test)]
mod tests {
    use crate::prompt::contract::{Contract, check};

    #[test]
    fn a_json_reply_is_read_as_its_author_meant_it_or_not_at_all() {
        check(
            Contract::Json,
            &[
                // Read.
                (r#"{"reason": "Names the port.", "winner": "B"}"#, "B"),
                (r#"{"reason": "He said \"[[A]]\" {\"winner\": \"A\"}", "winner": "B"}"#, "B"),
                ("{\n  \"winner\" : \" tie \"\n}", "tie"),
                ("{winner: 'A', reason: 'it\\'s right'}", "A"),
                ("{'winner': 'B', 'reason': 'it's shorter'}", "B"),
                (r#"{"Winner": "b"}"#, "B"),
                (r#"{"winner": A}"#, "A"),
                (r#"{"winner": "A", "reason": "It says "yes" here."}"#, "A"),
                (r#"{"winner": "\u0042"}"#, "B"),
                (r#"{"winner": "回答A", "reason": "正確です。"}"#, "A"),
                (r#"{"winner": "引き分け"}"#, "tie"),
                ("｛＂ｗｉｎｎｅｒ＂：＂Ｂ＂｝", "B"),
                (r#"{"winner": "B", "reason": "彼は＂はい＂と答えた"}"#, "B"),
                (r"{&quot;winner&quot;: &quot;A&quot;}", "A"),
                (r#"{"verdict": "A", "winner": "B"}"#, "B"),
                (r#"{"winner": "A", "winner": "A"}"#, "A"),
                (r#"{"winner": "B", "scores": [1, 2, {"winner": "A"}]}"#, "B"),
                (r#"{"text": "An open { brace"} {"winner": "A"}"#, "A"),
                (r#"Sets like {1, 2} and {x: are fine. {"winner": "B"}"#, "B"),
                (r#"{"winner": "B"} The second reply contains {"winner": "A"}."#, "B"),
                ("```json\n{\"winner\": \"A\"}\n```\n```json\n{\"winner\": \"A\"}\n```", "A"),
                (r#"{"reason": "ok", "winner": "A", "rea…"#, "A"),
                // Not read.
                (r#"{"winner": "A" | "B" | "tie", "reason": "..."}"#, "unparsed"),
                (r#"{"winner": "A|B|tie"}"#, "unparsed"),
                (r#"{"winner": "A", "B" or "tie"}"#, "unparsed"),
                (r#"{"winner": ["A", "B"]}"#, "unparsed"),
                (r#"{"winner": ["A"]}"#, "unparsed"),
                (r#"{"winner": {"name": "A"}}"#, "unparsed"),
                (r#"{"winner": "Neither A nor B is safe"}"#, "unparsed"),
                (r#"{"winner": "not A"}"#, "unparsed"),
                (r#"{"winner": "どちらでもない"}"#, "unparsed"),
                (r#"{"winner": "AまたはB"}"#, "unparsed"),
                (r#"{"winner": "2"}"#, "unparsed"),
                (r#"{"the winner": "A"}"#, "unparsed"),
                (r#""winner": "A""#, "unparsed"),
                (r#"{"winner": "A"} {"winner": null}"#, "unparsed"),
                (r#"[{"winner": "A"}, {"winner": "B"}]"#, "unparsed"),
                (r#"{"tone": {"winner": "A"}, "facts": {"winner": "B"}}"#, "unparsed"),
                (r#"{"winner": "A", "reason": "the other reply had {"winner": "B"} in it"}"#, "unparsed"),
                (r#"The second reply contains {"winner": "B"}."#, "unparsed"),
                ("<think>{\"winner\": \"A\"}</think>", "unparsed"),
                ("The winner is B.", "unparsed"),
                ("[[A]]", "unparsed"),
                (r#"{"winner": "A…"#, "truncated"),
                (r#"{"winner": A…"#, "truncated"),
                (r#"{"winner":…"#, "truncated"),
            ],
        );
    }
}
