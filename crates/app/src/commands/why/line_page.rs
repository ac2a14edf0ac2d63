//! Renders the story of a line, or of several adjacent lines, as text.

use backstory_engine::ingest::Blamed;
use backstory_engine::model::{CaseId, EventId};
use backstory_engine::retrieve::{
    CardHere, FailureHere, Guess, GuessGround, LineStory, Proof, SessionEdit, is_distinctive,
};

use crate::json::{Dependent, LineAnswer};
use crate::terminal;

use super::page::{asked, change, cited, heading, indented, known_here, ran, request, title};

/// The limit for each of earlier, refused, failed and later edits.
const MOST_OTHERS: usize = 2;
/// At most this many dependents of a line, or of adjacent lines, are listed.
pub const MOST_DEPENDENTS: usize = 8;

pub fn page(answer: &LineAnswer<'_>) -> String {
    let story = answer.story;
    let mut out = head(&[answer]);
    match &story.written {
        Some(written) => {
            out.push_str(&why(written));
            if let Some(failed) = &story.failed {
                out.push_str(&ran("Failed before", failed));
            }
            out.push_str(&title(&format!("Written · {}", heading(written))));
            out.push_str(&change(written));
            out.push_str(&terminal::paint(terminal::DIM, &format!("   {}\n", proof(story.proof))));
            if let Some(passed) = &story.passed {
                out.push_str(&ran("Passed after", passed));
            }
        }
        None => out.push_str(&unproven(answer.text, story)),
    }
    out.push_str(&other_edits(&[story], change));
    out.push_str(&known_here(&story.cards, &story.failures, "this line"));
    out + &depends(answer.dependents.iter())
}

