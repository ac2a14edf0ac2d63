//! Transcripts with reply links labelled by people.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs::{self, File};
use std::path::Path;

use backstory_language::talk::TalkLine;
use flate2::read::GzDecoder;

use crate::input::rows;

/// A transcript with the lines that each line answers.
pub struct Labelled {
    pub lines: Vec<Said>,
    /// By line: the lines that it answers. Empty: it answers none. Unlabelled lines are missing.
    pub parents: BTreeMap<usize, Vec<usize>>,
    /// Whether a line that answers nothing counts as a link to itself, as in the published evaluation of the chat.
    pub counts_none: bool,
    /// Transcripts of one group share lines and are trained and tested together.
    pub group: usize,
}

#[derive(Clone, serde::Deserialize)]
pub struct Said {
    speaker: String,
    text: String,
}

impl Labelled {
    pub fn lines(&self) -> Vec<TalkLine<'_>> {
        let lines = self.lines.iter().enumerate();
        lines.map(|(at, said)| TalkLine { index: at as u32, speaker: &said.speaker, text: &said.text }).collect()
    }

    /// The links that a prediction is compared with: (line, what it answers).
    pub fn gold(&self) -> BTreeSet<(usize, usize)> {
        let mut links = BTreeSet::new();
        for (line, parents) in &self.parents {
            links.extend(parents.iter().map(|parent| (*line, *parent)));
            if parents.is_empty() && self.counts_none {
                links.insert((*line, *line));
            }
        }
        links
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Split {
    Train,
    Dev,
}

#[derive(serde::Deserialize)]
struct ChatFile {
    annotated_from: usize,
    annotated_to: usize,
    lines: Vec<Said>,
    reply_links: Vec<(usize, usize)>,
}

/// The chat's files of one split, in the order of their names; each is a group.
pub fn chat(data: &Path, split: Split) -> Result<Vec<Labelled>, Box<dyn Error>> {
    let begins = if split == Split::Train { "train" } else { "dev" };
    let mut paths = Vec::new();
    for entry in fs::read_dir(data.join("irc"))? {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(begins)) {
            paths.push(path);
        }
    }
    paths.sort();
    let mut all = Vec::new();
    for (group, path) in paths.iter().enumerate() {
        let file: ChatFile = serde_json::from_reader(GzDecoder::new(File::open(path)?))
            .map_err(|error| format!("{}: {error}", path.display()))?;
        let last = file.annotated_to.min(file.lines.len().saturating_sub(1));
        let parents = parents(file.annotated_from..=last, &file.reply_links);
        all.push(Labelled { lines: file.lines, parents, counts_none: true, group });
    }
    Ok(all)
}

#[derive(serde::Deserialize)]
struct DialogueRow {
    lines: Vec<Said>,
    reply_links: Vec<(usize, usize, String)>,
}

/// The dialogues. Those that share lines, directly or through others, are one group.
pub fn dialogues(data: &Path) -> Result<Vec<Labelled>, Box<dyn Error>> {
    let rows: Vec<DialogueRow> = rows(&data.join("molweni_dev.jsonl.gz"))?;
    let groups = groups(&rows);
    let labelled = |(mut row, group): (DialogueRow, usize)| {
        // Every line of a dialogue has a speaker, but some lost the name.
        row.lines.iter_mut().filter(|said| said.speaker.is_empty()).for_each(|said| said.speaker = "?".to_owned());
        let links: Vec<(usize, usize)> = row.reply_links.iter().map(|(from, to, _)| (*from, *to)).collect();
        let parents = parents(1..row.lines.len(), &links);
        Labelled { lines: row.lines, parents, counts_none: false, group }
    };
    Ok(rows.into_iter().zip(groups).map(labelled).collect())
}

fn parents(looked_at: impl Iterator<Item = usize>, links: &[(usize, usize)]) -> BTreeMap<usize, Vec<usize>> {
    let mut parents: BTreeMap<usize, Vec<usize>> = looked_at.map(|line| (line, Vec::new())).collect();
    for (parent, line) in links {
        if let Some(parents) = parents.get_mut(line).filter(|_| parent < line) {
            parents.push(*parent);
        }
    }
    parents
}

/// Joins dialogues that share a line by the same speaker, except for short, common lines.
fn groups(rows: &[DialogueRow]) -> Vec<usize> {
    const SHORTEST: usize = 20;
    let mut group: Vec<usize> = (0..rows.len()).collect();
    let mut seen: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (at, row) in rows.iter().enumerate() {
        for said in row.lines.iter().filter(|said| said.text.len() >= SHORTEST) {
            let first = *seen.entry((&said.speaker, &said.text)).or_insert(at);
            let (from, to) = (root(&group, at), root(&group, first));
            group[from.max(to)] = from.min(to);
        }
    }
    (0..rows.len()).map(|at| root(&group, at)).collect()
}

fn root(group: &[usize], mut at: usize) -> usize {
    while group[at] != at {
        at = group[at];
    }
    at
}
