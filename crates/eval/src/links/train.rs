//! Labelled transcripts -> a profile.

use std::collections::BTreeMap;

use backstory_language::talk::reply::{FEATURES, Feature, FeatureGroup, NONE, Profile, ReplyReader, WINDOW};

use super::data::Labelled;
use super::fit::{Examples, fit};

/// How weights are fitted.
#[derive(Clone)]
pub struct Recipe {
    /// The strength of the regularisation.
    pub penalty: f64,
    pub used: [bool; Feature::COUNT],
    /// The weights of unused features.
    pub fixed: [f32; Feature::COUNT],
    /// Rounds after the first take threads from the weights of the round before.
    pub rounds: usize,
}

impl Default for Recipe {
    fn default() -> Self {
        Recipe { penalty: 10.0, used: [true; Feature::COUNT], fixed: [0.0; Feature::COUNT], rounds: 3 }
    }
}

impl Recipe {
    pub fn without(mut self, group: FeatureGroup) -> Self {
        for (feature, of, _) in FEATURES.iter().filter(|(feature, ..)| *feature != Feature::NoneAlways) {
            self.used[*feature as usize] &= *of != group;
        }
        self
    }

    /// Addressees, forms and words weigh as in the chat: the dialogues have lost most of their names. The rest is
    /// learnt, except for people coming and going: in a series of dialogues each starts with new people.
    pub fn for_tabletop(mut self, chat: &Profile) -> Self {
        for (feature, group, _) in FEATURES {
            if [FeatureGroup::Mention, FeatureGroup::Form, FeatureGroup::Words].contains(group) {
                self.used[*feature as usize] = false;
                self.fixed[*feature as usize] = chat.weight(*feature);
            }
        }
        for feature in [Feature::NoneNew, Feature::NoneNewAsks, Feature::NoneAddressAway, Feature::NoneMineNear] {
            self.used[feature as usize] = false;
        }
        self
    }
}

/// All dialogues as one transcript, so that topics change: the first line of each answers nothing, though lines precede
/// it.
pub fn one_after_another(dialogues: &[Labelled]) -> Vec<Labelled> {
    let mut row = Labelled { lines: Vec::new(), parents: BTreeMap::new(), counts_none: false, group: 0 };
    for dialogue in dialogues {
        let first = row.lines.len();
        row.lines.extend(dialogue.lines.iter().cloned());
        row.parents.insert(first, Vec::new());
        let moved = dialogue
            .parents
            .iter()
            .map(|(line, parents)| (first + line, parents.iter().map(|at| first + at).collect()));
        row.parents.extend(moved);
    }
    vec![row]
}

/// The first round has no threads; each later one takes them from the previous weights, as in use.
pub fn train<'a>(all: impl Iterator<Item = &'a Labelled> + Clone, recipe: &Recipe) -> Profile {
    let mut first = recipe.clone();
    if recipe.rounds > 1 {
        first = first.without(FeatureGroup::Thread);
    }
    let mut profile = Profile::new([0.0; Feature::COUNT]);
    for round in 0..recipe.rounds {
        let examples = examples(all.clone(), &profile);
        let used = if round == 0 { first.used } else { recipe.used };
        profile = Profile::new(fit(&examples, recipe.penalty, &used, recipe.fixed));
    }
    profile
}

fn examples<'a>(all: impl Iterator<Item = &'a Labelled>, profile: &Profile) -> Examples {
    let mut examples = Examples::default();
    for labelled in all {
        let mut reader = ReplyReader::new(profile, WINDOW);
        let last = labelled.parents.keys().next_back().copied().unwrap_or(0);
        for (at, line) in labelled.lines().iter().enumerate().take(last + 1) {
            reader.read(line);
            let Some(parents) = labelled.parents.get(&at) else { continue };
            let is_right =
                |place: u32| if place == NONE { parents.is_empty() } else { parents.contains(&(place as usize)) };
            // An answer to a line out of reach teaches nothing; nor does one without alternatives.
            if reader.rows().count() < 2 || !reader.rows().any(|(place, _)| is_right(place)) {
                continue;
            }
            examples.begin();
            for (place, values) in reader.rows() {
                examples.row(values, is_right(place));
            }
        }
    }
    examples
}
