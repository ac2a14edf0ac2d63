//! Cards as a readable file: reviewed in a repository, read elsewhere.
//!
//! ```toml
//! [[card]]
//! id = "0123…"
//! kind = "constraint"
//! statement = "Never push to main"
//! status = "active"
//! scope = "repo"
//! project = "shop"
//! project_id = "4567…"
//! source = "remembered"
//! evidence = [
//!   "user_span:EVENT:0-18:HASH", # Never push to main
//! ]
//! ```

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use backstory_engine::derive::cards::DEFAULT_DOMAIN;
use backstory_engine::log::EvidenceError;
use backstory_engine::model::{
    Candidate, CardAct, CardId, CardKind, CardSource, CardStatus, Digest, EventKind, EvidenceKind, EvidenceRef,
    ProjectId, Scope, Tier, UNVERIFIED, card_id, span_hash,
};
use backstory_engine::retrieve::{CardInfo, Cited, card_evidence, cards, projects};
use backstory_engine::store::CardFilter;
use backstory_files as files;
use serde::Deserialize;
use toml::Spanned;

use crate::error::{AppError, ErrorKind};
use crate::scope::ProjectScope;
use crate::{environment, home, own_file, terminal};

const LARGEST_IMPORT: u64 = 64 << 20;
/// The start of a file of cards, so that no other file is overwritten.
const HEAD: &str = "# Cards of Backstory: `backstory cards import FILE` reads them.\n";

#[derive(clap::Args)]
pub struct Export {
    /// The file to write; without it, standard output
    #[arg(value_name = "FILE.toml")]
    file: Option<PathBuf>,
    #[command(flatten)]
    scope: ProjectScope,
    /// Include proposed, superseded and archived cards
    #[arg(long)]
    all: bool,
}

impl Export {
    pub fn run(self) -> Result<(), AppError> {
        let mut memory = home::open_existing()?;
        let project = self.scope.resolve(&mut memory)?.even_unknown();
        let statuses = if self.all { Vec::new() } else { vec![CardStatus::Active, CardStatus::NeedsRecheck] };
        let (log, views) = memory.parts();
        let mut found = cards(log, views, &CardFilter { project, kind: None, statuses })?;
        // Stable order: the same cards are at the same place, whatever was added.
        found.sort_by(|a, b| a.card.kind.cmp(&b.card.kind).then(a.card.id.cmp(&b.card.id)));
        let mut text = HEAD.to_owned();
        for info in &found {
            let cited = card_evidence(memory.log(), &info.card.evidence)?;
            text.push_str(&block(info, &cited));
        }
        match &self.file {
            None => terminal::print(&text),
            Some(file) => {
                own_file::write(file, &text, HEAD)?;
                terminal::print(&format!(
                    "{} written to {}\n",
                    terminal::count(found.len() as u64, "card"),
                    file.display()
                ))
            }
        }
    }
}

fn block(info: &CardInfo, cited: &[Cited]) -> String {
    let card = &info.card;
    // TOML reads a JSON string as the same text.
    let text = |text: &str| serde_json::Value::from(text).to_string();
    let list = |items: Vec<String>| format!("[{}]", items.iter().map(|item| text(item)).collect::<Vec<_>>().join(", "));
    let mut out = format!(
        "\n[[card]]\nid = \"{}\"\nkind = \"{}\"\nstatement = {}\nstatus = \"{}\"\nscope = \"{}\"\nsource = \"{}\"\n",
        card.id,
        card.kind.name(),
        text(&card.statement),
        card.status.name(),
        card.scope.tier.name(),
        card.source.name(),
    );
    match card.scope.tier {
        Tier::Repo => {
            out.push_str(&format!("project = {}\nproject_id = \"{}\"\n", text(&info.place), card.scope.id));
        }
        Tier::Domain => out.push_str(&format!("domain = {}\n", text(&card.scope.id))),
        Tier::Global => {}
    }
    if !card.tags.is_empty() {
        out.push_str(&format!("tags = {}\n", list(card.tags.clone())));
    }
    if !card.rests_on.is_empty() {
        out.push_str(&format!("rests_on = {}\n", list(card.rests_on.iter().map(ToString::to_string).collect())));
    }
    out.push_str("evidence = [\n");
    for one in cited {
        // The words help whoever reviews the file.
        let words = one.words.as_deref().map(|words| format!(" # {}", terminal::clip(words, 120))).unwrap_or_default();
        out.push_str(&format!("  {},{words}\n", text(&cite(&one.evidence))));
    }
    out.push_str("]\n");
    out
}

/// With the whole hash: citations in answers show only its start.
fn cite(evidence: &EvidenceRef) -> String {
    let EvidenceRef { kind, id, start, end, hash } = evidence;
    format!("{}:{id}:{start}-{end}:{hash}", kind.name())
}

