//! What does a question ask for, and about which entities?

use std::sync::LazyLock;

use backstory_code::EntityKind;
use regex::Regex;

use super::symptom::{Symptom, symptoms};
use crate::locate::{Codebase, FaultQuestion, StackFrame, files_meant_by};
use crate::terms::Term;
use crate::tree::{EntityNum, FileNum, TreeEntity};
use backstory_language::text::{identifier_parts, identifiers, is_report_stop_word};

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionIntent {
    Why,
    How,
    Where,
    WhatCalls,
    WhatItCalls,
    Impact,
    Safe,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerType {
    Cause,
    Mechanism,
    Location,
    Callers,
    Callees,
    Affected,
    Judgement,
}

impl QuestionIntent {
    /// The answer is the users of an entity, or the entities that it uses; tests can be among them.
    pub fn asks_for_users(self) -> bool {
        matches!(self, QuestionIntent::WhatCalls | QuestionIntent::WhatItCalls | QuestionIntent::Impact)
    }

    pub fn expected(self) -> AnswerType {
        match self {
            QuestionIntent::Why => AnswerType::Cause,
            QuestionIntent::How => AnswerType::Mechanism,
            QuestionIntent::Where => AnswerType::Location,
            QuestionIntent::WhatCalls => AnswerType::Callers,
            QuestionIntent::WhatItCalls => AnswerType::Callees,
            QuestionIntent::Impact => AnswerType::Affected,
            QuestionIntent::Safe => AnswerType::Judgement,
        }
    }
}

/// An error as the question quotes it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct QuotedError {
    /// Such as `ValueError`; empty if the question quotes only a message.
    pub kind: String,
    pub message: String,
}

/// A name of the question, and what it means in the tree.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct NamedEntity {
    pub text: String,
    #[serde(skip)]
    pub entities: Vec<EntityNum>,
    #[serde(skip)]
    pub files: Vec<FileNum>,
}

/// An analysed question.
#[derive(Clone, Debug, serde::Serialize)]
pub struct QueryAnalysis {
    pub intent: QuestionIntent,
    pub expected: AnswerType,
    pub entities: Vec<NamedEntity>,
    /// The raise site first.
    pub frames: Vec<StackFrame>,
    pub errors: Vec<QuotedError>,
    pub symptoms: Vec<&'static str>,
    /// The question as typed.
    #[serde(skip)]
    pub text: String,
    #[serde(skip)]
    pub looked_for: Vec<&'static Symptom>,
}

/// A name that more entities have refers to none of them, unless the question asks for exactly that name.
const MOST_MEANT: usize = 12;
const MOST_ASKED_FOR: usize = 100;
/// Words that ask, as opposed to words that are asked about.
const ASKING: [&str; 34] = [
    "call", "calls", "called", "caller", "callers", "callee", "callees", "use", "uses", "used", "invoke", "invokes",
    "change", "changed", "changing", "break", "breaks", "affected", "affects", "impact", "depend", "depends", "safe",
    "where", "which", "defined", "file", "function", "method", "class", "module", "remove", "rename", "delete",
];

pub fn analyse(codebase: &Codebase<'_>, text: &str, question: &FaultQuestion) -> QueryAnalysis {
    let intent = intent(text, question);
    // Only faults have symptoms.
    let found = if intent == QuestionIntent::Why { symptoms(text) } else { Vec::new() };
    QueryAnalysis {
        intent,
        expected: intent.expected(),
        entities: named(codebase, text, intent),
        frames: question.frames.clone(),
        errors: errors(text),
        symptoms: found.iter().map(|symptom| symptom.name).collect(),
        text: text.trim().to_owned(),
        looked_for: found,
    }
}

fn pattern(text: &str) -> Regex {
    // The patterns are constants; the tests use every one of them.
    Regex::new(text).unwrap_or_else(|error| panic!("{error}"))
}

/// In the order in which they are tried.
static INTENTS: LazyLock<Vec<(Regex, QuestionIntent)>> = LazyLock::new(|| {
    let all = [
        (
            r"\b(what|who|which \w+) (would |will |could |might )?(break|breaks|be affected|is affected|depends? on)|\bsafe to (change|remove|rename|delete)\b|\b(impact of|affected by|if (i|we|you) (change|changed|remove|removed|rename|delete))\b",
            QuestionIntent::Impact,
        ),
        (
            r"\b(what|who|which \w+) (all )?(calls?|uses?|invokes?)\b|\bcallers? of\b|\bwhere is \S+ (called|used)\b",
            QuestionIntent::WhatCalls,
        ),
        (r"\bwhat does \S+ (call|use|invoke)\b|\bcallees? of\b|\bdependencies of\b", QuestionIntent::WhatItCalls),
        (
            r"\b(thread|memory|type|async|fork|null|exception|signal)[- ]safe\b|\bis it safe\b|\bsafe to\b|\b(can|may) (i|we) safely\b",
            QuestionIntent::Safe,
        ),
        (
            r"^\W*where\b|\bwhere (is|are|do|does)\b|\bwhich (file|function|class|module|method)s?\b",
            QuestionIntent::Where,
        ),
        (r"^\W*how (does|do|is|are|can|to)\b|\bwhat happens\b|^\W*explain\b", QuestionIntent::How),
    ];
    all.into_iter().map(|(text, intent)| (pattern(text), intent)).collect()
});

