//! Pairs and gold pairs: two responses to one prompt, with or without a human answer.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::check::checks_of;
use super::error::{DataError, Findings, Loaded, names};
use super::gold::{Disputed, GoldNotes, given};
use super::record::{CutEnd, Record, read_each};
use super::row::{Row, Seen, described};
use super::sharing::Sharing;
use super::source::Source;
use crate::domain::{ItemId, Message, Pair, Prompt, Remark, SystemName, plain_text};

/// The fields that a pair knows; every other one goes to [`Pair::extra`].
const KNOWN: &[&str] = &[
    "id",
    "prompt",
    "response_a",
    "response_b",
    "model_a",
    "model_b",
    "category",
    "group",
    "lang",
    "reference",
    "rubric",
    "tags",
    "checks",
    "gold",
    "gold_votes",
];

/// Fields kept in `extra` by design: no near miss of anything.
const BOOKKEEPING: &[&str] = &["meta", "source", "added", "reviewed", "attribution", "difficulty", "turn", "voters"];

/// How pairs are read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PairOptions {
    /// The field whose value is the resampling unit, instead of `group`.
    pub group_by: Option<String>,
    /// What becomes of items whose votes have no plurality.
    pub disputed: Disputed,
}

/// Reads pairs, with human labels where they are given. Errors: unreadable records, missing, null or mistyped fields,
/// ids used twice. Warnings: empty or identical responses, one prompt under many ids, one-class gold, conflicts.
pub fn load_pairs(source: &Source, options: &PairOptions) -> Result<Loaded<Vec<Pair>>, DataError> {
    let mut findings = Findings::new(source.path());
    let mut reader = PairReader::new(options);
    read_each(source, CutEnd::Refuse, &mut findings, |record, findings| reader.read(record, findings));
    reader.finish(findings)
}

/// Turns records into pairs, one by one.
pub(super) struct PairReader<'o> {
    options: &'o PairOptions,
    pairs: Vec<Pair>,
    seen: Seen,
    gold: GoldNotes,
    examined: HashSet<String>,
    empty: Vec<String>,
    identical: Vec<String>,
    sharing: Sharing,
}

impl<'o> PairReader<'o> {
    pub(super) fn new(options: &'o PairOptions) -> Self {
        Self {
            options,
            pairs: Vec::new(),
            seen: Seen::default(),
            gold: GoldNotes::new(options.disputed),
            examined: BOOKKEEPING.iter().map(|&name| name.to_owned()).collect(),
            empty: Vec::new(),
            identical: Vec::new(),
            sharing: Sharing::default(),
        }
    }

    pub(super) fn read(&mut self, record: Record, findings: &mut Findings) {
        let line = record.line;
        let mut row = Row::new(record, KNOWN, findings);
        // Before the other fields are taken out, since it may be any of them.
        let group = row.group(self.options.group_by.as_deref());
        self.sharing.look(&row, group.is_some());
        let slips = row.slips(&mut self.examined);
        let id = row.id();
        if let Some(id) = &id
            && let Err(text) = self.seen.note(id.text.clone(), id, line)
        {
            row.fail("id", text);
        }
        let prompt = prompt_of(&mut row);
        let response_a = row.required_text("response_a");
        let response_b = row.required_text("response_b");
        let name = id.as_ref().map(|id| id.text.clone()).unwrap_or_default();
        let pair = Pair {
            id: ItemId(name.clone()),
            prompt: prompt.unwrap_or_else(|| Prompt::Text(String::new())),
            response_a: response_a.unwrap_or_default(),
            response_b: response_b.unwrap_or_default(),
            model_a: row.optional_name("model_a").map(SystemName),
            model_b: row.optional_name("model_b").map(SystemName),
            category: row.optional_name("category"),
            group,
            lang: row.optional_name("lang"),
            reference: row.optional_text("reference"),
            rubric: row.optional_text("rubric"),
            tags: tags_of(&mut row),
            checks: checks_of(&mut row),
            gold: None,
            extra: serde_json::Map::new(),
        };
        let given = given(&mut row);
        if row.failed() {
            return;
        }
        let gold = self.gold.settle(&name, line, given);
        row.warn_of_slips(slips);
        self.keep(Pair { gold, extra: row.into_extra(), ..pair });
    }

    fn keep(&mut self, pair: Pair) {
        if pair.response_a.trim().is_empty() || pair.response_b.trim().is_empty() {
            self.empty.push(pair.id.0.clone());
        }
        if pair.is_identical() {
            self.identical.push(pair.id.0.clone());
        }
        self.pairs.push(pair);
    }

