//! The verbs: one file per question. Each reads one snapshot and writes nothing.

mod calibration;
mod cards;
mod chains;
mod check;
mod clusters;
mod episodic;
mod experience;
mod explain;
mod find_chunk;
mod fix;
mod lately;
mod links;
mod loops;
mod project_split;
mod project_suggestions;
mod projects;
pub mod rank;
mod reconstruct;
mod retrievals;
mod search;
mod sessions;
mod show;
mod status;
mod why;

pub use calibration::{Bucket, Calibration, Overall, calibration};
pub use cards::{
    CardHit, CardInfo, Cited, Gate, LeftOut, Named, PACK_BUDGET, PACK_FRAME, Pack, PackItem, PackQuestion, Slot,
    Waiting, card_doubt, card_evidence, card_info, cards, find_card, gates, matching_cards, named_in_tree, pack,
    prompted, waiting,
};
pub use chains::{Chain, ChainScore, Direction, Node};
pub use check::{Check, Warnings, check};
pub use clusters::{ClusterInfo, ClusterList, ClusterMembers, Clusters, Member, cluster_members, clusters};
pub use episodic::{Episodic, Told, ToldChain, ToldItem, recall_or_predict};
pub use experience::{Experience, Seen};
pub use explain::{Explained, Reason, explain};
pub use find_chunk::find_chunk;
pub use fix::{CameUp, Ended, Fix, FixItem, Fixes, Helped, complains, fix};
pub use lately::{LATELY_SESSIONS, LastFailure, Lately, Recently, Stopped, lately};
pub use links::{
    KernelName, LinkItem, LinkSessionError, LinkedSession, Links, SessionLine, link_episode, link_session, links,
    only_session,
};
pub use loops::{Judgement, LOOPS_SESSION, LoopKind, Loops, OpenLoop, Verdict, find_loop, loops};
pub use project_split::{FolderRuns, runs_in_folder};
pub use project_suggestions::{ProjectSuggestion, project_suggestions};
pub use projects::{MergedProject, ProjectInfo, ProjectName, projects};
pub use reconstruct::{Reconstruct, Story, StoryPiece, StorySession, reconstruct};
pub use retrievals::{RetrievalInfo, Retrievals, find_retrieval, retrievals};
pub use search::{Candidate, Fate, Found, FoundItem, SEARCH_BUDGET, SEARCH_LIMIT, Search, search};
pub use sessions::{AgentInfo, SessionInfo, Sessions, find_session, sessions};
pub use show::Shown;
pub use status::{StageStatus, Status, Totals, status, totals};
pub use why::{
    CardHere, CommitPart, CommitQuestion, CommitStory, Decision, LaterEdit, LineQuestion, LineStory, LinesOf, Made,
    MovedLines, NamedHere, PartEdit, PlaceQuestion, PlaceStory, Prompt, Proof, Ran, Relation, TroubleHere, Written,
    is_telling, why_commit, why_line, why_place,
};

use crate::store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum RetrieveError {
    #[error("no {what} matches '{asked}'")]
    NotFound { what: &'static str, asked: String },
    #[error("'{asked}' matches {} {what}s: {}", candidates.len(), candidates.join(", "))]
    Ambiguous { what: &'static str, asked: String, candidates: Vec<String> },
    #[error("the question cannot be embedded: {0}")]
    Embed(#[from] backstory_language::embed::EmbedError),
    #[error(transparent)]
    Store(#[from] StoreError),
}
