//! The names, aliases and roles of speakers.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::talk::lines::SpeakerPart;

use super::roles::same_name;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Registry {
    #[serde(rename = "actor", default)]
    pub actors: Vec<Actor>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Actor {
    pub name: String,
    #[serde(default)]
    pub aliases: Vec<String>,
    /// One of [`ActorRole`]'s names; the default asks.
    #[serde(default)]
    pub role: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActorRole {
    Responder,
    Asker,
    Both,
    /// Sounds, titles, bots: neither asks nor answers.
    Neither,
}

impl ActorRole {
    pub const NAMES: &str = "responder (or dm, gm), asker (or player, pc), both, neither";

    pub fn parse(name: &str) -> Option<Self> {
        match name.trim().to_lowercase().as_str() {
            "responder" | "dm" | "gm" => Some(ActorRole::Responder),
            "" | "asker" | "player" | "pc" => Some(ActorRole::Asker),
            "both" => Some(ActorRole::Both),
            "neither" => Some(ActorRole::Neither),
            _ => None,
        }
    }

    pub fn part(self) -> SpeakerPart {
        match self {
            ActorRole::Responder => SpeakerPart::ANSWERS,
            ActorRole::Asker => SpeakerPart::ASKS,
            ActorRole::Both => SpeakerPart::BOTH,
            ActorRole::Neither => SpeakerPart::default(),
        }
    }
}

/// A fault of a registry, with its place: the actor's index in the list, the key, and the index in the key's list if it
/// is one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{problem}", place(*actor, key, *item))]
pub struct RegistryError {
    pub actor: Option<usize>,
    pub key: &'static str,
    pub item: Option<usize>,
    pub problem: String,
}

fn place(actor: Option<usize>, key: &str, item: Option<usize>) -> String {
    match (actor, item) {
        (Some(actor), Some(item)) => format!("actor {}, {key} {}: ", actor + 1, item + 1),
        (Some(actor), None) => format!("actor {}, {key}: ", actor + 1),
        (None, _) => String::new(),
    }
}

impl Registry {
    /// Checks that names exist, each belongs to one actor, roles are known, and somebody answers.
    pub fn check(&self) -> Result<(), RegistryError> {
        let mut owners: HashMap<String, usize> = HashMap::new();
        for (at, actor) in self.actors.iter().enumerate() {
            let wrong = |key, item, problem| RegistryError { actor: Some(at), key, item, problem };
            let names = std::iter::once(("name", None, &actor.name));
            let aliases = actor.aliases.iter().enumerate().map(|(item, alias)| ("aliases", Some(item), alias));
            for (key, item, name) in names.chain(aliases) {
                if name.trim().is_empty() {
                    return Err(wrong(key, item, "is empty".to_owned()));
                }
                // The same name in other case is harmless.
                if let Some(owner) = owners.insert(name.trim().to_lowercase(), at)
                    && owner != at
                {
                    let owner = &self.actors[owner].name;
                    return Err(wrong(key, item, format!("{name:?} already belongs to {owner:?}")));
                }
            }
            if ActorRole::parse(&actor.role).is_none() {
                return Err(wrong("role", None, format!("{:?} is none of {}", actor.role, ActorRole::NAMES)));
            }
        }
        if !self.actors.iter().any(|actor| actor.role().part().answers) {
            let problem = "nobody has the role responder or both".to_owned();
            return Err(RegistryError { actor: None, key: "role", item: None, problem });
        }
        Ok(())
    }

    pub fn find(&self, name: &str) -> Option<&Actor> {
        self.actors
            .iter()
            .find(|actor| same_name(&actor.name, name) || actor.aliases.iter().any(|alias| same_name(alias, name)))
    }
}

impl Actor {
    pub fn role(&self) -> ActorRole {
        ActorRole::parse(&self.role).unwrap_or(ActorRole::Asker)
    }
}
