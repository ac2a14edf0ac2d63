//! What is an event, a chunk, an edge, a card? Plain data, no I/O.

mod act;
mod alias;
mod card;
mod card_key;
mod case;
mod chunk;
mod code_change;
mod decided;
mod edge;
mod episode;
mod event;
mod evidence;
mod failure;
mod ids;
mod outcome;
mod problem;
mod project;
mod retrieval;
mod step;
mod time;
mod tokens;
mod tools;

pub use act::{CARDS_SESSION, CardAct, Channel, Exposure, HandOutcome, Surface};
pub use alias::{Aliases, PROJECTS_SESSION, ProjectAct, is_within};
pub use backstory_language::digest::{Digest, digest_of, span_hash};
pub use backstory_language::talk::{CausalLink, Consequence, ConsequenceType, IntentType, LinkId, Strength, link_id};
pub use card::{
    Candidate, Card, CardKind, CardSource, CardStatus, Dispute, Found, LONGEST_STATEMENT, NoCandidate, PutAway, Scope,
    Tier, Truth, UNVERIFIED, Utility, card_id, card_words,
};
pub use card_key::{COMMAND_TAG, ENVIRONMENT_TAG, ERROR_TAG, any_tests_key, command_key, command_keys};
pub use case::{Case, CaseCommit, CaseEnd, Finding, Role, case_id};
pub use chunk::{Chunk, ChunkBody, CommandRun, Part, PartKind};
pub use code_change::{CodeChange, changed_lines, cite_edit, clipped, code_change, quoted};
pub use decided::{Decided, DecidedPart, Firmness, FixNote, RefusedOption};
pub use edge::{Edge, EdgeKind};
pub use episode::{Episode, EpisodeKey, SourceKind};
pub use event::{Class, Event, EventDraft, EventKind, Exit, Meta, edits_from_text, edits_to_text, text_hash};
pub use evidence::{EvidenceKind, EvidenceRef};
pub use failure::{Attempt, CheckRun, EditMade, Failure, LONGEST_CHANGE, Remedy, Resolution};
pub use ids::{ArtifactId, CardId, CaseId, ChunkId, EpisodeId, EventId, ProjectId};
pub use outcome::{Basis, Outcome, OutcomeKind};
pub use problem::{Problem, ProblemKind};
pub use project::{Project, Sighting};
pub use retrieval::{RETRIEVALS_SESSION, Retrieval, RetrievalOutcome, RetrievedDocument, STATED_OF};
pub use step::{
    AgentStep, EventSpan, agent_steps, foreign_text, is_only_own_output, is_prompt, is_shell, reason_of_rejection,
    says_something,
};
pub use time::{MONTHS, Timestamp, WEEKDAYS};
pub use tokens::estimate_tokens;
pub use tools::{edits_file, writes_files};
