//! Into which statements does a message divide?
//!
//! A statement is what can be quoted alone: a list item, a table row, a short
//! paragraph, or a few sentences of a long one. Ranges are byte offsets into the
//! message, so a quotation is always exact.

use std::ops::Range;

/// Longer paragraphs are divided at their sentences.
pub const LONGEST: usize = 230;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Prose,
    Item,
    Row,
    /// A line inside a fence or of a drawing.
    Code,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    pub range: Range<usize>,
    pub shape: Shape,
    /// The heading directly above it.
    pub heading: Option<Range<usize>>,
    /// The heading or the announcement above the list to which an item belongs.
    pub lead: Option<Range<usize>>,
}

/// The passages of a message, in order.
pub fn passages(text: &str) -> Vec<Passage> {
    let mut reader = Reader { text, out: Vec::new(), paragraph: None, heading: None, lead: None, fenced: false };
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let range = trimmed(text, at..at + line.len());
        at += line.len();
        reader.line(range);
    }
    reader.end_paragraph();
    reader.out
}

struct Reader<'a> {
    text: &'a str,
    out: Vec<Passage>,
    paragraph: Option<Range<usize>>,
    heading: Option<Range<usize>>,
    lead: Option<Range<usize>>,
    fenced: bool,
}

impl Reader<'_> {
    fn line(&mut self, range: Range<usize>) {
        let line = &self.text[range.clone()];
        if line.starts_with("```") {
            self.end_paragraph();
            self.fenced = !self.fenced;
        } else if self.fenced {
            if !line.is_empty() {
                self.push_code(range);
            }
        } else if is_drawn(line) {
            self.end_paragraph();
            self.push_code(range);
        } else if line.is_empty() || is_rule(line) {
            self.end_paragraph();
            if line.starts_with('|') {
                self.drop_table_head();
            }
        } else if let Some(words) = heading(line) {
            self.end_paragraph();
            let words = range.start + words.start..range.start + words.end;
            (self.heading, self.lead) = (Some(words.clone()), Some(words));
        } else if is_item(line) {
            self.end_paragraph();
            // The lines that continue an item are indented and have no mark.
            self.paragraph = Some(range);
        } else if line.starts_with('|') {
            self.end_paragraph();
            self.push(range, Shape::Row);
        } else {
            let start = self.paragraph.take().map_or(range.start, |before| before.start);
            self.paragraph = Some(start..range.end);
        }
    }

    fn end_paragraph(&mut self) {
        let Some(range) = self.paragraph.take() else { return };
        let shape = if is_item(&self.text[range.clone()]) { Shape::Item } else { Shape::Prose };
        for part in divided(self.text, range) {
            self.push(part, shape);
        }
    }

    /// The row above a table's rule names its columns.
    fn drop_table_head(&mut self) {
        if let Some(head) = self.out.pop_if(|passage| passage.shape == Shape::Row) {
            self.heading = self.heading.take().or(head.heading);
        }
    }

    fn push(&mut self, range: Range<usize>, shape: Shape) {
        let heading = self.heading.take();
        if shape == Shape::Prose {
            self.lead = self.text[range.clone()].ends_with([':', '：']).then(|| range.clone());
        }
        let lead = self.lead.clone().filter(|_| shape == Shape::Item);
        self.out.push(Passage { range, shape, heading, lead });
    }

    fn push_code(&mut self, range: Range<usize>) {
        self.out.push(Passage { range, shape: Shape::Code, heading: None, lead: None });
    }
}

/// Sentences, put together while they are short.
fn divided(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    if range.len() <= LONGEST {
        return vec![range];
    }
    let mut parts: Vec<Range<usize>> = Vec::new();
    for sentence in sentences(text, range) {
        match parts.last_mut() {
            Some(last) if sentence.end - last.start <= LONGEST => last.end = sentence.end,
            _ => parts.push(sentence),
        }
    }
    parts
}

fn sentences(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = range.start;
    let part = &text[range.clone()];
    for (at, mark) in part.char_indices().filter(|(_, c)| matches!(c, '.' | '!' | '?' | '。' | '！' | '？')) {
        let end = at + mark.len_utf8();
        let rest = &part[end..];
        let next = rest.trim_start();
        let breaks = rest.len() > next.len() && next.starts_with(begins_sentence) || !mark.is_ascii();
        if breaks && !next.is_empty() {
            out.push(trimmed(text, start..range.start + end));
            start = range.start + part.len() - next.len();
        }
    }
    out.push(trimmed(text, start..range.end));
    out
}

