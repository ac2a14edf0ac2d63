//! For any file of a host, adding and removing restores its bytes, and adding twice changes nothing.

use std::path::PathBuf;

use super::entries::Parts;
use super::entries::Program;
use super::hosts::SettingsKind;
use super::{Host, Settings};

const JSON: [&str; 22] = [
    "",
    "\n",
    "  \n\n",
    "{}",
    "{}\n",
    "{ }",
    "{\n}\n",
    "{\n\n}",
    "{\"a\":1}",
    "{ \"a\": 1 }\n",
    "{\n  \"a\": 1\n}\n",
    "{\n    \"a\": [1, 2],\n    \"b\": {\"c\": null}\n}",
    "{\r\n\t\"a\": 1\r\n}\r\n",
    "{\n  // why\n  \"a\": 1, // so\n  /* end */\n}\n",
    "{\n  \"a\": 1 // last\n}\n",
    "{\n  \"mcpServers\": {},\n  \"hooks\": {}\n}\n",
    "{\"mcpServers\":{},\"hooks\":{\"SessionStart\":[]}}",
    "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"echo hi\"}]}\n    ],\n    \"Stop\": []\n  }\n}\n",
    "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Bash\",\n        \"hooks\": [],\n      },\n    ],\n  },\n}\n",
    "{\n  \"mcpServers\": {\n    \"other\": {\"command\": \"npx\", \"args\": [\"other\"]}\n  }\n}\n",
    "{\n  \"mcpServers\": {\n    \"backstory\": {\"type\": \"http\", \"url\": \"http://127.0.0.1:7171/mcp\"}\n  }\n}\n",
    "// a comment before\n{\n  \"weird \\\"key\\\"\": \"ü\\u0000\"\n}\n// and after\n",
];

const TOML: [&str; 13] = [
    "",
    "\n",
    "model = \"x\"",
    "model = \"x\"\n",
    "model = \"x\"\r\n\r\n[tui]\r\ntheme = \"dark\"\r\n",
    "# a comment\n\n[mcp_servers.other]\ncommand = \"npx\"\nargs = [\n  \"a\", # why\n]\n\n[mcp_servers.other.env]\nKEY = \"v\"\n\n\n",
    "#:schema https://example.com/x.json\n[a]\nb = 1\n",
    "notify = [\"python3\", \"/x/notify.py\"]\n",
    "[a]\nb = 1\n[[c]]\nd = 2\n[[c]]\nd = 3",
    "a.b = 1\nc = \"\"\"\nmany\nlines\n\"\"\"\n\n[d]\n",
    "[mcp_servers]\n",
    "mcp_servers.other.command = \"x\"\n",
    "   # only blanks behind\n   ",
];

const BOTH: Parts = Parts { mcp: true, hooks: true };

fn settings(kind: SettingsKind) -> Settings {
    Settings { host: Host::Codex, path: PathBuf::new(), kind, shared: false }
}

fn program(path: &str) -> Program {
    Program(path.to_owned())
}

fn check(kind: SettingsKind, before: &str) {
    let settings = settings(kind);
    let (first, moved) = (program("/opt/my tools/backstory"), program("/usr/bin/backstory"));
    let added = settings.add(before, &first, BOTH).unwrap_or_else(|damage| panic!("{before:?}: {damage:?}"));
    let again = settings.add(&added.text, &first, BOTH).expect("it was read before");
    assert_eq!(again.text, added.text, "twice changes nothing");
    assert!(again.added.is_empty() && again.updated.is_empty());
    let updated = settings.add(&added.text, &moved, BOTH).expect("it was read before");
    assert!(updated.added.is_empty(), "a binary that moved is no second one: {:?}", updated.added);
    let programs = settings.registered(&updated.text).expect("it was read before");
    assert!(programs.iter().all(|entry| entry.program == moved.0), "{programs:?}");
    assert_eq!(programs.len(), added.added.len());
    for text in [&added.text, &updated.text] {
        let removed = settings.remove(text, Some(&added.created)).expect("it was read before");
        assert_eq!(removed.text, before, "after removing from\n{text}");
        assert_eq!(removed.removed.len(), added.added.len());
    }
}

