//! What can be typed behind `runs`.

use std::path::PathBuf;

use clap::Subcommand;
use clap::builder::TypedValueParser as _;

use crate::cli::args::{DocumentFormat, ListFormat, known};

const HELP: &str = "\
Examples:
  tribunal runs list
  tribunal runs show last
  tribunal runs export last --out answers.jsonl
  tribunal runs reparse --all

Exit status: 0 done, nothing found · 1 damage found, or a verdict that is read differently now · 2 no store, no such run, or a store in use";

#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub(in crate::cli) struct RunsArgs {
    /// The store.
    #[arg(long, global = true, default_value = ".tribunal", value_name = "DIR")]
    pub store: PathBuf,
    #[command(subcommand)]
    pub command: RunsCommand,
}

/// A run by its number, or the newest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum RunArg {
    /// The newest.
    Last,
    /// That one.
    Number(u32),
}

impl std::str::FromStr for RunArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            _ if text == "last" => Ok(Self::Last),
            Ok(number) if number > 0 => Ok(Self::Number(number)),
            _ => Err("want the number of a run (see `tribunal runs list`), or `last`".to_owned()),
        }
    }
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum RunsCommand {
    /// All runs, the newest last.
    #[command(after_help = "Examples:\n  tribunal runs list\n  tribunal runs list --format csv")]
    List {
        /// How to write the list.
        #[arg(long, value_enum, default_value = "table")]
        format: ListFormat,
    },
    /// Everything about one run: judges, accounting by kind and by order, calls, cost, the command.
    #[command(
        after_help = "Examples:\n  tribunal runs show\n  tribunal runs show 3\n  tribunal runs show last --format json"
    )]
    Show {
        /// Number of the run, or `last`.
        #[arg(default_value = "last", value_name = "RUN", value_parser = known::last().try_map(|text| text.parse::<RunArg>()), hide_possible_values = true)]
        run: RunArg,
        /// How to write it; what of it is rows, its verdicts, `runs export --verdicts` writes.
        #[arg(long, value_enum, default_value = "table")]
        format: DocumentFormat,
    },
    /// Reads every line of the journal, every run and the index, and names what is damaged. Exit status 1 where something is.
    #[command(after_help = "Examples:\n  tribunal runs verify\n  tribunal runs verify --store elsewhere")]
    Verify {
        /// How to write the findings.
        #[arg(long, value_enum, default_value = "table")]
        format: DocumentFormat,
    },
    /// The answers of a run as a recording for `--judge replay:FILE`, or its verdicts for `--verdicts FILE`.
    #[command(
        after_help = "Examples:\n  tribunal runs export last --out answers.jsonl\n  tribunal runs export 3 --verdicts --out verdicts.jsonl"
    )]
    Export {
        /// Number of the run, or `last`.
        #[arg(value_name = "RUN", value_parser = known::last().try_map(|text| text.parse::<RunArg>()), hide_possible_values = true)]
        run: RunArg,
        /// Write the verdicts of all judges (long form) instead of the completions of endpoints.
        #[arg(long)]
        verdicts: bool,
        /// Write to this file instead of standard output.
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// Replace a file that exists.
        #[arg(long)]
        force: bool,
    },
    /// Takes answers from recordings, journal files or other stores; what is here already stays.
    #[command(
        visible_alias = "merge",
        after_help = "Examples:\n  tribunal runs import answers.jsonl\n  tribunal runs import ../other/.tribunal"
    )]
    Import {
        /// Recordings with keys, journal files, or folders of stores.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Reads the stored completions again by today's contracts, and shows which verdicts change. Exit status 1 where one does.
    #[command(
        after_help = "Examples:\n  tribunal runs reparse\n  tribunal runs reparse --all\n  tribunal runs reparse 3 --write"
    )]
    Reparse {
        /// Number of the run, or `last`.
        #[arg(default_value = "last", conflicts_with = "all", value_name = "RUN", value_parser = known::last().try_map(|text| text.parse::<RunArg>()), hide_possible_values = true)]
        run: RunArg,
        /// All runs.
        #[arg(long)]
        all: bool,
        /// Write the new verdicts into the ledger; then the exit status is 0.
        #[arg(long)]
        write: bool,
        /// How to write the differences.
        #[arg(long, value_enum, default_value = "table")]
        format: DocumentFormat,
    },
    /// Rewrites the journal with one record a question; damaged lines and what was set aside are dropped.
    #[command(after_help = "Examples:\n  tribunal runs compact\n  tribunal runs compact --store elsewhere")]
    Compact,
}
