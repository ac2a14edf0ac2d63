//! The default kernel: an intent's score for a line is how likely that line
//! answers it, among all that the line may answer and none.

use super::kernel::{Candidate, Input, Intent, Kernel, Params};
use super::reply::{Profile, Reader, WINDOW};
use crate::model::Strength;

/// Chosen on labelled chat and dialogues: below them more claims are wrong than right.
const LEAST_STRONG: f32 = 0.5;
const LEAST_WEAK: f32 = 0.4;

pub struct DefaultKernel;

impl Kernel for DefaultKernel {
    fn name(&self) -> &'static str {
        "default"
    }

    fn version(&self) -> u32 {
        1
    }

    fn least(&self, strength: Strength, _: &Params) -> f32 {
        match strength {
            Strength::Strong => LEAST_STRONG,
            Strength::Weak => LEAST_WEAK,
        }
    }

    fn candidates(&self, input: &Input<'_>, intents: &[Intent]) -> Vec<Vec<Candidate>> {
        let mut found = vec![Vec::new(); intents.len()];
        let mut reader = Reader::new(Profile::of(input.setting), WINDOW);
        let mut by_place: Vec<usize> = (0..intents.len()).collect();
        by_place.sort_by_key(|intent| intents[*intent].at);
        // The intents that may still be answered, oldest first.
        let mut next = 0;
        let mut open: Vec<Open> = Vec::new();
        for (at, line) in input.lines.iter().enumerate() {
            reader.read(line);
            let is_excluded = !input.mask.eligible.get(at).copied().unwrap_or(true);
            if is_excluded {
                open.clear();
            }
            open.retain(|open| at - open.at <= input.params.k_local as usize);
            if input.parts.get(at).is_some_and(|part| part.answers) && !line.speaker.is_empty() {
                let others = open.iter_mut().filter(|open| input.lines[open.at].speaker != line.speaker);
                let mut others = others.peekable();
                let spread = others.peek().is_some().then(|| reader.spread()).unwrap_or_default();
                for open in others {
                    open.ordinal += 1;
                    found[open.intent].push(Candidate {
                        at,
                        ordinal: open.ordinal,
                        gap: (at - open.at) as u32,
                        score: spread.of(open.at),
                        parts: reader.parts(open.at as u32),
                    });
                }
            }
            while let Some(intent) = by_place.get(next).copied().filter(|intent| intents[*intent].at <= at) {
                next += 1;
                if intents[intent].at == at && !is_excluded {
                    open.push(Open { intent, at, ordinal: 0 });
                }
            }
        }
        found
    }
}

struct Open {
    intent: usize,
    at: usize,
    ordinal: u32,
}
