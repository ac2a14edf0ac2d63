//! The memory of one home folder: the log and its views, kept up to date.

mod forget;
mod rebuild;
mod soundness;

pub use forget::ForgetStep;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use backstory_language::embed::{EmbedError, Embedder, StaticTable};

use crate::derive::clusters::{self, ClusteringStep, ClustersMade};
use crate::derive::index::{Pending, PendingError, embed_pending};
use crate::derive::{self, CaughtUp, Refreshed, STAGES, SliceLimit, Stage, Vectors};
use crate::ingest::{FileTask, IngestError, IngestReport, Ingester, Projects, ReadOptions};
use crate::log::{EvidenceError, Fault, Log, LogError, Verified};
use crate::model::{EventKind, Problem, UNVERIFIED};
use crate::retrieve::RetrieveError;
use crate::store::{CardFilter, Cursor, DeriveLock, Memo, StoreError, UnfinishedForget, ViewStore, remove_database};

pub use soundness::Flaws;

#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    #[error(transparent)]
    Log(#[from] LogError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Ingest(#[from] IngestError),
    #[error(transparent)]
    Embed(#[from] EmbedError),
    #[error(transparent)]
    Retrieve(#[from] RetrieveError),
}

impl From<PendingError> for MemoryError {
    fn from(error: PendingError) -> Self {
        match error {
            PendingError::Embed(error) => error.into(),
            PendingError::Store(error) => error.into(),
        }
    }
}

/// Commands that write checkpoint longer write-ahead logs: a process that opens the file alone
/// reads the whole log.
const WAL_LIMIT: u64 = 2 << 20;
/// Every writer, hooks included, checkpoints longer write-ahead logs.
const WAL_HARD_LIMIT: u64 = 8 << 20;

const TRUNCATED: &str =
    "the end of log.sqlite is missing: what is left is only read; `backstory doctor` says what to do";

/// The cursors of up to this many files are read one by one.
const FEW_FILES: usize = 100;

pub struct Memory {
    home: PathBuf,
    log: Log,
    views: ViewStore,
    notice: Option<String>,
    /// The views were made from a longer log.
    is_shortened: bool,
    vectors: Vectors,
    /// There were clusters; they are recomputed with the vectors.
    owes_clusters: bool,
    archive_password: Option<String>,
}

/// Which process makes the missing vectors?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Embedded {
    Done,
    /// Another process does it.
    ByAnother,
}

/// A file of the home with its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HomeFile {
    pub name: &'static str,
    pub bytes: u64,
}

impl Memory {
    /// Opens the memory in `home` and creates what is missing. Views that cannot be opened are
    /// removed and rebuilt from the log. A read-only home is opened for reading.
    pub fn open(home: &Path) -> Result<Self, MemoryError> {
        let log = Log::open(&home.join("log.sqlite"))?;
        let path = views_path(home);
        let mut notice = log.store.is_truncated().then(|| TRUNCATED.to_owned());
        let views = match ViewStore::open(&path) {
            Ok(views) => views,
            Err(error @ (StoreError::Corrupt { .. } | StoreError::Older { .. })) if !log.store.is_read_only() => {
                if let StoreError::Corrupt { detail, .. } = error {
                    notice = Some(format!("the views were damaged ({detail}) and are rebuilt from the log"));
                }
                let _lock = DeriveLock::take(&lock_path(home))?;
                open_or_remove(&path)?
            }
            Err(error) => return Err(error.into()),
        };
        let mut memory = Memory {
            home: home.to_owned(),
            log,
            views,
            notice,
            is_shortened: false,
            vectors: Vectors::Shipped,
            owes_clusters: false,
            archive_password: None,
        };
        memory.finish_forgetting()?;
        if !derive::follow_log(&mut memory.log, &memory.views)? {
            let why = not_of_this_log(path, &mut memory.log, &memory.views)?;
            if memory.is_read_only() {
                return Err(why.into());
            }
            if let StoreError::Shortened { .. } = why {
                memory.notice = Some(why.to_string());
                memory.is_shortened = true;
            }
            let _lock = DeriveLock::take(&lock_path(home))?;
            // Another process may have done it meanwhile.
            if !derive::follow_log(&mut memory.log, &memory.views)? {
                memory.rebuild_views(None, &mut |_| {})?;
            }
        }
        Ok(memory)
    }

