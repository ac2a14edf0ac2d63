//! What users see: three scenarios, and their invariants.

use backstory_cause::locate::Codebase;
use backstory_cause::relevance::{
    CausalRelationship, DocumentFate, DocumentKind, Mode, QuestionIntent, Remembered, RetrievalOptions, WrittenBy,
    explain_other,
};

use crate::shop::{Shop, document, rank_of};

#[test]
fn finding_the_cause_of_a_bug() {
    let shop = Shop::new();
    let found = shop.ask("Why does calculateTotal return NaN?");
    let cause = document(&found, "src/cart.ts:calculateTotal").expect("the cause");
    assert_eq!(cause.rank, 1);
    assert_eq!(cause.document.place().as_deref(), Some("src/cart.ts:8"));
    assert!(cause.explanation.as_deref().unwrap().contains("missing type conversion"), "{:?}", cause.explanation);
    for page in ["docs/api.md", "CHANGELOG.md", "tests/cart.test.ts"] {
        assert!(rank_of(&found, page).is_none_or(|rank| rank > cause.rank), "{page}");
    }
    // The graph leads to the type that lets strings in; its words do not.
    assert!(rank_of(&found, "src/types/item.ts").is_some());
}

#[test]
fn avoiding_redundant_retrieval() {
    let shop = Shop::new();
    let said = |id: &str| Remembered {
        id: id.to_owned(),
        kind: DocumentKind::Session,
        name: "prices come as text".to_owned(),
        text: "prices come as text from src/cart.ts".to_owned(),
        written_by: WrittenBy::Person,
        citation: None,
        about: None,
        what: "was said or done before".to_owned(),
        files: vec!["src/cart.ts".to_owned()],
        score: 1.0,
        constrains: false,
    };
    let found = shop.ask_with(
        "Why does calculateTotal return NaN?",
        &[said("session:a"), said("session:b")],
        &RetrievalOptions::default(),
    );
    let kept = document(&found, "session:a").expect("the first");
    let dropped = found.left_out.iter().find(|left| left.document.id == "session:b").expect("the second");
    assert_eq!(dropped.fate, DocumentFate::Redundant { with: kept.document.id.clone() });
    let told = &dropped.relevance.information;
    assert!(told.mutual_information > 0.0 && told.information_gain.abs() < 1e-6, "{told:?}");
    assert!(kept.relevance.information.information_gain.abs() > told.information_gain.abs());
}

#[test]
fn building_causal_chains() {
    let shop = Shop::new();
    let found = shop.ask("What happens when user clicks Submit?");
    assert_eq!(found.analysis.intent, QuestionIntent::How);
    let chain = &document(&found, "src/api.ts:submitAPI").expect("the end of the chain").relevance.chain;
    let told: Vec<(&str, &str, CausalRelationship)> =
        chain.iter().map(|link| (link.from.label.as_str(), link.to.label.as_str(), link.relationship)).collect();
    assert_eq!(
        told,
        [
            ("the question", "onClick", CausalRelationship::Implements),
            ("onClick", "validateForm", CausalRelationship::Calls),
            ("validateForm", "submitAPI", CausalRelationship::Calls),
        ]
    );
    assert!(chain.iter().all(|link| link.strength > 0.0 && !link.evidence.is_empty()));
}

#[test]
fn retrieves_the_cause_not_the_symptom() {
    let shop = Shop::new();
    let found = shop.ask("Error: an e-mail address is needed to check out");
    assert_eq!(rank_of(&found, "src/form.ts:validateForm"), Some(1));
    let frame =
        "TypeError: total is not a function\n    at calculateTotal (src/cart.ts:8:5)\n    at render (src/page.ts:3:1)";
    let found = shop.ask(frame);
    let cause = document(&found, "src/cart.ts:calculateTotal").unwrap();
    assert_eq!((cause.rank, cause.document.line), (1, Some(8)));
}

