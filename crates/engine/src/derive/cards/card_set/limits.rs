//! How many cards there may be, and when two are too much alike.

use crate::model::{CardKind, CardSource, EvidenceKind, Tier};

/// The caps of an episode are for so many turns of it.
pub const TURNS_OF_A_CAP_WINDOW: u32 = 20;
/// All candidates of an episode together.
pub const PER_EPISODE: usize = 12;
/// What a person wrote down on purpose is bounded too, against a pasted book.
pub const WRITTEN_PER_EPISODE: usize = 40;

/// How many open cards of a kind a scope may have.
pub fn budget(tier: Tier, kind: CardKind) -> usize {
    let of = |repo, domain, global| match tier {
        Tier::Repo => repo,
        Tier::Domain => domain,
        Tier::Global => global,
    };
    match kind {
        CardKind::Preference => of(80, 40, 20),
        CardKind::Constraint | CardKind::Commitment => of(120, 60, 30),
        CardKind::Fact => of(300, 180, 100),
        CardKind::Tactic | CardKind::NegativeResult => of(120, 80, 40),
    }
}

/// How many candidates of a kind one episode may bring in. Who words two or three
/// rules in one session means all of them; refusals and answers are of the moment
/// more often.
pub fn episode_cap(kind: CardKind, source: CardSource) -> usize {
    match kind {
        CardKind::Constraint | CardKind::Preference if matches!(source, CardSource::Prompt | CardSource::Queued) => 3,
        CardKind::Fact => 4,
        CardKind::Tactic | CardKind::NegativeResult | CardKind::Preference => 2,
        CardKind::Constraint | CardKind::Commitment => 1,
    }
}

/// Was it written down in order to be kept? Then the caps of an episode, which
/// are there against chatter, do not count.
pub fn is_written(source: CardSource) -> bool {
    matches!(source, CardSource::Remembered | CardSource::Instructions | CardSource::Import)
}

/// How much a doubt weighs.
pub fn dispute_weight(evidence: EvidenceKind) -> f32 {
    match evidence {
        EvidenceKind::ToolOutput => 1.0,
        EvidenceKind::DocSpan => 0.7,
        EvidenceKind::UserSpan => 0.4,
        EvidenceKind::AgentSpan => 0.0,
    }
}

/// The weight of doubts at which a card must be checked again.
pub fn recheck_at(tier: Tier) -> f32 {
    match tier {
        Tier::Repo => 2.0,
        Tier::Domain => 3.0,
        Tier::Global => 4.0,
    }
}
