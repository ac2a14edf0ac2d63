//! Makes the vectors of passages with the built-in table.

use backstory_language::embed::{DIM, Embedder, StaticTable};

use crate::store::index::DocNum;
use crate::store::{IndexState, StoreError, ViewReader, ViewTx};

use super::passages;

/// Makes the vectors of the new passages. If earlier passages have none (another model was in use),
/// the new ones wait too, because rows are numbered like passages: [`super::Pending`] makes them
/// all later.
pub(super) fn put_shipped(
    tx: &mut ViewTx<'_>,
    table: &mut StaticTable,
    state: &IndexState,
    first: DocNum,
    texts: &[String],
) -> Result<(), StoreError> {
    let model = table.model().to_owned();
    let have = tx.read().vectors_of(&model)?.map_or(0, |(_, docs)| docs);
    if have < first || texts.is_empty() {
        return Ok(());
    }
    let embed = |text: &String| {
        let mut vector = [0.0; DIM];
        table.embed_one(text, &mut vector);
        vector.to_vec()
    };
    let vectors: Vec<Vec<f32>> = texts.iter().map(embed).collect();
    tx.put_vectors(state.generation, &model, DIM, &vectors)
}

/// The embedded texts of the passages with these numbers; empty for passages that are gone.
pub(super) fn texts_of(view: ViewReader<'_>, from: DocNum, until: DocNum) -> Result<Vec<String>, StoreError> {
    let docs = view.docs(until)?;
    let mut texts = Vec::new();
    let mut last = None;
    for doc in (from..until).filter_map(|number| docs.get(number)) {
        if last.as_ref().is_none_or(|(chunk, _)| *chunk != doc.chunk) {
            last = Some((doc.chunk, view.body(doc.chunk)?));
        }
        let body = last.as_ref().and_then(|(_, body)| body.as_ref());
        let found =
            body.map(passages).into_iter().flatten().find(|passage| passage.parts.0 == usize::from(doc.parts.0));
        texts.push(found.map(|passage| passage.embedded_text().to_owned()).unwrap_or_default());
    }
    Ok(texts)
}
