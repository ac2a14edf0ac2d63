//! How many tokens does a text take?

/// Estimated tokens: bytes / 3.6, rounded up. Measured against a real
/// tokenizer in `docs/measurements.md`; it needs no tables and no time.
pub fn estimate_tokens(text: &str) -> u32 {
    tokens_of_bytes(text.len())
}

fn tokens_of_bytes(bytes: usize) -> u32 {
    (bytes as u64 * 5).div_ceil(18) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_up() {
        assert_eq!(estimate_tokens(""), 0);
        assert_eq!(estimate_tokens("a"), 1);
        assert_eq!(estimate_tokens(&"a".repeat(36)), 10);
    }
}
