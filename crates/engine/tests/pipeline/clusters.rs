//! Chunks about the same topic are found together.

use std::collections::{BTreeMap, BTreeSet};

use backstory_engine::derive::clusters::{self, ClustersMade};
use backstory_engine::model::ChunkId;
use backstory_engine::retrieve::rank::Ranking;
use backstory_engine::retrieve::{Search, SearchItem, search};
use backstory_language::embed::{Embedder, StaticTable};
use serde_json::{Value, json};

use super::desk::{Desk, TestResult, lines, record};

const BREAD: [&str; 8] = ["flour", "yeast", "oven", "crust", "loaf", "sourdough", "baking", "kneading"];
const DATABASE: [&str; 8] = ["query", "index", "migration", "column", "schema", "transaction", "join", "rows"];

fn prompt(session: &str, number: usize, text: &str) -> Value {
    let fields = json!({"sessionId": session, "message": {"role": "user", "content": text}});
    let parent = if number == 0 { String::new() } else { format!("{session}-{}", number - 1) };
    let mut prompt = record("user", &format!("{session}-{number}"), &parent, fields);
    // The time distinguishes the prompts.
    prompt["timestamp"] = json!(format!("2026-01-03T10:{:02}:{:02}.000Z", number, session.len()));
    prompt
}

/// A session with one prompt, and so one chunk, for each pair of these words.
fn session(name: &str, topic: &str, words: &[&str]) -> Vec<u8> {
    let pairs = (0..words.len()).flat_map(|a| (a + 1..words.len()).map(move |b| (words[a], words[b])));
    let texts = pairs.map(|(a, b)| format!("the {a} and the {b} of {topic}"));
    lines(&texts.enumerate().map(|(number, text)| prompt(name, number, &text)).collect::<Vec<_>>())
}

fn cluster(desk: &mut Desk) -> TestResult<ClustersMade> {
    Ok(clusters::run(&mut desk.views, StaticTable::shipped().model(), &mut |_| {})?)
}

/// The beginnings of the members' texts, by the label of their cluster.
fn members(desk: &Desk) -> TestResult<BTreeMap<String, BTreeSet<String>>> {
    let view = desk.views.read();
    let mut members: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for cluster in view.clusters()? {
        for (chunk, _) in view.members_of(cluster.id, usize::MAX)? {
            let text = view.body(chunk)?.and_then(|body| body.parts.first().map(|part| part.text.clone()));
            members.entry(cluster.label.clone()).or_default().extend(text);
        }
    }
    Ok(members)
}

/// Two topics, read in this order.
fn two_topics(desk: &mut Desk, database_first: bool) -> TestResult {
    let mut files = [
        ("bread.jsonl", session("bread", "bread dough", &BREAD)),
        ("data.jsonl", session("data", "a database table", &DATABASE)),
    ];
    if database_first {
        files.reverse();
    }
    for (name, bytes) in files {
        desk.write(name, &bytes)?;
        desk.ingest()?;
    }
    Ok(())
}

fn holding<'a>(members: &'a BTreeMap<String, BTreeSet<String>>, text: &str) -> Vec<(&'a String, usize)> {
    let with = members.iter().filter(|(_, texts)| texts.iter().any(|member| member.contains(text)));
    with.map(|(label, texts)| (label, texts.len())).collect()
}

#[test]
fn two_topics_are_two_clusters_in_any_order() -> TestResult {
    let mut desk = Desk::new()?;
    two_topics(&mut desk, false)?;
    let made = cluster(&mut desk)?;
    assert_eq!((made.chunks, made.clusters), (56, 2));
    let found = members(&desk)?;
    let (bread, data) = (holding(&found, "bread"), holding(&found, "database"));
    assert!(matches!((bread.as_slice(), data.as_slice()), ([(_, 20..)], [(_, 20..)])), "{found:#?}");
    assert_ne!(bread, data);
    assert!(bread[0].0.contains("bread") && data[0].0.contains("table"), "{found:#?}");

    let rows = desk.views.read().clusters()?;
    desk.start_over()?;
    two_topics(&mut desk, true)?;
    cluster(&mut desk)?;
    assert_eq!(members(&desk)?, found);
    assert_eq!(desk.views.read().clusters()?, rows);
    Ok(())
}

fn ids(desk: &Desk) -> TestResult<BTreeSet<ChunkId>> {
    let mut ids = BTreeSet::new();
    for cluster in desk.views.read().clusters()? {
        ids.extend(desk.views.read().members_of(cluster.id, usize::MAX)?.into_iter().map(|(id, _)| id));
    }
    Ok(ids)
}

#[test]
fn a_new_chunk_joins_and_a_replaced_one_is_gone() -> TestResult {
    let mut desk = Desk::new()?;
    two_topics(&mut desk, false)?;
    cluster(&mut desk)?;
    let before = ids(&desk)?;

    desk.write("new.jsonl", &lines(&[prompt("new", 0, "please, the crust and the yeast of bread dough")]))?;
    desk.ingest()?;
    let joined: Vec<ChunkId> = ids(&desk)?.difference(&before).copied().collect();
    assert_eq!(joined.len(), 1);
    let of_new = desk.views.read().cluster_of(joined[0])?;
    assert_eq!(holding(&members(&desk)?, "please").len(), 1);
    assert!(of_new.is_some());

    let answer = record(
        "assistant",
        "new-a",
        "new-0",
        json!({"sessionId": "new", "message": {"id": "m", "role": "assistant", "content": [{"type": "text", "text": "It is in the oven."}]}}),
    );
    desk.append("new.jsonl", &lines(&[answer]))?;
    desk.ingest()?;
    assert_eq!(desk.views.read().cluster_of(joined[0])?, None, "its turn went on, so it was replaced");
    assert!(!ids(&desk)?.contains(&joined[0]));
    desk.check_whole()
}

#[test]
fn few_chunks_make_no_clusters() -> TestResult {
    let mut desk = Desk::new()?;
    assert_eq!(cluster(&mut desk)?, ClustersMade::default());
    desk.write("bread.jsonl", &session("bread", "bread dough", &BREAD))?;
    desk.ingest()?;
    assert_eq!(cluster(&mut desk)?, ClustersMade { chunks: 28, clusters: 0, members: 0 });
    assert!(desk.views.read().clusters()?.is_empty());
    Ok(())
}

#[test]
fn seed_mode_adds_siblings() -> TestResult {
    let mut desk = Desk::new()?;
    two_topics(&mut desk, false)?;
    cluster(&mut desk)?;
    let mut found = |mode: Ranking| -> TestResult<Vec<SearchItem>> {
        // Ranks by words alone, because vectors would find siblings without the word.
        let ranking = Ranking { vectors: 0.0, ..mode };
        let question = Search { limit: 60, budget: 20_000, ranking, ..Search::new("sourdough") };
        let found = search(&mut desk.log, &desk.views, &mut StaticTable::shipped(), &question)?;
        Ok(found.items.into_iter().filter(|item| item.score.cluster.is_some()).collect())
    };
    assert!(found(Ranking::default())?.is_empty());
    let siblings = found(Ranking::seed())?;
    assert!(!siblings.is_empty());
    for item in siblings {
        assert!(item.shown.text.contains("bread dough"), "{}", item.shown.text);
        // A sibling scores no more than the best hit, which was found by its words alone.
        assert!(item.score.words_rank.is_none() && item.score.score <= 1.0 / 61.0, "{:?}", item.score);
    }
    Ok(())
}
