//! The configuration and its origins; every key must have an effect.

use std::path::Path;

use expect_test::expect;
use serde_json::{Value, json};

use crate::env::{TestEnv, TestResult};

#[test]
fn without_a_file_all_defaults_hold() -> TestResult {
    let env = TestEnv::new()?;
    let told = env.run(&["config"]).ok()?;
    expect![[r#"
        File    [ROOT]/memory/config.toml (does not exist)

        [embedding] The model that makes the vectors for search by meaning
          model = "static"                   default

        [clusters] How clusters are named when `backstory maintain` makes them
          labels = "words"                   default

        [why] How answers to `backstory why "QUESTION"` are weighted
          answers = "facts"                  default

        [search] What search, recall, predict and explain show
          budget = 2000                      default
          thinking = false                   default

        [pack] What `pack` chooses for a task
          budget = 800                       default

        [ingest] What is read besides the agents' own folders
          paths                              not set

        [hooks] What the hooks in an agent's host do
          session_start = true               default
          session_start_budget = 350         default
          user_prompt = false                default
          user_prompt_budget = 150           default
          pre_tool_use = "warn"              default
          post_tool_use = true               default
          ingest_seconds = 5                 default

        [mcp] What `backstory mcp` and `backstory serve` answer
          budget = 2000                      default

        [serve] Where `backstory serve` listens
          port = 7171                        default

        Models
          vectors by       the built-in table
          cluster names by the words that distinguish a cluster
          causes by        facts of the code, its history and the memory

        `backstory config KEY` explains a key; `backstory config example` prints all of them.
    "#]]
    .assert_eq(&told);
    assert_eq!(env.run(&["config", "show"]).ok()?, told, "one command with two names");
    assert!(!env.path("memory").exists(), "looking changes nothing");
    let value = env.run(&["config", "--json"]).json()?;
    assert_eq!((&value["exists"], &value["embedding"]), (&json!(false), &json!({"model": "static"})));
    Ok(())
}

#[test]
fn each_value_says_where_it_is_from() -> TestResult {
    let env = TestEnv::new()?;
    env.write("memory/config.toml", "[search]\nthinking = true\n\n[hooks]\nsession_start_budget = 700\n")?;
    env.write(
        "work/.backstory.toml",
        "[hooks]\nsession_start_budget = 600\nuser_prompt_budget = 900\n[mcp]\nbudget = 900\n",
    )?;
    let variables = [("BACKSTORY_PACK_BUDGET", "300"), ("BACKSTORY_HOKS_X", "1"), ("BACKSTORY_SERVE_PROT", "1")];
    let told = env.run_with(&variables, &["config", "--config", "serve.port=9000"]).ok()?;
    expect![[r#"
        File    [ROOT]/memory/config.toml
        Project [ROOT]/work/.backstory.toml

        [embedding] The model that makes the vectors for search by meaning
          model = "static"                   default

        [clusters] How clusters are named when `backstory maintain` makes them
          labels = "words"                   default

        [why] How answers to `backstory why "QUESTION"` are weighted
          answers = "facts"                  default

        [search] What search, recall, predict and explain show
          budget = 2000                      default
          thinking = true                    [ROOT]/memory/config.toml:2

        [pack] What `pack` chooses for a task
          budget = 300                       environment BACKSTORY_PACK_BUDGET

        [ingest] What is read besides the agents' own folders
          paths                              not set

        [hooks] What the hooks in an agent's host do
          session_start = true               default
          session_start_budget = 600         [ROOT]/work/.backstory.toml:2
          user_prompt = false                default
          user_prompt_budget = 150           default
          pre_tool_use = "warn"              default
          post_tool_use = true               default
          ingest_seconds = 5                 default

        [mcp] What `backstory mcp` and `backstory serve` answer
          budget = 900                       [ROOT]/work/.backstory.toml:5

        [serve] Where `backstory serve` listens
          port = 9000                        flag --config

        Models
          vectors by       the built-in table
          cluster names by the words that distinguish a cluster
          causes by        facts of the code, its history and the memory

        Ignored
          [ROOT]/work/.backstory.toml:3: `hooks.user_prompt_budget` may be switched off or lowered by a project's file, not raised; it is left out
          environment BACKSTORY_HOKS_X: no such setting
          environment BACKSTORY_SERVE_PROT: no such setting; did you mean BACKSTORY_SERVE_PORT?

        `backstory config KEY` explains a key; `backstory config example` prints all of them.
    "#]].assert_eq(&told);
    let json = env.run_with(&variables, &["config", "show", "pack.budget", "--json"]).json()?;
    assert_eq!(json["settings"][0]["origin"], json!({"kind": "environment", "variable": "BACKSTORY_PACK_BUDGET"}));
    expect![[r#"
        hooks.session_start_budget = 600
          means        at most this many tokens of it
          set by       [ROOT]/work/.backstory.toml:2
          default      350
          allowed      a number from 50 to 20000
          environment  BACKSTORY_HOOKS_SESSION_START_BUDGET
          project file may switch it off or lower it
    "#]]
    .assert_eq(&env.run(&["config", "show", "hooks.session_start_budget"]).text());
    expect![[r#"
        --- stderr
        backstory: unknown key `hooks.sesion_start`; did you mean `hooks.session_start`?
          `backstory config` lists all keys.
        --- exit code 1
    "#]]
    .assert_eq(&env.run(&["config", "show", "hooks.sesion_start"]).text());
    Ok(())
}

#[test]
fn what_is_sent_where_is_said() -> TestResult {
    let env = TestEnv::new()?;
    env.write(
        "memory/config.toml",
        "[embedding]\nmodel = \"endpoint\"\nurl = \"http://localhost:1/v1/embeddings\"\nname = \"tiny\"\n\
         api_key_env = \"TINY_KEY\"\n[clusters]\nlabels = \"llm\"\nurl = \"https://chat.example/v1\"\nname = \"big\"\n",
    )?;
    let told = env.run_with(&[("TINY_KEY", "sk-1")], &["config"]).ok()?;
    let words = told.split("\n\n").find(|part| part.starts_with("Models")).unwrap_or_default();
    expect![[r#"
        Models
          vectors by       tiny at http://localhost:1/v1/embeddings, key from TINY_KEY: texts and questions are sent there
          cluster names by big at https://chat.example/v1: words and excerpts are sent there
          causes by        facts of the code, its history and the memory"#]]
    .assert_eq(words);
    assert!(env.run(&["config"]).ok()?.contains("key from TINY_KEY (not set)"));
    assert_eq!(env.run(&["config", "--json"]).json()?["embedding"]["api_key_set"], json!(false));
    Ok(())
}

#[test]
fn a_mistake_stops_every_command_and_names_its_line() -> TestResult {
    let env = TestEnv::with_demo()?;
    env.write("memory/config.toml", "[embedding]\n\nmodle = \"static\"\n")?;
    for args in [&["ingest"][..], &["search", "x"], &["sessions"], &["config"], &["config", "--json"]] {
        expect![[r#"
            --- stderr
            backstory: [ROOT]/memory/config.toml:3: unknown key `modle` in [embedding]; did you mean `model`?
              `backstory config example` shows every key and what it may be.
            --- exit code 2
        "#]]
        .assert_eq(&env.run(args).text());
    }
    assert!(env.run(&["config", "example"]).ok()?.contains("# model = \"static\""));
    env.write("memory/config.toml", "")?;
    expect![[r#"
        --- stderr
        backstory: environment BACKSTORY_SEARCH_THINKING: `thinking` must be true or false
          `backstory config example` shows every key and what it may be.
        --- exit code 2
    "#]]
    .assert_eq(&env.run_with(&[("BACKSTORY_SEARCH_THINKING", "maybe")], &["sessions"]).text());
    expect![[r#"
        --- stderr
        backstory: flag --config: unknown key `search.buget`; did you mean `search.budget`?
          `backstory config example` shows every key and what it may be.
        --- exit code 2
    "#]]
    .assert_eq(&env.run(&["--config", "search.buget=5", "sessions"]).text());
    Ok(())
}

/// A cloned repository can neither break the commands nor make them send anything.
#[test]
fn a_project_file_breaks_nothing() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let sessions = || env.run(&["sessions", "--all-projects"]);
    let expected = sessions().ok()?;
    env.write(
        "work/.backstory.toml",
        "[embedding]\nmodel = \"endpoint\"\nurl = \"http://localhost:1/v1\"\nname = \"m\"\n",
    )?;
    let screen = sessions();
    assert_eq!((screen.code, screen.stdout), (Some(0), expected.clone()));
    expect![[r#"
        backstory: [ROOT]/work/.backstory.toml:2: `embedding.model` may not be set by a project's file; it is left out
        backstory: [ROOT]/work/.backstory.toml:3: `embedding.url` may not be set by a project's file; it is left out
        backstory: [ROOT]/work/.backstory.toml:4: `embedding.name` may not be set by a project's file; it is left out
    "#]]
    .assert_eq(&screen.stderr);
    env.write("work/.backstory.toml", b"\xff\xfe not = toml")?;
    assert_eq!(sessions().stdout, expected);
    #[cfg(unix)]
    {
        std::fs::remove_file(env.path("work/.backstory.toml"))?;
        std::os::unix::fs::symlink("/dev/zero", env.path("work/.backstory.toml"))?;
        assert_eq!(sessions().stdout, expected, "a link is not followed");
    }
    Ok(())
}

/// The file is in the root of the repository, for every folder in it.
#[test]
fn the_project_file_is_that_of_the_repository() -> TestResult {
    let env = TestEnv::new()?;
    std::fs::create_dir_all(env.path("work/.git"))?;
    std::fs::create_dir_all(env.path("work/src/deep"))?;
    env.write("work/.backstory.toml", "[pack]\nbudget = 100\n")?;
    env.write("work/src/deep/.backstory.toml", "[pack]\nbudget = 50\n")?;
    let mut command = env.command(&["config", "show", "pack.budget", "--json"]);
    let output = command.current_dir(env.path("work/src/deep")).output()?;
    let value: Value = serde_json::from_slice(&output.stdout)?;
    assert_eq!(value["settings"][0]["value"], 100);
    Ok(())
}

/// The effect of a key: the output of a command with and without it.
type Effect = fn(&TestEnv) -> TestResult<(String, String)>;

const EFFECTS: &[(&str, Effect)] = &[
    ("search.budget", |env| {
        let ask = ["search", "NaN total", "--all-projects", "--json"];
        Ok((env.run(&ask).ok()?, env.run(&[&ask[..], &["--config", "search.budget=60"]].concat()).ok()?))
    }),
    ("search.thinking", |env| {
        let ask = ["search", "NaN total checkout price", "--all-projects", "--json", "-n", "40"];
        let wide = [&ask[..], &["--budget", "100000"]].concat();
        Ok((env.run(&wide).ok()?, env.run_with(&[("BACKSTORY_SEARCH_THINKING", "true")], &wide).ok()?))
    }),
    ("pack.budget", |env| {
        let ask = ["pack", "tests", "--project", "lantern-shop", "--dry-run", "--json"];
        let little = env.run(&[&ask[..], &["--config", "pack.budget=30"]].concat());
        Ok((env.run(&ask).ok()?, little.nothing()?))
    }),
    ("ingest.paths", |env| {
        let path = env.write("more/talk.txt", "Ada: shall we sell lanterns?\nBen: yes, the blue ones.\n")?;
        let report = |memory: &str| env.run_in(memory, &["ingest", "--json"]).json();
        env.write("paths/config.toml", format!("[ingest]\npaths = [{:?}]\n", path.to_string_lossy()))?;
        Ok((report("no-paths")?["files"].to_string(), report("paths")?["files"].to_string()))
    }),
];

/// Tested with the services: `models.rs`, `causes.rs`.
const SERVICES: [&str; 3] = ["embedding.", "clusters.", "why."];
/// Tested with the surfaces, by a test that sets the key's variable.
const DOORS: [&str; 3] = ["hooks.", "mcp.", "serve."];

#[test]
fn every_key_has_an_effect() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let told = env.run(&["config", "--json"]).json()?;
    let tests = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli"))?;
    for setting in told["settings"].as_array().ok_or("a list")? {
        let key = setting["key"].as_str().unwrap_or_default();
        let variable = setting["variable"].as_str().unwrap_or_default();
        if SERVICES.iter().any(|section| key.starts_with(section)) {
            continue;
        }
        // Until their surface exists.
        if key.starts_with("hooks.") && !tests.contains("\nmod hooks;") {
            continue;
        }
        if DOORS.iter().any(|section| key.starts_with(section)) {
            assert!(tests.contains(&format!("\"{variable}\"")), "{key}: no test sets {variable}");
            continue;
        }
        let (_, effect) =
            EFFECTS.iter().find(|(name, _)| *name == key).ok_or(format!("{key}: nothing shows its effect"))?;
        let (without, with) = effect(&env)?;
        assert_ne!(without, with, "{key} changes nothing");
    }
    Ok(())
}

/// The source text of all tests.
fn sources(folder: &Path) -> TestResult<String> {
    let mut all = String::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        all.push_str(&if path.is_dir() { sources(&path)? } else { std::fs::read_to_string(&path)? });
    }
    Ok(all)
}

/// Ignored parts are not a fault, but the doctor reports them.
#[test]
fn the_doctor_tells_what_does_not_count() -> TestResult {
    let env = TestEnv::new()?;
    let told = env.run_with(&[("BACKSTORY_SERVE_PROT", "1")], &["doctor"]).stdout;
    assert!(told.contains("BACKSTORY_SERVE_PROT: no such setting; did you mean BACKSTORY_SERVE_PORT?"), "{told}");
    Ok(())
}