    /// Opens the memory of this log without any rebuild, for callers that must not wait. Waits
    /// at most `timeout` for a lock.
    pub fn open_fast(home: &Path, mut log: Log, timeout: Duration) -> Result<Self, MemoryError> {
        if UnfinishedForget::is_in(home) {
            return Err(StoreError::Unforgotten("it is under way, or was cut off".to_owned()).into());
        }
        let path = views_path(home);
        let views = ViewStore::open_within(&path, timeout)?;
        if !derive::follow_log(&mut log, &views)? {
            return Err(not_of_this_log(path, &mut log, &views)?.into());
        }
        let home = home.to_owned();
        let (notice, is_shortened, vectors) = (None, false, Vectors::Shipped);
        Ok(Memory { home, log, views, notice, is_shortened, vectors, owes_clusters: false, archive_password: None })
    }

    /// Is it read-only? Then nothing is ingested, derived or recorded.
    pub fn is_read_only(&self) -> bool {
        self.log.store.is_read_only() || self.views.is_read_only()
    }

    /// A message about opening the memory, in one line.
    pub fn notice(&self) -> Option<&str> {
        self.notice.as_deref()
    }

    /// Chooses the model for vectors; the default is the built-in table.
    pub fn set_vectors(&mut self, vectors: Vectors) {
        self.vectors = vectors;
    }

    /// Sets the password of encrypted archives.
    pub fn set_archive_password(&mut self, password: Option<String>) {
        self.archive_password = password;
    }

    pub fn home(&self) -> &Path {
        &self.home
    }

    pub fn log(&mut self) -> &mut Log {
        &mut self.log
    }

    pub fn views(&self) -> &ViewStore {
        &self.views
    }

    /// Both halves at once, for verbs that read both.
    pub fn parts(&mut self) -> (&mut Log, &ViewStore) {
        (&mut self.log, &self.views)
    }

    /// The projects that the log knows.
    pub fn projects(&mut self) -> Result<Projects, MemoryError> {
        Ok(Projects::of_log(&mut self.log)?)
    }

    /// Ingests what is new in these files. Calls `progress` after each file.
    pub fn ingest(
        &mut self,
        tasks: &[FileTask],
        problems: Vec<Problem>,
        progress: &mut dyn FnMut(&FileTask, &IngestReport),
    ) -> Result<IngestReport, MemoryError> {
        let password = self.archive_password.as_deref();
        let options = ReadOptions { password, ..ReadOptions::default() };
        let report = ingest_with(&mut self.log, tasks, problems, options, progress)?;
        self.log.store().checkpoint_wal_if_over(WAL_LIMIT);
        Ok(report)
    }

    /// Catches the views up with the log. Returns `None` at once if another process is doing it,
    /// or if nothing can be written.
    pub fn refresh(&mut self, progress: &mut dyn FnMut(u64)) -> Result<Option<Refreshed>, MemoryError> {
        let Some(_lock) = self.derive_lock()? else {
            return Ok(None);
        };
        self.finish_under_lock()?;
        let clustered = self.has_clusters();
        let refreshed = match derive::knows_aliases(&mut self.log, &self.views)? {
            true => derive::refresh(&mut self.log, &mut self.views, self.vectors, progress)?,
            // Everything changes. The new views are built beside the old ones, so that readers
            // see one or the other.
            false => Refreshed { rebuilt: true, ..self.rebuild_views(None, progress)? },
        };
        self.fill_in_shipped()?;
        if refreshed.rebuilt {
            self.restore_clusters(clustered)?;
        }
        self.checkpoint_wals_if_over();
        Ok(Some(refreshed))
    }

    /// Catches up while `go_on` returns true; `None` if another process is doing it. Vectors of
    /// a slow model are made later.
    pub fn refresh_while(&mut self, go_on: &dyn Fn() -> bool) -> Result<Option<CaughtUp>, MemoryError> {
        let Some(_lock) = self.derive_lock()? else {
            return Ok(None);
        };
        let caught = derive::refresh_while(&mut self.log, &mut self.views, self.vectors, SliceLimit::SHORT, go_on)?;
        if go_on() {
            self.checkpoint_wals_if_over();
        }
        Ok(Some(caught))
    }

