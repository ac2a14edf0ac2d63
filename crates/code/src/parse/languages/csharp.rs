//! C#.

use tree_sitter::Node;

use super::plain;
use crate::model::*;
use crate::parse::functions::{ParamForm, When};
use crate::parse::grammar::{LanguageRules, NodeRole, NodeRule};
use crate::parse::walker::{Walker, child_of_kind, field, named_children};

pub struct CSharp;

const KINDS: &[NodeRule] = &[
    NodeRule("comment", NodeRole::Comment, "", ""),
    NodeRule("string_literal", NodeRole::Text, "", ""),
    NodeRule("verbatim_string_literal", NodeRole::Text, "", ""),
    NodeRule("interpolated_string_expression", NodeRole::Text, "", ""),
    NodeRule("character_literal", NodeRole::Literal(Literal::Char), "", ""),
    NodeRule("integer_literal", NodeRole::Literal(Literal::Int), "", ""),
    NodeRule("real_literal", NodeRole::Literal(Literal::Float), "", ""),
    NodeRule("boolean_literal", NodeRole::Literal(Literal::Bool), "", ""),
    NodeRule("null_literal", NodeRole::Literal(Literal::Null), "", ""),
    NodeRule("identifier", NodeRole::Identifier, "", ""),
    NodeRule("this", NodeRole::This, "", ""),
    NodeRule("base", NodeRole::Super, "", ""),
    NodeRule("class_declaration", NodeRole::Type, "", ""),
    NodeRule("struct_declaration", NodeRole::Type, "", ""),
    NodeRule("interface_declaration", NodeRole::Type, "", ""),
    NodeRule("record_declaration", NodeRole::Type, "", ""),
    NodeRule("enum_declaration", NodeRole::Type, "", ""),
    NodeRule("method_declaration", NodeRole::Function, "", ""),
    NodeRule("constructor_declaration", NodeRole::Function, "", ""),
    NodeRule("local_function_statement", NodeRole::Function, "", ""),
    NodeRule("invocation_expression", NodeRole::Call, "function", "arguments"),
    NodeRule("object_creation_expression", NodeRole::New, "type", "arguments"),
    NodeRule("member_access_expression", NodeRole::Member, "expression", "name"),
    NodeRule("qualified_name", NodeRole::Member, "qualifier", "name"),
    NodeRule("element_access_expression", NodeRole::Index, "expression", ""),
    NodeRule("parenthesized_expression", NodeRole::Wrapper, "", ""),
    NodeRule("await_expression", NodeRole::Wrapper, "", ""),
    NodeRule("cast_expression", NodeRole::Cast, "type", ""),
    NodeRule("as_expression", NodeRole::Cast, "right", ""),
    NodeRule("generic_name", NodeRole::Generic, "", ""),
    NodeRule("array_type", NodeRole::TypeWrapper, "type", ""),
    NodeRule("nullable_type", NodeRole::TypeWrapper, "type", ""),
    NodeRule("argument", NodeRole::Wrapper, "", ""),
    NodeRule("variable_declaration", NodeRole::Special, "", ""),
    NodeRule("property_declaration", NodeRole::Special, "", ""),
    NodeRule("enum_member_declaration", NodeRole::Special, "", ""),
    NodeRule("foreach_statement", NodeRole::Special, "", ""),
    NodeRule("lambda_expression", NodeRole::Special, "", ""),
    NodeRule("assignment_expression", NodeRole::Special, "", ""),
    NodeRule("namespace_declaration", NodeRole::Special, "", ""),
    NodeRule("file_scoped_namespace_declaration", NodeRole::Special, "", ""),
    NodeRule("using_directive", NodeRole::Special, "", ""),
    NodeRule("throw_statement", NodeRole::Raise, "", ""),
    NodeRule("throw_expression", NodeRole::Raise, "", ""),
    NodeRule("block", NodeRole::Block, "", ""),
    NodeRule("for_statement", NodeRole::Block, "", ""),
];

impl LanguageRules for CSharp {
    fn language(&self) -> tree_sitter::Language {
        tree_sitter_c_sharp::LANGUAGE.into()
    }

