//! What does a line request?

use crate::talk::IntentType;

use super::super::kernel::{Intent, KernelInput};
use super::super::lines::Setting;
use super::super::words::LineWords;
use super::forms::{Forms, Sentence};

/// Reads intents of one setting.
pub struct IntentDetector {
    forms: Forms,
    words: LineWords,
}

impl IntentDetector {
    pub fn new(setting: Setting) -> Self {
        IntentDetector { forms: Forms::new(setting), words: LineWords::default() }
    }

    pub fn kind(&mut self, text: &str) -> Option<IntentType> {
        self.words.read(text);
        if self.words.len() == 0 {
            // A line of only question marks asks for clarification.
            return text.contains('?').then_some(IntentType::Question);
        }
        let sentences = self.words.sentences().map(|(range, asks)| Sentence { words: &self.words, range, asks });
        sentences.filter_map(|sentence| self.forms.kind(&sentence)).max_by_key(|kind| wants(*kind))
    }
}

pub(super) fn wants(kind: IntentType) -> u8 {
    match kind {
        IntentType::Question => 0,
        IntentType::Propose => 1,
        IntentType::Declare => 2,
        IntentType::Request => 3,
    }
}

/// The intents of a transcript in line order: eligible lines of speakers who ask.
pub fn intents(input: &KernelInput<'_>) -> Vec<Intent> {
    let mut detector = IntentDetector::new(input.setting);
    let asks = |at: &usize| input.mask.is_eligible(*at) && input.parts.get(*at).is_some_and(|part| part.asks);
    let found = (0..input.lines.len()).filter(asks).filter_map(|at| {
        let kind = detector.kind(input.lines[at].text)?;
        Some(Intent { at, kind, strength: kind.strength() })
    });
    found.collect()
}

#[cfg(test)]
mod tests;
