//! Deterministic checks: what can be checked is never judged.

use std::collections::BTreeSet;

use boon::{CompileError, Compiler, SchemaIndex, Schemas, SchemeUrlLoader};
use regex::Regex;
use serde::Serialize;
use serde_json::Value;

use super::number;
use crate::domain::{Check, CheckKind, LengthUnit};

/// A check that cannot be run, whatever the response.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("field `checks[{index}].{field}`: {problem}")]
pub struct CheckError {
    /// Place in the item's list, from 0.
    pub index: usize,
    /// The field that is wrong.
    pub field: &'static str,
    /// What is wrong with it.
    pub problem: String,
}

/// What one check says about one response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckOutcome {
    /// True where the response satisfies the check, `not` included.
    pub passed: bool,
    /// What was found, in words.
    pub why: String,
}

/// Checks made ready to run: patterns and schemas are compiled once.
pub struct CheckSet(Vec<Ready>);

struct Ready {
    not: bool,
    test: Test,
}

enum Test {
    Plain(CheckKind),
    Regex(Regex),
    Schema(Box<(Schemas, SchemaIndex)>),
}

impl CheckSet {
    /// Makes `checks` ready, or says which of them can never be run and why.
    pub fn compile(checks: &[Check]) -> Result<Self, CheckError> {
        let ready = |(index, check): (usize, &Check)| {
            let test = compile(&check.kind).map_err(|(field, problem)| CheckError { index, field, problem })?;
            Ok(Ready { not: check.not, test })
        };
        checks.iter().enumerate().map(ready).collect::<Result<_, _>>().map(Self)
    }

    /// One outcome per check, in their order.
    pub fn run(&self, response: &str) -> Vec<CheckOutcome> {
        self.0
            .iter()
            .map(|ready| {
                let found = ready.test.run(response);
                let passed = found.is_ok() != ready.not;
                let (Ok(why) | Err(why)) = found;
                CheckOutcome { passed, why: if ready.not { format!("inverted: {why}") } else { why } }
            })
            .collect()
    }
}

/// Runs `checks` on `response`: one outcome per check, in their order.
pub fn run_checks(checks: &[Check], response: &str) -> Result<Vec<CheckOutcome>, CheckError> {
    Ok(CheckSet::compile(checks)?.run(response))
}

