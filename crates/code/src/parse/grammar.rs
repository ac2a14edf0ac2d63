//! The meaning of a language's node kinds: one table per language, compiled on first use.

use std::num::NonZeroU16;

use tree_sitter::Node;

use super::walker::Walker;
use crate::model::Literal;

/// The role of a node, independent of the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeRole {
    /// Only its children matter.
    Nothing,
    Comment,
    Text,
    Literal(Literal),
    Identifier,
    /// The name of a member, parameter or label, which is not looked up in a scope.
    MemberName,
    TypeName,
    This,
    Super,
    /// A class, struct, interface, trait or enum.
    Type,
    Function,
    /// A scope of variables without a name.
    Block,
    /// A call; `first` is what is called, `second` the arguments.
    Call,
    /// A call of a member in one node; `first` is the object, `second` the name.
    MethodCall,
    /// Makes a value; `first` is the type, `second` the arguments.
    New,
    /// `first` is the object or path, `second` the member's name.
    Member,
    /// `first` is the collection.
    Index,
    /// Has the value of `first`, or of its first child.
    Wrapper,
    /// `first` is the type of the cast.
    Cast,
    /// `first` is the generic type, `second` its arguments.
    Generic,
    /// A wrapper around a type: a pointer, array or optional.
    TypeWrapper,
    /// `first` is what is raised, if it has a field.
    Raise,
    Return,
    /// Handled by the language's own rules.
    Special,
}

/// One line of a language's table: the node's kind, its role, and the fields that the role asks for.
pub struct NodeRule(pub &'static str, pub NodeRole, pub &'static str, pub &'static str);

#[derive(Debug, Clone, Copy)]
pub struct KindInfo {
    pub role: NodeRole,
    pub first: Option<NonZeroU16>,
    pub second: Option<NonZeroU16>,
}

/// The rules of one language. The table does most; the methods handle different shapes.
pub trait LanguageRules: Sync {
    fn language(&self) -> tree_sitter::Language;

    fn kinds(&self) -> &'static [NodeRule];

    /// A node of role [`NodeRole::Type`].
    fn define_type(&self, walker: &mut Walker<'_>, node: Node<'_>);

    /// A node of role [`NodeRole::Function`].
    fn define_function(&self, walker: &mut Walker<'_>, node: Node<'_>);

    /// A node of role [`NodeRole::Special`].
    fn special(&self, _walker: &mut Walker<'_>, _node: Node<'_>) {}

    /// A call, before its reference is recorded. Returns true if the rules handled it completely.
    fn call(&self, _walker: &mut Walker<'_>, _node: Node<'_>) -> bool {
        false
    }

    /// The value of a call, if the callee's name alone determines it.
    fn call_value(&self, _walker: &mut Walker<'_>, _node: Node<'_>, _depth: u32) -> Option<crate::model::ExprId> {
        None
    }

    /// The value of a node of role [`NodeRole::Special`].
    fn special_value(&self, _walker: &mut Walker<'_>, _node: Node<'_>, _depth: u32) -> Option<crate::model::ExprId> {
        None
    }
}

pub struct Grammar {
    pub language: tree_sitter::Language,
    pub rules: &'static dyn LanguageRules,
    by_kind: Vec<KindInfo>,
}

impl Grammar {
    pub fn new(rules: &'static dyn LanguageRules) -> Grammar {
        let language = rules.language();
        let field = |name: &str| if name.is_empty() { None } else { language.field_id_for_name(name) };
        let nothing = KindInfo { role: NodeRole::Nothing, first: None, second: None };
        let mut by_kind = vec![nothing; language.node_kind_count()];
        for (id, info) in by_kind.iter_mut().enumerate() {
            let id = id as u16;
            let named = language.node_kind_is_named(id);
            let Some(name) = language.node_kind_for_id(id) else { continue };
            // In some grammars `this` and `super` are keywords without a rule of their own.
            let Some(kind) = rules.kinds().iter().find(|kind| kind.0 == name) else { continue };
            if named || matches!(kind.1, NodeRole::This | NodeRole::Super) {
                *info = KindInfo { role: kind.1, first: field(kind.2), second: field(kind.3) };
            }
        }
        Grammar { language, rules, by_kind }
    }

    pub fn info(&self, kind_id: u16) -> KindInfo {
        let nothing = KindInfo { role: NodeRole::Nothing, first: None, second: None };
        self.by_kind.get(kind_id as usize).copied().unwrap_or(nothing)
    }
}
