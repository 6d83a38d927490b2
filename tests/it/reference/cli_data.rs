//! Every published recording through the program: it reads them, gates every judge, and says so in JSON.

use serde_json::Value;

use crate::cli::{Desk, Run};

fn calibrated(source: &std::path::Path, more: &str) -> (Run, Value) {
    let line = format!("calibrate --verdicts {} --resamples 200 --format json {more}", source.display());
    let run = Desk::new().run(&line);
    assert!([0, 1, 3].contains(&run.status), "{}: {} {}", source.display(), run.status, run.stderr);
    let json = run.json(run.status);
    (run, json)
}

#[test]
fn every_published_recording_is_calibrated_without_a_call() {
    let Some(folder) = super::folder() else { return };
    let mut sources = 0;
    for entry in std::fs::read_dir(folder.join("data")).unwrap() {
        let source = entry.unwrap().path();
        let Ok(reference) = std::fs::read_to_string(source.join("reference.json")) else { continue };
        let reference: Value = serde_json::from_str(&reference).unwrap();
        let (run, json) = calibrated(&source.join("pairs.jsonl"), "");
        let decision = json["result"]["decision"].as_str().unwrap();
        assert_eq!(
            run.status,
            match decision {
                "pass" => 0,
                "fail" => 1,
                _ => 3,
            },
            "{}",
            source.display()
        );
        let judges = json["result"]["judges"].as_array().unwrap();
        for name in reference["judges"].as_object().unwrap().keys() {
            let card = judges.iter().find(|card| card["name"] == **name);
            assert!(card.is_some_and(|card| card["figures"]["rows"].as_u64() > Some(0)), "{name}");
        }
        sources += 1;
    }
    assert!(sources >= 7, "{sources} sources");
}

#[test]
fn grouping_by_question_is_asked_for_where_questions_repeat_and_widens_the_interval() {
    let Some(folder) = super::folder() else { return };
    let source = folder.join("data/vicuna80/pairs.jsonl");
    let width = |json: &Value| {
        let judges = json["result"]["judges"].as_array().unwrap();
        let card = judges.iter().find(|card| card["name"] == "gpt-4").unwrap();
        let strict = &card["figures_clustered"]["agreement_strict"];
        let strict = if strict.is_null() { &card["figures"]["agreement_strict"] } else { strict };
        strict["upper"].as_f64().unwrap() - strict["lower"].as_f64().unwrap()
    };
    let ((items, by_item), (_, by_question)) = (calibrated(&source, ""), calibrated(&source, "--group-by question"));
    let ratio = width(&by_question) / width(&by_item);
    assert!((ratio - 1.7).abs() < 0.1, "{ratio}");
    let said = format!("{} {}", items.stderr, by_item["result"]["warnings"]);
    assert!(said.contains("group-by"), "{said}");
}
