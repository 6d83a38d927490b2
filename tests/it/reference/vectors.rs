//! Every case of every family of reference vectors, at the case's own tolerance.
//!
//! A handler gets a case's input and returns what the library finds, in the shape of `expected`; `null` stands for "not
//! estimable". An unknown family, kind or expected field is a failure, never a pass.

// Every handler has one shape, whether or not it has kinds to be unsure of.
#![allow(clippy::unnecessary_wraps)]

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

mod counts;
mod judgments;
mod models;
mod protocols;
mod resampling;

/// What a handler finds, or which kind it does not know.
type Found = Result<Value, String>;

type Handler = fn(&Value, &Value) -> Found;

/// Every family, in the order of its name.
const FAMILIES: [(&str, Handler); 31] = [
    ("agreement", counts::agreement),
    ("binomial_tests", counts::binomial_tests),
    ("bootstrap", resampling::bootstrap),
    ("bradley_terry", models::bradley_terry),
    ("elo", models::elo),
    ("human_ceiling", resampling::human_ceiling),
    ("judge_error_correction", judgments::judge_error_correction),
    ("krippendorff_alpha", counts::krippendorff_alpha),
    ("length_controlled_winrate", models::length_controlled_winrate),
    ("logistic", models::logistic),
    ("mcnemar", counts::mcnemar),
    ("min_n_certify", counts::min_n_certify),
    ("multiple_comparisons", counts::multiple_comparisons),
    ("ordinal_regression", protocols::ordinal_regression),
    ("pair_outcomes", judgments::pair_outcomes),
    ("permutation", resampling::permutation),
    ("position_repeats", judgments::position_repeats),
    ("power", resampling::power),
    ("ppi_mean", judgments::ppi_mean),
    ("prefilter", protocols::prefilter),
    ("probability_binary", protocols::probability_binary),
    ("probability_multiclass", protocols::probability_multiclass),
    ("proportion_intervals", counts::proportion_intervals),
    ("ranking", protocols::ranking),
    ("regression_verdict", judgments::regression_verdict),
    ("self_preference", judgments::self_preference),
    ("sequential", judgments::sequential),
    ("special_functions", counts::special_functions),
    ("text_metrics", protocols::text_metrics),
    ("two_proportions", counts::two_proportions),
    ("variance_components", judgments::variance_components),
];

#[test]
fn every_reference_vector_is_reproduced_within_its_tolerance() {
    let Some(folder) = super::folder() else { return };
    let mut failures = Vec::new();
    let cases = run_folder(&folder.join("vectors"), &mut failures);
    println!("{} cases of {} families, {} failures", cases.values().sum::<usize>(), cases.len(), failures.len());
    for (family, cases) in &cases {
        println!("{family}: {cases} cases");
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    let known: Vec<&str> = FAMILIES.iter().map(|(family, _)| *family).collect();
    assert_eq!(cases.keys().map(String::as_str).collect::<Vec<_>>(), known, "families that lie there, and those known");
}

/// Runs every file of the folder; cases by family.
fn run_folder(folder: &Path, failures: &mut Vec<String>) -> BTreeMap<String, usize> {
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "no vectors in {}", folder.display());
    paths.iter().map(|path| run_family(path, failures)).collect()
}

/// What cannot be read as a family that is known has to be told, whatever it looks like.
#[test]
#[allow(clippy::disallowed_methods, reason = "a folder of the test alone")]
fn a_planted_family_kind_field_or_value_is_a_failure_and_not_a_pass() {
    let interval = |family: &str, kind: &str, expected: &str| {
        format!(
            r#"{{"family": "{family}", "cases": [{{"name": "planted", "input": {{"kind": "{kind}", "k": 0, "n": 10, "x": 0, "p": 0.5, "confidence": 0.95}},
            "expected": {expected}, "tolerance": {{"abs": 1e-9, "rel": 0}}}}]}}"#
        )
    };
    let planted = [
        ("family.json", interval("no_such_family", "wilson", "null"), "unknown family"),
        ("kind.json", interval("power", "no_such_kind", "null"), "unknown kind"),
        ("empty.json", r#"{"family": "mcnemar", "cases": []}"#.to_owned(), "no cases"),
    ];
    for (name, text, wanted) in planted {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(name), text).unwrap();
        let mut failures = Vec::new();
        run_folder(folder.path(), &mut failures);
        assert!(failures.len() == 1 && failures[0].contains(wanted), "{name}: {failures:?}");
    }
    // Not computed, wrong, undefined where a number is wanted, a number where none is.
    let tolerance = Tolerance { absolute: 1e-9, relative: 0.0 };
    let found = serde_json::json!({"p": 0.5, "none": null, "list": [1.0, 2.0]});
    for (expected, wanted) in [
        (serde_json::json!({"p": 0.5, "further": 1.0}), "not computed"),
        (serde_json::json!({"p": 0.500_001}), "expected 0.500001"),
        (serde_json::json!({"none": 0.0}), "found null"),
        (serde_json::json!({"p": null}), "expected null"),
        (serde_json::json!({"list": [1.0]}), "expected [1.0]"),
    ] {
        let mut failures = Vec::new();
        tolerance.compare("planted", &found, &expected, &mut failures);
        assert!(failures.len() == 1 && failures[0].contains(wanted), "{expected}: {failures:?}");
    }
}

