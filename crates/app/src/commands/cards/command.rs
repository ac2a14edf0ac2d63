//! `backstory cards`: dispatches the subcommands; lists, shows and explains cards.

use std::collections::HashSet;
use std::path::Path;

use backstory_engine::Memory;
use backstory_engine::model::{Card, CardId, CardKind, CardStatus, Channel, Tier};
use backstory_engine::retrieve::{
    CardInfo, PackQuestion, SessionInfo, card_evidence, card_info, cards, find_card, gates, pack,
};
use backstory_engine::store::{CardFilter, LedgerRow};
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::ask_context::AskContext;
use crate::error::{AppError, ErrorKind};
use crate::reply::{self, Reply};
use crate::scope::ProjectScope;
use crate::working_tree::WorkingTree;
use crate::{home, json, terminal};

use crate::commands::free_text::not_blank;
use crate::commands::{self, Answers, sessions};

use super::{acts, page, review, transfer};

/// List, review and correct what is remembered
///
/// A card is one statement with its evidence: a preference, a constraint, a
/// commitment, a fact, a tactic that worked or an attempt that failed. `pack` uses
/// active cards. Proposed cards become active when you confirm them (`cards review`)
/// or when they are said again. Nothing is deleted: every change is an event in the
/// log.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct CardsCommand {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    list: List,
}

#[derive(clap::Subcommand)]
enum Command {
    /// List cards, newest first
    List(List),
    /// Confirm, edit or drop the proposed cards, one by one
    Review(review::Review),
    /// Show a card with its evidence in context
    Show(Show),
    /// Add a card; your words are its evidence
    Add(acts::Add),
    /// Replace the statement of a card; the old card is superseded
    Edit(acts::Edit),
    /// Make cards active and clear doubts
    Confirm(acts::Several),
    /// Mark a card for a recheck
    Dispute(acts::Dispute),
    /// Archive cards: they are still found, but not packed
    Archive(acts::Several),
    /// Make archived cards active again
    Restore(acts::Several),
    /// Use a card in more than this repository
    Promote(acts::Promote),
    /// List what was decided about every candidate, newest first
    Ledger(Ledger),
    /// Show which rules admitted, merged and changed a card
    Explain(Explain),
    /// Check whether the memory is stable enough for finer attribution
    Gates(Gates),
    /// Write cards to a file
    Export(transfer::Export),
    /// Read cards from a file that `cards export` wrote
    Import(transfer::Import),
}

