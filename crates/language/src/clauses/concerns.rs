//! Does a plan in words touch what a rule is about, and go against it?
//!
//! A rule forbids something ("never floats"), offers an alternative ("use the keys"), states how something is
//! ("passwords are hashed with argon2id"), or names the only one who may do something. Its words are compared with
//! those of the plan by their stems and by their meaning. The result is a concern, never a certainty: "f64" is a float
//! and "bcrypt" is not argon2id, but words alone cannot prove what a plan comes to.

use std::collections::{BTreeSet, HashMap};

use crate::embed::{DIM, StaticTable};
use crate::similarity::cosine;
use crate::text::{Tokenizer, is_stop_word};

use super::amounts::{Amount, amounts};
use super::clause::{alternatives, negations, sentences};
use super::plan_words::{AT_ONCE, CHANGES, FILLERS, IMPERATIVES, OPPOSITES, TIMES, WAYS, canonical};

/// Two words mean the same.
const SAME: f32 = 0.6;
/// Less is chance.
const BY_CHANCE: f32 = 0.35;
/// What is forbidden stands in the plan with this share of its words,
const FORBIDDEN: f32 = 0.75;
/// or with this share of its words and those of its subject,
const WITH_SUBJECT: f32 = 0.6;
/// or this one, if an alternative is given that the plan does not take.
const WITHOUT_ALTERNATIVE: f32 = 0.45;
/// A plan about something else has a lower cosine with the whole rule.
const NEAR: f32 = 0.25;
const ABOUT: f32 = 0.35;
const SAME_MATTER: f32 = 0.42;

/// A statement read as a rule for plans.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RuleForPlans {
    demands: Vec<Demand>,
    amounts: Vec<Amount>,
    vector: Vec<f32>,
}

#[derive(Clone, Debug, PartialEq)]
enum Demand {
    /// "Prices are …, never floats."
    Not { subject: Vec<RuleWord>, forbidden: Vec<RuleWord> },
    /// "Use the keys."
    Rather { subject: Vec<RuleWord>, wanted: Vec<RuleWord> },
    /// "Passwords are hashed with argon2id."
    Is { subject: Vec<RuleWord>, wanted: Vec<RuleWord> },
    /// "Only the billing service may write to the invoices."
    Only { who: Vec<RuleWord>, deed: Vec<RuleWord> },
}

#[derive(Clone, Debug, PartialEq)]
struct RuleWord {
    stem: String,
    vector: Vec<f32>,
}

/// A plan in words.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    words: Vec<RuleWord>,
    /// Words after "a new": they do not exist yet.
    new: Vec<String>,
    /// Words after "skip" or "without".
    left_out: Vec<String>,
    amounts: Vec<Amount>,
    vector: Vec<f32>,
}

/// Reads rules and plans.
pub struct ConcernReader {
    tokenizer: Tokenizer,
    table: StaticTable,
    known: HashMap<String, Vec<f32>>,
}

impl Default for ConcernReader {
    fn default() -> Self {
        Self::new()
    }
}

/// Is an action a plan in words rather than a command or a path?
pub fn is_plan(action: &str) -> bool {
    const JOINING: [&str; 33] = [
        "the", "a", "an", "to", "in", "into", "by", "with", "for", "of", "so", "as", "and", "from", "on", "instead",
        "that", "all", "every", "each", "our", "their", "its", "when", "through", "than", "until", "without", "not",
        "or", "at", "before", "after",
    ];
    let words: Vec<&str> = action.split_whitespace().collect();
    let joining = words.iter().filter(|word| JOINING.contains(&word.to_lowercase().as_str())).count();
    let is_shell =
        action.contains(['|', '$', '<', '>', '&', '"', '\\']) || words.iter().any(|word| word.starts_with('-'));
    !is_shell && words.len() >= 3 && joining >= 1
}

impl ConcernReader {
    pub fn new() -> Self {
        ConcernReader { tokenizer: Tokenizer::new(), table: StaticTable::shipped(), known: HashMap::new() }
    }

