//! Links of transcripts and sessions, and open loops.

use std::fs;

use crate::env::{TestEnv, TestResult};

const NIGHT: &str = "\
GM: The tower door is closed and a lantern burns above it.
Ann: Can I open the door?
GM: You can, the door is not locked.
Bo: Is there anybody in the room?
GM: There is nobody in the room.
Ann: Bo, did you bring the rope?
Bo: [laughs]
";

#[test]
fn a_file_is_linked_without_becoming_part_of_the_memory() -> TestResult {
    let env = TestEnv::new()?;
    let night = env.write("work/night.txt", NIGHT)?;
    let night = night.to_string_lossy();
    let answer = env.run(&["links", &night, "--json"]).json()?;
    assert_eq!((&answer["setting"], &answer["responders"][0]), (&"tabletop".into(), &"GM".into()), "{answer:#}");
    let first = &answer["links"][0];
    assert_eq!(first["intent_text"], "Can I open the door?");
    assert_eq!((&first["intent_type"], &first["intent_strength"]), (&"request".into(), &"strong".into()));
    assert_eq!(first["consequence_text"], "You can, the door is not locked.");
    assert_eq!((&first["distance"], &first["line_gap"]), (&1.into(), &1.into()));
    assert_eq!(answer, env.run(&["links", &night, "--json"]).json()?, "the same again");
    assert!(!env.path("memory").join("log.sqlite").exists(), "only read");

    let screen = env.run(&["links", &night]).ok()?;
    assert!(screen.contains("→ 2"), "{screen}");
    let seed = env.run(&["links", &night, "--kernel", "seed", "--json"]).json()?;
    assert_eq!(seed["links"][0]["kernel"], "seed");
    Ok(())
}

#[test]
fn an_annotated_transcript_has_every_line_and_why() -> TestResult {
    let env = TestEnv::new()?;
    let night = env.write("work/night.txt", NIGHT)?;
    let (night, page) = (night.to_string_lossy(), env.path("page.md"));
    env.run(&["links", &night, "--annotated", &page.to_string_lossy(), "--dense"]).ok()?;
    let page = fs::read_to_string(page)?;
    for words in
        ["Can I open the door?", "answered by 2", "← answers 1", "(noise)", "## Contested", "## Strong intents"]
    {
        assert!(page.contains(words), "{words}: {page}");
    }
    let outline = env.run(&["links", &night, "--outline"]).ok()?;
    assert!(outline.contains("1. "), "{outline}");
    let plot = env.path("plot.svg");
    let metrics = env.run(&["links", &night, "--metrics", "--plot", &plot.to_string_lossy()]).ok()?;
    assert!(metrics.contains("coverage"), "{metrics}");
    assert!(fs::read_to_string(plot)?.starts_with("<svg"));
    Ok(())
}

#[test]
fn choices_that_make_no_sense_are_refused_with_the_place() -> TestResult {
    let env = TestEnv::new()?;
    let night = env.write("work/night.txt", NIGHT)?;
    let actors = env.write("work/actors.toml", "[[actor]]\nname = \"GM\"\nrole = \"king\"\n")?;
    let mask = env.write("work/mask.json", "{\"excluded_ranges\": [\n{\"start_index\": 9, \"end_index\": 1}]}")?;
    let night = night.to_string_lossy();
    for (flags, words) in [
        (vec!["--k-local", "0"], "k_local is 0"),
        (vec!["--set", "tau=4"], "--kernel seed"),
        (vec!["--kernel", "seed", "--set", "tau=-1"], "tau is -1"),
        (vec!["--kernel", "seed", "--set", "tau=x"], "not a number"),
        (vec!["--kernel", "seed", "--set", "speed=1"], "answer_boost"),
        (vec!["--annotated", &night], "was not written by this command"),
        (vec!["--from", "today"], "do not name a session"),
        (vec!["--responder", "Zoe"], "Zoe"),
        (vec!["--without", "sleep"], "ooc_hard"),
        (vec!["--actors", &actors.to_string_lossy()], "actors.toml:3:"),
        (vec!["--mask", &mask.to_string_lossy()], "mask.json"),
    ] {
        let screen = env.run(&[vec!["links", &night], flags.clone()].concat());
        assert_eq!(screen.code, Some(2), "{flags:?} {}", screen.text());
        assert!(screen.stderr.contains(words), "{flags:?}: {}", screen.text());
    }
    Ok(())
}

