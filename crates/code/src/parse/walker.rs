//! The walk over a syntax tree: keeps the scopes, and handles each node by its role in the table.
//!
//! The walk is not recursive, so any nesting depth is fine.

use tree_sitter::{Node, TreeCursor};

use super::grammar::{Grammar, NodeRole};
use crate::hash::{FastMap, FastSet};
use crate::model::*;

/// A scope that is open while the walk is inside a node.
struct Frame {
    depth: u32,
    entity: EntityId,
    /// The number of bindings made before it.
    undo: usize,
    owner: Option<Owner>,
    /// The number of anonymous types in it so far.
    anonymous: u32,
}

/// The type that a block of functions belongs to, if the block is not in the type's definition.
#[derive(Clone)]
pub struct Owner {
    pub class: ExprId,
    pub name: String,
    pub implements: Option<String>,
}

pub struct Walker<'a> {
    pub source: &'a str,
    pub grammar: &'a Grammar,
    pub file: ParsedFile,
    /// Attributes or decorators before the next definition, as written.
    pub attributes: Vec<String>,
    frames: Vec<Frame>,
    depth: u32,
    name_ids: FastMap<&'a str, NameId>,
    expr_ids: FastMap<Expr, ExprId>,
    pub(super) seen: FastSet<(ReferenceKind, EntityId, NameId, Option<ExprId>)>,
    /// Fields, constants and variables that are entities, by scope and name.
    variables: FastMap<(EntityId, NameId), EntityId>,
    /// The value of each local variable that is in scope, by name.
    bound: Vec<Option<ExprId>>,
    undo: Vec<(NameId, Option<ExprId>)>,
    /// Bindings that take effect when the walk leaves the node at that depth.
    pending: Vec<(u32, NameId, ExprId)>,
    /// Nodes that look like reads but are not: callees, targets, names of definitions.
    pub(super) not_read: FastSet<usize>,
    /// Bodies that become anonymous types, with their bases.
    pub anonymous_bodies: Vec<usize>,
    /// Inline functions and classes that are named after their assignment targets.
    pub value_names: Vec<super::languages::ValueName>,
    /// Parts that were parsed on their own and are still to be walked, with their scope.
    pub inner_trees: Vec<(EntityId, tree_sitter::Tree)>,
    /// Set while entering a node whose children need no visit.
    pub skip_children: bool,
    errors: u32,
    first_error_line: u32,
}

