//! The value or type of a node, as far as the syntax shows it; and calls, which need both.

use tree_sitter::Node;

use super::grammar::NodeRole;
use super::walker::{Walker, child_of_kind, line_of, named_children};
use crate::lang::Language;
use crate::model::*;

/// Deeper expressions count as unknown: chains that long are tables.
const DEEPEST: u32 = 24;

impl<'a> Walker<'a> {
    pub fn value(&mut self, node: Node<'_>) -> ExprId {
        self.value_at(node, 0)
    }

    pub fn value_at(&mut self, node: Node<'_>, depth: u32) -> ExprId {
        if depth > DEEPEST {
            return ExprId::UNKNOWN;
        }
        let info = self.grammar.info(node.kind_id());
        let first = info.first.and_then(|field| node.child_by_field_id(field.get()));
        let second = info.second.and_then(|field| node.child_by_field_id(field.get()));
        let deeper = depth + 1;
        match info.role {
            NodeRole::Identifier | NodeRole::TypeName => self.name_value(self.text(node)),
            NodeRole::This => self.this(),
            NodeRole::Super => self.expr(Expr::Super(self.current())),
            NodeRole::Literal(literal) => self.expr(Expr::Literal(literal)),
            NodeRole::Text => self.expr(Expr::Literal(Literal::Text)),
            NodeRole::Member => self.member_value(node, deeper),
            NodeRole::MethodCall => self.method_call_value(first, second, deeper),
            NodeRole::Call => self.call_expression_value(node, first, deeper),
            NodeRole::New | NodeRole::Cast => first.map_or(ExprId::UNKNOWN, |class| self.type_at(class, deeper)),
            NodeRole::Index => match first.or_else(|| node.named_child(0)) {
                Some(object) => {
                    let of = self.value_at(object, deeper);
                    self.element(of)
                }
                None => ExprId::UNKNOWN,
            },
            NodeRole::Wrapper | NodeRole::Generic => {
                let inner = first.or_else(|| node.named_child(0));
                inner.map_or(ExprId::UNKNOWN, |inner| self.value_at(inner, deeper))
            }
            NodeRole::Function | NodeRole::Type => self.expr(Expr::Literal(Literal::Composite)),
            NodeRole::Special => {
                let rules = self.grammar.rules;
                rules.special_value(self, node, deeper).unwrap_or(ExprId::UNKNOWN)
            }
            _ => ExprId::UNKNOWN,
        }
    }

    fn member_value(&mut self, node: Node<'_>, depth: u32) -> ExprId {
        let Some((Some(object), member)) = self.member_parts(node) else { return ExprId::UNKNOWN };
        let of = self.value_at(object, depth);
        // `Outer.this` is a value of that type.
        match self.grammar.info(member.kind_id()).role {
            NodeRole::This => self.instance(of, ExprId::UNKNOWN),
            _ => self.member(of, self.member_text(member)),
        }
    }

    fn method_call_value(&mut self, object: Option<Node<'_>>, name: Option<Node<'_>>, depth: u32) -> ExprId {
        let Some(name) = name else { return ExprId::UNKNOWN };
        let text = self.text(name);
        let callee = match object {
            Some(object) => {
                let of = self.value_at(object, depth);
                self.member(of, text)
            }
            None => self.free_name(text),
        };
        self.called(callee)
    }

    fn call_expression_value(&mut self, node: Node<'_>, callee: Option<Node<'_>>, depth: u32) -> ExprId {
        let rules = self.grammar.rules;
        if let Some(value) = rules.call_value(self, node, depth) {
            return value;
        }
        let Some(callee) = callee.or_else(|| node.named_child(0)) else { return ExprId::UNKNOWN };
        let callee = self.value_at(callee, depth);
        self.called(callee)
    }

    /// A value of the type that a node names.
    pub fn type_of(&mut self, node: Node<'_>) -> ExprId {
        self.type_at(node, 0)
    }

    pub fn type_at(&mut self, node: Node<'_>, depth: u32) -> ExprId {
        if depth > DEEPEST {
            return ExprId::UNKNOWN;
        }
        let info = self.grammar.info(node.kind_id());
        let first = info.first.and_then(|field| node.child_by_field_id(field.get()));
        let second = info.second.and_then(|field| node.child_by_field_id(field.get()));
        let deeper = depth + 1;
        match info.role {
            NodeRole::Identifier | NodeRole::TypeName => self.named_type(node),
            NodeRole::Member => {
                let class = self.value_at(node, deeper);
                self.instance(class, ExprId::UNKNOWN)
            }
            NodeRole::Generic => match first.or_else(|| node.named_child(0)) {
                Some(base) => {
                    let arguments = second.or_else(|| node.named_child(1));
                    self.generic_type(base, arguments.map(named_children).unwrap_or_default(), deeper)
                }
                None => ExprId::UNKNOWN,
            },
            NodeRole::TypeWrapper | NodeRole::Wrapper => {
                let inner = first.or_else(|| named_children(node).pop());
                inner.map_or(ExprId::UNKNOWN, |inner| self.type_at(inner, deeper))
            }
            NodeRole::This => self.this(),
            NodeRole::Special => {
                let rules = self.grammar.rules;
                rules.special_value(self, node, deeper).unwrap_or(ExprId::UNKNOWN)
            }
            _ => ExprId::UNKNOWN,
        }
    }

