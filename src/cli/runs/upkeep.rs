//! `runs verify` and `runs compact`.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use super::warn_all;
use crate::cli::args::DocumentFormat;
use crate::cli::exit::{CliError, Exit};
use crate::cli::output::print;
use crate::cli::ui::Ui;
use crate::report::{envelope, visible_line};
use crate::store::{Access, Damage, Ledger, Store, Verification};

/// Reads everything; status 1 where something is damaged.
pub(in crate::cli) fn verify(store: &Path, format: DocumentFormat, ui: Ui) -> Result<Exit, CliError> {
    let scratch = std::env::temp_dir().join(format!("tribunal-verify-{}", std::process::id()));
    let found = ui.during("reading the store", || crate::store::verify(store, &scratch))?;
    for remark in &found.remarks {
        ui.note(remark);
    }
    match format {
        DocumentFormat::Table => print(&lines(&found))?,
        DocumentFormat::Json => print(&envelope("store", &document(&found))?)?,
    }
    Ok(if found.damage.is_empty() { Exit::Done } else { Exit::Short })
}

fn lines(found: &Verification) -> String {
    let Verification { stats, lines, runs, damage, .. } = found;
    let mut text = String::new();
    for damage in damage {
        let _ = writeln!(text, "{}", visible_line(&said(damage)));
    }
    let verdict = match damage.len() {
        0 => "nothing is damaged".to_owned(),
        n => format!("{n} findings"),
    };
    let _ = writeln!(
        text,
        "{lines} lines in {} journal files ({} bytes), {} records, {runs} runs: {verdict}",
        stats.journal_files, stats.journal_bytes, stats.records
    );
    text
}

fn said(Damage { path, line, what }: &Damage) -> String {
    let place = line.map_or_else(String::new, |line| format!(":{line}"));
    format!("{}{place}: {what}", path.display())
}

fn document(found: &Verification) -> Value {
    let Verification { stats, lines, runs, damage, remarks } = found;
    let damage: Vec<Value> = damage
        .iter()
        .map(|damage| json!({"file": damage.path.display().to_string(), "line": damage.line, "text": damage.what}))
        .collect();
    json!({
        "journal": {"files": stats.journal_files, "bytes": stats.journal_bytes, "lines": lines, "records": stats.records,
            "damaged_lines": stats.damaged_lines},
        "runs": runs,
        "damage": damage,
        "remarks": remarks,
    })
}

/// Rewrites the journal, and says what that came to.
pub(in crate::cli) fn compact(store: &Path, ui: Ui) -> Result<Exit, CliError> {
    // A writer makes a store where there is none; this command must not.
    Ledger::open(store)?;
    let (mut open, notices) = ui.during("opening the store", || Store::open(store, Access::Write))?;
    warn_all(&notices, ui);
    let done = ui.during("rewriting the journal", || open.compact())?;
    warn_all(&open.close(), ui);
    print(&format!(
        "{} records kept; dropped: {} older records of the same questions, {} damaged lines, {} files that were set aside\n\
         {} bytes before, {} after\n",
        done.kept, done.superseded, done.damaged, done.set_aside, done.bytes_before, done.bytes_after
    ))?;
    Ok(Exit::Done)
}
