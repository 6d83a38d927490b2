//! What can go wrong with a store, and the way out.

use std::io;
use std::path::{Path, PathBuf};

/// A store that cannot be used, or a batch that was not acknowledged.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process holds the writer's lock.
    #[error("{} is in use by another run{holder}; wait for it, or choose another folder with --store DIR, or run with --no-store", dir.display())]
    InUse {
        /// The store's folder.
        dir: PathBuf,
        /// ` (process N)` where the lock file says so, else empty.
        holder: String,
    },
    /// A reader found no store.
    #[error("there is no store in {}; a calibration or comparison by an endpoint makes one, or name another folder with --store DIR", dir.display())]
    NoStore {
        /// The folder.
        dir: PathBuf,
    },
    /// The folder holds something else, and was left as it is.
    #[error("{} is not a store: it holds `{}`; nothing was written there, choose another folder with --store DIR", dir.display(), found.escape_debug())]
    NotAStore {
        /// The folder.
        dir: PathBuf,
        /// Something in it that no store has.
        found: String,
    },
    /// The store has no run of that number.
    #[error("{} has no run {number}; {}", dir.display(), last.map_or_else(|| "it has none yet".to_owned(), |last| format!("the last one is {last}")))]
    NoRun {
        /// The store's folder.
        dir: PathBuf,
        /// The number asked for.
        number: u32,
        /// The highest number there is.
        last: Option<u32>,
    },
    /// A file is in the place of a folder.
    #[error("{} is a file, and the store needs a folder there; move it away, or choose another folder with --store DIR", path.display())]
    NotAFolder {
        /// What is in the way.
        path: PathBuf,
    },
    /// Something that is not a plain file is in the place of one.
    #[error("{} is not a regular file; move it away, or choose another folder with --store DIR", path.display())]
    NotAFile {
        /// What is in the way.
        path: PathBuf,
    },
    /// A journal file holds something else than records.
    #[error("{} holds no tribunal record in {lines} line(s), so it is some other file; move it away, or choose another folder with --store DIR", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// Its number of lines.
        lines: u64,
    },
    /// An intact record of another format version.
    #[error("{}:{line} has format version {found}, and this program reads version {wanted}; use the program that wrote it, or choose another folder with --store DIR", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Physical line, from 1.
        line: u64,
        /// The version found.
        found: u64,
        /// The version this program reads.
        wanted: u64,
    },
    /// A record that cannot be written as one line.
    #[error("the record of item `{item}` cannot be written: {source}")]
    Record {
        /// The item of the record.
        item: String,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// The store was opened for reading only.
    #[error("{} was opened for reading only", dir.display())]
    ReadOnly {
        /// The store's folder.
        dir: PathBuf,
    },
    /// The operating system refused (no permission, full disk, …).
    #[error("failed to {action} {}: {source}; {}", path.display(), way_out(action, source))]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// On which path.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
}

impl StoreError {
    pub(super) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io { action, path: path.to_owned(), source }
    }
}

fn way_out(action: &str, source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "make room and run again (what was saved stays saved), or choose another disk with --store DIR"
        }
        _ if action == "read" => "see that it can be read, or name another folder with --store DIR",
        _ => "choose a writable folder with --store DIR, or run with --no-store",
    }
}
