//! Items: tasks without answers, for which responses are to be generated.

use super::error::{DataError, Findings, Loaded};
use super::pairs::prompt_of;
use super::record::{CutEnd, read_each};
use super::row::{Row, Seen};
use super::source::Source;
use crate::domain::{Item, ItemId};

const KNOWN: &[&str] = &["id", "prompt"];

/// Reads rows with `id` and `prompt`; every other field is kept, since a prompt version may show it.
pub fn load_items(source: &Source) -> Result<Loaded<Vec<Item>>, DataError> {
    let mut findings = Findings::new(source.path());
    let (mut items, mut seen) = (Vec::new(), Seen::default());
    read_each(source, CutEnd::Refuse, &mut findings, |record, findings| {
        let line = record.line;
        let mut row = Row::new(record, KNOWN, findings);
        let id = row.id();
        if let Some(id) = &id
            && let Err(text) = seen.note(id.text.clone(), id, line)
        {
            row.fail("id", text);
        }
        let prompt = prompt_of(&mut row);
        if row.failed() {
            return;
        }
        if let (Some(id), Some(prompt)) = (id, prompt) {
            items.push(Item { id: ItemId(id.text), prompt, fields: row.into_extra() });
        }
    });
    findings.finish(items)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::domain::Prompt;

    fn source(text: &str) -> Source {
        Source::from_bytes("items.jsonl", text.as_bytes()).unwrap()
    }

    #[test]
    fn an_item_keeps_every_field_that_a_prompt_may_show() {
        let text = "{\"id\":1,\"prompt\":\"2+2?\",\"context\":\"sums\",\"group\":\"g\"}\n";
        let items = load_items(&source(text)).unwrap().records;
        assert_eq!((items[0].id.as_str(), &items[0].prompt), ("1", &Prompt::Text("2+2?".to_owned())));
        assert_eq!(items[0].fields.keys().collect::<Vec<_>>(), ["context", "group"]);
    }

    #[test]
    fn an_id_used_twice_names_both_lines_and_a_missing_prompt_the_near_name() {
        let text = "{\"id\":\"q\",\"prompt\":\"?\"}\n{\"id\":\"q\",\"promt\":\"?\"}\n";
        let message = load_items(&source(text)).unwrap_err().to_string();
        for part in ["items.jsonl:2", "line 1", "`promt`"] {
            assert!(message.contains(part), "{part} in {message}");
        }
    }
}
