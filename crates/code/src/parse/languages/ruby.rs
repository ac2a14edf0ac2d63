//! Ruby.

use tree_sitter::Node;

use super::plain;
use crate::model::*;
use crate::parse::functions::{ParamForm, When};
use crate::parse::grammar::{LanguageRules, NodeRole, NodeRule};
use crate::parse::values::unquoted;
use crate::parse::walker::{Walker, field, named_children};

pub struct Ruby;

const KINDS: &[NodeRule] = &[
    NodeRule("comment", NodeRole::Comment, "", ""),
    NodeRule("string", NodeRole::Text, "", ""),
    NodeRule("integer", NodeRole::Literal(Literal::Int), "", ""),
    NodeRule("float", NodeRole::Literal(Literal::Float), "", ""),
    NodeRule("nil", NodeRole::Literal(Literal::Null), "", ""),
    NodeRule("array", NodeRole::Literal(Literal::Composite), "", ""),
    NodeRule("hash", NodeRole::Literal(Literal::Composite), "", ""),
    NodeRule("identifier", NodeRole::Identifier, "", ""),
    NodeRule("constant", NodeRole::Identifier, "", ""),
    NodeRule("instance_variable", NodeRole::Special, "", ""),
    NodeRule("self", NodeRole::This, "", ""),
    NodeRule("class", NodeRole::Type, "", ""),
    NodeRule("module", NodeRole::Type, "", ""),
    NodeRule("method", NodeRole::Function, "", ""),
    NodeRule("singleton_method", NodeRole::Function, "", ""),
    NodeRule("call", NodeRole::MethodCall, "receiver", "method"),
    NodeRule("scope_resolution", NodeRole::Member, "scope", "name"),
    NodeRule("element_reference", NodeRole::Index, "object", ""),
    NodeRule("parenthesized_statements", NodeRole::Wrapper, "", ""),
    NodeRule("assignment", NodeRole::Special, "", ""),
    NodeRule("operator_assignment", NodeRole::Special, "", ""),
    NodeRule("block", NodeRole::Special, "", ""),
    NodeRule("do_block", NodeRole::Special, "", ""),
    NodeRule("lambda", NodeRole::Special, "", ""),
    NodeRule("return", NodeRole::Return, "", ""),
];

impl LanguageRules for Ruby {
    fn language(&self) -> tree_sitter::Language {
        tree_sitter_ruby::LANGUAGE.into()
    }

    fn kinds(&self) -> &'static [NodeRule] {
        KINDS
    }

    fn define_type(&self, walker: &mut Walker<'_>, node: Node<'_>) {
        let Some(mut name) = field(node, "name") else { return };
        if name.kind() == "scope_resolution" {
            name = field(name, "name").unwrap_or(name);
        }
        let class = plain::class(walker, node, name);
        walker.entity_mut(class).is_interface = node.kind() == "module";
        if let Some(base) = field(node, "superclass").and_then(|base| base.named_child(0)) {
            plain::base(walker, base, ReferenceKind::Inherit);
        }
    }

    fn define_function(&self, walker: &mut Walker<'_>, node: Node<'_>) {
        let Some(name) = field(node, "name") else { return };
        let text = walker.text(name);
        let kind = if text.starts_with("test_") { EntityKind::Test } else { plain::kind_here(walker) };
        let entity = walker.define(kind, text, node, name);
        walker.entity_mut(entity).is_constructor = text == "initialize";
        walker.entity_mut(entity).is_static = node.kind() == "singleton_method";
        walker.open(entity);
        for param in field(node, "parameters").map(named_children).unwrap_or_default() {
            let form = match param.kind() {
                "identifier" => ParamForm::Needed,
                "optional_parameter" | "keyword_parameter" => ParamForm::Optional,
                _ => ParamForm::Rest,
            };
            walker.add_param(entity, field(param, "name").unwrap_or(param), None, form);
        }
    }

    fn special(&self, walker: &mut Walker<'_>, node: Node<'_>) {
        match node.kind() {
            "assignment" | "operator_assignment" => assign(walker, node),
            "instance_variable" => {
                let receiver = walker.this();
                let text = walker.text(node);
                let name = walker.intern(text);
                walker.refer(ReferenceKind::ReadState, name, Some(receiver), node);
            }
            "block" | "do_block" | "lambda" => {
                walker.open_block();
                if let Some(params) = field(node, "parameters") {
                    walker.bind_pattern(params, ExprId::UNKNOWN, When::Now);
                }
            }
            _ => {}
        }
    }

    fn special_value(&self, walker: &mut Walker<'_>, node: Node<'_>, _depth: u32) -> Option<ExprId> {
        (node.kind() == "instance_variable").then(|| {
            let this = walker.this();
            let text = walker.text(node);
            walker.member(this, text)
        })
    }

    fn call(&self, walker: &mut Walker<'_>, node: Node<'_>) -> bool {
        let Some(method) = field(node, "method") else { return false };
        let receiver = field(node, "receiver");
        let arguments = field(node, "arguments");
        let first = arguments.and_then(|list| named_children(list).first().copied());
        match (walker.text(method), receiver, first) {
            ("require" | "require_relative", None, Some(path)) => {
                let module = unquoted(walker.text(path)).to_owned();
                plain::import_all(walker, node, &module);
                true
            }
            ("include" | "extend" | "prepend", None, Some(module)) if walker.current_kind() == EntityKind::Type => {
                plain::base(walker, module, ReferenceKind::Implement);
                true
            }
            ("raise", None, _) => {
                walker.raise_of(first.unwrap_or(node), node);
                false
            }
            ("new", Some(class), _) => {
                if matches!(class.kind(), "constant" | "scope_resolution") {
                    walker.construct(class, arguments, node);
                }
                true
            }
            _ => false,
        }
    }
}

fn assign(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(left) = field(node, "left") else { return };
    let value = field(node, "right").map_or(ExprId::UNKNOWN, |right| walker.value(right));
    match left.kind() {
        "identifier" => walker.bind_pattern(left, value, When::AfterNode),
        "constant" => {
            let scope = walker.current();
            walker.define_variable(EntityKind::Constant, scope, node, left, value);
        }
        "instance_variable" => {
            if let Some(class) = walker.enclosing(|kind| kind == EntityKind::Type) {
                walker.define_variable(EntityKind::Field, class, node, left, value);
                let this = walker.this();
                let text = walker.text(left);
                let name = walker.intern(text);
                walker.refer(ReferenceKind::WriteState, name, Some(this), left);
            }
        }
        _ => {}
    }
}
