//! Which words distinguish a cluster?
//!
//! Class-based TF-IDF: how many of the cluster's chunks use a word, compared with how many use it
//! at all. Terms are stems; the most frequent form is shown.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use backstory_language::text::{TermId, Tokenizer, is_ngram_script, is_stop_word};

use crate::model::{ChunkBody, PartKind};

const WORDS: usize = 4;
/// The text of a long part after this adds little.
const READ: usize = 1_500;
/// A label word must be used by this share of a cluster's chunks, and by more than one.
const SHARE: f32 = 0.08;
/// Encoded data is not a word.
const LONGEST: usize = 28;

/// Words that are common in all code and all work on it.
const CODE_WORDS: &[&str] = &[
    "add", "async", "await", "bash", "bool", "cat", "cd", "chang", "check", "class", "const", "continu", "ctx",
    "current", "def", "defp", "echo", "edit", "els", "end", "enum", "err", "errorf", "fals", "fatalf", "file",
    "filepath", "fmt", "fn", "fprintf", "fprintln", "full", "func", "function", "good", "grep", "head", "home", "impl",
    "import", "int", "line", "look", "make", "match", "mut", "need", "new", "nil", "none", "now", "null", "pass",
    "path", "perfect", "printf", "println", "private", "pub", "public", "read", "return", "run", "see", "self",
    "sprintf", "static", "str", "string", "struct", "tail", "test", "tmp", "true", "updat", "use", "user", "usr",
    "var", "void", "want", "work",
];

/// Counts words, chunk by chunk.
#[derive(Default)]
pub struct Words {
    tokenizer: Tokenizer,
    /// The number of chunks that use a term: all, and those of a cluster.
    everywhere: HashMap<TermId, u32>,
    in_cluster: HashMap<u32, HashMap<TermId, u32>>,
    chunks: u32,
    sizes: HashMap<u32, u32>,
    /// How a term was written, and how often.
    forms: HashMap<TermId, HashMap<String, u32>>,
}

impl Words {
    /// Counts the words of a chunk; those of unclustered ones show what is common.
    pub fn add(&mut self, cluster: Option<u32>, body: &ChunkBody) {
        let mut terms = HashSet::new();
        for part in &body.parts {
            if matches!(part.kind, PartKind::User | PartKind::Assistant | PartKind::ToolCall) {
                words(&part.text[..part.text.floor_char_boundary(READ)]).for_each(|word| self.word(word, &mut terms));
            }
        }
        self.chunks += 1;
        if let Some(cluster) = cluster {
            *self.sizes.entry(cluster).or_default() += 1;
        }
        for term in terms {
            *self.everywhere.entry(term).or_default() += 1;
            if let Some(cluster) = cluster {
                *self.in_cluster.entry(cluster).or_default().entry(term).or_default() += 1;
            }
        }
    }

    fn word(&mut self, word: &str, terms: &mut HashSet<TermId>) {
        let mut found = Vec::new();
        self.tokenizer.terms(word, &mut found);
        for term in &found {
            terms.insert(*term);
        }
        // Parts of a name are counted, but only single words determine the spelling.
        if let [term] = found.as_slice() {
            *self.forms.entry(*term).or_default().entry(word.to_lowercase()).or_default() += 1;
        }
    }

    /// A label for each cluster.
    pub fn labels(&self) -> BTreeMap<u32, String> {
        let forms: HashMap<TermId, &str> = self.forms.iter().map(|(term, forms)| (*term, usual(forms))).collect();
        let empty = HashMap::new();
        let label = |(cluster, size): (&u32, &u32)| {
            let counts = self.in_cluster.get(cluster).unwrap_or(&empty);
            (*cluster, self.label(*size as f32, counts, &forms))
        };
        self.sizes.iter().map(label).collect()
    }

    fn label(&self, size: f32, counts: &HashMap<TermId, u32>, forms: &HashMap<TermId, &str>) -> String {
        let mut scored: Vec<(f32, &str)> = Vec::new();
        for (term, count) in counts {
            let share = *count as f32 / size;
            let Some(form) = forms.get(term).filter(|form| is_distinctive(self.tokenizer.term(*term), form)) else {
                continue;
            };
            let everywhere = self.everywhere.get(term).copied().unwrap_or(1) as f32 / self.chunks.max(1) as f32;
            if *count > 1 && share >= SHARE && share > everywhere {
                scored.push((share * (share / everywhere).ln(), form));
            }
        }
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
        let mut chosen: Vec<&str> = Vec::new();
        let mut seen = BTreeSet::new();
        for (_, form) in scored {
            if seen.insert(form) && !chosen.iter().any(|other| other.contains(form) || form.contains(other)) {
                chosen.push(form);
            }
            if chosen.len() == WORDS {
                break;
            }
        }
        if chosen.is_empty() { "(no words in common)".to_owned() } else { chosen.join(", ") }
    }
}

