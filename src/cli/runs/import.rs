//! `runs import`: answers from recordings, journal files and other stores.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use super::warn_all;
use crate::cli::clock::Clock;
use crate::cli::evidence::read;
use crate::cli::exit::{CliError, Exit};
use crate::cli::output::print;
use crate::cli::ui::Ui;
use crate::domain::{Body, Completion, Fingerprint, ItemId, JudgeName, Order, RequestKey};
use crate::judge::{Recording, RecordingHeader};
use crate::store::{Access, Record, Store, is_journal, read_records};

/// Records written together.
const BATCH: usize = 256;

pub(in crate::cli) fn run(store: &Path, files: &[PathBuf], clock: Clock, ui: Ui) -> Result<Exit, CliError> {
    // All is read before anything is written: a bad file changes nothing.
    let sources: Vec<Incoming> = files.iter().map(|file| incoming(file, clock, ui)).collect::<Result<_, _>>()?;
    let (mut store, notices) = ui.during("opening the store", || Store::open(store, Access::Write))?;
    warn_all(&notices, ui);
    for (file, source) in files.iter().zip(sources) {
        let Incoming { records, without_key } = source;
        let counts = ui.during("taking answers in", || take(&mut store, records))?;
        let mut line = format!(
            "{}: {} answers taken, {} here already",
            file.display(),
            counts.taken,
            counts.known + counts.differing
        );
        if counts.differing > 0 {
            let _ = write!(line, ", {} of them with another text, where the one here stays", counts.differing);
        }
        if without_key > 0 {
            let _ = write!(line, ", {without_key} left out, since they have no key to be found by");
        }
        print(&format!("{}\n", crate::report::visible_line(&line)))?;
    }
    ui.note(format!("{} answers are in the store now", store.stats().records));
    warn_all(&store.close(), ui);
    Ok(Exit::Done)
}

struct Incoming {
    records: Vec<Record>,
    without_key: u64,
}

fn incoming(file: &Path, clock: Clock, ui: Ui) -> Result<Incoming, CliError> {
    if file.is_dir() || begins_a_journal(file) {
        let mut records = Vec::new();
        let reading = format!("reading {}", file.display());
        let notices = ui.during(&reading, || read_records(file, &mut |record| records.push(record)))?;
        warn_all(&notices, ui);
        return Ok(Incoming { records, without_key: 0 });
    }
    recording(&file.to_string_lossy(), clock, ui)
}

fn begins_a_journal(file: &Path) -> bool {
    use std::io::Read;
    let mut head = Vec::new();
    let opened = std::fs::File::open(file).and_then(|file| file.take(64).read_to_end(&mut head));
    opened.is_ok() && is_journal(&head)
}

#[derive(Deserialize)]
struct Line {
    key: Option<RequestKey>,
    judge: Option<JudgeName>,
    #[serde(alias = "id")]
    item: Option<ItemId>,
    order: Option<Order>,
    #[serde(default)]
    repeat: u32,
    fingerprint: Option<Fingerprint>,
    completion: Option<Completion>,
}

fn recording(file: &str, clock: Clock, ui: Ui) -> Result<Incoming, CliError> {
    let source = read(file, ui)?;
    // Says by line what is wrong with it; behind this every line is known to be sound.
    let parsed = Recording::parse(source.text().as_bytes(), file)?;
    let mut found = Incoming { records: Vec::new(), without_key: 0 };
    let mut current: Option<RecordingHeader> = None;
    for text in
        source.text().lines().map(|line| line.trim_start_matches('\u{feff}')).filter(|line| !line.trim().is_empty())
    {
        let value: Value = serde_json::from_str(text)?;
        if value.get("kind").and_then(Value::as_str) == Some("recording") {
            current = Some(serde_json::from_value(value)?);
            continue;
        }
        match serde_json::from_value::<Line>(value) {
            Ok(Line {
                key: Some(key),
                judge,
                item: Some(item),
                order: Some(order),
                repeat,
                fingerprint,
                completion: Some(completion),
            }) => {
                let judge = judge.or_else(|| current.as_ref().map(|header| header.judge.clone()));
                let judge = judge.unwrap_or_else(|| JudgeName::from("recorded"));
                let header = parsed.header(&judge);
                let fingerprint = fingerprint.or_else(|| header?.fingerprint.clone());
                found.records.push(Record {
                    key,
                    fingerprint: fingerprint.unwrap_or_else(|| Fingerprint::recorded(judge.as_str())),
                    judge,
                    item,
                    order,
                    repeat,
                    at: header.and_then(|header| header.created.clone()).unwrap_or_else(|| clock.now()),
                    body: Body::null(),
                    completion,
                });
            }
            _ => found.without_key += 1,
        }
    }
    Ok(found)
}

#[derive(Default)]
struct Counts {
    taken: u64,
    known: u64,
    differing: u64,
}

/// Adds what is not there yet.
fn take(store: &mut Store, records: Vec<Record>) -> Result<Counts, CliError> {
    let mut counts = Counts::default();
    let mut batch: Vec<Record> = Vec::new();
    let mut waiting: HashMap<RequestKey, usize> = HashMap::new();
    for record in records {
        let here = match waiting.get(&record.key) {
            Some(at) => Some(batch[*at].completion.clone()),
            None => store.get(&record.key),
        };
        match here {
            Some(here) if is_same(&here, &record.completion) => counts.known += 1,
            Some(_) => counts.differing += 1,
            None => {
                waiting.insert(record.key, batch.len());
                batch.push(record);
                counts.taken += 1;
            }
        }
        if batch.len() == BATCH {
            store.put_batch(&batch)?;
            batch.clear();
            waiting.clear();
        }
    }
    store.put_batch(&batch)?;
    Ok(counts)
}

/// What a judge said; how long it took to say it is no part of that.
fn is_same(one: &Completion, other: &Completion) -> bool {
    let said = |completion: &Completion| {
        (completion.text.clone(), completion.finish, completion.reasoning.clone(), completion.refusal.clone())
    };
    said(one) == said(other)
}
