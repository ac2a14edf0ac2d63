//! Whose words are these? Much of what has the role `user` is the host's.

use serde_json::Value;

use crate::model::{Class, EventKind, Meta};

use super::super::json::inner_json;
use super::outputs;

/// A part of a record that becomes one event.
#[derive(Debug, PartialEq)]
pub struct EventPiece {
    pub kind: EventKind,
    pub text: String,
    pub meta: Meta,
}

impl EventPiece {
    pub fn new(kind: EventKind, class: Class, text: impl Into<String>) -> Self {
        EventPiece { kind, text: text.into(), meta: Meta { class: Some(class), ..Meta::default() } }
    }

    pub fn is_prompt(&self) -> bool {
        self.meta.class == Some(Class::Prompt)
    }

    pub fn starts_turn(&self) -> bool {
        self.meta.class.is_some_and(Class::starts_turn)
    }
}

/// The host's own texts, by their tag. A person may paste tags too, so only these count, and only
/// at the start of the text.
const INJECTED_TAGS: [&str; 37] = [
    "environment_context",
    "environments_instructions",
    "user_instructions",
    "INSTRUCTIONS",
    "permissions",
    "permissions_instructions",
    "turn_aborted",
    "skill",
    "skills_instructions",
    "plugin",
    "plugins_instructions",
    "recommended_plugins",
    "apps_instructions",
    "tools",
    "collaboration_mode",
    "multi_agent_mode",
    "multi_agent_role",
    "personality_spec",
    "model_switch",
    "realtime_conversation",
    "realtime_delegation",
    "context_window",
    "context_window_guidance",
    "codex_internal_context",
    "goal_context",
    "current_time_reminder",
    "image_resize_notice",
    "rollout_budget",
    "token_budget",
    "managed_developer_instructions",
    "hook_prompt",
    "hook_context",
    "guardian_sync_review",
    "node_repl_review_evidence",
    "user_action",
    "system-reminder",
    "memories",
];
const INJECTED_STARTS: [&str; 7] = [
    "# AGENTS.md instructions",
    "<external_",
    "<permissions ",
    "Warning: The maximum number of unified exec processes",
    "Warning: apply_patch was requested via ",
    "Warning: Your account was flagged for potentially high-risk",
    "# Collaboration Mode",
];
/// First words of texts that replace a compacted context.
const SUMMARY_STARTS: [&str; 2] = [
    "Another language model started to solve this problem and produced a summary of its thinking process",
    "You were originally given instructions from a user over one or more turns. Here were the user messages:",
];
/// Editors put their context before the person's words.
const EDITOR_CONTEXT: &str = "# Context from my IDE setup:";
const REQUEST: &str = "## My request for Codex:";

pub const COMPACTED: &str = "context compacted";

/// The texts of a content, with markers for images.
pub fn parts(content: Option<&Value>) -> Vec<String> {
    match content {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(items)) => items.iter().filter_map(part).collect(),
        _ => Vec::new(),
    }
}

fn part(item: &Value) -> Option<String> {
    let kind = item.get("type").and_then(Value::as_str).unwrap_or("");
    if kind.contains("image") {
        return Some("[image]".to_owned());
    }
    if kind.contains("audio") {
        return Some("[audio]".to_owned());
    }
    let text = item.as_str().or_else(|| item.get("text").and_then(Value::as_str))?;
    (!is_picture_frame(text)).then(|| text.to_owned())
}

/// The host writes `<image name=…>` and `</image>` around an image.
fn is_picture_frame(text: &str) -> bool {
    let text = text.trim();
    text == "</image>"
        || (text.starts_with("<image") && text.ends_with('>') && !text.contains('\n') && text.len() < 300)
}

/// Splits a message with the role `user` into pieces.
pub fn of_user(parts: &[String]) -> Vec<EventPiece> {
    let mut pieces: Vec<EventPiece> = Vec::new();
    for piece in parts.iter().flat_map(|part| classify(part)) {
        match pieces.last_mut() {
            Some(last) if last.is_prompt() && piece.is_prompt() => {
                last.text.push('\n');
                last.text.push_str(&piece.text);
            }
            _ => pieces.push(piece),
        }
    }
    pieces
}

