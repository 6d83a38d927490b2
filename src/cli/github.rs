//! What `--github` does: a result in the summary of the step, and annotations on standard error, where the runner reads them
//! as well and no data is.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::exit::CliError;
use super::settings::Environment;
use super::ui::Ui;
use crate::report::{LARGEST_SUMMARY, step_summary};

/// The step that a command runs in.
#[derive(Debug, Clone)]
pub(super) struct Step {
    summary: PathBuf,
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
        let step = Self { summary };
        step.open().map_err(|error| failed(&step.summary, &error))?;
        Ok(Some(step))
    }

    /// Adds to the summary what it has room for, and annotates the run.
    pub fn post(&self, markdown: &str, annotations: &str, ui: Ui) -> Result<(), CliError> {
        let mut file = self.open().map_err(|error| failed(&self.summary, &error))?;
        let there = file.metadata().map_or(0, |found| found.len());
        let room = LARGEST_SUMMARY.saturating_sub(usize::try_from(there).unwrap_or(usize::MAX));
        let text = step_summary(&format!("{}\n", markdown.trim_end()), room);
        file.write_all(text.as_bytes()).map_err(|error| failed(&self.summary, &error))?;
        ui.commands(annotations);
        Ok(())
    }

    fn open(&self) -> std::io::Result<std::fs::File> {
        OpenOptions::new().create(true).append(true).open(&self.summary)
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
