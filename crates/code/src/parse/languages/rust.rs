//! Rust.

use tree_sitter::Node;

use super::rust_macros::{macro_call, tokens};
use super::rust_uses::use_tree;
use crate::model::*;
use crate::parse::functions::{ParamForm, When};
use crate::parse::grammar::{LanguageRules, NodeRole, NodeRule};
use crate::parse::walker::{Owner, Walker, child_of_kind, field, line_of, named_children};

pub struct Rust;

const KINDS: &[NodeRule] = &[
    NodeRule("line_comment", NodeRole::Comment, "", ""),
    NodeRule("block_comment", NodeRole::Comment, "", ""),
    NodeRule("string_literal", NodeRole::Text, "", ""),
    NodeRule("raw_string_literal", NodeRole::Text, "", ""),
    NodeRule("char_literal", NodeRole::Literal(Literal::Char), "", ""),
    NodeRule("integer_literal", NodeRole::Literal(Literal::Int), "", ""),
    NodeRule("float_literal", NodeRole::Literal(Literal::Float), "", ""),
    NodeRule("boolean_literal", NodeRole::Literal(Literal::Bool), "", ""),
    NodeRule("array_expression", NodeRole::Literal(Literal::Composite), "", ""),
    NodeRule("tuple_expression", NodeRole::Special, "", ""),
    NodeRule("tuple_type", NodeRole::Special, "", ""),
    NodeRule("identifier", NodeRole::Identifier, "", ""),
    NodeRule("field_identifier", NodeRole::MemberName, "", ""),
    NodeRule("shorthand_field_identifier", NodeRole::MemberName, "", ""),
    NodeRule("type_identifier", NodeRole::TypeName, "", ""),
    NodeRule("self", NodeRole::This, "", ""),
    NodeRule("struct_item", NodeRole::Type, "", ""),
    NodeRule("enum_item", NodeRole::Type, "", ""),
    NodeRule("union_item", NodeRole::Type, "", ""),
    NodeRule("trait_item", NodeRole::Type, "", ""),
    NodeRule("type_item", NodeRole::Type, "", ""),
    NodeRule("impl_item", NodeRole::Special, "", ""),
    NodeRule("mod_item", NodeRole::Special, "", ""),
    NodeRule("function_item", NodeRole::Function, "", ""),
    NodeRule("function_signature_item", NodeRole::Function, "", ""),
    NodeRule("macro_definition", NodeRole::Special, "", ""),
    NodeRule("call_expression", NodeRole::Call, "function", "arguments"),
    NodeRule("unsafe_block", NodeRole::Special, "", ""),
    NodeRule("generic_function", NodeRole::Generic, "function", "type_arguments"),
    NodeRule("macro_invocation", NodeRole::Special, "", ""),
    NodeRule("token_tree", NodeRole::Special, "", ""),
    NodeRule("struct_expression", NodeRole::New, "name", ""),
    NodeRule("field_expression", NodeRole::Member, "value", "field"),
    NodeRule("scoped_identifier", NodeRole::Member, "path", "name"),
    NodeRule("scoped_type_identifier", NodeRole::Member, "path", "name"),
    NodeRule("index_expression", NodeRole::Index, "", ""),
    NodeRule("try_expression", NodeRole::Special, "", ""),
    NodeRule("await_expression", NodeRole::Wrapper, "", ""),
    NodeRule("parenthesized_expression", NodeRole::Wrapper, "", ""),
    NodeRule("reference_expression", NodeRole::Wrapper, "value", ""),
    NodeRule("unary_expression", NodeRole::Wrapper, "", ""),
    NodeRule("type_cast_expression", NodeRole::Cast, "type", ""),
    NodeRule("generic_type", NodeRole::Generic, "type", "type_arguments"),
    NodeRule("generic_type_with_turbofish", NodeRole::Generic, "type", "type_arguments"),
    NodeRule("reference_type", NodeRole::TypeWrapper, "type", ""),
    NodeRule("pointer_type", NodeRole::TypeWrapper, "type", ""),
    NodeRule("array_type", NodeRole::TypeWrapper, "element", ""),
    NodeRule("dynamic_type", NodeRole::TypeWrapper, "trait", ""),
    NodeRule("abstract_type", NodeRole::TypeWrapper, "trait", ""),
    NodeRule("let_declaration", NodeRole::Special, "", ""),
    NodeRule("let_condition", NodeRole::Special, "", ""),
    NodeRule("for_expression", NodeRole::Special, "", ""),
    NodeRule("closure_expression", NodeRole::Special, "", ""),
    NodeRule("match_arm", NodeRole::Special, "", ""),
    NodeRule("assignment_expression", NodeRole::Special, "", ""),
    NodeRule("compound_assignment_expr", NodeRole::Special, "", ""),
    NodeRule("const_item", NodeRole::Special, "", ""),
    NodeRule("static_item", NodeRole::Special, "", ""),
    NodeRule("enum_variant", NodeRole::Special, "", ""),
    NodeRule("field_declaration", NodeRole::Special, "", ""),
    NodeRule("attribute_item", NodeRole::Special, "", ""),
    NodeRule("use_declaration", NodeRole::Special, "", ""),
    NodeRule("block", NodeRole::Block, "", ""),
    NodeRule("if_expression", NodeRole::Block, "", ""),
];