    pub fn plan(&mut self, text: &str) -> Plan {
        let new = self.after(text, &["new", "another", "additional"]);
        let left_out = self.after(
            text,
            &["skip", "without", "no", "not", "bypass", "disable", "ignore", "omit", "drop", "leave", "exempt"],
        );
        Plan { words: self.words(text), new, left_out, amounts: amounts(text), vector: self.vector(text) }
    }

    /// The stems of the words after each of some words.
    fn after(&mut self, text: &str, marks: &[&str]) -> Vec<String> {
        let lower = text.to_lowercase();
        let words: Vec<&str> =
            lower.split_whitespace().filter(|word| !matches!(*word, "the" | "a" | "an" | "our")).collect();
        let mut stems = Vec::new();
        for at in (0..words.len()).filter(|at| marks.contains(&words[*at])) {
            let after = words[at + 1..words.len().min(at + 4)].join(" ");
            stems.extend(self.words(&after).into_iter().map(|word| word.stem));
        }
        stems
    }

    pub fn rule(&mut self, statement: &str) -> RuleForPlans {
        let mut rule =
            RuleForPlans { demands: Vec::new(), amounts: amounts(statement), vector: self.vector(statement) };
        let mut before = "";
        for sentence in sentences(statement) {
            for clause in clauses(sentence) {
                self.read(clause, before, &mut rule.demands);
                before = clause;
            }
        }
        let forbids = rule.demands.iter().any(|demand| matches!(demand, Demand::Not { .. }));
        // What is forbidden says what would go against it; how things are is only its reason.
        rule.demands.retain(|demand| !forbids || !matches!(demand, Demand::Is { .. }));
        rule
    }

    fn read(&mut self, clause: &str, before: &str, out: &mut Vec<Demand>) {
        let lower = clause.to_lowercase();
        let places = self.denials(&lower);
        if let Some(rest) = lower.trim_start().strip_prefix("only ") {
            out.extend(self.only(rest));
            return;
        }
        if places.is_empty() {
            out.extend(self.wish(&lower, before));
            return;
        }
        for (at, (from, to)) in places.iter().enumerate() {
            let until = places.get(at + 1).map_or(lower.len(), |(next, _)| *next);
            let head = if at == 0 { &lower[..*from] } else { "" };
            let told = until_break(&lower[*to..until]);
            let subject = match refers_back(told) && head.trim().len() < 3 {
                true => subject_of(&before.to_lowercase()).to_owned(),
                false => subject_of(head).to_owned(),
            };
            let subject = self.words(&subject);
            let is_thing = lower[*from..*to].trim() == "no";
            for told in alternatives(told.trim_matches([' ', '.', ',', ';', ':'])) {
                let forbidden = self.words(&told);
                // "No emojis in log messages" is about emojis; log messages are only where.
                if is_thing && let Some((thing, place)) = told.split_once(" in ") {
                    let (forbidden, subject) = (self.words(thing), self.words(place));
                    out.push(Demand::Not { subject, forbidden });
                } else if !forbidden.is_empty() {
                    out.push(Demand::Not { subject: subject.clone(), forbidden });
                }
            }
        }
    }

    /// "the billing service may write to the invoices table"
    fn only(&mut self, rest: &str) -> Option<Demand> {
        const MAY: [&str; 8] =
            [" may ", " can ", " is allowed to ", " are allowed to ", " must ", " should ", " is ", " are "];
        let (who, deed) = match MAY.iter().filter_map(|mark| rest.find(mark).map(|at| (at, *mark))).min() {
            Some((at, mark)) => (self.words(&rest[..at]), self.words(&rest[at + mark.len()..])),
            // "the scheduler starts background jobs"
            None => {
                let mut deed = self.words(rest);
                (deed.drain(..deed.len().min(1)).collect(), deed)
            }
        };
        (!who.is_empty() && !deed.is_empty()).then_some(Demand::Only { who, deed })
    }

