//! The baseline: plain BM25 over lower-cased words.

use std::collections::HashMap;

const K1: f32 = 1.2;
const B: f32 = 0.75;

pub struct Baseline {
    /// The texts with each word, and its count in each.
    postings: HashMap<String, HashMap<usize, f32>>,
    lengths: Vec<f32>,
}

impl Baseline {
    pub fn over<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        Self::over_words(texts.into_iter().map(words))
    }

    /// For texts that are already split into words.
    pub fn over_words(texts: impl IntoIterator<Item = impl Iterator<Item = String>>) -> Self {
        let mut baseline = Baseline { postings: HashMap::new(), lengths: Vec::new() };
        for (at, text) in texts.into_iter().enumerate() {
            let mut length = 0.0;
            for word in text {
                *baseline.postings.entry(word).or_default().entry(at).or_default() += 1.0;
                length += 1.0;
            }
            baseline.lengths.push(length);
        }
        baseline
    }

    /// The indexes of the texts with any of the words, best first.
    pub fn rank(&self, question: &str) -> Vec<usize> {
        self.rank_words(words(question))
    }

    pub fn rank_words(&self, question: impl Iterator<Item = String>) -> Vec<usize> {
        let texts = self.lengths.len() as f32;
        let average = self.lengths.iter().sum::<f32>() / texts.max(1.0);
        let mut scores = vec![0f32; self.lengths.len()];
        for postings in question.filter_map(|word| self.postings.get(&word)) {
            let with = postings.len() as f32;
            let rarity = (1.0 + (texts - with + 0.5) / (with + 0.5)).ln();
            for (at, count) in postings {
                let length = 1.0 - B + B * self.lengths[*at] / average;
                scores[*at] += rarity * count * (K1 + 1.0) / (count + K1 * length);
            }
        }
        let mut ranked: Vec<usize> = (0..scores.len()).filter(|at| scores[*at] > 0.0).collect();
        ranked.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
        ranked
    }
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::Baseline;

    #[test]
    fn rare_words_and_short_texts_win() {
        let texts = ["the cat and the dog and the bird", "the Dog", "the mouse"];
        assert_eq!(Baseline::over(texts).rank("where is the dog?"), [1, 0, 2]);
        assert!(Baseline::over(texts).rank("fish").is_empty());
    }
}
