//! One file a command: flags in, a result and an exit status out. The work is done elsewhere.

pub(super) mod calibrate;
pub(super) mod compare;
pub(super) mod completions;
pub(super) mod demo;
pub(super) mod generate;
pub(super) mod gold;
pub(super) mod init;
pub(super) mod judge;
pub(super) mod plan;
pub(super) mod prompt;
pub(super) mod runs;
pub(super) mod schema;
pub(super) mod validate;

use super::args::StatisticsArgs;
use super::clock::Clock;
use super::settings::Environment;
use crate::domain::{InputFile, RunManifest};

/// Where a result comes from.
pub(super) fn manifest(
    environment: &Environment,
    clock: Clock,
    statistics: &StatisticsArgs,
    inputs: Vec<InputFile>,
) -> RunManifest {
    RunManifest {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command: environment.command.clone(),
        date: clock.now(),
        seed: statistics.seed,
        resamples: u64::from(statistics.resamples),
        generator: crate::stats::seed::GENERATOR.to_owned(),
        inputs,
    }
}
