//! `use` in Rust: a tree of paths, flattened into one import per name.

use tree_sitter::Node;

use crate::model::*;
use crate::parse::walker::{Walker, field, line_of, named_children};

/// Flattens `use a::{b, c::{d as e, *}}`. With a visibility it is a re-export.
pub fn use_tree(walker: &mut Walker<'_>, node: Node<'_>, visibility: Option<Node<'_>>) {
    let exported = visibility.is_some();
    let mut open = vec![(node, String::new())];
    while let Some((node, prefix)) = open.pop() {
        // Paths that long are not real code, and would grow with every brace.
        if prefix.len() <= LONGEST_PATH {
            use_part(walker, node, prefix, exported, &mut open);
        }
    }
}

const LONGEST_PATH: usize = 400;

fn use_part<'t>(
    walker: &mut Walker<'_>,
    node: Node<'t>,
    prefix: String,
    exported: bool,
    open: &mut Vec<(Node<'t>, String)>,
) {
    let join = |tail: &str| match (prefix.is_empty(), tail.is_empty()) {
        (true, _) => tail.to_owned(),
        (_, true) => prefix.clone(),
        _ => format!("{prefix}::{tail}"),
    };
    match node.kind() {
        "scoped_use_list" => {
            let path = field(node, "path").map_or("", |path| walker.text(path));
            open.extend(field(node, "list").map(|list| (list, join(path))));
        }
        "use_list" => open.extend(named_children(node).into_iter().rev().map(|child| (child, prefix.clone()))),
        "use_wildcard" => {
            let path = node.named_child(0).map_or("", |path| walker.text(path));
            push(walker, node, join(path), None, None, exported);
        }
        "use_as_clause" => {
            let path = field(node, "path").map_or("", |path| walker.text(path));
            let alias = field(node, "alias").map(|alias| walker.text(alias).to_owned());
            split(walker, node, join(path), alias, exported);
        }
        "self" => split(walker, node, prefix, None, exported),
        _ => {
            let text = walker.text(node);
            split(walker, node, join(text), None, exported);
        }
    }
}

fn split(walker: &mut Walker<'_>, node: Node<'_>, path: String, alias: Option<String>, exported: bool) {
    let path: String = path.split_whitespace().collect();
    let (module, name) = match path.rsplit_once("::") {
        Some((module, name)) => (module.to_owned(), name.to_owned()),
        None => (String::new(), path.clone()),
    };
    let alias = alias.unwrap_or_else(|| name.clone());
    push(walker, node, module, Some(name), Some(alias), exported);
}

fn push(
    walker: &mut Walker<'_>,
    node: Node<'_>,
    module: String,
    name: Option<String>,
    alias: Option<String>,
    exported: bool,
) {
    let scope = walker.current();
    let wildcard = name.is_none();
    walker.file.imports.push(Import { module, name, alias, wildcard, exported, line: line_of(node), scope });
}
