//! The letter pairs of a run without spaces.

/// Pairs of adjacent letters; a single letter is returned alone.
pub(super) fn letter_pairs(run: &str) -> Vec<String> {
    let letters: Vec<char> = run.chars().collect();
    letters.windows(2.min(letters.len()).max(1)).map(|pair| pair.iter().collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::letter_pairs;

    #[test]
    fn neighbours_are_paired() {
        assert_eq!(letter_pairs("数据库"), ["数据", "据库"]);
        assert_eq!(letter_pairs("鍵"), ["鍵"]);
        assert!(letter_pairs("").is_empty());
    }
}
