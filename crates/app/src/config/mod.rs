//! The configuration: `config.toml`, the project's `.backstory.toml`, the environment and the flags. A later one
//! overrides an earlier one, and without any of them the defaults apply.

mod choices;
mod example;
pub mod keys;
mod layers;
mod load;
pub mod settings;
mod typed;
mod value;

#[cfg(test)]
mod tests;

pub use choices::{AnswerScorer, Config, Embedding, Labels, Service};
pub use example::example;
pub use layers::{Origin, default_of, find};
pub use load::{Loaded, first_bad_line, load, load_what_counts, use_flags};
