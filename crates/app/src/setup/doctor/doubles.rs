//! Which entries are in several files, or in a file and the plugin, and how to remove them?

use std::path::Path;

use crate::home;

/// Where the plugin is enabled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Plugin {
    Off,
    /// Only in the current project.
    Here,
    Everywhere,
}

/// The owner of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    Person,
    /// The current project's.
    Project,
    /// The same, but shared: we never write there.
    Shared,
    /// Another project's.
    Elsewhere,
}

/// How to remove the entries that the plugin has too.
pub fn beside_plugin(plugin: Plugin, files: &[(Whose, &Path)]) -> String {
    let mut ways: Vec<String> = Vec::new();
    for (whose, path) in files {
        let way = match whose {
            Whose::Person if plugin == Plugin::Everywhere => {
                "`backstory init` takes out what the plugin brings.".to_owned()
            }
            Whose::Person => "The plugin is on in this project only: turn it off here, or turn it on for you and run \
                              `backstory init`."
                .to_owned(),
            Whose::Project => "`backstory init --project` takes out what the plugin brings.".to_owned(),
            Whose::Shared => by_hand(path),
            Whose::Elsewhere => {
                let path = home::short(path);
                format!("`backstory init --project` in the project of {path} takes out what the plugin brings.")
            }
        };
        if !ways.contains(&way) {
            ways.push(way);
        }
    }
    ways.join(" ")
}

/// How to leave only one of several. A person's own entries apply in every project.
pub fn beside_each_other(files: &[(Whose, &Path)]) -> String {
    let of = |wanted: Whose| files.iter().find(|(whose, _)| *whose == wanted).map(|(_, path)| *path);
    if let Some(path) = of(Whose::Shared) {
        return format!("{} Or take out the others: `backstory uninstall`.", by_hand(path));
    }
    match (of(Whose::Person), of(Whose::Project), of(Whose::Elsewhere)) {
        (Some(_), Some(_), _) => "`backstory init --project` takes out of the project what you have anyway.".to_owned(),
        (Some(_), None, Some(path)) => {
            let path = home::short(path);
            format!("`backstory init --project` in the project of {path} takes out what you have anyway.")
        }
        (Some(_), None, None) => "`backstory init` leaves one of each.".to_owned(),
        (None, ..) => "`backstory init --project` leaves one of each.".to_owned(),
    }
}

fn by_hand(path: &Path) -> String {
    format!("Take them out of {} by hand: others have that file too.", home::short(path))
}
