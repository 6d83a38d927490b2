//! The flags of `judge` and `generate`.

use std::path::PathBuf;

use super::{AskArgs, CallArgs, ListFormat};

pub(super) const JUDGE_HELP: &str = "\
Examples:
  tribunal judge --pairs pairs.jsonl --judge mini --out verdicts.jsonl
  tribunal judge --pairs pairs.jsonl --judge mini --batch-out requests.jsonl
  tribunal judge --pairs pairs.jsonl --judge mini --batch-in results.jsonl

Exit status: 0 every judgment has an answer · 4 some have none, run again to resume";

pub(super) const GENERATE_HELP: &str = "\
Examples:
  tribunal generate --items items.jsonl --model mini --prompt v1.md --out one.jsonl
  tribunal generate --items items.jsonl --model mini --prompt v2.md --out two.jsonl
  tribunal compare --a one.jsonl --b two.jsonl --judge my-judge

Exit status: 0 every item has a response · 4 some have none, run again to resume";

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct GenerateArgs {
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
pub(in crate::cli) struct JudgeArgs {
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
    /// How to write the summary; as rows it is one a judge.
    #[arg(long, value_enum, default_value = "table")]
    pub format: ListFormat,
    #[command(flatten)]
    pub ask: AskArgs,
}
