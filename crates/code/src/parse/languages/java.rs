//! Java.

use tree_sitter::Node;

use super::java_types::{
    anonymous_class, bases, enum_constant, implicit_construction, implicit_super, starts_with_constructor_call,
    type_params,
};
use crate::model::*;
use crate::parse::functions::{ParamForm, When};
use crate::parse::grammar::{LanguageRules, NodeRole, NodeRule};
use crate::parse::values::unquoted;
use crate::parse::walker::{Walker, child_of_kind, field, line_of, named_children};

pub struct Java;

const KINDS: &[NodeRule] = &[
    NodeRule("line_comment", NodeRole::Comment, "", ""),
    NodeRule("block_comment", NodeRole::Comment, "", ""),
    NodeRule("string_literal", NodeRole::Text, "", ""),
    NodeRule("character_literal", NodeRole::Literal(Literal::Char), "", ""),
    NodeRule("decimal_integer_literal", NodeRole::Special, "", ""),
    NodeRule("hex_integer_literal", NodeRole::Special, "", ""),
    NodeRule("decimal_floating_point_literal", NodeRole::Literal(Literal::Float), "", ""),
    NodeRule("true", NodeRole::Literal(Literal::Bool), "", ""),
    NodeRule("false", NodeRole::Literal(Literal::Bool), "", ""),
    NodeRule("null_literal", NodeRole::Literal(Literal::Null), "", ""),
    NodeRule("class_literal", NodeRole::Special, "", ""),
    NodeRule("lambda_expression", NodeRole::Special, "", ""),
    NodeRule("identifier", NodeRole::Identifier, "", ""),
    NodeRule("type_identifier", NodeRole::TypeName, "", ""),
    NodeRule("this", NodeRole::This, "", ""),
    NodeRule("super", NodeRole::Super, "", ""),
    NodeRule("class_declaration", NodeRole::Type, "", ""),
    NodeRule("interface_declaration", NodeRole::Type, "", ""),
    NodeRule("enum_declaration", NodeRole::Type, "", ""),
    NodeRule("record_declaration", NodeRole::Type, "", ""),
    NodeRule("annotation_type_declaration", NodeRole::Type, "", ""),
    NodeRule("class_body", NodeRole::Special, "", ""),
    NodeRule("method_declaration", NodeRole::Function, "", ""),
    NodeRule("constructor_declaration", NodeRole::Function, "", ""),
    NodeRule("compact_constructor_declaration", NodeRole::Function, "", ""),
    NodeRule("annotation_type_element_declaration", NodeRole::Function, "", ""),
    NodeRule("method_invocation", NodeRole::MethodCall, "object", "name"),
    NodeRule("object_creation_expression", NodeRole::New, "type", "arguments"),
    NodeRule("explicit_constructor_invocation", NodeRole::Special, "", ""),
    NodeRule("method_reference", NodeRole::Special, "", ""),
    NodeRule("field_access", NodeRole::Member, "object", "field"),
    NodeRule("scoped_type_identifier", NodeRole::Special, "", ""),
    NodeRule("scoped_identifier", NodeRole::Member, "scope", "name"),
    NodeRule("array_access", NodeRole::Index, "array", ""),
    NodeRule("parenthesized_expression", NodeRole::Wrapper, "", ""),
    NodeRule("cast_expression", NodeRole::Cast, "type", ""),
    NodeRule("generic_type", NodeRole::Generic, "", ""),
    NodeRule("array_type", NodeRole::TypeWrapper, "element", ""),
    NodeRule("annotated_type", NodeRole::TypeWrapper, "", ""),
    NodeRule("integral_type", NodeRole::Special, "", ""),
    NodeRule("floating_point_type", NodeRole::Literal(Literal::Float), "", ""),
    NodeRule("boolean_type", NodeRole::Literal(Literal::Bool), "", ""),
    NodeRule("wildcard", NodeRole::Special, "", ""),
    NodeRule("ternary_expression", NodeRole::Special, "", ""),
    NodeRule("assignment_expression", NodeRole::Special, "", ""),
    NodeRule("binary_expression", NodeRole::Special, "", ""),
    NodeRule("instanceof_expression", NodeRole::Special, "", ""),
    NodeRule("field_declaration", NodeRole::Special, "", ""),
    NodeRule("constant_declaration", NodeRole::Special, "", ""),
    NodeRule("local_variable_declaration", NodeRole::Special, "", ""),
    NodeRule("enum_constant", NodeRole::Special, "", ""),
    NodeRule("enhanced_for_statement", NodeRole::Special, "", ""),
    NodeRule("catch_formal_parameter", NodeRole::Special, "", ""),
    NodeRule("resource", NodeRole::Special, "", ""),
    NodeRule("block", NodeRole::Block, "", ""),
    NodeRule("for_statement", NodeRole::Block, "", ""),
    NodeRule("catch_clause", NodeRole::Block, "", ""),
    NodeRule("try_with_resources_statement", NodeRole::Block, "", ""),
    NodeRule("package_declaration", NodeRole::Special, "", ""),
    NodeRule("import_declaration", NodeRole::Special, "", ""),
    NodeRule("throw_statement", NodeRole::Raise, "", ""),
    NodeRule("annotation", NodeRole::Special, "", ""),
    NodeRule("marker_annotation", NodeRole::Special, "", ""),
];

