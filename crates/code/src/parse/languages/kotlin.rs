//! Kotlin.

use tree_sitter::Node;

use super::plain;
use crate::model::*;
use crate::parse::functions::{ParamForm, When};
use crate::parse::grammar::{LanguageRules, NodeRole, NodeRule};
use crate::parse::walker::{Owner, Walker, child_of_kind, field, named_children};

pub struct Kotlin;

const KINDS: &[NodeRule] = &[
    NodeRule("line_comment", NodeRole::Comment, "", ""),
    NodeRule("block_comment", NodeRole::Comment, "", ""),
    NodeRule("string_literal", NodeRole::Text, "", ""),
    NodeRule("multiline_string_literal", NodeRole::Text, "", ""),
    NodeRule("character_literal", NodeRole::Literal(Literal::Char), "", ""),
    NodeRule("number_literal", NodeRole::Literal(Literal::Int), "", ""),
    NodeRule("float_literal", NodeRole::Literal(Literal::Float), "", ""),
    NodeRule("identifier", NodeRole::Identifier, "", ""),
    NodeRule("this_expression", NodeRole::This, "", ""),
    NodeRule("super_expression", NodeRole::Super, "", ""),
    NodeRule("class_declaration", NodeRole::Type, "", ""),
    NodeRule("object_declaration", NodeRole::Type, "", ""),
    NodeRule("companion_object", NodeRole::Block, "", ""),
    NodeRule("function_declaration", NodeRole::Function, "", ""),
    NodeRule("secondary_constructor", NodeRole::Function, "", ""),
    NodeRule("call_expression", NodeRole::Call, "", ""),
    NodeRule("navigation_expression", NodeRole::Member, "", ""),
    NodeRule("index_expression", NodeRole::Index, "", ""),
    NodeRule("parenthesized_expression", NodeRole::Wrapper, "", ""),
    NodeRule("user_type", NodeRole::Special, "", ""),
    NodeRule("nullable_type", NodeRole::TypeWrapper, "", ""),
    NodeRule("as_expression", NodeRole::Cast, "right", ""),
    NodeRule("class_parameter", NodeRole::Special, "", ""),
    NodeRule("property_declaration", NodeRole::Special, "", ""),
    NodeRule("enum_entry", NodeRole::Special, "", ""),
    NodeRule("for_statement", NodeRole::Special, "", ""),
    NodeRule("lambda_literal", NodeRole::Special, "", ""),
    NodeRule("assignment", NodeRole::Special, "", ""),
    NodeRule("package_header", NodeRole::Special, "", ""),
    NodeRule("import", NodeRole::Special, "", ""),
    NodeRule("throw_expression", NodeRole::Raise, "", ""),
    NodeRule("block", NodeRole::Block, "", ""),
];

impl LanguageRules for Kotlin {
    fn language(&self) -> tree_sitter::Language {
        tree_sitter_kotlin_ng::LANGUAGE.into()
    }

