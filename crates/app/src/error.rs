//! One error for all surfaces: the kind, the message and the remedy.

use backstory_engine::MemoryError;
use backstory_engine::ingest::IngestError;
use backstory_engine::log::LogError;
use backstory_engine::retrieve::RetrieveError;
use backstory_engine::store::StoreError;
use backstory_language::embed::EmbedError;

use crate::disk_space;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// Nothing matches the question.
    NotFound,
    /// A check failed: the answer is no.
    CheckFailed,
    /// The call itself is wrong.
    Usage,
    /// There is no memory yet.
    NoMemory,
    /// An operation failed.
    Failed,
    /// The memory is damaged.
    Corrupt,
    /// The reader of the output has stopped reading.
    BrokenPipe,
}

impl ErrorKind {
    /// docs/cli.md has the table.
    pub fn exit_code(self) -> u8 {
        match self {
            ErrorKind::BrokenPipe => 0,
            ErrorKind::NotFound | ErrorKind::CheckFailed => 1,
            ErrorKind::Usage => 2,
            ErrorKind::NoMemory => 3,
            ErrorKind::Corrupt => 4,
            ErrorKind::Failed => 5,
        }
    }
}

#[derive(Debug)]
pub struct AppError {
    pub kind: ErrorKind,
    pub message: String,
    pub hint: Option<String>,
}

