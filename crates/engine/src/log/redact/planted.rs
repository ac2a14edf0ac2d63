//! A set of made-up secrets and of harmless look-alikes, to measure redaction with.
//!
//! No secret stands in this source: each is put together at run time, from a prefix
//! in pieces and a body drawn from a seeded generator, so that scanners of the
//! repository find nothing. Another seed gives other secrets of the same forms.

mod draw;
mod negatives;
mod positives;

pub use draw::Draw;

use super::kind::SecretKind;

/// The seed that tests and evaluation use.
pub const SEED: u64 = 0x5EED_0001;

/// A text with a secret in it.
#[derive(Clone, Debug)]
pub struct Positive {
    /// The kind that redaction should name.
    pub kind: SecretKind,
    pub text: String,
    /// The pieces of the text that must not survive.
    pub secrets: Vec<String>,
    /// A form that redaction is known or expected to miss.
    pub hard: bool,
}

/// A text in which nothing is secret.
#[derive(Clone, Debug)]
pub struct Negative {
    /// What the text is an instance of.
    pub about: &'static str,
    pub text: String,
    /// A form that redaction is known or expected to take for a secret.
    pub hard: bool,
}

/// All texts of the set.
pub struct Planted {
    pub positives: Vec<Positive>,
    pub negatives: Vec<Negative>,
}

/// The set whose random parts are drawn with `seed`.
pub fn planted(seed: u64) -> Planted {
    Planted {
        positives: positives::positives(&mut Draw::new(seed)),
        negatives: negatives::negatives(&mut Draw::new(seed ^ 0xA5A5)),
    }
}

impl Positive {
    /// Whether nothing of the secrets is left in the redacted text: no piece of twelve
    /// bytes, or of the whole secret where that is shorter.
    pub fn is_removed_from(&self, redacted: &str) -> bool {
        const PIECE: usize = 12;
        self.secrets.iter().all(|secret| {
            let bytes = secret.as_bytes();
            let piece = PIECE.min(bytes.len());
            !bytes.windows(piece).any(|part| contains(redacted.as_bytes(), part))
        })
    }
}

impl Negative {
    /// Whether redaction left the text alone.
    pub fn is_unchanged_in(&self, redacted: &str) -> bool {
        self.text == redacted
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}
