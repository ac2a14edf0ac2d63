//! The surface for agents: tools, resources and prompts over the Model Context Protocol.
//!
//! A tool is a row that names a command of the command line. Its parameters are those of the command, a call becomes
//! the words of the command, and the answer is the command's, so that both surfaces accept and answer the same.

mod answer;
mod arguments;
mod call;
mod error;
mod folder;
mod line_transport;
mod malformed;
mod pool;
mod progress;
mod prompts;
mod resources;
mod schema;
mod serve;
mod server;
mod shrink;
mod tools;

mod connections;
mod http;
mod stdio;

pub use serve::{answer, listen};
