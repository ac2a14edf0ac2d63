//! A person's changes to cards: each is one event in the log.

use std::path::Path;

use backstory_engine::Memory;
use backstory_engine::derive::cards::DEFAULT_DOMAIN;
use backstory_engine::model::{
    Candidate, Card, CardAct, CardId, CardKind, CardSource, EventId, EventKind, EvidenceKind, EvidenceRef, PutAway,
    Scope, Tier, card_id, span_hash,
};
use backstory_engine::retrieve::{card_info, find_card};
use backstory_engine::store::CardDecision;

use crate::ask_context::AskContext;
use crate::error::{AppError, ErrorKind};
use crate::reply::{Reply, Text};
use crate::scope::ProjectScope;
use crate::{environment, home, json};

use super::{card_kind, page, tier, tree_of};
use crate::commands::free_text::{self, not_blank};

/// A requested card.
pub struct New {
    pub statement: String,
    /// The words of its evidence, if they differ from the statement.
    pub from_user: Option<String>,
    pub kind: CardKind,
    pub scope: Scope,
    pub tags: Vec<String>,
    pub rests_on: Vec<CardId>,
}

/// An agent's card is only proposed: its words are not a person's.
pub fn add(context: &mut AskContext, new: New) -> Result<Reply, AppError> {
    let (source, kind) = match context.is_agents() {
        true => (CardSource::Agent, EventKind::Assistant),
        false => (CardSource::Remembered, EventKind::User),
    };
    let words = new.from_user.clone().unwrap_or_else(|| new.statement.clone());
    // Readers of the log decide the same; here the refusal can be reported.
    let evidence = EvidenceRef {
        kind: EvidenceKind::UserSpan,
        id: span_hash(&words),
        start: 0,
        end: words.len() as u32,
        hash: span_hash(&words),
    };
    Candidate::new(new.kind, source, &new.statement, "", vec![evidence], None)
        .map_err(|error| refused(new.kind, &error))?;
    let scope = new.scope;
    let id = card_id(new.kind, &scope, &new.statement);
    let act = CardAct::Add {
        statement: new.from_user.is_some().then(|| new.statement.clone()),
        kind: new.kind,
        scope: scope.clone(),
        source,
        tags: new.tags,
        rests_on: new.rests_on,
        evidence: Vec::new(),
    };
    let folder = context.folder.clone();
    let memory = context.memory_or_new()?;
    if !write(memory, kind, words, &act)? {
        return Ok(later());
    }
    let row = memory.views().read().card(id)?;
    if let Some(row) = row {
        return reply_with(memory, &folder, row.card);
    }
    // Another card absorbed or blocked it.
    let ledger = memory.views().read().ledger(None)?;
    let mut beside = None;
    for line in ledger.into_iter().rev().filter(|line| line.statement == new.statement) {
        let card = line.card.map(|card| memory.views().read().card(card)).transpose()?.flatten();
        // Other projects decide separately on the same words.
        if let Some(row) = card.filter(|row| row.card.scope == scope) {
            beside = Some((line, row));
            break;
        }
    }
    match beside {
        Some((line, row)) => {
            let what = match (line.decision, line.reason.as_str()) {
                (CardDecision::Merged, _) => "A card already says the same; your words were added to it:",
                (_, "not_novel") => "A card already says nearly the same:",
                _ => "Not admitted: its scope is full. A stronger card:",
            };
            let reply = reply_with(memory, &folder, row.card)?;
            Ok(match reply.text {
                Text::Recalled(text) => Reply { text: Text::Recalled(format!("{what}\n{text}")), ..reply },
                Text::Plain(_) => reply,
            })
        }
        _ => Ok(later()),
    }
}

/// Another process is reading the log: the words are in the log, but not a card yet.
fn later() -> Reply {
    let text = "Recorded. Another process is reading the log; `backstory cards` shows it later.\n";
    Reply::plain("cards", serde_json::json!({ "card": null }), text)
}

fn refused(kind: CardKind, error: &backstory_engine::model::NoCandidate) -> AppError {
    let said = AppError::new(ErrorKind::Usage, format!("this cannot be a {}: {error}", kind.name()));
    match error {
        backstory_engine::model::NoCandidate::Evidence => said.hint(
            "Tactics and negative results rest on what tools printed; a fact or a preference may rest on your words.",
        ),
        backstory_engine::model::NoCandidate::Statement => said.hint("Use 1 to 280 characters."),
    }
}

