//! What asking `check` costs when there are many cards.

use std::error::Error;
use std::time::Instant;

use backstory_engine::Memory;
use backstory_engine::model::{Act, CardKind, CardSource, EventKind, ProjectId, Scope, Timestamp, digest_of};
use backstory_engine::retrieve::{Check, check};

/// Cards of each kind and repository: below what a scope may have.
const PER_SCOPE: usize = 100;
const KINDS: [CardKind; 2] = [CardKind::Constraint, CardKind::Commitment];
const ROUNDS: usize = 2_000;

pub fn run(cards: usize) -> Result<(), Box<dyn Error>> {
    let home = tempfile::tempdir()?;
    let mut memory = Memory::open(home.path())?;
    let scopes = cards.div_ceil(PER_SCOPE * KINDS.len());
    let project = |number: usize| ProjectId(digest_of("project", &[b"measured", &number.to_le_bytes()]));
    for number in 0..cards {
        let kind = KINDS[number % KINDS.len()];
        let scope = Scope::repo(project(number / KINDS.len() % scopes));
        let source = CardSource::Remembered;
        let act = Act::add(kind, scope, source);
        let text =
            format!("Never paint{number} the door{} of house{} in colour{}.", number % 97, number % 89, number % 83);
        memory.log().append_of_cards(EventKind::User, Timestamp(number as i64), text, &act)?;
    }
    memory.refresh(&mut |_| {})?;
    let held = memory.views().read().cards(&backstory_engine::store::CardFilter::default())?.len();
    for (what, action) in [
        ("nothing speaks against it", "make lint && git commit -m done".to_owned()),
        ("one word in many cards", "open the door7 of house3 now".to_owned()),
        ("forbidden", "paint0 the door0 of house0 in colour0".to_owned()),
    ] {
        let mut times = Vec::new();
        let mut found = 0;
        for _ in 0..ROUNDS {
            let (log, views) = memory.parts();
            let question = Check { action: action.clone(), project: Some(project(0)), ..Check::default() };
            let start = Instant::now();
            found = check(log, views, &question)?.forbidden.len();
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
        times.sort_by(f64::total_cmp);
        let (median, most) = (times[ROUNDS / 2], times[ROUNDS * 99 / 100]);
        println!("{held} cards, {what} ({found} found): median {median:.3} ms, 99 % below {most:.3} ms (target 2 ms)");
    }
    Ok(())
}
