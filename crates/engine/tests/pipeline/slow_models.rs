//! Vectors of models that are too slow to run during a refresh.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use backstory_engine::derive::{STAGES, Vectors};
use backstory_engine::ingest::{InputPlace, find};
use backstory_engine::log::Selector;
use backstory_engine::model::{Timestamp, digest_of};
use backstory_engine::store::{Memo, text_key};
use backstory_engine::{Embedded, Memory, MemoryError};
use backstory_language::embed::{EmbedError, Embedder, StaticTable};

type TestResult<T = ()> = Result<T, Box<dyn std::error::Error>>;

const DIM: usize = 4;
/// More than two batches.
const LINES: usize = 150;

/// Gives each text a unique vector.
#[derive(Default)]
struct Slow {
    asked: Vec<String>,
    /// Fails after this many calls.
    timeout: Option<usize>,
    /// Runs during a model call.
    meanwhile: Option<Box<dyn FnMut()>>,
    calls: usize,
}

fn vector(text: &str) -> Vec<f32> {
    let digest = digest_of("slow", &[text.as_bytes()]);
    let raw: Vec<f32> = digest.0.iter().take(DIM).map(|byte| f32::from(*byte) + 1.0).collect();
    let length = raw.iter().map(|value| value * value).sum::<f32>().sqrt();
    raw.iter().map(|value| value / length).collect()
}

impl Embedder for Slow {
    fn model(&self) -> &str {
        "slow-1"
    }

    fn dim(&self) -> usize {
        DIM
    }

    fn embed(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        if self.timeout.is_some_and(|timeout| self.calls >= timeout) {
            return Err(EmbedError::NoAnswer("tired".to_owned()));
        }
        self.calls += 1;
        if let Some(meanwhile) = &mut self.meanwhile {
            meanwhile();
        }
        self.asked.extend(texts.iter().map(|text| (*text).to_owned()));
        Ok(texts.iter().map(|text| vector(text)).collect())
    }
}

fn line(number: usize) -> String {
    format!("saying number {number}")
}

/// A home with an ingested transcript and no vectors.
fn home() -> TestResult<(tempfile::TempDir, PathBuf, Memory)> {
    let folder = tempfile::tempdir()?;
    let home = folder.path().join("home");
    let talk: String = (0..LINES).map(|number| format!("Ana: {}\n", line(number))).collect();
    fs::write(folder.path().join("talk.txt"), talk)?;
    let mut memory = open(&home)?;
    let found = find(&[InputPlace::Given(folder.path().join("talk.txt"))], None);
    memory.ingest(&found.tasks, found.problems, &mut |_, _| {})?;
    memory.refresh(&mut |_| {})?;
    Ok((folder, home, memory))
}

fn open(home: &Path) -> TestResult<Memory> {
    let mut memory = Memory::open(home)?;
    memory.set_vectors(Vectors::Later);
    Ok(memory)
}

fn waiting(memory: &Memory) -> TestResult<u64> {
    Ok(memory.waiting_for_vectors("slow-1")?)
}

