//! Tests against reference data that live outside the project; skipped, saying so, where they are not there.

use std::path::PathBuf;

mod data_files;
mod inputs;

/// The folder with `vectors/`, `cases/` and `data/`, from the variable `TRIBUNAL_REFERENCE`.
pub fn folder() -> Option<PathBuf> {
    #[allow(clippy::disallowed_methods, reason = "tests learn the folder from the environment")]
    let folder = std::env::var("TRIBUNAL_REFERENCE").ok().filter(|folder| !folder.is_empty()).map(PathBuf::from);
    if folder.is_none() {
        eprintln!("skipped: TRIBUNAL_REFERENCE is not set");
    }
    folder
}
