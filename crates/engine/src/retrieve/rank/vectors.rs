//! Cosines of the query with every passage.

use crate::embed::Embedder;
use crate::store::Index;
use crate::store::index::Matrix;

use super::super::RetrieveError;
use super::Filter;

pub(super) fn embed_query(embedder: &mut dyn Embedder, text: &str) -> Result<Vec<f32>, RetrieveError> {
    Ok(embedder.embed(&[text])?.into_iter().next().unwrap_or_default())
}

/// By passage number; zero for those that are gone or filtered out.
pub(super) fn cosines(matrix: &Matrix, query: &[f32], index: &Index, filter: &Filter) -> Vec<f32> {
    let mut cosines = vec![0.0; index.docs.count() as usize];
    let open = filter.is_open();
    matrix.scan(query, |doc, cosine| {
        if let Some(slot) = cosines.get_mut(doc as usize)
            && cosine > 0.0
            && (open || index.docs.get(doc).is_some_and(|doc| filter.lets(&doc)))
        {
            *slot = cosine;
        }
    });
    for doc in &index.gone {
        if let Some(slot) = cosines.get_mut(*doc as usize) {
            *slot = 0.0;
        }
    }
    cosines
}
