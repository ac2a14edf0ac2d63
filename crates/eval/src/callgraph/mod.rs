//! Does the call graph contain exactly the calls that a compiler or an analyser knows?

mod java;
mod python;

use std::error::Error;
use std::path::Path;

use backstory_code::{Graph, ParsedFile, parse, resolve};

/// Where the known edges come from.
#[derive(Clone, Copy, clap::ValueEnum)]
pub enum Truth {
    /// Bytecode: precision and recall
    Java,
    /// An analyser that finds many of the calls: recall
    Python,
}

pub fn run(truth: Truth, checkout: &Path, edges: &Path) -> Result<(), Box<dyn Error>> {
    let code = Code::read(checkout)?;
    let rows: Vec<serde_json::Value> = crate::input::rows(edges)?;
    match truth {
        Truth::Java => java::measure(&code, &rows),
        Truth::Python => python::measure(&code, &rows),
    }
    Ok(())
}

struct Code {
    files: Vec<ParsedFile>,
    graph: Graph,
}

impl Code {
    fn read(checkout: &Path) -> Result<Self, Box<dyn Error>> {
        let mut files = Vec::new();
        for path in crate::phase::files(checkout) {
            let name = path.strip_prefix(checkout)?.to_string_lossy().replace('\\', "/");
            if !name.starts_with(".git/") {
                files.push(parse(&name, &std::fs::read(&path)?));
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let graph = resolve(&files);
        Ok(Self { files, graph })
    }
}

/// A text field of a row; empty if missing.
fn text<'a>(row: &'a serde_json::Value, name: &str) -> &'a str {
    row[name].as_str().unwrap_or_default()
}

fn share(hits: usize, of: usize) -> f64 {
    hits as f64 / of.max(1) as f64
}
