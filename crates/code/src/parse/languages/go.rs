//! Go.

use tree_sitter::Node;

use crate::model::*;
use crate::parse::functions::{ParamForm, When};
use crate::parse::grammar::{LanguageRules, NodeRole, NodeRule};
use crate::parse::values::unquoted;
use crate::parse::walker::{Owner, Walker, field, line_of, named_children};

pub struct Go;

const KINDS: &[NodeRule] = &[
    NodeRule("comment", NodeRole::Comment, "", ""),
    NodeRule("interpreted_string_literal", NodeRole::Text, "", ""),
    NodeRule("raw_string_literal", NodeRole::Text, "", ""),
    NodeRule("int_literal", NodeRole::Literal(Literal::Int), "", ""),
    NodeRule("float_literal", NodeRole::Literal(Literal::Float), "", ""),
    NodeRule("true", NodeRole::Literal(Literal::Bool), "", ""),
    NodeRule("false", NodeRole::Literal(Literal::Bool), "", ""),
    NodeRule("nil", NodeRole::Literal(Literal::Null), "", ""),
    NodeRule("identifier", NodeRole::Identifier, "", ""),
    NodeRule("field_identifier", NodeRole::MemberName, "", ""),
    NodeRule("package_identifier", NodeRole::Identifier, "", ""),
    NodeRule("type_identifier", NodeRole::TypeName, "", ""),
    NodeRule("type_spec", NodeRole::Type, "", ""),
    NodeRule("type_alias", NodeRole::Type, "", ""),
    NodeRule("function_declaration", NodeRole::Function, "", ""),
    NodeRule("method_declaration", NodeRole::Function, "", ""),
    NodeRule("method_elem", NodeRole::Function, "", ""),
    NodeRule("func_literal", NodeRole::Special, "", ""),
    NodeRule("call_expression", NodeRole::Call, "function", "arguments"),
    NodeRule("composite_literal", NodeRole::New, "type", ""),
    NodeRule("selector_expression", NodeRole::Member, "operand", "field"),
    NodeRule("qualified_type", NodeRole::Member, "package", "name"),
    NodeRule("index_expression", NodeRole::Index, "operand", ""),
    NodeRule("slice_expression", NodeRole::Wrapper, "operand", ""),
    NodeRule("parenthesized_expression", NodeRole::Wrapper, "", ""),
    NodeRule("unary_expression", NodeRole::Wrapper, "operand", ""),
    NodeRule("type_assertion_expression", NodeRole::Cast, "type", ""),
    NodeRule("type_conversion_expression", NodeRole::Cast, "type", ""),
    NodeRule("generic_type", NodeRole::Generic, "type", "type_arguments"),
    NodeRule("pointer_type", NodeRole::TypeWrapper, "", ""),
    NodeRule("slice_type", NodeRole::TypeWrapper, "element", ""),
    NodeRule("array_type", NodeRole::TypeWrapper, "element", ""),
    NodeRule("map_type", NodeRole::TypeWrapper, "value", ""),
    NodeRule("channel_type", NodeRole::TypeWrapper, "value", ""),
    NodeRule("parenthesized_type", NodeRole::TypeWrapper, "", ""),
    NodeRule("short_var_declaration", NodeRole::Special, "", ""),
    NodeRule("var_spec", NodeRole::Special, "", ""),
    NodeRule("const_spec", NodeRole::Special, "", ""),
    NodeRule("field_declaration", NodeRole::Special, "", ""),
    NodeRule("type_elem", NodeRole::Special, "", ""),
    NodeRule("assignment_statement", NodeRole::Special, "", ""),
    NodeRule("range_clause", NodeRole::Special, "", ""),
    NodeRule("type_switch_statement", NodeRole::Special, "", ""),
    NodeRule("package_clause", NodeRole::Special, "", ""),
    NodeRule("import_spec", NodeRole::Special, "", ""),
    NodeRule("keyed_element", NodeRole::Special, "", ""),
    NodeRule("block", NodeRole::Block, "", ""),
    NodeRule("if_statement", NodeRole::Block, "", ""),
    NodeRule("for_statement", NodeRole::Block, "", ""),
];

