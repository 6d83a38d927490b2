//! CSV and TSV with a header → records, with physical line numbers.

use std::rc::Rc;

use super::error::shown;
use super::fields::Fields;
use super::record::{Broken, Origin, Record};
use crate::domain::Notice;

/// The rows of a table, one by one; every cell is text.
pub(super) struct Table<'a> {
    text: &'a str,
    at: usize,
    line: u64,
    separator: u8,
    header: Option<Vec<Rc<str>>>,
    cut: bool,
    done: bool,
}

/// The cells of one row and the line in which it begins.
struct Row {
    line: u64,
    cells: Vec<String>,
}

impl<'a> Table<'a> {
    /// `cut`: the text ended inside a character.
    pub(super) fn new(text: &'a str, extension: &str, cut: bool) -> Self {
        let mut table = Self { text, at: 0, line: 1, separator: b',', header: None, cut, done: false };
        table.separator = table.declared().unwrap_or_else(|| separator_of(text, extension));
        table
    }

    /// Spreadsheets may announce the separator in a first line `sep=;`, which is no row.
    fn declared(&mut self) -> Option<u8> {
        let (first, _) = self.text.split_once('\n')?;
        let declared = first.trim_end().strip_prefix("sep=")?;
        let [separator @ (b',' | b';' | b'\t')] = declared.as_bytes() else { return None };
        self.at = first.len() + 1;
        self.line = 2;
        Some(*separator)
    }

    /// The column names, read on first use; `None` for a table without any line.
    pub(super) fn header(&mut self) -> Result<Option<&[Rc<str>]>, Broken> {
        if self.header.is_none() {
            let Some(row) = self.row()? else { return Ok(None) };
            let mut names: Vec<Rc<str>> = Vec::new();
            for (column, cell) in row.cells.iter().enumerate() {
                let name = cell.trim();
                let name: Rc<str> = if name.is_empty() { format!("column_{}", column + 1).into() } else { name.into() };
                if names.contains(&name) {
                    let text = "two columns of the header have this name";
                    return Err(Broken::at(Notice::error(Some(row.line), Some(&name), text)));
                }
                names.push(name);
            }
            self.header = Some(names);
        }
        Ok(self.header.as_deref())
    }

    /// The next row that is not blank.
    fn row(&mut self) -> Result<Option<Row>, Broken> {
        while self.at < self.text.len() {
            let line = self.line;
            let cells = self.cells()?;
            if cells.iter().any(|cell| !cell.trim().is_empty()) {
                return Ok(Some(Row { line, cells }));
            }
        }
        Ok(None)
    }

    fn cells(&mut self) -> Result<Vec<String>, Broken> {
        let mut cells = Vec::with_capacity(self.header.as_ref().map_or(8, Vec::len));
        loop {
            let (cell, last) =
                if self.text.as_bytes().get(self.at) == Some(&b'"') { self.quoted()? } else { self.plain() };
            cells.push(cell);
            if last {
                return Ok(cells);
            }
        }
    }

    /// A cell without quotes, and whether it ends its row.
    fn plain(&mut self) -> (String, bool) {
        let rest = &self.text[self.at..];
        let separator = self.separator;
        let length = rest.bytes().position(|byte| byte == separator || byte == b'\n').unwrap_or(rest.len());
        let cell = &rest[..length];
        let last = rest.as_bytes().get(length) != Some(&separator);
        self.at += (length + 1).min(rest.len());
        self.line += u64::from(rest.as_bytes().get(length) == Some(&b'\n'));
        (if last { cell.strip_suffix('\r').unwrap_or(cell) } else { cell }.to_owned(), last)
    }

    /// A cell in quotes, in which separators and line breaks are text and `""` is one quote.
    fn quoted(&mut self) -> Result<(String, bool), Broken> {
        let opened = self.line;
        let mut cell = String::new();
        self.at += 1;
        loop {
            let rest = &self.text[self.at..];
            let Some(length) = rest.find('"') else {
                self.done = true;
                let text = "the quote that opens here is never closed";
                return Err(Broken::at(Notice::error(Some(opened), None, text)));
            };
            cell.push_str(&rest[..length]);
            self.line += rest[..length].bytes().filter(|&byte| byte == b'\n').count() as u64;
            self.at += length + 1;
            if !self.text[self.at..].starts_with('"') {
                break;
            }
            cell.push('"');
            self.at += 1;
        }
        let (tail, last) = self.plain();
        if tail.trim().is_empty() {
            return Ok((cell, last));
        }
        // Where the quotes went astray is not known, so nothing after this can be trusted.
        self.done = true;
        let text =
            format!("text follows the closing quote of a cell (`{}`); quotes inside a cell are doubled", shown(&tail));
        Err(Broken::at(Notice::error(Some(opened), None, text)))
    }

