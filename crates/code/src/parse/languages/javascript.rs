//! JavaScript and TypeScript, with and without JSX.

use tree_sitter::Node;

use super::script_imports::{export, import};
use super::script_values::{assign, class_field, declare, is_function, pair};
use crate::model::*;
use crate::parse::functions::{HTTP_METHODS, ParamForm, When};
use crate::parse::grammar::{LanguageRules, NodeRole, NodeRule};
use crate::parse::values::unquoted;
use crate::parse::walker::{Walker, child_of_kind, field, named_children};

pub enum ScriptDialect {
    Plain,
    Typed,
    TypedWithMarkup,
}

const KINDS: &[NodeRule] = &[
    NodeRule("comment", NodeRole::Comment, "", ""),
    NodeRule("string", NodeRole::Text, "", ""),
    NodeRule("template_string", NodeRole::Text, "", ""),
    NodeRule("number", NodeRole::Literal(Literal::Float), "", ""),
    NodeRule("true", NodeRole::Literal(Literal::Bool), "", ""),
    NodeRule("false", NodeRole::Literal(Literal::Bool), "", ""),
    NodeRule("null", NodeRole::Literal(Literal::Null), "", ""),
    NodeRule("array", NodeRole::Literal(Literal::Composite), "", ""),
    NodeRule("regex", NodeRole::Literal(Literal::Composite), "", ""),
    NodeRule("identifier", NodeRole::Identifier, "", ""),
    NodeRule("property_identifier", NodeRole::MemberName, "", ""),
    NodeRule("private_property_identifier", NodeRole::MemberName, "", ""),
    NodeRule("shorthand_property_identifier", NodeRole::Identifier, "", ""),
    NodeRule("type_identifier", NodeRole::TypeName, "", ""),
    NodeRule("this", NodeRole::This, "", ""),
    NodeRule("super", NodeRole::Super, "", ""),
    NodeRule("class_declaration", NodeRole::Type, "", ""),
    NodeRule("abstract_class_declaration", NodeRole::Type, "", ""),
    NodeRule("class", NodeRole::Type, "", ""),
    NodeRule("interface_declaration", NodeRole::Type, "", ""),
    NodeRule("enum_declaration", NodeRole::Type, "", ""),
    NodeRule("type_alias_declaration", NodeRole::Type, "", ""),
    NodeRule("internal_module", NodeRole::Special, "", ""),
    NodeRule("function_declaration", NodeRole::Function, "", ""),
    NodeRule("generator_function_declaration", NodeRole::Function, "", ""),
    NodeRule("function_signature", NodeRole::Function, "", ""),
    NodeRule("method_definition", NodeRole::Function, "", ""),
    NodeRule("method_signature", NodeRole::Function, "", ""),
    NodeRule("abstract_method_signature", NodeRole::Function, "", ""),
    NodeRule("arrow_function", NodeRole::Function, "", ""),
    NodeRule("function_expression", NodeRole::Function, "", ""),
    NodeRule("generator_function", NodeRole::Function, "", ""),
    NodeRule("call_expression", NodeRole::Call, "function", "arguments"),
    NodeRule("new_expression", NodeRole::New, "constructor", "arguments"),
    NodeRule("member_expression", NodeRole::Member, "object", "property"),
    NodeRule("nested_type_identifier", NodeRole::Member, "module", "name"),
    NodeRule("nested_identifier", NodeRole::Member, "object", "property"),
    NodeRule("subscript_expression", NodeRole::Index, "object", ""),
    NodeRule("parenthesized_expression", NodeRole::Wrapper, "", ""),
    NodeRule("await_expression", NodeRole::Wrapper, "", ""),
    NodeRule("non_null_expression", NodeRole::Wrapper, "", ""),
    NodeRule("satisfies_expression", NodeRole::Wrapper, "", ""),
    NodeRule("as_expression", NodeRole::Special, "", ""),
    NodeRule("type_annotation", NodeRole::TypeWrapper, "", ""),
    NodeRule("generic_type", NodeRole::Generic, "name", "type_arguments"),
    NodeRule("array_type", NodeRole::TypeWrapper, "", ""),
    NodeRule("parenthesized_type", NodeRole::TypeWrapper, "", ""),
    NodeRule("readonly_type", NodeRole::TypeWrapper, "", ""),
    NodeRule("union_type", NodeRole::Special, "", ""),
    NodeRule("ternary_expression", NodeRole::Special, "", ""),
    NodeRule("binary_expression", NodeRole::Special, "", ""),
    NodeRule("object", NodeRole::Special, "", ""),
    NodeRule("pair", NodeRole::Special, "", ""),
    NodeRule("variable_declarator", NodeRole::Special, "", ""),
    NodeRule("assignment_expression", NodeRole::Special, "", ""),
    NodeRule("augmented_assignment_expression", NodeRole::Special, "", ""),
    NodeRule("field_definition", NodeRole::Special, "", ""),
    NodeRule("public_field_definition", NodeRole::Special, "", ""),
    NodeRule("property_signature", NodeRole::Special, "", ""),
    NodeRule("for_in_statement", NodeRole::Special, "", ""),
    NodeRule("catch_clause", NodeRole::Special, "", ""),
    NodeRule("import_statement", NodeRole::Special, "", ""),
    NodeRule("export_statement", NodeRole::Special, "", ""),
    NodeRule("decorator", NodeRole::Special, "", ""),
    NodeRule("jsx_opening_element", NodeRole::Special, "", ""),
    NodeRule("jsx_self_closing_element", NodeRole::Special, "", ""),
    NodeRule("throw_statement", NodeRole::Raise, "", ""),
    NodeRule("return_statement", NodeRole::Return, "", ""),
    NodeRule("statement_block", NodeRole::Block, "", ""),
    NodeRule("for_statement", NodeRole::Block, "", ""),
];

