//! The common parts of function definitions: parameters, results, tests.

use tree_sitter::Node;

use super::walker::{Walker, field};
use crate::model::*;

impl<'a> Walker<'a> {
    /// Adds a parameter to an entity whose scope is open, and makes it a variable there.
    pub fn add_param(&mut self, entity: EntityId, name: Node<'_>, ty: Option<Node<'_>>, how: ParamForm) {
        self.mark_not_read(name);
        let text = self.text(name);
        let value = ty.map_or(ExprId::UNKNOWN, |ty| self.type_of(ty));
        self.add_param_as(entity, text, ty.map_or("", |ty| self.text(ty)), value, how);
    }

    pub fn add_param_as(&mut self, entity: EntityId, name: &'a str, type_text: &str, ty: ExprId, how: ParamForm) {
        let id = self.intern(name);
        self.bind(id, ty);
        let variadic = how == ParamForm::Rest;
        let entity = self.entity_mut(entity);
        if variadic {
            entity.variadic = true;
        }
        let type_text = type_text.trim_start_matches(':').trim().to_owned();
        entity.params.push(Param { name: name.to_owned(), type_text, ty, optional: how != ParamForm::Needed });
    }

    /// Binds every identifier inside a pattern, all to the same value.
    pub fn bind_pattern(&mut self, pattern: Node<'_>, value: ExprId, when: When) {
        let mut open = vec![pattern];
        while let Some(node) = open.pop() {
            if matches!(
                node.kind(),
                "identifier" | "shorthand_property_identifier_pattern" | "simple_identifier" | "variable_name"
            ) {
                self.mark_not_read(node);
                let text = self.text(node);
                let name = self.intern(text);
                match when {
                    When::Now => self.bind(name, value),
                    When::AfterNode => self.bind_after(name, value),
                }
                continue;
            }
            let mut cursor = node.walk();
            open.extend(node.named_children(&mut cursor));
        }
    }

    /// Declares the result of a function.
    pub fn declare_result(&mut self, entity: EntityId, node: Node<'_>, name: &str) {
        if let Some(ty) = field(node, name) {
            let value = self.type_of(ty);
            self.entity_mut(entity).value = value;
        }
    }

    pub fn take_attributes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.attributes)
    }

    /// A route: its entity, and a call of its handler.
    pub fn define_route(&mut self, method: &str, path: &str, node: Node<'_>) -> EntityId {
        let name = if method.is_empty() { path.to_owned() } else { format!("{} {path}", method.to_uppercase()) };
        let id = self.define(EntityKind::Route, &name, node, node);
        self.entity_mut(id).qualified = name;
        id
    }

    /// Links a route to its handler.
    pub fn route_to(&mut self, route: EntityId, handler: Node<'_>) {
        let value = self.value(handler);
        let (receiver, name) = match self.file.expr(value) {
            Expr::Name { name, .. } => (None, name),
            Expr::Member { of, name } => (Some(of), name),
            _ => return,
        };
        self.route_to_name(route, name, receiver, handler);
    }

    pub fn route_to_name(&mut self, route: EntityId, name: NameId, receiver: Option<ExprId>, node: Node<'_>) {
        self.refer_call(Reference {
            kind: ReferenceKind::Call,
            name,
            receiver,
            arguments: u16::MAX,
            argument_types: Vec::new(),
            line: super::walker::line_of(node),
            from: route,
        });
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamForm {
    Needed,
    Optional,
    /// Any number of them.
    Rest,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    Now,
    /// When the walk leaves the current node, so that its own parts still see the old value.
    AfterNode,
}

pub const HTTP_METHODS: &[&str] = &["get", "post", "put", "patch", "delete", "head", "options", "any", "all"];