fn classify(text: &str) -> Vec<EventPiece> {
    let start = text.trim();
    if start.is_empty() {
        return Vec::new();
    }
    if start.starts_with("<user_shell_command>") {
        return shell_command(start);
    }
    if start.starts_with("<subagent_notification>") {
        return vec![notification(start)];
    }
    if SUMMARY_STARTS.iter().any(|begin| start.starts_with(begin)) {
        return vec![summary(text.to_owned())];
    }
    if is_injected(start) {
        return vec![injected(text.to_owned())];
    }
    if let Some((context, request)) = editor_request(start) {
        let prompt = (!request.is_empty()).then(|| prompt(request));
        return std::iter::once(injected(context.to_owned())).chain(prompt).collect();
    }
    vec![prompt(text)]
}

fn prompt(text: &str) -> EventPiece {
    EventPiece::new(EventKind::User, Class::Prompt, text)
}

fn is_injected(start: &str) -> bool {
    INJECTED_STARTS.iter().any(|begin| start.starts_with(begin))
        || INJECTED_TAGS.iter().any(|name| {
            let rest = start.strip_prefix('<').and_then(|rest| rest.strip_prefix(name));
            rest.is_some_and(|rest| rest.starts_with(['>', ' ', '\n'])) && start.contains(&format!("</{name}>"))
        })
}

fn editor_request(start: &str) -> Option<(&str, &str)> {
    let context = start.starts_with(EDITOR_CONTEXT).then_some(start)?;
    let at = context.rfind(REQUEST)?;
    Some((context[..at].trim_end(), context[at + REQUEST.len()..].trim()))
}

/// A command the person ran inside the session, and what it printed.
fn shell_command(text: &str) -> Vec<EventPiece> {
    let mut pieces = Vec::new();
    if let Some(command) = tag(text, "command").map(str::trim).filter(|command| !command.is_empty()) {
        pieces.push(EventPiece::new(EventKind::User, Class::LocalCommand, format!("! {command}")));
    }
    if let Some(result) = tag(text, "result") {
        let output = outputs::of_text(result.trim());
        let mut piece = EventPiece::new(EventKind::System, Class::LocalCommand, output.text);
        (piece.meta.exit, piece.meta.exit_code) = (output.exit, output.code);
        pieces.push(piece);
    }
    pieces
}

fn notification(text: &str) -> EventPiece {
    let body = tag(text, "subagent_notification").unwrap_or("");
    let body: Option<Value> = inner_json(body.trim());
    let agent = body.as_ref().and_then(|body| body.get("agent_id").or_else(|| body.get("agent_path")));
    let mut piece = EventPiece::new(EventKind::System, Class::Notification, text);
    piece.meta.spawned = agent.and_then(Value::as_str).map(str::to_owned);
    piece
}

/// What the agent says; newer versions write teammates' messages in its name.
pub fn of_assistant(text: String) -> EventPiece {
    teammate_message(&text).unwrap_or(EventPiece { kind: EventKind::Assistant, text, meta: Meta::default() })
}

fn teammate_message(text: &str) -> Option<EventPiece> {
    if let Some(header) = text.strip_prefix("Message Type: ") {
        let (header, body) = header.split_once("\nPayload:\n")?;
        let field = |name: &str| header.lines().find_map(|line| line.strip_prefix(name)).map(|it| it.trim().to_owned());
        return Some(from_teammate(body.to_owned(), Some(field("Sender:")?), field("Task name:")));
    }
    let message: Value = text.starts_with('{').then(|| inner_json(text))??;
    let field = |name: &str| message.get(name).and_then(Value::as_str).map(str::to_owned);
    Some(from_teammate(field("content")?, Some(field("author")?), Some(field("recipient")?)))
}

pub fn from_teammate(text: String, from: Option<String>, to: Option<String>) -> EventPiece {
    let mut piece = EventPiece::new(EventKind::User, Class::Teammate, text);
    (piece.meta.from, piece.meta.to) = (from, to);
    piece
}

pub fn injected(text: String) -> EventPiece {
    EventPiece::new(EventKind::System, Class::Injected, text)
}

pub fn compacted() -> EventPiece {
    EventPiece::new(EventKind::System, Class::CompactionBoundary, COMPACTED)
}

pub fn summary(text: String) -> EventPiece {
    EventPiece::new(EventKind::System, Class::CompactionSummary, text)
}

/// A turn also ends early when another one replaces it; only a stop by the person counts as an interruption.
pub fn interruption(reason: Option<&str>) -> EventPiece {
    let text = match reason {
        None | Some("interrupted") => "the person stopped the turn".to_owned(),
        Some(reason) => format!("the turn was stopped ({})", reason.replace('_', " ")),
    };
    EventPiece::new(EventKind::System, Class::Interruption, text)
}

