//! Reads the environment and the clock; nothing else reads them.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use backstory_engine::model::Timestamp;
use backstory_files as files;
use jiff::tz::TimeZone;

/// `BACKSTORY_HOME`, else `~/.backstory`; none without a home folder.
pub fn memory_home() -> Option<PathBuf> {
    folder_from_env("BACKSTORY_HOME").or_else(|| Some(user_home()?.join(".backstory")))
}

/// The user's home folder.
pub fn user_home() -> Option<PathBuf> {
    std::env::home_dir().filter(|home| !home.as_os_str().is_empty())
}

/// Is a variable of the environment set?
pub fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some()
}

/// All variables that begin with `BACKSTORY_`, by name.
pub fn own_variables() -> Vec<(String, String)> {
    let ours = std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"BACKSTORY_"));
    let text = |value: std::ffi::OsString| value.to_string_lossy().into_owned();
    let mut ours: Vec<(String, String)> = ours.map(|(name, value)| (text(name), text(value))).collect();
    ours.sort();
    ours
}

/// The value of an environment variable that `config.toml` names.
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}

/// The value of an environment variable, if an empty value has a meaning.
pub fn variable_or_empty(name: &str) -> Option<String> {
    std::env::var(name).ok().map(|value| value.trim().to_owned())
}

/// The folders of the program search path.
pub fn search_path() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).filter(|folder| !folder.as_os_str().is_empty()).collect()
}

/// Does the environment move the memory?
pub fn is_moved() -> bool {
    std::env::var_os("BACKSTORY_HOME").is_some_and(|home| !home.is_empty())
}

/// The password of encrypted archives, in the variable that Causantic uses too.
pub fn archive_password() -> Option<String> {
    std::env::var("CAUSANTIC_EXPORT_PASSWORD").ok().filter(|password| !password.is_empty())
}

/// Fixed in tests.
pub fn now() -> Timestamp {
    std::env::var("BACKSTORY_NOW")
        .ok()
        .and_then(|text| Timestamp::parse(&text))
        .unwrap_or_else(|| Timestamp(jiff::Timestamp::now().as_millisecond()))
}

const LARGEST_ZONE: u64 = 1 << 20;

/// The time zone for display.
pub fn time_zone() -> TimeZone {
    static ZONE: OnceLock<TimeZone> = OnceLock::new();
    let zone = || {
        // Looking up a zone by name searches the whole database, which takes longer than most questions.
        let unnamed = std::env::var_os("TZ")
            .is_none()
            .then(|| files::read(Path::new("/etc/localtime"), LARGEST_ZONE).ok())
            .flatten();
        unnamed.and_then(|bytes| TimeZone::tzif("Local", &bytes).ok()).unwrap_or_else(TimeZone::system)
    };
    ZONE.get_or_init(zone).clone()
}

/// A folder named by a variable.
pub fn folder_from_env(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}
