//! Swift.

use tree_sitter::Node;

use super::plain;
use crate::model::*;
use crate::parse::functions::ParamForm;
use crate::parse::grammar::{LanguageRules, NodeRole, NodeRule};
use crate::parse::walker::{Owner, Walker, child_of_kind, field, named_children};

pub struct Swift;

const KINDS: &[NodeRule] = &[
    NodeRule("comment", NodeRole::Comment, "", ""),
    NodeRule("multiline_comment", NodeRole::Comment, "", ""),
    NodeRule("line_string_literal", NodeRole::Text, "", ""),
    NodeRule("multi_line_string_literal", NodeRole::Text, "", ""),
    NodeRule("integer_literal", NodeRole::Literal(Literal::Int), "", ""),
    NodeRule("real_literal", NodeRole::Literal(Literal::Float), "", ""),
    NodeRule("boolean_literal", NodeRole::Literal(Literal::Bool), "", ""),
    NodeRule("simple_identifier", NodeRole::Identifier, "", ""),
    NodeRule("type_identifier", NodeRole::TypeName, "", ""),
    NodeRule("self_expression", NodeRole::This, "", ""),
    NodeRule("super_expression", NodeRole::Super, "", ""),
    NodeRule("class_declaration", NodeRole::Type, "", ""),
    NodeRule("protocol_declaration", NodeRole::Type, "", ""),
    NodeRule("function_declaration", NodeRole::Function, "", ""),
    NodeRule("protocol_function_declaration", NodeRole::Function, "", ""),
    NodeRule("init_declaration", NodeRole::Function, "", ""),
    NodeRule("call_expression", NodeRole::Call, "", ""),
    NodeRule("navigation_expression", NodeRole::Member, "target", "suffix"),
    NodeRule("try_expression", NodeRole::Wrapper, "expr", ""),
    NodeRule("await_expression", NodeRole::Wrapper, "expr", ""),
    NodeRule("postfix_expression", NodeRole::Wrapper, "target", ""),
    NodeRule("user_type", NodeRole::TypeWrapper, "", ""),
    NodeRule("optional_type", NodeRole::TypeWrapper, "wrapped", ""),
    NodeRule("array_type", NodeRole::TypeWrapper, "element", ""),
    NodeRule("type_annotation", NodeRole::TypeWrapper, "type", ""),
    NodeRule("as_expression", NodeRole::Cast, "type", ""),
    NodeRule("property_declaration", NodeRole::Special, "", ""),
    NodeRule("enum_entry", NodeRole::Special, "", ""),
    NodeRule("lambda_literal", NodeRole::Block, "", ""),
    NodeRule("assignment", NodeRole::Special, "", ""),
    NodeRule("import_declaration", NodeRole::Special, "", ""),
    NodeRule("control_transfer_statement", NodeRole::Special, "", ""),
];

impl LanguageRules for Swift {
    fn language(&self) -> tree_sitter::Language {
        tree_sitter_swift::LANGUAGE.into()
    }

    fn kinds(&self) -> &'static [NodeRule] {
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