impl LanguageRules for ScriptDialect {
    fn language(&self) -> tree_sitter::Language {
        match self {
            ScriptDialect::Plain => tree_sitter_javascript::LANGUAGE.into(),
            ScriptDialect::Typed => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            ScriptDialect::TypedWithMarkup => tree_sitter_typescript::LANGUAGE_TSX.into(),
        }
    }

    fn kinds(&self) -> &'static [NodeRule] {
        KINDS
    }

    fn define_type(&self, walker: &mut Walker<'_>, node: Node<'_>) {
        let given = walker.take_value_name(node);
        let own = field(node, "name");
        let Some(name) = own.or(given.as_ref().map(|_| node)) else {
            walker.open_block();
            return;
        };
        let text = match (own, given) {
            (Some(own), _) => walker.text(own).to_owned(),
            (None, given) => given.map_or(String::new(), |given| given.name),
        };
        let class = walker.define(EntityKind::Type, &text, node, name);
        walker.entity_mut(class).is_interface = node.kind() == "interface_declaration";
        walker.open(class);
        type_params(walker, node);
        if node.kind() == "type_alias_declaration" {
            if let Some(value) = field(node, "value") {
                let value = walker.type_of(value);
                walker.entity_mut(class).value = value;
            }
            return;
        }
        heritage(walker, node);
    }

    fn define_function(&self, walker: &mut Walker<'_>, node: Node<'_>) {
        let given = walker.take_value_name(node);
        let own = field(node, "name");
        let in_type = walker.current_kind() == EntityKind::Type;
        let method = node.kind().starts_with("method") || node.kind().starts_with("abstract_method");
        let name = match (&given, own) {
            (Some(given), _) => given.name.clone(),
            (None, Some(own)) => walker.text(own).to_owned(),
            // An inline function: its calls belong to the surrounding code.
            (None, None) => {
                walker.open_block();
                bind_params(walker, node);
                return;
            }
        };
        let kind = match (&given, method && in_type) {
            (Some(given), _) => given.kind,
            (None, true) => EntityKind::Method,
            (None, false) => EntityKind::Function,
        };
        if let Some(owner) = given.and_then(|given| given.owner) {
            walker.open_owner(owner);
        }
        let entity = walker.define(kind, &name, node, own.unwrap_or(node));
        walker.entity_mut(entity).is_constructor = in_type && name == "constructor";
        walker.entity_mut(entity).is_static = child_of_kind(node, "static").is_some();
        if child_of_kind(node, "get").is_some() {
            walker.entity_mut(entity).implements = Some("property".into());
        }
        walker.open(entity);
        type_params(walker, node);
        if let Some(param) = field(node, "parameter") {
            walker.add_param(entity, param, None, ParamForm::Needed);
        }
        for param in field(node, "parameters").map(named_children).unwrap_or_default() {
            add_param(walker, entity, param);
        }
        walker.declare_result(entity, node, "return_type");
    }

    fn special(&self, walker: &mut Walker<'_>, node: Node<'_>) {
        match node.kind() {
            "internal_module" => {
                let Some(name) = field(node, "name") else { return };
                let text = walker.text(name);
                let module = walker.define(EntityKind::Module, text, node, name);
                walker.open(module);
            }
            "variable_declarator" => declare(walker, node),
            "assignment_expression" | "augmented_assignment_expression" => assign(walker, node),
            "pair" => pair(walker, node),
            "field_definition" | "public_field_definition" | "property_signature" => class_field(walker, node),
            "for_in_statement" => {
                walker.open_block();
                if let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) {
                    let collection = walker.value(right);
                    let of = field(node, "operator").is_some_and(|word| word.kind() == "of");
                    let item =
                        if of && left.kind() == "identifier" { walker.element(collection) } else { ExprId::UNKNOWN };
                    walker.bind_pattern(left, item, When::Now);
                }
            }
            "catch_clause" => {
                walker.open_block();
                if let Some(parameter) = field(node, "parameter") {
                    walker.bind_pattern(parameter, ExprId::UNKNOWN, When::Now);
                }
            }
            "import_statement" => import(walker, node),
            "export_statement" => export(walker, node),
            "decorator" => decorator(walker, node),
            "jsx_opening_element" | "jsx_self_closing_element" => {
                // `<Cart />` runs the component.
                if let Some(name) = field(node, "name")
                    && walker.text(name).starts_with(|c: char| c.is_uppercase())
                {
                    walker.call_of(name, None);
                }
            }
            _ => {}
        }
    }

    fn special_value(&self, walker: &mut Walker<'_>, node: Node<'_>, depth: u32) -> Option<ExprId> {
        match node.kind() {
            "as_expression" => {
                let children = named_children(node);
                Some(walker.type_at(*children.get(1)?, depth))
            }
            "union_type" => {
                let known = named_children(node).into_iter().map(|part| walker.type_at(part, depth));
                known.into_iter().find(|value| *value != ExprId::UNKNOWN)
            }
            "ternary_expression" => {
                let one = walker.value_at(field(node, "consequence")?, depth);
                if one != ExprId::UNKNOWN && !matches!(walker.file.expr(one), Expr::Literal(_)) {
                    return Some(one);
                }
                Some(walker.value_at(field(node, "alternative")?, depth))
            }
            "binary_expression" if field(node, "operator").is_some_and(|sign| matches!(sign.kind(), "||" | "??")) => {
                let left = walker.value_at(field(node, "left")?, depth);
                match left {
                    ExprId::UNKNOWN => Some(walker.value_at(field(node, "right")?, depth)),
                    left => Some(left),
                }
            }
            "object" => Some(walker.expr(Expr::Literal(Literal::Composite))),
            _ => None,
        }
    }

    fn call(&self, walker: &mut Walker<'_>, node: Node<'_>) -> bool {
        let Some(callee) = field(node, "function").or_else(|| field(node, "constructor")) else { return false };
        if callee.kind() == "super" {
            let receiver = walker.value(callee);
            walker.write_call(ReferenceKind::Construct, "super", Some(receiver), field(node, "arguments"), callee);
            return true;
        }
        // `add.call(cart, item)` runs `add`.
        if callee.kind() == "member_expression"
            && field(callee, "property").is_some_and(|name| matches!(walker.text(name), "call" | "apply"))
            && let Some(object) = field(callee, "object")
        {
            walker.call_of(object, None);
            return true;
        }
        if node.kind() == "call_expression" {
            test_case(walker, node, callee);
            route(walker, node, callee);
        }
        callee.kind() == "import"
    }
}

