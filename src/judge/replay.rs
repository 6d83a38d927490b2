//! Recordings: answers that were given once, asked again without a call.
//!
//! A recording is JSON Lines. A header line `{"format":1,"kind":"recording","judge",…}` says of one judge by which
//! prompt and contract its answers are read; then come the answers, one a line, by (judge, item, order, repeat): a
//! whole completion, or a bare verdict as in the long form of recorded verdicts. Several judges may share a file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::error::JudgeError;
use crate::domain::{
    Completion, Digest, Fingerprint, ItemId, JudgeName, NoVerdict, Order, Preference, Reading, RequestKey, Verdict,
    nearest,
};

/// The version of the format that this build writes and reads.
const FORMAT: u64 = 1;

/// The line that says how a judge's recorded answers are to be read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordingHeader {
    /// Version of the format: 1.
    pub format: u64,
    /// Always `recording`.
    pub kind: String,
    /// The judge's name.
    pub judge: JudgeName,
    /// The judge's fingerprint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Fingerprint>,
    /// The model as asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Id of the prompt, such as `pairwise.en`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Digest of the prompt's text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_digest: Option<Digest>,
    /// Name of the contract by which completions are read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract: Option<String>,
    /// When it was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<String>,
}

impl RecordingHeader {
    /// A header that names the judge and nothing else.
    pub fn new(judge: impl Into<JudgeName>) -> Self {
        Self {
            format: FORMAT,
            kind: "recording".to_owned(),
            judge: judge.into(),
            fingerprint: None,
            model: None,
            prompt: None,
            prompt_digest: None,
            contract: None,
            created: None,
        }
    }
}

/// One recorded completion.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RecordedLine {
    /// The key of the request, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<RequestKey>,
    /// Who answered.
    pub judge: JudgeName,
    /// The item asked about.
    pub item: ItemId,
    /// Which response was shown first.
    pub order: Order,
    /// Which asking of this order, from 0.
    pub repeat: u32,
    /// The judge's fingerprint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Fingerprint>,
    /// What came back.
    pub completion: Completion,
}

/// The text of a recording: one header, then the lines as given.
pub fn write_recording(header: &RecordingHeader, lines: &[RecordedLine]) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string(header)?;
    text.push('\n');
    for line in lines {
        text.push_str(&serde_json::to_string(line)?);
        text.push('\n');
    }
    Ok(text)
}

/// A recording, read.
#[derive(Debug, Clone)]
pub struct Recording {
    file: String,
    digest: Digest,
    judges: BTreeMap<JudgeName, RecordedJudge>,
}

/// One judge of a recording.
#[derive(Debug, Clone)]
pub(super) struct RecordedJudge {
    pub file: String,
    /// Digest of the whole recording.
    pub digest: Digest,
    pub header: RecordingHeader,
    /// Where the header stands, if there is one.
    header_line: Option<u64>,
    answers: BTreeMap<Place, Recorded>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    item: ItemId,
    order: Order,
    repeat: u32,
}

#[derive(Debug, Clone)]
struct Recorded {
    line: u64,
    answer: Answer,
}

/// What was recorded of one asking.
#[derive(Debug, Clone)]
pub(super) enum Answer {
    /// The completion, to be read by a contract.
    Completion(Box<Completion>),
    /// A verdict that someone else read, with the raw text where it was kept.
    Verdict(Reading, String),
}

impl RecordedJudge {
    pub(super) fn answer(&self, item: &ItemId, order: Order, repeat: u32) -> Option<&Answer> {
        let place = Place { item: item.clone(), order, repeat };
        self.answers.get(&place).map(|recorded| &recorded.answer)
    }

    /// Refuses a fingerprint other than the one known so far.
    fn agree(&self, found: &Fingerprint) -> Result<(), String> {
        let Some(known) = self.header.fingerprint.as_ref().filter(|known| *known != found) else { return Ok(()) };
        let (name, found, known) = (&self.header.judge, found.short(), known.short());
        Err(format!(
            "field `fingerprint`: found {found}, and judge `{name}` was {known} before; another prompt or model is another judge"
        ))
    }

    /// True where some answer can only be read by a contract.
    pub(super) fn needs_contract(&self) -> bool {
        self.answers.values().any(|recorded| matches!(recorded.answer, Answer::Completion(_)))
    }
}

