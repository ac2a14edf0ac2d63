//! What did the person answer to the agent's questions?
//!
//! A choice among designs lasts; what to do next does not. The statement holds the question with
//! its answer, or the question's title if it is too long or refers to something else.

use backstory_language::prompts::own_spans;
use serde_json::Value;

use crate::model::{CardKind, CardSource, Event, EventKind, Exit};

use super::reading::{is_whole, wish, words};
use super::{Said, output_of};

/// A shorter answer under a title says too little.
const FEWEST_OF_TITLED: usize = 5;
/// A shorter answer about what to do next is an order.
const LONG_ENOUGH: usize = 8;

pub fn find(events: &[Event], out: &mut Vec<Said>) {
    let asks = |event: &&Event| {
        event.kind == EventKind::ToolCall && event.meta.tool.as_deref() == Some("AskUserQuestion") && !event.forgotten
    };
    for call in events.iter().filter(asks) {
        let Some(output) = output_of(events, call).filter(|output| output.meta.exit == Some(Exit::Ok)) else {
            continue;
        };
        let own = own_spans(&output.text);
        for question in questions(&call.text) {
            let Some(place) = answer_to(&output.text, &question.text) else { continue };
            if own.iter().any(|own| own.start < place.end && place.start < own.end) {
                continue;
            }
            let answer = &output.text[place.clone()];
            let Some(statement) = question.with(answer) else { continue };
            let kind = if question.offers(answer) { None } else { wish(answer) }.unwrap_or(CardKind::Preference);
            // A choice among options decides; other answers may be about the moment.
            let source = if question.decides(answer) { CardSource::Decision } else { CardSource::Answer };
            let mut said = Said::by_person(output, place, kind, source, statement);
            if let Some(title) = &question.title {
                said.topic = title.to_lowercase();
            }
            out.push(said);
        }
    }
}

struct Question {
    text: String,
    title: Option<String>,
    options: Vec<String>,
}

fn questions(call: &str) -> Vec<Question> {
    let Ok(input) = serde_json::from_str::<Value>(call) else { return Vec::new() };
    let asked = input["questions"].as_array().cloned().unwrap_or_default();
    let one = |question: &Value| {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let options = question["options"].as_array().into_iter().flatten();
        Some(Question {
            text: text(&question["question"])?,
            title: text(&question["header"]),
            options: options.filter_map(|option| text(&option["label"])).collect(),
        })
    };
    asked.iter().filter_map(one).collect()
}

impl Question {
    fn offers(&self, answer: &str) -> bool {
        self.options.iter().any(|option| option == answer)
    }

    /// Is one of its options chosen, and does it say what about?
    fn decides(&self, answer: &str) -> bool {
        let whole = self.text.split_whitespace().collect::<Vec<_>>().join(" ");
        self.offers(answer) && !self.is_about_next_step() && !points_elsewhere(&whole) && words(&whole).len() >= 6
    }

    fn with(&self, answer: &str) -> Option<String> {
        // Answers about what to do next are orders, unless they are written out.
        let is_order = self.offers(answer) || words(answer).len() < LONG_ENOUGH;
        if is_order && self.is_about_next_step() || words(answer).is_empty() {
            return None;
        }
        let answer = answer.trim_end_matches("(Recommended)").trim().trim_end_matches('.');
        let question = self.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let whole = format!("Asked \"{question}\", answered: {answer}");
        if is_whole(&whole) && !points_elsewhere(&question) {
            return Some(whole);
        }
        let titled = format!("{}: {answer}", self.title.as_deref()?);
        (is_whole(&titled) && words(&titled).len() >= FEWEST_OF_TITLED && !points_elsewhere(answer)).then_some(titled)
    }

    fn is_about_next_step(&self) -> bool {
        let said = format!(" {} ", words(&self.text).join(" "));
        const NEXT: [&str; 7] =
            ["do next", "proceed", "next step", "continue", "ready to", "should i start", "want me to start"];
        let title = self.title.as_deref().unwrap_or_default().to_lowercase();
        title.starts_with("next") || NEXT.iter().any(|words| said.contains(&format!(" {words} ")))
    }
}

fn points_elsewhere(text: &str) -> bool {
    words(text).iter().any(|word| matches!(word.as_str(), "this" | "these" | "those" | "it"))
}

/// Hosts write `"question"="answer"`, one after the other.
fn answer_to(output: &str, question: &str) -> Option<std::ops::Range<usize>> {
    let open = format!("\"{question}\"=\"");
    let start = output.find(&open)? + open.len();
    let rest = &output[start..];
    let end = rest.find("\", \"").into_iter().chain(rest.find("\". You can now")).min().or_else(|| rest.rfind('"'))?;
    (end > 0).then_some(start..start + end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_found_by_their_questions() {
        let output = "User has answered your questions: \"Which port?\"=\"8080\", \"Why?\"=\"say \"x\" often\". You can now continue.";
        let answer = |question| answer_to(output, question).map(|range| &output[range]);
        assert_eq!(answer("Which port?"), Some("8080"));
        assert_eq!(answer("Why?"), Some("say \"x\" often"));
        assert_eq!(answer("Who?"), None);
    }

    #[test]
    fn a_next_step_is_no_decision() {
        let question = |text: &str, title: &str| Question {
            text: text.to_owned(),
            title: Some(title.to_owned()),
            options: vec!["Start now".to_owned(), "SQLite (Recommended)".to_owned()],
        };
        assert_eq!(question("The plan is ready. What would you like to do next?", "Next step").with("Start now"), None);
        assert_eq!(
            question("Which database should the cache use?", "Cache").with("SQLite (Recommended)").as_deref(),
            Some("Asked \"Which database should the cache use?\", answered: SQLite")
        );
        assert_eq!(
            question("Should this use a file?", "Where the cache is kept").with("SQLite (Recommended)").as_deref(),
            Some("Where the cache is kept: SQLite")
        );
        assert_eq!(question("Should this use a file?", "Cache storage").with("SQLite (Recommended)"), None);
    }
}