    fn wish(&mut self, clause: &str, before: &str) -> Option<Demand> {
        let clause = clause.trim().trim_start_matches("always ").trim_start_matches("please ");
        let first = clause.split_whitespace().next()?;
        if IMPERATIVES.contains(&first) || WAYS.contains(&first) {
            let wanted = self.words(&clause[first.len()..]);
            let subject = self.words(subject_of(&before.to_lowercase()));
            return (!wanted.is_empty()).then_some(Demand::Rather { subject, wanted });
        }
        let Some((subject, rest)) = split_at_verb(clause) else { return self.plain(clause) };
        let wanted = ["with", "in", "on", "as", "through", "via", "by", "for", "from", "at"];
        let words: Vec<&str> = rest.split_whitespace().collect();
        let object = words.iter().position(|word| wanted.contains(word)).map_or(0, |at| at + 1);
        // "Commits are squashed before …": what is done to them is all that is wanted.
        let is_done = object == 0 && words.len() > 1 && words[0].ends_with("ed");
        let told = if is_done { words[0].to_owned() } else { words[object..].join(" ") };
        let (subject, mut wanted) = (self.words(subject), self.words(&told));
        wanted.retain(|word| !subject.iter().any(|known| known.stem == word.stem));
        (!subject.is_empty() && !wanted.is_empty()).then_some(Demand::Is { subject, wanted })
    }

    /// "Cache keys contain the tenant id": the first two words are the subject.
    fn plain(&mut self, clause: &str) -> Option<Demand> {
        let mut wanted = self.words(clause);
        let subject: Vec<RuleWord> = wanted.drain(..wanted.len().min(2)).collect();
        (!wanted.is_empty()).then_some(Demand::Is { subject, wanted })
    }

    fn denials(&self, lower: &str) -> Vec<(usize, usize)> {
        let mut places = negations(lower);
        for word in [
            "decided against ", "are never ", "is never ", " against ", " no new ", " no longer ", " free of ",
            " is not ", " are not ", " isn't ", " aren't ", " not be ",
        ] {
            places.extend(lower.match_indices(word).map(|(at, _)| (at, at + word.len())));
        }
        if lower.starts_with("no ") || lower.starts_with("no new ") {
            places.push((0, if lower.starts_with("no new ") { 7 } else { 3 }));
        }
        places.sort_unstable_by_key(|(from, to)| (*from, std::cmp::Reverse(*to)));
        let mut end = 0;
        places.retain(|(from, to)| {
            let is_new = *from >= end;
            end = end.max(*to);
            is_new
        });
        places
    }

    fn words(&mut self, text: &str) -> Vec<RuleWord> {
        let mut words: Vec<RuleWord> = Vec::new();
        for word in text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '/' | '.')) {
            let word = canonical(word.trim_matches(['.', '-', '/', '_']));
            for term in self.tokenizer.strings(&word) {
                let is_part = term.len() < 2 || is_stop_word(&term) || FILLERS.contains(&term.as_str());
                if is_part || words.iter().any(|known| known.stem == term) {
                    continue;
                }
                let vector = self.word_vector(&term, &word);
                words.push(RuleWord { stem: term, vector });
            }
        }
        words
    }

    /// The stems of a line of code; names count in their parts.
    pub fn stems(&mut self, line: &str) -> BTreeSet<String> {
        let words = line.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-'));
        words.flat_map(|word| self.tokenizer.strings(&canonical(word))).collect()
    }

    fn word_vector(&mut self, stem: &str, word: &str) -> Vec<f32> {
        if let Some(known) = self.known.get(stem) {
            return known.clone();
        }
        // The stem of a whole word is not a word.
        let is_whole = word.chars().all(char::is_alphanumeric);
        let vector = self.vector(if is_whole { word } else { stem });
        self.known.insert(stem.to_owned(), vector.clone());
        vector
    }

    fn vector(&mut self, text: &str) -> Vec<f32> {
        let mut vector = [0f32; DIM];
        self.table.embed_one(text, &mut vector);
        vector.to_vec()
    }
}

