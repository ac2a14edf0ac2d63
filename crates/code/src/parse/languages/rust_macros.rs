//! The contents of a macro call in Rust: not parsed by the grammar, interpreted as far as they look like code.

use tree_sitter::Node;

use crate::model::*;
use crate::parse::parse_part;
use crate::parse::walker::{Walker, child_of_kind, field, line_of};

const PANICS: &[&str] = &["panic", "unreachable", "bail", "todo", "unimplemented"];

/// Keywords that start items: a macro leaves the items mostly unchanged.
const ITEM_WORDS: &[&str] = &["use", "mod", "fn", "struct", "enum", "trait", "impl", "const", "static"];

/// `cfg_net! { pub mod tcp; }`: the contents of the braces are parsed as items.
fn items_in_macro(walker: &mut Walker<'_>, node: Node<'_>) -> bool {
    if !matches!(walker.current_kind(), EntityKind::File | EntityKind::Module) || walker.in_owner_block() {
        return false;
    }
    let Some(body) = child_of_kind(node, "token_tree").filter(|body| walker.text(*body).starts_with('{')) else {
        return false;
    };
    if !walker.text(body).split_whitespace().any(|word| ITEM_WORDS.contains(&word)) {
        return false;
    }
    let (mut start_point, mut end_point) = (body.start_position(), body.end_position());
    start_point.column += 1;
    end_point.column = end_point.column.saturating_sub(1);
    let (start_byte, end_byte) = (body.start_byte() + 1, body.end_byte().saturating_sub(1));
    if end_byte <= start_byte {
        return false;
    }
    let part = tree_sitter::Range { start_byte, end_byte, start_point, end_point };
    match parse_part(walker.grammar, walker.source, part) {
        Some(tree) => {
            let scope = walker.current();
            walker.inner_trees.push((scope, tree));
            walker.skip_children = true;
            true
        }
        None => false,
    }
}

pub fn macro_call(walker: &mut Walker<'_>, node: Node<'_>) {
    let Some(name) = field(node, "macro") else { return };
    items_in_macro(walker, node);
    let text = walker.text(name);
    let last = text.rsplit("::").next().unwrap_or(text);
    if PANICS.contains(&last) {
        walker.raise_of(node, node);
    }
    walker.mark_not_read(name);
    let id = walker.intern(last);
    let from = walker.current();
    walker.refer_call(Reference {
        kind: ReferenceKind::Call,
        name: id,
        receiver: None,
        arguments: u16::MAX,
        argument_types: Vec::new(),
        line: line_of(name),
        from,
    });
}

/// The grammar does not parse macro arguments: names, dots and brackets are combined here.
pub fn tokens(walker: &mut Walker<'_>, node: Node<'_>) {
    let mut cursor = node.walk();
    let mut path = Path::default();
    for token in node.children(&mut cursor) {
        match token.kind() {
            "identifier" | "self" | "type_identifier" => path.name(walker, token),
            "." | "::" => path.joined = true,
            "token_tree" if walker.text(token).starts_with('(') => path.call(walker),
            _ => path = Path::default(),
        }
    }
}

/// A path of names among a macro's tokens, as far as it was read.
#[derive(Default)]
struct Path<'t> {
    value: Option<ExprId>,
    /// The expression before the last name, and that name.
    last: Option<(Option<ExprId>, Node<'t>)>,
    joined: bool,
}

impl<'t> Path<'t> {
    fn name(&mut self, walker: &mut Walker<'_>, token: Node<'t>) {
        walker.mark_not_read(token);
        let text = walker.text(token);
        let before = if self.joined { self.value } else { None };
        self.value = Some(match (before, text) {
            (None, "self") => walker.this(),
            (None, text) => walker.name_value(text),
            (Some(of), text) => walker.member(of, text),
        });
        self.last = Some((before, token));
        self.joined = false;
    }

    fn call(&mut self, walker: &mut Walker<'_>) {
        let Some((receiver, name)) = self.last.take() else {
            *self = Path::default();
            return;
        };
        let text = walker.text(name);
        let id = walker.intern(text);
        if receiver.is_some() || walker.local(id).is_none() {
            walker.write_call(ReferenceKind::Call, text, receiver, None, name);
        }
        self.value = self.value.map(|callee| walker.called(callee));
        self.joined = false;
    }
}
