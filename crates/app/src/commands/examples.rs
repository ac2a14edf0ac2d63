//! Two worked examples for the help of every command.

/// A command line without its leading `$ `, and what it does.
type Example = (&'static str, &'static str);

/// Each command as typed.
const EXAMPLES: &[(&str, [Example; 2])] = &[
    (
        "",
        [
            ("backstory init", "set up your agents and read their sessions"),
            ("backstory search \"why do totals become NaN\"", "find what earlier sessions say about it"),
        ],
    ),
    ("demo", [("backstory demo", "show the sample project"), ("backstory demo --keep", "keep the sample memory")]),
    (
        "init",
        [
            ("backstory init", "show the plan, ask once, then do it"),
            ("backstory init --project --host claude --yes", "set up Claude Code for this project without asking"),
        ],
    ),
    (
        "uninstall",
        [
            ("backstory uninstall --dry-run", "show which settings would change"),
            ("backstory uninstall --yes --delete-data", "remove the entries and the memory"),
        ],
    ),
    (
        "ingest",
        [
            ("backstory ingest", "read new sessions of Claude Code and Codex"),
            ("backstory ingest ~/backup/sessions night.txt", "read a folder and a transcript"),
        ],
    ),
    (
        "watch",
        [
            ("backstory watch", "follow live sessions until Ctrl-C"),
            ("backstory watch --once --json ~/old-sessions", "read a folder once and print a JSON report"),
        ],
    ),
    (
        "search",
        [
            ("backstory search \"why do totals become NaN\" --limit 3", "the three best cases"),
            ("backstory search retry --files src/upload --days 7", "what touched these files in the last week"),
        ],
    ),
    (
        "recall",
        [
            ("backstory recall \"how was the flaky cart test fixed\"", "what led to the fix, and what followed"),
            ("backstory recall \"coupon stacking\" --agent tester --budget 4000", "one agent's part, at more length"),
        ],
    ),
    (
        "predict",
        [
            ("backstory predict \"about to release version 0.9\"", "commands and files that came next in the past"),
            ("backstory predict \"npm test is red after a merge\" --json", "the same as JSON"),
        ],
    ),
    (
        "why",
        [
            ("backstory why \"why does calculateTotal return NaN\"", "rank the places in the code that can cause it"),
            ("backstory why src/cart.ts:45-52", "the prompts, edits and checks behind these lines"),
        ],
    ),
    (
        "index-code",
        [
            ("backstory index-code", "read the repository of the current folder"),
            ("backstory index-code ~/work/shop --commits 5000 --json", "read another one, with 5,000 commits"),
        ],
    ),
    (
        "callers",
        [
            ("backstory callers Cart.add", "every call of this method"),
            ("backstory callers src/cart.ts:add --json", "the function of this file only, as JSON"),
        ],
    ),
    (
        "callees",
        [
            ("backstory callees checkout", "every function that `checkout` calls"),
            ("backstory callees src/cart.ts:Cart.add --json", "the method of this file only, as JSON"),
        ],
    ),
    (
        "explain",
        [
            ("backstory explain search \"why do totals become NaN\" --chunk a11dc219", "why that chunk is missing"),
            ("backstory explain why \"totals are NaN\" --document src/cart.ts:45", "why that line is not a cause"),
        ],
    ),
    (
        "fix",
        [
            ("backstory fix \"src/door.go:12:3: result of open is not checked (errcheck)\"", "look up one error"),
            ("make lint 2>&1 | backstory fix", "look up what a command printed"),
        ],
    ),
    (
        "check",
        [
            ("backstory check \"git push --force\" --json", "rules and failures that concern this command"),
            ("backstory check --error \"$(cat lint.txt)\" make lint", "also what fixed this error before"),
        ],
    ),
    (
        "show",
        [
            ("backstory show 1a5d", "the session, case, card, chunk, event or commit whose id begins so"),
            ("backstory show 12 --json", "the chunks of cluster 12 as JSON"),
        ],
    ),
    (
        "sessions",
        [
            ("backstory sessions --days 7", "sessions of this project in the last week"),
            ("backstory sessions --all-projects --limit 20", "the newest 20 of all projects"),
        ],
    ),
    (
        "digest",
        [
            ("backstory digest", "what was asked in this project in the last week, and what came of it"),
            ("backstory digest --branch add-retry --md --plain", "the same of one branch, for a pull request"),
        ],
    ),
    (
        "agents",
        [
            ("backstory agents", "agents that worked in this project"),
            ("backstory agents --all-projects --days 30 --json", "those of the last month in all projects"),
        ],
    ),
    (
        "list",
        [
            ("backstory list agents", "agents that worked in this project"),
            ("backstory list sessions --limit 20 --offset 20", "the second page of sessions"),
        ],
    ),
    (
        "reconstruct",
        [
            ("backstory reconstruct 1a5d", "one session from its first prompt to its end"),
            ("backstory reconstruct --from yesterday --budget 4000", "the newest 4,000 tokens since yesterday"),
        ],
    ),
    (
        "links",
        [
            ("backstory links 1a5d", "requests of one session and what came of each"),
            ("backstory links night.txt --metrics", "coverage of the links in a transcript"),
        ],
    ),
    (
        "loops",
        [
            ("backstory loops", "unfinished requests of this project"),
            ("backstory loops --all-projects --days 30 --closed", "closed ones too, of the last month"),
        ],
    ),
    (
        "loops done",
        [
            ("backstory loops done 4f1c2b7a", "close it as done"),
            ("backstory loops done 4f1c2b7a fixed in the release branch", "the same with a note"),
        ],
    ),
    (
        "loops drop",
        [
            ("backstory loops drop 4f1c2b7a", "close it as no longer wanted"),
            ("backstory loops drop 4f1c2b7a we use another library now", "the same with a note"),
        ],
    ),
    (
        "loops reopen",
        [
            ("backstory loops reopen 4f1c2b7a", "open it again"),
            ("backstory loops reopen 4f1c2b7a the tests fail again", "the same with a note"),
        ],
    ),
    (
        "pack",
        [
            ("backstory pack \"add a retry to the upload\"", "rules, failures and facts for this task"),
            ("backstory pack --failure \"$(cat build.log)\" \"repair the build\"", "failed attempts first"),
        ],
    ),
    (
        "summary",
        [
            ("backstory summary", "rules, preferences, commands and unfinished work"),
            ("backstory summary --write CLAUDE.md --check", "exit with 1 if the file is out of date"),
        ],
    ),
    (
        "remember",
        [
            ("backstory remember \"Never push to main\"", "a rule for this project"),
            ("backstory remember --everywhere \"Answer in short sentences\"", "a preference for all projects"),
        ],
    ),
    (
        "cards",
        [
            ("backstory cards --kind constraint", "the rules of this project, newest first"),
            ("backstory cards --all --all-projects --json", "every card, also superseded and archived ones"),
        ],
    ),
    (
        "cards list",
        [
            ("backstory cards list --status proposed", "cards that wait for review"),
            ("backstory cards list --all-projects --limit 10", "the newest ten of all projects"),
        ],
    ),
    (
        "cards review",
        [
            ("backstory cards review", "go through the proposed cards of this project"),
            ("backstory cards review --all-projects", "the same for all projects"),
        ],
    ),
    (
        "cards show",
        [
            ("backstory cards show 3f1c0a9b", "a card with its evidence in context"),
            ("backstory cards show 3f1c0a9b --json", "the same as JSON"),
        ],
    ),
    (
        "cards add",
        [
            ("backstory cards add --kind fact \"The staging database is at db.staging\"", "add a fact"),
            (
                "backstory cards add --kind constraint \"Never push to main\" --from-user \"pls never push to main\"",
                "add a rule that cites other words",
            ),
        ],
    ),
    (
        "cards edit",
        [
            ("backstory cards edit 3f1c0a9b \"Run all tests before every push\"", "replace the statement"),
            ("backstory cards edit 3f1c0a9b \"Use pnpm\" --json", "print the new card as JSON"),
        ],
    ),
    (
        "cards confirm",
        [
            ("backstory cards confirm 3f1c0a9b", "make a proposed card active"),
            ("backstory cards confirm 3f1c0a9b 77aa12cd", "two at once"),
        ],
    ),
    (
        "cards dispute",
        [
            ("backstory cards dispute 3f1c0a9b \"it was for the old branch\"", "ask for a recheck"),
            ("backstory cards dispute 3f1c0a9b \"it passes now\" --evidence d45b265f", "with the event that shows it"),
        ],
    ),
    (
        "cards archive",
        [
            ("backstory cards archive 3f1c0a9b", "stop packing this card"),
            ("backstory cards archive 3f1c0a9b 77aa12cd", "two at once"),
        ],
    ),
    (
        "cards restore",
        [
            ("backstory cards restore 3f1c0a9b", "make an archived card active again"),
            ("backstory cards restore 3f1c0a9b 77aa12cd", "two at once"),
        ],
    ),
    (
        "cards promote",
        [
            ("backstory cards promote 3f1c0a9b --to global", "use it in all projects"),
            ("backstory cards promote 3f1c0a9b --to domain", "use it in a domain of repositories"),
        ],
    ),
    (
        "cards ledger",
        [
            ("backstory cards ledger --limit 20", "the newest 20 decisions about candidates"),
            ("backstory cards ledger --session 1a5d", "the candidates of one session"),
        ],
    ),
    (
        "cards explain",
        [
            ("backstory cards explain 3f1c0a9b", "which rules admitted, merged and changed it"),
            ("backstory cards explain 3f1c0a9b --task \"repair the build\"", "whether `pack` would choose it"),
        ],
    ),
    (
        "cards gates",
        [
            ("backstory cards gates", "the gates of this project"),
            ("backstory cards gates --all-projects --json", "those of all projects as JSON"),
        ],
    ),
    (
        "cards export",
        [
            ("backstory cards export rules.toml", "write the active cards to a file"),
            ("backstory cards export --all-projects", "print those of all projects"),
        ],
    ),
    (
        "cards import",
        [
            ("backstory cards import rules.toml", "read cards that `cards export` wrote"),
            ("backstory cards import rules.toml --project shop", "add them to another project"),
        ],
    ),
    (
        "outcome",
        [
            ("backstory outcome corrected 3f2a \"the fix was for another branch\"", "how session 3f2a ended"),
            ("backstory outcome helpful --retrieval 9c1e --cause 2", "the second document of an answer was right"),
        ],
    ),
    (
        "clusters",
        [
            ("backstory clusters", "topics of this project, the largest first"),
            ("backstory clusters coupons --limit 5", "the five most typical chunks of one topic"),
        ],
    ),
    (
        "projects",
        [
            ("backstory projects", "every project with its folders"),
            ("backstory projects --json | jq '.items[].name'", "their names"),
        ],
    ),
    (
        "projects merge",
        [
            ("backstory projects merge shop-old shop", "sessions of shop-old become sessions of shop"),
            ("backstory projects merge 3f1c0a9b2d4e /home/ada/work/shop", "the same by id and by folder"),
        ],
    ),
    (
        "projects split",
        [
            ("backstory projects split template ~/work/shop", "sessions in ~/work/shop leave the project template"),
            ("backstory projects split shop-old", "separate a project that was merged into another"),
        ],
    ),
    (
        "projects rename",
        [
            ("backstory projects rename app shop-frontend", "choose a clearer name"),
            ("backstory projects rename 3f1c0a9b2d4e shop", "name one of two projects with equal names"),
        ],
    ),
    (
        "projects changes",
        [
            ("backstory projects changes", "merges, splits and names in force, newest first"),
            ("backstory projects changes --json | jq '.items[0].id'", "the id of the newest"),
        ],
    ),
    (
        "projects undo",
        [
            ("backstory projects undo", "undo the newest change"),
            ("backstory projects undo 8d21c07e", "undo the change with this id"),
        ],
    ),
    (
        "status",
        [
            ("backstory status", "sessions, last read, hooks, open work, size"),
            ("backstory status --verbose", "also stages, tables, files and input problems"),
        ],
    ),
    (
        "doctor",
        [
            ("backstory doctor", "check everything and name the repair of each fault"),
            ("backstory doctor --json | jq '.items[] | select(.state == \"fault\")'", "only faults"),
        ],
    ),
    (
        "mcp",
        [
            ("backstory mcp", "answer on standard input and output"),
            ("claude mcp add backstory -- backstory mcp", "register it in Claude Code by hand"),
        ],
    ),
    (
        "serve",
        [
            ("backstory serve --port 0", "listen on a free port and print the token"),
            ("backstory serve --token-file ~/.backstory/token", "keep the token in a file"),
        ],
    ),
    (
        "hook",
        [
            ("echo '{\"cwd\":\"'$PWD'\"}' | backstory hook session-start", "what a session gets when it starts"),
            ("backstory hook pre-tool-use --host codex < call.json", "check a tool call of Codex"),
        ],
    ),
    (
        "config",
        [
            ("backstory config", "every value in force and where it comes from"),
            ("backstory config search.budget", "one key: its value, meaning and range"),
        ],
    ),
    (
        "config show",
        [
            ("backstory config show hooks", "one section"),
            ("backstory config show search.budget --json", "one key as JSON"),
        ],
    ),
    (
        "config example",
        [
            ("backstory config example", "print a file with every key, commented out"),
            ("backstory config example > ~/.backstory/config.toml", "start a configuration with it"),
        ],
    ),
    (
        "maintain",
        [
            ("backstory maintain", "check and tidy the memory, recompute clusters"),
            ("backstory maintain --quiet", "the same without output, for example from cron"),
        ],
    ),
    (
        "rebuild",
        [
            ("backstory rebuild", "recreate all views from the log"),
            ("backstory rebuild graph", "recreate the graph and the stages after it"),
        ],
    ),
    (
        "log",
        [
            ("backstory log verify", "check the log and every citation"),
            ("backstory log export memory.jsonl", "write a copy of the log"),
        ],
    ),
    (
        "log show",
        [
            ("backstory log show d45b265f6971", "an event, or the events of a chunk"),
            ("backstory log show --session 1a5d --limit 50", "the newest 50 events of a session"),
        ],
    ),
    (
        "log verify",
        [
            ("backstory log verify", "check every row and every citation"),
            ("backstory log verify --json", "the result as JSON"),
        ],
    ),
    (
        "log export",
        [
            ("backstory log export memory.jsonl", "write the log to a new file"),
            ("backstory log export | gzip > memory.jsonl.gz", "compress it on the way"),
        ],
    ),
    (
        "log import",
        [
            ("backstory log import memory.jsonl", "merge an export"),
            ("gunzip -c memory.jsonl.gz | backstory log import -", "read it from standard input"),
        ],
    ),
    (
        "log forget",
        [
            ("backstory log forget --query \"project hazel\"", "show what would be blanked in this project"),
            ("backstory log forget --session 1a5d --yes", "blank a session for good"),
        ],
    ),
    (
        "completions",
        [
            (
                "backstory completions bash > ~/.local/share/bash-completion/completions/backstory",
                "install those for Bash",
            ),
            ("backstory completions fish > ~/.config/fish/completions/backstory.fish", "install those for Fish"),
        ],
    ),
    (
        "man",
        [
            ("backstory man | man -l -", "read the manual page"),
            ("backstory man --out ~/.local/share/man/man1", "install a page for each command"),
        ],
    ),
    (
        "help",
        [
            ("backstory help --all", "every command with a description"),
            ("backstory help search", "the help of one command"),
        ],
    ),
];

