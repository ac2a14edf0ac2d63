//! Scores each function by several signals. Its file's score counts as much as all of them.

use super::Codebase;
use super::question::{FaultQuestion, StackFrame};
use super::signals::meaning_of_functions;
use crate::path_names::file_name;
use crate::postings::TermPosting;
use crate::terms::{Bag, Term};
use crate::tree::TreeEntity;

/// Names of the function signals, in the order of [`function_signals`].
pub const FUNCTION_SIGNALS: [&str; 6] = ["words", "meaning", "named", "frame", "size", "in-file"];
/// Term saturation: how soon further occurrences of a term stop counting.
const K1: f32 = 2.0;

/// Every signal for a question, per function.
pub fn function_signals(codebase: &Codebase<'_>, question: &FaultQuestion) -> Vec<Vec<f32>> {
    let words = codebase.tree.function_words().score(&question.terms, K1);
    let (mut names, mut frames, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
    for entity in codebase.tree.functions().iter().filter_map(|number| codebase.tree.entity(*number)) {
        names.push(named(codebase, question, &entity));
        frames.push(in_frame(question, &entity));
        sizes.push(size(&entity));
    }
    vec![words, meaning_of_functions(codebase, question), names, frames, sizes, in_file(codebase, &question.terms)]
}

/// The words signal again, with rarity measured among the functions of the same file.
fn in_file(codebase: &Codebase<'_>, terms: &Bag) -> Vec<f32> {
    let functions = codebase.tree.functions();
    let file_of = |posting: &TermPosting| {
        let entity = functions.get(posting.document as usize).and_then(|entity| codebase.tree.entity(*entity));
        entity.map_or(0, |entity| entity.file)
    };
    let postings = codebase.tree.function_words();
    let mut scores = vec![0.0; functions.len()];
    for &(term, weight) in &terms.terms {
        for entries in postings.list(term).chunk_by(|a, b| file_of(a) == file_of(b)) {
            let size = codebase.tree.functions_of(file_of(&entries[0])).len() as f32;
            let holding = entries.len() as f32;
            let rarity = (1.0 + (size - holding + 0.5) / (holding + 0.5)).ln();
            for posting in entries {
                scores[posting.document as usize] += weight * rarity * posting.weight / (K1 + posting.weight);
            }
        }
    }
    scores
}

/// Does the question contain its name? The fewer entities share the name, the higher the score.
fn named(codebase: &Codebase<'_>, question: &FaultQuestion, entity: &TreeEntity<'_>) -> f32 {
    if question.names.is_empty() {
        return 0.0;
    }
    let name = Term::of_identifier(entity.name);
    let is_named = question.names.binary_search(&name).is_ok();
    if is_named { 1.0 / codebase.tree.named(name).len().max(1) as f32 } else { 0.0 }
}

/// Is it in the stack trace? The raise site counts most.
fn in_frame(question: &FaultQuestion, entity: &TreeEntity<'_>) -> f32 {
    let is_this = |frame: &StackFrame| {
        file_name(&frame.path) == file_name(entity.path) && frame.function.as_deref() == Some(entity.name)
    };
    question.frames.iter().position(is_this).map_or(0.0, |rank| 1.0 / (1.0 + rank as f32))
}

/// Longer functions have more room for faults.
fn size(entity: &TreeEntity<'_>) -> f32 {
    (1.0 + (entity.last_line - entity.first_line) as f32).ln()
}
