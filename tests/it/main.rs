//! Tests.
mod reference;
