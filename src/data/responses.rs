//! Responses of one system each, and their join into pairs.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::error::{DataError, Findings, Loaded, names, shown};
use super::fields::Fields;
use super::pairs::{PairOptions, PairReader, prompt_of};
use super::record::{CutEnd, Origin, Record, read_each};
use super::row::{Row, Seen};
use super::source::Source;
use crate::domain::{ItemId, Notice, Pair, Prompt, Remark, SystemName};

const KNOWN: &[&str] = &["id", "prompt", "response", "model", "prompt_version"];

/// Fields that describe the item and not one system's answer; [`Response::extra`] keeps them.
const OF_THE_ITEM: &[&str] =
    &["category", "group", "lang", "reference", "rubric", "tags", "checks", "gold", "gold_votes", "meta"];

/// What one system answered to one item.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// Physical line.
    pub line: u64,
    /// The item.
    pub id: ItemId,
    /// What was answered.
    pub prompt: Prompt,
    /// The answer.
    pub response: String,
    /// Who answered: `model`, `prompt_version`, or both as `model/prompt_version`.
    pub system: Option<SystemName>,
    /// Every other field (`category`, `group`, `checks`, …), kept as it was.
    pub extra: Map<String, Value>,
}

/// A response file.
#[derive(Debug, Clone, PartialEq)]
pub struct Responses {
    /// The file, for messages.
    pub path: String,
    /// The responses in the order of the file; ids are unique.
    pub rows: Vec<Response>,
    /// True for a table, where lists are written into cells.
    tabular: bool,
}

/// Reads rows `id, prompt, response` with `model` and `prompt_version` where given.
pub fn load_responses(source: &Source) -> Result<Loaded<Responses>, DataError> {
    let mut findings = Findings::new(source.path());
    let (mut rows, mut seen, mut empty) = (Vec::new(), Seen::default(), Vec::new());
    let (mut tabular, mut examined) = (false, OF_THE_ITEM.iter().map(|&name| name.to_owned()).collect());
    read_each(source, CutEnd::Refuse, &mut findings, |record, findings| {
        let line = record.line;
        tabular |= record.origin == Origin::Table;
        let mut row = Row::new(record, KNOWN, findings);
        let slips = row.slips(&mut examined);
        row.warn_of_slips(slips);
        let id = row.id();
        if let Some(id) = &id
            && let Err(text) = seen.note(id.text.clone(), id, line)
        {
            row.fail("id", text);
        }
        let prompt = prompt_of(&mut row);
        let response = row.required_text("response");
        let system = match (row.optional_name("model"), row.optional_name("prompt_version")) {
            (Some(model), Some(version)) => Some(SystemName(format!("{model}/{version}"))),
            (model, version) => model.or(version).map(SystemName),
        };
        if row.failed() {
            return;
        }
        if let (Some(id), Some(prompt), Some(response)) = (id, prompt, response) {
            if response.trim().is_empty() {
                empty.push(id.text.clone());
            }
            rows.push(Response { line, id: ItemId(id.text), prompt, response, system, extra: row.into_extra() });
        }
    });
    if !empty.is_empty() {
        findings.warn(None, Some("response"), Remark::EmptyResponses(names(&empty)));
    }
    findings.finish(Responses { path: source.path().to_owned(), rows, tabular })
}

/// Joins two response files on `id`, in the order of the first. Items on one side only are listed in a warning and left
/// out; a prompt that differs, or no common item at all, is an error. Fields of the item come from either file.
pub fn join_responses(a: &Responses, b: &Responses, options: &PairOptions) -> Result<Loaded<Vec<Pair>>, DataError> {
    let mut findings = Findings::new(&b.path);
    let others: HashMap<&ItemId, &Response> = b.rows.iter().map(|row| (&row.id, row)).collect();
    let mut reader = PairReader::new(options);
    let (mut only_a, mut differing) = (Vec::new(), Vec::new());
    let mut common = 0;
    for one in &a.rows {
        let Some(&other) = others.get(&one.id) else {
            only_a.push(one.id.as_str());
            continue;
        };
        common += 1;
        if one.prompt == other.prompt {
            differing.extend(item_fields_that_differ(one, other));
            let origin = if a.tabular || b.tabular { Origin::Table } else { Origin::Json };
            reader.read(Record { line: other.line, fields: Fields::of_map(joined(one, other)), origin }, &mut findings);
        } else {
            let id = shown(one.id.as_str());
            let text = format!("`{id}` has another prompt here than at line {} of {}", one.line, a.path);
            findings.error(other.line, "prompt", text);
        }
    }
    let ours: HashSet<&ItemId> = a.rows.iter().map(|row| &row.id).collect();
    let only_b: Vec<&str> = b.rows.iter().filter(|row| !ours.contains(&row.id)).map(|row| row.id.as_str()).collect();
    for (here, there, ids) in [(a, b, only_a), (b, a, only_b)] {
        if !ids.is_empty() {
            let (here, there) = (here.path.clone(), there.path.clone());
            findings.warn(None, Some("id"), Remark::OneSide { here, there, items: names(&ids) });
        }
    }
    if !differing.is_empty() {
        findings.warn(None, None, Remark::FieldsDiffer { used: a.path.clone(), fields: names(&differing) });
    }
    if common == 0 {
        findings.push(Notice::error(None, Some("id"), format!("no id of {} is in {}", a.path, b.path)));
    }
    reader.finish(findings)
}

