//! `views/memory.sqlite`: which rows were derived from the log?

mod cards;
mod cases;
mod clusters;
mod coverage;
mod edits;
mod failures;
mod index;
mod links;
mod next;
mod reader;
mod rows;
mod snapshot;
mod view_store;
mod writer;

pub use cards::{CardDecision, CardFilter, CardRow, Changed, FindingOrigin, FindingRow, LedgerRow};
pub use cases::CaseRow;
pub use clusters::{ClusterRow, ClusterShare, ClusterState};
pub use coverage::{Gap, GapKind};
pub use edits::EditRow;
pub use failures::{FailureRow, Fingerprint};
pub use index::{Index, IndexState, PassageRow};
pub use links::{LinkRow, OutcomeRow, TaskNote};
pub use reader::ViewReader;
pub use rows::{AgentRow, Anchor, AnchorKind, ChunkRow, EdgeRow, RunRow, StageRow, TurnRow, TurnState, ViewCounts};
pub use snapshot::Snapshot;
pub use view_store::ViewStore;
pub use writer::ViewTx;
