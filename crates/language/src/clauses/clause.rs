//! What does a statement forbid or require?
//!
//! A prohibition follows a "never", a "not", an "avoid" or an "instead of", and ends before the reason or the
//! alternative. A requirement is recognised by its flags: "always run the tests with --locked".

use std::collections::BTreeSet;

use super::action::{Action, Deed, Manner};
use super::reader::{ClauseReader, codes};
use super::run_time_words;

/// Something that a statement forbids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// The words that identify it.
    pub words: BTreeSet<String>,
    pub bind: Bind,
    /// Flags that the command must have too.
    flags: Vec<String>,
    /// A command with all of these flags is allowed.
    wanted: Vec<String>,
    verbs: Verbs,
    shape: ClauseShape,
}

/// How firm is it?
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bind {
    /// Unconditional.
    Firm,
    /// It depends on something that the action does not show, or requires more.
    Loose,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum ClauseShape {
    /// It names a file or a folder, including its contents.
    Path(String),
    /// It names a command literally, which must match completely.
    Code(String),
    Prose,
    /// A command that requires other flags.
    Flags,
}

/// What it does to things. Verbs that change things are not words of a clause: an edit does not name itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Verbs {
    change: bool,
    version: bool,
    read: bool,
}

const CHANGE: [&str; 11] =
    ["edit", "touch", "chang", "modifi", "alter", "overwrit", "rewrit", "delet", "remov", "renam", "move"];
const VERSION: [&str; 5] = ["commit", "push", "stage", "merg", "add"];
const READ: [&str; 8] = ["read", "open", "print", "show", "log", "upload", "share", "view"];
/// Verbs that write something into a file: "add dependencies to package.json", "log secrets in src/a.rs".
const WRITE: [&str; 3] = ["add", "log", "print"];

impl Clause {
    pub fn matches(&self, action: &Action) -> bool {
        action.deeds.iter().any(|deed| self.fits(deed))
    }

    /// Like `matches`, but assumes the worst of unknown parts: an unread part may do whatever the text mentions, an
    /// unknown argument may be the missing word, and a hidden part may be anything.
    pub fn may_match(&self, action: &Action) -> bool {
        action.is_hidden
            || action.mentioned.as_ref().is_some_and(|all| action.is_unread && self.fits(all))
            || action.deeds.iter().any(|deed| self.may_expand(deed) || self.may_fit(deed, action.mentioned.as_ref()))
    }

    /// It does something that is forbidden, and its arguments may expand to the rest.
    fn may_expand(&self, deed: &Deed) -> bool {
        if deed.patterns.is_empty() || self.words.is_disjoint(&deed.verbs) {
            return false;
        }
        let may_be = |word: &&String| deed.patterns.iter().any(|pattern| run_time_words::may_be(pattern, word));
        let possible: Vec<String> = self.words.iter().filter(may_be).cloned().collect();
        let mut wider = deed.clone();
        wider.words.extend(deed.perhaps.iter().cloned());
        if deed.is_task_open {
            wider.programs.extend(possible.iter().cloned());
        }
        wider.words.extend(possible);
        self.fits(&wider)
    }

    /// A part of what is forbidden must be in the deed itself.
    fn may_fit(&self, deed: &Deed, mentioned: Option<&Deed>) -> bool {
        let all = mentioned.filter(|_| deed.is_open);
        if self.words.is_disjoint(&deed.words) || all.is_none() && deed.perhaps.is_empty() {
            return false;
        }
        let mut wider = deed.clone();
        wider.words.extend(deed.perhaps.iter().cloned());
        wider.words.extend(all.into_iter().flat_map(|all| all.words.iter().cloned()));
        wider.parts.extend(all.into_iter().flat_map(|all| all.parts.iter().cloned()));
        self.fits(&wider)
    }

    /// Most of what is forbidden must be in the deed: one common word proves nothing, unless it is the program itself.
    fn fits(&self, deed: &Deed) -> bool {
        let has = |flag: &String| deed.parts.contains(flag) || has_letters(&deed.parts, flag);
        if !self.flags.iter().all(has) || !self.wanted.is_empty() && self.wanted.iter().all(has) {
            return false;
        }
        let shared = self.words.intersection(&deed.words).count();
        let is_program = self.words.is_subset(&deed.programs);
        let all = self.words.len();
        // Reading something is not doing it.
        let only_looks = deed.manner == Manner::Reads && self.words.is_disjoint(&deed.programs);
        match &self.shape {
            ClauseShape::Path(path) => {
                self.is_about(deed.manner) && deed.parts.iter().any(|part| is_within(part, path))
            }
            _ if all == 0 => false,
            ClauseShape::Flags => is_program,
            ClauseShape::Code(code) => {
                shared == all && !only_looks && (all > 1 || is_program || deed.parts.contains(code))
            }
            ClauseShape::Prose if self.verbs.change => {
                let says_so = CHANGE.iter().any(|verb| deed.words.contains(*verb));
                (deed.manner == Manner::Changes || says_so) && self.is_shared(shared)
            }
            ClauseShape::Prose if all == 1 => is_program,
            ClauseShape::Prose => !only_looks && self.is_shared(shared),
        }
    }

