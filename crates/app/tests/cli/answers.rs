//! Questions about the sample project: the results, the misses, and the reasons.

use std::fs;
use std::path::PathBuf;

use backstory_engine::model::Timestamp;
use serde_json::Value;

use crate::env::{TestEnv, TestResult};

const ROUNDING: &str = "how is VAT rounded, per line or on the total?";
const NAN: &str = "why does the checkout total become NaN";

fn ask(env: &TestEnv, verb: &str, question: &str, flags: &[&str]) -> TestResult<Value> {
    let passages: &[&str] = if verb == "search" { &["--passages"] } else { &[] };
    let screen = env.run(&[&[verb, question, "--all-projects", "--json"], passages, flags].concat());
    // Notices go to stderr too.
    Ok(serde_json::from_str(&screen.stdout).map_err(|error| format!("{error}: {}", screen.text()))?)
}

/// Passages: only passages contain agents' thoughts, so `recall` follows the graph.
fn ask_passages(env: &TestEnv, verb: &str, question: &str, flags: &[&str]) -> TestResult<Value> {
    let thinking: &[&str] = if verb == "recall" { &["--thinking"] } else { &[] };
    ask(env, verb, question, &[flags, thinking].concat())
}

fn items(answer: &Value) -> Vec<&Value> {
    let chains = answer["chains"].as_array().into_iter().flatten();
    let of_chains = chains.flat_map(|chain| chain["items"].as_array().into_iter().flatten());
    answer["items"].as_array().into_iter().flatten().chain(of_chains).collect()
}

fn texts(answer: &Value) -> String {
    items(answer).iter().filter_map(|item| item["text"].as_str()).collect::<Vec<_>>().join("\n")
}

fn started(item: &Value) -> &str {
    item["started"].as_str().unwrap_or_default()
}

#[test]
fn search_cites_where_each_answer_stands() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let answer = ask(&env, "search", ROUNDING, &[])?;
    assert!(texts(&answer).contains("per line, half up"), "{answer:#}");
    for item in items(&answer) {
        for key in ["chunk", "session", "project", "agent", "started", "score", "parts", "text"] {
            assert!(!item[key].is_null(), "{key} in {item:#}");
        }
        let cited = item["evidence"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let ids: Vec<&str> = cited.filter_map(|citation| citation.split(':').nth(1)).collect();
        assert!(!ids.is_empty(), "{item:#}");
        for id in ids {
            env.run(&["log", "show", id]).ok()?;
        }
    }
    let screen = env.run(&["search", "--passages", ROUNDING, "--all-projects"]).ok()?;
    assert!(screen.contains("session 30bf59b3 · agent main · lantern-shop"), "{screen}");
    Ok(())
}

#[test]
fn a_budget_is_kept_by_every_verb() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    for verb in ["search", "recall", "predict"] {
        for budget in [100, 333, 1000, 5000] {
            let answer = ask_passages(&env, verb, NAN, &["--budget", &budget.to_string()])?;
            let tokens = answer["tokens"].as_u64().unwrap_or(u64::MAX);
            assert!(tokens <= budget, "{verb} --budget {budget} took {tokens}");
            assert!(!items(&answer).is_empty(), "{verb} --budget {budget}");
        }
    }
    Ok(())
}

