//! Fights: turns, attacks, damage.
//!
//! Cues add to a heat that decays from line to line. A fight starts when the heat is high, or at an anchor ("roll
//! initiative"), and ends when cues stop, or when somebody says that it is over. Plain "hit", "round" and "miss" are
//! not cues: people hit doors too.

use crate::talk::words::Phrases;

use super::detect::{RegimeDetector, SeenLine};
use super::{ExcludedRange, MaskReason};

/// The heat's half-life is 12 lines.
const FADES: f32 = 0.944;
const OPENS: f32 = 4.0;
const CLOSES: f32 = 1.0;
const ANCHOR: f32 = 4.0;
/// The maximum heat of one line: a list of rules is not a fight.
const HOTTEST: f32 = 2.0;
/// The least number of lines with cues, and of lines, in a fight.
const FEWEST: u32 = 6;
const SHORTEST: u32 = 12;

const ANCHORS: &[&str] = &[
    "roll initiative", "roll for initiative", "roll your initiative", "roll me initiative", "roll some initiative",
    "rolls initiative", "initiative order", "need you to roll initiative", "into initiative", "enter combat",
    "combat begins", "combat starts", "top of the round", "top of the initiative",
];

const OVER: &[&str] = &[
    "combat ends", "combat is over", "out of combat", "end of combat", "end combat", "end of the fight",
    "fight is over", "battle is over", "out of initiative", "end initiative", "initiative ends", "drop initiative",
];

const CUES: &[&str] = &[
    "to hit", "does hit", "that hits", "hits you", "hits him", "hits her", "just hits", "does that hit", "that'll hit",
    "that will hit", "do hit", "that does hit", "will hit", "that misses", "does not hit", "doesn't hit", "misses you",
    "roll damage", "roll for damage", "roll your damage", "points of damage", "damage to", "damage on", "of damage",
    "slashing damage", "piercing damage", "bludgeoning damage", "fire damage", "cold damage", "necrotic damage",
    "radiant damage", "lightning damage", "psychic damage", "poison damage", "acid damage", "thunder damage",
    "force damage", "take damage", "half damage", "sneak attack", "action surge", "attack roll",
    "attack of opportunity", "opportunity attack", "reckless attack", "great weapon master", "hunter's mark",
    "armor class", "hit points", "bonus action", "your turn", "my turn", "her turn", "his turn", "their turn",
    "end of your turn", "end your turn", "end my turn", "ends your turn", "next turn", "this turn", "your reaction",
    "my reaction", "your action", "my action", "your movement", "my movement", "first attack", "second attack",
    "third attack", "another attack", "two attacks", "multi attack", "multiattack", "extra attack", "initiative",
    "saving throw", "you're up", "on deck", "melee attack", "ranged attack", "disengage", "falls unconscious",
    "death saving", "how do you want to do this", "attack him", "attack her", "attack it", "attack them", "i attack",
    "he attacks", "she attacks", "make an attack", "make two attacks", "swing at", "swings at", "shoot at",
    "natural armor", "flanking",
];

pub struct Combat {
    ranges: Vec<ExcludedRange>,
    anchors: Phrases,
    over: Phrases,
    cues: Phrases,
    heat: f32,
    /// The first cue since the heat was low.
    warm: Option<u32>,
    is_open: bool,
    /// Lines with cues since then, and the last of them.
    cued: u32,
    last: u32,
}

impl Combat {
    pub fn new() -> Self {
        Combat {
            ranges: Vec::new(),
            anchors: Phrases::new(ANCHORS),
            over: Phrases::new(OVER),
            cues: Phrases::new(CUES),
            heat: 0.0,
            warm: None,
            is_open: false,
            cued: 0,
            last: 0,
        }
    }

    fn close(&mut self) {
        let lasts = self.warm.map_or(0, |from| self.last + 1 - from);
        if let Some(start) = self.warm.take()
            && self.is_open
            && self.cued >= FEWEST
            && lasts >= SHORTEST
        {
            self.ranges.push(ExcludedRange { start, end: self.last, reason: MaskReason::Combat });
        }
        self.is_open = false;
        self.cued = 0;
    }
}

impl RegimeDetector for Combat {
    fn see(&mut self, seen: &SeenLine<'_>) {
        self.heat *= FADES;
        let is_anchor = self.anchors.any(seen.words);
        let cues = self.cues.count(seen.words);
        if self.over.any(seen.words) {
            if self.warm.is_some() {
                self.last = seen.place;
            }
            self.close();
            self.heat = 0.0;
            return;
        }
        if cues > 0 || is_anchor {
            self.heat += if is_anchor { ANCHOR } else { (cues as f32).min(HOTTEST) };
            self.warm.get_or_insert(seen.place);
            self.cued += 1;
            self.last = seen.place;
        }
        // Lines before the anchor are not part of the fight.
        if is_anchor && !self.is_open {
            self.warm = Some(seen.place);
            self.cued = 1;
        }
        self.is_open |= self.heat >= OPENS;
        if self.heat < CLOSES && self.warm.is_some() {
            self.close();
        }
    }

    fn end(mut self: Box<Self>) -> Vec<ExcludedRange> {
        self.close();
        self.ranges
    }
}

#[cfg(test)]
mod tests {
    use super::super::detect::{Detectors, ranges_in};

    fn check(transcript: &str, expected: &[(u32, u32)]) {
        let only = Detectors { combat: true, ..Detectors::NONE };
        assert_eq!(ranges_in(transcript, only), expected);
    }

    const ROUND: &str = "GM: You're up.\nAnn: I attack it. 18 to hit.\nGM: That hits. Roll damage.\nAnn: Nine.\n";
    const CALM: &str = "Ann: We walk on.\nGM: The path bends.\n";

    #[test]
    fn a_fight_closes_by_itself() {
        let transcript = [CALM, "GM: Roll initiative!\n", &ROUND.repeat(4), &CALM.repeat(60)].concat();
        check(&transcript, &[(2, 17)]);
    }

    #[test]
    fn a_fight_closes_when_it_is_said() {
        let transcript = [&ROUND.repeat(5), "GM: And combat ends.\n", CALM].concat();
        check(&transcript, &[(0, 20)]);
    }

    #[test]
    fn talk_of_fighting_is_none() {
        check(
            "Ann: I hit the door.\nGM: It takes another round of blows.\nBo: You missed it!\n".repeat(20).as_str(),
            &[],
        );
        check(&["GM: Roll initiative!\n", &CALM.repeat(40)].concat(), &[]);
        check(&["Ann: It was 12 points of damage last week.\n", &CALM.repeat(10)].concat().repeat(5), &[]);
    }
}
