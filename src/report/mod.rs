//! Results to bytes: HTML, Markdown, JSON and terminal tables. Never touches a file, a clock or the network.
//!
//! A [`Report`] holds one answer, the items behind it and its provenance; [`render`] writes it in one [`Format`].
//! The room computes nothing that could be argued about: it rounds, sorts and draws what `analysis` found.
//! Everything that came from outside (names, prompts, responses, completions, warnings) is hostile here: `visible`
//! makes control characters seen, each format escapes what its reader would act on.
//!
//! Files: `items` what the reader can drill into · `format` every rule for printing a number · `words` and `glossary`
//! every string, in English and Japanese, `sentences` those with data in them, `stopping` those about an early end ·
//! `view` answers laid out in sentences and rows, `beside` what stands beside a comparison's rates, `several` judges beside
//! each other · `json`, `text`, `markdown`, `html`, `jsonl`, `csv`, `junit` one a format, `flat` the records of the last but one ·
//! `findings` those about files, `github` what a workflow shows of either · `plan` a plan in all of its formats · `page` what
//! the HTML templates are filled with, `drill` and `packed` the items as data for its script ·
//! `chart` SVG as pure functions · `verdicts` judgments as a file of recorded verdicts.

mod beside;
mod chart;
mod csv;
mod drill;
mod findings;
mod flat;
mod format;
mod github;
mod glossary;
mod html;
mod items;
mod json;
mod jsonl;
mod junit;
mod markdown;
mod packed;
mod page;
mod page_calibration;
mod page_charts;
mod page_comparison;
mod page_multiples;
mod page_several;
mod plan;
mod remarks;
mod rows;
mod sentences;
mod several;
mod stopping;
mod text;
mod text_table;
mod verdicts;
mod view;
mod visible;
mod words;

use crate::analysis::calibration::Calibration;
use crate::analysis::compare::Comparison;
use crate::domain::RunManifest;

pub use findings::{FileFinding, FileFindings, FindingsForm, render_findings};
pub use github::{LARGEST_SUMMARY, annotations, finding_annotations, step_summary, without_commands};
pub use items::{DEFAULT_ITEM_CAP, ItemRecord, ItemTable, JudgeRecord, OrderRecord};
pub use json::envelope;
pub use plan::{PlanFormat, render_plan};
pub use rows::{RowsForm, render_rows};
pub use text::{Colour, TableOptions};
pub use verdicts::verdict_lines;
pub use visible::{inert_json, visible, visible_line};

/// An answer with everything that is needed to show it.
#[derive(Debug, Clone)]
pub struct Report<'a> {
    /// The answer.
    pub content: Content<'a>,
    /// The items behind it; may be empty.
    pub items: ItemTable,
    /// What the answer was made from.
    pub manifest: &'a RunManifest,
    /// The language of headings, sentences and definitions. JSON has none.
    pub lang: Lang,
}

/// The answers that can be shown.
#[derive(Debug, Clone, Copy)]
pub enum Content<'a> {
    /// How good is this judge?
    Calibration(&'a Calibration),
    /// Is A better than B?
    Comparison(&'a Comparison),
}

impl Content<'_> {
    /// The kind, as in the JSON envelope.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Calibration(_) => "calibration",
            Self::Comparison(_) => "comparison",
        }
    }
}

/// The languages of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Japanese.
    Ja,
}

/// How a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Tables for a terminal.
    Table(TableOptions),
    /// The envelope for machines, in full precision.
    Json,
    /// A head and one object a figure, criterion, count or remark, all with the same fields.
    JsonLines,
    /// The same records as one long table (RFC 4180).
    Csv,
    /// A test case a criterion, for build servers.
    JUnit,
    /// A comment for a pull request.
    Markdown,
    /// One self-contained page.
    Html,
}

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A value has no JSON form.
    #[error("failed to write the result as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// A template does not fit its data.
    #[error("failed to fill the template {name}: {message}")]
    Template {
        /// The template.
        name: &'static str,
        /// What the engine said.
        message: String,
    },
}

/// The result in a line or few, for who gets the report itself elsewhere: each judge's decision, or which side is better and why.
pub fn summary(report: &Report<'_>) -> Vec<String> {
    view::summary(report.content, report.lang)
}

/// Writes a report. The same report gives the same bytes.
pub fn render(report: &Report<'_>, format: Format) -> Result<String, ReportError> {
    match format {
        Format::Table(options) => Ok(text::render(report, options)),
        Format::Json => json::render(report),
        Format::JsonLines => {
            jsonl::render(report.content.kind(), &flat::records(report.content)?, Some(report.manifest))
        }
        Format::Csv => Ok(csv::render(&flat::records(report.content)?)),
        Format::JUnit => Ok(junit::render(report)),
        Format::Markdown => Ok(markdown::render(report)),
        Format::Html => html::render(report),
    }
}