impl LanguageRules for Rust {
    fn language(&self) -> tree_sitter::Language {
        tree_sitter_rust::LANGUAGE.into()
    }

    fn kinds(&self) -> &'static [NodeRule] {
        KINDS
    }

    fn define_type(&self, walker: &mut Walker<'_>, node: Node<'_>) {
        walker.take_attributes();
        let Some(name) = field(node, "name") else { return };
        let text = walker.text(name);
        let class = walker.define(EntityKind::Type, text, node, name);
        if node.kind() == "type_item" {
            // An alias: its value is its target. Associated types are kept as they are.
            if let Some(ty) = field(node, "type") {
                let value = walker.type_of(ty);
                walker.entity_mut(class).value = value;
            }
            return;
        }
        walker.entity_mut(class).is_interface = node.kind() == "trait_item";
        walker.open(class);
        let this = walker.expr(Expr::Entity(class));
        bind_self(walker, this);
        type_params(walker, node);
        if let Some(bounds) = field(node, "bounds") {
            for bound in named_children(bounds) {
                walker.refer_to_type(ReferenceKind::Inherit, bound);
            }
        }
    }

    fn define_function(&self, walker: &mut Walker<'_>, node: Node<'_>) {
        let attributes = walker.take_attributes();
        let Some(name) = field(node, "name") else { return };
        let text = walker.text(name);
        let params = field(node, "parameters");
        let in_type = walker.current_kind() == EntityKind::Type || walker.in_owner_block();
        let test = attributes.iter().any(|attribute| is_test_attribute(attribute));
        let kind = match (test, in_type) {
            (true, _) => EntityKind::Test,
            (false, true) => EntityKind::Method,
            (false, false) => EntityKind::Function,
        };
        let entity = walker.define(kind, text, node, name);
        let receiver = params.and_then(|params| child_of_kind(params, "self_parameter"));
        walker.entity_mut(entity).is_static = receiver.is_none();
        walker.open(entity);
        type_params(walker, node);
        for param in params.map(named_children).unwrap_or_default() {
            if param.kind() == "parameter"
                && let Some(pattern) = field(param, "pattern")
            {
                walker.add_param(entity, pattern, field(param, "type"), ParamForm::Needed);
            }
        }
        walker.declare_result(entity, node, "return_type");
    }

    fn special(&self, walker: &mut Walker<'_>, node: Node<'_>) {
        match node.kind() {
            "impl_item" => open_impl(walker, node),
            "mod_item" => mod_item(walker, node),
            "macro_definition" => macro_definition(walker, node),
            "macro_invocation" => macro_call(walker, node),
            "token_tree" => tokens(walker, node),
            "let_declaration" => let_declaration(walker, node),
            "let_condition" => let_condition(walker, node),
            "match_arm" => match_arm(walker, node),
            "for_expression" => for_expression(walker, node),
            "closure_expression" => closure_expression(walker, node),
            "assignment_expression" | "compound_assignment_expr" => assign(walker, node),
            "const_item" | "static_item" => const_item(walker, node),
            "enum_variant" => enum_variant(walker, node),
            "field_declaration" => field_declaration(walker, node),
            "attribute_item" => {
                let text = walker.text(node).to_owned();
                walker.attributes.push(text);
            }
            "use_declaration" => use_declaration(walker, node),
            _ => {}
        }
    }

    fn special_value(&self, walker: &mut Walker<'_>, node: Node<'_>, depth: u32) -> Option<ExprId> {
        match node.kind() {
            // `?` takes the value out of its wrapper.
            "try_expression" => {
                let of = walker.value_at(node.named_child(0)?, depth);
                Some(walker.element(of))
            }
            "tuple_expression" => {
                let parts: Vec<ExprId> =
                    named_children(node).into_iter().map(|part| walker.value_at(part, depth)).collect();
                Some(walker.tuple(&parts))
            }
            "tuple_type" => {
                let parts: Vec<ExprId> =
                    named_children(node).into_iter().map(|part| walker.type_at(part, depth)).collect();
                Some(walker.tuple(&parts))
            }
            "unsafe_block" => {
                let block = node.named_child(0)?;
                Some(walker.value_at(named_children(block).pop()?, depth))
            }
            _ => None,
        }
    }

    fn call_value(&self, walker: &mut Walker<'_>, node: Node<'_>, depth: u32) -> Option<ExprId> {
        let callee = field(node, "function")?;
        let arguments = named_children(field(node, "arguments")?);
        let ([inner], text) = (&arguments[..], walker.text(callee)) else { return None };
        let (wrapper, function) = match text.rsplit_once("::") {
            Some((path, function)) => (path.rsplit("::").next().unwrap_or(path), function),
            None => (text, "new"),
        };
        match function {
            "new" | "pin" | "from" if WRAPPERS.contains(&wrapper) => {
                let held = walker.value_at(*inner, depth);
                let class = walker.free_name(wrapper);
                Some(walker.instance(class, held))
            }
            "clone" | "downgrade" if WRAPPERS.contains(&wrapper) => Some(walker.value_at(*inner, depth)),
            _ => None,
        }
    }

    fn call(&self, walker: &mut Walker<'_>, node: Node<'_>) -> bool {
        if node.kind() == "struct_expression" {
            if let Some(name) = field(node, "name") {
                walker.construct(name, None, node);
            }
            return true;
        }
        false
    }
}

