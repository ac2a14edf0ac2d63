//! Which simple commands does a command line have?

/// Run what stands behind `-c`.
const SHELLS: [&str; 4] = ["sh", "bash", "zsh", "dash"];

/// The words of each simple command. What is quoted is one word; comments and
/// documents that are fed to a command (`<<EOF`) are none.
pub fn simple_commands(line: &str) -> Vec<Vec<&str>> {
    let mut commands: Vec<Vec<&str>> = vec![Vec::new()];
    let mut inner = Vec::new();
    let mut document = None;
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if goes_on(bytes, at) {
            at += 2;
            continue;
        }
        match bytes[at] {
            b'#' => at = line[at..].find('\n').map_or(line.len(), |end| at + end),
            b'\n' => {
                commands.push(Vec::new());
                at = after_document(line, at + 1, document.take());
            }
            byte if byte.is_ascii_whitespace() => at += 1,
            byte if parts_commands(byte) => {
                commands.push(Vec::new());
                at += 1;
            }
            _ => {
                let end = end_of_word(bytes, at);
                let word = &line[at..end];
                at = end;
                document = opens_document(word).or(document);
                let Some(command) = commands.last_mut() else { continue };
                if document == Some("") && !word.ends_with("<<") {
                    document = Some(word);
                }
                let word = word.trim_matches(['"', '\'']);
                if is_script(command) {
                    inner.extend(simple_commands(word));
                }
                command.push(word);
            }
        }
    }
    commands.append(&mut inner);
    commands.retain(|command| !command.is_empty());
    commands
}

fn parts_commands(byte: u8) -> bool {
    matches!(byte, b';' | b'|' | b'&' | b'(' | b')' | b'`')
}

/// A backslash at the end of a line.
fn goes_on(bytes: &[u8], at: usize) -> bool {
    bytes[at..].starts_with(b"\\\n")
}

fn end_of_word(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while at < bytes.len() && !goes_on(bytes, at) {
        at = match bytes[at] {
            b'\\' => at + 2,
            quote @ (b'"' | b'\'') => end_of_quote(bytes, at + 1, quote),
            // As in `2>&1`.
            b'&' if at > start && bytes[at - 1] == b'>' => at + 1,
            byte if byte.is_ascii_whitespace() || parts_commands(byte) => break,
            _ => at + 1,
        };
    }
    at.min(bytes.len())
}

/// One that is never closed is an apostrophe.
fn end_of_quote(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start;
    while at < bytes.len() {
        match bytes[at] {
            byte if byte == quote => return at + 1,
            b'\\' if quote == b'"' => at += 2,
            _ => at += 1,
        }
    }
    start
}

/// The word that ends the document; empty when it is the next word.
fn opens_document(word: &str) -> Option<&str> {
    let (before, end) = word.split_once("<<")?;
    let opens = !before.contains(['"', '\'']) && !end.starts_with('<');
    opens.then_some(end)
}

/// Where the line after the document begins.
fn after_document(line: &str, start: usize, end: Option<&str>) -> usize {
    let end = end.unwrap_or_default().trim_matches(['-', '\\', '"', '\'']);
    let mut at = start;
    for text in line[start..].split_inclusive('\n').filter(|_| !end.is_empty()) {
        at += text.len();
        if text.trim() == end {
            return at;
        }
    }
    start
}

/// Do these words (`bash -lc`) run the next one?
fn is_script(words: &[&str]) -> bool {
    let is_flag = |word: &&str| word.starts_with('-') && !word.starts_with("--") && word.ends_with('c');
    let is_shell = |word: &&str| word.rsplit('/').next().is_some_and(|name| SHELLS.contains(&name));
    words.last().is_some_and(is_flag) && words.iter().any(is_shell)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str) -> Vec<String> {
        simple_commands(line).iter().map(|words| words.join(" ")).collect()
    }

    #[test]
    fn a_line_is_cut_where_one_command_ends() {
        assert_eq!(shown("cd a && make -j4 || true; ls | wc -l"), ["cd a", "make -j4", "true", "ls", "wc -l"]);
        assert_eq!(shown("make \\\n  test 2>&1 | tail\n(cd b; ls) &"), ["make test 2>&1", "tail", "cd b", "ls"]);
        assert_eq!(shown("cd $(git root) && ls"), ["cd $", "git root", "ls"]);
        assert_eq!(shown(""), [""; 0]);
    }

    #[test]
    fn what_is_quoted_is_one_word() {
        assert_eq!(simple_commands("git commit -m 'a; b' -s"), [["git", "commit", "-m", "a; b", "-s"]]);
        assert_eq!(simple_commands(r#"say "a \" && b" c"#), [["say", r#"a \" && b"#, "c"]]);
        assert_eq!(shown("# don't\nls é\\ é 'x"), ["ls é\\ é x"], "neither a comment nor an apostrophe quotes");
        assert_eq!(shown("bash -lc 'cd a && make'"), ["bash -lc cd a && make", "cd a", "make"]);
    }

    #[test]
    fn a_document_is_no_command() {
        assert_eq!(shown("cat > a <<'EOF' && ls\nmake test\nEOF\nwc a"), ["cat > a <<'EOF", "ls", "wc a"]);
        assert_eq!(shown("cat << EOF\nmake test\n  EOF\nwc a"), ["cat << EOF", "wc a"]);
        assert_eq!(shown("cat <<EOF\nmake"), ["cat <<EOF", "make"], "one that never ends is none");
        assert_eq!(shown("wc <<< a\nmake"), ["wc <<< a", "make"]);
    }

    proptest::proptest! {
        #[test]
        fn survives_any_text(line in "[-acsh \\\\\"'#<&>|;()`\né]{0,40}") {
            simple_commands(&line);
        }
    }
}
