//! Renders cards for a terminal.

use std::collections::BTreeMap;

use backstory_engine::log::Log;
use backstory_engine::model::{Card, CardStatus};
use backstory_engine::retrieve::{CardInfo, Cited, Pack, PackItem, PackLeftOut};
use backstory_engine::store::LedgerRow;

use crate::commands::sessions::short;
use crate::error::AppError;
use crate::terminal;
use crate::working_tree::WorkingTree;

pub fn list(cards: &[CardInfo], total: usize, tree: &WorkingTree) -> String {
    let mut out: String = cards.iter().map(|info| entry(info, tree)).collect();
    if total > cards.len() {
        out.push_str(&format!("… and {} more: --limit {total} shows all\n", total - cards.len()));
    }
    if cards.iter().any(|info| info.card.status == CardStatus::Proposed) {
        out.push_str(
            "\n`pack` shows proposed cards apart, as unconfirmed; `backstory cards review` goes through them.\n",
        );
    }
    out
}

/// One line for a pipe.
pub fn line_of_card(info: &CardInfo) -> String {
    let card = &info.card;
    format!("{}\t{}\t{}\t{}", card.id.short(), card.kind.name(), state(card), card.statement)
}

pub fn entry(info: &CardInfo, tree: &WorkingTree) -> String {
    let card = &info.card;
    // A doubtful status is shown there already.
    let doubt = tree.doubt(card).filter(|_| card.status == CardStatus::Active);
    let doubt = doubt.map(|doubt| terminal::paint(terminal::WARN, &format!(" ({doubt})"))).unwrap_or_default();
    let head = format!("{:15}", card.kind.name());
    format!(
        "{}  {} {}\n    {}{doubt}\n",
        terminal::paint(terminal::DIM, &format!("[{}]", card.id.short())),
        terminal::paint(terminal::BOLD, &head),
        terminal::paint(
            terminal::DIM,
            &format!("{} · {} · {} · {}", state(card), card.source.name(), info.place, terminal::day(card.renewed))
        ),
        card.statement,
    )
}

fn state(card: &Card) -> String {
    match card.suspect.is_empty() {
        true => card.status.name().to_owned(),
        false => format!("{}, suspect", card.status.name()),
    }
}

pub fn show(
    info: &CardInfo,
    cited: &[Cited],
    doubts: &[Cited],
    successor: Option<&Card>,
    tree: &WorkingTree,
) -> String {
    let card = &info.card;
    let mut out = entry(info, tree);
    out.push_str(&format!("    topic {}; {}\n", card.topic, numbers(card)));
    if !card.tags.is_empty() {
        out.push_str(&format!("    tags {}\n", card.tags.join(", ")));
    }
    if let Some(why) = card.put_away {
        out.push_str(&format!("    archived: {}\n", why.name()));
    }
    if let Some(newer) = successor.filter(|_| card.status == CardStatus::Superseded) {
        out.push_str(&format!("    superseded by [{}] {}\n", newer.id.short(), newer.statement));
    }
    if let Some(older) = card.supersedes {
        out.push_str(&format!("    supersedes [{}]\n", older.short()));
    }
    if !card.rests_on.is_empty() {
        let ids: Vec<String> = card.rests_on.iter().map(|id| format!("[{}]", id.short())).collect();
        out.push_str(&format!("    rests on {}\n", ids.join(", ")));
    }
    if !card.suspect.is_empty() {
        let chain: Vec<String> = card.suspect.iter().map(|id| format!("[{}]", id.short())).collect();
        out.push_str(&format!(
            "    {}\n",
            terminal::paint(
                terminal::WARN,
                &format!("doubtful: it rests on {}, which no longer holds", chain.join(" ← "))
            )
        ));
    }
    for option in &info.card.refused {
        let (proposal, because) = (terminal::clip(&option.proposal, 160), terminal::clip(&option.because, 160));
        out.push_str(&format!("    not: {proposal} (because: {because})\n"));
    }
    out.push_str("  Evidence\n");
    for one in cited {
        out.push_str(&evidence(one));
    }
    if !doubts.is_empty() {
        out.push_str("  Doubts\n");
        doubts.iter().for_each(|one| out.push_str(&evidence(one)));
    }
    out
}

fn numbers(card: &Card) -> String {
    let mut parts = vec![format!(
        "truth {:.2} ({})",
        card.truth.weight(),
        match card.truth.evidence() {
            1 => "1 piece of evidence".to_owned(),
            many => format!("{many} pieces of evidence"),
        }
    )];
    if card.truth.disputes > 0.0 {
        parts.push(format!("disputed by {:.1}", card.truth.disputes));
    }
    if card.utility.shown > 0 {
        let utility = &card.utility;
        parts.push(format!("shown in {}, {} won, {} lost", utility.shown, utility.wins, utility.losses));
    }
    parts.join("; ")
}

