//! The indexed words of a text: the same for every engine.

/// Longer runs are encoded data, not words.
const LONGEST: usize = 64;

/// Replace the body of this function to measure with another tokenizer.
pub fn tokens(text: &str, out: &mut Vec<String>) {
    for run in text.split(|c: char| !is_inside_identifier(c)) {
        let whole = run.trim_matches(|c: char| !c.is_alphanumeric());
        if whole.is_empty() {
            continue;
        }
        let before = out.len();
        split_identifier(whole, out);
        if out.len() - before > 1 && whole.len() <= LONGEST {
            out.push(whole.to_lowercase());
        }
    }
}

/// All tokens of a text, separated by spaces, for an engine that splits at spaces.
pub fn spaced_tokens(text: &str) -> String {
    let mut found = Vec::new();
    tokens(text, &mut found);
    found.join(" ")
}

/// The distinct tokens of a question, in order.
pub fn query_tokens(question: &str) -> Vec<String> {
    let mut found = Vec::new();
    tokens(question, &mut found);
    let mut seen = std::collections::HashSet::new();
    found.retain(|token| seen.insert(token.clone()));
    found
}

fn is_inside_identifier(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '-')
}

/// `claude.humanModified_v2` -> claude, human, modified, v2.
fn split_identifier(whole: &str, out: &mut Vec<String>) {
    for word in whole.split(|c: char| !c.is_alphanumeric()) {
        let mut start = 0;
        let mut before: Option<char> = None;
        for (at, c) in word.char_indices() {
            if c.is_uppercase() && before.is_some_and(char::is_lowercase) {
                push(&word[start..at], out);
                start = at;
            }
            before = Some(c);
        }
        push(&word[start..], out);
    }
}

fn push(word: &str, out: &mut Vec<String>) {
    if !word.is_empty() && word.len() <= LONGEST {
        out.push(word.to_lowercase());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_split_and_kept_whole() {
        for (text, expected) in [
            ("Fix the tests.", "fix the tests"),
            ("humanModified", "human modified humanmodified"),
            ("cmd/entire/manual_commit.go", "cmd entire manual commit go manual_commit.go"),
            ("run --no-verify (E0599)", "run no verify no-verify e0599"),
            ("... -- __", ""),
        ] {
            assert_eq!(spaced_tokens(text), expected, "{text}");
        }
    }
}
