//! Imports and exports in JavaScript: `import`, `export`, `require`.

use tree_sitter::Node;

use crate::model::*;
use crate::parse::languages::script_values::is_function;
use crate::parse::values::unquoted;
use crate::parse::walker::{Walker, child_of_kind, field, line_of, named_children};

pub fn import(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(source) = field(node, "source") else { return };
    walker.skip_children = true;
    let module = unquoted(walker.text(source)).to_owned();
    let Some(clause) = child_of_kind(node, "import_clause") else {
        push(walker, node, &module, None, None, Form::Import);
        return;
    };
    for part in named_children(clause) {
        match part.kind() {
            "identifier" => push(walker, node, &module, Some("default"), Some(walker.text(part)), Form::Import),
            "namespace_import" => {
                let alias = part.named_child(0).map(|alias| walker.text(alias));
                push(walker, node, &module, None, alias, Form::Import);
            }
            "named_imports" => specifiers(walker, node, part, &module, Form::Import),
            _ => {}
        }
    }
}

pub fn export(walker: &mut Walker<'_>, node: Node<'_>) {
    let clause = child_of_kind(node, "export_clause");
    let default = child_of_kind(node, "default").is_some();
    match (field(node, "source"), clause) {
        (Some(source), Some(clause)) => {
            let module = unquoted(walker.text(source)).to_owned();
            specifiers(walker, node, clause, &module, Form::Export);
        }
        (Some(source), None) => {
            let module = unquoted(walker.text(source)).to_owned();
            let form = Form::ExportAll;
            push(walker, node, &module, None, None, form);
        }
        (None, Some(clause)) => specifiers(walker, node, clause, "", Form::Export),
        (None, None) if default => {
            let value = field(node, "value").or_else(|| field(node, "declaration"));
            let name = value.and_then(|value| match value.kind() {
                "identifier" => Some(value),
                _ => field(value, "name"),
            });
            let name = match (name, value) {
                (Some(name), _) => Some(walker.text(name).to_owned()),
                (None, Some(value)) => nameless(walker, value),
                (None, None) => None,
            };
            if let Some(name) = name {
                push(walker, node, "", Some(&name), Some("default"), Form::Export);
            }
        }
        _ => {}
    }
}

/// `export default () => {…}`, `export default isBrowser ? one : other`: importers call it by the file's name, so it
/// gets that name here too.
fn nameless(walker: &mut Walker<'_>, value: Node<'_>) -> Option<String> {
    let name = module_name(&walker.file.path)?;
    match value.kind() {
        _ if is_function(value) => walker.name_value_node(value, &name, EntityKind::Function, None),
        "ternary_expression" | "call_expression" | "binary_expression" | "parenthesized_expression" => {
            let entity = walker.define(EntityKind::Function, &name, value, value);
            walker.open(entity);
        }
        _ => return None,
    }
    Some(name)
}

/// `lib/isSame.js` -> `isSame`, `lib/cart/index.js` -> `cart`.
fn module_name(path: &str) -> Option<String> {
    let mut parts = path.rsplit('/');
    let stem = parts.next()?.split('.').next()?;
    let name = if stem == "index" { parts.next()? } else { stem };
    (!name.is_empty()).then(|| name.to_owned())
}

/// `const cart = require("./cart")`, `const { add } = require("./cart")`.
pub fn require(walker: &mut Walker<'_>, name: Node<'_>, value: Node<'_>) -> bool {
    if value.kind() != "call_expression"
        || field(value, "function").map(|callee| walker.text(callee)) != Some("require")
    {
        return false;
    }
    let argument = field(value, "arguments").and_then(|list| named_children(list).first().copied());
    let Some(source) = argument.filter(|argument| argument.kind() == "string") else { return false };
    let module = unquoted(walker.text(source)).to_owned();
    if name.kind() == "identifier" {
        push(walker, name, &module, Some("default"), Some(walker.text(name)), Form::Import);
        return true;
    }
    for part in named_children(name) {
        let (from, alias) = match part.kind() {
            "pair_pattern" => (field(part, "key"), field(part, "value")),
            _ => (Some(part), Some(part)),
        };
        if let (Some(from), Some(alias)) = (from, alias) {
            push(walker, name, &module, Some(walker.text(from)), Some(walker.text(alias)), Form::Import);
        }
    }
    true
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Import,
    Export,
    ExportAll,
}

fn specifiers(walker: &mut Walker<'_>, node: Node<'_>, list: Node<'_>, module: &str, form: Form) {
    for part in named_children(list) {
        let Some(name) = field(part, "name") else { continue };
        let alias = field(part, "alias").unwrap_or(name);
        push(walker, node, module, Some(walker.text(name)), Some(walker.text(alias)), form);
    }
}

fn push(walker: &mut Walker<'_>, node: Node<'_>, module: &str, name: Option<&str>, alias: Option<&str>, form: Form) {
    walker.file.imports.push(Import {
        module: module.to_owned(),
        name: name.map(str::to_owned),
        alias: alias.map(str::to_owned),
        wildcard: form == Form::ExportAll,
        exported: form != Form::Import,
        line: line_of(node),
        scope: EntityId::FILE,
    });
}