    fn kinds(&self) -> &'static [NodeRule] {
        KINDS
    }

    fn define_type(&self, walker: &mut Walker<'_>, node: Node<'_>) {
        let Some(name) = field(node, "name") else { return };
        let class = plain::class(walker, node, name);
        walker.entity_mut(class).is_interface = node.kind() == "interface_declaration";
        if let Some(bases) = child_of_kind(node, "base_list") {
            for base in named_children(bases) {
                // By convention a base that starts with `I` and a capital is an interface.
                let text = walker.text(base);
                let interface = text.starts_with('I') && text.chars().nth(1).is_some_and(char::is_uppercase);
                let kind = if interface { ReferenceKind::Implement } else { ReferenceKind::Inherit };
                plain::base(walker, base, kind);
            }
        }
    }

    fn define_function(&self, walker: &mut Walker<'_>, node: Node<'_>) {
        let Some(name) = field(node, "name") else { return };
        let attributes = child_of_kind(node, "attribute_list").map_or("", |list| walker.text(list));
        let test = ["[Test", "[Fact", "[Theory"].iter().any(|mark| attributes.starts_with(mark));
        let kind = if test { EntityKind::Test } else { plain::kind_here(walker) };
        let text = walker.text(name);
        let entity = walker.define(kind, text, node, name);
        walker.entity_mut(entity).is_constructor = node.kind() == "constructor_declaration";
        walker.open(entity);
        for param in field(node, "parameters").map(named_children).unwrap_or_default() {
            if let Some(name) = field(param, "name") {
                let optional = walker.text(param).contains('=');
                let form = if optional { ParamForm::Optional } else { ParamForm::Needed };
                walker.add_param(entity, name, field(param, "type"), form);
            }
        }
        walker.declare_result(entity, node, "returns");
    }

    fn special(&self, walker: &mut Walker<'_>, node: Node<'_>) {
        match node.kind() {
            "variable_declaration" => variables(walker, node),
            "property_declaration" => property_declaration(walker, node),
            "enum_member_declaration" => enum_member_declaration(walker, node),
            "foreach_statement" => foreach_statement(walker, node),
            "lambda_expression" => lambda_expression(walker, node),
            "assignment_expression" => assignment_expression(walker, node),
            "namespace_declaration" | "file_scoped_namespace_declaration" => namespace_declaration(walker, node),
            "using_directive" => using_directive(walker, node),
            _ => {}
        }
    }
}

fn variables(walker: &mut Walker<'_>, node: Node<'_>) {
    let ty = field(node, "type");
    let inferred = ty.is_some_and(|ty| walker.text(ty) == "var");
    let declared = ty.map_or(ExprId::UNKNOWN, |ty| walker.type_of(ty));
    for declarator in named_children(node).into_iter().filter(|one| one.kind() == "variable_declarator") {
        let Some(name) = field(declarator, "name") else { continue };
        let value = match (inferred, named_children(declarator).pop()) {
            (true, Some(value)) => walker.value(value),
            _ => declared,
        };
        plain::variable(walker, node, name, value);
    }
}

fn property_declaration(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = field(node, "name") {
        let value = field(node, "type").map_or(ExprId::UNKNOWN, |ty| walker.type_of(ty));
        let scope = walker.current();
        walker.define_variable(EntityKind::Field, scope, node, name, value);
    }
}

fn enum_member_declaration(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = field(node, "name") {
        let value = walker.this();
        let scope = walker.current();
        walker.define_variable(EntityKind::Constant, scope, node, name, value);
    }
}

fn foreach_statement(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.open_block();
    if let Some(left) = field(node, "left") {
        let ty = field(node, "type").filter(|ty| walker.text(*ty) != "var");
        let value = match (ty, field(node, "right")) {
            (Some(ty), _) => walker.type_of(ty),
            (None, Some(right)) => {
                let collection = walker.value(right);
                walker.element(collection)
            }
            _ => ExprId::UNKNOWN,
        };
        walker.bind_pattern(left, value, When::Now);
    }
}

fn lambda_expression(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.open_block();
    if let Some(params) = field(node, "parameters") {
        walker.bind_pattern(params, ExprId::UNKNOWN, When::Now);
    }
}

fn assignment_expression(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(left) = field(node, "left") {
        plain::write(walker, left);
    }
}

fn namespace_declaration(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = field(node, "name") {
        walker.file.package = Some(walker.text(name).to_owned());
    }
}

fn using_directive(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = named_children(node).pop() {
        let module = walker.text(name).to_owned();
        plain::import_all(walker, node, &module);
    }
}
