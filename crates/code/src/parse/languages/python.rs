//! Python.

use tree_sitter::Node;

use crate::model::*;
use crate::parse::functions::{HTTP_METHODS, ParamForm, When};
use crate::parse::grammar::{LanguageRules, NodeRole, NodeRule};
use crate::parse::walker::{Walker, child_of_kind, field, line_of, named_children};

pub struct Python;

const KINDS: &[NodeRule] = &[
    NodeRule("comment", NodeRole::Comment, "", ""),
    NodeRule("string", NodeRole::Text, "", ""),
    NodeRule("concatenated_string", NodeRole::Text, "", ""),
    NodeRule("integer", NodeRole::Literal(Literal::Int), "", ""),
    NodeRule("float", NodeRole::Literal(Literal::Float), "", ""),
    NodeRule("true", NodeRole::Literal(Literal::Bool), "", ""),
    NodeRule("false", NodeRole::Literal(Literal::Bool), "", ""),
    NodeRule("none", NodeRole::Literal(Literal::Null), "", ""),
    NodeRule("list", NodeRole::Literal(Literal::Composite), "", ""),
    NodeRule("tuple", NodeRole::Special, "", ""),
    NodeRule("expression_list", NodeRole::Special, "", ""),
    NodeRule("dictionary", NodeRole::Literal(Literal::Composite), "", ""),
    NodeRule("set", NodeRole::Literal(Literal::Composite), "", ""),
    NodeRule("identifier", NodeRole::Identifier, "", ""),
    NodeRule("class_definition", NodeRole::Type, "", ""),
    NodeRule("function_definition", NodeRole::Function, "", ""),
    NodeRule("call", NodeRole::Call, "function", "arguments"),
    NodeRule("attribute", NodeRole::Member, "object", "attribute"),
    NodeRule("subscript", NodeRole::Index, "value", ""),
    NodeRule("parenthesized_expression", NodeRole::Wrapper, "", ""),
    NodeRule("await", NodeRole::Wrapper, "", ""),
    NodeRule("named_expression", NodeRole::Special, "", ""),
    NodeRule("type", NodeRole::TypeWrapper, "", ""),
    NodeRule("generic_type", NodeRole::Generic, "", ""),
    NodeRule("member_type", NodeRole::Member, "", ""),
    NodeRule("raise_statement", NodeRole::Raise, "", ""),
    NodeRule("return_statement", NodeRole::Return, "", ""),
    NodeRule("decorated_definition", NodeRole::Special, "", ""),
    NodeRule("lambda", NodeRole::Special, "", ""),
    NodeRule("assignment", NodeRole::Special, "", ""),
    NodeRule("augmented_assignment", NodeRole::Special, "", ""),
    NodeRule("for_statement", NodeRole::Special, "", ""),
    NodeRule("list_comprehension", NodeRole::Special, "", ""),
    NodeRule("set_comprehension", NodeRole::Special, "", ""),
    NodeRule("dictionary_comprehension", NodeRole::Special, "", ""),
    NodeRule("generator_expression", NodeRole::Special, "", ""),
    NodeRule("as_pattern", NodeRole::Special, "", ""),
    NodeRule("import_statement", NodeRole::Special, "", ""),
    NodeRule("import_from_statement", NodeRole::Special, "", ""),
    NodeRule("conditional_expression", NodeRole::Special, "", ""),
    NodeRule("boolean_operator", NodeRole::Special, "", ""),
    NodeRule("binary_operator", NodeRole::Special, "", ""),
    NodeRule("keyword_argument", NodeRole::Special, "", ""),
    NodeRule("expression_statement", NodeRole::Special, "", ""),
    NodeRule("if_statement", NodeRole::Special, "", ""),
];

impl LanguageRules for Python {
    fn language(&self) -> tree_sitter::Language {
        tree_sitter_python::LANGUAGE.into()
    }

