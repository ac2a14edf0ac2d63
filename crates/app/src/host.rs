//! Which hosts are supported?

/// A program that agents run in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Host {
    /// Claude Code
    #[default]
    Claude,
    /// Codex
    Codex,
}

impl Host {
    pub const ALL: [Host; 2] = [Host::Claude, Host::Codex];

    pub fn name(self) -> &'static str {
        match self {
            Host::Claude => "Claude Code",
            Host::Codex => "Codex",
        }
    }

    /// As typed, and as written in JSON.
    pub fn id(self) -> &'static str {
        match self {
            Host::Claude => "claude",
            Host::Codex => "codex",
        }
    }

    /// By its id; `claude-code` as well.
    pub fn parse(typed: &str) -> Option<Self> {
        match typed.to_ascii_lowercase().as_str() {
            "claude-code" => Some(Host::Claude),
            typed => Host::ALL.into_iter().find(|host| host.id() == typed),
        }
    }
}