/// Groups lines of one piece of work, and shows common facts once.
pub fn page_of_several(answers: &[LineAnswer<'_>]) -> String {
    let mut groups: Vec<Vec<&LineAnswer<'_>>> = Vec::new();
    for answer in answers {
        match groups.iter_mut().find(|group| Work::of(group[0]) == Work::of(answer)) {
            Some(group) => group.push(answer),
            None => groups.push(vec![answer]),
        }
    }
    let mut out = groups.iter().map(|group| group_page(group)).collect::<Vec<_>>().join("\n");
    let cards = first_of_each(answers.iter().flat_map(|it| &it.story.cards), |card: &&CardHere| card.card.id);
    let failures = first_of_each(answers.iter().flat_map(|it| &it.story.failures), |failure: &&FailureHere| {
        failure.failure.failed.id
    });
    out.push_str(&known_here(&cloned(cards), &cloned(failures), "one of these lines"));
    let dependents = answers.iter().flat_map(|it| it.dependents);
    let dependents = first_of_each(dependents, |it: &&Dependent| (it.path.clone(), it.line));
    out + &depends(dependents.into_iter().take(MOST_DEPENDENTS))
}

/// The identity of a story.
#[derive(PartialEq)]
enum Work {
    Case(CaseId),
    Prompt(EventId),
    Edit(EventId),
    Unproven(Proof, Option<String>),
}

impl Work {
    fn of(answer: &LineAnswer<'_>) -> Self {
        let Some(written) = &answer.story.written else {
            return Work::Unproven(answer.story.proof, answer.blamed.map(|blamed| blamed.commit.clone()));
        };
        match (&written.reason, &written.prompt) {
            (Some(reason), _) => Work::Case(reason.case),
            (None, Some(prompt)) => Work::Prompt(prompt.event),
            (None, None) => Work::Edit(written.event),
        }
    }
}

fn group_page(group: &[&LineAnswer<'_>]) -> String {
    let mut out = head(group);
    let stories: Vec<&LineStory> = group.iter().map(|answer| answer.story).collect();
    let writers: Vec<(&[usize], &SessionEdit)> =
        group.iter().filter_map(|answer| Some((answer.lines, answer.story.written.as_ref()?))).collect();
    match writers.as_slice() {
        [] => out.push_str(&unproven(group[0].text, group[0].story)),
        [(_, first), ..] => {
            out.push_str(&why(first));
            if let Some(failed) = stories.iter().find_map(|story| story.failed.as_ref()) {
                out.push_str(&ran("Failed before", failed));
            }
            for (at, (lines, written)) in writers.iter().enumerate() {
                let lines = if writers.len() > 1 { format!(" · {}", ranges(lines)) } else { String::new() };
                let proof = terminal::paint(terminal::DIM, proof(stories[at].proof));
                out.push_str(&format!("{}   {proof}\n", title(&format!("Written · {}{lines}", heading(written)))));
            }
            if let Some(passed) = stories.iter().find_map(|story| story.passed.as_ref()) {
                out.push_str(&ran("Passed after", passed));
            }
        }
    }
    out + &other_edits(&stories, |_| String::new())
}

/// The numbers of the lines, the first line, and their commits.
fn head(group: &[&LineAnswer<'_>]) -> String {
    let answer = group[0];
    let mut lines: Vec<usize> = group.iter().flat_map(|answer| answer.lines.iter().copied()).collect();
    lines.sort_unstable();
    let place = format!("{}:{}", answer.path, ranges(&lines));
    let text = terminal::foreign(answer.text.trim());
    let mut out = format!("{}\n   {text}\n", terminal::paint(terminal::HEAD, &place));
    let commits = first_of_each(group.iter().copied(), |answer: &&LineAnswer<'_>| {
        answer.blamed.map(|blamed| blamed.commit.clone())
    });
    out.extend(commits.into_iter().map(committed));
    out
}

fn committed(answer: &LineAnswer<'_>) -> String {
    let Some(blamed) = answer.blamed else {
        return if answer.in_repository { "\nNot committed yet.\n".to_owned() } else { String::new() };
    };
    let line = |it: &Blamed| {
        format!("{} · {} · {}", &it.commit[..12], terminal::time(Some(it.time)), terminal::foreign(&it.subject))
    };
    let mut out = format!("{}   {}\n", title("Committed"), line(blamed));
    if let Some(first) = answer.first_had {
        let from = if first.path == answer.path { String::new() } else { format!(" · in {}", first.path) };
        out.push_str(&format!("   That commit moved it here; first in {}{from}\n", line(first)));
    }
    if answer.first_had.unwrap_or(blamed).is_boundary {
        out.push_str("   The history ends here (a shallow clone): an older commit may have written it.\n");
    }
    out
}

fn why(written: &SessionEdit) -> String {
    match (&written.prompt, &written.reason) {
        (None, None) => "\nCannot prove what was asked: no words of a person stand before the edit.\n".to_owned(),
        (prompt, reason) => asked("Asked for", prompt.as_ref(), reason.as_ref()),
    }
}

fn proof(proof: Proof) -> &'static str {
    match proof {
        Proof::OnlyEdit => "the only edit that put this line in",
        Proof::LastEdit => "the last of several edits that put this line in",
        Proof::Spacing => "the same line but for its spaces",
        Proof::Neighbours => "the line says little; those around it were written with it",
        Proof::TooLittle | Proof::TooLate | Proof::None => "not proven",
    }
}

fn unproven(text: &str, story: &LineStory) -> String {
    let why = match (story.proof, story.considered) {
        (Proof::TooLittle, _) => "the line says too little. Ask about one beside it".to_owned(),
        (_, 0) => "the memory has no edit of this file".to_owned(),
        (Proof::TooLate, _) => "edits put this line in, but only after it was committed".to_owned(),
        (_, 1) if is_distinctive(text) => "the one edit of this file did not put this line in".to_owned(),
        (_, edits) if is_distinctive(text) => format!("none of {edits} edits of this file put this line in"),
        _ => "such a line stands in any program, and no edit wrote it with those around it".to_owned(),
    };
    let guesses: String = story.guesses.iter().map(guess).collect();
    let guesses = if guesses.is_empty() { guesses } else { title("Guesses, not proven") + &guesses };
    format!("\nCannot prove who wrote it: {why}.\n{guesses}")
}

fn guess(guess: &Guess) -> String {
    let ground = match guess.ground {
        GuessGround::Committed => "made the commit".to_owned(),
        GuessGround::WroteAround(lines) => format!("wrote {} around it", terminal::count(lines as u64, "line")),
        GuessGround::EditedLast => "edited this file last".to_owned(),
    };
    let asked = request(guess.prompt.as_ref(), guess.reason.as_ref()).unwrap_or_default();
    let cite = cited(guess.time, &guess.session, guess.reason.as_ref());
    format!("   {asked}\n      {}\n", terminal::paint(terminal::DIM, &format!("{ground} · {cite}")))
}

type EditsOfLine = fn(&LineStory) -> &[SessionEdit];

/// Earlier, later and failed edits.
fn other_edits(stories: &[&LineStory], change: impl Fn(&SessionEdit) -> String) -> String {
    let lists: [(&str, EditsOfLine); 4] = [
        ("Written before", |story| &story.before),
        ("Refused", |story| &story.refused),
        ("Failed attempts", |story| &story.failed_attempts),
        ("Changed since", |story| &story.later),
    ];
    let mut out = String::new();
    for (what, list) in lists {
        let edits = first_of_each(stories.iter().flat_map(|story| list(story)), |edit: &&SessionEdit| edit.event);
        for edit in edits.iter().take(MOST_OTHERS) {
            out.push_str(&title(&format!("{what} · {}", heading(edit))));
            if let Some(request) = request(edit.prompt.as_ref(), edit.reason.as_ref()) {
                out.push_str(&indented(&format!("asked: {request}")));
            }
            if what != "Written before" {
                out.push_str(&change(edit));
            }
        }
        if edits.len() > MOST_OTHERS {
            let more = edits.len() - MOST_OTHERS;
            out.push_str(&terminal::paint(terminal::DIM, &format!("   … and {more} more (--json)\n")));
        }
    }
    out
}

fn depends<'a>(dependents: impl Iterator<Item = &'a Dependent>) -> String {
    let lines: String = dependents.map(|it| format!("   {}:{} {}\n", it.path, it.line, it.name)).collect();
    if lines.is_empty() { lines } else { title("Depends on it now") + &lines }
}

fn first_of_each<T, K: PartialEq>(items: impl Iterator<Item = T>, key: impl Fn(&T) -> K) -> Vec<T> {
    let mut found: Vec<(K, T)> = Vec::new();
    for item in items {
        let key = key(&item);
        if found.iter().all(|(known, _)| *known != key) {
            found.push((key, item));
        }
    }
    found.into_iter().map(|(_, item)| item).collect()
}

fn cloned<T: Clone>(items: Vec<&T>) -> Vec<T> {
    items.into_iter().cloned().collect()
}

/// `9, 11-14`.
pub fn ranges(lines: &[usize]) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &line in lines {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == line => *last = line,
            _ => runs.push((line, line)),
        }
    }
    let run = |&(first, last): &(usize, usize)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    runs.iter().map(run).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_follow_each_other_are_one_range() {
        assert_eq!(ranges(&[9, 11, 12, 13]), "9, 11-13");
    }
}