    fn kinds(&self) -> &'static [NodeRule] {
        KINDS
    }

    fn define_type(&self, walker: &mut Walker<'_>, node: Node<'_>) {
        walker.take_attributes();
        let Some(name) = field(node, "name") else { return };
        let text = walker.text(name);
        let class = walker.define(EntityKind::Type, text, node, name);
        walker.open(class);
        let bases = field(node, "superclasses").map(named_children).unwrap_or_default();
        for base in bases.into_iter().filter(|base| base.kind() != "keyword_argument") {
            inherit(walker, base);
        }
        if let Some(body) = field(node, "body") {
            docstring(walker, body);
        }
    }

    fn define_function(&self, walker: &mut Walker<'_>, node: Node<'_>) {
        let Some(name) = field(node, "name") else { return };
        let attributes = walker.take_attributes();
        let in_class = walker.current_kind() == EntityKind::Type;
        let text = walker.text(name);
        let test = text.starts_with("test") && is_test_place(walker);
        let kind = match (test, in_class) {
            (true, _) => EntityKind::Test,
            (false, true) => EntityKind::Method,
            (false, false) => EntityKind::Function,
        };
        let class = walker.current();
        let entity = walker.define(kind, text, node, name);
        let has = |name: &str| attributes.iter().any(|attribute| attribute.contains(name));
        walker.entity_mut(entity).is_static = has("staticmethod");
        walker.entity_mut(entity).is_constructor = in_class && text == "__init__";
        route(walker, &attributes, text, node);
        walker.open(entity);
        if let Some(params) = field(node, "parameters") {
            let mut receiver = match (in_class, has("staticmethod")) {
                (true, false) => Some(if has("classmethod") || text == "__new__" || text == "__init_subclass__" {
                    walker.expr(Expr::Entity(class))
                } else {
                    walker.this()
                }),
                _ => None,
            };
            for param in named_children(params) {
                add_param(walker, entity, param, &mut receiver);
            }
        }
        walker.declare_result(entity, node, "return_type");
        if has("property") {
            // Reading it gives the value; the mark keeps the graph from expecting a call.
            walker.entity_mut(entity).implements = Some("property".into());
        }
        if let Some(body) = field(node, "body") {
            docstring(walker, body);
        }
    }

    fn special(&self, walker: &mut Walker<'_>, node: Node<'_>) {
        match node.kind() {
            "decorated_definition" => decorators(walker, node),
            "lambda" => {
                walker.open_block();
                if let Some(params) = field(node, "parameters") {
                    walker.bind_pattern(params, ExprId::UNKNOWN, When::Now);
                }
            }
            "assignment" | "augmented_assignment" | "named_expression" => assign(walker, node),
            "for_statement" => {
                if let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) {
                    bind_each(walker, left, right);
                }
            }
            "list_comprehension" | "set_comprehension" | "dictionary_comprehension" | "generator_expression" => {
                walker.open_block();
                for clause in named_children(node) {
                    if clause.kind() == "for_in_clause"
                        && let (Some(left), Some(right)) = (field(clause, "left"), field(clause, "right"))
                    {
                        bind_each(walker, left, right);
                    }
                }
            }
            "as_pattern" => {
                if let (Some(value), Some(alias)) = (node.named_child(0), field(node, "alias")) {
                    let value = walker.value(value);
                    // `except E as e` names the type, `with open() as f` the value.
                    let value = match walker.file.expr(value) {
                        Expr::Name { .. } | Expr::Member { .. } => walker.instance(value, ExprId::UNKNOWN),
                        _ => value,
                    };
                    walker.bind_pattern(alias, value, When::Now);
                }
            }
            "import_statement" => import(walker, node),
            "import_from_statement" => import_from(walker, node),
            "keyword_argument" => {
                if let Some(name) = field(node, "name") {
                    walker.mark_not_read(name);
                }
            }
            _ => {}
        }
    }

    fn special_value(&self, walker: &mut Walker<'_>, node: Node<'_>, depth: u32) -> Option<ExprId> {
        match node.kind() {
            "conditional_expression" => {
                let children = named_children(node);
                let one = walker.value_at(*children.first()?, depth);
                if one != ExprId::UNKNOWN && !matches!(walker.file.expr(one), Expr::Literal(_)) {
                    return Some(one);
                }
                Some(walker.value_at(*children.get(2)?, depth))
            }
            "boolean_operator" => {
                let right = walker.value_at(field(node, "right")?, depth);
                if right != ExprId::UNKNOWN && !matches!(walker.file.expr(right), Expr::Literal(_)) {
                    return Some(right);
                }
                Some(walker.value_at(field(node, "left")?, depth))
            }
            "named_expression" => Some(walker.value_at(field(node, "value")?, depth)),
            // `A | None` as a type.
            "binary_operator" if field(node, "operator").is_some_and(|sign| sign.kind() == "|") => {
                let left = walker.type_at(field(node, "left")?, depth);
                match left {
                    ExprId::UNKNOWN => Some(walker.type_at(field(node, "right")?, depth)),
                    left => Some(left),
                }
            }
            "tuple" | "expression_list" => {
                let parts: Vec<ExprId> =
                    named_children(node).into_iter().map(|part| walker.value_at(part, depth)).collect();
                Some(walker.tuple(&parts))
            }
            "list_comprehension" | "generator_expression" => Some(walker.expr(Expr::Literal(Literal::Composite))),
            _ => None,
        }
    }

    fn call(&self, walker: &mut Walker<'_>, node: Node<'_>) -> bool {
        // `super().method()`: ignore the call of `super` itself.
        field(node, "function").is_some_and(|callee| walker.text(callee) == "super")
    }
}