/// Appends the event. Returns whether the cards are up to date with it.
fn write(memory: &mut Memory, kind: EventKind, text: String, act: &CardAct) -> Result<bool, AppError> {
    memory.log().append_of_cards(kind, environment::now(), text, act)?;
    Ok(memory.refresh(&mut |_| {})?.is_some())
}

/// The new state of the card.
fn reply_with(memory: &mut Memory, folder: &Path, card: Card) -> Result<Reply, AppError> {
    let tree = tree_of(memory, folder, &card)?;
    let info = card_info(memory.log(), card)?;
    let json = serde_json::json!({ "card": json::card(&info, &tree) });
    let older = info.card.supersedes.map(|older| memory.views().read().card(older)).transpose()?.flatten();
    let older = older.map(|row| format!("    supersedes [{}] {}\n", row.card.id.short(), row.card.statement));
    let text = format!("{}{}", page::entry(&info, &tree), older.unwrap_or_default());
    Ok(Reply::recalled("cards", json, text))
}

fn print(reply: Reply, as_json: bool) -> Result<(), AppError> {
    if as_json { reply.print_json() } else { reply.print() }
}

fn statement_of(words: Vec<String>) -> Result<String, AppError> {
    free_text::needed(words.join(" "), "the statement", "backstory remember \"Never push to main\"")
}

pub fn judge(memory: &mut Memory, act: &CardAct, said: String) -> Result<(), AppError> {
    write(memory, EventKind::Judgement, said, act).map(drop)
}