fn parse_cite(text: &str) -> Option<EvidenceRef> {
    let mut parts = text.split(':');
    let (kind, id, span, hash) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let kinds = [EvidenceKind::UserSpan, EvidenceKind::ToolOutput, EvidenceKind::DocSpan, EvidenceKind::AgentSpan];
    let kind = kinds.into_iter().find(|known| known.name() == kind)?;
    let (start, end) = span.split_once('-')?;
    Some(EvidenceRef {
        kind,
        id: Digest::parse(id)?,
        start: start.parse().ok()?,
        end: end.parse().ok()?,
        hash: Digest::parse(hash)?,
    })
}

#[derive(clap::Args)]
pub struct Import {
    /// A file that `cards export` wrote
    #[arg(value_name = "FILE.toml")]
    file: PathBuf,
    #[command(flatten)]
    scope: ProjectScope,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "card", default)]
    cards: Vec<Spanned<Typed>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Typed {
    id: Option<String>,
    kind: Spanned<String>,
    statement: Spanned<String>,
    status: Option<Spanned<String>>,
    scope: Option<Spanned<String>>,
    #[serde(rename = "source")]
    _source: Option<String>,
    #[serde(rename = "project")]
    _project: Option<String>,
    project_id: Option<String>,
    domain: Option<String>,
    #[serde(default)]
    rests_on: Vec<String>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    evidence: Vec<Spanned<String>>,
}

/// A card as read from the file.
struct ReadCard {
    /// Its id in the original memory.
    id: Option<CardId>,
    kind: CardKind,
    statement: String,
    status: CardStatus,
    tier: Tier,
    project: Option<ProjectId>,
    domain: Option<String>,
    tags: Vec<String>,
    rests_on: Vec<CardId>,
    evidence: Vec<EvidenceRef>,
}

/// The targets of repository cards from a file.
struct Places {
    /// The requested project, or the current one.
    here: ProjectId,
    asked: bool,
    known: Vec<ProjectId>,
    /// The file has cards of only one project.
    of_one: bool,
}

impl Places {
    /// None for a card of an unknown project, if the file has several.
    fn scope(&self, card: &ReadCard) -> Option<Scope> {
        match (card.tier, card.project) {
            (Tier::Global, _) => Some(Scope::global()),
            (Tier::Domain, _) => Some(Scope::domain(card.domain.as_deref().unwrap_or(DEFAULT_DOMAIN))),
            (Tier::Repo, Some(project)) if !self.asked && self.known.contains(&project) => Some(Scope::repo(project)),
            (Tier::Repo, _) if self.asked || self.of_one => Some(Scope::repo(self.here)),
            (Tier::Repo, None) => Some(Scope::repo(self.here)),
            (Tier::Repo, Some(_)) => None,
        }
    }
}

impl Import {
    pub fn run(self) -> Result<(), AppError> {
        let name = self.file.display().to_string();
        let text = files::read_text(&self.file, LARGEST_IMPORT)
            .map_err(|error| AppError::new(ErrorKind::NotFound, format!("{name}: {error}")))?;
        let mut read = parse(&text)
            .map_err(|(line, problem)| AppError::new(ErrorKind::Usage, format!("{name}:{line}: {problem}")))?;
        let mut memory = home::open_or_create()?;
        let here = self.scope.resolve(&mut memory)?.even_unknown();
        let here = here.ok_or_else(|| {
            AppError::new(ErrorKind::Usage, "--all-projects: cards go back to the projects they name by themselves")
        })?;
        // A project may have been merged into another here.
        let aliases = memory.log().store().aliases()?;
        for card in &mut read {
            card.project = card.project.map(|project| aliases.current(project));
        }
        let of_one = read.iter().filter_map(|card| card.project).collect::<BTreeSet<_>>().len() <= 1;
        let known = projects(memory.log())?.iter().map(|info| info.id).collect();
        let places = Places { here, asked: self.scope.is_given(), known, of_one };
        // A card in another scope has another id, and so do references to it.
        let moved: HashMap<CardId, CardId> = read
            .iter()
            .filter_map(|card| Some((card.id?, card_id(card.kind, &places.scope(card)?, &card.statement))))
            .collect();
        let (mut taken, mut unverified, mut passed_over, mut of_others) = (0u64, 0u64, 0u64, 0u64);
        for card in read {
            // Cards that were archived or superseded there are not imported.
            if !matches!(card.status, CardStatus::Active | CardStatus::NeedsRecheck) {
                passed_over += 1;
                continue;
            }
            let Some(scope) = places.scope(&card) else {
                of_others += 1;
                continue;
            };
            let mut tags = card.tags;
            let mut known = true;
            for evidence in &card.evidence {
                match memory.log().resolve(evidence) {
                    Ok(_) => {}
                    Err(EvidenceError::Store(error)) => return Err(error.into()),
                    Err(_) => known = false,
                }
            }
            if !known && !tags.iter().any(|tag| tag == UNVERIFIED) {
                tags.push(UNVERIFIED.to_owned());
            }
            unverified += u64::from(!known);
            let act = CardAct::Add {
                statement: None,
                kind: card.kind,
                scope,
                source: CardSource::Import,
                tags,
                rests_on: card.rests_on.iter().map(|id| moved.get(id).copied().unwrap_or(*id)).collect(),
                evidence: card.evidence,
            };
            memory.log().append_of_cards(EventKind::User, environment::now(), card.statement, &act)?;
            taken += 1;
        }
        memory.refresh(&mut |_| {})?;
        let mut out = format!("{} read", terminal::count(taken, "card"));
        if unverified > 0 {
            out.push_str(&format!("; the evidence of {unverified} is not in this log (tag {UNVERIFIED})"));
        }
        if passed_over > 0 {
            out.push_str(&format!("; {passed_over} not in force were passed over"));
        }
        if of_others > 0 {
            out.push_str(&format!(
                "; {of_others} of projects that are not known here were passed over (--project PROJECT takes them)"
            ));
        }
        terminal::print(&format!("{out}\n"))
    }
}