impl Recording {
    /// Reads a recording; `file` is the name for messages.
    pub fn parse(bytes: &[u8], file: &str) -> Result<Self, JudgeError> {
        let mut reader = Reader { file, judges: BTreeMap::new(), current: None };
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
            if !line.trim_ascii().is_empty() {
                reader.line(number, line)?;
            }
        }
        let digest = Digest::of(bytes);
        if reader.judges.values().all(|judge| judge.answers.is_empty()) {
            return Err(reader.error(None, "holds no recorded answer"));
        }
        for judge in reader.judges.values_mut() {
            judge.digest = digest;
        }
        Ok(Self { file: file.to_owned(), digest, judges: reader.judges })
    }

    /// The recorded judges.
    pub fn judges(&self) -> impl Iterator<Item = &JudgeName> {
        self.judges.keys()
    }

    /// Digest of the whole recording.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// What the recording says of its judge, as far as it does.
    pub fn header(&self, judge: &JudgeName) -> Option<&RecordingHeader> {
        self.judges.get(judge).map(|judge| &judge.header)
    }

    /// The judge of that name, or the only one.
    pub(super) fn choose(&self, name: Option<&str>) -> Result<&RecordedJudge, JudgeError> {
        let names: Vec<&str> = self.judges.keys().map(JudgeName::as_str).collect();
        let fail = |problem| JudgeError::Recording { file: self.file.clone(), line: None, problem };
        let Some(name) = name else {
            let mut judges = self.judges.values();
            return match (judges.next(), judges.next()) {
                (Some(judge), None) => Ok(judge),
                _ => Err(fail(format!("holds several judges, choose one with #NAME: {}", names.join(", ")))),
            };
        };
        self.judges.get(&JudgeName::from(name)).ok_or_else(|| {
            let near = nearest(name, names.iter().copied());
            let near = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            fail(format!("holds no judge `{name}`, but {}{near}", names.join(", ")))
        })
    }
}

struct Reader<'a> {
    file: &'a str,
    judges: BTreeMap<JudgeName, RecordedJudge>,
    /// The judge of the last header, whose name may be left out of the lines behind it.
    current: Option<JudgeName>,
}

impl Reader<'_> {
    fn error(&self, line: Option<u64>, problem: impl Into<String>) -> JudgeError {
        JudgeError::Recording { file: self.file.to_owned(), line, problem: problem.into() }
    }

    fn line(&mut self, number: u64, line: &[u8]) -> Result<(), JudgeError> {
        let value: Value = serde_json::from_slice(line)
            .map_err(|error| self.error(Some(number), format!("not one JSON value: {error}")))?;
        let Value::Object(fields) = value else { return Err(self.error(Some(number), "want a JSON object")) };
        let done = if fields.get("kind").and_then(Value::as_str) == Some("recording") {
            self.take_header(number, fields)
        } else {
            self.take_answer(number, &fields)
        };
        done.map_err(|problem| self.error(Some(number), problem))
    }

    fn take_header(&mut self, number: u64, fields: Map<String, Value>) -> Result<(), String> {
        let format = fields.get("format").and_then(Value::as_u64);
        if format != Some(FORMAT) {
            let found = fields.get("format").map_or_else(|| "none".to_owned(), Value::to_string);
            return Err(format!("field `format`: found {found}, this build reads {FORMAT}"));
        }
        let header: RecordingHeader =
            serde_json::from_value(Value::Object(fields)).map_err(|error| format!("not a header: {error}"))?;
        self.current = Some(header.judge.clone());
        let judge = self.judge(&header.judge);
        // Files may be put together from parts, each with its header.
        if let Some(first) = judge.header_line {
            let same = judge.header.contract == header.contract && judge.header.prompt_digest == header.prompt_digest;
            if !same {
                return Err(format!("this header of judge `{}` contradicts the one on line {first}", header.judge));
            }
        }
        let known = judge.header.fingerprint.clone();
        if let Some(found) = &header.fingerprint {
            judge.agree(found)?;
        }
        let fingerprint = header.fingerprint.clone().or(known);
        judge.header = RecordingHeader { fingerprint, ..header };
        judge.header_line.get_or_insert(number);
        Ok(())
    }

    fn take_answer(&mut self, number: u64, fields: &Map<String, Value>) -> Result<(), String> {
        let judge = self.judge_of(fields)?;
        let place = place(fields)?;
        let answer = answer(fields, place.order)?;
        let fingerprint = fields.get("fingerprint").and_then(Value::as_str).map(|text| Fingerprint(text.to_owned()));
        let judge = self.judge(&judge);
        if let Some(found) = fingerprint {
            judge.agree(&found)?;
            judge.header.fingerprint = Some(found);
        }
        if let Some(first) = judge.answers.get(&place) {
            return Err(format!(
                "item `{}`, order {}, repeat {} is recorded twice, first on line {}",
                place.item,
                place.order.as_str(),
                place.repeat,
                first.line
            ));
        }
        judge.answers.insert(place, Recorded { line: number, answer });
        Ok(())
    }

    fn judge_of(&self, fields: &Map<String, Value>) -> Result<JudgeName, String> {
        match fields.get("judge") {
            Some(Value::String(name)) if !name.is_empty() => Ok(name.as_str().into()),
            Some(other) => Err(format!("field `judge`: found {other}, want a name")),
            None => {
                let lacking = || "field `judge` is missing, and no header line names the judge".to_owned();
                self.current.clone().ok_or_else(lacking)
            }
        }
    }

    fn judge(&mut self, name: &JudgeName) -> &mut RecordedJudge {
        self.judges.entry(name.clone()).or_insert_with(|| RecordedJudge {
            file: self.file.to_owned(),
            digest: Digest::of(b""),
            header: RecordingHeader::new(name.clone()),
            header_line: None,
            answers: BTreeMap::new(),
        })
    }
}

