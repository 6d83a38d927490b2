#![allow(clippy::unwrap_used)]

use serde_json::json;

use super::*;

fn check(value: Value) -> Check {
    serde_json::from_value(value).unwrap()
}

fn passes(kind: Value, response: &str) -> bool {
    run_checks(&[check(kind)], response).unwrap()[0].passed
}

#[test]
fn exact_ignores_outer_space_and_case_only_when_told() {
    assert!(passes(json!({"kind": "exact", "value": "Tokyo"}), " Tokyo\n"));
    assert!(!passes(json!({"kind": "exact", "value": "Tokyo"}), "tokyo"));
    assert!(passes(json!({"kind": "exact", "value": "ÉCOLE", "ignore_case": true}), "école"));
}

#[test]
fn not_turns_the_outcome_round() {
    assert!(!passes(json!({"kind": "contains", "value": "sorry", "not": true}), "I am sorry"));
    assert!(passes(json!({"kind": "contains", "value": "sorry", "not": true}), "Here you are"));
}

#[test]
fn a_regex_is_found_anywhere() {
    assert!(passes(json!({"kind": "regex", "pattern": r"\d{4}-\d{2}"}), "on 2024-05-01"));
    assert!(!passes(json!({"kind": "regex", "pattern": r"^\d"}), "on 2024"));
}

#[test]
fn json_is_one_value_and_nothing_beside_it() {
    assert!(passes(json!({"kind": "json"}), " {\"a\":1}\n"));
    assert!(!passes(json!({"kind": "json"}), "```json\n{}\n```"));
    assert!(!passes(json!({"kind": "json"}), "{} {}"));
    let deep = "[".repeat(100_000);
    assert!(!passes(json!({"kind": "json"}), &deep));
}

#[test]
fn a_schema_decides_on_structure() {
    let schema = json!({"kind": "json_schema", "schema": {"type": "object", "required": ["name"],
        "properties": {"age": {"type": "integer", "minimum": 0}}}});
    assert!(passes(schema.clone(), r#"{"name":"x","age":3}"#));
    assert!(!passes(schema.clone(), r#"{"name":"x","age":-3}"#));
    assert!(!passes(schema.clone(), r#"{"age":3}"#));
    assert!(!passes(schema, "no JSON"));
}

#[test]
fn a_schema_that_refers_elsewhere_is_refused_and_nothing_is_opened() {
    for place in ["file:///etc/hostname", "http://127.0.0.1:9/x.json"] {
        let error =
            CheckSet::compile(&[check(json!({"kind": "json_schema", "schema": {"$ref": place}}))]).err().unwrap();
        assert_eq!(error.field, "schema");
    }
}

#[test]
fn numeric_takes_the_last_number_within_the_tolerance() {
    assert!(passes(json!({"kind": "numeric", "value": 0.3, "tolerance": 0.1}), "0.4"));
    assert!(!passes(json!({"kind": "numeric", "value": 0.3, "tolerance": 0.1}), "0.41"));
    assert!(passes(json!({"kind": "numeric", "value": 1234}), "合計は１,２３４円です"));
    assert!(!passes(json!({"kind": "numeric", "value": 5}), "five"));
}

#[test]
fn a_set_is_free_in_order_and_strict_in_members() {
    let set = json!({"kind": "set", "values": ["赤", "青"], "separator": "、"});
    assert!(passes(set.clone(), "青、 赤"));
    assert!(!passes(set.clone(), "青"));
    assert!(!passes(set.clone(), "青、赤、緑"));
    assert!(!passes(set, "青、赤、赤"));
}

#[test]
fn length_counts_what_it_is_told_to() {
    assert!(passes(json!({"kind": "length", "unit": "chars", "max": 3}), "日本語 "));
    assert!(!passes(json!({"kind": "length", "unit": "words", "min": 3}), "two words"));
    assert!(passes(json!({"kind": "length", "unit": "lines", "min": 2, "max": 2}), "a\n\n b\n"));
}

#[test]
fn checks_that_cannot_be_run_are_refused_with_place_and_field() {
    for (broken, field) in [
        (json!({"kind": "regex", "pattern": "("}), "pattern"),
        (json!({"kind": "json_schema", "schema": {"type": "nothing"}}), "schema"),
        (json!({"kind": "numeric", "value": 1, "tolerance": -1}), "tolerance"),
        (json!({"kind": "contains", "value": ""}), "value"),
        (json!({"kind": "set", "values": ["a", "a"], "separator": ","}), "values"),
        (json!({"kind": "set", "values": ["a"], "separator": ""}), "separator"),
        (json!({"kind": "length", "unit": "chars"}), "min"),
        (json!({"kind": "length", "unit": "chars", "min": 5, "max": 4}), "min"),
    ] {
        let error = CheckSet::compile(&[check(json!({"kind": "json"})), check(broken)]).err().unwrap();
        assert_eq!((error.index, error.field), (1, field), "{error}");
        assert!(error.to_string().contains(&format!("checks[1].{field}")), "{error}");
    }
}
