//! Which statement says best what a case came to, where nobody asked a question?
//!
//! The weight of a statement says how much it holds. For one line a reader wants the
//! sentence that concludes: "Done. Both places keep the type now", not the item of its
//! list that names a file, and not what the agent was about to do.

use backstory_language::findings::{Cue, Cues, is_item};

use crate::model::{Case, CaseEnd, EvidenceKind, Finding, Role};

const ITEM: i32 = -70;
const TABLE: i32 = -110;
const ANNOUNCEMENT: i32 = -150;
const QUESTION: i32 = -100;
/// What follows is not part of it.
const LEAD_IN: i32 = -160;
const SHORT: i32 = -60;
const SHORTEST_HEADLINE: usize = 30;
/// That checks pass stands in the line about the work.
const ONLY_CHECKS: i32 = -100;
const LONGEST_ABOUT_CHECKS: usize = 60;
const CONCLUSION: i32 = 60;
const LAST_TURN: i32 = 30;
/// In work the agent says what it came to; in a conversation the person does.
const PERSON_IN_WORK: i32 = -60;
/// What an agent asked last is what a case that is open waits for.
const ASKED: i32 = 60;

/// How a report begins.
const CONCLUDES: [&str; 18] = [
    "done", "fixed", "works", "it works", "created", "implemented", "added", "removed", "replaced", "merged",
    "committed", "reverted", "updated", "renamed", "moved", "all ", "perfect", "success",
];

/// In hundredths, as weights are. `said` is the statement with the mark of its list.
pub fn headline_weight(case: &Case, finding: &Finding, said: &str) -> i32 {
    let last = if finding.turn == case.last_turn { LAST_TURN } else { 0 };
    let of_speaker = match finding.evidence.kind {
        EvidenceKind::UserSpan if case.is_talk => 0,
        EvidenceKind::UserSpan => PERSON_IN_WORK,
        _ => of_report(finding.role, said),
    };
    finding.weight + of_role(case, finding.role) + last + of_speaker + of_words(said)
}

fn of_role(case: &Case, role: Role) -> i32 {
    match role {
        Role::Result | Role::Decision | Role::Accepted => 60,
        Role::Cause => 40,
        Role::Open if case.end == CaseEnd::Asked => ASKED,
        Role::Open => 0,
        Role::Tried => -20,
        Role::Remark => -40,
        Role::Rejected | Role::Refuted => -80,
    }
}

/// What an agent reports. Items that the person accepted are the decision itself.
fn of_report(role: Role, said: &str) -> i32 {
    match () {
        () if role == Role::Accepted => 0,
        () if said.starts_with('|') => TABLE,
        () if is_item(said) => ITEM,
        () if concludes(said) => CONCLUSION,
        () => 0,
    }
}

fn concludes(said: &str) -> bool {
    let words = said.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    CONCLUDES.iter().any(|beginning| words.starts_with(beginning))
}

fn of_words(said: &str) -> i32 {
    let narrates = if Cues::of(said).has(Cue::Narration) { ANNOUNCEMENT } else { 0 };
    let short = if said.len() < SHORTEST_HEADLINE { SHORT } else { 0 };
    let end = match said.chars().last() {
        Some('?') => QUESTION,
        Some(':') => LEAD_IN,
        _ => 0,
    };
    let checks = if is_about_checks(said) { ONLY_CHECKS } else { 0 };
    narrates + short + end + checks
}

fn is_about_checks(said: &str) -> bool {
    let words = said.to_lowercase();
    let names_one = ["tests pass", "all tests", "lint", "all checks"].iter().any(|check| words.contains(check));
    names_one && said.len() <= LONGEST_ABOUT_CHECKS
}

#[cfg(test)]
mod tests {
    use crate::model::{CaseId, Digest, EvidenceRef};

    use super::*;

    fn weight_of(role: Role, said: &str) -> i32 {
        let evidence =
            EvidenceRef { kind: EvidenceKind::AgentSpan, id: Digest([0; 16]), start: 0, end: 0, hash: Digest([0; 16]) };
        let case = Case {
            id: CaseId(Digest([0; 16])),
            first_turn: 0,
            last_turn: 1,
            asked: evidence,
            is_talk: false,
            findings: Vec::new(),
            commits: Vec::new(),
            end: CaseEnd::Answered,
        };
        headline_weight(&case, &Finding { role, turn: 1, weight: 200, evidence, heading: None }, said)
    }

    #[test]
    fn a_report_is_told_by_the_sentence_that_concludes() {
        let best = weight_of(Role::Result, "Done. The cart now keeps its items when a customer logs in.");
        for (role, said) in [
            (Role::Result, "1. **src/cart.ts** - Added the field `kept` to the state"),
            (Role::Result, "| the cart | keeps its items when a customer logs in |"),
            (Role::Result, "Let me run all tests of the cart again to be certain."),
            (Role::Result, "Done. The message now reads:"),
            (Role::Result, "All tests pass, and the linter is clean now."),
            (Role::Cause, "The cart was cleared whenever a customer logged in."),
            (Role::Remark, "Customers like it when the cart keeps what is in it."),
        ] {
            assert!(best > weight_of(role, said), "{said}");
        }
    }

    #[test]
    fn an_accepted_item_is_the_decision_itself() {
        let item = "- Stored paths always have forward slashes, on any system";
        assert!(weight_of(Role::Accepted, item) > weight_of(Role::Result, item));
    }
}
