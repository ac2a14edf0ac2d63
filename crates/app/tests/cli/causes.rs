//! Questions about causes, on a small shop in the current folder.

use crate::env::{TestEnv, TestResult};
use crate::fixes::with_a_past;
use crate::stub::{Mood, Stub};

const CART: &str = "import { discountFor } from './discount';\n\
    export function calculateTotal(items: Item[]): number {\n\
    \x20 let total = 0;\n\
    \x20 for (const item of items) {\n\
    \x20   total += item.price * item.quantity;\n\
    \x20 }\n\
    \x20 return total - discountFor(total);\n\
    }\n";
const DISCOUNT: &str =
    "export function discountFor(total: number): number {\n  return total > 100 ? total / 10 : 0;\n}\n";
const DOCS: &str = "# API\n\n`calculateTotal` returns the total. calculateTotal never returns NaN.\n";
const TESTS: &str = "import { calculateTotal } from '../src/cart';\n\
    test('totals add up', () => {\n  expect(calculateTotal([])).toBe(0);\n});\n";
const QUESTION: &str = "Why does calculateTotal return NaN?";

/// `why` needs a memory; this one is about something else.
fn with_a_memory(env: &TestEnv) -> TestResult {
    let talk = env.write("talk.txt", "Ada: shall we go to the lake?\nBen: yes, on Sunday\n")?;
    env.run(&["ingest", "--quiet", &talk.to_string_lossy()]).ok()?;
    Ok(())
}

fn shop() -> TestResult<TestEnv> {
    let env = TestEnv::new()?;
    env.write("work/src/cart.ts", CART)?;
    env.write("work/src/discount.ts", DISCOUNT)?;
    env.write("work/docs/api.md", DOCS)?;
    env.write("work/tests/cart.test.ts", TESTS)?;
    with_a_memory(&env)?;
    Ok(env)
}

#[test]
fn a_question_is_answered_with_causes_and_their_chain() -> TestResult {
    let env = shop()?;
    let told = env.run(&["why", QUESTION]).ok()?;
    let first = told.lines().find(|line| line.starts_with("1. ")).unwrap_or_default();
    assert!(first.starts_with("1. src/cart.ts:5 calculateTotal"), "{told}");
    assert!(told.contains("missing type conversion") && told.contains("total += item.price"), "{told}");
    let explains = told.find("Explains it").unwrap_or_default();
    assert!(told.find("docs/api.md").is_some_and(|at| at > explains), "a page is no cause: {told}");

    let told = env.run(&["why", QUESTION, "--json"]).json()?;
    let cause = &told["documents"][0];
    assert_eq!((&cause["path"], &cause["line"]), (&"src/cart.ts".into(), &5.into()), "{told:#}");
    for field in ["information_contribution", "counterfactual_impact", "causal_chain", "confidence", "explanation"] {
        assert!(!cause[field].is_null(), "{field}: {told:#}");
    }
    assert_eq!(told["metadata"]["query_analysis"]["intent"], "why", "{told:#}");
    let callers = env.run(&["why", "what calls discountFor", "--json"]).json()?;
    assert_eq!(callers["documents"][0]["name"], "calculateTotal", "{callers:#}");
    Ok(())
}

#[test]
fn an_answer_is_noted_and_can_be_judged() -> TestResult {
    let env = shop()?;
    let told = env.run(&["why", QUESTION, "--json"]).json()?;
    let id = told["retrieval"].as_str().unwrap_or_default().to_owned();
    env.run(&["outcome", "helpful", "--retrieval", &id, "--cause", "1"]).ok()?;
    let status = env.run(&["status", "--json"]).json()?;
    assert_eq!(status["calibration"]["by_hand"], 1, "{status:#}");
    assert!(env.run(&["log", "verify"]).code == Some(0));
    Ok(())
}

#[test]
fn chains_are_drawn() -> TestResult {
    let env = shop()?;
    env.run(&["why", QUESTION, "--graph", "chains.svg"]).text();
    let drawn = std::fs::read_to_string(env.path("work/chains.svg"))?;
    assert!(drawn.starts_with("<svg") && drawn.contains("calculateTotal"), "{drawn}");
    env.run(&["why", QUESTION, "--graph", "chains.mmd"]).text();
    let drawn = std::fs::read_to_string(env.path("work/chains.mmd"))?;
    assert!(drawn.starts_with("flowchart LR") && drawn.contains("calculateTotal"), "{drawn}");
    let screen = env.run(&["why", "src/cart.ts:2", "--graph", "x.svg"]);
    assert!(screen.code == Some(2) && screen.text().contains("--graph"), "{}", screen.text());
    Ok(())
}

#[test]
fn what_did_not_come_is_explained() -> TestResult {
    let env = shop()?;
    let told = env.run(&["explain", "why", QUESTION, "--document", "docs/api.md"]).ok()?;
    assert!(told.contains("docs/api.md"), "{told}");
    let told = env.run(&["explain", "why", QUESTION, "--document", "src/cart.ts:calculateTotal"]).ok()?;
    assert!(told.contains("It was retrieved, as number 1") && told.contains("words"), "{told}");
    let all = env.run(&["explain", "why", QUESTION, "--json"]).json()?;
    assert!(all["documents"].as_array().is_some_and(|all| all.len() > 1), "{all:#}");
    let screen = env.run(&["explain", "why", QUESTION, "--document", "nowhere.ts"]);
    assert!(screen.code == Some(1), "{}", screen.text());
    Ok(())
}

