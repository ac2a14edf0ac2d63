//! Answers questions about a commit.

use std::path::Path;

use backstory_engine::ingest::{ChangedFile, Commit, names_before, read_commit};
use backstory_engine::model::EvidenceRef;
use backstory_engine::retrieve::{
    CommitCall, CommitPart, CommitQuestion, CommitStory, LinesOf, SessionEdit, why_commit,
};

use crate::ask_context::AskContext;
use crate::commands::fix::{age, evidence};
use crate::commands::sessions::short;
use crate::error::AppError;
use crate::reply::Reply;
use crate::scope::ProjectScope;
use crate::{environment, json, terminal};

use super::page::{asked, change, heading, indented, request, then_asked, title};

/// At most this many files are named in one list.
const SHOWN_FILES: usize = 8;
/// At most this many lines of its message are shown.
const MOST_BODY_LINES: usize = 12;
/// The maximum length of a shown command.
const SHOWN_COMMAND: usize = 200;

/// The commit with that name, if any.
pub fn find(context: &AskContext, typed: &str) -> Option<Commit> {
    read_commit(&context.folder, typed)
}

/// The conversations behind the lines of a commit.
pub fn reply(context: &mut AskContext, commit: Commit, scope: &ProjectScope) -> Result<Reply, AppError> {
    let project = super::project_or_hint(context, scope)?;
    let mut question = CommitQuestion { commit, project };
    let (log, views) = context.memory()?.parts();
    let mut story = why_commit(log, views, &question)?;
    let folder = context.folder.clone();
    if find_earlier_names(&folder, &mut question.commit, &story) {
        let (log, views) = context.memory()?.parts();
        story = why_commit(log, views, &question)?;
    }
    let json = json::commit_story(&question.commit, &story);
    let reply = Reply::recalled("why", json, page(&question.commit, &story));
    let is_known = story.made.is_some() || !(story.parts.is_empty() && story.removed_by.is_empty());
    Ok(if is_known || !story.removed_of.is_empty() { reply } else { reply.without_answer() })
}

/// Finds earlier names of files with unproven lines, because the memory may know the files under those. Returns whether
/// there are any.
fn find_earlier_names(folder: &Path, commit: &mut Commit, story: &CommitStory) -> bool {
    let taken_out: usize = story.removed_of.iter().map(|part| part.lines).sum();
    let mut found = false;
    for file in &mut commit.files {
        let is_unproven = story.unproven.iter().any(|unproven| unproven.path == file.path);
        if is_unproven || (file.removed > 0 && taken_out < story.looked_for_removed) {
            // A deleted file has a name only in the parent.
            let name = file.was.as_ref().unwrap_or(&file.path);
            file.earlier = names_before(folder, &commit.id, name);
            found |= !file.earlier.is_empty();
        }
    }
    found
}

fn page(commit: &Commit, story: &CommitStory) -> String {
    let mut out = head(commit, story);
    if let Some(made) = &story.made {
        out.push_str(&made_by(made, story));
    }
    for parts in by_case(&story.parts) {
        for (at, part) in parts.into_iter().enumerate() {
            out.push_str(&part_of(part, story, at == 0));
        }
    }
    out.push_str(&moved(story));
    out.push_str(&removed(story));
    for edit in &story.refused {
        out.push_str(&title(&format!("Refused · {} · {}", heading(edit), path_in(commit, edit))));
        out.push_str(&prompt_of(edit));
        out.push_str(&change(edit));
    }
    for edit in &story.later {
        let lines = terminal::count(edit.lines as u64, "line");
        let path = path_in(commit, &edit.written);
        out.push_str(&title(&format!("Changed since · {} · {lines} of {path}", heading(&edit.written))));
        out.push_str(&prompt_of(&edit.written));
        out.push_str(&change(&edit.written));
    }
    if story.more_later > 0 {
        out.push_str(&format!("\n… and {} before that\n", terminal::count(story.more_later as u64, "later edit")));
    }
    out.push_str(&unproven(story));
    out
}

/// The file's name in the commit, not on the session's machine.
fn path_in<'a>(commit: &'a Commit, edit: &'a SessionEdit) -> &'a str {
    let is_it = |file: &&ChangedFile| file.paths().iter().any(|path| edit.path.ends_with(&format!("/{path}")));
    let file = commit.files.iter().find(is_it);
    file.map_or(&edit.path, |file| &file.path)
}

fn prompt_of(edit: &SessionEdit) -> String {
    let asked = request(edit.prompt.as_ref(), edit.reason.as_ref()).map(|asked| format!("asked: {asked}"));
    indented(&asked.unwrap_or_default())
}