#[test]
fn filters_let_only_what_was_asked_for_through() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let of_tester = ask(&env, "search", "coupon tests", &["--agent", "tester"])?;
    assert!(!items(&of_tester).is_empty());
    assert!(items(&of_tester).iter().all(|item| item["agent"] == "tester"), "{of_tester:#}");
    let later = ask(&env, "search", ROUNDING, &["--from", "2026-02-02", "--to", "2026-02-02"])?;
    assert!(!items(&later).is_empty());
    assert!(items(&later).iter().all(|item| started(item).starts_with("2026-02-02")), "{later:#}");
    let of_file = ask(&env, "search", ROUNDING, &["--files", "pricing/vat.ts"])?;
    assert!(!items(&of_file).is_empty());
    assert!(items(&of_file).iter().all(|item| item["text"].as_str().is_some_and(|text| text.contains("vat"))));
    for verb in ["recall", "predict"] {
        let of_file = ask(&env, verb, ROUNDING, &["--files", "pricing/vat.ts"])?;
        let matched: Vec<_> = items(&of_file).into_iter().filter(|item| item["matched"] == true).collect();
        assert!(!matched.is_empty(), "{verb}: {of_file:#}");
        assert!(matched.iter().all(|item| item["text"].as_str().is_some_and(|text| text.contains("vat"))));
        assert!(items(&ask(&env, verb, ROUNDING, &["--files", "no/such/file"])?).is_empty(), "{verb}");
    }
    let screen = env.run(&["search", ROUNDING, "--all-projects", "--agent", "nobody"]);
    assert_eq!(screen.code, Some(1), "{}", screen.text());
    assert!(screen.stderr.contains("no agent"), "{}", screen.stderr);
    Ok(())
}

#[test]
fn nothing_relevant_gives_nothing_and_says_what_to_try() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    for question in ["xqzzt vlorp", "sourdough hydration for beginners"] {
        assert_eq!(items(&ask(&env, "search", question, &[])?), Vec::<&Value>::new(), "{question}");
        let screen = env.run(&["search", question, "--all-projects"]);
        assert!(screen.text().contains("Nothing found. Try"), "{}", screen.text());
    }
    Ok(())
}

#[test]
fn recall_tells_the_match_in_its_place_in_the_story() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let best = ask(&env, "search", NAN, &[])?["items"][0]["chunk"].clone();
    for verb in ["recall", "predict"] {
        let answer = ask_passages(&env, verb, NAN, &[])?;
        assert!(items(&answer).iter().any(|item| item["chunk"] == best), "{verb}: {answer:#}");
        for chain in answer["chains"].as_array().into_iter().flatten() {
            let times: Vec<&str> = chain["items"].as_array().into_iter().flatten().map(started).collect();
            assert!(times.is_sorted(), "{verb}: {times:?}");
        }
    }
    Ok(())
}

#[test]
fn recall_tells_the_case_that_answers_in_its_place() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let answer = ask(&env, "recall", NAN, &[])?;
    let story = &answer["story"];
    assert!(story["case"]["findings"].to_string().contains("NaN"), "{answer:#}");
    let part = |name: &str| story[name].as_array().cloned().unwrap_or_default();
    let told = [part("before"), vec![story["case"].clone()], part("after")].concat();
    let times: Vec<&str> = told.iter().filter_map(|case| case["time"].as_str()).collect();
    assert!(times.is_sorted() && times.len() == told.len() && told.len() > 1, "{answer:#}");
    let screen = env.run(&["recall", NAN, "--all-projects"]).ok()?;
    assert!(screen.lines().count() <= 40, "{screen}");
    let plain = env.run(&["recall", NAN, "--all-projects", "--plain"]).ok()?;
    let others = answer["others"].as_array().map_or(0, Vec::len);
    assert_eq!(plain.lines().count(), answer["cards"].as_array().map_or(0, Vec::len) + told.len() + others, "{plain}");
    let one = ask(&env, "recall", NAN, &["--limit", "1"])?;
    assert_eq!(one["story"]["before"].as_array().map(Vec::len), Some(0), "{one:#}");
    assert_eq!(env.run(&["recall", "sourdough hydration", "--all-projects"]).code, Some(1));
    Ok(())
}

#[test]
fn predict_counts_what_followed() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let answer = ask(&env, "predict", "the checkout test fails", &[])?;
    let actions = answer["experience"]["actions"].as_array().cloned().unwrap_or_default();
    assert!(actions.iter().any(|action| action["what"] == "npm test"), "{actions:#?}");
    let support: Vec<u64> = actions.iter().filter_map(|action| action["support"].as_u64()).collect();
    assert!(support.iter().all(|count| *count > 0) && support.is_sorted_by(|a, b| a >= b), "{support:?}");
    Ok(())
}

