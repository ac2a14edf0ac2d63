//! Recognises the game master by behaviour.
//!
//! In a conversation about dice: the speaker who tells the others what they see and to roll, or whose lines follow most
//! of the others' questions.

use crate::talk::lines::{Setting, TalkLine};
use crate::talk::words::{LineWords, Phrases};

use super::Participants;

/// Fewer questions prove nothing.
const QUESTIONS: u32 = 20;
/// The leader follows this share of the others' questions, and this many times the share of the second.
const FOLLOWS: f64 = 0.35;
const AHEAD: f64 = 1.5;
/// More people speak in a channel than at a table; speakers with a smaller share of the lines are not counted.
const SPEAKERS: usize = 40;
const SPEAKS: f64 = 0.003;
/// The least share of lines about the game. A session of mere conversation has some; chats have fewer.
const GAME: f64 = 0.003;
/// The least share of narration that the leader gives, and the least number of such lines.
const TELLS: f64 = 0.55;
const TOLD: u32 = 10;

const GAME_WORDS: &[&str] = &[
    "roll", "rolls", "rolled", "d4", "d6", "d8", "d10", "d12", "d20", "initiative", "saving throw", "hit points",
    "perception check", "insight check", "investigation check", "stealth check", "persuasion", "advantage",
    "disadvantage", "natural 20", "natural one", "spell slot", "bonus action", "armor class", "cantrip",
];

const NARRATION: &[&str] = &[
    "you see", "you hear", "you notice", "you spot", "you find", "you manage", "you watch", "you feel", "you glance",
    "as you", "you guys make", "you guys come", "you guys see", "you guys begin", "you all see", "go ahead and roll",
    "go ahead and make", "make a check", "make an insight", "make a perception", "make a stealth", "make an athletics",
    "make a persuasion", "make an investigation", "make a constitution", "make a dexterity", "make a wisdom",
    "make a strength", "make a deception", "make a history", "make an arcana", "make a saving", "roll perception",
    "roll insight", "roll investigation", "roll stealth", "roll initiative", "roll damage", "roll for initiative",
    "roll for damage", "he looks", "she looks", "it looks", "he turns", "she turns", "he glances", "she glances",
    "he goes", "she goes", "he says", "she says", "he nods", "she nods", "he smiles", "she smiles",
];

/// `told`: the setting that a person named; then dice are not required.
pub fn leader(lines: &[TalkLine<'_>], participants: &Participants, told: Option<Setting>) -> Option<usize> {
    if participants.speakers.len() < 3 {
        return None;
    }
    let table = told.is_some() || speakers(participants) <= SPEAKERS && speaks_of_dice(lines);
    if table { narrator(lines, participants).or_else(|| follower(lines, participants)) } else { None }
}

fn speakers(participants: &Participants) -> usize {
    let least = SPEAKS * participants.of_lines.len() as f64;
    participants.speakers.iter().filter(|speaker| f64::from(speaker.lines) >= least).count()
}

/// The speaker who narrates and asks for rolls.
fn narrator(lines: &[TalkLine<'_>], participants: &Participants) -> Option<usize> {
    let phrases = Phrases::new(NARRATION);
    let mut words = LineWords::default();
    let mut told = vec![0u32; participants.speakers.len()];
    for (line, speaker) in lines.iter().zip(&participants.of_lines) {
        let Some(speaker) = speaker else { continue };
        words.read(line.text);
        told[*speaker as usize] += u32::from(phrases.any(&words));
    }
    let most = (0..told.len()).max_by_key(|at| (told[*at], std::cmp::Reverse(*at)))?;
    let all: u32 = told.iter().sum();
    (told[most] >= TOLD && f64::from(told[most]) >= TELLS * f64::from(all)).then_some(most)
}

/// The speaker who follows the others' questions.
fn follower(lines: &[TalkLine<'_>], participants: &Participants) -> Option<usize> {
    let shares = shares(lines, participants)?;
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by(|a, b| shares[*b].total_cmp(&shares[*a]).then(a.cmp(b)));
    let (first, second) = (order[0], order[1]);
    (shares[first] >= FOLLOWS && shares[first] >= AHEAD * shares[second]).then_some(first)
}

/// For each speaker, the share of the others' questions that their line follows next.
fn shares(lines: &[TalkLine<'_>], participants: &Participants) -> Option<Vec<f64>> {
    let mut asked = vec![0u32; participants.speakers.len()];
    let mut follows = vec![0u32; participants.speakers.len()];
    let mut questions = 0;
    for (pair, speakers) in lines.windows(2).zip(participants.of_lines.windows(2)) {
        let (Some(asks), Some(next)) = (speakers[0], speakers[1]) else { continue };
        if asks != next && pair[0].text.contains('?') {
            questions += 1;
            asked[asks as usize] += 1;
            follows[next as usize] += 1;
        }
    }
    let share = |at: usize| {
        let others = questions - asked[at];
        // A speaker who asks nearly all questions does not answer them.
        if others * 4 < questions { 0.0 } else { f64::from(follows[at]) / f64::from(others) }
    };
    (questions >= QUESTIONS).then(|| (0..asked.len()).map(share).collect())
}

fn speaks_of_dice(lines: &[TalkLine<'_>]) -> bool {
    let phrases = Phrases::new(GAME_WORDS);
    let mut words = LineWords::default();
    let speaks = |line: &&TalkLine<'_>| {
        words.read(line.text);
        phrases.any(&words)
    };
    lines.iter().filter(speaks).count() as f64 >= GAME * lines.len() as f64
}
