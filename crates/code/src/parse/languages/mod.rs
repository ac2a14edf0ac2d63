//! One file per language: the table of its node kinds, and the rules for what the table cannot express.
//!
//! To add one: a variant in `Language` with its endings and family; a file here with its `KINDS`
//! and its `Rules`; a line in [`grammar`]; in `graph/modules.rs` how its imports name files; a shop
//! in `tests/shops.rs` and a fixture in `tests/languages.rs`. The table alone gives comments, identifiers, calls and member access.

mod c;
mod csharp;
mod go;
mod java;
mod java_types;
mod javascript;
mod kotlin;
mod php;
mod plain;
mod python;
mod ruby;
mod rust;
mod rust_macros;
mod rust_uses;
mod script_imports;
mod script_values;
mod swift;

pub use script_values::ValueName;

use std::sync::OnceLock;

use super::grammar::{Grammar, LanguageRules};
use crate::lang::Language;

/// The grammar of a language, built on first use.
pub fn grammar(language: Language) -> Option<&'static Grammar> {
    macro_rules! lazily {
        ($rules:expr) => {{
            static GRAMMAR: OnceLock<Grammar> = OnceLock::new();
            static RULES: &dyn LanguageRules = &$rules;
            Some(GRAMMAR.get_or_init(|| Grammar::new(RULES)))
        }};
    }
    match language {
        Language::Python => lazily!(python::Python),
        Language::Java => lazily!(java::Java),
        Language::Rust => lazily!(rust::Rust),
        Language::Go => lazily!(go::Go),
        Language::JavaScript => lazily!(javascript::ScriptDialect::Plain),
        Language::TypeScript => lazily!(javascript::ScriptDialect::Typed),
        Language::Tsx => lazily!(javascript::ScriptDialect::TypedWithMarkup),
        Language::C => lazily!(c::C::C),
        Language::Cpp => lazily!(c::C::Cpp),
        Language::CSharp => lazily!(csharp::CSharp),
        Language::Ruby => lazily!(ruby::Ruby),
        Language::Php => lazily!(php::Php),
        Language::Kotlin => lazily!(kotlin::Kotlin),
        Language::Swift => lazily!(swift::Swift),
        _ => None,
    }
}
