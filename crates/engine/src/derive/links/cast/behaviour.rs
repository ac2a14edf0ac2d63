//! Who is the game master by what happens?
//!
//! Somebody whose line follows most of the others' questions, in talk that
//! speaks of dice.

use super::Cast;
use crate::derive::links::lines::Line;
use crate::derive::links::words::{Phrases, Words};

/// Fewer questions show nothing.
const QUESTIONS: u32 = 20;
/// The leader follows this share of the others' questions, and so many times
/// the share of who comes second.
const FOLLOWS: f64 = 0.35;
const AHEAD: f64 = 1.5;
/// More speak in a channel than at a table.
const SPEAKERS: usize = 40;
/// The share of lines that speak of the game.
const GAME: f64 = 0.01;

const GAME_WORDS: &[&str] = &[
    "roll", "rolls", "rolled", "d4", "d6", "d8", "d10", "d12", "d20", "initiative", "saving throw", "hit points",
    "perception check", "insight check", "investigation check", "stealth check", "persuasion", "advantage",
    "disadvantage", "natural 20", "natural one", "spell slot", "bonus action", "armor class", "cantrip",
];

/// `is_game`: a person said that it is a game, so dice are not asked for.
pub fn leader(lines: &[Line<'_>], cast: &Cast, is_game: bool) -> Option<usize> {
    if cast.speakers.len() < 3 {
        return None;
    }
    let shares = shares(lines, cast)?;
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by(|a, b| shares[*b].total_cmp(&shares[*a]).then(a.cmp(b)));
    let (first, second) = (order[0], order[1]);
    let leads = shares[first] >= FOLLOWS && shares[first] >= AHEAD * shares[second];
    let table = is_game || cast.speakers.len() <= SPEAKERS && speaks_of_dice(lines);
    (leads && table).then_some(first)
}

/// For each speaker the share of the others' questions that his line follows next.
fn shares(lines: &[Line<'_>], cast: &Cast) -> Option<Vec<f64>> {
    let mut asked = vec![0u32; cast.speakers.len()];
    let mut follows = vec![0u32; cast.speakers.len()];
    let mut questions = 0;
    for (pair, speakers) in lines.windows(2).zip(cast.of_lines.windows(2)) {
        let (Some(asks), Some(next)) = (speakers[0], speakers[1]) else { continue };
        if asks != next && pair[0].text.contains('?') {
            questions += 1;
            asked[asks as usize] += 1;
            follows[next as usize] += 1;
        }
    }
    let share = |at: usize| {
        let others = questions - asked[at];
        // Who asks nearly all questions is not who answers them.
        if others * 4 < questions { 0.0 } else { f64::from(follows[at]) / f64::from(others) }
    };
    (questions >= QUESTIONS).then(|| (0..asked.len()).map(share).collect())
}

fn speaks_of_dice(lines: &[Line<'_>]) -> bool {
    let phrases = Phrases::new(GAME_WORDS);
    let mut words = Words::default();
    let speaks = |line: &&Line<'_>| {
        words.read(line.text);
        phrases.any(&words)
    };
    lines.iter().filter(speaks).count() as f64 >= GAME * lines.len() as f64
}