impl LanguageRules for Go {
    fn language(&self) -> tree_sitter::Language {
        tree_sitter_go::LANGUAGE.into()
    }

    fn kinds(&self) -> &'static [NodeRule] {
        KINDS
    }

    fn define_type(&self, walker: &mut Walker<'_>, node: Node<'_>) {
        let Some(name) = field(node, "name") else { return };
        let text = walker.text(name);
        let class = walker.define(EntityKind::Type, text, node, name);
        walker.entity_mut(class).is_interface = field(node, "type").is_some_and(|ty| ty.kind() == "interface_type");
        walker.open(class);
        if let Some(ty) = field(node, "type").filter(|ty| !matches!(ty.kind(), "struct_type" | "interface_type")) {
            let value = walker.type_of(ty);
            walker.entity_mut(class).value = value;
        }
    }

    fn define_function(&self, walker: &mut Walker<'_>, node: Node<'_>) {
        let Some(name) = field(node, "name") else { return };
        let text = walker.text(name);
        let receiver = field(node, "receiver").and_then(|list| named_children(list).first().copied());
        let test_file = walker.file.path.ends_with("_test.go");
        let test = test_file && ["Test", "Benchmark", "Fuzz", "Example"].iter().any(|mark| text.starts_with(mark));
        let kind = match (receiver.is_some() || node.kind() == "method_elem", test) {
            (false, true) => EntityKind::Test,
            (true, _) => EntityKind::Method,
            _ => EntityKind::Function,
        };
        let receiver_type = receiver.and_then(|receiver| field(receiver, "type"));
        if let Some(ty) = receiver_type {
            let value = walker.type_of(ty);
            if let Expr::Instance { class, .. } = walker.file.expr(value) {
                let name = walker.text(ty).trim_start_matches(['*', ' ']).split('[').next().unwrap_or("").to_owned();
                walker.open_owner(Owner { class, name, implements: None });
            }
        }
        let entity = walker.define(kind, text, node, name);
        walker.open(entity);
        if let Some(receiver) = receiver
            && let (Some(name), Some(ty)) = (field(receiver, "name"), receiver_type)
        {
            let value = walker.type_of(ty);
            walker.bind_pattern(name, value, When::Now);
        }
        for param in field(node, "parameters").map(named_children).unwrap_or_default() {
            add_params(walker, entity, param);
        }
        let result = field(node, "result");
        let value = match result {
            Some(list) if list.kind() == "parameter_list" => results(walker, list),
            Some(ty) => walker.type_of(ty),
            None => ExprId::UNKNOWN,
        };
        walker.entity_mut(entity).value = value;
    }

    fn special(&self, walker: &mut Walker<'_>, node: Node<'_>) {
        match node.kind() {
            "func_literal" => func_literal(walker, node),
            "short_var_declaration" => short_var_declaration(walker, node),
            "var_spec" | "const_spec" => declare(walker, node),
            "field_declaration" => struct_field(walker, node),
            "type_elem" => type_elem(walker, node),
            "assignment_statement" => assign(walker, node),
            "range_clause" => range_clause(walker, node),
            "type_switch_statement" => type_switch_statement(walker, node),
            "package_clause" => package_clause(walker, node),
            "import_spec" => import(walker, node),
            "keyed_element" => keyed_element(walker, node),
            _ => {}
        }
    }

    fn call(&self, walker: &mut Walker<'_>, node: Node<'_>) -> bool {
        if node.kind() == "composite_literal" {
            if let Some(ty) = field(node, "type") {
                let inner = if ty.kind() == "generic_type" { field(ty, "type").unwrap_or(ty) } else { ty };
                if matches!(inner.kind(), "type_identifier" | "qualified_type") {
                    walker.construct(inner, None, node);
                }
            }
            return true;
        }
        let Some(callee) = field(node, "function") else { return false };
        let text = walker.text(callee);
        if text == "panic" || text == "errors.New" || text == "fmt.Errorf" {
            walker.raise_of(node, node);
        }
        route(walker, node, callee);
        false
    }
}

