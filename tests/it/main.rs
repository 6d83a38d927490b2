//! Tests.
#![allow(clippy::unwrap_used)]

mod judge;
mod reference;
mod scripted;
