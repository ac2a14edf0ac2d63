use expect_test::expect;

use super::super::lines::Setting;
use super::super::lines::TalkLine;
use super::*;

/// `name| text` lines; a line without a name has no speaker.
fn lines(transcript: &str) -> Vec<TalkLine<'_>> {
    let lines = transcript.lines().map(str::trim).filter(|line| !line.is_empty());
    let line = |(at, line): (usize, _)| {
        let (speaker, text) = str::split_once(line, "| ").unwrap_or(("", line));
        TalkLine { index: at as u32, speaker, text }
    };
    lines.enumerate().map(line).collect()
}

/// What each line answers.
fn parents(transcript: &str, setting: Setting) -> Vec<Option<usize>> {
    let spreads = spread(&lines(transcript), Profile::of(setting), WINDOW);
    spreads.iter().map(Spread::parent).collect()
}

/// The names of the features of one candidate of the last line.
fn features(transcript: &str, parent: u32) -> Vec<&'static str> {
    let mut reader = ReplyReader::new(Profile::of(Setting::Chat), WINDOW);
    lines(transcript).iter().for_each(|line| reader.read(line));
    let row = reader.rows().find(|(place, _)| *place == parent);
    let values = row.map(|(_, values)| values.to_vec()).unwrap_or_default();
    values.iter().map(|(feature, _)| FEATURES[*feature as usize].2).collect()
}

const CHAT: &str = "
    ann| my printer stopped after the upgrade, how do I get it back?
    bob| anyone here with a dual boot of two disks?
    cyd| ann: which printer is it?
    === dee has joined
    ann| cyd: a laserjet 4200
    eve| bob: yes, one disk each
    bob| eve: and where does the boot loader go?
    cyd| ann: then install hplip and restart cups
    ann| thanks
";

#[test]
fn two_conversations_at_once_are_told_apart() {
    let found = parents(CHAT, Setting::Chat);
    assert_eq!(found, [None, None, Some(0), None, Some(2), Some(1), Some(5), Some(4), Some(7)]);
}

#[test]
fn probabilities_add_up_to_one() {
    for setting in Setting::ALL {
        for spread in spread(&lines(CHAT), Profile::of(setting), WINDOW) {
            let sum = spread.none + spread.rest + spread.parents.iter().map(|(_, p)| p).sum::<f32>();
            assert!((sum - 1.0).abs() < 1e-4, "{sum}");
            assert!(spread.parents.is_sorted_by(|a, b| a.1 >= b.1));
        }
    }
}

#[test]
fn the_same_lines_give_the_same_spread() {
    let once = spread(&lines(CHAT), Profile::of(Setting::Chat), WINDOW);
    assert_eq!(once, spread(&lines(CHAT), Profile::of(Setting::Chat), WINDOW));
}

#[test]
fn later_lines_change_nothing() {
    let lines = lines(CHAT);
    let all = spread(&lines, Profile::of(Setting::Chat), WINDOW);
    for length in 0..lines.len() {
        assert_eq!(spread(&lines[..length], Profile::of(Setting::Chat), WINDOW), all[..length]);
    }
}

#[test]
fn no_answer_reaches_over_the_window() {
    for window in [0, 1, 3] {
        let spreads = spread(&lines(CHAT), Profile::of(Setting::Chat), window);
        for (at, spread) in spreads.iter().enumerate() {
            assert!(spread.parents.iter().all(|(parent, _)| *parent < at && at - parent <= window.max(1)));
        }
    }
}

#[test]
fn nobodys_lines_answer_nothing_and_are_not_answered() {
    let spreads = spread(&lines(CHAT), Profile::of(Setting::Chat), WINDOW);
    assert_eq!(spreads[3], Spread { none: 1.0, ..Spread::default() });
    assert!(spreads.iter().all(|spread| spread.of(3) == 0.0));
}

#[test]
fn little_to_read_is_no_problem() {
    assert!(spread(&[], Profile::of(Setting::Chat), WINDOW).is_empty());
    let alone = "ann| \nann| one\nann| ???\nann| ann: me";
    assert_eq!(spread(&lines(alone), Profile::of(Setting::Chat), WINDOW).len(), 4);
    assert!(
        spread(&lines("\u{e9}\u{1F600}\n=== x"), Profile::of(Setting::TwoParty), WINDOW).iter().all(|s| s.none == 1.0)
    );
}

#[test]
fn names_are_known_by_short_forms() {
    let addressed = "I address the speaker";
    for address in ["Sandro_77: ok", "sandro: ok", "SANDRO_77, ok", "@sandro ok", "sand: ok"] {
        let transcript = format!("Sandro_77| it hangs\nann| {address}");
        assert!(features(&transcript, 0).contains(&addressed), "{address}");
    }
    for text in ["san fran: ok", "other: ok", "the sandwich"] {
        let transcript = format!("Sandro_77| it hangs\nann| {text}");
        assert!(!features(&transcript, 0).contains(&addressed), "{text}");
    }
}

#[test]
fn what_somebody_does_in_a_chat_log_is_that_ones_line() {
    let acts = parents("ann| who wants tea?\n[10:02] * bob wants tea\nann| bob: here you are", Setting::Chat);
    assert_eq!(acts[2], Some(1));
}

#[test]
fn forms_are_whole_words() {
    let yes_no = "yes or no asked and said";
    assert!(features("ann| is it open?\nbob| no, closed", 0).contains(&yes_no));
    assert!(!features("ann| is it open?\nbob| nothing is", 0).contains(&yes_no));
    assert!(!features("ann| where is it?\nbob| no idea", 0).contains(&yes_no));
}

#[test]
fn the_parts_add_up_to_the_odds_against_none() {
    let mut reader = ReplyReader::new(Profile::of(Setting::Chat), WINDOW);
    lines(CHAT).iter().for_each(|line| reader.read(line));
    let spread = reader.spread();
    let (parent, probability) = spread.parents[0];
    let sum: f32 = reader.parts(parent as u32).iter().map(|(_, part)| part).sum();
    assert!((sum - (probability / spread.none).ln()).abs() < 1e-3);
    let why: f32 = reader.why(parent as u32).iter().map(|(_, part)| part).sum();
    let none: f32 = reader.why(NONE).iter().map(|(_, part)| part).sum();
    assert!((why - none - sum).abs() < 1e-3);
}

#[test]
fn a_candidate_says_why() {
    let found = features("ann| is the disk full?\nbob| ann: yes, the disk is full", 0);
    expect![[r#"
        1 back
        nearest by another
        said since my latest
        I address the speaker
        I address the speaker, latest
        I address the speaker, a question
        a question nobody answered
        a question, I do not ask
        yes or no asked and said
        log of lines back
        log of lines back, I name the speaker
        how much it says, I name the speaker
        share of my words
        share of my words, I name the speaker
        share of its words
        rarity of shared words
        rare words shared"#]]
    .assert_eq(&found.join("\n"));
}

#[test]
fn each_profile_ships_with_weights_and_names_are_unique() {
    for setting in Setting::ALL {
        assert!(Profile::read(WEIGHTS, setting).is_some(), "{}", setting.name());
    }
    let mut names: Vec<&str> = FEATURES.iter().map(|(_, _, name)| *name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), FEATURES.len());
    assert_eq!(Profile::read("{}", Setting::Chat), None);
    assert_eq!(Profile::read("no json", Setting::Chat), None);
}