/// The working folder that the host named to the model.
pub fn folder_in(piece: &EventPiece) -> Option<String> {
    if piece.meta.class != Some(Class::Injected) || !piece.text.contains("<environment_context>") {
        return None;
    }
    let old_form = || piece.text.lines().find_map(|line| line.trim().strip_prefix("Current working directory: "));
    let folder = tag(&piece.text, "cwd").or_else(old_form)?.trim();
    (!folder.is_empty()).then(|| folder.to_owned())
}

fn tag<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let open = format!("<{name}>");
    let from = text.find(&open)? + open.len();
    let length = text[from..].rfind(&format!("</{name}>")).unwrap_or(text.len() - from);
    Some(&text[from..from + length])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(parts: &[&str], expected: &[(EventKind, Class, &str)]) {
        let parts: Vec<String> = parts.iter().map(|part| (*part).to_owned()).collect();
        let pieces = of_user(&parts);
        let got: Vec<_> =
            pieces.iter().map(|piece| (piece.kind, piece.meta.class.expect("a class"), piece.text.as_str())).collect();
        assert_eq!(got, expected);
    }

    #[test]
    fn tells_the_person_from_the_host() {
        use Class::{CompactionSummary, Injected, LocalCommand, Prompt};
        use EventKind::{System, User};
        check(&["why is the kettle cold?"], &[(User, Prompt, "why is the kettle cold?")]);
        check(&["look at", "[image]"], &[(User, Prompt, "look at\n[image]")]);
        check(&["<div> is not centred"], &[(User, Prompt, "<div> is not centred")]);
        check(&["<skill> tags: how do they work?"], &[(User, Prompt, "<skill> tags: how do they work?")]);
        for text in [
            "<environment_context>\n  <cwd>/w</cwd>\n</environment_context>",
            "<permissions instructions>be careful</permissions instructions>",
            "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nbe brief\n</INSTRUCTIONS>",
            "<turn_aborted>\nstopped\n</turn_aborted>",
            "<skill>\n<name>tea</name>\n</skill>",
            "<external_clock>noon</external_clock>",
        ] {
            check(&[text], &[(System, Injected, text)]);
        }
        let summary =
            "Another language model started to solve this problem and produced a summary of its thinking process. Tea.";
        check(&[summary], &[(System, CompactionSummary, summary)]);
        check(
            &[
                "<user_shell_command>\n<command>\nls\n</command>\n<result>\nExit code: 2\nDuration: 0.1 seconds\nOutput:\nno cups\n</result>\n</user_shell_command>",
            ],
            &[(User, LocalCommand, "! ls"), (System, LocalCommand, "no cups")],
        );
        check(&["  "], &[]);
    }

    #[test]
    fn what_the_editor_adds_is_not_the_persons() {
        check(
            &["# Context from my IDE setup:\n\n## Active file: tea.rs\n\n## My request for Codex:\nboil it\n"],
            &[
                (EventKind::System, Class::Injected, "# Context from my IDE setup:\n\n## Active file: tea.rs"),
                (EventKind::User, Class::Prompt, "boil it"),
            ],
        );
    }

    #[test]
    fn teammates_speak_in_the_agents_name() {
        let piece = of_assistant(
            "Message Type: MESSAGE\nTask name: /root\nSender: /root/ana\nPayload:\nthe tea is done".to_owned(),
        );
        assert_eq!((piece.kind, piece.text.as_str()), (EventKind::User, "the tea is done"));
        assert_eq!((piece.meta.from.as_deref(), piece.meta.class), (Some("/root/ana"), Some(Class::Teammate)));
        assert_eq!(of_assistant("{\"a\":1}".to_owned()).kind, EventKind::Assistant);
    }

    #[test]
    fn pictures_become_markers() {
        let content = serde_json::json!([
            {"type": "input_text", "text": "<image name=[Image #1]>"},
            {"type": "input_image", "image_url": "data:image/png;base64,AAAA"},
            {"type": "input_text", "text": "</image>"},
            {"type": "input_text", "text": "what is this?"},
        ]);
        assert_eq!(parts(Some(&content)), ["[image]", "what is this?"]);
    }

    #[test]
    fn old_files_tell_the_folder_in_words() {
        let old = injected(
            "<environment_context>\nCurrent working directory: /w/tea\nShell: zsh\n</environment_context>".to_owned(),
        );
        assert_eq!(folder_in(&old).as_deref(), Some("/w/tea"));
        assert_eq!(folder_in(&prompt("<cwd>/x</cwd>")), None);
    }
}
