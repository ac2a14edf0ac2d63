//! How a database file is opened, and what can go wrong with it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use backstory_files as files;

/// Writers wait for each other's transactions. No transaction takes nearly as long
/// as this, so a user never sees a lock error.
pub const LOCK_TIMEOUT: Duration = Duration::from_secs(120);

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("{file}: written by a newer version of Backstory (format {found}, this one knows {known})")]
    Newer { file: PathBuf, found: i64, known: i64 },
    #[error("{file}: not a Backstory store, or damaged: {detail}")]
    Corrupt { file: PathBuf, detail: String },
    #[error("{file}: written by an older version of Backstory (format {found}, this one needs {known})")]
    Older { file: PathBuf, found: i64, known: i64 },
    #[error("{file}: cannot be opened: {source}")]
    Open { file: PathBuf, source: rusqlite::Error },
    #[error("{file}: another process is reading it")]
    InUse { file: PathBuf },
    #[error("{file}: {source}")]
    Io { file: PathBuf, source: std::io::Error },
    #[error("the store is busy: {0}")]
    Busy(rusqlite::Error),
    /// The views were made from a longer log, so events are missing.
    #[error("the log ends at row {head}, but the views were made from {folded} rows: its end is missing")]
    Shortened { head: u64, folded: u64 },
    /// A forget was interrupted and could not be finished, or is running.
    #[error("a forget is not finished, and what it removes may still be in the files of the memory: {0}")]
    Unforgotten(String),
    #[error("the memory may be read, but not written")]
    ReadOnly,
    #[error("there is no room to write: {0}")]
    Full(rusqlite::Error),
    #[error("a file of the memory is damaged: {0}")]
    Damaged(rusqlite::Error),
    #[error("storage: {0}")]
    Sqlite(rusqlite::Error),
    /// Words and vectors are in separate files.
    #[error("the search index is damaged: {0}")]
    Index(String),
    #[error("a stored payload cannot be read: {0}")]
    Payload(String),
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            _ if is_busy(&error) => StoreError::Busy(error),
            _ if is_damage(&error) => StoreError::Damaged(error),
            Some(ErrorCode::ReadOnly) => StoreError::ReadOnly,
            Some(ErrorCode::DiskFull) => StoreError::Full(error),
            _ => StoreError::Sqlite(error),
        }
    }
}

/// What a kind of file is: its stamp, its format number and its tables.
pub(super) struct Schema {
    pub application_id: i64,
    pub version: i64,
    pub sql: &'static str,
}

/// Opens or creates a database file. Refuses a file of another program or of a newer
/// format, and leaves it unchanged. A file without write permission is opened for
/// reading, and so is one on a full disk. Waits at most `timeout` for a lock.
pub(super) fn open(path: &Path, schema: &Schema, timeout: Duration) -> Result<Connection, StoreError> {
    let is_new = !path.exists();
    match open_to_write(path, schema, timeout) {
        Err(error) if !is_new && is_out_of_space(&error) => open_without_space(path, schema, timeout),
        opened => opened,
    }
}

fn open_to_write(path: &Path, schema: &Schema, timeout: Duration) -> Result<Connection, StoreError> {
    if let Some(folder) = path.parent() {
        files::create_dir(folder).map_err(|source| StoreError::Io { file: folder.to_owned(), source })?;
    }
    let is_new = !path.exists();
    let mut conn = Connection::open(path).map_err(|error| cannot_open(path, error))?;
    if is_new {
        make_private(path)?;
    }
    match configure(&conn, timeout) {
        Err(error) if cannot_create_side_files(&error) && is_wal_empty(path) => {
            conn = open_immutable(path).map_err(|error| cannot_open(path, error))?;
            configure(&conn, timeout)
        }
        configured => configured,
    }
    .map_err(|error| cannot_open(path, error))?;
    create_or_check(&conn, path, schema)?;
    Ok(conn)
}

/// Reading in WAL mode needs files beside the database. They cannot be created in a
/// read-only folder.
fn cannot_create_side_files(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
}

