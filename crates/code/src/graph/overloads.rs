//! Which of several functions with one name does a call mean? Decided by the number of arguments, then by how well
//! their types fit.

use crate::lang::Language;
use crate::model::*;

use super::index::Global;
use super::types::{Meaning, Resolver};

/// How well an argument fits a parameter.
const EXACT: i32 = 8;
const SUBTYPE: i32 = 6;
const POSSIBLE: i32 = 2;
const UNFIT: i32 = -16;

impl Resolver<'_> {
    /// The functions that a call may mean, from the given ones, which are ordered nearest first.
    pub fn choose(&mut self, file: u32, found: Vec<Global>, reference: &Reference) -> Vec<Global> {
        if found.len() < 2 {
            return found;
        }
        let overloads = self.index.language(file).is_some_and(Language::has_overloads);
        if !overloads {
            // The last definition in a scope counts.
            return found.last().map(|last| vec![*last]).unwrap_or_default();
        }
        let fitting: Vec<Global> = found.iter().copied().filter(|one| self.takes(*one, reference.arguments)).collect();
        let among = if fitting.is_empty() { found } else { fitting };
        let mut scored: Vec<(i32, Global)> = Vec::new();
        for candidate in among {
            scored.push((self.fit(file, candidate, reference), candidate));
        }
        let best = scored.iter().map(|(score, _)| *score).max().unwrap_or(0);
        let mut best: Vec<Global> =
            scored.into_iter().filter(|(score, _)| *score == best).map(|(_, candidate)| candidate).collect();
        self.drop_overridden(&mut best);
        self.prefer_definitions(&mut best);
        best
    }

    /// Whether a function can be called with that many arguments.
    pub fn takes(&self, function: Global, arguments: u16) -> bool {
        let entity = self.index.entity(function);
        let given = arguments as usize;
        let needed = entity.params.iter().filter(|param| !param.optional).count();
        given == u16::MAX as usize || (needed <= given && (entity.variadic || given <= entity.params.len()))
    }

    fn fit(&mut self, file: u32, candidate: Global, reference: &Reference) -> i32 {
        let entity = self.index.entity(candidate);
        let home = self.index.file_of[candidate as usize];
        let mut score = if entity.variadic { -1 } else { 0 };
        for (param, argument) in entity.params.iter().zip(&reference.argument_types) {
            score += self.fits(file, *argument, home, param);
        }
        score
    }

    fn fits(&mut self, file: u32, argument: ExprId, home: u32, param: &Param) -> i32 {
        let parsed = self.index.files[file as usize];
        let wanted_type = short_name(&param.type_text);
        if let Expr::Literal(literal) = parsed.expr(argument) {
            return fits_literal(literal, wanted_type);
        }
        let given = self.meaning(file, argument);
        let given = self.settled(given);
        let wanted = self.meaning(home, param.ty);
        match (given, wanted) {
            (Meaning::Value(given, _), Meaning::Value(wanted, _)) if given == wanted => EXACT,
            (Meaning::Value(given, _), Meaning::Value(wanted, _)) => {
                if self.lineage(given).contains(&wanted) {
                    SUBTYPE
                } else {
                    UNFIT
                }
            }
            (Meaning::Value(..), _) if matches!(wanted_type, "Object" | "T" | "E" | "Any" | "object") => POSSIBLE,
            (Meaning::Value(..), Meaning::External(_)) if FINAL.contains(&wanted_type) => UNFIT,
            (Meaning::Value(given, _), Meaning::External(_)) => {
                let open = self.lineage(given).iter().any(|class| self.open_types.contains_key(class));
                if open { 0 } else { UNFIT }
            }
            (Meaning::External(_), Meaning::Value(..)) => match self.written_type(file, argument) {
                Some(_) => UNFIT,
                None => 0,
            },
            _ => match self.written_type(file, argument) {
                Some(written) => fits_written(&written, wanted_type),
                None => 0,
            },
        }
    }

    /// The name of an argument's declared type, or of the declared result of the call in it.
    fn written_type(&mut self, file: u32, argument: ExprId) -> Option<String> {
        let parsed = self.index.files[file as usize];
        match parsed.expr(argument) {
            Expr::Instance { class, .. } => match parsed.expr(class) {
                Expr::Name { name, .. } | Expr::Member { name, .. } => Some(parsed.name(name).to_owned()),
                _ => None,
            },
            Expr::Name { .. } | Expr::Member { .. } => match self.meaning(file, argument) {
                Meaning::Variable(variable) => {
                    let home = self.index.file_of[variable as usize];
                    let value = self.index.entity(variable).value;
                    match self.index.files[home as usize].expr(value) {
                        Expr::Instance { .. } => self.written_type(home, value),
                        _ => None,
                    }
                }
                _ => None,
            },
            // Every object has this method.
            Expr::Call { callee } if self.callee_name(file, callee) == Some("toString") => Some("String".to_owned()),
            Expr::Call { callee } if self.callee_name(file, callee) == Some("getClass") => Some("Class".to_owned()),
            // `Cart.valueOf(…)` returns a `Cart`.
            Expr::Call { callee } if self.callee_name(file, callee) == Some("valueOf") => match parsed.expr(callee) {
                Expr::Member { of, .. } => match parsed.expr(of) {
                    Expr::Name { name, .. } => Some(parsed.name(name).to_owned()),
                    _ => None,
                },
                _ => None,
            },
            Expr::Call { callee } => match self.meaning(file, callee) {
                Meaning::Function(function) => {
                    let home = self.index.file_of[function as usize];
                    let value = self.index.entity(function).value;
                    match self.index.files[home as usize].expr(value) {
                        Expr::Instance { .. } => self.written_type(home, value),
                        _ => None,
                    }
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Prefers a definition elsewhere to its declaration in a class body.
    fn prefer_definitions(&self, candidates: &mut Vec<Global>) {
        let defined = |one: &Global| self.index.entity(*one).owner.is_some();
        if candidates.len() > 1 && candidates.iter().any(defined) {
            candidates.retain(defined);
        }
    }

    fn callee_name(&self, file: u32, callee: ExprId) -> Option<&str> {
        let parsed = self.index.files[file as usize];
        match parsed.expr(callee) {
            Expr::Member { name, .. } => Some(parsed.name(name)),
            _ => None,
        }
    }

    /// A method hides a base's method with the same parameters.
    fn drop_overridden(&self, candidates: &mut Vec<Global>) {
        let mut kept: Vec<Global> = Vec::new();
        for candidate in candidates.iter().copied() {
            let types = |one: Global| -> Vec<String> {
                let params = &self.index.entity(one).params;
                params.iter().map(|param| short_name(&param.type_text).to_owned()).collect()
            };
            let overridden = kept.iter().any(|nearer| {
                self.type_around(*nearer) != self.type_around(candidate)
                    && types(*nearer).len() == types(candidate).len()
            });
            if !overridden {
                kept.push(candidate);
            }
        }
        *candidates = kept;
    }
}

/// A type's own name, without package, type arguments and wrappers.
pub fn short_name(text: &str) -> &str {
    let text = text.trim().trim_start_matches("final ").trim_start_matches("const ").trim_start_matches(['&', '*']);
    let text = text.split('<').next().unwrap_or(text).trim();
    text.rsplit(['.', ':']).next().unwrap_or(text).trim().trim_end_matches(['?', '&', '*', ' '])
}

/// Types that cannot be extended: only they themselves fit.
const FINAL: &[&str] = &[
    "String", "Class", "Boolean", "Character", "Integer", "Long", "Double", "Float", "Short", "Byte", "int", "long",
    "double", "float", "boolean", "char", "short", "byte", "string", "bool",
];
const NUMBERS: &[&str] = &["Integer", "Long", "Double", "Float", "Short", "Byte", "BigDecimal", "BigInteger"];

/// How well a type outside the repository fits another, by their names.
fn fits_written(written: &str, wanted: &str) -> i32 {
    let boxed = written.to_lowercase() == wanted.to_lowercase()
        || (written == "Integer" && wanted == "int")
        || (written == "Character" && wanted == "char");
    match wanted {
        _ if written == wanted => EXACT,
        _ if boxed => SUBTYPE,
        "Number" if NUMBERS.contains(&written) => SUBTYPE,
        "CharSequence" if written == "String" => SUBTYPE,
        "Throwable" | "Exception" if written.ends_with("Exception") || written.ends_with("Error") => SUBTYPE,
        "Object" | "Any" | "object" => POSSIBLE,
        _ if FINAL.contains(&wanted) => UNFIT,
        // A common suffix usually means a common ancestor: `StringReader` is a `Reader`.
        _ if written.ends_with(wanted) => POSSIBLE,
        _ if FINAL.contains(&written) => UNFIT,
        _ => 0,
    }
}

/// The types that a literal can be passed as, best first: as it is, widened, boxed.
fn accepted(literal: Literal) -> &'static [&'static str] {
    match literal {
        Literal::Text => &["string", "str", "charsequence", "string_view", "comparable", "object", "any"],
        Literal::Char => &["char", "int", "long", "character", "object", "any"],
        Literal::Int => &["int", "long", "float", "double", "size_t", "integer", "number", "object", "any"],
        Literal::Long => &["long", "float", "double", "number", "object", "any"],
        Literal::Float => &["double", "float", "number", "object", "any"],
        Literal::Bool => &["boolean", "bool", "object", "any"],
        Literal::Null | Literal::Composite => &[],
    }
}

fn fits_literal(literal: Literal, wanted: &str) -> i32 {
    let lower = wanted.to_lowercase();
    let primitive =
        matches!(lower.as_str(), "int" | "long" | "double" | "float" | "boolean" | "bool" | "char" | "byte");
    match literal {
        Literal::Null if primitive && wanted == lower => UNFIT,
        Literal::Null | Literal::Composite => 0,
        _ => match accepted(literal).iter().position(|name| *name == lower) {
            // `Boolean` for `true` needs a box, `boolean` does not.
            Some(0) if wanted != lower && lower != "string" => SUBTYPE,
            Some(rank) => (EXACT - rank as i32).max(POSSIBLE - 1),
            None if wanted.len() <= 1 => 0,
            None => UNFIT,
        },
    }
}
