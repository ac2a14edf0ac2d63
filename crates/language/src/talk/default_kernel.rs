//! The default kernel: an intent's score for a line is the probability that the line answers it, rather than another
//! intent or none.

use crate::talk::Strength;

use super::kernel::{Intent, Kernel, KernelInput, Params, ReplyCandidate};
use super::reply::{Profile, ReplyReader, Spread, WINDOW};

/// Chosen on labelled chat and dialogues: at .5, at least .85 of the claims are right. The same for all settings:
/// between .3 and .6 the F1 of intents changes by less than .02 on chat and less than .01 on dialogues.
const LEAST_STRONG: f32 = 0.5;
const LEAST_WEAK: f32 = 0.4;

pub struct DefaultKernel;

/// The default kernel with custom weights, for measuring.
pub struct ReplyKernel<'p>(pub &'p Profile);

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

    fn candidates(&self, input: &KernelInput<'_>, intents: &[Intent]) -> Vec<Vec<ReplyCandidate>> {
        ReplyKernel(Profile::of(input.setting)).candidates(input, intents)
    }
}

impl Kernel for ReplyKernel<'_> {
    fn name(&self) -> &'static str {
        DefaultKernel.name()
    }

    fn version(&self) -> u32 {
        DefaultKernel.version()
    }

    fn least(&self, strength: Strength, params: &Params) -> f32 {
        DefaultKernel.least(strength, params)
    }

    fn candidates(&self, input: &KernelInput<'_>, intents: &[Intent]) -> Vec<Vec<ReplyCandidate>> {
        let mut found = vec![Vec::new(); intents.len()];
        let mut reader = ReplyReader::new(self.0, WINDOW);
        let mut by_place: Vec<usize> = (0..intents.len()).collect();
        by_place.sort_by_key(|intent| intents[*intent].at);
        // The intents that can still be answered, oldest first.
        let mut next = 0;
        let mut open: Vec<Open> = Vec::new();
        for (at, line) in input.lines.iter().enumerate() {
            reader.read(line);
            let is_excluded = !input.mask.is_eligible(at);
            if is_excluded {
                open.clear();
            }
            open.retain(|open| at - open.at <= input.params.k_local as usize);
            if input.parts.get(at).is_some_and(|part| part.answers) && !line.speaker.is_empty() {
                let others = open.iter_mut().filter(|open| input.lines[open.at].speaker != line.speaker);
                let mut others = others.peekable();
                let spread = if others.peek().is_some() { reader.spread() } else { Spread::default() };
                for open in others {
                    open.ordinal += 1;
                    found[open.intent].push(ReplyCandidate {
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

#[cfg(test)]
mod tests {
    use super::super::lines::{Setting, SpeakerPart, TalkLine};
    use super::super::mask::{EligibilityMask, ExcludedRange, MaskReason};
    use super::*;
    use crate::talk::IntentType;

    const LINES: [(&str, &str); 8] = [
        ("Ann", "Is the gate locked?"),
        ("Bea", "I look for another way in."),
        ("Ann", "Hello?"),
        ("Master", "Yes, the gate is locked."),
        ("", "(a bell)"),
        ("Bea", "Can I climb the wall?"),
        ("Master", "You can climb it, the wall is low."),
        ("Master", "What do you do?"),
    ];

    /// (intent, candidate, ordinal, gap) when the lines of `excluded` do not count.
    fn check(intents: &[usize], excluded: &[usize], k_local: u32) -> Vec<(usize, usize, u32, u32)> {
        let lines: Vec<TalkLine> =
            LINES.iter().zip(0..).map(|((speaker, text), index)| TalkLine { index, speaker, text }).collect();
        let part = |line: &TalkLine| SpeakerPart { asks: line.speaker != "Master", answers: line.speaker == "Master" };
        let parts: Vec<SpeakerPart> = lines.iter().map(part).collect();
        let range = |at: &usize| ExcludedRange { start: *at as u32, end: *at as u32, reason: MaskReason::Noise };
        let mask = EligibilityMask::new("s", lines.len(), excluded.iter().map(range).collect());
        let params = Params { k_local, ..Params::default() };
        let setting = Setting::Tabletop;
        let input = KernelInput { session: "s", setting, lines: &lines, parts: &parts, mask: &mask, params: &params };
        let intent = |at: &usize| Intent { at: *at, kind: IntentType::Question, strength: Strength::Weak };
        let intents: Vec<Intent> = intents.iter().map(intent).collect();
        let found = DefaultKernel.candidates(&input, &intents);
        let all = intents.iter().zip(found).flat_map(|(intent, found)| found.into_iter().map(|c| (intent.at, c)));
        all.map(|(intent, candidate)| {
            assert!((0.0..=1.0).contains(&candidate.score));
            (intent, candidate.at, candidate.ordinal, candidate.gap)
        })
        .collect()
    }

    #[test]
    fn those_who_answer_are_candidates_in_order() {
        assert_eq!(check(&[0], &[], 8), [(0, 3, 1, 3), (0, 6, 2, 6), (0, 7, 3, 7)]);
        assert_eq!(check(&[5, 0], &[], 3), [(5, 6, 1, 1), (5, 7, 2, 2), (0, 3, 1, 3)]);
    }

    #[test]
    fn nothing_reaches_over_lines_that_do_not_count() {
        assert_eq!(check(&[0, 5], &[4], 8), [(0, 3, 1, 3), (5, 6, 1, 1), (5, 7, 2, 2)]);
        assert_eq!(check(&[0, 5], &[0, 6], 8), []);
    }

    #[test]
    fn an_intent_may_have_no_candidates() {
        assert_eq!(check(&[7], &[], 8), []);
        assert_eq!(check(&[], &[], 8), []);
        assert_eq!(check(&[0], &[], 0), []);
    }
}