/// `id (field)` for every field of the item on which the two files differ.
fn item_fields_that_differ(a: &Response, b: &Response) -> Vec<String> {
    let differs = |name: &&&str| match (a.extra.get(**name), b.extra.get(**name)) {
        (Some(one), Some(other)) => one != other,
        _ => false,
    };
    OF_THE_ITEM.iter().filter(differs).map(|name| format!("{} ({name})", a.id)).collect()
}

/// The fields of the pair that two responses make. A field that differs is kept twice, as `<name>_a` and `<name>_b`;
/// where it describes the item, the first file's counts.
fn joined(a: &Response, b: &Response) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("id".to_owned(), Value::String(a.id.0.clone()));
    fields.insert("prompt".to_owned(), serde_json::to_value(&a.prompt).unwrap_or_default());
    fields.insert("response_a".to_owned(), Value::String(a.response.clone()));
    fields.insert("response_b".to_owned(), Value::String(b.response.clone()));
    for (name, system) in [("model_a", &a.system), ("model_b", &b.system)] {
        if let Some(system) = system {
            fields.insert(name.to_owned(), Value::String(system.0.clone()));
        }
    }
    for (name, value) in &a.extra {
        match b.extra.get(name) {
            Some(other) if other != value && !OF_THE_ITEM.contains(&name.as_str()) => {
                fields.entry(format!("{name}_a")).or_insert_with(|| value.clone());
                fields.entry(format!("{name}_b")).or_insert_with(|| other.clone());
            }
            _ => {
                fields.entry(name.clone()).or_insert_with(|| value.clone());
            }
        }
    }
    for (name, value) in b.extra.iter().filter(|(name, _)| !a.extra.contains_key(*name)) {
        fields.entry(name.clone()).or_insert_with(|| value.clone());
    }
    fields
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    fn responses(path: &str, rows: &[Value]) -> Responses {
        let text = rows.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
        load_responses(&Source::from_bytes(path, text).unwrap()).unwrap().records
    }

    fn row(id: &str, prompt: &str, response: &str) -> Value {
        json!({"id": id, "prompt": prompt, "response": response})
    }

    #[test]
    fn pairs_come_in_the_order_of_the_first_file_with_the_systems_named() {
        let mut first = row("q2", "p2", "x");
        first["model"] = json!("m");
        first["prompt_version"] = json!("v1");
        first["category"] = json!("math");
        first["latency_ms"] = json!(5);
        let mut second = row("q2", "p2", "y");
        second["model"] = json!("n");
        second["latency_ms"] = json!(7);
        second["group"] = json!("g");
        let a = responses("a", &[first, row("q1", "p1", "x")]);
        let b = responses("b", &[row("q1", "p1", "y"), second]);
        let pairs = join_responses(&a, &b, &PairOptions::default()).unwrap();
        assert_eq!(pairs.notices, []);
        let pair = &pairs.records[0];
        assert_eq!((pair.id.as_str(), pairs.records[1].id.as_str()), ("q2", "q1"));
        assert_eq!((&pair.model_a, &pair.model_b), (&Some("m/v1".into()), &Some("n".into())));
        assert_eq!((pair.category.as_deref(), &pair.group), (Some("math"), &Some("g".into())));
        assert_eq!(Value::Object(pair.extra.clone()), json!({"latency_ms_a": 5, "latency_ms_b": 7}));
    }

    #[test]
    fn what_is_missing_on_one_side_is_listed() {
        let a = responses("a", &[row("q1", "p", "x"), row("q2", "p", "x")]);
        let b = responses("b", &[row("q1", "p", "y"), row("q3", "p", "y")]);
        let pairs = join_responses(&a, &b, &PairOptions::default()).unwrap();
        let texts: Vec<&str> = pairs.notices.iter().map(|notice| notice.text.as_str()).collect();
        assert_eq!(texts, ["1 item of a not in b, left out: q2", "1 item of b not in a, left out: q3"]);
    }

    #[test]
    fn another_prompt_and_no_common_item_are_errors() {
        let a = responses("a", &[row("q1", "p", "x")]);
        let error = join_responses(&a, &responses("b", &[row("q1", "p!", "y")]), &PairOptions::default()).unwrap_err();
        assert_eq!((error.notices[0].line, error.notices[0].field.as_deref()), (Some(1), Some("prompt")));
        let error = join_responses(&a, &responses("b", &[row("q2", "p", "y")]), &PairOptions::default()).unwrap_err();
        assert!(error.to_string().contains("no id of a is in b"), "{error}");
    }

    #[test]
    fn an_id_twice_is_refused() {
        let text = format!("{}\n{}", row("q1", "p", "x"), row("q1", "p", "y"));
        let error = load_responses(&Source::from_bytes("a", text).unwrap()).unwrap_err();
        assert!(error.to_string().contains("line 1 and again at line 2"));
    }
}
