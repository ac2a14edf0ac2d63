//! Causal retrieval on a fictional shop: what is the cause, and what only mentions it?

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

mod index;
mod scenarios;
mod shop;
mod terms;
