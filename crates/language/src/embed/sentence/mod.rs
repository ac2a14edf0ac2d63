//! A full sentence model from a local folder: slower than the table, and better.
//!
//! 1. `folder`: which model is this, and is it supported?
//! 2. `weights`: its tensors.
//! 3. `linear`, `bert`: the network over word pieces.
//!
//! BERT (uncased) with mean pooling; all-MiniLM-L6-v2 is the tested one.

mod bert;
mod folder;
mod linear;
mod model;
mod weights;

pub use model::SentenceModel;
