//! Can an argument that is known only at run time be this word?

/// An argument with variables as a pattern: `feat/$X` is `feat/*`.
pub(super) fn of_open(text: &str) -> String {
    // Lists and other computed values can be anything.
    if !text.contains('$') || text.contains(char::is_whitespace) {
        return "*".to_owned();
    }
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('$') {
        out.push_str(before);
        out.push('*');
        rest = match behind.strip_prefix('{') {
            // Braces may be nested; then the pattern is wider than necessary.
            Some(inner) => inner.rsplit_once('}').map_or("", |(_, rest)| rest),
            None => {
                let name = behind.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
                let is_special = name.len() == behind.len() && behind.starts_with(['@', '*', '#', '?', '!', '-', '$']);
                if is_special { &behind[1..] } else { name }
            }
        };
    }
    out.push_str(rest);
    out
}

/// Can the pattern match this word, or a reference with that name? In `a:b` and `a=b` the last part counts: the target
/// of a push, or a value.
pub(super) fn may_be(pattern: &str, word: &str) -> bool {
    let last = pattern.trim_start_matches('+').rsplit([':', '=']).next().unwrap_or_default();
    let tokens = tokens(last.trim_start_matches("./"));
    matches(&tokens, word) || matches(&tokens, &format!("refs/heads/{word}"))
}

/// A character set matches any character.
fn tokens(pattern: &str) -> Vec<char> {
    let mut out = Vec::new();
    let mut rest = pattern;
    while let Some(first) = rest.chars().next() {
        rest = &rest[first.len_utf8()..];
        match (first, rest.split_once(']')) {
            ('[', Some((_, behind))) => {
                out.push('?');
                rest = behind;
            }
            _ => out.extend(first.to_lowercase()),
        }
    }
    out
}

fn matches(tokens: &[char], word: &str) -> bool {
    let word: Vec<char> = word.chars().collect();
    let (mut at, mut token) = (0, 0);
    // The last `*`, and the end of what it matches.
    let mut many: Option<(usize, usize)> = None;
    while at < word.len() {
        match (tokens.get(token), many) {
            (Some('*'), _) => {
                many = Some((token, at));
                token += 1;
            }
            (Some(c), _) if *c == '?' || *c == word[at] => {
                at += 1;
                token += 1;
            }
            (_, Some((star, end))) => {
                many = Some((star, end + 1));
                token = star + 1;
                at = end + 1;
            }
            _ => return false,
        }
    }
    tokens[token..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_may_be_anything_behind_what_is_known() {
        for (text, expected) in [
            ("$X", "*"),
            ("${X:-a}", "*"),
            ("feat/$X", "feat/*"),
            ("v${A}.$B-rc", "v*.*-rc"),
            ("$@", "*"),
            ("feat:$T", "feat:*"),
            ("hours", "*"),
            ("a $X", "*"),
        ] {
            assert_eq!(of_open(text), expected, "{text}");
        }
    }

    #[test]
    fn a_pattern_is_held_against_a_word() {
        for pattern in
            ["*", "m?in", "m[a]in", "m*", "*n", "refs/heads/*", "refs/*:refs/*", "+a:ma*", "--env=m*", "./m*"]
        {
            assert!(may_be(pattern, "main"), "{pattern}");
        }
        for pattern in ["feat/*", "v*", "*:feat", "refs/tags/*", "ma?", "", "[", "m*x"] {
            assert!(!may_be(pattern, "main"), "{pattern}");
        }
    }
}
