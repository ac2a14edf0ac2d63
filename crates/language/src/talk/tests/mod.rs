//! Links of whole fictional transcripts.

mod laws;
mod pages;
mod seed;

use crate::talk::CausalLink;

use super::mask::{Detectors, GivenMask, MaskReason};
use super::*;

/// `Speaker: text` lines, numbered from 0. A line without a speaker has none.
fn read(transcript: &str) -> Vec<TalkLine<'_>> {
    let lines = transcript.lines().map(str::trim).filter(|line| !line.is_empty());
    (0..)
        .zip(lines)
        .map(|(index, line)| {
            let (speaker, text) = line.split_once(':').unwrap_or(("", line));
            TalkLine { index, speaker, text: text.trim() }
        })
        .collect()
}

fn linked(lines: &[TalkLine<'_>], options: &LinkOptions) -> Linked {
    let traces = LinkOptions { traces: true, ..options.clone() };
    link(Request { session: "test", lines, kernel: &SeedKernel, options: &traces }).expect("links")
}

/// Links as `intent kind -> consequence ordinal score`.
fn shown(links: &[CausalLink]) -> Vec<String> {
    let show = |link: &CausalLink| {
        let intent = format!("{} {}", link.intent_anchor, link.intent_type.name());
        match &link.consequence {
            Some(found) => format!("{intent} -> {} d{} {:.2}", found.anchor, found.distance, found.score),
            None => format!("{intent} -> nothing"),
        }
    };
    links.iter().map(show).collect()
}

fn check(transcript: &str, options: &LinkOptions, expected: &[&str]) {
    assert_eq!(shown(&linked(&read(transcript), options).links), expected);
}

#[test]
fn strong_ones_do_not_share_and_weak_ones_do() {
    check(
        "Ann: Can I open the chest?
         Bo: I want to listen at the door.
         Ann: Is it locked?
         Bo: What do I hear?
         DM: The lid creaks.
         DM: Behind the door, somebody snores.",
        &LinkOptions::default(),
        &["0 request -> 4 d1 0.90", "1 declare -> 5 d2 0.54", "2 question -> 4 d1 0.82", "3 question -> 4 d1 0.82"],
    );
}

#[test]
fn nothing_is_claimed_across_what_does_not_count() {
    let transcript = "Ann: Can I open the chest?
         Bo: ((who wants tea))
         DM: The lid creaks.
         Ann: Is it empty?
         DM: It is.";
    check(transcript, &LinkOptions::default(), &["0 request -> nothing", "3 question -> 4 d1 0.96"]);
    let off = LinkOptions { detectors: Some(Detectors::NONE), ..LinkOptions::default() };
    check(transcript, &off, &["0 request -> 2 d1 0.90", "3 question -> 4 d1 0.96"]);
    let given = r#"{"excluded_ranges": [{"start_index": 4, "end_index": 4, "reason": "noise"}]}"#;
    let given = LinkOptions { mask: Some(GivenMask::parse(given).expect("a good mask")), ..LinkOptions::default() };
    check(transcript, &given, &["0 request -> 2 d1 0.90", "3 question -> nothing"]);
}

#[test]
fn turning_one_detector_off_turns_no_other_on() {
    let excluded = |transcript: &str, without: &[MaskReason]| {
        let options = LinkOptions { without: without.to_vec(), ..LinkOptions::default() };
        linked(&read(transcript), &options).mask.excluded_lines()
    };
    let chat = "ann: how do i list hidden files\nbo: [laughs]\ncy: ann: ls -a";
    assert_eq!(excluded(chat, &[MaskReason::Combat]), 0, "none look at a chat");
    let game = "Ann: Can I open the chest?\nBo: [laughs]\nBo: ((who wants tea))\nDM: The lid creaks.";
    assert_eq!(excluded(game, &[]), 2);
    assert_eq!(excluded(game, &[MaskReason::Noise]), 1);
    assert_eq!(excluded(game, &MaskReason::ALL), 0);
}

#[test]
fn traces_say_why_not() {
    let lines = read(
        "Ann: I open the chest.
         Bo: I listen at the door.
         DM: The lid creaks.",
    );
    let linked = linked(&lines, &LinkOptions::default());
    let fates: Vec<Vec<LinkFate>> =
        linked.traces.iter().map(|trace| trace.candidates.iter().map(|weighed| weighed.fate).collect()).collect();
    assert_eq!(fates, [vec![LinkFate::Won], vec![LinkFate::TakenBy(0)]]);
}

#[test]
fn everybody_answers_in_a_chat() {
    check(
        "ann: how do i list hidden files
         bo: anyone here from Oslo?
         cy: ann: ls -a
         ann: cy: thanks",
        &LinkOptions::default(),
        // The seed's kernel ignores addressees: it takes the next line by somebody else.
        &["0 question -> 1 d1 0.82", "1 question -> 2 d1 0.82"],
    );
}

#[test]
fn no_links_have_a_reason() {
    let reason = |transcript: &str| linked(&read(transcript), &LinkOptions::default()).no_links;
    assert_eq!(reason(""), Some(NoLinks::Empty));
    assert_eq!(reason("rain all day"), Some(NoLinks::NoSpeakers));
    assert_eq!(reason("Ann: hello?\nAnn: anyone?"), Some(NoLinks::OneSpeaker));
    assert_eq!(reason("Ann: Rain.\nDM: Snow."), Some(NoLinks::NoIntents));
    assert_eq!(reason("Ann: Is it rain?\nDM: Snow."), None);
}
