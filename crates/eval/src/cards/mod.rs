//! What happens to real sessions in the card set?

mod beam;
mod cost;
mod plot;
mod sample;
mod stability;

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::PathBuf;

use backstory_engine::model::{Card, CardStatus};
use backstory_engine::store::{CardFilter, ViewReader};

use crate::quality::World;

type EvalResult<T = ()> = Result<T, Box<dyn Error>>;

#[derive(clap::Args)]
pub struct CardOptions {
    /// The folder of evaluation data
    data: PathBuf,
    /// Also write every card with what it rests on into this folder, to be read
    #[arg(long)]
    sample: Option<PathBuf>,
    /// Instead: are updates, contradictions and preferences of long conversations in the cards?
    #[arg(long)]
    beam: bool,
    /// Instead: do the cards stay the same when what was recalled is read again, and does their number stay bounded?
    #[arg(long)]
    stability: bool,
    /// Instead: what do the cards of an episode cost, beside reading it?
    #[arg(long)]
    cost: bool,
    /// Draw the growth of their number into this SVG file
    #[arg(long, requires = "stability")]
    plot: Option<PathBuf>,
}

pub fn run(options: &CardOptions) -> EvalResult {
    if options.beam {
        return beam::run(&options.data, options.sample.as_deref());
    }
    if options.stability {
        return stability::run(&options.data, options.plot.as_deref());
    }
    if options.cost {
        return cost::run(&options.data);
    }
    let mut world = World::of_sessions(&options.data.join("sessions"))?;
    let sessions = sessions(&mut world)?;
    let cards = all_cards(&world.memory.views().read())?;
    print_counts(&cards, sessions);
    print_ledger(&world.memory.views().read())?;
    if let Some(folder) = &options.sample {
        sample::write(&mut world, &cards, folder)?;
    }
    Ok(())
}

fn all_cards(view: &ViewReader<'_>) -> EvalResult<Vec<Card>> {
    Ok(view.cards(&CardFilter::default())?.into_iter().map(|row| row.card).collect())
}

fn sessions(world: &mut World) -> EvalResult<usize> {
    Ok(world.sessions()?.into_values().collect::<BTreeSet<_>>().len())
}

fn print_counts(cards: &[Card], sessions: usize) {
    let mut counts: BTreeMap<(&str, &str, &str), usize> = BTreeMap::new();
    for card in cards {
        *counts.entry((card.kind.name(), card.source.name(), card.status.name())).or_default() += 1;
    }
    println!("{} cards of {sessions} sessions\n\nkind             source         status         cards", cards.len());
    for ((kind, source, status), count) in counts {
        println!("{kind:16} {source:14} {status:14} {count:5}");
    }
    println!();
    for status in CardStatus::ALL {
        let count = cards.iter().filter(|card| card.status == status).count();
        println!("{:14} {count:5}   {:.2} a session", status.name(), count as f64 / sessions.max(1) as f64);
    }
}

fn print_ledger(view: &ViewReader<'_>) -> EvalResult {
    let mut counts: BTreeMap<(&str, String), usize> = BTreeMap::new();
    let mut episodes = BTreeSet::new();
    for row in view.ledger(None)? {
        episodes.extend(row.episode);
        *counts.entry((row.decision.name(), row.reason)).or_default() += 1;
    }
    println!(
        "\nledger: {} runs brought something in\ndecision     reason                        times",
        episodes.len()
    );
    for ((decision, reason), count) in counts {
        println!("{decision:12} {reason:28} {count:6}");
    }
    Ok(())
}
