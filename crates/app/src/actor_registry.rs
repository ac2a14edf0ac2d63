//! Reads the registry of a transcript's speakers, a small TOML file.
//!
//! ```toml
//! [[actor]]
//! name = "Mara"
//! aliases = ["DM", "Mara K."]
//! role = "responder"
//! ```

use std::path::Path;

use backstory_files as files;
use backstory_language::talk::participants::{Actor, Registry, RegistryError};
use serde::Deserialize;
use toml::Spanned;

use crate::error::{AppError, ErrorKind as AppErrorKind};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TypedRegistry {
    #[serde(rename = "actor", default)]
    actors: Vec<Spanned<TypedActor>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TypedActor {
    name: Spanned<String>,
    #[serde(default)]
    aliases: Vec<Spanned<String>>,
    role: Option<Spanned<String>>,
}

const LARGEST_REGISTRY: u64 = 16 << 20;

pub fn load(path: &Path) -> Result<Registry, AppError> {
    let text = files::read_text(path, LARGEST_REGISTRY)
        .map_err(|error| AppError::new(AppErrorKind::NotFound, format!("{}: {error}", path.display())))?;
    parse(&text)
        .map_err(|(line, problem)| AppError::new(AppErrorKind::Usage, format!("{}:{line}: {problem}", path.display())))
}

/// The registry, or the faulty line and its fault.
fn parse(text: &str) -> Result<Registry, (usize, String)> {
    let line_of = |at: usize| text.get(..at).unwrap_or(text).matches('\n').count() + 1;
    let typed: TypedRegistry = toml::from_str(text)
        .map_err(|error| (line_of(error.span().map_or(0, |span| span.start)), error.message().to_owned()))?;
    let registry = Registry { actors: typed.actors.iter().map(|actor| meant(actor.get_ref())).collect() };
    registry.check().map_err(|error| (line_of(place(&typed, &error)), error.problem.clone()))?;
    Ok(registry)
}

fn meant(actor: &TypedActor) -> Actor {
    Actor {
        name: actor.name.get_ref().clone(),
        aliases: actor.aliases.iter().map(|alias| alias.get_ref().clone()).collect(),
        role: actor.role.as_ref().map_or(String::new(), |role| role.get_ref().clone()),
    }
}

/// The byte offset of a fault.
fn place(typed: &TypedRegistry, error: &RegistryError) -> usize {
    let Some(actor) = error.actor.and_then(|at| typed.actors.get(at)) else { return 0 };
    let fields = actor.get_ref();
    let span = match (error.key, error.item) {
        ("name", _) => Some(fields.name.span()),
        ("aliases", Some(item)) => fields.aliases.get(item).map(Spanned::span),
        ("role", _) => fields.role.as_ref().map(Spanned::span),
        _ => None,
    };
    span.unwrap_or(actor.span()).start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_read() {
        let text =
            "[[actor]]\nname = \"Mara\"\naliases = [\"DM\"]\nrole = \"responder\"\n\n[[actor]]\nname = \"Ann\"\n";
        let registry = parse(text).expect("a good registry");
        assert_eq!(registry.find("dm").map(|actor| actor.name.as_str()), Some("Mara"));
    }

    #[test]
    fn mistakes_name_the_line() {
        let wrong = |text: &str| {
            parse(text).map_err(|(line, problem)| format!("{line}: {problem}")).expect_err("a bad registry")
        };
        let mara = "[[actor]]\nname = \"Mara\"\naliases = [\"DM\"]\nrole = \"dm\"\n";
        assert_eq!(
            wrong(&format!("{mara}[[actor]]\nname = \"Ann\"\naliases = [\n\"A\",\n\"dm\"]\n")),
            "9: \"dm\" already belongs to \"Mara\""
        );
        assert!(wrong("[[actor]]\nname = \"Mara\"\nrole = \"king\"\n").starts_with("3: \"king\" is none of responder"));
        assert_eq!(wrong("[[actor]]\nname = \"Ann\"\n"), "1: nobody has the role responder or both");
        assert!(wrong("[[actor]]\nname = 3\n").starts_with("2: "));
        assert!(wrong("[[actor]]\nnick = \"x\"\n").starts_with("2: "));
    }
}
