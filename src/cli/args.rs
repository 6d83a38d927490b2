//! What can be typed. Here what commands have in common; the flags of each command have a file of their own.

mod asking;
mod calibrate;
mod compare;
mod desk;
mod examples;
pub(super) mod known;
mod shell;

use std::path::PathBuf;

use clap::builder::TypedValueParser as _;
use clap::{Parser, Subcommand, ValueEnum};

use super::exit::CliError;
use super::plan_args::{PLAN_HELP, PlanArgs};
use super::runs::args::RunsArgs;

pub(super) use asking::{GenerateArgs, JudgeArgs};
pub(super) use calibrate::{CalibrateArgs, JuryArg, JuryArgs};
pub(super) use compare::{CompareArgs, GoldSampleArg, RequireArg};
pub(super) use desk::{
    DemoArgs, DocumentFormat, GoldArgs, GoldCommand, GoldLintArgs, ListFormat, OrderArg, PromptArgs, PromptCommand,
    ValidateArgs,
};
pub(super) use shell::{CompletionsArgs, InitArgs, ManArgs, SchemaArgs};

/// Put an LLM judge on trial before you trust its verdicts.
#[derive(Debug, Parser)]
#[command(name = "tribunal", version, about, after_help = examples::TRIBUNAL, propagate_version = true, max_term_width = 100)]
pub(super) struct Args {
    /// Say nothing but warnings and errors.
    #[arg(long, short, global = true, display_order = 900)]
    pub quiet: bool,
    /// Append what happens to this file as it happens, one JSON object a line: every call, without its texts.
    #[arg(long, global = true, value_name = "FILE", display_order = 901)]
    pub log: Option<PathBuf>,
    /// With --log: the texts of requests and answers too.
    #[arg(long, global = true, display_order = 902)]
    pub log_bodies: bool,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// How good and how biased is this judge against the gold set? Writes a certificate.
    #[command(after_help = calibrate::CALIBRATE_HELP)]
    Calibrate(CalibrateArgs),
    /// Is A better than B on these items? Needs a certified judge.
    #[command(after_help = compare::COMPARE_HELP)]
    Compare(Box<CompareArgs>),
    /// Ask judges and keep every completion, nothing else; also as batch files.
    #[command(after_help = asking::JUDGE_HELP)]
    Judge(JudgeArgs),
    /// Responses to items from a model and a prompt version, for a prompt A/B.
    #[command(after_help = asking::GENERATE_HELP)]
    Generate(GenerateArgs),
    /// Is this file readable, and what is in it?
    #[command(after_help = examples::VALIDATE)]
    Validate(ValidateArgs),
    /// Judge prompts: lint, show filled, read replies.
    #[command(after_help = examples::PROMPT)]
    Prompt(PromptArgs),
    /// Gold sets: lint, label, export.
    #[command(after_help = examples::GOLD)]
    Gold(GoldArgs),
    /// What was asked before: the runs in a store, and the answers behind them.
    Runs(RunsArgs),
    /// How many items, labels, calls, dollars and hours until this is decided?
    #[command(after_help = PLAN_HELP)]
    Plan(PlanArgs),
    /// The JSON Schema of a file that goes in, is kept or comes out; without a name the list of all.
    #[command(after_help = examples::SCHEMA)]
    Schema(SchemaArgs),
    /// The whole trial on the shipped gold set: offline, without a key, in seconds.
    #[command(after_help = examples::DEMO)]
    Demo(DemoArgs),
    /// A folder to begin in: settings with comments, a prompt, example pairs, and what to type next.
    #[command(after_help = examples::INIT)]
    Init(InitArgs),
    /// Completions for a shell.
    #[command(after_help = examples::COMPLETIONS)]
    Completions(CompletionsArgs),
    /// Manual pages: the first one, or all into a folder.
    #[command(after_help = examples::MAN)]
    Man(ManArgs),
}

/// How results are written. Not every command has every form; one that makes no sense is refused by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FormatArg {
    /// Tables as wide as the terminal or COLUMNS, at least 40 columns.
    Table,
    /// One JSON document in full precision.
    Json,
    /// JSON Lines: a head, then one object a figure, criterion or remark, all with the same fields.
    Jsonl,
    /// The same records as one long table for spreadsheets and data frames.
    Csv,
    /// For a comment on a pull request.
    #[value(alias = "md")]
    Markdown,
    /// One self-contained page.
    Html,
    /// Criteria as test cases, for build servers.
    Junit,
}

impl FormatArg {
    /// This form where it is one of `known`, else a refusal with `why` there is none.
    pub fn among(self, known: &[Self], why: &str) -> Result<Self, CliError> {
        if known.contains(&self) {
            return Ok(self);
        }
        let name = |form: &Self| form.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
        let known: Vec<String> = known.iter().map(name).collect();
        Err(CliError::usage(format!("--format {} makes no sense here: {why}", name(&self)))
            .hint(format!("want one of: {}", known.join(", "))))
    }
}

/// The language of reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum LangArg {
    /// English.
    En,
    /// Japanese.
    Ja,
}

