//! What speaks for each function? Beside its file, which counts as much as all of these.

use super::Place;
use super::question::{Frame, Question};
use super::signals::meaning_of_functions;
use crate::postings::Posting;
use crate::terms::{Bag, Term};
use crate::tree::{TreeEntity, file_name};

/// Names of the function signals, in the order of [`function_signals`].
pub const FUNCTION_SIGNALS: [&str; 6] = ["words", "meaning", "named", "frame", "size", "in-file"];
/// How soon a term that occurs again stops to count.
const K1: f32 = 2.0;

/// Every signal for a question, per function.
pub fn function_signals(place: &Place<'_>, question: &Question) -> Vec<Vec<f32>> {
    let words = place.tree.function_words().score(&question.terms, K1);
    let (mut names, mut frames, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
    for entity in place.tree.functions().iter().filter_map(|number| place.tree.entity(*number)) {
        names.push(named(place, question, &entity));
        frames.push(in_frame(question, &entity));
        sizes.push(size(&entity));
    }
    vec![words, meaning_of_functions(place, question), names, frames, sizes, in_file(place, &question.terms)]
}

/// Vocabulary again, where a term tells by how few functions of the same file have it.
fn in_file(place: &Place<'_>, terms: &Bag) -> Vec<f32> {
    let functions = place.tree.functions();
    let file_of = |posting: &Posting| {
        let entity = functions.get(posting.document as usize).and_then(|entity| place.tree.entity(*entity));
        entity.map_or(0, |entity| entity.file)
    };
    let postings = place.tree.function_words();
    let mut scores = vec![0.0; functions.len()];
    for &(term, weight) in &terms.terms {
        for entries in postings.list(term).chunk_by(|a, b| file_of(a) == file_of(b)) {
            let size = place.tree.functions_of(file_of(&entries[0])).len() as f32;
            let holding = entries.len() as f32;
            let rarity = (1.0 + (size - holding + 0.5) / (holding + 0.5)).ln();
            for posting in entries {
                scores[posting.document as usize] += weight * rarity * posting.weight / (K1 + posting.weight);
            }
        }
    }
    scores
}

/// Does the question write its name? The fewer have it, the more it tells.
fn named(place: &Place<'_>, question: &Question, entity: &TreeEntity<'_>) -> f32 {
    if question.names.is_empty() {
        return 0.0;
    }
    let name = Term::of_identifier(entity.name);
    let is_named = question.names.binary_search(&name).is_ok();
    if is_named { 1.0 / place.tree.named(name).len().max(1) as f32 } else { 0.0 }
}

/// Is it in the stack trace? The raise site counts most.
fn in_frame(question: &Question, entity: &TreeEntity<'_>) -> f32 {
    let is_this = |frame: &Frame| {
        file_name(&frame.path) == file_name(entity.path) && frame.function.as_deref() == Some(entity.name)
    };
    question.frames.iter().position(is_this).map_or(0.0, |rank| 1.0 / (1.0 + rank as f32))
}

/// Where there is more code there is more to be wrong.
fn size(entity: &TreeEntity<'_>) -> f32 {
    (1.0 + (entity.last_line - entity.first_line) as f32).ln()
}
