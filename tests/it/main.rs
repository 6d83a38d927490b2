//! Tests.

mod report;
