//! The trial runs of each command, and its permissions.

/// One run of a command. Arguments and input may contain `{user}`, `{project}` and `{out}` for folders, `{session}`,
/// `{card}`, `{event}`, `{loop}` and `{answer}` for ids.
pub struct Trial {
    pub command: &'static str,
    pub arguments: &'static [&'static str],
    pub input: &'static str,
    pub beyond: &'static [Beyond],
    pub end: End,
}

/// Actions that a command needs permission for. No trial may start a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// Open sockets.
    Sockets,
    /// Open a pair of sockets with itself, for its event loop.
    SocketPair,
    /// Create files in the temporary folder, and remove them.
    Temporary,
    /// Change the settings of agents, and back them up.
    Settings,
    /// Write to the paths in the arguments, which are in the folder `out`.
    Named,
}

impl Beyond {
    pub fn name(self) -> &'static str {
        match self {
            Beyond::Sockets => "sockets",
            Beyond::SocketPair => "socket pair with itself",
            Beyond::Temporary => "temporary files",
            Beyond::Settings => "agents' settings",
            Beyond::Named => "the file it is told",
        }
    }

    /// The paths that may change then; folders with their contents end with a slash. The time of a folder changes when
    /// an entry is added or removed.
    pub fn places(self) -> &'static [&'static str] {
        match self {
            Beyond::Sockets | Beyond::SocketPair => &[],
            Beyond::Temporary => &["tmp"],
            Beyond::Settings => &[
                "user/.claude.json", "user/.claude", "user/.claude/settings.json", "user/.codex",
                "user/.codex/config.toml", "user/.codex/hooks.json", "project", "project/.mcp.json",
            ],
            Beyond::Named => &["out", "out/"],
        }
    }
}

/// The expected end of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It exits with code 0.
    Well,
    /// It exits with one of these codes.
    Codes(&'static [i32]),
    /// It exits with code 0 after printing this.
    Printing(&'static str),
    /// It is killed after printing this.
    After(&'static str),
}

const fn trial(command: &'static str, arguments: &'static [&'static str]) -> Trial {
    Trial { command, arguments, input: "", beyond: &[], end: End::Well }
}

impl Trial {
    const fn may(self, beyond: &'static [Beyond]) -> Trial {
        Trial { beyond, ..self }
    }

    const fn reads(self, input: &'static str) -> Trial {
        Trial { input, ..self }
    }

    const fn ends(self, end: End) -> Trial {
        Trial { end, ..self }
    }
}

const QUESTION: &str = "why does the total of the cart become NaN";
// A service that does not answer; the search reports it and continues without it.
const MODEL: &str = "embedding.model=endpoint";
const URL: &str = "embedding.url=http://127.0.0.1:9/v1/embeddings";
const NAME: &str = "embedding.name=none";
const ERROR: &str = "src/cart.rs:3:5: error: unused variable `total`";
const PROMPT: &str = r#"{"session_id":"trial","cwd":"{project}","prompt":"the total is NaN again"}"#;
const CALL: &str = r#"{"session_id":"trial","cwd":"{project}","tool_name":"Bash","tool_input":{"command":"git push --force"},"tool_response":"error: failed to push some refs"}"#;
const TRANSCRIPT: &str =
    r#"{"session_id":"live","cwd":"{project}","transcript_path":"{user}/.claude/live/live.jsonl"}"#;
const SERVED_TRANSCRIPT: &str =
    r#"{"session_id":"served","cwd":"{project}","transcript_path":"{user}/.claude/live/served.jsonl"}"#;
const TALK: &str = "Mara: Who holds the lantern?\nIlse: I do.\n";
const MCP_CALLS: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"trial","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search","arguments":{"query":"the total is NaN","all_projects":true}}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"pack","arguments":{"task":"mend the total"}}}
"#;

