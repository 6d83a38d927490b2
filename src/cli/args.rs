//! What can be typed.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use super::labelling::args::{EXPORT_HELP, ExportArgs, LABEL_HELP, LabelArgs};
use super::plan_args::{PLAN_HELP, PlanArgs};
use super::runs::args::RunsArgs;

const EXIT_HELP: &str = "Exit status: 0 done or gate passed · 1 the thing measured falls short · 2 usage, settings or input error · \
3 undecided · 4 incomplete, run again to resume · 5 refused, no valid certificate · 130 interrupted, run again to resume";

/// Put an LLM judge on trial before you trust its verdicts.
#[derive(Debug, Parser)]
#[command(name = "tribunal", version, about, after_help = EXIT_HELP, propagate_version = true, max_term_width = 100)]
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
    #[command(after_help = CALIBRATE_HELP)]
    Calibrate(CalibrateArgs),
    /// Is A better than B on these items? Needs a certified judge.
    #[command(after_help = COMPARE_HELP)]
    Compare(Box<CompareArgs>),
    /// Ask judges and keep every completion, nothing else; also as batch files.
    #[command(after_help = JUDGE_HELP)]
    Judge(JudgeArgs),
    /// Responses to items from a model and a prompt version, for a prompt A/B.
    #[command(after_help = GENERATE_HELP)]
    Generate(GenerateArgs),
    /// Is this file readable, and what is in it?
    Validate(ValidateArgs),
    /// Judge prompts: lint, show filled, read replies.
    Prompt(PromptArgs),
    /// Gold sets: lint, label, export.
    Gold(GoldArgs),
    /// What was asked before: the runs in a store, and the answers behind them.
    Runs(RunsArgs),
    /// How many items, labels, calls, dollars and hours until this is decided?
    #[command(after_help = PLAN_HELP)]
    Plan(PlanArgs),
    /// The whole trial on the shipped gold set: offline, without a key, in seconds.
    Demo(DemoArgs),
}

const CALIBRATE_HELP: &str = "\
Examples:
  tribunal calibrate --judge control:longest
  tribunal calibrate --gold gold.jsonl --judge 'http://127.0.0.1:8000/v1#my-model' --out report.html
  tribunal calibrate --judge openai:gpt-4.1-mini --judge checks --repeats 2
  tribunal calibrate --verdicts recorded.jsonl --group-by question --format json

Exit status: 0 gate passed · 1 failed · 3 inconclusive · 4 incomplete, run again to resume";

const COMPARE_HELP: &str = "\
Examples:
  tribunal compare --a old.jsonl --b new.jsonl --judge checks --uncalibrated
  tribunal compare --pairs pairs.jsonl --judge mini --require better --out report.html
  tribunal compare --pairs pairs.jsonl --judge mini --stop-when-decided
  tribunal compare --prompt-a v1.md --prompt-b v2.md --model mini --items items.jsonl --judge my-judge
  tribunal compare --verdicts recorded.jsonl --judge gpt-4

Exit status: 0 done, or the requirement holds · 1 it does not · 3 undecided · 4 incomplete, run again to resume · \
5 no valid certificate";

const JUDGE_HELP: &str = "\
Examples:
  tribunal judge --pairs pairs.jsonl --judge mini --out verdicts.jsonl
  tribunal judge --pairs pairs.jsonl --judge mini --batch-out requests.jsonl
  tribunal judge --pairs pairs.jsonl --judge mini --batch-in results.jsonl

Exit status: 0 every judgment has an answer · 4 some have none, run again to resume";

const GENERATE_HELP: &str = "\
Examples:
  tribunal generate --items items.jsonl --model mini --prompt v1.md --out one.jsonl
  tribunal generate --items items.jsonl --model mini --prompt v2.md --out two.jsonl
  tribunal compare --a one.jsonl --b two.jsonl --judge my-judge

Exit status: 0 every item has a response · 4 some have none, run again to resume";

/// How results are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FormatArg {
    /// Tables as wide as the terminal or COLUMNS, at least 40 columns.
    Table,
    /// One JSON document in full precision.
    Json,
    /// For a comment on a pull request.
    Markdown,
    /// One self-contained page.
    Html,
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
    /// How to write the result [default: by the ending of --out, else table].
    #[arg(long, value_enum)]
    pub format: Option<FormatArg>,
    /// Write the result to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Replace files that exist.
    #[arg(long)]
    pub force: bool,
    /// Language of the report.
    #[arg(long, value_enum, default_value = "en")]
    pub lang: LangArg,
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
    #[arg(long, value_name = "PROMPT")]
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
    /// Resamples of every bootstrap.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(200..=1_000_000), value_name = "N")]
    pub resamples: u32,
    /// Seed of every bootstrap.
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    pub seed: u64,
}

