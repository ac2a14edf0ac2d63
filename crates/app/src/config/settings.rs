//! What do the surfaces read of the configuration? Plain values, each filled from its key.

use std::path::PathBuf;

use super::Config;

/// `[hooks]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookSettings {
    /// Give a session what must be known when it starts.
    pub session_start: bool,
    /// Tokens.
    pub session_start_budget: u64,
    /// Give a prompt what is strongly relevant to it.
    pub user_prompt: bool,
    /// Tokens.
    pub user_prompt_budget: u64,
    pub pre_tool_use: ToolCheckMode,
    /// Note how a call ended.
    pub post_tool_use: bool,
    /// So long a hook may read and derive.
    pub ingest_seconds: u64,
}

/// What happens before a call that something speaks against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolCheckMode {
    Off,
    /// The agent gets a warning, and the call goes on.
    Warn,
    /// The person is asked.
    Ask,
    /// The call is refused, with the reason.
    Block,
}

impl ToolCheckMode {
    /// The stricter the later: a project's file may only go on in this list.
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
    /// Tokens of an answer, where a call names no budget.
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
    /// Tokens.
    pub budget: u64,
    /// Somebody chose the budget: it then replaces the lines and tokens of an answer made of cases.
    pub has_chosen_budget: bool,
    /// Search and show the agents' thinking too.
    pub thinking: bool,
}

/// `[pack]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackSettings {
    /// Tokens.
    pub budget: u64,
}

/// `[ingest]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IngestSettings {
    /// Read beside the agents' own folders, as they were typed.
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
