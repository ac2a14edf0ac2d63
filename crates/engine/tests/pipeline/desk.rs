//! Session files in a folder of their own, and a memory that reads them.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use backstory_engine::derive;
use backstory_engine::ingest::{FileTask, FoundFiles, IngestReport, Ingester, InputPlace, Projects, ReadOptions, find};
use backstory_engine::log::Log;
use backstory_engine::store::ViewStore;
use serde_json::{Value, json};

pub type TestResult<T = ()> = Result<T, Box<dyn Error>>;

pub struct Desk {
    folder: tempfile::TempDir,
    pub log: Log,
    pub views: ViewStore,
    /// Advances with every write: two writes within one tick of the real clock must get different times.
    ticks: u64,
}

impl Desk {
    pub fn new() -> TestResult<Self> {
        let folder = tempfile::tempdir()?;
        fs::create_dir(folder.path().join("sessions"))?;
        Ok(Desk { folder, log: Log::open_in_memory()?, views: ViewStore::open_in_memory()?, ticks: 0 })
    }

    /// Starts with a new log in the same folder: without a repository the folder is the project, so
    /// another folder would be another project.
    pub fn start_over(&mut self) -> TestResult {
        fs::remove_dir_all(self.sessions())?;
        fs::create_dir(self.sessions())?;
        self.log = Log::open_in_memory()?;
        self.views = ViewStore::open_in_memory()?;
        Ok(())
    }

    /// A desk with one file, already read.
    pub fn with(name: &str, bytes: &[u8]) -> TestResult<Self> {
        let mut desk = Desk::new()?;
        desk.write(name, bytes)?;
        desk.ingest()?;
        Ok(desk)
    }

    pub fn sessions(&self) -> PathBuf {
        self.folder.path().join("sessions")
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.sessions().join(name)
    }

    pub fn write(&mut self, name: &str, bytes: &[u8]) -> TestResult {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("/")))?;
        fs::write(&path, bytes)?;
        self.ticks += 1;
        let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(1_770_000_000 + self.ticks);
        fs::File::options().write(true).open(&path)?.set_modified(changed)?;
        Ok(())
    }

    pub fn append(&mut self, name: &str, bytes: &[u8]) -> TestResult {
        let mut whole = fs::read(self.path(name))?;
        whole.extend_from_slice(bytes);
        self.write(name, &whole)
    }

    /// Ingests the folder, as a user who names it does.
    pub fn ingest(&mut self) -> TestResult<IngestReport> {
        self.ingest_from(&[InputPlace::Given(self.sessions())])
    }

    pub fn ingest_from(&mut self, places: &[InputPlace]) -> TestResult<IngestReport> {
        self.ingest_found(find(places, None))
    }

    pub fn ingest_found(&mut self, found: FoundFiles) -> TestResult<IngestReport> {
        let mut report = IngestReport { problems: found.problems, ..IngestReport::default() };
        for task in &found.tasks {
            self.read_task(task, &mut report)?;
        }
        derive::refresh(&mut self.log, &mut self.views, derive::Vectors::Shipped, &mut |_| {})?;
        Ok(report)
    }

    fn read_task(&mut self, task: &FileTask, report: &mut IngestReport) -> TestResult {
        self.read_task_while(task, report, &|| true)
    }

    /// Reads while `go_on` returns true.
    pub fn read_task_while(
        &mut self,
        task: &FileTask,
        report: &mut IngestReport,
        go_on: &dyn Fn() -> bool,
    ) -> TestResult {
        let cursor = self.log.store().cursor(&task.name())?;
        let options = ReadOptions { password: None, go_on };
        let mut projects = Projects::of_log(&mut self.log)?;
        Ingester { log: &mut self.log, projects: &mut projects, options, report }.file(task, cursor.as_ref())?;
        Ok(())
    }

    pub fn event_ids(&mut self) -> TestResult<BTreeSet<String>> {
        let mut ids = BTreeSet::new();
        self.log.store().scan(0, |event| ids.insert(event.id.to_string()))?;
        Ok(ids)
    }

    /// The events' texts, in log order.
    pub fn texts(&mut self) -> TestResult<Vec<String>> {
        let mut texts = Vec::new();
        self.log.store().scan(0, |event| {
            texts.push(event.text);
            true
        })?;
        Ok(texts)
    }

    pub fn export(&mut self) -> TestResult<Vec<String>> {
        let mut bytes = Vec::new();
        self.log.export(&mut bytes)?;
        Ok(String::from_utf8(bytes)?.lines().map(str::to_owned).collect())
    }

    pub fn view_rows(&self) -> TestResult<Vec<String>> {
        Ok(self.views.read().dump()?)
    }

    /// The input's problems, as the log stores them.
    pub fn known_problems(&mut self) -> TestResult<String> {
        let problems = self.log.store().problems()?;
        Ok(self.without_folder(&problems.iter().map(|problem| format!("{problem}\n")).collect::<String>()))
    }

    pub fn described(&self, report: &IngestReport) -> String {
        self.without_folder(&report.problems.iter().map(|problem| format!("{problem}\n")).collect::<String>())
    }

    fn without_folder(&self, text: &str) -> String {
        let folder = fs::canonicalize(self.sessions()).unwrap_or_else(|_| self.sessions());
        text.replace(&*folder.to_string_lossy(), "…").replace(&*self.sessions().to_string_lossy(), "…")
    }

    /// The log verifies, every citation holds, and a rebuild gives the same views.
    pub fn check_whole(&mut self) -> TestResult {
        assert_eq!(self.log.verify()?.fault, None);
        let mut cited = Vec::new();
        self.views.read().scan_chunks(|_, body| {
            cited.extend(body.parts.iter().map(|part| part.evidence()));
            true
        })?;
        for evidence in cited {
            self.log.resolve(&evidence)?;
        }
        let mut fresh = ViewStore::open_in_memory()?;
        derive::refresh(&mut self.log, &mut fresh, derive::Vectors::Shipped, &mut |_| {})?;
        assert_same(&self.view_rows()?, &fresh.read().dump()?, "refreshed views, not rebuilt ones");
        Ok(())
    }
}

