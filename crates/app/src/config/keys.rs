//! The table of configuration keys, used by files, environment, flags and documentation.

use super::settings::ToolCheckMode;

pub struct Section {
    pub name: &'static str,
    pub about: &'static str,
    pub keys: &'static [Key],
}

pub struct Key {
    pub name: &'static str,
    pub about: &'static str,
    pub kind: ValueKind,
    /// As typed after `--config KEY=`; empty if there is none.
    pub default: &'static str,
    /// The value in the example if there is no default.
    pub sample: &'static str,
    pub project: InProject,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    Flag,
    Number {
        least: u64,
        most: u64,
    },
    Choice(&'static [&'static str]),
    Text,
    /// http or https, without a secret in it.
    Url,
    /// The name of an environment variable.
    Variable,
    /// Folders or files.
    Paths,
}

/// What may a `.backstory.toml` do with it? The file comes with a repository, so it is untrusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InProject {
    /// Switch it off or lower it.
    Less,
    /// Choose a later item of the list: a check that a clone could disable would protect nobody.
    Stricter,
    /// Nothing.
    Never,
}

impl InProject {
    pub fn describe(self) -> &'static str {
        match self {
            InProject::Less => "may switch it off or lower it",
            InProject::Stricter => "may make it stricter",
            InProject::Never => "may not set it",
        }
    }
}

use InProject::{Less, Never, Stricter};

pub const SECTIONS: &[Section] = &[
    Section {
        name: "embedding",
        about: "The model that makes the vectors for search by meaning",
        keys: &[
            key(
                "model",
                "static: the table that ships; folder: a sentence model on this machine; endpoint: an \
                 OpenAI-compatible service, texts are sent there",
                ValueKind::Choice(&["static", "folder", "endpoint"]),
                "static",
                Never,
            ),
            without_default(
                "path",
                "with model = \"folder\": where the model is",
                ValueKind::Text,
                "~/models/all-MiniLM-L6-v2",
                Never,
            ),
            without_default(
                "url",
                "with model = \"endpoint\": the address of the embeddings call",
                ValueKind::Url,
                "http://localhost:11434/v1/embeddings",
                Never,
            ),
            without_default(
                "name",
                "with model = \"endpoint\": what the service calls the model",
                ValueKind::Text,
                "nomic-embed-text",
                Never,
            ),
            without_default(
                "dim",
                "with model = \"endpoint\", optional: asks for vectors of this length",
                ValueKind::Number { least: 1, most: 65_535 },
                "768",
                Never,
            ),
            without_default(
                "api_key_env",
                "with model = \"endpoint\", optional: the environment variable with the key",
                ValueKind::Variable,
                "EMBEDDING_KEY",
                Never,
            ),
        ],
    },
    Section {
        name: "clusters",
        about: "How clusters are named when `backstory maintain` makes them",
        keys: &[
            key(
                "labels",
                "words: its distinctive words; llm: a chat model, words and excerpts are sent there",
                ValueKind::Choice(&["words", "llm"]),
                "words",
                Never,
            ),
            without_default(
                "url",
                "with labels = \"llm\": the address of the chat call",
                ValueKind::Url,
                "http://localhost:11434/v1/chat/completions",
                Never,
            ),
            without_default(
                "name",
                "with labels = \"llm\": what the service calls the model",
                ValueKind::Text,
                "llama3.2",
                Never,
            ),
            without_default(
                "api_key_env",
                "with labels = \"llm\", optional: the environment variable with the key",
                ValueKind::Variable,
                "LLM_KEY",
                Never,
            ),
        ],
    },
    Section {
        name: "why",
        about: "How answers to `backstory why \"QUESTION\"` are weighted",
        keys: &[
            key(
                "answers",
                "facts: what code, history and memory show; llm: a chat model, the question and excerpts of \
                 code and sessions are sent there, up to 20 times each",
                ValueKind::Choice(&["facts", "llm"]),
                "facts",
                Never,
            ),
            without_default(
                "url",
                "with answers = \"llm\": the address of the chat call",
                ValueKind::Url,
                "http://localhost:11434/v1/chat/completions",
                Never,
            ),
            without_default(
                "name",
                "with answers = \"llm\": what the service calls the model",
                ValueKind::Text,
                "llama3.2",
                Never,
            ),
            without_default(
                "api_key_env",
                "with answers = \"llm\", optional: the environment variable with the key",
                ValueKind::Variable,
                "LLM_KEY",
                Never,
            ),
        ],
    },
    Section {
        name: "search",
        about: "What search, recall, predict and explain show",
        keys: &[
            key(
                "budget",
                "at most about this many tokens of text",
                ValueKind::Number { least: 20, most: 1_000_000 },
                "2000",
                Less,
            ),
            key("thinking", "search and show the agents' thinking too", ValueKind::Flag, "false", Less),
        ],
    },
    Section {
        name: "pack",
        about: "What `pack` chooses for a task",
        keys: &[key(
            "budget",
            "at most this many tokens",
            ValueKind::Number { least: 1, most: 1_000_000 },
            "800",
            Less,
        )],
    },
    Section {
        name: "ingest",
        about: "What is read besides the agents' own folders",
        keys: &[without_default(
            "paths",
            "files and folders that `ingest` and `watch` read as well",
            ValueKind::Paths,
            "~/transcripts",
            Never,
        )],
    },
    Section {
        name: "hooks",
        about: "What the hooks in an agent's host do",
        keys: &[
            key(
                "session_start",
                "tell the agent at the start of a session where the last work stopped, what is in force and what is open",
                ValueKind::Flag,
                "true",
                Less,
            ),
            key(
                "session_start_budget",
                "at most this many tokens of it",
                ValueKind::Number { least: 50, most: 20_000 },
                "350",
                Less,
            ),
            key(
                "user_prompt",
                "add a line or two to a prompt if they are strongly relevant",
                ValueKind::Flag,
                "false",
                Less,
            ),
            key(
                "user_prompt_budget",
                "at most this many tokens of it",
                ValueKind::Number { least: 20, most: 20_000 },
                "150",
                Less,
            ),
            key(
                "pre_tool_use",
                "before a call that a card forbids: off, warn the agent, ask the person, or block it; earlier \
                 failures and unconfirmed rules are only shown",
                ValueKind::Choice(ToolCheckMode::NAMES),
                "warn",
                Stricter,
            ),
            key(
                "post_tool_use",
                "after a command, show what resolved the error that it printed",
                ValueKind::Flag,
                "true",
                Less,
            ),
            key(
                "ingest_seconds",
                "how long the hooks at a compaction or at the end may read and derive; 0 only reads",
                ValueKind::Number { least: 0, most: 600 },
                "5",
                Less,
            ),
        ],
    },
    Section {
        name: "mcp",
        about: "What `backstory mcp` and `backstory serve` answer",
        keys: &[key(
            "budget",
            "at most about this many tokens of an answer, if a call names no budget",
            ValueKind::Number { least: 50, most: 100_000 },
            "2000",
            Less,
        )],
    },
    Section {
        name: "serve",
        about: "Where `backstory serve` listens",
        keys: &[key("port", "the port on this machine", ValueKind::Number { least: 1, most: 65_535 }, "7171", Never)],
    },
];

