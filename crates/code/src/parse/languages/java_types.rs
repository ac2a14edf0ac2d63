//! Java types: type parameters, bases, anonymous classes and construction.

use tree_sitter::Node;

use crate::model::*;
use crate::parse::walker::{Walker, child_of_kind, field, line_of, named_children};

pub fn type_params(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(list) = field(node, "type_parameters") else { return };
    for param in named_children(list) {
        let Some(name) = param.named_child(0) else { continue };
        let bound = child_of_kind(param, "type_bound").and_then(|bound| bound.named_child(0));
        // Without a bound it has only the members of every object.
        let value = match bound {
            Some(bound) => walker.type_of(bound),
            None => walker.expr(Expr::Literal(Literal::Composite)),
        };
        let text = walker.text(name);
        let id = walker.intern(text);
        walker.bind(id, value);
    }
}

pub fn bases(walker: &mut Walker<'_>, node: Node<'_>, kind: ReferenceKind) {
    for child in named_children(node) {
        if child.kind() == "type_list" {
            bases(walker, child, kind);
        } else {
            walker.refer_to_type(kind, child);
        }
    }
}

/// A class without constructors gets one that calls the base's.
pub fn implicit_construction(walker: &mut Walker<'_>, node: Node<'_>, class: EntityId, base: Option<Node<'_>>) {
    let has_constructor = field(node, "body")
        .is_some_and(|body| named_children(body).iter().any(|member| member.kind() == "constructor_declaration"));
    if base.is_some()
        && !has_constructor
        && let Some(name) = field(node, "name")
    {
        let this = walker.expr(Expr::Entity(class));
        implicit_super(walker, name, this);
    }
}

pub fn implicit_super(walker: &mut Walker<'_>, node: Node<'_>, _class: ExprId) {
    let scope = walker.current();
    let receiver = walker.expr(Expr::Super(scope));
    walker.write_call(ReferenceKind::Construct, "super", Some(receiver), None, node);
}

pub fn starts_with_constructor_call(node: Node<'_>) -> bool {
    let first = field(node, "body").and_then(|body| named_children(body).first().copied());
    first.is_some_and(|first| first.kind() == "explicit_constructor_invocation")
}

pub fn anonymous_class(walker: &mut Walker<'_>, body: Node<'_>) {
    let Some(at) = walker.anonymous_bodies.iter().position(|id| *id == body.id()) else { return };
    walker.anonymous_bodies.swap_remove(at);
    let number = walker.next_anonymous();
    let class = body.parent();
    let outer = walker.enclosing(|kind| kind == EntityKind::Type);
    let entity = walker.define(EntityKind::Type, &format!("${number}"), body, body);
    if let Some(outer) = outer {
        let qualified = format!("{}.${number}", walker.file.entity(outer).qualified);
        walker.entity_mut(entity).qualified = qualified;
    }
    walker.open(entity);
    match class {
        Some(creation) if creation.kind() == "object_creation_expression" => {
            if let Some(ty) = field(creation, "type") {
                walker.refer_to_type(ReferenceKind::Inherit, ty);
            }
        }
        _ => {
            if let Some(outer) = outer {
                let text = walker.file.entity(outer).name.clone();
                let name = walker.intern_copy(&text);
                walker.refer(ReferenceKind::Inherit, name, None, body);
            }
        }
    }
}

pub fn enum_constant(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = field(node, "name") else { return };
    let value = walker.this();
    let scope = walker.current();
    let class = walker.file.entity(scope).name.clone();
    walker.define_variable(EntityKind::Constant, scope, node, name, value);
    let arguments = field(node, "arguments").map_or(0, |list| named_children(list).len() as u16);
    let class = walker.intern_copy(&class);
    walker.refer_call(Reference {
        kind: ReferenceKind::Construct,
        name: class,
        receiver: None,
        arguments,
        argument_types: Vec::new(),
        line: line_of(node),
        from: scope,
    });
    if let Some(body) = field(node, "body") {
        walker.anonymous_bodies.push(body.id());
    }
}
