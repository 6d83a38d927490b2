//! What a reader of files has to say about them.

use serde::Serialize;

use super::Remark;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; the file is used as it is.
    Warning,
    /// The file is refused.
    Error,
}

/// One finding about a file: where, what was found, what is wanted, and the way out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Notice {
    /// How bad it is.
    pub severity: Severity,
    /// Physical line, from 1, where one can be named.
    pub line: Option<u64>,
    /// The field in question, where there is one.
    pub field: Option<String>,
    /// The message: a lower-case fragment that fits behind `file:line: `.
    pub text: String,
    /// The same as data, of what readers of data warn of: for pages in other languages.
    #[serde(skip)]
    pub remark: Option<Box<Remark>>,
}

impl Notice {
    /// A warning.
    pub fn warning(line: Option<u64>, field: Option<&str>, text: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, line, field: field.map(str::to_owned), text: text.into(), remark: None }
    }

    /// A warning that other languages have words for.
    pub fn remark(line: Option<u64>, field: Option<&str>, remark: Remark) -> Self {
        Self { text: remark.to_string(), remark: Some(Box::new(remark)), ..Self::warning(line, field, String::new()) }
    }

    /// An error.
    pub fn error(line: Option<u64>, field: Option<&str>, text: impl Into<String>) -> Self {
        Self { severity: Severity::Error, line, field: field.map(str::to_owned), text: text.into(), remark: None }
    }
}