    fn is_shared(&self, shared: usize) -> bool {
        match self.words.len() {
            1..=3 => shared == self.words.len(),
            all => shared * 4 >= all * 3,
        }
    }

    /// Committing a file does not change it.
    fn is_about(&self, manner: Manner) -> bool {
        let Verbs { change, version, read } = self.verbs;
        match manner {
            Manner::Reads => read,
            Manner::Versions => version || !change,
            Manner::Changes | Manner::Unknown => change || !version,
        }
    }
}

/// `-rf` is `-fr`, and `-r -f`.
fn has_letters(parts: &[String], flag: &str) -> bool {
    let letters = |flag: &str| flag.strip_prefix('-').filter(|rest| !rest.starts_with('-')).map(str::to_owned);
    let given: String = parts.iter().filter_map(|part| letters(part)).collect();
    letters(flag).is_some_and(|asked| (2..=3).contains(&asked.len()) && asked.chars().all(|c| given.contains(c)))
}

/// Is it that file, or inside that folder, even if only a part of the path is given?
fn is_within(part: &str, path: &str) -> bool {
    let part = part.trim_start_matches("./").replace('\\', "/");
    let mut from = 0;
    while let Some(at) = part[from..].find(path).map(|at| from + at) {
        let (before, after) = (&part[..at], &part[at + path.len()..]);
        if (before.is_empty() || before.ends_with(['/', '='])) && (after.is_empty() || after.starts_with('/')) {
            return true;
        }
        from = at + path.len();
    }
    false
}

/// The path that a word names.
pub(super) fn path_of(text: &str) -> Option<String> {
    let word = text.trim_matches(['"', '\'', '(', ')', ',', ';', ':']).trim_end_matches('.');
    let plain = word.trim_start_matches("./").trim_end_matches("**").trim_end_matches('*').trim_end_matches('/');
    let is_plain = plain.chars().all(|c| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '@' | '+'));
    let ending = plain.rsplit('/').next().and_then(|name| name.rsplit_once('.'));
    let has_ending = ending
        .is_some_and(|(_, ending)| (1..=5).contains(&ending.len()) && ending.chars().all(|c| c.is_ascii_lowercase()));
    (is_plain && plain.len() > 1 && !text.contains("()") && (word.contains('/') || has_ending))
        .then(|| plain.to_owned())
}

impl ClauseReader {
    /// Everything that a statement forbids.
    pub fn clauses(&mut self, statement: &str) -> Vec<Clause> {
        let mut clauses = Vec::new();
        for sentence in sentences(statement) {
            let forbidden = forbidden(sentence);
            if forbidden.is_empty() {
                clauses.extend(self.asked_for(sentence));
            }
            for forbidden in forbidden {
                self.read(&forbidden, &mut clauses);
            }
        }
        clauses.retain(|clause| !clause.words.is_empty());
        clauses
    }

