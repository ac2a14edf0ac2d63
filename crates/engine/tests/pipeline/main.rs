//! Behaviour of the whole pipeline, in one test binary.

mod answers;
mod bad_input;
mod cards;
mod cascade;
mod case_lists;
mod case_stories;
mod cases;
#[cfg(feature = "causantic")]
mod causantic;
mod chunks;
mod clusters;
mod damage;
mod desk;
mod disorder;
mod edges;
mod failures;
mod forget_own;
mod forgetting;
mod incremental;
mod index_files;
mod judged_cards;
mod laws;
mod links;
mod log_format;
mod projects;
mod retrievals;
mod secrets;
mod seed_mode;
mod slow_models;
mod tidy;
mod transfer;
mod why;
mod write_ahead;