fn evidence(cited: &Cited) -> String {
    let place = cited.session.as_deref().map(|session| format!("session {} · ", short(session))).unwrap_or_default();
    let head = format!(
        "  {} · {place}{} · {}",
        cited.evidence.kind.name(),
        terminal::time(cited.time),
        &cited.evidence.id.to_string()[..12]
    );
    let words = match (&cited.words, &cited.missing) {
        (Some(words), _) => format!(
            "    {}{}{}\n",
            terminal::paint(terminal::DIM, &clip_end(&cited.before)),
            terminal::paint(terminal::BOLD, &terminal::clip(words, 600)),
            terminal::paint(terminal::DIM, &terminal::clip(&cited.after, 160)),
        ),
        (None, Some(reason)) => format!("    not in this log: {reason}\n"),
        (None, None) => String::new(),
    };
    format!("{}\n{words}", terminal::paint(terminal::DIM, &head))
}

/// The end of the preceding text, in one line.
fn clip_end(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.is_empty() { line } else { format!("{line} ") }
}

pub fn explain(info: &CardInfo, rows: &[LedgerRow], sessions: &[Option<String>], tree: &WorkingTree) -> String {
    let mut out = entry(info, tree);
    for (row, session) in rows.iter().zip(sessions) {
        out.push_str(&format!("  {}\n", line(row, session.as_deref())));
    }
    out
}

/// Whether the card is in the pack for a task, and why or why not.
pub fn packed(card: &Card, pack: &Pack) -> String {
    if let Some(item) = pack.items.iter().find(|item| item.card.id == card.id) {
        return format!("  packed     {}\n", standing(item));
    }
    let why = match pack.left_out.iter().find(|(item, _)| item.card.id == card.id) {
        Some((item, why)) => {
            let why = match why {
                PackLeftOut::NotRelevant => "it does not concern the task",
                PackLeftOut::InInstructions => "an instruction file says it",
                PackLeftOut::SlotIsFull => "better cards fill its slot",
                PackLeftOut::SameTopic => "better cards of the same topic were chosen",
                PackLeftOut::OverBudget => "the budget is used up",
            };
            format!("{why}; {}", standing(item))
        }
        None => format!("only active cards are packed; this one is {}", card.status.name()),
    };
    format!("  not packed {why}\n")
}

fn standing(item: &PackItem) -> String {
    let doubt = item.doubt.as_deref().map(|doubt| format!(", {doubt}")).unwrap_or_default();
    let slot = format!("{:?}", item.slot).to_lowercase();
    format!("slot {slot}, relevance {:.2}, score {:.2}{doubt}", item.relevance, item.score)
}

pub fn ledger(rows: &[LedgerRow], sessions: &[Option<String>], limit: usize) -> String {
    let counts = counts(rows);
    let counts: Vec<String> = counts.iter().map(|(name, count)| format!("{count} {name}")).collect();
    let mut out = format!("{}\n", terminal::paint(terminal::BOLD, &counts.join(", ")));
    for (row, session) in rows.iter().zip(sessions).take(limit) {
        out.push_str(&format!("{}\n", line(row, session.as_deref())));
    }
    if rows.len() > limit {
        out.push_str(&format!("… and {} more: --limit {} shows all\n", rows.len() - limit, rows.len()));
    }
    out
}

/// The number of decisions of each kind.
pub fn counts(rows: &[LedgerRow]) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for row in rows {
        *counts.entry(row.decision.name()).or_default() += 1;
    }
    counts.insert("candidates", rows.iter().filter(|row| row.episode.is_some()).count());
    counts
}

fn line(row: &LedgerRow, session: Option<&str>) -> String {
    let from = session.map_or("by hand or by maintenance".to_owned(), |session| format!("session {}", short(session)));
    let card = row.card.map(|card| format!(" [{}]", card.short())).unwrap_or_default();
    format!(
        "{:10} {:24} {}{}",
        row.decision.name(),
        row.reason,
        terminal::clip(&row.statement, 90),
        terminal::paint(terminal::DIM, &format!("  {} · {from}{card}", row.kind.name())),
    )
}

/// The session of each row.
pub fn sessions_of(log: &mut Log, rows: &[LedgerRow]) -> Result<Vec<Option<String>>, AppError> {
    let mut sessions = Vec::new();
    for row in rows {
        let episode = row.episode.map(|num| log.store().episode(num)).transpose()?.flatten();
        sessions.push(episode.map(|episode| episode.key.session));
    }
    Ok(sessions)
}
