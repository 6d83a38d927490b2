//! Provenance: what a result was made from, and the command that makes it again.

use serde::{Deserialize, Serialize};

use super::ids::Digest;

/// A file that went in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputFile {
    /// What it was used as (`gold`, `pairs`, `verdicts`, `prompt`, `settings` …).
    pub role: String,
    /// The path as given, or the name of an embedded file.
    pub path: String,
    /// SHA-256 of the bytes.
    pub digest: Digest,
    /// Records read.
    pub records: u64,
}

/// Everything needed to make a result again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunManifest {
    /// Version of the tool.
    pub version: String,
    /// The command, quoted for a shell, without secrets.
    pub command: String,
    /// When, in UTC, RFC 3339; from `SOURCE_DATE_EPOCH` where that is set.
    pub date: String,
    /// Seed of every resampling.
    pub seed: u64,
    /// Resamples of every bootstrap.
    pub resamples: u64,
    /// The generator and its version.
    pub generator: String,
    /// The files that went in.
    pub inputs: Vec<InputFile>,
}
