//! What would plain BM25 over whole turns print?
//!
//! A turn is a prompt and all that the agent said until the next one.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use serde_json::Value;

use super::EvalResult;
use super::session_file::{is_prompt, records, words};
use super::text::first_tokens;
use crate::baseline::Baseline;
use crate::phase::files;
use crate::questions::is_stop_word;

/// More text is not printed.
const BUDGET: usize = 2_000;

pub struct Turns {
    turns: Vec<Turn>,
    index: Baseline,
}

#[derive(Default)]
struct Turn {
    session: String,
    started: String,
    prompt: String,
    said: Vec<String>,
}

/// Whole turns, best first.
pub struct TurnAnswer {
    pub text: String,
    /// Of the turns that are shown, each once.
    pub sessions: Vec<String>,
}

impl Turns {
    pub fn read(sessions: &Path) -> EvalResult<Self> {
        let mut turns = Vec::new();
        for path in files(sessions) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let session = name.split('.').next().unwrap_or_default();
            turns.extend(turns_of(session, &crate::input::text(&path)?));
        }
        let texts: Vec<String> = turns.iter().map(Turn::words).collect();
        Ok(Turns { index: Baseline::over_words(texts.iter().map(|text| index_words(text))), turns })
    }

    pub fn answer(&self, question: &str) -> TurnAnswer {
        const MOST_TURNS: usize = 30;
        let ranked = self.index.rank_words(index_words(question).collect::<BTreeSet<_>>().into_iter());
        let best: Vec<&Turn> = ranked.into_iter().take(MOST_TURNS).filter_map(|at| self.turns.get(at)).collect();
        let texts: Vec<String> = best.iter().map(|turn| turn.print()).collect();
        let text = first_tokens(&texts.join("\n\n"), BUDGET).to_owned();
        let mut seen = HashSet::new();
        let shown = best.iter().filter(|turn| text.contains(&turn.session) && seen.insert(&turn.session));
        TurnAnswer { sessions: shown.map(|turn| turn.session.clone()).collect(), text }
    }
}

/// Names of code stay whole.
fn index_words(text: &str) -> impl Iterator<Item = String> {
    let lower = text.to_lowercase();
    let words = lower.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    let words = words.filter(|word| word.len() > 1 && !is_stop_word(word));
    words.map(str::to_owned).collect::<Vec<_>>().into_iter()
}

fn turns_of(session: &str, text: &str) -> Vec<Turn> {
    let mut seen = HashSet::new();
    let mut turns: Vec<Turn> = Vec::new();
    for record in text.lines().flat_map(records) {
        let again = record["uuid"].as_str().is_some_and(|uuid| !seen.insert(uuid.to_owned()));
        if again || record["isSidechain"] == true {
            continue;
        }
        let is_prompt = is_prompt(&record);
        let is_said = record["type"] == "assistant";
        if is_prompt || is_said && turns.is_empty() {
            turns.push(Turn::begun(session, &record));
        }
        if let Some(turn) = turns.last_mut() {
            match words(&record) {
                words if is_prompt => turn.prompt = words,
                words if is_said && !words.is_empty() => turn.said.push(words),
                _ => {}
            }
        }
    }
    turns
}

impl Turn {
    fn begun(session: &str, record: &Value) -> Self {
        let started = record["timestamp"].as_str().unwrap_or_default().chars().take(16).collect();
        Turn { session: session.to_owned(), started, ..Turn::default() }
    }

    fn words(&self) -> String {
        format!("{}\n{}", self.prompt, self.said.join("\n"))
    }

    fn print(&self) -> String {
        let said: String = self.said.iter().map(|words| format!("\nAgent: {words}")).collect();
        format!("[{} session {}]\nUser: {}{said}", self.started, self.session, self.prompt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_ends_where_the_next_prompt_is() {
        let text = r#"
            {"uuid":"1","type":"user","timestamp":"2026-01-03T10:00:00.000Z","message":{"content":"why red?"}}
            {"uuid":"2","type":"assistant","message":{"content":[{"type":"text","text":"the clock"}]}}
            {"uuid":"2","type":"assistant","message":{"content":[{"type":"text","text":"the clock"}]}}
            {"uuid":"3","type":"user","message":{"content":"mend it"}}
        "#;
        let turns = turns_of("s1", text);
        assert_eq!(turns.len(), 2);
        assert_eq!(turns[0].print(), "[2026-01-03T10:00 session s1]\nUser: why red?\nAgent: the clock");
    }
}
