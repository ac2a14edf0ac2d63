//! The index is in files beside the views: what if they are changed or lost?

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use backstory_engine::Memory;
use backstory_engine::ingest::{InputPlace, find};
use backstory_engine::model::Timestamp;
use backstory_engine::store::StoreError;
use backstory_language::embed::{Embedder, StaticTable};

use crate::desk::assert_same;

type TestResult<T = ()> = Result<T, Box<dyn Error>>;

/// A home, and a folder with transcripts to read.
struct House {
    folder: tempfile::TempDir,
}

impl House {
    fn new() -> TestResult<Self> {
        Ok(House { folder: tempfile::tempdir()? })
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    fn open(&self) -> TestResult<Memory> {
        Ok(Memory::open(&self.home())?)
    }

    /// Ingests the first `lines` of a transcript.
    fn hear(&self, memory: &mut Memory, talk: &str, lines: usize) -> TestResult {
        let text: String = (0..lines).map(|line| format!("Ana: {talk} is word{line}, and bread\n")).collect();
        self.hear_text(memory, talk, &text)
    }

    fn hear_text(&self, memory: &mut Memory, talk: &str, text: &str) -> TestResult {
        let path = self.folder.path().join(format!("{talk}.txt"));
        fs::write(&path, text)?;
        let found = find(&[InputPlace::Given(path)], None);
        memory.ingest(&found.tasks, found.problems, &mut |_, _| {})?;
        memory.refresh(&mut |_| {})?;
        Ok(())
    }

    fn index_files(&self, prefix: &str) -> TestResult<Vec<PathBuf>> {
        let folder = self.home().join("views/index");
        let mut paths: Vec<PathBuf> = fs::read_dir(folder)?.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(prefix)));
        paths.sort();
        Ok(paths)
    }
}

/// The number of passages with a word.
fn with_word(memory: &Memory, word: &str) -> TestResult<usize> {
    let snapshot = memory.views().snapshot()?;
    let index = snapshot.read().index("")?;
    let words = index.words.map_err(|damage| damage.to_string())?;
    Ok(words.postings(word.as_bytes()).filter(|posting| !index.gone.contains(&posting.doc)).count())
}