type Fault = (&'static str, String);

fn compile(kind: &CheckKind) -> Result<Test, Fault> {
    match kind {
        CheckKind::Regex { pattern } => {
            let regex = Regex::new(pattern).map_err(|e| ("pattern", format!("not a pattern: {}", one_line(&e))))?;
            return Ok(Test::Regex(regex));
        }
        CheckKind::JsonSchema { schema } => return compile_schema(schema),
        CheckKind::Numeric { value, .. } if !value.is_finite() => {
            return Err(("value", "not a finite number".to_owned()));
        }
        CheckKind::Numeric { tolerance, .. } if !(tolerance.is_finite() && *tolerance >= 0.0) => {
            return Err(("tolerance", format!("found {tolerance}, want a number from 0")));
        }
        CheckKind::Contains { value, .. } if value.is_empty() => {
            return Err(("value", "every response contains the empty text".to_owned()));
        }
        CheckKind::Set { values, separator } => check_set(values, separator)?,
        CheckKind::Length { min: None, max: None, .. } => return Err(("min", "want `min`, `max` or both".to_owned())),
        CheckKind::Length { min: Some(min), max: Some(max), .. } if min > max => {
            return Err(("min", format!("{min} is above `max`, which is {max}")));
        }
        _ => {}
    }
    Ok(Test::Plain(kind.clone()))
}

fn check_set(values: &[String], separator: &str) -> Result<(), Fault> {
    if separator.is_empty() {
        return Err(("separator", "an empty separator splits nothing".to_owned()));
    }
    let mut seen = BTreeSet::new();
    for value in values {
        if value.contains(separator) {
            return Err(("values", format!("`{value}` holds the separator, so no response can name it")));
        }
        if !seen.insert(value.trim()) {
            return Err(("values", format!("`{value}` is listed twice")));
        }
    }
    Ok(())
}

fn compile_schema(schema: &Value) -> Result<Test, Fault> {
    // A name in the reserved `invalid` domain; with no loader registered nothing is ever fetched or opened.
    const PLACE: &str = "http://check.invalid/schema.json";
    let mut schemas = Schemas::new();
    let mut compiler = Compiler::new();
    compiler.use_loader(Box::new(SchemeUrlLoader::new()));
    let fault = |error: &CompileError| ("schema", format!("not a JSON Schema: {}", one_line(&format!("{error:#}"))));
    compiler.add_resource(PLACE, schema.clone()).map_err(|error| fault(&error))?;
    let index = compiler.compile(PLACE, &mut schemas).map_err(|error| fault(&error))?;
    Ok(Test::Schema(Box::new((schemas, index))))
}

fn one_line(text: &impl ToString) -> String {
    text.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Test {
    /// `Ok` where the response satisfies the bare test, with what was found either way.
    fn run(&self, response: &str) -> Result<String, String> {
        match self {
            Self::Plain(kind) => run_plain(kind, response),
            Self::Regex(regex) => verdict(regex.is_match(response), "the pattern is found", "the pattern is not found"),
            Self::Schema(compiled) => {
                let value = parse_json(response)?;
                match compiled.0.validate(&value, compiled.1) {
                    Ok(()) => Ok("valid against the schema".to_owned()),
                    Err(error) => Err(shorten(&one_line(&error))),
                }
            }
        }
    }
}

fn run_plain(kind: &CheckKind, response: &str) -> Result<String, String> {
    match kind {
        CheckKind::Exact { value, ignore_case } => {
            let same = fold(response.trim(), *ignore_case) == fold(value.trim(), *ignore_case);
            verdict(same, "equal to the wanted text", "not equal to the wanted text")
        }
        CheckKind::Contains { value, ignore_case } => {
            let found = fold(response, *ignore_case).contains(&fold(value, *ignore_case));
            verdict(found, "the wanted part is there", "the wanted part is not there")
        }
        CheckKind::Json => parse_json(response).map(|_| "one JSON value".to_owned()),
        CheckKind::Numeric { value, tolerance } => run_numeric(*value, *tolerance, response),
        CheckKind::Set { values, separator } => run_set(values, separator, response),
        CheckKind::Length { unit, min, max } => run_length(*unit, *min, *max, response),
        CheckKind::Regex { .. } | CheckKind::JsonSchema { .. } => Err("the check was not compiled".to_owned()),
    }
}

fn verdict(passed: bool, yes: &str, no: &str) -> Result<String, String> {
    if passed { Ok(yes.to_owned()) } else { Err(no.to_owned()) }
}

fn fold(text: &str, ignore_case: bool) -> String {
    if ignore_case { text.to_lowercase() } else { text.to_owned() }
}

fn parse_json(response: &str) -> Result<Value, String> {
    serde_json::from_str(response.trim()).map_err(|error| format!("not one JSON value: {error}"))
}

fn run_numeric(value: f64, tolerance: f64, response: &str) -> Result<String, String> {
    let Some(found) = number::last(response) else { return Err("there is no number".to_owned()) };
    // Decimal fractions are not exact in binary: 0.4 is meant to be within 0.1 of 0.3.
    let slack = if tolerance == 0.0 { 0.0 } else { 4.0 * f64::EPSILON * found.abs().max(value.abs()) };
    let text = format!("the last number is {found}, wanted {value} within {tolerance}");
    if (found - value).abs() <= tolerance + slack { Ok(text) } else { Err(text) }
}

fn run_set(values: &[String], separator: &str, response: &str) -> Result<String, String> {
    let mut found = BTreeSet::new();
    let members = if response.trim().is_empty() { Vec::new() } else { response.trim().split(separator).collect() };
    for member in members {
        if !found.insert(member.trim()) {
            return Err(format!("`{}` is named twice", shorten(member.trim())));
        }
    }
    let wanted: BTreeSet<&str> = values.iter().map(|value| value.trim()).collect();
    if let Some(missing) = wanted.difference(&found).next() {
        return Err(format!("`{missing}` is missing"));
    }
    match found.difference(&wanted).next() {
        Some(extra) => Err(format!("`{}` is not wanted", shorten(extra))),
        None => Ok("the wanted set".to_owned()),
    }
}

fn run_length(unit: LengthUnit, min: Option<u64>, max: Option<u64>, response: &str) -> Result<String, String> {
    let text = response.trim();
    let (size, name) = match unit {
        LengthUnit::Chars => (text.chars().count() as u64, "characters"),
        LengthUnit::Words => (text.split_whitespace().count() as u64, "words"),
        LengthUnit::Lines => (text.lines().filter(|line| !line.trim().is_empty()).count() as u64, "lines"),
    };
    match (min, max) {
        (Some(min), _) if size < min => Err(format!("{size} {name}, at least {min} wanted")),
        (_, Some(max)) if size > max => Err(format!("{size} {name}, at most {max} allowed")),
        _ => Ok(format!("{size} {name}")),
    }
}

/// Longest piece of a response that is quoted in an outcome, in characters.
const LONGEST_QUOTE: usize = 160;

fn shorten(text: &str) -> String {
    match text.char_indices().nth(LONGEST_QUOTE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
