//! The program as its user meets it: the binary in a folder of its own, its status, what it says and what it leaves behind.

#![allow(clippy::format_collect, reason = "a few lines are built to be read, not to be fast")]

mod compare;
mod controls;
mod corrected;
mod demo;
mod desk;
mod determinism;
mod documented;
mod failing;
mod forms;
mod generate;
mod github;
mod japanese;
mod judge;
mod jury;
mod labelling;
mod limits;
mod live;
mod log;
mod output;
mod plan;
mod recorded;
mod runs;
mod settings;
mod several;
mod shell;
mod stopping;
mod terminal;
mod trouble;

pub use desk::{Desk, Run, Server, gold, knows, pairs};
