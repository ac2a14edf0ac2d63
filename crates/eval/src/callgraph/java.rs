//! Precision and recall against the calls in compiled Java.
//!
//! How a call in bytecode becomes a call between source entities:
//!
//! - Classes: `a.b.Outer$Inner` is `Outer.Inner`; `Outer$1` is the first anonymous class in `Outer`; `Outer$1Local` is
//!   a class `Local` inside a method of `Outer`.
//! - Only calls between classes with a source here are in scope.
//! - Compiler-generated methods have no source and are left out: accessors (`access$000`), bridge methods (the same
//!   method again with erased types, which calls the real one on the line of the class), `values` and `valueOf` of
//!   enums.
//! - `lambda$name$0` belongs to `name`.
//! - `<init>` is a constructor with those parameter types; the parameters that the compiler adds (the outer object, an
//!   enum's name and number, captured variables, the marker class of a private constructor) are not in the source.
//!   `<clinit>`, field initialisers and default constructors are the class itself.
//! - The constructor of an anonymous class is the class; creating it calls the base's constructor, which is two calls
//!   in bytecode. Both are one call in the source, from the place of creation to the base's constructor.
//! - A callee is the method found by walking up from the named class, by name and parameter types.
//!
//! The checkout is the folder of the sources that were compiled, without tests: every call edge
//! between two entities in it is counted.
//!
//! Edges are compared as pairs of entities: caller and callee with its parameter types. Edges by the rule Override mean
//! something else (what may run), so they are not counted.

use std::collections::{BTreeMap, HashMap};

use backstory_code::{CodeEdgeKind, EdgeRule, Entity, EntityKind, ParsedFile, ReferenceKind};

use super::{Code, share, text};
use crate::stats::verdict_at_least;

/// At most this many of each kind of mistake are shown.
const SHOWN: usize = 5;

/// A class's members and bases, by names as in the source.
#[derive(Default)]
struct Class {
    /// Name and short parameter types -> the key.
    methods: HashMap<(String, Vec<String>), String>,
    /// The lines of each method.
    lines: Vec<(String, u64, u64)>,
    constructors: Vec<Vec<String>>,
    bases: Vec<String>,
    /// `Local` of `Outer$1Local`.
    local_name: Option<String>,
    anonymous: bool,
}

pub fn measure(code: &Code, rows: &[serde_json::Value]) {
    let Code { files, graph } = code;
    let classes = read_classes(files);
    let creators = creators(rows, &classes);
    let mut wanted: BTreeMap<(String, String), String> = BTreeMap::new();
    let mut left_out: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows {
        match truth_edge(row, &classes, &creators) {
            Ok(edge) => {
                let shown = format!("{}:{} {}", text(row, "source_file"), row["line"], row["invoke"]);
                wanted.entry(edge).or_insert(shown);
            }
            Err(reason) => *left_out.entry(reason).or_default() += 1,
        }
    }
    let mut found: BTreeMap<(String, String), (String, EdgeRule, bool)> = BTreeMap::new();
    for edge in graph.edges.iter().filter(|edge| edge.kind == CodeEdgeKind::Calls && edge.rule != EdgeRule::Override) {
        let (from, to) = (&files[edge.from.file as usize], &files[edge.to.file as usize]);
        if !from.path.ends_with(".java") || !to.path.ends_with(".java") {
            continue;
        }
        let (Some(from_key), Some(to_key)) =
            (caller_key(from, edge.from.entity.index()), callee_key(to, edge.to.entity.index()))
        else {
            continue;
        };
        let shown = format!("{}:{}", from.path.rsplit('/').next().unwrap_or_default(), edge.line);
        found.insert((from_key, to_key), (shown, edge.rule, edge.ambiguous));
    }
    report(&wanted, &found, &left_out);
}

