//! The flags of what needs no judge: `validate`, `prompt`, `gold`, `demo`.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};

use super::{FormatArg, LangArg, examples, known};
use crate::cli::labelling::args::{EXPORT_HELP, ExportArgs, LABEL_HELP, LabelArgs};

/// How one document is written that is no list of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum DocumentFormat {
    /// Lines for people.
    Table,
    /// One JSON document.
    Json,
}

/// How a list is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum ListFormat {
    /// Lines for people.
    Table,
    /// One JSON document.
    Json,
    /// One JSON object a line.
    Jsonl,
    /// A table for spreadsheets and data frames.
    Csv,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct ValidateArgs {
    /// Files to read; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,
    /// Read every file as this kind: pairs, gold, labels, responses, verdicts, predictions, prompt.
    #[arg(long = "as", value_name = "KIND", value_parser = known::kinds(), hide_possible_values = true)]
    pub kind: Option<String>,
    /// Pairs that label files have to fit.
    #[arg(long, value_name = "FILE")]
    pub pairs: Option<String>,
    /// Resample by this field of the items instead of `group`.
    #[arg(long, value_name = "FIELD")]
    pub group_by: Option<String>,
    /// How to write the findings: all but html.
    #[arg(long, value_enum, default_value = "table")]
    pub format: FormatArg,
    /// In GitHub Actions: also add the findings to the summary of the step, and annotate the files.
    #[arg(long)]
    pub github: bool,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct PromptArgs {
    #[command(subcommand)]
    pub command: PromptCommand,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum PromptCommand {
    /// List the shipped prompts.
    #[command(after_help = examples::PROMPT_LIST)]
    List,
    /// Is this prompt sound? Slots, contract, fences.
    #[command(after_help = examples::PROMPT_LINT)]
    Lint {
        /// Files or names of shipped prompts.
        #[arg(required = true, value_name = "PROMPT", value_parser = known::prompts(), hide_possible_values = true)]
        prompts: Vec<String>,
    },
    /// The exact request for one item.
    #[command(after_help = examples::PROMPT_SHOW)]
    Show {
        /// A file or the name of a shipped prompt.
        #[arg(long, default_value = crate::prompt::DEFAULT, value_name = "PROMPT", value_parser = known::prompts(), hide_possible_values = true)]
        prompt: String,
        /// Pairs to fill it with.
        #[arg(long, value_name = "FILE")]
        pairs: Option<String>,
        /// The item [default: the first].
        #[arg(long, value_name = "ID")]
        id: Option<String>,
        /// Which response is shown first.
        #[arg(long, value_enum, default_value = "ab")]
        order: OrderArg,
        /// Write the messages as JSON.
        #[arg(long)]
        json: bool,
    },
    /// What a contract makes of raw replies: lines `{"id","raw","finish_reason"}` in, verdicts out.
    #[command(after_help = examples::PROMPT_READ)]
    Read {
        /// bracket, json, label or scale5.
        #[arg(long, value_name = "CONTRACT", value_parser = known::contracts(), hide_possible_values = true)]
        contract: String,
        /// File of replies; `-` is standard input.
        #[arg(default_value = "-", value_name = "FILE")]
        file: String,
    },
}

/// Which response is shown first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum OrderArg {
    /// A first.
    Ab,
    /// B first.
    Ba,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct GoldArgs {
    #[command(subcommand)]
    pub command: GoldCommand,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum GoldCommand {
    /// Balance, duplicates, length confounding, missing fields, checks against labels. Exit status 1 where there are findings.
    #[command(after_help = examples::GOLD_LINT)]
    Lint(GoldLintArgs),
    /// Label pairs in the terminal: blinded, in random order, going on where you stopped.
    #[command(after_help = LABEL_HELP)]
    Label(LabelArgs),
    /// Pairs and labels as gold pairs, with the mark of a random sample.
    #[command(after_help = EXPORT_HELP)]
    Export(ExportArgs),
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct GoldLintArgs {
    /// Gold pairs.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,
    /// Gold labels in a file of their own, for the one file of pairs: id, label, annotator.
    #[arg(long, value_name = "FILE")]
    pub labels: Option<String>,
    /// How to write the findings: all but html.
    #[arg(long, value_enum, default_value = "table")]
    pub format: FormatArg,
    /// In GitHub Actions: also add the findings to the summary of the step, and annotate the files.
    #[arg(long)]
    pub github: bool,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct DemoArgs {
    /// Folder for the pages.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Replace pages that exist in the folder.
    #[arg(long)]
    pub force: bool,
    /// Language of the pages.
    #[arg(long, value_enum, default_value = "en")]
    pub lang: LangArg,
}