const fn key(
    name: &'static str,
    about: &'static str,
    kind: ValueKind,
    default: &'static str,
    project: InProject,
) -> Key {
    Key { name, about, kind, default, sample: default, project }
}

const fn without_default(
    name: &'static str,
    about: &'static str,
    kind: ValueKind,
    sample: &'static str,
    project: InProject,
) -> Key {
    Key { name, about, kind, default: "", sample, project }
}

pub fn section(name: &str) -> Option<&'static Section> {
    SECTIONS.iter().find(|section| section.name == name)
}

/// All keys with their sections, in order.
pub fn all() -> impl Iterator<Item = (&'static Section, &'static Key)> {
    SECTIONS.iter().flat_map(|section| section.keys.iter().map(move |key| (section, key)))
}

pub fn find(section_name: &str, key_name: &str) -> Option<(&'static Section, &'static Key)> {
    let section = section(section_name)?;
    section.keys.iter().find(|key| key.name == key_name).map(|key| (section, key))
}

/// `hooks.session_start`
pub fn full_name(section: &Section, key: &Key) -> String {
    format!("{}.{}", section.name, key.name)
}

/// `BACKSTORY_HOOKS_SESSION_START`
pub fn variable(section: &Section, key: &Key) -> String {
    format!("BACKSTORY_{}_{}", section.name, key.name).to_ascii_uppercase()
}

/// The most similar name.
pub fn nearest<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    const LIKE_ENOUGH: f64 = 0.6;
    let likeness = |name: &str| strsim::normalized_damerau_levenshtein(typed, name);
    let scored = names.map(|name| (likeness(name), name)).filter(|(score, _)| *score >= LIKE_ENOUGH);
    scored.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
}

impl ValueKind {
    /// The allowed values, in words.
    pub fn allowed(&self) -> String {
        match self {
            ValueKind::Flag => "true or false".to_owned(),
            ValueKind::Number { least, most } => format!("a number from {least} to {most}"),
            ValueKind::Choice(of) => {
                let quoted: Vec<String> = of.iter().map(|name| format!("\"{name}\"")).collect();
                match quoted.split_last() {
                    Some((last, before)) if !before.is_empty() => format!("{} or {last}", before.join(", ")),
                    _ => quoted.join(""),
                }
            }
            ValueKind::Text => "a text".to_owned(),
            ValueKind::Url => "an address that begins with http:// or https://".to_owned(),
            ValueKind::Variable => "the name of an environment variable".to_owned(),
            ValueKind::Paths => "a list of files and folders".to_owned(),
        }
    }
}
