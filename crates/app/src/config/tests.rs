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
        let section = if wanted.starts_with("model") { "[embedding]" } else { "[clusters]" };
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
    assert_eq!(choose("labels = \"llm\"").labels, Labels::Llm(expected));
}

#[test]
fn mistakes_name_the_line_and_what_is_allowed() {
    let unknown = mistake("[embedding]\nmodle = \"static\"\n");
    assert!(unknown.starts_with("2: unknown field `modle`, expected one of `model`, `path`"), "{unknown}");
    let section = mistake("\n[embeddings]\n");
    assert!(section.starts_with("2: unknown field `embeddings`, expected `embedding` or `clusters`"), "{section}");
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
    let with = |line: &str| mistake(&format!("[embedding]\nmodel = \"endpoint\"\nname = \"x\"\n{line}\n"));
    for line in [
        "url = \"http://h/v1\"\napi_key_env = \"sk-very-secret\"",
        "url = \"http://me:sk-very-secret@h/v1\"",
        "url = \"http://h/v1?key=sk-very-secret\"",
        "url = \"sk-very-secret\"",
        "url = \"http://h/v1\"\napi_key = \"sk-very-secret\"",
        "url = \"http://h/v1\"\nsk-very-secret",
    ] {
        let told = with(line);
        assert!(!told.contains("very-secret"), "{told}");
    }
}
