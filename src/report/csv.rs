//! One long table for spreadsheets and data frames (RFC 4180): a header, CRLF line ends, quotes where they are needed.
//!
//! A spreadsheet runs a cell that begins like a formula. Texts that do get an apostrophe in front; numbers stay numbers.

use serde_json::Number;

use super::flat::{COLUMNS, Record};
use super::visible::visible_line;

/// Letters of a cell beyond which spreadsheets refuse or cut it.
const LONGEST_CELL: usize = 32_000;

/// The records as a table.
pub(super) fn render(records: &[Record]) -> String {
    let mut out = String::new();
    line(&mut out, &COLUMNS.map(str::to_owned));
    for record in records {
        line(&mut out, &cells(record));
    }
    out
}

fn cells(record: &Record) -> [String; COLUMNS.len()] {
    let text = |text: &Option<String>| text.as_deref().map(cell).unwrap_or_default();
    let number = |number: &Option<Number>| number.as_ref().map(Number::to_string).unwrap_or_default();
    [
        record.record.to_owned(),
        cell(&record.section),
        text(&record.subject),
        cell(&record.name),
        number(&record.estimate),
        number(&record.low),
        number(&record.high),
        number(&record.level),
        text(&record.method),
        number(&record.n),
        number(&record.k),
        number(&record.p),
        text(&record.limit),
        text(&record.decision),
        number(&record.labels_needed),
        text(&record.not_estimable),
        text(&record.text),
    ]
}

/// A row of cells that are inert already.
pub(super) fn line(out: &mut String, cells: &[String]) {
    for (index, cell) in cells.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        if cell.contains(['"', ',', '\n', '\r']) {
            out.extend(["\"", &cell.replace('"', "\"\""), "\""]);
        } else {
            out.push_str(cell);
        }
    }
    out.push_str("\r\n");
}

/// A text from outside as a cell that does nothing: in one line, cut where it is too long, never a formula.
pub(super) fn cell(text: &str) -> String {
    // Decided on the text as it came: a tab or carriage return at the front counts too.
    let is_formula =
        text.starts_with(['\t', '\r']) || text.trim_start().starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
    let shown = visible_line(text);
    let guard = if is_formula { "'" } else { "" };
    match shown.char_indices().nth(LONGEST_CELL) {
        Some((end, _)) => format!("{guard}{}…", &shown[..end]),
        None => format!("{guard}{shown}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_that_begins_like_a_formula_is_text() {
        for formula in ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1", "  =cmd|' /C calc'!A0", "＝1"] {
            assert!(cell(formula).starts_with('\''), "{formula:?}");
        }
        assert_eq!(["a=1", "3-1", "日本", "'x"].map(cell), ["a=1", "3-1", "日本", "'x"]);
    }

    #[test]
    fn quotes_commas_and_line_ends_stay_in_their_cell() {
        let mut out = String::new();
        line(&mut out, &[cell("a,b"), cell("say \"x\""), cell("two\nlines\r"), cell("plain")]);
        assert_eq!(out, "\"a,b\",\"say \"\"x\"\"\",two␊lines␍,plain\r\n");
    }

    #[test]
    fn a_cell_is_never_longer_than_a_spreadsheet_takes() {
        assert_eq!(cell(&"字".repeat(1_000_000)).chars().count(), LONGEST_CELL + 1);
    }
}
