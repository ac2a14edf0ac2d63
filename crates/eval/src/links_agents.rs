//! Is a prompt's claimed consequence what followed it according to the host (parentUuid)?

use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::path::Path;

use backstory_engine::model::{EventId, SourceKind};
use backstory_engine::retrieve::{Links, links};
use serde_json::Value;

use crate::input;
use crate::phase::files;
use crate::quality::World;

/// A longer chain of records is a cycle.
const LONGEST: usize = 100_000;

#[derive(Default)]
struct Tally {
    prompts: HashSet<EventId>,
    links: usize,
    claimed: usize,
    follows: usize,
    /// Reached through another prompt: it answers that one.
    through_another: usize,
    elsewhere: usize,
    unknown: usize,
    /// Without a consequence, and nothing follows according to the host either.
    rightly_none: usize,
}

pub fn run(data: &Path) -> Result<(), Box<dyn Error>> {
    let sessions = data.join("sessions");
    let raw = Raw::read(&sessions)?;
    let mut world = World::of_sessions(&sessions)?;
    let (log, views) = world.memory.parts();
    let found = links(log, views, &Links::default())?;
    let mut prompts = HashSet::new();
    let mut rows = Vec::new();
    for item in found.into_iter().filter(|item| item.source == SourceKind::ClaudeCode) {
        let mut record = |id| -> Result<Option<String>, Box<dyn Error>> {
            Ok(log.store().event(EventId(id))?.and_then(|event| event.meta.record))
        };
        let Some(intent) = record(item.row.intent.id)? else { continue };
        let consequence = item.row.consequence.map(|evidence| record(evidence.id)).transpose()?.flatten();
        prompts.insert(intent.clone());
        rows.push((item.row.intent.id, intent, item.row.link.claimed(), consequence));
    }
    let mut tally = Tally::default();
    for (event, intent, claimed, consequence) in &rows {
        tally.prompts.insert(EventId(*event));
        tally.links += 1;
        match consequence {
            Some(consequence) => {
                tally.claimed += 1;
                match raw.way(intent, consequence, &prompts) {
                    Way::Straight => tally.follows += 1,
                    Way::ThroughAnother => tally.through_another += 1,
                    Way::Elsewhere => tally.elsewhere += 1,
                    Way::Unknown => tally.unknown += 1,
                }
            }
            None if *claimed => tally.unknown += 1,
            None => tally.rightly_none += usize::from(!raw.is_answered(intent, &prompts)),
        }
    }
    let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
    let known = tally.claimed - tally.unknown;
    println!("{} prompts, {} links, {} with a consequence", tally.prompts.len(), tally.links, tally.claimed);
    println!("by the host's account ({known} whose records are known)");
    println!("  follows the prompt              {:.3}", share(tally.follows, known));
    println!("  follows another prompt after it {:.3}", share(tally.through_another, known));
    println!("  does not follow it              {:.3}", share(tally.elsewhere, known));
    let none = tally.links - tally.claimed;
    println!("without a consequence: {none}; nothing follows them either: {:.3}", share(tally.rightly_none, none));
    Ok(())
}

enum Way {
    Straight,
    ThroughAnother,
    Elsewhere,
    Unknown,
}

/// The records as written by the host.
struct Raw {
    parents: HashMap<String, Option<String>>,
    children: HashMap<String, Vec<String>>,
    /// Records of the agent.
    answers: HashSet<String>,
}

impl Raw {
    fn read(sessions: &Path) -> Result<Self, Box<dyn Error>> {
        let mut raw = Raw { parents: HashMap::new(), children: HashMap::new(), answers: HashSet::new() };
        for path in files(sessions) {
            let text = input::text(&path)?;
            for record in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
                let Some(uuid) = record["uuid"].as_str().map(str::to_owned) else { continue };
                // A compaction boundary continues where the context was cut.
                let parent = record["parentUuid"].as_str().or(record["logicalParentUuid"].as_str()).map(str::to_owned);
                if record["type"] == "assistant" {
                    raw.answers.insert(uuid.clone());
                }
                if let Some(parent) = &parent {
                    raw.children.entry(parent.clone()).or_default().push(uuid.clone());
                }
                raw.parents.entry(uuid).or_insert(parent);
            }
        }
        Ok(raw)
    }

    fn way(&self, intent: &str, consequence: &str, prompts: &HashSet<String>) -> Way {
        if !self.parents.contains_key(consequence) || !self.parents.contains_key(intent) {
            return Way::Unknown;
        }
        let mut at = Some(consequence);
        let mut other = false;
        for _ in 0..LONGEST {
            let Some(record) = at else { return Way::Elsewhere };
            if record == intent {
                return if other { Way::ThroughAnother } else { Way::Straight };
            }
            other |= prompts.contains(record);
            at = self.parents.get(record).and_then(|parent| parent.as_deref());
        }
        Way::Elsewhere
    }

    /// Does a record of the agent follow before the next prompt?
    fn is_answered(&self, intent: &str, prompts: &HashSet<String>) -> bool {
        let mut open = vec![intent];
        let mut seen = HashSet::new();
        while let Some(record) = open.pop() {
            for child in self.children.get(record).into_iter().flatten().filter(|child| !prompts.contains(*child)) {
                if self.answers.contains(child) {
                    return true;
                }
                if seen.insert(child) {
                    open.push(child);
                }
            }
        }
        false
    }
}