    /// Only under the derive lock: otherwise rows could name index files that are not on the
    /// disk yet.
    fn checkpoint_wals_if_over(&mut self) {
        self.log.store().checkpoint_wal_if_over(WAL_LIMIT);
        self.views.checkpoint_wal_if_over(WAL_LIMIT);
    }

    /// For callers that append to the log and must not wait: usually does nothing.
    pub fn checkpoint_log_if_long(&mut self) {
        self.log.store().checkpoint_wal_if_over(WAL_HARD_LIMIT);
    }

    /// None if another process holds it, or if nothing can be written.
    fn derive_lock(&self) -> Result<Option<DeriveLock>, StoreError> {
        if self.is_read_only() {
            return Ok(None);
        }
        match DeriveLock::try_take(&lock_path(&self.home)) {
            Err(StoreError::ReadOnly) => Ok(None),
            taken => taken,
        }
    }

    /// Are there events that the views lack? Exposures do not count.
    pub fn is_behind(&mut self) -> Result<bool, MemoryError> {
        let cursor = derive::cursor(&self.views)?;
        Ok(self.log.store().has_other_than(EventKind::Exposure, cursor)?)
    }

    /// Makes the vectors of passages that were indexed while another model was in use.
    fn fill_in_shipped(&mut self) -> Result<(), MemoryError> {
        if self.vectors == Vectors::Shipped {
            let mut table = StaticTable::shipped();
            if self.views.read().waiting_for_vectors(table.model())? > 0 {
                match embed_pending(&mut self.views, &mut table, &mut |_, _| {}) {
                    // Search reports it and answers by words.
                    Err(PendingError::Store(StoreError::Index(_))) => {}
                    done => done?,
                }
            }
        }
        Ok(())
    }

    /// Passages that have no vector of `model` yet.
    pub fn waiting_for_vectors(&self, model: &str) -> Result<u64, MemoryError> {
        Ok(self.views.read().waiting_for_vectors(model)?.into())
    }

