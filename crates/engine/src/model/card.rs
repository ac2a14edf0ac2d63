//! What is a card? A statement worth remembering, with its evidence.

use backstory_language::digest::{Digest, digest_of};

use super::decided::{Decided, FixNote, RefusedOption};
use super::evidence::{EvidenceKind, EvidenceRef};
use super::ids::{CardId, ProjectId};
use super::time::Timestamp;

/// A statement is read alone, in a pack of many.
pub const LONGEST_STATEMENT: usize = 280;
/// The tag of a card whose evidence is in another log.
pub const UNVERIFIED: &str = "unverified";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CardKind {
    Preference,
    Constraint,
    Commitment,
    Fact,
    Tactic,
    NegativeResult,
}

impl CardKind {
    pub const ALL: [CardKind; 6] = [
        CardKind::Preference,
        CardKind::Constraint,
        CardKind::Commitment,
        CardKind::Fact,
        CardKind::Tactic,
        CardKind::NegativeResult,
    ];

    pub fn name(self) -> &'static str {
        match self {
            CardKind::Preference => "preference",
            CardKind::Constraint => "constraint",
            CardKind::Commitment => "commitment",
            CardKind::Fact => "fact",
            CardKind::Tactic => "tactic",
            CardKind::NegativeResult => "negative_result",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Is it about what a person wants, and not about how things are?
    pub fn is_normative(self) -> bool {
        matches!(self, CardKind::Preference | CardKind::Constraint | CardKind::Commitment)
    }

    /// May a card of this kind rest on such evidence alone?
    fn rests_on(self, evidence: EvidenceKind) -> bool {
        match self {
            CardKind::Preference | CardKind::Constraint | CardKind::Commitment => evidence == EvidenceKind::UserSpan,
            CardKind::Fact => evidence != EvidenceKind::AgentSpan,
            CardKind::Tactic | CardKind::NegativeResult => {
                matches!(evidence, EvidenceKind::ToolOutput | EvidenceKind::DocSpan)
            }
        }
    }
}

/// How wide a card's scope is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    Repo,
    Domain,
    Global,
}

impl Tier {
    pub const ALL: [Tier; 3] = [Tier::Repo, Tier::Domain, Tier::Global];

    pub fn name(self) -> &'static str {
        match self {
            Tier::Repo => "repo",
            Tier::Domain => "domain",
            Tier::Global => "global",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tier| tier.name() == name)
    }
}

/// Where a card applies: a project's id, a domain's name, or everywhere.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct Scope {
    pub tier: Tier,
    pub id: String,
}

impl Scope {
    pub fn repo(project: ProjectId) -> Self {
        Scope { tier: Tier::Repo, id: project.to_string() }
    }

    pub fn domain(name: &str) -> Self {
        Scope { tier: Tier::Domain, id: name.to_owned() }
    }

    pub fn global() -> Self {
        Scope { tier: Tier::Global, id: String::new() }
    }

    pub fn project(&self) -> Option<ProjectId> {
        (self.tier == Tier::Repo).then(|| Digest::parse(&self.id).map(ProjectId))?
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CardStatus {
    /// Unconfirmed: until a person confirms it, or it is said again.
    Proposed,
    Active,
    NeedsRecheck,
    Superseded,
    Archived,
}

impl CardStatus {
    pub const ALL: [CardStatus; 5] = [
        CardStatus::Proposed,
        CardStatus::Active,
        CardStatus::NeedsRecheck,
        CardStatus::Superseded,
        CardStatus::Archived,
    ];

    pub fn name(self) -> &'static str {
        match self {
            CardStatus::Proposed => "proposed",
            CardStatus::Active => "active",
            CardStatus::NeedsRecheck => "needs_recheck",
            CardStatus::Superseded => "superseded",
            CardStatus::Archived => "archived",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }

    /// Is it active or proposed?
    pub fn is_open(self) -> bool {
        matches!(self, CardStatus::Proposed | CardStatus::Active | CardStatus::NeedsRecheck)
    }
}

/// Why a card was archived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum PutAway {
    ByHand,
    /// Removed from its instruction file.
    Withdrawn,
    /// Its scope had too many cards.
    Budget,
    NeverUsed,
    /// It was shown and did not help.
    OfNoUse,
    /// It was promoted to a wider scope.
    Promoted {
        to: CardId,
    },
    /// Another card says the same.
    Duplicate {
        of: CardId,
    },
}

impl PutAway {
    pub fn name(self) -> &'static str {
        match self {
            PutAway::ByHand => "by_hand",
            PutAway::Withdrawn => "withdrawn",
            PutAway::Budget => "budget",
            PutAway::NeverUsed => "never_used",
            PutAway::OfNoUse => "of_no_use",
            PutAway::Promoted { .. } => "promoted",
            PutAway::Duplicate { .. } => "duplicate",
        }
    }
}

