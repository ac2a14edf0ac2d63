//! Which speakers have the name of a game master?

use super::Speaker;

/// Names, or words of a name.
const NAMES: &[&str] = &["game master", "gamemaster", "dungeon master", "dungeonmaster", "storyteller", "narrator"];
const WORDS: &[&str] = &["dm", "gm"];
/// These count only as the whole name: people are called like this.
const WHOLE: &[&str] = &["keeper", "the keeper", "referee"];

/// The least share of a game master's lines; in a chat somebody may have such a name and say little.
const SHARE: f64 = 0.05;

pub fn game_masters(speakers: &[Speaker]) -> Vec<usize> {
    let lines: u32 = speakers.iter().map(|speaker| speaker.lines).sum();
    let speaks = |speaker: &Speaker| f64::from(speaker.lines) >= SHARE * f64::from(lines);
    let masters: Vec<usize> =
        (0..speakers.len()).filter(|at| speaks(&speakers[*at]) && is_master(&speakers[*at].name)).collect();
    // If all are masters, none is.
    if masters.len() == speakers.len() { Vec::new() } else { masters }
}

fn is_master(name: &str) -> bool {
    let words: Vec<String> =
        name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    let whole = words.join(" ");
    WHOLE.contains(&whole.as_str())
        || NAMES.iter().any(|name| whole == *name || format!(" {whole} ").contains(&format!(" {name} ")))
        || words.iter().any(|word| WORDS.contains(&word.as_str()))
}
