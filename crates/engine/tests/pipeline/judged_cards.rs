//! For any judgements and any order of sessions, the cards equal those of a rebuild.

use std::error::Error;

use backstory_engine::fixture::{World, same_rows};
use backstory_engine::model::{
    Card, CardAct, CardId, CardKind, CardSource, CardStatus, Channel, EventKind, Exposure, HandOutcome, OutcomeKind,
    PutAway, Scope, Timestamp,
};
use backstory_engine::store::CardFilter;

const ROUNDS: u64 = 25;

/// Sessions that add to each other's cards, not in the order of time.
const SESSIONS: [&str; 7] = [
    "session s5 claude_code 2026-01-09\n  user   Always run the linter before you commit.\n",
    "session s1 claude_code 2026-01-03\n  user   please always run the linter before you commit\n  note   use pnpm instead of npm\n",
    "session s2 claude_code 2026-01-04\n  user   write it down\n  edit   CLAUDE.md  -x +Never edit files below `gen/` by hand.\n",
    "session s6 claude_code 2026-01-10\n  user   clean up\n  edit   CLAUDE.md  -Never edit files below `gen/` by hand. +x\n",
    "session s3 claude_code 2026-01-05\n  user   In all my repos, always use tabs for indentation.\n  note   use npm instead of pnpm\n",
    "session s4 transcript 2026-01-06\n  user   I prefer rooms with a view, can you find me one?\n",
    "session s1 claude_code 2026-01-03\n  user   Never push to the main branch without a review.\n",
];

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }
}

fn cards_of(world: &World) -> Vec<Card> {
    let rows = world.views.read().cards(&CardFilter::default()).unwrap_or_default();
    rows.into_iter().map(|row| row.card).collect()
}

fn card_saying(world: &World, words: &str) -> Option<Card> {
    cards_of(world).into_iter().find(|card| card.statement.contains(words))
}

fn judge(world: &mut World, time: i64, text: &str, act: &CardAct) -> Result<(), Box<dyn Error>> {
    let kind = if act.card().is_some() { EventKind::Judgement } else { EventKind::User };
    world.log.append_of_cards(kind, Timestamp(time), text.to_owned(), act)?;
    world.refresh();
    Ok(())
}

fn do_something(world: &mut World, dice: &mut Dice, step: usize) -> Result<(), Box<dyn Error>> {
    // Between the first and the last day of the sessions.
    let time = 1_767_400_000_000 + step as i64 * 60_000_000;
    let cards = cards_of(world);
    let Some(card) = (!cards.is_empty()).then(|| cards[dice.roll(cards.len())].clone()) else { return Ok(()) };
    let id = card.id;
    match dice.roll(9) {
        0 => judge(world, time, "", &CardAct::Confirm { card: id }),
        1 => judge(world, time, "it is not so any more", &CardAct::Dispute { card: id, evidence: None }),
        2 => judge(world, time, "", &CardAct::Archive { card: id }),
        3 => judge(world, time, "", &CardAct::Restore { card: id }),
        4 => judge(world, time, &format!("Rule number {step} of the house"), &CardAct::Edit { card: id }),
        5 => judge(world, time, "", &CardAct::Promote { card: id, scope: Scope::global() }),
        6 => judge(
            world,
            time,
            "Use pnpm instead of npm",
            &CardAct::add(CardKind::Preference, card.scope, CardSource::Remembered),
        ),
        7 => {
            let exposure =
                Exposure { channel: Channel::AutoPack, cards: vec![id], session: Some("s1".to_owned()), surface: None };
            world.log.append_of_cards(EventKind::Exposure, Timestamp(time), String::new(), &exposure)?;
            world.refresh();
            Ok(())
        }
        _ => {
            let outcome = HandOutcome { outcome: OutcomeKind::ToolSuccess, session: "s1".to_owned(), surface: None };
            world.log.append_of_cards(EventKind::Outcome, Timestamp(time), String::new(), &outcome)?;
            world.refresh();
            Ok(())
        }
    }
}

#[test]
fn judgements_and_late_sessions_leave_what_a_rebuild_gives() -> Result<(), Box<dyn Error>> {
    for seed in 1..=ROUNDS {
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut world = World::new("");
        let mut order: Vec<&str> = SESSIONS.to_vec();
        for step in 0..order.len() * 3 {
            if step % 3 == 0 {
                let next = order.remove(dice.roll(order.len()));
                world.goes_on(next);
            } else {
                do_something(&mut world, &mut dice, step)?;
            }
        }
        let fresh = world.rebuilt();
        assert!(same_rows(&world.views, &fresh)?, "seed {seed}");
    }
    Ok(())
}