fn func_literal(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.open_block();
    for param in field(node, "parameters").map(named_children).unwrap_or_default() {
        let ty = field(param, "type").map_or(ExprId::UNKNOWN, |ty| walker.type_of(ty));
        let mut cursor = param.walk();
        for name in param.children_by_field_name("name", &mut cursor) {
            walker.bind_pattern(name, ty, When::Now);
        }
    }
}

fn short_var_declaration(walker: &mut Walker<'_>, node: Node<'_>) {
    if let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) {
        bind_pairs(walker, &named_children(left), &named_children(right), ExprId::UNKNOWN);
    }
}

fn type_elem(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(ty) = node.named_child(0) {
        embed(walker, ty);
    }
}

fn range_clause(walker: &mut Walker<'_>, node: Node<'_>) {
    if let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) {
        let collection = walker.value(right);
        let item = walker.element(collection);
        for (index, name) in named_children(left).into_iter().enumerate() {
            let value = if index == 1 { item } else { ExprId::UNKNOWN };
            walker.bind_pattern(name, value, When::Now);
        }
    }
}

fn type_switch_statement(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.open_block();
    if let Some(alias) = field(node, "alias") {
        walker.bind_pattern(alias, ExprId::UNKNOWN, When::Now);
    }
}

fn package_clause(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.skip_children = true;
    if let Some(name) = node.named_child(0) {
        walker.file.package = Some(walker.text(name).to_owned());
    }
}

fn keyed_element(walker: &mut Walker<'_>, node: Node<'_>) {
    // `Cart{items: nil}`: the key is a field.
    let key =
        node.named_child(0).and_then(|key| if key.kind() == "identifier" { Some(key) } else { key.named_child(0) });
    if let Some(key) = key {
        walker.mark_not_read(key);
    }
}

/// The types of a list of results; `a, b Cart` are two.
fn results(walker: &mut Walker<'_>, list: Node<'_>) -> ExprId {
    let mut types = Vec::new();
    for result in named_children(list) {
        let Some(ty) = field(result, "type") else { continue };
        let mut cursor = result.walk();
        let names = result.children_by_field_name("name", &mut cursor).count();
        let value = walker.type_of(ty);
        types.extend(std::iter::repeat_n(value, names.max(1)));
    }
    match types[..] {
        [only] => only,
        _ => walker.tuple(&types),
    }
}

fn add_params(walker: &mut Walker<'_>, entity: EntityId, param: Node<'_>) {
    let ty = field(param, "type");
    let form = if param.kind() == "variadic_parameter_declaration" { ParamForm::Rest } else { ParamForm::Needed };
    let mut cursor = param.walk();
    let names: Vec<Node<'_>> = param.children_by_field_name("name", &mut cursor).collect();
    if names.is_empty()
        && let Some(ty) = ty
    {
        let value = walker.type_of(ty);
        let text = walker.text(ty);
        walker.add_param_as(entity, "_", text, value, form);
    }
    for name in names {
        walker.add_param(entity, name, ty, form);
    }
}

fn bind_pairs(walker: &mut Walker<'_>, left: &[Node<'_>], right: &[Node<'_>], declared: ExprId) {
    for (index, name) in left.iter().enumerate() {
        if name.kind() != "identifier" {
            continue;
        }
        // `cart, err := load()`: one call gives several values.
        let value = match (declared, right.len() == left.len()) {
            (ExprId::UNKNOWN, true) => walker.value(right[index]),
            (ExprId::UNKNOWN, false) if !right.is_empty() => {
                let all = walker.value(right[0]);
                walker.part(all, index)
            }
            (declared, _) => declared,
        };
        walker.bind_pattern(*name, value, When::AfterNode);
    }
}

fn declare(walker: &mut Walker<'_>, node: Node<'_>) {
    let declared = field(node, "type").map_or(ExprId::UNKNOWN, |ty| walker.type_of(ty));
    let values = field(node, "value").map(named_children).unwrap_or_default();
    let mut cursor = node.walk();
    let names: Vec<Node<'_>> = node.children_by_field_name("name", &mut cursor).collect();
    if walker.in_function() {
        bind_pairs(walker, &names, &values, declared);
        return;
    }
    for (index, name) in names.iter().enumerate() {
        if name.kind() != "identifier" {
            continue;
        }
        let value = match (declared, values.get(index)) {
            (ExprId::UNKNOWN, Some(value)) => walker.value(*value),
            (declared, _) => declared,
        };
        let scope = walker.current();
        walker.define_variable(EntityKind::Constant, scope, node, *name, value);
    }
}