/// Adds the examples to the help of a command and its subcommands.
pub fn add(command: clap::Command, path: &str) -> clap::Command {
    let names: Vec<String> = command.get_subcommands().map(|inner| inner.get_name().to_owned()).collect();
    let with_inner = names.iter().fold(command, |command, name| {
        let inner_path = format!("{path} {name}").trim_start().to_owned();
        command.mut_subcommand(name, |inner| add(inner, &inner_path))
    });
    match EXAMPLES.iter().find(|(known, _)| *known == path) {
        Some((_, examples)) => with_inner.after_long_help(section(examples)),
        None => with_inner,
    }
}

fn section(examples: &[Example]) -> String {
    let lines = examples.iter().map(|(line, does)| format!("\n  $ {line}\n      {does}"));
    format!("Examples:{}", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every command as typed.
    fn paths(command: &clap::Command, above: &str, all: &mut Vec<String>) {
        all.push(above.to_owned());
        for inner in command.get_subcommands() {
            paths(inner, format!("{above} {}", inner.get_name()).trim(), all);
        }
    }

    fn help(path: &str) -> String {
        let command = crate::commands::command();
        let found = path.split_whitespace().try_fold(&command, |command, name| command.find_subcommand(name));
        found.expect("a command").clone().render_long_help().to_string()
    }

    #[test]
    fn every_help_has_two_examples() {
        let mut all = Vec::new();
        paths(&crate::commands::command(), "", &mut all);
        assert!(all.len() > 60, "{all:?}");
        for path in all {
            let help = help(&path);
            let section = help.split_once("Examples:\n").map(|(_, rest)| rest).unwrap_or_default();
            let lines: Vec<&str> = section.lines().filter_map(|line| line.trim().strip_prefix("$ ")).collect();
            assert!(lines.len() >= 2, "`backstory {path}` has {} examples:\n{help}", lines.len());
            for line in lines {
                let words = typed(line);
                let parsed = crate::commands::parse(&words);
                assert!(parsed.is_ok(), "{line}: {words:?}\n{}", parsed.err().expect("an error"));
            }
        }
    }

    #[test]
    fn every_example_belongs_to_a_command() {
        let mut all = Vec::new();
        paths(&crate::commands::command(), "", &mut all);
        for (path, examples) in EXAMPLES {
            assert!(all.iter().any(|known| known == path), "there is no command `{path}`");
            for (line, _) in examples {
                let is_its = typed(line).join(" ").starts_with(path);
                assert!(path.is_empty() || is_its, "{line} is no example of `{path}`");
            }
        }
    }

    /// The words after `backstory`, up to a pipe or a redirection.
    fn typed(line: &str) -> Vec<String> {
        let after = line.rsplit_once("backstory ").map_or("", |(_, after)| after);
        let after = if line.starts_with("backstory ") { line.trim_start_matches("backstory ") } else { after };
        let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
        for c in after.chars() {
            match (c, quote) {
                ('"' | '\'', None) => quote = Some(c),
                (c, Some(open)) if c == open => quote = None,
                ('|' | '>' | '<', None) => break,
                (' ', None) => words.push(std::mem::take(&mut word)),
                (c, _) => word.push(c),
            }
        }
        words.push(word);
        words.retain(|word| !word.is_empty());
        words
    }
}