#[test]
fn impact_names_users_and_tests() -> TestResult {
    let env = shop()?;
    let told = env.run(&["why", "--impact", "discountFor"]).ok()?;
    assert!(told.contains("src/cart.ts:7 calculateTotal") && told.contains("Tests that would notice (1)"), "{told}");
    let told = env.run(&["why", "--impact", "src/discount.ts", "--json"]).json()?;
    assert_eq!(told["users"][0]["name"], "calculateTotal", "{told:#}");
    let screen = env.run(&["why", "--impact", "nothing"]);
    assert!(screen.code == Some(1) && screen.text().contains("named 'nothing'"), "{}", screen.text());
    Ok(())
}

#[test]
fn what_was_asked_for_and_failed_at_a_place_is_told_with_it() -> TestResult {
    let env = with_a_past()?;
    let door = "package doors\n\nfunc openAll(doors []Door) {\n\tfor _, door := range doors {\n\
                \tif err := open(door); err != nil {\n\t}\n\t}\n}\n";
    env.write("work/src/door.go", door)?;
    env.run(&["remember", "never call `openAll` at night"]).ok()?;
    let told = env.run(&["why", "why does openAll leave a door shut", "--json"]).json()?;
    let documents = told["documents"].as_array().cloned().unwrap_or_default();
    for (kind, relationship) in [("decision", "modifies"), ("failure", "contextualizes"), ("card", "constrains")] {
        let found = documents.iter().find(|document| document["kind"] == kind);
        let Some(found) = found else { panic!("no {kind}: {told:#}") };
        let last = found["causal_chain"].as_array().and_then(|chain| chain.last()).cloned().unwrap_or_default();
        assert_eq!(last["relationship"], relationship, "{found:#}");
        assert_eq!((&last["from"]["label"], &found["can_be_cause"]), (&"openAll".into(), &false.into()), "{found:#}");
        assert!(found["citation"].as_str().is_some_and(|cited| !cited.is_empty()), "{found:#}");
    }
    let told = env.run(&["why", "--impact", "openAll"]).ok()?;
    for words in ["Asked for when it was written", "tidy the doors", "Failures here", "Constraints here"] {
        assert!(told.contains(words), "{words}: {told}");
    }
    let told = env.run(&["why", "--impact", "openAll", "--json"]).json()?;
    assert_eq!(told["remembered"][0]["decisions"][0]["prompt"]["text"], "tidy the doors", "{told:#}");
    Ok(())
}

#[test]
fn the_story_of_a_line_ends_with_who_depends_on_it() -> TestResult {
    let env = shop()?;
    let told = env.run(&["why", "src/discount.ts:2", "--all-projects"]).ok()?;
    assert!(told.contains("Depends on it now") && told.contains("src/cart.ts:7 calculateTotal"), "{told}");
    Ok(())
}

#[test]
fn code_is_read_once() -> TestResult {
    let env = shop()?;
    let first = env.run(&["index-code", "--json"]).json()?;
    assert_eq!((&first["files"], &first["parsed"]), (&4.into(), &4.into()), "{first:#}");
    let again = env.run(&["index-code", "--json"]).json()?;
    assert_eq!((&again["parsed"], &again["unchanged"]), (&0.into(), &true.into()), "{again:#}");
    env.write("work/src/broken.ts", "export function half( {\n")?;
    let told = env.run(&["index-code"]).ok()?;
    assert!(told.contains("1 parsed") && told.contains("src/broken.ts") && told.contains("of syntax"), "{told}");
    for (path, code) in [("no/such/folder", 1), ("src/cart.ts", 2)] {
        assert_eq!(env.run(&["index-code", path]).code, Some(code), "{path}");
    }
    Ok(())
}

#[test]
fn a_chat_model_can_weigh_the_answers() -> TestResult {
    let env = shop()?;
    let stub = Stub::start(Mood::Well { dim: 8 })?;
    let url = stub.url("/v1/chat/completions");
    env.write("memory/config.toml", format!("[why]\nanswers = \"llm\"\nurl = \"{url}\"\nname = \"tiny\"\n"))?;
    let told = env.run(&["why", QUESTION]);
    let said = told.text();
    assert!(
        told.code == Some(0) && said.contains("sending the question") && said.contains("answer model tiny"),
        "{said}"
    );
    let asked = stub.requests();
    assert!(!asked.is_empty() && asked.len() <= 20, "{}", asked.len());
    assert!(asked[0].body["messages"][1]["content"].as_str().is_some_and(|text| text.contains("calculateTotal")));
    stub.set(Mood::Refusing { status: 400 });
    let screen = env.run(&["why", QUESTION]);
    assert!(screen.code == Some(5) && screen.text().contains("answer model"), "{}", screen.text());
    Ok(())
}

#[test]
fn a_question_needs_words() -> TestResult {
    let env = shop()?;
    for args in
        [&["why"][..], &["why", " "], &["why", QUESTION, "--min-relevance", "2"], &["why", QUESTION, "--weights", "1"]]
    {
        assert_eq!(env.run(args).code, Some(2), "{args:?}");
    }
    let told = env.run(&["why", "zzyzx quux"]).nothing()?;
    assert!(told.contains("Nothing in the code"), "{told}");
    Ok(())
}
