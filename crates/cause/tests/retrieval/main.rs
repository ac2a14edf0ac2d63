//! Causal retrieval on a made-up shop: what is the cause, and what only speaks of it?

mod index;
mod scenarios;
mod shop;
mod terms;
