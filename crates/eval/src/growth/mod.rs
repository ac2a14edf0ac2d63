//! How does cost grow with the memory?
//!
//! 1. `fill`: real-shaped sessions -> a memory of about so many chunks.
//! 2. `steps`: what is measured in it, each in a process of its own.
//! 3. `report`: the sizes beside each other.

mod fill;
mod report;
mod steps;

pub use fill::{chunks_per_copy, fill};
pub use report::run;
pub use steps::{GrowthStep, run_step};