fn report(
    wanted: &BTreeMap<(String, String), String>,
    found: &BTreeMap<(String, String), (String, EdgeRule, bool)>,
    left_out: &BTreeMap<&str, usize>,
) {
    println!("known calls without a counterpart in the source:");
    for (reason, count) in left_out {
        println!("    {count:>6} {reason}");
    }
    let hits = wanted.keys().filter(|edge| found.contains_key(*edge)).count();
    let mut missed: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for ((from, to), shown) in wanted {
        if !found.contains_key(&(from.clone(), to.clone())) {
            let name = to.split('(').next().unwrap_or("");
            let near = found.keys().any(|(f, t)| f == from && t.split('(').next() == Some(name));
            let short = name.rsplit('#').next().unwrap_or("");
            let other = found
                .keys()
                .any(|(f, t)| f == from && t.split('(').next().and_then(|t| t.rsplit('#').next()) == Some(short));
            let reason = match (near, other) {
                (true, _) => "another overload",
                (_, true) => "another class",
                _ if name.ends_with("#<init>") => "constructor",
                _ => "nothing",
            };
            missed.entry(reason).or_default().push(format!("{shown} {from} -> {to}"));
        }
    }
    let mut wrong: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for ((from, to), (shown, rule, ambiguous)) in found {
        if !wanted.contains_key(&(from.clone(), to.clone())) {
            wrong.entry(format!("{rule:?} ambiguous={ambiguous}")).or_default().push(format!("{shown} {from} -> {to}"));
        }
    }
    for (title, lists) in
        [("missed", missed.into_iter().map(|(a, b)| (a.to_owned(), b)).collect::<BTreeMap<_, _>>()), ("wrong", wrong)]
    {
        for (reason, list) in lists {
            println!("{title}: {} {reason}", list.len());
            for row in list.iter().take(SHOWN) {
                println!("    {row}");
            }
        }
    }
    println!("\n{hits} calls are in both; {} are found, {} are known", found.len(), wanted.len());
    verdict_at_least("precision", share(hits, found.len()), 0.85);
    verdict_at_least("recall", share(hits, wanted.len()), 0.80);
}

/// `a.b.Outer$Inner` -> `a.b.Outer.Inner`; `$1` stays, `$1Local` becomes `Local`. A name may contain a dollar sign
/// itself.
fn source_class(name: &str) -> String {
    let (package, class) = name.rsplit_once('.').unwrap_or(("", name));
    let mut out = String::new();
    for (index, part) in class.split('$').enumerate() {
        let first = part.chars().next();
        match first {
            _ if index == 0 => out.push_str(part),
            // `$Gson$Types`: an empty part before it.
            Some(_) if index == 1 && out.is_empty() => out = format!("${part}"),
            Some(digit) if digit.is_ascii_digit() => {
                let local = part.trim_start_matches(|c: char| c.is_ascii_digit());
                match local.is_empty() {
                    true => out.push_str(&format!(".${part}")),
                    false => out.push_str(&format!(".{local}")),
                }
            }
            _ if out.starts_with('$') && index == 2 => out.push_str(&format!("${part}")),
            _ => out.push_str(&format!(".{part}")),
        }
    }
    format!("{package}.{out}")
}

fn class_key(file: &ParsedFile, class: usize) -> String {
    let entity = &file.entities[class];
    let mut parts = vec![entity.name.clone()];
    let mut at = entity.parent;
    while let Some(parent) = at {
        let parent_entity = file.entity(parent);
        if parent_entity.kind == EntityKind::Type {
            parts.push(parent_entity.name.clone());
        }
        at = parent_entity.parent;
    }
    parts.reverse();
    format!("{}.{}", file.package.clone().unwrap_or_default(), parts.join("."))
}

fn enclosing_class(file: &ParsedFile, entity: usize) -> Option<usize> {
    let mut at = Some(entity);
    while let Some(here) = at {
        if file.entities[here].kind == EntityKind::Type {
            return Some(here);
        }
        at = file.entities[here].parent.map(|parent| parent.index());
    }
    None
}

fn short(text: &str) -> String {
    let array = text.matches("[]").count() + usize::from(text.ends_with("..."));
    let bare = text.replace("[]", "").replace("...", "");
    let bare = bare.split('<').next().unwrap_or("").trim().to_owned();
    let bare = bare.rsplit(['.', '$', ' ']).next().unwrap_or("").to_owned();
    format!("{bare}{}", "[]".repeat(array))
}

fn param_types(entity: &Entity, type_params: &HashMap<String, String>) -> Vec<String> {
    let erased = |text: &str| {
        let name = short(text);
        let bare = name.trim_end_matches("[]").to_owned();
        match type_params.get(&bare) {
            Some(bound) => name.replace(&bare, bound),
            None => name,
        }
    };
    entity.params.iter().map(|param| erased(&param.type_text)).collect()
}

