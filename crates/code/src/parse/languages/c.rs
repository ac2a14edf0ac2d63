//! C and C++.

use tree_sitter::Node;

use super::plain;
use crate::model::*;
use crate::parse::functions::{ParamForm, When};
use crate::parse::grammar::{LanguageRules, NodeRole, NodeRule};
use crate::parse::walker::{Owner, Walker, child_of_kind, field, named_children};

pub enum C {
    C,
    Cpp,
}

const KINDS: &[NodeRule] = &[
    NodeRule("comment", NodeRole::Comment, "", ""),
    NodeRule("string_literal", NodeRole::Text, "", ""),
    NodeRule("raw_string_literal", NodeRole::Text, "", ""),
    NodeRule("char_literal", NodeRole::Literal(Literal::Char), "", ""),
    NodeRule("number_literal", NodeRole::Literal(Literal::Int), "", ""),
    NodeRule("true", NodeRole::Literal(Literal::Bool), "", ""),
    NodeRule("false", NodeRole::Literal(Literal::Bool), "", ""),
    NodeRule("null", NodeRole::Literal(Literal::Null), "", ""),
    NodeRule("identifier", NodeRole::Identifier, "", ""),
    NodeRule("field_identifier", NodeRole::MemberName, "", ""),
    NodeRule("namespace_identifier", NodeRole::Identifier, "", ""),
    NodeRule("type_identifier", NodeRole::TypeName, "", ""),
    NodeRule("this", NodeRole::This, "", ""),
    NodeRule("struct_specifier", NodeRole::Type, "", ""),
    NodeRule("union_specifier", NodeRole::Type, "", ""),
    NodeRule("class_specifier", NodeRole::Type, "", ""),
    NodeRule("enum_specifier", NodeRole::Type, "", ""),
    NodeRule("namespace_definition", NodeRole::Special, "", ""),
    NodeRule("function_definition", NodeRole::Function, "", ""),
    NodeRule("call_expression", NodeRole::Call, "function", "arguments"),
    NodeRule("new_expression", NodeRole::New, "type", "arguments"),
    NodeRule("field_expression", NodeRole::Member, "argument", "field"),
    NodeRule("qualified_identifier", NodeRole::Member, "scope", "name"),
    NodeRule("subscript_expression", NodeRole::Index, "argument", ""),
    NodeRule("parenthesized_expression", NodeRole::Wrapper, "", ""),
    NodeRule("pointer_expression", NodeRole::Wrapper, "argument", ""),
    NodeRule("cast_expression", NodeRole::Cast, "type", ""),
    NodeRule("type_descriptor", NodeRole::TypeWrapper, "type", ""),
    NodeRule("template_type", NodeRole::Generic, "name", "arguments"),
    NodeRule("template_function", NodeRole::Generic, "name", "arguments"),
    NodeRule("declaration", NodeRole::Special, "", ""),
    NodeRule("field_declaration", NodeRole::Special, "", ""),
    NodeRule("enumerator", NodeRole::Special, "", ""),
    NodeRule("for_range_loop", NodeRole::Special, "", ""),
    NodeRule("assignment_expression", NodeRole::Special, "", ""),
    NodeRule("preproc_include", NodeRole::Special, "", ""),
    NodeRule("preproc_def", NodeRole::Special, "", ""),
    NodeRule("preproc_function_def", NodeRole::Special, "", ""),
    NodeRule("type_definition", NodeRole::Special, "", ""),
    NodeRule("throw_statement", NodeRole::Raise, "", ""),
    NodeRule("compound_statement", NodeRole::Block, "", ""),
    NodeRule("for_statement", NodeRole::Block, "", ""),
    NodeRule("lambda_expression", NodeRole::Special, "", ""),
];

impl LanguageRules for C {
    fn language(&self) -> tree_sitter::Language {
        match self {
            C::C => tree_sitter_c::LANGUAGE.into(),
            C::Cpp => tree_sitter_cpp::LANGUAGE.into(),
        }
    }

