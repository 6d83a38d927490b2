//! Tests against reference data outside the checkout; without `TRIBUNAL_REFERENCE` they are skipped, saying so.

use std::path::PathBuf;

mod vectors;

/// The folder of the reference data, or `None` with a printed word when it is not set.
#[allow(clippy::disallowed_methods)]
pub fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("TRIBUNAL_REFERENCE").filter(|value| !value.is_empty()).map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: TRIBUNAL_REFERENCE is not set");
    }
    folder
}
