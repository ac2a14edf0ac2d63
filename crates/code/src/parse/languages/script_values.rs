//! In JavaScript functions and classes are values: they are named after their assignment targets.

use tree_sitter::Node;

use super::script_imports::require;
use crate::model::*;
use crate::parse::functions::When;
use crate::parse::walker::{Owner, Walker, field, named_children};

/// The name that a function or class gets from its assignment target.
pub struct ValueName {
    node: usize,
    pub name: String,
    pub kind: EntityKind,
    pub owner: Option<Owner>,
}

impl Walker<'_> {
    pub fn take_value_name(&mut self, node: Node<'_>) -> Option<ValueName> {
        let at = self.value_names.iter().rposition(|known| known.node == node.id())?;
        Some(self.value_names.swap_remove(at))
    }

    pub fn name_value_node(&mut self, node: Node<'_>, name: &str, kind: EntityKind, owner: Option<Owner>) {
        let name = name.trim_matches(['"', '\'', '#']).to_owned();
        self.value_names.push(ValueName { node: node.id(), name, kind, owner });
    }
}

pub fn is_function(node: Node<'_>) -> bool {
    matches!(node.kind(), "arrow_function" | "function_expression" | "generator_function" | "class")
}

pub fn declare(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = field(node, "name") else { return };
    let value = field(node, "value");
    if let Some(value) = value
        && require(walker, name, value)
    {
        walker.mark_not_read(name);
        return;
    }
    if let Some(value) = value.filter(|value| is_function(*value)) {
        walker.mark_not_read(name);
        let text = walker.text(name);
        walker.name_value_node(value, text, EntityKind::Function, None);
        return;
    }
    let declared = field(node, "type").map_or(ExprId::UNKNOWN, |ty| walker.type_of(ty));
    let known = match (declared, value) {
        (ExprId::UNKNOWN, Some(value)) => walker.value(value),
        (declared, _) => declared,
    };
    if walker.current() == EntityId::FILE && name.kind() == "identifier" && !walker.in_block() {
        walker.define_variable(EntityKind::Constant, EntityId::FILE, node, name, known);
        if let Some(object) = value.filter(|value| value.kind() == "object") {
            let text = walker.text(name);
            name_members(walker, object, text);
        }
    } else {
        let known = if name.kind() == "identifier" { known } else { ExprId::UNKNOWN };
        walker.bind_pattern(name, known, When::AfterNode);
    }
}

/// The functions of a named object are its members.
fn name_members(walker: &mut Walker<'_>, object: Node<'_>, name: &str) {
    let owner = |walker: &mut Walker<'_>| {
        let id = walker.file.names.iter().position(|known| known == name);
        let id = NameId(id? as u32);
        let class = walker.expr(Expr::Name { name: id, scope: EntityId::FILE });
        Some(Owner { class, name: name.to_owned(), implements: None })
    };
    for member in named_children(object) {
        let (key, value) = match member.kind() {
            "pair" => (field(member, "key"), field(member, "value")),
            "method_definition" => (field(member, "name"), Some(member)),
            _ => continue,
        };
        if let (Some(key), Some(value)) = (key, value)
            && (is_function(value) || value.kind() == "method_definition")
        {
            let owner = owner(walker);
            let text = walker.text(key);
            walker.name_value_node(value, text, EntityKind::Method, owner);
        }
    }
}

pub fn assign(walker: &mut Walker<'_>, node: Node<'_>) {
    let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else { return };
    if left.kind() == "identifier" {
        let text = walker.text(left);
        let name = walker.intern(text);
        walker.mark_not_read(left);
        if walker.local(name).is_some() {
            let value = walker.value(right);
            walker.bind_after(name, value);
        } else {
            walker.refer(ReferenceKind::WriteState, name, None, left);
        }
        return;
    }
    if left.kind() != "member_expression" {
        return;
    }
    let (Some(object), Some(member)) = (field(left, "object"), field(left, "property")) else { return };
    walker.mark_not_read(left);
    let object_text = walker.text(object);
    let member_text = walker.text(member);
    if object_text == "module" && member_text == "exports" {
        if right.kind() == "object" {
            name_members(walker, right, "exports");
        } else if is_function(right) {
            walker.name_value_node(right, "default", EntityKind::Function, None);
        }
        return;
    }
    if is_function(right) {
        let class = object_text.strip_suffix(".prototype").unwrap_or(object_text);
        let exported = matches!(class, "exports" | "module.exports" | "window" | "self");
        let simple = class.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
        if exported {
            walker.name_value_node(right, member_text, EntityKind::Function, None);
        } else if simple && class != "this" {
            let value = walker.name_value(class);
            let owner = Owner { class: value, name: class.to_owned(), implements: None };
            walker.name_value_node(right, member_text, EntityKind::Method, Some(owner));
        }
        return;
    }
    let receiver = walker.value(object);
    if object.kind() == "this"
        && let Some(class) = walker.enclosing(|kind| kind == EntityKind::Type)
    {
        let value = walker.value(right);
        walker.define_variable(EntityKind::Field, class, node, member, value);
    }
    if receiver != ExprId::UNKNOWN {
        let name = walker.intern(member_text);
        walker.refer(ReferenceKind::WriteState, name, Some(receiver), left);
    }
}

pub fn pair(walker: &mut Walker<'_>, node: Node<'_>) {
    let (Some(key), Some(value)) = (field(node, "key"), field(node, "value")) else { return };
    let known = walker.value_names.iter().any(|known| known.node == value.id());
    if is_function(value) && !known && matches!(key.kind(), "property_identifier" | "string") {
        let text = walker.text(key);
        walker.name_value_node(value, text, EntityKind::Function, None);
    }
}

pub fn class_field(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = field(node, "name").or_else(|| field(node, "property")) else { return };
    let value = field(node, "value");
    if let Some(value) = value.filter(|value| is_function(*value)) {
        let text = walker.text(name);
        walker.name_value_node(value, text, EntityKind::Method, None);
        return;
    }
    let Some(class) = walker.enclosing(|kind| kind == EntityKind::Type) else { return };
    let declared = field(node, "type").map_or(ExprId::UNKNOWN, |ty| walker.type_of(ty));
    let known = match (declared, value) {
        (ExprId::UNKNOWN, Some(value)) => walker.value(value),
        (declared, _) => declared,
    };
    walker.define_variable(EntityKind::Field, class, node, name, known);
}
