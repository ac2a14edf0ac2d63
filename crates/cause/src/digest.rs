//! What is known about one version of a file? Derived from its path and bytes alone, so it stays valid while they are
//! unchanged.

use std::ops::Range;

use backstory_code::{Entity, EntityId, EntityKind, ParsedFile};
use backstory_language::embed::{DIM, StaticTable};
use serde::{Deserialize, Serialize};

use crate::path_names::stem;
use crate::role::FileRole;
use crate::terms::{Bag, Counter, TermVocabulary};
use backstory_language::text::{identifier_parts, identifiers};

/// How much of a function is embedded. Its first lines say what it is for; a mean over all of a
/// long body is close to every question.
const EMBEDDED_BYTES: usize = 1500;

/// One version of a file, ready to be indexed.
#[derive(Default, Serialize, Deserialize)]
pub struct FileDigest {
    pub names: Bag,
    pub comments: Bag,
    pub code: Bag,
    pub functions: Vec<FunctionDigest>,
}

/// A function or type, ready to be indexed by its own text: with the comment above, without the
/// functions inside it.
#[derive(Serialize, Deserialize)]
pub struct FunctionDigest {
    /// Its index in [`ParsedFile::entities`].
    pub entity: u32,
    pub name: Bag,
    pub body: Bag,
    /// The unit-length vector of its text, times 127.
    pub vector: Vec<i8>,
}

/// The state needed to read texts; one per thread.
pub struct Reader {
    pub vocabulary: TermVocabulary,
    embedding: StaticTable,
}

impl Default for Reader {
    fn default() -> Self {
        Self { vocabulary: TermVocabulary::default(), embedding: StaticTable::shipped() }
    }
}

impl Reader {
    /// Functions are kept for sources only: only a source can be a cause.
    pub fn digest(&mut self, text: &str, file: &ParsedFile, role: FileRole) -> FileDigest {
        let with_functions = role == FileRole::Source;
        if file.entities.len() < 2 || file.language.is_none() {
            return FileDigest { code: self.vocabulary.bag(text), ..FileDigest::default() };
        }
        let mut digest = FileDigest::default();
        let mut names = Counter::default();
        for entity in file.entities.iter().skip(1) {
            let simple = simple_name(&entity.qualified);
            if is_ranked(entity.kind) {
                self.vocabulary.count(simple, 1.0, &mut names);
            }
        }
        digest.names = names.bag();
        let comments: Vec<Range<usize>> = file.comments.iter().map(|comment| comment.span.range()).collect();
        let mut in_comments = Counter::default();
        for range in &comments {
            self.vocabulary.count(slice(text, range), 1.0, &mut in_comments);
        }
        digest.comments = in_comments.bag();
        let mut code = Counter::default();
        // Tests inside a source file are not part of what it does.
        let tests = file.entities.iter().filter(|entity| with_functions && is_test(entity));
        let passed_over: Vec<Range<usize>> =
            comments.iter().cloned().chain(tests.map(|entity| entity.span.range())).collect();
        for range in outside(text.len(), &passed_over) {
            self.vocabulary.count(slice(text, &range), 1.0, &mut code);
        }
        digest.code = code.bag();
        if with_functions {
            let ranked = (0u32..).zip(&file.entities).skip(1).filter(|(_, entity)| is_ranked(entity.kind));
            digest.functions = ranked.map(|(at, entity)| self.function(text, at, entity, file, &comments)).collect();
        }
        digest
    }

    /// The vector of a text.
    pub fn embed(&mut self, text: &str) -> Vec<i8> {
        let mut vector = [0.0; DIM];
        self.embedding.embed_one(text, &mut vector);
        vector.iter().map(|value| (value * 127.0).round() as i8).collect()
    }

    fn function(
        &mut self,
        text: &str,
        at: u32,
        entity: &Entity,
        file: &ParsedFile,
        comments: &[Range<usize>],
    ) -> FunctionDigest {
        let span = entity.span.range();
        let inner = functions_inside(text, entity, file, comments);
        let qualified = full_name(file, entity);
        let mut body = Counter::default();
        let above = slice(text, &(comment_above(text, span.start, comments)..span.start));
        self.vocabulary.count(above, 1.0, &mut body);
        for range in outside(span.len(), &inner) {
            self.vocabulary.count(slice(text, &(span.start + range.start..span.start + range.end)), 1.0, &mut body);
        }
        FunctionDigest {
            entity: at,
            name: self.vocabulary.bag(&qualified),
            body: body.bag(),
            vector: self.embed(&split_identifiers(&head(text, entity, &qualified, above, &inner))),
        }
    }
}

