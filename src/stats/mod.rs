//! Pure functions: numbers in, estimates out. Imports nothing of ours, knows no judge, file, clock or network.

pub mod agreement;
pub mod annotators;
pub mod binomial;
pub mod clustered;
mod estimate;
pub mod multiplicity;
pub mod permutation;
pub mod power;
pub mod proportion;
pub mod resample;
pub mod seed;
pub mod special;

pub use estimate::{Estimate, Figure, Level, NotEstimable, Reason, serialize_figure};
pub use seed::Seed;