fn begins_sentence(c: char) -> bool {
    !c.is_lowercase()
}

/// The words of a heading: behind `#`, or a line that is bold as a whole.
fn heading(line: &str) -> Option<Range<usize>> {
    let words = match line.strip_prefix('#') {
        Some(rest) => {
            let words = rest.trim_start_matches('#');
            words.starts_with(' ').then_some(words)?
        }
        None => {
            let bold = line.trim_end_matches(':').strip_prefix("**")?.strip_suffix("**")?;
            (bold.len() <= 80 && !bold.contains("**")).then_some(bold)?
        }
    };
    let words = words.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '#' | ':'));
    let start = words.as_ptr() as usize - line.as_ptr() as usize;
    (!words.is_empty()).then_some(start..start + words.len())
}

/// `---`, or the line under a table's head.
fn is_rule(line: &str) -> bool {
    line.len() > 2 && line.bytes().all(|byte| matches!(byte, b'-' | b'=' | b'|' | b':' | b' ' | b'+' | b'_' | b'*'))
}

/// Boxes and trees drawn with line characters.
fn is_drawn(line: &str) -> bool {
    line.chars().any(|c| matches!(c, '\u{2500}'..='\u{257f}'))
}

pub fn is_item(line: &str) -> bool {
    item_mark(line).is_some()
}

/// The length of the mark of a list item: `- `, `* `, `2. `, `b) `, `(b) `.
pub fn item_mark(line: &str) -> Option<usize> {
    let mark = &line[..line.find(char::is_whitespace)?];
    let inner = mark.strip_prefix('(').unwrap_or(mark);
    let counted = inner.strip_suffix(['.', ')']).is_some_and(|count| {
        let digits = !count.is_empty() && count.len() <= 2 && count.bytes().all(|byte| byte.is_ascii_digit());
        let letter = count.len() == 1 && count.bytes().all(|byte| byte.is_ascii_lowercase()) && inner.ends_with(')');
        digits || letter
    });
    (matches!(mark, "-" | "*" | "•" | "–") || counted).then_some(mark.len())
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let start = range.start + part.len() - part.trim_start().len();
    start..start + part.trim().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<String> {
        passages(text)
            .iter()
            .map(|passage| {
                let heading = passage.heading.clone().map_or(String::new(), |range| format!("[{}] ", &text[range]));
                format!("{:?} {heading}{}", passage.shape, text[passage.range.clone()].replace('\n', "⏎"))
            })
            .collect()
    }

    #[test]
    fn a_message_divides_into_items_rows_and_paragraphs() {
        let text = "Found it.\nThe cache is stale.\n\n## Cause\n- the key lacks the day\n  of the week\n- (b) no\n\n\
                    **Fix**:\n| a | b |\n|---|---|\n| 1 | 2 |\n```\nlet x;\n```\n1) done";
        assert_eq!(
            told(text),
            [
                "Prose Found it.⏎The cache is stale.",
                "Item [Cause] - the key lacks the day⏎  of the week",
                "Item - (b) no",
                "Row [Fix] | 1 | 2 |",
                "Code let x;",
                "Item 1) done",
            ]
        );
    }

    #[test]
    fn a_drawing_is_code() {
        assert_eq!(
            told("It is so:\n┌────┐\n│ a  │\nso far"),
            ["Prose It is so:", "Code ┌────┐", "Code │ a  │", "Prose so far"]
        );
    }

    #[test]
    fn items_know_what_leads_their_list() {
        let text = "It could be:\n\n- the cache\n- the clock\n\nNo.\n- neither";
        let leads: Vec<Option<&str>> = passages(text)
            .iter()
            .filter(|passage| passage.shape == Shape::Item)
            .map(|passage| passage.lead.clone().map(|range| &text[range]))
            .collect();
        assert_eq!(leads, [Some("It could be:"), Some("It could be:"), None]);
    }

    #[test]
    fn long_paragraphs_are_divided_at_sentences() {
        let sentence = "The first statement is about the cache and is rather long, e.g. because it has a reason. ";
        let text = sentence.repeat(4);
        let parts = told(&text);
        assert_eq!(parts.len(), 2);
        assert!(parts.iter().all(|part| part.ends_with('.') && part.len() <= LONGEST + 6));
    }

    #[test]
    fn marks_of_items() {
        for (line, is) in [
            ("- a", true),
            ("12. a", true),
            ("(b) x", true),
            ("b) x", true),
            ("a. x", false),
            ("e.g. x", false),
            ("-x", false),
        ] {
            assert_eq!(is_item(line), is, "{line}");
        }
    }
}