    fn named_type(&mut self, node: Node<'_>) -> ExprId {
        let text = self.text(node);
        let name = self.intern(text);
        match self.local(name) {
            // `Self` names a type; a type parameter stands for its bound, a value.
            Some(bound) => match self.file.expr(bound) {
                Expr::Name { .. } | Expr::Member { .. } | Expr::Entity(_) => self.instance(bound, ExprId::UNKNOWN),
                _ => bound,
            },
            None => {
                let class = self.name_value(text);
                self.instance(class, ExprId::UNKNOWN)
            }
        }
    }

    fn generic_type(&mut self, base: Node<'_>, mut arguments: Vec<Node<'_>>, depth: u32) -> ExprId {
        if matches!(self.text(base), "tuple" | "Tuple" | "t.Tuple" | "typing.Tuple") && arguments.len() > 1 {
            let parts: Vec<ExprId> = arguments.iter().map(|part| self.type_at(*part, depth)).collect();
            return self.tuple(&parts);
        }
        // For a result, follow the success type.
        if self.text(base).ends_with("Result") {
            arguments.truncate(1);
        }
        let last = arguments.pop();
        let argument = last.map_or(ExprId::UNKNOWN, |last| self.type_at(last, depth));
        // `type[Cart]` is the class itself.
        if matches!(self.text(base), "type" | "Type" | "t.Type" | "typing.Type")
            && let Expr::Instance { class, .. } = self.file.expr(argument)
        {
            return class;
        }
        let class = self.value_at(base, depth);
        self.instance(class, argument)
    }

    /// Refers to the type that a node names.
    pub fn refer_to_type(&mut self, kind: ReferenceKind, node: Node<'_>) {
        let value = self.type_of(node);
        let Expr::Instance { class, .. } = self.file.expr(value) else { return };
        match self.file.expr(class) {
            Expr::Name { name, .. } => self.refer(kind, name, None, node),
            Expr::Member { of, name } => self.refer(kind, name, Some(of), node),
            _ => {}
        }
    }

    /// The value of the object that the current code belongs to.
    pub fn this(&mut self) -> ExprId {
        if let Some(owner) = self.owner() {
            let class = owner.class;
            return self.instance(class, ExprId::UNKNOWN);
        }
        match self.enclosing(|kind| kind == EntityKind::Type) {
            Some(class) => {
                let class = self.expr(Expr::Entity(class));
                self.instance(class, ExprId::UNKNOWN)
            }
            None => ExprId::UNKNOWN,
        }
    }

    pub fn name_value(&mut self, text: &'a str) -> ExprId {
        let name = self.intern(text);
        match self.local(name) {
            Some(value) => value,
            None => self.free_name(text),
        }
    }

    pub fn free_name(&mut self, text: &'a str) -> ExprId {
        let name = self.intern(text);
        let scope = self.current();
        self.expr(Expr::Name { name, scope })
    }

    pub fn member(&mut self, of: ExprId, text: &'a str) -> ExprId {
        if of == ExprId::UNKNOWN {
            return ExprId::UNKNOWN;
        }
        let name = self.intern(text);
        self.expr(Expr::Member { of, name })
    }

    pub fn called(&mut self, callee: ExprId) -> ExprId {
        match self.file.expr(callee) {
            Expr::Unknown => ExprId::UNKNOWN,
            // Python spells the base class as a call.
            Expr::Name { name, scope } if self.file.name(name) == "super" => self.expr(Expr::Super(scope)),
            // Ruby makes a value by a method of the class.
            Expr::Member { of, name }
                if self.file.language == Some(Language::Ruby) && self.file.name(name) == "new" =>
            {
                self.instance(of, ExprId::UNKNOWN)
            }
            _ => self.expr(Expr::Call { callee }),
        }
    }

    pub fn element(&mut self, of: ExprId) -> ExprId {
        match of {
            ExprId::UNKNOWN => ExprId::UNKNOWN,
            of => self.expr(Expr::Element(of)),
        }
    }

