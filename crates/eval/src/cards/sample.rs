//! Writes every card with its evidence, for a person to read.

use std::fmt::Write;
use std::path::Path;

use backstory_engine::model::{Card, Event, EventId, EvidenceKind, EvidenceRef, digest_of};

use super::EvalResult;
use crate::quality::World;

/// Characters shown on both sides of a span.
const AROUND: usize = 400;
/// Events shown before the one that is cited.
const BEFORE: u32 = 3;

pub fn write(world: &mut World, cards: &[Card], folder: &Path) -> EvalResult {
    let mut shuffled: Vec<&Card> = cards.iter().collect();
    let order = |card: &Card| digest_of("sample", &[card.id.as_bytes()]);
    shuffled.sort_by_key(|card| (card.source, card.kind, card.status, order(card).0));
    let mut page = String::new();
    for (number, card) in shuffled.iter().enumerate() {
        writeln!(
            page,
            "## {} {} · {} · {} · {}\n\n{}\n\ntopic {} · tags {:?} · id {}",
            number + 1,
            card.kind.name(),
            card.source.name(),
            card.status.name(),
            card.scope.tier.name(),
            card.statement,
            card.topic,
            card.tags,
            card.id
        )?;
        for evidence in &card.evidence {
            show(world, evidence, &mut page)?;
        }
        writeln!(page)?;
    }
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join("cards.md"), page)?;
    println!("\n{} cards in {}", shuffled.len(), folder.join("cards.md").display());
    Ok(())
}

fn show(world: &mut World, evidence: &EvidenceRef, page: &mut String) -> EvalResult {
    let log = world.memory.log();
    log.resolve(evidence)?;
    if evidence.kind == EvidenceKind::DocSpan {
        return Ok(());
    }
    let Some(event) = log.store().event(EventId(evidence.id))? else { return Ok(()) };
    let num = log.store().episode_num(event.episode)?.ok_or("an event without an episode")?;
    for before in log.store().events_of(num, event.seq.saturating_sub(BEFORE), event.seq)? {
        writeln!(page, "    {}", line(&before, 0..0))?;
    }
    let span = evidence.start as usize..evidence.end as usize;
    writeln!(page, "  > [{}] {}", evidence.kind.name(), line(&event, span))?;
    Ok(())
}

/// The event, with the cited span in brackets.
fn line(event: &Event, span: std::ops::Range<usize>) -> String {
    let tool = event.meta.tool.as_deref().unwrap_or_default();
    let from = event.text.floor_char_boundary(span.start.saturating_sub(AROUND));
    let to = event.text.ceil_char_boundary((span.end + AROUND).min(event.text.len()));
    let (head, cited, tail) = (&event.text[from..span.start], &event.text[span.clone()], &event.text[span.end..to]);
    let cited = if span.is_empty() { String::new() } else { format!("⟦{cited}⟧") };
    format!("{} {tool}: {head}{cited}{tail}", event.kind.name()).replace('\n', "⏎")
}
