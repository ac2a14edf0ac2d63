//! PHP.

use tree_sitter::Node;

use super::plain;
use crate::model::*;
use crate::parse::functions::{ParamForm, When};
use crate::parse::grammar::{LanguageRules, NodeRole, NodeRule};
use crate::parse::walker::{Walker, child_of_kind, field, named_children};

pub struct Php;

const KINDS: &[NodeRule] = &[
    NodeRule("comment", NodeRole::Comment, "", ""),
    NodeRule("string", NodeRole::Text, "", ""),
    NodeRule("encapsed_string", NodeRole::Text, "", ""),
    NodeRule("integer", NodeRole::Literal(Literal::Int), "", ""),
    NodeRule("float", NodeRole::Literal(Literal::Float), "", ""),
    NodeRule("boolean", NodeRole::Literal(Literal::Bool), "", ""),
    NodeRule("null", NodeRole::Literal(Literal::Null), "", ""),
    NodeRule("name", NodeRole::Identifier, "", ""),
    NodeRule("variable_name", NodeRole::Special, "", ""),
    NodeRule("relative_scope", NodeRole::Special, "", ""),
    NodeRule("class_declaration", NodeRole::Type, "", ""),
    NodeRule("interface_declaration", NodeRole::Type, "", ""),
    NodeRule("trait_declaration", NodeRole::Type, "", ""),
    NodeRule("enum_declaration", NodeRole::Type, "", ""),
    NodeRule("function_definition", NodeRole::Function, "", ""),
    NodeRule("method_declaration", NodeRole::Function, "", ""),
    NodeRule("function_call_expression", NodeRole::Call, "function", "arguments"),
    NodeRule("member_call_expression", NodeRole::MethodCall, "object", "name"),
    NodeRule("nullsafe_member_call_expression", NodeRole::MethodCall, "object", "name"),
    NodeRule("scoped_call_expression", NodeRole::MethodCall, "scope", "name"),
    NodeRule("object_creation_expression", NodeRole::Special, "", ""),
    NodeRule("member_access_expression", NodeRole::Member, "object", "name"),
    NodeRule("nullsafe_member_access_expression", NodeRole::Member, "object", "name"),
    NodeRule("scoped_property_access_expression", NodeRole::Member, "scope", "name"),
    NodeRule("class_constant_access_expression", NodeRole::Member, "", ""),
    NodeRule("subscript_expression", NodeRole::Index, "", ""),
    NodeRule("parenthesized_expression", NodeRole::Wrapper, "", ""),
    NodeRule("named_type", NodeRole::TypeWrapper, "", ""),
    NodeRule("optional_type", NodeRole::TypeWrapper, "", ""),
    NodeRule("qualified_name", NodeRole::Special, "", ""),
    NodeRule("property_declaration", NodeRole::Special, "", ""),
    NodeRule("const_declaration", NodeRole::Special, "", ""),
    NodeRule("assignment_expression", NodeRole::Special, "", ""),
    NodeRule("foreach_statement", NodeRole::Nothing, "", ""),
    NodeRule("anonymous_function", NodeRole::Block, "", ""),
    NodeRule("arrow_function", NodeRole::Block, "", ""),
    NodeRule("namespace_definition", NodeRole::Special, "", ""),
    NodeRule("namespace_use_declaration", NodeRole::Special, "", ""),
    NodeRule("throw_expression", NodeRole::Raise, "", ""),
    NodeRule("return_statement", NodeRole::Return, "", ""),
];

impl LanguageRules for Php {
    fn language(&self) -> tree_sitter::Language {
        tree_sitter_php::LANGUAGE_PHP.into()
    }

