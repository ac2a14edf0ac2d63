//! Which new statements does an edit of a Markdown file contain?
//!
//! Sentences of paragraphs, and list items together with their lead. Code, tables and examples state nothing.

use std::collections::HashSet;
use std::ops::Range;

use super::reading::{is_question, is_whole, stands_alone, words};
use super::spoken::sentences;

/// Items with fewer words of prose only name something.
const FEWEST_WORDS: usize = 4;
/// A longer line without a full stop is still a sentence.
const LONGEST_TITLE: usize = 6;
/// A longer line is not used as a lead.
const LONGEST_LEAD: usize = 18;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedStatement {
    pub text: String,
    /// The range in the edit's text.
    pub span: Range<usize>,
    pub heading: Option<String>,
}

/// The added statements. `edit` marks old lines with `-` and new ones with `+`.
pub fn added(edit: &str) -> Vec<AddedStatement> {
    only_in(edit, b'+', b'-')
}

/// The removed statements.
pub fn removed(edit: &str) -> Vec<AddedStatement> {
    only_in(edit, b'-', b'+')
}

/// The statements on lines with the sign `here` that are not on lines with `there`.
fn only_in(edit: &str, here: u8, there: u8) -> Vec<AddedStatement> {
    let mut reader = Reader::default();
    let mut at = 0;
    for part in edit.split_inclusive('\n').collect::<Vec<_>>().chunk_by(|a, b| is_line(a) && is_line(b)) {
        let other: HashSet<&str> =
            part.iter().filter(|line| line.as_bytes()[0] == there).map(|line| line[1..].trim()).collect();
        for line in part {
            let (start, text) = (at, line.trim_end_matches('\n'));
            at += line.len();
            match text.as_bytes().first() {
                Some(sign) if *sign == here => {
                    let is_new = !other.contains(text[1..].trim());
                    reader.line(&text[1..], start + 1..start + text.len(), is_new);
                }
                Some(sign) if *sign == there => {}
                // An unchanged line of a patch.
                Some(b' ') => reader.line(&text[1..], start + 1..start + text.len(), false),
                _ => reader.flush(),
            }
        }
        reader.flush();
    }
    reader.out
}

/// A line of an edit, as opposed to a separator between its parts.
fn is_line(line: &str) -> bool {
    line.starts_with(['+', '-', ' '])
}

/// Does it begin with a verb in the imperative?
pub fn begins_with_order(statement: &str) -> bool {
    // Verbs that are seldom nouns: "check marks are green" orders nothing.
    const ORDERS: [&str; 28] = [
        "add", "ask", "avoid", "choose", "consider", "create", "define", "ensure", "extract", "favor", "favour", "fix",
        "follow", "ignore", "implement", "include", "keep", "make", "prefer", "put", "remove", "run", "search", "see",
        "update", "use", "verify", "write",
    ];
    let clauses = statement.split([':', ',']).map(words);
    clauses.take(3).any(|clause| {
        let first = clause.first().map(String::as_str).unwrap_or_default();
        let checks =
            first == "check" && clause.get(1).is_some_and(|next| matches!(next.as_str(), "if" | "that" | "whether"));
        ORDERS.contains(&first) || checks || matches!(first, "don't" | "always" | "never")
    })
}

#[derive(Default)]
struct Reader {
    out: Vec<AddedStatement>,
    heading: Option<String>,
    /// A line that ends with a colon: it introduces what follows.
    lead: Option<String>,
    /// Was a list found after it?
    listed: bool,
    /// The parents of the current item, with their indentation.
    parents: Vec<(usize, String)>,
    block: Option<Block>,
    fenced: bool,
}

struct Block {
    text: String,
    span: Range<usize>,
    is_new: bool,
    /// The indentation of a list item; none for a paragraph.
    item: Option<usize>,
}