#[test]
fn handles_a_cause_in_several_files() {
    let shop = Shop::new();
    let found = shop.ask("Why is the total of the cart wrong when a discount applies?");
    for cause in ["src/cart.ts:calculateTotal", "src/discount.ts:discountFor"] {
        assert!(rank_of(&found, cause).is_some_and(|rank| rank <= 3), "{cause}");
    }
}

#[test]
fn explains_every_document() {
    let shop = Shop::new();
    let found = shop.ask("Why does calculateTotal return NaN?");
    assert!(!found.documents.is_empty());
    for ranked in &found.documents {
        assert!(ranked.explanation.as_deref().is_some_and(|sentence| sentence.len() > 10), "{}", ranked.document.id);
        assert!(!ranked.relevance.chain.is_empty(), "{}", ranked.document.id);
    }
    let silent = RetrievalOptions { include_explanations: false, ..RetrievalOptions::default() };
    let found = shop.ask_with("Why does calculateTotal return NaN?", &[], &silent);
    assert!(found.documents.iter().all(|ranked| ranked.explanation.is_none()));
}

#[test]
fn what_calls_it_lists_callers_and_not_mentions() {
    let shop = Shop::new();
    let found = shop.ask("What calls discountFor?");
    assert_eq!(found.analysis.intent, QuestionIntent::WhatCalls);
    assert_eq!(rank_of(&found, "src/cart.ts:calculateTotal"), Some(1));
    assert!(rank_of(&found, "src/discount.ts:discountFor").is_none());
    let found = shop.ask("What does validateForm call?");
    assert_eq!(rank_of(&found, "src/api.ts:submitAPI"), Some(1));
}

#[test]
fn names_keep_their_case() {
    let shop = Shop::new();
    shop.write(
        "shop/pay.py",
        "def charge(cart):\n    return len(cart)\n\n\ndef checkout(cart):\n    return charge(cart)\n",
    );
    let found = shop.ask("What does checkout call?");
    let told = document(&found, "shop/pay.py:charge").and_then(|ranked| ranked.explanation.clone());
    assert!(told.as_deref().is_some_and(|sentence| sentence.starts_with("checkout calls charge")), "{told:?}");
}

#[test]
fn modes_and_limits_are_kept() {
    let shop = Shop::new();
    let ask = |mode: Mode, max: Option<usize>| {
        let options = RetrievalOptions { mode, max_docs: max, ..RetrievalOptions::default() };
        shop.ask_with("Why is the total of the cart wrong?", &[], &options)
    };
    let (precise, balanced, all) = (ask(Mode::Precision, None), ask(Mode::Balanced, None), ask(Mode::Recall, None));
    assert!(precise.documents.len() <= balanced.documents.len());
    assert!(balanced.documents.len() <= all.documents.len());
    assert!(precise.documents.iter().filter(|ranked| ranked.can_be_cause).all(|ranked| ranked.relevance.score >= 0.5));
    let one = ask(Mode::Balanced, Some(1));
    assert_eq!(one.documents.iter().filter(|ranked| ranked.can_be_cause).count(), 1);
    let strict = RetrievalOptions { min_relevance: Some(1.1), ..RetrievalOptions::default() };
    assert!(shop.ask_with("Why is the total wrong?", &[], &strict).documents.iter().all(|ranked| !ranked.can_be_cause));
}

#[test]
fn different_questions_get_different_answers() {
    let shop = Shop::new();
    let questions = [
        "Why does calculateTotal return NaN?",
        "Why is the order not sent to the server?",
        "How is a discount computed?",
    ];
    let first: Vec<String> =
        questions.iter().map(|question| shop.ask(question).documents[0].document.id.clone()).collect();
    assert_eq!(first.iter().collect::<std::collections::BTreeSet<_>>().len(), questions.len(), "{first:?}");
}

