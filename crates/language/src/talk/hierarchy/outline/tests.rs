use crate::talk::{LinkOptions, Request, SeedKernel, TalkLine, link};

use super::*;

fn scenes(transcript: &str) -> (Vec<Scene>, usize) {
    let lines: Vec<TalkLine> = (0..)
        .zip(transcript.lines())
        .map(|(index, line)| {
            let (speaker, text) = line.split_once(':').unwrap_or(("", line));
            TalkLine { index, speaker, text: text.trim() }
        })
        .collect();
    let options = LinkOptions::default();
    let linked = link(Request { session: "s", lines: &lines, kernel: &SeedKernel, options: &options }).expect("links");
    (hierarchy(&lines, &linked, Bars::default()), linked.links.len())
}

const TOWER: &str = "Ann: I climb the tower.\nDM: The tower is tall and the stairs are steep.\n\
    Bo: Can I see the harbour from the tower?\nDM: You see the harbour and a red ship.\n\
    Ann: Is anybody on the stairs?\nDM: Nobody but you two.\n";
const MARKET: &str = "Cy: I want to buy apples at the market.\nDM: The merchant weighs the apples.\n\
    Cy: How much are the apples?\nDM: Two coins, the merchant says.\n";

#[test]
fn a_cut_separates_scenes() {
    let cut = "DM: The next morning, it rains.\n";
    let (scenes, links) = scenes(&[TOWER, cut, MARKET].concat());
    assert_eq!(scenes.iter().map(|scene| (scene.first, scene.last)).collect::<Vec<_>>(), [(0, 5), (7, 10)]);
    assert!(scenes[0].title.contains("tower") && scenes[1].title.contains("apples"), "{scenes:?}");
    assert!(scenes[1].beats[0].title.starts_with("Cy: I want to buy apples"));
    let covered: Vec<usize> =
        scenes.iter().flat_map(|scene| &scene.beats).flat_map(|beat| beat.links.clone()).collect();
    assert_eq!(covered, (0..links).collect::<Vec<_>>());
}

#[test]
fn beats_are_in_order_and_lie_inside_their_scene() {
    let (scenes, links) = scenes(&[TOWER, MARKET].concat().repeat(40));
    let mut next = 0;
    let mut covered = 0;
    for scene in &scenes {
        assert_eq!((scene.first, scene.last), (scene.beats[0].first, scene.beats[scene.beats.len() - 1].last));
        for beat in &scene.beats {
            assert!(beat.first >= next && beat.last >= beat.first && beat.mass == beat.last - beat.first + 1);
            assert_eq!(beat.links.start, covered);
            (next, covered) = (beat.last + 1, beat.links.end);
        }
    }
    assert_eq!(covered, links);
    // Large ones stop growing.
    assert!(scenes.iter().flat_map(|scene| &scene.beats).count() > 5);
}

#[test]
fn nothing_has_no_scenes() {
    assert_eq!(scenes("").0, []);
    assert_eq!(scenes("Ann: Rain.\nDM: Snow.").0, []);
}