    fn read(&mut self, forbidden: &Forbidden<'_>, out: &mut Vec<Clause>) {
        let (text, bind) = (things(forbidden.text), forbidden.bind);
        let verbs = self.verbs(&text);
        let wanted = forbidden.without.map(flags).unwrap_or_default();
        let codes = codes(&text);
        let named: Vec<&str> = if codes.is_empty() { text.split_whitespace().collect() } else { codes.clone() };
        let before = out.len();
        let (mut is_into, into) = (false, self.verbs_into(&text));
        for word in named {
            let (shape, flags) = match path_of(word) {
                Some(path) => (ClauseShape::Path(path), Vec::new()),
                None if codes.is_empty() => continue,
                None => (ClauseShape::Code(word.to_owned()), flags(word)),
            };
            is_into = leads_into(&text, word).unwrap_or(is_into);
            let (words, wanted) = (self.words_of_code(word, &shape), wanted.clone());
            let (verbs, bind) = match &shape {
                // The action does not show what is written into the file.
                ClauseShape::Path(_) if is_into && into.change && !verbs.change => (into, Bind::Loose),
                ClauseShape::Path(_) if is_into => (into, bind),
                _ => (verbs, bind),
            };
            out.push(Clause { words, bind, flags, wanted, verbs, shape });
        }
        if out.len() > before {
            return;
        }
        for told in alternatives(&text) {
            let shape = if wanted.is_empty() { ClauseShape::Prose } else { ClauseShape::Flags };
            for mut words in [Some(self.words_in_parts(&told)), self.words_with_names(&told)].into_iter().flatten() {
                let (flags, wanted, shape) = (flags(&told), wanted.clone(), shape.clone());
                // Required flags must not outweigh the subject.
                let of_flags = self.words(&flags.join(" "));
                words.retain(|word| !CHANGE.contains(&word.as_str()) && !of_flags.contains(word));
                out.push(Clause { words, bind, flags, wanted, verbs, shape });
            }
        }
    }

    /// "force-push" is to force and to push.
    fn words_in_parts(&mut self, text: &str) -> BTreeSet<String> {
        let mut words = self.words(text);
        words.retain(|word| word.starts_with('-') || !word.contains('-'));
        words
    }

    /// "gh-pages" is the name of a branch. None if no word can be a name.
    fn words_with_names(&mut self, text: &str) -> Option<BTreeSet<String>> {
        let trimmed = text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '-'));
        let is_name = |word: &&str| !word.starts_with('-') && word.contains(['-', '_']);
        let (names, rest): (Vec<&str>, Vec<&str>) = trimmed.partition(is_name);
        let mut words = self.words(&rest.join(" "));
        words.extend(names.iter().map(|name| name.to_lowercase()));
        (!names.is_empty()).then_some(words)
    }

    /// A path may consist of words that are too common elsewhere: `packages/`.
    fn words_of_code(&mut self, code: &str, shape: &ClauseShape) -> BTreeSet<String> {
        let words = self.words(code);
        match shape {
            ClauseShape::Path(path) if words.is_empty() => self.plain_names(path),
            _ => words,
        }
    }

    fn verbs(&mut self, text: &str) -> Verbs {
        let words = self.words(text);
        let has = |verbs: &[&str]| verbs.iter().any(|verb| words.contains(*verb));
        Verbs { change: has(&CHANGE), version: has(&VERSION), read: has(&READ) }
    }

    /// The same for something that is written into a file.
    fn verbs_into(&mut self, text: &str) -> Verbs {
        let words = self.words(text);
        let has = |verbs: &[&str]| verbs.iter().any(|verb| words.contains(*verb));
        let has_other = |verbs: &[&str]| verbs.iter().any(|verb| !WRITE.contains(verb) && words.contains(*verb));
        Verbs { change: has(&CHANGE) || has(&WRITE), version: has_other(&VERSION), read: has_other(&READ) }
    }

    /// "Always run the tests with --locked."
    fn asked_for(&mut self, sentence: &str) -> Option<Clause> {
        const ASKS: [&str; 3] = ["always", "must", "make sure"];
        const AROUND: [&str; 6] = ["pass", "flag", "option", "must", "sure", "argument"];
        let told = sentence.split(", ").find(|part| !flags(part).is_empty())?;
        let lower = sentence.to_ascii_lowercase();
        if !ASKS.iter().any(|word| whole_word(&lower, word).is_some()) {
            return None;
        }
        let wanted = flags(told);
        let rest: Vec<&str> =
            told.split(|c: char| c.is_whitespace() || c == '`').filter(|w| !w.starts_with('-')).collect();
        let mut words = self.words(&rest.join(" "));
        words.retain(|word| !AROUND.contains(&word.as_str()));
        let fits = (1..=3).contains(&words.len());
        let (bind, flags, verbs, shape) = (Bind::Loose, Vec::new(), Verbs::default(), ClauseShape::Flags);
        fits.then_some(Clause { words, bind, flags, wanted, verbs, shape })
    }
}

/// "to package.json": is something written into the named thing? The second of two follows the first.
fn leads_into(text: &str, named: &str) -> Option<bool> {
    const INTO: [&str; 6] = ["to", "in", "into", "inside", "within", "under"];
    let (before, _) = text.split_once(named)?;
    let before = before.trim_end_matches(['`', '"', '\'', '(']).split_whitespace();
    let word = before.rev().find(|word| !matches!(*word, "the" | "our" | "this" | "a" | "file" | "folder"));
    let word = word.unwrap_or_default().to_ascii_lowercase();
    (!matches!(word.as_str(), "or" | "and" | "nor")).then(|| INTO.contains(&word.as_str()))
}

