//! A list of things that are not figures, such as runs: one object a line, or one table with a column a field.

use serde_json::Value;

use super::ReportError;
use super::csv::{cell, line};
use super::visible::inert_json;

/// How a list is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowsForm {
    /// One object a line.
    JsonLines,
    /// A header and one row each (RFC 4180); what is a list itself stands in one cell.
    Csv,
}

/// The rows, objects that all have the fields `columns`; a table has them in this order, and no other ones.
///
/// # Errors
/// [`ReportError`] where a row cannot be written as JSON.
pub fn render_rows(columns: &[&str], rows: &[Value], form: RowsForm) -> Result<String, ReportError> {
    let mut out = String::new();
    match form {
        RowsForm::JsonLines => {
            for row in rows {
                out.push_str(&inert_json(&serde_json::to_string(row)?));
                out.push('\n');
            }
        }
        RowsForm::Csv => {
            line(&mut out, &columns.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
            for row in rows {
                line(&mut out, &columns.iter().map(|name| written(&row[*name])).collect::<Vec<_>>());
            }
        }
    }
    Ok(out)
}

/// A value as a cell: numbers stay numbers, nothing is empty.
fn written(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => cell(text),
        Value::Array(values) => {
            let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            cell(&values.iter().map(plain).collect::<Vec<_>>().join(", "))
        }
        other => cell(&other.to_string()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_row_is_an_object_or_a_line_of_inert_cells() {
        let rows = [
            json!({"run": 1, "judges": ["a", "b,c"], "cost": null}),
            json!({"run": 2, "judges": ["=cmd()"], "cost": -0.5}),
        ];
        let columns = ["run", "judges", "cost"];
        assert_eq!(
            render_rows(&columns, &rows, RowsForm::Csv).unwrap(),
            "run,judges,cost\r\n1,\"a, b,c\",\r\n2,'=cmd(),-0.5\r\n"
        );
        let lines = render_rows(&columns, &rows, RowsForm::JsonLines).unwrap();
        let back: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(back, rows);
        assert_eq!(render_rows(&columns, &[], RowsForm::Csv).unwrap(), "run,judges,cost\r\n");
    }
}