#[derive(clap::Args)]
struct List {
    #[command(flatten)]
    scope: ProjectScope,
    /// Only cards that were found in this session: its id, or its first digits
    #[arg(long, value_name = "SESSION", value_parser = not_blank)]
    session: Option<String>,
    /// Only this kind: preference, constraint, commitment, fact, tactic, negative_result
    #[arg(long, value_name = "KIND", value_parser = card_kind(&CardKind::ALL))]
    kind: Option<CardKind>,
    /// Only this status: proposed, active, needs_recheck, superseded, archived (may be repeated)
    #[arg(long, value_name = "STATUS", value_parser = card_status())]
    status: Vec<CardStatus>,
    /// Include superseded and archived cards
    #[arg(long, conflicts_with = "status")]
    all: bool,
    /// Show at most N cards
    #[arg(long, short = 'n', value_name = "N", default_value_t = 50, value_parser = commands::page::limit)]
    limit: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
struct One {
    /// The card's id, or its first digits
    #[arg(value_parser = not_blank)]
    id: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
struct Show {
    #[command(flatten)]
    one: One,
    /// The session that asks; its outcome counts for the card
    #[arg(long, value_name = "SESSION", alias = "session", hide_short_help = true)]
    asking_session: Option<String>,
}

#[derive(clap::Args)]
struct Explain {
    #[command(flatten)]
    one: One,
    /// Show whether `pack` chooses it for this task, and why
    #[arg(long, value_name = "TASK", value_parser = not_blank)]
    task: Option<String>,
}

#[derive(clap::Args)]
struct Ledger {
    #[command(flatten)]
    scope: ProjectScope,
    /// Only candidates of this session: its id, or its first digits
    #[arg(long, value_name = "SESSION", value_parser = not_blank)]
    session: Option<String>,
    /// Show at most N decisions
    #[arg(long, short = 'n', value_name = "N", default_value_t = 40, value_parser = commands::page::limit)]
    limit: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
struct Gates {
    #[command(flatten)]
    scope: ProjectScope,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn card_kind(kinds: &[CardKind]) -> impl TypedValueParser<Value = CardKind> {
    one_of(kinds.iter().map(|kind| kind.name()), CardKind::parse)
}

fn card_status() -> impl TypedValueParser<Value = CardStatus> {
    one_of(CardStatus::ALL.map(CardStatus::name), CardStatus::parse)
}

/// The names appear in help, completions and tools.
fn one_of<T: Clone + Send + Sync + 'static>(
    names: impl IntoIterator<Item = &'static str>,
    parse: fn(&str) -> Option<T>,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(names).try_map(move |name| parse(&name).ok_or("no such name"))
}

pub fn tier(typed: &str) -> Result<Tier, String> {
    Tier::parse(typed).filter(|tier| *tier != Tier::Repo).ok_or_else(|| "expected domain or global".to_owned())
}

/// The working tree of a card's project, if we are in it.
pub fn tree_of(memory: &mut Memory, folder: &Path, card: &Card) -> Result<WorkingTree, AppError> {
    let here = ProjectScope::default();
    let project = here.resolve_in(memory, folder)?.even_unknown();
    if card.scope.project().is_some_and(|of_card| Some(of_card) != project) {
        return Ok(WorkingTree::elsewhere());
    }
    Ok(here.tree_in(folder))
}

impl CardsCommand {
    pub fn run(self) -> Result<(), AppError> {
        match self.command {
            None => commands::print_answer(self.list),
            Some(Command::List(list)) => commands::print_answer(list),
            Some(Command::Review(review)) => review.run(),
            Some(Command::Show(show)) => commands::print_answer(show),
            Some(Command::Add(add)) => add.run(),
            Some(Command::Edit(edit)) => edit.run(),
            Some(Command::Confirm(several)) => several.confirm(),
            Some(Command::Dispute(dispute)) => dispute.run(),
            Some(Command::Archive(several)) => several.archive(),
            Some(Command::Restore(several)) => several.restore(),
            Some(Command::Promote(promote)) => promote.run(),
            Some(Command::Ledger(ledger)) => commands::print_answer(ledger),
            Some(Command::Explain(explain)) => explain.one.explain(explain.task),
            Some(Command::Gates(gates)) => gates.run(),
            Some(Command::Export(export)) => export.run(),
            Some(Command::Import(import)) => import.run(),
        }
    }
}

impl CardsCommand {
    /// Other surfaces offer only showing a card.
    pub fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        match self.command {
            Some(Command::Show(show)) => show.reply(context),
            _ => Err(AppError::new(ErrorKind::Usage, "only the command line does this")),
        }
    }
}

impl Answers for List {
    fn as_json(&self) -> bool {
        self.json
    }

    fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        let session = self.session.as_deref().map(|asked| sessions::named(context.memory()?, asked)).transpose()?;
        let project = match session {
            // Without a project option, the card may be of any project.
            Some(_) if !self.scope.is_given() => None,
            _ => context.scope(&self.scope)?.even_unknown(),
        };
        let statuses = match self.all {
            true => Vec::new(),
            false if self.status.is_empty() => {
                vec![CardStatus::Active, CardStatus::NeedsRecheck, CardStatus::Proposed]
            }
            false => self.status.clone(),
        };
        let tree = context.tree(&self.scope);
        let memory = context.memory()?;
        let (log, views) = memory.parts();
        let mut found = cards(log, views, &CardFilter { project, kind: self.kind, statuses })?;
        if let Some(session) = &session {
            let of_session = cards_of(memory, session)?;
            found.retain(|info| of_session.contains(&info.card.id));
        }
        let shown = &found[..found.len().min(self.limit)];
        let items: Vec<_> = shown.iter().map(|info| json::card(info, &tree)).collect();
        let json = serde_json::json!({ "items": items, "total": found.len() });
        if found.is_empty() {
            let nothing = "No card found. `backstory remember TEXT` adds one; \
                           `backstory cards --all-projects --all` lists all.\n";
            return Ok(Reply::nothing("cards", json, nothing));
        }
        let lines: Vec<String> = shown.iter().map(page::line_of_card).collect();
        Ok(Reply::recalled("cards", json, page::list(shown, found.len(), &tree)).with_lines(lines))
    }
}

/// The cards with candidates from this session.
fn cards_of(memory: &mut Memory, session: &SessionInfo) -> Result<HashSet<CardId>, AppError> {
    let rows = memory.views().read().ledger(None)?;
    let is_of_session = |row: &LedgerRow| row.episode.is_some_and(|episode| session.episodes.contains(&episode));
    Ok(rows.iter().filter(|row| is_of_session(row)).filter_map(|row| row.card).collect())
}

impl Answers for Show {
    fn as_json(&self) -> bool {
        self.one.json
    }

    fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        let folder = context.folder.clone();
        let memory = context.memory()?;
        let info = self.one.find(memory)?;
        let tree = tree_of(memory, &folder, &info.card)?;
        let cited = card_evidence(memory.log(), &info.card.evidence)?;
        let doubts: Vec<_> = info.card.disputes.iter().map(|dispute| dispute.evidence).collect();
        let doubts = card_evidence(memory.log(), &doubts)?;
        let successor = memory.views().read().successor(&info.card)?;
        context.shown(Channel::ExplicitRead, vec![info.card.id], self.asking_session, String::new())?;
        let mut value = json::card(&info, &tree);
        value["evidence"] = cited.iter().map(json::card_evidence).collect();
        value["doubts"] = doubts.iter().map(json::card_evidence).collect();
        value["superseded_by"] = serde_json::json!(successor.as_ref().map(|card| card.id));
        let text = page::show(&info, &cited, &doubts, successor.as_ref(), &tree);
        Ok(Reply::recalled("cards", serde_json::json!({ "card": value }), text))
    }
}

impl One {
    fn explain(self, task: Option<String>) -> Result<(), AppError> {
        let mut memory = home::open_existing()?;
        let info = self.find(&mut memory)?;
        let tree = tree_of(&mut memory, &home::current_folder()?, &info.card)?;
        let made = match task {
            Some(task) => {
                let question = PackQuestion { project: info.card.scope.project(), task, ..PackQuestion::default() };
                Some(pack(memory.views(), &question, &|named| tree.has(named))?)
            }
            None => None,
        };
        let rows = memory.views().read().ledger_of_card(info.card.id)?;
        let sessions = page::sessions_of(memory.log(), &rows)?;
        if self.json {
            let rows: Vec<_> =
                rows.iter().zip(&sessions).map(|(row, id)| json::ledger_row(row, id.as_deref())).collect();
            let mut value = serde_json::json!({ "card": json::card(&info, &tree), "ledger": rows });
            if let Some(made) = &made {
                value["pack"] = json::packed(info.card.id, made);
            }
            return json::print("cards", value);
        }
        let packed = made.map(|made| page::packed(&info.card, &made)).unwrap_or_default();
        reply::print_recalled("cards", &format!("{}{packed}", page::explain(&info, &rows, &sessions, &tree)))
    }

    fn find(&self, memory: &mut Memory) -> Result<CardInfo, AppError> {
        let card = find_card(memory.views(), &self.id)?;
        Ok(card_info(memory.log(), card)?)
    }
}

impl Answers for Ledger {
    fn as_json(&self) -> bool {
        self.json
    }

    fn reply(self, context: &mut AskContext) -> Result<Reply, AppError> {
        let project = context.scope(&self.scope)?.even_unknown();
        let memory = context.memory()?;
        let mut rows = memory.views().read().ledger(project)?;
        let mut sessions = page::sessions_of(memory.log(), &rows)?;
        if let Some(asked) = &self.session {
            let mut keep = sessions.iter().map(|id| id.as_ref().is_some_and(|id| id.starts_with(asked.as_str())));
            rows.retain(|_| keep.next().unwrap_or(false));
            sessions.retain(|id| id.as_ref().is_some_and(|id| id.starts_with(asked.as_str())));
            if rows.is_empty() {
                let message = format!("no candidate came from a session '{asked}'");
                return Err(AppError::new(ErrorKind::NotFound, message).hint("`backstory sessions` lists sessions."));
            }
        }
        rows.reverse();
        sessions.reverse();
        let newest = rows.iter().zip(&sessions).take(self.limit);
        let lines: Vec<_> = newest.map(|(row, id)| json::ledger_row(row, id.as_deref())).collect();
        let json = serde_json::json!({ "ledger": lines, "counts": page::counts(&rows) });
        Ok(match rows.is_empty() {
            true => Reply::nothing("cards", json, "The ledger is empty: no candidate was found yet.\n"),
            false => Reply::recalled("cards", json, page::ledger(&rows, &sessions, self.limit)),
        })
    }
}

impl Gates {
    fn run(self) -> Result<(), AppError> {
        let mut memory = home::open_existing()?;
        let project = self.scope.resolve(&mut memory)?.even_unknown();
        let (log, views) = memory.parts();
        let found = gates(log, views, project)?;
        if self.json {
            return json::print("cards", serde_json::json!({ "gates": found }));
        }
        let mut out = String::new();
        for gate in &found {
            let state = if gate.open { "open  " } else { "closed" };
            out.push_str(&format!(
                "{} {:<20} {}\n{:26}required: {}\n",
                state, gate.name, gate.measured, "", gate.wanted
            ));
        }
        terminal::print(&out)
    }
}