#[test]
fn explain_says_why_each_came_and_why_one_did_not() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let question = ["explain", "search", NAN, "--all-projects", "--limit", "2"];
    let answer = env.run(&[question.as_slice(), &["--json"]].concat()).json()?;
    let candidates = answer["candidates"].as_array().cloned().unwrap_or_default();
    let with =
        |fate: &str| candidates.iter().filter(|candidate| candidate["fate"] == fate).cloned().collect::<Vec<_>>();
    assert_eq!(with("shown").len(), 2, "{answer:#}");
    let left_out =
        with("over_limit").first().and_then(|it| it["chunk"].as_str().map(str::to_owned)).unwrap_or_default();
    let screen = env.run(&[question.as_slice(), &["--chunk", &left_out[..12]]].concat()).ok()?;
    assert!(screen.contains("omitted: over the limit (--limit)"), "{screen}");
    assert!(screen.contains("score "), "{screen}");
    for (asked, code, words) in [("", 2, "Give more of the id"), ("none", 1, "Ids are in brackets")] {
        let screen = env.run(&[question.as_slice(), &["--chunk", asked]].concat());
        assert_eq!(screen.code, Some(code), "{}", screen.text());
        assert!(screen.stderr.contains(words), "{}", screen.text());
    }
    for verb in ["recall", "predict"] {
        let screen = env.run(&["explain", verb, NAN, "--all-projects"]).ok()?;
        assert!(screen.contains("median"), "{screen}");
    }
    Ok(())
}

/// If one half of the index is unusable, the other one answers, with a one-line notice.
#[test]
fn a_damaged_index_answers_with_what_is_left() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let whole = ask(&env, "search", ROUNDING, &[])?;
    for (part, notice) in [("words", "words are not used"), ("vectors", "vectors are not used")] {
        let path = index_file(&env, part)?;
        let bytes = fs::read(&path)?;
        fs::write(&path, &bytes[..bytes.len() / 2])?;
        let answer = ask(&env, "search", ROUNDING, &[])?;
        assert!(!items(&answer).is_empty(), "without {part}");
        let notices = answer["notices"].to_string();
        assert!(notices.contains(notice) && notices.contains("`backstory rebuild`"), "{notices}");
        env.run(&["rebuild", "--quiet"]).ok()?;
        assert_eq!(ask(&env, "search", ROUNDING, &[])?["items"], whole["items"], "after {part}");
    }
    // Without the records of the passages neither half works.
    fs::remove_file(index_file(&env, "docs")?)?;
    let screen = env.run(&["search", ROUNDING, "--all-projects"]);
    assert!(screen.code != Some(0) && screen.stderr.contains("backstory rebuild"), "{}", screen.text());
    env.run(&["rebuild", "--quiet"]).ok()?;
    assert_eq!(ask(&env, "search", ROUNDING, &[])?["items"], whole["items"]);
    Ok(())
}

fn index_file(env: &TestEnv, part: &str) -> TestResult<PathBuf> {
    let mut files = fs::read_dir(env.path("memory/views/index"))?.collect::<Result<Vec<_>, _>>()?.into_iter();
    let file = files.find(|file| file.file_name().to_string_lossy().starts_with(part));
    Ok(file.ok_or(format!("no {part} file"))?.path())
}

#[test]
fn clusters_are_made_by_maintain_and_listed() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    env.run(&["maintain"]).ok()?;
    let clusters = env.run(&["clusters", "--all-projects", "--json"]).json()?;
    let clusters = clusters["items"].as_array().cloned().unwrap_or_default();
    let labels: Vec<&str> = clusters.iter().filter_map(|cluster| cluster["label"].as_str()).collect();
    assert!(labels.iter().any(|label| label.contains("coupons")), "{labels:?}");
    assert!(clusters.iter().all(|cluster| cluster["chunks"].as_u64().is_some_and(|chunks| chunks > 1)));
    Ok(())
}

