//! Provenance: what a result was made from and the command that makes it again; and the lines of the ledger of runs.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::ids::{Digest, ItemId, JudgeName};
use super::judgment::Reading;
use super::request::{Fingerprint, RequestKey, Usage};
use super::verdict::{NoVerdict, Order, Verdict};

/// A file that went in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputFile {
    /// What it was used as (`gold`, `pairs`, `verdicts`, `prompt`, `settings` …).
    pub role: String,
    /// The path as given, or the name of an embedded file.
    pub path: String,
    /// SHA-256 of the bytes.
    pub digest: Digest,
    /// Records read.
    pub records: u64,
}

/// Everything needed to make a result again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunManifest {
    /// Version of the tool.
    pub version: String,
    /// The command, quoted for a shell, without secrets.
    pub command: String,
    /// When, in UTC, RFC 3339; from `SOURCE_DATE_EPOCH` where that is set.
    pub date: String,
    /// Seed of every resampling.
    pub seed: u64,
    /// Resamples of every bootstrap.
    pub resamples: u64,
    /// The generator and its version.
    pub generator: String,
    /// The files that went in.
    pub inputs: Vec<InputFile>,
}

/// What a run in the ledger was made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunKind {
    /// Judges on trial.
    Calibrate,
    /// Two systems compared.
    Compare,
    /// Judgments alone.
    Judge,
    /// Responses.
    Generate,
}

impl RunKind {
    /// The name of the command, as in every file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Calibrate => "calibrate",
            Self::Compare => "compare",
            Self::Judge => "judge",
            Self::Generate => "generate",
        }
    }
}

/// One line of a run's file: first the header, then the judgments, then the end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "lowercase")]
pub enum RunLine {
    /// What the run set out to do; written before anything is asked.
    Start(RunHeader),
    /// One planned judgment.
    Judgment(RunJudgment),
    /// How the run ended.
    End(RunEnd),
}

/// What a run set out to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunHeader {
    /// The run's number in its store, from 1; given by the store.
    pub number: u32,
    /// What it was made for.
    pub kind: RunKind,
    /// The command, quoted for a shell, without secrets.
    pub command: String,
    /// Version of the tool.
    pub version: String,
    /// When, in UTC, RFC 3339.
    pub started: String,
    /// The process that writes it; given by the store.
    pub process: u32,
    /// Number of planned judgments.
    pub planned: u64,
    /// What is judged.
    pub items: RunItems,
    /// Who judges, in the order in which they were named.
    pub judges: Vec<RunJudge>,
}

/// The items of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunItems {
    /// How many.
    pub count: u64,
    /// Digest of their ids, prompts and responses, in order.
    pub digest: Digest,
}

/// A judge of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunJudge {
    /// The name in every table.
    pub name: JudgeName,
    /// `endpoint`, `replay`, `checks` or `control`.
    pub kind: String,
    /// Hash of everything that can change an answer.
    pub fingerprint: Fingerprint,
    /// The model as asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Id of the prompt, such as `pairwise.en`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Digest of the prompt's text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_digest: Option<Digest>,
    /// Name of the contract by which completions are read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract: Option<String>,
    /// How answers are asked for (`text`, `json` …).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<String>,
}

/// One judgment of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunJudgment {
    /// What was judged.
    pub item: ItemId,
    /// Who judged.
    pub judge: JudgeName,
    /// Which response was shown first.
    pub order: Order,
    /// 0 for the first asking of this order.
    pub repeat: u32,
    /// Where the completion is in the journal; `None` for judges that answer on the machine itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<RequestKey>,
    /// What was said about the slots; `None` has a kind in `no_verdict`.
    pub verdict: Option<Verdict>,
    /// Why there is no verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_verdict: Option<NoVerdict>,
    /// The graded verdict as said (`A>>B` …), by slots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grade: Option<String>,
    /// Why there is no verdict, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl RunJudgment {
    /// The verdict or the kind of its absence.
    pub fn reading(&self) -> Reading {
        match self.verdict {
            Some(verdict) => Reading::Said(verdict),
            None => Reading::None(self.no_verdict.unwrap_or(NoVerdict::Missing)),
        }
    }

    /// Takes over a reading.
    pub fn set_reading(&mut self, reading: Reading) {
        self.verdict = reading.verdict();
        self.no_verdict = match reading {
            Reading::Said(_) => None,
            Reading::None(kind) => Some(kind),
        };
    }

    /// True where an answer came, readable or not.
    pub fn is_answered(&self) -> bool {
        !matches!(self.reading(), Reading::None(NoVerdict::Failed | NoVerdict::Missing))
    }
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunState {
    /// Every task was answered or failed for good.
    Done,
    /// Some were not asked.
    Incomplete,
    /// It was asked to stop.
    Interrupted,
}

