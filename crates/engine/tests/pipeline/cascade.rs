//! Chains of facts that rest on each other, while some are changed, withdrawn and restored: the
//! cards that hold are those of an independent calculation.

use std::collections::{BTreeMap, BTreeSet};

use backstory_engine::fixture::{World, same_rows};
use backstory_engine::log::LogError;
use backstory_engine::model::{
    CardAct, CardId, CardKind, CardSource, CardStatus, EventKind, ProjectId, Scope, Timestamp, card_id, digest_of,
};
use backstory_engine::retrieve::{PackQuestion, pack};
use backstory_engine::store::CardFilter;

const CHAINS: u64 = 40;
const STEPS: usize = 12;

/// The expected state of a card.
struct Known {
    statement: String,
    rests_on: Vec<CardId>,
    stands: bool,
    /// Another statement replaced it permanently.
    replaced: bool,
}

struct Desk {
    world: World,
    scope: Scope,
    known: BTreeMap<CardId, Known>,
    order: Vec<CardId>,
    clock: i64,
}

impl Desk {
    fn new() -> Self {
        let scope = Scope::repo(ProjectId(digest_of("project", &[b"works"])));
        Desk { world: World::new(""), scope, known: BTreeMap::new(), order: Vec::new(), clock: 0 }
    }

    fn say(&mut self, kind: EventKind, text: &str, act: &CardAct) -> Result<(), LogError> {
        self.clock += 1;
        self.world.log.append_of_cards(kind, Timestamp(self.clock), text.to_owned(), act)?;
        self.world.refresh();
        Ok(())
    }

    fn add(&mut self, statement: String, scope: Scope, rests_on: Vec<CardId>) -> Result<CardId, LogError> {
        let id = card_id(CardKind::Fact, &scope, &statement);
        let mut act = CardAct::add(CardKind::Fact, scope, CardSource::Remembered);
        if let CardAct::Add { rests_on: given, .. } = &mut act {
            given.clone_from(&rests_on);
        }
        self.say(EventKind::User, &statement, &act)?;
        self.known.insert(id, Known { statement, rests_on, stands: true, replaced: false });
        self.order.push(id);
        Ok(id)
    }

    fn change(&mut self, card: CardId, statement: String) -> Result<(), LogError> {
        self.say(EventKind::Judgement, &statement, &CardAct::Edit { card })?;
        let scope = self.world.views.read().card(card)?.map_or_else(Scope::global, |row| row.card.scope);
        let id = card_id(CardKind::Fact, &scope, &statement);
        let rests_on = self.known[&card].rests_on.clone();
        self.known.insert(id, Known { statement, rests_on, stands: true, replaced: false });
        self.order.push(id);
        if let Some(old) = self.known.get_mut(&card) {
            (old.stands, old.replaced) = (false, true);
        }
        Ok(())
    }

    fn set(&mut self, card: CardId, act: &CardAct, stands: bool) -> Result<(), LogError> {
        self.say(EventKind::Judgement, "", act)?;
        if let Some(known) = self.known.get_mut(&card) {
            known.stands = stands;
        }
        Ok(())
    }

    /// The card and all cards that it rests on hold.
    fn holds(&self, card: CardId) -> bool {
        let known = &self.known[&card];
        known.stands && known.rests_on.iter().all(|below| self.holds(*below))
    }

    fn expected(&self) -> BTreeSet<&str> {
        self.order.iter().filter(|card| self.holds(**card)).map(|card| self.known[card].statement.as_str()).collect()
    }

    #[track_caller]
    fn check(&self, what: &str) -> Result<(), LogError> {
        let rows = self.world.views.read().cards(&CardFilter::default())?;
        let held: BTreeSet<&str> =
            rows.iter().filter(|row| row.card.is_in_force()).map(|row| row.card.statement.as_str()).collect();
        assert_eq!(held, self.expected(), "{what}");
        for row in rows.iter().filter(|row| row.card.status == CardStatus::Active) {
            let chain = &row.card.suspect;
            assert_eq!(chain.is_empty(), self.holds(row.card.id), "{what}: {}", row.card.statement);
            if let (Some(first), Some(last)) = (chain.first(), chain.last()) {
                assert!(row.card.rests_on.contains(first), "{what}: the chain begins with what it rests on");
                assert!(!self.known[last].stands, "{what}: and ends with what fell");
            }
        }
        Ok(())
    }
}

/// A pseudo-random generator: different per seed, the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }
}

#[test]
fn what_still_holds_is_what_it_should_be() -> Result<(), LogError> {
    for seed in 1..=CHAINS {
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut desk = Desk::new();
        let length = 3 + dice.roll(4);
        for number in 0..length {
            let below: Vec<CardId> = match (number, dice.roll(3)) {
                (0, _) => Vec::new(),
                (_, 0) if number > 1 => vec![desk.order[number - 1], desk.order[number - 2]],
                _ => vec![desk.order[number - 1]],
            };
            // The card at the bottom may be one for all projects.
            let scope = if number == 0 && seed % 2 == 0 { Scope::global() } else { desk.scope.clone() };
            desk.add(format!("Pump{number} of works{seed} feeds basin{number}"), scope, below)?;
        }
        for step in 0..STEPS {
            let card = desk.order[dice.roll(desk.order.len())];
            let (stands, replaced) = (desk.known[&card].stands, desk.known[&card].replaced);
            match dice.roll(3) {
                _ if replaced => {}
                0 if stands => desk.change(card, format!("Valve{step} of works{seed} opens channel{step}"))?,
                1 if stands => desk.set(card, &CardAct::Archive { card }, false)?,
                2 if stands => desk.set(card, &CardAct::Dispute { card, evidence: None }, false)?,
                _ => desk.set(card, &CardAct::Restore { card }, true)?,
            }
            if step % 4 == 3 {
                desk.check(&format!("works {seed}, step {step}"))?;
            }
        }
        desk.check(&format!("works {seed}"))?;
        let fresh = desk.world.rebuilt();
        assert!(same_rows(&desk.world.views, &fresh)?, "works {seed}");
    }
    Ok(())
}

#[test]
fn a_pack_says_what_a_doubtful_card_rests_on() -> Result<(), Box<dyn std::error::Error>> {
    let mut desk = Desk::new();
    let scope = desk.scope.clone();
    let ground = desk.add("The main pump feeds the north basin".to_owned(), scope.clone(), Vec::new())?;
    let middle = desk.add("The north basin cools the furnace hall".to_owned(), scope.clone(), vec![ground])?;
    desk.add("The furnace hall may run at night".to_owned(), scope.clone(), vec![middle])?;
    let question = PackQuestion {
        project: scope.project(),
        task: "may the furnace hall run at night".to_owned(),
        ..PackQuestion::default()
    };
    let doubts = |desk: &Desk| -> Result<Vec<Option<String>>, Box<dyn std::error::Error>> {
        let made = pack(&desk.world.views, &question, &|_| None)?;
        let found = made.items.iter().filter(|item| item.card.statement.contains("at night"));
        Ok(found.map(|item| item.doubt.clone()).collect())
    };
    assert_eq!(doubts(&desk)?, [None]);
    desk.set(ground, &CardAct::Archive { card: ground }, false)?;
    let way = format!("rests on {}, which rests on {}, which no longer holds", middle.short(), ground.short());
    assert_eq!(doubts(&desk)?, [Some(way)]);
    desk.set(ground, &CardAct::Restore { card: ground }, true)?;
    assert_eq!(doubts(&desk)?, [None], "it recovers");
    Ok(())
}