/// Type variables are single capital letters here, or have a bound; erasure replaces them by their bound. Bounds are
/// read from the signature line.
fn variables_of(file: &ParsedFile, entity: usize) -> HashMap<String, String> {
    let mut known = HashMap::new();
    let mut at = Some(entity);
    while let Some(here) = at {
        let signature = &file.entities[here].signature;
        for part in signature.split(['<', ',', '>']) {
            let words: Vec<&str> = part.split_whitespace().collect();
            match words[..] {
                [name] if name.len() <= 2 && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit()) => {
                    known.entry(name.to_owned()).or_insert("Object".to_owned());
                }
                [name, "extends", bound, ..] => {
                    known.entry(name.to_owned()).or_insert(short(bound));
                }
                _ => {}
            }
        }
        at = file.entities[here].parent.map(|parent| parent.index());
    }
    for name in ["T", "E", "K", "V", "TT", "T1"] {
        known.entry(name.to_owned()).or_insert("Object".to_owned());
    }
    known
}

fn callee_key(file: &ParsedFile, entity: usize) -> Option<String> {
    let one = &file.entities[entity];
    let class = class_key(file, enclosing_class(file, entity)?);
    let types = param_types(one, &variables_of(file, entity)).join(",");
    Some(match one.kind {
        EntityKind::Type => format!("{class}#<init>()"),
        _ if one.is_constructor => format!("{class}#<init>({types})"),
        EntityKind::Method | EntityKind::Test => format!("{class}#{}({types})", one.name),
        _ => return None,
    })
}

fn caller_key(file: &ParsedFile, entity: usize) -> Option<String> {
    let class = class_key(file, enclosing_class(file, entity)?);
    let one = &file.entities[entity];
    Some(match one.kind {
        EntityKind::Method | EntityKind::Test if one.is_constructor => format!("{class}#<init>"),
        EntityKind::Method | EntityKind::Test => format!("{class}#{}", one.name),
        _ => format!("{class}#<init>"),
    })
}

fn read_classes(files: &[ParsedFile]) -> HashMap<String, Class> {
    let mut classes: HashMap<String, Class> = HashMap::new();
    let mut by_short: HashMap<String, Vec<String>> = HashMap::new();
    for file in files.iter().filter(|file| file.path.ends_with(".java")) {
        for (index, entity) in file.entities.iter().enumerate() {
            if entity.kind == EntityKind::Type {
                let key = class_key(file, index);
                by_short.entry(entity.name.clone()).or_default().push(key.clone());
                let class = classes.entry(key).or_default();
                class.anonymous = entity.name.starts_with('$') && entity.name[1..].bytes().all(|b| b.is_ascii_digit());
                class.local_name = Some(entity.name.clone());
            }
        }
    }
    for file in files.iter().filter(|file| file.path.ends_with(".java")) {
        for (index, entity) in file.entities.iter().enumerate() {
            let Some(owner) = enclosing_class(file, index) else { continue };
            let key = class_key(file, owner);
            let types = param_types(entity, &variables_of(file, index));
            let Some(class) = classes.get_mut(&key) else { continue };
            if entity.is_constructor {
                class.constructors.push(types);
            } else if matches!(entity.kind, EntityKind::Method | EntityKind::Test) {
                let to = format!("{key}#{}({})", entity.name, types.join(","));
                class.methods.insert((entity.name.clone(), types), to);
                class.lines.push((entity.name.clone(), entity.first_line.into(), entity.last_line.into()));
            }
        }
        for reference in &file.references {
            if !matches!(reference.kind, ReferenceKind::Inherit | ReferenceKind::Implement) {
                continue;
            }
            let key = class_key(file, reference.from.index());
            let base = file.name(reference.name);
            // Among several classes with that name, those that share most of their path.
            let candidates = by_short.get(base).map_or(&[][..], Vec::as_slice);
            let shared = |one: &str| one.bytes().zip(key.bytes()).take_while(|(a, b)| a == b).count();
            let best = candidates.iter().map(|one| shared(one)).max();
            let nearest = candidates.iter().filter(|one| Some(shared(one)) == best).cloned();
            if let Some(class) = classes.get_mut(&key) {
                class.bases.extend(nearest);
            }
        }
    }
    classes
}

fn descriptor_types(descriptor: &str) -> Vec<String> {
    let mut types = Vec::new();
    let mut chars = descriptor.trim_start_matches('(').chars();
    let mut array = 0;
    while let Some(c) = chars.next() {
        let name = match c {
            ')' => break,
            '[' => {
                array += 1;
                continue;
            }
            'L' => {
                let full: String = chars.by_ref().take_while(|c| *c != ';').collect();
                full.rsplit(['/', '$']).next().unwrap_or("").to_owned()
            }
            'I' => "int".into(),
            'J' => "long".into(),
            'Z' => "boolean".into(),
            'C' => "char".into(),
            'D' => "double".into(),
            'F' => "float".into(),
            'B' => "byte".into(),
            'S' => "short".into(),
            other => other.to_string(),
        };
        types.push(format!("{name}{}", "[]".repeat(array)));
        array = 0;
    }
    types
}

