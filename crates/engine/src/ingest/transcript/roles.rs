//! Words that name a part in a conversation with a machine, not a person.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    User,
    Assistant,
    System,
    Tool,
    ToolCall,
}

pub fn role_of(label: &str) -> Option<Role> {
    match label.trim().to_ascii_lowercase().as_str() {
        "user" | "human" | "prompter" => Some(Role::User),
        "assistant" | "ai" | "bot" | "gpt" | "model" | "chatgpt" | "chatbot" => Some(Role::Assistant),
        "system" | "developer" => Some(Role::System),
        "tool" | "function" | "observation" | "function_response" | "tool_response" => Some(Role::Tool),
        "function_call" | "tool_call" => Some(Role::ToolCall),
        _ => None,
    }
}