#[test]
fn seed_mode_follows_the_original_design() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    env.run(&["maintain"]).ok()?;
    let found = ask(&env, "search", "coupon", &["--seed-mode"])?;
    let best = &found["items"][0]["parts"];
    let ranks = [&best["words_rank"], &best["vectors_rank"]].map(|rank| rank.as_f64());
    let expected: f64 = ranks.into_iter().flatten().map(|rank| 1.0 / (60.0 + rank)).sum();
    assert!(best["own"].as_f64().is_some_and(|own| (own - expected).abs() < 1e-4), "{found:#}");
    assert!(items(&found).iter().all(|item| item["parts"]["recency"].as_f64().is_some()), "{found:#}");
    assert!(found["items"].to_string().contains("\"likeness\""), "{found:#}");
    for verb in ["recall", "predict"] {
        let told = ask(&env, verb, "coupon", &["--seed-mode"])?;
        assert_eq!(told["chains"].as_array().map(Vec::len), Some(1), "{told:#}");
    }
    env.run(&["explain", "recall", "coupon", "--seed-mode", "--all-projects"]).ok()?;
    Ok(())
}

#[test]
fn every_match_is_in_the_story() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    for question in [NAN, ROUNDING, "the checkout test fails"] {
        let best: Vec<Value> = items(&ask(&env, "search", question, &["--limit", "5", "--budget", "20000"])?)
            .iter()
            .map(|item| item["chunk"].clone())
            .collect();
        for verb in ["recall", "predict"] {
            let told = ask_passages(&env, verb, question, &[])?;
            for chunk in &best {
                assert!(items(&told).iter().any(|item| item["chunk"] == *chunk), "{verb} {question}: {chunk}");
            }
            let short = ask_passages(&env, verb, question, &["--budget", "60"])?;
            assert!(items(&short).iter().any(|item| item["chunk"] == best[0]), "{verb} {question} in 60 tokens");
        }
    }
    Ok(())
}

#[test]
fn what_tells_nothing_is_answered_by_nothing() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    for question in ["the", "the of and", "?!?!", "."] {
        assert_eq!(items(&ask(&env, "search", question, &[])?), Vec::<&Value>::new(), "{question}");
    }
    let screen = env.run(&["search", NAN, "--files", "", "--all-projects"]);
    assert_eq!(screen.code, Some(2), "{}", screen.text());
    Ok(())
}

#[test]
fn a_memory_that_cannot_be_searched_does_not_say_that_it_is_empty() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    for file in fs::read_dir(env.path("memory/views/index"))? {
        let path = file?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with("words") || name.starts_with("vectors") {
            fs::remove_file(path)?;
        }
    }
    for verb in ["search", "recall"] {
        let screen = env.run(&[verb, NAN, "--all-projects"]);
        assert_eq!(screen.code, Some(4), "{}", screen.text());
        assert!(screen.stderr.contains("rebuild"), "{}", screen.stderr);
    }
    Ok(())
}

#[test]
fn thoughts_do_not_count_a_word_twice() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    let answer = ask(&env, "search", NAN, &["--thinking"])?;
    let covered = |item: &&Value| item["parts"]["covered"].as_f64().unwrap_or(0.0);
    assert!(items(&answer).iter().all(|item| covered(item) <= 1.0 + 1e-6), "{answer:#}");
    Ok(())
}

