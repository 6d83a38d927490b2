//! Tests of the whole house, in one binary.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod architecture;
mod browser;
mod cli;
mod controls;
mod crash;
mod endpoints;
mod flaws;
mod gate_table;
mod gold;
mod readme;
mod reference;
mod report;
mod runner;
mod schemas;
mod scripted;
mod simulation;
mod store;
mod story;
mod verdict_file;