#[test]
fn the_same_question_gets_the_same_answer() {
    let shop = Shop::new();
    let told = |_| {
        let found = shop.ask("Why is the total of the cart wrong?");
        found.documents.iter().map(|ranked| (ranked.document.id.clone(), ranked.relevance.score)).collect::<Vec<_>>()
    };
    assert_eq!(told(0), told(1));
}

#[test]
fn past_fixes_and_constraints_speak_too() {
    let mut shop = Shop::new();
    shop.write("src/discount.ts", "export const RATE = 0.1;\n\nexport function discountFor(total: number): number {\n  return total >= 100 ? total * RATE : 0;\n}\n");
    shop.commit("Fix the threshold of voucher rebates");
    let rule = Remembered {
        id: "card:1".to_owned(),
        kind: DocumentKind::Card,
        name: "constraint: never round before the end".to_owned(),
        text: "Never round voucher rebates before the end.".to_owned(),
        written_by: WrittenBy::Person,
        citation: Some("card 1".to_owned()),
        about: None,
        what: "must be respected".to_owned(),
        files: Vec::new(),
        score: 1.0,
        constrains: true,
    };
    let found = shop.ask_with("Voucher rebates are wrong at the threshold", &[rule], &RetrievalOptions::default());
    // The code contains no word of the question; a past fix leads to it.
    assert_eq!(found.files[0].path, "src/discount.ts");
    let commit = found.documents.iter().find(|ranked| ranked.document.kind == DocumentKind::Commit).expect("the fix");
    assert!(!commit.can_be_cause);
    let card = document(&found, "card:1").expect("the rule");
    assert_eq!(card.relevance.chain[0].relationship, CausalRelationship::Constrains);
}

#[test]
fn what_was_asked_for_at_a_place_hangs_on_its_chain() {
    let shop = Shop::new();
    let decision = |id: &str, about: &str| Remembered {
        id: id.to_owned(),
        kind: DocumentKind::Decision,
        name: "prices may come as text".to_owned(),
        text: "prices may come as text".to_owned(),
        written_by: WrittenBy::Person,
        citation: Some("session s1".to_owned()),
        about: Some(about.to_owned()),
        what: "wrote 3 of its 4 telling lines".to_owned(),
        files: Vec::new(),
        score: 1.0,
        constrains: false,
    };
    let memory = [
        decision("decision:1", "code:src/cart.ts:calculateTotal"),
        decision("decision:2", "code:src/nowhere.ts:nothing"),
    ];
    let found = shop.ask_with("Why does calculateTotal return NaN?", &memory, &RetrievalOptions::default());
    let told = document(&found, "decision:1").expect("asked for at the cause");
    assert!(!told.can_be_cause);
    let last = told.relevance.chain.last().expect("a chain");
    assert_eq!((last.from.label.as_str(), last.against), ("calculateTotal", true));
    assert_eq!(last.relationship, CausalRelationship::Modifies);
    assert!(document(&found, "decision:2").is_none(), "a place that is not asked about");
}

#[test]
fn nothing_that_matches_says_so() {
    let shop = Shop::new();
    let found = shop.ask("zzyzx quux");
    assert!(
        found.documents.is_empty(),
        "{:?}",
        found.documents.iter().map(|ranked| &ranked.document.id).collect::<Vec<_>>()
    );
    assert_eq!(found.completeness.value(), None);
}

#[test]
fn the_type_that_lets_it_happen_stands_before_what_merely_shares_a_word() {
    let shop = Shop::new();
    let others: String =
        (0..8).map(|at| format!("export function helper{at}(a: number) {{\n  return a + {at};\n}}\n\n")).collect();
    shop.write("src/helpers.ts", &others);
    let found = shop.ask("Why does calculateTotal return NaN?");
    let item = rank_of(&found, "src/types/item.ts").expect("the type of what is added up");
    assert!(rank_of(&found, "src/helpers.ts").is_none_or(|rank| rank > item), "item is number {item}");
}

