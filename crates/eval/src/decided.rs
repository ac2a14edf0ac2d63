//! Do cards hold what conversations decided, and does a later decision take the place of an earlier one?
//!
//! The invented chats stand beside the real sessions. A card is right if it tells at least two
//! thirds of a decision's parts and nothing that was rejected, superseded or refuted.

use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::path::{Path, PathBuf};

use backstory_engine::model::{Card, CardSource, CardStatus, EventId};
use backstory_engine::store::CardFilter;
use serde::Deserialize;

use crate::answers::{Chat, Statement, read_rows};
use crate::quality::World;
use crate::stats::{verdict, verdict_at_least};

type EvalResult<T = ()> = Result<T, Box<dyn Error>>;

#[derive(clap::Args)]
pub struct DecisionCardOptions {
    /// The folder of evaluation data
    data: PathBuf,
    /// Only the chats, without the real sessions beside them
    #[arg(long)]
    alone: bool,
    /// Print each decision with its cards
    #[arg(long)]
    rows: bool,
}

#[derive(Deserialize)]
struct DecisionRow {
    id: String,
    kind: String,
    chats: Vec<Chat>,
    #[serde(default)]
    parts: Vec<PartRow>,
    #[serde(default)]
    rejected: Vec<RejectedRow>,
}

#[derive(Deserialize)]
struct PartRow {
    say: String,
    regex: Statement,
}

#[derive(Deserialize)]
struct RejectedRow {
    regex: Statement,
    #[serde(default)]
    superseded_by: Vec<(usize, usize)>,
}

/// A decision with the cards that rest on its chats.
struct Measured<'a> {
    row: &'a DecisionRow,
    cards: Vec<&'a Card>,
}

pub fn run(options: &DecisionCardOptions) -> EvalResult {
    let rows: Vec<DecisionRow> = read_rows(&options.data.join("decisions").join("decisions.jsonl"))?;
    let scratch = tempfile::tempdir()?;
    let sessions = scratch.path().join("sessions");
    lay_out(options, &rows, &sessions)?;
    let mut world = World::of_sessions(&sessions)?;
    let cards: Vec<Card> =
        world.memory.views().read().cards(&CardFilter::default())?.into_iter().map(|row| row.card).collect();
    let sessions_of = sessions_of_cards(&mut world, &cards)?;
    let measured: Vec<Measured<'_>> = rows
        .iter()
        .filter(|row| !row.chats.is_empty())
        .map(|row| {
            let own: HashSet<String> = row.chats.iter().map(|chat| chat.own_setting().session).collect();
            let rests = |card: &&Card| sessions_of[&card.id.to_string()].iter().any(|session| own.contains(session));
            Measured { row, cards: cards.iter().filter(rests).collect() }
        })
        .collect();
    if options.rows {
        measured.iter().for_each(Measured::print);
    }
    print_shares(&measured);
    let elsewhere = |card: &&Card| {
        let own = &sessions_of[&card.id.to_string()];
        !measured.iter().any(|one| one.row.chats.iter().any(|chat| own.contains(&chat.own_setting().session)))
    };
    let real = cards.iter().filter(elsewhere).filter(|card| is_decision(card) && card.status.is_open());
    println!("open cards of decisions in the real sessions: {}", real.count());
    Ok(())
}

fn lay_out(options: &DecisionCardOptions, rows: &[DecisionRow], folder: &Path) -> EvalResult {
    if !options.alone {
        crate::input::unpack(&options.data.join("sessions").join("entire"), &folder.join("real"))?;
    }
    let beside = folder.join("chats");
    std::fs::create_dir_all(&beside)?;
    for chat in rows.iter().flat_map(|row| &row.chats) {
        let setting = chat.own_setting();
        let lines: String = chat.records(&setting).iter().map(|record| format!("{record}\n")).collect();
        std::fs::write(beside.join(format!("{}.jsonl", setting.session)), lines)?;
    }
    Ok(())
}