impl LanguageRules for Java {
    fn language(&self) -> tree_sitter::Language {
        tree_sitter_java::LANGUAGE.into()
    }

    fn kinds(&self) -> &'static [NodeRule] {
        KINDS
    }

    fn define_type(&self, walker: &mut Walker<'_>, node: Node<'_>) {
        let Some(name) = field(node, "name") else { return };
        let text = walker.text(name);
        let class = walker.define(EntityKind::Type, text, node, name);
        walker.entity_mut(class).is_interface = node.kind() == "interface_declaration";
        walker.open(class);
        type_params(walker, node);
        if let Some(base) = field(node, "superclass") {
            bases(walker, base, ReferenceKind::Inherit);
        }
        if let Some(list) = field(node, "interfaces") {
            bases(walker, list, ReferenceKind::Implement);
        }
        if let Some(list) = child_of_kind(node, "extends_interfaces") {
            bases(walker, list, ReferenceKind::Inherit);
        }
        if node.kind() == "record_declaration"
            && let Some(params) = field(node, "parameters")
        {
            for param in named_children(params) {
                if let (Some(name), Some(ty)) = (field(param, "name"), field(param, "type")) {
                    let value = walker.type_of(ty);
                    walker.define_variable(EntityKind::Field, class, param, name, value);
                }
            }
        }
        if node.kind() == "class_declaration" {
            implicit_construction(walker, node, class, field(node, "superclass"));
        }
    }

    fn define_function(&self, walker: &mut Walker<'_>, node: Node<'_>) {
        let Some(name) = field(node, "name") else { return };
        let modifiers = child_of_kind(node, "modifiers").map_or("", |modifiers| walker.text(modifiers));
        let annotated = |name: &str| modifiers.split(['@', ' ', '\n', '(']).any(|word| word == name);
        let constructor = node.kind().contains("constructor");
        let test = annotated("Test") || annotated("ParameterizedTest") || is_junit3_test(walker, name, modifiers);
        let kind = if test && !constructor { EntityKind::Test } else { EntityKind::Method };
        let text = walker.text(name);
        spring_route(walker, node, text);
        let class = walker.current();
        let entity = walker.define(kind, text, node, name);
        walker.entity_mut(entity).is_static = modifiers.split_whitespace().any(|word| word == "static");
        walker.entity_mut(entity).is_constructor = constructor;
        walker.open(entity);
        type_params(walker, node);
        if let Some(params) = field(node, "parameters") {
            for param in named_children(params) {
                add_param(walker, entity, param);
            }
        }
        walker.declare_result(entity, node, "type");
        if node.kind() == "constructor_declaration" && !starts_with_constructor_call(node) {
            let this = walker.expr(Expr::Entity(class));
            implicit_super(walker, name, this);
        }
    }

    fn special(&self, walker: &mut Walker<'_>, node: Node<'_>) {
        match node.kind() {
            "class_body" => anonymous_class(walker, node),
            "explicit_constructor_invocation" => explicit_constructor_invocation(walker, node),
            "field_declaration" | "constant_declaration" => variables(walker, node, EntityKind::Field),
            "local_variable_declaration" => locals(walker, node),
            "enum_constant" => enum_constant(walker, node),
            "enhanced_for_statement" => enhanced_for_statement(walker, node),
            "catch_formal_parameter" => catch_formal_parameter(walker, node),
            "resource" => resource(walker, node),
            "instanceof_expression" => instanceof_expression(walker, node),
            "lambda_expression" => lambda_expression(walker, node),
            "method_reference" => method_reference(walker, node),
            "assignment_expression" => assign(walker, node),
            "package_declaration" => package_declaration(walker, node),
            "import_declaration" => import(walker, node),
            "annotation" | "marker_annotation" => annotation(walker, node),
            _ => {}
        }
    }

    fn special_value(&self, walker: &mut Walker<'_>, node: Node<'_>, depth: u32) -> Option<ExprId> {
        match node.kind() {
            "ternary_expression" => {
                let one = walker.value_at(field(node, "consequence")?, depth);
                if one != ExprId::UNKNOWN && walker.file.expr(one) != Expr::Literal(Literal::Null) {
                    return Some(one);
                }
                Some(walker.value_at(field(node, "alternative")?, depth))
            }
            "assignment_expression" => Some(walker.value_at(field(node, "right")?, depth)),
            "scoped_type_identifier" => {
                let children = named_children(node);
                let of = walker.value_at(*children.first()?, depth);
                let text = walker.text(*children.last()?);
                let class = walker.member(of, text);
                Some(walker.instance(class, ExprId::UNKNOWN))
            }
            "integral_type" => {
                let literal = match walker.text(node) {
                    "char" => Literal::Char,
                    "long" => Literal::Long,
                    _ => Literal::Int,
                };
                Some(walker.expr(Expr::Literal(literal)))
            }
            "decimal_integer_literal" | "hex_integer_literal" => {
                let long = walker.text(node).ends_with(['l', 'L']);
                Some(walker.expr(Expr::Literal(if long { Literal::Long } else { Literal::Int })))
            }
            "binary_expression" => binary(walker, node, depth),
            "lambda_expression" | "method_reference" => Some(walker.expr(Expr::Literal(Literal::Composite))),
            "instanceof_expression" => Some(walker.expr(Expr::Literal(Literal::Bool))),
            "wildcard" => named_children(node).pop().map(|bound| walker.type_at(bound, depth)),
            "class_literal" => {
                let class = walker.intern("Class");
                let class = walker.expr(Expr::Name { name: class, scope: EntityId::FILE });
                Some(walker.instance(class, ExprId::UNKNOWN))
            }
            _ => None,
        }
    }

    fn call(&self, walker: &mut Walker<'_>, node: Node<'_>) -> bool {
        if node.kind() != "object_creation_expression" {
            return false;
        }
        if let Some(body) = child_of_kind(node, "class_body") {
            walker.anonymous_bodies.push(body.id());
        }
        // `new a.B()`: the path is a type, which has no fields.
        let Some(class) = field(node, "type") else { return true };
        let scoped = match class.kind() {
            "generic_type" => class.named_child(0).unwrap_or(class),
            _ => class,
        };
        if scoped.kind() != "scoped_type_identifier" {
            return false;
        }
        let children = named_children(scoped);
        if let [object, name] = children[..] {
            let receiver = walker.value(object);
            let receiver = match walker.file.expr(receiver) {
                Expr::Instance { class, .. } => class,
                _ => receiver,
            };
            let text = walker.text(name);
            walker.mark_not_read(name);
            walker.write_call(ReferenceKind::Construct, text, Some(receiver), field(node, "arguments"), node);
        }
        true
    }
}