    fn kinds(&self) -> &'static [NodeRule] {
        KINDS
    }

    fn define_type(&self, walker: &mut Walker<'_>, node: Node<'_>) {
        // Without a body it only names a type that is defined elsewhere.
        let (Some(name), Some(_)) = (field(node, "name"), field(node, "body")) else { return };
        plain::class(walker, node, name);
        if let Some(bases) = child_of_kind(node, "base_class_clause") {
            for base in named_children(bases) {
                if matches!(base.kind(), "type_identifier" | "qualified_identifier" | "template_type") {
                    plain::base(walker, base, ReferenceKind::Inherit);
                }
            }
        }
    }

    fn define_function(&self, walker: &mut Walker<'_>, node: Node<'_>) {
        if let Some(declarator) = function_declarator(node) {
            define_function(walker, node, declarator, true);
        }
    }

    fn special(&self, walker: &mut Walker<'_>, node: Node<'_>) {
        match node.kind() {
            "namespace_definition" => namespace_definition(walker, node),
            "declaration" | "field_declaration" => declare(walker, node),
            "enumerator" => enumerator(walker, node),
            "for_range_loop" => for_range_loop(walker, node),
            "assignment_expression" => assignment_expression(walker, node),
            "preproc_include" => preproc_include(walker, node),
            "preproc_def" => preproc_def(walker, node),
            "preproc_function_def" => preproc_function_def(walker, node),
            "type_definition" => type_definition(walker, node),
            "lambda_expression" => lambda_expression(walker, node),
            _ => {}
        }
    }
}

fn namespace_definition(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = field(node, "name") {
        let text = walker.text(name);
        let module = walker.define(EntityKind::Module, text, node, name);
        walker.open(module);
    }
}

fn enumerator(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = field(node, "name") {
        let value = walker.this();
        let scope = walker.current();
        walker.define_variable(EntityKind::Constant, scope, node, name, value);
    }
}

fn for_range_loop(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.open_block();
    if let Some(declarator) = field(node, "declarator") {
        let declared = field(node, "type").map_or(ExprId::UNKNOWN, |ty| walker.type_of(ty));
        let value = match (declared, field(node, "right")) {
            (ExprId::UNKNOWN, Some(right)) => {
                let collection = walker.value(right);
                walker.element(collection)
            }
            _ => declared,
        };
        walker.bind_pattern(declarator, value, When::Now);
    }
}

fn assignment_expression(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(left) = field(node, "left") {
        plain::write(walker, left);
    }
}

fn preproc_include(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(path) = field(node, "path") {
        let module = walker.text(path).trim_matches(['"', '<', '>']).to_owned();
        plain::import_all(walker, node, &module);
    }
}

fn preproc_def(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = field(node, "name") {
        walker.define_variable(EntityKind::Constant, EntityId::FILE, node, name, ExprId::UNKNOWN);
    }
}

fn preproc_function_def(walker: &mut Walker<'_>, node: Node<'_>) {
    if let Some(name) = field(node, "name") {
        let text = walker.text(name);
        let entity = walker.define(EntityKind::Function, text, node, name);
        walker.entity_mut(entity).variadic = true;
        walker.open(entity);
    }
}

fn type_definition(walker: &mut Walker<'_>, node: Node<'_>) {
    // `typedef struct {…} Cart;`
    let name = field(node, "declarator").filter(|name| name.kind() == "type_identifier");
    let ty = field(node, "type");
    if let (Some(name), Some(ty)) = (name, ty) {
        if field(ty, "name").is_some_and(|own| walker.text(own) == walker.text(name)) {
            return;
        }
        let text = walker.text(name);
        let entity = walker.define(EntityKind::Type, text, node, name);
        if field(ty, "name").is_some() || ty.kind() == "type_identifier" {
            let value = walker.type_of(field(ty, "name").unwrap_or(ty));
            walker.entity_mut(entity).value = value;
        } else {
            walker.open(entity);
        }
    }
}

fn lambda_expression(walker: &mut Walker<'_>, node: Node<'_>) {
    walker.open_block();
    let list = field(node, "declarator").and_then(|declarator| field(declarator, "parameters"));
    for param in list.map(named_children).unwrap_or_default() {
        let ty = field(param, "type").map_or(ExprId::UNKNOWN, |ty| walker.type_of(ty));
        if let Some(name) = field(param, "declarator") {
            walker.bind_pattern(name, ty, When::Now);
        }
    }
}

/// The part of a declaration that names a function, under pointers and references.
fn function_declarator(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = field(node, "declarator")?;
    for _ in 0..8 {
        match at.kind() {
            "function_declarator" => return Some(at),
            _ => at = field(at, "declarator").or_else(|| at.named_child(0))?,
        }
    }
    None
}

