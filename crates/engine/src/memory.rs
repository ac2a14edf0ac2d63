//! The memory of one home folder: the log, its views, and how they keep up.

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

/// Write-ahead logs that are longer are emptied by those who write and have the time:
/// every process that is alone reads them from their beginning.
const SHORT_WAL: u64 = 2 << 20;
/// And by everybody who writes when they are longer than this.
const LONG_WAL: u64 = 8 << 20;

const TORN: &str = "the end of log.sqlite is missing: what is left is only read; `backstory doctor` says what to do";

/// The cursors of so few files are asked for one by one.
const FEW_FILES: usize = 100;

pub struct Memory {
    home: PathBuf,
    log: Log,
    views: ViewStore,
    notice: Option<String>,
    /// The views were made from a longer log.
    is_shortened: bool,
    vectors: Vectors,
    /// There were clusters; they are made again when the vectors are.
    owes_clusters: bool,
    archive_password: Option<String>,
}

/// Who has made the vectors that were missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Embedded {
    Done,
    /// Another process is at it.
    ByAnother,
}

/// Where one file of the home lies and how large it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HomeFile {
    pub name: &'static str,
    pub bytes: u64,
}

impl Memory {
    /// Opens the memory in `home`, creating what is missing. Views that cannot
    /// be opened are thrown away: the log can always make them again. A home that
    /// may not be written is opened for reading.
    pub fn open(home: &Path) -> Result<Self, MemoryError> {
        let log = Log::open(&home.join("log.sqlite"))?;
        let path = views_path(home);
        let mut notice = log.store.is_torn().then(|| TORN.to_owned());
        let views = match ViewStore::open(&path) {
            Ok(views) => views,
            Err(error @ (StoreError::Corrupt { .. } | StoreError::Older { .. })) if !log.store.is_read_only() => {
                if let StoreError::Corrupt { detail, .. } = error {
                    notice = Some(format!("the views were damaged ({detail}) and are made anew from the log"));
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
            // Somebody may have been faster.
            if !derive::follow_log(&mut memory.log, &memory.views)? {
                memory.derive_anew(None, &mut |_| {})?;
            }
        }
        Ok(memory)
    }

    /// The memory of this log as it lies there, for those who must not wait: nothing
    /// is made anew, and whoever holds a file is waited for `timeout` only.
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

    /// May it only be read? Then nothing new is read into it, derived or noted.
    pub fn is_read_only(&self) -> bool {
        self.log.store.is_read_only() || self.views.is_read_only()
    }

    /// What whoever opened the memory should be told, in one line.
    pub fn notice(&self) -> Option<&str> {
        self.notice.as_deref()
    }

    /// Who makes the vectors: the table that ships, unless this says otherwise.
    pub fn set_vectors(&mut self, vectors: Vectors) {
        self.vectors = vectors;
    }

    /// What opens encrypted archives.
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

    /// Projects, with those the log knows already.
    pub fn projects(&mut self) -> Result<Projects, MemoryError> {
        Ok(Projects::of_log(&mut self.log)?)
    }

    /// Reads what is new in these files. `progress` hears of each file when it
    /// is done.
    pub fn ingest(
        &mut self,
        tasks: &[FileTask],
        problems: Vec<Problem>,
        progress: &mut dyn FnMut(&FileTask, &IngestReport),
    ) -> Result<IngestReport, MemoryError> {
        let password = self.archive_password.as_deref();
        let options = ReadOptions { password, ..ReadOptions::default() };
        let report = ingest_with(&mut self.log, tasks, problems, options, progress)?;
        self.log.store().settle_beyond(SHORT_WAL);
        Ok(report)
    }

    /// Catches the views up with the log. When another process is at it, that
    /// process does the work and this returns at once with `None`; so it does
    /// where nothing can be written.
    pub fn refresh(&mut self, progress: &mut dyn FnMut(u64)) -> Result<Option<Refreshed>, MemoryError> {
        let Some(_lock) = self.derive_lock()? else {
            return Ok(None);
        };
        self.finish_under_lock()?;
        let clustered = self.has_clusters();
        let refreshed = match derive::knows_aliases(&mut self.log, &self.views)? {
            true => derive::refresh(&mut self.log, &mut self.views, self.vectors, progress)?,
            // Everything changes. Made beside the views that are there, so that whoever
            // reads sees those or the new ones.
            false => Refreshed { anew: true, ..self.derive_anew(None, progress)? },
        };
        self.fill_in_shipped()?;
        if refreshed.anew {
            self.restore_clusters(clustered)?;
        }
        self.keep_short();
        Ok(Some(refreshed))
    }

    /// Catches up as long as `go_on` says so; `None` when another process is at it.
    /// Passages of a slow model get their vectors later.
    pub fn refresh_while(&mut self, go_on: &dyn Fn() -> bool) -> Result<Option<CaughtUp>, MemoryError> {
        let Some(_lock) = self.derive_lock()? else {
            return Ok(None);
        };
        let caught = derive::refresh_while(&mut self.log, &mut self.views, self.vectors, SliceLimit::SHORT, go_on)?;
        if go_on() {
            self.keep_short();
        }
        Ok(Some(caught))
    }

    /// Under the derive lock, or rows could vouch for index files that are not on
    /// the disk yet.
    fn keep_short(&mut self) {
        self.log.store().settle_beyond(SHORT_WAL);
        self.views.settle_beyond(SHORT_WAL);
    }

    /// For those who add to the log and must not wait: mostly nothing.
    pub fn keep_log_from_growing(&mut self) {
        self.log.store().settle_beyond(LONG_WAL);
    }

    /// None: another process holds it, or nothing can be derived here.
    fn derive_lock(&self) -> Result<Option<DeriveLock>, StoreError> {
        if self.is_read_only() {
            return Ok(None);
        }
        match DeriveLock::try_take(&lock_path(&self.home)) {
            Err(StoreError::ReadOnly) => Ok(None),
            taken => taken,
        }
    }

    /// Has something happened that the views do not know of? That a card was shown
    /// is no such thing.
    pub fn is_behind(&mut self) -> Result<bool, MemoryError> {
        let cursor = derive::cursor(&self.views)?;
        Ok(self.log.store().has_other_than(EventKind::Exposure, cursor)?)
    }

    /// Passages that were indexed while another model was in use.
    fn fill_in_shipped(&mut self) -> Result<(), MemoryError> {
        if self.vectors == Vectors::Shipped {
            let mut table = StaticTable::shipped();
            if self.views.read().waiting_for_vectors(table.model())? > 0 {
                match embed_pending(&mut self.views, &mut table, &mut |_, _| {}) {
                    // Whoever asks is told, and words answer.
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

    /// Makes the vectors that a slow model lacks. `progress` hears how many
    /// passages of how many have theirs. What was made is kept, also when this
    /// fails or is killed.
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
            // Whoever is forgetting must be done with it.
            let _lock = lock()?;
            Memo::open(&memo_path(&self.home))?
        };
        Pending { views: &mut self.views, memo: Some(&mut memo), lock: &lock }.embed(embedder, progress)?;
        memo.settle()?;
        if std::mem::take(&mut self.owes_clusters) {
            self.make_clusters(embedder.model(), &mut |_| {})?;
        }
        Ok(Embedded::Done)
    }

    /// Makes a stage and those after it anew; all of them when none is named.
    pub fn rebuild(&mut self, stage: Option<Stage>, progress: &mut dyn FnMut(u64)) -> Result<Refreshed, MemoryError> {
        let _lock = DeriveLock::take(&lock_path(&self.home))?;
        self.finish_under_lock()?;
        let clustered = self.has_clusters();
        let refreshed = self.derive_anew(stage, progress)?;
        self.restore_clusters(clustered)?;
        self.views.settle()?;
        Ok(refreshed)
    }

    /// Views too damaged to say have none.
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

    /// Makes the clusters of all chunks anew, with the vectors of `model`. Takes
    /// seconds: nothing for a hook.
    pub fn make_clusters(
        &mut self,
        model: &str,
        progress: &mut dyn FnMut(ClusteringStep),
    ) -> Result<ClustersMade, MemoryError> {
        let _lock = DeriveLock::take(&lock_path(&self.home))?;
        let made = clusters::run(&mut self.views, model, progress)?;
        // Or every question would read what was written here a second time.
        self.views.settle()?;
        Ok(made)
    }

    /// Gives clusters other names, until they are made anew.
    pub fn label_clusters(&mut self, labels: &[(u32, String)]) -> Result<(), MemoryError> {
        let _lock = DeriveLock::take(&lock_path(&self.home))?;
        let mut tx = self.views.begin()?;
        tx.label_clusters(labels)?;
        Ok(tx.commit()?)
    }

    /// Empties the write-ahead logs, unless others use them, and removes index
    /// files that nothing refers to. Returns how many bytes that has freed.
    pub fn tidy(&mut self) -> Result<u64, MemoryError> {
        let _lock = DeriveLock::take(&lock_path(&self.home))?;
        let bytes =
            |memory: &Memory| memory.files().iter().map(|file| file.bytes).sum::<u64>() + memory.views.index_bytes();
        let before = bytes(self);
        self.remove_next()?;
        self.views.tidy_index()?;
        self.log.store().settle()?;
        self.views.settle()?;
        Ok(before.saturating_sub(bytes(self)))
    }

    /// In place where that is possible, so that nobody who reads is disturbed.
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
                    // The row is told of itself.
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

    /// An imported card may rest on words that are in another log, and says so.
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
        // What was written last lies in the write-ahead log.
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

/// Reads what is new in these files into a log. Its views may be damaged.
/// When the time runs out, the rest is read the next time.
pub fn ingest_into(log: &mut Log, tasks: &[FileTask], go_on: &dyn Fn() -> bool) -> Result<IngestReport, MemoryError> {
    let options = ReadOptions { password: None, go_on };
    let report = ingest_with(log, tasks, Vec::new(), options, &mut |_, _| {})?;
    log.store().settle_beyond(LONG_WAL);
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

/// A hook reads one session, and thousands of files may be known.
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

/// Views that another process has made anew meanwhile are kept.
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