/// The cards, or the faulty line and its fault.
fn parse(text: &str) -> Result<Vec<ReadCard>, (usize, String)> {
    let line_of = |at: usize| text.get(..at).unwrap_or(text).matches('\n').count() + 1;
    let file: File = toml::from_str(text)
        .map_err(|error| (line_of(error.span().map_or(0, |span| span.start)), error.message().to_owned()))?;
    let mut cards = Vec::new();
    for card in &file.cards {
        let typed = card.get_ref();
        let wrong = |at: &Spanned<String>, known: &str| {
            (line_of(at.span().start), format!("{:?} is none of {known}", at.get_ref()))
        };
        let kinds = CardKind::ALL.map(CardKind::name).join(", ");
        let kind = CardKind::parse(typed.kind.get_ref()).ok_or_else(|| wrong(&typed.kind, &kinds))?;
        let status = match &typed.status {
            None => CardStatus::Active,
            Some(name) => {
                let names = CardStatus::ALL.map(CardStatus::name).join(", ");
                CardStatus::parse(name.get_ref()).ok_or_else(|| wrong(name, &names))?
            }
        };
        let tier = match &typed.scope {
            None => Tier::Repo,
            Some(name) => Tier::parse(name.get_ref()).ok_or_else(|| wrong(name, "repo, domain, global"))?,
        };
        let statement = typed.statement.get_ref().trim().to_owned();
        if statement.is_empty() || statement.chars().count() > backstory_engine::model::LONGEST_STATEMENT {
            return Err((line_of(typed.statement.span().start), "a statement has 1 to 280 characters".to_owned()));
        }
        let mut evidence = Vec::new();
        for cited in &typed.evidence {
            let parsed = parse_cite(cited.get_ref());
            evidence.push(parsed.ok_or_else(|| wrong(cited, "KIND:EVENT:START-END:HASH"))?);
        }
        // Readers of the log decide the same; here the refusal can be reported.
        let said = EvidenceRef {
            kind: EvidenceKind::UserSpan,
            id: span_hash(&statement),
            start: 0,
            end: statement.len() as u32,
            hash: span_hash(&statement),
        };
        let all = std::iter::once(said).chain(evidence.iter().copied()).collect();
        Candidate::new(kind, CardSource::Import, &statement, "", all, None)
            .map_err(|error| (line_of(card.span().start), format!("this cannot be a {}: {error}", kind.name())))?;
        let id = |text: &String| Digest::parse(text).map(CardId);
        cards.push(ReadCard {
            id: typed.id.as_ref().and_then(id),
            kind,
            statement,
            status,
            tier,
            project: typed.project_id.as_deref().and_then(Digest::parse).map(ProjectId),
            domain: typed.domain.clone().filter(|name| !name.is_empty()),
            tags: typed.tags.clone(),
            rests_on: typed.rests_on.iter().filter_map(id).collect(),
            evidence,
        });
    }
    Ok(cards)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_name_the_line() {
        let wrong = |text: &str| parse(text).map(|_| ()).map_err(|(line, problem)| format!("{line}: {problem}"));
        assert!(
            wrong("[[card]]\nkind = \"rule\"\nstatement = \"a\"\n")
                .is_err_and(|error| error.starts_with("2: \"rule\" is none of"))
        );
        assert!(wrong("[[card]]\nkind = \"fact\"\nstatement = \"\"\n").is_err_and(|error| error.starts_with("3: ")));
        assert!(
            wrong("[[card]]\nkind = \"fact\"\nstatement = \"a\"\nevidence = [\n\"x\"]\n")
                .is_err_and(|error| error.starts_with("5: "))
        );
        assert_eq!(wrong(""), Ok(()));
    }
}
