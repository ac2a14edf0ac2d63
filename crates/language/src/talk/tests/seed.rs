//! The seed's own tests: a fixture of two lines, and a whole session.

use crate::talk::{IntentType, Strength};

use super::*;

#[test]
fn a_question_and_its_answer() {
    let lines = [
        TalkLine { index: 0, speaker: "PC", text: "Where is X?" },
        TalkLine { index: 1, speaker: "DM", text: "X is here" },
    ];
    let links = linked(&lines, &LinkOptions::default()).links;
    assert_eq!(links.len(), 1);
    let found = links[0].consequence.as_ref().expect("a consequence");
    assert!(links[0].claimed());
    assert_eq!((links[0].intent_type, links[0].intent_strength), (IntentType::Question, Strength::Weak));
    assert_eq!((links[0].actor.as_str(), found.distance, found.line_gap), ("PC", 1, 1));
    assert_eq!(
        found.parts.iter().map(|(name, _)| name.as_ref()).collect::<Vec<_>>(),
        ["distance", "lexical", "answer_boost"]
    );
}

/// Some scenes of a session: talk, a rest, a fight, a break.
fn session() -> String {
    let explore = "Ann: I open the gate.
        DM: It swings inwards without a sound.
        Bo: Can I look for tracks?
        DM: Roll for it.
        Bo: 14.
        DM: You see the prints of a large cat.
        Cy: Is it still close by?
        Ann: Did it come from the house?
        DM: Hard to say.
        Cy: Let's follow the prints.
        DM: They lead you to the well.\n";
    let rest = "Ann: We should sleep.\nDM: The next morning, the fog is gone.\n";
    let fight = "DM: Everyone, roll initiative!\n".to_owned()
        + &"Ann: I attack it. Does 15 hit?\nDM: That hits. Roll damage.\nAnn: Seven.\nDM: Bo, your turn.\n".repeat(6)
        + "DM: And with that, combat ends.\n";
    let pause = "DM: We'll take a break here.\nAnn: Can you pass me the crisps?\nDM: Welcome back!\n";
    [explore, rest, explore, &fight, explore, pause, explore].concat()
}

#[test]
fn a_whole_session() {
    let transcript = session();
    let lines = read(&transcript);
    let linked = linked(&lines, &LinkOptions::default());
    let strong: Vec<_> = linked.links.iter().filter(|link| link.intent_strength == Strength::Strong).collect();
    let claimed = strong.iter().filter(|link| link.claimed()).count();
    // The share that the seed requires. It only shows that there was a next line.
    assert!(claimed as f64 / strong.len() as f64 > 0.75, "{claimed} of {}", strong.len());
    let excluded: Vec<_> =
        mask::MaskReason::ALL.iter().map(|reason| (reason.name(), linked.mask.lines_with(*reason))).collect();
    assert_eq!(excluded, [("ooc_hard", 0), ("ooc_soft", 0), ("combat", 26), ("transition", 4), ("noise", 0)]);
}

#[test]
fn ids_are_the_same_each_time_and_all_different() {
    let transcript = session();
    let lines = read(&transcript);
    let ids = |links: Vec<CausalLink>| links.into_iter().map(|link| link.id).collect::<Vec<_>>();
    let first = ids(linked(&lines, &LinkOptions::default()).links);
    assert_eq!(first, ids(linked(&lines, &LinkOptions::default()).links));
    let distinct: std::collections::HashSet<_> = first.iter().collect();
    assert_eq!(distinct.len(), first.len());
}
