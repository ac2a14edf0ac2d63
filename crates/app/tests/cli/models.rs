//! Other models than the shipped one: a service on the network, a folder.

use std::fs;

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::env::{Screen, TestEnv, TestResult};
use crate::stub::{Mood, Stub};

const KEY: &str = "sk-very-secret";
const TALK: &str = "Ana: is the kettle on?\nBo: the goose ate our map\nAna: then we ask the ferryman\n";
const MORE: &str = "Bo: the ferry leaves at nine\nAna: hurry up\n";

/// An environment with a short conversation to read, and a service.
struct Place {
    env: TestEnv,
    stub: Stub,
}

impl Place {
    fn new() -> TestResult<Self> {
        let place = Place { env: TestEnv::new()?, stub: Stub::start(Mood::Well { dim: 8 })? };
        place.env.write("work/talk.txt", TALK)?;
        Ok(place)
    }

    /// With the service in the configuration.
    fn configured() -> TestResult<Self> {
        let place = Self::new()?;
        place.configure("")?;
        Ok(place)
    }

    fn configure(&self, more: &str) -> TestResult {
        let url = self.stub.url("/v1/embeddings");
        self.write_config(&format!("[embedding]\nmodel = \"endpoint\"\nurl = \"{url}\"\nname = \"tiny\"\n{more}"))
    }

    fn write_config(&self, text: &str) -> TestResult {
        self.env.write("memory/config.toml", text).map(drop)
    }

    fn run(&self, args: &[&str]) -> Screen {
        self.env.run_with(&[("STUB_KEY", KEY)], args)
    }

    /// A command that must succeed, with or without notices.
    fn done(&self, args: &[&str]) -> TestResult<Screen> {
        let screen = self.run(args);
        if screen.code == Some(0) { Ok(screen) } else { Err(screen.text().into()) }
    }

    fn search(&self, question: &str) -> TestResult<Screen> {
        self.done(&["search", question, "--all-projects"])
    }

    /// Models with the dimensions and number of their vectors.
    fn vectors(&self) -> TestResult<Vec<(String, usize, usize)>> {
        let views = Connection::open(self.env.path("memory/views/memory.sqlite"))?;
        // A checkpoint by another connection would change pages without updating their checksums.
        views.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        let mut statement = views.prepare("SELECT model, dim, docs FROM index_vectors ORDER BY dim")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn memo(&self) -> std::path::PathBuf {
        self.env.path("memory/memo.sqlite")
    }
}

#[test]
fn a_service_embeds_what_is_read_and_what_is_asked() -> TestResult {
    let place = Place::new()?;
    place.configure("api_key_env = \"STUB_KEY\"\n")?;
    let url = place.stub.url("/v1/embeddings");
    let read = place.done(&["ingest", "talk.txt"])?;
    assert_eq!(read.stderr, format!("backstory: sending 3 texts to {url} for embedding\n"));
    assert!(read.stdout.contains("Vectors 3 passages embedded by endpoint-tiny-"), "{read:?}");
    let found = place.search("waterfowl")?;
    assert!(found.stdout.contains("the goose ate our map"), "{found:?}");
    assert_eq!(found.stderr, format!("backstory: sending 1 text to {url} for embedding\n"));

    let requests = place.stub.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0].texts(), ["is the kettle on?", "the goose ate our map", "then we ask the ferryman"]);
    assert_eq!(requests[1].texts(), ["waterfowl"]);
    for asked in &requests {
        assert_eq!((asked.path.as_str(), &asked.body["model"]), ("/v1/embeddings", &json!("tiny")));
        assert_eq!(asked.authorization, format!("Bearer {KEY}"));
    }
    Ok(())
}

#[test]
fn a_question_is_sent_once() -> TestResult {
    let place = Place::configured()?;
    place.done(&["ingest", "talk.txt"])?;
    let before = place.stub.requests().len();
    place.done(&["recall", "waterfowl", "--all-projects"])?;
    assert_eq!(place.stub.requests().len(), before + 1);
    Ok(())
}

#[test]
fn the_memo_outlives_the_views() -> TestResult {
    let place = Place::configured()?;
    place.done(&["ingest", "talk.txt"])?;
    let asked = place.stub.requests().len();
    place.run(&["rebuild"]).ok()?;
    fs::remove_dir_all(place.env.path("memory/views"))?;
    place.run(&["rebuild", "--quiet"]).ok()?;
    assert_eq!(place.stub.requests().len(), asked, "every text was known");
    assert_eq!(place.vectors()?.len(), 1);
    assert!(place.search("waterfowl")?.stdout.contains("goose"));

    fs::remove_file(place.memo())?;
    place.done(&["rebuild"])?;
    let again = place.stub.requests().pop().map(|asked| asked.texts().len());
    assert_eq!(again, Some(3), "without the memo all are sent again");
    Ok(())
}

