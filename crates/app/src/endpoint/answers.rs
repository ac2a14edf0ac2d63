//! A question and documents -> the probability of each answer, from a chat model.

use backstory_cause::relevance::{Answer, Document, ModelError, OutsideModel};
use serde_json::{Value, json};

use super::{Client, Timeout};
use crate::config::{AnswerScorer, Service};
use crate::error::AppError;
use crate::{home, terminal};

/// At most this much of a document is sent.
const EXCERPT_LENGTH: usize = 600;
const TASK: &str = "You judge which place in a code base is the cause of what a question describes. You are given \
                    the question, numbered places, and the documents that are known. Answer with JSON only: \
                    {\"probabilities\": [p1, p2, ...]}, one number from 0 to 1 for each place, in their order, \
                    that add up to 1. Go by the documents; where they say nothing about a place, give it an even share.";

/// The service in `config.toml`.
pub struct AnswerService {
    client: Client,
    service: Service,
}

impl AnswerService {
    /// None by default. Reports what it sends.
    pub fn configured() -> Result<Option<Self>, AppError> {
        let AnswerScorer::Llm(service) = &home::config()?.answers else { return Ok(None) };
        match Client::new(service, Timeout::Question) {
            Ok(client) => {
                let url = client.url();
                terminal::warn(format!("sending the question and excerpts of code and sessions to {url} for weighing"));
                Ok(Some(Self { client, service: service.clone() }))
            }
            Err(reason) => {
                terminal::warn(format!("causes are weighed by facts: {reason}"));
                Ok(None)
            }
        }
    }
}

impl OutsideModel for AnswerService {
    fn name(&self) -> &str {
        &self.service.name
    }

    fn distribution(
        &mut self,
        question: &str,
        answers: &[Answer],
        documents: &[&Document],
    ) -> Result<Vec<f32>, ModelError> {
        let asked = json!({"model": self.service.name, "temperature": 0, "messages": [
            {"role": "system", "content": TASK},
            {"role": "user", "content": describe(question, answers, documents)},
        ]});
        let said = self.client.ask(&asked).map_err(ModelError)?;
        probabilities(&said, answers.len()).ok_or_else(|| {
            ModelError(format!("{} answered without {} probabilities", self.service.name, answers.len()))
        })
    }
}

fn describe(question: &str, answers: &[Answer], documents: &[&Document]) -> String {
    let mut text = format!("Question: {question}\n\nPlaces:\n");
    for (at, answer) in answers.iter().enumerate() {
        text.push_str(&format!(
            "{}. {} in {} (lines {} to {})\n",
            at + 1,
            answer.name,
            answer.path,
            answer.lines.0,
            answer.lines.1
        ));
    }
    text.push_str("\nKnown documents:\n");
    if documents.is_empty() {
        text.push_str("none\n");
    }
    for document in documents {
        let place = document.place().unwrap_or_else(|| document.name.clone());
        let excerpt = terminal::clip(&document.text, EXCERPT_LENGTH);
        text.push_str(&format!("- {} {place}: {} {excerpt}\n", document.kind.name(), document.name));
    }
    text
}

/// Models may think aloud first or put the JSON in a code block.
fn probabilities(answer: &Value, wanted: usize) -> Option<Vec<f32>> {
    let content = answer.pointer("/choices/0/message/content")?.as_str()?;
    let said = content.rsplit("</think>").next().unwrap_or(content);
    let (start, end) = (said.find('{')?, said.rfind('}')?);
    let value: Value = serde_json::from_str(said.get(start..=end)?).ok()?;
    let numbers = value.get("probabilities")?.as_array()?;
    let numbers: Vec<f32> = numbers.iter().filter_map(Value::as_f64).map(|number| number as f32).collect();
    let sane = numbers.iter().all(|number| number.is_finite() && *number >= 0.0);
    (numbers.len() == wanted && sane).then_some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_taken_out_of_what_a_model_says() {
        let said = |content: &str| probabilities(&json!({"choices": [{"message": {"content": content}}]}), 2);
        assert_eq!(said(r#"{"probabilities": [0.75, 0.25]}"#), Some(vec![0.75, 0.25]));
        assert_eq!(said("<think>{}</think>```json\n{\"probabilities\": [1, 0]}\n```"), Some(vec![1.0, 0.0]));
        assert_eq!(said(r#"{"probabilities": [1]}"#), None);
        assert_eq!(said(r#"{"probabilities": [-1, 2]}"#), None);
        assert_eq!(said("the first one"), None);
    }
}