impl RuleForPlans {
    /// Does the plan seem to go against the rule?
    pub fn concerns(&self, plan: &Plan) -> bool {
        let near = cosine(&self.vector, &plan.vector);
        let takes_alternative = self.demands.iter().any(|demand| match demand {
            Demand::Rather { wanted, .. } => plan.share_of(wanted) >= WITH_SUBJECT,
            _ => false,
        });
        let has_alternative = self.demands.iter().any(|demand| matches!(demand, Demand::Rather { .. }));
        let left_out = has_alternative && !takes_alternative;
        if near >= NEAR && self.wants_opposite_of(plan) {
            return true;
        }
        if near >= NEAR && self.amounts.iter().any(|amount| plan.amounts.iter().any(|other| amount.excludes(other))) {
            return true;
        }
        self.demands.iter().any(|demand| match demand {
            Demand::Not { forbidden, .. } if takes_alternative && plan.share_of(forbidden) < 0.99 => false,
            Demand::Not { subject, forbidden } => plan.does(subject, forbidden, near, left_out),
            Demand::Rather { subject, .. } => left_out && near >= ABOUT && !subject.is_empty() && plan.has_all(subject),
            Demand::Is { subject, wanted } => {
                let least = if subject.len() > 1 { NEAR } else { SAME_MATTER };
                near >= least && plan.has_all(subject) && (plan.lacks(wanted) || plan.leaves_out(wanted))
            }
            Demand::Only { who, deed } => plan.share_of(deed) >= WITH_SUBJECT && plan.share_of(who) < SAME,
        })
    }

    /// The rule wants one of several things that exclude each other, and the plan has another one of them.
    fn wants_opposite_of(&self, plan: &Plan) -> bool {
        let in_rule = |word: &&&str| self.wanted().any(|known| known.stem == ***word);
        let in_plan = |word: &&&str| plan.words.iter().any(|known| known.stem == ***word);
        let is_forbidden = |word: &&str| {
            self.demands.iter().any(|demand| match demand {
                Demand::Not { forbidden, .. } => forbidden.iter().any(|known| known.stem == **word),
                _ => false,
            })
        };
        OPPOSITES.iter().any(|family| {
            let wanted: Vec<_> = family.iter().filter(|word| !is_forbidden(word)).filter(in_rule).collect();
            !wanted.is_empty() && !wanted.iter().any(in_plan) && family.iter().any(|other| in_plan(&other))
        })
    }

    /// The words of what the rule wants.
    fn wanted(&self) -> impl Iterator<Item = &RuleWord> {
        self.demands.iter().flat_map(|demand| match demand {
            Demand::Rather { wanted, .. } | Demand::Is { wanted, .. } => wanted.as_slice(),
            Demand::Not { .. } | Demand::Only { .. } => &[],
        })
    }

    /// Does a line of code have every word of what is forbidden, and of its subject? Meaning does not count.
    pub fn forbids_in_code(&self, line: &BTreeSet<String>) -> bool {
        self.demands.iter().any(|demand| match demand {
            Demand::Not { subject, forbidden } => {
                let words = || subject.iter().chain(forbidden);
                words().count() > 1 && words().all(|word| line.contains(&word.stem))
            }
            _ => false,
        })
    }
}

impl Plan {
    /// What the whole plan means.
    pub fn vector(&self) -> &[f32] {
        &self.vector
    }

