//! SQLite's FTS5: contentless, so that the texts are not stored twice.

use std::error::Error;
use std::path::Path;

use rusqlite::{Connection, params};

use super::corpus::{Document, FIELDS};
use super::tokens::spaced_tokens;
use super::{WEIGHTS, WordIndex};

pub struct Fts5 {
    conn: Connection,
}

const FILE: &str = "words.sqlite";
/// The number of documents per commit: as many as an ingest writes in one slice.
const PER_COMMIT: usize = 10_000;

impl WordIndex for Fts5 {
    fn build(folder: &Path, documents: impl Iterator<Item = Document>) -> Result<(), Box<dyn Error>> {
        let index = Fts5 { conn: connect(folder)? };
        // Our tokenizer finds the tokens and FTS5 only splits them: characters inside a token must not split it.
        index.conn.execute_batch(&format!(
            r#"CREATE VIRTUAL TABLE words USING fts5({}, content = '', contentless_delete = 1,
               tokenize = "unicode61 remove_diacritics 0 tokenchars '_.-'")"#,
            FIELDS.join(", ")
        ))?;
        let mut documents = documents.peekable();
        while documents.peek().is_some() {
            let tx = index.conn.unchecked_transaction()?;
            for document in documents.by_ref().take(PER_COMMIT) {
                index.insert(&document)?;
            }
            tx.commit()?;
        }
        index.conn.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")?;
        Ok(())
    }

    fn open(folder: &Path) -> Result<Self, Box<dyn Error>> {
        Ok(Fts5 { conn: connect(folder)? })
    }

    fn search(&self, tokens: &[String], limit: usize) -> Result<Vec<u64>, Box<dyn Error>> {
        let quoted: Vec<String> = tokens.iter().map(|token| format!("\"{token}\"")).collect();
        let [content, places, output] = WEIGHTS;
        let mut statement = self.conn.prepare_cached(&format!(
            "SELECT rowid FROM words WHERE words MATCH ?1 AND rank MATCH 'bm25({content:.1}, {places:.1}, {output:.1})'
             ORDER BY rank LIMIT ?2"
        ))?;
        let rows = statement.query_map(params![quoted.join(" OR "), limit as i64], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn add(&mut self, document: &Document) -> Result<(), Box<dyn Error>> {
        self.insert(document)
    }
}

impl Fts5 {
    fn insert(&self, document: &Document) -> Result<(), Box<dyn Error>> {
        let [content, places, output] = document.fields.each_ref().map(|field| spaced_tokens(field));
        let sql = format!("INSERT INTO words(rowid, {}) VALUES (?1, ?2, ?3, ?4)", FIELDS.join(", "));
        self.conn.prepare_cached(&sql)?.execute(params![document.id, content, places, output])?;
        Ok(())
    }
}

fn connect(folder: &Path) -> Result<Connection, Box<dyn Error>> {
    let conn = Connection::open(folder.join(FILE))?;
    // The settings of the engine's own stores, except that a commit waits for the disk, as in the other engines.
    conn.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000;
         PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY;",
    )?;
    Ok(conn)
}
