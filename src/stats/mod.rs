//! Pure functions: numbers in, estimates out. Imports nothing of ours, knows no judge, file, clock or network.

pub mod agreement;
pub mod annotators;
pub mod binomial;
pub mod change;
pub mod classify;
pub mod correction;
mod estimate;
pub mod glm;
pub mod length_control;
pub mod mean;
pub mod multiplicity;
mod newton;
pub mod ngram;
pub mod numeric;
pub mod outcomes;
pub mod paired;
pub mod permutation;
pub mod power;
pub mod ppi;
pub mod prefilter;
pub mod probability;
pub mod proportion;
pub mod ranking;
pub mod rating;
pub mod repeats;
pub mod resample;
pub mod seed;
pub mod self_preference;
pub mod sequential;
pub mod special;
pub mod text;
pub mod ties;
pub mod two_proportions;
pub mod variance;

pub use estimate::{Estimate, Figure, Level, NotEstimable, Reason, serialize_figure};
pub use seed::Seed;
