//! The nouns: plain data with serde, no input or output, no statistics.
//!
//! Positions ([`Verdict`]) and identities ([`Preference`]) are different types; [`Order::identify`] is the only bridge.
//! Only [`Judgment`] and [`GoldSet`] cross from the evidence wing to the reading wing.

mod body;
mod control;
mod draw;
mod ids;
mod item;
mod judgment;
mod near;
mod notice;
mod remark;
mod request;
mod run;
mod verdict;

pub use body::Body;
pub use control::{ControlFacts, ControlKind, Per};
pub use ids::{Annotator, Digest, GroupId, ItemId, JudgeName, SystemName};
pub use item::{
    Check, CheckKind, GoldLabel, GoldSet, Item, ItemFacts, LengthUnit, Message, Pair, Prompt, Unit, Vote, plain_text,
};
pub use judgment::{Folded, Judgment, JudgmentDetail, ReadVerdict, Reading, Said};
pub use near::{did_you_mean, nearest};
pub use notice::{Notice, Severity};
pub use remark::{AgainstVotes, Fate, Names, Remark};
pub use request::{Completion, Fingerprint, FinishReason, JudgeRequest, RequestKey, Usage};
pub use run::{
    InputFile, Reparsed, RunAccounting, RunCalls, RunCounts, RunEnd, RunHeader, RunItems, RunJudge, RunJudgment,
    RunKind, RunLine, RunManifest, RunState,
};
pub use verdict::{NoVerdict, Order, Preference, Verdict};
