//! Which form does a line have: a question, an answer, a greeting?

/// The function of a line's words, apart from their topic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Form {
    pub question: bool,
    /// A yes-or-no question.
    pub yes_no_question: bool,
    /// Starts with yes, no or the like.
    pub yes_no: bool,
    pub greeting: bool,
    pub thanks: bool,
    /// Starts with a word of continuation: "and", "but", "so".
    pub goes_on: bool,
    /// Starts with a word of acknowledgement: "ok", "ah", "lol".
    pub takes_in: bool,
    /// At most three words.
    pub short: bool,
}

const YES_NO: &[&str] = &[
    "yes", "yeah", "yea", "yep", "yup", "ya", "yah", "no", "nope", "nah", "correct", "right", "exactly", "sure",
    "indeed", "absolutely", "definitely", "probably", "maybe", "true", "possibly",
];
const GREETINGS: &[&str] = &["hi", "hello", "hey", "hiya", "howdy", "greetings", "yo", "morning", "heya", "sup"];
const THANKS: &[&str] = &["thanks", "thank", "thx", "ty", "cheers", "tnx", "thnx", "thankyou", "tyvm"];
const GOES_ON: &[&str] = &["and", "but", "so", "or", "also", "then", "because", "cause", "cuz", "plus", "though"];
const TAKES_IN: &[&str] = &[
    "ok", "okay", "oh", "ah", "aha", "ahh", "hmm", "hm", "lol", "haha", "hehe", "heh", "well", "k", "cool", "great",
    "nice", "wow", "oops", "sorry", "damn", "weird", "good", "awesome", "alright", "fine", ":)", ":(", ":p", "np",
    "interesting",
];
const ASKS: &[&str] = &[
    "what", "whats", "what's", "why", "how", "hows", "how's", "where", "wheres", "where's", "who", "whos", "who's",
    "when", "which", "whose",
];
const ASKS_YES_NO: &[&str] = &[
    "is", "are", "was", "were", "do", "does", "did", "can", "could", "will", "would", "should", "have", "has", "had",
    "isn't", "isnt", "aren't", "arent", "don't", "dont", "doesn't", "doesnt", "didn't", "didnt", "can't", "cant",
    "any", "anyone", "anybody", "am", "may", "shall", "won't", "wont",
];

/// Reads the words of a line one by one, in lower case and without punctuation; the addressee at its start is left out.
#[derive(Default)]
pub(super) struct FormReader {
    form: Form,
    words: usize,
    asks: bool,
    asks_yes_no: bool,
    asks_anyone: bool,
}

impl FormReader {
    pub fn word(&mut self, word: &str) {
        let is = |list: &[&str]| list.contains(&word);
        if self.words == 0 {
            self.form.yes_no = is(YES_NO);
            self.form.goes_on = is(GOES_ON);
            self.form.takes_in = is(TAKES_IN) || !word.contains(char::is_alphanumeric);
        }
        if self.words < 2 {
            self.form.greeting |= is(GREETINGS);
            // "so how do I", "ok what about"
            let opens = self.words == 0 || self.form.goes_on || self.form.takes_in || self.form.greeting;
            self.asks |= opens && is(ASKS);
            self.asks_yes_no |= opens && !self.asks && is(ASKS_YES_NO);
        }
        if word.len() >= 5 {
            self.asks_anyone |= word == "anyone" || word == "anybody" || word == "someone" || word == "somebody";
        }
        self.form.thanks |= self.words < 6 && is(THANKS);
        self.words += 1;
    }

    pub fn finish(self, text: &str) -> Form {
        let mut form = self.form;
        let marked = ends_asking(text);
        form.question = marked || self.asks || self.asks_yes_no && self.words >= 4 || self.asks_anyone;
        form.yes_no_question = form.question && !self.asks && (self.asks_yes_no || self.asks_anyone || marked);
        form.short = self.words <= 3;
        form
    }
}

/// A question mark ends the line or a sentence in it; those inside links do not count.
fn ends_asking(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'?', bytes).any(|at| bytes.get(at + 1).is_none_or(|next| !next.is_ascii_alphanumeric()))
}