fn run_family(path: &Path, failures: &mut Vec<String>) -> (String, usize) {
    let text = std::fs::read_to_string(path).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    let family = file["family"].as_str().unwrap();
    let cases = file["cases"].as_array().unwrap();
    let Some((_, run)) = FAMILIES.iter().find(|(known, _)| *known == family) else {
        failures.push(format!("{family}: unknown family"));
        return (family.to_owned(), 0);
    };
    if cases.is_empty() {
        failures.push(format!("{family} has no cases"));
    }
    for case in cases {
        let name = format!("{family} / {}", case["name"].as_str().unwrap_or("?"));
        match run(&case["input"], &case["expected"]) {
            Err(unknown) => failures.push(format!("{name}: {unknown}")),
            Ok(found) => {
                let tolerance = Tolerance {
                    absolute: case["tolerance"]["abs"].as_f64().unwrap(),
                    relative: case["tolerance"]["rel"].as_f64().unwrap(),
                };
                tolerance.compare(&name, &found, &case["expected"], failures);
            }
        }
    }
    (family.to_owned(), cases.len())
}

#[derive(Clone, Copy)]
struct Tolerance {
    absolute: f64,
    relative: f64,
}

impl Tolerance {
    fn compare(self, place: &str, found: &Value, expected: &Value, failures: &mut Vec<String>) {
        match (found, expected) {
            (Value::Object(found), Value::Object(expected)) => {
                for (key, value) in expected {
                    match found.get(key) {
                        Some(other) => self.compare(&format!("{place} / {key}"), other, value, failures),
                        None => failures.push(format!("{place} / {key}: not computed")),
                    }
                }
            }
            (Value::Array(found), Value::Array(expected)) if found.len() == expected.len() => {
                for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
                    self.compare(&format!("{place}[{index}]"), found, expected, failures);
                }
            }
            (Value::Number(found), Value::Number(expected)) => {
                let (found, expected) = (found.as_f64().unwrap(), expected.as_f64().unwrap());
                let slack = self.absolute + self.relative * expected.abs();
                if found.is_nan() || (found - expected).abs() > slack {
                    failures.push(format!("{place}: found {found}, expected {expected} within {slack:e}"));
                }
            }
            _ if found == expected => {}
            _ => failures.push(format!("{place}: found {found}, expected {expected}")),
        }
    }
}

/// A number as JSON; infinities as the vectors write them.
fn number(value: f64) -> Value {
    if value.is_infinite() {
        return Value::from(if value > 0.0 { "inf" } else { "-inf" });
    }
    Value::from(value)
}

/// A number or, where there is none, `null`.
fn or_null<E>(value: Result<f64, E>) -> Value {
    value.map_or(Value::Null, number)
}

/// Both limits of a figure or, where there is none, `null`.
fn limits(figure: &tribunal::stats::Figure) -> Value {
    figure.as_ref().map_or(Value::Null, |estimate| Value::from(vec![number(estimate.lower), number(estimate.upper)]))
}

fn float(input: &Value, field: &str) -> f64 {
    input[field].as_f64().unwrap_or_else(|| panic!("{field} is no number: {}", input[field]))
}

fn whole(input: &Value, field: &str) -> u64 {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    input[field].as_u64().unwrap_or_else(|| float(input, field) as u64)
}

fn floats(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

#[allow(clippy::cast_possible_truncation)]
fn indexes(value: &Value) -> Vec<usize> {
    value.as_array().unwrap().iter().map(|number| number.as_u64().unwrap() as usize).collect()
}

fn level(input: &Value) -> tribunal::stats::Level {
    tribunal::stats::Level::new(float(input, "confidence")).unwrap()
}

fn kind(input: &Value) -> &str {
    input["kind"].as_str().unwrap()
}

fn unknown_kind(input: &Value) -> Found {
    Err(format!("unknown kind {}", input["kind"]))
}
