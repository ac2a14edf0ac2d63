//! Which event does a host report?

pub use crate::host::Host;

/// The host event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    SessionStart,
    UserPromptSubmit,
    PreToolUse,
    /// Also after a failed call, for which Claude Code has a separate event.
    PostToolUse,
    PreCompact,
    SessionEnd,
    SubagentStop,
    /// A turn has ended.
    Stop,
    /// The same, by Codex's `notify`.
    Notify,
}

impl Event {
    pub const ALL: [Event; 9] = [
        Event::SessionStart,
        Event::UserPromptSubmit,
        Event::PreToolUse,
        Event::PostToolUse,
        Event::PreCompact,
        Event::SessionEnd,
        Event::SubagentStop,
        Event::Stop,
        Event::Notify,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Event::SessionStart => "session-start",
            Event::UserPromptSubmit => "user-prompt-submit",
            Event::PreToolUse => "pre-tool-use",
            Event::PostToolUse => "post-tool-use",
            Event::PreCompact => "pre-compact",
            Event::SessionEnd => "session-end",
            Event::SubagentStop => "subagent-stop",
            Event::Stop => "stop",
            Event::Notify => "notify",
        }
    }

    /// Does it read what happened, rather than show something?
    pub fn reads(self) -> bool {
        matches!(self, Event::PreCompact | Event::SessionEnd | Event::SubagentStop | Event::Stop | Event::Notify)
    }

    /// The key of `[hooks]` that turns it on.
    pub fn key(self) -> Option<&'static str> {
        match self {
            Event::SessionStart => Some("session_start"),
            Event::UserPromptSubmit => Some("user_prompt"),
            Event::PreToolUse => Some("pre_tool_use"),
            Event::PostToolUse => Some("post_tool_use"),
            _ => None,
        }
    }

    /// The host's name for it in JSON.
    pub fn host_name(self) -> &'static str {
        match self {
            Event::SessionStart => "SessionStart",
            Event::UserPromptSubmit => "UserPromptSubmit",
            Event::PreToolUse => "PreToolUse",
            Event::PostToolUse => "PostToolUse",
            Event::PreCompact => "PreCompact",
            Event::SessionEnd => "SessionEnd",
            Event::SubagentStop => "SubagentStop",
            Event::Stop => "Stop",
            Event::Notify => "notify",
        }
    }

    /// `session-start`; the host's `SessionStart` as well.
    pub fn parse(typed: &str) -> Option<Self> {
        let plain = |name: &str| name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
        let typed = plain(typed);
        if typed == "posttoolusefailure" {
            return Some(Event::PostToolUse);
        }
        Event::ALL.into_iter().find(|event| plain(event.name()) == typed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_by_any_of_their_names() {
        for event in Event::ALL {
            assert_eq!(Event::parse(event.name()), Some(event));
            assert_eq!(Event::parse(event.host_name()), Some(event));
        }
        assert_eq!(Event::parse("PostToolUseFailure"), Some(Event::PostToolUse));
        assert_eq!(Event::parse("coffee-break"), None);
    }
}
