//! Which of our functions did the fix change?
//!
//! The names in the data come from another tool: `module.exports.load` may be our `loadModule.load`. A function matches
//! a name if
//! 1. the qualified names agree (`::` read as `.`), or one ends like the other; of several, those with a changed line;
//! 2. else, a function with a changed line has the name's last part as its own, or on its first line
//!    (`request.onload = function handleLoad`); a name for something nameless is one whose first line is an unnamed
//!    function. The smallest such function.
//!
//! Everything else (a field, a constant, an unnamed callback, a test inside a source file) has no span in our index. It
//! counts as not found in the strict numbers, and is excluded from those over matched functions.

use backstory_cause::digest::simple_name;
use backstory_cause::tree::{TreeEntity, TreeIndex};

use super::rows::ReportRow;

#[derive(Default)]
pub struct Gold {
    /// Per function of the fix, the indexes of matching functions in the tree; empty if there is none.
    pub functions: Vec<Vec<usize>>,
    /// Functions of the fix without a match.
    pub unmatched: Vec<String>,
}

/// A function with its index among all of the tree.
type Ours<'a> = (usize, TreeEntity<'a>);

/// `lines`: the lines of a file.
pub fn find(row: &ReportRow, tree: &TreeIndex, lines: impl Fn(&str) -> Vec<String>) -> Gold {
    let mut found = Gold::default();
    for (path, names) in row.gold_functions.iter().flatten() {
        let file = tree.paths().exact(path);
        let inside = file.map_or(0..0, |file| tree.functions_of(file));
        let ours: Vec<Ours<'_>> = inside.filter_map(|at| Some((at, tree.function(at)?))).collect();
        let lines = lines(path);
        let changed: Vec<u32> = row.gold_lines.get(path).into_iter().flatten().flat_map(|&(a, b)| a..=b).collect();
        for name in names {
            let matching = matching(&name.replace("::", "."), &ours, &lines, &changed);
            if matching.is_empty() {
                found.unmatched.push(format!("{path}:{name}"));
            }
            found.functions.push(matching);
        }
    }
    found
}

fn matching(name: &str, ours: &[Ours<'_>], lines: &[String], changed: &[u32]) -> Vec<usize> {
    let exact = |entity: &TreeEntity<'_>| entity.qualified == name;
    let loosely = |entity: &TreeEntity<'_>| ends(entity.qualified, name) || ends(name, entity.qualified);
    for agrees in [&exact as &dyn Fn(&TreeEntity<'_>) -> bool, &loosely] {
        let all: Vec<&Ours<'_>> = ours.iter().filter(|(_, entity)| agrees(entity)).collect();
        let touched = all.iter().filter(|(_, entity)| has_change(entity, changed));
        let touched: Vec<usize> = touched.map(|(at, _)| *at).collect();
        if !all.is_empty() {
            return if touched.is_empty() { all.iter().map(|(at, _)| *at).collect() } else { touched };
        }
    }
    let last = if name.ends_with("module.exports") { "module.exports" } else { simple_name(name) };
    let is_it = |entity: &TreeEntity<'_>| {
        let first = lines.get(entity.first_line.saturating_sub(1) as usize).map_or("", String::as_str);
        match last.starts_with("AnonymousFunction") {
            true => first.contains("function(") || first.contains("function (") || first.contains("=>"),
            false => entity.name == last || has_word(first, last),
        }
    };
    let touched = ours.iter().filter(|(_, entity)| has_change(entity, changed) && is_it(entity));
    let smallest = touched.min_by_key(|(_, entity)| entity.last_line - entity.first_line);
    smallest.map(|(at, _)| *at).into_iter().collect()
}

/// Does the long name end in all parts of the short one?
fn ends(long: &str, short: &str) -> bool {
    long.strip_suffix(short).is_some_and(|rest| rest.ends_with('.'))
}

fn has_change(entity: &TreeEntity<'_>, changed: &[u32]) -> bool {
    changed.iter().any(|line| (entity.first_line..=entity.last_line).contains(line))
}

fn has_word(line: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let stands_alone = |at: usize| !line[..at].ends_with(is_part) && !line[at + word.len()..].starts_with(is_part);
    line.match_indices(word).any(|(at, _)| stands_alone(at))
}

#[cfg(test)]
mod tests {
    use super::{ends, has_word};

    #[test]
    fn names_end_at_a_dot() {
        assert!(ends("Command.handle", "handle"));
        assert!(!ends("Command.rehandle", "handle"));
    }

    #[test]
    fn words_stand_alone() {
        assert!(has_word("request.onload = function handleLoad() {", "onload"));
        assert!(!has_word("request.onloadend = 1", "onload"));
    }
}
