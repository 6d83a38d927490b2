//! The flags of `plan`.

use std::path::PathBuf;

use super::args::{AskArgs, CallArgs, FormatArg, LangArg, known};
use crate::analysis::plan;

pub(super) const PLAN_HELP: &str = "\
Examples:
  tribunal plan
  tribunal plan --effect 0.55 --power 0.9
  tribunal plan --judge mini --pilot verdicts.jsonl --gold gold.jsonl
  tribunal plan --judge control:oracle --half-width 0.03 --format markdown";

#[derive(Debug, clap::Args)]
pub(super) struct PlanArgs {
    /// The judge: tokens and latency of its calls in the store, and its price, tell the cost.
    #[arg(long, value_name = "JUDGE")]
    pub judge: Option<String>,
    /// Recorded verdicts, long or wide: they tell ties, flips, groups and the judge's own noise.
    #[arg(long, value_name = "FILE")]
    pub pilot: Option<String>,
    /// Gold pairs or labels for the items of the pilot: they tell how many labels decide each criterion of the gate.
    #[arg(long, value_name = "FILE", requires = "pilot")]
    pub gold: Option<String>,
    /// A win rate to plan for; may be given several times [default: 0.52 0.55 0.6 0.65 0.7].
    #[arg(long, value_name = "WIN_RATE", num_args = 1..)]
    pub effect: Vec<f64>,
    /// Wanted chance of finding the effect.
    #[arg(long, default_value_t = 0.8, value_name = "SHARE")]
    pub power: f64,
    /// Two-sided risk of finding one that is not there.
    #[arg(long, default_value_t = 0.05, value_name = "SHARE")]
    pub alpha: f64,
    /// Wanted half-width of the win rate's interval.
    #[arg(long, default_value_t = 0.05, value_name = "SHARE")]
    pub half_width: f64,
    /// Share of ties, where no pilot tells.
    #[arg(long, default_value_t = plan::TIES, value_name = "SHARE", conflicts_with = "pilot")]
    pub ties: f64,
    /// Share of outcomes whose orders disagree, where no pilot tells.
    #[arg(long, default_value_t = plan::FLIPS, value_name = "SHARE", conflicts_with = "pilot")]
    pub flips: f64,
    /// Times that each order is asked.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100), value_name = "K")]
    pub repeats: u32,
    /// Group the pilot by this field of its items instead of `group`.
    #[arg(long, value_name = "FIELD", requires = "pilot")]
    pub group_by: Option<String>,
    /// Seed of the simulations.
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    pub seed: u64,
    /// How to write the plan: all but html and junit.
    #[arg(long, value_enum, default_value = "table")]
    pub format: FormatArg,
    /// Language of the plan.
    #[arg(long, value_enum, default_value = "en")]
    pub lang: LangArg,
    /// Settings file [default: tribunal.toml where there is one].
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Judge prompt: a file or the name of a shipped one.
    #[arg(long, value_name = "PROMPT", value_parser = known::prompts(), hide_possible_values = true)]
    pub prompt: Option<String>,
    /// Where completions are kept.
    #[arg(long, default_value = ".tribunal", value_name = "DIR")]
    pub store: PathBuf,
    /// Calls open at a time.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=4096), value_name = "N")]
    pub concurrency: Option<u32>,
    /// Requests a minute.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub requests_per_minute: Option<f64>,
    /// Tokens a minute, of requests and answers together.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub tokens_per_minute: Option<f64>,
}

impl PlanArgs {
    /// The judge as it would be asked.
    pub fn ask(&self) -> AskArgs {
        AskArgs {
            calls: CallArgs {
                config: self.config.clone(),
                concurrency: self.concurrency,
                requests_per_minute: self.requests_per_minute,
                tokens_per_minute: self.tokens_per_minute,
                max_usd: None,
                max_calls: None,
                dry_run: true,
                yes: false,
                timeout: None,
                store: self.store.clone(),
                no_store: false,
            },
            prompt: self.prompt.clone(),
            repeats: self.repeats,
            ask_identical: false,
            record: None,
        }
    }
}
