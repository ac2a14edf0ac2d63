//! Swift.

use tree_sitter::Node;

use super::plain;
use crate::model::*;
use crate::parse::functions::ParamForm;
use crate::parse::grammar::{Kind, Role, Rules};
use crate::parse::walker::{Owner, Walker, child_of_kind, field, named_children};

pub struct Swift;

const KINDS: &[Kind] = &[
    Kind("comment", Role::Comment, "", ""),
    Kind("multiline_comment", Role::Comment, "", ""),
    Kind("line_string_literal", Role::Text, "", ""),
    Kind("multi_line_string_literal", Role::Text, "", ""),
    Kind("integer_literal", Role::Literal(Literal::Int), "", ""),
    Kind("real_literal", Role::Literal(Literal::Float), "", ""),
    Kind("boolean_literal", Role::Literal(Literal::Bool), "", ""),
    Kind("simple_identifier", Role::Identifier, "", ""),
    Kind("type_identifier", Role::TypeName, "", ""),
    Kind("self_expression", Role::This, "", ""),
    Kind("super_expression", Role::Super, "", ""),
    Kind("class_declaration", Role::Type, "", ""),
    Kind("protocol_declaration", Role::Type, "", ""),
    Kind("function_declaration", Role::Function, "", ""),
    Kind("protocol_function_declaration", Role::Function, "", ""),
    Kind("init_declaration", Role::Function, "", ""),
    Kind("call_expression", Role::Call, "", ""),
    Kind("navigation_expression", Role::Member, "target", "suffix"),
    Kind("try_expression", Role::Wrapper, "expr", ""),
    Kind("await_expression", Role::Wrapper, "expr", ""),
    Kind("postfix_expression", Role::Wrapper, "target", ""),
    Kind("user_type", Role::TypeWrapper, "", ""),
    Kind("optional_type", Role::TypeWrapper, "wrapped", ""),
    Kind("array_type", Role::TypeWrapper, "element", ""),
    Kind("type_annotation", Role::TypeWrapper, "type", ""),
    Kind("as_expression", Role::Cast, "type", ""),
    Kind("property_declaration", Role::Special, "", ""),
    Kind("enum_entry", Role::Special, "", ""),
    Kind("lambda_literal", Role::Block, "", ""),
    Kind("assignment", Role::Special, "", ""),
    Kind("import_declaration", Role::Special, "", ""),
    Kind("control_transfer_statement", Role::Special, "", ""),
];

impl Rules for Swift {
    fn language(&self) -> tree_sitter::Language {
        tree_sitter_swift::LANGUAGE.into()
    }

    fn kinds(&self) -> &'static [Kind] {
        KINDS
    }

    fn define_type(&self, walker: &mut Walker<'_>, node: Node<'_>) {
        let Some(name) = field(node, "name") else { return };
        let extension = field(node, "declaration_kind").is_some_and(|kind| walker.text(kind) == "extension");
        if extension {
            let value = walker.type_of(name);
            if let Expr::Instance { class, .. } = walker.file.expr(value) {
                let owner = walker.text(name).to_owned();
                walker.open_owner(Owner { class, name: owner, implements: None });
            }
            return;
        }
        let class = plain::class(walker, node, name);
        walker.entity_mut(class).is_interface = node.kind() == "protocol_declaration";
        for specifier in named_children(node).into_iter().filter(|one| one.kind() == "inheritance_specifier") {
            if let Some(base) = field(specifier, "inherits_from") {
                plain::base(walker, base, ReferenceKind::Inherit);
            }
        }
    }

    fn define_function(&self, walker: &mut Walker<'_>, node: Node<'_>) {
        let constructor = node.kind() == "init_declaration";
        let Some(name) = field(node, "name") else { return };
        let text = if constructor { "init" } else { walker.text(name) };
        let test = text.starts_with("test") && walker.file.entity(walker.current()).name.ends_with("Tests");
        let kind = if test { EntityKind::Test } else { plain::kind_here(walker) };
        let entity = walker.define(kind, text, node, name);
        walker.entity_mut(entity).is_constructor = constructor;
        walker.open(entity);
        for param in named_children(node).into_iter().filter(|one| one.kind() == "parameter") {
            if let Some(name) = field(param, "name") {
                walker.add_param(entity, name, field(param, "type"), ParamForm::Needed);
            }
        }
        walker.declare_result(entity, node, "return_type");
    }

    fn special(&self, walker: &mut Walker<'_>, node: Node<'_>) {
        match node.kind() {
            "property_declaration" => {
                let Some(pattern) = field(node, "name") else { return };
                let name = field(pattern, "bound_identifier").unwrap_or(pattern);
                let value = match (child_of_kind(node, "type_annotation"), field(node, "value")) {
                    (Some(ty), _) => walker.type_of(ty),
                    (None, Some(value)) => walker.value(value),
                    _ => ExprId::UNKNOWN,
                };
                plain::variable(walker, node, name, value);
            }
            "enum_entry" => {
                if let Some(name) = field(node, "name") {
                    let value = walker.this();
                    let scope = walker.current();
                    walker.define_variable(EntityKind::Constant, scope, node, name, value);
                }
            }
            "assignment" => {
                if let Some(left) = field(node, "target") {
                    plain::write(walker, left.named_child(0).filter(|_| left.named_child_count() == 1).unwrap_or(left));
                }
            }
            "import_declaration" => {
                if let Some(name) = named_children(node).pop() {
                    let module = walker.text(name).to_owned();
                    plain::import_all(walker, node, &module);
                }
            }
            "control_transfer_statement" => {
                if child_of_kind(node, "throw_keyword").is_some()
                    && let Some(what) = named_children(node).pop()
                {
                    walker.raise_of(what, node);
                }
            }
            _ => {}
        }
    }
}