#[test]
fn why_tells_the_conversation_behind_a_line() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    env.write("work/src/cart-hold.ts", "// Holds.\nconst HOLD_MS = 15 * 60_000;\n")?;
    let why = |place: &str, more: &[&str]| env.run(&[&["why", place, "--project", "lantern-shop"], more].concat());
    let told = why("src/cart-hold.ts:2", &[]).ok()?;
    for part in ["src/cart-hold.ts:2", "Asked for", "Written", "+ const HOLD_MS = 15 * 60_000;"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let story = why("src/cart-hold.ts:2", &["--json"]).json()?;
    assert_eq!(story["proof"], "only_edit", "{story:#}");
    let session = story["written"]["session"].as_str().unwrap_or_default();
    assert!(session.starts_with("61146108") && session.len() == 36, "{story:#}");
    assert!(story["written"]["record"].is_string() && story["written"]["prompt"]["record"].is_string(), "{story:#}");
    let told = why("src/cart-hold.ts:1", &[]).ok()?;
    assert!(told.contains("Cannot prove who wrote it"), "{told}");
    let whole = why("src/cart-hold.ts", &["--json"]).json()?;
    let range = &whole["ranges"][1];
    assert_eq!(
        (&range["first_line"], &range["last_line"], &range["proof"]),
        (&2.into(), &2.into(), &"only_edit".into())
    );
    assert_eq!(range["session"], session, "{whole:#}");
    for (place, problem) in [("src", "names no line"), ("src/cart-hold.ts:9", "has 2 lines")] {
        let screen = why(place, &[]);
        assert!(screen.code == Some(2) && screen.text().contains(problem), "{}", screen.text());
    }
    assert_eq!(why("src/gone.ts:1", &[]).code, Some(1));
    Ok(())
}

/// Commits everything in the work folder, at the given time.
pub fn commit(env: &TestEnv, subject: &str, time: &str) -> TestResult<String> {
    let folder = env.path("work");
    let repository = git2::Repository::open(&folder).or_else(|_| git2::Repository::init(&folder))?;
    let mut index = repository.index()?;
    index.add_all(["*"], git2::IndexAddOption::DEFAULT, None)?;
    index.update_all(["*"], None)?;
    index.write()?;
    let tree = repository.find_tree(index.write_tree()?)?;
    let seconds = Timestamp::parse(time).ok_or("no time")?.0 / 1_000;
    let who = git2::Signature::new("Ada", "ada@example.com", &git2::Time::new(seconds, 0))?;
    let parent = repository.head().ok().and_then(|head| head.peel_to_commit().ok());
    let parents: Vec<&git2::Commit<'_>> = parent.iter().collect();
    Ok(repository.commit(Some("HEAD"), &who, &who, subject, &tree, &parents)?.to_string())
}

#[test]
fn why_tells_the_conversations_behind_a_commit() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    env.write("work/README.md", "# A shop for lanterns\n")?;
    let first = commit(&env, "Begin", "2026-01-02T10:00:00Z")?;
    env.write("work/src/cart-hold.ts", "// Holds of carts.\nconst HOLD_MS = 15 * 60_000;\n}\n")?;
    let second = commit(&env, "Hold carts", "2026-02-20T10:00:00Z")?;
    let why = |asked: &str, more: &[&str]| env.run(&[&["why", asked, "--project", "lantern-shop"], more].concat());

    let told = why("HEAD", &[]).ok()?;
    for part in [
        "Hold carts",
        "1 file, 3 lines added, 0 removed",
        "src/cart-hold.ts +3 -0",
        "Asked for",
        "wrote 1 of 2 lines in 1 edit: src/cart-hold.ts (1)",
        "1 of 2 lines was written in no session that the memory knows",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let story = why(&second[..7], &["--json"]).json()?;
    assert_eq!(story["commit"]["id"], second.as_str(), "{story:#}");
    assert_eq!(story["lines"]["proven"], 1, "{story:#}");
    let edit = &story["parts"][0]["edits"][0];
    let session = edit["session"].as_str().unwrap_or_default();
    assert!(session.starts_with("61146108") && session.len() == 36, "{story:#}");
    assert!(edit["record"].is_string() && story["parts"][0]["prompt"]["record"].is_string(), "{story:#}");

    let told = why("HEAD~1", &[]);
    assert_eq!(told.code, Some(1), "nothing is known of it");
    let told = told.stdout;
    assert!(told.contains(&first[..12]) && told.contains("none of 1 line is from a session"), "{told}");
    for nothing in ["HEAD~9", "abcdef1234"] {
        let screen = why(nothing, &[]);
        assert!(screen.code == Some(2) && screen.text().contains("git knows no such commit"), "{}", screen.text());
    }
    let missing = why("docs/gone.md", &[]);
    assert!(missing.code == Some(1) && missing.text().contains("there is no file 'docs/gone.md' here"));
    // Any other word is a question.
    assert!(why("nobody", &[]).ok()?.contains("Nothing in the code"));
    Ok(())
}

