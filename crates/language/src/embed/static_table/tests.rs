use crate::embed::Embedder;

use super::{DIM, SHIPPED, StaticTable, WordVectors};

fn vector(text: &str) -> [f32; DIM] {
    let mut vector = [0.0; DIM];
    StaticTable::shipped().embed_one(text, &mut vector);
    vector
}

fn similarity(a: &str, b: &str) -> f32 {
    vector(a).iter().zip(&vector(b)).map(|(a, b)| a * b).sum()
}

#[test]
fn the_id_is_made_of_the_weights() {
    let hash = blake3::hash(&SHIPPED[64..]).to_hex();
    let table = WordVectors::from_bytes(SHIPPED).expect("a table");
    assert_eq!(table.name(), format!("minilm-static-256-{}", &hash[..8]));
    assert_eq!(StaticTable::shipped().model(), table.name());
}

#[test]
fn vectors_have_length_one_or_are_zero() {
    for text in ["a", "the login token expired", "日本語", "x".repeat(5000).as_str(), &"token ".repeat(3000)] {
        let length: f32 = vector(text).iter().map(|value| value * value).sum();
        assert!((length - 1.0).abs() < 1e-4 || length == 0.0, "{text:.20}: {length}");
    }
    assert_eq!(vector(""), [0.0; DIM]);
    assert_eq!(vector(" \n\u{0}"), [0.0; DIM]);
}

#[test]
fn a_text_has_one_vector_whatever_came_before() {
    let texts = ["retry the upload", "flaky network", "retry the upload", &"many words here ".repeat(500)];
    let mut table = StaticTable::shipped();
    let together = table.embed(&texts).expect("vectors");
    let again = table.embed(&texts).expect("vectors");
    assert_eq!(together, again);
    for (text, vector_of_batch) in texts.iter().zip(&together) {
        assert_eq!(vector(text).as_slice(), vector_of_batch.as_slice());
    }
}

#[test]
fn repeating_a_text_changes_its_vector_only_by_rounding() {
    let once = vector("sums of many rows are poured out in time");
    let often = vector(&"sums of many rows are poured out in time ".repeat(1000));
    assert!(once.iter().zip(&often).all(|(a, b)| (a - b).abs() < 1e-4));
}

#[test]
fn near_meanings_are_nearer_than_others() {
    for (text, near, far) in [
        (
            "the login fails after a restart",
            "users must sign in again when the server reboots",
            "change the colour of the button",
        ),
        ("fix the memory leak", "RAM usage keeps growing", "translate the page into French"),
        ("what did she buy for her dog?", "I got a new toy for the puppy", "the meeting was moved to Monday"),
        ("database migration", "alter table add column", "birthday cake"),
    ] {
        assert!(similarity(text, near) > similarity(text, far) + 0.05, "{text}");
    }
}
