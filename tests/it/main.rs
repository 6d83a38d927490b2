//! Tests.
#![allow(clippy::unwrap_used)]

mod reference;
