//! The plain data about one source file, in source order.
//!
//! Types of values are small expressions ([`Expr`]), as the syntax shows them. [`crate::graph`] resolves their meaning
//! with the other files.

use serde::{Deserialize, Serialize};

use crate::lang::Language;

/// How many steps of an expression are shown.
const LONGEST_TEXT: u32 = 16;

/// An index into [`ParsedFile::entities`]. The file itself is always the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EntityId(pub u32);

impl EntityId {
    pub const FILE: EntityId = EntityId(0);

    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An index into [`ParsedFile::names`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NameId(pub u32);

/// An index into [`ParsedFile::exprs`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ExprId(pub u32);

impl ExprId {
    /// An unknown value. Always the first expression.
    pub const UNKNOWN: ExprId = ExprId(0);
}

/// Bytes from `start` up to `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum EntityKind {
    File,
    Module,
    Type,
    Function,
    Method,
    Field,
    Constant,
    Route,
    ConfigKey,
    Test,
    DocSection,
}

impl EntityKind {
    pub fn as_str(self) -> &'static str {
        match self {
            EntityKind::File => "file",
            EntityKind::Module => "module",
            EntityKind::Type => "type",
            EntityKind::Function => "function",
            EntityKind::Method => "method",
            EntityKind::Field => "field",
            EntityKind::Constant => "constant",
            EntityKind::Route => "route",
            EntityKind::ConfigKey => "config_key",
            EntityKind::Test => "test",
            EntityKind::DocSection => "doc_section",
        }
    }

    /// Does calling it run code?
    pub fn is_callable(self) -> bool {
        matches!(self, EntityKind::Function | EntityKind::Method | EntityKind::Test)
    }
}

/// A named thing that can be queried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entity {
    pub kind: EntityKind,
    pub name: String,
    /// Names of the enclosing types and functions, and its own: `Cart.add`, `Cart.$1.compare`.
    pub qualified: String,
    pub parent: Option<EntityId>,
    pub span: Span,
    /// Lines count from 1. The first may be an annotation's.
    pub first_line: u32,
    pub last_line: u32,
    /// The line of the name.
    pub name_line: u32,
    /// The first line of the definition.
    pub signature: String,
    pub params: Vec<Param>,
    /// Accepts any number of further arguments.
    pub variadic: bool,
    /// Its result, or the type of a field or constant.
    pub value: ExprId,
    /// The type to which an `impl` block, a receiver or an extension attaches it.
    pub owner: Option<ExprId>,
    pub owner_name: Option<String>,
    /// The trait or interface that the block names.
    pub implements: Option<String>,
    pub is_static: bool,
    /// A constructor: calling the type runs it.
    pub is_constructor: bool,
    /// A type that only declares members; constructing one runs nothing.
    pub is_interface: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Param {
    pub name: String,
    /// The declared type as written, or empty.
    pub type_text: String,
    pub ty: ExprId,
    pub optional: bool,
}

/// A value or a type, as far as the syntax shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Expr {
    Unknown,
    Literal(Literal),
    /// A name that is not a local variable, seen from `scope`.
    Name {
        name: NameId,
        scope: EntityId,
    },
    /// An entity of this file.
    Entity(EntityId),
    /// The base type of the type that encloses an entity.
    Super(EntityId),
    Member {
        of: ExprId,
        name: NameId,
    },
    Call {
        callee: ExprId,
    },
    /// A value of a type; `argument` is its last type argument.
    Instance {
        class: ExprId,
        argument: ExprId,
    },
    /// An item of a collection, or what a wrapper holds.
    Element(ExprId),
    /// Several values in a row: the first, and those after it.
    Tuple {
        first: ExprId,
        rest: ExprId,
    },
    /// One of several values, counted from 0.
    Part {
        of: ExprId,
        index: u16,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Literal {
    Text,
    Char,
    Int,
    Long,
    Float,
    Bool,
    Null,
    /// A list, map, tuple or function written in place.
    Composite,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ReferenceKind {
    Call,
    /// `new T()`: the constructor of that type.
    Construct,
    ReadState,
    WriteState,
    Inherit,
    Implement,
    TypeUse,
    Decorate,
    /// A name in back-ticks in a document, or a value in a config file.
    Mention,
}

/// A place where code names something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    pub kind: ReferenceKind,
    pub name: NameId,
    /// The expression that it is a member of; None for a plain name.
    pub receiver: Option<ExprId>,
    /// How many arguments a call has.
    pub arguments: u16,
    /// The types of the arguments, in languages that select overloads by them.
    pub argument_types: Vec<ExprId>,
    pub line: u32,
    pub from: EntityId,
}

/// One name that a file brings in from elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// As written, without quotes: `..models`, `./cart.js`, `crate::cart`, `com.shop.Cart`.
    pub module: String,
    /// The name inside the module; None if the module itself is meant.
    pub name: Option<String>,
    /// The local name; None if the import only has side effects.
    pub alias: Option<String>,
    /// Imports everything in the module.
    pub wildcard: bool,
    /// Also re-exported to those who import this file.
    pub exported: bool,
    pub line: u32,
    pub scope: EntityId,
}

