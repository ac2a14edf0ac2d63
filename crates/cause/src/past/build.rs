//! Commits -> the index of a history.

use rustc_hash::FxHashMap;

use super::{CommitDigest, CommitRow, VERSION};
use crate::flat::{Flat, FlatBuilder};
use crate::postings::{PostingRows, WeightedBag};
use crate::role::{FileRole, role};
use crate::terms::Term;
use crate::tree::Paths;

/// Commits that change more files say little about each file.
const MANY_FILES: usize = 50;
const DAY: f32 = 86_400.0;
/// The lower bound of a message's weight, however old it is.
const KEPT_FOREVER: f32 = 0.3;
const FADES_IN_DAYS: f32 = 730.0;
const LENGTH_MATTERS: f32 = 0.5;

/// `commits`: newest first. `current`: the paths that exist now.
pub fn build(commits: &[&CommitDigest], current: &[String]) -> Flat {
    let code: Vec<&str> = current
        .iter()
        .map(String::as_str)
        .filter(|path| matches!(role(path), FileRole::Source | FileRole::Test))
        .collect();
    let paths = Paths::new(code.iter().copied());
    let mut kept = Kept::default();
    let mut renamed: FxHashMap<&str, Option<u32>> = FxHashMap::default();
    let newest = commits.first().map_or(0, |commit| commit.time);
    for commit in commits {
        let now = |path: &str, renamed: &FxHashMap<&str, Option<u32>>| {
            renamed.get(path).copied().unwrap_or_else(|| paths.now(path))
        };
        let mut files: Vec<u32> = commit.paths.iter().filter_map(|path| now(path, &renamed)).collect();
        for (before, after) in &commit.renames {
            let file = now(after, &renamed);
            renamed.insert(before, file);
        }
        files.sort_unstable();
        files.dedup();
        if files.is_empty() || files.len() > MANY_FILES {
            continue;
        }
        let days = (newest - commit.time).max(0) as f32 / DAY;
        let fresh = KEPT_FOREVER + (1.0 - KEPT_FOREVER) * (-days / FADES_IN_DAYS).exp();
        kept.commits.push(KeptCommit { commit, files, fresh });
    }
    kept.write(&code)
}

#[derive(Default)]
struct Kept<'a> {
    commits: Vec<KeptCommit<'a>>,
}

struct KeptCommit<'a> {
    commit: &'a CommitDigest,
    files: Vec<u32>,
    fresh: f32,
}

impl Kept<'_> {
    fn write(&self, paths: &[&str]) -> Flat {
        let mut out = FlatBuilder::default();
        let (mut rows, mut files, mut vectors) = (Vec::new(), Vec::new(), Vec::new());
        for kept in &self.commits {
            rows.push(CommitRow {
                time: kept.commit.time,
                subject: out.text(&kept.commit.subject),
                first_file: files.len() as u32,
                files: kept.files.len() as u32,
                fresh: kept.fresh,
                is_fix: u32::from(kept.commit.is_fix),
                id: kept.commit.id,
                unused: 0,
            });
            files.extend_from_slice(&kept.files);
            vectors.extend_from_slice(&kept.commit.vector);
        }
        let texts: Vec<_> = paths.iter().map(|path| out.text(path)).collect();
        out.rows("commits", &rows);
        out.rows("cfiles", &files);
        out.rows("vectors", &vectors);
        out.rows("paths", &texts);
        let messages: Vec<_> =
            self.commits.iter().map(|kept| vec![WeightedBag { bag: &kept.commit.words, weight: 1.0 }]).collect();
        PostingRows::of_documents(&messages, LENGTH_MATTERS).write("bycomm", &mut out);
        self.messages_of_files(paths.len()).write("byfile", &mut out);
        out.finish(VERSION)
    }

    /// A message describes each file of its commit; it counts less for each if there are more files.
    fn messages_of_files(&self, file_count: usize) -> PostingRows {
        let mut lengths = vec![0.0f32; file_count];
        for kept in &self.commits {
            let share = kept.fresh / kept.files.len() as f32;
            for &file in &kept.files {
                lengths[file as usize] += share * kept.commit.words.length();
            }
        }
        let known = lengths.iter().filter(|length| **length > 0.0).count().max(1);
        let mean = lengths.iter().sum::<f32>() / known as f32;
        let mut rows: Vec<(Term, u32, f32)> = Vec::new();
        for kept in &self.commits {
            let share = kept.fresh / kept.files.len() as f32;
            for &file in &kept.files {
                let norm = 1.0 - LENGTH_MATTERS + LENGTH_MATTERS * lengths[file as usize] / mean;
                rows.extend(kept.commit.words.terms.iter().map(|&(term, count)| (term, file, count * share / norm)));
            }
        }
        PostingRows::new(rows, file_count)
    }
}