fn explicit_constructor_invocation(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(constructor) = field(node, "constructor") else { return };
    let receiver = walker.value(constructor);
    let text = walker.text(constructor);
    walker.write_call(ReferenceKind::Construct, text, Some(receiver), field(node, "arguments"), constructor);
}

fn enhanced_for_statement(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.open_block();
    let (Some(ty), Some(name)) = (field(node, "type"), field(node, "name")) else { return };
    let value = match walker.text(ty) {
        "var" => {
            let collection = field(node, "value").map_or(ExprId::UNKNOWN, |value| walker.value(value));
            walker.element(collection)
        }
        _ => walker.type_of(ty),
    };
    walker.bind_pattern(name, value, When::Now);
}

fn catch_formal_parameter(walker: &mut Walker<'_>, node: Node<'_>) {
    let ty = child_of_kind(node, "catch_type").and_then(|types| types.named_child(0));
    if let Some(name) = field(node, "name") {
        let value = ty.map_or(ExprId::UNKNOWN, |ty| walker.type_of(ty));
        walker.bind_pattern(name, value, When::Now);
    }
}

fn resource(walker: &mut Walker<'_>, node: Node<'_>) {
    if let (Some(ty), Some(name)) = (field(node, "type"), field(node, "name")) {
        let value = walker.type_of(ty);
        walker.bind_pattern(name, value, When::Now);
    }
}