/// Where a statement was found. This matters more than its wording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CardSource {
    /// `backstory remember`, `cards add`, `cards edit`.
    Remembered,
    /// Written into an instruction file in a session.
    Instructions,
    /// The reason with which a call was refused.
    Rejection,
    /// An answer to the agent's question.
    Answer,
    /// Said while the agent worked.
    Queued,
    /// The wording of a prompt.
    Prompt,
    /// What a conversation decided, in words that a person said, chose or saw in a recap.
    Decision,
    /// An agent's proposal that a person agreed to.
    Agreement,
    /// A check that passed in several sessions.
    CheckCommand,
    /// A failing command, followed at once by a working one.
    Correction,
    /// Commands that repeatedly passed in the same order.
    Procedure,
    /// A failing command, edits, and the same command passing.
    Fix,
    /// An attempt that did not change the failure.
    Attempt,
    /// Read from a file of cards.
    Import,
    /// Proposed by an agent. An agent's word alone is never in force.
    Agent,
}

impl CardSource {
    pub const ALL: [CardSource; 15] = [
        CardSource::Remembered,
        CardSource::Instructions,
        CardSource::Rejection,
        CardSource::Answer,
        CardSource::Queued,
        CardSource::Prompt,
        CardSource::Decision,
        CardSource::Agreement,
        CardSource::CheckCommand,
        CardSource::Correction,
        CardSource::Procedure,
        CardSource::Fix,
        CardSource::Attempt,
        CardSource::Import,
        CardSource::Agent,
    ];

    pub fn name(self) -> &'static str {
        match self {
            CardSource::Remembered => "remembered",
            CardSource::Instructions => "instructions",
            CardSource::Rejection => "rejection",
            CardSource::Answer => "answer",
            CardSource::Queued => "queued",
            CardSource::Prompt => "prompt",
            CardSource::Decision => "decision",
            CardSource::Agreement => "agreement",
            CardSource::CheckCommand => "check_command",
            CardSource::Correction => "correction",
            CardSource::Procedure => "procedure",
            CardSource::Fix => "fix",
            CardSource::Attempt => "attempt",
            CardSource::Import => "import",
            CardSource::Agent => "agent",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|source| source.name() == name)
    }

    /// A person's own words to an agent, which may apply only to the moment.
    pub fn is_said(self) -> bool {
        matches!(
            self,
            CardSource::Rejection
                | CardSource::Answer
                | CardSource::Queued
                | CardSource::Prompt
                | CardSource::Agreement
        )
    }

    /// Nearly all statements from these sources are durable: their cards are active at once.
    /// Cards from other sources must be confirmed.
    pub fn is_above_the_bar(self) -> bool {
        !self.is_said() && !matches!(self, CardSource::Procedure | CardSource::Agent)
    }
}

/// A statement of an episode that may become a card. The card set decides.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Candidate {
    kind: CardKind,
    statement: String,
    evidence: Vec<EvidenceRef>,
    pub source: CardSource,
    /// Two cards about the same thing have the same key: a command, a file, an error.
    pub topic: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The words apply to more than this repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reach: Option<Tier>,
    pub time: Option<Timestamp>,
    /// What it is instead of its statement, where the statement counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<String>,
    /// It happened too seldom to be in force: the card waits until it happens again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_rare: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<FixNote>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedOption>,
    /// Earlier statements that it takes the place of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaces: Vec<(CardKind, String)>,
}

/// Why a statement is no candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoCandidate {
    #[error("no evidence of the kind that such a card must rest on")]
    Evidence,
    #[error("the statement is empty or longer than 280 characters")]
    Statement,
}

impl Candidate {
    /// Checks that a candidate has the evidence that its kind needs. An agent's proposal rests
    /// on its word until a person confirms it.
    pub fn new(
        kind: CardKind,
        source: CardSource,
        statement: &str,
        topic: &str,
        evidence: Vec<EvidenceRef>,
        time: Option<Timestamp>,
    ) -> Result<Self, NoCandidate> {
        let statement = statement.split_whitespace().collect::<Vec<_>>().join(" ");
        if statement.is_empty() || statement.chars().count() > LONGEST_STATEMENT {
            return Err(NoCandidate::Statement);
        }
        let is_enough = |evidence: &EvidenceRef| kind.rests_on(evidence.kind) || source == CardSource::Agent;
        if !evidence.iter().any(is_enough) {
            return Err(NoCandidate::Evidence);
        }
        let topic = topic.to_owned();
        Ok(Candidate {
            kind,
            statement,
            evidence,
            source,
            topic,
            tags: Vec::new(),
            reach: None,
            time,
            identity: None,
            is_rare: false,
            fix: None,
            refused: Vec::new(),
            replaces: Vec::new(),
        })
    }

