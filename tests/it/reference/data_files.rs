//! Published recordings: read whole, with the counts that their reference figures name.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{read_dir, read_to_string};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde_json::Value;
use tribunal::data::{Form, RecordedVerdicts, VerdictOptions, gold_set_of_facts, load_verdicts, read_source};
use tribunal::domain::{ItemId, JudgeName, Judgment, NoVerdict, Order, Preference, Reading, Said};

/// A published recording and its folder.
struct Published {
    folder: PathBuf,
    recording: RecordedVerdicts,
}

/// All of them, read once.
fn published() -> &'static [Published] {
    static ALL: OnceLock<Vec<Published>> = OnceLock::new();
    ALL.get_or_init(|| {
        let Some(folder) = super::folder() else { return Vec::new() };
        let mut folders: Vec<PathBuf> =
            read_dir(folder.join("data")).unwrap().map(|entry| entry.unwrap().path()).collect();
        folders.retain(|path| path.join("pairs.jsonl").is_file());
        folders.sort();
        assert!(folders.len() >= 7, "only {folders:?}");
        folders.into_iter().map(|folder| Published { recording: load(&folder), folder }).collect()
    })
}

fn load(folder: &Path) -> RecordedVerdicts {
    let source = read_source(folder.join("pairs.jsonl").to_str().unwrap(), &mut std::io::empty()).unwrap();
    load_verdicts(&source, &VerdictOptions::default()).unwrap_or_else(|error| panic!("{error}")).records
}

/// Who won in this order: `None` without a verdict.
fn winner(said: Said) -> Option<Preference> {
    match said {
        Said::InOrder(order, reading) => reading.verdict().map(|verdict| order.identify(verdict)),
        Said::Folded(_) => None,
    }
}

fn is_in(judgment: &Judgment, wanted: Order) -> bool {
    matches!(judgment.said, Said::InOrder(order, _) if order == wanted)
}

/// Checks one judge against its block of the reference file.
fn check_judge(name: &str, judgments: &[&Judgment], recording: &RecordedVerdicts, wanted: &Value) {
    let items: BTreeSet<_> = judgments.iter().map(|judgment| &judgment.item).collect();
    assert_eq!(items.len() as u64, wanted["rows"].as_u64().unwrap(), "{name}: rows");
    let folded = judgments.iter().filter(|judgment| matches!(judgment.said, Said::Folded(_))).count();
    if folded == 0 {
        for order in Order::BOTH {
            let said: Vec<_> =
                judgments.iter().filter(|one| is_in(one, order)).map(|judgment| winner(judgment.said)).collect();
            assert_eq!(said.len(), items.len(), "{name}: both orders are planned for every row");
            let missing = said.iter().filter(|winner| winner.is_none()).count() as u64;
            assert_eq!(Some(missing), wanted["verdicts_missing"][order.as_str()].as_u64(), "{name}: {order:?}");
        }
        let consistent = consistent_rows(judgments);
        assert_eq!(Some(consistent), wanted["position_consistency"]["k"].as_u64(), "{name}: consistent rows");
    } else {
        assert_eq!(folded, items.len(), "{name}: one folded judgment a row");
    }
    let judged: BTreeSet<&ItemId> =
        judgments.iter().filter(|judgment| has_verdict(judgment)).map(|judgment| &judgment.item).collect();
    let mut labels = [0_u64; 3];
    for item in recording.items.iter().filter(|item| judged.contains(&item.id)) {
        if let Some(label) = item.gold_label() {
            labels[label.index()] += 1;
        }
    }
    assert_eq!(Some(labels.iter().sum()), wanted["judged"].as_u64(), "{name}: judged");
    for label in Preference::ALL {
        let number = wanted["gold_labels"][label.as_str()].as_u64().unwrap_or(0);
        assert_eq!(labels[label.index()], number, "{name}: gold {label:?}");
    }
}

fn has_verdict(judgment: &Judgment) -> bool {
    matches!(judgment.said, Said::Folded(_) | Said::InOrder(_, Reading::Said(_)))
}

fn consistent_rows(judgments: &[&Judgment]) -> u64 {
    let mut by_item: BTreeMap<_, Vec<Option<Preference>>> = BTreeMap::new();
    for judgment in judgments {
        by_item.entry(&judgment.item).or_default().push(winner(judgment.said));
    }
    by_item.values().filter(|said| said[0].is_some() && said[0] == said[1]).count() as u64
}

#[test]
fn published_recordings_have_the_rows_items_and_judges_of_their_reference() {
    for Published { folder, recording } in published() {
        assert_eq!(recording.form, Form::Wide);
        let text = read_to_string(folder.join("pairs.jsonl")).unwrap();
        assert_eq!(recording.rows, text.lines().count(), "{folder:?}");
        let reference: Value = serde_json::from_str(&read_to_string(folder.join("reference.json")).unwrap()).unwrap();
        let judges = reference["judges"].as_object().unwrap();
        let named: BTreeSet<&str> = judges.keys().map(String::as_str).collect();
        let read = recording.judges();
        assert_eq!(read.iter().map(JudgeName::as_str).collect::<BTreeSet<_>>(), named, "{folder:?}");
        let mut by_judge: BTreeMap<&str, Vec<&Judgment>> = BTreeMap::new();
        for judgment in &recording.judgments {
            by_judge.entry(judgment.judge.as_str()).or_default().push(judgment);
        }
        for (name, wanted) in judges {
            check_judge(name, &by_judge[name.as_str()], recording, wanted);
        }
        let votes = recording.items.iter().filter(|item| item.gold.as_ref().is_some_and(|gold| gold.votes.len() > 1));
        if let Some(number) = reference["humans"]["items_with_two_or_more_votes"].as_u64() {
            assert_eq!(votes.count() as u64, number, "{folder:?}: items with two votes");
        }
    }
}

#[test]
fn a_null_with_a_raw_text_is_unparsed_and_without_one_missing() {
    let count = |recording: &RecordedVerdicts, wanted: NoVerdict| {
        let is =
            |judgment: &&Judgment| matches!(judgment.said, Said::InOrder(_, Reading::None(kind)) if kind == wanted);
        recording.judgments.iter().filter(is).count()
    };
    for Published { folder, recording } in published() {
        let name = folder.file_name().unwrap().to_str().unwrap();
        let (unparsed, missing) = match name {
            "llmbar" => (134, 0),
            "pandalm" => (25, 1998),
            "position_bias" => (0, 37),
            "vicuna80" => (10, 0),
            _ => continue,
        };
        assert_eq!(
            (count(recording, NoVerdict::Unparsed), count(recording, NoVerdict::Missing)),
            (unparsed, missing),
            "{name}"
        );
    }
}

#[test]
fn the_digest_of_a_recording_does_not_depend_on_the_order_of_its_items() {
    for Published { folder, recording } in published() {
        let reversed = recording.items.iter().rev().cloned().collect();
        assert_eq!(gold_set_of_facts("g", recording.items.clone()), gold_set_of_facts("g", reversed), "{folder:?}");
    }
}
