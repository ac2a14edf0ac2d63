//! Finds a chunk by its id.

use crate::model::ChunkId;
use crate::store::ViewReader;

use super::RetrieveError;

/// At most this many ambiguous candidates are named.
const NAMED: usize = 5;

/// The one chunk whose id starts with `asked`, which may have the brackets that answers put around ids.
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