    pub fn kind(&self) -> CardKind {
        self.kind
    }

    pub fn statement(&self) -> &str {
        &self.statement
    }

    /// The words that its id covers.
    pub fn identity(&self) -> &str {
        self.identity.as_deref().unwrap_or(&self.statement)
    }

    pub fn evidence(&self) -> &[EvidenceRef] {
        &self.evidence
    }
}

/// What an episode adds to a card set.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "found", rename_all = "snake_case")]
pub enum Found {
    Candidate(Candidate),
    /// A check of the project passed. One pass proves little: a card needs passes in several
    /// sessions.
    Passed {
        command: String,
        evidence: EvidenceRef,
        time: Option<Timestamp>,
    },
    /// A statement was removed from an instruction file.
    Withdrawn {
        statement: String,
        file: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reach: Option<Tier>,
        time: Option<Timestamp>,
    },
    /// An instruction file was written whole: what it does not say no longer holds.
    Rewritten {
        file: String,
        statements: Vec<String>,
        time: Option<Timestamp>,
    },
    /// What a conversation decided. Later conversations may change it, so it becomes candidates
    /// together with them.
    Decided(Decided),
}

impl Found {
    /// Does it apply to more than its repository?
    pub fn reaches_far(&self) -> bool {
        match self {
            Found::Candidate(candidate) => candidate.reach.is_some(),
            Found::Withdrawn { reach, .. } => reach.is_some(),
            Found::Passed { .. } | Found::Rewritten { .. } | Found::Decided(_) => false,
        }
    }
}

/// A statement in lower case, without punctuation.
pub fn card_words(statement: &str) -> String {
    let words = statement.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let said = words.map(str::to_lowercase).collect::<Vec<_>>().join(" ");
    // A statement of signs alone keeps them.
    if said.is_empty() { statement.to_owned() } else { said }
}

/// The same statement of the same kind in the same scope is the same card.
pub fn card_id(kind: CardKind, scope: &Scope, statement: &str) -> CardId {
    let said = card_words(statement);
    CardId(digest_of(
        "card",
        &[kind.name().as_bytes(), scope.tier.name().as_bytes(), scope.id.as_bytes(), said.as_bytes()],
    ))
}

/// The evidence for and against a card.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Truth {
    pub user_spans: u32,
    pub tool_outputs: u32,
    pub doc_spans: u32,
    /// Contradictions in tool output or documents.
    pub contradictions: u32,
    /// The weight of all disputes.
    pub disputes: f32,
}

impl Truth {
    pub fn count(&mut self, evidence: &EvidenceRef) {
        match evidence.kind {
            EvidenceKind::UserSpan => self.user_spans += 1,
            EvidenceKind::ToolOutput => self.tool_outputs += 1,
            EvidenceKind::DocSpan => self.doc_spans += 1,
            EvidenceKind::AgentSpan => {}
        }
    }

    pub fn evidence(&self) -> u32 {
        self.user_spans + self.tool_outputs + self.doc_spans
    }

    /// Between 0 and 1; one half for one piece of uncontradicted evidence.
    pub fn weight(&self) -> f32 {
        let evidence = self.evidence() as f32;
        evidence / (evidence + 1.0 + self.contradictions as f32 + self.disputes)
    }
}

/// Whether showing a card helped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Utility {
    pub wins: u32,
    pub losses: u32,
    /// Episodes in which it was shown.
    pub shown: u32,
}

impl Utility {
    /// The most that reuse alone adds: being shown proves nothing.
    const MOST_REUSE: u32 = 5;
    /// How many episodes with an outcome show whether a card helps.
    const TELLING: u32 = 5;

    /// It was shown often enough and mostly did not help.
    pub fn is_of_no_use(&self) -> bool {
        self.wins + self.losses >= Self::TELLING && self.losses > 2 * self.wins
    }

    /// Between 0 and 1; one half if nothing is known.
    pub fn weight(&self) -> f32 {
        let rate = (self.wins as f32 + 1.0) / ((self.wins + self.losses) as f32 + 2.0);
        let reuse = self.shown.min(Self::MOST_REUSE) as f32 / Self::MOST_REUSE as f32;
        0.95 * rate + 0.05 * reuse
    }
}

