//! Words without information.

/// English function words and filler words of questions, folded and stemmed, sorted.
const STOP_WORDS: &[&str] = &[
    "a", "about", "abov", "after", "again", "against", "all", "also", "am", "an", "and", "ani", "are", "as", "at",
    "be", "becaus", "been", "befor", "below", "between", "both", "but", "by", "can", "could", "d", "did", "do", "doe",
    "doesn", "doing", "don", "down", "dure", "each", "ever", "few", "for", "from", "further", "get", "got", "had",
    "has", "have", "he", "her", "here", "hers", "herself", "him", "himself", "his", "how", "i", "if", "in", "into",
    "is", "isn", "it", "it's", "itself", "just", "let", "ll", "m", "many", "may", "me", "might", "more", "most",
    "much", "must", "my", "myself", "no", "nor", "not", "now", "o", "of", "off", "on", "onc", "onli", "or", "other",
    "our", "ourselv", "out", "over", "own", "pleas", "re", "s", "same", "shall", "she", "should", "so", "some", "such",
    "t", "than", "that", "the", "their", "them", "themselv", "then", "there", "these", "they", "this", "those",
    "through", "to", "too", "under", "until", "up", "upon", "us", "ve", "veri", "was", "wasn", "we", "were", "what",
    "when", "where", "whi", "which", "while", "who", "whom", "whose", "will", "with", "within", "without", "won",
    "would", "you", "your", "yours", "yourself",
];

/// `term` as returned by the tokenizer.
pub fn is_stop_word(term: &str) -> bool {
    STOP_WORDS.binary_search(&term).is_ok()
}

/// English function words and filler words of bug reports, in lower case, not stemmed, sorted.
const REPORT_STOP_WORDS: &[&str] = &[
    "a", "actual", "after", "also", "am", "an", "and", "any", "are", "as", "at", "be", "because", "been", "before",
    "behavior", "behaviour", "both", "bug", "but", "by", "can", "could", "did", "do", "does", "doing", "done", "each",
    "expect", "expected", "few", "for", "from", "get", "gets", "got", "had", "has", "have", "having", "he", "hello",
    "her", "here", "hi", "him", "his", "how", "i", "if", "in", "into", "is", "issue", "it", "its", "itself", "just",
    "let", "like", "may", "me", "might", "more", "most", "my", "no", "not", "now", "of", "off", "on", "one", "only",
    "or", "other", "our", "out", "over", "own", "please", "same", "see", "she", "should", "since", "so", "some",
    "still", "such", "than", "thanks", "that", "the", "their", "them", "then", "there", "these", "they", "thing",
    "this", "those", "through", "to", "too", "under", "until", "up", "us", "use", "used", "using", "very", "via",
    "want", "was", "way", "we", "well", "were", "what", "when", "where", "which", "while", "who", "whom", "why",
    "will", "with", "work", "working", "works", "would", "you", "your",
];

/// Is the word in every report? `word` in lower case, not stemmed.
pub fn is_report_stop_word(word: &str) -> bool {
    REPORT_STOP_WORDS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_in_order() {
        assert!(STOP_WORDS.is_sorted());
        assert!(REPORT_STOP_WORDS.is_sorted());
        assert!(is_report_stop_word("expected") && !is_report_stop_word("door"));
        assert!(is_stop_word("whi") && is_stop_word("d") && !is_stop_word("door"));
    }
}
