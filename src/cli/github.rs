//! What `--github` does: a result in the summary of the step, and annotations on standard error, where the runner reads them
//! as well and no data is.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::exit::CliError;
use super::settings::Environment;
use super::ui::Ui;
use crate::report::{LARGEST_SUMMARY, step_summary};

/// The step that a command runs in.
#[derive(Debug)]
pub(super) struct Step {
    summary: PathBuf,
    /// Open from the start, so that what makes it unwritable later does no harm.
    file: File,
}

impl Step {
    /// The step, where `wanted`; refused before anything is done where there is none or its summary cannot be written.
    pub fn wanted(wanted: Wanted, environment: &Environment) -> Result<Option<Self>, CliError> {
        if wanted == Wanted::No {
            return Ok(None);
        }
        let Some(summary) = environment.step_summary.clone() else {
            return Err(CliError::usage("--github has nowhere to write: GITHUB_STEP_SUMMARY is not set")
                .hint("GitHub Actions sets it; elsewhere leave --github out, or set it to a file to try it"));
        };
        // To open a pipe would wait for who reads it.
        if std::fs::metadata(&summary).is_ok_and(|found| !found.is_file()) {
            return Err(CliError::usage(format!("the step summary {} is no regular file", summary.display()))
                .hint("GITHUB_STEP_SUMMARY names the file"));
        }
        let file = OpenOptions::new().create(true).append(true).open(&summary);
        let file = file.map_err(|error| failed(&summary, &error))?;
        Ok(Some(Self { summary, file }))
    }

    /// Adds to the summary what it has room for, and annotates the run.
    pub fn post(&self, markdown: &str, annotations: &str, ui: Ui) -> Result<(), CliError> {
        self.add(markdown)?;
        ui.commands(annotations);
        Ok(())
    }

    /// Adds to the summary what it has room for.
    pub fn add(&self, markdown: &str) -> Result<(), CliError> {
        let there = self.file.metadata().map_or(0, |found| found.len());
        let room = LARGEST_SUMMARY.saturating_sub(usize::try_from(there).unwrap_or(usize::MAX));
        let text = step_summary(&format!("{}\n", markdown.trim_end()), room);
        (&self.file).write_all(text.as_bytes()).map_err(|error| failed(&self.summary, &error))
    }
}

/// Whether `--github` was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// It was.
    Yes,
    /// It was not.
    No,
}

impl Wanted {
    /// By the flag.
    pub fn by_flag(github: bool) -> Self {
        if github { Self::Yes } else { Self::No }
    }
}

fn failed(path: &Path, error: &std::io::Error) -> CliError {
    CliError::usage(format!("failed to write the step summary {}: {error}", path.display()))
        .hint("GITHUB_STEP_SUMMARY names the file")
}
