//! Tribunal puts an LLM judge on trial before anyone trusts its verdicts.
//!
//! Evidence is gathered on the left, read on the right, and only [`domain::Judgment`] and [`domain::GoldSet`] cross the hall.

pub mod analysis;
pub mod domain;
pub mod judge;
pub mod report;
pub mod stats;
