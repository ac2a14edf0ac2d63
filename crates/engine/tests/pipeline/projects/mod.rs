//! Which folders are one project? Two projects never share a memory without proof, and a project is
//! split only if nothing proves its identity.

mod aliases;
mod layouts;
mod world;

use std::collections::BTreeMap;

use backstory_engine::model::ProjectId;

use crate::desk::TestResult;
use layouts::LAYOUTS;
use world::World;

#[test]
fn every_layout_keeps_projects_apart_and_together() -> TestResult {
    let mut wrong = Vec::new();
    for layout in LAYOUTS {
        let ids = (layout.build)(&mut World::new()?).map_err(|error| format!("{}: {error}", layout.name))?;
        let found = groups(&ids);
        if found != expected(layout.expected) {
            wrong.push(format!("{}: {} instead of {}", layout.name, found.join("|"), layout.expected));
        }
    }
    assert!(LAYOUTS.len() >= 60, "{} layouts", LAYOUTS.len());
    assert!(wrong.is_empty(), "{} of {} layouts:\n{}", wrong.len(), LAYOUTS.len(), wrong.join("\n"));
    Ok(())
}

/// `ab|c`: the first two sessions belong to one project.
fn groups(ids: &[ProjectId]) -> Vec<String> {
    let mut by_id: BTreeMap<ProjectId, String> = BTreeMap::new();
    for (id, letter) in ids.iter().zip('a'..) {
        by_id.entry(*id).or_default().push(letter);
    }
    let mut groups: Vec<String> = by_id.into_values().collect();
    groups.sort();
    groups
}

fn expected(text: &str) -> Vec<String> {
    text.split('|').map(str::to_owned).collect()
}
