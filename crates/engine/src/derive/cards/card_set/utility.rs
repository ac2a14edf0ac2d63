//! Which cards helped?
//!
//! Simple and reproducible: a tactic that a pack showed before an episode's first outcome wins for
//! a success in it and loses for a failure. Only the best two of a pack count, and only episodes
//! with an outcome.

use std::collections::{BTreeSet, HashMap};

use crate::model::{CardId, CardKind, Channel, Exposure, OutcomeKind, Timestamp, Utility};

/// The number of tactics of a pack that get credit.
const CREDITED: usize = 2;

/// Cards that were shown, and the outcomes of that episode.
#[derive(Clone, Debug, PartialEq)]
pub struct ExposedCards {
    pub exposure: Exposure,
    pub time: Option<Timestamp>,
    pub came: SessionOutcome,
}

/// The outcomes of an episode.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionOutcome {
    /// The time of the first outcome; None without any.
    pub first: Option<Option<Timestamp>>,
    pub kinds: BTreeSet<OutcomeKind>,
}

/// How a card was used.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CardUse {
    pub utility: Utility,
    pub last_shown: Option<Timestamp>,
}

pub fn used(shown: &[ExposedCards], kind_of: impl Fn(CardId) -> Option<CardKind>) -> HashMap<CardId, CardUse> {
    let mut used: HashMap<CardId, CardUse> = HashMap::new();
    // One episode counts once for a card, however often it was shown.
    let mut seen: BTreeSet<(Option<&str>, CardId)> = BTreeSet::new();
    let mut credited: HashMap<&str, BTreeSet<CardId>> = HashMap::new();
    for one in shown {
        let session = one.exposure.session.as_deref();
        for card in &one.exposure.cards {
            let of_card = used.entry(*card).or_default();
            of_card.last_shown = of_card.last_shown.max(one.time);
            of_card.utility.shown += u32::from(seen.insert((session, *card)));
        }
        let Some(session) = session.filter(|_| one.exposure.channel == Channel::AutoPack) else { continue };
        if one.came.first.is_none_or(|first| one.time > first) {
            continue;
        }
        let tactics = one.exposure.cards.iter().filter(|card| kind_of(**card) == Some(CardKind::Tactic));
        let winners = credited.entry(session).or_default();
        for card in tactics.take(CREDITED) {
            if winners.len() >= CREDITED || !winners.insert(*card) {
                continue;
            }
            let has = |kinds: [OutcomeKind; 2]| kinds.iter().any(|kind| one.came.kinds.contains(kind));
            let counts = &mut used.entry(*card).or_default().utility;
            counts.wins += u32::from(has([OutcomeKind::ToolSuccess, OutcomeKind::UserConfirmedHelpful]));
            counts.losses += u32::from(has([OutcomeKind::ToolFailure, OutcomeKind::UserCorrected]));
        }
    }
    used
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::digest_of;

    fn card(name: &str) -> CardId {
        CardId(digest_of("test", &[name.as_bytes()]))
    }

    fn shown(session: &str, cards: &[&str], at: i64, outcomes: &[(i64, OutcomeKind)]) -> ExposedCards {
        let exposure = Exposure {
            channel: Channel::AutoPack,
            cards: cards.iter().map(|name| card(name)).collect(),
            session: Some(session.to_owned()),
            surface: None,
        };
        let first = outcomes.first().map(|(time, _)| Some(Timestamp(*time)));
        let kinds = outcomes.iter().map(|(_, kind)| *kind).collect();
        ExposedCards { exposure, time: Some(Timestamp(at)), came: SessionOutcome { first, kinds } }
    }

    #[test]
    fn the_first_two_tactics_shown_in_time_get_the_credit() {
        let good = [(5, OutcomeKind::ToolSuccess)];
        let all = [
            shown("a", &["1", "2", "3"], 1, &good),
            shown("a", &["1"], 2, &good),
            shown("b", &["1"], 9, &good),
            shown("c", &["1"], 1, &[]),
            shown("d", &["2"], 1, &[(5, OutcomeKind::ToolFailure), (6, OutcomeKind::UserConfirmedHelpful)]),
        ];
        let used = used(&all, |_| Some(CardKind::Tactic));
        let utility = |name| used[&card(name)].utility;
        assert_eq!(utility("1"), Utility { wins: 1, losses: 0, shown: 3 }, "late and open episodes do not count");
        assert_eq!(utility("2"), Utility { wins: 2, losses: 1, shown: 2 });
        assert_eq!(utility("3"), Utility { wins: 0, losses: 0, shown: 1 });
    }
}