#[derive(clap::Args)]
pub struct Add {
    /// The statement, at most 280 characters, understandable on its own
    #[arg(value_name = "STATEMENT", required = true)]
    statement: Vec<String>,
    /// preference, constraint, commitment or fact
    #[arg(long, value_name = "KIND", value_parser = card_kind(&CardKind::ALL))]
    kind: CardKind,
    /// The words that are its evidence, if they differ from the statement
    #[arg(long, value_name = "WORDS", value_parser = not_blank)]
    from_user: Option<String>,
    /// A card that this one depends on (may be repeated)
    #[arg(long, value_name = "CARD", value_parser = not_blank)]
    rests_on: Vec<String>,
    #[command(flatten)]
    scope: ProjectScope,
    /// A word to find it by (may be repeated)
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Add {
    pub fn run(self) -> Result<(), AppError> {
        let mut context = AskContext::here()?;
        let project = context.scope(&self.scope)?.even_unknown();
        let project = project.ok_or_else(|| {
            AppError::new(
                ErrorKind::Usage,
                "--all-projects cannot be used here; `cards promote` extends a card to all projects",
            )
        })?;
        let scope = Scope::repo(project);
        let mut rests_on = Vec::new();
        for asked in &self.rests_on {
            let card = find_card(context.memory()?.views(), asked)?.id;
            if !rests_on.contains(&card) {
                rests_on.push(card);
            }
        }
        let statement = statement_of(self.statement)?;
        let new = New { statement, from_user: self.from_user, kind: self.kind, scope, tags: self.tags, rests_on };
        print(add(&mut context, new)?, self.json)
    }
}

#[derive(clap::Args)]
pub struct Edit {
    /// The card's id, or its first digits
    #[arg(value_parser = not_blank)]
    id: String,
    /// The new statement
    #[arg(value_name = "STATEMENT", required = true)]
    statement: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Edit {
    pub fn run(self) -> Result<(), AppError> {
        let mut memory = home::open_existing()?;
        let old = find_card(memory.views(), &self.id)?;
        print(edit(&mut memory, &old, statement_of(self.statement)?)?, self.json)
    }
}

/// The old card stays in the log and is superseded.
pub fn edit(memory: &mut Memory, old: &Card, statement: String) -> Result<Reply, AppError> {
    Candidate::new(old.kind, CardSource::Remembered, &statement, "", old.evidence.clone(), None)
        .map_err(|error| refused(old.kind, &error))?;
    let new = card_id(old.kind, &old.scope, &statement);
    judge(memory, &CardAct::Edit { card: old.id }, statement)?;
    let row = memory.views().read().card(new)?;
    let card = row.map_or_else(|| old.clone(), |row| row.card);
    reply_with(memory, &home::current_folder()?, card)
}

#[derive(clap::Args)]
pub struct Several {
    /// The cards' ids, or their first digits
    #[arg(value_name = "ID", required = true, value_parser = not_blank)]
    ids: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Several {
    pub fn confirm(self) -> Result<(), AppError> {
        self.each(|card| CardAct::Confirm { card })
    }

    pub fn archive(self) -> Result<(), AppError> {
        self.each(|card| CardAct::Archive { card })
    }

    pub fn restore(self) -> Result<(), AppError> {
        self.each(|card| CardAct::Restore { card })
    }

    fn each(self, act: impl Fn(CardId) -> CardAct) -> Result<(), AppError> {
        let mut memory = home::open_existing()?;
        let mut found = Vec::new();
        for id in &self.ids {
            found.push(find_card(memory.views(), id)?.id);
        }
        for id in found {
            judge(&mut memory, &act(id), String::new())?;
            let row = memory.views().read().card(id)?;
            if let Some(row) = row {
                print(reply_with(&mut memory, &home::current_folder()?, row.card)?, self.json)?;
            }
        }
        Ok(())
    }
}

#[derive(clap::Args)]
pub struct Dispute {
    /// The card's id, or its first digits
    #[arg(value_parser = not_blank)]
    id: String,
    /// A short reason
    #[arg(value_name = "REASON", required = true, value_parser = not_blank)]
    reason: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// The id of an event that shows it (`backstory log show`)
    #[arg(long, value_name = "EVENT", value_parser = not_blank)]
    evidence: Option<String>,
}

impl Dispute {
    pub fn run(self) -> Result<(), AppError> {
        let mut memory = home::open_existing()?;
        let card = find_card(memory.views(), &self.id)?.id;
        let evidence = self.evidence.as_deref().map(|id| event_evidence(&mut memory, id)).transpose()?;
        judge(&mut memory, &CardAct::Dispute { card, evidence }, self.reason.join(" "))?;
        let row = memory.views().read().card(card)?;
        let Some(row) = row else { return Ok(()) };
        print(reply_with(&mut memory, &home::current_folder()?, row.card)?, self.json)
    }
}

/// The whole text of an event.
fn event_evidence(memory: &mut Memory, asked: &str) -> Result<EvidenceRef, AppError> {
    let ids: Vec<EventId> = memory.log().store().event_ids_with_prefix(asked, 2)?;
    let [id] = ids.as_slice() else {
        let what = if ids.is_empty() { "no event" } else { "more than one event" };
        return Err(AppError::new(ErrorKind::NotFound, format!("{what} has an id that begins with '{asked}'")));
    };
    let event = memory.log().store().event(*id)?.filter(|event| !event.forgotten && !event.text.is_empty());
    let event = event.ok_or_else(|| AppError::new(ErrorKind::NotFound, format!("event {asked} has no text")))?;
    Ok(EvidenceRef {
        kind: EvidenceKind::of_event(&event),
        id: id.0,
        start: 0,
        end: event.text.len() as u32,
        hash: span_hash(&event.text),
    })
}

#[derive(clap::Args)]
pub struct Promote {
    /// The card's id, or its first digits
    #[arg(value_parser = not_blank)]
    id: String,
    /// domain or global
    #[arg(long, value_name = "TIER", value_parser = tier)]
    to: Tier,
    /// The domain
    #[arg(long, value_name = "NAME", default_value = DEFAULT_DOMAIN, value_parser = clap::builder::NonEmptyStringValueParser::new())]
    domain: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Promote {
    pub fn run(self) -> Result<(), AppError> {
        let mut memory = home::open_existing()?;
        let card = find_card(memory.views(), &self.id)?;
        let scope = if self.to == Tier::Global { Scope::global() } else { Scope::domain(&self.domain) };
        if card.scope.tier >= scope.tier {
            let message = format!("it already has this scope: {}", card.scope.tier.name());
            return Err(AppError::new(ErrorKind::Usage, message));
        }
        if let Some(PutAway::Promoted { to }) = card.put_away {
            let message = format!("it was promoted before, to card {}", to.short());
            return Err(AppError::new(ErrorKind::Usage, message));
        }
        let new = card_id(card.kind, &scope, &card.statement);
        judge(&mut memory, &CardAct::Promote { card: card.id, scope }, String::new())?;
        let row = memory.views().read().card(new)?;
        let promoted = row.map_or(card, |row| row.card);
        print(reply_with(&mut memory, &home::current_folder()?, promoted)?, self.json)
    }
}
