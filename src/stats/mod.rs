//! Pure functions: numbers in, estimates out. Imports nothing of ours, knows no judge, file, clock or network.

mod estimate;

pub use estimate::{Estimate, Figure, Level, NotEstimable, Reason, serialize_figure};