    pub(super) fn finish(self, mut findings: Findings) -> Result<Loaded<Vec<Pair>>, DataError> {
        if !self.empty.is_empty() {
            findings.warn(None, None, Remark::EmptyResponses(names(&self.empty)));
        }
        if !self.identical.is_empty() {
            findings.warn(None, None, Remark::IdenticalResponses(names(&self.identical)));
        }
        if !warn_of_shared_prompts(&self.pairs, &mut findings) {
            self.sharing.finish(self.pairs.len(), &mut findings);
        }
        self.gold.finish(self.pairs.iter().filter_map(|pair| pair.gold.as_ref().map(|gold| gold.label)), &mut findings);
        findings.finish(self.pairs)
    }
}

/// The field `prompt`: a text, or a list of chat messages.
pub(super) fn prompt_of(row: &mut Row<'_>) -> Option<Prompt> {
    match row.required("prompt", "a string or a list of messages")? {
        Value::String(text) => Some(Prompt::Text(text)),
        Value::Array(messages) if messages.is_empty() => {
            row.fail("prompt", "is an empty list, a string or a list of messages is wanted");
            None
        }
        Value::Array(messages) => {
            let mut chat = Vec::with_capacity(messages.len());
            for (position, message) in messages.iter().enumerate() {
                if let (Some(Value::String(role)), Some(Value::String(content))) =
                    (message.get("role"), message.get("content"))
                {
                    chat.push(Message { role: role.clone(), content: content.clone() });
                } else {
                    let text = "is no message; {\"role\":\"user\",\"content\":\"…\"} with two strings is wanted";
                    row.fail(&format!("prompt[{position}]"), text);
                }
            }
            Some(Prompt::Chat(chat))
        }
        other => {
            row.fail("prompt", format!("is {}, a string or a list of messages is wanted", described(&other)));
            None
        }
    }
}

fn tags_of(row: &mut Row<'_>) -> Vec<String> {
    let mut tags = Vec::new();
    for value in row.optional_list("tags") {
        match value {
            Value::String(_) | Value::Number(_) | Value::Bool(_) => tags.push(plain_text(&value)),
            other => row.fail("tags", format!("has {} in it, strings are wanted", described(&other))),
        }
    }
    tags
}

