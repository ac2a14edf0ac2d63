//! The common parts of languages with classes and declared types.

use tree_sitter::Node;

use crate::model::*;
use crate::parse::functions::When;
use crate::parse::walker::{Walker, line_of};

/// Defines a type and opens its scope.
pub fn class(walker: &mut Walker<'_>, node: Node<'_>, name: Node<'_>) -> EntityId {
    let text = walker.text(name);
    let class = walker.define(EntityKind::Type, text, node, name);
    walker.open(class);
    class
}

/// A reference from the current type to the base that a node names.
pub fn base(walker: &mut Walker<'_>, node: Node<'_>, kind: ReferenceKind) {
    let value = walker.type_of(node);
    let class = match walker.file.expr(value) {
        Expr::Instance { class, .. } => class,
        _ => value,
    };
    match walker.file.expr(class) {
        Expr::Name { name, .. } => walker.refer(kind, name, None, node),
        Expr::Member { of, name } => walker.refer(kind, name, Some(of), node),
        _ => {}
    }
}

/// The kind of a function by its position.
pub fn kind_here(walker: &Walker<'_>) -> EntityKind {
    let in_type = walker.current_kind() == EntityKind::Type || walker.in_owner_block();
    if in_type { EntityKind::Method } else { EntityKind::Function }
}

/// A variable: a local in a function, a field in a type, a constant elsewhere.
pub fn variable(walker: &mut Walker<'_>, node: Node<'_>, name: Node<'_>, value: ExprId) {
    let scope = walker.current();
    match walker.current_kind() {
        kind if kind.is_callable() => walker.bind_pattern(name, value, When::AfterNode),
        EntityKind::Type => walker.define_variable(EntityKind::Field, scope, node, name, value),
        _ => walker.define_variable(EntityKind::Constant, scope, node, name, value),
    }
}

/// `object.member = value`, or an assignment to a plain name.
pub fn write(walker: &mut Walker<'_>, left: Node<'_>) {
    if let Some((Some(object), member)) = walker.member_parts(left).filter(|_| left.named_child_count() > 1) {
        walker.mark_not_read(left);
        let receiver = walker.value(object);
        if receiver != ExprId::UNKNOWN {
            let text = walker.member_text(member);
            let name = walker.intern(text);
            walker.refer(ReferenceKind::WriteState, name, Some(receiver), left);
        }
    } else if left.named_child_count() == 0 {
        let text = walker.text(left);
        let name = walker.intern(text);
        walker.mark_not_read(left);
        if walker.local(name).is_none() {
            walker.refer(ReferenceKind::WriteState, name, None, left);
        }
    }
}

/// A wildcard import of a module.
pub fn import_all(walker: &mut Walker<'_>, node: Node<'_>, module: &str) {
    walker.skip_children = true;
    walker.file.imports.push(Import {
        module: module.to_owned(),
        name: None,
        alias: None,
        wildcard: true,
        exported: false,
        line: line_of(node),
        scope: EntityId::FILE,
    });
}

pub fn import_name(walker: &mut Walker<'_>, node: Node<'_>, module: &str, name: &str, alias: &str) {
    walker.skip_children = true;
    walker.file.imports.push(Import {
        module: module.to_owned(),
        name: Some(name.to_owned()),
        alias: Some(alias.to_owned()),
        wildcard: false,
        exported: false,
        line: line_of(node),
        scope: EntityId::FILE,
    });
}
