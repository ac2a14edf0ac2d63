//! Folds letters that people treat as the same.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Lower case, without accents, with compatibility forms resolved.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.nfkd().filter(|letter| !is_combining_mark(*letter)).flat_map(char::to_lowercase).collect()
}

/// Scripts that are written without spaces between words.
pub fn is_ngram_script(letter: char) -> bool {
    matches!(u32::from(letter),
        0x0E00..=0x0EFF            // Thai, Lao
        | 0x1000..=0x109F          // Myanmar
        | 0x1780..=0x17FF          // Khmer
        | 0x3040..=0x30FF          // Hiragana, Katakana
        | 0x31F0..=0x31FF
        | 0x3400..=0x4DBF          // Han
        | 0x4E00..=0x9FFF
        | 0xAC00..=0xD7AF          // Hangul
        | 0xF900..=0xFAFF
        | 0xFF66..=0xFF9F          // half-width Katakana
        | 0x20000..=0x323AF)
}
