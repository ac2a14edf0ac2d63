//! Which word index is best: Backstory's own, SQLite's FTS5 or tantivy?
//!
//! Every engine implements [`WordIndex`] over the same documents and the same tokens; each step is measured in a
//! separate process. A further engine is one more implementation and one more line in [`Engine`].

mod corpus;
mod fts5;
mod own;
mod report;
mod steps;
#[cfg(feature = "tantivy")]
mod tantivy_index;
mod tokens;

pub use report::run;
pub use steps::{IndexStep, run_step};

use std::error::Error;
use std::path::Path;

use corpus::Document;

/// The weight of matches in each field, in the order of `corpus::FIELDS`.
const WEIGHTS: [f32; 3] = [2.0, 1.5, 1.0];

/// An index of words on disk.
trait WordIndex: Sized {
    /// Makes an index of all documents in an empty folder.
    fn build(folder: &Path, documents: impl Iterator<Item = Document>) -> Result<(), Box<dyn Error>>;
    fn open(folder: &Path) -> Result<Self, Box<dyn Error>>;
    /// The ids of the best documents that have any of the tokens, best first.
    fn search(&self, tokens: &[String], limit: usize) -> Result<Vec<u64>, Box<dyn Error>>;
    /// On return, the document is safely on disk and can be found.
    fn add(&mut self, document: &Document) -> Result<(), Box<dyn Error>>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Engine {
    /// No index: reading the texts and finding their tokens, which all engines must do
    None,
    /// Backstory's own segments
    Own,
    Fts5,
    #[cfg(feature = "tantivy")]
    Tantivy,
}

impl Engine {
    /// The engines that are compared by default.
    const COMPARED: &'static [Engine] = &[
        Engine::Own,
        Engine::Fts5,
        #[cfg(feature = "tantivy")]
        Engine::Tantivy,
    ];

    fn name(self) -> &'static str {
        match self {
            Engine::None => "none",
            Engine::Own => "own",
            Engine::Fts5 => "fts5",
            #[cfg(feature = "tantivy")]
            Engine::Tantivy => "tantivy",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::tokens::query_tokens;
    use super::*;

    fn document(id: u64, content: &str, places: &str) -> Document {
        Document { id, fields: [content.to_owned(), places.to_owned(), String::new()] }
    }

    /// Every engine has the same tokens, whole and in parts, and finds added documents.
    fn finds_the_same<I: WordIndex>() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let documents = [
            document(1, "why is humanModified wrong?", "cmd/entire/manual_commit.go"),
            document(2, "the café stays closed", "git push --no-verify"),
        ];
        I::build(folder.path(), documents.into_iter())?;
        let mut index = I::open(folder.path())?;
        index.add(&document(3, "a later thought", "src/later.rs"))?;
        for (question, expected) in [
            ("humanModified", vec![1]),
            ("modified", vec![1]),
            ("manual_commit.go", vec![1]),
            ("no-verify", vec![2]),
            ("Café", vec![2]),
            ("later.rs", vec![3]),
            ("nothing", vec![]),
        ] {
            assert_eq!(index.search(&query_tokens(question), 10)?, expected, "{question}");
        }
        // The whole token is searched as one, not by its parts.
        assert_eq!(index.search(&["manual_commit.go".to_owned()], 10)?, [1]);
        assert!(index.search(&["commit.go".to_owned()], 10)?.is_empty());
        Ok(())
    }

    #[test]
    fn own_finds() -> Result<(), Box<dyn Error>> {
        finds_the_same::<own::Own>()
    }

    #[test]
    fn fts5_finds() -> Result<(), Box<dyn Error>> {
        finds_the_same::<fts5::Fts5>()
    }

    #[cfg(feature = "tantivy")]
    #[test]
    fn tantivy_finds() -> Result<(), Box<dyn Error>> {
        finds_the_same::<tantivy_index::Tantivy>()
    }
}