fn type_params(walker: &mut Walker<'_>, node: Node<'_>) {
    for param in field(node, "type_parameters").map(named_children).unwrap_or_default() {
        let Some(name) = field(param, "name") else { continue };
        let bound = field(param, "constraint").and_then(|bound| bound.named_child(0));
        let value = bound.map_or(ExprId::UNKNOWN, |bound| walker.type_of(bound));
        walker.mark_not_read(name);
        let text = walker.text(name);
        let id = walker.intern(text);
        walker.bind(id, value);
    }
}

fn heritage(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(heritage) = child_of_kind(node, "class_heritage").or_else(|| child_of_kind(node, "extends_type_clause"))
    else {
        return;
    };
    let mut open = vec![(heritage, ReferenceKind::Inherit)];
    while let Some((node, kind)) = open.pop() {
        match node.kind() {
            "class_heritage" | "extends_clause" | "extends_type_clause" => {
                open.extend(named_children(node).into_iter().map(|child| (child, kind)));
            }
            "implements_clause" => {
                open.extend(named_children(node).into_iter().map(|child| (child, ReferenceKind::Implement)));
            }
            "generic_type" => open.extend(field(node, "name").map(|name| (name, kind))),
            "type_arguments" => {}
            _ => {
                let value = walker.value(node);
                match walker.file.expr(value) {
                    Expr::Name { name, .. } => walker.refer(kind, name, None, node),
                    Expr::Member { of, name } => walker.refer(kind, name, Some(of), node),
                    _ => {}
                }
            }
        }
    }
}

