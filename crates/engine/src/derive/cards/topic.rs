//! What is the topic of a statement?

use backstory_language::text::{Tokenizer, is_stop_word};

/// The fallback if nothing better is known: its first word that looks like code, or its first content words.
pub fn topic_of(statement: &str) -> String {
    const MINDS: [&str; 14] = [
        "always", "never", "must", "should", "use", "prefer", "don", "dont", "avoid", "please", "make", "sure",
        "remember", "only",
    ];
    let code = statement.split('`').nth(1).filter(|code| !code.trim().is_empty());
    if let Some(code) = code {
        return code.split_whitespace().take(2).collect::<Vec<_>>().join(" ").to_lowercase();
    }
    let terms = Tokenizer::new().strings(statement);
    let meaningful = terms.into_iter().filter(|term| !is_stop_word(term) && !MINDS.contains(&term.as_str()));
    meaningful.take(2).collect::<Vec<_>>().join(" ")
}
