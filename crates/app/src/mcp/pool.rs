//! Threads that keep the memory open. The engine is synchronous, and a model belongs to its thread, so each has its own
//! context.

use std::path::PathBuf;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use backstory_engine::Memory;
use backstory_engine::derive::index::NAME as INDEX;
use backstory_engine::model::Surface;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::ask_context::{AskContext, Watch, nobody_watches};
use crate::error::{AppError, ErrorKind};
use crate::{disk_space, home, terminal};

/// At most this many calls run at once; others wait.
const MOST: usize = 4;

/// The file's identity on disk: another file in its place is another memory.
type Identity = Vec<Option<(u64, u64)>>;

pub struct Pool {
    /// The most recently used worker is first: its memory is warm.
    idle: Arc<Mutex<Vec<Worker>>>,
    permits: Arc<Semaphore>,
    seen: Arc<Mutex<Seen>>,
}

/// The known progress of the views. Asking whether something must be folded costs more than most questions.
#[derive(Clone, Copy, Default)]
struct Seen {
    /// The end of the log; entries between the cursor and here only record what we have shown.
    head: u64,
    /// The cursor of the views.
    cursor: u64,
}

struct Worker {
    jobs: Sender<Job>,
}

type Job = Box<dyn FnOnce(&mut AskContext) + Send>;

/// The options of a call.
pub struct CallOptions {
    pub folder: PathBuf,
    pub watch: Watch,
    /// May it be repeated?
    pub again: bool,
}

impl Default for Pool {
    fn default() -> Self {
        Pool { idle: Arc::default(), permits: Arc::new(Semaphore::new(MOST)), seen: Arc::default() }
    }
}

impl Pool {
    /// Runs `work` on a context whose memory is open and refreshed. If the caller stops waiting, the answer is dropped
    /// and the context is free again.
    pub async fn run<T: Send + 'static>(
        &self,
        call: CallOptions,
        work: impl Fn(&mut AskContext) -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        let stopped = || AppError::new(ErrorKind::Failed, "the server was stopped while it answered");
        let permit = self.permits.clone().acquire_owned().await.map_err(|_| stopped())?;
        let (answer, answered) = oneshot::channel();
        let seen = self.seen.clone();
        let job: Job = Box::new(move |context| {
            context.folder = call.folder;
            context.watch = call.watch;
            let mut done = catch_up(context, &seen).and_then(|()| work(context));
            if call.again && done.as_ref().is_err_and(is_of_the_store) {
                // Another process may have recreated the memory.
                drop(context.take_memory());
                *locked(&seen) = Seen::default();
                done = catch_up(context, &seen).and_then(|()| work(context));
            }
            context.watch = nobody_watches();
            let _ = answer.send(done);
            if let Err(error) = note(context, &seen) {
                terminal::warn(format!("what was shown could not be noted: {}", error.message));
            }
            // On a full disk, the process with the open memory has it exclusively.
            if context.memory_if_open().is_some_and(|memory| memory.is_read_only()) {
                drop(context.take_memory());
            }
        });
        self.give(job, permit)?;
        answered.await.map_err(|_| {
            AppError::new(ErrorKind::Failed, "the answer was lost: a fault in Backstory")
                .hint("Ask again; the server goes on. Its standard error says what happened.")
        })?
    }

    /// Waits until no call runs, up to the timeout.
    pub async fn settle(&self, timeout: Duration) {
        let all = self.permits.acquire_many(MOST as u32);
        let _ = tokio::time::timeout(timeout, all).await;
    }

    fn give(&self, job: Job, permit: OwnedSemaphorePermit) -> Result<(), AppError> {
        let idle = locked(&self.idle).pop();
        let worker = match idle {
            Some(worker) => worker,
            None => start()?,
        };
        let (workers, back) = (self.idle.clone(), Worker { jobs: worker.jobs.clone() });
        let job: Job = Box::new(move |context| {
            // A panic removes the worker from the pool and frees its slot.
            job(context);
            locked(&workers).push(back);
            drop(permit);
        });
        worker.jobs.send(job).map_err(|_| AppError::new(ErrorKind::Failed, "a worker of the server is gone"))
    }
}

fn start() -> Result<Worker, AppError> {
    let (jobs, work) = channel::<Job>();
    let run = move || {
        let mut context = AskContext::at(PathBuf::new(), Some(Surface::Mcp));
        while let Ok(job) = work.recv() {
            job(&mut context);
        }
    };
    std::thread::Builder::new().name("backstory".to_owned()).spawn(run)?;
    Ok(Worker { jobs })
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens the memory if it is not open, or was replaced on disk, and folds new events.
fn catch_up(context: &mut AskContext, seen: &Mutex<Seen>) -> Result<(), AppError> {
    let now = identity()?;
    // It may have been opened as immutable, which is never read again.
    let is_read_only = context.memory_if_open().is_some_and(|memory| memory.is_read_only());
    if context.identity != now || is_read_only {
        drop(context.take_memory());
        *locked(seen) = Seen::default();
    }
    let mut memory = match context.take_memory() {
        Some(memory) => memory,
        None => home::open_silently()?,
    };
    let known = *locked(seen);
    let is_new = memory.log().store().head()?.pos != known.head || cursor(&memory)? < known.cursor;
    let watch = &mut context.watch;
    if is_new || known.head == 0 {
        match memory.refresh(&mut |events| watch("reading what is new", events, 0)) {
            // The existing data can still be used.
            Err(_) if disk_space::shortage().is_some() => context.notice(home::cannot_be_written()),
            Err(error) => return Err(error.into()),
            Ok(None) => {}
            Ok(Some(_)) => {
                let cursor = cursor(&memory)?;
                *locked(seen) = Seen { head: cursor, cursor };
            }
        }
    }
    let repaired = home::check_daily(&mut memory)?;
    for notice in home::memory_notices(&memory).into_iter().chain(repaired) {
        context.notice(notice);
    }
    context.put_back(memory);
    // Includes files created while opening.
    context.identity = identity()?;
    Ok(())
}

/// The progress of all views.
fn cursor(memory: &Memory) -> Result<u64, AppError> {
    let last = memory.views().read().stage(INDEX)?;
    Ok(last.map_or(0, |stage| stage.cursor))
}

/// Records what was shown. That changes no answer, so it is folded later.
fn note(context: &mut AskContext, seen: &Mutex<Seen>) -> Result<(), AppError> {
    let Some(before) = context.memory_if_open().map(|memory| memory.log().store().head()).transpose()? else {
        return Ok(());
    };
    let noted = context.note_what_was_shown()?;
    let after = context.memory()?.log().store().head()?.pos;
    let mut seen = locked(seen);
    if noted > 0 && seen.head == before.pos && after == before.pos + noted {
        seen.head = after;
    }
    Ok(())
}

fn identity() -> Result<Identity, AppError> {
    let home = home::memory_home()?;
    let files = [home.join("log.sqlite"), home.join("views").join("memory.sqlite")];
    Ok(files.iter().map(|file| std::fs::metadata(file).ok().map(|found| place(&found))).collect())
}

#[cfg(unix)]
fn place(found: &std::fs::Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (found.dev(), found.ino())
}

#[cfg(not(unix))]
fn place(_: &std::fs::Metadata) -> (u64, u64) {
    (0, 0)
}

/// Is the store at fault, and not the question?
fn is_of_the_store(error: &AppError) -> bool {
    matches!(error.kind, ErrorKind::Corrupt | ErrorKind::Failed)
}
