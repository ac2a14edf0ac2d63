//! What did a conversation decide?
//!
//! A person decides by stating, choosing, correcting or agreeing, a part at a time. The parts are
//! told in the words of the message that says them best:
//!
//! - [`conversation`]: all of it.
//! - [`sentences`]: which words of a message can be quoted alone?
//! - [`rulings`]: what does a reply decide, and in whose words?
//! - [`choices`]: which sentences decide something in the middle of work?
//! - [`diagnosis`]: what was the cause after all?
//! - [`amendment`]: what does a later conversation leave as it is?
//! - [`refusals`]: what was refused, and why?
//! - [`recap`]: which message tells all of it again?
//! - [`words`]: which words rule, and which are small talk?
//! - [`subject`]: what is the conversation about?
//! - [`statement`]: how do the parts fit into short statements?

mod amendment;
mod choices;
mod conversation;
mod diagnosis;
mod dialogue;
mod recap;
mod refusals;
mod rulings;
mod sentences;
mod statement;
mod subject;
mod words;

pub use amendment::{Discussed, mentions, still_holds};
pub use choices::choices;
pub use conversation::{Decisions, read};
pub use diagnosis::{Diagnosis, DiagnosisPart, diagnosis};
pub use dialogue::{Span, Utterance, Voice};
pub use refusals::Refusal;
pub use rulings::{Binding, Ruling};
pub use statement::{Statement, WeighedPart, statements};