#[test]
fn forgetting_reaches_the_memo_and_spares_the_rest() -> TestResult {
    let place = Place::configured()?;
    place.done(&["ingest", "talk.txt"])?;
    let asked = place.stub.requests().len();
    let texts = || -> TestResult<usize> {
        Ok(Connection::open(place.memo())?.query_row("SELECT count(*) FROM vectors", [], |row| row.get(0))?)
    };
    assert_eq!(texts()?, 3);
    place.run(&["log", "forget", "--all-projects", "--query", "goose", "--yes"]).ok()?;
    assert_eq!(texts()?, 2);
    assert_eq!(place.stub.requests().len(), asked, "what was kept is not sent again");
    let found = place.search("teapot")?;
    assert!(found.stdout.contains("kettle") && !found.stderr.contains("no vector"), "{found:?}");
    Ok(())
}

#[test]
fn without_the_service_words_answer() -> TestResult {
    let place = Place::configured()?;
    place.done(&["ingest", "talk.txt"])?;
    place.stub.set(Mood::Refusing { status: 503 });
    let found = place.search("goose")?;
    assert!(found.stdout.contains("the goose ate our map"), "{found:?}");
    let url = place.stub.url("/v1/embeddings");
    assert!(found.stderr.contains(&format!("only words were searched: {url} answered with status 503")), "{found:?}");

    place.env.write("work/more.txt", MORE)?;
    let read = place.done(&["ingest", "more.txt"])?;
    assert!(read.stdout.contains("2 new"), "{read:?}");
    assert!(read.stderr.contains("vectors are missing: ") && read.stderr.contains("`backstory maintain`"), "{read:?}");
    let found = place.search("ferry")?;
    assert!(found.stdout.contains("leaves at nine"), "{found:?}");
    assert!(found.stderr.contains("2 passages have no vectors yet; `backstory maintain` embeds them"), "{found:?}");
    let status = place.run(&["status"]).ok()?;
    assert!(status.contains("2 passages behind: `backstory maintain` embeds them"), "{status}");
    let maintained = place.run(&["maintain"]);
    assert_eq!(maintained.code, Some(5), "{maintained:?}");

    place.stub.set(Mood::Well { dim: 8 });
    place.done(&["maintain"])?;
    assert!(!place.search("ferry")?.stderr.contains("no vectors"));
    Ok(())
}

#[test]
fn a_service_that_is_gone_costs_no_answer() -> TestResult {
    let Place { env, stub } = Place::configured()?;
    drop(stub);
    let read = env.run(&["ingest", "talk.txt"]);
    assert!(read.code == Some(0) && read.stderr.contains("vectors are missing"), "{read:?}");
    let found = env.run(&["search", "goose", "--all-projects"]);
    assert!(found.code == Some(0) && found.stdout.contains("the goose ate our map"), "{found:?}");
    assert!(found.stderr.contains("3 passages have no vectors yet"), "{found:?}");
    Ok(())
}

#[test]
fn a_busy_service_is_asked_once_more() -> TestResult {
    for status in [429, 500] {
        let place = Place::configured()?;
        place.stub.set(Mood::BusyOnce { status, dim: 8 });
        let read = place.done(&["ingest", "talk.txt"])?;
        assert!(!read.stderr.contains("missing"), "{read:?}");
        assert_eq!(place.stub.requests().len(), 2);
    }
    let place = Place::configured()?;
    place.stub.set(Mood::Refusing { status: 400 });
    place.done(&["ingest", "talk.txt"])?;
    assert_eq!(place.stub.requests().len(), 1, "a refusal is final");
    Ok(())
}

#[test]
fn the_key_is_never_shown() -> TestResult {
    let place = Place::new()?;
    place.configure("api_key_env = \"STUB_KEY\"\n")?;
    place.stub.set(Mood::Refusing { status: 401 });
    for args in [&["ingest", "talk.txt"][..], &["maintain"], &["config"], &["config", "--json"], &["status"]] {
        let text = place.run(args).text();
        assert!(!text.contains(KEY), "{args:?}: {text}");
    }
    assert!(place.run(&["maintain"]).stderr.contains("status 401: {\"error\":\"refused Bearer [key]\"}"));
    let unset = place.env.run(&["maintain"]);
    let told = "the environment variable STUB_KEY (api_key_env in config.toml) is not set";
    assert!(unset.code == Some(5) && unset.stderr.contains(told), "{unset:?}");
    Ok(())
}