#[test]
fn json_comes_back_byte_for_byte() {
    for text in JSON {
        check(SettingsKind::Hooks, text);
        check(SettingsKind::Servers, text);
    }
}

#[test]
fn toml_comes_back_byte_for_byte() {
    for text in TOML {
        check(SettingsKind::Toml { notify: true }, text);
        check(SettingsKind::Toml { notify: false }, text);
    }
}

/// All ways to put blanks, line breaks and commas into a small file.
#[test]
fn any_layout_comes_back() {
    const GAPS: [&str; 4] = ["", "\n  ", "\r\n\t", " // c\n "];
    for a in GAPS {
        for b in GAPS {
            for c in GAPS {
                for trailing in ["", ","] {
                    for inner in ["1", "[]", "{\"backstory\":0}"] {
                        check(SettingsKind::Hooks, &format!("{{{a}\"x\":{inner}{b}{trailing}{c}}}"));
                        check(
                            SettingsKind::Servers,
                            &format!("{a}{{{b}\"mcpServers\"{b}:{a}{{{c}}}{trailing}{c}}}{a}"),
                        );
                    }
                    check(SettingsKind::Hooks, &format!("{{\"hooks\":{{{a}\"SessionEnd\":[{b}{{}}{trailing}{c}]}}}}"));
                }
            }
        }
    }
}

#[test]
fn what_others_added_later_stays() {
    let hooks = settings(SettingsKind::Hooks);
    let added = hooks.add("{}\n", &program("/b/backstory"), BOTH).expect("valid");
    let shared = added.text.replacen(
        "\"hooks\": [\n",
        "\"hooks\": [\n          {\"type\": \"command\", \"command\": \"mine\"},\n",
        1,
    );
    let removed = hooks.remove(&shared, Some(&added.created)).expect("valid");
    assert!(removed.text.contains("\"command\": \"mine\"") && !removed.text.contains("backstory"), "{}", removed.text);
    assert_eq!(removed.removed.len(), 7);

    let toml = settings(SettingsKind::Toml { notify: true });
    let added = toml.add("", &program("/b/backstory"), BOTH).expect("valid");
    let later = format!("{}\n[mcp_servers.backstory.env]\nA = \"1\"\n\n[mine]\nx = 1\n", added.text);
    let removed = toml.remove(&later, None).expect("valid");
    assert_eq!(removed.text, "\n[mine]\nx = 1\n");
}

#[test]
fn hooks_that_are_there_twice_become_one() {
    let hooks = settings(SettingsKind::Hooks);
    let group = "{\"hooks\":[{\"type\":\"command\",\"command\":\"/old/backstory hook session-start\"}]}";
    let text = format!("{{\"hooks\":{{\"SessionStart\":[{group},{group}]}}}}");
    let edited = hooks.add(&text, &program("/b/backstory"), BOTH).expect("valid");
    assert_eq!(edited.text.matches("session-start").count(), 1, "{}", edited.text);
    assert!(edited.updated.contains(&"SessionStart".to_owned()));
}

#[test]
fn damage_names_its_line() {
    let cases = [
        (SettingsKind::Hooks, "{\n  \"a\": 1\n  \"b\": 2\n}", 2),
        (SettingsKind::Hooks, "{\n  \"hooks\": []\n}", 2),
        (SettingsKind::Hooks, "{\n  \"hooks\": {\n \"SessionStart\": {} }\n}", 3),
        (SettingsKind::Servers, "[]", 1),
        (SettingsKind::Servers, "{\"mcpServers\": \"x\"}", 1),
        (SettingsKind::Toml { notify: true }, "a = 1\nb = \n", 2),
        (SettingsKind::Toml { notify: false }, "a = 1\nmcp_servers = { other = { command = \"x\" } }\n", 2),
    ];
    for (kind, text, line) in cases {
        let found = settings(kind).add(text, &program("/b/backstory"), BOTH).map(|edited| edited.text);
        assert_eq!(found.map_err(|damage| damage.line), Err(line), "{text}");
    }
}
