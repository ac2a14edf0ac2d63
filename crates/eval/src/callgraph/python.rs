//! Recall against the targets that an analyser found for calls in Python.
//!
//! A row counts as found if there is a call edge from an entity of the caller's qualified name in the caller's file to
//! the entity that is defined on the callee's line. A call of a class may lead to the class or to its `__init__`.

use std::collections::{BTreeMap, HashSet};

use backstory_code::{CodeEdgeKind, EdgeRule, EntityKind};

use super::{Code, share, text};
use crate::stats::verdict_at_least;

/// At most this many of each kind of mistake are shown.
const SHOWN: usize = 5;

pub fn measure(code: &Code, rows: &[serde_json::Value]) {
    let Code { files, graph } = code;
    let mut found: HashSet<(String, String, String, u32)> = HashSet::new();
    let mut sure = HashSet::new();
    for edge in graph.edges.iter().filter(|edge| edge.kind == CodeEdgeKind::Calls && edge.rule != EdgeRule::Override) {
        let (from, to) = (&files[edge.from.file as usize], &files[edge.to.file as usize]);
        let caller = match edge.from.entity.0 {
            0 => String::new(),
            _ => from.entity(edge.from.entity).qualified.clone(),
        };
        let target = to.entity(edge.to.entity);
        let mut lines = vec![target.name_line];
        if target.is_constructor
            && let Some(parent) = target.parent
        {
            lines.push(to.entity(parent).name_line);
        }
        for line in lines {
            let key = (from.path.clone(), caller.clone(), to.path.clone(), line);
            if !edge.ambiguous {
                sure.insert(key.clone());
            }
            found.insert(key);
        }
    }
    let (mut hits, mut sure_hits) = (0, 0);
    let mut missed: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in rows {
        let text = |name: &str| text(row, name).to_owned();
        let line = row["callee_line"].as_u64().unwrap_or(0) as u32;
        let caller = text("caller");
        let caller = if caller == "<module>" { String::new() } else { caller };
        let key = (text("caller_file"), caller, text("callee_file"), line);
        if found.contains(&key) {
            hits += 1;
            sure_hits += usize::from(sure.contains(&key));
        } else {
            let target = files.iter().find(|file| file.path == key.2);
            let defined = target.and_then(|file| file.entities.iter().find(|entity| entity.name_line == line));
            let reason = match defined {
                None => "no entity on the callee's line".to_owned(),
                Some(entity) if entity.kind == EntityKind::Type => "a class".to_owned(),
                Some(entity) => format!("a {}", entity.kind.as_str()),
            };
            missed.entry(reason).or_default().push(format!(
                "{}:{} {} -> {}",
                key.0,
                row["line"],
                key.1,
                text("callee_full")
            ));
        }
    }
    for (reason, list) in &missed {
        println!("missed: {} {reason}", list.len());
        for row in list.iter().take(SHOWN) {
            println!("    {row}");
        }
    }
    println!("\n{hits} of {} known calls are found", rows.len());
    verdict_at_least("recall", share(hits, rows.len()), 0.85);
    println!("recall by edges that are not ambiguous: {:.3}", share(sure_hits, rows.len()));
}
