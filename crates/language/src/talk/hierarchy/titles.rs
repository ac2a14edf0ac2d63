//! What is a beat or a scene about? Uses words of the transcript.

use std::collections::HashMap;

use crate::talk::lines::TalkLine;
use crate::talk::run::Linked;
use crate::talk::words::LineWords;
use crate::talk::{CausalLink, Strength};
use crate::text::is_stop_word;

use super::{Beat, OutlineNode, Scene};

/// The maximum length of a beat's title in characters, and of a scene's in words.
const LONGEST: usize = 90;
const SCENE_WORDS: usize = 4;

/// Words that people use for any topic.
const SMALL_TALK: &[&str] = &[
    "actually", "alright", "any", "around", "away", "back", "because", "before", "bit", "can't", "check", "come",
    "didn't", "does", "doesn't", "doing", "don't", "everyone", "feel", "find", "fine", "first", "fucking", "getting",
    "give", "god", "going", "gonna", "good", "great", "guess", "guys", "haven't", "he's", "hello", "hey", "hold",
    "i'll", "i've", "isn't", "it'll", "keep", "kind", "know", "let's", "like", "little", "long", "look", "looking",
    "looks", "lot", "make", "maybe", "mean", "much", "need", "nice", "not", "okay", "one", "only", "people", "point",
    "pretty", "put", "really", "right", "roll", "said", "say", "says", "see", "she's", "shit", "should", "something",
    "sorry", "still", "stuff", "sure", "take", "tell", "thank", "thanks", "that's", "there's", "they're", "thing",
    "things", "think", "three", "time", "try", "trying", "turn", "two", "very", "wait", "want", "was", "way", "we'll",
    "we're", "we've", "well", "what's", "who's", "work", "yeah", "yep", "yes", "you'd", "you'll", "you're", "you've",
];

/// The content words of all lines, with their rarity.
pub struct Titles {
    words: Vec<String>,
    /// The number of lines that contain each word.
    lines_with: Vec<u32>,
    /// The words of each line.
    of_lines: Vec<Box<[u32]>>,
}

impl Titles {
    pub fn new(lines: &[TalkLine<'_>], linked: &Linked) -> Self {
        let mut titles =
            Titles { words: Vec::new(), lines_with: Vec::new(), of_lines: Vec::with_capacity(lines.len()) };
        let mut numbers: HashMap<String, u32> = HashMap::new();
        let mut words = LineWords::default();
        let mut terms = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            words.read(if linked.mask.is_eligible(at) { line.text } else { "" });
            terms.clear();
            for word in (0..words.len()).map(|at| words.get(at)).filter(|word| is_content(word)) {
                let number = numbers.get(word).copied().unwrap_or_else(|| {
                    numbers.insert(word.to_owned(), titles.words.len() as u32);
                    titles.words.push(word.to_owned());
                    titles.lines_with.push(0);
                    titles.words.len() as u32 - 1
                });
                terms.push(number);
            }
            terms.sort_unstable();
            terms.dedup();
            terms.iter().for_each(|term| titles.lines_with[*term as usize] += 1);
            titles.of_lines.push(terms.as_slice().into());
        }
        titles
    }

    pub fn terms(&self, at: usize) -> &[u32] {
        &self.of_lines[at]
    }

    /// Rare words weigh more; a word that occurs once links nothing.
    pub fn weight(&self, term: u32) -> f32 {
        let lines = self.lines_with[term as usize];
        if lines < 2 { 0.3 } else { (self.of_lines.len() as f32 / lines as f32).ln() }
    }

    pub fn scene(&self, lines: &[TalkLine<'_>], beats: &[OutlineNode], scene: &OutlineNode, linked: &Linked) -> Scene {
        let from = beats.partition_point(|beat| beat.places.end <= scene.places.start);
        let until = beats.partition_point(|beat| beat.places.start < scene.places.end);
        Scene {
            title: self.apart(scene),
            first: lines[scene.places.start].index,
            last: lines[scene.places.end - 1].index,
            beats: beats[from..until].iter().map(|beat| self.beat(lines, beat, linked)).collect(),
        }
    }

    fn beat(&self, lines: &[TalkLine<'_>], beat: &OutlineNode, linked: &Linked) -> Beat {
        let links = &linked.links[beat.links.clone()];
        let says = |link: &CausalLink| {
            let at = lines.binary_search_by_key(&link.intent_anchor, |line| line.index).unwrap_or(0);
            let mut weights: Vec<f32> = self.terms(at).iter().map(|term| self.weight(*term)).collect();
            weights.sort_by(|a, b| b.total_cmp(a));
            let strong = if link.intent_strength == Strength::Strong { 1.5 } else { 1.0 };
            let claimed = link.consequence.as_ref().map_or(0.3, |found| found.score.min(1.0));
            strong * claimed * weights.iter().take(3).sum::<f32>()
        };
        let best = links.iter().map(|link| (says(link), link)).reduce(|a, b| if b.0 > a.0 { b } else { a });
        Beat {
            title: best.map_or(String::new(), |(_, link)| clipped(&link.actor, &link.intent_text)),
            first: lines[beat.places.start].index,
            last: lines[beat.places.end - 1].index,
            links: beat.links.clone(),
            mass: beat.mass() as u32,
            strength: beat.strength,
        }
    }

    /// The words that are in many lines here and in few elsewhere.
    fn apart(&self, scene: &OutlineNode) -> String {
        let mut here: HashMap<u32, u32> = HashMap::new();
        for term in scene.places.clone().flat_map(|at| self.terms(at)) {
            *here.entry(*term).or_default() += 1;
        }
        let share = scene.mass() as f32 / self.of_lines.len().max(1) as f32;
        let mut scored: Vec<(f32, u32)> = here
            .iter()
            .filter(|(_, count)| **count > 1)
            .map(|(term, count)| {
                let all = self.lines_with[*term as usize] as f32;
                // More often than by chance, and often.
                (
                    *count as f32 * ((*count as f32 + 0.5) / (all * share + 0.5)).ln().max(0.0) + 0.01 * *count as f32,
                    *term,
                )
            })
            .collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let words: Vec<&str> =
            scored.iter().take(SCENE_WORDS).map(|(_, term)| self.words[*term as usize].as_str()).collect();
        words.join(", ")
    }
}

fn is_content(word: &str) -> bool {
    let base = word.strip_suffix("'s").unwrap_or(word);
    base.chars().count() > 2
        && !base.bytes().all(|byte| byte.is_ascii_digit())
        && !is_stop_word(word)
        && !is_stop_word(base)
        && SMALL_TALK.binary_search(&word).is_err()
        && (!word.contains('\'') || word.ends_with("'s"))
}

/// The intent's first sentences, as far as they fit.
fn clipped(actor: &str, text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= LONGEST {
        return format!("{actor}: {text}");
    }
    let cut: String = text.chars().take(LONGEST).collect();
    let cut = cut.rsplit_once(' ').map_or(cut.as_str(), |(before, _)| before);
    format!("{actor}: {cut}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_talk_can_be_looked_up() {
        assert!(is_content("dragon") && !is_content("yeah") && !is_content("the") && !is_content("17"));
        assert!(SMALL_TALK.is_sorted());
    }
}
