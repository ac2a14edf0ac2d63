//! A set of fictional secrets and harmless look-alikes, to measure redaction.
//!
//! No secret is in this source: each is assembled at run time, from a split prefix and a body from a seeded generator,
//! so that scanners of the repository find nothing. Another seed gives other secrets of the same forms.

mod carriers;
mod draw;
mod forms;
mod look_alikes;
mod negatives;
mod positives;
mod shapes;

pub use draw::Draw;

use super::kind::SecretKind;
use carriers::CARRIERS;
use forms::{draw_form, encode_base64};
use shapes::{PlantedShape, SHAPES, UNSEEN_SHAPES};

/// The seed that tests and evaluation use.
pub const SEED: u64 = 0x5EED_0001;

/// A text with a secret in it.
#[derive(Clone, Debug)]
pub struct Positive {
    /// The expected kind of the redaction.
    pub kind: SecretKind,
    pub text: String,
    /// The pieces of the text that must not survive.
    pub secrets: Vec<String>,
    /// A form that redaction is known or expected to miss.
    pub hard: bool,
}

/// A text without secrets.
#[derive(Clone, Debug)]
pub struct Negative {
    /// The category of the text.
    pub about: &'static str,
    pub text: String,
    /// A form that redaction is known or expected to mistake for a secret.
    pub hard: bool,
}

/// All texts of the set.
pub struct Planted {
    pub positives: Vec<Positive>,
    pub negatives: Vec<Negative>,
}

/// The set with random parts generated from `seed`.
pub fn planted(seed: u64) -> Planted {
    Planted {
        positives: positives::positives(&mut Draw::new(seed)),
        negatives: negatives::negatives(&mut Draw::new(seed ^ 0xA5A5)),
    }
}

/// A form of a secret, shown in a carrier.
#[derive(Clone, Debug)]
pub struct PlantedText {
    /// The category of the shape: a program's flag, a header, a connection string.
    pub group: &'static str,
    pub carrier: &'static str,
    pub text: String,
    /// The pieces of the text that must not survive.
    pub secrets: Vec<String>,
}

/// Selects the shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shapes {
    /// Shapes used while the rules were written.
    Known,
    /// Shapes not used while the rules were written.
    Unseen,
}

/// Each shape in half of the carriers, alternating.
pub fn shown(shapes: Shapes, seed: u64) -> Vec<PlantedText> {
    let mut draw = Draw::new(seed);
    let table = match shapes {
        Shapes::Known => SHAPES,
        Shapes::Unseen => UNSEEN_SHAPES,
    };
    let mut list = Vec::new();
    for (index, shape) in table.iter().enumerate() {
        for (turn, (carrier, carry)) in CARRIERS.iter().enumerate() {
            if (index + turn) % 2 == 0 {
                list.push(show(shape, carrier, *carry, &mut draw));
            }
        }
    }
    list
}

fn show(shape: &PlantedShape, carrier: &'static str, carry: fn(&str) -> String, draw: &mut Draw) -> PlantedText {
    let (group, template, form) = *shape;
    let secret = match form.strip_prefix('@') {
        Some(form) => encode_base64(draw_form(draw, form).as_bytes()),
        None => draw_form(draw, form),
    };
    let mut text = template.replace("AK|IA", "AKIA");
    for piece in ["{U}", "{s16}", "{h32}"] {
        if text.contains(piece) {
            text = text.replace(piece, &draw_form(draw, piece));
        }
    }
    let lines = secret.split('\n').flat_map(|line| line.split("\\n"));
    let secrets = lines.filter(|line| line.len() >= 4).map(str::to_owned).collect();
    PlantedText { group, carrier, text: carry(&text.replace('§', &secret)), secrets }
}

/// Harmless texts, each in half of the carriers, including the fixed ones of the planted set.
pub fn look_alikes(seed: u64) -> Vec<Negative> {
    let mut draw = Draw::new(seed);
    let mut texts: Vec<(&'static str, String)> =
        look_alikes::FIXED.iter().map(|text| ("look-alike", (*text).to_owned())).collect();
    for (template, form) in look_alikes::DRAWN {
        texts.push(("drawn look-alike", template.replace('§', &draw_form(&mut draw, form))));
    }
    let planted = negatives::negatives(&mut draw);
    texts.extend(planted.into_iter().filter(|text| !text.hard).map(|text| (text.about, text.text)));
    let mut list = Vec::new();
    for (index, (about, text)) in texts.iter().enumerate() {
        for (turn, (_, carry)) in CARRIERS.iter().enumerate() {
            if (index + turn) % 2 == 0 {
                list.push(Negative { about, text: carry(text), hard: false });
            }
        }
    }
    list
}

impl PlantedText {
    /// Whether no part of the secrets is left in the redacted text.
    pub fn is_removed_from(&self, redacted: &str) -> bool {
        are_removed(&self.secrets, redacted)
    }
}

impl Positive {
    /// Whether no part of the secrets is left in the redacted text: no piece of twelve bytes, or no whole shorter
    /// secret.
    pub fn is_removed_from(&self, redacted: &str) -> bool {
        are_removed(&self.secrets, redacted)
    }
}

fn are_removed(secrets: &[String], redacted: &str) -> bool {
    const PIECE: usize = 12;
    secrets.iter().all(|secret| {
        let bytes = secret.as_bytes();
        let piece = PIECE.min(bytes.len());
        !bytes.windows(piece).any(|part| contains(redacted.as_bytes(), part))
    })
}

impl Negative {
    /// Whether redaction left the text unchanged.
    pub fn is_unchanged_in(&self, redacted: &str) -> bool {
        self.text == redacted
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}