#[test]
fn a_judgement_finds_its_card_whatever_comes_before_it_later() -> Result<(), Box<dyn Error>> {
    let mut world =
        World::new("session s2 claude_code 2026-01-04\n  user   Always run the linter before you commit.\n");
    let card = cards_of(&world)[0].id;
    judge(&mut world, 1_767_700_000_000, "", &CardAct::Confirm { card })?;
    // An older session with nearly the same statement.
    world.goes_on("session s1 claude_code 2026-01-03\n  user   Always run the linter before you commit or push.\n");
    let held = world.views.read().card(card)?.map(|row| row.card.status);
    assert_eq!(held, Some(CardStatus::Active), "{:?}", cards_of(&world));
    Ok(())
}

#[test]
fn what_a_person_put_away_stays_there() -> Result<(), Box<dyn Error>> {
    let written = "  user   write it down\n  edit   CLAUDE.md  -x +Never edit files below `gen/` by hand.\n";
    let mut world = World::new(&format!("session s1 claude_code 2026-01-03\n{written}"));
    let card = cards_of(&world)[0].id;
    judge(&mut world, 1_767_500_000_000, "", &CardAct::Archive { card })?;
    world.goes_on(&format!("session s2 claude_code 2026-01-05\n{written}"));
    assert_eq!(card_saying(&world, "gen/").map(|card| card.put_away), Some(Some(PutAway::ByHand)));
    let scope = cards_of(&world)[0].scope.clone();
    let act = CardAct::add(CardKind::Constraint, scope, CardSource::Remembered);
    judge(&mut world, 1_767_800_000_000, "Never edit files below `gen/` by hand.", &act)?;
    assert_eq!(card_saying(&world, "gen/").map(|card| card.status), Some(CardStatus::Active), "a person may");
    Ok(())
}

#[test]
fn a_line_goes_with_the_last_file_that_has_it_unless_it_was_remembered() -> Result<(), Box<dyn Error>> {
    let line = "Never edit files below `gen/` by hand.";
    let session = |name: &str, day: u32, file: &str, edit: &str| {
        format!("session {name} claude_code 2026-01-{day:02}\n  user   write it down\n  edit   {file}  {edit}\n")
    };
    let (put, take) = (format!("-x +{line}"), format!("-{line} +x"));
    let mut world = World::new(&session("s1", 3, "CLAUDE.md", &put));
    world.goes_on(&session("s2", 4, "AGENTS.md", &put));
    world.goes_on(&session("s3", 5, "CLAUDE.md", &take));
    assert_eq!(card_saying(&world, "gen/").map(|card| card.status), Some(CardStatus::Active));
    world.goes_on(&session("s4", 6, "AGENTS.md", &take));
    assert_eq!(card_saying(&world, "gen/").map(|card| card.put_away), Some(Some(PutAway::Withdrawn)));

    let mut world = World::new(&session("s1", 3, "CLAUDE.md", &put));
    let scope = cards_of(&world)[0].scope.clone();
    judge(&mut world, 1_767_500_000_000, line, &CardAct::add(CardKind::Constraint, scope, CardSource::Remembered))?;
    world.goes_on(&session("s3", 5, "CLAUDE.md", &take));
    assert_eq!(card_saying(&world, "gen/").map(|card| card.status), Some(CardStatus::Active));
    Ok(())
}

#[test]
fn what_lives_on_elsewhere_has_not_fallen() -> Result<(), Box<dyn Error>> {
    let mut world = World::new("session s1 claude_code 2026-01-03\n  user   hello\n  note   use pnpm instead of npm\n");
    let ground = cards_of(&world)[0].clone();
    let mut act = CardAct::add(CardKind::Fact, ground.scope.clone(), CardSource::Remembered);
    if let CardAct::Add { rests_on, .. } = &mut act {
        rests_on.push(ground.id);
    }
    judge(&mut world, 1_767_500_000_000, "The lock file is that of pnpm", &act)?;
    judge(&mut world, 1_767_600_000_000, "", &CardAct::Promote { card: ground.id, scope: Scope::global() })?;
    let suspect = |world: &World| card_saying(world, "lock file").map(|card| card.suspect);
    assert_eq!(suspect(&world), Some(Vec::<CardId>::new()));
    let raised = cards_of(&world).into_iter().find(|card| card.scope == Scope::global()).map(|card| card.id);
    let raised = raised.ok_or("it was not promoted")?;
    judge(&mut world, 1_767_700_000_000, "", &CardAct::Archive { card: raised })?;
    assert_eq!(suspect(&world), Some(vec![ground.id, raised]), "the whole way down");
    Ok(())
}
