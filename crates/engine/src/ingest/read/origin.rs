//! Which session does a file hold, and in which folder did it happen?

use std::path::{Path, PathBuf};

use crate::model::digest_of;

use super::super::claude;
use super::super::find::FileTask;
use super::super::format::Format;
use super::super::reading::FileOrigin;
use super::head::HEAD_BYTES;
use super::open::{Medium, Opened};

pub struct SessionOrigin {
    pub origin: FileOrigin,
    /// The working folder for records that name none.
    pub folder: String,
}

impl SessionOrigin {
    pub fn of(task: &FileTask, name: &str, format: Format, opened: &Opened<'_>) -> Self {
        let folder = task.path.parent().map_or_else(PathBuf::new, Path::to_owned);
        let folder = std::fs::canonicalize(&folder).unwrap_or(folder).to_string_lossy().into_owned();
        let found = SessionOrigin { origin: task.origin(name), folder };
        match format {
            Format::Transcript | Format::TranscriptDocument => found.with_place(opened),
            Format::ClaudeCode => found.with_introduction(&opened.head),
            Format::Codex | Format::Causantic => found,
        }
    }

    /// Users name transcripts: a name is unique only together with its folder.
    fn with_place(mut self, opened: &Opened<'_>) -> Self {
        let place = match opened.medium {
            Medium::Plain(..) | Medium::Whole(_) => digest_of("place", &[self.folder.as_bytes()]),
            Medium::Stream => digest_of("stream", &[&opened.head[..opened.head.len().min(HEAD_BYTES)]]),
        };
        self.origin.session = format!("{}@{}", self.origin.session, &place.to_string()[..6]);
        self
    }

    /// Hosts name files by session; a renamed file still has the id in its records.
    fn with_introduction(mut self, head: &[u8]) -> Self {
        let said = claude::introduction(&String::from_utf8_lossy(head));
        self.folder = said.cwd.unwrap_or(self.folder);
        if !is_uuid(&self.origin.session) {
            self.origin.session = said.session.unwrap_or(self.origin.session);
        }
        self
    }
}

/// The host's folder of sessions, or else the folder of the file.
pub fn host_folder(file: &str) -> Option<String> {
    let marks = ["/.claude/", "/.codex/", "/projects/", "/sessions/"];
    let kept = marks.iter().find_map(|mark| Some(file.split_once(mark)?.0.len() + mark.len() - 1));
    let end = kept.or_else(|| file.rfind('/'))?;
    Some(file[..end].to_owned())
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36 && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}
