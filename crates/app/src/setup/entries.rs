//! The entries in a host's settings: the program and the hooks.

use std::path::{Path, PathBuf};

use crate::environment;

use super::splice::Json;

/// The name of the server, and the key of its entry.
pub const NAME: &str = "backstory";

/// The requested entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    pub mcp: bool,
    pub hooks: bool,
}

/// The program named by the entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program(pub String);

impl Program {
    /// The path of this binary. A link to it is kept, because it stays valid across updates.
    pub fn running() -> std::io::Result<Self> {
        let exact = std::env::current_exe()?;
        let named = PathBuf::from(std::env::args_os().next().unwrap_or_default());
        let same =
            |path: &Path| path.canonicalize().is_ok_and(|path| exact.canonicalize().is_ok_and(|exact| exact == path));
        let kept = named.is_absolute() && is_backstory(&named.to_string_lossy()) && same(&named);
        let path = if kept { named } else { on_path().filter(|path| same(path)).unwrap_or(exact) };
        Ok(Program(path.to_string_lossy().into_owned()))
    }

    /// By name only, for shared files: a path on one machine is wrong on others.
    pub fn by_name() -> Self {
        Program(NAME.to_owned())
    }

    pub fn is_in_build_folder(&self) -> bool {
        let folders: Vec<&str> = self.0.split(['/', '\\']).collect();
        folders.windows(2).any(|pair| matches!(pair, ["target", "debug" | "release" | "bench-quick"]))
    }

    /// As the first word of a shell command.
    pub fn in_shell(&self) -> String {
        let plain =
            |c: char| c.is_ascii_alphanumeric() || "/._-+@%:,".contains(c) || (!c.is_ascii() && !c.is_whitespace());
        if self.0.chars().all(plain) {
            return self.0.clone();
        }
        let mut out = String::from("\"");
        for c in self.0.chars() {
            if matches!(c, '"' | '$' | '`') || (c == '\\' && !cfg!(windows)) {
                out.push('\\');
            }
            out.push(c);
        }
        out + "\""
    }
}

/// The first `backstory` on the search path.
pub fn on_path() -> Option<PathBuf> {
    let name = format!("{NAME}{}", std::env::consts::EXE_SUFFIX);
    environment::search_path().into_iter().map(|folder| folder.join(&name)).find(|path| path.is_file())
}

/// An event for which hosts call a hook.
pub struct HookEvent {
    /// The host's name of it.
    pub name: &'static str,
    /// The argument of `backstory hook`.
    pub argument: &'static str,
    /// The tools to match; None: all.
    pub matcher: Option<&'static str>,
    /// The timeout in seconds: a hanging hook must not stall a session.
    pub timeout: u64,
    /// The same for Codex, which allows less at the end of a session. None: Codex has no such event.
    pub codex_timeout: Option<u64>,
}

const fn event(name: &'static str, argument: &'static str, timeout: u64) -> HookEvent {
    HookEvent { name, argument, matcher: None, timeout, codex_timeout: Some(timeout) }
}

const TOOLS: Option<&str> = Some("Bash|Edit|MultiEdit|Write|NotebookEdit");

pub const EVENTS: [HookEvent; 8] = [
    event("SessionStart", "session-start", 10),
    event("UserPromptSubmit", "user-prompt-submit", 5),
    HookEvent { matcher: TOOLS, ..event("PreToolUse", "pre-tool-use", 5) },
    HookEvent { matcher: TOOLS, ..event("PostToolUse", "post-tool-use", 5) },
    // Claude Code has a separate event for failed calls; Codex has one for all.
    HookEvent { matcher: TOOLS, codex_timeout: None, ..event("PostToolUseFailure", "post-tool-use", 5) },
    event("PreCompact", "pre-compact", 20),
    HookEvent { codex_timeout: Some(3), ..event("SessionEnd", "session-end", 20) },
    event("SubagentStop", "subagent-stop", 20),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    Claude,
    Codex,
}

/// The events that a host knows.
pub fn events(flavour: Flavour) -> impl Iterator<Item = &'static HookEvent> {
    EVENTS.iter().filter(move |event| flavour == Flavour::Claude || event.codex_timeout.is_some())
}

impl HookEvent {
    pub fn command(&self, program: &Program, flavour: Flavour) -> String {
        let host = match flavour {
            Flavour::Claude => "",
            Flavour::Codex => " --host codex",
        };
        format!("{} hook {}{host}", program.in_shell(), self.argument)
    }

    /// A group with one hook, as in the list of its event.
    pub fn group(&self, program: &Program, flavour: Flavour) -> Json {
        let (timeout, matcher) = match flavour {
            Flavour::Claude => (self.timeout, self.matcher),
            // Codex edits by patches.
            Flavour::Codex => {
                (self.codex_timeout.unwrap_or(self.timeout), self.matcher.map(|_| "Bash|apply_patch|Edit|Write"))
            }
        };
        let hook = object([
            ("type", Json::Text("command".to_owned())),
            ("command", Json::Text(self.command(program, flavour))),
            ("timeout", Json::Number(timeout)),
        ]);
        let hooks = ("hooks", Json::List(vec![hook]));
        match matcher {
            Some(matcher) => object([("matcher", Json::Text(matcher.to_owned())), hooks]),
            None => object([hooks]),
        }
    }
}

/// The server's entry in a JSON file.
pub fn server(program: &Program) -> Json {
    object([
        ("type", Json::Text("stdio".to_owned())),
        ("command", Json::Text(program.0.clone())),
        ("args", Json::List(vec![Json::Text("mcp".to_owned())])),
    ])
}

fn object<const N: usize>(fields: [(&str, Json); N]) -> Json {
    Json::Object(fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// The program and the event of a hook's command, if it is ours.
pub fn own_hook(command: &str) -> Option<(String, String)> {
    let mut words = words(command).into_iter();
    let (program, verb, event) = (words.next()?, words.next()?, words.next()?);
    (is_backstory(&program) && verb == "hook").then_some((program, event))
}

/// Is that our binary, at any path?
pub fn is_backstory(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    name.strip_suffix(".exe").unwrap_or(name) == NAME
}

/// The words of a shell command; handles only quotes.
pub fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote, mut begun) = (Vec::new(), String::new(), None, false);
    let mut chars = command.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', Some('"')) if chars.peek().is_some_and(|c| "\"$`\\".contains(*c)) => word.extend(chars.next()),
            ('\\', None) if !cfg!(windows) => word.extend(chars.next()),
            ('"' | '\'', None) => (quote, begun) = (Some(c), true),
            (c, Some(open)) if c == open => quote = None,
            (c, None) if c.is_whitespace() => {
                if begun || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                begun = false;
            }
            (c, _) => word.push(c),
        }
    }
    if begun || !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_recognised_however_they_are_quoted() {
        for path in ["/usr/bin/backstory", "/home/a b/backstory", "/x/it's \"$HOME\"/backstory", "/ü/backstory"] {
            let command = EVENTS[0].command(&Program(path.to_owned()), Flavour::Codex);
            assert_eq!(own_hook(&command), Some((path.to_owned(), "session-start".to_owned())), "{command}");
        }
        assert!(own_hook("'/opt/my tools/backstory' hook pre-compact").is_some());
        for other in ["backstory-of-mine hook session-start", "echo backstory hook x", "backstory ingest now", ""] {
            assert_eq!(own_hook(other), None, "{other}");
        }
    }
}
