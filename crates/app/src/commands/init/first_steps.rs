//! Suggests first commands with words from this memory.

use backstory_engine::Memory;
use backstory_engine::model::ProjectId;
use backstory_engine::retrieve::{Loops, loops, projects};

use crate::commands::sessions;
use crate::error::AppError;
use crate::terminal;

use super::known_memory;
use super::proposal::Proposal;

pub fn first_steps(proposal: &Proposal) -> Result<String, AppError> {
    let mut out = format!("\n{}\n", terminal::paint(terminal::HEAD, "Try first"));
    let busiest = known_memory()?.and_then(|mut memory| busiest_project(&mut memory).ok().flatten());
    let mut row = |command: String, means: &str| out.push_str(&format!("  {command}\n      {means}\n"));
    let question = busiest.as_ref().and_then(|project| project.question.as_deref());
    if let Some(project) = &busiest {
        let is_there = std::path::Path::new(&project.path).is_dir();
        let scope = if is_there { String::new() } else { format!(" --project {}", shell_word(&project.name)) };
        if is_there {
            row(format!("cd {}", shell_word(&project.path)), "the project you worked on most recently");
        }
        row(format!("backstory sessions{scope}"), "what happened there");
        if let Some(question) = question {
            row(format!("backstory search {}{scope}", shell_word(question)), "what is known about it");
        }
        if project.has_loops {
            row(format!("backstory loops{scope}"), "what was left open");
        }
    }
    let hosts: Vec<&str> = proposal.hosts.iter().map(|host| host.name()).collect();
    if !proposal.plan.changes.is_empty() {
        let ask = question.map_or("what do we know about this project?".to_owned(), |question| {
            format!("what do we know about \"{question}\"?")
        });
        row(
            format!("Start a new session in {} and ask: {ask}", hosts.join(" or ")),
            "sessions that run already do not see the change",
        );
    }
    row("backstory doctor".to_owned(), "check the installation");
    Ok(out)
}

/// The project of most of the newest sessions, and a topic to ask about.
struct BusiestProject {
    /// As accepted by `--project`: the path if another project has the same name.
    name: String,
    path: String,
    question: Option<String>,
    has_loops: bool,
}

/// The number of newest sessions that are considered.
const NEWEST: usize = 40;
/// Only prompts of this length are suggested as a question.
const WORDS: std::ops::RangeInclusive<usize> = 3..=12;

fn busiest_project(memory: &mut Memory) -> Result<Option<BusiestProject>, AppError> {
    let mut list = sessions::newest_first(memory, &Default::default())?;
    list.truncate(NEWEST);
    list.reverse();
    let of = |project: ProjectId| list.iter().filter(|info| info.project.id == project).count();
    // Among equals, the one with the newest session.
    let Some(most) = list.iter().max_by_key(|info| of(info.project.id)) else { return Ok(None) };
    let project = most.project.clone();
    let Some(path) = project.paths.first().cloned() else { return Ok(None) };
    let is_shared = projects(memory.log())?.iter().any(|info| info.id != project.id && info.is_meant_by(&project.name));
    let name = if is_shared { path.clone() } else { project.name.clone() };
    let newest = || list.iter().rev().filter(|info| info.project.id == project.id);
    // A title describes a session; a prompt does only if it is short and plain.
    let question = newest()
        .find_map(|info| askable(info.title.as_deref()?))
        .or_else(|| newest().find_map(|info| askable(info.first_prompt.as_deref()?)));
    let (log, views) = memory.parts();
    let has_loops = !loops(log, views, &Loops { project: Some(project.id), ..Loops::default() })?.is_empty();
    Ok(Some(BusiestProject { name, path, question, has_loops }))
}

fn askable(words: &str) -> Option<String> {
    let is_raw = |word: &str| word.starts_with(['<', '/', '@', '[', '{']) || word.contains("://");
    let all: Vec<&str> = words.split_whitespace().collect();
    let fits = WORDS.contains(&all.len()) && !all.iter().any(|word| is_raw(word)) && !words.trim().contains('\n');
    fits.then(|| all.join(" "))
}

fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+@%:,~".contains(c);
    if text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("\"{}\"", text.replace(['"', '`', '$', '\\', '!'], ""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_words_are_a_question() {
        for words in ["NaN total is back", "why does the  cart give NaN?"] {
            assert!(askable(words).is_some(), "{words}");
        }
        let long = "word ".repeat(13);
        for words in
            ["go on", "<command-name>/clear</command-name> a b", "read https://a.example and tell", "a b\nc", &long]
        {
            assert_eq!(askable(words), None, "{words}");
        }
    }
}
