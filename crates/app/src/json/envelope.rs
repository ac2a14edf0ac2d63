//! The common envelope of JSON answers.

use serde_json::{Value, json};

use crate::error::AppError;
use crate::terminal;

/// Prints an answer: version and verb first, then its fields.
pub fn print(verb: &str, answer: Value) -> Result<(), AppError> {
    Ok(terminal::print_json(&answer_text(verb, answer))?)
}

fn answer_text(verb: &str, answer: Value) -> String {
    let head = format!("{{\"backstory\":{},\"verb\":{}", json!(env!("CARGO_PKG_VERSION")), json!(verb));
    match answer.to_string().strip_prefix('{') {
        Some("}") => format!("{head}}}"),
        Some(fields) => format!("{head},{fields}"),
        None => format!("{head},\"answer\":{answer}}}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backstory_language::prompts::own_spans;

    #[test]
    fn answers_are_recognised_as_our_own() {
        let text = answer_text("sessions", json!({"items": []}));
        assert!(serde_json::from_str::<Value>(&text).is_ok());
        assert_eq!(own_spans(&text), vec![0..text.len()]);
        assert!(serde_json::from_str::<Value>(&answer_text("x", json!({}))).is_ok());
    }
}