impl Reader {
    fn line(&mut self, line: &str, span: Range<usize>, is_new: bool) {
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            self.flush();
            (self.fenced, self.lead) = (!self.fenced, None);
        } else if self.fenced {
            // Code states nothing.
        } else if trimmed.is_empty() || trimmed.starts_with(['|', '<', '>']) || is_rule(trimmed) {
            self.flush();
        } else if let Some(heading) = trimmed.strip_prefix('#') {
            self.flush();
            (self.heading, self.lead) = (Some(plain(heading.trim_start_matches('#'))), None);
            self.parents.clear();
        } else if let Some(item) = item_text(trimmed) {
            self.flush();
            let indent = line.len() - line.trim_start().len();
            self.block = Some(Block { text: item.to_owned(), span, is_new, item: Some(indent) });
        } else if let Some(block) = &mut self.block {
            block.text.push(' ');
            block.text.push_str(trimmed);
            block.span.end = span.end;
            block.is_new |= is_new;
        } else {
            self.block = Some(Block { text: trimmed.to_owned(), span, is_new, item: None });
        }
    }

    fn flush(&mut self) {
        let Some(block) = self.block.take() else { return };
        let text = plain(&block.text);
        match block.item {
            Some(indent) => self.item(&text, indent, &block),
            None => self.paragraph(&text, &block),
        }
    }

    fn paragraph(&mut self, text: &str, block: &Block) {
        self.parents.clear();
        // A lead ends with its list.
        let outer = self.lead.take().filter(|_| !self.listed);
        self.listed = false;
        let own = lead_of(text);
        if is_example(text) {
            return;
        }
        let is_lead = own.is_some() || text.ends_with(':');
        self.lead = own.filter(|own| words(own).len() > 1).or_else(|| outer.clone());
        let label = label_of(&block.text, text);
        let mut parts = sentences(text, 0..text.len());
        if is_lead {
            parts.pop();
        }
        for (at, sentence) in parts.into_iter().enumerate() {
            let sentence = without_label(&text[sentence]);
            match (label.filter(|_| at > 0), &outer) {
                (Some(label), _) => self.state(&format!("{label}: {sentence}"), block),
                (None, Some(outer)) => self.state(&format!("{outer}: {sentence}"), block),
                (None, None) if stands_alone(sentence) => self.state(sentence, block),
                (None, None) => {}
            }
        }
    }

    fn item(&mut self, text: &str, indent: usize, block: &Block) {
        self.listed = true;
        self.parents.retain(|(outer, _)| *outer < indent);
        let lead = self.parents.last().map(|(_, parent)| parent).or(self.lead.as_ref());
        // A one-word lead such as "Options:" says less than the heading.
        let lead = lead.filter(|lead| words(lead).len() > 1).or(self.heading.as_ref()).cloned();
        let is_nested = !self.parents.is_empty();
        let lead = match (lead, &self.heading) {
            // The parent of a nested item is mostly no sentence either.
            (Some(lead), Some(heading)) if is_nested && *heading != lead => Some(format!("{heading}: {lead}")),
            (lead, _) => lead,
        };
        self.parents.push((indent, text.trim_end_matches(':').to_owned()));
        let lower = text.to_lowercase();
        let goes_on = lower.starts_with("if not") || lower.starts_with("if so") || lower.starts_with("otherwise");
        if text.ends_with(':') || is_example(text) || goes_on || prose_words(text) < FEWEST_WORDS {
            return;
        }
        let first = sentences(text, 0..text.len()).into_iter().next().map_or(text, |range| &text[range]);
        let is_order = begins_with_order(first) && stands_alone(first) && prose_words(first) > FEWEST_WORDS;
        match lead {
            Some(lead) if is_order && !is_condition(&lead) && !is_nested => self.state(first, block),
            Some(lead) if words(&lead).len() <= LONGEST_LEAD => self.state(&format!("{lead}: {first}"), block),
            _ if stands_alone(first) => self.state(first, block),
            _ => {}
        }
    }

    fn state(&mut self, text: &str, block: &Block) {
        if block.is_new && is_whole(text) && !is_question(text) && prose_words(text) >= FEWEST_WORDS {
            let (text, span) = (text.trim_end_matches(':').to_owned(), block.span.clone());
            self.out.push(AddedStatement { text, span, heading: self.heading.clone() });
        }
    }
}

/// The lead that a line gives to the following ones: it ends with a colon, or is a title.
fn lead_of(text: &str) -> Option<String> {
    let is_title = words(text).len() <= LONGEST_TITLE && !text.ends_with(['.', '!', '?', ':']);
    let lead = if is_title { text } else { text.strip_suffix(':')? };
    // Of several sentences, the last one is the lead.
    let last = sentences(lead, 0..lead.len()).pop().map(|range| lead[range].to_owned())?;
    (words(&last).len() <= LONGEST_LEAD).then_some(last)
}

/// A bold label at the start of a paragraph may be a condition for all of it: "When to cache:".
/// Sentences do not need other labels, such as "Note:".
fn label_of<'a>(raw: &str, text: &'a str) -> Option<&'a str> {
    let bold = raw.strip_prefix("**")?;
    let labelled = bold.contains(":**") || bold.contains("**:");
    labelled.then(|| text.split_once(':'))?.map(|(label, _)| label).filter(|label| is_condition(label))
}

