//! Converts a list of arguments to a line, and finds the script in it.

/// As a person would type it: `bash -lc X` becomes X.
pub fn line_of(words: &[&str]) -> String {
    if let Some(script) = only_script(words) {
        return script;
    }
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// The script of a shell without other arguments.
fn only_script(words: &[&str]) -> Option<String> {
    let (program, arguments) = words.split_first()?;
    let program = base_name(program).to_ascii_lowercase();
    match program.strip_suffix(".exe").unwrap_or(&program) {
        "pwsh" | "powershell" => after_flag(arguments, &["-command", "-c"]),
        "cmd" => after_flag(arguments, &["/c", "/k"]),
        _ => match arguments {
            [_, _] => script_argument(words).map(|at| words[at].to_owned()),
            _ => None,
        },
    }
}

fn after_flag(arguments: &[&str], flags: &[&str]) -> Option<String> {
    let at = arguments.iter().position(|word| flags.contains(&word.to_ascii_lowercase().as_str()))?;
    let script = arguments.get(at + 1..)?;
    (!script.is_empty()).then(|| script.join(" "))
}

/// The index of the word that a shell runs as a script (`bash -lc SCRIPT`).
pub fn script_argument(words: &[&str]) -> Option<usize> {
    let program = base_name(words.first()?).to_ascii_lowercase();
    if !is_shell(program.strip_suffix(".exe").unwrap_or(&program)) {
        return None;
    }
    let mut takes_script = false;
    let mut at = 1;
    while let Some(word) = words.get(at) {
        let is_option = word.len() > 1 && word.starts_with(['-', '+']);
        if !is_option || *word == "--" {
            break;
        }
        let is_short = !word.starts_with("--");
        takes_script |= is_short && word.starts_with('-') && word.contains('c');
        let has_value = is_short && word.ends_with(['o', 'O']) || matches!(*word, "--rcfile" | "--init-file");
        at += if has_value { 2 } else { 1 };
    }
    at += usize::from(words.get(at) == Some(&"--"));
    (takes_script && at < words.len()).then_some(at)
}

pub(super) fn is_shell(program: &str) -> bool {
    const SHELLS: [&str; 11] = ["sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "mksh", "rbash", "yash", "busybox"];
    SHELLS.contains(&program)
}

/// The name of a program without its folder.
pub fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

fn quoted(word: &str) -> String {
    let plain = |character: char| character.is_alphanumeric() || "_-./:=@%+,~^".contains(character);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
