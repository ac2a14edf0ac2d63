//! Writes the shipped weights.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use backstory_language::talk::Setting;
use backstory_language::talk::reply::{FEATURES, Profile};

use super::EvalResult;
use super::data::{self, Split};
use super::train::{Recipe, one_after_another, train};

/// The file that the engine includes.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../language/src/talk/reply/weights.json");

/// Fits the profiles; prints the file, or writes it for the engine.
pub fn run(data: &Path, write: bool) -> EvalResult {
    let chat = data::chat(data, Split::Train)?;
    let dialogues = data::dialogues(data)?;
    let in_a_row = one_after_another(&dialogues);
    let of_chat = train(chat.iter(), &Recipe::default());
    let for_tabletop = Recipe::default().for_tabletop(&of_chat);
    let profiles = [
        (Setting::Chat, of_chat),
        (Setting::Tabletop, train(in_a_row.iter(), &for_tabletop)),
        (Setting::TwoParty, train(dialogues.iter(), &Recipe::default())),
    ];
    let file = file(&profiles);
    if write {
        fs::write(FILE, file)?;
    } else {
        print!("{file}");
    }
    Ok(())
}

/// One line for each weight, for readable diffs.
fn file(profiles: &[(Setting, Profile)]) -> String {
    let mut file = String::from("{\n");
    for (at, (setting, profile)) in profiles.iter().enumerate() {
        let _ = writeln!(file, "  \"{}\": {{", setting.name());
        let known: Vec<_> = FEATURES.iter().filter(|(feature, ..)| profile.weight(*feature) != 0.0).collect();
        for (row, (feature, _, name)) in known.iter().enumerate() {
            let comma = if row + 1 < known.len() { "," } else { "" };
            let _ = writeln!(file, "    \"{name}\": {:.3}{comma}", profile.weight(*feature));
        }
        file.push_str(if at + 1 < profiles.len() { "  },\n" } else { "  }\n" });
    }
    file.push_str("}\n");
    file
}
