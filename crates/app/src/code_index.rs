//! Finds, updates and opens the code index of a folder.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use backstory_cause::store::{
    Code, CodeStore, CodeStoreError, FileProblem, UpdateOptions, UpdateProgress, UpdateReport, UpdateStep,
};
use backstory_cause::tree::TreeEntity;
use backstory_code::ParseProblem as ProblemKind;
use backstory_engine::ingest::{is_bare, work_tree};
use backstory_files as files;
use tempfile::TempDir;

use crate::error::{AppError, ErrorKind};
use crate::progress::{self, Show};
use crate::{home, terminal};

/// A folder outside a repository with more files is not one project.
const MOST_OUTSIDE: usize = 5_000;

/// The file of an index that names its tree.
const ROOT: &str = "root";
const LONGEST_ROOT: u64 = 64 << 10;

/// A working tree whose index is as up to date as possible.
pub struct IndexedCode {
    pub root: PathBuf,
    pub code: Code,
    pub report: UpdateReport,
    read: Freshness,
    /// The folder of a temporary index. Dropped after the code.
    _place: Option<TempDir>,
}

/// How fresh is the code behind an answer?
enum Freshness {
    /// Up to date.
    Now,
    /// Up to date, but for this answer alone.
    ForOnce,
    Before,
}

/// The purpose of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// To be kept; the caller may limit the commits.
    Index { commits: Option<usize> },
    /// For an answer, which may use an old or temporary index.
    Answer,
}

impl IndexedCode {
    /// A note about the age of the answer's code.
    pub fn notice(&self) -> Option<&'static str> {
        match self.read {
            Freshness::Before => {
                Some("the code index cannot be written: the answer is from code that was read before, and may be old")
            }
            Freshness::ForOnce => Some("the code index cannot be written: the code was read for this answer alone"),
            Freshness::Now if self.report.busy => {
                Some("another process is reading this code; the answer is from what was read before")
            }
            Freshness::Now => None,
        }
    }
}

/// The root of a folder's tree: its repository, or the folder itself.
pub fn root_of(folder: &Path) -> Result<PathBuf, AppError> {
    let folder = folder.canonicalize().map_err(|error| {
        AppError::new(ErrorKind::NotFound, format!("{}: {error}", folder.display())).hint("Name a folder that exists.")
    })?;
    if !folder.is_dir() {
        return Err(AppError::new(ErrorKind::Usage, format!("{} is no folder", folder.display()))
            .hint("Name the folder of a repository, or stand in it."));
    }
    if is_bare(&folder) {
        return Err(AppError::new(ErrorKind::Usage, format!("{} is a repository without files", folder.display()))
            .hint("Clone it, and name the folder of the clone."));
    }
    let root = work_tree(&folder).and_then(|root| root.canonicalize().ok());
    Ok(root.unwrap_or(folder))
}

/// A stored index.
pub struct KeptIndex {
    /// The path of the tree, if the index names it.
    pub root: Option<String>,
    pub folder: PathBuf,
    pub bytes: u64,
}

/// The indexes of all trees, by name.
pub fn kept() -> Result<Vec<KeptIndex>, AppError> {
    let entries = std::fs::read_dir(indexes()?).into_iter().flatten().flatten();
    let mut kept: Vec<KeptIndex> = entries
        .filter(|entry| entry.path().is_dir())
        .map(|entry| {
            let files = std::fs::read_dir(entry.path()).into_iter().flatten().flatten();
            let bytes = files.filter_map(|file| file.metadata().ok()).map(|meta| meta.len()).sum();
            let root = files::read_text(&entry.path().join(ROOT), LONGEST_ROOT).ok();
            KeptIndex { root, folder: entry.path(), bytes }
        })
        .collect();
    kept.sort_by(|a, b| a.folder.cmp(&b.folder));
    Ok(kept)
}

fn indexes() -> Result<PathBuf, AppError> {
    Ok(home::memory_home()?.join("views").join("code"))
}

/// Updates and opens the index of the tree around a folder, with a progress bar on the terminal.
pub fn open(folder: &Path, wanted: Wanted, show: Show) -> Result<IndexedCode, AppError> {
    let bar = progress::steps(show);
    let opened = open_with(folder, wanted, &mut |what, done, total| {
        progress::say(&bar, what);
        bar.set_length(total);
        bar.set_position(done);
    });
    bar.finish_and_clear();
    opened
}