#[test]
fn commit_messages_of_the_repository_answer() -> TestResult {
    let env = TestEnv::with_demo_read()?;
    env.write("work/README.md", "# A shop for lanterns\n")?;
    let message = "Weigh parcels before labelling\n\nThe carrier rejects labels of parcels heavier than announced.";
    let id = commit(&env, message, "2026-02-20T10:00:00Z")?;
    // The folder has sessions: its project is asked.
    env.write(
        "sessions/weigh.jsonl",
        format!(
            "{{\"type\":\"user\",\"uuid\":\"u1\",\"sessionId\":\"a1b2c3d4-0000-4000-8000-000000000001\",\"cwd\":{:?},\
             \"timestamp\":\"2026-02-21T10:00:00Z\",\"message\":{{\"role\":\"user\",\"content\":\"print the labels of the carrier in the parcels list\"}}}}\n",
            env.path("work").display().to_string()
        ),
    )?;
    env.run(&["ingest", &env.path("sessions").display().to_string()]).ok()?;
    let asked = "why does the carrier reject labels of heavier parcels?";
    let told = env.run(&["search", asked]).ok()?;
    assert!(told.contains(&format!("commit {}", &id[..8])) && told.contains("heavier than announced"), "{told}");
    let answer = env.run(&["search", asked, "--json"]).json()?;
    assert_eq!(answer["commits"][0]["id"], id.as_str(), "{answer:#}");
    let elsewhere = env.run(&["search", asked, "--all-projects", "--json"]).json()?;
    assert!(elsewhere["commits"].as_array().is_none_or(Vec::is_empty), "{elsewhere:#}");
    Ok(())
}

#[test]
fn callers_and_callees_are_read_from_the_tree() -> TestResult {
    let env = TestEnv::new()?;
    env.write("work/src/cart.ts", "export class Cart {\n  add() {\n    return total(this);\n  }\n}\nfunction total(cart: Cart) {\n  return 1;\n}\n")?;
    env.write("work/src/shop.ts", "import { Cart } from './cart';\nexport function buy() {\n  new Cart().add();\n}\n")?;
    env.write("work/.gitignore", "dist\n")?;
    env.write(
        "work/dist/old.ts",
        "import { Cart } from '../src/cart';\nexport function old() {\n  new Cart().add();\n}\n",
    )?;
    let callers = env.run(&["callers", "Cart.add"]).ok()?;
    assert!(callers.contains("method Cart.add src/cart.ts:2") && callers.contains("src/shop.ts:3 buy"), "{callers}");
    assert!(!callers.contains("old"), "what git ignores is left out: {callers}");
    let callees = env.run(&["callees", "cart.ts:add", "--json"]).json()?;
    assert_eq!(callees["items"][0]["calls"][0]["name"], "total", "{callees:#}");
    let screen = env.run(&["callers", "nobody"]);
    assert!(screen.code == Some(1) && screen.text().contains("named 'nobody'"), "{}", screen.text());
    Ok(())
}