fn instanceof_expression(walker: &mut Walker<'_>, node: Node<'_>) {
    if let (Some(ty), Some(name)) = (field(node, "right"), field(node, "name")) {
        let value = walker.type_of(ty);
        walker.bind_pattern(name, value, When::Now);
    }
}

fn lambda_expression(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.open_block();
    if let Some(params) = field(node, "parameters") {
        for param in named_children(params) {
            let ty = field(param, "type").map_or(ExprId::UNKNOWN, |ty| walker.type_of(ty));
            walker.bind_pattern(field(param, "name").unwrap_or(param), ty, When::Now);
        }
        if params.kind() == "identifier" {
            walker.bind_pattern(params, ExprId::UNKNOWN, When::Now);
        }
    }
}

fn method_reference(walker: &mut Walker<'_>, node: Node<'_>) {
    let children = named_children(node);
    if let [object, name] = children[..] {
        walker.mark_not_read(name);
        let receiver = walker.value(object);
        let text = walker.text(name);
        let name = walker.intern(text);
        walker.refer(ReferenceKind::ReadState, name, Some(receiver), node);
    }
}

fn package_declaration(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.skip_children = true;
    if let Some(name) = named_children(node).pop() {
        walker.file.package = Some(walker.text(name).to_owned());
    }
}

fn annotation(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = field(node, "name") {
        let value = walker.value(name);
        if let Expr::Name { name: id, .. } = walker.file.expr(value) {
            walker.mark_not_read(name);
            walker.refer(ReferenceKind::Decorate, id, None, name);
        }
    }
}

fn binary(walker: &mut Walker<'_>, node: Node<'_>, depth: u32) -> Option<ExprId> {
    let sign = field(node, "operator")?.kind();
    if !matches!(sign, "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^" | "<<" | ">>" | ">>>") {
        return Some(walker.expr(Expr::Literal(Literal::Bool)));
    }
    let left = walker.value_at(field(node, "left")?, depth);
    let right = walker.value_at(field(node, "right")?, depth);
    let text = walker.expr(Expr::Literal(Literal::Text));
    if sign == "+" && (left == text || right == text) {
        return Some(text);
    }
    Some(if left == ExprId::UNKNOWN { right } else { left })
}

fn is_junit3_test(walker: &Walker<'_>, name: Node<'_>, modifiers: &str) -> bool {
    walker.text(name).starts_with("test")
        && modifiers.contains("public")
        && walker.file.entity(walker.current()).name.ends_with("Test")
}