    fn does(&self, subject: &[RuleWord], forbidden: &[RuleWord], near: f32, left_out: bool) -> bool {
        let creates = forbidden.iter().any(|word| CHANGES.contains(&word.stem.as_str()))
            && forbidden.iter().any(|word| self.new.contains(&word.stem));
        let avoids = forbidden.iter().all(|word| self.left_out.contains(&word.stem) || self.likeness(word) < SAME);
        let takes_opposite = forbidden.iter().any(|word| {
            let has = |stem: &str| self.words.iter().any(|other| other.stem == stem);
            !has(&word.stem) && self.words.iter().any(|other| are_opposites(&other.stem, &word.stem))
        });
        if creates || avoids || takes_opposite || !forbidden.iter().any(|word| self.likeness(word) >= 0.5) {
            return false;
        }
        let all: Vec<RuleWord> = subject.iter().chain(forbidden).cloned().collect();
        let has_subject = subject.iter().any(|word| self.likeness(word) >= SAME);
        // One word alone may be about anything else.
        if forbidden.len() == 1 && !subject.is_empty() && !has_subject {
            return false;
        }
        let is_supported = near >= NEAR / 2.0 || has_subject;
        let exact = forbidden.len() > 1 && self.share_of(forbidden) >= 0.99;
        let (of_forbidden, of_all) = (self.share_of(forbidden), self.share_of(&all));
        (of_forbidden >= FORBIDDEN && (is_supported || exact))
            || (all.len() > 1 && of_all >= WITH_SUBJECT && near >= NEAR / 2.0)
            || (left_out && near >= ABOUT && of_all >= WITHOUT_ALTERNATIVE)
    }

    fn has_all(&self, words: &[RuleWord]) -> bool {
        words.iter().all(|word| self.likeness(word) >= SAME)
    }

    /// Has it nothing of how things should be? A time is only contradicted by another time.
    fn lacks(&self, wanted: &[RuleWord]) -> bool {
        let has = |words: &[RuleWord], list: &[&str]| words.iter().any(|word| list.contains(&word.stem.as_str()));
        let about_time = has(wanted, &TIMES);
        let is_timed = has(&self.words, &TIMES) || has(&self.words, &AT_ONCE);
        (!about_time || is_timed) && !wanted.iter().any(|word| self.likeness(word) >= SAME)
    }

    /// "skip the scan"
    fn leaves_out(&self, wanted: &[RuleWord]) -> bool {
        wanted.iter().any(|word| self.left_out.contains(&word.stem))
    }

    fn share_of(&self, words: &[RuleWord]) -> f32 {
        let sum: f32 =
            words.iter().map(|word| self.likeness(word)).map(|like| if like < BY_CHANCE { 0.0 } else { like }).sum();
        sum / words.len().max(1) as f32
    }

    /// Of the most similar word.
    fn likeness(&self, word: &RuleWord) -> f32 {
        let like = |other: &RuleWord| match other.stem == word.stem {
            true => 1.0,
            false if are_opposites(&other.stem, &word.stem) => 0.0,
            false => cosine(&other.vector, &word.vector).min(0.99),
        };
        self.words.iter().map(like).fold(0.0, f32::max)
    }
}

fn are_opposites(a: &str, b: &str) -> bool {
    OPPOSITES.iter().any(|family| family.contains(&a) && family.contains(&b))
}

/// Parts of a sentence that say something of their own.
fn clauses(sentence: &str) -> Vec<&str> {
    const MARKS: [&str; 9] = [": ", ", so ", ", but ", " because ", " – ", " — ", ", use ", ", always ", ", convert "];
    let mut cuts: Vec<usize> = MARKS.iter().flat_map(|mark| sentence.match_indices(mark).map(|(at, _)| at)).collect();
    cuts.sort_unstable();
    let (mut parts, mut from) = (Vec::new(), 0);
    for cut in cuts.into_iter().chain([sentence.len()]) {
        let part = sentence[from..cut].trim_matches([',', ':', ' ', '–', '—', ';', '.']);
        let part = part.strip_prefix("so ").or(part.strip_prefix("but ")).unwrap_or(part);
        if !part.is_empty() {
            parts.push(part);
        }
        from = cut;
    }
    parts
}

/// The text up to a comma or a condition; a list goes on.
fn until_break(text: &str) -> &str {
    let text = text.split(" while ").next().unwrap_or_default();
    let is_list = |after: &str| after.trim_start().starts_with("or ") || after.trim_start().starts_with("and ");
    let end = text.match_indices(',').map(|(at, _)| at).find(|at| !is_list(&text[at + 1..]));
    let starts = text.trim_start_matches([' ', ',']).len();
    match end.filter(|at| *at > text.len() - starts) {
        Some(at) => &text[..at],
        None => text,
    }
}

