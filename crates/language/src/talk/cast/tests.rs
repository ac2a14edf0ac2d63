use super::*;

/// `Speaker: text` lines -> who answers and why.
fn check(transcript: &str, told: Told<'_>, expected: &str) {
    let lines = read(transcript);
    let said = match Cast::new(&lines, told) {
        Ok(cast) => {
            let answer: Vec<&str> = cast.responders().map(|speaker| speaker.name.as_str()).collect();
            let no = cast.no_links().map_or("", NoLinks::reason);
            format!("{} {:?}: {} {no}", cast.setting.name(), cast.found_by, answer.join(", ")).trim().to_owned()
        }
        Err(error) => error.to_string(),
    };
    assert_eq!(said, expected);
}

fn read(transcript: &str) -> Vec<Line<'_>> {
    let lines = transcript.lines().enumerate().map(|(at, line)| {
        let (speaker, text) = line.trim().split_once(':').unwrap_or(("", line));
        Line { index: at as u32, speaker, text: text.trim() }
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
        check(&transcript, Told::default(), &format!("tabletop Name: {name}"));
    }
    check("Ann: May I?\nDM: Yes.", Told::default(), "tabletop Name: DM");
}

#[test]
fn behaviour_tells() {
    check(&TABLE.repeat(20), Told::default(), "tabletop Behaviour: Mara");
    // The same talk without dice is a chat, unless told otherwise.
    let calm = TABLE.replace("Roll for it.", "Look.").repeat(20);
    check(&calm, Told::default(), "two_party Nobody: Ann, Mara, Bo, Cy");
    let game = Told { setting: Some(Setting::Tabletop), ..Told::default() };
    check(&calm, game, "tabletop Behaviour: Mara");
}

#[test]
fn few_and_none() {
    check("", Told::default(), "two_party Nobody:  the transcript is empty");
    check("no speaker here", Told::default(), "two_party Nobody:  no line of the transcript says who speaks");
    check("Ann: a\nAnn: b?", Told::default(), "two_party Nobody: Ann only one person speaks");
    check("Ann: a\nBo: b", Told::default(), "two_party Nobody: Ann, Bo");
    check("DM: a\nGM: b", Told::default(), "two_party Nobody: DM, GM");
}

#[test]
fn told_responders_answer() {
    let responders = ["cy".to_owned()];
    check(TABLE, Told { responders: &responders, ..Told::default() }, "tabletop Told: Cy");
    let responders = ["Dora".to_owned()];
    check(
        TABLE,
        Told { responders: &responders, ..Told::default() },
        "no line is by \"Dora\", who should answer; speakers are Ann, Mara, Bo, Cy",
    );
}

#[test]
fn a_registry_names_people() {
    let registry =
        Registry { actors: vec![actor("Mara K.", &["Mara", "Cy"], "responder"), actor("Ann", &[], "player")] };
    let told = Told { registry: Some(&registry), ..Told::default() };
    check(TABLE, told, "tabletop Registry: Mara K.");
    let lines = read(TABLE);
    let cast = Cast::new(&lines, told).expect("a good cast");
    assert_eq!(cast.name(&lines)[4].speaker, "Mara K.");
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
