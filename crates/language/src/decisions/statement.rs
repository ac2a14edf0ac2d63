//! How do the parts fit into short statements?

use super::sentences::without_reason;

/// A part of a decision, with what it counts where space is short.
#[derive(Clone, Copy, Debug)]
pub struct WeighedPart<'a> {
    pub text: &'a str,
    pub weight: i32,
}

/// One statement with the parts that it tells.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    pub text: String,
    /// Numbers of parts.
    pub parts: Vec<usize>,
}

const MOST: usize = 2;
/// A part that is left over makes a statement of its own from this weight on.
const ALONE: i32 = 90;
/// A part must weigh one more to be worth so many letters more.
const LETTERS_PER_WEIGHT: i32 = 3;

/// As few statements of at most `longest` characters as hold the parts, the weightiest parts in the first.
pub fn statements(subject: &str, parts: &[WeighedPart<'_>], longest: usize) -> Vec<Statement> {
    let all: Vec<usize> = (0..parts.len()).collect();
    let whole = join(subject, parts, &all);
    if all.is_empty() || whole.chars().count() <= longest {
        return if all.is_empty() { Vec::new() } else { vec![Statement { text: whole, parts: all }] };
    }
    let short = |part: &WeighedPart<'_>| without_reason(part.text).len();
    let shortened: Vec<WeighedPart<'_>> =
        parts.iter().map(|part| WeighedPart { text: &part.text[..short(part)], weight: part.weight }).collect();
    let mut left = all;
    let mut out = Vec::new();
    while !left.is_empty() && out.len() < MOST {
        let taken = fill(subject, &shortened, &left, longest);
        // One weak part makes no further statement.
        let is_weak = taken.len() == 1 && parts[taken[0]].weight < ALONE && !out.is_empty();
        if taken.is_empty() || is_weak {
            break;
        }
        left.retain(|part| !taken.contains(part));
        out.push(Statement { text: join(subject, &shortened, &taken), parts: taken });
    }
    out
}

/// The weightiest parts that fit, in their order.
fn fill(subject: &str, parts: &[WeighedPart<'_>], left: &[usize], longest: usize) -> Vec<usize> {
    let mut order = left.to_vec();
    let weight = |part: &WeighedPart<'_>| part.weight * LETTERS_PER_WEIGHT - part.text.len() as i32;
    order.sort_by_key(|part| (std::cmp::Reverse(weight(&parts[*part])), *part));
    let mut taken: Vec<usize> = Vec::new();
    for part in order {
        let mut with = taken.clone();
        with.push(part);
        with.sort_unstable();
        if join(subject, parts, &with).chars().count() <= longest {
            taken = with;
        }
    }
    taken
}

fn join(subject: &str, parts: &[WeighedPart<'_>], taken: &[usize]) -> String {
    let said: Vec<&str> = taken.iter().map(|part| parts[*part].text).collect();
    let said = said.join("; ");
    if subject.is_empty() || said.contains(subject) { said } else { format!("{subject}: {said}") }
}
