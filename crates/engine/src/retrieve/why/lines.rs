//! Which lines of a commit are searched?

use std::collections::{BTreeMap, BTreeSet};

use crate::ingest::{ChangedFile, Commit, HunkLine, lines_around};

use super::edits::proves_itself;
use super::line::WantedLine;

/// At most this many lines of a commit are searched.
const MOST_LINES: usize = 400;

/// A line that a commit added or removed, with its hunk.
#[derive(Clone, Copy)]
pub struct DiffLine<'c> {
    hunk: &'c [HunkLine],
    at: usize,
}

impl<'c> DiffLine<'c> {
    pub fn text(&self) -> &'c str {
        &self.hunk[self.at].text
    }

    pub fn wanted(&self) -> WantedLine<'c> {
        WantedLine::new(self.text(), lines_around(self.hunk, self.at).map(|line| line.text.as_str()))
    }
}

/// The distinctive lines of a commit.
pub struct CommitLines<'c> {
    /// By its files.
    pub added: Vec<Vec<DiffLine<'c>>>,
    /// Removed lines that it did not add again, here or elsewhere.
    pub removed: Vec<Vec<DiffLine<'c>>>,
    /// The count before the limit is applied.
    pub distinctive: usize,
    pub distinctive_removed: usize,
    /// The files from which it removed each line.
    taken_from: BTreeMap<&'c str, Vec<usize>>,
}

impl<'c> CommitLines<'c> {
    pub fn of(commit: &'c Commit) -> Self {
        let all = |side: fn(&ChangedFile) -> &[Vec<HunkLine>]| -> Vec<Vec<DiffLine<'c>>> {
            commit.files.iter().map(|file| distinctive(side(file)).collect()).collect()
        };
        let added = all(|file| &file.hunks);
        let mut removed = all(|file| &file.old_hunks);
        let mut taken_from: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (file, lines) in removed.iter().enumerate() {
            for line in lines {
                taken_from.entry(line.text().trim()).or_default().push(file);
            }
        }
        let stays: BTreeSet<&str> = added.iter().flatten().map(|line| line.text().trim()).collect();
        removed.iter_mut().for_each(|lines| lines.retain(|line| !stays.contains(line.text().trim())));
        let count = |lines: &[Vec<DiffLine<'c>>]| lines.iter().map(Vec::len).sum::<usize>();
        let (distinctive, distinctive_removed) = (count(&added), count(&removed));
        CommitLines { added: fairly(added), removed: fairly(removed), distinctive, distinctive_removed, taken_from }
    }

    /// The files, by their numbers, from which the commit moved a line to this one; itself first.
    pub fn moved_from(&self, line: &DiffLine<'_>, file: usize) -> Vec<usize> {
        let mut from = self.taken_from.get(line.text().trim()).cloned().unwrap_or_default();
        from.dedup();
        from.sort_by_key(|other| *other != file);
        from
    }
}

fn distinctive<'c>(hunks: &'c [Vec<HunkLine>]) -> impl Iterator<Item = DiffLine<'c>> {
    let lines = hunks.iter().flat_map(|hunk| (0..hunk.len()).map(move |at| DiffLine { hunk, at }));
    lines.filter(|line| line.hunk[line.at].is_changed && proves_itself(line.text()))
}

/// A long generated file must not crowd out the others.
fn fairly(files: Vec<Vec<DiffLine<'_>>>) -> Vec<Vec<DiffLine<'_>>> {
    let cap = fair_cap(files.iter().map(Vec::len), MOST_LINES);
    files.into_iter().map(|lines| spread(lines, cap)).collect()
}

/// The number of lines per file that may be searched, so that the total is at most `most`.
fn fair_cap(counts: impl Iterator<Item = usize>, most: usize) -> usize {
    let mut counts: Vec<usize> = counts.filter(|count| *count > 0).collect();
    counts.sort_unstable();
    let mut left = most;
    let mut files = counts.len();
    for count in counts {
        if count > left / files {
            return (left / files).max(1);
        }
        left -= count;
        files -= 1;
    }
    most
}

/// An even sample from the whole file.
fn spread(lines: Vec<DiffLine<'_>>, cap: usize) -> Vec<DiffLine<'_>> {
    if lines.len() <= cap {
        return lines;
    }
    (0..cap).map(|n| lines[n * lines.len() / cap]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_files_leave_room_for_short_ones() {
        assert_eq!(fair_cap([3, 5].into_iter(), 400), 400);
        assert_eq!(fair_cap([10, 20_000].into_iter(), 400), 390);
        assert_eq!(fair_cap([1_000, 1_000].into_iter(), 400), 200);
        assert_eq!(fair_cap(std::iter::repeat_n(9, 1_000), 400), 1);
        assert_eq!(fair_cap(std::iter::empty(), 400), 400);
    }
}
