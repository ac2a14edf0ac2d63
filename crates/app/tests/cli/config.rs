//! `config.toml` and what is told of it.

use expect_test::expect;
use serde_json::json;

use crate::env::{Outcome, TestEnv};

#[test]
fn without_a_file_all_defaults_hold() -> Outcome {
    let env = TestEnv::new()?;
    let screen = env.run(&["config"]).ok()?;
    let (told, example) = screen.split_once("\nWhat may stand in the file\n").unwrap_or_default();
    expect![[r#"
        File [ROOT]/memory/config.toml (not there: all defaults)
        In force
          vectors by       the table that ships
          cluster names by the words that set a cluster apart
          causes by        facts of the code, its history and the memory
    "#]]
    .assert_eq(told);
    assert!(example.contains("  model = \"static\""), "{example}");
    assert!(!env.path("memory").exists(), "looking changes nothing");
    let value = env.run(&["config", "--json"]).json()?;
    assert_eq!((&value["exists"], &value["embedding"]), (&json!(false), &json!({"model": "static"})));
    Ok(())
}

#[test]
fn what_is_sent_where_is_said() -> Outcome {
    let env = TestEnv::new()?;
    env.write(
        "memory/config.toml",
        "[embedding]\nmodel = \"endpoint\"\nurl = \"http://localhost:1/v1/embeddings\"\nname = \"tiny\"\n\
         api_key_env = \"TINY_KEY\"\n[clusters]\nlabels = \"llm\"\nurl = \"https://chat.example/v1\"\nname = \"big\"\n",
    )?;
    let told = env.run_with(&[("TINY_KEY", "sk-1")], &["config"]).ok()?;
    expect![[r#"
        File [ROOT]/memory/config.toml
        In force
          vectors by       tiny at http://localhost:1/v1/embeddings, key from TINY_KEY: texts and questions are sent there
          cluster names by big at https://chat.example/v1: words and excerpts are sent there
          causes by        facts of the code, its history and the memory
    "#]]
    .assert_eq(told.split_once("\nWhat").unwrap_or_default().0);
    assert!(env.run(&["config"]).ok()?.contains("key from TINY_KEY (not set)"));
    assert_eq!(env.run(&["config", "--json"]).json()?["embedding"]["api_key_set"], json!(false));
    Ok(())
}

#[test]
fn a_mistake_stops_every_command_and_names_its_line() -> Outcome {
    let env = TestEnv::with_demo()?;
    env.write("memory/config.toml", "[embedding]\n\nmodle = \"static\"\n")?;
    for args in [&["ingest"][..], &["search", "x"], &["status"], &["config", "--json"]] {
        expect![[r#"
            --- stderr
            backstory: [ROOT]/memory/config.toml:3: unknown field `modle`, expected one of `model`, `path`, `url`, `name`, `dim`, `api_key_env`
              `backstory config` shows what may stand there.
            --- exit code 2
        "#]]
        .assert_eq(&env.run(args).text());
    }
    let shown = env.run(&["config"]);
    assert!(shown.code == Some(2) && shown.stdout.contains("model = \"static\""), "{shown:?}");
    Ok(())
}
