//! References that are not calls: reads, uses of types, returned values.

use tree_sitter::Node;

use super::grammar::NodeRole;
use super::walker::{Walker, line_of};
use crate::model::*;

impl<'a> Walker<'a> {
    pub fn mark_not_read(&mut self, node: Node<'_>) {
        self.not_read.insert(node.id());
    }

    fn is_read(&mut self, node: Node<'_>) -> bool {
        !self.not_read.remove(&node.id())
    }

    pub fn refer(&mut self, kind: ReferenceKind, name: NameId, receiver: Option<ExprId>, node: Node<'_>) {
        let from = self.current();
        let once = !matches!(kind, ReferenceKind::Call | ReferenceKind::Construct);
        if once && !self.seen.insert((kind, from, name, receiver)) {
            return;
        }
        self.file.references.push(Reference {
            kind,
            name,
            receiver,
            arguments: 0,
            argument_types: Vec::new(),
            line: line_of(node),
            from,
        });
    }

    pub fn refer_call(&mut self, reference: Reference) {
        self.file.references.push(reference);
    }

    pub fn read_name(&mut self, node: Node<'_>) {
        if !self.is_read(node) {
            return;
        }
        let text = self.text(node);
        let name = self.intern(text);
        if self.local(name).is_none() {
            self.refer(ReferenceKind::ReadState, name, None, node);
        }
    }

    pub fn use_type(&mut self, node: Node<'_>) {
        if !self.is_read(node) {
            return;
        }
        let text = self.text(node);
        let name = self.intern(text);
        if self.local(name).is_none() {
            self.refer(ReferenceKind::TypeUse, name, None, node);
        }
    }

    pub fn read_member(&mut self, node: Node<'_>) {
        let read = self.is_read(node);
        let Some((object, member)) = self.member_parts(node) else { return };
        if self.grammar.info(member.kind_id()).role == NodeRole::Identifier {
            self.not_read.insert(member.id());
        }
        if !read {
            return;
        }
        let receiver = match object {
            Some(object) => self.value(object),
            None => ExprId::UNKNOWN,
        };
        if receiver != ExprId::UNKNOWN {
            let text = self.member_text(member);
            let name = self.intern(text);
            self.refer(ReferenceKind::ReadState, name, Some(receiver), node);
        }
    }

    pub fn returned(&mut self, node: Node<'_>) {
        let Some(function) = self.enclosing(EntityKind::is_callable) else { return };
        if self.file.entity(function).value != ExprId::UNKNOWN {
            return;
        }
        if let Some(child) = node.named_child(0) {
            let value = self.value(child);
            if !matches!(self.file.expr(value), Expr::Literal(_)) {
                self.entity_mut(function).value = value;
            }
        }
    }
}
