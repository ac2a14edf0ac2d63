use super::keys::{InProject, ValueKind};
use super::layers::{Mistake, Sources, Values};
use super::settings::{HookSettings, McpSettings, ServeSettings, ToolCheckMode};
use super::*;

/// The configuration from a file alone.
fn parse(text: &str) -> Result<Config, Mistake> {
    resolve(&file(text)).map(|(config, _)| config)
}

fn file(text: &str) -> Sources<'static> {
    Sources { file: ("config.toml".into(), Some(text.to_owned())), project: None, environment: Vec::new(), flags: &[] }
}

fn resolve(sources: &Sources<'_>) -> Result<(Config, Values), Mistake> {
    let (values, mut mistakes) = Values::collect(sources);
    let config = typed::resolve(&values, &mut mistakes);
    mistakes.into_iter().next().map_or(Ok((config, values)), Err)
}

fn mistake(text: &str) -> String {
    let found = parse(text).expect_err("a mistake");
    format!("{}: {}", found.place, found.message).replace("config.toml:", "")
}

fn service(url: &str, name: &str, key: Option<&str>) -> Service {
    Service { url: url.into(), name: name.into(), api_key_env: key.map(Into::into) }
}

/// A value other than the default, as typed.
fn other(key: &keys::Key) -> String {
    match key.kind {
        ValueKind::Flag => (key.default == "false").to_string(),
        ValueKind::Number { least, .. } => (least + 7).to_string(),
        ValueKind::Choice(of) => of.iter().rfind(|name| **name != key.default).unwrap_or(&"").to_string(),
        _ => key.sample.to_owned(),
    }
}

/// The other keys that a choice requires.
fn beside(section: &str, key: &str) -> Vec<String> {
    let choice = match (section, key) {
        ("embedding", "path") => vec!["embedding.model=folder"],
        ("embedding", _) => vec!["embedding.model=endpoint", "embedding.url=http://h/v1", "embedding.name=n"],
        ("clusters", _) => vec!["clusters.labels=llm", "clusters.url=http://h/v1", "clusters.name=n"],
        ("why", _) => vec!["why.answers=llm", "why.url=http://h/v1", "why.name=n"],
        _ => vec![],
    };
    choice.into_iter().map(str::to_owned).collect()
}

#[test]
fn nothing_said_means_the_defaults() {
    assert_eq!(parse(""), Ok(Config::default()));
    assert_eq!(parse(&example()), Ok(Config::default()));
    assert_eq!(parse("[embedding]\n[clusters]\n"), Ok(Config::default()));
    let hooks = HookSettings::default();
    assert_eq!((hooks.session_start_budget, hooks.pre_tool_use, hooks.ingest_seconds), (350, ToolCheckMode::Warn, 5));
    assert_eq!((McpSettings::default().budget, ServeSettings::default().port), (2000, 7171));
}

#[test]
fn the_table_is_in_order() {
    let mut names = std::collections::BTreeSet::new();
    for (section, key) in keys::all() {
        let name = keys::full_name(section, key);
        assert!(names.insert(keys::variable(section, key)), "{name}: two keys with one variable");
        assert!(key.default.is_empty() || default_of(key).is_some(), "{name}: the default is no value");
        assert!(value::from_text(key, key.sample).is_ok(), "{name}: the sample is no value");
        let is_service = ["embedding", "clusters", "why"].contains(&section.name);
        assert!(!is_service || key.project == InProject::Never, "{name}: a repository must not choose services");
    }
}

/// Every key must have an effect.
#[test]
fn every_key_changes_what_is_in_force() {
    for (section, key) in keys::all() {
        let name = keys::full_name(section, key);
        let with = |flags: &[String]| resolve(&Sources { flags, ..file("") }).map(|(config, _)| config);
        let mut flags = beside(section.name, key.name);
        let chooses = flags.first().is_some_and(|flag| flag.starts_with(&format!("{name}=")));
        let before = if chooses { with(&[]) } else { with(&flags) };
        if !chooses {
            flags.push(format!("{name}={}", other(key)));
        }
        let after = with(&flags);
        assert!(after.is_ok() && after != before, "{name}: {after:?}");
    }
}

#[test]
fn every_key_can_be_set_in_the_environment() {
    for (section, key) in keys::all() {
        let value = other(key);
        let environment = vec![(keys::variable(section, key), value.clone())];
        let (values, mistakes) = Values::collect(&Sources { environment, ..file("") });
        assert_eq!(mistakes, []);
        let (held, origin) = values.get(section, key);
        assert_eq!(held, value::from_text(key, &value).ok());
        assert_eq!(origin, Origin::Environment { name: keys::variable(section, key) });
    }
}

