//! Awkward input files: each is accepted, warned about or refused as its case says.

#![allow(clippy::unwrap_used)]

use std::fs::{read, read_to_string};
use std::path::Path;

use serde_json::Value;
use tribunal::data::{
    DataError, Disputed, FileOutcome, FileReport, Kind, PairOptions, Source, ValidateOptions, apply_labels,
    join_responses, load_labels, load_pairs, load_responses, load_verdicts, located, read_source, validate,
};
use tribunal::domain::{Preference, Said};

fn open(folder: &Path, file: &str) -> Result<Source, DataError> {
    read_source(folder.join(file).to_str().unwrap(), &mut std::io::empty())
}

fn kind_of(case: &Value) -> Kind {
    match case["kind"].as_str().unwrap() {
        "pairs" => Kind::Pairs,
        "gold labels" => Kind::Labels,
        "saved judgments (resume)" => Kind::Verdicts,
        "judge prompt template" => Kind::Prompt,
        other => panic!("unknown kind {other}"),
    }
}

fn report(folder: &Path, case: &Value) -> FileReport {
    let Some(file) = case["file"].as_str() else { return report_of_join(folder, case) };
    let kind = kind_of(case);
    let source = match open(folder, file) {
        Ok(source) => source,
        Err(error) => return FileReport::refused(error, None),
    };
    let found = validate(&source, &ValidateOptions::default());
    if !matches!(found.kind, Some(Kind::Pairs)) || kind != Kind::Pairs {
        assert_eq!(found.kind, Some(kind), "detected kind of {file}");
    }
    let told = validate(&source, &ValidateOptions { as_kind: Some(kind), ..ValidateOptions::default() });
    assert_eq!(found, told, "{file} read without and with --as");
    if file != "gold_unknown_id_line3.csv" {
        return found;
    }
    // This file is good by itself; it is wrong beside its pairs.
    let mut pairs = load_pairs(&open(folder, "pairs_ok.jsonl").unwrap(), &PairOptions::default()).unwrap().records;
    let labels = load_labels(&source).unwrap().records;
    FileReport::refused(apply_labels(&mut pairs, &labels, Disputed::Tie).unwrap_err(), Some(kind))
}

fn report_of_join(folder: &Path, case: &Value) -> FileReport {
    let [a, b] = [0, 1].map(|side| {
        let file = case["files"][side].as_str().unwrap();
        load_responses(&open(folder, file).unwrap()).unwrap().records
    });
    FileReport::refused(join_responses(&a, &b, &PairOptions::default()).unwrap_err(), Some(Kind::Responses))
}

/// What is wrong with the report, by the words of the case.
fn complaints(case: &Value, report: &FileReport) -> Vec<String> {
    let outcome = match report.outcome {
        FileOutcome::Accept => "accept",
        FileOutcome::Warn => "warn",
        FileOutcome::Error => "error",
    };
    let wanted = case["outcome"].as_str().unwrap();
    let mut wrong = Vec::new();
    if outcome != wanted && !(wanted == "accept" && outcome == "warn") {
        if case["also_ok"] != outcome {
            wrong.push(format!("outcome {outcome}, wanted {wanted}"));
        }
        return wrong;
    }
    if let Some(records) = case["records"].as_u64()
        && records != report.records as u64
    {
        wrong.push(format!("{} records, wanted {records}", report.records));
    }
    if wanted == "accept" {
        return wrong;
    }
    let line = case["line"].as_u64();
    if line.is_some() && !report.messages.iter().any(|message| message.line == line) {
        wrong.push(format!("no message at line {line:?}"));
    }
    let field = case["field"].as_str();
    if field.is_some() && !report.messages.iter().any(|message| message.field.as_deref() == field) {
        wrong.push(format!("no message about field {field:?}"));
    }
    let text: String = report.messages.iter().map(|message| located(&report.path, message) + "\n").collect();
    for word in case["mention"].as_array().into_iter().flatten() {
        if !text.to_lowercase().contains(&word.as_str().unwrap().to_lowercase()) {
            wrong.push(format!("no mention of {word}"));
        }
    }
    wrong
}

#[test]
fn every_awkward_input_file_is_treated_as_its_case_says() {
    let Some(folder) = super::folder() else { return };
    let folder = folder.join("cases/inputs");
    let mut failures = Vec::new();
    let mut checked = 0;
    for line in read_to_string(folder.join("index.jsonl")).unwrap().lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        // What a prompt must hold is known to the room of prompts; here it only has to be recognised.
        if case["kind"] == "judge prompt template" {
            let source = open(&folder, case["file"].as_str().unwrap()).unwrap();
            assert_eq!(validate(&source, &ValidateOptions::default()).kind, Some(Kind::Prompt));
            continue;
        }
        checked += 1;
        let report = report(&folder, &case);
        for complaint in complaints(&case, &report) {
            failures.push(format!("case {}: {complaint}: {:?}", case["n"], report.messages));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(checked >= 47, "only {checked} cases");
}

#[test]
fn marks_line_ends_and_scripts_come_out_as_they_should() {
    let Some(folder) = super::folder() else { return };
    let folder = folder.join("cases/inputs");
    let pairs = |file: &str| load_pairs(&open(&folder, file).unwrap(), &PairOptions::default()).unwrap().records;
    assert_eq!(pairs("pairs_bom.jsonl")[0].id.as_str(), "q1");
    for pair in pairs("pairs_crlf.jsonl") {
        assert!(![pair.id.as_str(), &pair.response_a, &pair.response_b].iter().any(|text| text.contains('\r')));
    }
    let raw: Value = serde_json::from_slice(&read(folder.join("pairs_emoji_scripts.jsonl")).unwrap()).unwrap();
    let emoji = &pairs("pairs_emoji_scripts.jsonl")[0];
    assert_eq!(
        (raw["response_a"].as_str(), raw["response_b"].as_str()),
        (Some(&*emoji.response_a), Some(&*emoji.response_b))
    );
}

#[test]
fn labels_and_verdicts_are_read_as_the_cases_say() {
    let Some(folder) = super::folder() else { return };
    let folder = folder.join("cases/inputs");
    let labels = load_labels(&open(&folder, "gold_label_spaces_case.csv").unwrap()).unwrap().records;
    let read: Vec<Preference> = labels.rows.iter().map(|row| row.label).collect();
    assert_eq!(read, [Preference::A, Preference::Tie, Preference::B]);
    let agreement = load_labels(&open(&folder, "gold_two_annotators.csv").unwrap()).unwrap().records.agreement();
    assert_eq!((agreement.agreeing, agreement.compared), (2, 3));
    assert_eq!(agreement.differing, ["q2".into()]);
    let cut = load_verdicts(
        &open(&folder, "judgments_cut_last_line.jsonl").unwrap(),
        &tribunal::data::VerdictOptions::default(),
    );
    let judgments = cut.unwrap().records.judgments;
    let meant: Vec<Option<Preference>> = judgments
        .iter()
        .map(|judgment| match judgment.said {
            Said::InOrder(order, reading) => reading.verdict().map(|verdict| order.identify(verdict)),
            Said::Folded(_) => None,
        })
        .collect();
    assert_eq!(meant, [Some(Preference::A), Some(Preference::B)], "the letter names the slot");
}
