//! Why records are left out.

use super::super::reading::RecordFate;

pub const REPEATED: RecordFate = RecordFate::Dropped("repeats a response item");
pub const COPIED: RecordFate = RecordFate::Dropped("copied from the session this one was forked from");
pub const HOST_STATE: RecordFate = RecordFate::Dropped("the host's own state");
pub const EMPTY: RecordFate = RecordFate::Dropped("nothing in it");
pub const UNKNOWN: RecordFate = RecordFate::Dropped("unknown record type");

/// Events that show again what a response item says, by how their type begins.
const REPEATS: [&str; 14] = [
    "agent_reasoning", "item_", "exec_command_", "exec_approval", "apply_patch_approval", "patch_apply_",
    "mcp_tool_call_", "web_search_", "image_generation_", "view_image_tool_call", "dynamic_tool_call_", "collab_",
    "raw_response_", "exited_review_mode",
];
/// Events that record only the state of the host.
const STATE: [&str; 28] = [
    "token_count", "thread_", "turn_diff", "turn_moderation", "plan_", "session_configured", "entered_review_mode",
    "sub_agent_activity", "warning", "guardian_", "deprecation_notice", "background_event", "model_", "mcp_startup_",
    "mcp_list_tools", "hook_", "agent_message_", "reasoning_", "terminal_interaction", "environment_", "realtime_",
    "request_", "elicitation_", "safety_", "shutdown_complete", "undo_", "list_", "skills_",
];

/// The fate of screen and host events that add nothing.
pub fn of_event(kind: &str) -> RecordFate {
    let is_one_of = |names: &[&str]| names.iter().any(|name| kind.starts_with(name));
    if is_one_of(&REPEATS) {
        REPEATED
    } else if is_one_of(&STATE) {
        HOST_STATE
    } else {
        UNKNOWN
    }
}