/// Every commented line of the example is valid when uncommented.
#[test]
fn the_example_holds_what_it_promises() {
    let typed: String = example()
        .lines()
        .map(|line| match line.strip_prefix("# ") {
            Some(setting) if setting.contains(" = ") && !setting.starts_with(' ') => format!("{setting}\n"),
            _ => format!("{line}\n"),
        })
        .collect();
    let (values, mistakes) = Values::collect(&file(&typed));
    assert_eq!(mistakes, []);
    for (section, key) in keys::all() {
        let (value, origin) = values.get(section, key);
        assert!(matches!(origin, Origin::File { .. }), "{} is not in the example", keys::full_name(section, key));
        assert_eq!(value, value::from_text(key, key.sample).ok());
    }
}

#[test]
fn services_are_chosen() {
    let text = "[embedding]\nmodel = \"endpoint\"\nurl = \"http://h/v1\"\nname = \"m\"\ndim = 768\n\
                [clusters]\nlabels = \"llm\"\nurl = \"http://c/v1\"\nname = \"c\"\napi_key_env = \"LLM_KEY\"\n\
                [why]\nanswers = \"llm\"\nurl = \"http://w/v1\"\nname = \"w\"\n";
    let config = parse(text).expect("a good file");
    let expected = service("http://h/v1", "m", None);
    assert_eq!(config.embedding, Embedding::Endpoint { service: expected, dim: Some(768) });
    assert_eq!(config.labels, Labels::Llm(service("http://c/v1", "c", Some("LLM_KEY"))));
    assert_eq!(config.answers, AnswerScorer::Llm(service("http://w/v1", "w", None)));
    let folder = parse("[embedding]\nmodel = \"folder\"\npath = \"~/m\"\n").expect("a good file");
    assert_eq!(folder.embedding, Embedding::Folder("~/m".into()));
}

#[test]
fn mistakes_name_the_line_and_what_was_meant() {
    assert_eq!(
        mistake("[embedding]\nmodle = \"static\"\n"),
        "2: unknown key `modle` in [embedding]; did you mean `model`?"
    );
    assert_eq!(mistake("\n[embeddings]\n"), "2: unknown section `embeddings`; did you mean `embedding`?");
    assert_eq!(
        mistake("[hooks]\nsesion_start = true\n"),
        "2: unknown key `sesion_start` in [hooks]; did you mean `session_start`?"
    );
    assert_eq!(mistake("[serve]\nhost = \"h\"\n"), "2: unknown key `host` in [serve]; there are port");
    assert_eq!(mistake("[serve]\nx = \"h\"\n"), "2: unknown key `x` in [serve]; there are port");
    assert_eq!(mistake("hooks = true\n"), "1: `hooks` is a section: write [hooks]");
    assert_eq!(
        mistake("[embedding]\nmodel = \"openai\"\n"),
        "2: `model` must be \"static\", \"folder\" or \"endpoint\""
    );
    assert_eq!(
        mistake("[embedding]\nmodel = \"endpoint\"\ndim = \"many\"\n"),
        "3: `dim` must be a number from 1 to 65535"
    );
    assert_eq!(mistake("[serve]\nport = 70000\n"), "2: `port` must be a number from 1 to 65535");
    assert_eq!(mistake("[search]\nthinking = 1\n"), "2: `thinking` must be true or false");
    assert!(mistake("[embedding]\nmodel = \n").starts_with("2: "));
    // The first mistake of the file comes first.
    assert!(mistake("[serve]\nport = 0\n[hooks]\nx = 1\n").starts_with("2: "));
}

#[test]
fn what_belongs_together_stands_together() {
    assert_eq!(mistake("[embedding]\nmodel = \"folder\"\n"), "2: model = \"folder\" needs `path`");
    assert_eq!(mistake("[embedding]\npath = \"/m\"\n"), "2: `path` belongs to model = \"folder\"");
    assert_eq!(
        mistake("[embedding]\nmodel = \"folder\"\npath = \"/m\"\nurl = \"http://h\"\n"),
        "4: `url` belongs to model = \"endpoint\""
    );
    assert_eq!(
        mistake("[embedding]\nmodel = \"endpoint\"\nurl = \"http://h/v1\"\n"),
        "2: model = \"endpoint\" needs `name`"
    );
    assert_eq!(mistake("[clusters]\nname = \"x\"\n"), "2: `name` belongs to labels = \"llm\"");
}

