//! Judgments in, answers out: one file a question. Pure; knows no network, clock or store, and no text of an item
//! but in `gold`.

pub mod asked;
pub mod baseline;
pub mod calibration;
pub mod certificate;
pub mod compare;
mod criteria;
pub mod figures;
pub mod gate;
pub mod gold;
mod humans;
mod kappa;
mod means;
mod measure;
pub mod outcome;
pub mod plan;
mod position;
mod scores;
mod shares;
pub mod stopping;
pub mod unmeasured;
mod usage;
pub mod warning;
