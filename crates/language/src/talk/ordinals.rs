//! Which lines after an intent are by somebody who answers?
//!
//! An answer is somebody else's line: if all have both roles, nobody answers themselves.

use std::collections::HashMap;

use super::lines::{SpeakerPart, TalkLine};

/// The answering lines in order, with jumps over a speaker's own.
pub struct Ordinals {
    /// Positions of the answering lines.
    answering: Vec<u32>,
    /// For each line, the number of answering lines at or before it.
    up_to: Vec<u32>,
    /// Each line's speaker as a number; 0 for nobody.
    speakers: Vec<u32>,
    /// For each of `answering`, the next one by another speaker.
    next_other: Vec<u32>,
    /// For each speaker, the indexes of their lines in `answering`.
    own: Vec<Vec<u32>>,
}

impl Ordinals {
    pub fn new(lines: &[TalkLine<'_>], parts: &[SpeakerPart]) -> Self {
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let speakers: Vec<u32> = lines
            .iter()
            .map(|line| {
                let next = numbers.len() as u32 + 1;
                if line.speaker.is_empty() { 0 } else { *numbers.entry(line.speaker).or_insert(next) }
            })
            .collect();
        let mut answering = Vec::new();
        let mut up_to = Vec::with_capacity(lines.len());
        let mut own = vec![Vec::new(); numbers.len() + 1];
        for (place, speaker) in speakers.iter().enumerate() {
            if parts.get(place).is_some_and(|part| part.answers) {
                own[*speaker as usize].push(answering.len() as u32);
                answering.push(place as u32);
            }
            up_to.push(answering.len() as u32);
        }
        let mut next_other = vec![answering.len() as u32; answering.len()];
        for at in (1..answering.len()).rev() {
            let same = speakers[answering[at - 1] as usize] == speakers[answering[at] as usize];
            next_other[at - 1] = if same { next_other[at] } else { at as u32 };
        }
        Ordinals { answering, up_to, speakers, next_other, own }
    }

    /// The lines after `place` that may answer it, nearest first, each with its ordinal.
    pub fn after(&self, place: usize) -> impl Iterator<Item = (u32, usize)> {
        let speaker = self.speakers.get(place).copied().unwrap_or(0);
        let mut at = self.up_to.get(place).copied().unwrap_or(u32::MAX) as usize;
        let others = std::iter::from_fn(move || {
            let mut found = *self.answering.get(at)?;
            if speaker != 0 && self.speakers[found as usize] == speaker {
                at = self.next_other[at] as usize;
                found = *self.answering.get(at)?;
            }
            at += 1;
            Some(found as usize)
        });
        (1..).zip(others)
    }

    /// The ordinal of `to` among those lines; None if it is not one of them.
    pub fn of(&self, from: usize, to: usize) -> Option<u32> {
        let (speaker, last) = (*self.speakers.get(from)?, *self.speakers.get(to)?);
        let answers = self.up_to[to] > 0 && self.answering[self.up_to[to] as usize - 1] as usize == to;
        if to <= from || !answers || speaker != 0 && speaker == last {
            return None;
        }
        let (first, until) = (self.up_to[from], self.up_to[to]);
        let own = if speaker == 0 { &[][..] } else { &self.own[speaker as usize][..] };
        let own = own.partition_point(|at| *at < until) - own.partition_point(|at| *at < first);
        Some(until - first - own as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_answers_himself() {
        let speakers = ["a", "a", "b", "a", "", "b", "c", "a"];
        let lines: Vec<TalkLine> =
            speakers.iter().zip(0..).map(|(speaker, index)| TalkLine { index, speaker, text: "" }).collect();
        let parts: Vec<SpeakerPart> = lines
            .iter()
            .map(|line| if line.speaker.is_empty() { SpeakerPart::default() } else { SpeakerPart::BOTH })
            .collect();
        let ordinals = Ordinals::new(&lines, &parts);
        assert_eq!(ordinals.after(0).collect::<Vec<_>>(), [(1, 2), (2, 5), (3, 6)]);
        assert_eq!(ordinals.after(2).collect::<Vec<_>>(), [(1, 3), (2, 6), (3, 7)]);
        assert_eq!(ordinals.after(4).collect::<Vec<_>>(), [(1, 5), (2, 6), (3, 7)]);
        for from in 0..lines.len() {
            let listed: Vec<(u32, usize)> = ordinals.after(from).collect();
            for to in 0..lines.len() {
                let expected = listed.iter().find(|(_, place)| *place == to).map(|(ordinal, _)| *ordinal);
                assert_eq!(ordinals.of(from, to), expected, "{from} -> {to}");
            }
        }
        assert_eq!(ordinals.of(0, 99), None);
    }
}
