use IntentType::{Declare, Propose, Question, Request};

use super::*;

fn check(setting: Setting, rows: &[(&str, Option<IntentType>)]) {
    let mut detector = IntentDetector::new(setting);
    let wrong: Vec<_> = rows.iter().filter(|(text, kind)| detector.kind(text) != *kind).collect();
    let found: Vec<_> = wrong.iter().map(|(text, kind)| (text, kind, detector.kind(text))).collect();
    assert!(found.is_empty(), "text, expected, found: {found:#?}");
}

#[test]
fn at_a_table() {
    check(
        Setting::Tabletop,
        &[
            ("Can I open the door?", Some(Request)),
            ("Can you check the cellar for us?", Some(Request)),
            ("If I light a torch, can we see the ceiling?", Some(Request)),
            ("While they argue could I slip past?", Some(Request)),
            ("Is there any way to climb it?", Some(Request)),
            ("How far can I throw it?", Some(Question)),
            ("Can you see the moon?", Some(Question)),
            ("Where is the key?", Some(Question)),
            ("It's a trap, right?", Some(Question)),
            ("What?!", None),
            ("Oh, really?", None),
            ("I want to look under the bed.", Some(Declare)),
            ("I'm going to sneak along the wall.", Some(Declare)),
            ("Okay, I cast light on my staff.", Some(Declare)),
            ("I think I'll take the left path.", Some(Declare)),
            ("So I slowly open the box.", Some(Declare)),
            ("I go to the window.", Some(Declare)),
            ("I look through the window, is there a light?", Some(Declare)),
            ("Oh wait, what?", None),
            ("I'm searching the shelves.", Some(Declare)),
            ("I'm going to die.", None),
            ("I'm not going in there.", None),
            ("I don't know.", None),
            ("I opened it yesterday.", None),
            ("Let's rest here.", Some(Propose)),
            ("Let's be honest.", None),
            ("Shall we go?", Some(Propose)),
            ("We should leave.", Some(Propose)),
            ("We can see in the dark.", None),
            ("Why don't we ask the smith?", Some(Propose)),
            ("Tell me about the tower.", Some(Request)),
            ("The rain is heavy.", None),
            ("17.", None),
            ("", None),
        ],
    );
}

#[test]
fn in_a_chat() {
    check(
        Setting::Chat,
        &[
            ("how do i mount a usb stick", Some(Question)),
            ("lena: how do i mount it", Some(Question)),
            ("anyone know a good editor", Some(Question)),
            ("hi, does anybody use zsh here", Some(Question)),
            ("can someone help me with grub", Some(Request)),
            ("please explain what that does", Some(Request)),
            ("i need help with my sound card", Some(Request)),
            ("i'm trying to install the driver", Some(Declare)),
            ("hi, trying to install the driver", Some(Declare)),
            ("it stopped and then trying to boot took hours", None),
            ("which is the newest kernel", Some(Question)),
            ("lena: which is the newest kernel", Some(Question)),
            ("use the backport, which is newer", None),
            ("?", Some(Question)),
            ("what?", Some(Question)),
            ("we can rescue the partition", None),
            ("i'll reboot now", None),
            ("you should try the other kernel", None),
            ("try sudo make install", None),
            ("thanks, that works", None),
            ("see http://a.example/page?id=4", None),
        ],
    );
}

#[test]
fn between_two() {
    check(
        Setting::TwoParty,
        &[
            ("Add a test for the parser.", Some(Request)),
            ("ok, now fix the build", Some(Request)),
            ("why does it fail", Some(Question)),
            ("Could you look at the log?", Some(Request)),
            ("Do you have the log", Some(Question)),
            ("Let me try that first.", None),
            ("It wants a clean build and install from source.", None),
            ("The build is green.", None),
        ],
    );
}