fn inherit(walker: &mut Walker<'_>, base: Node<'_>) {
    // `Generic[T]` and the like: the type before the bracket.
    let base = if base.kind() == "subscript" { field(base, "value").unwrap_or(base) } else { base };
    match walker.grammar.info(base.kind_id()).role {
        NodeRole::Identifier => {
            let text = walker.text(base);
            let name = walker.intern(text);
            walker.refer(ReferenceKind::Inherit, name, None, base);
        }
        NodeRole::Member => {
            let (Some(object), Some(member)) = (field(base, "object"), field(base, "attribute")) else { return };
            let receiver = walker.value(object);
            let text = walker.text(member);
            let name = walker.intern(text);
            walker.refer(ReferenceKind::Inherit, name, Some(receiver), base);
        }
        _ => {}
    }
}

fn docstring(walker: &mut Walker<'_>, body: Node<'_>) {
    if let Some(first) = body.named_child(0)
        && first.kind() == "expression_statement"
        && let Some(text) = first.named_child(0)
        && text.kind() == "string"
    {
        walker.comment(text, CommentKind::Docstring);
    }
}

/// pytest collects functions of test files, and methods of test classes.
fn is_test_place(walker: &Walker<'_>) -> bool {
    let name = walker.file.path.rsplit('/').next().unwrap_or("");
    let test_file = name.starts_with("test") || name.ends_with("_test.py");
    let test_folder = walker.file.path.split('/').any(|part| part == "tests" || part == "test");
    let class = walker.file.entity(walker.current());
    test_file || test_folder || (class.kind == EntityKind::Type && class.name.contains("Test"))
}

fn add_param(walker: &mut Walker<'_>, entity: EntityId, param: Node<'_>, receiver: &mut Option<ExprId>) {
    let (name, ty, form) = match param.kind() {
        "identifier" => (Some(param), None, ParamForm::Needed),
        "typed_parameter" => {
            let inner = param.named_child(0);
            let splat = inner.is_some_and(|inner| inner.kind().ends_with("splat_pattern"));
            let name = if splat { inner.and_then(|inner| inner.named_child(0)) } else { inner };
            (name, field(param, "type"), if splat { ParamForm::Rest } else { ParamForm::Needed })
        }
        "default_parameter" | "typed_default_parameter" => {
            (field(param, "name"), field(param, "type"), ParamForm::Optional)
        }
        "list_splat_pattern" | "dictionary_splat_pattern" => (param.named_child(0), None, ParamForm::Rest),
        _ => return,
    };
    let Some(name) = name else { return };
    match receiver.take() {
        Some(value) => {
            walker.mark_not_read(name);
            let text = walker.text(name);
            let id = walker.intern(text);
            walker.bind(id, value);
        }
        None if form == ParamForm::Rest => walker.add_param(entity, name, None, form),
        None => walker.add_param(entity, name, ty, form),
    }
}

fn decorators(walker: &mut Walker<'_>, node: Node<'_>) {
    for decorator in named_children(node) {
        if decorator.kind() != "decorator" {
            continue;
        }
        let text = walker.text(decorator);
        walker.attributes.push(text.trim_start_matches('@').to_owned());
        let Some(inner) = decorator.named_child(0) else { continue };
        if inner.kind() == "identifier" || inner.kind() == "attribute" {
            let value = walker.value(inner);
            let parts = match walker.file.expr(value) {
                Expr::Name { name, .. } => Some((None, name)),
                Expr::Member { of, name } => Some((Some(of), name)),
                _ => None,
            };
            if let Some((receiver, name)) = parts {
                walker.refer(ReferenceKind::Decorate, name, receiver, inner);
            }
        }
    }
}

/// `@app.route("/cart", methods=["POST"])`, `@router.get("/cart")`.
fn route(walker: &mut Walker<'_>, attributes: &[String], handler: &str, node: Node<'_>) {
    for attribute in attributes {
        let Some((callee, arguments)) = attribute.split_once('(') else { continue };
        let Some((_, verb)) = callee.rsplit_once('.') else { continue };
        let argument = arguments.trim_start();
        if !argument.starts_with(['"', '\'']) || !(verb == "route" || HTTP_METHODS.contains(&verb)) {
            continue;
        }
        let quote = &argument[..1];
        let Some(path) = argument[1..].split(quote).next().filter(|path| path.starts_with('/')) else { continue };
        let method = match verb {
            "route" => arguments.split_once("methods").map_or("GET".to_owned(), |(_, list)| {
                list.split(['"', '\'']).skip(1).step_by(2).take(4).collect::<Vec<_>>().join("|")
            }),
            verb => verb.to_owned(),
        };
        let id = walker.define_route(&method, path, node);
        let name = walker.intern_copy(handler);
        walker.route_to_name(id, name, None, node);
    }
}