/// The text to embed: the name, the comment above and the first lines; for a type, the lines outside its methods.
fn head(text: &str, entity: &Entity, qualified: &str, above: &str, inner: &[Range<usize>]) -> String {
    let span = entity.span.range();
    let inner = if entity.kind == EntityKind::Type { inner } else { &[] };
    let mut head = format!("{qualified} {}", prefix(above, EMBEDDED_BYTES / 2));
    for range in outside(span.len(), inner) {
        if head.len() < EMBEDDED_BYTES {
            head.push(' ');
            head.push_str(prefix(slice(text, &(span.start + range.start..span.start + range.end)), EMBEDDED_BYTES));
        }
    }
    prefix(&head, EMBEDDED_BYTES).to_owned()
}

/// Is it a test, or inside a test or a test module?
pub fn is_in_tests(file: &ParsedFile, at: u32) -> bool {
    let mut at = Some(EntityId(at));
    while let Some(entity) = at.map(|at| file.entity(at)) {
        if is_test(entity) {
            return true;
        }
        at = entity.parent;
    }
    false
}

fn is_test(entity: &Entity) -> bool {
    let is_module = entity.kind == EntityKind::Module && matches!(entity.name.as_str(), "tests" | "test");
    entity.kind == EntityKind::Test || is_module
}

/// Only functions and types are ranked as causes; the other entities only provide names.
pub fn is_ranked(kind: EntityKind) -> bool {
    kind.is_callable() || kind == EntityKind::Type
}

/// A method defined outside its type still belongs to the type. An unnamed export is called by its own name, as in
/// `module.exports = function own() {}`, or by its file's name.
pub fn full_name(file: &ParsedFile, entity: &Entity) -> String {
    let qualified = match &entity.owner_name {
        Some(owner) if !entity.qualified.contains('.') => format!("{owner}.{}", entity.qualified),
        _ => entity.qualified.clone(),
    };
    match qualified.strip_prefix("default") {
        Some(rest) if rest.is_empty() || rest.starts_with('.') => {
            let exported = file.entities.iter().find(|entity| entity.qualified == "default");
            let own = exported.and_then(|entity| own_name(&entity.signature));
            format!("{}{rest}", own.unwrap_or_else(|| stem(&file.path)))
        }
        _ => qualified,
    }
}

/// The name that a function expression gives itself.
fn own_name(signature: &str) -> Option<&str> {
    let (_, after) = signature.split_once("function")?;
    let name = after.trim_start_matches(['*', ' ']).split('(').next()?.trim();
    (!name.is_empty()).then_some(name)
}

/// The text as words: the embedding knows words, not `camelCase`.
pub fn split_identifiers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for identifier in identifiers(text) {
        for part in identifier_parts(identifier) {
            out.push_str(&part);
            out.push(' ');
        }
    }
    out
}

/// The last part of a qualified name.
pub fn simple_name(qualified: &str) -> &str {
    qualified.rsplit('.').next().unwrap_or(qualified)
}

/// The longest head of `text` with at most `bytes` bytes.
pub fn prefix(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    &text[..end]
}

fn slice<'a>(text: &'a str, range: &Range<usize>) -> &'a str {
    text.get(range.clone()).unwrap_or_default()
}

/// The start of the comments directly above a definition.
fn comment_above(text: &str, start: usize, comments: &[Range<usize>]) -> usize {
    let mut top = start;
    for comment in comments.iter().rev().skip_while(|comment| comment.end > start) {
        let between = slice(text, &(comment.end..top));
        if between.trim().is_empty() && between.matches('\n').count() <= 1 {
            top = comment.start;
        } else {
            break;
        }
    }
    top
}

/// The functions inside another entity, with their comments, relative to its start.
fn functions_inside(text: &str, outer: &Entity, file: &ParsedFile, comments: &[Range<usize>]) -> Vec<Range<usize>> {
    let start = outer.span.start as usize;
    let is_inside = |entity: &&Entity| {
        entity.kind.is_callable()
            && entity.span.start >= outer.span.start
            && entity.span.end <= outer.span.end
            && entity.span != outer.span
    };
    let relative = |entity: &Entity| {
        let top = comment_above(text, entity.span.start as usize, comments).max(start);
        top - start..entity.span.end as usize - start
    };
    file.entities.iter().filter(is_inside).map(relative).collect()
}

/// The parts of `0..length` that no range covers.
fn outside(length: usize, ranges: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut sorted: Vec<_> = ranges.to_vec();
    sorted.sort_unstable_by_key(|range| range.start);
    let mut free = Vec::new();
    let mut at = 0;
    for range in sorted {
        if range.start > at {
            free.push(at..range.start);
        }
        at = at.max(range.end);
    }
    if at < length {
        free.push(at..length);
    }
    free
}
