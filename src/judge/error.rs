//! What can be wrong with a judge before anything is asked.

use crate::domain::{ItemId, Order};
use crate::prompt::PromptError;

/// A judge that cannot be built, or a request that cannot be made. Nothing was asked, nothing was spent.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    /// The text names no judge.
    #[error("no judge is called `{text}`{}\n{FORMS}", maybe(near.as_deref()))]
    UnknownForm {
        /// What was given.
        text: String,
        /// A form that is spelled nearly like it.
        near: Option<String>,
    },
    /// The text names a form, and something in it is wrong.
    #[error("judge `{text}`: {problem}")]
    BadForm {
        /// What was given.
        text: String,
        /// What is wrong and what is wanted.
        problem: String,
    },
    /// A setting of a judge cannot be used.
    #[error("judge `{judge}`, setting `{setting}`: {problem}")]
    Setting {
        /// The judge's name.
        judge: String,
        /// The setting to change.
        setting: &'static str,
        /// What is wrong and what is wanted.
        problem: String,
    },
    /// The judge was built without this item.
    #[error("judge `{judge}` was not told of item `{item}`: it must be among the pairs the judge is built with")]
    UnknownItem {
        /// The judge's name.
        judge: String,
        /// The item asked about.
        item: ItemId,
    },
    /// An oracle was asked about an item that has no human answer, or checks about an item that has none.
    #[error("judge `{judge}` does not apply to item `{item}`: {lacks}")]
    NotApplicable {
        /// The judge's name.
        judge: String,
        /// The item asked about.
        item: ItemId,
        /// What the item lacks.
        lacks: &'static str,
    },
    /// A check of an item is itself broken.
    #[error("item `{item}`: {source}")]
    Check {
        /// The item that carries the check.
        item: ItemId,
        /// What is wrong with it.
        source: super::check::CheckError,
    },
    /// A recording cannot be read.
    #[error("{file}{}: {problem}", at(*line))]
    Recording {
        /// The file as named by the user.
        file: String,
        /// Physical line, from 1, where one can be named.
        line: Option<u64>,
        /// What was found and what is wanted.
        problem: String,
    },
    /// A recording holds no answer to this question.
    #[error("{file}: nothing is recorded of judge `{judge}` for item `{item}`, order {}, repeat {repeat}", order.as_str())]
    NotRecorded {
        /// The file as named by the user.
        file: String,
        /// The recorded judge.
        judge: String,
        /// The item asked about.
        item: ItemId,
        /// Which response would have been shown first.
        order: Order,
        /// Which asking of this order, from 0.
        repeat: u32,
    },
    /// The question cannot stand in a batch file.
    #[error("judge `{judge}` cannot be asked by a batch file: {why}")]
    NoBatch {
        /// The judge's name.
        judge: String,
        /// Why not.
        why: &'static str,
    },
    /// The prompt cannot be filled with this item.
    #[error(transparent)]
    Fill(#[from] PromptError),
    /// The HTTP client cannot be set up on this machine.
    #[error("no HTTP client: {0}")]
    Client(String),
}

/// The forms that `--judge` takes, as listed behind an unknown one.
pub const FORMS: &str = "a judge is a name from tribunal.toml, or one of:
  openai:MODEL  anthropic:MODEL  gemini:MODEL  ollama:MODEL  http://HOST:PORT/v1#MODEL
  replay:FILE  replay:FILE#JUDGE  checks  checks+JUDGE
  control:first  control:second  control:longest  control:shortest  control:tie
  control:coin?seed=7  control:oracle?error=0.1&seed=7&per=item|order";

fn maybe(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

fn at(line: Option<u64>) -> String {
    line.map_or_else(String::new, |line| format!(":{line}"))
}
