//! Which lines want an answer, and of which kind?
//!
//! A line is read sentence by sentence and clause by clause; the kind that wants
//! most decides (request, declare, propose, question). A request in the form of
//! a question is a request.

mod forms;
mod tables;

use crate::talk::IntentType;

use super::kernel::{Input, Intent};
use super::lines::Setting;
use super::words::Words;
use forms::Forms;

/// Reads intents of one setting.
pub struct Detector {
    forms: Forms,
    words: Words,
}

impl Detector {
    pub fn new(setting: Setting) -> Self {
        Detector { forms: Forms::new(setting), words: Words::default() }
    }

    pub fn kind(&mut self, text: &str) -> Option<IntentType> {
        self.words.read(text);
        if self.words.len() == 0 {
            // A line of nothing but question marks asks what was meant.
            return text.contains('?').then_some(IntentType::Question);
        }
        let kinds = self.words.sentences().filter_map(|(range, asks)| self.forms.kind(&self.words, range, asks));
        kinds.max_by_key(|kind| wants(*kind))
    }
}

fn wants(kind: IntentType) -> u8 {
    match kind {
        IntentType::Question => 0,
        IntentType::Propose => 1,
        IntentType::Declare => 2,
        IntentType::Request => 3,
    }
}

/// The intents of a transcript in the order of lines: lines that count, by those who ask.
pub fn intents(input: &Input<'_>) -> Vec<Intent> {
    let mut detector = Detector::new(input.setting);
    let asks = |at: &usize| input.mask.is_eligible(*at) && input.parts.get(*at).is_some_and(|part| part.asks);
    let found = (0..input.lines.len()).filter(asks).filter_map(|at| {
        let kind = detector.kind(input.lines[at].text)?;
        Some(Intent { at, kind, strength: kind.strength() })
    });
    found.collect()
}

#[cfg(test)]
mod tests;
