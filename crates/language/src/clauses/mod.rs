//! What does a sentence forbid or require, and does it apply to an action?
//!
//! - [`clause`]: what does a statement forbid or require?
//! - [`action`]: what is an action about to do? [`branches`]: on which branch?
//! - [`concerns`]: does a plan in words go against a rule? [`plan_words`], [`amounts`]: which words and numbers matter?
//! - [`subcommands`]: which task does a program run? [`run_time_words`]: what can an argument be that is known only at run
//!   time?
//!
//! A rule is found by one of its forbidden words and then read as a whole.

mod action;
mod amounts;
mod branches;
mod clause;
mod concerns;
mod plan_words;
mod reader;
mod run_time_words;
mod subcommands;

pub use action::{ANYTHING, Action};
pub use clause::{Bind, Clause};
pub use concerns::{ConcernReader, Plan, RuleForPlans, is_plan};
pub use reader::{ClauseReader, failing_codes};