    pub fn tuple(&mut self, parts: &[ExprId]) -> ExprId {
        let mut rest = ExprId::UNKNOWN;
        for first in parts.iter().rev() {
            rest = self.expr(Expr::Tuple { first: *first, rest });
        }
        rest
    }

    pub fn part(&mut self, of: ExprId, index: usize) -> ExprId {
        match of {
            ExprId::UNKNOWN => ExprId::UNKNOWN,
            of => self.expr(Expr::Part { of, index: index.min(u16::MAX as usize) as u16 }),
        }
    }

    pub fn instance(&mut self, class: ExprId, argument: ExprId) -> ExprId {
        match class {
            ExprId::UNKNOWN => ExprId::UNKNOWN,
            class => self.expr(Expr::Instance { class, argument }),
        }
    }

    /// Records the reference for a node of role Call, MethodCall or New.
    pub fn call(&mut self, node: Node<'_>) {
        let info = self.grammar.info(node.kind_id());
        let first = info.first.and_then(|field| node.child_by_field_id(field.get()));
        let second = info.second.and_then(|field| node.child_by_field_id(field.get()));
        match info.role {
            NodeRole::MethodCall => {
                let Some(name) = second else { return };
                self.mark_not_read(name);
                let receiver = first.map(|object| self.value(object));
                let text = self.text(name);
                let arguments = node.child_by_field_name("arguments");
                self.write_call(ReferenceKind::Call, text, receiver, arguments, name);
            }
            NodeRole::New => {
                let Some(class) = first else { return };
                self.construct(class, second, node);
            }
            _ => {
                let Some(callee) = first.or_else(|| node.named_child(0)) else { return };
                let arguments = second.or_else(|| child_of_kind(node, "value_arguments"));
                let arguments =
                    arguments.or_else(|| child_of_kind(child_of_kind(node, "call_suffix")?, "value_arguments"));
                self.call_of(callee, arguments);
            }
        }
    }

    pub fn construct(&mut self, class: Node<'_>, arguments: Option<Node<'_>>, node: Node<'_>) {
        let mut class = class;
        while let NodeRole::Generic | NodeRole::TypeWrapper = self.grammar.info(class.kind_id()).role {
            let info = self.grammar.info(class.kind_id());
            let inner = info.first.and_then(|field| class.child_by_field_id(field.get()));
            let Some(inner) = inner.or_else(|| class.named_child(0)) else { return };
            class = inner;
        }
        let Some((receiver, name)) = self.path_parts(class) else { return };
        self.mark_not_read(class);
        let text = self.text(name);
        let id = self.intern(text);
        if receiver.is_none()
            && let Some(bound) = self.local(id)
        {
            self.construct_class(bound, arguments, node);
            return;
        }
        let receiver = receiver.map(|object| self.value(object));
        self.write_call(ReferenceKind::Construct, text, receiver, arguments, node);
    }

    /// Records the reference for a call of the callee that a node names.
    pub fn call_of(&mut self, callee: Node<'_>, arguments: Option<Node<'_>>) {
        let mut callee = callee;
        let mut steps = 0;
        while let NodeRole::Wrapper | NodeRole::Generic = self.grammar.info(callee.kind_id()).role {
            let info = self.grammar.info(callee.kind_id());
            let inner = info.first.and_then(|field| callee.child_by_field_id(field.get()));
            let Some(inner) = inner.or_else(|| callee.named_child(0)) else { return };
            callee = inner;
            steps += 1;
            if steps > DEEPEST {
                return;
            }
        }
        let Some((receiver, name)) = self.path_parts(callee) else { return };
        self.mark_not_read(callee);
        let text = self.member_text(name);
        let receiver = match receiver {
            Some(object) => Some(self.value(object)),
            None => {
                let id = self.intern(text);
                match self.local(id) {
                    Some(value) if self.calls_through_variable(value) => {
                        self.call_value(value, arguments, name);
                        return;
                    }
                    Some(_) => return,
                    None => None,
                }
            }
        };
        self.write_call(ReferenceKind::Call, text, receiver, arguments, name);
    }

    /// A variable that holds a function or class: `handler = self.handle; handler()`.
    fn calls_through_variable(&self, value: ExprId) -> bool {
        matches!(self.file.expr(value), Expr::Name { .. } | Expr::Member { .. } | Expr::Entity(_))
    }