fn assign(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(left) = field(node, "left").or_else(|| field(node, "name")) else { return };
    let right = field(node, "right").or_else(|| field(node, "value"));
    let declared = field(node, "type").map_or(ExprId::UNKNOWN, |ty| walker.type_of(ty));
    let value = match (declared, right) {
        (ExprId::UNKNOWN, Some(right)) => walker.value(right),
        (declared, _) => declared,
    };
    match left.kind() {
        "identifier" => {
            let text = walker.text(left);
            let name = walker.intern(text);
            match walker.current_kind() {
                kind if kind.is_callable() => {
                    walker.mark_not_read(left);
                    if node.kind() != "augmented_assignment" {
                        let old = walker.local(name).unwrap_or(ExprId::UNKNOWN);
                        // `x = None` says nothing about the value in the other branch.
                        let null = value == ExprId::UNKNOWN || walker.file.expr(value) == Expr::Literal(Literal::Null);
                        walker.bind_after(name, if null { old } else { value });
                    }
                }
                EntityKind::Type => {
                    let class = walker.current();
                    walker.define_variable(EntityKind::Field, class, node, left, value);
                }
                _ => {
                    walker.define_variable(EntityKind::Constant, EntityId::FILE, node, left, value);
                    walker.refer(ReferenceKind::WriteState, name, None, left);
                }
            }
        }
        "attribute" => {
            let (Some(object), Some(member)) = (field(left, "object"), field(left, "attribute")) else { return };
            walker.mark_not_read(left);
            let receiver = walker.value(object);
            let this = walker.this();
            if receiver != ExprId::UNKNOWN
                && receiver == this
                && let Some(class) = walker.enclosing(|kind| kind == EntityKind::Type)
            {
                walker.define_variable(EntityKind::Field, class, node, member, value);
            }
            if receiver != ExprId::UNKNOWN {
                let text = walker.text(member);
                let name = walker.intern(text);
                walker.refer(ReferenceKind::WriteState, name, Some(receiver), left);
            }
        }
        "pattern_list" | "tuple_pattern" | "list_pattern" if walker.in_function() => {
            for (index, name) in named_children(left).into_iter().enumerate() {
                let part = if name.kind() == "identifier" { walker.part(value, index) } else { ExprId::UNKNOWN };
                if matches!(name.kind(), "identifier" | "list_splat_pattern" | "tuple_pattern") {
                    walker.bind_pattern(name, part, When::AfterNode);
                }
            }
        }
        _ => {}
    }
}

fn bind_each(walker: &mut Walker<'_>, left: Node<'_>, right: Node<'_>) {
    let collection = walker.value(right);
    let item = walker.element(collection);
    let single = left.kind() == "identifier";
    walker.bind_pattern(left, if single { item } else { ExprId::UNKNOWN }, When::Now);
}

fn import(walker: &mut Walker<'_>, node: Node<'_>) {
    for child in named_children(node) {
        let (module, alias) = match child.kind() {
            "dotted_name" => (child, None),
            "aliased_import" => match (field(child, "name"), field(child, "alias")) {
                (Some(name), alias) => (name, alias),
                _ => continue,
            },
            _ => continue,
        };
        walker.skip_children = true;
        let module = walker.text(module).to_owned();
        let alias = match alias {
            Some(alias) => Some(walker.text(alias).to_owned()),
            None => Some(module.clone()),
        };
        push_import(walker, node, module, None, alias, false);
    }
}

fn import_from(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(module) = field(node, "module_name") else { return };
    let module_text = walker.text(module).to_owned();
    walker.skip_children = true;
    if child_of_kind(node, "wildcard_import").is_some() {
        push_import(walker, node, module_text, None, None, true);
        return;
    }
    let mut cursor = node.walk();
    for child in node.children_by_field_name("name", &mut cursor) {
        let (name, alias) = match child.kind() {
            "aliased_import" => match (field(child, "name"), field(child, "alias")) {
                (Some(name), Some(alias)) => (name, alias),
                _ => continue,
            },
            _ => (child, child),
        };
        let (name, alias) = (walker.text(name).to_owned(), walker.text(alias).to_owned());
        push_import(walker, node, module_text.clone(), Some(name), Some(alias), false);
    }
}

fn push_import(
    walker: &mut Walker<'_>,
    node: Node<'_>,
    module: String,
    name: Option<String>,
    alias: Option<String>,
    wildcard: bool,
) {
    let scope = walker.current();
    let line = line_of(node);
    walker.file.imports.push(Import { module, name, alias, wildcard, exported: true, line, scope });
}