    fn kinds(&self) -> &'static [NodeRule] {
        KINDS
    }

    fn define_type(&self, walker: &mut Walker<'_>, node: Node<'_>) {
        let Some(name) = field(node, "name") else { return };
        let class = plain::class(walker, node, name);
        walker.entity_mut(class).is_interface = node.kind() == "interface_declaration";
        for (clause, kind) in
            [("base_clause", ReferenceKind::Inherit), ("class_interface_clause", ReferenceKind::Implement)]
        {
            for base in child_of_kind(node, clause).map(named_children).unwrap_or_default() {
                plain::base(walker, base, kind);
            }
        }
    }

    fn define_function(&self, walker: &mut Walker<'_>, node: Node<'_>) {
        let Some(name) = field(node, "name") else { return };
        let text = walker.text(name);
        let test = text.starts_with("test") && walker.file.entity(walker.current()).name.ends_with("Test");
        let kind = if test { EntityKind::Test } else { plain::kind_here(walker) };
        let entity = walker.define(kind, text, node, name);
        walker.entity_mut(entity).is_constructor = text == "__construct";
        walker.entity_mut(entity).is_static = child_of_kind(node, "static_modifier").is_some();
        let class = walker.enclosing(|kind| kind == EntityKind::Type);
        walker.open(entity);
        for param in field(node, "parameters").map(named_children).unwrap_or_default() {
            let Some(name) = field(param, "name") else { continue };
            let form = match (param.kind(), field(param, "default_value").is_some()) {
                ("variadic_parameter", _) => ParamForm::Rest,
                (_, true) => ParamForm::Optional,
                _ => ParamForm::Needed,
            };
            walker.add_param(entity, name, field(param, "type"), form);
            if param.kind() == "property_promotion_parameter"
                && let (Some(class), Some(inner)) = (class, name.named_child(0))
            {
                let value = field(param, "type").map_or(ExprId::UNKNOWN, |ty| walker.type_of(ty));
                walker.define_variable(EntityKind::Field, class, param, inner, value);
            }
        }
        walker.declare_result(entity, node, "return_type");
    }

    fn special(&self, walker: &mut Walker<'_>, node: Node<'_>) {
        match node.kind() {
            "variable_name" => walker.skip_children = true,
            "object_creation_expression" => object_creation_expression(walker, node),
            "property_declaration" => property_declaration(walker, node),
            "const_declaration" => const_declaration(walker, node),
            "assignment_expression" => assignment_expression(walker, node),
            "namespace_definition" => namespace_definition(walker, node),
            "namespace_use_declaration" => namespace_use_declaration(walker, node),
            _ => {}
        }
    }

    fn special_value(&self, walker: &mut Walker<'_>, node: Node<'_>, depth: u32) -> Option<ExprId> {
        match node.kind() {
            "variable_name" if walker.text(node) == "$this" => Some(walker.this()),
            "variable_name" => {
                let text = walker.text(node);
                let name = walker.intern(text);
                walker.local(name)
            }
            "relative_scope" => match walker.text(node) {
                "parent" => Some(walker.expr(Expr::Super(walker.current()))),
                _ => Some(walker.this()),
            },
            "object_creation_expression" => {
                let class = last_name(node.named_child(0)?)?;
                Some(walker.type_at(class, depth))
            }
            "qualified_name" => Some(walker.type_at(last_name(node)?, depth)),
            _ => None,
        }
    }
}

fn object_creation_expression(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(class) = node.named_child(0)
        && let Some(name) = last_name(class)
    {
        walker.construct(name, child_of_kind(node, "arguments"), node);
    }
}

fn property_declaration(walker: &mut Walker<'_>, node: Node<'_>) {
    let value = field(node, "type").map_or(ExprId::UNKNOWN, |ty| walker.type_of(ty));
    let scope = walker.current();
    for element in named_children(node).into_iter().filter(|one| one.kind() == "property_element") {
        if let Some(name) = field(element, "name").and_then(|name| name.named_child(0)) {
            walker.define_variable(EntityKind::Field, scope, node, name, value);
        }
    }
}

fn const_declaration(walker: &mut Walker<'_>, node: Node<'_>) {
    let scope = walker.current();
    for element in named_children(node).into_iter().filter(|one| one.kind() == "const_element") {
        if let Some(name) = element.named_child(0) {
            walker.define_variable(EntityKind::Constant, scope, node, name, ExprId::UNKNOWN);
        }
    }
}

fn assignment_expression(walker: &mut Walker<'_>, node: Node<'_>) {
    let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else { return };
    let value = walker.value(right);
    match left.kind() {
        "variable_name" => walker.bind_pattern(left, value, When::AfterNode),
        "member_access_expression" => plain::write(walker, left),
        _ => {}
    }
}

fn namespace_definition(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = field(node, "name") {
        walker.file.package = Some(walker.text(name).to_owned());
    }
}

fn namespace_use_declaration(walker: &mut Walker<'_>, node: Node<'_>) {
    for clause in named_children(node).into_iter().filter(|one| one.kind() == "namespace_use_clause") {
        let Some(path) = named_children(clause).first().copied() else { continue };
        let path = walker.text(path).trim_start_matches('\\').to_owned();
        let (module, name) = path.rsplit_once('\\').unwrap_or(("", &path));
        let alias = field(clause, "alias").map_or(name, |alias| walker.text(alias)).to_owned();
        plain::import_name(walker, node, module, name, &alias);
    }
}

/// The last part of a qualified name.
fn last_name(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "name" => Some(node),
        "qualified_name" => named_children(node).pop().filter(|name| name.kind() == "name"),
        _ => None,
    }
}
