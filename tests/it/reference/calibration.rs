//! Every figure of every judge of every published recording, against the reference computation.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;
use tribunal::analysis::calibration::{Calibration, Options, calibrate};
use tribunal::analysis::gate::GateRules;
use tribunal::analysis::jury::Panel;
use tribunal::data::{Source, VerdictOptions, gold_set_of_facts, load_verdicts};
use tribunal::stats::Figure;

/// Figures printed with six decimals agree within half a unit of the last.
const PRINTED: f64 = 5.1e-7;

pub fn calibration_of(path: &Path, group_by: Option<&str>, resamples: usize) -> Calibration {
    let bytes = std::fs::read(path).unwrap();
    let source = Source::from_bytes(path.display().to_string(), bytes).unwrap();
    let options = VerdictOptions { group_by: group_by.map(str::to_owned), ..VerdictOptions::default() };
    let loaded = load_verdicts(&source, &options).unwrap().records;
    let gold = gold_set_of_facts("reference", loaded.items);
    calibrate(
        &gold,
        &loaded.judgments,
        &Options {
            rules: GateRules::default(),
            resamples,
            seed: 7,
            any_model: std::collections::BTreeSet::new(),
            jury: Panel::default(),
        },
    )
}

#[test]
fn every_figure_of_the_published_recordings_is_reproduced() {
    let Some(folder) = super::folder() else { return };
    let mut sources = 0;
    let mut figures = 0;
    let mut wrong = String::new();
    for entry in std::fs::read_dir(folder.join("data")).unwrap() {
        let source = entry.unwrap().path();
        let Ok(text) = std::fs::read_to_string(source.join("reference.json")) else { continue };
        let reference: Value = serde_json::from_str(&text).unwrap();
        let answer = serde_json::to_value(calibration_of(&source.join("pairs.jsonl"), None, 200)).unwrap();
        sources += 1;
        let name = source.file_name().unwrap().to_string_lossy().into_owned();
        for (judge, expected) in reference["judges"].as_object().unwrap() {
            let ours = answer["judges"].as_array().unwrap().iter().find(|card| card["name"] == **judge).unwrap();
            figures += compare(&format!("{name} {judge}"), expected, &ours["figures"], &mut wrong);
        }
        if let Some(humans) = reference["humans"].as_object().filter(|humans| !humans.is_empty()) {
            figures +=
                compare(&format!("{name} humans"), &Value::Object(humans.clone()), &answer["humans"], &mut wrong);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.chars().take(4000).collect::<String>());
    println!("{sources} sources, {figures} figures");
    assert!(sources >= 7 && figures > 5_000, "{sources} sources, {figures} figures");
}

/// Compares what the reference names; returns how many leaves were compared.
fn compare(place: &str, expected: &Value, ours: &Value, wrong: &mut String) -> usize {
    let Some(fields) = expected.as_object() else { return leaf(place, expected, ours, wrong) };
    fields
        .iter()
        .map(|(key, value)| {
            let here = format!("{place} / {key}");
            match key.as_str() {
                "p" => match value {
                    Value::Null => {
                        leaf(&here, &Value::Bool(true), &Value::Bool(ours["not_estimable"].is_string()), wrong)
                    }
                    value => leaf(&here, value, &ours["point"], wrong),
                },
                "wilson95" if value.is_null() => 0,
                "wilson95" => {
                    leaf(&here, &value[0], &ours["lower"], wrong) + leaf(&here, &value[1], &ours["upper"], wrong)
                }
                _ => compare(&here, value, &ours[key], wrong),
            }
        })
        .sum()
}

fn leaf(place: &str, expected: &Value, ours: &Value, wrong: &mut String) -> usize {
    // A bare number in the reference is an estimate here.
    let ours = if ours["point"].is_number() { &ours["point"] } else { ours };
    let same = match (expected.as_f64(), ours.as_f64()) {
        (Some(expected), Some(ours)) if expected.fract() == 0.0 && place.ends_with(['k', 'n', 'f']) => expected == ours,
        (Some(expected), Some(ours)) => (expected - ours).abs() <= PRINTED,
        (None, _) if expected.is_null() => ours["not_estimable"].is_string(),
        _ => expected == ours,
    };
    if !same {
        let _ = writeln!(wrong, "{place}: expected {expected}, got {ours}");
    }
    1
}

#[test]
fn grouping_by_question_widens_the_interval_of_strict_agreement() {
    let Some(folder) = super::folder() else { return };
    let strict = |group_by: Option<&str>| -> Figure {
        let answer = calibration_of(&folder.join("data/vicuna80/pairs.jsonl"), group_by, 1_000);
        answer.judges.iter().find(|card| card.name.as_str() == "gpt-4").unwrap().shown("agreement_strict")
    };
    let (items, questions) = (strict(None).unwrap(), strict(Some("question")).unwrap());
    let ratio = (questions.upper - questions.lower) / (items.upper - items.lower);
    println!(
        "over items {:.3}-{:.3}, over questions {:.3}-{:.3}",
        items.lower, items.upper, questions.lower, questions.upper
    );
    assert!((ratio - 1.7).abs() < 0.1, "{ratio}");
    assert!((questions.lower - 0.431).abs() < 0.002 && (questions.upper - 0.509).abs() < 0.002, "{questions:?}");
}