/// What becomes of items whose votes have no plurality.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum DisputedArg {
    /// They count as ties.
    Tie,
    /// Their label is left out.
    Drop,
}

/// Where the result goes.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub(super) struct OutputArgs {
    /// How to write the result [default: by the ending of --out; a table without one].
    #[arg(long, value_enum)]
    pub format: Option<FormatArg>,
    /// Write the result to this file instead of standard output, which is also called `-`.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Replace files that exist.
    #[arg(long)]
    pub force: bool,
    /// Language of the report.
    #[arg(long, value_enum, default_value = "en")]
    pub lang: LangArg,
    /// In GitHub Actions: also add the result to the summary of the step, and annotate the run with what does not hold.
    #[arg(long)]
    pub github: bool,
    /// Items whose texts a page holds, the most telling ones first: a number, or `all`. Verdicts are always all there.
    #[arg(long, value_parser = known::all().try_map(|text| show_items(&text)), hide_possible_values = true, default_value = "2000", value_name = "N")]
    pub show_items: usize,
}

/// A number of items; `all` is as many as there can be.
fn show_items(text: &str) -> Result<usize, String> {
    if text == "all" {
        return Ok(usize::MAX);
    }
    text.parse().map_err(|_| "a whole number or `all` is wanted".to_owned())
}

/// The flags that mean nothing where every verdict is recorded.
const LIVE: [&str; 14] = [
    "concurrency",
    "requests_per_minute",
    "tokens_per_minute",
    "max_usd",
    "max_calls",
    "dry_run",
    "yes",
    "timeout",
    "store",
    "no_store",
    "prompt",
    "repeats",
    "ask_identical",
    "record",
];

/// How endpoints are called: for every command that asks one.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Asking")]
pub(super) struct CallArgs {
    /// Settings file [default: tribunal.toml where there is one].
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Calls open at a time for each judge, at most; the run finds out how many the server stands.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=4096), value_name = "N")]
    pub concurrency: Option<u32>,
    /// Requests a minute for each judge.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub requests_per_minute: Option<f64>,
    /// Tokens a minute for each judge, of requests and answers together.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub tokens_per_minute: Option<f64>,
    /// Spend so many US dollars at most; what is left is for the next run.
    #[arg(long, value_name = "DOLLARS", allow_negative_numbers = true)]
    pub max_usd: Option<f64>,
    /// Send so many requests at most, repeated tries included.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(1..))]
    pub max_calls: Option<u64>,
    /// Print what the calls will cost, and stop before the first one.
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask before calls that cost money or leave this machine; never asked without a terminal or with --quiet.
    #[arg(long, short)]
    pub yes: bool,
    /// Limit for one call, in seconds.
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<f64>,
    /// Where completions are kept.
    #[arg(long, default_value = ".tribunal", value_name = "DIR")]
    pub store: PathBuf,
    /// Keep no completions: a second run pays again.
    #[arg(long, conflicts_with = "store")]
    pub no_store: bool,
}

/// How judges are asked.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Asking")]
pub(super) struct AskArgs {
    #[command(flatten)]
    pub calls: CallArgs,
    /// Judge prompt: a file or the name of a shipped one, such as pairwise.ja.
    #[arg(long, value_name = "PROMPT", value_parser = known::prompts(), hide_possible_values = true)]
    pub prompt: Option<String>,
    /// Ask each order so many times; two or more separate position bias from noise.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100), value_name = "K")]
    pub repeats: u32,
    /// Ask about items with identical responses too, instead of counting them as ties.
    #[arg(long)]
    pub ask_identical: bool,
    /// Also write the completions to this file, for `replay:FILE`.
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
}

impl AskArgs {
    /// The files that asking reads: settings, prompt, recordings of judges.
    pub fn read<'a>(&'a self, judges: &'a [String]) -> impl Iterator<Item = &'a str> {
        let config = self.calls.config.as_deref().and_then(std::path::Path::to_str);
        let recordings =
            judges.iter().filter_map(|judge| judge.strip_prefix("checks+").unwrap_or(judge).strip_prefix("replay:"));
        config.into_iter().chain(self.prompt.as_deref()).chain(recordings)
    }
}

/// Where certificates are.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Asking")]
pub(super) struct CertificateArgs {
    /// Where certificates are kept.
    #[arg(long, default_value = "certificates", value_name = "DIR")]
    pub certificates: PathBuf,
}

/// How numbers are computed.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Statistics")]
pub(super) struct StatisticsArgs {
    /// Resample by this field of the items instead of `group`.
    #[arg(long, value_name = "FIELD")]
    pub group_by: Option<String>,
    /// Items whose votes have no plurality.
    #[arg(long, value_enum, default_value = "tie")]
    pub disputed: DisputedArg,
    /// Resamples of every bootstrap; the gate's kappa of up to 100 labels takes at least 50000.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(200..=1_000_000), value_name = "N")]
    pub resamples: u32,
    /// Seed of every bootstrap.
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    pub seed: u64,
}

#[cfg(test)]
mod tests;
