//! Pure functions: numbers in, estimates out. Imports nothing of ours, knows no judge, file, clock or network.

pub mod agreement;
pub mod annotators;
pub mod binomial;
pub mod classify;
pub mod clustered;
mod estimate;
pub mod glm;
pub mod length_control;
pub mod mean;
pub mod multiplicity;
mod newton;
pub mod paired;
pub mod permutation;
pub mod power;
pub mod proportion;
pub mod rating;
pub mod resample;
pub mod seed;
pub mod special;
pub mod ties;
pub mod two_proportions;

pub use estimate::{Estimate, Figure, Level, NotEstimable, Reason, serialize_figure};
pub use seed::Seed;