/// The creator of each anonymous class.
fn creators(rows: &[serde_json::Value], classes: &HashMap<String, Class>) -> HashMap<String, String> {
    let mut creators = HashMap::new();
    for row in rows {
        let callee = source_class(text(row, "callee_class"));
        if row["callee_method"] == "<init>" && classes.get(&callee).is_some_and(|class| class.anonymous) {
            let caller = source_class(text(row, "caller_class"));
            creators.insert(callee, format!("{caller}#{}", caller_method(text(row, "caller_method"))));
        }
    }
    creators
}

fn caller_method(name: &str) -> String {
    let inner = match name.strip_prefix("lambda$") {
        Some(rest) => rest.rsplit_once('$').map_or(rest, |(name, _)| name),
        None => name,
    };
    match inner {
        "<init>" | "<clinit>" => "<init>".to_owned(),
        "new" | "static" if name.starts_with("lambda$") => "<init>".to_owned(),
        inner => inner.to_owned(),
    }
}

fn truth_edge(
    row: &serde_json::Value,
    classes: &HashMap<String, Class>,
    creators: &HashMap<String, String>,
) -> Result<(String, String), &'static str> {
    let text = |name: &str| text(row, name);
    let caller_class = source_class(text("caller_class"));
    let callee_class = source_class(text("callee_class"));
    let Some(caller) = classes.get(&caller_class) else { return Err("caller has no source") };
    let Some(callee) = classes.get(&callee_class) else { return Err("callee has no source") };
    let (from_name, to_name) = (text("caller_method"), text("callee_method"));
    if from_name.starts_with("access$") || to_name.starts_with("access$") {
        return Err("accessor");
    }
    if matches!(to_name, "values" | "valueOf" | "ordinal" | "clone") && !has_method(classes, &callee_class, to_name) {
        return Err("made by the compiler");
    }
    let types = descriptor_types(text("callee_desc"));
    if from_name == to_name && from_name != "<init>" && caller_class == callee_class && is_bridge(row, caller) {
        return Err("bridge");
    }
    let mut from = format!("{caller_class}#{}", caller_method(from_name));
    if caller.anonymous && from_name == "<init>" && caller.bases.contains(&callee_class) {
        from = creators.get(&caller_class).cloned().unwrap_or(from);
    }
    if to_name == "<init>" {
        if callee.anonymous {
            return Err("constructor of a class without a name: counted at its base");
        }
        return Ok((from, constructor(&callee_class, callee, &types)));
    }
    match method(classes, &callee_class, to_name, &types, 0) {
        Some(to) => Ok((from, to)),
        None => Err("callee's method has no source"),
    }
}

/// A bridge's line is in no method of that name: it has the line of the class.
fn is_bridge(row: &serde_json::Value, caller: &Class) -> bool {
    let name = text(row, "caller_method");
    let line = row["line"].as_u64().unwrap_or(0);
    !caller.lines.iter().any(|(known, first, last)| known == name && (*first..=*last).contains(&line))
}

fn has_method(classes: &HashMap<String, Class>, class: &str, name: &str) -> bool {
    classes.get(class).is_some_and(|class| class.methods.keys().any(|(known, _)| known == name))
}

/// The constructor in the source: its types are a contiguous part of the compiled ones.
fn constructor(name: &str, class: &Class, types: &[String]) -> String {
    let fits = |written: &&Vec<String>| {
        written.len() <= types.len() && types.windows(written.len().max(1)).any(|part| part == &written[..])
            || written.is_empty()
    };
    let best = class.constructors.iter().filter(fits).max_by_key(|written| written.len());
    match best {
        Some(written) => format!("{name}#<init>({})", written.join(",")),
        None => format!("{name}#<init>()"),
    }
}

fn method(classes: &HashMap<String, Class>, class: &str, name: &str, types: &[String], depth: u32) -> Option<String> {
    if depth > 20 {
        return None;
    }
    let known = classes.get(class)?;
    if let Some(key) = known.methods.get(&(name.to_owned(), types.to_vec())) {
        return Some(key.clone());
    }
    known.bases.iter().find_map(|base| method(classes, base, name, types, depth + 1))
}
