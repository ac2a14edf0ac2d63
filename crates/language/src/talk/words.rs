//! The words of a line, with the marks between them.

use std::collections::HashMap;

/// The mark after a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    #[default]
    Nothing,
    /// A comma, a colon, a dash.
    Pause,
    End,
    Question,
}

/// The words of one line: lower case, straight apostrophes. Reading the next line reuses the memory.
#[derive(Default)]
pub struct LineWords {
    text: String,
    words: Vec<(u32, u32, Mark)>,
}

impl LineWords {
    pub fn of(text: &str) -> Self {
        let mut words = LineWords::default();
        words.read(text);
        words
    }

    pub fn read(&mut self, text: &str) {
        self.text.clear();
        self.words.clear();
        let mut inside = false;
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            let next = chars.peek().copied();
            let joins = matches!(c, '\'' | '’') && inside && next.is_some_and(char::is_alphanumeric);
            if c.is_alphanumeric() || joins {
                if !inside {
                    let at = self.text.len() as u32;
                    self.words.push((at, at, Mark::Nothing));
                    inside = true;
                }
                if joins {
                    self.text.push('\'')
                } else {
                    self.text.extend(c.to_lowercase())
                }
                let end = self.text.len() as u32;
                if let Some(word) = self.words.last_mut() {
                    word.1 = end;
                }
            } else {
                inside = false;
                if let Some(word) = self.words.last_mut() {
                    word.2 = word.2.max(mark(c, next));
                }
            }
        }
    }

    pub fn len(&self) -> usize {
        self.words.len()
    }

    pub fn get(&self, at: usize) -> &str {
        self.words.get(at).map_or("", |(from, to, _)| &self.text[*from as usize..*to as usize])
    }

    pub fn mark(&self, at: usize) -> Mark {
        self.words.get(at).map_or(Mark::End, |word| word.2)
    }

    /// Starts a sentence or follows a pause.
    pub fn begins_clause(&self, at: usize) -> bool {
        at == 0 || self.mark(at - 1) != Mark::Nothing
    }

    pub fn begins_sentence(&self, at: usize) -> bool {
        at == 0 || self.mark(at - 1) >= Mark::End
    }

    /// Are the words from `at` on these?
    pub fn is_at(&self, at: usize, phrase: &[&str]) -> bool {
        at + phrase.len() <= self.len() && phrase.iter().enumerate().all(|(i, word)| self.get(at + i) == *word)
    }

    /// Sentences as ranges of words, and whether each ends with a question mark.
    pub fn sentences(&self) -> impl Iterator<Item = (std::ops::Range<usize>, bool)> {
        let mut from = 0;
        std::iter::from_fn(move || {
            if from >= self.len() {
                return None;
            }
            let end = (from..self.len()).find(|at| self.mark(*at) >= Mark::End).unwrap_or(self.len() - 1);
            let sentence = from..end + 1;
            from = end + 1;
            Some((sentence, self.mark(end) == Mark::Question))
        })
    }
}

/// Full stops and question marks inside a name, a number or an address do not end a sentence.
fn mark(c: char, next: Option<char>) -> Mark {
    let closes = next.is_none_or(|next| !next.is_alphanumeric() && !matches!(next, '/' | '_' | '=' | '-'));
    match c {
        '?' if closes => Mark::Question,
        '.' if closes => Mark::End,
        '!' | ';' | '…' | '。' | '！' | '\n' => Mark::End,
        '？' => Mark::Question,
        ',' | '–' | '—' | '、' | '"' | '“' | '”' | ')' | '(' => Mark::Pause,
        ':' if closes => Mark::Pause,
        '-' if next == Some('-') => Mark::Pause,
        _ => Mark::Nothing,
    }
}

/// A table of phrases, looked up by their first word.
pub struct Phrases(HashMap<&'static str, Vec<Vec<&'static str>>>);

impl Phrases {
    pub fn new(phrases: &[&'static str]) -> Self {
        let mut table: HashMap<_, Vec<Vec<_>>> = HashMap::new();
        for phrase in phrases {
            let words: Vec<&'static str> = phrase.split(' ').collect();
            table.entry(words[0]).or_default().push(words);
        }
        Phrases(table)
    }

    pub fn is_at(&self, words: &LineWords, at: usize) -> bool {
        self.0.get(words.get(at)).is_some_and(|phrases| phrases.iter().any(|phrase| words.is_at(at, phrase)))
    }

    pub fn any(&self, words: &LineWords) -> bool {
        (0..words.len()).any(|at| self.is_at(words, at))
    }

    pub fn count(&self, words: &LineWords) -> u32 {
        (0..words.len()).filter(|at| self.is_at(words, *at)).count() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, bool)]) {
        let words = LineWords::of(text);
        let sentences: Vec<(String, bool)> = words
            .sentences()
            .map(|(range, asks)| (range.map(|at| words.get(at)).collect::<Vec<_>>().join(" "), asks))
            .collect();
        let sentences: Vec<(&str, bool)> = sentences.iter().map(|(text, asks)| (text.as_str(), *asks)).collect();
        assert_eq!(sentences, expected);
    }

    #[test]
    fn sentences_end_where_people_end_them() {
        check("I’m in. Can WE go?! Yes", &[("i'm in", false), ("can we go", true), ("yes", false)]);
        check("see http://a.example/x?y=1 for 8.04, ok", &[("see http a example x y 1 for 8 04 ok", false)]);
        check("...", &[]);
    }

    #[test]
    fn phrases_of_several_words_are_found() {
        let phrases = Phrases::new(&["roll initiative", "roll for initiative"]);
        assert!(phrases.any(&LineWords::of("Everyone, roll for initiative!")));
        assert!(!phrases.any(&LineWords::of("He took the initiative, a roll in hand")));
    }
}