    fn kinds(&self) -> &'static [NodeRule] {
        KINDS
    }

    fn define_type(&self, walker: &mut Walker<'_>, node: Node<'_>) {
        let Some(name) = field(node, "name") else { return };
        let class = plain::class(walker, node, name);
        walker.entity_mut(class).is_interface = child_of_kind(node, "interface").is_some();
        for specifier in child_of_kind(node, "delegation_specifiers").map(named_children).unwrap_or_default() {
            let Some(inner) = specifier.named_child(0) else { continue };
            let (ty, kind) = match inner.kind() {
                // Only a class is constructed.
                "constructor_invocation" => (inner.named_child(0), ReferenceKind::Inherit),
                _ => (Some(inner), ReferenceKind::Implement),
            };
            if let Some(ty) = ty {
                plain::base(walker, ty, kind);
            }
        }
    }

    fn define_function(&self, walker: &mut Walker<'_>, node: Node<'_>) {
        let name = field(node, "name").unwrap_or(node);
        let constructor = node.kind() == "secondary_constructor";
        let text = if constructor { "constructor" } else { walker.text(name) };
        let modifiers = child_of_kind(node, "modifiers").map_or("", |modifiers| walker.text(modifiers));
        let test = modifiers.split_whitespace().any(|word| word == "@Test");
        // `fun Cart.total()`: a type stands before the name.
        let receiver = named_children(node)
            .into_iter()
            .take_while(|child| child.id() != name.id())
            .find(|child| matches!(child.kind(), "user_type" | "nullable_type"));
        if let Some(receiver) = receiver {
            let value = walker.type_of(receiver);
            if let Expr::Instance { class, .. } = walker.file.expr(value) {
                let owner = walker.text(receiver).trim_end_matches('?').to_owned();
                walker.open_owner(Owner { class, name: owner, implements: None });
            }
        }
        let kind = if test { EntityKind::Test } else { plain::kind_here(walker) };
        let entity = walker.define(kind, text, node, name);
        walker.entity_mut(entity).is_constructor = constructor;
        walker.open(entity);
        for param in child_of_kind(node, "function_value_parameters").map(named_children).unwrap_or_default() {
            if let Some(name) = child_of_kind(param, "identifier") {
                let ty = named_children(param).pop().filter(|ty| ty.kind() != "identifier");
                walker.add_param(entity, name, ty, ParamForm::Needed);
            }
        }
        let result =
            named_children(node).into_iter().rfind(|child| matches!(child.kind(), "user_type" | "nullable_type"));
        if let Some(result) = result.filter(|result| Some(result.id()) != receiver.map(|receiver| receiver.id())) {
            let value = walker.type_of(result);
            walker.entity_mut(entity).value = value;
        }
    }

    fn special(&self, walker: &mut Walker<'_>, node: Node<'_>) {
        match node.kind() {
            "class_parameter" => class_parameter(walker, node),
            "property_declaration" => property_declaration(walker, node),
            "enum_entry" => enum_entry(walker, node),
            "for_statement" => for_statement(walker, node),
            "lambda_literal" => lambda_literal(walker, node),
            "assignment" => assignment(walker, node),
            "package_header" => package_header(walker, node),
            "import" => import(walker, node),
            _ => {}
        }
    }

    fn special_value(&self, walker: &mut Walker<'_>, node: Node<'_>, depth: u32) -> Option<ExprId> {
        if node.kind() != "user_type" {
            return None;
        }
        let mut class = None;
        let mut argument = ExprId::UNKNOWN;
        for part in named_children(node) {
            match part.kind() {
                "identifier" => {
                    let text = walker.text(part);
                    class = Some(match class {
                        None => walker.name_value(text),
                        Some(of) => walker.member(of, text),
                    });
                }
                "type_arguments" => {
                    let last = named_children(part).pop().and_then(|last| named_children(last).pop());
                    argument = last.map_or(ExprId::UNKNOWN, |last| walker.type_at(last, depth));
                }
                _ => {}
            }
        }
        class.map(|class| walker.instance(class, argument))
    }
}

fn class_parameter(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = child_of_kind(node, "identifier") {
        let ty = named_children(node).into_iter().rfind(|ty| ty.kind().ends_with("_type"));
        let value = ty.map_or(ExprId::UNKNOWN, |ty| walker.type_of(ty));
        let scope = walker.current();
        walker.define_variable(EntityKind::Field, scope, node, name, value);
    }
}

fn property_declaration(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(declaration) = child_of_kind(node, "variable_declaration") else { return };
    let Some(name) = child_of_kind(declaration, "identifier") else { return };
    let ty = named_children(declaration).pop().filter(|ty| ty.kind().ends_with("_type"));
    let value = match (ty, named_children(node).pop()) {
        (Some(ty), _) => walker.type_of(ty),
        (None, Some(value)) if value.id() != declaration.id() => walker.value(value),
        _ => ExprId::UNKNOWN,
    };
    plain::variable(walker, node, name, value);
}

fn enum_entry(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = child_of_kind(node, "identifier") {
        let value = walker.this();
        let scope = walker.current();
        walker.define_variable(EntityKind::Constant, scope, node, name, value);
    }
}

fn for_statement(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.open_block();
    let children = named_children(node);
    if let [variable, collection, ..] = children[..] {
        let collection = walker.value(collection);
        let item = walker.element(collection);
        walker.bind_pattern(variable, item, When::Now);
    }
}

fn lambda_literal(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.open_block();
    let name = walker.intern("it");
    walker.bind(name, ExprId::UNKNOWN);
    if let Some(params) = child_of_kind(node, "lambda_parameters") {
        walker.bind_pattern(params, ExprId::UNKNOWN, When::Now);
    }
}

fn assignment(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(left) = field(node, "left").or_else(|| node.named_child(0)) {
        plain::write(walker, left);
    }
}

fn package_header(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.skip_children = true;
    if let Some(name) = named_children(node).pop() {
        walker.file.package = Some(walker.text(name).to_owned());
    }
}

fn import(walker: &mut Walker<'_>, node: Node<'_>) {
    let text = walker.text(node).trim_start_matches("import").trim();
    let (path, alias) = text.split_once(" as ").unwrap_or((text, ""));
    let path = path.trim().trim_end_matches(';').to_owned();
    match path.strip_suffix(".*") {
        Some(module) => plain::import_all(walker, node, module),
        None => {
            let (module, name) = path.rsplit_once('.').unwrap_or(("", &path));
            let alias = if alias.is_empty() { name } else { alias.trim() }.to_owned();
            plain::import_name(walker, node, module, name, &alias);
        }
    }
}