fn bind_params(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(param) = field(node, "parameter") {
        walker.bind_pattern(param, ExprId::UNKNOWN, When::Now);
    }
    for param in field(node, "parameters").map(named_children).unwrap_or_default() {
        let ty = field(param, "type").map_or(ExprId::UNKNOWN, |ty| walker.type_of(ty));
        walker.bind_pattern(field(param, "pattern").unwrap_or(param), ty, When::Now);
    }
}

fn add_param(walker: &mut Walker<'_>, entity: EntityId, param: Node<'_>) {
    let pattern = field(param, "pattern").or_else(|| field(param, "left")).unwrap_or(param);
    let optional =
        param.kind() == "optional_parameter" || param.kind() == "assignment_pattern" || field(param, "value").is_some();
    let form = match (pattern.kind(), optional) {
        ("rest_pattern", _) => ParamForm::Rest,
        (_, true) => ParamForm::Optional,
        _ => ParamForm::Needed,
    };
    let name = if pattern.kind() == "rest_pattern" { pattern.named_child(0).unwrap_or(pattern) } else { pattern };
    if name.kind() == "identifier" {
        let ty = field(param, "type");
        walker.add_param(entity, name, ty, form);
        // `constructor(private readonly cart: Cart)` also declares a field.
        if child_of_kind(param, "accessibility_modifier").is_some()
            && let Some(class) = walker.enclosing(|kind| kind == EntityKind::Type)
        {
            let value = ty.map_or(ExprId::UNKNOWN, |ty| walker.type_of(ty));
            walker.define_variable(EntityKind::Field, class, param, name, value);
        }
    } else {
        walker.bind_pattern(name, ExprId::UNKNOWN, When::Now);
        let entity = walker.entity_mut(entity);
        let (name, type_text) = ("{}".to_owned(), String::new());
        entity.params.push(Param { name, type_text, ty: ExprId::UNKNOWN, optional });
    }
}

fn decorator(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(inner) = node.named_child(0).filter(|inner| inner.kind() == "identifier") {
        let text = walker.text(inner);
        let name = walker.intern(text);
        walker.mark_not_read(inner);
        walker.refer(ReferenceKind::Decorate, name, None, inner);
    }
}

const TEST_FUNCTIONS: &[&str] = &["it", "test", "it.only", "test.only", "it.skip", "test.skip", "it.each", "test.each"];

/// `it("adds", () => {…})`: the inline function becomes a test with that title.
fn test_case(walker: &mut Walker<'_>, node: Node<'_>, callee: Node<'_>) {
    if !TEST_FUNCTIONS.contains(&walker.text(callee)) {
        return;
    }
    let arguments = field(node, "arguments").map(named_children).unwrap_or_default();
    let title = arguments.first().filter(|title| matches!(title.kind(), "string" | "template_string"));
    let body = arguments.iter().skip(1).find(|argument| is_function(**argument));
    if let (Some(title), Some(body)) = (title, body) {
        let title = unquoted(walker.text(*title));
        walker.name_value_node(*body, title, EntityKind::Test, None);
    }
}

/// `app.get("/cart", show)`: a path and its handler.
fn route(walker: &mut Walker<'_>, node: Node<'_>, callee: Node<'_>) {
    if callee.kind() != "member_expression" {
        return;
    }
    let method = field(callee, "property").map_or("", |name| walker.text(name));
    let object = field(callee, "object").map_or("", |object| walker.text(object));
    let server = ["app", "router", "server", "api", "routes"].iter().any(|word| object.to_lowercase().ends_with(word));
    let arguments = field(node, "arguments").map(named_children).unwrap_or_default();
    if !server || !HTTP_METHODS.contains(&method) || arguments.len() < 2 || arguments[0].kind() != "string" {
        return;
    }
    let path = unquoted(walker.text(arguments[0]));
    if !path.starts_with('/') {
        return;
    }
    let route = walker.define_route(method, path, node);
    for handler in &arguments[1..] {
        walker.route_to(route, *handler);
    }
}
