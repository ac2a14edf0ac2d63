//! One run of one agent: a session, a sub-agent's run, a game night.

use backstory_language::digest::digest_of;

use super::ids::{EpisodeId, ProjectId};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    ClaudeCode,
    Codex,
    Transcript,
    /// Claude Code sessions as imported from Causantic, another memory.
    Causantic,
    /// What Backstory itself writes: judgements, exposures, outcomes.
    Backstory,
}

impl SourceKind {
    pub const ALL: [SourceKind; 5] = [
        SourceKind::ClaudeCode,
        SourceKind::Codex,
        SourceKind::Transcript,
        SourceKind::Causantic,
        SourceKind::Backstory,
    ];

    /// Hosts whose sessions can be shown cards.
    pub const HOSTS: [SourceKind; 4] =
        [SourceKind::ClaudeCode, SourceKind::Codex, SourceKind::Transcript, SourceKind::Causantic];

    pub fn name(self) -> &'static str {
        match self {
            SourceKind::ClaudeCode => "claude_code",
            SourceKind::Codex => "codex",
            SourceKind::Transcript => "transcript",
            SourceKind::Causantic => "causantic",
            SourceKind::Backstory => "backstory",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|source| source.name() == name)
    }
}

/// Identifies a run. Agent ids are unique only within a session, so the key has both.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct EpisodeKey {
    pub source: SourceKind,
    pub session: String,
    /// The host's id of the sub-agent; absent for the session's main agent.
    pub agent: Option<String>,
}

impl EpisodeKey {
    pub fn main(source: SourceKind, session: impl Into<String>) -> Self {
        EpisodeKey { source, session: session.into(), agent: None }
    }

    pub fn id(&self) -> EpisodeId {
        let agent = self.agent.as_deref().unwrap_or("");
        EpisodeId(digest_of("episode", &[self.source.name().as_bytes(), self.session.as_bytes(), agent.as_bytes()]))
    }
}

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Episode {
    #[serde(flatten)]
    pub key: EpisodeKey,
    pub project: ProjectId,
}

impl Episode {
    pub fn id(&self) -> EpisodeId {
        self.key.id()
    }

    /// Main sessions of one project and one program follow each other in a lane.
    pub fn lane(&self) -> Option<i64> {
        if self.key.agent.is_some() {
            return None;
        }
        let digest = digest_of("lane", &[self.project.as_bytes(), self.key.source.name().as_bytes()]);
        let [a, b, c, d, e, f, g, h, ..] = digest.0;
        Some(i64::from_le_bytes([a, b, c, d, e, f, g, h]))
    }
}
