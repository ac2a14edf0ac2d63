//! Generates a secret from a short description of its form.

use super::Draw;

/// Passwords that people choose: words, with and without digits.
const WORDS: &[&str] = &[
    "hunter2", "correcthorse", "sunflower", "swordfish", "Sommer2023", "dragonfly", "tiger77", "maplesyrup",
    "bluewhale9", "Winter-2024", "P@ssw0rd!", "trustno1", "shadowfax", "kaffeekanne", "qazwsx99", "Gandalf!",
];

/// The words of phrases.
const NOUNS: &[&str] = &[
    "correct", "horse", "battery", "staple", "ocean", "violin", "pepper", "window", "rocket", "maple", "lantern",
    "copper", "meadow", "puzzle", "hammer", "silver", "garden", "bottle", "falcon", "engine", "velvet", "marble",
];

/// Generates a string from `form`. Text is literal, `|` is empty: it splits prefixes that scanners of this repository
/// would report as secrets. Braces contain a letter and a length:
///
/// `a` letters and digits, `b` base64, `d` digits, `h` hex, `l` small letters and digits,
/// `p` a generated password, `s` base32, `t` letters, digits, `_`, `-`, `u` capitals and
/// digits; without a length `w` a chosen password, `U` a UUID, `f` a phrase of four
/// words, `m` a phrase of twelve; `k` lines of a key.
pub(super) fn draw_form(draw: &mut Draw, form: &str) -> String {
    let mut text = String::new();
    let mut rest = form;
    while let Some((plain, braced)) = rest.split_once('{') {
        text += &plain.replace('|', "");
        let (piece, after) = braced.split_once('}').unwrap_or((braced, ""));
        text += &draw_piece(draw, piece);
        rest = after;
    }
    text + &rest.replace('|', "")
}

fn draw_piece(draw: &mut Draw, piece: &str) -> String {
    let (letter, length) = piece.split_at(1);
    let length: usize = length.parse().unwrap_or(0);
    match letter {
        "a" => draw.alnum(length),
        "b" => draw.base64(length),
        "d" => draw.digits(length),
        "h" => draw.hex(length),
        "l" => draw.lower(length),
        "p" => draw.password(length),
        "s" => draw.base32(length),
        "t" => draw.token(length),
        "u" => draw.upper(length),
        "w" => WORDS[draw.below(WORDS.len())].to_owned(),
        "U" => draw.uuid(),
        "f" => phrase(draw, 4),
        "m" => phrase(draw, 12),
        _ => {
            let lines: Vec<String> = (0..length).map(|_| draw.base64(64)).collect();
            lines.join("\n")
        }
    }
}

fn phrase(draw: &mut Draw, words: usize) -> String {
    let words: Vec<&str> = (0..words).map(|_| NOUNS[draw.below(NOUNS.len())]).collect();
    words.join(" ")
}

/// Base64 with padding, as in Kubernetes secrets.
pub(super) fn encode_base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let triple = chunk.iter().fold(0u32, |bits, &byte| bits << 8 | u32::from(byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let digit = (triple >> (18 - 6 * place)) as usize & 63;
            text.push(if place <= chunk.len() { char::from(ALPHABET[digit]) } else { '=' });
        }
    }
    text
}
