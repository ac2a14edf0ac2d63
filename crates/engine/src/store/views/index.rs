//! Which part of the index files is valid, and which passages are gone?

use std::collections::HashSet;
use std::io;

use rusqlite::{OptionalExtension, params};

use crate::model::{ChunkId, Timestamp};

use super::super::index::{
    Bytes, Doc, DocNum, Docs, FIELDS, HEAD, IndexDamage, IndexFiles, Matrix, RECORD, Segment, Segments, Signs, Written,
    merge, quantise, row_bytes, sign_bytes, signs,
};
use super::super::log_store::EpisodeNum;
use super::super::sqlite::StoreError;
use super::reader::ViewReader;
use super::rows::digest;
use super::writer::ViewTx;

/// What the index holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexState {
    pub generation: u32,
    /// Numbers given so far.
    pub docs: DocNum,
    /// Passages that are not gone.
    pub live: u32,
    /// Their terms per field.
    pub terms: [u64; FIELDS],
}

/// The passages of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassageRow {
    pub turn: u32,
    pub ord: u32,
    pub chunk: ChunkId,
    pub first: DocNum,
    pub count: u32,
}

/// One state of the index. If words or vectors are missing, search uses the others.
pub struct Index {
    pub state: IndexState,
    pub docs: Docs,
    pub words: Result<Segments, IndexDamage>,
    /// For the requested model.
    pub vectors: Result<Matrix, IndexDamage>,
    pub gone: HashSet<DocNum>,
}

fn docs_file(generation: u32) -> String {
    format!("docs-{generation}")
}

fn heads_file(generation: u32) -> String {
    format!("heads-{generation}")
}

fn segment_file(generation: u32, first: DocNum, until: DocNum) -> String {
    format!("words-{generation}-{first}-{until}")
}

fn vectors_file(generation: u32, model: &str) -> String {
    format!("vectors-{generation}-{}", file_name(model))
}

fn signs_file(generation: u32, model: &str) -> String {
    format!("signs-{generation}-{}", file_name(model))
}

/// Model ids can contain characters that file names cannot.
fn file_name(model: &str) -> String {
    model.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect()
}

/// With fewer rows, a scan of all is faster than a choice by signs.
const SIGNS_PAY: DocNum = 50_000;

/// Damage that an answer reports; search uses the other half of the index.
fn unreadable(file: &str, error: &io::Error) -> IndexDamage {
    let reason = match error.kind() {
        io::ErrorKind::NotFound => "missing",
        io::ErrorKind::UnexpectedEof => "shorter than it was",
        io::ErrorKind::InvalidData => "not what was written",
        _ => "cannot be read",
    };
    IndexDamage { file: file.to_owned(), reason }
}

/// A file's state after it was last written.
struct FileRow {
    bytes: u64,
    checksum: u32,
    written: Written,
}

impl FileRow {
    /// Reads the whole file only if it was changed since. In a longer file, another process has
    /// appended data that it has not committed yet.
    fn check(&self, bytes: &[u8], written: Written) -> io::Result<()> {
        let counted = bytes.get(..self.bytes as usize).ok_or(io::ErrorKind::UnexpectedEof)?;
        let untouched = written == self.written || bytes.len() > counted.len();
        if untouched { Ok(()) } else { self.check_all(counted) }
    }

    /// Checks longer files as well: for writers, because nobody else appends then, and for
    /// checks of the views.
    fn check_touched(&self, bytes: &[u8], written: Written) -> io::Result<()> {
        let counted = bytes.get(..self.bytes as usize).ok_or(io::ErrorKind::UnexpectedEof)?;
        if written == self.written { Ok(()) } else { self.check_all(counted) }
    }

    fn check_all(&self, counted: &[u8]) -> io::Result<()> {
        let is_same = crc32fast::hash(counted) == self.checksum;
        if is_same { Ok(()) } else { Err(io::ErrorKind::InvalidData.into()) }
    }
}

