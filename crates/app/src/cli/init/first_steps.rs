//! What to type first, with words of this memory.

use backstory_engine::Memory;

use super::known_memory;
use super::proposal::Proposal;
use crate::cli::sessions;
use crate::error::AppError;
use crate::screen;

pub fn first_steps(proposal: &Proposal) -> Result<String, AppError> {
    let mut out = format!("\n{}\n", screen::paint(screen::HEAD, "Try first"));
    let newest = known_memory()?.and_then(|mut memory| newest_session(&mut memory).ok().flatten());
    let mut row = |command: String, means: &str| out.push_str(&format!("  {command}\n      {means}\n"));
    if let Some(newest) = &newest {
        let is_there = std::path::Path::new(&newest.path).is_dir();
        let scope = if is_there { String::new() } else { format!(" --project {}", shell_word(&newest.project)) };
        if is_there {
            row(format!("cd {}", shell_word(&newest.path)), "the project you worked on last");
        }
        row(format!("backstory sessions{scope}"), "what happened there");
        row(format!("backstory search {}{scope}", shell_word(&newest.question)), "what is known about it");
        row(format!("backstory loops{scope}"), "what was left open");
    }
    let hosts: Vec<&str> = proposal.hosts.iter().map(|host| host.name()).collect();
    if !proposal.plan.changes.is_empty() {
        let ask = newest.map_or("what do we know about this project?".to_owned(), |newest| {
            format!("what do we know about \"{}\"?", newest.question)
        });
        row(
            format!("Start a new session in {} and ask: {ask}", hosts.join(" or ")),
            "sessions that run already do not see the change",
        );
    }
    row("backstory doctor".to_owned(), "is everything well?");
    Ok(out)
}

/// The newest session that has words to ask with.
struct Newest {
    project: String,
    path: String,
    question: String,
}

fn newest_session(memory: &mut Memory) -> Result<Option<Newest>, AppError> {
    let list = sessions::list(memory, &Default::default(), None)?;
    let newest = list.iter().rev().find_map(|info| {
        let words = info.title.as_deref().or(info.first_prompt.as_deref())?;
        let is_word = |word: &&str| !word.starts_with(['<', '/', '@']) && !word.contains("://");
        let words: Vec<&str> = words.split_whitespace().filter(is_word).take(8).collect();
        let path = info.project.paths.first()?.clone();
        (words.len() > 1).then(|| Newest { project: info.project.name.clone(), path, question: words.join(" ") })
    });
    Ok(newest)
}

fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+@%:,~".contains(c);
    if text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("\"{}\"", text.replace(['"', '`', '$', '\\', '!'], ""))
    }
}
