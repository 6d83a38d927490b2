//! `checks` of a pair: refused when they are read rather than when the first answer is checked.

use serde_json::Value;

use super::row::Row;
use crate::domain::{Check, CheckKind};

/// Reads the list `checks`.
pub(super) fn checks_of(row: &mut Row<'_>) -> Vec<Check> {
    let mut checks = Vec::new();
    for (position, value) in row.optional_list("checks").into_iter().enumerate() {
        match check(value) {
            Ok(check) => checks.push(check),
            Err(text) => row.fail(&format!("checks[{position}]"), format!("is no check: {text}")),
        }
    }
    checks
}

fn check(value: Value) -> Result<Check, String> {
    if !value.is_object() {
        return Err("an object with `kind` is wanted, as in {\"kind\":\"contains\",\"value\":\"42\"}".to_owned());
    }
    let check: Check = serde_json::from_value(value).map_err(|error| error.to_string())?;
    match &check.kind {
        CheckKind::Regex { pattern } => {
            regex::Regex::new(pattern).map_err(|error| error.to_string().replace('\n', " "))?;
        }
        CheckKind::Length { min: None, max: None, .. } => return Err("a length needs `min` or `max`".to_owned()),
        CheckKind::Length { min: Some(min), max: Some(max), .. } if min > max => {
            return Err(format!("`min` {min} is above `max` {max}"));
        }
        CheckKind::Set { separator, .. } if separator.is_empty() => return Err("`separator` is empty".to_owned()),
        CheckKind::Numeric { tolerance, .. } if *tolerance < 0.0 => {
            return Err(format!("`tolerance` {tolerance} is below 0"));
        }
        _ => {}
    }
    Ok(check)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn checks_that_could_never_work_are_refused() {
        for (value, part) in [
            (json!("exact"), "object"),
            (json!({"kind": "exakt", "value": "x"}), "exakt"),
            (json!({"kind": "exact"}), "value"),
            (json!({"kind": "regex", "pattern": "("}), "unclosed group"),
            (json!({"kind": "length", "unit": "chars"}), "min"),
            (json!({"kind": "length", "unit": "words", "min": 3, "max": 2}), "above"),
            (json!({"kind": "set", "values": [], "separator": ""}), "separator"),
        ] {
            let error = check(value.clone()).expect_err("refused");
            assert!(error.contains(part), "{value}: {error}");
        }
        assert!(check(json!({"kind": "numeric", "value": 3, "not": true})).is_ok_and(|check| check.not));
    }
}
