//! What is known about one source file: plain data, in the bytes' own order.
//!
//! Types of values are kept as small expressions ([`Expr`]), as the syntax shows them. What they
//! mean needs the other files and is found out by [`crate::graph`].

use serde::{Deserialize, Serialize};

use crate::lang::Language;

/// How many steps of an expression are shown.
const LONGEST_TEXT: u32 = 16;

/// An entity's place in [`ParsedFile::entities`]. The file itself is always the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EntityId(pub u32);

impl EntityId {
    pub const FILE: EntityId = EntityId(0);

    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A name's place in [`ParsedFile::names`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NameId(pub u32);

/// An expression's place in [`ParsedFile::exprs`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ExprId(pub u32);

impl ExprId {
    /// Nothing is known of the value. Always the first expression.
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

    /// Whether code runs when it is called.
    pub fn is_callable(self) -> bool {
        matches!(self, EntityKind::Function | EntityKind::Method | EntityKind::Test)
    }
}

/// Something with a name that can be asked about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entity {
    pub kind: EntityKind,
    pub name: String,
    /// Names of the enclosing types and functions, and its own: `Cart.add`, `Cart.$1.compare`.
    pub qualified: String,
    pub parent: Option<EntityId>,
    pub span: Span,
    /// Lines count from 1. The first may be that of an annotation.
    pub first_line: u32,
    pub last_line: u32,
    /// The line of the name.
    pub name_line: u32,
    /// The first line of the definition.
    pub signature: String,
    pub params: Vec<Param>,
    /// Takes any number of further arguments.
    pub variadic: bool,
    /// What calling it gives, or the type of a field or constant.
    pub value: ExprId,
    /// The type that an `impl` block, a receiver or an extension puts it on.
    pub owner: Option<ExprId>,
    pub owner_name: Option<String>,
    /// The trait or interface that the block names.
    pub implements: Option<String>,
    pub is_static: bool,
    /// A constructor: calling the type runs it.
    pub is_constructor: bool,
    /// A type that only says what others have; nothing runs when one is made.
    pub is_interface: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Param {
    pub name: String,
    /// The declared type as written, or nothing.
    pub type_text: String,
    pub ty: ExprId,
    pub optional: bool,
}

/// A value or a type, as far as the syntax tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Expr {
    Unknown,
    Literal(Literal),
    /// A name that is no local variable, seen from `scope`.
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
    /// What it is a member of; nothing for a plain name.
    pub receiver: Option<ExprId>,
    /// How many arguments a call has.
    pub arguments: u16,
    /// What the arguments are, in languages that choose a function by them.
    pub argument_types: Vec<ExprId>,
    pub line: u32,
    pub from: EntityId,
}

/// One name that a file brings in from elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// As written, without quotes: `..models`, `./cart.js`, `crate::cart`, `com.shop.Cart`.
    pub module: String,
    /// The name inside the module; nothing if the module itself is meant.
    pub name: Option<String>,
    /// The name it is known by here; nothing if it only has an effect.
    pub alias: Option<String>,
    /// Everything in the module.
    pub wildcard: bool,
    /// Also handed on to those who import this file.
    pub exported: bool,
    pub line: u32,
    pub scope: EntityId,
}

/// A place where an error is raised.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Raise {
    /// The error's type or the raising function, as written.
    pub what: String,
    /// The first text in it.
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

/// What was wrong with a file, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ParseProblem {
    /// Parts could not be parsed; the rest is there.
    Syntax {
        errors: u32,
        first_line: u32,
    },
    NotUtf8,
    /// Skipped: a NUL byte near the start.
    Binary,
    /// Skipped: more bytes than a person writes.
    Huge,
    /// Only the file itself is kept: nobody wrote these lines by hand.
    Generated,
    /// Only the file itself is kept: lines too long to read.
    Minified,
    /// Skipped: it is there, and cannot be opened.
    Unreadable,
    /// Skipped: its name is no text.
    NameNotUtf8,
}

/// One file: what it defines and what it refers to.
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
    /// Where identifiers stand. Only of use beside the bytes, so it is not stored.
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

    /// What stands before the dot, in a form that is the same in every language.
    pub fn receiver_text(&self, reference: &Reference) -> Option<String> {
        reference.receiver.map(|receiver| self.expr_text(receiver))
    }

    pub fn expr_text(&self, id: ExprId) -> String {
        self.expr_text_to(id, LONGEST_TEXT)
    }

    /// Values can be built on each other in any number; only the last steps are shown.
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
