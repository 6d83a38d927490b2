//! The envelope for machines: full precision, fixed key order, the same in every language.

use serde::Serialize;

use crate::domain::RunManifest;

use super::visible::inert_json;
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
    #[serde(skip_serializing_if = "Option::is_none")]
    manifest: Option<&'a RunManifest>,
}

/// The report as one JSON document with a final line feed.
pub(super) fn render(report: &Report<'_>) -> Result<String, ReportError> {
    let kind = report.content.kind();
    match report.content {
        Content::Calibration(result) => write(kind, result, Some(report.manifest)),
        Content::Comparison(result) => write(kind, result, Some(report.manifest)),
    }
}

/// Findings about files in the same envelope, without provenance: they come from the file that they name.
pub fn envelope(kind: &'static str, result: &impl Serialize) -> Result<String, ReportError> {
    write(kind, result, None)
}

fn write(kind: &'static str, result: &impl Serialize, manifest: Option<&RunManifest>) -> Result<String, ReportError> {
    let version = manifest.map_or(env!("CARGO_PKG_VERSION"), |manifest| &manifest.version);
    let envelope = Envelope { tool: "tribunal", version, kind, format: FORMAT, result, manifest };
    let mut text = inert_json(&serde_json::to_string_pretty(&envelope)?).into_owned();
    text.push('\n');
    Ok(text)
}