#[test]
fn every_batch_is_kept_and_no_text_is_embedded_twice() -> TestResult {
    let (_folder, _, mut memory) = home()?;
    let passages = waiting(&memory)?;
    assert!(passages > 128, "{passages} passages make no three batches");
    assert_eq!(memory.views().read().vectors_of(StaticTable::shipped().model())?, None, "nobody needs those");
    let mut tired = Slow { timeout: Some(1), ..Slow::default() };
    assert!(matches!(memory.embed_pending(&mut tired, &mut |_, _| {}), Err(MemoryError::Embed(_))));
    assert_eq!(waiting(&memory)?, passages - 64);
    let mut heard = Vec::new();
    let mut slow = Slow::default();
    assert_eq!(memory.embed_pending(&mut slow, &mut |made, of| heard.push((made, of)))?, Embedded::Done);
    assert_eq!((heard.first(), heard.last()), (Some(&(64, passages)), Some(&(passages, passages))));
    let all: HashSet<String> = tired.asked.iter().chain(&slow.asked).cloned().collect();
    assert_eq!(all.len() as u64, passages);
    assert_eq!((tired.asked.len() + slow.asked.len()) as u64, passages);

    let matrix = memory.views().read().index("slow-1")?.vectors.map_err(|damage| damage.to_string())?;
    for (doc, text) in (0..).zip(tired.asked.iter().chain(&slow.asked)) {
        let kept = matrix.vector(doc).unwrap_or_default();
        // Equal up to quantisation.
        let is_close = kept.iter().zip(vector(text)).all(|(kept, exact)| (kept - exact).abs() < 0.005);
        assert!(kept.len() == DIM && is_close, "{text}: {kept:?}");
    }
    let rows: Vec<_> = (0..passages as u32).map(|doc| matrix.vector(doc)).collect();
    memory.rebuild(None, &mut |_| {})?;
    let mut silent = Slow { timeout: Some(0), ..Slow::default() };
    memory.embed_pending(&mut silent, &mut |_, _| {})?;
    let again = memory.views().read().index("slow-1")?.vectors.map_err(|damage| damage.to_string())?;
    assert!(rows.iter().enumerate().all(|(doc, row)| again.vector(doc as u32) == *row), "the memo gives the same rows");
    Ok(())
}

#[test]
fn the_table_fills_in_what_it_missed() -> TestResult {
    let (_folder, home, memory) = home()?;
    let passages = waiting(&memory)?;
    drop(memory);
    let mut memory = Memory::open(&home)?;
    memory.refresh(&mut |_| {})?;
    let made = memory.views().read().vectors_of(StaticTable::shipped().model())?;
    assert_eq!(made, Some((256, passages as u32)));
    Ok(())
}

/// New passages do not take the rows of earlier ones without vectors.
#[test]
fn the_table_fills_in_what_it_missed_before_what_is_new() -> TestResult {
    let (folder, home, memory) = home()?;
    let passages = waiting(&memory)? as u32;
    drop(memory);
    let mut memory = Memory::open(&home)?;
    fs::write(folder.path().join("more.txt"), "Ana: one thing more\nBob: and another\n")?;
    let found = find(&[InputPlace::Given(folder.path().join("more.txt"))], None);
    memory.ingest(&found.tasks, found.problems, &mut |_, _| {})?;
    memory.refresh(&mut |_| {})?;
    let mut table = StaticTable::shipped();
    let index = memory.views().read().index(table.model())?;
    let matrix = index.vectors.map_err(|damage| damage.to_string())?;
    assert!(matrix.rows() > passages && matrix.rows() == index.state.docs);
    let query = table.embed(&["one thing more"])?.remove(0);
    let best = (0..matrix.rows()).max_by(|a, b| matrix.cosine(&query, *a).total_cmp(&matrix.cosine(&query, *b)));
    assert_eq!(best, Some(passages));
    Ok(())
}

/// The lock is free while the model runs, so the views may change.
#[test]
fn what_was_numbered_anew_meanwhile_is_embedded_anew() -> TestResult {
    let (_folder, home, mut memory) = home()?;
    let passages = waiting(&memory)?;
    let mut rebuilt = false;
    let meanwhile = move || {
        if !std::mem::replace(&mut rebuilt, true) {
            let done = open(&home).and_then(|mut other| Ok(other.rebuild(Some(STAGES[2]), &mut |_| {})?));
            assert!(done.is_ok(), "{:?}", done.err());
        }
    };
    let mut slow = Slow { meanwhile: Some(Box::new(meanwhile)), ..Slow::default() };
    memory.embed_pending(&mut slow, &mut |_, _| {})?;
    assert_eq!(waiting(&memory)?, 0);
    assert_eq!(slow.asked.len() as u64, passages + 64, "the first batch came too late");
    Ok(())
}

