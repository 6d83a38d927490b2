//! The flags of `calibrate`.

use clap::ValueEnum;

use super::{AskArgs, CertificateArgs, LIVE, OutputArgs, StatisticsArgs};

pub(super) const CALIBRATE_HELP: &str = "\
Examples:
  tribunal calibrate --judge control:longest
  tribunal calibrate --gold gold.jsonl --judge 'http://127.0.0.1:8000/v1#my-model' --out report.html
  tribunal calibrate --judge openai:gpt-4.1-mini --judge checks --repeats 2
  tribunal calibrate --verdicts recorded.jsonl --group-by question --format json

Exit status: 0 gate passed · 1 failed · 3 inconclusive · 4 incomplete, run again to resume";

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct CalibrateArgs {
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
pub(in crate::cli) struct JuryArgs {
    /// How the judges' verdicts become one; where they do not, the jury abstains.
    #[arg(long = "jury", value_enum, default_value = "majority", value_name = "RULE")]
    pub rule: JuryArg,
    /// A judge on trial that sits on the jury; may be given several times [default: all but control judges].
    #[arg(long = "jury-member", value_name = "JUDGE")]
    pub members: Vec<String>,
}

/// How the members' verdicts become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum JuryArg {
    /// More than half of the members that were asked.
    Majority,
    /// All members that were asked.
    Unanimous,
}
