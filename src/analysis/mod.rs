//! Judgments in, answers out: one file a question. Pure; knows no network, clock, store or text of an item.

pub mod calibration;
pub mod compare;
pub mod figures;
pub mod gate;
pub mod outcome;