#[test]
fn a_setting_can_be_the_cause() {
    let shop = Shop::new();
    shop.write("config/shop.toml", "[checkout]\ntimeout_seconds = 3\n\n[tax]\nrate = 19\n");
    shop.write(
        "src/gateway.ts",
        "import { settings } from './settings';\n\n\
         /** Waits for the answer of the gateway. */\n\
         export function chargeCard(order: Order) {\n\
         \x20 return wait(order, settings['timeout_seconds']);\n\
         }\n",
    );
    let found = shop.ask("Why does chargeCard time out after so few seconds?");
    let key = document(&found, "config/shop.toml").expect("the setting");
    assert!(key.can_be_cause && key.document.kind == DocumentKind::Config);
    let steps: Vec<&str> = key.relevance.chain.iter().map(|link| link.to.label.as_str()).collect();
    assert_eq!(steps, ["chargeCard", "checkout.timeout_seconds"]);
    let found = shop.ask("Where is the tax rate configured?");
    let ids: Vec<&str> = found.documents.iter().map(|ranked| ranked.document.id.as_str()).collect();
    assert!(rank_of(&found, "tax.rate").is_some_and(|rank| rank <= 2), "{ids:?}");
    assert!(!ids.contains(&"page:config/shop.toml"), "told as a setting already: {ids:?}");
}

#[test]
fn what_is_named_is_not_crowded_out_by_its_file() {
    let shop = Shop::new();
    let many: String = (0..12)
        .map(|at| format!("/** Pay an invoice by card, invoice number {at}. */\nexport function payInvoice{at}(invoice: Invoice, card: Card) {{\n  return card.pay(invoice);\n}}\n\n"))
        .collect();
    shop.write("src/invoice.ts", &format!("{many}export function close() {{\n  return 1;\n}}\n"));
    let found = shop.ask("Why does `close` fail when I pay an invoice by card?");
    assert!(rank_of(&found, "src/invoice.ts:close").is_some(), "{:?}", found.left_out);
}

#[test]
fn a_copy_of_a_page_and_a_test_told_by_name_are_told_once() {
    let shop = Shop::new();
    let page = "# Totals\n\ncalculateTotal returns NaN for prices that are texts.\n";
    shop.write("docs/totals.md", page);
    shop.write("docs/totals-copy.md", page);
    let found = shop.ask("Why does calculateTotal return NaN?");
    let shown = |path: &str| found.documents.iter().filter(|it| it.document.path.as_deref() == Some(path)).count();
    assert_eq!(shown("docs/totals.md") + shown("docs/totals-copy.md"), 1);
    assert_eq!(shown("tests/cart.test.ts"), 1);
}

#[test]
fn a_question_without_spaces_finds_comments_in_its_language() {
    let shop = Shop::new();
    shop.write(
        "src/stock.ts",
        "/** 在庫が足りないときは注文を断る。 */\nexport function reserve(order: Order) {\n  return order;\n}\n",
    );
    let found = shop.ask("なぜ在庫が足りないのですか");
    assert_eq!(rank_of(&found, "src/stock.ts:reserve"), Some(1));
}

#[test]
fn what_only_explains_can_be_asked_about_too() {
    let mut shop = Shop::new();
    shop.write("src/discount.ts", "export function discountFor(total: number): number {\n  return 0;\n}\n");
    shop.commit("Fix the discount of large orders");
    let (code, _) = shop.update();
    let place = Codebase::new(&code.tree, &code.past);
    let found = shop.ask("Why is the discount of large orders wrong?");
    let commit = code.past.commit(0).unwrap().hex();
    let told = explain_other(&place, &found, &commit[..10]).expect("a commit is known");
    assert!(told.was_retrieved && told.id.starts_with("commit:"), "{told:?}");
    let found = shop.ask("What happens when user clicks Submit?");
    let told = explain_other(&place, &found, &commit[..10]).expect("a commit is known");
    assert!(!told.was_retrieved && told.sentence.contains("discount of large orders"), "{told:?}");
    assert_eq!(explain_other(&place, &found, "ffffffff"), None);
}