impl<'a> Walker<'a> {
    pub fn new(file: ParsedFile, source: &'a str, grammar: &'a Grammar) -> Walker<'a> {
        let root = Frame { depth: 0, entity: EntityId::FILE, undo: 0, owner: None, anonymous: 0 };
        Walker {
            source,
            grammar,
            file,
            attributes: Vec::new(),
            frames: vec![root],
            depth: 0,
            name_ids: FastMap::default(),
            expr_ids: FastMap::default(),
            seen: FastSet::default(),
            variables: FastMap::default(),
            bound: Vec::new(),
            undo: Vec::new(),
            pending: Vec::new(),
            not_read: FastSet::default(),
            anonymous_bodies: Vec::new(),
            value_names: Vec::new(),
            inner_trees: Vec::new(),
            skip_children: false,
            errors: 0,
            first_error_line: 0,
        }
    }

    pub fn walk(&mut self, mut cursor: TreeCursor<'_>) {
        self.depth = 1;
        'nodes: loop {
            self.enter(cursor.node());
            if !std::mem::take(&mut self.skip_children) && cursor.goto_first_child() {
                self.depth += 1;
                continue;
            }
            loop {
                self.leave();
                if cursor.goto_next_sibling() {
                    continue 'nodes;
                }
                if !cursor.goto_parent() {
                    break 'nodes;
                }
                self.depth -= 1;
            }
        }
    }

    /// Walks a separate tree as if it were in the scope of an entity.
    pub fn walk_inside(&mut self, scope: EntityId, cursor: TreeCursor<'_>) {
        let undo = self.undo.len();
        let depth = u32::MAX;
        self.frames.push(Frame { depth, entity: scope, undo, owner: None, anonymous: 0 });
        self.walk(cursor);
        self.frames.truncate(1);
    }

    pub fn finish(mut self) -> ParsedFile {
        if self.errors > 0 {
            let problem = ParseProblem::Syntax { errors: self.errors, first_line: self.first_error_line };
            self.file.problems.push(problem);
        }
        self.file
    }

    fn enter(&mut self, node: Node<'_>) {
        if node.is_error() || node.is_missing() {
            self.errors += 1;
            if self.first_error_line == 0 {
                self.first_error_line = line_of(node);
            }
        }
        let grammar = self.grammar;
        let info = grammar.info(node.kind_id());
        match info.role {
            NodeRole::Nothing
            | NodeRole::Text
            | NodeRole::Literal(_)
            | NodeRole::Wrapper
            | NodeRole::Cast
            | NodeRole::Generic
            | NodeRole::TypeWrapper
            | NodeRole::Super
            | NodeRole::Index
            | NodeRole::This => {}
            NodeRole::Comment => self.comment(node, CommentKind::Comment),
            NodeRole::Identifier => {
                self.file.identifiers.push(span_of(node));
                self.read_name(node);
            }
            NodeRole::TypeName => {
                self.file.identifiers.push(span_of(node));
                self.use_type(node);
            }
            NodeRole::MemberName => self.file.identifiers.push(span_of(node)),
            NodeRole::Block => self.open_block(),
            NodeRole::Type => grammar.rules.define_type(self, node),
            NodeRole::Function => grammar.rules.define_function(self, node),
            NodeRole::Call | NodeRole::MethodCall | NodeRole::New => {
                if !grammar.rules.call(self, node) {
                    self.call(node);
                }
            }
            NodeRole::Member => self.read_member(node),
            NodeRole::Raise => self.raise(node),
            NodeRole::Return => self.returned(node),
            NodeRole::Special => grammar.rules.special(self, node),
        }
    }

    fn leave(&mut self) {
        while self.pending.last().is_some_and(|(depth, ..)| *depth == self.depth) {
            if let Some((_, name, value)) = self.pending.pop() {
                self.bind(name, value);
            }
        }
        while self.frames.len() > 1 && self.frames.last().is_some_and(|frame| frame.depth == self.depth) {
            if let Some(frame) = self.frames.pop() {
                while self.undo.len() > frame.undo {
                    if let Some((name, value)) = self.undo.pop() {
                        self.bound[name.0 as usize] = value;
                    }
                }
            }
        }
    }

    // Scopes.

    fn frame(&self) -> &Frame {
        // The file's own frame is never closed.
        &self.frames[self.frames.len() - 1]
    }

    pub fn current(&self) -> EntityId {
        self.frame().entity
    }

    pub fn current_kind(&self) -> EntityKind {
        self.file.entity(self.current()).kind
    }

    pub fn owner(&self) -> Option<&Owner> {
        self.frames.iter().rev().find_map(|frame| frame.owner.as_ref())
    }

    pub fn enclosing(&self, wanted: impl Fn(EntityKind) -> bool) -> Option<EntityId> {
        let mut at = Some(self.current());
        while let Some(id) = at {
            if wanted(self.file.entity(id).kind) {
                return Some(id);
            }
            at = self.file.entity(id).parent;
        }
        None
    }

    /// The function whose variables are the current scope's, if the walk is in one.
    pub fn in_function(&self) -> bool {
        self.current_kind().is_callable()
    }

    /// Is the walk inside a block or an anonymous function?
    pub fn in_block(&self) -> bool {
        self.frames.len() > 1
    }

    /// Is the walk directly inside a block that belongs to a type?
    pub fn in_owner_block(&self) -> bool {
        self.frame().owner.is_some()
    }

    fn open_frame(&mut self, entity: EntityId, owner: Option<Owner>) {
        let undo = self.undo.len();
        self.frames.push(Frame { depth: self.depth, entity, undo, owner, anonymous: 0 });
    }

    /// Opens a scope that ends with the current node.
    pub fn open(&mut self, entity: EntityId) {
        self.open_frame(entity, None);
    }

    pub fn open_block(&mut self) {
        self.open_frame(self.current(), None);
    }

    pub fn open_owner(&mut self, owner: Owner) {
        self.open_frame(self.current(), Some(owner));
    }

    pub fn next_anonymous(&mut self) -> u32 {
        let class = self.enclosing(|kind| kind == EntityKind::Type);
        let found = self.frames.iter_mut().find(|frame| Some(frame.entity) == class);
        match found {
            Some(frame) => {
                frame.anonymous += 1;
                frame.anonymous
            }
            None => {
                self.frames[0].anonymous += 1;
                self.frames[0].anonymous
            }
        }
    }

    pub fn bind(&mut self, name: NameId, value: ExprId) {
        let slot = name.0 as usize;
        if self.bound.len() <= slot {
            self.bound.resize(slot + 1, None);
        }
        self.undo.push((name, self.bound[slot]));
        self.bound[slot] = Some(value);
    }

    pub fn bind_after(&mut self, name: NameId, value: ExprId) {
        self.pending.push((self.depth, name, value));
    }

    pub fn local(&self, name: NameId) -> Option<ExprId> {
        self.bound.get(name.0 as usize).copied().flatten()
    }

    // Names and expressions.

    pub fn text<'s>(&'s self, node: Node<'_>) -> &'a str {
        self.source.get(node.byte_range()).unwrap_or("")
    }

    pub fn intern(&mut self, text: &'a str) -> NameId {
        let next = NameId(self.file.names.len() as u32);
        let id = *self.name_ids.entry(text).or_insert(next);
        if id == next {
            self.file.names.push(text.to_owned());
        }
        id
    }

    /// For text that is not part of the source.
    pub fn intern_copy(&mut self, text: &str) -> NameId {
        if let Some(id) = self.name_ids.get(text) {
            return *id;
        }
        self.file.names.push(text.to_owned());
        NameId(self.file.names.len() as u32 - 1)
    }

    pub fn expr(&mut self, expr: Expr) -> ExprId {
        if expr == Expr::Unknown {
            return ExprId::UNKNOWN;
        }
        let next = ExprId(self.file.exprs.len() as u32);
        let id = *self.expr_ids.entry(expr).or_insert(next);
        if id == next {
            self.file.exprs.push(expr);
        }
        id
    }

    // Entities.

    /// Adds an entity named by `name`, defined by `node`, in the current scope.
    pub fn define(&mut self, kind: EntityKind, name: &str, node: Node<'_>, name_node: Node<'_>) -> EntityId {
        self.not_read.insert(name_node.id());
        let parent = self.current();
        let owner = if kind == EntityKind::Method || kind == EntityKind::Test || kind == EntityKind::Constant {
            self.frame().owner.clone()
        } else {
            None
        };
        let prefix = match &owner {
            Some(owner) => owner.name.as_str(),
            None if parent == EntityId::FILE => "",
            None => self.file.entity(parent).qualified.as_str(),
        };
        let qualified = if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") };
        let id = EntityId(self.file.entities.len() as u32);
        let (class, owner_name, implements) = match owner {
            Some(owner) => (Some(owner.class), Some(owner.name), owner.implements),
            None => (None, None, None),
        };
        self.file.entities.push(Entity {
            kind,
            name: name.to_owned(),
            qualified,
            parent: Some(parent),
            span: span_of(node),
            first_line: line_of(node),
            last_line: node.end_position().row as u32 + 1,
            name_line: line_of(name_node),
            signature: self.line_around(name_node.start_byte()),
            params: Vec::new(),
            variadic: false,
            value: ExprId::UNKNOWN,
            owner: class,
            owner_name,
            implements,
            is_static: false,
            is_constructor: false,
            is_interface: false,
        });
        id
    }

    pub fn entity_mut(&mut self, id: EntityId) -> &mut Entity {
        &mut self.file.entities[id.index()]
    }

    /// Adds a field, constant or variable once per scope, and remembers the first known value.
    pub fn define_variable(
        &mut self,
        kind: EntityKind,
        scope: EntityId,
        node: Node<'_>,
        name: Node<'_>,
        value: ExprId,
    ) {
        self.not_read.insert(name.id());
        let text = self.text(name);
        if text.is_empty() || text == "_" {
            return;
        }
        let id = self.intern(text);
        let known = self.variables.get(&(scope, id)).copied();
        let Some(known) = known else {
            let entity = self.define(kind, text, node, name);
            self.variables.insert((scope, id), entity);
            if scope != self.current() {
                let qualified = match scope {
                    EntityId::FILE => text.to_owned(),
                    _ => format!("{}.{text}", self.file.entity(scope).qualified),
                };
                self.entity_mut(entity).parent = Some(scope);
                self.entity_mut(entity).qualified = qualified;
            }
            self.entity_mut(entity).value = value;
            return;
        };
        let vague = |expr: Expr| matches!(expr, Expr::Unknown | Expr::Literal(_));
        let before = self.file.entity(known).value;
        if vague(self.file.expr(before)) && !vague(self.file.expr(value)) {
            self.entity_mut(known).value = value;
        }
    }

    fn line_around(&self, byte: usize) -> String {
        let start = self.source[..floor(self.source, byte)].rfind('\n').map_or(0, |at| at + 1);
        let line = self.source[start..].lines().next().unwrap_or("").trim();
        line[..floor(line, 240)].to_owned()
    }

    pub fn comment(&mut self, node: Node<'_>, kind: CommentKind) {
        self.file.comments.push(Comment { kind, span: span_of(node) });
    }
}

pub fn span_of(node: Node<'_>) -> Span {
    Span { start: node.start_byte() as u32, end: node.end_byte() as u32 }
}

pub fn line_of(node: Node<'_>) -> u32 {
    node.start_position().row as u32 + 1
}

/// The last character boundary at or before a byte.
pub fn floor(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The named children, without comments.
pub fn named_children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.is_extra()).collect()
}

pub fn field<'t>(node: Node<'t>, name: &str) -> Option<Node<'t>> {
    node.child_by_field_name(name)
}

pub fn child_of_kind<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).find(|child| child.kind() == kind)
}