impl AppError {
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        AppError { kind, message: message.into(), hint: None }
    }

    /// Only sets the exit code: the answer itself says that nothing was found.
    pub fn nothing_found() -> Self {
        AppError::new(ErrorKind::NotFound, "")
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl From<std::io::Error> for AppError {
    fn from(error: std::io::Error) -> Self {
        let kind = match error.kind() {
            std::io::ErrorKind::BrokenPipe => ErrorKind::BrokenPipe,
            _ => ErrorKind::Failed,
        };
        AppError::new(kind, error.to_string())
    }
}

/// The log is the only part that cannot be recreated.
pub const MEND_LOG: &str = "Put a backup of `log.sqlite` back, without `log.sqlite-wal` and `log.sqlite-shm`. \
     Without a backup: `backstory log export FILE` saves what can still be read; then move the three files away and run `backstory ingest`, which reads what your agents still have, and `backstory log import FILE`.";
/// The hint for single unreadable rows.
pub const MEND_ROWS: &str = "Unreadable rows are skipped, and everything else is used as before. To recover them, put a backup of \
     `log.sqlite` in place; or run `backstory log export FILE`, import that in a new BACKSTORY_HOME and run \
     `backstory ingest` there, which reads them again where your agents still have the sessions.";
pub const FINISH_FORGET: &str = "`backstory maintain` finishes it.";
pub const MEND_VIEWS: &str = "`backstory rebuild` recreates the views from the log; nothing is lost.";

/// Writable views are recreated without a message.
pub const MEND_OLD_VIEWS: &str = "Views are recreated from the log, which needs write access: \
     allow writing to the memory's folder once, or copy it and set BACKSTORY_HOME to the copy.";

fn is_log(file: &std::path::Path) -> bool {
    file.file_name().is_some_and(|name| name == "log.sqlite")
}

/// Can a full disk be the cause of this error?
fn may_lack_room(error: &StoreError) -> bool {
    use StoreError::{Full, Io, Open, ReadOnly, Sqlite};
    matches!(error, Full(_) | Io { .. } | Open { .. } | ReadOnly | Sqlite(_))
}

impl From<StoreError> for AppError {
    fn from(error: StoreError) -> Self {
        if let Some(lack) = may_lack_room(&error).then(disk_space::shortage).flatten() {
            let message = format!("there is no room to write: {}", lack.why());
            return AppError::new(ErrorKind::Failed, message).hint(lack.fix());
        }
        let message = error.to_string();
        match error {
            StoreError::Newer { file, .. } => AppError::new(ErrorKind::Failed, message).hint(match is_log(&file) {
                true => "Use the newer version, or another BACKSTORY_HOME.",
                false => "Use the newer version, or delete the folder `views`: this version recreates it.",
            }),
            StoreError::Corrupt { file, .. } if is_log(&file) => {
                AppError::new(ErrorKind::Corrupt, message).hint(MEND_LOG)
            }
            StoreError::Corrupt { .. } | StoreError::Index(_) => {
                AppError::new(ErrorKind::Corrupt, message).hint(MEND_VIEWS)
            }
            StoreError::Shortened { .. } => AppError::new(ErrorKind::Corrupt, message).hint(
                "Put a backup of `log.sqlite` back, or continue without those events: `backstory rebuild` recreates the views.",
            ),
            StoreError::Damaged(_) | StoreError::Payload(_) => {
                AppError::new(ErrorKind::Corrupt, message).hint("`backstory doctor` names the file and how to repair it.")
            }
            StoreError::Unforgotten(_) => AppError::new(ErrorKind::Failed, message).hint(FINISH_FORGET),
            StoreError::Busy(_) | StoreError::InUse { .. } => {
                AppError::new(ErrorKind::Failed, message).hint("Try again when no other command is running.")
            }
            StoreError::ReadOnly => AppError::new(ErrorKind::Failed, message)
                .hint("Allow writing to the memory's folder, or set BACKSTORY_HOME to another."),
            // There is space again.
            StoreError::Full(_) => AppError::new(ErrorKind::Failed, message).hint(disk_space::Shortage::Disk.fix()),
            StoreError::Older { file, .. } => AppError::new(ErrorKind::Failed, message).hint(match is_log(&file) {
                true => "Export it with the version that wrote it and import it here.",
                false => MEND_OLD_VIEWS,
            }),
            StoreError::Open { .. } | StoreError::Io { .. } | StoreError::Sqlite(_) => {
                AppError::new(ErrorKind::Failed, message)
            }
        }
    }
}

impl From<backstory_cause::store::CodeStoreError> for AppError {
    fn from(error: backstory_cause::store::CodeStoreError) -> Self {
        if let backstory_cause::store::CodeStoreError::TooLarge { .. } = error {
            return AppError::new(ErrorKind::Usage, error.to_string()).hint("Go to the folder of one project.");
        }
        if error.is_forbidden() {
            return AppError::new(ErrorKind::Failed, error.to_string())
                .hint("The code index is written there: allow it, or move the memory with BACKSTORY_HOME.");
        }
        AppError::new(ErrorKind::Failed, error.to_string())
            .hint("The code index is in views/code of the memory's folder; it can be deleted and is recreated.")
    }
}

impl From<LogError> for AppError {
    fn from(error: LogError) -> Self {
        match error {
            LogError::Store(error) => error.into(),
            LogError::Io(error) => error.into(),
            error @ LogError::Import { .. } => AppError::new(ErrorKind::Failed, error.to_string()),
        }
    }
}

impl From<MemoryError> for AppError {
    fn from(error: MemoryError) -> Self {
        match error {
            MemoryError::Log(error) | MemoryError::Ingest(IngestError::Log(error)) => error.into(),
            MemoryError::Store(error) => error.into(),
            MemoryError::Embed(error) => error.into(),
            MemoryError::Retrieve(error) => error.into(),
        }
    }
}

impl From<EmbedError> for AppError {
    fn from(error: EmbedError) -> Self {
        let message = error.to_string();
        let hint = match error {
            EmbedError::Dimensions { .. } => {
                "The service answers with another model or other settings. \
                 Set `dim` in config.toml to the new length: everything is then embedded again."
            }
            EmbedError::NoAnswer(_) => {
                "Words are still searched. Finished vectors are kept; `backstory maintain` continues."
            }
            _ => "config.toml names the model; `backstory config` shows the values in force.",
        };
        AppError::new(ErrorKind::Failed, message).hint(hint)
    }
}

impl From<RetrieveError> for AppError {
    fn from(error: RetrieveError) -> Self {
        let message = error.to_string();
        match error {
            RetrieveError::Store(error) => error.into(),
            RetrieveError::Embed(error) => error.into(),
            RetrieveError::NotFound { what: "cluster", .. } => {
                AppError::new(ErrorKind::NotFound, message).hint("`backstory clusters` lists them.")
            }
            RetrieveError::NotFound { what: "open loop", .. } => AppError::new(ErrorKind::NotFound, message)
                .hint("`backstory loops --all-projects --closed` lists them with their ids."),
            RetrieveError::NotFound { what: "retrieval", .. } => AppError::new(ErrorKind::NotFound, message)
                .hint("`backstory why \"QUESTION\"` prints the id of its answer in the last line."),
            RetrieveError::NotFound { what: "chunk", .. } => AppError::new(ErrorKind::NotFound, message)
                .hint("Ids are in brackets after each item; --json prints them in full."),
            RetrieveError::NotFound { what: "card", .. } => AppError::new(ErrorKind::NotFound, message)
                .hint("`backstory cards --all --all-projects` lists them with their ids."),
            RetrieveError::NotFound { what: "agent", .. } => AppError::new(ErrorKind::NotFound, message)
                .hint("`backstory sessions` lists the agents of each session."),
            RetrieveError::NotFound { .. } => AppError::new(ErrorKind::NotFound, message)
                .hint("`backstory sessions --all-projects` lists all sessions."),
            RetrieveError::Ambiguous { what: "cluster", .. } => {
                AppError::new(ErrorKind::Usage, message).hint("Give its number, or more words of its label.")
            }
            RetrieveError::Ambiguous { .. } => AppError::new(ErrorKind::Usage, message).hint("Give more of the id."),
        }
    }
}
