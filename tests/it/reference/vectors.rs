//! Every case of every family of reference vectors, at the case's own tolerance.
//!
//! A handler gets a case's input and returns what the library finds, in the shape of `expected`; `null` stands for "not
//! estimable". An unknown family, kind or expected field is a failure, never a pass.

// Every handler has one shape, whether or not it has kinds to be unsure of.
#![allow(clippy::unnecessary_wraps)]

use std::path::Path;

use serde_json::Value;

mod counts;
mod judgments;
mod models;
mod protocols;
mod resampling;

/// Families that the library cannot compute yet.
const NOT_YET: [&str; 0] = [];

/// What a handler finds, or which kind it does not know.
type Found = Result<Value, String>;

fn handler(family: &str) -> Option<fn(&Value, &Value) -> Found> {
    Some(match family {
        "agreement" => counts::agreement,
        "binomial_tests" => counts::binomial_tests,
        "bootstrap" => resampling::bootstrap,
        "human_ceiling" => resampling::human_ceiling,
        "krippendorff_alpha" => counts::krippendorff_alpha,
        "mcnemar" => counts::mcnemar,
        "min_n_certify" => counts::min_n_certify,
        "multiple_comparisons" => counts::multiple_comparisons,
        "permutation" => resampling::permutation,
        "power" => resampling::power,
        "proportion_intervals" => counts::proportion_intervals,
        "special_functions" => counts::special_functions,
        "two_proportions" => counts::two_proportions,
        "bradley_terry" => models::bradley_terry,
        "elo" => models::elo,
        "length_controlled_winrate" => models::length_controlled_winrate,
        "logistic" => models::logistic,
        "judge_error_correction" => judgments::judge_error_correction,
        "pair_outcomes" => judgments::pair_outcomes,
        "position_repeats" => judgments::position_repeats,
        "ppi_mean" => judgments::ppi_mean,
        "regression_verdict" => judgments::regression_verdict,
        "self_preference" => judgments::self_preference,
        "sequential" => judgments::sequential,
        "variance_components" => judgments::variance_components,
        "ordinal_regression" => protocols::ordinal_regression,
        "prefilter" => protocols::prefilter,
        "probability_binary" => protocols::probability_binary,
        "probability_multiclass" => protocols::probability_multiclass,
        "ranking" => protocols::ranking,
        "text_metrics" => protocols::text_metrics,
        _ => return None,
    })
}

#[test]
fn every_reference_vector_is_reproduced_within_its_tolerance() {
    let Some(folder) = super::folder() else { return };
    let folder = folder.join("vectors");
    let mut paths: Vec<_> = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "no vectors in {}", folder.display());
    let mut failures = Vec::new();
    let mut cases = 0;
    for path in &paths {
        cases += run_family(path, &mut failures);
    }
    println!("{cases} cases of {} families, {} failures", paths.len(), failures.len());
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

fn run_family(path: &Path, failures: &mut Vec<String>) -> usize {
    let text = std::fs::read_to_string(path).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    let family = file["family"].as_str().unwrap();
    if NOT_YET.contains(&family) {
        println!("{family}: not yet");
        return 0;
    }
    let Some(run) = handler(family) else {
        failures.push(format!("{family}: unknown family"));
        return 0;
    };
    let cases = file["cases"].as_array().unwrap();
    assert!(!cases.is_empty(), "{family} has no cases");
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
    cases.len()
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
