//! The terms themselves: information, counterfactuals, chains, ranking, diversity.

use backstory_cause::relevance::AnswerModel;
use backstory_cause::relevance::{
    AnswerChange, ChangeSeverity, CounterfactualImpact, Fact, FactModel, chain_strength, counterfactual, entropy,
    information,
};

use crate::shop::Shop;

fn fact(reason: &'static str, answer: usize, weight: f32) -> Fact {
    Fact { reason, answer, weight }
}

/// Three answers; document 0 supports the first, 1 says the same, 2 supports the second, 3 says nothing.
fn model() -> FactModel {
    FactModel::new(
        3,
        &[
            vec![fact("words", 0, 2.0), fact("named", 0, 1.0)],
            vec![fact("words", 0, 2.0), fact("named", 0, 1.0)],
            vec![fact("words", 1, 1.5)],
            vec![],
        ],
    )
}

#[test]
fn a_relevant_document_gains_information() {
    let told = information(&mut model(), 0, &[]).unwrap();
    assert!(told.information_gain > 0.0 && told.mutual_information > 0.0, "{told:?}");
    assert!((told.entropy_reduction - told.mutual_information).abs() < 1e-6);
}

#[test]
fn a_redundant_document_gains_none() {
    let told = information(&mut model(), 1, &[0]).unwrap();
    assert!(told.information_gain.abs() < 1e-6, "{told:?}");
    assert!((told.redundancy - told.mutual_information).abs() < 1e-6);
    assert!(told.mutual_information > 0.0);
}

#[test]
fn a_document_without_facts_tells_nothing() {
    let told = information(&mut model(), 3, &[0]).unwrap();
    assert!(told.information_gain.abs() < 1e-6 && told.mutual_information.abs() < 1e-6);
}

#[test]
fn a_counterfactual_is_detected() {
    let impact = counterfactual(&mut model(), 0, &[0, 2]).unwrap();
    assert!(impact.would_change_answer);
    assert_eq!((impact.change, impact.instead), (AnswerChange::Complete, Some(1)));
    assert_eq!(impact.severity, ChangeSeverity::Critical);
}

#[test]
fn what_others_also_say_changes_nothing() {
    let unchanged =
        |document, all: &[usize]| -> CounterfactualImpact { counterfactual(&mut model(), document, all).unwrap() };
    for impact in [unchanged(1, &[0, 1, 2]), unchanged(3, &[0, 2, 3])] {
        assert!(!impact.would_change_answer);
        assert_eq!((impact.change, impact.severity), (AnswerChange::None, ChangeSeverity::Negligible));
    }
}

#[test]
fn the_answer_is_a_distribution() {
    let mut model = model();
    for set in [&[][..], &[0], &[0, 2], &[3]] {
        let distribution = model.distribution(set).unwrap();
        assert!((distribution.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        assert!(entropy(&distribution) <= 3f32.log2() + 1e-5);
    }
    assert!((entropy(&model.distribution(&[]).unwrap()) - 3f32.log2()).abs() < 1e-5);
}

#[test]
fn chains_lead_from_the_question_to_the_document() {
    let found = Shop::new().ask("Why does calculateTotal return NaN?");
    for ranked in &found.documents {
        let chain = &ranked.relevance.chain;
        assert_eq!(chain[0].from.id, "query");
        assert_eq!(chain.last().unwrap().to.id, ranked.document.id);
        assert!(chain.windows(2).all(|pair| pair[0].to.id == pair[1].from.id), "{chain:?}");
        assert!(chain_strength(chain) > 0.0 && chain_strength(chain) <= 1.0);
    }
    assert_eq!(chain_strength(&[]), 0.0);
}

#[test]
fn documents_are_ranked_by_relevance() {
    let found = Shop::new().ask("Why is the total of the cart wrong?");
    let causes: Vec<f32> =
        found.documents.iter().filter(|ranked| ranked.can_be_cause).map(|ranked| ranked.relevance.score).collect();
    assert!(causes.len() > 1 && causes.is_sorted_by(|a, b| a >= b), "{causes:?}");
    let ranks: Vec<usize> = found.documents.iter().map(|ranked| ranked.rank).collect();
    assert_eq!(ranks, (1..=ranks.len()).collect::<Vec<_>>());
}

#[test]
fn copies_are_told_once() {
    let shop = Shop::new();
    let copy = std::fs::read_to_string(shop.path().join("src/cart.ts")).unwrap();
    shop.write("src/old/cart.ts", &copy);
    let found = shop.ask("Why does calculateTotal return NaN?");
    let copies = found.documents.iter().filter(|ranked| ranked.document.name == "calculateTotal").count();
    assert_eq!(copies, 1);
}