    /// Makes the missing vectors of a slow model. Calls `progress` with the number of passages
    /// done and the total. Finished vectors are kept if this fails or is killed.
    pub fn embed_pending(
        &mut self,
        embedder: &mut dyn Embedder,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<Embedded, MemoryError> {
        let Some(_only_one) = DeriveLock::try_take(&self.home.join("embed.lock"))? else {
            return Ok(Embedded::ByAnother);
        };
        let lock = || DeriveLock::take(&lock_path(&self.home)).map(Some);
        let mut memo = {
            // Wait for a running forget.
            let _lock = lock()?;
            Memo::open(&memo_path(&self.home))?
        };
        Pending { views: &mut self.views, memo: Some(&mut memo), lock: &lock }.embed(embedder, progress)?;
        memo.checkpoint_wal()?;
        if std::mem::take(&mut self.owes_clusters) {
            self.make_clusters(embedder.model(), &mut |_| {})?;
        }
        Ok(Embedded::Done)
    }

    /// Rebuilds a stage and the later ones; without a stage, all.
    pub fn rebuild(&mut self, stage: Option<Stage>, progress: &mut dyn FnMut(u64)) -> Result<Refreshed, MemoryError> {
        let _lock = DeriveLock::take(&lock_path(&self.home))?;
        self.finish_under_lock()?;
        let clustered = self.has_clusters();
        let refreshed = self.rebuild_views(stage, progress)?;
        self.restore_clusters(clustered)?;
        self.views.checkpoint_wal()?;
        Ok(refreshed)
    }

    /// Views too damaged to be read have none.
    fn has_clusters(&self) -> bool {
        matches!(self.views.read().cluster_state(), Ok(Some(_)))
    }

    fn restore_clusters(&mut self, wanted: bool) -> Result<(), MemoryError> {
        match self.vectors {
            Vectors::Shipped if wanted => {
                clusters::run(&mut self.views, StaticTable::shipped().model(), &mut |_| {})?;
            }
            Vectors::Shipped => {}
            Vectors::Later => self.owes_clusters = wanted,
        }
        Ok(())
    }

    /// Recomputes the clusters of all chunks with the vectors of `model`. Takes seconds: too
    /// long for a hook.
    pub fn make_clusters(
        &mut self,
        model: &str,
        progress: &mut dyn FnMut(ClusteringStep),
    ) -> Result<ClustersMade, MemoryError> {
        let _lock = DeriveLock::take(&lock_path(&self.home))?;
        let made = clusters::run(&mut self.views, model, progress)?;
        // Otherwise every query would read the rows again from the write-ahead log.
        self.views.checkpoint_wal()?;
        Ok(made)
    }

    /// Replaces the labels of clusters, until they are recomputed.
    pub fn label_clusters(&mut self, labels: &[(u32, String)]) -> Result<(), MemoryError> {
        let _lock = DeriveLock::take(&lock_path(&self.home))?;
        let mut tx = self.views.begin()?;
        tx.label_clusters(labels)?;
        Ok(tx.commit()?)
    }

    /// Checkpoints the write-ahead logs, unless others use them, and removes index files that
    /// nothing refers to. Returns the number of freed bytes.
    pub fn tidy(&mut self) -> Result<u64, MemoryError> {
        let _lock = DeriveLock::take(&lock_path(&self.home))?;
        let bytes =
            |memory: &Memory| memory.files().iter().map(|file| file.bytes).sum::<u64>() + memory.views.index_bytes();
        let before = bytes(self);
        self.remove_next()?;
        self.views.tidy_index()?;
        self.log.store().checkpoint_wal()?;
        self.views.checkpoint_wal()?;
        Ok(before.saturating_sub(bytes(self)))
    }

    /// Empties them in place if possible, so that readers are not disturbed.
    fn empty_views(&mut self) -> Result<(), MemoryError> {
        match derive::reset(&mut self.views, STAGES[0]) {
            Err(StoreError::Damaged(_) | StoreError::Sqlite(_)) => {
                remove_database(&views_path(&self.home))?;
                self.views = ViewStore::open(&views_path(&self.home))?;
                Ok(())
            }
            done => Ok(done?),
        }
    }

    /// Checks the log, then that every citation in the views still holds.
    pub fn verify(&mut self) -> Result<(Verified, Citations), MemoryError> {
        let mut verified = self.log.verify()?;
        if verified.fault.is_none() && self.is_shortened {
            verified.fault = self.notice.clone().map(|reason| Fault { pos: None, reason });
        }
        let mut citations = Citations::default();
        if verified.fault.is_none() {
            self.verify_citations(&mut citations)?;
        }
        Ok((verified, citations))
    }

    fn verify_citations(&mut self, citations: &mut Citations) -> Result<(), MemoryError> {
        let log = &mut self.log;
        let mut failed = None;
        self.views.read().scan_chunks(|chunk, body| {
            for part in &body.parts {
                citations.checked += 1;
                match log.resolve(&part.evidence()) {
                    Ok(_) => {}
                    // The row itself is reported.
                    Err(EvidenceError::Unreadable { .. }) => {}
                    Err(EvidenceError::Store(error)) => failed = Some(error),
                    Err(error) => citations.fault = Some(format!("chunk {}: {error}", chunk.id)),
                }
            }
            citations.fault.is_none() && failed.is_none()
        })?;
        if let Some(error) = failed {
            return Err(error.into());
        }
        if citations.fault.is_some() {
            return Ok(());
        }
        self.verify_cards(citations)?;
        for (num, _) in self.log.store().episodes()? {
            for row in self.views.read().links_of(num)? {
                for evidence in std::iter::once(row.intent).chain(row.consequence) {
                    citations.checked += 1;
                    match self.log.resolve(&evidence) {
                        Ok(_) => {}
                        Err(EvidenceError::Unreadable { .. }) => {}
                        Err(EvidenceError::Store(error)) => return Err(error.into()),
                        Err(error) => citations.fault = Some(format!("link {}: {error}", row.link.id)),
                    }
                }
            }
        }
        Ok(())
    }

    /// An imported card may rest on words in another log; it is marked.
    fn verify_cards(&mut self, citations: &mut Citations) -> Result<(), MemoryError> {
        for row in self.views.read().cards(&CardFilter::default())? {
            let elsewhere = row.card.tags.iter().any(|tag| tag == UNVERIFIED);
            for evidence in &row.card.evidence {
                citations.checked += 1;
                match self.log.resolve(evidence) {
                    Ok(_) => {}
                    Err(EvidenceError::Unreadable { .. }) => {}
                    Err(EvidenceError::Store(error)) => return Err(error.into()),
                    Err(EvidenceError::NotFound(_)) if elsewhere => {}
                    Err(error) => citations.fault = Some(format!("card {}: {error}", row.card.id)),
                }
            }
        }
        Ok(())
    }

    pub fn files(&self) -> Vec<HomeFile> {
        // The newest data is in the write-ahead log.
        let size = |path: PathBuf| {
            let mut wal = path.clone().into_os_string();
            wal.push("-wal");
            let bytes = |path: &Path| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
            bytes(&path) + bytes(Path::new(&wal))
        };
        let mut files = vec![
            HomeFile { name: "log.sqlite", bytes: size(self.home.join("log.sqlite")) },
            HomeFile { name: "views/memory.sqlite", bytes: size(views_path(&self.home)) },
            HomeFile { name: "views/index", bytes: self.views.index_bytes() },
        ];
        let memo = memo_path(&self.home);
        if memo.exists() {
            files.push(HomeFile { name: "memo.sqlite", bytes: size(memo) });
        }
        files
    }
}

/// Ingests what is new in these files into a log, whose views may be damaged. When the time is
/// up, the rest waits for the next ingest.
pub fn ingest_into(log: &mut Log, tasks: &[FileTask], go_on: &dyn Fn() -> bool) -> Result<IngestReport, MemoryError> {
    let options = ReadOptions { password: None, go_on };
    let report = ingest_with(log, tasks, Vec::new(), options, &mut |_, _| {})?;
    log.store().checkpoint_wal_if_over(WAL_HARD_LIMIT);
    Ok(report)
}

fn ingest_with(
    log: &mut Log,
    tasks: &[FileTask],
    problems: Vec<Problem>,
    options: ReadOptions<'_>,
    progress: &mut dyn FnMut(&FileTask, &IngestReport),
) -> Result<IngestReport, MemoryError> {
    let mut report = IngestReport { problems, ..IngestReport::default() };
    let mut projects = Projects::of_log(log)?;
    let cursors = cursors_of(log, tasks)?;
    let mut ingester = Ingester { log, projects: &mut projects, options, report: &mut report };
    for task in tasks {
        ingester.file(task, cursors.get(&task.name()))?;
        progress(task, ingester.report);
    }
    Ok(report)
}

/// Reads single cursors for few files: a hook reads one session, and thousands may be known.
fn cursors_of(log: &mut Log, tasks: &[FileTask]) -> Result<HashMap<String, Cursor>, StoreError> {
    let cursors = match tasks.len() {
        ..=FEW_FILES => {
            let one = |task: &FileTask| log.store().cursor(&task.name()).transpose();
            tasks.iter().filter_map(one).collect::<Result<Vec<_>, _>>()?
        }
        _ => log.store().cursors()?,
    };
    Ok(cursors.into_iter().map(|cursor| (cursor.path.clone(), cursor)).collect())
}

/// How many citations were checked, and the first that does not hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Citations {
    pub checked: u64,
    pub fault: Option<String>,
}

/// Keeps views that another process has rebuilt meanwhile.
fn open_or_remove(path: &Path) -> Result<ViewStore, StoreError> {
    match ViewStore::open(path) {
        Err(StoreError::Corrupt { .. } | StoreError::Older { .. }) => {
            remove_database(path)?;
            ViewStore::open(path)
        }
        opened => opened,
    }
}

/// Why do the views not belong to the log?
fn not_of_this_log(file: PathBuf, log: &mut Log, views: &ViewStore) -> Result<StoreError, StoreError> {
    let head = log.store().head()?.pos;
    let folded = views.read().stage(STAGES[0].name)?.map_or(0, |stage| stage.cursor);
    Ok(match folded > head {
        true => StoreError::Shortened { head, folded },
        false => StoreError::Corrupt { file, detail: "made from another log".to_owned() },
    })
}

fn views_path(home: &Path) -> PathBuf {
    home.join("views").join("memory.sqlite")
}

fn memo_path(home: &Path) -> PathBuf {
    home.join("memo.sqlite")
}

fn lock_path(home: &Path) -> PathBuf {
    home.join("derive.lock")
}