/// Did a write fail because the disk is full or the limit on file sizes is reached?
fn is_out_of_space(error: &StoreError) -> bool {
    use rusqlite::ffi::{
        SQLITE_FULL, SQLITE_IOERR_SHMMAP, SQLITE_IOERR_SHMOPEN, SQLITE_IOERR_SHMSIZE, SQLITE_IOERR_WRITE,
    };
    let source = match error {
        StoreError::Full(source) | StoreError::Sqlite(source) | StoreError::Open { source, .. } => source,
        _ => return false,
    };
    let code = source.sqlite_error().map(|error| error.extended_code);
    let lacking = [SQLITE_FULL, SQLITE_IOERR_SHMMAP, SQLITE_IOERR_SHMOPEN, SQLITE_IOERR_SHMSIZE, SQLITE_IOERR_WRITE];
    code.is_some_and(|code| lacking.contains(&code))
}

/// Opens for reading without a file that would have to grow: with exclusive locking,
/// SQLite keeps the index of the write-ahead log in memory.
fn open_without_space(path: &Path, schema: &Schema, timeout: Duration) -> Result<Connection, StoreError> {
    let connect = || {
        let conn = open_without_checkpoint(path, timeout)?;
        conn.execute_batch(
            "PRAGMA locking_mode = EXCLUSIVE; PRAGMA query_only = ON; PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY;",
        )?;
        Ok(conn)
    };
    let conn = connect().map_err(|error| cannot_open(path, error))?;
    create_or_check(&conn, path, schema)?;
    Ok(conn)
}

fn open_without_checkpoint(path: &Path, timeout: Duration) -> rusqlite::Result<Connection> {
    let conn = match is_wal_empty(path) {
        true => open_immutable(path)?,
        false => Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?,
    };
    conn.busy_timeout(timeout)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(conn)
}

/// Opens a file whose end is missing, to read the rest. Changes nothing.
pub(super) fn open_truncated(path: &Path, schema: &Schema, timeout: Duration) -> Result<Connection, StoreError> {
    let connect = || {
        let conn = open_without_checkpoint(path, timeout)?;
        // Otherwise SQLite refuses a file that is shorter than its header says.
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_WRITABLE_SCHEMA, true)?;
        conn.execute_batch("PRAGMA query_only = ON; PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY;")?;
        Ok(conn)
    };
    let conn = connect().map_err(|error| cannot_open(path, error))?;
    let stamp = |name: &str| conn.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0));
    let (id, version) = (stamp("application_id")?, stamp("user_version")?);
    match (id, version) == (schema.application_id, schema.version) {
        true => Ok(conn),
        false => {
            let detail = "it has no head that this version knows".to_owned();
            Err(StoreError::Corrupt { file: path.to_owned(), detail })
        }
    }
}

/// The first bytes of every SQLite file.
pub const SQLITE_MAGIC: &[u8] = b"SQLite format 3\0";

/// Suffixes of files with data that is not in the database file yet.
pub(super) const BESIDE: [&str; 2] = ["-wal", "-journal"];

/// These files of one database, whether they exist or not.
pub fn files_beside(path: &Path) -> impl Iterator<Item = PathBuf> {
    BESIDE.into_iter().map(move |suffix| beside(path, suffix))
}

pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.to_owned().into_os_string();
    name.push(suffix);
    PathBuf::from(name)
}

/// Is all data in the database file itself? Then it can be read without the files beside it.
pub(super) fn is_wal_empty(path: &Path) -> bool {
    files_beside(path).all(|file| std::fs::metadata(&file).map_or(0, |metadata| metadata.len()) == 0)
}

/// With `immutable`, SQLite assumes that nobody changes the file: it needs no lock, no
/// shared memory and no write-ahead log.
pub(super) fn open_immutable(path: &Path) -> rusqlite::Result<Connection> {
    let path = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let path = if path.starts_with('/') { path } else { format!("/{}", path.replace('\\', "/")) };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    Connection::open_with_flags(format!("file://{path}?immutable=1"), flags)
}

