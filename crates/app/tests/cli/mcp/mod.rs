//! The server for agents, asked by a real client and by a rude one.

mod client;
mod http;
pub mod raw;
mod rude;
mod tools;
mod trust;
