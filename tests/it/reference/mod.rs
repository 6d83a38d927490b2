//! Tests against reference data outside the checkout; without `TRIBUNAL_REFERENCE` they are skipped, saying so.

use std::path::PathBuf;

mod calibration;
mod cli_data;
mod cli_inputs;
mod data_files;
mod http;
mod http_exchanges;
mod inputs;
mod vectors;
mod verdict_parsing;

/// The folder with `vectors/`, `cases/` and `data/`, or `None` with a printed word when it is not set.
pub fn folder() -> Option<PathBuf> {
    #[allow(clippy::disallowed_methods, reason = "tests learn the folder from the environment")]
    let folder = std::env::var("TRIBUNAL_REFERENCE").ok().filter(|folder| !folder.is_empty()).map(PathBuf::from);
    if folder.is_none() {
        eprintln!("skipped: TRIBUNAL_REFERENCE is not set");
    }
    folder
}
