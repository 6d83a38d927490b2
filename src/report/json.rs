//! The envelope for machines: full precision, fixed key order, the same in every language.

use serde::Serialize;

use crate::domain::RunManifest;

use super::{Content, Report, ReportError};

/// Version of the envelope; a change that breaks readers raises it.
const FORMAT: u32 = 1;

#[derive(Serialize)]
struct Envelope<'a, T: Serialize> {
    tool: &'static str,
    version: &'a str,
    kind: &'static str,
    format: u32,
    result: &'a T,
    manifest: &'a RunManifest,
}

/// The report as one JSON document with a final line feed.
pub(super) fn render(report: &Report<'_>) -> Result<String, ReportError> {
    match report.content {
        Content::Calibration(result) => envelope(report, result),
        Content::Comparison(result) => envelope(report, result),
    }
}

fn envelope<T: Serialize>(report: &Report<'_>, result: &T) -> Result<String, ReportError> {
    let envelope = Envelope {
        tool: "tribunal",
        version: &report.manifest.version,
        kind: report.content.kind(),
        format: FORMAT,
        result,
        manifest: report.manifest,
    };
    let mut text = serde_json::to_string_pretty(&envelope)?;
    text.push('\n');
    Ok(text)
}