#[test]
fn a_detector_is_turned_off_in_what_the_setting_has() -> TestResult {
    let env = TestEnv::new()?;
    let chat = "ann: how do i list hidden files\nbo: [laughs]\ncy: ann: ls -a\ndee: bo: :)\n";
    let chat = env.write("work/chat.txt", chat)?;
    let night = env.write("work/night.txt", NIGHT)?;
    let excluded = |file: &std::path::Path, detector: &str| -> TestResult<usize> {
        let answer = env.run(&["links", &file.to_string_lossy(), "--without", detector, "--json"]).json()?;
        Ok(answer["excluded_ranges"].as_array().map_or(0, Vec::len))
    };
    assert_eq!(excluded(&chat, "combat")?, 0, "no detector looks at a chat");
    assert_eq!((excluded(&night, "combat")?, excluded(&night, "noise")?, excluded(&night, "all")?), (1, 0, 0));
    Ok(())
}

#[test]
fn transcripts_without_links_say_why() -> TestResult {
    let env = TestEnv::new()?;
    let alone = env.write("work/alone.txt", "Ann: Is anybody here?\nAnn: Hello?\n")?;
    let screen = env.run(&["links", &alone.to_string_lossy()]).ok()?;
    assert!(screen.contains("No links: only one person speaks"), "{screen}");
    let empty = env.write("work/empty.txt", "")?;
    let screen = env.run(&["links", &empty.to_string_lossy()]);
    assert_eq!(screen.code, Some(1), "{}", screen.text());
    let screen = env.run(&["links", "nobody-knows-this"]);
    assert_eq!(screen.code, Some(3), "{}", screen.text());
    Ok(())
}

#[test]
fn stored_links_cite_both_ends() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let answer = env.run(&["links", "--all-projects", "--json"]).json()?;
    let items = answer["items"].as_array().cloned().unwrap_or_default();
    assert!(items.len() > 10, "{answer:#}");
    for item in &items {
        for key in ["intent_evidence", "intent_chunk"] {
            assert!(!item[key].is_null(), "{key} in {item:#}");
        }
        assert_eq!(item["claimed"], !item["consequence_evidence"].is_null());
    }
    let chunk = items[0]["intent_chunk"].as_str().unwrap_or_default();
    let of_chunk = env.run(&["links", "--all-projects", "--chunk", chunk, "--json"]).json()?;
    assert_eq!(of_chunk["items"][0]["id"], items[0]["id"]);
    let metrics = env.run(&["links", "--all-projects", "--metrics"]).ok()?;
    assert!(metrics.contains("request"), "{metrics}");
    Ok(())
}

#[test]
fn a_loop_is_closed_by_a_judgement() -> TestResult {
    let env = TestEnv::new()?;
    let session = "\
        {\"type\":\"user\",\"uuid\":\"u1\",\"sessionId\":\"s1\",\"cwd\":\"/w/shop\",\"timestamp\":\"2026-01-03T10:00:00Z\",\
        \"message\":{\"role\":\"user\",\"content\":\"find the lost invoices of May\"}}\n";
    let file = env.write("claude/projects/-w-shop/s1.jsonl", session)?;
    env.run(&["ingest", "--quiet", &file.to_string_lossy()]).ok()?;
    let list = env.run(&["loops", "--all-projects", "--json"]).json()?;
    assert_eq!((&list["total"], &list["items"][0]["kind"]), (&1.into(), &"unanswered".into()), "{list:#}");
    let id = list["items"][0]["id"].as_str().unwrap_or_default().to_owned();
    let screen = env.run(&["loops", "--all-projects"]).ok()?;
    assert!(screen.contains("claude --resume s1"), "{screen}");
    env.run(&["loops", "done", &id[..8], "they", "were", "archived"]).ok()?;
    assert_eq!(env.run(&["loops", "--all-projects", "--json"]).json()?["total"], 0);
    let closed = env.run(&["loops", "--all-projects", "--closed"]).ok()?;
    assert!(closed.contains("done: they were archived"), "{closed}");
    env.run(&["loops", "reopen", &id]).ok()?;
    assert_eq!(env.run(&["loops", "--all-projects", "--json"]).json()?["total"], 1);
    env.run(&["log", "verify"]).ok()?;
    let screen = env.run(&["loops", "drop", "ffffffff"]);
    assert_eq!(screen.code, Some(1), "{}", screen.text());
    Ok(())
}