fn mod_item(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.take_attributes();
    let (Some(name), Some(_)) = (field(node, "name"), field(node, "body")) else { return };
    let text = walker.text(name);
    let module = walker.define(EntityKind::Module, text, node, name);
    walker.open(module);
}

fn macro_definition(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.take_attributes();
    let Some(name) = field(node, "name") else { return };
    let text = walker.text(name);
    let entity = walker.define(EntityKind::Function, text, node, name);
    walker.entity_mut(entity).variadic = true;
    walker.open(entity);
}

fn let_declaration(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(pattern) = field(node, "pattern") else { return };
    let value = match (field(node, "type"), field(node, "value")) {
        (Some(ty), _) => walker.type_of(ty),
        (None, Some(value)) => walker.value(value),
        _ => ExprId::UNKNOWN,
    };
    bind(walker, pattern, value, When::AfterNode);
}

fn let_condition(walker: &mut Walker<'_>, node: Node<'_>) {
    if let (Some(pattern), Some(value)) = (field(node, "pattern"), field(node, "value")) {
        let value = walker.value(value);
        bind(walker, pattern, value, When::AfterNode);
    }
}

fn match_arm(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.open_block();
    if let Some(pattern) = field(node, "pattern") {
        bind_lower(walker, pattern);
    }
}

fn for_expression(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.open_block();
    if let (Some(pattern), Some(value)) = (field(node, "pattern"), field(node, "value")) {
        let collection = walker.value(value);
        let item = walker.element(collection);
        bind(walker, pattern, item, When::Now);
    }
}

fn closure_expression(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.open_block();
    for param in field(node, "parameters").map(named_children).unwrap_or_default() {
        let ty = field(param, "type").map_or(ExprId::UNKNOWN, |ty| walker.type_of(ty));
        bind(walker, field(param, "pattern").unwrap_or(param), ty, When::Now);
    }
}

fn const_item(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.take_attributes();
    let Some(name) = field(node, "name") else { return };
    let value = field(node, "type").map_or(ExprId::UNKNOWN, |ty| walker.type_of(ty));
    let scope = walker.current();
    walker.define_variable(EntityKind::Constant, scope, node, name, value);
}

fn enum_variant(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.take_attributes();
    let Some(name) = field(node, "name") else { return };
    let scope = walker.current();
    let value = walker.this();
    walker.define_variable(EntityKind::Constant, scope, node, name, value);
}

fn field_declaration(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.take_attributes();
    let (Some(name), Some(ty)) = (field(node, "name"), field(node, "type")) else { return };
    let scope = walker.current();
    let value = walker.type_of(ty);
    walker.define_variable(EntityKind::Field, scope, node, name, value);
}

fn use_declaration(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.take_attributes();
    walker.skip_children = true;
    let visibility = child_of_kind(node, "visibility_modifier");
    if let Some(argument) = field(node, "argument") {
        use_tree(walker, argument, visibility);
    }
}

/// Types of the standard library that hold one value and forward to its methods, or return it.
const WRAPPERS: &[&str] =
    &["Arc", "Rc", "Box", "Pin", "Mutex", "RwLock", "RefCell", "Cell", "OnceCell", "UnsafeCell", "Some", "Ok"];

