//! The baselines: simple rules about who answers whom.

use std::collections::HashMap;

use backstory_language::talk::TalkLine;

/// What each line answers.
pub type Parents = Vec<Option<usize>>;

/// The previous line with a speaker.
pub fn previous(lines: &[TalkLine<'_>]) -> Parents {
    let mut last = None;
    let said = |(at, line): (usize, &TalkLine<'_>)| {
        let parent = last.filter(|_| is_said(line));
        last = if is_said(line) { Some(at) } else { last };
        parent
    };
    lines.iter().enumerate().map(said).collect()
}

/// The latest line by another speaker.
pub fn latest_other(lines: &[TalkLine<'_>]) -> Parents {
    let other = |at: usize| {
        (0..at).rev().find(|before| is_said(&lines[*before]) && lines[*before].speaker != lines[at].speaker)
    };
    (0..lines.len()).map(|at| other(at).filter(|_| is_said(&lines[at]))).collect()
}

/// The latest line of the person mentioned; else the latest line of the speaker's thread: their own or one that
/// mentions them; else none.
pub fn mentions(lines: &[TalkLine<'_>]) -> Parents {
    let mut latest: HashMap<String, usize> = HashMap::new();
    let mut mine: HashMap<String, usize> = HashMap::new();
    let mut parents = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let speaker = line.speaker.to_lowercase();
        if !is_said(line) {
            parents.push(None);
            continue;
        }
        let mentioned = mentioned(line.text).find(|word| *word != speaker && latest.contains_key(word));
        let named = mentioned.as_ref().and_then(|name| latest.get(name));
        parents.push(named.or_else(|| mine.get(&speaker)).copied());
        mine.insert(speaker.clone(), at);
        mine.extend(mentioned.map(|name| (name, at)));
        latest.insert(speaker, at);
    }
    parents
}

/// The words of a line without punctuation: possible names.
pub fn mentioned(text: &str) -> impl Iterator<Item = String> {
    let bare = |word: &str| word.trim_matches([':', ',', ';', '.', '!', '?', '(', ')', '@']).to_lowercase();
    text.split_whitespace().map(bare).filter(|word| word.len() >= 2)
}

pub fn is_said(line: &TalkLine<'_>) -> bool {
    !line.speaker.is_empty()
}
