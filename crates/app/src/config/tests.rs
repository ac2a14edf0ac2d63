use super::typed::parse;
use super::*;

fn mistake(text: &str) -> String {
    let found = parse(text).expect_err("a mistake");
    format!("{}: {}", found.line, found.message)
}

fn service(url: &str, name: &str, key: Option<&str>) -> Service {
    Service { url: url.into(), name: name.into(), api_key_env: key.map(Into::into) }
}

#[test]
fn nothing_said_means_the_defaults() {
    assert_eq!(parse(""), Ok(Config::default()));
    assert_eq!(parse(EXAMPLE), Ok(Config::default()));
    assert_eq!(parse("[embedding]\n[clusters]\n"), Ok(Config::default()));
}

/// Every commented choice of the example can be taken as it stands.
#[test]
fn the_example_holds_what_it_promises() {
    let choose = |wanted: &str| {
        let section = match wanted.split_whitespace().next() {
            Some("model") => "[embedding]",
            Some("labels") => "[clusters]",
            _ => "[why]",
        };
        let block = EXAMPLE.split("\n\n").find(|block| block.starts_with(&format!("# {wanted}"))).expect("a block");
        let lines: Vec<&str> = block.lines().map(|line| line.trim_start_matches("# ")).collect();
        parse(&format!("{section}\n{}", lines.join("\n"))).expect("a good block")
    };
    let folder = choose("model = \"folder\"").embedding;
    assert_eq!(folder, Embedding::Folder("~/models/all-MiniLM-L6-v2".into()));
    let expected = service("http://localhost:11434/v1/embeddings", "nomic-embed-text", Some("EMBEDDING_KEY"));
    let endpoint = choose("model = \"endpoint\"").embedding;
    assert_eq!(endpoint, Embedding::Endpoint { service: expected, dim: Some(768) });
    let expected = service("http://localhost:11434/v1/chat/completions", "llama3.2", Some("LLM_KEY"));
    assert_eq!(choose("labels = \"llm\"").labels, Labels::Llm(expected.clone()));
    assert_eq!(choose("answers = \"llm\"").answers, Answers::Llm(expected));
}

#[test]
fn mistakes_name_the_line_and_what_is_allowed() {
    let unknown = mistake("[embedding]\nmodle = \"static\"\n");
    assert!(unknown.starts_with("2: unknown field `modle`, expected one of `model`, `path`"), "{unknown}");
    let section = mistake("\n[embeddings]\n");
    assert!(
        section.starts_with("2: unknown field `embeddings`, expected one of `embedding`, `clusters`, `why`"),
        "{section}"
    );
    let variant = mistake("[embedding]\nmodel = \"openai\"\n");
    assert!(
        variant.contains("2: unknown variant `openai`, expected one of `static`, `folder`, `endpoint`"),
        "{variant}"
    );
    let kind = mistake("[embedding]\nmodel = \"endpoint\"\ndim = \"many\"\n");
    assert!(kind.starts_with("3: invalid type: string"), "{kind}");
    assert!(mistake("[embedding]\nmodel = \n").starts_with("2: "));
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
    let zero = "[embedding]\nmodel = \"endpoint\"\nurl = \"http://h/v1\"\nname = \"x\"\ndim = 0\n";
    assert_eq!(mistake(zero), "5: dim must be 1 or more");
}

#[test]
fn a_key_in_the_wrong_place_is_not_repeated() {
    let tail = "Qm7vT2xW9kLp4RzN8cYb3HfJ6dGs5aVe1uXo";
    let keys =
        ["sk-very-secret".to_owned(), format!("gsk_{tail}"), format!("hf_{tail}"), format!("AIza{}", &tail[1..])];
    let with = |line: &str| mistake(&format!("[embedding]\nmodel = \"endpoint\"\nname = \"x\"\n{line}\n"));
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
        ] {
            assert!(!told.contains(key.as_str()) && !told.contains(&tail[1..]), "{told}");
        }
    }
    // What has the form of a key is none of the things that are printed.
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
    for name in ["llm_key", "2KEY", "LLM-KEY", "Key", ""] {
        assert!(with(name).is_err_and(|mistake| mistake.line == 5), "{name}");
    }
}
