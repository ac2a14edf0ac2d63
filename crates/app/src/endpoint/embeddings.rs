//! Texts -> vectors, by an OpenAI-compatible embeddings service.

use backstory_engine::model::digest_of;
use backstory_language::embed::{EmbedError, Embedder, to_unit_length};
use serde_json::{Value, json};

use crate::config::Service;
use crate::terminal;

use super::{Client, Timeout};

const BATCH: usize = 64;

pub struct Endpoint {
    client: Client,
    /// The service's name for the model.
    name: String,
    model: String,
    asked_dim: Option<usize>,
    /// Known after the first answer.
    dim: Option<usize>,
    /// The number of texts that may be sent; reported once, before the first.
    expected: usize,
    announced: bool,
    /// A command may embed the same question twice.
    last: Option<(String, Vec<f32>)>,
    /// A service that failed is not asked again.
    failed: Option<String>,
}

impl Endpoint {
    pub fn new(service: &Service, dim: Option<usize>, timeout: Timeout) -> Result<Self, EmbedError> {
        Ok(Endpoint {
            client: Client::new(service, timeout).map_err(EmbedError::NoAnswer)?,
            name: service.name.clone(),
            model: model_id(service, dim),
            asked_dim: dim,
            dim,
            expected: 1,
            announced: false,
            last: None,
            failed: None,
        })
    }

    /// Announces how many texts may be sent.
    pub fn expect(&mut self, texts: u64) {
        self.expected = texts as usize;
    }

    fn announce(&mut self, texts: usize) {
        if !std::mem::replace(&mut self.announced, true) {
            let limit = if self.expected > texts { "up to " } else { "" };
            let texts = terminal::count(self.expected.max(texts) as u64, "text");
            terminal::warn(format!("sending {limit}{texts} to {} for embedding", self.client.url()));
        }
    }

    fn request(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        if let Some(failed) = &self.failed {
            return Err(EmbedError::NoAnswer(failed.clone()));
        }
        self.announce(texts.len());
        let mut question = json!({"model": self.name, "input": texts});
        if let Some(dim) = self.asked_dim {
            question["dimensions"] = json!(dim);
        }
        let answer = self.client.ask(&question).and_then(|answer| vectors_in(&answer, texts.len(), self.client.url()));
        let vectors = answer.map_err(|message| {
            self.failed = Some(message.clone());
            EmbedError::NoAnswer(message)
        })?;
        for vector in &vectors {
            let expected = *self.dim.get_or_insert(vector.len());
            if vector.len() != expected {
                return Err(EmbedError::Dimensions { model: self.name.clone(), expected, found: vector.len() });
            }
        }
        Ok(vectors)
    }

    /// An empty text is not sent, but its zero vector must have the length of the others.
    fn length(&mut self) -> Result<usize, EmbedError> {
        match self.dim {
            Some(dim) => Ok(dim),
            None => Ok(self.request(&["length"])?.first().map_or(0, Vec::len)),
        }
    }
}

impl Embedder for Endpoint {
    fn model(&self) -> &str {
        &self.model
    }

    /// 0 while unknown.
    fn dim(&self) -> usize {
        self.dim.unwrap_or(0)
    }

    fn embed(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        if let ([text], Some((known, vector))) = (texts, &self.last)
            && text == known
        {
            return Ok(vec![vector.clone()]);
        }
        let said: Vec<usize> = (0..texts.len()).filter(|place| !texts[*place].trim().is_empty()).collect();
        let mut made = Vec::new();
        for places in said.chunks(BATCH) {
            made.extend(self.request(&places.iter().map(|place| texts[*place]).collect::<Vec<_>>())?);
        }
        let zeros = if said.len() < texts.len() { self.length()? } else { 0 };
        let mut vectors = vec![vec![0.0; zeros]; texts.len()];
        for (place, vector) in said.into_iter().zip(made) {
            vectors[place] = vector;
        }
        if let ([text], [vector]) = (texts, vectors.as_slice()) {
            self.last = Some(((*text).to_owned(), vector.clone()));
        }
        Ok(vectors)
    }
}

/// The same name at another address may be another model.
fn model_id(service: &Service, dim: Option<usize>) -> String {
    let dim = dim.unwrap_or(0) as u64;
    let digest = digest_of("endpoint", &[service.url.as_bytes(), service.name.as_bytes(), &dim.to_le_bytes()]);
    format!("endpoint-{}-{}", service.name, &digest.to_string()[..8])
}

/// The unit-length vectors in an answer, in the order of the texts.
fn vectors_in(answer: &Value, wanted: usize, url: &str) -> Result<Vec<Vec<f32>>, String> {
    let list =
        answer["data"].as_array().ok_or_else(|| format!("{url} answered without a list `data` of embeddings"))?;
    if list.len() != wanted {
        return Err(format!("{url} answered with {} embeddings for {wanted} texts", list.len()));
    }
    let mut vectors = vec![Vec::new(); wanted];
    for (place, item) in list.iter().enumerate() {
        let place = item["index"].as_u64().map_or(place, |index| index as usize);
        let slot = vectors.get_mut(place).ok_or_else(|| format!("{url} answered with an index beyond the texts"))?;
        *slot = vector_in(&item["embedding"])
            .ok_or_else(|| format!("{url} answered with an embedding that is no list of numbers"))?;
    }
    Ok(vectors)
}

fn vector_in(embedding: &Value) -> Option<Vec<f32>> {
    let numbers: Option<Vec<f32>> = embedding.as_array()?.iter().map(|value| Some(value.as_f64()? as f32)).collect();
    let mut vector = numbers.filter(|numbers| !numbers.is_empty() && numbers.iter().all(|value| value.is_finite()))?;
    to_unit_length(&mut vector);
    Some(vector)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_come_in_the_order_of_the_texts_and_of_length_one() {
        let answer = json!({"data": [
            {"index": 1, "embedding": [0.0, 2.0]},
            {"index": 0, "embedding": [3.0, 4.0]},
        ]});
        assert_eq!(vectors_in(&answer, 2, "u"), Ok(vec![vec![0.6, 0.8], vec![0.0, 1.0]]));
        assert!(vectors_in(&answer, 3, "u").is_err_and(|message| message.contains("2 embeddings for 3 texts")));
    }

    #[test]
    fn answers_that_make_no_sense_are_refused() {
        for answer in [
            json!({"error": "no"}),
            json!({"data": [{"embedding": "abc"}]}),
            json!({"data": [{"embedding": []}]}),
            json!({"data": [{"index": 7, "embedding": [1.0]}]}),
        ] {
            assert!(vectors_in(&answer, 1, "u").is_err(), "{answer}");
        }
    }

    #[test]
    fn another_address_or_length_is_another_model() {
        let service = |url: &str| Service { url: url.into(), name: "m".into(), api_key_env: None };
        let ids = [
            model_id(&service("http://a"), None),
            model_id(&service("http://b"), None),
            model_id(&service("http://a"), Some(8)),
        ];
        assert!(ids[0] != ids[1] && ids[0] != ids[2] && ids.iter().all(|id| id.starts_with("endpoint-m-")), "{ids:?}");
    }
}
