//! How many cards may there be?

use crate::model::{CardKind, CardSource, EvidenceKind, Tier};

/// A conversation decides at most so much of a kind.
const DECISIONS: usize = 4;
/// The number of turns of an episode for which its caps apply.
pub const TURNS_OF_A_CAP_WINDOW: u32 = 20;
/// Over all kinds of an episode's candidates.
pub const PER_EPISODE: usize = 12;
/// Statements that were written to be kept have a cap too, in case of a pasted book.
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

/// The maximum number of candidates of a kind from one episode. Two or three worded rules in one
/// session are all meant; refusals and answers more often concern only the moment.
pub fn episode_cap(kind: CardKind, source: CardSource) -> usize {
    match kind {
        _ if matches!(source, CardSource::Decision | CardSource::Agreement) => DECISIONS,
        CardKind::Constraint | CardKind::Preference if matches!(source, CardSource::Prompt | CardSource::Queued) => 3,
        CardKind::Fact => 4,
        CardKind::Tactic | CardKind::NegativeResult | CardKind::Preference => 2,
        CardKind::Constraint | CardKind::Commitment => 1,
    }
}

/// Was it written to be kept? Then the caps of an episode, which limit chatter, do not apply.
pub fn is_written(source: CardSource) -> bool {
    matches!(source, CardSource::Remembered | CardSource::Instructions | CardSource::Import)
}

pub fn dispute_weight(evidence: EvidenceKind) -> f32 {
    match evidence {
        EvidenceKind::ToolOutput => 1.0,
        EvidenceKind::DocSpan => 0.7,
        EvidenceKind::UserSpan => 0.4,
        EvidenceKind::AgentSpan => 0.0,
    }
}

/// The weight of disputes at which a card needs a recheck.
pub fn recheck_at(tier: Tier) -> f32 {
    match tier {
        Tier::Repo => 2.0,
        Tier::Domain => 3.0,
        Tier::Global => 4.0,
    }
}
