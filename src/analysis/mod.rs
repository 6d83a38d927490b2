//! Judgments in, answers out: one file a question. Pure; knows no network, clock, store or text of an item.

pub mod baseline;
pub mod calibration;
pub mod certificate;
pub mod compare;
mod criteria;
pub mod figures;
pub mod gate;
mod humans;
mod measure;
pub mod outcome;
mod position;
mod shares;
mod usage;
