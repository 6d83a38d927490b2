//! The flags of `compare`.

use clap::ValueEnum;

use super::{AskArgs, CertificateArgs, LIVE, OutputArgs, StatisticsArgs};

pub(super) const COMPARE_HELP: &str = "\
Examples:
  tribunal compare --a new.jsonl --b old.jsonl --judge checks --uncalibrated
  tribunal compare --pairs pairs.jsonl --judge mini --require better --out report.html
  tribunal compare --pairs pairs.jsonl --judge mini --stop-when-decided
  tribunal compare --prompt-a v1.md --prompt-b v2.md --model mini --items items.jsonl --judge my-judge

Exit status: 0 done, or the requirement holds · 1 it does not · 3 undecided · 4 incomplete, run again to resume · \
5 no valid certificate";

/// What a comparison has to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum RequireArg {
    /// A is better than B.
    Better,
    /// A is not worse than B by more than --margin.
    NoWorse,
}

/// How the items that carry gold were chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum GoldSampleArg {
    /// At random among the items compared.
    Random,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct CompareArgs {
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
