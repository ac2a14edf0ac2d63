//! Lets a person review proposed cards: a few at a time, with the work or the call behind each.

use std::io::BufRead;

use backstory_engine::Memory;
use backstory_engine::log::Log;
use backstory_engine::model::{CardAct, CardKind, CardStatus, Event, EventId, EventKind, EvidenceKind};
use backstory_engine::retrieve::{CardInfo, card_evidence, cards, case_of_event};
use backstory_engine::store::CardFilter;
use backstory_language::similarity::{Comparer, Similarity};

use crate::commands::case_text;
use crate::error::AppError;
use crate::scope::ProjectScope;
use crate::{home, terminal};

use super::{acts, page};

/// A call's output follows it within so many events.
const CALL_BEFORE: u32 = 60;

#[derive(clap::Args)]
pub struct Review {
    #[command(flatten)]
    scope: ProjectScope,
    /// Ask about at most N cards; those that say the same count as one
    #[arg(long, short = 'n', value_name = "N", default_value_t = 5, value_parser = crate::commands::page::limit)]
    limit: usize,
}

enum Choice {
    Confirm,
    Edit(String),
    Drop,
    Skip,
    Quit,
}

#[derive(Default)]
struct Counts {
    confirmed: u64,
    edited: u64,
    dropped: u64,
}

impl Review {
    pub fn run(self) -> Result<(), AppError> {
        let mut memory = home::open_existing()?;
        let project = self.scope.resolve(&mut memory)?.even_unknown();
        let (log, views) = memory.parts();
        let filter = CardFilter { project, kind: None, statuses: vec![CardStatus::Proposed] };
        let mut proposed = cards(log, views, &filter)?;
        // What worked proves itself when it works again.
        proposed.retain(|info| info.card.kind != CardKind::Tactic);
        let groups = grouped(proposed);
        if groups.is_empty() {
            return terminal::print(
                "No proposed card in this project. `backstory cards review --all-projects` looks in all projects.\n",
            );
        }
        let mut lines = std::io::stdin().lock().lines();
        let (mut counts, mut asked) = (Counts::default(), 0);
        let most = groups.len().min(self.limit);
        for (at, group) in groups.iter().take(self.limit).enumerate() {
            terminal::print(&format!("\n{} of {most}\n{}", at + 1, self.question(&mut memory, group)?))?;
            match ask(&mut lines)? {
                Choice::Quit => break,
                choice => counts.judge(&mut memory, group, choice)?,
            }
            asked += 1;
        }
        let Counts { confirmed, edited, dropped } = counts;
        let left = groups.len() - asked;
        let left = if left > 0 { format!("; {left} left for the next review") } else { String::new() };
        terminal::print(&format!("\n{confirmed} confirmed, {edited} edited, {dropped} dropped{left}\n"))
    }

    /// The card, what stood around its words, and what says the same.
    fn question(&self, memory: &mut Memory, group: &[CardInfo]) -> Result<String, AppError> {
        let Some((info, others)) = group.split_first() else { return Ok(String::new()) };
        let tree = self.scope.tree()?;
        let cited = card_evidence(memory.log(), &info.card.evidence)?;
        let mut out = page::show(info, &cited, &[], None, &tree);
        if let Some(behind) = behind(memory, info)? {
            out.push_str(&format!("  Behind it\n    {behind}"));
        }
        for other in others {
            out.push_str(&format!("  The same: {} [{}]\n", other.card.statement, other.card.id.short()));
        }
        Ok(out)
    }
}