fn head(commit: &Commit, story: &CommitStory) -> String {
    let id = terminal::paint(terminal::HEAD, &commit.id[..12]);
    let mut out = format!("{id} {}\n", terminal::foreign(&commit.subject));
    out.push_str(&body(commit));
    let authored = Some(commit.authored);
    out.push_str(&format!(
        "   {}{} · {}\n",
        terminal::time(authored),
        age(authored, environment::now()),
        terminal::foreign(&commit.author)
    ));
    if commit.parents > 1 {
        out.push_str("   A merge: its lines are those that it brought to the first of its parents.\n");
    }
    let removed: usize = commit.files.iter().map(|file| file.removed).sum();
    let files = terminal::count(commit.files.len() as u64, "file");
    let removed = terminal::number(removed as u64);
    out.push_str(&format!("   {files}, {} added, {removed} removed\n", terminal::count(story.added as u64, "line")));
    for file in commit.files.iter().take(SHOWN_FILES) {
        let was = file.was.as_ref().map(|was| format!(" (was {was})")).unwrap_or_default();
        out.push_str(&format!("   {}{was} +{} -{}\n", file.path, file.added, file.removed));
    }
    if commit.files.len() > SHOWN_FILES {
        out.push_str(&format!("   … and {} more\n", commit.files.len() - SHOWN_FILES));
    }
    out
}

/// The message below its subject, without trailers of git and hosts.
fn body(commit: &Commit) -> String {
    let lines: Vec<&str> = commit.body.lines().map(str::trim_end).filter(|line| !is_trailer(line)).collect();
    let said = lines.join("\n");
    let said = said.trim();
    if said.is_empty() {
        return String::new();
    }
    let shown: Vec<&str> = said.lines().take(MOST_BODY_LINES).collect();
    let more = said.lines().count() - shown.len();
    let more = if more > 0 { format!("   … {} more\n", terminal::count(more as u64, "line")) } else { String::new() };
    format!("{}{more}", terminal::foreign(&indented(&shown.join("\n"))))
}

/// `Signed-off-by: Ada <ada@example.com>`.
fn is_trailer(line: &str) -> bool {
    let is_key = |key: &str| key.contains('-') && key.chars().all(|c| c.is_alphanumeric() || c == '-');
    line.split_once(": ").is_some_and(|(key, _)| is_key(key))
}

fn made_by(made: &CommitCall, story: &CommitStory) -> String {
    let agent = made.agent.as_deref().map(|agent| format!(" · agent {agent}")).unwrap_or_default();
    let head = format!("Committed by · {} · session {}{agent}", terminal::time(made.time), short(&made.session));
    let mut out = title(&head) + &indented(&format!("$ {}", terminal::clip(&made.command, SHOWN_COMMAND)));
    out.push_str(&terminal::paint(terminal::DIM, "   its output names this commit\n"));
    let is_shown = |prompt| story.parts.iter().any(|part| part.prompt.as_ref().is_some_and(|it| it.event == prompt));
    let is_shown = made.prompt.as_ref().is_some_and(|prompt| is_shown(prompt.event));
    if let Some(asked) = request(made.prompt.as_ref(), made.reason.as_ref()).filter(|_| !is_shown) {
        out.push_str(&indented(&format!("asked: {asked}")));
    }
    out
}

/// Parts of one piece of work stand together, where the first of them is.
fn by_case(parts: &[CommitPart]) -> Vec<Vec<&CommitPart>> {
    let mut groups: Vec<Vec<&CommitPart>> = Vec::new();
    for part in parts {
        let case = part.reason.as_ref().map(|reason| reason.case);
        let is_same = |group: &&mut Vec<&CommitPart>| {
            case.is_some() && group[0].reason.as_ref().map(|reason| reason.case) == case
        };
        match groups.iter_mut().find(is_same) {
            Some(group) => group.push(part),
            None => groups.push(vec![part]),
        }
    }
    groups
}

