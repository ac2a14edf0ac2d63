//! Names of roles in a conversation with a model, as opposed to people.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpeakerRole {
    User,
    Assistant,
    System,
    Tool,
    ToolCall,
}

pub fn role_of(label: &str) -> Option<SpeakerRole> {
    match label.trim().to_ascii_lowercase().as_str() {
        "user" | "human" | "prompter" => Some(SpeakerRole::User),
        "assistant" | "ai" | "bot" | "gpt" | "model" | "chatgpt" | "chatbot" => Some(SpeakerRole::Assistant),
        "system" | "developer" => Some(SpeakerRole::System),
        "tool" | "function" | "observation" | "function_response" | "tool_response" => Some(SpeakerRole::Tool),
        "function_call" | "tool_call" => Some(SpeakerRole::ToolCall),
        _ => None,
    }
}