/// Cards that say nearly the same, the newest first, are one question.
fn grouped(proposed: Vec<CardInfo>) -> Vec<Vec<CardInfo>> {
    let mut comparer = Comparer::new();
    let mut groups: Vec<(_, Vec<CardInfo>)> = Vec::new();
    for info in proposed {
        let read = comparer.read(&info.card.statement);
        let is_same = |known: &&mut (_, Vec<CardInfo>)| {
            let (other, group): &(backstory_language::similarity::ComparedStatement, Vec<CardInfo>) = known;
            group[0].card.scope == info.card.scope
                && read.similarity(other) > Similarity::Not
                && !read.counts_otherwise(other)
        };
        match groups.iter_mut().find(is_same) {
            Some((_, group)) => group.push(info),
            None => groups.push((read, vec![info])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// The call that was refused, or the piece of work in which it was said.
fn behind(memory: &mut Memory, info: &CardInfo) -> Result<Option<String>, AppError> {
    let (log, views) = memory.parts();
    let Some(cited) = info.card.evidence.iter().find(|cited| cited.kind != EvidenceKind::DocSpan) else {
        return Ok(None);
    };
    let Some(event) = log.store().event(EventId(cited.id))? else { return Ok(None) };
    let mut out = String::new();
    if let Some(call) = call_of(log, &event)? {
        let tool = call.meta.tool.as_deref().unwrap_or("a call");
        let text = call.text.split_whitespace().collect::<Vec<_>>().join(" ");
        out.push_str(&format!("{tool}: {}\n    ", terminal::clip(&text, 200)));
    }
    if let Some(case) = case_of_event(log, views, &event)? {
        out.push_str(&case_text::render_headline(&case));
    }
    Ok((!out.is_empty()).then_some(out))
}

/// The call whose output this is, as a refusal is.
fn call_of(log: &mut Log, output: &Event) -> Result<Option<Event>, AppError> {
    if output.kind != EventKind::ToolOutput || output.meta.tool_use_id.is_none() {
        return Ok(None);
    }
    let Some(episode) = log.store().episode_num(output.episode)? else { return Ok(None) };
    let before = log.store().events_of(episode, output.seq.saturating_sub(CALL_BEFORE), output.seq)?;
    let is_call =
        |event: &Event| event.kind == EventKind::ToolCall && event.meta.tool_use_id == output.meta.tool_use_id;
    Ok(before.into_iter().rfind(is_call))
}

impl Counts {
    /// What holds for one card of a group holds for all: the first stands for the others.
    fn judge(&mut self, memory: &mut Memory, group: &[CardInfo], choice: Choice) -> Result<(), AppError> {
        let Some((first, others)) = group.split_first() else { return Ok(()) };
        match choice {
            Choice::Confirm => {
                acts::judge(memory, &CardAct::Confirm { card: first.card.id }, String::new())?;
                self.confirmed += 1;
            }
            Choice::Edit(statement) => {
                acts::edit(memory, &first.card, statement)?.print()?;
                self.edited += 1;
            }
            Choice::Drop => {
                acts::judge(memory, &CardAct::Archive { card: first.card.id }, String::new())?;
                self.dropped += 1;
            }
            Choice::Skip | Choice::Quit => return Ok(()),
        }
        for other in others {
            acts::judge(memory, &CardAct::Archive { card: other.card.id }, String::new())?;
        }
        Ok(())
    }
}

/// Asks until the answer is valid; the end of the input ends the review.
fn ask(lines: &mut impl Iterator<Item = std::io::Result<String>>) -> Result<Choice, AppError> {
    loop {
        terminal::print("  [c]onfirm, [e]dit, [d]rop, [s]kip, [q]uit? ")?;
        let Some(line) = lines.next().transpose()? else { return Ok(Choice::Quit) };
        match line.trim() {
            "c" | "y" | "confirm" => return Ok(Choice::Confirm),
            "d" | "n" | "drop" => return Ok(Choice::Drop),
            "s" | "" | "skip" => return Ok(Choice::Skip),
            "q" | "quit" => return Ok(Choice::Quit),
            "e" | "edit" => {
                terminal::print("  new statement: ")?;
                match lines.next().transpose()? {
                    Some(text) if !text.trim().is_empty() => return Ok(Choice::Edit(text.trim().to_owned())),
                    _ => continue,
                }
            }
            _ => {}
        }
    }
}
