//! JSON Lines: one object a record, all with the same fields, behind a first line that says what made them.

use serde::Serialize;
use serde_json::{Value, json};

use crate::domain::RunManifest;

use super::ReportError;
use super::visible::inert_json;

/// Version of the lines; a change that breaks readers raises it.
const FORMAT: u32 = 1;

/// The head and the records, a line each.
pub(super) fn render(
    kind: &str,
    records: &[impl Serialize],
    manifest: Option<&RunManifest>,
) -> Result<String, ReportError> {
    let version = manifest.map_or(env!("CARGO_PKG_VERSION"), |manifest| &manifest.version);
    let mut head = json!({"record": "run", "tool": "tribunal", "version": version, "kind": kind, "format": FORMAT});
    if let (Some(manifest), Value::Object(fields)) = (manifest, &mut head) {
        fields.insert("manifest".to_owned(), serde_json::to_value(manifest)?);
    }
    let mut out = line(&head)?;
    for record in records {
        out.push_str(&line(record)?);
    }
    Ok(out)
}

fn line(value: &impl Serialize) -> Result<String, ReportError> {
    Ok(format!("{}\n", inert_json(&serde_json::to_string(value)?)))
}
