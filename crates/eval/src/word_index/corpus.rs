//! The indexed texts: the chunks of real sessions, and real-shaped copies of them.

use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use backstory_engine::Memory;
use backstory_engine::ingest::{InputPlace, find};
use backstory_engine::model::{ChunkBody, PartKind};

use crate::shaped::{Vocabulary, WordCounts, words};

pub const FIELDS: [&str; 3] = ["content", "places", "output"];

/// One chunk as indexed.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Document {
    pub id: u64,
    /// In the order of `FIELDS`: speech; paths, commands and other tool input; tool output. Thinking is not indexed
    /// here.
    pub fields: [String; 3],
}

impl Document {
    fn of(id: u64, body: &ChunkBody) -> Self {
        let mut document = Document { id, ..Document::default() };
        let mut add = |field: usize, text: &str| {
            document.fields[field].push_str(text);
            document.fields[field].push('\n');
        };
        for part in &body.parts {
            match part.kind {
                PartKind::User | PartKind::Assistant | PartKind::Note => add(0, &part.text),
                PartKind::ToolCall => add(1, &part.text),
                PartKind::ToolOutput => add(2, &part.text),
                PartKind::Thinking => {}
            }
        }
        body.files.iter().for_each(|file| add(1, file));
        document
    }
}

/// The chunks of real sessions, and the variation of their words between copies.
pub struct RealChunks {
    documents: Vec<Document>,
    vocabulary: Vocabulary,
}

impl RealChunks {
    /// Reads the sessions into a separate memory, in `home`.
    pub fn read(sessions: &Path, home: &Path) -> Result<Self, Box<dyn Error>> {
        let mut memory = Memory::open(home)?;
        let found = find(&[InputPlace::Given(sessions.to_owned())], None);
        memory.ingest(&found.tasks, found.problems, &mut |_, _| {})?;
        memory.refresh(&mut |_| {})?;
        let mut documents = Vec::new();
        let mut counts = WordCounts::default();
        memory.views().read().scan_chunks(|row, body| {
            let document = Document::of(documents.len() as u64, &body);
            for word in document.fields.iter().flat_map(|field| words(field)) {
                counts.note(word, row.episode.0 as u32);
            }
            documents.push(document);
            true
        })?;
        if documents.is_empty() {
            return Err(format!("{}: no sessions to read", sessions.display()).into());
        }
        Ok(RealChunks { documents, vocabulary: counts.finish() })
    }

    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Writes this many documents, copy after copy, and returns their bytes of text.
    pub fn write(&self, count: usize, file: &Path) -> Result<u64, Box<dyn Error>> {
        let mut out = BufWriter::with_capacity(1 << 20, File::create(file)?);
        let mut bytes = 0;
        for copy in 0..count.div_ceil(self.documents.len()) {
            let first = copy * self.documents.len();
            let words = self.vocabulary.of_copy(copy as u32);
            for document in self.documents.iter().take(count - first) {
                let fields = document.fields.each_ref().map(|field| words.rewrite(field));
                bytes += fields.iter().map(|field| field.len() as u64).sum::<u64>();
                serde_json::to_writer(&mut out, &Document { id: first as u64 + document.id, fields })?;
                out.write_all(b"\n")?;
            }
        }
        out.flush()?;
        Ok(bytes)
    }
}

/// The documents of a file, one at a time.
pub fn read(file: &Path) -> Result<impl Iterator<Item = Document>, Box<dyn Error>> {
    let lines = BufReader::with_capacity(1 << 20, File::open(file)?).lines();
    Ok(lines.map_while(Result::ok).map_while(|line| serde_json::from_str(&line).ok()))
}