fn place(fields: &Map<String, Value>) -> Result<Place, String> {
    let item = match fields.get("item").or_else(|| fields.get("id")) {
        Some(Value::String(item)) => ItemId::from(item.as_str()),
        Some(Value::Number(item)) => ItemId::from(item.to_string()),
        Some(other) => return Err(format!("field `item`: found {other}, want a text")),
        None => return Err("field `item` is missing".to_owned()),
    };
    let order = match fields.get("order").and_then(Value::as_str) {
        Some("ab") => Order::Ab,
        Some("ba") => Order::Ba,
        _ => return Err(format!("field `order`: found {}, want \"ab\" or \"ba\"", found(fields, "order"))),
    };
    let repeat = match fields.get("repeat") {
        None => Some(0),
        Some(value) => value.as_u64().and_then(|repeat| u32::try_from(repeat).ok()),
    };
    let repeat = repeat.ok_or_else(|| format!("field `repeat`: found {}, want 0, 1, …", found(fields, "repeat")))?;
    Ok(Place { item, order, repeat })
}

fn found(fields: &Map<String, Value>, name: &str) -> String {
    fields.get(name).map_or_else(|| "nothing".to_owned(), Value::to_string)
}

fn answer(fields: &Map<String, Value>, order: Order) -> Result<Answer, String> {
    if let Some(completion) = fields.get("completion") {
        let completion = serde_json::from_value(completion.clone());
        return completion
            .map(|completion| Answer::Completion(Box::new(completion)))
            .map_err(|error| format!("field `completion`: {error}"));
    }
    let raw = fields.get("raw").and_then(Value::as_str).unwrap_or_default();
    let (name, want) = if fields.contains_key("verdict") {
        ("verdict", "\"first\", \"second\", \"tie\" or null")
    } else if fields.contains_key("winner") {
        ("winner", "\"a\", \"b\", \"tie\" or null")
    } else {
        return Err("want a field `completion`, `verdict` or `winner`".to_owned());
    };
    let text = match &fields[name] {
        Value::Null => {
            let none = if raw.is_empty() { NoVerdict::Missing } else { NoVerdict::Unparsed };
            return Ok(Answer::Verdict(Reading::None(none), raw.to_owned()));
        }
        Value::String(text) => text.to_ascii_lowercase(),
        other => other.to_string(),
    };
    let verdict = match (name, text.as_str()) {
        ("verdict", "first" | "a") => Verdict::First,
        ("verdict", "second" | "b") => Verdict::Second,
        ("winner", "a") => order.verdict_for(Preference::A),
        ("winner", "b") => order.verdict_for(Preference::B),
        (_, "tie") => Verdict::Tie,
        _ => return Err(format!("field `{name}`: found {}, want {want}", found(fields, name))),
    };
    Ok(Answer::Verdict(Reading::Said(verdict), raw.to_owned()))
}

#[cfg(test)]
#[path = "replay_tests.rs"]
mod tests;