/// A dispute of a card, with its evidence.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Dispute {
    pub evidence: EvidenceRef,
    pub time: Option<Timestamp>,
    pub weight: f32,
}

#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Card {
    pub id: CardId,
    pub kind: CardKind,
    pub statement: String,
    pub scope: Scope,
    pub tags: Vec<String>,
    pub status: CardStatus,
    /// The reason, if it is archived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub put_away: Option<PutAway>,
    pub supersedes: Option<CardId>,
    pub topic: String,
    /// At least one of the kind that such a card needs.
    pub evidence: Vec<EvidenceRef>,
    pub source: CardSource,
    pub created: Option<Timestamp>,
    /// When it was last said, verified or confirmed.
    pub renewed: Option<Timestamp>,
    /// The rules by which it was admitted.
    pub rule_version: u32,
    /// Cards that it rests on.
    pub rests_on: Vec<CardId>,
    /// The cards it rests on that are invalid now, the nearest first.
    pub suspect: Vec<CardId>,
    pub truth: Truth,
    pub utility: Utility,
    pub disputes: Vec<Dispute>,
    /// What its id covers instead of its statement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<String>,
    /// What was proposed instead, and refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedOption>,
}

impl Card {
    /// The words that its id covers.
    pub fn identity(&self) -> &str {
        self.identity.as_deref().unwrap_or(&self.statement)
    }

    /// The folder that it holds for, if its instruction file is not at the root.
    pub fn folder(&self) -> Option<&str> {
        if self.source != CardSource::Instructions {
            return None;
        }
        let folders = self.tags.iter().map(|file| file.rsplit_once('/').map(|(folder, _)| folder));
        let folders: Option<Vec<&str>> = folders.collect();
        folders.filter(|folders| folders.len() == 1).and_then(|folders| folders.first().copied())
    }

    /// Can a person rely on it?
    pub fn is_in_force(&self) -> bool {
        self.status == CardStatus::Active && self.suspect.is_empty()
    }

    /// Is it checked before an action? An unconfirmed statement of a person is, if it forbids
    /// something.
    pub fn counts_before_actions(&self) -> bool {
        match self.status {
            CardStatus::Active | CardStatus::NeedsRecheck => true,
            CardStatus::Proposed => {
                self.source.is_said() && matches!(self.kind, CardKind::Constraint | CardKind::Commitment)
            }
            CardStatus::Superseded | CardStatus::Archived => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::span_hash;

    fn evidence(kind: EvidenceKind) -> EvidenceRef {
        EvidenceRef { kind, id: digest_of("test", &[]), start: 0, end: 1, hash: span_hash("a") }
    }

    #[test]
    fn each_kind_needs_its_evidence() {
        let made = |kind, evidence_kind| {
            Candidate::new(kind, CardSource::Prompt, "a", "", vec![evidence(evidence_kind)], None).is_ok()
        };
        for kind in CardKind::ALL {
            assert_eq!(made(kind, EvidenceKind::UserSpan), kind.is_normative() || kind == CardKind::Fact, "{kind:?}");
            assert_eq!(made(kind, EvidenceKind::ToolOutput), !kind.is_normative(), "{kind:?}");
            assert!(!made(kind, EvidenceKind::AgentSpan), "an agent's word is no evidence");
        }
    }

    #[test]
    fn statements_are_short_and_whole() {
        let made = |text: &str| {
            Candidate::new(CardKind::Fact, CardSource::Prompt, text, "", vec![evidence(EvidenceKind::UserSpan)], None)
        };
        assert_eq!(made(" \n").map(|_| ()), Err(NoCandidate::Statement));
        assert_eq!(made(&"a".repeat(281)).map(|_| ()), Err(NoCandidate::Statement));
        assert_eq!(made("two\n  words").map(|made| made.statement().to_owned()), Ok("two words".to_owned()));
    }

    #[test]
    fn the_same_words_are_the_same_card() {
        let scope = Scope::global();
        let id = |statement| card_id(CardKind::Constraint, &scope, statement);
        assert_eq!(id("Never push to main."), id("never push to `main`"));
        assert_ne!(id("never push to main"), id("always push to main"));
        assert_ne!(id("++"), id("--"));
    }

    #[test]
    fn reuse_alone_does_not_make_a_tactic_good() {
        let unknown = Utility::default();
        let shown = Utility { shown: 1_000, ..unknown };
        let won = Utility { wins: 1, shown: 1, ..unknown };
        assert!(unknown.weight() < shown.weight() && shown.weight() < won.weight());
        assert!(Utility { losses: 1, shown: 1, wins: 0 }.weight() < unknown.weight());
    }
}