fn define_function(walker: &mut Walker<'_>, node: Node<'_>, declarator: Node<'_>, with_body: bool) {
    let Some(mut name) = field(declarator, "declarator") else { return };
    let scope = if name.kind() == "qualified_identifier" { field(name, "scope") } else { None };
    if let Some(scope) = scope {
        let class = walker.value(scope);
        let text = walker.text(scope).split('<').next().unwrap_or("").to_owned();
        name = field(name, "name").unwrap_or(name);
        if class != ExprId::UNKNOWN {
            walker.open_owner(Owner { class, name: text, implements: None });
        }
    }
    let text = walker.text(name);
    let test = matches!(text, "TEST" | "TEST_F" | "TEST_P") || text.starts_with("test_");
    let kind = if test && with_body && scope.is_none() { EntityKind::Test } else { plain::kind_here(walker) };
    let title;
    let shown = match field(declarator, "parameters") {
        // googletest: `TEST(Cart, Adds)`.
        Some(params) if text.starts_with("TEST") && kind == EntityKind::Test => {
            title = walker.text(params).trim_matches(['(', ')']).replace(", ", ".");
            title.as_str()
        }
        _ => text,
    };
    let class_name = match scope {
        Some(scope) => walker.text(scope).to_owned(),
        None => walker.file.entity(walker.current()).name.clone(),
    };
    let entity = walker.define(kind, shown, node, name);
    walker.entity_mut(entity).is_constructor = kind == EntityKind::Method && class_name == text;
    let result = field(node, "type");
    if with_body {
        walker.open(entity);
    } else {
        walker.open_block();
    }
    for param in field(declarator, "parameters").map(named_children).unwrap_or_default() {
        add_param(walker, entity, param);
    }
    if let Some(ty) = result {
        let value = walker.type_of(ty);
        walker.entity_mut(entity).value = value;
    }
}

fn add_param(walker: &mut Walker<'_>, entity: EntityId, param: Node<'_>) {
    let form = match param.kind() {
        "optional_parameter_declaration" => ParamForm::Optional,
        "variadic_parameter_declaration" | "variadic_parameter" => ParamForm::Rest,
        "parameter_declaration" => ParamForm::Needed,
        _ => return,
    };
    let ty = field(param, "type");
    if ty.is_some_and(|ty| walker.text(ty) == "void") && field(param, "declarator").is_none() {
        return;
    }
    let mut name = field(param, "declarator");
    while let Some(inner) = name.filter(|name| name.kind() != "identifier") {
        name = field(inner, "declarator").or_else(|| inner.named_child(0));
    }
    match name {
        Some(name) => walker.add_param(entity, name, ty, form),
        None => {
            let value = ty.map_or(ExprId::UNKNOWN, |ty| walker.type_of(ty));
            walker.add_param_as(entity, "_", ty.map_or("", |ty| walker.text(ty)), value, form);
        }
    }
}

fn declare(walker: &mut Walker<'_>, node: Node<'_>) {
    let in_type = walker.current_kind() == EntityKind::Type;
    let declared = field(node, "type").map_or(ExprId::UNKNOWN, |ty| walker.type_of(ty));
    let inferred = field(node, "type").is_some_and(|ty| ty.kind() == "placeholder_type_specifier");
    let mut cursor = node.walk();
    let declarators: Vec<Node<'_>> = node.children_by_field_name("declarator", &mut cursor).collect();
    for declarator in declarators {
        let mut name = declarator;
        let mut function = None;
        while !matches!(name.kind(), "identifier" | "field_identifier") {
            if name.kind() == "function_declarator" {
                function = Some(name);
                break;
            }
            match field(name, "declarator").or_else(|| name.named_child(0)) {
                Some(inner) => name = inner,
                None => break,
            }
        }
        match function {
            // A method in a class body; other prototypes are defined in another file.
            Some(function) if in_type => {
                define_function(walker, node, function, false);
                return;
            }
            Some(_) => {}
            None if matches!(name.kind(), "identifier" | "field_identifier") => {
                let value = match (inferred, field(declarator, "value")) {
                    (true, Some(value)) => walker.value(value),
                    _ => declared,
                };
                if walker.in_function() {
                    walker.mark_not_read(name);
                    let text = walker.text(name);
                    let id = walker.intern(text);
                    walker.bind_after(id, value);
                } else {
                    plain::variable(walker, node, name, value);
                }
            }
            None => {}
        }
    }
}