fn add_param(walker: &mut Walker<'_>, entity: EntityId, param: Node<'_>) {
    match param.kind() {
        "formal_parameter" => {
            if let Some(name) = field(param, "name") {
                walker.add_param(entity, name, field(param, "type"), ParamForm::Needed);
                if field(param, "dimensions").is_some()
                    && let Some(param) = walker.entity_mut(entity).params.last_mut()
                {
                    param.type_text.push_str("[]");
                }
            }
        }
        "spread_parameter" => {
            let children = named_children(param);
            let ty = children.iter().rev().nth(1).copied();
            let name = children.last().and_then(|declarator| field(*declarator, "name"));
            if let Some(name) = name {
                walker.add_param(entity, name, ty, ParamForm::Rest);
                if let Some(param) = walker.entity_mut(entity).params.last_mut() {
                    param.type_text.push_str("[]");
                }
            }
        }
        _ => {}
    }
}

fn variables(walker: &mut Walker<'_>, node: Node<'_>, kind: EntityKind) {
    let value = field(node, "type").map_or(ExprId::UNKNOWN, |ty| walker.type_of(ty));
    let scope = walker.current();
    let mut cursor = node.walk();
    for declarator in node.children_by_field_name("declarator", &mut cursor) {
        if let Some(name) = field(declarator, "name") {
            walker.define_variable(kind, scope, node, name, value);
        }
    }
}

fn locals(walker: &mut Walker<'_>, node: Node<'_>) {
    let ty = field(node, "type");
    let inferred = ty.is_some_and(|ty| walker.text(ty) == "var");
    let declared = ty.map_or(ExprId::UNKNOWN, |ty| walker.type_of(ty));
    let mut cursor = node.walk();
    for declarator in node.children_by_field_name("declarator", &mut cursor) {
        let Some(name) = field(declarator, "name") else { continue };
        let value = match (inferred, field(declarator, "value")) {
            (true, Some(value)) => walker.value(value),
            _ => declared,
        };
        walker.bind_pattern(name, value, When::AfterNode);
    }
}

fn assign(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(left) = field(node, "left") else { return };
    match left.kind() {
        "identifier" => {
            let text = walker.text(left);
            let name = walker.intern(text);
            walker.mark_not_read(left);
            if walker.local(name).is_none() {
                walker.refer(ReferenceKind::WriteState, name, None, left);
            }
        }
        "field_access" => {
            let (Some(object), Some(member)) = (field(left, "object"), field(left, "field")) else { return };
            walker.mark_not_read(left);
            let receiver = walker.value(object);
            let text = walker.text(member);
            let name = walker.intern(text);
            walker.refer(ReferenceKind::WriteState, name, Some(receiver), left);
        }
        _ => {}
    }
}

fn import(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(path) = named_children(node).first().copied() else { return };
    let text = walker.text(path).to_owned();
    walker.skip_children = true;
    let wildcard = child_of_kind(node, "asterisk").is_some();
    let line = line_of(node);
    let (module, name) = match (wildcard, text.rsplit_once('.')) {
        (false, Some((module, name))) => (module.to_owned(), Some(name.to_owned())),
        _ => (text, None),
    };
    let alias = name.clone();
    let scope = EntityId::FILE;
    walker.file.imports.push(Import { module, name, alias, wildcard, exported: false, line, scope });
}

const SPRING: &[(&str, &str)] = &[
    ("GetMapping", "GET"),
    ("PostMapping", "POST"),
    ("PutMapping", "PUT"),
    ("PatchMapping", "PATCH"),
    ("DeleteMapping", "DELETE"),
    ("RequestMapping", ""),
];

fn spring_route(walker: &mut Walker<'_>, node: Node<'_>, handler: &str) {
    let Some(modifiers) = child_of_kind(node, "modifiers") else { return };
    for annotation in named_children(modifiers) {
        let name = field(annotation, "name").map_or("", |name| walker.text(name));
        let Some((_, method)) = SPRING.iter().find(|(known, _)| *known == name) else { continue };
        let text = walker.text(annotation);
        let path = text.split('"').nth(1).unwrap_or("/");
        let route = walker.define_route(method, unquoted(path), annotation);
        let name = walker.intern_copy(handler);
        let class = walker.this();
        walker.route_to_name(route, name, Some(class), annotation);
    }
}