/// Does this connection forbid writing?
pub(super) fn is_read_only(conn: &Connection) -> bool {
    let is_query_only = || conn.query_row("PRAGMA query_only", [], |row| row.get(0)).unwrap_or(false);
    conn.is_readonly("main").unwrap_or(false) || is_query_only()
}

pub(super) fn open_in_memory(schema: &Schema) -> Result<Connection, StoreError> {
    let conn = Connection::open_in_memory()?;
    create_or_check(&conn, Path::new(":memory:"), schema)?;
    Ok(conn)
}

fn configure(conn: &Connection, timeout: Duration) -> rusqlite::Result<()> {
    conn.busy_timeout(timeout)?;
    conn.set_prepared_statement_cache_capacity(64);
    // Switching to WAL needs a lock and does not wait for it, so a store that is
    // in WAL mode already is left alone.
    let mode: String = conn.query_row("PRAGMA journal_mode", [], |row| row.get(0))?;
    if mode != "wal" && !is_read_only(conn) {
        retry_while_busy(|| conn.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())))?;
    }
    // A process that appends a few events must not pay for a checkpoint: `Memory`
    // decides who does. The number of pages only limits the write-ahead log of one
    // process that writes much.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    conn.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000; PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY;")
}

fn retry_while_busy(mut action: impl FnMut() -> rusqlite::Result<()>) -> rusqlite::Result<()> {
    for _ in 0..1000 {
        match action() {
            Err(error) if is_busy(&error) => {
                std::thread::sleep(Duration::from_millis(5));
            }
            done => return done,
        }
    }
    action()
}

fn is_busy(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

fn create_or_check(conn: &Connection, path: &Path, schema: &Schema) -> Result<(), StoreError> {
    let stamp = |name: &str| -> Result<i64, StoreError> {
        conn.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0)).map_err(|error| cannot_open(path, error))
    };
    if stamp("application_id")? == schema.application_id {
        let found = stamp("user_version")?;
        let (file, known) = (path.to_owned(), schema.version);
        return match found.cmp(&known) {
            std::cmp::Ordering::Greater => Err(StoreError::Newer { file, found, known }),
            std::cmp::Ordering::Less => Err(StoreError::Older { file, found, known }),
            std::cmp::Ordering::Equal => Ok(()),
        };
    }
    create(conn, path, schema)
}

/// Two processes may create the store at once: the transaction lets one of
/// them do it and the other see that it is done.
fn create(conn: &Connection, path: &Path, schema: &Schema) -> Result<(), StoreError> {
    conn.execute_batch("BEGIN IMMEDIATE")?;
    let made = (|| {
        let id: i64 = conn.query_row("PRAGMA application_id", [], |row| row.get(0))?;
        if id == schema.application_id {
            return Ok(());
        }
        let tables: i64 = conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        if id != 0 || tables != 0 {
            let detail = "it holds tables of another program".to_owned();
            return Err(StoreError::Corrupt { file: path.to_owned(), detail });
        }
        conn.execute_batch(schema.sql)?;
        conn.execute_batch(&format!(
            "PRAGMA application_id = {}; PRAGMA user_version = {};",
            schema.application_id, schema.version
        ))?;
        Ok(())
    })();
    conn.execute_batch(if made.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
    made
}

/// Only its owner may read it, also in a folder that was there before.
fn make_private(path: &Path) -> Result<(), StoreError> {
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(path, mode).map_err(|source| StoreError::Io { file: path.to_owned(), source })?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Distinguishes damage from what only prevents opening the file now.
fn cannot_open(path: &Path, error: rusqlite::Error) -> StoreError {
    let file = path.to_owned();
    if is_damage(&error) {
        return StoreError::Corrupt { file, detail: error.to_string() };
    }
    // SQLite does not say why.
    match std::fs::File::open(path) {
        Err(source) if source.kind() == std::io::ErrorKind::PermissionDenied => StoreError::Io { file, source },
        _ => StoreError::Open { file, source: error },
    }
}

/// Removes a database that can be recreated, with the files beside it.
pub fn remove_database(path: &Path) -> Result<(), StoreError> {
    for suffix in ["", "-wal", "-shm", "-sums"] {
        let file = beside(path, suffix);
        match std::fs::remove_file(&file) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(source) => return Err(StoreError::Io { file, source }),
        }
    }
    Ok(())
}

/// The first fault that SQLite's integrity check reports, if any.
pub(super) fn integrity(conn: &Connection) -> Result<Option<String>, StoreError> {
    match conn.query_row("PRAGMA integrity_check(1)", [], |row| row.get::<_, String>(0)) {
        // A heading names the database, which is known.
        Ok(answer) => {
            Ok(answer.lines().find(|line| !line.starts_with("***")).filter(|line| *line != "ok").map(Into::into))
        }
        Err(error) if is_damage(&error) => Ok(Some(error.to_string())),
        Err(error) => Err(error.into()),
    }
}

fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt))
}