    fn record(&mut self) -> Result<Option<Record>, Broken> {
        if self.header()?.is_none() {
            return Ok(None);
        }
        let Some(Row { line, mut cells }) = self.row()? else { return Ok(None) };
        if self.cut && self.at == self.text.len() {
            return Err(Broken::cut(line, "the last row ends inside a character: it was cut off"));
        }
        let names = self.header.as_deref().unwrap_or_default();
        // Spreadsheets write empty cells past the last column.
        while cells.len() > names.len() && cells.last().is_some_and(|cell| cell.trim().is_empty()) {
            cells.pop();
        }
        if cells.len() != names.len() {
            let text = format!(
                "{} found, {} wanted as in the header (separator `{}`)",
                super::error::counted(cells.len(), "column"),
                names.len(),
                (self.separator as char).escape_default()
            );
            return Err(Broken::at(Notice::error(Some(line), names.get(cells.len()).map(|name| &**name), text)));
        }
        let fields = Fields::of_cells(names, cells);
        Ok(Some(Record { line, fields, origin: Origin::Table }))
    }
}

impl Iterator for Table<'_> {
    type Item = Result<Record, Broken>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let had_header = self.header.is_some();
        let found = self.record().transpose();
        // Without a header no row means anything.
        self.done |= !had_header && self.header.is_none();
        found
    }
}

/// The separator that the first line has most of, outside quotes.
fn separator_of(text: &str, extension: &str) -> u8 {
    let first = text.trim_start_matches(['\r', '\n']).split('\n').next().unwrap_or_default();
    let mut quoted = false;
    let mut counts = [(b',', 0), (b';', 0), (b'\t', usize::from(extension == "tsv"))];
    for byte in first.bytes() {
        quoted ^= byte == b'"';
        if let Some((_, count)) = counts.iter_mut().find(|(separator, _)| !quoted && *separator == byte) {
            *count += 1;
        }
    }
    // The first of equals: a comma where there is no separator at all.
    counts.iter().rev().max_by_key(|(_, count)| *count).map_or(b',', |(separator, _)| *separator)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<String> {
        Table::new(text, "csv", false).map(|record| record.unwrap().fields.to_json()).collect()
    }

    fn first_error(text: &str) -> Notice {
        Table::new(text, "csv", false).find_map(Result::err).unwrap().notice
    }

    #[test]
    fn comma_semicolon_and_tab_are_detected_from_the_header() {
        for text in ["id,label\nq,a\n", "id;label\nq;a\n", "id\tlabel\r\nq\ta\r\n", "sep=;\nid;label\nq;a"] {
            assert_eq!(rows(text), [r#"{"id":"q","label":"a"}"#], "{text}");
        }
        assert_eq!(rows("\"a,b\";c\n1;2\n"), [r#"{"a,b":"1","c":"2"}"#]);
        assert_eq!(rows("id\nq1\n"), [r#"{"id":"q1"}"#]);
    }

    #[test]
    fn line_breaks_in_quotes_do_not_shift_later_lines() {
        let text = "id,note\nq1,\"two\nlines\"\n\nq2,x\nq3\n";
        let table = Table::new(text, "csv", false);
        let lines: Vec<_> = table.map(|row| row.map(|r| r.line).map_err(|b| b.notice.line.unwrap())).collect();
        assert_eq!(lines, [Ok(2), Ok(5), Err(6)]);
    }

    #[test]
    fn a_quote_without_end_is_named_where_it_opens() {
        assert_eq!(first_error("id,note\nq1,x\nq2,\"open\nq3,y\n").line, Some(3));
        let astray = first_error("id,note\nq1,\"open\nq2,\"B\",r\n");
        assert_eq!(astray.line, Some(2));
        assert!(astray.text.contains("closing quote"));
    }

    #[test]
    fn a_short_row_names_both_numbers_and_the_first_missing_column() {
        let notice = first_error("id,label,annotator\nq1,a\n");
        assert!(notice.text.starts_with("2 columns found, 3 wanted"), "{}", notice.text);
        assert_eq!(notice.field.as_deref(), Some("annotator"));
        assert!(first_error("id,label\nq1,a,b\n").text.starts_with("3 columns found, 2 wanted"));
        assert_eq!(rows("id,label\nq1,a,,\n").len(), 1);
    }

    #[test]
    fn a_doubled_column_is_refused() {
        assert_eq!(first_error("id,label,id\nq1,a,q2\n").field.as_deref(), Some("id"));
    }

    #[test]
    fn doubled_quotes_are_one_and_carriage_returns_vanish_only_at_row_ends() {
        assert_eq!(rows("id,note\r\nq1,\"say \"\"hi\"\"\"\r\n"), [r#"{"id":"q1","note":"say \"hi\""}"#]);
    }
}
