//! Which chunk is meant?

use crate::model::ChunkId;
use crate::store::ViewReader;

use super::RetrieveError;

/// Candidates that are named where several fit.
const NAMED: usize = 5;

/// The one chunk whose id begins like this; brackets around it are how answers show ids.
pub fn find_chunk(view: &ViewReader<'_>, asked: &str) -> Result<ChunkId, RetrieveError> {
    let prefix = asked.trim_matches(['[', ']']);
    let found = view.chunk_ids_with_prefix(prefix, NAMED)?;
    match found.as_slice() {
        [id] => Ok(*id),
        [] => Err(RetrieveError::NotFound { what: "chunk", asked: asked.to_owned() }),
        several => {
            let candidates = several.iter().map(ToString::to_string).collect();
            Err(RetrieveError::Ambiguous { what: "chunk", asked: asked.to_owned(), candidates })
        }
    }
}