#[test]
fn the_later_wins() {
    let (section, key) = keys::find("search", "budget").expect("a key");
    let mut sources = file("[search]\nbudget = 1500\n");
    let held = |sources: &Sources<'_>| {
        let (config, values) = resolve(sources).expect("a good configuration");
        (config.search.budget, values.get(section, key).1)
    };
    assert_eq!(held(&sources), (1500, Origin::File { path: "config.toml".into(), line: 2 }));
    sources.project = Some(("p".into(), "[search]\nbudget = 900\n".into()));
    assert_eq!(held(&sources), (900, Origin::Project { path: "p".into(), line: 2 }));
    sources.environment = vec![("BACKSTORY_SEARCH_BUDGET".into(), "1800".into())];
    assert_eq!(held(&sources), (1800, Origin::Environment { name: "BACKSTORY_SEARCH_BUDGET".into() }));
    let flags = ["search.budget=1900".to_owned()];
    sources.flags = &flags;
    assert_eq!(held(&sources), (1900, Origin::Flag));
}

/// A person who switches a service off for one call need not empty the file.
#[test]
fn a_choice_taken_back_leaves_its_keys_unused() {
    let mut sources = file("[embedding]\nmodel = \"endpoint\"\nurl = \"http://h/v1\"\nname = \"m\"\n");
    sources.environment = vec![("BACKSTORY_EMBEDDING_MODEL".into(), "static".into())];
    assert_eq!(resolve(&sources).map(|(config, _)| config), Ok(Config::default()));
    sources.environment.push(("BACKSTORY_EMBEDDING_URL".into(), "http://e".into()));
    let wrong = resolve(&sources).expect_err("said beside the choice");
    assert_eq!(wrong.place.to_string(), "environment BACKSTORY_EMBEDDING_URL");
}

/// A cloned repository can neither break the commands nor make them reveal more.
#[test]
fn a_project_may_only_ask_for_less() {
    let project = |text: &str| {
        let sources = Sources { project: Some(("p".into(), text.to_owned())), ..file("") };
        let (config, values) = resolve(&sources).expect("a project's file stops nothing");
        (config, values.notices)
    };
    let (config, notices) = project("[hooks]\nsession_start = false\npre_tool_use = \"ask\"\n[search]\nbudget = 500\n");
    assert_eq!((config.hooks.session_start, config.hooks.pre_tool_use), (false, ToolCheckMode::Ask));
    assert_eq!((config.search.budget, notices.len()), (500, 0));

    let bad = "[embedding]\nmodel = \"endpoint\"\nurl = \"http://evil/v1\"\nname = \"m\"\n\
               [hooks]\nuser_prompt = true\nsession_start_budget = 9000\nx = 1\nuser_prompt_budget = 100\n\
               [ingest]\npaths = [\"/\"]\n[serve]\nport = 1\n[what]\n";
    let (config, notices) = project(bad);
    let hooks = HookSettings { user_prompt_budget: 100, ..HookSettings::default() };
    assert_eq!(config, Config { hooks, ..Config::default() }, "what is well said still counts");
    let expected = [
        "p:2: `embedding.model` may not be set by a project's file; it is left out",
        "p:3: `embedding.url` may not be set by a project's file; it is left out",
        "p:4: `embedding.name` may not be set by a project's file; it is left out",
        "p:6: `hooks.user_prompt` may be switched off or lowered by a project's file, not raised; it is left out",
        "p:7: `hooks.session_start_budget` may be switched off or lowered by a project's file, not raised; it is left out",
        "p:8: unknown key `x` in [hooks]; there are session_start, session_start_budget, user_prompt, \
         user_prompt_budget, pre_tool_use, post_tool_use, ingest_seconds; it is left out",
        "p:11: `ingest.paths` may not be set by a project's file; it is left out",
        "p:13: `serve.port` may not be set by a project's file; it is left out",
        "p:14: unknown section `what`; there are embedding, clusters, why, search, pack, ingest, hooks, mcp, serve; \
         it is left out",
    ];
    assert_eq!(notices, expected);
    let (config, notices) = project("[hooks\n");
    assert_eq!((config, notices.len()), (Config::default(), 1));
}

/// A clone must not be able to disable its reader's guard.
#[test]
fn a_project_may_only_make_the_guard_stricter() {
    for (held, of_user) in ToolCheckMode::NAMES.iter().enumerate() {
        for (asked, of_project) in ToolCheckMode::NAMES.iter().enumerate() {
            let project = format!("[hooks]\npre_tool_use = \"{of_project}\"\n");
            let user = format!("[hooks]\npre_tool_use = \"{of_user}\"\n");
            let sources = Sources { project: Some(("p".into(), project)), ..file(&user) };
            let (config, values) = resolve(&sources).expect("a project's file stops nothing");
            assert_eq!(Some(config.hooks.pre_tool_use), ToolCheckMode::parse(ToolCheckMode::NAMES[held.max(asked)]));
            let refused =
                "p:2: `hooks.pre_tool_use` may be made stricter by a project's file, not weaker; it is left out";
            assert_eq!(values.notices, if asked < held { vec![refused.to_owned()] } else { vec![] });
        }
    }
    // Defaults count as well.
    let sources = Sources { project: Some(("p".into(), "[hooks]\npre_tool_use = \"off\"\n".into())), ..file("") };
    assert_eq!(resolve(&sources).map(|(config, _)| config.hooks.pre_tool_use), Ok(ToolCheckMode::Warn));
}