/// One question under many ids is one unit of evidence, not many. True where there was something to say.
fn warn_of_shared_prompts(pairs: &[Pair], findings: &mut Findings) -> bool {
    /// Two items may well share a prompt; from three on the intervals suffer.
    const MANY: usize = 3;
    let mut by_prompt: HashMap<String, usize> = HashMap::new();
    for pair in pairs.iter().filter(|pair| pair.group.is_none()) {
        *by_prompt.entry(pair.prompt.to_text()).or_default() += 1;
    }
    let shared: usize = by_prompt.values().filter(|&&ids| ids > 1).sum();
    if shared >= MANY {
        findings.warn(None, Some("group"), Remark::SharedPrompts { items: shared });
    }
    shared >= MANY
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::{Preference, Severity};

    fn load(text: &str) -> Result<Loaded<Vec<Pair>>, DataError> {
        load_with(text, &PairOptions::default())
    }

    fn load_with(text: &str, options: &PairOptions) -> Result<Loaded<Vec<Pair>>, DataError> {
        load_pairs(&Source::from_bytes("p.jsonl", text.as_bytes().to_vec()).unwrap(), options)
    }

    fn pair_with(field: &str, value: Value) -> String {
        let mut record = json!({"id": "q1", "prompt": "p", "response_a": "one", "response_b": "two"});
        record[field] = value;
        record.to_string()
    }

    fn error_with(field: &str, value: Value) -> DataError {
        load(&pair_with(field, value)).unwrap_err()
    }

    #[test]
    fn unknown_fields_are_kept_in_the_order_of_the_file() {
        let text =
            r#"{"zeta":1,"id":"q1","meta":{"k":[1]},"prompt":"p","response_a":"x","response_b":"y","alpha":null}"#;
        let pairs = load(text).unwrap();
        assert_eq!(
            Value::Object(pairs.records[0].extra.clone()).to_string(),
            r#"{"zeta":1,"meta":{"k":[1]},"alpha":null}"#
        );
        assert_eq!(pairs.notices, []);
    }

    #[test]
    fn a_slip_in_an_optional_field_is_hinted_at_once() {
        let text =
            [pair_with("gold_vote", json!(["a"])), pair_with("gold_vote", json!(["a"])).replace("q1", "q2")].join("\n");
        let pairs = load(&text).unwrap();
        assert_eq!(pairs.notices.len(), 1);
        assert!(pairs.notices[0].text.contains("`gold_votes`"));
    }

    #[test]
    fn votes_decide_where_no_label_is_given() {
        let gold = |value: Value| load(&pair_with("gold_votes", value)).unwrap().records[0].gold.clone().unwrap();
        assert_eq!(gold(json!(["a", "A", "b"])).label, Preference::A);
        let split = gold(json!([{"annotator": "r1", "label": "a"}, {"annotator": 2, "label": "b"}]));
        assert!(split.disputed && split.label == Preference::Tie);
        assert_eq!(split.votes[1].annotator.as_ref().unwrap().as_str(), "2");
    }

    #[test]
    fn disputed_items_can_lose_their_label_but_not_vanish() {
        let options = PairOptions { disputed: Disputed::Drop, ..PairOptions::default() };
        let loaded = load_with(&pair_with("gold_votes", json!(["a", "b"])), &options).unwrap();
        assert_eq!(loaded.records[0].gold, None);
        assert!(loaded.notices[0].text.contains("without a label: q1"));
    }

    #[test]
    fn a_label_against_its_votes_wins_and_is_warned_about() {
        let record =
            json!({"id": "q1", "prompt": "p", "response_a": "x", "response_b": "y", "gold": "b", "gold_votes": ["a"]});
        let loaded = load(&record.to_string()).unwrap();
        assert_eq!(loaded.records[0].gold.as_ref().unwrap().label, Preference::B);
        assert!(loaded.notices[0].text.contains("q1 (line 1: gold b, votes a)"), "{}", loaded.notices[0].text);
        let undecided = record.to_string().replace(r#"["a"]"#, r#"["a","b"]"#);
        assert_eq!(load(&undecided).unwrap().notices, [], "votes without a plurality contradict nothing");
    }

    #[test]
    fn a_conversation_is_a_prompt_and_other_shapes_are_named() {
        let chat = load(&pair_with("prompt", json!([{"role": "user", "content": "hi"}]))).unwrap();
        assert_eq!(chat.records[0].prompt.to_text(), "User: hi");
        for (value, field) in [(json!([]), "prompt"), (json!({}), "prompt"), (json!([{"role": "user"}]), "prompt[0]")] {
            assert_eq!(error_with("prompt", value).notices[0].field.as_deref(), Some(field));
        }
    }

    #[test]
    fn bad_values_are_named_with_their_field() {
        for (field, value, part) in [
            ("id", json!(1.5), "whole number"),
            ("id", json!(""), "empty"),
            ("gold", json!("C"), "one of A, B, tie"),
            ("gold", json!(1), "the number 1"),
            ("gold_votes", json!("a"), "a list"),
            ("tags", json!([[]]), "a list"),
            ("category", json!({}), "an object"),
            ("reference", json!(3), "a string"),
        ] {
            let error = error_with(field, value);
            assert!(error.notices[0].field.as_deref() == Some(field) && error.to_string().contains(part), "{error}");
        }
        assert_eq!(error_with("checks", json!([{"kind": "json"}, 3])).notices[0].field.as_deref(), Some("checks[1]"));
        assert_eq!(error_with("gold_votes", json!(["a", "x"])).notices[0].field.as_deref(), Some("gold_votes[1]"));
    }

    #[test]
    fn every_broken_record_is_reported() {
        let error = load("{\"id\":\"q1\"}\n{\"id\":\n{}").unwrap_err();
        let lines: Vec<Option<u64>> = error.notices.iter().map(|notice| notice.line).collect();
        assert_eq!(lines, [1, 1, 1, 2, 3, 3, 3, 3].map(Some));
        assert!(error.notices.iter().all(|notice| notice.severity == Severity::Error));
    }

    #[test]
    fn items_are_grouped_by_any_field() {
        let by = |field: &str| PairOptions { group_by: Some(field.to_owned()), ..PairOptions::default() };
        let text = pair_with("question", json!(81));
        assert_eq!(load_with(&text, &by("question")).unwrap().records[0].group, Some("81".into()));
        assert_eq!(load_with(&text, &by("prompt")).unwrap().records[0].group, Some("p".into()));
        let error = load_with(&text, &by("qestion")).unwrap_err();
        assert!(error.to_string().contains("there is `question`"), "{error}");
        assert_eq!(load_with(&text, &by("question")).unwrap().records[0].extra["question"], json!(81));
    }

    #[test]
    fn many_ids_with_one_prompt_want_a_group() {
        let record = |id: usize| pair_with("id", json!(format!("q{id}")));
        let of = |number: usize| (0..number).map(record).collect::<Vec<_>>().join("\n");
        assert_eq!(load(&of(2)).unwrap().notices, []);
        assert!(load(&of(3)).unwrap().notices[0].text.starts_with("3 items share"));
        let grouped = of(3).replace(r#""prompt""#, r#""group":"g","prompt""#);
        assert_eq!(load(&grouped).unwrap().notices, []);
    }

    #[test]
    fn a_table_of_pairs_is_read_like_json() {
        let text = "id,prompt,response_a,response_b,gold_votes,tags\n7,p,x,,a;b;a,t1|t2\n";
        let loaded = load_pairs(&Source::from_bytes("p.csv", text).unwrap(), &PairOptions::default()).unwrap();
        let pair = &loaded.records[0];
        assert_eq!((pair.id.as_str(), pair.response_b.as_str(), pair.tags.len()), ("7", "", 2));
        assert_eq!(pair.gold.as_ref().unwrap().label, Preference::A);
    }
}
