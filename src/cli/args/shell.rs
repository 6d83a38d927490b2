//! The flags of what helps to work with the rest: `schema`, `completions`, `man`, `init`.

use std::path::PathBuf;

use clap_complete::Shell;

use super::{LangArg, known};

/// The arguments of `schema`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct SchemaArgs {
    /// The file's name, such as pairs, verdicts-long, settings, calibration [default: list all].
    #[arg(value_name = "NAME", value_parser = known::schemas(), hide_possible_values = true)]
    pub name: Option<String>,
}

/// The arguments of `completions`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: Shell,
}

/// The arguments of `man`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct ManArgs {
    /// Write a page for every command into this folder instead of the first page to standard output.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Replace pages that exist.
    #[arg(long)]
    pub force: bool,
}

/// The arguments of `init`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct InitArgs {
    /// The folder; made where it is not there.
    #[arg(default_value = ".", value_name = "DIR")]
    pub folder: PathBuf,
    /// Replace files that exist.
    #[arg(long)]
    pub force: bool,
    /// Language of comments, prompt and pairs.
    #[arg(long, value_enum, default_value = "en")]
    pub lang: LangArg,
}