#[test]
fn variables_that_are_no_settings_are_doubted() {
    let named = |names: &[&str]| {
        let environment = names.iter().map(|name| ((*name).to_owned(), "1".to_owned())).collect();
        Values::collect(&Sources { environment, ..file("") }).0.unknown_variables
    };
    assert_eq!(named(&["BACKSTORY_HOME", "BACKSTORY_NOW"]), []);
    let unknown = named(&["BACKSTORY_SEARCH_BUGDET", "BACKSTORY_X"]);
    let expected = vec![
        ("BACKSTORY_SEARCH_BUGDET".to_owned(), Some("BACKSTORY_SEARCH_BUDGET".to_owned())),
        ("BACKSTORY_X".to_owned(), None),
    ];
    assert_eq!(unknown, expected);
}

#[test]
fn a_key_in_the_wrong_place_is_not_repeated() {
    let tail = "Qm7vT2xW9kLp4RzN8cYb3HfJ6dGs5aVe1uXo";
    let keys =
        ["sk-very-secret".to_owned(), format!("gsk_{tail}"), format!("hf_{tail}"), format!("AIza{}", &tail[1..])];
    let with = |line: &str| mistake(&format!("[embedding]\nmodel = \"endpoint\"\nname = \"x\"\n{line}\n"));
    let flag = |typed: String| {
        let flags = [typed];
        resolve(&Sources { flags: &flags, ..file("") }).expect_err("a mistake").message
    };
    for key in &keys {
        for told in [
            with(&format!("url = \"http://h/v1\"\napi_key_env = \"{key}\"")),
            with(&format!("url = \"http://me:{key}@h/v1\"")),
            with(&format!("url = \"http://h/v1?key={key}\"")),
            with(&format!("url = \"{key}\"")),
            with(&format!("url = \"http://h/v1\"\napi_key = \"{key}\"")),
            with(&format!("url = \"http://h/v1\"\n{key}")),
            with(&format!("url = \"http://h/v1\"\n{key} = true")),
            with(&format!("url = \"http://h/v1\"\ndim = \"{key}\"")),
            mistake(&format!("[embedding]\nmodel = \"{key}\"\n")),
            mistake(&format!("embedding = \"{key}\"\n")),
            mistake(&format!("[{key}]\n")),
            flag(key.clone()),
            flag(format!("{key}=1")),
            flag(format!("embedding.model={key}")),
            flag(format!("embedding.api_key_env={key}")),
        ] {
            assert!(!told.contains(key.as_str()) && !told.contains(&tail[1..]), "{told}");
        }
    }
    // A value that looks like a secret is never printed.
    let key = format!("ghp_{tail}");
    for (field, typed) in [
        ("name", format!("[clusters]\nlabels = \"llm\"\nurl = \"http://h/v1\"\nname = \"{key}\"\n")),
        ("url", format!("[clusters]\nlabels = \"llm\"\nurl = \"http://h/{key}\"\nname = \"x\"\n")),
        ("path", format!("[embedding]\nmodel = \"folder\"\npath = \"{key}\"\n")),
    ] {
        let told = mistake(&typed);
        assert!(told.contains(&format!("`{field}` holds a key")) && !told.contains(tail), "{told}");
    }
}

#[test]
fn the_variable_of_a_key_is_named_in_capitals() {
    let with = |name: &str| {
        parse(&format!("[clusters]\nlabels = \"llm\"\nurl = \"http://h/v1\"\nname = \"x\"\napi_key_env = \"{name}\"\n"))
    };
    for name in ["LLM_KEY", "_KEY2", "K"] {
        assert!(with(name).is_ok(), "{name}");
    }
    let on_line_5 = Origin::File { path: "config.toml".into(), line: 5 };
    for name in ["llm_key", "2KEY", "LLM-KEY", "Key", ""] {
        assert!(with(name).is_err_and(|mistake| mistake.place == on_line_5), "{name}");
    }
}

/// The page is written by hand and must match the table.
#[test]
fn the_page_names_every_key_with_its_default() {
    let page = include_str!("../../../../docs/configuration.md");
    for (section, key) in keys::all() {
        let default = default_of(key).map_or("none".to_owned(), |value| format!("`{}`", value.as_toml()));
        let project = match key.project {
            InProject::Less => "less",
            InProject::Stricter => "stricter",
            InProject::Never => "no",
        };
        let row = format!("| `{}` | {default} | {} | {project} |", keys::full_name(section, key), key.about);
        assert!(page.contains(&row), "docs/configuration.md lacks this row:\n{row}");
    }
}