fn is_test_attribute(attribute: &str) -> bool {
    let inner = attribute.trim_start_matches("#[").trim_end_matches(']');
    let head = inner.split(['(', ' ']).next().unwrap_or("");
    head == "test" || head.ends_with("::test") || head == "rstest"
}

fn bind_self(walker: &mut Walker<'_>, class: ExprId) {
    let name = walker.intern("Self");
    walker.bind(name, class);
}

fn open_impl(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.take_attributes();
    let Some(ty) = field(node, "type") else { return };
    walker.open_block();
    type_params(walker, node);
    let value = walker.type_of(ty);
    let Expr::Instance { class, .. } = walker.file.expr(value) else { return };
    let name = walker.text(ty).trim_start_matches(['&', ' ']).split('<').next().unwrap_or("");
    let name = name.rsplit("::").next().unwrap_or(name).trim().to_owned();
    let implemented = field(node, "trait");
    let implements = implemented.map(|node| walker.text(node).split('<').next().unwrap_or("").to_owned());
    walker.open_owner(Owner { class, name, implements });
    bind_self(walker, class);
    if let Some(implemented) = implemented {
        // The reference belongs to the type, which may be in another file: the receiver names it.
        implement(walker, implemented, class);
    }
}

/// `impl Trait for Type`: kept as a reference whose first argument is the type.
fn implement(walker: &mut Walker<'_>, node: Node<'_>, class: ExprId) {
    let value = walker.type_of(node);
    let Expr::Instance { class: base, .. } = walker.file.expr(value) else { return };
    let (receiver, name) = match walker.file.expr(base) {
        Expr::Name { name, .. } => (None, name),
        Expr::Member { of, name } => (Some(of), name),
        _ => return,
    };
    let from = walker.current();
    walker.refer_call(Reference {
        kind: ReferenceKind::Implement,
        name,
        receiver,
        arguments: 0,
        argument_types: vec![class],
        line: line_of(node),
        from,
    });
}

fn type_params(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(list) = field(node, "type_parameters") else { return };
    for param in named_children(list) {
        let Some(name) = field(param, "name").filter(|name| name.kind() == "type_identifier") else { continue };
        let bound = field(param, "bounds").and_then(|bounds| bounds.named_child(0));
        let value = bound.map_or(ExprId::UNKNOWN, |bound| walker.type_of(bound));
        walker.mark_not_read(name);
        let text = walker.text(name);
        let id = walker.intern(text);
        walker.bind(id, value);
    }
}

/// A plain name takes the value; inside `Some(x)` or `Ok(x)` it takes the wrapped value.
fn bind(walker: &mut Walker<'_>, pattern: Node<'_>, value: ExprId, when: When) {
    let mut open = vec![(pattern, value)];
    while let Some((pattern, value)) = open.pop() {
        bind_one(walker, pattern, value, when, &mut open);
    }
}

fn bind_one<'t>(
    walker: &mut Walker<'_>,
    pattern: Node<'t>,
    value: ExprId,
    when: When,
    open: &mut Vec<(Node<'t>, ExprId)>,
) {
    match pattern.kind() {
        "identifier" | "mut_pattern" | "ref_pattern" | "reference_pattern" => walker.bind_pattern(pattern, value, when),
        "tuple_struct_pattern" => {
            let inner = walker.element(value);
            open.extend(named_children(pattern).into_iter().skip(1).map(|child| (child, inner)));
        }
        "tuple_pattern" => {
            for (index, child) in named_children(pattern).into_iter().enumerate() {
                let part = walker.part(value, index);
                open.push((child, part));
            }
        }
        _ => bind_lower(walker, pattern),
    }
}

/// Binds the names in a pattern that are variables, not constants or types.
fn bind_lower(walker: &mut Walker<'_>, pattern: Node<'_>) {
    let mut open = vec![pattern];
    while let Some(node) = open.pop() {
        let text = walker.text(node);
        match node.kind() {
            "identifier" | "shorthand_field_identifier" if text.starts_with(|c: char| c.is_lowercase() || c == '_') => {
                walker.mark_not_read(node);
                let name = walker.intern(text);
                walker.bind(name, ExprId::UNKNOWN);
            }
            "scoped_identifier" | "scoped_type_identifier" => {}
            _ => open.extend(named_children(node)),
        }
    }
}

fn assign(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(left) = field(node, "left") else { return };
    if left.kind() != "field_expression" {
        return;
    }
    let (Some(object), Some(member)) = (field(left, "value"), field(left, "field")) else { return };
    walker.mark_not_read(left);
    let receiver = walker.value(object);
    if receiver != ExprId::UNKNOWN {
        let text = walker.text(member);
        let name = walker.intern(text);
        walker.refer(ReferenceKind::WriteState, name, Some(receiver), left);
    }
}
