//! The server for agents, with a real client and a misbehaving one.

pub mod client;
mod foreign;
mod forget;
mod http;
pub mod raw;
mod reach;
mod rude;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod soak;
mod tools;
mod trust;