#[test]
fn vectors_of_another_length_are_refused() -> TestResult {
    let place = Place::new()?;
    place.configure("dim = 16\n")?;
    place.done(&["ingest", "talk.txt"])?;
    let refused = place.run(&["maintain"]);
    assert_eq!(refused.code, Some(5));
    assert!(refused.stderr.contains("tiny gave vectors of 8 dimensions, where 16 were expected"), "{refused:?}");
    assert!(place.vectors()?.is_empty());
    assert_eq!(place.stub.requests()[0].body["dimensions"], json!(16));

    place.configure("")?;
    place.done(&["maintain"])?;
    place.stub.set(Mood::Well { dim: 5 });
    let found = place.search("goose")?;
    assert!(found.stdout.contains("the goose"), "{found:?}");
    assert!(found.stderr.contains("gave vectors of 5 dimensions, where 8 were expected"), "{found:?}");
    place.env.write("work/more.txt", MORE)?;
    let read = place.done(&["ingest", "more.txt"])?;
    assert!(read.stderr.contains("gave vectors of 5 dimensions, where 8 were expected"), "{read:?}");
    assert!(place.vectors()?.iter().all(|(_, dim, docs)| (*dim, *docs) == (8, 3)));

    place.configure("dim = 5\n")?;
    place.done(&["maintain"])?;
    let found = place.search("waterfowl")?;
    assert!(found.stdout.contains("the goose") && !found.stderr.contains("dimensions"), "{found:?}");
    Ok(())
}

#[test]
fn switching_there_and_back_mixes_nothing() -> TestResult {
    let place = Place::new()?;
    place.run(&["ingest", "talk.txt"]).ok()?;
    let shipped = |docs: usize| (256, docs);
    let rows = || -> TestResult<Vec<(usize, usize)>> {
        Ok(place.vectors()?.into_iter().map(|(_, dim, docs)| (dim, docs)).collect())
    };
    assert_eq!(rows()?, [shipped(3)]);

    place.configure("")?;
    let found = place.search("goose")?;
    assert!(found.stdout.contains("goose") && found.stderr.contains("3 passages have no vectors yet"), "{found:?}");
    assert!(place.stub.requests().is_empty(), "a question embeds no passages");
    place.done(&["maintain"])?;
    assert_eq!(rows()?, [(8, 3), shipped(3)]);
    place.env.write("work/more.txt", MORE)?;
    place.done(&["ingest", "more.txt"])?;
    assert_eq!(rows()?, [(8, 5), shipped(3)], "the table makes none that nobody uses");

    fs::remove_file(place.env.path("memory/config.toml"))?;
    place.run(&["search", "ferry", "--all-projects"]).ok()?;
    assert_eq!(rows()?, [(8, 5), shipped(5)], "what was missed is made without new events");
    for (model, dim, docs) in place.vectors()? {
        let (shape, id) = model.rsplit_once('-').unwrap_or_default();
        let files = fs::read_dir(place.env.path("memory/views/index"))?.flatten();
        let of_model = files.filter(|file| file.file_name().to_string_lossy().ends_with(&format!("{shape}-{id}")));
        let mut sizes: Vec<u64> = of_model.filter_map(|file| Some(file.metadata().ok()?.len())).collect();
        sizes.sort_unstable();
        // The signs, a bit per dimension in whole words, and the vectors.
        assert_eq!(sizes, [(docs * dim.div_ceil(64) * 8) as u64, (docs * (dim + 4)) as u64], "{model}");
    }
    Ok(())
}

/// Enough text on two topics to make clusters.
fn two_topics() -> String {
    let topics = [
        ["knead the bread dough until the flour is smooth", "bake the bread loaf in a hot oven for a crisp crust"],
        ["the database migration fails on the foreign key", "add an index to the SQL table so that the query is fast"],
    ];
    let mut lines = String::new();
    for (topic, sayings) in topics.iter().enumerate() {
        for number in 0..24 {
            let text = format!("{} number {number}", sayings[number % 2]);
            let record = json!({
                "type": "user", "uuid": format!("{topic}-{number}"), "sessionId": format!("s{topic}"),
                "cwd": "/nowhere/shop", "timestamp": format!("2026-01-0{}T10:{number:02}:00.000Z", topic + 1),
                "message": {"role": "user", "content": text},
            });
            lines.push_str(&format!("{record}\n"));
        }
    }
    lines
}

