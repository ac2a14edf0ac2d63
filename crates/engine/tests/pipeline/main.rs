//! Behaviour of the whole pipeline, in one test binary.

mod chunks;
mod edges;
mod forgetting;
mod laws;
mod tidy;
mod transfer;
