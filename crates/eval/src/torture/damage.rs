//! Damaged copies of the memory: what is reported, and what is repaired?

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use super::check;
use super::world::TortureWorld;
use crate::phase::files;

/// Words in the output of a command that detected damage to the log.
const TELLING: [&str; 2] = ["damaged", "missing"];

/// Changes bytes of one file of a copy, sometimes without a new modification time.
pub fn corrupt(world: &mut TortureWorld) -> Result<(), Box<dyn Error>> {
    let sources = world.sources();
    let sources = sources.to_string_lossy().into_owned();
    let memory = world.memory();
    world.run(&memory, &["ingest", "--quiet", &sources])?;
    let copy = world.copy("damaged")?;
    let all: Vec<PathBuf> = files(&copy).into_iter().filter(|file| is_data(file)).collect();
    let file = world.dice.of(&all).clone();
    let bytes = noise(world, &file)?;
    world.report.add("files damaged", 1);
    let name = file.strip_prefix(&copy)?.display().to_string();
    let what = format!("{name}, {bytes} bytes changed");
    let mut told = String::new();
    let commands =
        [&["status"][..], &["doctor"], &["search", "--all-projects", "total"], &["sessions", "--all-projects"]];
    for command in commands {
        told.push_str(&world.run(&copy, command)?.text);
    }
    if name.starts_with("log.sqlite") {
        return damaged_log(world, &copy, &what, &told);
    }
    // All derived data is restored.
    world.run(&copy, &["ingest", "--quiet", &sources])?;
    world.run(&copy, &["maintain", "--quiet"])?;
    check::whole(world, &copy)
}

/// The log cannot be rebuilt: the rest of it must stay readable, and a command must report the damage.
fn damaged_log(world: &mut TortureWorld, copy: &Path, what: &str, told: &str) -> Result<(), Box<dyn Error>> {
    let whole = check::exported(world, &world.memory())?.len();
    let verified = world.run(copy, &["log", "verify"])?;
    let exported = world.run(copy, &["log", "export"])?;
    let salvaged = exported.text.lines().filter(|line| line.starts_with('{')).count();
    // Damage to pages without events does not change the export.
    let is_told = verified.code != Some(0) || TELLING.iter().any(|words| told.contains(words));
    if !is_told && salvaged < whole {
        world.keep(copy, &format!("{what}: nobody says so, {salvaged} of {whole} records exported"))?;
    }
    world.report.add("records in damaged logs", whole as u64);
    world.report.add("records salvaged from damaged logs", salvaged.min(whole) as u64);
    world.run(copy, &["rebuild", "--quiet"])?;
    Ok(())
}

fn is_data(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let has_bytes = fs::metadata(file).is_ok_and(|metadata| metadata.len() > 0);
    has_bytes
        && (name.contains(".sqlite") || file.parent().is_some_and(|folder| folder.ends_with("index")))
        && !name.ends_with("-shm")
}

/// Overwrites a few bytes or a third of a file, or truncates it.
fn noise(world: &mut TortureWorld, file: &Path) -> Result<usize, Box<dyn Error>> {
    let written = fs::metadata(file)?.modified()?;
    let mut bytes = fs::read(file)?;
    let length = bytes.len() as u64;
    let dice = &mut world.dice;
    let changed = match dice.below(4) {
        0 => 1,
        1 => 1 + dice.below(64),
        2 => length / 3,
        _ => 0,
    }
    .min(length) as usize;
    if changed == 0 {
        bytes.truncate(dice.below(length) as usize);
    } else {
        let at = dice.below(length - changed as u64 + 1) as usize;
        bytes[at..at + changed].iter_mut().for_each(|byte| *byte ^= 1 + dice.below(255) as u8);
    }
    fs::write(file, &bytes)?;
    if dice.one_in(2) {
        fs::File::options().write(true).open(file)?.set_modified(written)?;
    }
    Ok(changed.max(length as usize - bytes.len()))
}

/// Kills a command that writes, then removes what may not have reached the disk: the ends of the write-ahead logs and
/// of the index files, each separately.
pub fn cut_power(world: &mut TortureWorld) -> Result<(), Box<dyn Error>> {
    let sources = world.sources();
    let sources = sources.to_string_lossy().into_owned();
    world.grow()?;
    let memory = world.memory();
    let delay = world.usual.mul_f64(world.dice.below(100) as f64 / 100.0);
    world.start(&memory, &["ingest", "--quiet", &sources])?.kill_after(delay)?;
    let copy = world.copy("cut")?;
    for name in ["log.sqlite-wal", "views/memory.sqlite-wal"] {
        cut(world, &copy.join(name))?;
    }
    for file in files(&copy.join("views/index")) {
        if world.dice.one_in(3) {
            cut(world, &file)?;
        }
    }
    // The shared-memory index of a write-ahead log is lost too.
    for name in ["log.sqlite-shm", "views/memory.sqlite-shm"] {
        _ = fs::remove_file(copy.join(name));
    }
    world.report.add("power cuts", 1);
    world.run(&copy, &["search", "--all-projects", "total"])?;
    world.run(&copy, &["ingest", "--quiet", &sources])?;
    check::whole(world, &copy)?;
    // The sessions still exist, so their content is restored.
    world.run(&memory, &["ingest", "--quiet", &sources])?;
    let (lost, expected) = (check::session_events(&copy)?, check::session_events(&memory)?);
    match expected.is_subset(&lost) {
        true => Ok(()),
        false => world.keep(&copy, &format!("{} events did not come back", expected.difference(&lost).count())),
    }
}

fn cut(world: &mut TortureWorld, file: &Path) -> Result<(), Box<dyn Error>> {
    let Ok(metadata) = fs::metadata(file) else { return Ok(()) };
    let length = world.dice.below(metadata.len() + 1);
    fs::File::options().write(true).open(file)?.set_len(length)?;
    // Allocated blocks that were never written are zeros.
    if world.dice.one_in(4) {
        fs::File::options().write(true).open(file)?.set_len(metadata.len())?;
    }
    Ok(())
}
