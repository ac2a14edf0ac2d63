//! How does cost grow with the memory?
//!
//! 1. `fill`: real-shaped sessions -> a memory of about the given number of chunks.
//! 2. `steps`: the measurements in it, each in a separate process.
//! 3. `report`: compares the sizes.

mod fill;
mod report;
mod steps;

pub use fill::{chunks_per_copy, fill};
pub use report::run;
pub use steps::{GrowthStep, run_step};
