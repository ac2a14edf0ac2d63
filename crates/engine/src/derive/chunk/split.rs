//! Where should a text be split?

use std::ops::Range;

/// Ranges of at most `limit` bytes that cover `text`, split at the best boundary in the last two
/// thirds of each: between paragraphs outside code blocks, then between lines, then between words.
pub(super) fn split(text: &str, limit: usize) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = 0;
    let mut in_code = false;
    while text.len() - start > limit {
        let (cut, code_after) = best_cut(text, start, limit, in_code);
        ranges.push(start..cut);
        start = cut;
        in_code = code_after;
    }
    if start < text.len() || ranges.is_empty() {
        ranges.push(start..text.len());
    }
    ranges
}

/// The place to cut, and whether it lies inside a code block.
fn best_cut(text: &str, start: usize, limit: usize, mut in_code: bool) -> (usize, bool) {
    let window = text.floor_char_boundary(start + limit);
    let earliest = start + limit / 3;
    let mut best: Option<(u8, usize, bool)> = None;
    let mut previous_blank = false;
    let mut at = start;
    for line in text[start..window].split_inclusive('\n') {
        let blank = line.trim().is_empty();
        let fence = line.trim_start().starts_with("```");
        if at >= earliest && at > start {
            let rank = match (in_code, previous_blank || fence) {
                (false, true) => 3,
                (true, true) => 2,
                _ => 1,
            };
            if best.is_none_or(|(known, _, _)| rank >= known) {
                best = Some((rank, at, in_code));
            }
        }
        if fence {
            in_code = !in_code;
        }
        previous_blank = blank || (fence && !in_code);
        at += line.len();
    }
    match best {
        Some((_, cut, code)) => (cut, code),
        None => {
            let space = text[start..window].rfind(char::is_whitespace).map(|at| start + at);
            let after_space = space.map(|at| at + text[at..].chars().next().map_or(1, char::len_utf8));
            let cut = after_space.filter(|at| *at > earliest).unwrap_or(window);
            (if cut > start { cut } else { window.max(text.ceil_char_boundary(start + 1)) }, in_code)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn prefers_paragraphs_then_lines_then_words() {
        let text = "first paragraph here\n\nsecond one\nwith two lines";
        let pieces: Vec<_> = split(text, 30).into_iter().map(|range| &text[range]).collect();
        assert_eq!(pieces, ["first paragraph here\n\n", "second one\nwith two lines"]);
        let text = "one two three four five";
        let pieces: Vec<_> = split(text, 10).into_iter().map(|range| &text[range]).collect();
        assert_eq!(pieces, ["one two ", "three ", "four five"]);
    }

    #[test]
    fn keeps_a_code_block_together_when_it_fits() {
        let text = "intro line\n\n```\nlet a;\n\nlet b;\n```\nafter that";
        let pieces: Vec<_> = split(text, 34).into_iter().map(|range| &text[range]).collect();
        assert_eq!(pieces, ["intro line\n\n", "```\nlet a;\n\nlet b;\n```\nafter that"]);
    }

    proptest! {
        #[test]
        fn pieces_cover_the_text(text in "(?s).{0,400}", limit in 4usize..60) {
            let ranges = split(&text, limit);
            let joined: String = ranges.iter().map(|range| &text[range.clone()]).collect();
            prop_assert_eq!(&joined, &text);
            for range in &ranges {
                prop_assert!(range.len() <= limit.max(4));
            }
        }
    }
}
