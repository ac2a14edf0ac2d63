//! Parsed files and their digests -> the index of a tree.

use backstory_code::{Graph, ParsedFile};
use rustc_hash::FxHashMap;

use super::{CodeEdgeRow, EDGE_KINDS, ENTITY_KINDS, EntityRow, FileRow, NONE, RULES, RaiseRow, VERSION, number};
use crate::digest::{FileDigest, full_name, is_in_tests, simple_name};
use crate::flat::{Flat, FlatBuilder};
use crate::postings::{PostingRows, WeightedBag};
use crate::role::{FileRole, role};
use crate::terms::{Bag, Term, TermVocabulary};

/// The weight of each field of a file. Fitted on real bug reports, where the optimum is flat.
const PATH: f32 = 3.0;
const NAMES: f32 = 5.0;
const TEXT: f32 = 1.0;
const FUNCTION_NAME: f32 = 6.0;
/// How much length matters, for files and for functions.
const B: f32 = 0.5;
const FUNCTION_B: f32 = 0.2;
/// At most this much of a definition's first line is kept.
const SIGNATURE: usize = 160;

/// A file of the tree: its entities and its words.
pub type TreeSource<'a> = (&'a ParsedFile, &'a FileDigest);

/// Builds the index. `graph` must be of the same files.
pub fn build(files: &[TreeSource<'_>], graph: &Graph, vocabulary: &mut TermVocabulary) -> Flat {
    let mut order: Vec<usize> = (0..files.len()).collect();
    let role_of = |at: usize| if is_made(files[at].0) { FileRole::Generated } else { role(&files[at].0.path) };
    order.sort_by_key(|&at| (role_of(at), &files[at].0.path));
    let files: Vec<(FileRole, TreeSource<'_>)> = order.into_iter().map(|at| (role_of(at), files[at])).collect();

    let mut out = FlatBuilder::default();
    let numbers = Numbers::new(&files, graph);
    write_entities(&files, &numbers, &mut out);
    write_edges(graph, &numbers, &mut out);
    write_words(&files, &numbers, vocabulary, &mut out);
    out.finish(VERSION)
}

fn is_made(file: &ParsedFile) -> bool {
    use backstory_code::ParseProblem;
    file.problems.iter().any(|problem| matches!(problem, ParseProblem::Generated | ParseProblem::Minified))
}

/// Entities are numbered through all files, in the files' order.
struct Numbers {
    first_entity: Vec<u32>,
    /// By the file's index in the graph.
    of_graph: Vec<u32>,
}

impl Numbers {
    fn new(files: &[(FileRole, TreeSource<'_>)], graph: &Graph) -> Self {
        let mut first_entity = Vec::with_capacity(files.len());
        let mut next = 0;
        let mut by_path: FxHashMap<&str, u32> = FxHashMap::default();
        for (_, (parsed, _)) in files {
            by_path.insert(&parsed.path, next);
            first_entity.push(next);
            next += parsed.entities.len() as u32;
        }
        let of_graph = graph.paths.iter().map(|path| by_path.get(path.as_str()).copied().unwrap_or(NONE)).collect();
        Self { first_entity, of_graph }
    }
}

fn write_entities(files: &[(FileRole, TreeSource<'_>)], numbers: &Numbers, out: &mut FlatBuilder) {
    let (mut rows, mut entities, mut functions, mut raises) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut vectors: Vec<i8> = Vec::new();
    for (file, (role, (parsed, digest))) in (0u32..).zip(files) {
        let first = numbers.first_entity[file as usize];
        let first_function = functions.len() as u32;
        let mut function_of: FxHashMap<u32, u32> = FxHashMap::default();
        if *role == FileRole::Source {
            let can_be_cause = |at: u32| !is_in_tests(parsed, at);
            for function in digest.functions.iter().filter(|function| can_be_cause(function.entity)) {
                function_of.insert(function.entity, functions.len() as u32);
                functions.push(first + function.entity);
                vectors.extend_from_slice(&function.vector);
            }
        }
        rows.push(FileRow {
            path: out.text(&parsed.path),
            role: *role as u32,
            first_entity: first,
            entities: parsed.entities.len() as u32,
            first_function,
            functions: functions.len() as u32 - first_function,
        });
        for (at, entity) in (0u32..).zip(&parsed.entities) {
            entities.push(EntityRow {
                name: out.text(&entity.name),
                qualified: out.text(&full_name(parsed, entity)),
                signature: out.text(crate::digest::prefix(&entity.signature, SIGNATURE)),
                file,
                parent: entity.parent.map_or(NONE, |parent| first + parent.0),
                function: function_of.get(&at).copied().unwrap_or(NONE),
                kind: number(&ENTITY_KINDS, entity.kind) as u32,
                first_line: entity.first_line,
                last_line: entity.last_line,
                name_line: entity.name_line,
            });
        }
        for raise in &parsed.raises {
            raises.push(RaiseRow {
                what: out.text(&raise.what),
                message: out.text(raise.message.as_deref().unwrap_or_default()),
                entity: first + raise.from.0,
                line: raise.line,
            });
        }
    }
    out.rows("files", &rows);
    out.rows("entities", &entities);
    out.rows("funcs", &functions);
    out.rows("raises", &raises);
    out.rows("vectors", &vectors);
}

fn write_edges(graph: &Graph, numbers: &Numbers, out: &mut FlatBuilder) {
    let entity = |of: backstory_code::EntityRef| match numbers.of_graph.get(of.file as usize) {
        Some(&first) if first != NONE => Some(first + of.entity.0),
        _ => None,
    };
    let mut rows: Vec<CodeEdgeRow> = Vec::with_capacity(graph.edges.len());
    for edge in &graph.edges {
        let (Some(from), Some(to)) = (entity(edge.from), entity(edge.to)) else { continue };
        rows.push(CodeEdgeRow {
            from,
            to,
            line: edge.line,
            strength: edge.strength,
            kind: number(&EDGE_KINDS, edge.kind) as u8,
            rule: number(&RULES, edge.rule) as u8,
            ambiguous: u8::from(edge.ambiguous),
            unused: 0,
        });
    }
    rows.sort_by_key(|row| (row.from, row.to, row.kind));
    let mut by_target: Vec<u32> = (0..rows.len() as u32).collect();
    by_target.sort_by_key(|at| rows[*at as usize].to);
    out.rows("edges", &rows);
    out.rows("edges_to", &by_target);
}

fn write_words(
    files: &[(FileRole, TreeSource<'_>)],
    numbers: &Numbers,
    vocabulary: &mut TermVocabulary,
    out: &mut FlatBuilder,
) {
    let paths: Vec<Bag> = files.iter().map(|(_, (parsed, _))| vocabulary.bag(&parsed.path)).collect();
    let of_role = |wanted: FileRole| {
        let all = files.iter().zip(&paths).filter(move |((role, _), _)| *role == wanted);
        all.map(|((_, (_, digest)), path)| {
            vec![
                WeightedBag { bag: path, weight: PATH },
                WeightedBag { bag: &digest.names, weight: NAMES },
                WeightedBag { bag: &digest.comments, weight: TEXT },
                WeightedBag { bag: &digest.code, weight: TEXT },
            ]
        })
    };
    for (role, name) in [(FileRole::Source, "src"), (FileRole::Test, "tests"), (FileRole::Document, "docs")] {
        PostingRows::of_documents(&of_role(role).collect::<Vec<_>>(), B).write(name, out);
    }
    let sources = files.iter().zip(&paths).filter(|((role, _), _)| *role == FileRole::Source);
    let path_fields: Vec<_> = sources.clone().map(|(_, bag)| vec![WeightedBag { bag, weight: 1.0 }]).collect();
    PostingRows::of_documents(&path_fields, B).write("path", out);

    let mut functions = Vec::new();
    for ((_, (parsed, digest)), path) in sources {
        for function in digest.functions.iter().filter(|function| !is_in_tests(parsed, function.entity)) {
            functions.push(vec![
                WeightedBag { bag: path, weight: 1.0 },
                WeightedBag { bag: &function.name, weight: FUNCTION_NAME },
                WeightedBag { bag: &function.body, weight: TEXT },
            ]);
        }
    }
    PostingRows::of_documents(&functions, FUNCTION_B).write("func", out);

    let mut named = Vec::new();
    for ((_, (parsed, _)), first) in files.iter().zip(&numbers.first_entity) {
        let with_names = (0u32..).zip(&parsed.entities).skip(1);
        named.extend(with_names.map(|(at, entity)| (Term::of_identifier(simple_name(&entity.name)), first + at, 1.0)));
    }
    let count = numbers.first_entity.last().map_or(0, |first| *first as usize + 1);
    PostingRows::new(named, count).write("name", out);
}
