//! Measures the graph against call edges that are known, and shows what it found.
//!
//! ```text
//! callgraph java  <checkout> <edges.jsonl.gz>   precision and recall against bytecode
//! callgraph python <checkout> <edges.jsonl.gz>  recall against an analyser
//! callgraph callers|callees <checkout> <qualified name>
//! callgraph time <checkout>
//! ```
#![allow(clippy::print_stdout, clippy::unwrap_used)]

mod java;
mod python;

use std::path::{Path, PathBuf};
use std::time::Instant;

use backstory_code::{EdgeKind, Graph, ParsedFile, parse, parse_tree_only, resolve};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["java", checkout, truth] => java::measure(checkout, truth),
        ["python", checkout, truth] => python::measure(checkout, truth),
        ["callers", checkout, name] => show(checkout, name, true),
        ["callees", checkout, name] => show(checkout, name, false),
        ["time", checkout] => time(checkout),
        _ => println!("java|python <checkout> <edges>, callers|callees <checkout> <name>, time <checkout>"),
    }
}

pub fn sources(checkout: &str) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    walk(Path::new(checkout), &mut files);
    files.sort();
    let name = |path: &PathBuf| path.strip_prefix(checkout).unwrap().to_string_lossy().into_owned();
    files.iter().filter_map(|path| Some((name(path), std::fs::read(path).ok()?))).collect()
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && entry.file_name() != ".git" => walk(&path, files),
            Ok(kind) if kind.is_file() => files.push(path),
            _ => {}
        }
    }
}

pub fn load(checkout: &str) -> (Vec<ParsedFile>, Graph) {
    let mut files: Vec<ParsedFile> = sources(checkout).iter().map(|(path, bytes)| parse(path, bytes)).collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let graph = resolve(&files);
    (files, graph)
}

pub fn rows(path: &str) -> Vec<serde_json::Value> {
    use std::io::BufRead;
    let file = std::fs::File::open(path).unwrap();
    let lines = std::io::BufReader::new(flate2::read::GzDecoder::new(file)).lines();
    lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect()
}

fn show(checkout: &str, name: &str, callers: bool) {
    let (files, graph) = load(checkout);
    let label = |at: backstory_code::EntityRef| {
        let file = &files[at.file as usize];
        let entity = file.entity(at.entity);
        format!("{}:{} {}", file.path, entity.first_line, entity.qualified)
    };
    for edge in &graph.edges {
        let here = if callers { edge.to } else { edge.from };
        let calls = matches!(edge.kind, EdgeKind::Calls | EdgeKind::Reads | EdgeKind::Writes);
        if calls && files[here.file as usize].entity(here.entity).qualified == name {
            let mark = if edge.ambiguous { "?" } else { " " };
            println!(
                "{:.2}{mark} {:?} {:?} line {}: {} -> {}",
                edge.strength,
                edge.kind,
                edge.rule,
                edge.line,
                label(edge.from),
                label(edge.to)
            );
        }
    }
}

fn time(checkout: &str) {
    let sources = sources(checkout);
    let start = Instant::now();
    let bytes: usize = sources.iter().map(|(path, bytes)| parse_tree_only(path, bytes)).sum();
    let trees = start.elapsed();
    let start = Instant::now();
    let files: Vec<ParsedFile> = sources.iter().map(|(path, bytes)| parse(path, bytes)).collect();
    let parsing = start.elapsed();
    let start = Instant::now();
    let graph = resolve(&files);
    let resolving = start.elapsed();
    let entities: usize = files.iter().map(|file| file.entities.len()).sum();
    let references: usize = files.iter().map(|file| file.references.len()).sum();
    let problems = files.iter().filter(|file| !file.problems.is_empty()).count();
    println!(
        "{} files, {bytes} bytes parsed; trees {trees:.2?}, parse {parsing:.2?} ({:.2}x), resolve {resolving:.2?}",
        files.len(),
        parsing.as_secs_f64() / trees.as_secs_f64()
    );
    println!(
        "{entities} entities, {references} references, {} edges, {problems} files with problems",
        graph.edges.len()
    );
    for file in files.iter().filter(|file| file.problems.contains(&backstory_code::Problem::Generated)).take(12) {
        println!("generated: {}", file.path);
    }
    let mut kinds: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    for edge in &graph.edges {
        *kinds.entry(edge.kind.as_str()).or_default() += 1;
    }
    println!("{kinds:?}");
}