fn sessions_of_cards(world: &mut World, cards: &[Card]) -> EvalResult<HashMap<String, HashSet<String>>> {
    let sessions = world.sessions()?;
    let log = world.memory.log();
    let mut out = HashMap::new();
    for card in cards {
        let mut own = HashSet::new();
        for evidence in &card.evidence {
            let Some(event) = log.store().event(EventId(evidence.id))? else { continue };
            let num = log.store().episode_num(event.episode)?;
            own.extend(num.and_then(|num| sessions.get(&num).cloned()));
        }
        out.insert(card.id.to_string(), own);
    }
    Ok(out)
}

fn is_decision(card: &Card) -> bool {
    matches!(card.source, CardSource::Decision | CardSource::Agreement)
}

impl Measured<'_> {
    fn open(&self) -> impl Iterator<Item = &Card> {
        self.cards.iter().copied().filter(|card| card.status.is_open())
    }

    fn parts_in(&self, card: &Card) -> usize {
        self.row.parts.iter().filter(|part| part.regex.is_in(&card.statement)).count()
    }

    fn is_wrong(&self, card: &Card) -> bool {
        self.row.rejected.iter().any(|rejected| rejected.regex.is_in(&card.statement))
    }

    fn is_right(&self, card: &Card) -> bool {
        3 * self.parts_in(card) >= 2 * self.row.parts.len() && !self.is_wrong(card)
    }

    /// No open card tells what was superseded, and a card that told it is kept as superseded.
    fn is_superseded(&self) -> bool {
        let old = |card: &Card| {
            let outdated = self.row.rejected.iter().filter(|rejected| !rejected.superseded_by.is_empty());
            outdated.into_iter().any(|rejected| rejected.regex.is_in(&card.statement))
        };
        let kept = self.cards.iter().any(|card| card.status == CardStatus::Superseded);
        kept && !self.open().any(old)
    }

    fn print(&self) {
        let right = self.open().any(|card| self.is_right(card));
        println!("{} {} {}", self.row.id, self.row.kind, if right { "right" } else { "-" });
        for (number, part) in self.row.parts.iter().enumerate() {
            println!("    part {number}: {}", part.say);
        }
        for card in &self.cards {
            let parts: Vec<String> = (0..self.row.parts.len())
                .filter(|at| self.row.parts[*at].regex.is_in(&card.statement))
                .map(|at| at.to_string())
                .collect();
            let wrong = if self.is_wrong(card) { " WRONG" } else { "" };
            let (status, kind, source) = (card.status.name(), card.kind.name(), card.source.name());
            println!("  {status} {kind} {source} [{}]{wrong} {}", parts.join(" "), card.statement);
        }
    }
}

fn print_shares(measured: &[Measured<'_>]) {
    let decided: Vec<&Measured<'_>> = measured.iter().filter(|one| one.row.kind != "reversed").collect();
    let share = |count: usize, all: usize| count as f64 / all.max(1) as f64;
    let right = decided.iter().filter(|one| one.open().any(|card| one.is_right(card))).count();
    verdict_at_least("decisions with a right card", share(right, decided.len()), 0.55);
    let active = decided.iter().filter(|one| one.open().any(|card| one.is_right(card) && card.is_in_force())).count();
    println!("  of these in force {active} of {right}, {} decisions", decided.len());
    let made: usize = decided.iter().map(|one| one.open().count()).sum();
    let wrong: usize = decided.iter().map(|one| one.open().filter(|card| one.is_wrong(card)).count()).sum();
    verdict("cards that tell something rejected", share(wrong, made), 0.1, "");
    println!("  {made} open cards of the decisions");
    let amended: Vec<&&Measured<'_>> = decided.iter().filter(|one| one.row.kind == "amended").collect();
    let superseded = amended.iter().filter(|one| one.is_superseded()).count();
    verdict_at_least("amended: the old one superseded", share(superseded, amended.len()), 0.6);
    let reversed: Vec<&Measured<'_>> = measured.iter().filter(|one| one.row.kind == "reversed").collect();
    let known = reversed.iter().filter(|one| one.open().any(|card| one.is_right(card))).count();
    println!("overturned diagnoses with a right card {known} of {}", reversed.len());
    let false_ones = reversed.iter().filter(|one| one.open().any(|card| one.is_wrong(card))).count();
    println!("overturned diagnoses with a card of the refuted one {false_ones} of {}", reversed.len());
}
