//! tantivy: immutable segments, merged in the background.

use std::error::Error;
use std::path::Path;

use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, BoostQuery, Occur, Query, TermQuery};
use tantivy::schema::{FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{TextAnalyzer, WhitespaceTokenizer};
use tantivy::{Index, IndexReader, IndexWriter, ReloadPolicy, TantivyDocument, Term};

use super::corpus::{Document, FIELDS};
use super::tokens::spaced_tokens;
use super::{WEIGHTS, WordIndex};

pub struct Tantivy {
    index: Index,
    reader: IndexReader,
    /// Created by the first `add`; searching needs none.
    writer: Option<IndexWriter>,
}

const SPACES: &str = "spaces";
const ID: &str = "id";
/// One thread, because the CPU times of the engines are compared.
const THREADS: usize = 1;
const BUILD_MEMORY: usize = 100_000_000;
/// The minimum that tantivy accepts.
const ADD_MEMORY: usize = 15_000_000;

impl WordIndex for Tantivy {
    fn build(folder: &Path, documents: impl Iterator<Item = Document>) -> Result<(), Box<dyn Error>> {
        let index = with_tokenizer(Index::create_in_dir(folder, schema())?);
        let mut writer: IndexWriter = index.writer_with_num_threads(THREADS, BUILD_MEMORY)?;
        let schema = index.schema();
        for document in documents {
            writer.add_document(row(&schema, &document)?)?;
        }
        writer.commit()?;
        writer.wait_merging_threads()?;
        Ok(())
    }

    fn open(folder: &Path) -> Result<Self, Box<dyn Error>> {
        let index = with_tokenizer(Index::open_in_dir(folder)?);
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(Tantivy { index, reader, writer: None })
    }

    fn search(&self, tokens: &[String], limit: usize) -> Result<Vec<u64>, Box<dyn Error>> {
        let schema = self.index.schema();
        let mut terms: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        for (name, weight) in FIELDS.iter().zip(WEIGHTS) {
            let field = schema.get_field(name)?;
            for token in tokens {
                let query = TermQuery::new(Term::from_field_text(field, token), IndexRecordOption::WithFreqs);
                terms.push((Occur::Should, Box::new(BoostQuery::new(Box::new(query), weight))));
            }
        }
        let searcher = self.reader.searcher();
        let best = searcher.search(&BooleanQuery::new(terms), &TopDocs::with_limit(limit).order_by_score())?;
        let ids = best.into_iter().map(|(_, address)| {
            let column = searcher.segment_reader(address.segment_ord).fast_fields().u64(ID)?;
            Ok(column.first(address.doc_id).unwrap_or(u64::MAX))
        });
        ids.collect()
    }

    fn add(&mut self, document: &Document) -> Result<(), Box<dyn Error>> {
        let row = row(&self.index.schema(), document)?;
        if self.writer.is_none() {
            self.writer = Some(self.index.writer_with_num_threads(THREADS, ADD_MEMORY)?);
        }
        if let Some(writer) = &mut self.writer {
            writer.add_document(row)?;
            writer.commit()?;
        }
        Ok(self.reader.reload()?)
    }
}

fn schema() -> Schema {
    let mut schema = Schema::builder();
    // Indexed, because a growing chunk is deleted by its id; fast, to name the hits.
    schema.add_u64_field(ID, FAST | INDEXED);
    let indexing = TextFieldIndexing::default().set_tokenizer(SPACES).set_index_option(IndexRecordOption::WithFreqs);
    for field in FIELDS {
        schema.add_text_field(field, TextOptions::default().set_indexing_options(indexing.clone()));
    }
    schema.build()
}

/// Our tokenizer finds the tokens; here they are only split.
fn with_tokenizer(index: Index) -> Index {
    index.tokenizers().register(SPACES, TextAnalyzer::from(WhitespaceTokenizer::default()));
    index
}

fn row(schema: &Schema, document: &Document) -> Result<TantivyDocument, Box<dyn Error>> {
    let mut row = TantivyDocument::new();
    row.add_u64(schema.get_field(ID)?, document.id);
    for (name, text) in FIELDS.iter().zip(&document.fields) {
        let field: Field = schema.get_field(name)?;
        row.add_text(field, spaced_tokens(text));
    }
    Ok(row)
}