/// What the work was asked for and came to stands above its first part only.
fn part_of(part: &CommitPart, story: &CommitStory, is_first: bool) -> String {
    let mut out = match (&part.prompt, &part.reason) {
        _ if !is_first => then_asked(part.prompt.as_ref(), part.reason.as_ref()),
        (Some(_), _) | (_, Some(_)) => asked("Asked for", part.prompt.as_ref(), part.reason.as_ref()),
        (None, None) => {
            title(&format!("Session {} · no words of a person stand before its edits", short(&part.session)))
        }
    };
    let mut line = |text: String| out.push_str(&format!("   → {text}\n"));
    if let Some(failed) = &part.failed {
        line(format!("failed before: {}", terminal::clip(&failed.command, SHOWN_COMMAND)));
    }
    let edits = terminal::count(part.edits.len() as u64, "edit");
    let agents: Vec<&str> = part.edits.iter().filter_map(|edit| edit.written.agent.as_deref()).collect();
    let by = match agents.first() {
        Some(agent) if agents.len() == part.edits.len() => format!(" by agent {agent}"),
        Some(_) => " by the agent and those it started".to_owned(),
        None => String::new(),
    };
    line(format!("wrote {} of {} lines in {edits}{by}: {}", part.lines, story.looked_for, list(&part.files)));
    if let Some(passed) = &part.passed {
        line(format!("passed after: {}", terminal::clip(&passed.command, SHOWN_COMMAND)));
    }
    let cited: Vec<&EvidenceRef> = part.edits.iter().map(|edit| &edit.written.evidence).collect();
    out.push_str(&evidence(&cited));
    out
}

/// Lines that were elsewhere before.
fn moved(story: &CommitStory) -> String {
    let lines = story.moved.iter().take(SHOWN_FILES).map(|moved| {
        let lines = terminal::count(moved.lines as u64, "line");
        match moved.from == moved.path {
            true => format!("   {lines} within {}\n", moved.path),
            false => format!("   {lines} from {} to {}\n", moved.from, moved.path),
        }
    });
    let lines: String = lines.collect();
    if lines.is_empty() { lines } else { title("Only moved") + &lines }
}

/// The authors of the removed lines, and the requests for the removal.
fn removed(story: &CommitStory) -> String {
    let mut out = String::new();
    let is_shown = |part: &CommitPart| {
        let is_same = |other: &CommitPart| other.prompt.is_some() && other.prompt == part.prompt;
        story.parts.iter().any(is_same)
    };
    for (what, parts) in [("Asked to remove", &story.removed_by), ("Reverts", &story.removed_of)] {
        for part in parts.iter().filter(|part| what != "Asked to remove" || !is_shown(part)) {
            out.push_str(&match (&part.prompt, &part.reason) {
                (Some(_), _) | (_, Some(_)) => asked(what, part.prompt.as_ref(), part.reason.as_ref()),
                (None, None) => title(&format!("{what} · session {}", short(&part.session))),
            });
            let lines = format!("   → {} of {} lines: {}", part.lines, story.looked_for_removed, list(&part.files));
            out.push_str(&format!("{lines}\n"));
            let cited: Vec<&EvidenceRef> = part.edits.iter().map(|edit| &edit.written.evidence).collect();
            out.push_str(&evidence(&cited));
        }
    }
    out
}

fn unproven(story: &CommitStory) -> String {
    if story.added == 0 && story.removed > 0 {
        let known = !(story.removed_of.is_empty() && story.removed_by.is_empty());
        let why = "no line that it took out is from a session that the memory knows";
        return if known { String::new() } else { format!("\nIt only takes lines out; {why}.\n") };
    }
    if story.distinctive == 0 {
        return "\nCannot prove who wrote it: no line that it added says enough to be looked for.\n".to_owned();
    }
    let mut out = String::new();
    let (all, missing) = (story.looked_for, story.looked_for - story.proven);
    if story.proven == 0 {
        let lines = terminal::count(all as u64, "line");
        out.push_str(&format!(
            "\nCannot prove who wrote it: none of {lines} is from a session that the memory knows.\n"
        ));
    } else if missing > 0 {
        let were = if missing == 1 { "was" } else { "were" };
        let rest = format!("{missing} of {all} lines {were} written in no session that the memory knows");
        out.push_str(&format!("\nCannot prove who wrote the rest: {rest}.\n   {}\n", list(&story.unproven)));
    }
    if all < story.added {
        let (looked_for, added) = (terminal::number(all as u64), terminal::number(story.added as u64));
        let what = format!("{looked_for} of {added} added lines were looked for; the others say too little");
        let what = if all < story.distinctive { format!("{what}, or are too many") } else { what };
        out.push_str(&format!("\n{}\n", terminal::paint(terminal::DIM, &format!("{what}."))));
    }
    out
}

fn list(files: &[LinesOf]) -> String {
    let named = files.iter().take(SHOWN_FILES).map(|file| format!("{} ({})", file.path, file.lines));
    let more = files.len().saturating_sub(SHOWN_FILES);
    let more = (more > 0).then(|| format!("and {} more", terminal::count(more as u64, "file")));
    named.chain(more).collect::<Vec<_>>().join(", ")
}
