//! Judgments in, answers out: one file a question. Pure; knows no network, clock or store, and no text of an item
//! but in `gold`.

mod adjusted;
pub mod asked;
pub mod baseline;
pub mod calibration;
mod categories;
pub mod certificate;
pub mod compare;
pub mod correction;
mod criteria;
mod deciding;
pub mod discordant;
pub mod figures;
pub mod gate;
pub mod gold;
mod humans;
pub mod jury;
mod kappa;
mod means;
mod measure;
pub mod outcome;
pub mod plan;
mod position;
pub mod prereg;
pub mod raters;
mod scores;
pub mod series;
mod shares;
pub mod stopping;
pub mod unmeasured;
mod usage;
pub mod versus;
mod vote;
pub mod warning;