/// In order of execution: the memory is created first, and deleted last.
pub const CONTRACT: &[Trial] = &[
    trial("ingest", &[]),
    trial("ingest", &["-"]).reads(TALK),
    trial("init", &["--yes"]).may(&[Beyond::Settings]),
    trial("watch", &["--once"]),
    trial("demo", &[]).may(&[Beyond::Temporary]),
    trial("maintain", &[]),
    trial("search", &[QUESTION, "--all-projects"]),
    trial("search", &[QUESTION, "--all-projects", "--config", MODEL, "--config", URL, "--config", NAME])
        .may(&[Beyond::Sockets]),
    trial("recall", &[QUESTION, "--all-projects"]),
    trial("predict", &[QUESTION, "--all-projects"]),
    trial("explain", &["search", QUESTION, "--all-projects"]),
    trial("index-code", &[]),
    trial("why", &[QUESTION, "--all-projects"]),
    trial("why", &[QUESTION, "--graph", "{out}/chains.svg"]).may(&[Beyond::Named]),
    trial("why", &["src/cart.rs:2", "--all-projects"]),
    trial("why", &["HEAD", "--all-projects"]).ends(End::Codes(&[1])),
    trial("why", &["--impact", "total"]),
    trial("callers", &["price"]),
    trial("callees", &["total"]),
    trial("fix", &["--all-projects", ERROR]).ends(End::Codes(&[0, 1])),
    trial("check", &["--all-projects", "git", "push", "--force"]),
    trial("sessions", &["--all-projects"]),
    trial("digest", &["--days", "3000", "--all-projects"]),
    trial("agents", &["--all-projects"]),
    trial("show", &["{session}"]),
    trial("show", &["{card}"]),
    trial("help", &["--all"]),
    trial("reconstruct", &["{session}"]),
    trial("links", &["{session}"]),
    trial("links", &["{session}", "--annotated", "{out}/links.md", "--metrics", "--plot", "{out}/links.svg"])
        .may(&[Beyond::Named]),
    trial("loops", &["--all-projects"]),
    trial("loops done", &["{loop}"]),
    trial("loops reopen", &["{loop}"]),
    trial("loops drop", &["{loop}", "not wanted"]),
    trial("remember", &["Never push to main"]),
    trial("pack", &["add a retry to the upload"]),
    trial("summary", &["--all-projects"]),
    trial("summary", &["--all-projects", "--write", "{out}/CLAUDE.md"]).may(&[Beyond::Named]),
    trial("cards", &["--all-projects"]),
    trial("cards list", &["--all-projects"]),
    trial("cards review", &[]),
    trial("cards show", &["{card}"]),
    trial("cards add", &["--kind", "fact", "The shop is closed on Mondays"]),
    trial("cards explain", &["{card}"]),
    trial("cards confirm", &["{card}"]),
    trial("cards dispute", &["{card}", "it was for the old branch"]),
    trial("cards archive", &["{card}"]),
    trial("cards restore", &["{card}"]),
    trial("cards promote", &["{card}", "--to", "global"]),
    trial("cards edit", &["{card}", "Run all tests before every push"]),
    trial("cards ledger", &["--all-projects"]),
    trial("cards gates", &[]),
    trial("cards export", &["{out}/cards.toml"]).may(&[Beyond::Named]),
    trial("cards import", &["{out}/cards.toml"]),
    trial("outcome", &["helpful", "--session", "{session}"]),
    trial("outcome", &["helpful", "--retrieval", "{answer}"]),
    trial("clusters", &["--all-projects"]),
    trial("projects", &[]),
    trial("projects rename", &["lantern-shop", "lanterns"]),
    trial("projects merge", &["lanterns", "lanterns"]).ends(End::Codes(&[1, 2])),
    trial("projects split", &["lanterns"]).ends(End::Codes(&[1, 2])),
    trial("projects changes", &[]),
    trial("projects undo", &[]),
    trial("status", &[]),
    // It asks another `backstory` for its version if a person's settings name it. Here they name itself, and only the
    // project's settings, which come with the repository, name another.
    trial("doctor", &[]).ends(End::Codes(&[0, 1])),
    trial("mcp", &[]).reads(MCP_CALLS).may(&[Beyond::SocketPair]).ends(End::Printing(r#""id":3,"result""#)),
    trial("serve", &["--port", "0"]).may(&[Beyond::Sockets]).ends(End::After("Stop with Ctrl-C.")),
    trial("hook", &["session-start"]).reads(PROMPT),
    trial("hook", &["user-prompt-submit"]).reads(PROMPT),
    trial("hook", &["pre-tool-use"]).reads(CALL),
    trial("hook", &["post-tool-use"]).reads(CALL),
    trial("hook", &["session-end"]).reads(TRANSCRIPT),
    // A service computes vectors later, when no host waits.
    trial("hook", &["session-end", "--config", MODEL, "--config", URL, "--config", NAME]).reads(SERVED_TRANSCRIPT),
    trial("config", &[]),
    trial("config show", &["hooks"]),
    trial("config example", &[]),
    trial("log show", &["{event}"]),
    trial("log verify", &[]),
    trial("log export", &["{out}/log.jsonl"]).may(&[Beyond::Named]),
    trial("log import", &["{out}/log.jsonl"]),
    trial("rebuild", &[]),
    trial("log forget", &["--query", "coupon", "--all-projects", "--yes"]),
    trial("completions", &["bash"]),
    trial("man", &[]),
    trial("man", &["--out", "{out}/man"]).may(&[Beyond::Named]),
    trial("uninstall", &["--yes", "--delete-data"]).may(&[Beyond::Settings]),
];
