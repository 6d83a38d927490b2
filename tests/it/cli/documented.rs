//! Every key of the machine outputs is explained in `docs/methods.md`.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Desk;
use super::desk::gold;

const METHODS: &str = include_str!("../../../docs/methods.md");

/// Names of the data, not of the output: below these the keys are categories and languages.
const BY_DATA: [&str; 2] = ["by_category", "by_language"];

/// Where a result lies and who is in it: what `docs/formats.md` tells.
const PLACES: [&str; 12] =
    ["a", "b", "judge", "judges", "name", "model", "fingerprint", "certificate", "gold", "items", "pilot", "reason"];

fn keys(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                found.insert(key.clone());
                match value {
                    Value::Object(parts) if BY_DATA.contains(&key.as_str()) => {
                        parts.values().for_each(|part| keys(part, found));
                    }
                    _ => keys(value, found),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| keys(value, found)),
        _ => {}
    }
}

fn is_a_word_of_the_methods(key: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    METHODS
        .match_indices(key)
        .any(|(at, _)| !METHODS[..at].ends_with(is_part) && !METHODS[at + key.len()..].starts_with(is_part))
}

/// Three judges with some errors and flips, each asked twice, over the labelled pairs.
fn verdicts() -> String {
    let mut text = String::new();
    for (number, line) in gold().lines().enumerate() {
        let item: Value = serde_json::from_str(line).unwrap();
        for (judge, name) in ["x", "y", "z"].into_iter().enumerate() {
            for repeat in 0..2 {
                let is_a = (item["gold"] == "a") != ((number + judge) % 7 == 0);
                for order in ["ab", "ba"] {
                    let verdict = match (number + 3 * judge) % 11 {
                        0 => "first",
                        1 => "tie",
                        _ if is_a == (order == "ab") => "first",
                        _ => "second",
                    };
                    let line =
                        json!({"id": item["id"], "judge": name, "order": order, "repeat": repeat, "verdict": verdict});
                    let _ = writeln!(text, "{line}");
                }
            }
        }
    }
    text
}

#[test]
fn every_key_of_every_output_is_explained() {
    let desk = Desk::new();
    desk.write("gold.jsonl", &gold());
    desk.write("verdicts.jsonl", &verdicts());
    let part: String = gold()
        .lines()
        .enumerate()
        .map(|(number, line)| {
            let mut item: Value = serde_json::from_str(line).unwrap();
            if number >= 15 {
                item.as_object_mut().unwrap().remove("gold");
            }
            format!("{item}\n")
        })
        .collect();
    desk.write("part.jsonl", &part);
    let compare = "compare --pairs part.jsonl --judge control:longest --resamples 200";
    let lines = [
        "calibrate --gold gold.jsonl --verdicts verdicts.jsonl --resamples 200".to_owned(),
        format!("{compare} --gold-sample random --require no-worse --margin 0.1"),
        format!("{compare} --stop-when-decided"),
        "compare --verdicts verdicts.jsonl --judge x --resamples 200".to_owned(),
        "plan --pilot verdicts.jsonl --judge x --gold gold.jsonl".to_owned(),
        "plan".to_owned(),
    ];
    let mut all = BTreeSet::new();
    for line in lines {
        let run = desk.run(&format!("{line} --format json"));
        let document: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{line}: {}", run.stderr));
        let mut found = BTreeSet::new();
        keys(&document["result"], &mut found);
        assert!(found.len() > 20, "{line}: {found:?}");
        all.append(&mut found);
    }
    let silent: Vec<&String> =
        all.iter().filter(|key| !PLACES.contains(&key.as_str()) && !is_a_word_of_the_methods(key)).collect();
    assert!(silent.is_empty(), "docs/methods.md does not explain {silent:?}");
}