#[test]
fn a_chat_model_names_clusters() -> TestResult {
    let place = Place::new()?;
    place.env.write("work/sessions/s.jsonl", two_topics())?;
    let url = place.stub.url("/v1/chat/completions");
    place.write_config(&format!("[clusters]\nlabels = \"llm\"\nurl = \"{url}\"\nname = \"chatty\"\n"))?;
    place.run(&["ingest", "sessions"]).ok()?;
    let maintained = place.done(&["maintain"])?;
    let labels = || -> TestResult<Vec<String>> {
        let list: Value = place.run(&["clusters", "--all-projects", "--json"]).json()?;
        let items = list["items"].as_array().cloned().unwrap_or_default();
        Ok(items.iter().map(|item| item["label"].as_str().unwrap_or_default().to_owned()).collect())
    };
    let named = labels()?;
    assert!(named.len() >= 2 && named.iter().all(|label| label == "A topic with a name"), "{named:?}");
    let told = format!("three short excerpts of {} clusters to {url} for naming", named.len());
    assert!(maintained.stderr.contains(&told), "{maintained:?}");
    let asked = place.stub.requests();
    assert_eq!(asked.len(), named.len());
    let sent = asked[0].body["messages"][1]["content"].as_str().unwrap_or_default().to_owned();
    assert!(sent.starts_with("Key words: ") && sent.matches("\nExcerpt: ").count() == 3, "{sent}");

    place.stub.set(Mood::Refusing { status: 404 });
    let kept = place.done(&["maintain"])?;
    assert!(kept.stderr.contains("clusters keep their words: "), "{kept:?}");
    assert!(labels()?.iter().all(|label| label != "A topic with a name"));
    assert_eq!(place.stub.requests().len(), asked.len() + 1, "asked once, not for every cluster");
    Ok(())
}

/// A tiny model with arbitrary weights, just enough to run.
fn write_model(env: &TestEnv) -> TestResult {
    let pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "goose", "kettle", "map", "the", "is"];
    let (hidden, inner) = (8, 12);
    let mut tensors: Vec<(String, Vec<usize>)> = vec![
        ("embeddings.word_embeddings.weight".into(), vec![pieces.len(), hidden]),
        ("embeddings.position_embeddings.weight".into(), vec![32, hidden]),
        ("embeddings.token_type_embeddings.weight".into(), vec![2, hidden]),
    ];
    let mut both = |name: &str, shape: &[usize]| {
        tensors.push((format!("{name}.weight"), shape.to_vec()));
        tensors.push((format!("{name}.bias"), shape[..1].to_vec()));
    };
    both("embeddings.LayerNorm", &[hidden]);
    for part in ["attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"] {
        both(&format!("encoder.layer.0.{part}"), &[hidden, hidden]);
    }
    both("encoder.layer.0.attention.output.LayerNorm", &[hidden]);
    both("encoder.layer.0.intermediate.dense", &[inner, hidden]);
    both("encoder.layer.0.output.dense", &[hidden, inner]);
    both("encoder.layer.0.output.LayerNorm", &[hidden]);
    let (mut header, mut data) = (serde_json::Map::new(), Vec::new());
    for (name, shape) in tensors {
        let first = data.len();
        for number in 0..shape.iter().product::<usize>() {
            data.extend((((number * 37 + name.len() * 11) % 64) as f32 / 32.0 - 1.0).to_le_bytes());
        }
        header.insert(name, json!({"dtype": "F32", "shape": shape, "data_offsets": [first, data.len()]}));
    }
    let mut header = Value::Object(header).to_string();
    header.push_str(&" ".repeat(header.len().next_multiple_of(8) - header.len()));
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.as_bytes());
    file.extend(data);
    env.write("memory/model/model.safetensors", file)?;
    env.write("memory/model/vocab.txt", pieces.join("\n"))?;
    let config = json!({"model_type": "bert", "hidden_size": hidden, "num_hidden_layers": 1, "num_attention_heads": 2,
        "intermediate_size": inner, "max_position_embeddings": 32, "layer_norm_eps": 1e-12, "hidden_act": "gelu"});
    env.write("memory/model/config.json", config.to_string()).map(drop)
}

#[test]
fn a_model_in_a_folder_embeds() -> TestResult {
    let place = Place::new()?;
    write_model(&place.env)?;
    place.write_config("[embedding]\nmodel = \"folder\"\npath = \"model\"\n")?;
    let read = place.run(&["ingest", "talk.txt"]).ok()?;
    assert!(read.contains("Vectors 3 passages embedded by bert-1x8-"), "{read}");
    let found = place.run(&["search", "goose", "--all-projects"]).ok()?;
    assert!(found.contains("the goose ate our map"), "{found}");
    assert!(place.memo().exists());
    place.run(&["rebuild"]).ok()?;
    assert!(matches!(place.vectors()?.as_slice(), [(_, 8, 3)]));

    fs::remove_file(place.env.path("memory/model/vocab.txt"))?;
    let found = place.search("goose")?;
    assert!(found.stdout.contains("the goose ate our map"), "{found:?}");
    assert!(
        found.stderr.contains("only words are searched: cannot read [ROOT]/memory/model/tokenizer.json"),
        "{found:?}"
    );
    assert_eq!(found.stderr.lines().count(), 1, "{found:?}");
    assert_eq!(place.run(&["maintain"]).code, Some(5));
    Ok(())
}
