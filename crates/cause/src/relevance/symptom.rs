//! Which kind of fault does the question describe, and what does faulty code of that kind look like?
//!
//! Points at a line and names the likely fault. It does not affect ranking: a guess is not evidence.

use std::sync::LazyLock;

use regex::Regex;

/// A kind of fault.
#[derive(Debug)]
pub struct Symptom {
    pub name: &'static str,
    /// The likely explanation.
    pub likely_fault: &'static str,
    asked: Regex,
    /// A line that can be at fault.
    faulty_line: Regex,
    /// The pattern that makes such a line correct.
    remedy: Option<Regex>,
}

impl Symptom {
    fn new(name: &'static str, likely_fault: &'static str, asked: &str, faulty_line: &str, remedy: &str) -> Self {
        // The patterns are constants; a test compiles every one of them.
        let pattern = |text: &str| Regex::new(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let remedy = (!remedy.is_empty()).then(|| pattern(remedy));
        Self { name, likely_fault, asked: pattern(asked), faulty_line: pattern(faulty_line), remedy }
    }

    /// Can this line be at fault?
    pub fn matches_line(&self, line: &str) -> bool {
        let code = line.trim();
        let is_comment = ["//", "#", "*", "/*", "--"].iter().any(|mark| code.starts_with(mark));
        !is_comment
            && self.faulty_line.is_match(code)
            && !self.remedy.as_ref().is_some_and(|remedy| remedy.is_match(code))
    }
}

static ALL: LazyLock<Vec<Symptom>> = LazyLock::new(|| {
    vec![
        Symptom::new(
            "not a number",
            "missing type conversion: it computes with a value that nothing here turns into a number",
            r"(?i)\bNaN\b|not a number|concatenat\w+ instead|unsupported operand type|wrong total",
            r"[\w\])]\s*(?:\+=|-=|\*=|/=|[*/]|\+|-)\s*[\w(]+[.\[]|[.\]]\w*\s*[*/+-]\s*\w",
            r"(?i)parseFloat|parseInt|Number\(|\bint\(|\bfloat\(|Decimal\(|to_[if]\b|\bas f(?:32|64)|atoi|ParseFloat|[\x22'`]",
        ),
        Symptom::new(
            "nothing where a value is needed",
            "missing check for an absent value: it uses a value that may not be there",
            r"(?i)\b(?:NoneType|null ?pointer|nil pointer|undefined is not|cannot read propert|is not a function|of undefined|of null|segfault|unwrap\(\) on a `?None)",
            r"\w+(?:\([^()]*\))?\.\w+(?:\.|\()|\.unwrap\(\)|\.expect\(|->\w+",
            r"\?\.|\bif\b.*(?:None|null|nil|undefined)|is not None|!= ?nil|\?\?|unwrap_or",
        ),
        Symptom::new(
            "missing key",
            "missing default: it takes an entry that may not be there",
            r"(?i)\bKeyError|IndexError|index out of (?:range|bounds)|ArrayIndexOutOfBounds|no such key|key not found",
            r"\w\[[^\]:]+\]",
            r"\.get\(|\bin\b|len\(|\.len\(\)|\.length",
        ),
        Symptom::new(
            "wrong encoding",
            "missing encoding: it turns text into bytes, or back, without saying which encoding",
            r"(?i)UnicodeDecodeError|UnicodeEncodeError|mojibake|\bencoding\b|\bcharset\b|utf-?8",
            r"(?i)\.(?:en|de)code\(\)|\bopen\(|\bstr\(|bytes\(|toString\(\)|charset|encoding",
            r"(?i)utf-?8",
        ),
        Symptom::new(
            "hangs",
            "missing bound or release: it waits or repeats without an end that is sure to come",
            r"(?i)\bhangs?\b|deadlock|never (?:returns|finishes|ends|completes)|infinite loop|blocks forever|\bstuck\b",
            r"\bwhile\b|\bloop\b|\.lock\(|\.wait\(|\.join\(|\brecv\(|\bfor\s*\(;;|acquire\(|\bpark\b",
            r"(?i)timeout|try_lock|with_timeout",
        ),
        Symptom::new(
            "race",
            "missing lock: state that others write is read or written here without one",
            r"(?i)race condition|thread[- ]safe|data race|concurren\w+ (?:access|modif|map)|not atomic|intermittent",
            r"\bself\.\w+\s*(?:\+|-)?=|\bthis\.\w+\s*(?:\+|-)?=|\bstatic\b|\bglobal\b|\w\+\+|\+= ?1",
            r"(?i)\block|mutex|atomic|synchronized",
        ),
        Symptom::new(
            "leak",
            "missing release: what is opened or kept here is not given back",
            r"(?i)\bleak|too many open files|out of memory|\bOOM\b|memory (?:grows|usage)|not closed|ResourceWarning",
            r"(?i)\bopen\(|connect\(|\bnew \w*(?:Stream|Socket|Client|Pool)|\.push\(|append\(|spawn\(|subscribe\(|addEventListener",
            r"(?i)\bwith\b|close\(|defer|finally|\busing\b|dispose|removeEventListener",
        ),
        Symptom::new(
            "too slow or timed out",
            "work that grows: it does something costly again and again",
            r"(?i)\bslow\b|time(?:s|d)? ?out\b|performance|quadratic|takes (?:too )?long|\b100 ?% cpu",
            r"\bfor\b|\bwhile\b|\.map\(|\.filter\(|forEach",
            "",
        ),
        Symptom::new(
            "awaited too late",
            "missing await: what is started here may not be done when it is used",
            r"(?i)unhandled (?:promise|rejection)|\[object Promise\]|never awaited|coroutine '",
            r"\b\w+\(.*\)\s*;?$",
            r"\bawait\b|\.then\(|\breturn\b|\byield\b",
        ),
    ]
});

/// The kinds of fault that a question describes.
pub fn symptoms(text: &str) -> Vec<&'static Symptom> {
    ALL.iter().filter(|symptom| symptom.asked.is_match(text)).collect()
}

#[cfg(test)]
mod tests {
    use super::symptoms;

    #[test]
    fn a_sum_without_conversion_is_suspect() {
        let found = symptoms("Why does calculateTotal return NaN?");
        assert_eq!(found.iter().map(|symptom| symptom.name).collect::<Vec<_>>(), ["not a number"]);
        for line in ["total += item.price * item.quantity;", "  sum = sum + row.amount", "return a.x * rate"] {
            assert!(found[0].matches_line(line), "{line}");
        }
        for line in ["total += parseFloat(item.price);", "// total += item.price", "const total = 0;", "items.push(x)"]
        {
            assert!(!found[0].matches_line(line), "{line}");
        }
    }

    #[test]
    fn a_question_without_a_fault_has_no_symptom() {
        assert!(symptoms("How does the cart compute its total?").is_empty());
    }
}