    fn call_value(&mut self, value: ExprId, arguments: Option<Node<'_>>, node: Node<'_>) {
        let (receiver, name) = match self.file.expr(value) {
            Expr::Name { name, .. } => (None, name),
            Expr::Member { of, name } => (Some(of), name),
            Expr::Entity(_) => {
                self.construct_class(value, arguments, node);
                return;
            }
            _ => return,
        };
        let (count, argument_types) = self.argument_types(arguments);
        self.refer_call(Reference {
            kind: ReferenceKind::Call,
            name,
            receiver,
            arguments: count,
            argument_types,
            line: line_of(node),
            from: self.current(),
        });
    }

    /// A value of the type that the current code belongs to: `cls()`, `Self { … }`.
    fn construct_class(&mut self, class: ExprId, arguments: Option<Node<'_>>, node: Node<'_>) {
        let receiver = self.instance(class, ExprId::UNKNOWN);
        self.write_call(ReferenceKind::Construct, "this", Some(receiver), arguments, node);
    }

    fn path_parts<'t>(&self, node: Node<'t>) -> Option<(Option<Node<'t>>, Node<'t>)> {
        let info = self.grammar.info(node.kind_id());
        match info.role {
            NodeRole::Identifier | NodeRole::TypeName | NodeRole::MemberName => Some((None, node)),
            NodeRole::Member => self.member_parts(node),
            _ => None,
        }
    }

    /// The object and the member of a node of role Member: from its fields, or its first and last child.
    pub fn member_parts<'t>(&self, node: Node<'t>) -> Option<(Option<Node<'t>>, Node<'t>)> {
        let info = self.grammar.info(node.kind_id());
        match info.second {
            Some(second) => {
                let object = info.first.and_then(|field| node.child_by_field_id(field.get()));
                Some((object, node.child_by_field_id(second.get())?))
            }
            None => {
                let children = named_children(node);
                let (first, last) = (children.first()?, children.last()?);
                (children.len() > 1).then_some((Some(*first), *last))
            }
        }
    }

    /// Some grammars keep the dot with the name.
    pub fn member_text(&self, member: Node<'_>) -> &'a str {
        self.text(member).trim_start_matches(['.', '?', '!'])
    }

    pub fn write_call(
        &mut self,
        kind: ReferenceKind,
        text: &'a str,
        receiver: Option<ExprId>,
        arguments: Option<Node<'_>>,
        node: Node<'_>,
    ) {
        let name = self.intern(text);
        let (count, argument_types) = self.argument_types(arguments);
        let from = self.current();
        self.refer_call(Reference {
            kind,
            name,
            receiver,
            arguments: count,
            argument_types,
            line: line_of(node),
            from,
        });
    }

    fn argument_types(&mut self, arguments: Option<Node<'_>>) -> (u16, Vec<ExprId>) {
        let Some(list) = arguments else { return (0, Vec::new()) };
        let given = named_children(list);
        let overloads = self.file.language.is_some_and(|language| language.has_overloads());
        let types = if overloads { given.iter().map(|argument| self.value(*argument)).collect() } else { Vec::new() };
        (given.len().min(u16::MAX as usize) as u16, types)
    }

    pub fn raise(&mut self, node: Node<'_>) {
        let info = self.grammar.info(node.kind_id());
        let first = info.first.and_then(|field| node.child_by_field_id(field.get()));
        let Some(what) = first.or_else(|| node.named_child(0)) else { return };
        self.raise_of(what, node);
    }

    /// Records that `what` is raised: its head, and the first string literal in it.
    pub fn raise_of(&mut self, what: Node<'_>, node: Node<'_>) {
        let text = self.text(what);
        let head = text.trim_start_matches("new ").split(['(', '{', '\n']).next().unwrap_or("").trim();
        let message = self.first_text(what);
        let raise =
            Raise { what: head.chars().take(120).collect(), message, line: line_of(node), from: self.current() };
        self.file.raises.push(raise);
    }

    fn first_text(&self, node: Node<'_>) -> Option<String> {
        let mut open = vec![node];
        let mut left = 200;
        while let Some(node) = open.pop() {
            if self.grammar.info(node.kind_id()).role == NodeRole::Text {
                return Some(unquoted(self.text(node)).chars().take(300).collect());
            }
            left -= 1;
            if left == 0 {
                return None;
            }
            let mut children = named_children(node);
            children.reverse();
            open.append(&mut children);
        }
        None
    }
}

/// A text literal without its prefix and quotes.
pub fn unquoted(literal: &str) -> &str {
    let inner = literal.trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == '$' || c == '@' || c == '#');
    for quote in ["\"\"\"", "'''", "\"", "'", "`"] {
        if let Some(inner) = inner.strip_prefix(quote) {
            return inner.trim_end_matches('#').strip_suffix(quote).unwrap_or(inner);
        }
    }
    literal
}