#[derive(Debug, clap::Args)]
pub(super) struct CalibrateArgs {
    /// A judge: a name from the settings, http://HOST:PORT/v1#MODEL, openai:MODEL, anthropic:MODEL, gemini:MODEL,
    /// ollama:MODEL, replay:FILE, checks, checks+JUDGE, control:first|second|longest|shortest|tie|coin|oracle.
    /// May be given several times.
    #[arg(long, value_name = "JUDGE", required_unless_present = "verdicts")]
    pub judge: Vec<String>,
    /// Gold pairs [default: the shipped set].
    #[arg(long, value_name = "FILE")]
    pub gold: Option<String>,
    /// Gold labels in a file of their own: id, label, annotator.
    #[arg(long, value_name = "FILE")]
    pub labels: Option<String>,
    /// Recorded verdicts; makes no call at all.
    #[arg(long, value_name = "FILE", conflicts_with_all = LIVE)]
    pub verdicts: Option<String>,
    #[command(flatten)]
    pub ask: AskArgs,
    #[command(flatten)]
    pub door: CertificateArgs,
    #[command(flatten)]
    pub jury: JuryArgs,
    #[command(flatten)]
    pub statistics: StatisticsArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// How several judges are put together.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Jury of two judges or more")]
pub(super) struct JuryArgs {
    /// How the judges' verdicts become one; where they do not, the jury abstains.
    #[arg(long = "jury", value_enum, default_value = "majority", value_name = "RULE")]
    pub rule: JuryArg,
    /// A judge on trial that sits on the jury; may be given several times [default: all but control judges].
    #[arg(long = "jury-member", value_name = "JUDGE")]
    pub members: Vec<String>,
}

/// How the members' verdicts become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum JuryArg {
    /// More than half of the members that were asked.
    Majority,
    /// All members that were asked.
    Unanimous,
}

/// What a comparison has to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum RequireArg {
    /// A is better than B.
    Better,
    /// A is not worse than B by more than --margin.
    NoWorse,
}

/// How the items that carry gold were chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum GoldSampleArg {
    /// At random among the items compared.
    Random,
}

#[derive(Debug, clap::Args)]
pub(super) struct CompareArgs {
    /// Responses of side A: id, prompt, response.
    #[arg(long, value_name = "FILE", requires = "b", conflicts_with_all = ["pairs", "verdicts"])]
    pub a: Option<String>,
    /// Responses of side B.
    #[arg(long, value_name = "FILE", requires = "a")]
    pub b: Option<String>,
    /// Pairs with both responses.
    #[arg(long, value_name = "FILE", conflicts_with = "verdicts")]
    pub pairs: Option<String>,
    /// Generate both sides: the prompt version of side A, a file with {prompt} in it.
    #[arg(long, value_name = "FILE", requires_all = ["prompt_b", "model", "items"], conflicts_with_all = ["a", "pairs", "verdicts"])]
    pub prompt_a: Option<String>,
    /// The prompt version of side B.
    #[arg(long, value_name = "FILE", requires = "prompt_a")]
    pub prompt_b: Option<String>,
    /// The model that both prompt versions are given to.
    #[arg(long, value_name = "MODEL", requires = "prompt_a")]
    pub model: Option<String>,
    /// The items that both sides answer: id, prompt, and whatever else the prompt versions show.
    #[arg(long, value_name = "FILE", requires = "prompt_a")]
    pub items: Option<String>,
    /// Recorded verdicts; makes no call at all.
    #[arg(long, value_name = "FILE", conflicts_with_all = LIVE)]
    pub verdicts: Option<String>,
    /// The judge, as in `calibrate`; with --verdicts the name of the recorded judge.
    #[arg(long, value_name = "JUDGE")]
    pub judge: Option<String>,
    /// Go on without a valid certificate, and brand every output.
    #[arg(long)]
    pub uncalibrated: bool,
    /// What has to hold for exit status 0.
    #[arg(long, value_enum)]
    pub require: Option<RequireArg>,
    /// Margin of `--require no-worse` on the win rate, such as 0.05; with `--stop-when-decided` alone, how close to 50 %
    /// counts as no difference.
    #[arg(long, value_name = "SHARE")]
    pub margin: Option<f64>,
    /// Your word that the items with gold are a random sample of all: the score is then corrected by them.
    #[arg(long, value_enum)]
    pub gold_sample: Option<GoldSampleArg>,
    /// A plan made before the run, to be held against what was done.
    #[arg(long, value_name = "FILE")]
    pub prereg: Option<String>,
    /// Ask in a shuffled order and stop as soon as it is decided; the interval holds however often one looks.
    #[arg(long)]
    pub stop_when_decided: bool,
    /// Name of side A [default: its model, else the file's name].
    #[arg(long, value_name = "NAME")]
    pub name_a: Option<String>,
    /// Name of side B.
    #[arg(long, value_name = "NAME")]
    pub name_b: Option<String>,
    #[command(flatten)]
    pub ask: AskArgs,
    #[command(flatten)]
    pub door: CertificateArgs,
    #[command(flatten)]
    pub statistics: StatisticsArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Debug, clap::Args)]
