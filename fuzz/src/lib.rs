//! What every target does with its bytes.

use std::path::Path;

use backstory_engine::derive;
use backstory_engine::ingest::{Format, IngestReport, Ingester, Projects, ReadOptions};
use backstory_engine::log::Log;
use backstory_engine::store::ViewStore;

/// Reads the bytes as this format into a log of their own, derives from it and
/// checks it. Bad input is a problem in the report; anything else is a bug.
pub fn feed(format: Format, mut bytes: &[u8]) {
    let mut log = Log::open_in_memory().expect("a log in memory");
    let mut views = ViewStore::open_in_memory().expect("views in memory");
    let (name, folder) = ("s1.jsonl", Path::new("/nowhere"));
    let (mut projects, mut report) = (Projects::default(), IngestReport::default());
    let options = ReadOptions::default();
    Ingester { log: &mut log, projects: &mut projects, options, report: &mut report }
        .stream(name, folder, Some(format), &mut bytes)
        .expect("only a failing log is an error");
    derive::refresh(&mut log, &mut views, derive::Vectors::Shipped, &mut |_| {}).expect("every log can be folded");
    assert_eq!(log.verify().expect("a log that can be read").fault, None);
}
