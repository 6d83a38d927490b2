//! What can be typed behind `gold label` and `gold export`.

use std::path::PathBuf;

use crate::cli::args::{DisputedArg, LangArg};

pub(in crate::cli) const LABEL_HELP: &str = "\
Examples:
  tribunal gold label pairs.jsonl --annotator kim
  tribunal gold label pairs.jsonl --annotator kim --sample 100 --seed 7

Keys: a or b the better answer · t tie · s skip · u undo · i agreement so far · space, PageUp, arrows scroll · q quit.
Without a terminal, and with --lines, each line of standard input is one key. `tribunal gold export` makes gold of the labels.

Exit status: 0 every pair has your label · 2 usage or input error · 4 some have none, run again to go on · 130 interrupted";

pub(in crate::cli) const EXPORT_HELP: &str = "\
Examples:
  tribunal gold export pairs.jsonl --out gold.jsonl
  tribunal gold export pairs.jsonl --labels kim.jsonl --disputed drop --out gold.jsonl

Every pair is written, with `gold_votes` where there are labels. Pairs drawn by `gold label --sample` carry the mark
`meta.sampled`, by which `compare` corrects its score.

Exit status: 0 written · 2 usage or input error";

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct LabelArgs {
    /// Pairs with both responses.
    #[arg(value_name = "FILE")]
    pub file: String,
    /// Labels are added to this file, JSON Lines [default: FILE with the ending .labels.jsonl].
    #[arg(long, visible_alias = "labels", value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Who labels [default: the user's name, while the file has labels of nobody else].
    #[arg(long, value_name = "NAME")]
    pub annotator: Option<String>,
    /// Label a random sample of so many pairs. The labels record the draw, and without this flag go on with it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub sample: Option<u64>,
    /// Seed of the sample, of the order of pairs and of the sides that answers are shown on.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub seed: u64,
    /// Read keys as lines and write plain lines, on a terminal too: for screen readers.
    #[arg(long)]
    pub lines: bool,
    /// Language of what is shown around the texts.
    #[arg(long, value_enum, default_value = "en")]
    pub lang: LangArg,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct ExportArgs {
    /// The pairs that were labelled.
    #[arg(value_name = "FILE")]
    pub file: String,
    /// Their labels: id, label, annotator [default: FILE with the ending .labels.jsonl].
    #[arg(long, value_name = "FILE")]
    pub labels: Option<PathBuf>,
    /// Write the gold pairs to this file, JSON Lines; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Items whose votes have no plurality: `drop` writes them without votes.
    #[arg(long, value_enum, default_value = "tie")]
    pub disputed: DisputedArg,
    /// Replace files that exist.
    #[arg(long)]
    pub force: bool,
}