pub(super) struct GenerateArgs {
    /// Items: id, prompt, and whatever else the prompt version shows.
    #[arg(long, value_name = "FILE")]
    pub items: String,
    /// The model: a judge of the settings by its name, http://HOST:PORT/v1#MODEL, openai:MODEL, anthropic:MODEL, gemini:MODEL,
    /// ollama:MODEL.
    #[arg(long, value_name = "MODEL")]
    pub model: String,
    /// The prompt version: a file with {prompt} in it [default: the item's prompt as it is].
    #[arg(long, value_name = "FILE")]
    pub prompt: Option<String>,
    /// Write the responses to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Replace files that exist.
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub calls: CallArgs,
}

#[derive(Debug, clap::Args)]
pub(super) struct JudgeArgs {
    /// A judge, as in `calibrate`. May be given several times.
    #[arg(long, value_name = "JUDGE", required = true)]
    pub judge: Vec<String>,
    /// Pairs with both responses.
    #[arg(long, value_name = "FILE", required_unless_present = "a")]
    pub pairs: Option<String>,
    /// Responses of side A: id, prompt, response.
    #[arg(long, value_name = "FILE", requires = "b", conflicts_with = "pairs")]
    pub a: Option<String>,
    /// Responses of side B.
    #[arg(long, value_name = "FILE", requires = "a")]
    pub b: Option<String>,
    /// Resample by this field of the items instead of `group`, when the verdicts are analysed.
    #[arg(long, value_name = "FIELD")]
    pub group_by: Option<String>,
    /// Write the verdicts to this file, for `--verdicts FILE`.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Ask nothing: write what is to be asked as requests for a batch service or `vllm run-batch`.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["out", "record", "batch_in"])]
    pub batch_out: Option<PathBuf>,
    /// Ask nothing: take the answers of a batch back from its file of results.
    #[arg(long, value_name = "FILE")]
    pub batch_in: Option<String>,
    /// Replace files that exist.
    #[arg(long)]
    pub force: bool,
    /// How to write the summary.
    #[arg(long, value_enum, default_value = "table")]
    pub format: FindingsFormat,
    #[command(flatten)]
    pub ask: AskArgs,
}

/// How findings are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FindingsFormat {
    /// Lines for people.
    Table,
    /// One JSON document.
    Json,
}

#[derive(Debug, clap::Args)]
pub(super) struct ValidateArgs {
    /// Files to read; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,
    /// Read every file as this kind: pairs, gold, labels, responses, verdicts, predictions, prompt.
    #[arg(long = "as", value_name = "KIND")]
    pub kind: Option<String>,
    /// Pairs that label files have to fit.
    #[arg(long, value_name = "FILE")]
    pub pairs: Option<String>,
    /// Resample by this field of the items instead of `group`.
    #[arg(long, value_name = "FIELD")]
    pub group_by: Option<String>,
    /// How to write the findings.
    #[arg(long, value_enum, default_value = "table")]
    pub format: FindingsFormat,
}

#[derive(Debug, clap::Args)]
pub(super) struct PromptArgs {
    #[command(subcommand)]
    pub command: PromptCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum PromptCommand {
    /// List the shipped prompts.
    List,
    /// Is this prompt sound? Slots, contract, fences.
    Lint {
        /// Files or names of shipped prompts.
        #[arg(required = true, value_name = "PROMPT")]
        prompts: Vec<String>,
    },
    /// The exact request for one item.
    Show {
        /// A file or the name of a shipped prompt.
        #[arg(long, default_value = crate::prompt::DEFAULT, value_name = "PROMPT")]
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
    Read {
        /// bracket, json, label or scale5.
        #[arg(long, value_name = "CONTRACT")]
        contract: String,
        /// File of replies; `-` is standard input.
        #[arg(default_value = "-", value_name = "FILE")]
        file: String,
    },
}

/// Which response is shown first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum OrderArg {
    /// A first.
    Ab,
    /// B first.
    Ba,
}

#[derive(Debug, clap::Args)]
pub(super) struct GoldArgs {
    #[command(subcommand)]
    pub command: GoldCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum GoldCommand {
    /// Balance, duplicates, length confounding, missing fields, checks against labels. Exit status 1 where there are findings.
    Lint {
        /// Gold pairs.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<String>,
        /// Gold labels in a file of their own, for the one file of pairs: id, label, annotator.
        #[arg(long, value_name = "FILE")]
        labels: Option<String>,
        /// How to write the findings.
        #[arg(long, value_enum, default_value = "table")]
        format: FindingsFormat,
    },
    /// Label pairs in the terminal: blinded, in random order, going on where you stopped.
    #[command(after_help = LABEL_HELP)]
    Label(LabelArgs),
    /// Pairs and labels as gold pairs, with the mark of a random sample.
    #[command(after_help = EXPORT_HELP)]
    Export(ExportArgs),
}

#[derive(Debug, clap::Args)]
pub(super) struct DemoArgs {
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
