//! Tests against reference data that lies outside the checkout.

use std::path::PathBuf;

mod http;
mod http_exchanges;
mod verdict_parsing;

/// The reference folder (with `vectors/`, `cases/`, `data/`), or `None` where it is not set; says so on standard error.
pub fn folder() -> Option<PathBuf> {
    #[allow(clippy::disallowed_methods)] // The tests have no settings; this variable is their one switch.
    let folder = std::env::var("TRIBUNAL_REFERENCE").ok().filter(|folder| !folder.is_empty()).map(PathBuf::from);
    if folder.is_none() {
        eprintln!("skipped: TRIBUNAL_REFERENCE is not set");
    }
    folder
}
