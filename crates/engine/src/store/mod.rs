//! Which files are on disk, and what is in them? The only folder with SQL.
//!
//! - [`LogStore`] `log.sqlite`: the append-only ground state, and the read cursors that change with it.
//! - [`ViewStore`] `views/memory.sqlite`: everything derived; may be deleted at any time.
//! - [`index`] `views/index/`: words and vectors, in files that are mapped into memory.
//! - [`Memo`] `memo.sqlite`: vectors of slow models; may be deleted at any time.
//! - [`CausanticDb`]: the database of another program; it is only read.
//! - [`UnfinishedForget`] `forgetting.json`: the remaining work of an unfinished forget.
//! - [`DeriveLock`]: lets one process derive at a time; the others do not wait.

#[cfg(feature = "causantic")]
mod causantic;
mod forgetting;
pub mod index;
mod lock;
mod log_projects;
mod log_rows;
mod log_store;
mod log_writer;
mod memo;
mod page_sums;
mod payload;
mod sqlite;
mod views;

#[cfg(feature = "causantic")]
pub use causantic::{CausanticChunk, CausanticDb, CausanticEdge, CausanticError, CausanticKey};
pub use forgetting::UnfinishedForget;
pub use lock::DeriveLock;
pub use log_projects::ProjectRow;
pub use log_rows::{EventRow, UnreadableRow};
pub use log_store::{Artifact, Cursor, EncodedEvent, EpisodeNum, Head, LogStore, Scrubbed};
pub use log_writer::LogTx;
pub use memo::{Memo, text_key};
pub use payload::{
    Codec, Payload, decode_payload, is_said_in, payload_bytes, payload_hash, payload_hash_with, split as split_payload,
};
pub use sqlite::{LOCK_TIMEOUT, SQLITE_MAGIC, StoreError, files_beside, remove_database};
pub use views::{
    AgentRow, Anchor, AnchorKind, CardDecision, CardFilter, CardRow, CaseRow, Changed, ChunkRow, ClusterRow,
    ClusterShare, ClusterState, EdgeRow, EditRow, FailureRow, FindingOrigin, FindingRow, Fingerprint, Gap, GapKind,
    Index, IndexState, LedgerRow, LinkRow, OutcomeRow, PassageRow, RunRow, Snapshot, StageRow, TaskNote, TurnRow,
    TurnState, ViewCounts, ViewReader, ViewStore, ViewTx,
};