fn refers_back(text: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(|word| matches!(word, "them" | "it" | "they" | "their" | "its"))
}

/// What a clause is about: the words before its verb, without what a preposition adds.
fn subject_of(clause: &str) -> &str {
    let subject = split_at_verb(clause).map_or(clause, |(subject, _)| subject);
    let is_order = subject.split_whitespace().next().is_some_and(|first| IMPERATIVES.contains(&first));
    if is_order { "" } else { subject }
}

fn split_at_verb(clause: &str) -> Option<(&str, &str)> {
    const VERBS: [&str; 26] = [
        " is ", " are ", " must ", " should ", " may ", " can ", " live ", " lives ", " go ", " goes ", " belong ",
        " stay ", " stays ", " have ", " has ", " use ", " uses ", " get ", " gets ", " need ", " needs ", " contain ",
        " contains ", " come ", " we ", " was ",
    ];
    let padded_end = clause.len();
    let found = VERBS.iter().filter_map(|verb| clause.find(verb).map(|at| (at, at + verb.len()))).min();
    let (at, after) = found.or_else(|| {
        let end = VERBS.iter().find(|verb| clause.ends_with(verb.trim_end()))?;
        Some((padded_end - end.trim_end().len(), padded_end))
    })?;
    let subject = [" in ", " of ", " on ", " for ", " with "].iter().filter_map(|word| clause[..at].find(word)).min();
    Some((&clause[..subject.unwrap_or(at)], &clause[after..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn concerns(rule: &str, plan: &str) -> bool {
        let mut reader = ConcernReader::new();
        let plan = reader.plan(plan);
        reader.rule(rule).concerns(&plan)
    }

    #[test]
    fn a_plan_may_go_against_a_rule_in_other_words() {
        for (rule, plan) in [
            ("Prices are integer cents everywhere, never floats.", "store prices as floats"),
            ("Prices are integer cents everywhere, never floats.", "add a price field of type f64"),
            ("Passwords are hashed with argon2id.", "hash the password with bcrypt"),
            (
                "Only the billing service may write to the invoices table.",
                "let the admin panel update the invoices table",
            ),
            (
                "Texts for customers are never hard-coded: use the i18n keys.",
                "write the text for the customer into the page",
            ),
            ("Uploaded files are scanned before they are stored.", "skip the scan of uploaded files"),
        ] {
            assert!(concerns(rule, plan), "{rule} / {plan}");
        }
    }

    #[test]
    fn a_plan_that_follows_the_rule_is_left_alone() {
        for (rule, plan) in [
            ("Prices are integer cents everywhere, never floats.", "store prices as integer cents"),
            ("Passwords are hashed with argon2id.", "check the argon2id hash of the password"),
            ("Only the billing service may write to the invoices table.", "read invoices through the billing service"),
            ("Texts for customers are never hard-coded: use the i18n keys.", "add an i18n key for the text"),
            ("Prices are integer cents everywhere, never floats.", "write the release notes for the next version"),
        ] {
            assert!(!concerns(rule, plan), "{rule} / {plan}");
        }
    }

    #[test]
    fn code_needs_every_word() {
        let mut reader = ConcernReader::new();
        let rule = reader.rule("Prices are integer cents, never floats.");
        let mut has = |line: &str| rule.forbids_in_code(&reader.stems(line));
        assert!(has("    pub price: f64,") && has("double unitPrice;"));
        assert!(!has("    pub weight: f64,") && !has("pub price: i64"));
    }

    #[test]
    fn a_plan_has_joining_words() {
        for plan in ["store prices as floats", "add a retry to the upload", "let the worker call another service"] {
            assert!(is_plan(plan), "{plan}");
        }
        for other in
            ["git push origin main", "npm run db:migrate -- --env=production", "src/gen/api.ts", "cat a | sort"]
        {
            assert!(!is_plan(other), "{other}");
        }
    }
}
