//! Tribunal puts an LLM judge on trial before anyone trusts its verdicts.
//!
//! Evidence is gathered on the left, read on the right, and only [`domain::Judgment`] and [`domain::GoldSet`] cross the hall.

pub mod analysis;
pub mod cli;
pub mod data;
pub mod domain;
pub mod judge;
pub mod prompt;
pub mod report;
pub mod runner;
pub mod stats;
pub mod store;