#[test]
fn one_process_embeds_at_a_time() -> TestResult {
    let (_folder, home, mut memory) = home()?;
    let meanwhile = move || {
        let mut never = Slow { timeout: Some(0), ..Slow::default() };
        let other = open(&home).and_then(|mut other| Ok(other.embed_pending(&mut never, &mut |_, _| {})?));
        assert!(matches!(other, Ok(Embedded::ByAnother)), "{:?}", other.err());
    };
    memory.embed_pending(&mut Slow { meanwhile: Some(Box::new(meanwhile)), ..Slow::default() }, &mut |_, _| {})?;
    assert_eq!(waiting(&memory)?, 0);
    Ok(())
}

#[test]
fn forgetting_takes_the_vector_and_leaves_the_others() -> TestResult {
    let (_folder, home, mut memory) = home()?;
    memory.embed_pending(&mut Slow::default(), &mut |_, _| {})?;
    let bytes: Vec<u8> = vector(&line(99)).iter().flat_map(|value| value.to_le_bytes()).collect();
    assert!(super::forgetting::found_in(&home, &bytes), "the test would prove nothing otherwise");

    let plan = memory.plan_forget(&Selector { query: Some(line(99)), ..Selector::default() })?;
    assert_eq!(plan.events(), 1);
    memory.forget(&plan, Timestamp(0))?;
    let mut slow = Slow::default();
    memory.embed_pending(&mut slow, &mut |_, _| {})?;
    assert!(slow.asked.is_empty(), "{:?}", slow.asked);
    drop(memory);
    assert!(!super::forgetting::found_in(&home, &bytes));
    let memo = Memo::open(&home.join("memo.sqlite"))?;
    assert_eq!(memo.vector("slow-1", text_key(&line(99)))?, None);
    assert_eq!(memo.vector("slow-1", text_key(&line(98)))?, Some(vector(&line(98))));
    Ok(())
}

/// The vectors in the memo may have taken hours.
#[test]
fn forgetting_with_broken_views_leaves_the_other_vectors() -> TestResult {
    let (_folder, home, mut memory) = home()?;
    memory.embed_pending(&mut Slow::default(), &mut |_, _| {})?;
    let kept = Memo::open(&home.join("memo.sqlite"))?.count()?;
    let plan = memory.plan_forget(&Selector { query: Some(line(99)), ..Selector::default() })?;
    let views = rusqlite::Connection::open(home.join("views/memory.sqlite"))?;
    views.execute_batch("DROP TABLE index_state")?;
    memory.forget(&plan, Timestamp(0))?;
    assert_eq!(Memo::open(&home.join("memo.sqlite"))?.count()?, kept - 1);
    Ok(())
}

#[test]
fn a_chunk_with_half_its_vectors_joins_no_cluster_yet() -> TestResult {
    let (folder, _, mut memory) = home()?;
    memory.embed_pending(&mut Slow::default(), &mut |_, _| {})?;
    memory.make_clusters("slow-1", &mut |_| {})?;
    for (name, lines) in [("more", 150), ("last", 1)] {
        let talk: String = (0..lines).map(|number| format!("Bob: {name} {}\n", line(number))).collect();
        let path = folder.path().join(format!("{name}.txt"));
        fs::write(&path, talk)?;
        let found = find(&[InputPlace::Given(path)], None);
        memory.ingest(&found.tasks, found.problems, &mut |_, _| {})?;
        memory.refresh(&mut |_| {})?;
        assert!(memory.embed_pending(&mut Slow { timeout: Some(1), ..Slow::default() }, &mut |_, _| {}).is_err());
    }
    memory.refresh(&mut |_| {})?;
    let view = memory.views().read();
    let docs = view.docs(view.index_state()?.docs)?;
    let is_inside = |doc: u32| docs.get(doc - 1).map(|doc| doc.chunk) == docs.get(doc).map(|doc| doc.chunk);
    let rows = view.vectors_of("slow-1")?.map_or(0, |(_, rows)| rows);
    assert!(is_inside(rows - 64), "the test would prove nothing otherwise");
    let looked_at = view.cluster_state()?.map_or(0, |state| state.docs);
    assert!(looked_at < rows && !is_inside(looked_at), "{looked_at} of {rows}");
    Ok(())
}