/// The same; `progress` receives the step, the amount done and the total.
pub fn open_with(
    folder: &Path,
    wanted: Wanted,
    progress: &mut dyn FnMut(&str, u64, u64),
) -> Result<IndexedCode, AppError> {
    let root = root_of(folder)?;
    refuse_everything(&root)?;
    let place = indexes()?.join(name_of(&root));
    let commits = if let Wanted::Index { commits } = wanted { commits } else { None };
    let report = match update(&root, &place, commits, progress) {
        Ok(report) => report,
        Err(error) if error.is_forbidden() && wanted == Wanted::Answer => match CodeStore::load_from(&place) {
            Some(code) => {
                return Ok(IndexedCode {
                    root,
                    code,
                    report: UpdateReport::default(),
                    read: Freshness::Before,
                    _place: None,
                });
            }
            None => return read_for_once(root, error, progress),
        },
        Err(error) => return Err(error.into()),
    };
    let code = CodeStore::load_from(&place).ok_or_else(|| unreadable(&place))?;
    Ok(IndexedCode { root, code, report, read: Freshness::Now, _place: None })
}

/// Nothing was read before and nothing can be stored. If there is no temporary folder either, the error says why
/// nothing is stored.
fn read_for_once(
    root: PathBuf,
    forbidden: CodeStoreError,
    progress: &mut dyn FnMut(&str, u64, u64),
) -> Result<IndexedCode, AppError> {
    let Ok(place) = tempfile::tempdir() else { return Err(forbidden.into()) };
    let report = update(&root, place.path(), None, progress)?;
    let code = CodeStore::load_from(place.path()).ok_or_else(|| unreadable(place.path()))?;
    Ok(IndexedCode { root, code, report, read: Freshness::ForOnce, _place: Some(place) })
}

fn unreadable(place: &Path) -> AppError {
    AppError::new(ErrorKind::Failed, format!("the code index in {} cannot be read", place.display()))
        .hint("Delete that folder: it is recreated.")
}

fn update(
    root: &Path,
    place: &Path,
    commits: Option<usize>,
    progress: &mut dyn FnMut(&str, u64, u64),
) -> Result<UpdateReport, CodeStoreError> {
    let mut store = CodeStore::open(place)?;
    let named = place.join(ROOT);
    if !named.exists() {
        files::write(&named, root.to_string_lossy().as_bytes())
            .map_err(|source| CodeStoreError::Io { path: named, source })?;
    }
    let most_files = if work_tree(root).is_some() { usize::MAX } else { MOST_OUTSIDE };
    let options = UpdateOptions { commits, most_files, now: SystemTime::now() };
    store.update(root, &options, &mut |at: UpdateProgress| {
        let what = match at.step {
            UpdateStep::Parsing => "reading code",
            UpdateStep::History => "reading history",
            UpdateStep::Resolving => "linking names",
        };
        progress(what, at.done as u64, at.total as u64);
    })
}

/// A whole machine is not a project.
fn refuse_everything(root: &Path) -> Result<(), AppError> {
    let is_everything = root.parent().is_none() || home::is_user_home(root);
    if is_everything {
        return Err(AppError::new(ErrorKind::Usage, format!("{} is not a project", root.display()))
            .hint("Go to the folder of a project, or name it: `backstory index-code PATH`."));
    }
    Ok(())
}

/// Includes a hash of the path, to distinguish trees with one name.
fn name_of(root: &Path) -> String {
    let hash = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex();
    let name: String = root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let plain: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c)).take(40).collect();
    format!("{plain}-{}", &hash[..16])
}

/// A call, seen from one of its ends.
pub struct Call<'a> {
    pub other: TreeEntity<'a>,
    /// In the caller's file.
    pub line: u32,
    pub unsure: bool,
    pub strength: f32,
}

/// The problem of a file, in words.
pub fn problem_text(problem: &FileProblem) -> String {
    match &problem.what {
        ProblemKind::Syntax { errors, first_line } => {
            format!(
                "{} of syntax, the first on line {first_line}; the rest was read",
                terminal::count(u64::from(*errors), "error")
            )
        }
        ProblemKind::NotUtf8 => "not all of it is UTF-8; those bytes were replaced".to_owned(),
        ProblemKind::Binary => "binary, skipped".to_owned(),
        ProblemKind::Huge => "larger than 1 MB, skipped".to_owned(),
        ProblemKind::Generated => "made by a tool, only its name is kept".to_owned(),
        ProblemKind::Minified => "its lines are too long to be written by hand, only its name is kept".to_owned(),
        ProblemKind::Unreadable => "cannot be opened, skipped".to_owned(),
        ProblemKind::NameNotUtf8 => "its name is not UTF-8, skipped".to_owned(),
    }
}

/// The tree around the current folder. A home folder is not a project.
pub fn project_root() -> Result<PathBuf, AppError> {
    let root = root_of(&home::current_folder()?)?;
    if root.parent().is_none() || home::is_user_home(&root) {
        return Err(AppError::new(ErrorKind::Usage, format!("{} is not a project", root.display()))
            .hint("Go to the folder of a project, or use --user."));
    }
    Ok(root)
}
