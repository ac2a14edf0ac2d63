//! The verbs: one file per question. Each reads one snapshot and writes nothing.

mod calibration;
mod cards;
mod cases;
mod chains;
mod check;
mod clusters;
mod episodic;
mod experience;
mod explain;
mod find_chunk;
mod fix;
mod links;
mod loops;
mod on_branch;
mod project_split;
mod project_suggestions;
mod projects;
mod quoted;
pub mod rank;
mod recent;
mod reconstruct;
mod render;
mod retrievals;
mod search;
mod seed_mode;
mod sessions;
mod status;
mod why;

pub use calibration::{Bucket, Calibration, Overall, calibration};
pub use cards::{
    CardHit, CardInfo, Cited, Gate, NamedInTree, PACK_BUDGET, PACK_FRAME, Pack, PackItem, PackLeftOut, PackQuestion,
    PackSlot, PromptedCard, UnconfirmedCards, card_doubt, card_evidence, card_info, cards, find_card, gates,
    matching_cards, named_in_tree, pack, prompted, unconfirmed_cards,
};
pub use cases::{
    CASE_BUDGET, CASE_LINES, CASES_WITH_WORK, CaseAndLater, CaseAnswer, CaseList, CaseState, CaseStory, CaseWork,
    ChangedSince, CheckEnd, CommitHit, Extent, FileChanged, STORY_BUDGET, STORY_LINES, StoryAnswer, ToldCase,
    ToldFinding, case_of_commit, case_of_event, find_case, list_cases, one_case, recall_case, search_cases,
    session_cases,
};
pub use chains::{Chain, ChainScore, Direction, Node};
pub use check::{Check, Warnings, check};
pub use clusters::{ClusterInfo, ClusterList, ClusterMembers, Clusters, Member, cluster_members, clusters};
pub use episodic::{AnswerChain, ChainItem, Episodic, EpisodicAnswer, recall_or_predict};
pub use experience::{Experience, FollowUp};
pub use explain::{Explained, ExplainedVerb, Reason, explain};
pub use find_chunk::find_chunk;
pub use fix::{
    ErrorForm, Fix, FixAlternative, FixGround, FixItem, Fixes, KnownRemedy, PassedRun, PastFailure, fix,
    has_diagnostics,
};
pub use links::{
    KernelName, LinkItem, LinkSessionError, LinkedSession, Links, SessionLine, link_episode, link_session, links,
    only_session,
};
pub use loops::{Judgement, LOOPS_SESSION, LoopKind, Loops, OpenLoop, Verdict, find_loop, loops};
pub use on_branch::{BranchQuestion, BranchWork, branch_work};
pub use project_split::{FolderRuns, runs_in_folder};
pub use project_suggestions::{ProjectSuggestion, project_suggestions};
pub use projects::{MergedProject, ProjectInfo, ProjectName, projects};
pub use recent::{LastFailure, LastSession, RECENT_SESSIONS, RecentActivity, RecentQuestion, recent};
pub use reconstruct::{Reconstruct, Story, StoryPiece, StorySession, reconstruct};
pub use render::RenderedChunk;
pub use retrievals::{RetrievalInfo, Retrievals, find_retrieval, retrievals};
pub use search::{
    CandidateFate, RankedCandidate, SEARCH_BUDGET, SEARCH_LIMIT, Search, SearchItem, SearchResults, search,
};
pub use sessions::{AgentInfo, SessionInfo, SessionQuery, find_session, sessions};
pub use status::{StageStatus, Status, Totals, status, totals};
pub use why::{
    CardHere, CaseBehind, CheckPassed, CommitCall, CommitPart, CommitQuestion, CommitStory, Committed, Decision,
    FailureHere, FileLine, FileQuestion, FileRange, FileStory, FileWork, Guess, GuessGround, LaterEdit, LineQuestion,
    LineStory, LinesOf, LocationQuestion, LocationStory, MovedLines, NamedHere, PartEdit, Prompt, Proof, Quote,
    Recollection, RecollectionAuthor, RecollectionSource, Relation, SessionEdit, TreeLocation, is_distinctive,
    recollect_location, recollect_question, why_commit, why_file, why_line, why_location, why_tree_location,
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
