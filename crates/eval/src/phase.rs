//! Steps measured in a separate process, so that CPU time and peak memory are theirs alone.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The cost of a step.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub struct Cost {
    pub cpu_ms: f64,
    pub wall_ms: f64,
    pub peak_mb: f64,
    /// Records parsed, events read or clusters built: shows that the step did its work.
    pub done: u64,
}

/// Runs a step as a child process and reads its cost.
pub fn measure(name: &str, data: &Path, home: &Path) -> Result<Cost, Box<dyn Error>> {
    let output = Command::new(std::env::current_exe()?).arg("phase").arg(name).arg(data).arg(home).output()?;
    if !output.status.success() {
        return Err(format!("step {name} failed: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

pub fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().filter_map(Result::ok);
    entries.filter(|entry| entry.file_type().is_file()).map(walkdir::DirEntry::into_path).collect()
}

/// The peak memory of the process (Linux; elsewhere unknown).
pub fn peak_memory_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024.0)
}