impl RunState {
    /// The name, as in every file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Incomplete => "incomplete",
            Self::Interrupted => "interrupted",
        }
    }
}

/// Planned judgments of one order, by what became of them; their sum is what was planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RunCounts {
    /// With a verdict.
    pub judged: u64,
    /// Answered, and no verdict can be read.
    pub unparsed: u64,
    /// The model declined.
    pub refused: u64,
    /// A content filter stopped the answer.
    pub filtered: u64,
    /// Cut off before a verdict.
    pub truncated: u64,
    /// The call failed.
    pub failed: u64,
    /// Not asked.
    pub missing: u64,
}

impl RunCounts {
    /// All of them.
    pub fn planned(&self) -> u64 {
        self.judged + self.unparsed + self.refused + self.filtered + self.truncated + self.failed + self.missing
    }

    /// Adds one.
    pub fn count(&mut self, reading: Reading) {
        *match reading {
            Reading::Said(_) => &mut self.judged,
            Reading::None(NoVerdict::Unparsed) => &mut self.unparsed,
            Reading::None(NoVerdict::Refused) => &mut self.refused,
            Reading::None(NoVerdict::Filtered) => &mut self.filtered,
            Reading::None(NoVerdict::Truncated) => &mut self.truncated,
            Reading::None(NoVerdict::Failed) => &mut self.failed,
            Reading::None(NoVerdict::Missing) => &mut self.missing,
        } += 1;
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            judged: self.judged + other.judged,
            unparsed: self.unparsed + other.unparsed,
            refused: self.refused + other.refused,
            filtered: self.filtered + other.filtered,
            truncated: self.truncated + other.truncated,
            failed: self.failed + other.failed,
            missing: self.missing + other.missing,
        }
    }
}

/// The accounting of one judge, by the response shown first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RunAccounting {
    /// With `response_a` shown first.
    pub ab: RunCounts,
    /// With `response_b` shown first.
    pub ba: RunCounts,
}

impl RunAccounting {
    /// Both orders.
    pub fn total(&self) -> RunCounts {
        self.ab.plus(self.ba)
    }

    /// The accounting of judgments, by judge.
    pub fn of(judgments: impl IntoIterator<Item = impl Borrow<RunJudgment>>) -> BTreeMap<String, Self> {
        let mut all: BTreeMap<String, Self> = BTreeMap::new();
        for judgment in judgments {
            let judgment = judgment.borrow();
            let own = all.entry(judgment.judge.to_string()).or_default();
            match judgment.order {
                Order::Ab => own.ab.count(judgment.reading()),
                Order::Ba => own.ba.count(judgment.reading()),
            }
        }
        all
    }
}

/// Calls of a run by what became of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RunCalls {
    /// Questions put to an endpoint, each counted once however often it was tried.
    pub made: u64,
    /// Judgments whose answer was in the store.
    pub cached: u64,
    /// Repeated tries.
    pub retried: u64,
    /// Questions without an answer after all tries; part of `made`.
    pub failed: u64,
}

/// How a run ended, and what it came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunEnd {
    /// When, in UTC, RFC 3339.
    pub finished: String,
    /// How.
    pub state: RunState,
    /// Why it is not done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Number of judgment lines before this one: tells when one is lost.
    pub judgments: u64,
    /// By judge; empty where the run broke off without judgments.
    pub accounting: BTreeMap<String, RunAccounting>,
    /// This run's calls.
    pub calls: RunCalls,
    /// Tokens of this run's answers; a count is absent when one answer came without it.
    pub usage: Usage,
    /// US dollars of this run's answers; `None` is unknown, never zero.
    pub cost_usd: Option<f64>,
    /// When the verdicts were read anew from the stored completions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reparsed: Vec<Reparsed>,
}

/// One reading anew of a run's completions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reparsed {
    /// When, in UTC, RFC 3339.
    pub at: String,
    /// Version of the tool whose contracts read.
    pub version: String,
    /// Verdicts that changed.
    pub changed: u64,
}
