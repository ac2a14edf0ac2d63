//! A machine with repositories, and a log of sessions on it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use backstory_engine::ingest::{Projects, Recorded, SessionPlace};
use backstory_engine::log::{Batch, Bookkeeping, Log};
use backstory_engine::model::{
    EpisodeKey, EventDraft, EventKind, Meta, Project, ProjectId, SourceKind, Timestamp, digest_of,
};

use crate::desk::TestResult;

pub struct World {
    folder: tempfile::TempDir,
    pub log: Log,
    sessions: u64,
    commits: i64,
}

impl World {
    pub fn new() -> TestResult<Self> {
        let folder = tempfile::tempdir()?;
        let mut log = Log::open_in_memory()?;
        fs::create_dir(folder.path().join("home"))?;
        log.set_user_home(Some(folder.path().join("home")));
        Ok(World { folder, log, sessions: 0, commits: 0 })
    }

    pub fn path(&self, name: &str) -> PathBuf {
        fs::canonicalize(self.folder.path()).unwrap_or_default().join(name)
    }

    /// Adds a session in a folder of this machine to the log.
    pub fn session(&mut self, name: &str) -> TestResult<ProjectId> {
        let folder = self.path(name).to_string_lossy().into_owned();
        self.session_at(&SessionPlace { folder, ..SessionPlace::default() })
    }

    /// Adds a session in any folder, with its recorded facts.
    pub fn session_at(&mut self, place: &SessionPlace) -> TestResult<ProjectId> {
        let mut projects = Projects::of_log(&mut self.log)?;
        let project = projects.of_session(place);
        let asked = Projects::of_log(&mut self.log)?.of_session(place);
        assert_eq!(asked, project, "asking and reading agree");
        self.sessions += 1;
        let key = EpisodeKey::main(SourceKind::ClaudeCode, format!("s{}", self.sessions));
        let mut batch = Batch::default();
        batch.projects.push(project.clone());
        batch.sightings = projects.take_sightings();
        let slot = batch.episode(&key, project.id);
        let meta = Meta { cwd: Some(place.folder.clone()), ..Meta::default() };
        let time = Some(Timestamp(1_770_000_000_000 + self.sessions as i64));
        let text = format!("session {}", self.sessions);
        let key = digest_of("test", &[text.as_bytes()]);
        batch.push(slot, EventDraft { key, kind: EventKind::User, time, text, meta });
        self.log.append(batch, &Bookkeeping::default())?;
        let again = Projects::of_log(&mut self.log)?.of_session(place);
        assert_eq!(again.id, project.id, "what was stored is found again");
        Ok(project.id)
    }

    /// Adds a row as an earlier version wrote it: without sightings.
    pub fn known(&mut self, project: Project) -> TestResult<ProjectId> {
        let id = project.id;
        let mut batch = Batch::default();
        batch.projects.push(project);
        self.log.append(batch, &Bookkeeping::default())?;
        Ok(id)
    }

    pub fn plain(&self, name: &str) -> TestResult {
        Ok(fs::create_dir_all(self.path(name))?)
    }

    /// A repository with two unique commits.
    pub fn repo(&mut self, name: &str) -> TestResult<git2::Repository> {
        let repository = git2::Repository::init(self.path(name))?;
        self.commit(&repository, "first")?;
        self.commit(&repository, "second")?;
        Ok(repository)
    }

    pub fn repo_with_remote(&mut self, name: &str, url: &str) -> TestResult<git2::Repository> {
        let repository = self.repo(name)?;
        set_remote(&repository, url)?;
        Ok(repository)
    }

    pub fn commit(&mut self, repository: &git2::Repository, message: &str) -> TestResult<String> {
        self.commits += 1;
        let time = git2::Time::new(1_700_000_000 + self.commits, 0);
        let who = git2::Signature::new("Ada", "ada@example.com", &time)?;
        let tree = repository.find_tree(repository.index()?.write_tree()?)?;
        let parent = repository.head().ok().and_then(|head| head.peel_to_commit().ok());
        let parents: Vec<&git2::Commit<'_>> = parent.iter().collect();
        Ok(repository.commit(Some("HEAD"), &who, &who, message, &tree, &parents)?.to_string())
    }

    /// A copy as `cp -r` makes it; also a clone, once its remote is set.
    pub fn copy(&self, from: &str, to: &str) -> TestResult<git2::Repository> {
        copy_folder(&self.path(from), &self.path(to))?;
        Ok(git2::Repository::open(self.path(to))?)
    }

    pub fn clone_of(&self, from: &str, to: &str, url: &str) -> TestResult<git2::Repository> {
        let clone = self.copy(from, to)?;
        set_remote(&clone, url)?;
        Ok(clone)
    }

    /// Only the newest commit of another repository.
    pub fn shallow(&self, from: &str, to: &str, url: &str) -> TestResult {
        let whole = git2::Repository::open(self.path(from))?;
        let tip = whole.head()?.peel_to_commit()?.id();
        let shallow = git2::Repository::init(self.path(to))?;
        shallow.odb()?.write(git2::ObjectType::Commit, whole.odb()?.read(tip)?.data())?;
        fs::write(shallow.path().join("shallow"), format!("{tip}\n"))?;
        fs::write(shallow.path().join("refs/heads/main"), format!("{tip}\n"))?;
        fs::write(shallow.path().join("HEAD"), "ref: refs/heads/main\n")?;
        set_remote(&shallow, url)
    }

    /// Only a branch without the history of the others, as in a clone of one branch.
    pub fn orphan_clone(&mut self, to: &str, url: &str) -> TestResult<git2::Repository> {
        self.repo_with_remote(to, url)
    }

    pub fn worktree(&self, repository: &git2::Repository, name: &str) -> TestResult {
        let path = self.path(name);
        repository.worktree(&name.replace('/', "-"), &path, None)?;
        Ok(())
    }

    pub fn write(&self, name: &str, text: &str) -> TestResult {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("/")))?;
        Ok(fs::write(path, text)?)
    }

    pub fn rename(&self, from: &str, to: &str) -> TestResult {
        fs::create_dir_all(self.path(to).parent().unwrap_or(Path::new("/")))?;
        Ok(fs::rename(self.path(from), self.path(to))?)
    }

    pub fn remove(&self, name: &str) -> TestResult {
        Ok(fs::remove_dir_all(self.path(name))?)
    }

    pub fn link(&self, to: &str, name: &str) -> TestResult {
        Ok(symlink(self.path(to), self.path(name))?)
    }
}

pub fn set_remote(repository: &git2::Repository, url: &str) -> TestResult {
    match repository.find_remote("origin") {
        Ok(_) => Ok(repository.remote_set_url("origin", url)?),
        Err(_) => Ok(repository.remote("origin", url).map(drop)?),
    }
}

pub fn elsewhere(folder: &str, origin: &str) -> SessionPlace {
    SessionPlace { folder: folder.to_owned(), origin: Some(origin.to_owned()), ..SessionPlace::default() }
}

pub fn recorded(folder: &str, remote: &str, commit: Option<&str>) -> SessionPlace {
    let recorded = Recorded { remote: Some(remote.to_owned()), commit: commit.map(str::to_owned) };
    SessionPlace { folder: folder.to_owned(), recorded, origin: None }
}

fn copy_folder(from: &Path, to: &Path) -> TestResult {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy_folder(&entry.path(), &target)?,
            false => drop(fs::copy(entry.path(), target)?),
        }
    }
    Ok(())
}
