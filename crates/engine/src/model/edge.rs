//! Which chunk came before which? Edges are stored once, forward; a question walks them in
//! either direction.

use super::ids::{ChunkId, EventId};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EdgeKind {
    /// The next chunk of the same run, in the same turn or the next.
    WithinChain,
    /// From an earlier session to the one that continues it.
    CrossSession,
    /// A call that starts a sub-agent -> the sub-agent's first chunk.
    Brief,
    /// The sub-agent's last chunk -> where its report arrives.
    Debrief,
    /// A lead starts a teammate.
    TeamSpawn,
    /// A teammate's message to its lead.
    TeamReport,
    /// A message between teammates, or from the lead to one.
    PeerMessage,
}

impl EdgeKind {
    pub const ALL: [EdgeKind; 7] = [
        EdgeKind::WithinChain,
        EdgeKind::CrossSession,
        EdgeKind::Brief,
        EdgeKind::Debrief,
        EdgeKind::TeamSpawn,
        EdgeKind::TeamReport,
        EdgeKind::PeerMessage,
    ];

    pub fn name(self) -> &'static str {
        match self {
            EdgeKind::WithinChain => "within-chain",
            EdgeKind::CrossSession => "cross-session",
            EdgeKind::Brief => "brief",
            EdgeKind::Debrief => "debrief",
            EdgeKind::TeamSpawn => "team-spawn",
            EdgeKind::TeamReport => "team-report",
            EdgeKind::PeerMessage => "peer-message",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Its weight is always 1.0: the graph gives order, not relevance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    pub source: ChunkId,
    pub target: ChunkId,
    pub kind: EdgeKind,
    /// The event that shows the edge: the spawning call, the message, or the
    /// target's first event.
    pub evidence: EventId,
}