fn struct_field(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(ty) = field(node, "type") else { return };
    let value = walker.type_of(ty);
    let mut cursor = node.walk();
    let names: Vec<Node<'_>> = node.children_by_field_name("name", &mut cursor).collect();
    let scope = walker.current();
    if names.is_empty() {
        embed(walker, ty);
        let name = if ty.kind() == "qualified_type" { field(ty, "name").unwrap_or(ty) } else { ty };
        walker.define_variable(EntityKind::Field, scope, node, name, value);
    }
    for name in names {
        walker.define_variable(EntityKind::Field, scope, node, name, value);
    }
}

/// An embedded type provides its methods, like a base class.
fn embed(walker: &mut Walker<'_>, ty: Node<'_>) {
    let value = walker.type_of(ty);
    let Expr::Instance { class, .. } = walker.file.expr(value) else { return };
    match walker.file.expr(class) {
        Expr::Name { name, .. } => walker.refer(ReferenceKind::Inherit, name, None, ty),
        Expr::Member { of, name } => walker.refer(ReferenceKind::Inherit, name, Some(of), ty),
        _ => {}
    }
}

fn assign(walker: &mut Walker<'_>, node: Node<'_>) {
    for left in field(node, "left").map(named_children).unwrap_or_default() {
        match left.kind() {
            "selector_expression" => {
                let (Some(object), Some(member)) = (field(left, "operand"), field(left, "field")) else { continue };
                walker.mark_not_read(left);
                let receiver = walker.value(object);
                if receiver != ExprId::UNKNOWN {
                    let text = walker.text(member);
                    let name = walker.intern(text);
                    walker.refer(ReferenceKind::WriteState, name, Some(receiver), left);
                }
            }
            "identifier" => {
                let text = walker.text(left);
                let name = walker.intern(text);
                walker.mark_not_read(left);
                if walker.local(name).is_none() {
                    walker.refer(ReferenceKind::WriteState, name, None, left);
                }
            }
            _ => {}
        }
    }
}

fn import(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(path) = field(node, "path") else { return };
    walker.skip_children = true;
    let module = unquoted(walker.text(path)).to_owned();
    let name = field(node, "name").map(|name| (name.kind(), walker.text(name)));
    let last = module.rsplit('/').find(|part| !is_version(part)).unwrap_or("").to_owned();
    let (alias, wildcard) = match name {
        Some(("dot", _)) => (None, true),
        Some(("blank_identifier", _)) => (None, false),
        Some((_, alias)) => (Some(alias.to_owned()), false),
        None => (Some(last), false),
    };
    let line = line_of(node);
    let scope = EntityId::FILE;
    walker.file.imports.push(Import { module, name: None, alias, wildcard, exported: false, line, scope });
}

fn is_version(part: &str) -> bool {
    part.strip_prefix('v').is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// `http.HandleFunc("/cart", show)`, `r.GET("/cart", show)`.
fn route(walker: &mut Walker<'_>, node: Node<'_>, callee: Node<'_>) {
    let Some(name) = field(callee, "field") else { return };
    let text = walker.text(name);
    let method = match text {
        "HandleFunc" | "Handle" => "",
        "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS" | "Any" => text,
        "Get" | "Post" | "Put" | "Patch" | "Delete" => text,
        _ => return,
    };
    let arguments = field(node, "arguments").map(named_children).unwrap_or_default();
    let (Some(path), Some(handler)) = (arguments.first(), arguments.last()) else { return };
    if path.kind() != "interpreted_string_literal" || arguments.len() < 2 {
        return;
    }
    let path = unquoted(walker.text(*path));
    if path.starts_with('/') {
        let route = walker.define_route(method, path, node);
        walker.route_to(route, *handler);
    }
}
