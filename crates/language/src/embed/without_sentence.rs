//! Replaces `sentence` in builds without that feature.

use std::io;
use std::path::Path;

use super::{EmbedError, Embedder};

/// Uninhabited.
pub enum SentenceModel {}

impl SentenceModel {
    pub fn open(folder: &Path, _read: impl Fn(&Path) -> io::Result<Vec<u8>>) -> Result<Self, EmbedError> {
        Err(EmbedError::NotBuilt { path: folder.to_owned() })
    }
}

impl Embedder for SentenceModel {
    fn model(&self) -> &str {
        match *self {}
    }

    fn dim(&self) -> usize {
        match *self {}
    }

    fn embed(&mut self, _texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        match *self {}
    }
}
