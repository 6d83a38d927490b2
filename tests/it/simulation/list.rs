//! No interval without a simulation: every method that the documentation of intervals names, and every one that a calibration or a
//! comparison shows, is in the list of where it is simulated.

use std::collections::BTreeSet;

use serde_json::Value;
use tribunal::stats::Seed;

use super::raters::a_calibration_of_people;
use super::reports::{Design, Outcomes, compared};

const METHODS: &str = include_str!("../../../docs/methods.md");
const SIMULATIONS: &str = include_str!("../../../docs/simulations.md");

/// The names in backticks in the first column of the tables under a heading.
fn first_column(text: &str, heading: &str) -> BTreeSet<String> {
    let part = text.split_once(&format!("\n## {heading}\n")).unwrap().1;
    let part = part.split("\n## ").next().unwrap();
    let cells = part.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

/// The methods of all estimates within.
fn methods(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            if let (Some(Value::String(method)), true) = (fields.get("method"), fields.contains_key("lower")) {
                found.insert(method.clone());
            }
            fields.values().for_each(|value| methods(value, found));
        }
        Value::Array(values) => values.iter().for_each(|value| methods(value, found)),
        _ => {}
    }
}

#[test]
fn every_method_of_an_interval_is_in_the_list_of_simulations() {
    let listed = first_column(SIMULATIONS, "Which interval is simulated where");
    let documented = first_column(METHODS, "Intervals");
    assert!(documented.len() > 15, "{documented:?}");
    let mut shown = BTreeSet::new();
    let mut stream = Seed(1).child("list").stream(0);
    methods(&serde_json::to_value(a_calibration_of_people(&mut stream)).unwrap(), &mut shown);
    let outcomes = Outcomes { won: 0.5, lost: 0.2, tie: 0.2, flip: 0.1, half_a: 0.0, half_b: 0.0 };
    for of_group in [1, 3] {
        let design = Design { items: 90, of_group, repeats: 1, alike: 0.5 };
        methods(&serde_json::to_value(compared(&mut stream, outcomes, design, None)).unwrap(), &mut shown);
    }
    assert!(shown.len() > 8, "{shown:?}");
    let missing: Vec<&String> = documented.union(&shown).filter(|method| !listed.contains(*method)).collect();
    assert!(missing.is_empty(), "without a line in docs/simulations.md: {missing:?}");
    let undocumented: Vec<&String> = shown.difference(&documented).collect();
    assert!(undocumented.is_empty(), "without a line in docs/methods.md: {undocumented:?}");
}
