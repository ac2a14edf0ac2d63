//! Lets a person review the proposed cards one by one.

use std::io::BufRead;

use backstory_engine::model::{CardAct, CardStatus};
use backstory_engine::retrieve::{card_evidence, cards};
use backstory_engine::store::CardFilter;

use crate::error::AppError;
use crate::scope::ProjectScope;
use crate::{home, terminal};

use super::{acts, page};

#[derive(clap::Args)]
pub struct Review {
    #[command(flatten)]
    scope: ProjectScope,
}

enum Choice {
    Confirm,
    Edit(String),
    Drop,
    Skip,
    Quit,
}

impl Review {
    pub fn run(self) -> Result<(), AppError> {
        let mut memory = home::open_existing()?;
        let project = self.scope.resolve(&mut memory)?.even_unknown();
        let (log, views) = memory.parts();
        let filter = CardFilter { project, kind: None, statuses: vec![CardStatus::Proposed] };
        let proposed = cards(log, views, &filter)?;
        if proposed.is_empty() {
            return terminal::print(
                "No proposed card in this project. `backstory cards review --all-projects` looks in all projects.\n",
            );
        }
        let tree = self.scope.tree()?;
        let mut lines = std::io::stdin().lock().lines();
        let (mut confirmed, mut edited, mut dropped) = (0u64, 0u64, 0u64);
        for (at, info) in proposed.iter().enumerate() {
            let cited = card_evidence(memory.log(), &info.card.evidence)?;
            terminal::print(&format!(
                "\n{} of {}\n{}",
                at + 1,
                proposed.len(),
                page::show(info, &cited, &[], None, &tree)
            ))?;
            match ask(&mut lines)? {
                Choice::Confirm => {
                    acts::judge(&mut memory, &CardAct::Confirm { card: info.card.id }, String::new())?;
                    confirmed += 1;
                }
                Choice::Edit(statement) => {
                    acts::edit(&mut memory, &info.card, statement)?.print()?;
                    edited += 1;
                }
                Choice::Drop => {
                    acts::judge(&mut memory, &CardAct::Archive { card: info.card.id }, String::new())?;
                    dropped += 1;
                }
                Choice::Skip => {}
                Choice::Quit => break,
            }
        }
        terminal::print(&format!("\n{confirmed} confirmed, {edited} edited, {dropped} dropped\n"))
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
