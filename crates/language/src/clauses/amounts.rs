//! Which numbers of what does a text name, and does one go beyond another?

/// A number of something.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Amount {
    number: f64,
    of: String,
    bound: Bound,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Most,
    Least,
    Exactly,
}

impl Amount {
    /// Times are compared in seconds.
    fn new(number: f64, of: &str, bound: Bound) -> Self {
        const SECONDS: [(&str, f64); 6] = [
            ("second", 1.0),
            ("minute", 60.0),
            ("hour", 3_600.0),
            ("day", 86_400.0),
            ("week", 604_800.0),
            ("year", 3.15e7),
        ];
        match SECONDS.iter().find(|(unit, _)| *unit == of) {
            Some((_, seconds)) => Amount { number: number * seconds, of: "second".to_owned(), bound },
            None => Amount { number, of: of.to_owned(), bound },
        }
    }

    /// Does another amount of the same go beyond this one?
    pub fn excludes(&self, other: &Amount) -> bool {
        let is_beyond = match self.bound {
            Bound::Most => other.number > self.number,
            Bound::Least => other.number < self.number,
            Bound::Exactly => other.number != self.number,
        };
        self.of == other.of && is_beyond
    }
}

/// "at most five seconds", "1200 pixels", "a third locale".
pub(super) fn amounts(text: &str) -> Vec<Amount> {
    const NUMBERS: [&str; 13] =
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    const ORDINALS: [&str; 6] = ["zeroth", "first", "second", "third", "fourth", "fifth"];
    const TENS: [(&str, f64); 4] = [("twenty", 20.0), ("thirty", 30.0), ("sixty", 60.0), ("hundred", 100.0)];
    let lower = text.to_lowercase();
    let words: Vec<&str> =
        lower.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())).collect();
    let number = |word: &str| -> Option<f64> {
        let place = |list: &[&str]| list.iter().position(|known| *known == word).map(|at| at as f64);
        let of_tens = TENS.iter().find(|(known, _)| *known == word).map(|(_, number)| *number);
        word.parse().ok().or_else(|| place(&NUMBERS)).or_else(|| place(&ORDINALS)).or(of_tens)
    };
    let mut found = Vec::new();
    for at in 0..words.len() {
        let (Some(number), Some(of)) = (number(words[at]), words.get(at + 1)) else { continue };
        let before = words[at.saturating_sub(3)..at].join(" ");
        let after = words.get(at + 2).copied().unwrap_or_default();
        let says = |marks: &[&str]| marks.iter().any(|mark| before.ends_with(mark));
        let bound =
            if says(&["at most", "up to", "maximum of", "no more than", "less than", "under", "below", "within"])
                || after == "only"
            {
                Bound::Most
            } else if says(&["at least", "minimum of", "more than", "over", "above"]) {
                Bound::Least
            } else {
                Bound::Exactly
            };
        if of.chars().all(char::is_alphabetic) && of.len() > 3 {
            found.push(Amount::new(number, of.trim_end_matches('s'), bound));
        }
    }
    found.extend(versions(text));
    found
}

/// "Node 20": a name with a number behind it.
fn versions(text: &str) -> Vec<Amount> {
    let words: Vec<&str> = text.split_whitespace().map(|word| word.trim_matches([',', '.', ';', '(', ')'])).collect();
    let pairs = words.windows(2).filter_map(|pair| Some((pair[0], pair[1].trim_start_matches('v').parse().ok()?)));
    let named = pairs.filter(|(name, _)| name.len() > 1 && name.starts_with(char::is_uppercase));
    named.map(|(name, number)| Amount { number, of: name.to_lowercase(), bound: Bound::Exactly }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excludes(rule: &str, plan: &str) -> bool {
        amounts(rule).iter().any(|amount| amounts(plan).iter().any(|other| amount.excludes(other)))
    }

    #[test]
    fn an_amount_excludes_others_beyond_its_bound() {
        for (rule, plan) in [
            ("timeouts are at most five seconds", "a timeout of thirty seconds"),
            ("four places", "round to two places"),
            ("two locales only", "add a third locale"),
            ("we stay on Node 20", "upgrade to Node 22"),
            ("keep it below 200 kilobytes", "let it grow to 350 kilobytes"),
        ] {
            assert!(excludes(rule, plan), "{rule} / {plan}");
        }
        for (rule, plan) in [
            ("timeouts are at most five seconds", "a timeout of three seconds"),
            ("at most 1200 pixels", "resize to 800 pixels"),
            ("four places", "two users"),
        ] {
            assert!(!excludes(rule, plan), "{rule} / {plan}");
        }
    }
}