/// Is this lead a condition for what follows?
fn is_condition(lead: &str) -> bool {
    const CONDITIONS: [&str; 10] = ["when", "if", "before", "after", "for", "on", "in", "during", "while", "to"];
    words(lead).first().is_some_and(|first| CONDITIONS.contains(&first.as_str()))
}

fn is_rule(line: &str) -> bool {
    line.len() >= 3 && line.chars().all(|c| matches!(c, '-' | '*' | '_' | '='))
}

fn is_example(text: &str) -> bool {
    matches!(words(text).first().map(String::as_str), Some("example" | "examples" | "e.g" | "see"))
}

/// "Note: …" without its label.
fn without_label(sentence: &str) -> &str {
    const LABELS: [&str; 8] = ["note", "important", "warning", "critical", "caution", "tip", "remember", "nb"];
    match sentence.split_once(':') {
        Some((label, rest)) if LABELS.contains(&label.trim().to_lowercase().as_str()) => rest.trim(),
        _ => sentence,
    }
}

/// The text of a list's item.
fn item_text(line: &str) -> Option<&str> {
    let (mark, text) = line.split_once(' ')?;
    let numbered = mark.len() <= 3 && mark.ends_with(['.', ')']) && mark.starts_with(|c: char| c.is_ascii_digit());
    let text = text.trim();
    let text = text.strip_prefix("[ ]").or_else(|| text.strip_prefix("[x]")).unwrap_or(text).trim();
    (matches!(mark, "-" | "*" | "+" | "•") || numbered).then_some(text)
}

/// Removes emphasis, and replaces links by their text.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.trim().to_owned();
    for mark in ["**", "__"] {
        rest = rest.replace(mark, "");
    }
    let mut rest = rest.as_str();
    while let Some(open) = rest.find('[') {
        let link = rest[open..].find("](").and_then(|middle| {
            let close = rest[open + middle..].find(')')?;
            Some((&rest[open + 1..open + middle], open + middle + close + 1))
        });
        let Some((words, end)) = link else { break };
        out.push_str(&rest[..open]);
        out.push_str(words);
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

/// The number of words that are not code.
fn prose_words(text: &str) -> usize {
    text.split('`').step_by(2).map(|prose| words(prose).len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stated(edit: &str) -> Vec<String> {
        added(edit).into_iter().map(|statement| statement.text).collect()
    }

    #[test]
    fn sentences_that_are_new() {
        assert_eq!(
            stated(
                "-Run the tests with `make test`.\n+Run the tests with `make test`.\n+\n+**Never** commit to main. It is protected."
            ),
            ["Never commit to main."]
        );
        assert_eq!(
            stated("+Generated files live in\n+`gen/` and are not edited by hand."),
            ["Generated files live in `gen/` and are not edited by hand."],
            "a sentence may go on in the next line"
        );
    }

    #[test]
    fn items_are_read_with_what_leads_to_them() {
        assert_eq!(
            stated(
                "+## Releases\n+\n+Before a release:\n+- the version in the manifest is raised\n+- ok\n+  - changelog"
            ),
            ["Before a release: the version in the manifest is raised"]
        );
        assert_eq!(
            stated("+## Style\n+- Use tabs for indentation in Go files\n+- errors wrapped with their cause"),
            ["Use tabs for indentation in Go files", "Style: errors wrapped with their cause"]
        );
        assert_eq!(
            stated("+The linter finds long functions. When it does:\n+1. Reuse a helper of the same module"),
            ["The linter finds long functions.", "When it does: Reuse a helper of the same module"]
        );
        assert_eq!(
            stated("+On release branches:\n+\n+The version is fixed.\n+\n+Files:\n+- the list of changes is kept up"),
            ["On release branches: The version is fixed.", "On release branches: the list of changes is kept up"]
        );
        assert_eq!(
            stated("+**When to cache:** Almost never. Only where a page is slow."),
            ["When to cache: Almost never.", "When to cache: Only where a page is slow."]
        );
    }

    #[test]
    fn code_tables_and_examples_state_nothing() {
        assert_eq!(
            stated(
                "+```\n+never run this at all\n+```\n+| a | never do that thing |\n+Example: always push to main first."
            ),
            [""; 0]
        );
    }

    #[test]
    fn spans_are_those_of_the_edit() {
        let edit = "-old\n+# Head\n+Never push to the main branch.";
        let found = added(edit);
        assert_eq!(found.len(), 1);
        assert_eq!(&edit[found[0].span.clone()], "Never push to the main branch.");
        assert_eq!(found[0].heading.as_deref(), Some("Head"));
    }
}
