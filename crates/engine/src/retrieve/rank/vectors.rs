//! The passages whose vectors are nearest to the question's.

use backstory_language::embed::{EmbedError, Embedder};

use crate::store::index::{DocNum, Matrix};
use crate::store::{Index, StoreError, ViewReader};

use super::Filter;
use super::best::Best;

/// The question's vector, if there are vectors to compare it with. Otherwise a notice says why, and only words are
/// used.
pub(super) fn of_query(
    view: &ViewReader<'_>,
    index: &Index,
    embedder: &mut dyn Embedder,
    text: &str,
    notices: &mut Vec<String>,
) -> Result<Option<Vec<f32>>, StoreError> {
    let docs = index.state.docs;
    let made = view.vectors_of(embedder.model())?.map_or(0, |(_, made)| made);
    match docs.saturating_sub(made) {
        0 => {}
        1 => notices.push("1 passage has no vector yet; `backstory maintain` embeds it".to_owned()),
        waiting => notices.push(format!("{waiting} passages have no vectors yet; `backstory maintain` embeds them")),
    }
    if docs == 0 || made == 0 {
        return Ok(None);
    }
    match &index.vectors {
        Ok(matrix) => match embed_query(embedder, text, matrix.dim()) {
            Ok(vector) => return Ok(Some(vector)),
            Err(error) => notices.push(format!("only words were searched: {error}")),
        },
        Err(damage) => notices.push(format!("vectors are not used ({damage}); `backstory rebuild` recreates them")),
    }
    Ok(None)
}

fn embed_query(embedder: &mut dyn Embedder, text: &str, expected: usize) -> Result<Vec<f32>, EmbedError> {
    let vector = embedder.embed(&[text])?.into_iter().next().unwrap_or_default();
    match vector.len() {
        found if found != expected => {
            Err(EmbedError::Dimensions { model: embedder.model().to_owned(), expected, found })
        }
        _ => Ok(vector),
    }
}

/// The upper bound of a cosine; rounding to int8 adds a little.
const LARGEST_COSINE: f32 = 1.05;

/// The passages nearest to the query, best first, without deleted or filtered ones. None if the matrix contains invalid
/// values.
pub(super) fn nearest(
    matrix: &Matrix,
    query: &[f32],
    index: &Index,
    filter: &Filter,
    wanted: usize,
) -> Option<Vec<(DocNum, f32)>> {
    let open = filter.is_open();
    let lets = |doc: DocNum| {
        let known =
            if open { doc < index.docs.count() } else { index.docs.get(doc).is_some_and(|doc| filter.lets(&doc)) };
        known && (index.gone.is_empty() || !index.gone.contains(&doc))
    };
    let mut best = Best::new(wanted);
    let mut damaged = false;
    let see = |doc, cosine| {
        damaged |= !(-LARGEST_COSINE..=LARGEST_COSINE).contains(&cosine);
        if best.wants(cosine) && lets(doc) {
            best.add(doc, cosine);
        }
    };
    match matrix.likely(query, wanted, lets) {
        Some(rows) => matrix.scan_some(query, &rows, see),
        None => matrix.scan(query, see),
    }
    (!damaged).then(|| best.sorted())
}