impl ViewReader<'_> {
    pub fn index_state(&self) -> Result<IndexState, StoreError> {
        let mut statement = self
            .conn
            .prepare_cached("SELECT generation, docs, live, content, place, tail, output, thinking FROM index_state")?;
        let state = statement.query_row([], |row| {
            let mut terms = [0; FIELDS];
            for (at, count) in terms.iter_mut().enumerate() {
                *count = row.get(3 + at)?;
            }
            Ok(IndexState { generation: row.get(0)?, docs: row.get(1)?, live: row.get(2)?, terms })
        });
        Ok(state.optional()?.unwrap_or_default())
    }

    /// Opens the index with the vectors of `model`. Fails only if neither words nor vectors can
    /// be read.
    pub fn index(&self, model: &str) -> Result<Index, StoreError> {
        let state = self.index_state()?;
        let docs = self.docs(state.docs)?;
        let words = self.segments(state.generation)?;
        let vectors = self.matrix(state.generation, model)?;
        let mut statement = self.conn.prepare_cached("SELECT doc FROM gone_docs")?;
        let gone = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        Ok(Index { state, docs, words, vectors, gone })
    }

    /// The first `count` records of passages.
    pub fn docs(&self, count: DocNum) -> Result<Docs, StoreError> {
        if count == 0 {
            return Ok(Docs::empty());
        }
        let generation = self.index_state()?.generation;
        let read = |name: String| self.file(&name)?.map_err(|error| self.failed(&name, error));
        let docs = Docs::new("docs", read(heads_file(generation))?, read(docs_file(generation))?, count);
        docs.map_err(|damage| StoreError::Index(damage.to_string()))
    }

    /// A missing or truncated file makes the index useless. A full disk or a missing permission
    /// does not: the index must be kept then.
    pub(super) fn failed(&self, name: &str, source: io::Error) -> StoreError {
        match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData => {
                StoreError::Index(unreadable(name, &source).to_string())
            }
            _ => StoreError::Io { file: self.files.path(name), source },
        }
    }

    fn file_row(&self, name: &str) -> Result<Option<FileRow>, StoreError> {
        let mut statement =
            self.conn.prepare_cached("SELECT bytes, checksum, written FROM index_files WHERE name = ?1")?;
        let row = statement
            .query_row([name], |row| Ok(FileRow { bytes: row.get(0)?, checksum: row.get(1)?, written: row.get(2)? }));
        Ok(row.optional()?)
    }

    /// The content of a file, if it is what was written; otherwise the reason.
    fn file(&self, name: &str) -> Result<io::Result<Bytes>, StoreError> {
        let Some(row) = self.file_row(name)? else { return Ok(Err(io::ErrorKind::NotFound.into())) };
        let read = self.files.read(name);
        Ok(read.and_then(|(bytes, written)| row.check(&bytes, written).map(|()| bytes)))
    }

    /// The files whose content differs from what was written. Reads all of them: this is the only
    /// way to find damage that does not change a file's time.
    pub fn damaged_files(&self) -> Result<Vec<IndexDamage>, StoreError> {
        let mut damaged = Vec::new();
        for name in self.file_names()? {
            let Some(row) = self.file_row(&name)? else { continue };
            let whole = self.files.read(&name).and_then(|(bytes, _)| {
                row.check_all(bytes.get(..row.bytes as usize).ok_or(io::ErrorKind::UnexpectedEof)?)
            });
            damaged.extend(whole.err().map(|error| unreadable(&name, &error)));
        }
        Ok(damaged)
    }

    /// The files that were changed since they were written and whose content differs, including
    /// those that no query opens.
    pub fn touched_and_damaged(&self) -> Result<Vec<IndexDamage>, StoreError> {
        let mut damaged = Vec::new();
        for name in self.file_names()? {
            let Some(row) = self.file_row(&name)? else { continue };
            let whole = self.files.read(&name).and_then(|(bytes, written)| row.check_touched(&bytes, written));
            damaged.extend(whole.err().map(|error| unreadable(&name, &error)));
        }
        Ok(damaged)
    }

    fn file_names(&self) -> Result<Vec<String>, StoreError> {
        let mut statement = self.conn.prepare_cached("SELECT name FROM index_files ORDER BY name")?;
        Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
    }

    /// When the views were last checked.
    pub fn checked_at(&self) -> Result<Option<Timestamp>, StoreError> {
        let mut statement = self.conn.prepare_cached("SELECT at FROM checked")?;
        Ok(statement.query_row([], |row| row.get(0).map(Timestamp)).optional()?)
    }

    fn segment_rows(&self) -> Result<Vec<(DocNum, DocNum, u64)>, StoreError> {
        let mut statement =
            self.conn.prepare_cached("SELECT first, until, bytes FROM index_segments ORDER BY first")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn segments(&self, generation: u32) -> Result<Result<Segments, IndexDamage>, StoreError> {
        let mut segments = Segments::default();
        for (first, until, bytes) in self.segment_rows()? {
            match self.segment(generation, first, until, bytes)? {
                Ok(segment) => segments.0.push(segment),
                Err(damage) => return Ok(Err(damage)),
            }
        }
        Ok(Ok(segments))
    }

    fn segment(
        &self,
        generation: u32,
        first: DocNum,
        until: DocNum,
        bytes: u64,
    ) -> Result<Result<Segment, IndexDamage>, StoreError> {
        let name = segment_file(generation, first, until);
        let content = self.file(&name)?.map_err(|error| unreadable(&name, &error));
        Ok(content.and_then(|content| Segment::open(&name, content, bytes, first..until)))
    }

    /// Dimensions of a model's vectors, and how many passages have one.
    pub fn vectors_of(&self, model: &str) -> Result<Option<(usize, DocNum)>, StoreError> {
        let mut statement = self.conn.prepare_cached("SELECT dim, docs FROM index_vectors WHERE model = ?1")?;
        Ok(statement.query_row([model], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
    }

    /// Passages that have no vector of `model` yet.
    pub fn waiting_for_vectors(&self, model: &str) -> Result<DocNum, StoreError> {
        let have = self.vectors_of(model)?.map_or(0, |(_, docs)| docs);
        Ok(self.index_state()?.docs.saturating_sub(have))
    }

    fn matrix(&self, generation: u32, model: &str) -> Result<Result<Matrix, IndexDamage>, StoreError> {
        let name = vectors_file(generation, model);
        let Some((dim, rows)) = self.vectors_of(model)? else {
            return Ok(Err(IndexDamage { file: name, reason: "not made yet" }));
        };
        let bytes = self.file(&name)?.map_err(|error| unreadable(&name, &error));
        let signs = match rows >= SIGNS_PAY {
            true => Some(self.signs(generation, model, dim, rows)?),
            false => None,
        };
        Ok(bytes.and_then(|bytes| Matrix::new(&name, bytes, dim, rows)).map(|matrix| matrix.with_signs(signs)))
    }

    /// If they are damaged, a scan of the matrix gives the same answer, only slower.
    fn signs(
        &self,
        generation: u32,
        model: &str,
        dim: usize,
        rows: DocNum,
    ) -> Result<Result<Signs, IndexDamage>, StoreError> {
        let name = signs_file(generation, model);
        let bytes = self.file(&name)?.map_err(|error| unreadable(&name, &error));
        Ok(bytes.and_then(|bytes| Signs::new(&name, bytes, dim, rows)))
    }

    /// The index's content for each passage and each term, without passage numbers, which depend
    /// on the order of ingestion.
    pub(super) fn dump_index(&self) -> Result<Vec<String>, StoreError> {
        let mut statement = self.conn.prepare("SELECT model FROM index_vectors ORDER BY model")?;
        let models: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        let index = self.index(models.first().map_or("", String::as_str))?;
        let mut rows = vec![format!("index {} {:?} {models:?}", index.state.live, index.state.terms)];
        for doc in (0..index.docs.count()).filter(|doc| !index.gone.contains(doc)) {
            let Some(record) = index.docs.get(doc) else { continue };
            let previous = record.previous.and_then(|doc| index.docs.get(doc)).map(|doc| (doc.chunk, doc.parts));
            let vector = index.vectors.as_ref().ok().and_then(|matrix| matrix.vector(doc));
            let sum: f32 = vector.iter().flatten().enumerate().map(|(at, value)| value * (at + 1) as f32).sum();
            rows.push(format!("passage {:?} {previous:?} {sum}", Doc { previous: None, ..record }));
        }
        if let Ok(words) = &index.words {
            for term in words.terms() {
                let mut passages = 0;
                let mut counts = [0u64; 4];
                for posting in words.postings(&term).filter(|posting| !index.gone.contains(&posting.doc)) {
                    passages += 1;
                    counts.iter_mut().zip(posting.counts).for_each(|(sum, count)| *sum += u64::from(count));
                }
                if passages > 0 {
                    rows.push(format!("term {} {passages} {counts:?}", String::from_utf8_lossy(&term)));
                }
            }
        }
        Ok(rows)
    }

    /// The passages of the chunks from `turn` on, in order.
    pub fn passages_from(&self, episode: EpisodeNum, turn: u32) -> Result<Vec<PassageRow>, StoreError> {
        let mut statement = self.conn.prepare_cached(
            "SELECT turn, ord, chunk, first, count FROM passages WHERE episode = ?1 AND turn >= ?2 ORDER BY turn, ord",
        )?;
        let rows = statement.query_map(params![episode.0, turn], read_passages)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    pub fn passages_of(&self, chunk: ChunkId) -> Result<Option<PassageRow>, StoreError> {
        let mut statement =
            self.conn.prepare_cached("SELECT turn, ord, chunk, first, count FROM passages WHERE chunk = ?1")?;
        Ok(statement.query_row([chunk.as_bytes()], read_passages).optional()?)
    }

    /// The passages of the last chunk with passages before a place.
    pub fn passages_before(&self, episode: EpisodeNum, turn: u32, ord: u32) -> Result<Option<PassageRow>, StoreError> {
        let mut statement = self.conn.prepare_cached(
            "SELECT turn, ord, chunk, first, count FROM passages
             WHERE episode = ?1 AND (turn, ord) < (?2, ?3) AND count > 0 ORDER BY turn DESC, ord DESC LIMIT 1",
        )?;
        Ok(statement.query_row(params![episode.0, turn, ord], read_passages).optional()?)
    }

    /// The passages of the first chunk with passages after a place.
    pub fn passages_after(&self, episode: EpisodeNum, turn: u32, ord: u32) -> Result<Option<PassageRow>, StoreError> {
        let mut statement = self.conn.prepare_cached(
            "SELECT turn, ord, chunk, first, count FROM passages
             WHERE episode = ?1 AND (turn, ord) > (?2, ?3) AND count > 0 ORDER BY turn, ord LIMIT 1",
        )?;
        Ok(statement.query_row(params![episode.0, turn, ord], read_passages).optional()?)
    }
}

fn read_passages(row: &rusqlite::Row<'_>) -> rusqlite::Result<PassageRow> {
    let chunk = ChunkId(digest(row, 2)?);
    Ok(PassageRow { turn: row.get(0)?, ord: row.get(1)?, chunk, first: row.get(3)?, count: row.get(4)? })
}

/// Segments are merged when the newer ones together reach this share of an older one.
const MERGE_SHARE: u64 = 2;

impl ViewTx<'_> {
    /// Empties the index: new files replace the old ones, which are removed after the commit.
    pub fn clear_index(&mut self) -> Result<(), StoreError> {
        self.clear_clusters()?;
        let generation = self.read().index_state()?.generation + 1;
        self.tx.execute_batch(
            "DELETE FROM index_files; DELETE FROM index_segments; DELETE FROM index_vectors;
             DELETE FROM passages; DELETE FROM gone_docs;",
        )?;
        self.set_index_state(&IndexState { generation, ..IndexState::default() })
    }

    pub fn set_checked_at(&mut self, at: Timestamp) -> Result<(), StoreError> {
        self.tx.prepare_cached("INSERT OR REPLACE INTO checked (one, at) VALUES (1, ?1)")?.execute([at.0])?;
        Ok(())
    }

    pub fn set_index_state(&mut self, state: &IndexState) -> Result<(), StoreError> {
        let [content, place, tail, output, thinking] = state.terms;
        self.tx
            .prepare_cached("INSERT OR REPLACE INTO index_state VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")?
            .execute(params![state.generation, state.docs, state.live, content, place, tail, output, thinking])?;
        Ok(())
    }

    /// Marks the passages of these chunks as gone and removes their rows.
    pub fn remove_passages(&mut self, episode: EpisodeNum, rows: &[PassageRow]) -> Result<(), StoreError> {
        for row in rows {
            self.tx
                .prepare_cached("DELETE FROM passages WHERE episode = ?1 AND turn = ?2 AND ord = ?3")?
                .execute(params![episode.0, row.turn, row.ord])?;
            for doc in row.first..row.first + row.count {
                self.tx.prepare_cached("INSERT OR IGNORE INTO gone_docs (doc) VALUES (?1)")?.execute([doc])?;
            }
        }
        Ok(())
    }

    pub fn put_passages(&mut self, episode: EpisodeNum, row: &PassageRow) -> Result<(), StoreError> {
        self.tx.prepare_cached("INSERT OR REPLACE INTO passages VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?.execute(params![
            episode.0,
            row.turn,
            row.ord,
            row.chunk.as_bytes(),
            row.first,
            row.count
        ])?;
        Ok(())
    }

    /// Appends the records of passages from number `first` on.
    pub fn put_docs(&mut self, generation: u32, first: DocNum, docs: &[Doc]) -> Result<(), StoreError> {
        let mut heads = Vec::with_capacity(docs.len() * HEAD);
        let mut records = Vec::with_capacity(docs.len() * RECORD);
        docs.iter().for_each(|doc| doc.encode(&mut heads, &mut records));
        self.write_index(&heads_file(generation), u64::from(first) * HEAD as u64, &heads)?;
        self.write_index(&docs_file(generation), u64::from(first) * RECORD as u64, &records)
    }

    /// Appends vectors of a model; rows are numbered like the passages.
    pub fn put_vectors(
        &mut self,
        generation: u32,
        model: &str,
        dim: usize,
        vectors: &[Vec<f32>],
    ) -> Result<(), StoreError> {
        let first = self.read().vectors_of(model)?.map_or(0, |(_, docs)| docs);
        let mut bytes = Vec::with_capacity(vectors.len() * row_bytes(dim));
        vectors.iter().for_each(|vector| quantise(vector, &mut bytes));
        self.write_index(&vectors_file(generation, model), u64::from(first) * row_bytes(dim) as u64, &bytes)?;
        bytes.clear();
        vectors.iter().for_each(|vector| signs(vector, &mut bytes));
        self.write_index(&signs_file(generation, model), u64::from(first) * sign_bytes(dim) as u64, &bytes)?;
        self.tx
            .prepare_cached("INSERT OR REPLACE INTO index_vectors (model, dim, docs) VALUES (?1, ?2, ?3)")?
            .execute(params![model, dim, first + vectors.len() as DocNum])?;
        Ok(())
    }

    /// Adds a segment, and merges the last ones while their sizes are similar.
    pub fn put_segment(
        &mut self,
        generation: u32,
        first: DocNum,
        until: DocNum,
        bytes: &[u8],
    ) -> Result<(), StoreError> {
        self.write_segment(generation, first, until, bytes)?;
        let rows = self.read().segment_rows()?;
        self.note_copied(generation, &rows)?;
        let mut from = rows.len() - 1;
        let mut size = rows[from].2;
        while from > 0 && rows[from - 1].2 < size * MERGE_SHARE {
            from -= 1;
            size += rows[from].2;
        }
        if from + 1 < rows.len() { self.merge_segments(generation, &rows[from..]) } else { Ok(()) }
    }

    fn merge_segments(&mut self, generation: u32, rows: &[(DocNum, DocNum, u64)]) -> Result<(), StoreError> {
        let mut segments = Segments::default();
        for (first, until, bytes) in rows {
            // The merge reads the whole file, so it also checks the whole file.
            let row = self.read().file_row(&segment_file(generation, *first, *until))?;
            match self.read().segment(generation, *first, *until, *bytes)? {
                Ok(segment) if row.is_some_and(|row| row.check_all(segment.bytes()).is_ok()) => {
                    segments.0.push(segment);
                }
                // Keep it: searching reports it, a rebuild repairs it.
                _ => return Ok(()),
            }
        }
        let gone: HashSet<DocNum> = {
            let mut statement = self.tx.prepare_cached("SELECT doc FROM gone_docs")?;
            statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?
        };
        let Some(merged) = merge(&segments, &gone) else { return Ok(()) };
        for (first, until, _) in rows {
            self.tx.prepare_cached("DELETE FROM index_segments WHERE first = ?1")?.execute([first])?;
            let name = segment_file(generation, *first, *until);
            self.tx.prepare_cached("DELETE FROM index_files WHERE name = ?1")?.execute([name])?;
        }
        let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Ok(()) };
        self.write_segment(generation, first.0, last.1, &merged)
    }

    fn write_segment(&mut self, generation: u32, first: DocNum, until: DocNum, bytes: &[u8]) -> Result<(), StoreError> {
        self.write_index(&segment_file(generation, first, until), 0, bytes)?;
        self.tx
            .prepare_cached("INSERT OR REPLACE INTO index_segments (first, until, bytes) VALUES (?1, ?2, ?3)")?
            .execute(params![first, until, bytes.len() as u64])?;
        Ok(())
    }

    /// Appends to a file, or replaces it if `offset` is 0. Checks the existing content first:
    /// the new modification time declares the whole file valid.
    fn write_index(&mut self, name: &str, offset: u64, bytes: &[u8]) -> Result<(), StoreError> {
        let mut checksum = crc32fast::Hasher::new();
        if offset > 0 {
            let view = self.read();
            let Some(row) = view.file_row(name)?.filter(|row| row.bytes == offset) else {
                return Err(view.failed(name, io::ErrorKind::UnexpectedEof.into()));
            };
            let known = view.files.read(name).and_then(|(bytes, written)| row.check_touched(&bytes, written));
            known.map_err(|error| view.failed(name, error))?;
            checksum = crc32fast::Hasher::new_with_initial(row.checksum);
        }
        checksum.update(bytes);
        let written = self.files.write_at(name, offset, bytes).map_err(|error| self.read().failed(name, error))?;
        self.tx
            .prepare_cached(
                "INSERT OR REPLACE INTO index_files (name, bytes, checksum, written) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![name, offset + bytes.len() as u64, checksum.finalize(), written])?;
        Ok(())
    }

    /// Segments that were copied with the home have another modification time. It is stored
    /// once, so that not every question computes their checksums.
    fn note_copied(&mut self, generation: u32, rows: &[(DocNum, DocNum, u64)]) -> Result<(), StoreError> {
        for (first, until, _) in rows {
            let name = segment_file(generation, *first, *until);
            let (Some(row), Ok((bytes, written))) = (self.read().file_row(&name)?, self.files.read(&name)) else {
                continue;
            };
            if row.written != written && row.check(&bytes, written).is_ok() {
                self.tx
                    .prepare_cached("UPDATE index_files SET written = ?2 WHERE name = ?1")?
                    .execute(params![name, written])?;
            }
        }
        Ok(())
    }
}

/// Removes files that no row names.
pub(super) fn remove_unused(files: &IndexFiles, view: &ViewReader<'_>) -> Result<(), StoreError> {
    let mut statement = view.conn.prepare_cached("SELECT name FROM index_files")?;
    let used: HashSet<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for name in files.names().into_iter().filter(|name| !used.contains(name)) {
        files.remove(&name);
    }
    Ok(())
}