/// A place where an error is raised.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Raise {
    /// The error's type or the raising function, as written.
    pub what: String,
    /// The first string literal in it.
    pub message: Option<String>,
    pub line: u32,
    pub from: EntityId,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum CommentKind {
    Comment,
    Docstring,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    pub kind: CommentKind,
    pub span: Span,
}

/// A problem with a file, and how it was handled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ParseProblem {
    /// Parts could not be parsed; the rest is kept.
    Syntax {
        errors: u32,
        first_line: u32,
    },
    NotUtf8,
    /// Skipped: a NUL byte near the start.
    Binary,
    /// Skipped: larger than files written by hand.
    Huge,
    /// Only the file itself is kept: generated code.
    Generated,
    /// Only the file itself is kept: its lines are too long to be written by hand.
    Minified,
    /// Skipped: it exists but cannot be opened.
    Unreadable,
    /// Skipped: its name is not UTF-8.
    NameNotUtf8,
}

/// One file: its definitions and references.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParsedFile {
    /// As given, with `/` between the parts.
    pub path: String,
    pub language: Option<Language>,
    /// The package or namespace that it declares.
    pub package: Option<String>,
    pub entities: Vec<Entity>,
    pub references: Vec<Reference>,
    pub imports: Vec<Import>,
    pub raises: Vec<Raise>,
    pub comments: Vec<Comment>,
    pub names: Vec<String>,
    pub exprs: Vec<Expr>,
    pub problems: Vec<ParseProblem>,
    /// The positions of identifiers. Only useful with the bytes, so not stored.
    #[serde(skip)]
    pub identifiers: Vec<Span>,
}

impl ParsedFile {
    pub fn entity(&self, id: EntityId) -> &Entity {
        &self.entities[id.index()]
    }

    pub fn name(&self, id: NameId) -> &str {
        &self.names[id.0 as usize]
    }

    pub fn expr(&self, id: ExprId) -> Expr {
        self.exprs[id.0 as usize]
    }

    /// The innermost entity on a line; the file if there is none.
    pub fn entity_at_line(&self, line: u32) -> EntityId {
        let mut best = EntityId::FILE;
        for (index, entity) in self.entities.iter().enumerate() {
            let smaller = entity.span.end - entity.span.start <= {
                let span = self.entity(best).span;
                span.end - span.start
            };
            if entity.first_line <= line && line <= entity.last_line && smaller {
                best = EntityId(index as u32);
            }
        }
        best
    }

    /// The text before the dot, in the same form for every language.
    pub fn receiver_text(&self, reference: &Reference) -> Option<String> {
        reference.receiver.map(|receiver| self.expr_text(receiver))
    }

    pub fn expr_text(&self, id: ExprId) -> String {
        self.expr_text_to(id, LONGEST_TEXT)
    }

    /// Expressions can be nested to any depth; only the last steps are rendered.
    fn expr_text_to(&self, id: ExprId, steps: u32) -> String {
        if steps == 0 {
            return "…".into();
        }
        let text = |id| self.expr_text_to(id, steps - 1);
        match self.expr(id) {
            Expr::Unknown => "?".into(),
            Expr::Literal(literal) => format!("{literal:?}").to_lowercase(),
            Expr::Name { name, .. } => self.name(name).into(),
            Expr::Entity(entity) => self.entity(entity).qualified.clone(),
            Expr::Super(_) => "super".into(),
            Expr::Member { of, name } => format!("{}.{}", text(of), self.name(name)),
            Expr::Call { callee } => format!("{}()", text(callee)),
            Expr::Instance { class, argument: ExprId::UNKNOWN } => format!("<{}>", text(class)),
            Expr::Instance { class, argument } => {
                format!("<{}[{}]>", text(class), text(argument))
            }
            Expr::Element(of) => format!("{}[]", text(of)),
            Expr::Tuple { first, rest: ExprId::UNKNOWN } => text(first),
            Expr::Tuple { first, rest } => format!("{}, {}", text(first), text(rest)),
            Expr::Part { of, index } => format!("{}.{index}", text(of)),
        }
    }
}