/// Whole logs are too long for a failure message: shows the differences only.
pub fn assert_same(found: &[String], expected: &[String], what: &str) {
    let only = |a: &[String], b: &[String]| a.iter().filter(|row| !b.contains(row)).cloned().collect::<Vec<_>>();
    let (extra, missing) = (only(found, expected), only(expected, found));
    assert!(found == expected, "{what}\nfound only: {extra:#?}\nexpected only: {missing:#?}");
}

/// Every file of the bundled sample, by its path within it.
pub fn demo_files() -> TestResult<Vec<(String, Vec<u8>)>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../app/demo");
    let mut folders = vec![root.clone()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push((path.strip_prefix(&root)?.to_string_lossy().into_owned(), fs::read(&path)?));
            }
        }
    }
    files.sort();
    Ok(files)
}

/// A Claude Code record of the session `s1`.
pub fn record(kind: &str, uuid: &str, parent: &str, fields: Value) -> Value {
    let mut record = json!({
        "type": kind, "uuid": uuid, "sessionId": "s1", "cwd": "/nowhere/shop", "timestamp": "2026-01-03T10:00:00.000Z",
    });
    if !parent.is_empty() {
        record["parentUuid"] = json!(parent);
    }
    for (name, value) in fields.as_object().into_iter().flatten() {
        record[name] = value.clone();
    }
    record
}

pub fn prompt(uuid: &str, parent: &str, text: &str) -> Value {
    record("user", uuid, parent, json!({"message": {"role": "user", "content": text}}))
}

pub fn said(uuid: &str, parent: &str, text: &str) -> Value {
    answer(uuid, parent, json!({"type": "text", "text": text}))
}

pub fn called(uuid: &str, parent: &str, command: &str) -> Value {
    let call =
        json!({"type": "tool_use", "id": format!("toolu_{uuid}"), "name": "Bash", "input": {"command": command}});
    answer(uuid, parent, call)
}

/// The output of the call in the record `parent`.
pub fn returned(uuid: &str, parent: &str, output: &str) -> Value {
    let result = json!({"type": "tool_result", "tool_use_id": format!("toolu_{parent}"), "content": output});
    record("user", uuid, parent, json!({"message": {"role": "user", "content": [result]}}))
}

fn answer(uuid: &str, parent: &str, block: Value) -> Value {
    let message = json!({"id": format!("msg_{uuid}"), "role": "assistant", "content": [block]});
    record("assistant", uuid, parent, json!({"message": message}))
}

pub fn lines(records: &[Value]) -> Vec<u8> {
    records.iter().flat_map(|record| format!("{record}\n").into_bytes()).collect()
}

pub fn gzip(bytes: &[u8]) -> TestResult<Vec<u8>> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut encoder, bytes)?;
    Ok(encoder.finish()?)
}
