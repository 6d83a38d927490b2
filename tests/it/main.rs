//! Tests.
#![allow(clippy::unwrap_used)]

mod judge;
mod reference;
mod runner;
mod scripted;
mod store;