fn flags(text: &str) -> Vec<String> {
    let words = text.split_whitespace().map(|word| word.trim_matches(['.', ',', ';', '`', '"', '\'', '(', ')']));
    words.filter(|word| word.starts_with('-') && word.len() > 1 && *word != "--").map(str::to_owned).collect()
}

/// The text up to the first comma; the rest is the reason or the alternative, unless it only lists more of the same.
fn things(text: &str) -> String {
    let mut parts = text.split(", ");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let named = part.trim_start_matches("or ").trim_start_matches("and ").trim_start_matches("nor ");
        let first = named.split_whitespace().next().unwrap_or_default();
        if !first.starts_with('`') && path_of(first).is_none() {
            break;
        }
        out.push_str(" or ");
        out.push_str(named);
    }
    out
}

/// "Commit or push to main" forbids committing to main and pushing to main; "use npm or yarn" forbids using either.
pub(super) fn alternatives(text: &str) -> Vec<String> {
    let mut parts: Vec<Vec<&str>> = text.split(" or ").map(|part| part.split_whitespace().collect()).collect();
    // "Never commit or never push": nothing follows the first "or".
    parts.retain(|part| !part.is_empty());
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return Vec::new() };
    let is_word = |part: &Vec<&str>| part.len() == 1;
    let (head, tail): (&[&str], &[&str]) = if parts.len() < 2 {
        (&[], &[])
    } else if parts[1..].iter().all(is_word) {
        (&first[..first.len().saturating_sub(1)], &[])
    } else if parts[..parts.len() - 1].iter().all(is_word) {
        (&[], last.get(1..).unwrap_or_default())
    } else {
        (&[], &[])
    };
    let whole = |(at, part): (usize, &Vec<&str>)| {
        let head = if at == 0 { &[] } else { head };
        let tail = if at + 1 == parts.len() { &[] } else { tail };
        [head, part.as_slice(), tail].concat().join(" ")
    };
    parts.iter().enumerate().map(whole).collect()
}

/// A range of a sentence that forbids something.
struct Forbidden<'a> {
    text: &'a str,
    bind: Bind,
    /// It is forbidden only without this.
    without: Option<&'a str>,
}

const NEGATIONS: [&str; 26] = [
    "never", "don't", "don’t", "dont", "do not", "must not", "mustn't", "mustn’t", "should not", "shouldn't",
    "shouldn’t", "may not", "cannot", "can't", "can’t", "can not", "not to", "avoid", "instead of", "rather than",
    "forbidden to", "(not", ", not", "not allowed to", "let's not", "under no circumstances",
];
/// The text after these is the alternative, if the text before them is forbidden: "never use npm instead of pnpm".
const CONTRASTS: [&str; 2] = ["instead of", "rather than"];
/// The text before these is forbidden.
const VERDICTS: [&str; 6] =
    ["is forbidden", "are forbidden", "is not allowed", "are not allowed", "isn't allowed", "is prohibited"];
/// Words that end a prohibition.
const ENDS: [&str; 11] =
    [" but ", " because ", " since ", " so that ", ", use ", " (", " - ", " – ", " — ", ": ", " instead"];
/// Words that end it with a condition.
const UNLESS: [&str; 8] = [" unless ", " without ", " except ", " until ", " before ", " if ", " when ", " while "];
/// A sentence with such a beginning has a condition.
const CONDITIONS: [&str; 14] = [
    "if", "when", "whenever", "on", "in", "at", "during", "while", "unless", "until", "once", "before", "after", "for",
];

/// Everything that a statement forbids, in its words.
pub(super) fn forbidden_texts(statement: &str) -> Vec<&str> {
    sentences(statement).into_iter().flat_map(forbidden).map(|forbidden| forbidden.text).collect()
}

