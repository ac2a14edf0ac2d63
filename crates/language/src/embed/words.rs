//! Splits a text into words as BERT (uncased) does.
//!
//! Control characters are dropped, accents stripped, letters lowered; white space separates; each punctuation or CJK
//! character is a word.

use unicode_normalization::char::decompose_canonical;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// Calls `found` with each normalised word; `word` is scratch space that callers keep to save allocations.
pub(super) fn for_each_word(text: &str, word: &mut Vec<u8>, mut found: impl FnMut(&[u8])) {
    word.clear();
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match CLASS[usize::from(byte)] {
            Class::Word => word.push(byte.to_ascii_lowercase()),
            Class::Space => finish(word, &mut found),
            Class::Punctuation => {
                finish(word, &mut found);
                word.push(byte);
                finish(word, &mut found);
            }
            Class::Dropped => {}
            Class::NotAscii => {
                let Some(c) = text.get(at - 1..).and_then(|rest| rest.chars().next()) else { continue };
                at += c.len_utf8() - 1;
                other_character(c, word, &mut found);
            }
        }
    }
    finish(word, &mut found);
}

#[derive(Clone, Copy)]
enum Class {
    Word,
    Space,
    Punctuation,
    Dropped,
    NotAscii,
}

const CLASS: [Class; 256] = {
    let mut classes = [Class::NotAscii; 256];
    let mut byte = 0;
    while byte < 128 {
        let b = byte as u8;
        classes[byte] = if b.is_ascii_alphanumeric() {
            Class::Word
        } else if matches!(b, b' ' | b'\t' | b'\n' | b'\r') {
            Class::Space
        } else if b.is_ascii_punctuation() {
            Class::Punctuation
        } else {
            Class::Dropped
        };
        byte += 1;
    }
    classes
};

fn finish(word: &mut Vec<u8>, found: &mut impl FnMut(&[u8])) {
    if !word.is_empty() {
        found(word);
        word.clear();
    }
}

fn other_character(c: char, word: &mut Vec<u8>, found: &mut impl FnMut(&[u8])) {
    if c == char::REPLACEMENT_CHARACTER || is_dropped(c) {
        return;
    }
    if c.is_whitespace() {
        return finish(word, found);
    }
    let stands_alone = is_cjk(c);
    if stands_alone {
        finish(word, found);
    }
    decompose_canonical(c, |part| {
        if part.general_category() == GeneralCategory::NonspacingMark {
            return;
        }
        for lower in part.to_lowercase() {
            if lower.is_ascii_punctuation() || lower.general_category_group() == GeneralCategoryGroup::Punctuation {
                finish(word, found);
                push(word, lower);
                finish(word, found);
            } else {
                push(word, lower);
            }
        }
    });
    if stands_alone {
        finish(word, found);
    }
}

fn push(word: &mut Vec<u8>, c: char) {
    word.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

fn is_dropped(c: char) -> bool {
    c.general_category_group() == GeneralCategoryGroup::Other && c.general_category() != GeneralCategory::Unassigned
}

/// The blocks that BERT's tokenizer treats as ideographs; Hangul, Hiragana and Katakana are not among them.
fn is_cjk(c: char) -> bool {
    matches!(u32::from(c),
        0x4E00..=0x9FFF | 0x3400..=0x4DBF | 0x2_0000..=0x2_A6DF | 0x2_A700..=0x2_B73F
        | 0x2_B740..=0x2_B81F | 0x2_B920..=0x2_CEAF | 0xF900..=0xFAFF | 0x2_F800..=0x2_FA1F)
}

#[cfg(test)]
mod tests {
    use super::for_each_word;

    fn words(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        for_each_word(text, &mut Vec::new(), |word| found.push(String::from_utf8_lossy(word).into_owned()));
        found
    }

    #[test]
    fn letters_are_folded_and_signs_stand_alone() {
        assert_eq!(words("Déjà-vu:\tÅNGSTRÖM_2"), ["deja", "-", "vu", ":", "angstrom", "_", "2"]);
        assert_eq!(words("a\u{200b}b \u{0}c\u{fffd}d\u{a0}e"), ["ab", "cd", "e"]);
        assert_eq!(words("日本 and “quotes”"), ["日", "本", "and", "“", "quotes", "”"]);
        assert_eq!(words(" \n "), Vec::<String>::new());
    }
}