/// Moves the write-ahead log into the database file and empties it. Does nothing while
/// another process uses it. After a checkpoint the file is complete, also as a copy.
/// Returns whether everything was moved.
pub(super) fn checkpoint_wal(conn: &Connection) -> Result<bool, StoreError> {
    without_waiting(conn, empty_wal)
}

/// The same if the write-ahead log is longer than `bytes`. A failure (a full disk) is
/// ignored: committed data is safe in the write-ahead log.
pub(super) fn checkpoint_wal_if_over(conn: &Connection, bytes: u64) {
    if is_wal_over(conn, bytes) {
        _ = checkpoint_and_begin_wal(conn);
    }
}

/// The same for a write-ahead log of any length.
pub(super) fn checkpoint_and_begin_wal(conn: &Connection) -> Result<bool, StoreError> {
    let is_moved = checkpoint_wal(conn)?;
    if is_moved {
        without_waiting(conn, |conn| begin_wal(conn).map(|()| true))?;
    }
    Ok(is_moved)
}

/// Runs `action` without waiting for locks. Returns false if another process holds one.
fn without_waiting(
    conn: &Connection,
    action: impl FnOnce(&Connection) -> rusqlite::Result<bool>,
) -> Result<bool, StoreError> {
    let timeout: u64 = conn.query_row("PRAGMA busy_timeout", [], |row| row.get(0))?;
    conn.busy_timeout(Duration::ZERO)?;
    let done = action(conn);
    conn.busy_timeout(Duration::from_millis(timeout))?;
    match done {
        Err(error) if is_busy(&error) => Ok(false),
        done => Ok(done?),
    }
}

/// Returns false if another process uses it.
fn empty_wal(conn: &Connection) -> rusqlite::Result<bool> {
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0)).map(|busy: bool| !busy)
}

/// The first commit after a checkpoint syncs the header of the write-ahead log. The next
/// writer may be a hook, so an empty commit does it here.
fn begin_wal(conn: &Connection) -> rusqlite::Result<()> {
    let version: i64 = conn.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    conn.execute_batch(&format!("PRAGMA user_version = {version}"))
}

/// Is the write-ahead log longer than `bytes`? Then it is time for a checkpoint.
///
/// A process that opens the file alone reads the whole write-ahead log, with checksums,
/// and does not know how much of it was moved already: SQLite would move all of it with
/// every commit and never restart it. So it is kept short, and emptied as a whole.
/// A database in memory has none.
pub(super) fn is_wal_over(conn: &Connection, bytes: u64) -> bool {
    let file = conn.path().filter(|path| !path.is_empty());
    file.and_then(|path| std::fs::metadata(format!("{path}-wal")).ok()).is_some_and(|wal| wal.len() > bytes)
}

/// Moves the write-ahead log into the database file and empties it. Fails while another
/// process reads.
pub(super) fn checkpoint_wal_or_fail(conn: &Connection) -> Result<(), StoreError> {
    let busy: bool = conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    match busy {
        true => Err(StoreError::InUse { file: conn.path().map(PathBuf::from).unwrap_or_default() }),
        false => Ok(()),
    }
}

/// A blob of little-endian numbers.
pub(super) fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect()
}