fn forbidden(sentence: &str) -> Vec<Forbidden<'_>> {
    // Folded byte by byte, so that offsets stay valid.
    let lower = sentence.to_ascii_lowercase();
    let places = negations(&lower);
    let bind = |ends: Bind| if begins_with_condition(&lower) { Bind::Loose } else { ends };
    let mut out = Vec::new();
    let mut is_negated = false;
    for (at, (before, found)) in places.iter().enumerate() {
        let is_contrast = CONTRASTS.contains(&&lower[*before..*found]);
        if is_contrast && is_negated {
            continue;
        }
        is_negated |= !is_contrast;
        let until = places.get(at + 1).map_or(sentence.len(), |(next, _)| *next);
        let rest = &sentence[*found..until];
        // "The changelog must never be edited": the forbidden thing comes first.
        if rest.trim_start().starts_with("be ") {
            out.push(Forbidden { text: &sentence[..*before], bind: bind(Bind::Firm), without: None });
            continue;
        }
        let (end, ends, without) = end_of(&lower[*found..until]);
        let end = match lower[*before..*found].starts_with('(') {
            true => rest.rfind(')').map_or(end, |close| close.min(end)),
            false => end,
        };
        // "Never commit or never push to main": the object may belong to both.
        let ends = if rest.trim_end().ends_with(" or") { Bind::Loose } else { ends };
        let without = without.map(|at| &rest[at..]).filter(|without| !flags(without).is_empty());
        out.push(Forbidden { text: &rest[..end], bind: bind(ends), without });
    }
    if out.is_empty()
        && let Some(at) = VERDICTS.iter().filter_map(|verdict| whole_word(&lower, verdict)).min()
    {
        out.push(Forbidden { text: &sentence[..at], bind: bind(Bind::Firm), without: None });
    }
    out.retain(|forbidden| !forbidden.text.trim().is_empty());
    out
}

/// "On Fridays"; but "in this project" is not a condition.
fn begins_with_condition(lower: &str) -> bool {
    let mut words = lower.split_whitespace();
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    CONDITIONS.contains(&first) && !matches!(second, "this" | "our" | "all" | "any" | "every" | "general")
}

/// The ranges of negations, in order.
pub(super) fn negations(lower: &str) -> Vec<(usize, usize)> {
    let mut places: Vec<(usize, usize)> = Vec::new();
    for word in NEGATIONS {
        let mut from = 0;
        while let Some(at) = whole_word(&lower[from..], word).map(|at| from + at) {
            places.push((at, at + word.len()));
            from = at + word.len();
        }
    }
    // "No force pushes", "stop using npm".
    let start = lower.len() - lower.trim_start().len();
    for (word, not) in [("no ", &["need", "problem", "longer", "matter", "one"][..]), ("stop ", &[])] {
        let next = lower[start..].strip_prefix(word).and_then(|rest| rest.split_whitespace().next());
        if next.is_some_and(|next| !not.contains(&next)) {
            places.push((start, start + word.len()));
        }
    }
    places.sort_unstable();
    let mut end = 0;
    places.retain(|(from, to)| {
        let is_new = *from >= end;
        end = end.max(*to);
        is_new
    });
    places
}

/// The end of the forbidden text, its firmness, and the start of the required exception.
fn end_of(lower: &str) -> (usize, Bind, Option<usize>) {
    let of = |marks: &[&'static str]| {
        marks.iter().filter_map(|mark| lower.find(mark).map(|at| (at, *mark))).min().unwrap_or((lower.len(), ""))
    };
    let (ends, (unless, mark)) = (of(&ENDS), of(&UNLESS));
    match unless < ends.0 {
        true => (unless, Bind::Loose, (mark == " without ").then_some(unless + mark.len())),
        false => (ends.0, Bind::Firm, None),
    }
}

/// A dot inside a name or in code does not end a sentence.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let (mut start, mut in_code) = (0, false);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        in_code ^= c == '`';
        let at_end = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        if !in_code && (matches!(c, ';' | '!') || c == '.' && at_end) {
            out.push(&text[start..=at]);
            start = at + c.len_utf8();
        }
    }
    out.push(&text[start..]);
    out
}

pub(super) fn whole_word(text: &str, word: &str) -> Option<usize> {
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let opens = word.starts_with(char::is_alphanumeric);
    text.match_indices(word).map(|(at, _)| at).find(|at| {
        let (before, after) = (text[..*at].chars().next_back(), text[at + word.len()..].chars().next());
        !is_letter(after) && (!opens || !is_letter(before))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_for_several() {
        assert_eq!(alternatives("commit or push to main"), ["commit to main", "push to main"]);
        assert_eq!(alternatives("use npm or yarn"), ["use npm", "use yarn"]);
        assert_eq!(alternatives("push to main"), ["push to main"]);
        assert_eq!(things("edit `a.ts`, `b.ts` or c.rs, edit d.ts"), "edit `a.ts` or `b.ts` or c.rs");
    }
}
