//! The configuration of the surfaces as plain values, each filled from its key.

use std::path::PathBuf;

use super::Config;

/// `[hooks]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookSettings {
    /// Show the session what it must know at its start.
    pub session_start: bool,
    /// In tokens.
    pub session_start_budget: u64,
    /// Show what is strongly relevant to a prompt.
    pub user_prompt: bool,
    /// In tokens.
    pub user_prompt_budget: u64,
    pub pre_tool_use: ToolCheckMode,
    /// Record how a call ended.
    pub post_tool_use: bool,
    /// The time limit of a hook for reading and deriving.
    pub ingest_seconds: u64,
}

/// What happens before a call that violates a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolCheckMode {
    Off,
    /// The agent is warned, and the call proceeds.
    Warn,
    /// The person is asked.
    Ask,
    /// The call is refused, with the reason.
    Block,
}

impl ToolCheckMode {
    /// From lax to strict: a project's file may only choose a later one.
    pub const NAMES: &[&str] = &["off", "warn", "ask", "block"];

    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "off" => ToolCheckMode::Off,
            "warn" => ToolCheckMode::Warn,
            "ask" => ToolCheckMode::Ask,
            "block" => ToolCheckMode::Block,
            _ => return None,
        })
    }
}

/// `[mcp]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpSettings {
    /// The token budget of an answer, if a call has none.
    pub budget: u64,
}

/// `[serve]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServeSettings {
    pub port: u16,
}

/// `[search]`: for `search`, `recall`, `predict` and `explain`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchSettings {
    /// In tokens.
    pub budget: u64,
    /// The budget was configured: it then replaces the lines and tokens of an answer made of cases.
    pub has_chosen_budget: bool,
    /// Also search and show the agents' thinking.
    pub thinking: bool,
}

/// `[pack]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackSettings {
    /// In tokens.
    pub budget: u64,
}

/// `[ingest]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IngestSettings {
    /// Read besides the agents' own folders, as typed.
    pub paths: Vec<PathBuf>,
}

impl Default for HookSettings {
    fn default() -> Self {
        Config::default().hooks
    }
}

impl Default for McpSettings {
    fn default() -> Self {
        Config::default().mcp
    }
}

impl Default for ServeSettings {
    fn default() -> Self {
        Config::default().serve
    }
}