fn remove_views(home: &Path) -> TestResult {
    for suffix in ["", "-wal", "-shm"] {
        match fs::remove_file(home.join(format!("views/memory.sqlite{suffix}"))) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    Ok(())
}

#[test]
fn index_files_that_outlived_their_views_do_no_harm() -> TestResult {
    let house = House::new()?;
    let mut memory = house.open()?;
    house.hear(&mut memory, "weather", 40)?;
    let index = memory.views().read().index("")?;
    let before = (index.state, with_word(&memory, "word7")?);
    drop(memory);

    remove_views(&house.home())?;
    // Leftovers of an earlier, longer run, under file names that are reused.
    for path in house.index_files("")? {
        let longer = [fs::read(&path)?, vec![0xAB; 4096]].concat();
        fs::write(&path, longer)?;
    }
    let mut memory = house.open()?;
    memory.refresh(&mut |_| {})?;
    assert_eq!((memory.views().read().index("")?.state, with_word(&memory, "word7")?), before);
    assert_eq!(index.words.map_err(|damage| damage.to_string())?.postings(b"word7").count(), 1, "still mapped");
    Ok(())
}

/// A failed write does not mean that the index is damaged.
#[cfg(unix)]
#[test]
fn an_index_that_cannot_be_written_now_is_kept() -> TestResult {
    let house = House::new()?;
    let mut memory = house.open()?;
    house.hear(&mut memory, "weather", 10)?;
    let before = memory.views().read().index_state()?;
    let docs = house.index_files("docs-")?.pop().ok_or("no docs")?;
    // A folder in its place, which not even root can write to.
    let aside = docs.with_file_name("aside");
    fs::rename(&docs, &aside)?;
    fs::create_dir(&docs)?;
    assert!(house.hear(&mut memory, "harvest", 10).is_err());
    assert_eq!(memory.views().read().index_state()?, before);
    fs::remove_dir(&docs)?;
    fs::rename(&aside, &docs)?;
    house.hear(&mut memory, "harvest", 10)?;
    assert_eq!(memory.views().read().index_state()?.generation, before.generation);
    assert_eq!(with_word(&memory, "bread")?, 20);
    Ok(())
}

#[test]
fn files_stay_as_long_as_a_reader_may_open_them() -> TestResult {
    let house = House::new()?;
    let mut memory = house.open()?;
    house.hear(&mut memory, "weather", 10)?;
    let other = house.open()?;
    let snapshot = other.views().snapshot()?;
    let seen = snapshot.read().index_state()?;
    memory.rebuild(None, &mut |_| {})?;
    let index = snapshot.read().index("")?;
    assert_eq!(index.state, seen);
    assert_eq!(index.words.map_err(|damage| damage.to_string())?.postings(b"bread").count(), 10);
    drop(snapshot);
    assert!(house.index_files("words-")?.len() > 1);
    memory.tidy()?;
    assert_eq!(house.index_files("words-")?.len(), 1);
    Ok(())
}

/// Changes the byte at a position.
fn flip(path: &Path, at: usize, with: u8) -> TestResult {
    let mut bytes = fs::read(path)?;
    let at = at % bytes.len();
    bytes[at] ^= with;
    Ok(fs::write(path, bytes)?)
}

fn wait_for_the_clock() {
    // Files written within one tick of the clock have the same time.
    std::thread::sleep(std::time::Duration::from_millis(20));
}

#[test]
fn a_changed_byte_is_noticed_and_the_other_half_answers() -> TestResult {
    let house = House::new()?;
    let mut memory = house.open()?;
    house.hear(&mut memory, "weather", 30)?;
    let model = StaticTable::shipped().model().to_owned();
    wait_for_the_clock();
    for (prefix, at) in [("words-", 40), ("vectors-", 1000)] {
        let path = house.index_files(prefix)?.pop().ok_or("no file")?;
        flip(&path, at, 8)?;
        let index = memory.views().read().index(&model)?;
        let (damaged, other) = (index.words.as_ref().err(), index.vectors.as_ref().err());
        let (damaged, other) = if prefix == "words-" { (damaged, other) } else { (other, damaged) };
        assert_eq!(damaged.map(|damage| damage.reason), Some("not what was written"), "{prefix}");
        assert_eq!(other, None);
        flip(&path, at, 8)?;
        assert!(memory.views().read().index(&model)?.words.is_ok(), "whole again, whenever it was written");
    }
    flip(&house.index_files("docs-")?[0], 100, 1)?;
    assert!(matches!(memory.views().read().index(&model), Err(StoreError::Index(_))));
    house.hear(&mut memory, "harvest", 5)?;
    assert_eq!(with_word(&memory, "bread")?, 35, "the next writer recreates it");
    Ok(())
}

#[test]
fn damaged_signs_are_made_anew_with_the_next_passages() -> TestResult {
    let house = House::new()?;
    let mut memory = house.open()?;
    house.hear(&mut memory, "weather", 30)?;
    let model = StaticTable::shipped().model().to_owned();
    wait_for_the_clock();
    flip(&house.index_files("signs-")?[0], 100, 1)?;
    assert!(memory.views().read().index(&model)?.vectors.is_ok(), "the matrix says the same");
    let generation = memory.views().read().index_state()?.generation;
    house.hear(&mut memory, "harvest", 5)?;
    assert!(memory.views().read().index_state()?.generation > generation);
    assert_eq!(with_word(&memory, "bread")?, 35);
    Ok(())
}

/// Damage is reported, wherever it is, and never spreads into a merge.
#[test]
fn no_byte_of_a_segment_makes_anyone_stumble() -> TestResult {
    let house = House::new()?;
    let mut memory = house.open()?;
    house.hear(&mut memory, "weather", 12)?;
    let path = house.index_files("words-")?.pop().ok_or("no segment")?;
    let whole = fs::read(&path)?;
    wait_for_the_clock();
    for at in 0..whole.len() {
        flip(&path, at, 1 << (at % 8))?;
        assert!(memory.views().read().index("")?.words.is_err(), "byte {at}");
        fs::write(&path, &whole)?;
    }
    flip(&path, whole.len() / 3, 16)?;
    house.hear(&mut memory, "harvest", 12)?;
    assert_eq!(house.index_files("words-")?.len(), 2, "nothing was merged");
    assert!(memory.views().read().index("")?.words.is_err());
    memory.rebuild(None, &mut |_| {})?;
    assert_eq!(with_word(&memory, "bread")?, 24);
    Ok(())
}

/// Fills a third of a file with noise; length and time stay the same.
fn rot(path: &Path) -> TestResult {
    let written = fs::metadata(path)?.modified()?;
    let mut bytes = fs::read(path)?;
    let third = bytes.len() / 3;
    bytes[third..2 * third]
        .iter_mut()
        .enumerate()
        .for_each(|(at, byte)| *byte = byte.wrapping_mul(31) ^ at as u8 ^ 0x5a);
    fs::write(path, bytes)?;
    Ok(fs::File::options().write(true).open(path)?.set_modified(written)?)
}

#[test]
fn rot_that_keeps_the_time_is_found_and_mended_once_a_day() -> TestResult {
    let day = |number: i64| Timestamp(number * 24 * 60 * 60 * 1000);
    for prefix in ["docs-", "heads-", "words-", "vectors-", "signs-"] {
        let house = House::new()?;
        let mut memory = house.open()?;
        house.hear(&mut memory, "weather", 40)?;
        let before = memory.views().read().dump()?;
        assert!(memory.check_daily(day(1))?.is_empty());
        drop(memory);
        rot(&house.index_files(prefix)?.pop().ok_or(prefix)?)?;
        let mut memory = house.open()?;
        assert!(memory.flaws()?.files[0].contains(prefix), "{prefix}");
        assert!(memory.check_daily(day(1))?.is_empty(), "checked today");
        assert_eq!(memory.check_daily(day(2))?.files.len(), 1, "{prefix}");
        assert!(memory.flaws()?.is_empty());
        assert_same(&memory.views().read().dump()?, &before, prefix);
    }
    Ok(())
}

/// Rows that vanish from any stage are detected, reported and derived again by a refresh.
#[test]
fn rows_that_vanish_are_noticed_and_come_back() -> TestResult {
    let house = House::new()?;
    let mut memory = house.open()?;
    house.hear(&mut memory, "weather", 40)?;
    let asked = |door| format!("Ana: can you open door {door} for me now?\nBo: yes, door {door} is open now\n");
    house.hear_text(&mut memory, "doors", &(0..200).map(asked).collect::<String>())?;
    drop(memory);
    for (table, stage) in [("passages", "index"), ("causal_links", "links"), ("edges", "graph"), ("chunks", "chunk")] {
        let connection = rusqlite::Connection::open(house.home().join("views/memory.sqlite"))?;
        // A checkpoint by this connection would change pages without updating their checksums.
        connection.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        let gone = connection.execute(&format!("DELETE FROM {table} WHERE rowid % 2"), []);
        let gone = gone.or_else(|_| connection.execute(&format!("DELETE FROM {table}"), []))?;
        assert!(gone > 0, "{table}");
        drop(connection);
        let mut memory = house.open()?;
        let flaws = memory.flaws()?;
        assert!(flaws.gaps.iter().any(|gap| gap.stage == stage), "{table}: {flaws:?}");
        // New events, in a transcript of their own.
        house.hear(&mut memory, table, 3)?;
        assert!(memory.flaws()?.is_empty(), "{table}");
        let mine = memory.views().read().dump()?;
        memory.rebuild(None, &mut |_| {})?;
        assert_same(&mine, &memory.views().read().dump()?, table);
    }
    Ok(())
}

/// Noise in pages of the views' own file is detected, and everything is derived again.
#[test]
fn views_with_damaged_pages_are_made_again() -> TestResult {
    let day = |number: i64| Timestamp(number * 24 * 60 * 60 * 1000);
    let house = House::new()?;
    let mut memory = house.open()?;
    let asked = |door| format!("Ana: can you open door {door} for me now?\nBo: yes, door {door} is open now\n");
    house.hear_text(&mut memory, "doors", &(0..400).map(asked).collect::<String>())?;
    memory.rebuild(None, &mut |_| {})?;
    let before = memory.views().read().dump()?;
    drop(memory);
    let file = house.home().join("views/memory.sqlite");
    let whole = fs::read(&file)?;
    for page in (8..whole.len() / 4096).step_by(7) {
        remove_views(&house.home())?;
        let mut bytes = whole.clone();
        bytes[page * 4096..(page + 1) * 4096].fill(0xa5);
        fs::write(&file, bytes)?;
        let mut memory = house.open()?;
        memory.check_daily(day(page as i64))?;
        memory.repair(day(page as i64))?;
        memory.refresh(&mut |_| {})?;
        assert!(memory.flaws()?.is_empty(), "page {page}");
        assert_same(&memory.views().read().dump()?, &before, "views after damage");
    }
    Ok(())
}

/// One changed byte inside a row, which SQLite does not notice.
#[test]
fn a_changed_byte_in_a_row_is_found_and_mended() -> TestResult {
    let day = |number: i64| Timestamp(number * 24 * 60 * 60 * 1000);
    let house = House::new()?;
    let mut memory = house.open()?;
    house.hear(&mut memory, "weather", 40)?;
    memory.tidy()?;
    let before = memory.views().read().dump()?;
    assert!(memory.flaws()?.is_empty());
    drop(memory);
    let file = house.home().join("views/memory.sqlite");
    for page in (1..fs::read(&file)?.len() / 4096).step_by(3) {
        let mut bytes = fs::read(&file)?;
        // Rows are at the end of their page.
        bytes[(page + 1) * 4096 - 9] ^= 0x20;
        fs::write(&file, bytes)?;
        let mut memory = house.open()?;
        memory.repair(day(page as i64))?;
        memory.refresh(&mut |_| {})?;
        assert!(memory.flaws()?.is_empty(), "page {page}");
        assert_same(&memory.views().read().dump()?, &before, "views after damage");
        house.hear(&mut memory, "weather", 40)?;
        memory.tidy()?;
        assert!(memory.flaws()?.is_empty(), "page {page}, after more was written");
    }
    Ok(())
}

/// Writing to a damaged page must not make it count as sound.
#[test]
fn damage_is_found_after_its_page_was_written_to() -> TestResult {
    let day = |number: i64| Timestamp(number * 24 * 60 * 60 * 1000);
    let house = House::new()?;
    let mut memory = house.open()?;
    house.hear(&mut memory, "weather", 40)?;
    memory.tidy()?;
    drop(memory);
    let file = house.home().join("views/memory.sqlite");
    for page in (1..fs::read(&file)?.len() / 4096).step_by(6) {
        let mut bytes = fs::read(&file)?;
        bytes[(page + 1) * 4096 - 9] ^= 0x20;
        fs::write(&file, bytes)?;
        let mut memory = house.open()?;
        // Some damage prevents SQLite from writing at all.
        let _ = house.hear(&mut memory, &format!("talk {page}"), 10);
        let _ = memory.tidy();
        memory.repair(day(page as i64))?;
        memory.refresh(&mut |_| {})?;
        let mine = memory.views().read().dump()?;
        memory.rebuild(None, &mut |_| {})?;
        assert_same(&mine, &memory.views().read().dump()?, &format!("page {page}"));
        memory.tidy()?;
    }
    Ok(())
}

/// A checksum file that is not a regular file, or far too long, is not read.
#[cfg(unix)]
#[test]
fn checksums_that_are_no_file_count_for_nothing() -> TestResult {
    let house = House::new()?;
    let mut memory = house.open()?;
    house.hear(&mut memory, "weather", 40)?;
    memory.tidy()?;
    let sums = house.home().join("views/memory.sqlite-sums");
    let outside = house.home().join("outside");
    fs::write(&outside, "precious")?;
    fs::remove_file(&sums)?;
    std::os::unix::fs::symlink(&outside, &sums)?;
    assert!(memory.flaws()?.is_empty());
    memory.repair(Timestamp(0))?;
    assert_eq!(fs::read_to_string(&outside)?, "precious");
    assert!(fs::symlink_metadata(&sums)?.is_file());
    fs::File::options().write(true).open(&sums)?.set_len(3 << 30)?;
    assert!(memory.flaws()?.is_empty());
    Ok(())
}

/// A power cut may leave zeros in a file that is longer than its valid part: appending must not
/// make them count as valid.
#[test]
fn zeros_in_a_longer_file_are_not_appended_to() -> TestResult {
    let house = House::new()?;
    let mut memory = house.open()?;
    house.hear(&mut memory, "weather", 40)?;
    drop(memory);
    wait_for_the_clock();
    for path in house.index_files("")? {
        let bytes = fs::read(&path)?;
        fs::write(&path, vec![0; bytes.len() + 64])?;
    }
    let mut memory = house.open()?;
    house.hear(&mut memory, "harvest", 10)?;
    assert!(memory.flaws()?.is_empty());
    assert_eq!(with_word(&memory, "bread")?, 50);
    Ok(())
}
