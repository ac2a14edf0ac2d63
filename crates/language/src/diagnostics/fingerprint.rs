//! When are two diagnostics the same? If only places, numbers and names differ.

use crate::digest::{Digest, digest_of};

use super::DiagnosticKind;

pub fn of_text(sort: DiagnosticKind, rule: Option<&str>, text: &str) -> Digest {
    digest_of("complaint", &[rule.unwrap_or_default().as_bytes(), normal(sort, text).as_bytes()])
}

/// Equal for all diagnostics of a rule.
pub fn of_rule(rule: &str) -> Digest {
    digest_of("rule", &[rule.as_bytes()])
}

/// A line of code, ignoring indentation.
pub fn of_code(line: &str) -> u32 {
    let [a, b, c, d, ..] = digest_of("code", &[line.trim().as_bytes()]).0;
    u32::from_le_bytes([a, b, c, d])
}

/// Names in a linter's message are examples, so they are dropped. Elsewhere the name is the subject.
pub fn normal(sort: DiagnosticKind, text: &str) -> String {
    let mut out: Vec<String> = Vec::new();
    for word in words(text, sort == DiagnosticKind::Lint) {
        let word = normal_word(sort, &word);
        // `3 times`, `12 12 times`: the count of numbers is irrelevant.
        let repeats = is_place(&word) && out.last() == Some(&word);
        if !word.is_empty() && !repeats {
            out.push(word);
        }
    }
    out.join(" ")
}

fn is_place(word: &str) -> bool {
    matches!(word, "#" | "~" | "/")
}

/// Words, where quoted text is one word.
fn words(text: &str, with_quotes: bool) -> Vec<String> {
    let mut out = Vec::new();
    let mut word = String::new();
    let mut quote: Option<char> = None;
    for c in text.chars() {
        match quote {
            Some(open) if c == open => {
                quote = None;
                word.clear();
                out.push("~".to_owned());
            }
            Some(_) => word.push(c),
            None if with_quotes && word.is_empty() && matches!(c, '\'' | '"' | '`') => quote = Some(c),
            None if c.is_whitespace() || matches!(c, ',' | ';') => {
                if !word.is_empty() {
                    out.push(std::mem::take(&mut word));
                }
            }
            None => word.push(c),
        }
    }
    if !word.is_empty() {
        out.push(word);
    }
    out
}

fn normal_word(sort: DiagnosticKind, word: &str) -> String {
    let bare = word.trim_matches(|c: char| matches!(c, '(' | ')' | '[' | ']' | ':' | '.' | '"' | '\'' | '`'));
    if bare.is_empty() {
        return String::new();
    }
    if bare.contains('/') && bare.len() > 2 {
        // The missing file is the subject.
        let base = bare.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        return if sort == DiagnosticKind::Lint { "/".to_owned() } else { without_numbers(base) };
    }
    if is_number_like(bare) {
        return "#".to_owned();
    }
    if sort == DiagnosticKind::Lint && is_name_of_code(bare) {
        return "~".to_owned();
    }
    without_numbers(bare)
}

/// Numbers, hashes, times, sizes.
fn is_number_like(word: &str) -> bool {
    let digits = word.chars().filter(char::is_ascii_digit).count();
    let hex = word.len() >= 7 && word.chars().all(|c| c.is_ascii_hexdigit() || c == '-') && digits > 0;
    hex || digits > 0
        && word.chars().next().is_some_and(|c| c.is_ascii_digit() || matches!(c, '-' | '+'))
        && digits * 2 >= word.len()
}

/// Does it look like a name in code rather than a word?
fn is_name_of_code(word: &str) -> bool {
    let mut before = ' ';
    for c in word.chars() {
        if matches!(c, '_' | '(' | '*' | '<' | '{' | '=') || c.is_uppercase() && before.is_lowercase() {
            return true;
        }
        if before == '.' && c.is_alphanumeric() {
            return true;
        }
        before = c;
    }
    false
}

fn without_numbers(word: &str) -> String {
    let mut out = String::new();
    for c in word.chars() {
        if !c.is_ascii_digit() {
            out.extend(c.to_lowercase());
        } else if !out.ends_with('#') {
            out.push('#');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_numbers_and_names_do_not_count() {
        let a = normal(DiagnosticKind::Lint, "string `user` has 5 occurrences, make it a constant");
        let b = normal(DiagnosticKind::Lint, "string `open door` has 12 occurrences, make it a constant");
        assert_eq!(a, "string ~ has # occurrences make it a constant");
        assert_eq!(a, b);
        assert_eq!(
            normal(DiagnosticKind::Lint, "listAll - result 1 (error) is always nil"),
            "~ - result # error is always nil"
        );
    }

    #[test]
    fn a_tool_s_error_is_about_what_it_names() {
        assert_ne!(
            normal(DiagnosticKind::Tool, "no module named 'a'"),
            normal(DiagnosticKind::Tool, "no module named 'b'")
        );
        assert_eq!(
            normal(DiagnosticKind::Tool, "open /tmp/x81/app.toml: no such file"),
            normal(DiagnosticKind::Tool, "open /home/me/app.toml: no such file")
        );
    }
}
