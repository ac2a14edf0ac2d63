//! Is the memory intact?

use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;

use backstory_engine::log::Log;
use backstory_engine::model::SourceKind;
use backstory_engine::{Flaws, Memory};

use super::world::TortureWorld;

/// Reads new sessions undisturbed, and checks everything.
pub fn memory(world: &mut TortureWorld) -> Result<(), Box<dyn Error>> {
    let memory = world.memory();
    let sources = world.sources();
    world.run(&memory, &["ingest", "--quiet", &sources.to_string_lossy()])?;
    whole(world, &memory)?;
    acknowledged(world)?;
    world.acknowledged = event_ids(&memory)?;
    Ok(())
}

/// No event that a command acknowledged is lost.
pub fn acknowledged(world: &mut TortureWorld) -> Result<(), Box<dyn Error>> {
    let memory = world.memory();
    if !memory.join("log.sqlite").exists() {
        return Ok(());
    }
    let ids = event_ids(&memory)?;
    let lost = world.acknowledged.difference(&ids).count();
    if lost > 0 {
        world.keep(&memory, &format!("{lost} acknowledged events are lost"))?;
    }
    Ok(())
}

/// The log verifies, no stage lacks rows, and all views equal a rebuild.
pub fn whole(world: &mut TortureWorld, memory: &Path) -> Result<(), Box<dyn Error>> {
    world.report.add("comparisons with a rebuild", 1);
    let verified = world.run(memory, &["log", "verify"])?;
    if verified.code != Some(0) {
        world.keep(memory, &format!("`log verify`: {}", verified.text))?;
    }
    let (flaws, mine) = match looked_at(memory) {
        Ok(found) => found,
        Err(error) => return world.keep(memory, &error.to_string()),
    };
    if !flaws.is_empty() {
        world.keep(memory, &flaws.lines().join("; "))?;
    }
    let rebuilt = rows_of_rebuild(memory)?;
    match mine == rebuilt {
        true => Ok(()),
        false => world.keep(memory, &format!("views differ from a rebuild: {}", difference(&mine, &rebuilt))),
    }
}

/// The flaws of the views, and all of their rows.
fn looked_at(memory: &Path) -> Result<(Flaws, Vec<String>), Box<dyn Error>> {
    let opened = Memory::open(memory)?;
    Ok((opened.flaws()?, opened.views().read().dump()?))
}

/// The rows of views rebuilt from the log alone.
fn rows_of_rebuild(memory: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let scratch = tempfile::tempdir_in(memory.parent().unwrap_or(memory))?;
    for name in ["log.sqlite", "log.sqlite-wal"] {
        if memory.join(name).exists() {
            std::fs::copy(memory.join(name), scratch.path().join(name))?;
        }
    }
    let mut rebuilt = Memory::open(scratch.path())?;
    rebuilt.refresh(&mut |_| {})?;
    Ok(rebuilt.views().read().dump()?)
}

fn difference(mine: &[String], rebuilt: &[String]) -> String {
    let (mine, rebuilt): (BTreeSet<_>, BTreeSet<_>) = (mine.iter().collect(), rebuilt.iter().collect());
    let first =
        |rows: Vec<&&String>| rows.first().map(|row| row.chars().take(160).collect::<String>()).unwrap_or_default();
    let (missing, extra): (Vec<_>, Vec<_>) = (rebuilt.difference(&mine).collect(), mine.difference(&rebuilt).collect());
    format!("{} missing, {} extra; {} / {}", missing.len(), extra.len(), first(missing), first(extra))
}

pub fn exported(world: &mut TortureWorld, memory: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let ended = world.run(memory, &["log", "export"])?;
    Ok(ended.text.lines().filter(|line| line.starts_with('{')).map(str::to_owned).collect())
}

fn event_ids(memory: &Path) -> Result<BTreeSet<String>, Box<dyn Error>> {
    let mut ids = BTreeSet::new();
    Log::open(&memory.join("log.sqlite"))?.store().scan(0, |event| ids.insert(event.id.to_string()))?;
    Ok(ids)
}

/// The events of sessions, without those that commands recorded themselves.
pub fn session_events(memory: &Path) -> Result<BTreeSet<String>, Box<dyn Error>> {
    let mut log = Log::open(&memory.join("log.sqlite"))?;
    let own: BTreeSet<_> = log
        .store()
        .episodes()?
        .into_iter()
        .map(|(_, episode)| episode)
        .filter(|episode| episode.key.source == SourceKind::Backstory)
        .map(|episode| episode.id())
        .collect();
    let mut ids = BTreeSet::new();
    log.store().scan(0, |event| {
        if !own.contains(&event.episode) {
            ids.insert(event.id.to_string());
        }
        true
    })?;
    Ok(ids)
}
