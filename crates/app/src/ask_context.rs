//! What a command works with on any surface: the memory, the current folder, the model, and the notices to show with
//! the answer.

use std::path::{Path, PathBuf};

use backstory_engine::Memory;
use backstory_engine::ingest::project_tree;
use backstory_engine::model::{CardId, Channel, Surface};
use backstory_engine::retrieve::Search;
use backstory_language::embed::{Embedder, StaticTable};

use crate::disk_space;
use crate::embedding::{EmbeddingModel, QuestionModel};
use crate::endpoint::Timeout;
use crate::error::AppError;
use crate::exposure::{self, ShownCards};
use crate::home;
use crate::scope::{ProjectScope, ResolvedScope};
use crate::working_tree::WorkingTree;

pub struct AskContext {
    pub folder: PathBuf,
    /// None for the command line.
    pub surface: Option<Surface>,
    pub watch: Watch,
    memory: Option<Memory>,
    model: Option<QuestionModel>,
    /// Used while the chosen model cannot be opened.
    stand_in: Option<QuestionModel>,
    notices: Vec<String>,
    /// Shown cards that are not recorded yet.
    owed: Vec<(ShownCards, String)>,
    /// The files from which the memory was opened, for surfaces that keep it open.
    pub identity: Vec<Option<(u64, u64)>>,
}

/// Receives the progress of long work: what, how many, of how many.
pub type Watch = Box<dyn FnMut(&str, u64, u64) + Send>;

pub fn nobody_watches() -> Watch {
    Box::new(|_, _, _| {})
}

impl AskContext {
    /// A person's context in the current folder. Opens nothing yet.
    pub fn here() -> Result<Self, AppError> {
        Ok(AskContext::at(home::current_folder()?, None))
    }

    pub fn at(folder: PathBuf, surface: Option<Surface>) -> Self {
        let (notices, owed, identity) = (Vec::new(), Vec::new(), Vec::new());
        let (memory, model, stand_in) = (None, None, None);
        AskContext { folder, surface, watch: nobody_watches(), memory, model, stand_in, notices, owed, identity }
    }

    /// Is the caller an agent? Its words do not count as a person's.
    pub fn is_agents(&self) -> bool {
        self.surface == Some(Surface::Mcp)
    }

    /// The memory, opened and refreshed on first use.
    pub fn memory(&mut self) -> Result<&mut Memory, AppError> {
        let memory = match self.memory.take() {
            Some(memory) => memory,
            None => home::open_existing()?,
        };
        Ok(self.memory.insert(memory))
    }

    /// The same for commands that may create one.
    pub fn memory_or_new(&mut self) -> Result<&mut Memory, AppError> {
        let memory = match self.memory.take() {
            Some(memory) => memory,
            None => home::open_or_create()?,
        };
        Ok(self.memory.insert(memory))
    }

    /// The same without a refresh, for commands that only add to the log.
    pub fn memory_without_refresh(&mut self) -> Result<&mut Memory, AppError> {
        let memory = match self.memory.take() {
            Some(memory) => memory,
            None => home::open_without_refresh()?,
        };
        Ok(self.memory.insert(memory))
    }

    /// The memory if it is open, for another thread; [`Self::put_back`] returns it.
    pub fn take_memory(&mut self) -> Option<Memory> {
        self.memory.take()
    }

    pub fn put_back(&mut self, memory: Memory) {
        self.memory = Some(memory);
    }

    /// The memory and the model for the vector of a question. If the model cannot be opened, only words are used, and a
    /// notice says so.
    pub fn with_model(&mut self, search: &mut Search) -> Result<(&mut Memory, &mut dyn Embedder), AppError> {
        let opened = match self.model.take() {
            Some(model) => Ok(model),
            None => EmbeddingModel::open(home::config()?, Timeout::Question).map(QuestionModel::from),
        };
        self.memory()?;
        let model = match opened {
            Ok(model) => self.model.insert(model),
            Err(error) => {
                let notice = format!("only words are searched: {error}");
                if !self.notices.contains(&notice) {
                    self.notices.push(notice);
                }
                search.ranking.vectors = 0.0;
                self.stand_in.get_or_insert_with(|| EmbeddingModel::Static(StaticTable::shipped()).into())
            }
        };
        let memory = match &mut self.memory {
            Some(memory) => memory,
            none => none.insert(home::open_existing()?),
        };
        Ok((memory, model))
    }

    /// Resolves a scope to a project.
    pub fn scope(&mut self, scope: &ProjectScope) -> Result<ResolvedScope, AppError> {
        let folder = self.folder.clone();
        scope.resolve_in(self.memory()?, &folder)
    }

    /// Its working tree, if it is on this machine.
    pub fn tree(&self, scope: &ProjectScope) -> WorkingTree {
        scope.tree_in(&self.folder)
    }

    pub fn file(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.join(name)
    }

    /// A file that exists and that the caller may read: any file for a person; for an agent, only files of its working
    /// tree, after resolving links, without git's own.
    pub fn readable(&self, name: impl AsRef<Path>) -> Option<PathBuf> {
        let file = self.file(name);
        match self.is_agents() {
            true => self.is_of_the_tree(&file).then_some(file),
            false => file.exists().then_some(file),
        }
    }

    fn is_of_the_tree(&self, file: &Path) -> bool {
        // A repository's settings about its tree are not trusted, only its location.
        let root = project_tree(&self.folder, home::user_home().ok().as_deref());
        let (Ok(file), Some(root)) = (file.canonicalize(), root) else { return false };
        let is_gits = |inside: &Path| inside.components().any(|part| part.as_os_str().eq_ignore_ascii_case(".git"));
        file.strip_prefix(&root).is_ok_and(|inside| !is_gits(inside))
    }

    /// One line for the caller; never mixed with the answer.
    pub fn notice(&mut self, notice: impl Into<String>) {
        self.notices.push(notice.into());
    }

    pub fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    /// Records what was shown, after the answer was given; returns the number of events.
    pub fn note_what_was_shown(&mut self) -> Result<u64, AppError> {
        let (owed, surface) = (std::mem::take(&mut self.owed), self.surface);
        let mut noted = 0;
        for (showing, asked) in owed {
            noted += u64::from(!showing.cards.is_empty());
            exposure::record(self.memory()?, surface, showing, asked)?;
        }
        Ok(noted)
    }

    /// The memory, if it is open.
    pub fn memory_if_open(&mut self) -> Option<&mut Memory> {
        self.memory.as_mut()
    }

    /// Records in the log that cards were shown.
    pub fn shown(
        &mut self,
        channel: Channel,
        cards: Vec<CardId>,
        session: Option<String>,
        asked: String,
    ) -> Result<(), AppError> {
        let showing = ShownCards { channel, cards, session };
        match self.surface {
            None => match exposure::record(self.memory()?, None, showing, asked) {
                // The question was answered nevertheless.
                Err(error) if disk_space::shortage().is_some() => {
                    self.notice(format!("what was shown is not noted: {}", error.message));
                    Ok(())
                }
                shown => shown,
            },
            // A caller who waits for an answer need not wait for the disk.
            Some(_) => {
                self.owed.push((showing, asked));
                Ok(())
            }
        }
    }
}