/// A fault report always asks why, whatever else its text says; otherwise the first line decides.
fn intent(text: &str, question: &FaultQuestion) -> QuestionIntent {
    let title = text.trim().lines().next().unwrap_or_default().to_lowercase();
    let is_report = text.trim().lines().count() > 4 || !question.frames.is_empty();
    let asks_why = title.trim_start().starts_with("why");
    if is_report || asks_why {
        return QuestionIntent::Why;
    }
    INTENTS.iter().find(|(pattern, _)| pattern.is_match(&title)).map_or(QuestionIntent::Why, |(_, intent)| *intent)
}

/// `ValueError: …`; other names only with their module: `requests.exceptions.InvalidSchema: …`.
static ERROR: LazyLock<Regex> = LazyLock::new(|| {
    let (by_name, by_module) = (r"(?:[\w.]+\.)?\w*(?:Error|Exception|Panic|Fault|Warning)\b:?", r"(?:\w+\.)+[A-Z]\w+:");
    pattern(&format!(r"(?m)^\W*({by_name}|{by_module})[ \t]*([^\n]{{0,200}})"))
});
static PANIC: LazyLock<Regex> = LazyLock::new(|| pattern(r"panicked at (?:'([^'\n]+)'|[^\n]+\n([^\n]+))"));
static QUOTED: LazyLock<Regex> = LazyLock::new(|| pattern(r#"["“]([^"”\n]{12,200})["”]"#));

/// Errors with a type, panics, and messages in quotes.
fn errors(text: &str) -> Vec<QuotedError> {
    let typed = ERROR.captures_iter(text).map(|found| QuotedError {
        kind: found[1].trim_end_matches(':').rsplit('.').next().unwrap_or(&found[1]).to_owned(),
        message: found[2].trim().to_owned(),
    });
    let panics = PANIC
        .captures_iter(text)
        .filter_map(|found| found.get(1).or(found.get(2)))
        .map(|found| QuotedError { kind: "panic".to_owned(), message: found.as_str().trim().to_owned() });
    let quoted =
        QUOTED.captures_iter(text).map(|found| QuotedError { kind: String::new(), message: found[1].to_owned() });
    let mut errors: Vec<QuotedError> = typed.chain(panics).chain(quoted).collect();
    errors.dedup();
    errors.truncate(8);
    errors
}

static NAME: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*)*(?:\(\))?"));

/// The entities that the question names. A plain word is a name only if it is marked as one, or cannot mean anything
/// else.
fn named(codebase: &Codebase<'_>, text: &str, intent: QuestionIntent) -> Vec<NamedEntity> {
    let mut found: Vec<NamedEntity> = Vec::new();
    let ticked: Vec<&str> = text.split('`').skip(1).step_by(2).flat_map(identifiers).collect();
    let asks_for_one =
        matches!(intent, QuestionIntent::WhatCalls | QuestionIntent::WhatItCalls | QuestionIntent::Impact);
    for name in NAME.find_iter(text) {
        let plain = name.as_str().trim_end_matches("()");
        let is_called = name.as_str().ends_with("()");
        let last = plain.rsplit(['.', ':', '#', '>']).next().unwrap_or(plain);
        let is_marked =
            is_called || ticked.contains(&last) || last.len() < plain.len() || identifier_parts(last).len() > 1;
        let is_type = !is_marked && names_a_type(codebase, text, name.start(), plain);
        if last.len() < 2 || !(is_marked || is_type || asks_for_one) || found.iter().any(|known| known.text == plain) {
            continue;
        }
        let entities = entities_named(codebase, plain, last);
        let is_word =
            !is_marked && (is_report_stop_word(&last.to_lowercase()) || ASKING.contains(&last.to_lowercase().as_str()));
        let most = if asks_for_one && is_marked { MOST_ASKED_FOR } else { MOST_MEANT };
        if entities.is_empty() || entities.len() > most || is_word {
            continue;
        }
        found.push(NamedEntity { text: plain.to_owned(), entities, files: Vec::new() });
    }
    let words = text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    for path in words.filter(|word| word.contains('/') || word.rsplit_once('.').is_some_and(|(_, end)| end.len() < 5)) {
        let files: Vec<FileNum> = files_meant_by(codebase, path).into_iter().map(|(file, _)| file).collect();
        let is_new = !found.iter().any(|known| known.text == path || known.files == files);
        if !files.is_empty() && files.len() <= 3 && is_new {
            found.push(NamedEntity { text: path.to_owned(), entities: Vec::new(), files });
        }
    }
    found
}

/// A capitalised word within a short question that is exactly a type's name: "is Session thread-safe?".
fn names_a_type(codebase: &Codebase<'_>, text: &str, at: usize, word: &str) -> bool {
    let is_capitalised = |word: &str| word.starts_with(|c: char| c.is_uppercase());
    let begins_sentence = {
        let before = text[..at].trim_end();
        before.is_empty() || before.ends_with(['.', '!', '?', ':'])
    };
    if !is_capitalised(word) || begins_sentence || text.trim().lines().count() > 2 {
        return false;
    }
    // In a title every word is capitalised.
    let others: Vec<&str> = text.split_whitespace().skip(1).collect();
    let is_title = 2 * others.iter().filter(|word| is_capitalised(word)).count() > others.len();
    let mut meant = codebase.tree.named(Term::of_identifier(word)).filter_map(|number| codebase.tree.entity(number));
    !is_title && meant.any(|entity| entity.kind == EntityKind::Type && entity.name == word)
}

/// The entities that a name refers to; for `Cart.add`, each `add` inside a `Cart`, if there is one.
pub fn entities_named(codebase: &Codebase<'_>, name: &str, last: &str) -> Vec<EntityNum> {
    let all: Vec<TreeEntity<'_>> = codebase
        .tree
        .named(Term::of_identifier(last))
        .filter_map(|number| codebase.tree.entity(number))
        .filter(|entity| entity.name == last)
        .collect();
    let dotted = name.replace("::", ".").replace("->", ".").replace('#', ".");
    let owner = dotted.rsplit_once('.').map(|(before, _)| before.rsplit('.').next().unwrap_or(before));
    let inside = |entity: &&TreeEntity<'_>| match owner {
        Some(owner) => {
            let of_type =
                entity.qualified.rsplit_once('.').is_some_and(|(before, _)| before.rsplit('.').next() == Some(owner));
            of_type || crate::path_names::stem(entity.path) == owner
        }
        None => true,
    };
    let narrowed: Vec<&TreeEntity<'_>> = all.iter().filter(inside).collect();
    let chosen = if narrowed.is_empty() { all.iter().collect() } else { narrowed };
    // If a source defines the name, namesakes in tests and pages are ignored.
    let sources: Vec<&&TreeEntity<'_>> =
        chosen.iter().filter(|entity| (entity.file as usize) < codebase.tree.sources()).collect();
    if sources.is_empty() {
        chosen.iter().map(|entity| entity.number).collect()
    } else {
        sources.iter().map(|entity| entity.number).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::Reader;

    fn intent_of(text: &str) -> QuestionIntent {
        intent(text, &FaultQuestion::new(text, &mut Reader::default()))
    }

    #[test]
    fn questions_ask_for_something() {
        for (text, expected) in [
            ("Why does checkout time out?", QuestionIntent::Why),
            ("checkout is slow", QuestionIntent::Why),
            ("How is the total computed?", QuestionIntent::How),
            ("What happens when a cart is saved?", QuestionIntent::How),
            ("Where is the token checked?", QuestionIntent::Where),
            ("which file defines Cart", QuestionIntent::Where),
            ("What calls discountFor?", QuestionIntent::WhatCalls),
            ("Who uses `Cart.add`", QuestionIntent::WhatCalls),
            ("where is add called", QuestionIntent::WhatCalls),
            ("What does checkout call?", QuestionIntent::WhatItCalls),
            ("What breaks if I change Cart.add?", QuestionIntent::Impact),
            ("is it safe to delete oldCart", QuestionIntent::Impact),
            ("Is Cart thread-safe?", QuestionIntent::Safe),
            ("can I safely reuse a cart", QuestionIntent::Safe),
            ("why is it not safe to remove Cart", QuestionIntent::Why),
        ] {
            assert_eq!(intent_of(text), expected, "{text}");
        }
        let trace = "What calls this?\nTraceback (most recent call last):\n  File \"shop/cart.py\", line 3, in add\n    x\nKeyError: 'id'";
        assert_eq!(intent_of(trace), QuestionIntent::Why, "a report asks why, whatever its first line says");
    }

    #[test]
    fn errors_are_taken_apart() {
        let found = |text: &str| -> Vec<(String, String)> {
            errors(text).into_iter().map(|error| (error.kind, error.message)).collect()
        };
        let error = |kind: &str, message: &str| (kind.to_owned(), message.to_owned());
        assert_eq!(found("ValueError: no such size"), [error("ValueError", "no such size")]);
        assert_eq!(found("shop.errors.Unpaid: order 7 is unpaid"), [error("Unpaid", "order 7 is unpaid")]);
        assert_eq!(found("KeyError"), [error("KeyError", "")]);
        assert_eq!(found("it says \"cannot open the till\" at night"), [error("", "cannot open the till")]);
        assert_eq!(found("all is well"), []);
    }
}
