//! `why --impact NAME`: lists what a change would affect.

use std::path::Path;

use backstory_cause::impact::{Affected, Impact, impact};
use backstory_cause::locate::Codebase;
use backstory_cause::relevance::CodeLocation;
use backstory_cause::tree::TreeEntity;
use backstory_engine::retrieve::{Decision, LocationStory, why_tree_location};

use crate::ask_context::AskContext;
use crate::commands::entities;
use crate::commands::sessions::short;
use crate::error::AppError;
use crate::reply::Reply;
use crate::scope::{ProjectScope, ResolvedScope};
use crate::{home, json, terminal};

use super::memory::in_tree;
use super::page::{known_here, title};

/// Users of users of users.
const DEPTH: u32 = 3;
const MOST_SHOWN: usize = 12;
/// At most this many things with one name are looked up in the memory.
const REMEMBERED: usize = 3;
const SHOWN_PROMPT: usize = 200;

pub fn reply(context: &mut AskContext, name: &str, scope: &ProjectScope) -> Result<Reply, AppError> {
    let indexed = super::index(context)?;
    let place = Codebase::new(&indexed.code.tree, &indexed.code.past);
    let named = entities::named(&place, name)?;
    if named.is_empty() {
        return Err(entities::none_named(&place, name));
    }
    let numbers: Vec<u32> = named.iter().map(|entity| entity.number).collect();
    let found = impact(&place, &numbers, DEPTH, Some(indexed.root.as_path()));
    let stories = remembered(context, &indexed.root, &place, &named, scope)?;
    let text = page(&place, &found) + &stories.iter().map(|(_, story)| render_story(story)).collect::<String>();
    Ok(Reply::recalled("why", json::impact(name, &place, &found, &stories), text))
}

/// Memories about each of them, if any.
fn remembered(
    context: &mut AskContext,
    root: &Path,
    code: &Codebase<'_>,
    named: &[TreeEntity<'_>],
    scope: &ProjectScope,
) -> Result<Vec<(CodeLocation, LocationStory)>, AppError> {
    if context.memory_if_open().is_none() && !home::has_memory()? {
        return Ok(Vec::new());
    }
    let project = match context.scope(scope)? {
        ResolvedScope::Unknown { .. } => return Ok(Vec::new()),
        known => known.even_unknown(),
    };
    let mut stories = Vec::new();
    for place in named.iter().take(REMEMBERED).map(|entity| CodeLocation::of(code.tree, entity)) {
        let commits = || code.past.commits_of(&place.path);
        let (log, views) = context.memory()?.parts();
        let story = why_tree_location(log, views, &in_tree(&place, root, &commits, project))?;
        if !(story.decisions.is_empty() && story.failures.is_empty() && story.cards.is_empty()) {
            stories.push((place, story));
        }
    }
    Ok(stories)
}

fn render_story(story: &LocationStory) -> String {
    let mut out = String::new();
    if !story.decisions.is_empty() {
        out.push_str(&title("Asked for when it was written"));
        out.extend(story.decisions.iter().map(|decision| decided(decision, story.distinctive)));
    }
    out + &known_here(&story.cards, &story.failures, "it")
}

fn decided(decision: &Decision, telling: usize) -> String {
    let written = &decision.written;
    let asked = written.prompt.as_ref().map_or("(no words of a person stand before the edit)", |prompt| &prompt.text);
    let cite = format!(
        "[{} · session {} · edit {} · {} of {telling} lines]",
        terminal::day(written.time),
        short(&written.session),
        written.event.short(),
        decision.lines
    );
    format!("   {}\n   {}\n", terminal::clip(asked, SHOWN_PROMPT), terminal::paint(terminal::DIM, &cite))
}

fn page(codebase: &Codebase<'_>, found: &Impact<'_>) -> String {
    let mut out = String::new();
    for entity in &found.of {
        let head = format!("{} {}", entity.kind.as_str(), entity.qualified);
        let at = terminal::paint(terminal::DIM, &format!("{}:{}", entity.path, entity.name_line));
        out.push_str(&format!("{} {at}\n", terminal::paint(terminal::BOLD, &head)));
    }
    let (sure, unsure): (Vec<&Affected>, Vec<&Affected>) = found.users.iter().partition(|user| !user.unsure);
    out.push_str(&section(codebase, "Uses it", &sure));
    out.push_str(&section(codebase, "May use it (only the name says so)", &unsure));
    let (sure, unsure): (Vec<&Affected>, Vec<&Affected>) = found.tests.iter().partition(|test| !test.unsure);
    out.push_str(&section(codebase, "Tests that would notice", &sure));
    out.push_str(&section(codebase, "Tests that may notice (only the name says so)", &unsure));
    if found.users.is_empty() && found.tests.is_empty() {
        out.push_str("\nNothing in this tree uses it, as far as its names tell.\n");
    }
    if !found.co_changed.is_empty() {
        out.push_str(&format!("\n{}\n", terminal::paint(terminal::BOLD, "Its file changes together with")));
        for other in &found.co_changed {
            let share = format!("{} of {} commits", other.together, found.commits);
            out.push_str(&format!(
                "   {}  {}\n",
                codebase.tree.path(other.file),
                terminal::paint(terminal::DIM, &share)
            ));
        }
    }
    if !found.breakages.is_empty() {
        out.push_str(&format!("\n{}\n", terminal::paint(terminal::BOLD, "Its file was fixed before")));
        for commit in &found.breakages {
            let at = backstory_engine::model::Timestamp(commit.time * 1_000);
            out.push_str(&format!(
                "   {} {} {}\n",
                &commit.hex()[..12],
                terminal::day(Some(at)),
                terminal::foreign(commit.subject)
            ));
        }
    }
    out
}

fn section(codebase: &Codebase<'_>, title: &str, users: &[&Affected]) -> String {
    if users.is_empty() {
        return String::new();
    }
    let mut out = format!("\n{}\n", terminal::paint(terminal::BOLD, &format!("{title} ({})", users.len())));
    for user in users.iter().take(MOST_SHOWN) {
        let Some(entity) = codebase.tree.entity(user.entity) else { continue };
        let steps = if user.depth > 1 { format!(" ({} steps away)", user.depth) } else { String::new() };
        let name = if entity.parent.is_none() { "(top of the file)" } else { entity.qualified };
        out.push_str(&format!(
            "   {}:{} {name}{}\n",
            entity.path,
            user.edge.line,
            terminal::paint(terminal::DIM, &steps)
        ));
    }
    if users.len() > MOST_SHOWN {
        out.push_str(&format!("   and {} more (--json lists them)\n", users.len() - MOST_SHOWN));
    }
    out
}