/// The most frequent form; the first alphabetically if equal.
fn usual(forms: &HashMap<String, u32>) -> &str {
    let best = forms.iter().max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.cmp(a.0)));
    best.map_or("", |(form, _)| form.as_str())
}

fn is_distinctive(term: &str, form: &str) -> bool {
    let letters = form.chars().count();
    let long_enough = letters >= 3 || (letters == 2 && form.starts_with(is_ngram_script));
    long_enough
        && letters <= LONGEST
        && !is_stop_word(term)
        && CODE_WORDS.binary_search(&term).is_err()
        && form.chars().any(|letter| !letter.is_ascii() || "aeiouy".contains(letter))
}

/// Sequences of letters, also of scripts without spaces. Words with a digit are numbers, ids or hashes.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| letter.is_whitespace() || "\"`()[]{}<>,;=|".contains(letter))
        .map(without_folders)
        .flat_map(|piece| piece.split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '\''))
        .map(|word| word.trim_matches(['_', '\'']))
        .filter(|word| !word.is_empty() && !word.chars().any(char::is_numeric))
}

/// Folders say nothing about the topic: `/home/me/shop/src/cart.rs` gives only the cart.
/// `client/server` is no path.
fn without_folders(piece: &str) -> &str {
    let path = piece.trim_end_matches(['/', '.', ':']);
    let Some((_, name)) = path.rsplit_once('/') else { return piece };
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    let is_path = path.starts_with(['/', '~', '.']) || path.matches('/').count() > 1 || stem.len() < name.len();
    if is_path { stem } else { piece }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Digest, EventId, EvidenceKind, Part};

    fn body(text: &str, kind: PartKind) -> ChunkBody {
        let id = Digest([0; 16]);
        let (text, evidence_kind) = (text.to_owned(), EvidenceKind::UserSpan);
        let part = Part { kind, label: None, text, evidence_kind, event: EventId(id), start: 0, end: 0, hash: id };
        ChunkBody { parts: vec![part], ..ChunkBody::default() }
    }

    fn labels(chunks: &[(Option<u32>, &str)]) -> Vec<String> {
        let mut words = Words::default();
        chunks.iter().for_each(|(cluster, text)| words.add(*cluster, &body(text, PartKind::User)));
        words.labels().into_values().collect()
    }

    #[test]
    fn the_words_that_set_a_cluster_apart() {
        let found = labels(&[
            (Some(1), "the parser fails on nested brackets 0x7f3a9c"),
            (Some(1), "parsers should report the nested bracket e3b0c44298fc"),
            (Some(2), "the invoice total is rounded wrongly in /home/sam/shop/src/"),
            (Some(2), "rounded each invoice, then the total of 2026; /home/sam/shop/src/"),
            (None, "fails should report each of them"),
        ]);
        assert_eq!(found, ["bracket, nested, parser", "invoice, rounded, total"]);
    }

    #[test]
    fn neither_code_nor_thoughts_nor_output_name_a_cluster() {
        let mut words = Words::default();
        for _ in 0..3 {
            words.add(Some(1), &body("pub fn self return null", PartKind::User));
            words.add(Some(1), &body("wandering thoughts", PartKind::Thinking));
            words.add(Some(1), &body("compiled thirty crates", PartKind::ToolOutput));
        }
        assert_eq!(words.labels()[&1], "(no words in common)");
    }

    #[test]
    fn of_a_path_the_name_counts() {
        let found = |text| words(text).collect::<Vec<_>>().join(" ");
        assert_eq!(found("Read /Users/sam/shop/src/cart_test.rs:12"), "Read cart_test");
        assert_eq!(found("the client/server split, see ./docs/design/"), "the client server split see design");
        assert_eq!(found("https://example.com/a/invoices?page=2"), "invoices page");
    }

    #[test]
    fn code_words_are_in_order() {
        assert!(CODE_WORDS.is_sorted());
    }
}
