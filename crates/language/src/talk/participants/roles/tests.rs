use super::super::registry::Actor;
use super::*;

/// `Speaker: text` lines -> who answers and why.
fn check(transcript: &str, told: ParticipantHints<'_>, expected: &str) {
    let lines = read(transcript);
    let said = match Participants::new(&lines, told) {
        Ok(participants) => {
            let answer: Vec<&str> = participants.responders().map(|speaker| speaker.name.as_str()).collect();
            let no = participants.no_links().map_or("", NoLinks::reason);
            format!("{} {:?}: {} {no}", participants.setting.name(), participants.found_by, answer.join(", "))
                .trim()
                .to_owned()
        }
        Err(error) => error.to_string(),
    };
    assert_eq!(said, expected);
}

fn read(transcript: &str) -> Vec<TalkLine<'_>> {
    let lines = transcript.lines().enumerate().map(|(at, line)| {
        let (speaker, text) = line.trim().split_once(':').unwrap_or(("", line));
        TalkLine { index: at as u32, speaker, text: text.trim() }
    });
    lines.collect()
}

fn actor(name: &str, aliases: &[&str], role: &str) -> Actor {
    Actor { name: name.into(), aliases: aliases.iter().map(|alias| (*alias).into()).collect(), role: role.into() }
}

const TABLE: &str = "Ann: Do I see a door?\nMara: You do. Roll for it.\nBo: Is it locked?\nMara: It is.\nCy: Sorry, a what.\nAnn: A door.\n";

#[test]
fn a_name_tells() {
    for name in ["DM", "gm", "Game Master", "Mara (DM)", "Narrator", "The Keeper"] {
        let transcript = TABLE.replace("Mara", name);
        check(&transcript, ParticipantHints::default(), &format!("tabletop Name: {name}"));
    }
    check("Ann: May I?\nDM: Yes.", ParticipantHints::default(), "tabletop Name: DM");
}

#[test]
fn behaviour_tells() {
    check(&TABLE.repeat(20), ParticipantHints::default(), "tabletop Behaviour: Mara");
    // The same conversation without dice is a chat, unless specified otherwise.
    let calm = TABLE.replace("Roll for it.", "Look.").repeat(20);
    check(&calm, ParticipantHints::default(), "two_party Nobody: Ann, Mara, Bo, Cy");
    let game = ParticipantHints { setting: Some(Setting::Tabletop), ..ParticipantHints::default() };
    check(&calm, game, "tabletop Behaviour: Mara");
}

#[test]
fn few_and_none() {
    check("", ParticipantHints::default(), "two_party Nobody:  the transcript is empty");
    check(
        "no speaker here",
        ParticipantHints::default(),
        "two_party Nobody:  no line of the transcript says who speaks",
    );
    check("Ann: a\nAnn: b?", ParticipantHints::default(), "two_party Nobody: Ann only one person speaks");
    check("Ann: a\nBo: b", ParticipantHints::default(), "two_party Nobody: Ann, Bo");
    check("DM: a\nGM: b", ParticipantHints::default(), "two_party Nobody: DM, GM");
}

#[test]
fn told_responders_answer() {
    let responders = ["cy".to_owned()];
    check(TABLE, ParticipantHints { responders: &responders, ..ParticipantHints::default() }, "tabletop Told: Cy");
    let responders = ["Dora".to_owned()];
    check(
        TABLE,
        ParticipantHints { responders: &responders, ..ParticipantHints::default() },
        "no line is by \"Dora\", who should answer; speakers are Ann, Mara, Bo, Cy",
    );
}

#[test]
fn a_registry_names_people() {
    let registry =
        Registry { actors: vec![actor("Mara K.", &["Mara", "Cy"], "responder"), actor("Ann", &[], "player")] };
    let told = ParticipantHints { registry: Some(&registry), ..ParticipantHints::default() };
    check(TABLE, told, "tabletop Registry: Mara K.");
    let lines = read(TABLE);
    let participants = Participants::new(&lines, told).expect("good hints");
    assert_eq!(participants.name(&lines)[4].speaker, "Mara K.");
    check("Ann: a\nBo: b", told, "two_party Registry:  nobody who answers says a line");
}

#[test]
fn bad_registries_are_refused() {
    let wrong = |actors: Vec<Actor>| Registry { actors }.check().expect_err("a bad registry").to_string();
    assert_eq!(
        wrong(vec![actor("Mara", &["DM"], "dm"), actor("Ann", &["dm"], "")]),
        "actor 2, aliases 1: \"dm\" already belongs to \"Mara\""
    );
    assert_eq!(
        wrong(vec![actor("Mara", &[], "wizard")]),
        "actor 1, role: \"wizard\" is none of responder (or dm, gm), asker (or player, pc), both, neither"
    );
    assert_eq!(wrong(vec![actor(" ", &[], "dm")]), "actor 1, name: is empty");
    assert_eq!(wrong(vec![actor("Ann", &[], "player")]), "nobody has the role responder or both");
    assert_eq!(wrong(vec![]), "nobody has the role responder or both");
}
